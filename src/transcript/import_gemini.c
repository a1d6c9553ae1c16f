/* SPDX-License-Identifier: Apache-2.0 */
/* Gemini generateContent. Its calls and responses may come without ids, so they get them by their place and order. Its JSON
 * knows two spellings of every name; both are read. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "transcript/transcript_priv.h"

/* A member under either of its names. */
static json_t *either(const json_t *object, const char *camel, const char *snake)
{
    const char *name = has_member(object, camel) ? camel : snake;
    return has_member(object, name) ? json_object_get(object, name) : NULL;
}

/* ---------------------------------------------------------------- canonical blocks */

static json_t *media_block(const json_t *part)
{
    json_t *url = json_object_get(part, "url"), *type = json_object_get(part, "media_type");
    if (url)
        return json_pack("{s:{s:O, s:O*}}", "fileData", "fileUri", url, "mimeType", type);
    return json_pack("{s:{s:s, s:s}}", "inlineData", "mimeType", TOKEN_TYPE, "data", TOKEN_DATA);
}

static json_t *block(const json_t *part, enum side side)
{
    const char *type = json_string_value(json_object_get(part, "type"));
    json_t *arguments = json_object_get(part, "arguments");
    (void)side;
    if (!strcmp(type, "text"))
        return json_pack("{s:O}", "text", json_object_get(part, "text"));
    if (!strcmp(type, "image") || !strcmp(type, "document"))
        return media_block(part);
    if (!strcmp(type, "tool_call") && arguments)
        return json_pack("{s:{s:O, s:O, s:O}}", "functionCall", "id", json_object_get(part, "id"), "name",
                         json_object_get(part, "name"), "args", arguments);
    return NULL;
}

/* ---------------------------------------------------------------- parts */

/* Sound and film have no part of their own. */
static const char *kind_of(const json_t *type)
{
    const char *s = json_string_value(type);
    return !s ? NULL : !strncmp(s, "image/", 6) ? "image" : !strcmp(s, "application/pdf") ? "document" : NULL;
}

static json_t *make_inline(struct import *im, json_t *p, enum side side)
{
    static const struct payload_place camel = {.outer = "inlineData", .data = "data", .type = "mimeType"};
    static const struct payload_place snake = {.outer = "inline_data", .data = "data", .type = "mime_type"};
    const struct payload_place *at = has_member(p, "inlineData") ? &camel : &snake;
    json_t *inner = json_object_get(p, at->outer), *type = string_at(inner, at->type);
    const char *kind = kind_of(type);
    if (kind)
        return part_payload(im, kind, p, at, string_at(inner, "displayName"), side);
    return part_opaque_words(im, p, "[bytes of another kind]");
}

static json_t *make_file(struct import *im, json_t *p, enum side side)
{
    json_t *file = either(p, "fileData", "file_data"), *uri = either(file, "fileUri", "file_uri");
    json_t *type = either(file, "mimeType", "mime_type");
    const char *kind = kind_of(type);
    if (!json_is_string(uri))
        return NULL;
    if (!kind)
        return part_opaque(im, p, false, uri);
    json_t *part = part_new(im, kind);
    put(im, part, "url", uri);
    put(im, part, "media_type", type);
    put(im, part, "name", string_at(file, "displayName"));
    if (!strncasecmp(json_string_value(uri), "file:", 5))
        put_new(im, part, "broken", json_string("no web address"));
    return part_finish_same(im, part, p, side);
}

static json_t *make_text(struct import *im, json_t *p, enum side side)
{
    json_t *text = string_at(p, "text");
    if (json_is_true(json_object_get(p, "thought")))
        return part_opaque(im, p, true, NULL);
    return text && side != SIDE_RESULT ? part_finish_same(im, part_text(im, text), p, side) : NULL;
}

static json_t *made_id(struct import *im, size_t place)
{
    json_t *id = json_sprintf("gemini_%zu_%zu", im->message, place);
    if (!id)
        im->error = -ENOMEM;
    return id;
}

/* Puts a call at the end of those that wait with the same member. */
static void wait_by(struct import *im, const char *member, json_t *call)
{
    json_t *index = json_object_get(im->waiting, member), *value = json_object_get(call, member);
    auto_json *queue = json_incref(by_name(index, value));
    if (!queue) {
        queue = json_pack("{s:i, s:[]}", "next", 0, "calls");
        if (!queue || by_name_set(index, value, queue) < 0)
            im->error = -ENOMEM;
    }
    add_new(im, json_object_get(queue, "calls"), json_incref(call));
}

/* Its result may name it by its id or by its name alone. */
static void waits(struct import *im, json_t *id, json_t *name)
{
    auto_json *call = json_pack("{s:O, s:O}", "id", id, "name", name);
    wait_by(im, "id", call);
    wait_by(im, "name", call);
}

static json_t *make_call(struct import *im, json_t *p, size_t place)
{
    json_t *call = either(p, "functionCall", "function_call"), *name = string_at(call, "name"), *args = either(call, "args", "args");
    json_t *said = string_at(call, "id");
    if (json_string_length(name) == 0 || (args && !json_is_object(args)))
        return NULL;
    auto_json *id = json_string_length(said) ? json_incref(said) : made_id(im, place);
    auto_json *none = json_object();
    json_t *part = part_call(im, id, name, args ? args : none);
    waits(im, id, name);
    return part_finish_same(im, part, p, SIDE_ASSISTANT);
}

static json_t *make_code(struct import *im, json_t *p, enum side side)
{
    json_t *code = either(p, "executableCode", "executable_code");
    json_t *ran = either(p, "codeExecutionResult", "code_execution_result");
    (void)side;
    return part_opaque(im, p, false, code ? string_at(code, "code") : string_at(ran, "output"));
}

static json_t *make_part(struct import *im, json_t *p, enum side side)
{
    static const struct {
        const char *camel, *snake;
        part_maker *make;
    } makers[] = {
        {"text", "text", make_text},
        {"inlineData", "inline_data", make_inline},
        {"fileData", "file_data", make_file},
        {"executableCode", "executable_code", make_code},
        {"codeExecutionResult", "code_execution_result", make_code},
    };
    for (size_t i = 0; i < COUNT(makers); i++) {
        json_t *part = either(p, makers[i].camel, makers[i].snake) ? makers[i].make(im, p, side) : NULL;
        if (part || im->error)
            return part;
    }
    bool signature = json_object_size(p) == 1 && either(p, "thoughtSignature", "thought_signature");
    return part_opaque(im, p, signature, NULL);
}

/* ---------------------------------------------------------------- responses */

/* The id of the first call that waits and has this member; it waits no longer. Those that were answered by their other member are
 * passed over once. */
static json_t *answered(struct import *im, const char *member, const json_t *value)
{
    const json_t *queue = by_name(json_object_get(im->waiting, member), value);
    json_t *next = json_object_get(queue, "next"), *calls = json_object_get(queue, "calls");
    for (size_t i = (size_t)json_integer_value(next); i < json_array_size(calls); i++) {
        json_t *call = json_array_get(calls, i);
        (void)json_integer_set(next, (json_int_t)i + 1);
        if (json_object_get(call, "answered"))
            continue;
        put_new(im, call, "answered", json_true());
        return json_incref(json_object_get(call, "id"));
    }
    return NULL;
}

static json_t *response_id(struct import *im, const json_t *response, size_t place)
{
    json_t *said = string_at(response, "id"), *id = json_string_length(said) ? said : NULL, *name = string_at(response, "name");
    if (id)
        json_decref(answered(im, "id", id));
    json_t *found = id ? json_incref(id) : name ? answered(im, "name", name) : NULL;
    return found ? found : made_id(im, place);
}

/* What the response says, as words. */
static json_t *response_words(const json_t *response, bool *error)
{
    json_t *output = string_at(response, "output"), *wrong = json_object_get(response, "error");
    *error = has_member(response, "error") && !has_member(response, "output");
    if (output && json_object_size(response) == 1)
        return json_incref(output);
    return *error && json_is_string(wrong) && json_object_size(response) == 1 ? json_incref(wrong) : value_text(response);
}

static json_t *canonical_response(const json_t *entry, const json_t *words)
{
    json_t *name = json_object_get(entry, "name");
    if (json_string_length(name) == 0)
        return json_object(); /* like no response */
    return json_pack("{s:{s:O, s:O, s:{s:O*}}}", "functionResponse", "id", json_object_get(entry, "call"), "name", name,
                     "response", "output", words);
}

static bool all_objects(const json_t *list)
{
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one)
        if (!json_is_object(one))
            return false;
    return json_array_size(list) > 0;
}

static json_t *without_inner(struct import *im, const json_t *p, const char *outer, const char *member)
{
    static const char *const nothing[] = {NULL};
    json_t *copy = without(im, p, nothing);
    put_new(im, copy, outer, without(im, json_object_get(p, outer), (const char *const[]){member, NULL}));
    return copy;
}

static json_t *response_entry(struct import *im, json_t *p, const char *outer, size_t place)
{
    json_t *f = json_object_get(p, outer), *response = json_object_get(f, "response"), *media = json_object_get(f, "parts");
    bool error = false, taken = all_objects(media);
    auto_json *id = response_id(im, f, place);
    auto_json *words = json_is_object(response) ? response_words(response, &error) : NULL;
    json_t *e = entry_open(im, "tool_result");
    if (!e || !id)
        return NULL;
    result_call(im, e, id);
    put(im, e, "name", string_at(f, "name"));
    if (error)
        put_new(im, e, "error", json_true());
    if (words)
        (void)entry_add_part(im, e, part_text(im, words));
    if (taken && import_parts(im, e, media, ".parts: functionResponse.parts", make_part, SIDE_RESULT) < 0)
        return NULL;
    json_t *rest = taken ? without_inner(im, p, outer, "parts") : json_incref(p);
    if (error)
        put_new(im, e, "block", rest);
    else
        entry_raw(im, e, "block", rest, canonical_response(e, words));
    return e;
}

/* ---------------------------------------------------------------- contents */

static json_t *add_one(struct import *im, json_t *e, json_t *p, const char *kind, size_t place)
{
    enum side side = strcmp(kind, "assistant") != 0 ? SIDE_USER : SIDE_ASSISTANT;
    const char *outer = has_member(p, "functionResponse") ? "functionResponse" : "function_response";
    if (side == SIDE_USER && json_is_object(json_object_get(p, outer)))
        return response_entry(im, p, outer, place);
    e = entry_for(im, e, kind);
    json_t *part = side == SIDE_ASSISTANT && either(p, "functionCall", "function_call") ? make_call(im, p, place) : NULL;
    if (!part && !im->error)
        part = make_part(im, p, side);
    if (e)
        (void)entry_add_part(im, e, part);
    else
        json_decref(part);
    return e;
}

static int content(struct import *im, json_t *c)
{
    json_t *parts = json_object_get(c, "parts"), *p, *e = NULL;
    const char *kind = is_word(json_object_get(c, "role"), "model") ? "assistant" : "user";
    size_t i, first = json_array_size(im->in->entries);
    if (parts && !json_is_array(parts))
        return import_bad(im, ".parts: a list is wanted");
    if (json_array_size(parts) == 0)
        e = entry_open(im, kind);
    json_array_foreach(parts, i, p) {
        if (!json_is_object(p))
            return import_bad(im, ".parts[%zu]: an object is wanted", i);
        e = add_one(im, e, p, kind, i);
        if (!e || im->error)
            return im->error ? im->error : -ENOMEM;
    }
    e = json_array_get(im->in->entries, first);
    if (!parts)
        put_new(im, e, "plain", json_true());
    entry_raw(im, e, "raw", without(im, c, (const char *const[]){"parts", NULL}),
              json_pack("{s:s}", "role", !strcmp(kind, "user") ? "user" : "model"));
    return im->error;
}

/* ---------------------------------------------------------------- outside the list */

static void add_declarations(struct import *im, const json_t *list, json_t *tools)
{
    size_t i;
    json_t *f;
    json_array_foreach(list, i, f) {
        json_t *name = string_at(f, "name"), *schema = either(f, "parametersJsonSchema", "parameters_json_schema");
        if (name)
            add_new(im, tools, json_pack("{s:O, s:O*, s:O*}", "name", name, "description", string_at(f, "description"),
                                         "parameters", schema ? schema : json_object_get(f, "parameters")));
    }
}

static void outside(struct import *im, const json_t *body, json_t *rules, json_t *tools)
{
    json_t *words = either(body, "systemInstruction", "system_instruction"), *one;
    size_t i;
    json_array_foreach(json_object_get(words, "parts"), i, one)
        if (string_at(one, "text"))
            add_new(im, rules, part_text(im, string_at(one, "text")));
    json_array_foreach(json_object_get(body, "tools"), i, one)
        add_declarations(im, either(one, "functionDeclarations", "function_declarations"), tools);
}

const struct wire_import import_gemini = {
    .name = "gemini", .list = "contents", .words = "parts", .strange = STRANGE_CALLS | STRANGE_CONTENT | STRANGE_TEXT,
    .message = content, .block = block,
    .outside = outside,
};
