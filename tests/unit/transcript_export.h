/* SPDX-License-Identifier: Apache-2.0 */
/* Entries back to the wire they came from, written after docs/transcript.md alone: what the import says must be enough for
 * somebody who knows only that. */
#ifndef FOVEA_TRANSCRIPT_EXPORT_H
#define FOVEA_TRANSCRIPT_EXPORT_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/b64.h"
#include "transcript/transcript.h"

static bool word_is(const json_t *object, const char *key, const char *word)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s && !strcmp(s, word);
}

/* ---------------------------------------------------------------- bytes */

static char *bytes_of(const struct incoming *in, const json_t *part)
{
    const char *hex = json_string_value(json_object_get(part, "sha256"));
    for (size_t i = 0; hex && i < in->n_blobs; i++) {
        char have[SHA256_HEX_LEN + 1];
        sha256_hex(in->blobs[i].sha256, have);
        if (strcmp(have, hex) != 0)
            continue;
        char *text = calloc(1, B64_LEN(in->blobs[i].len) + 1);
        b64_encode(in->blobs[i].data, in->blobs[i].len, text);
        return text;
    }
    return NULL;
}

static const char *declared_type(const json_t *part)
{
    const char *said = json_string_value(json_object_get(part, "declared"));
    return said ? said : json_string_value(json_object_get(part, "media_type"));
}

static json_t *token_value(const struct incoming *in, const json_t *part, const char *token)
{
    char *data = bytes_of(in, part);
    json_t *v = !strcmp(token, "\001data")   ? json_string(data)
                : !strcmp(token, "\001type") ? json_string(declared_type(part))
                                             : json_sprintf("data:%s;base64,%s", declared_type(part), data);
    free(data);
    return v;
}

static json_t *with_tokens(const struct incoming *in, const json_t *part, const json_t *raw)
{
    const char *s = json_string_value(raw), *key;
    json_t *copy, *inner;
    size_t i;
    if (s && s[0] == '\001')
        return token_value(in, part, s);
    if (json_is_object(raw)) {
        copy = json_object();
        json_object_foreach((json_t *)(uintptr_t)raw, key, inner)
            json_object_set_new(copy, key, with_tokens(in, part, inner));
        return copy;
    }
    if (json_is_array(raw)) {
        copy = json_array();
        json_array_foreach(raw, i, inner)
            json_array_append_new(copy, with_tokens(in, part, inner));
        return copy;
    }
    return json_deep_copy(raw);
}

/* ---------------------------------------------------------------- blocks */

static json_t *one(const json_t *part, const char *key)
{
    return json_object_get(part, key);
}

static json_t *block_anthropic(const struct incoming *in, const json_t *p)
{
    json_t *source = one(p, "url")       ? json_pack("{s:s,s:O}", "type", "url", "url", one(p, "url"))
                     : one(p, "file_id") ? json_pack("{s:s,s:O}", "type", "file", "file_id", one(p, "file_id"))
                     : one(p, "sha256")  ? json_pack("{s:s,s:o,s:o}", "type", "base64", "media_type",
                                                     token_value(in, p, "\001type"), "data", token_value(in, p, "\001data"))
                                         : NULL;
    if (word_is(p, "type", "image"))
        return json_pack("{s:s,s:o}", "type", "image", "source", source);
    if (word_is(p, "type", "document"))
        return json_pack("{s:s,s:o,s:O*}", "type", "document", "source", source, "title", one(p, "name"));
    if (word_is(p, "type", "tool_call"))
        return json_pack("{s:s,s:O,s:O,s:O}", "type", "tool_use", "id", one(p, "id"), "name", one(p, "name"), "input",
                         one(p, "arguments"));
    return json_pack("{s:s,s:O}", "type", "text", "text", one(p, "text"));
}

static json_t *arguments_text(const json_t *p)
{
    json_t *entry = json_pack("{s:s,s:O}", "kind", "x", "arguments", one(p, "arguments"));
    size_t len = 0;
    char *text = entry_text_new(entry, &len); /* {"kind":"x","arguments":...} */
    json_t *s = json_stringn(text + 24, len - 25);
    free(text);
    json_decref(entry);
    return s;
}

static json_t *block_chat(const struct incoming *in, const json_t *p)
{
    if (word_is(p, "type", "image"))
        return json_pack("{s:s,s:{s:o,s:s}}", "type", "image_url", "image_url", "url",
                         one(p, "url") ? json_incref(one(p, "url")) : token_value(in, p, "\001url"), "detail", "high");
    if (word_is(p, "type", "document") && one(p, "file_id"))
        return json_pack("{s:s,s:{s:O}}", "type", "file", "file", "file_id", one(p, "file_id"));
    if (word_is(p, "type", "document"))
        return json_pack("{s:s,s:{s:O,s:o}}", "type", "file", "file", "filename", one(p, "name"), "file_data",
                         token_value(in, p, "\001url"));
    if (word_is(p, "type", "tool_call"))
        return json_pack("{s:O,s:s,s:{s:O,s:o}}", "id", one(p, "id"), "type", "function", "function", "name",
                         one(p, "name"), "arguments", arguments_text(p));
    return json_pack("{s:s,s:O}", "type", "text", "text", one(p, "text"));
}

static json_t *block_responses(const struct incoming *in, const json_t *p, bool assistant)
{
    if (word_is(p, "type", "image") && one(p, "file_id"))
        return json_pack("{s:s,s:s,s:O}", "type", "input_image", "detail", "high", "file_id", one(p, "file_id"));
    if (word_is(p, "type", "image"))
        return json_pack("{s:s,s:s,s:o}", "type", "input_image", "detail", "high", "image_url",
                         one(p, "url") ? json_incref(one(p, "url")) : token_value(in, p, "\001url"));
    if (word_is(p, "type", "document") && one(p, "file_id"))
        return json_pack("{s:s,s:O}", "type", "input_file", "file_id", one(p, "file_id"));
    if (word_is(p, "type", "document") && one(p, "url"))
        return json_pack("{s:s,s:O}", "type", "input_file", "file_url", one(p, "url"));
    if (word_is(p, "type", "document"))
        return json_pack("{s:s,s:O,s:o}", "type", "input_file", "filename", one(p, "name"), "file_data",
                         token_value(in, p, "\001url"));
    if (word_is(p, "type", "tool_call"))
        return json_pack("{s:s,s:O,s:O,s:o}", "type", "function_call", "call_id", one(p, "id"), "name", one(p, "name"),
                         "arguments", arguments_text(p));
    return assistant ? json_pack("{s:s,s:O,s:[]}", "type", "output_text", "text", one(p, "text"), "annotations")
                     : json_pack("{s:s,s:O}", "type", "input_text", "text", one(p, "text"));
}

static json_t *block_gemini(const struct incoming *in, const json_t *p)
{
    if (one(p, "url"))
        return json_pack("{s:{s:O,s:O}}", "fileData", "fileUri", one(p, "url"), "mimeType", one(p, "media_type"));
    if (one(p, "sha256"))
        return json_pack("{s:{s:o,s:o}}", "inlineData", "mimeType", token_value(in, p, "\001type"), "data",
                         token_value(in, p, "\001data"));
    if (word_is(p, "type", "tool_call"))
        return json_pack("{s:{s:O,s:O,s:O}}", "functionCall", "id", one(p, "id"), "name", one(p, "name"), "args",
                         one(p, "arguments"));
    return json_pack("{s:O}", "text", one(p, "text"));
}

static json_t *block_of(const struct incoming *in, const char *wire, const json_t *p, bool assistant)
{
    if (word_is(p, "type", "opaque"))
        return json_deep_copy(one(p, "value"));
    if (one(p, "raw"))
        return one(p, "sha256") ? with_tokens(in, p, one(p, "raw")) : json_deep_copy(one(p, "raw"));
    return !strcmp(wire, "anthropic")          ? block_anthropic(in, p)
           : !strcmp(wire, "openai-chat")      ? block_chat(in, p)
           : !strcmp(wire, "openai-responses") ? block_responses(in, p, assistant)
                                               : block_gemini(in, p);
}

/* ---------------------------------------------------------------- messages */

static json_t *blocks_of(const struct incoming *in, const char *wire, const json_t *e, size_t from, bool calls)
{
    json_t *list = json_array(), *p;
    size_t i;
    bool split = !strcmp(wire, "openai-chat");
    json_array_foreach(one(e, "parts"), i, p)
        if (i >= from && (!split || word_is(p, "type", "tool_call") == calls))
            json_array_append_new(list, block_of(in, wire, p, word_is(e, "kind", "assistant")));
    return list;
}

/* The string, the list, or nothing (NULL). */
static json_t *content_of(const struct incoming *in, const char *wire, const json_t *e)
{
    json_t *first = json_array_get(one(e, "parts"), 0);
    if (json_is_true(one(e, "plain")))
        return word_is(first, "type", "text") ? json_incref(one(first, "text")) : NULL;
    return blocks_of(in, wire, e, 0, false);
}

static void set_content(json_t *message, const char *key, json_t *content)
{
    if (content && !one(message, key))
        json_object_set(message, key, content);
    json_decref(content);
}

static json_t *start_of(const json_t *e, const char *assistant)
{
    if (one(e, "raw"))
        return json_deep_copy(one(e, "raw"));
    if (one(e, "role"))
        return json_pack("{s:O}", "role", one(e, "role"));
    return json_pack("{s:s}", "role", word_is(e, "kind", "assistant") ? assistant : "user");
}

static json_t *result_anthropic(const struct incoming *in, const json_t *e)
{
    json_t *b = one(e, "block") ? json_deep_copy(one(e, "block"))
                                : json_pack("{s:s,s:O}", "type", "tool_result", "tool_use_id", one(e, "call"));
    if (!one(e, "block") && json_is_true(one(e, "error")))
        json_object_set_new(b, "is_error", json_true());
    set_content(b, "content", content_of(in, "anthropic", e));
    return b;
}

static json_t *result_gemini(const struct incoming *in, const json_t *e)
{
    json_t *b = one(e, "block") ? json_deep_copy(one(e, "block")) : NULL;
    if (!b)
        b = json_pack("{s:{s:O,s:O,s:{s:O}}}", "functionResponse", "id", one(e, "call"), "name", one(e, "name"), "response",
                      "output", one(json_array_get(one(e, "parts"), 0), "text"));
    json_t *f = one(b, "functionResponse");
    json_t *media = blocks_of(in, "gemini", e, json_is_object(one(f, "response")), false);
    if (json_array_size(media))
        json_object_set(f, "parts", media);
    json_decref(media);
    return b;
}

static void add_to_message(const struct incoming *in, const char *wire, json_t *list, const json_t *e)
{
    bool gemini = !strcmp(wire, "gemini"), result = word_is(e, "kind", "tool_result");
    const char *key = gemini ? "parts" : "content";
    if (!json_is_true(one(e, "join")))
        json_array_append_new(list, start_of(e, gemini ? "model" : "assistant"));
    json_t *m = json_array_get(list, json_array_size(list) - 1);
    if (!result && (json_is_true(one(e, "plain")) || !one(m, key))) {
        set_content(m, key, content_of(in, wire, e));
        return;
    }
    if (!one(m, key))
        json_object_set_new(m, key, json_array());
    if (result) {
        json_array_append_new(one(m, key), gemini ? result_gemini(in, e) : result_anthropic(in, e));
        return;
    }
    json_t *more = content_of(in, wire, e);
    json_array_extend(one(m, key), more);
    json_decref(more);
}

static void add_chat(const struct incoming *in, json_t *list, const json_t *e)
{
    json_t *m = start_of(e, "assistant"), *calls = blocks_of(in, "openai-chat", e, 0, true);
    json_t *words = content_of(in, "openai-chat", e);
    if (word_is(e, "kind", "tool_result") && !one(e, "raw")) {
        json_object_set_new(m, "role", json_string("tool"));
        json_object_set(m, "tool_call_id", one(e, "call"));
    }
    if (json_array_size(calls) && json_is_array(words) && json_array_size(words) == 0) {
        json_decref(words);
        words = json_null();
    }
    set_content(m, "content", words);
    set_content(m, "tool_calls", json_array_size(calls) ? calls : (json_decref(calls), NULL));
    json_array_append_new(list, m);
}

static void add_item(const struct incoming *in, json_t *list, const json_t *e)
{
    json_t *p = json_array_get(one(e, "parts"), 0);
    bool result = word_is(e, "kind", "tool_result");
    if (word_is(e, "kind", "assistant") && !one(e, "raw") && (word_is(p, "type", "tool_call") || word_is(p, "type", "opaque"))) {
        json_array_append_new(list, block_of(in, "openai-responses", p, true));
        return;
    }
    json_t *m = result && !one(e, "raw")
                    ? json_pack("{s:s,s:O}", "type", "function_call_output", "call_id", one(e, "call"))
                    : start_of(e, "assistant");
    set_content(m, result ? "output" : "content", content_of(in, "openai-responses", e));
    json_array_append_new(list, m);
}

/* The bare list. */
static json_t *export_list(const struct incoming *in, const char *wire)
{
    json_t *list = json_array(), *e;
    size_t i;
    json_array_foreach(in->entries, i, e) {
        if (word_is(e, "kind", "request"))
            continue;
        if (!strcmp(wire, "openai-chat"))
            add_chat(in, list, e);
        else if (!strcmp(wire, "openai-responses"))
            add_item(in, list, e);
        else
            add_to_message(in, wire, list, e);
    }
    return list;
}

#endif
