/* SPDX-License-Identifier: Apache-2.0 */
/* OpenAI Chat Completions, and the many hosts that speak it: a message is one entry, its tool calls parts behind its words.
 * Hosts add members of their own to everything; they stay in raw. */
#include <errno.h>
#include <string.h>

#include "transcript/transcript_priv.h"

/* ---------------------------------------------------------------- canonical blocks */

static json_t *file_block(const json_t *part)
{
    json_t *id = json_object_get(part, "file_id"), *name = json_object_get(part, "name");
    if (id)
        return json_pack("{s:s, s:{s:O}}", "type", "file", "file", "file_id", id);
    return name ? json_pack("{s:s, s:{s:O, s:s}}", "type", "file", "file", "filename", name, "file_data", TOKEN_URL) : NULL;
}

static json_t *block(const json_t *part, enum side side)
{
    const char *type = json_string_value(json_object_get(part, "type"));
    json_t *url = json_object_get(part, "url"), *arguments = json_object_get(part, "arguments");
    (void)side;
    if (!strcmp(type, "text"))
        return json_pack("{s:s, s:O}", "type", "text", "text", json_object_get(part, "text"));
    if (!strcmp(type, "image") && url)
        return json_pack("{s:s, s:{s:O, s:s}}", "type", "image_url", "image_url", "url", url, "detail", "high");
    if (!strcmp(type, "image"))
        return json_pack("{s:s, s:{s:s, s:s}}", "type", "image_url", "image_url", "url", TOKEN_URL, "detail", "high");
    if (!strcmp(type, "document"))
        return file_block(part);
    if (!strcmp(type, "tool_call") && arguments)
        return json_pack("{s:O, s:s, s:{s:O, s:o}}", "id", json_object_get(part, "id"), "type", "function", "function",
                         "name", json_object_get(part, "name"), "arguments", value_text(arguments));
    return NULL;
}

/* ---------------------------------------------------------------- blocks → parts */

static json_t *make_text(struct import *im, json_t *b, enum side side)
{
    json_t *text = string_at(b, "text");
    return text ? part_finish_same(im, part_text(im, text), b, side) : NULL;
}

static json_t *make_image(struct import *im, json_t *b, enum side side)
{
    static const struct payload_place at = {.outer = "image_url", .url = "url"};
    json_t *url = string_at(json_object_get(b, "image_url"), "url");
    if (!url)
        return NULL;
    if (!is_url(url))
        return part_payload(im, "image", b, &at, NULL, side);
    json_t *part = part_new(im, "image");
    put(im, part, "url", url);
    return part_finish_same(im, part, b, side);
}

static json_t *make_file(struct import *im, json_t *b, enum side side)
{
    static const struct payload_place at = {.outer = "file", .url = "file_data"};
    json_t *file = json_object_get(b, "file"), *id = string_at(file, "file_id"), *name = string_at(file, "filename");
    if (string_at(file, "file_data"))
        return part_payload(im, "document", b, &at, name, side);
    if (!id)
        return NULL;
    json_t *part = part_new(im, "document");
    put(im, part, "file_id", id);
    put(im, part, "name", name);
    return part_finish_same(im, part, b, side);
}

static json_t *make_refusal(struct import *im, json_t *b, enum side side)
{
    (void)side;
    return part_opaque(im, b, false, string_at(b, "refusal"));
}

static json_t *make_thinking(struct import *im, json_t *b, enum side side)
{
    (void)side;
    return part_opaque(im, b, true, NULL);
}

static json_t *make_part(struct import *im, json_t *b, enum side side)
{
    static const struct block_row rows[] = {
        {"text", make_text},       {"image_url", make_image},   {"file", make_file},
        {"refusal", make_refusal}, {"thinking", make_thinking},
    };
    return part_of_type(im, rows, COUNT(rows), b, side);
}

/* ---------------------------------------------------------------- calls */

/* A call's function or custom tool, with the text that it was given. */
static bool call_of(const json_t *call, json_t **ret_name, json_t **ret_text)
{
    bool function = has_member(call, "function");
    json_t *said = json_object_get(call, function ? "function" : "custom");
    *ret_name = string_at(said, "name");
    *ret_text = string_at(said, function ? "arguments" : "input");
    return string_at(call, "id") && *ret_name && *ret_text;
}

static bool calls_are_known(const json_t *calls)
{
    size_t i;
    json_t *call, *name, *text;
    json_array_foreach(calls, i, call)
        if (!call_of(call, &name, &text))
            return false;
    return json_array_size(calls) > 0;
}

static json_t *make_call(struct import *im, json_t *call)
{
    json_t *name, *text, *id = json_object_get(call, "id"), *part;
    (void)call_of(call, &name, &text);
    part = has_member(call, "function") ? part_call_text(im, id, name, text) : part_custom_call(im, id, name, text);
    return part_finish_same(im, part, call, SIDE_ASSISTANT);
}

static int add_calls(struct import *im, json_t *entry, const json_t *calls)
{
    size_t i;
    json_t *call;
    json_array_foreach(calls, i, call) {
        entry = entry_for(im, entry, "assistant");
        if (!entry || entry_add_part(im, entry, make_call(im, call)) < 0)
            return im->error;
    }
    return 0;
}

/* ---------------------------------------------------------------- messages */

struct role {
    const char *role, *kind;
    enum side side;
};

static const struct role *role_of(const json_t *role)
{
    static const struct role roles[] = {
        {"user", "user", SIDE_USER},           {"assistant", "assistant", SIDE_ASSISTANT},
        {"tool", "tool_result", SIDE_RESULT},  {"function", "tool_result", SIDE_RESULT},
        {"system", "system", SIDE_SYSTEM},     {"developer", "system", SIDE_SYSTEM},
    };
    static const struct role other = {"user", "user", SIDE_USER};
    for (size_t i = 0; i < COUNT(roles); i++)
        if (is_word(role, roles[i].role))
            return &roles[i];
    return &other;
}

static int add_content(struct import *im, json_t *entry, const json_t *content, enum side side)
{
    size_t i;
    json_t *b;
    const char *kind = json_string_value(json_object_get(entry, "kind"));
    if (!content || json_is_string(content))
        put_new(im, entry, "plain", json_true());
    if (json_is_string(content))
        return entry_add_part(im, entry, part_text(im, content));
    if (side == SIDE_RESULT)
        return import_parts(im, entry, content, ".content", make_part, side);
    json_array_foreach(content, i, b) {
        if (!json_is_object(b))
            return import_bad(im, ".content[%zu]: an object is wanted", i);
        entry = entry_for(im, entry, kind);
        if (!entry || entry_add_part(im, entry, make_part(im, b, side)) < 0)
            return im->error;
    }
    return 0;
}

static json_t *canonical_rest(const struct role *r, const json_t *call)
{
    json_t *rest = json_pack("{s:s}", "role", r->side == SIDE_RESULT ? "tool" : r->role);
    if (rest && r->side == SIDE_RESULT && call && json_object_set(rest, "tool_call_id", (json_t *)(uintptr_t)call) != 0) {
        json_decref(rest);
        rest = NULL;
    }
    return rest;
}

static int message(struct import *im, json_t *m)
{
    json_t *role = string_at(m, "role"), *content = json_object_get(m, "content"), *calls = json_object_get(m, "tool_calls");
    if (!role)
        return import_bad(im, ".role: a string is wanted");
    if (content && !json_is_null(content) && !json_is_string(content) && !json_is_array(content))
        return import_bad(im, ".content: a string or a list is wanted");
    const struct role *r = role_of(role);
    json_t *e = entry_open(im, r->kind), *call = r->side == SIDE_RESULT ? string_at(m, "tool_call_id") : NULL;
    bool called = r->side == SIDE_ASSISTANT && calls_are_known(calls);
    /* What a writer would make of no words: null beside calls, else an empty list. */
    bool said = called ? !json_is_array(content) || json_array_size(content) > 0 : !json_is_null(content);
    if (!e)
        return -ENOMEM;
    if (r->side == SIDE_SYSTEM)
        put(im, e, "role", role);
    result_call(im, e, call);
    if (r->side == SIDE_RESULT && !call)
        put(im, e, "name", string_at(m, "name"));
    if (said && !json_is_null(content) && add_content(im, e, content, r->side) < 0)
        return im->error;
    if (called && add_calls(im, json_array_get(im->in->entries, json_array_size(im->in->entries) - 1), calls) < 0)
        return im->error;
    const char *taken[3] = {NULL, NULL, NULL};
    size_t n = 0;
    if (said)
        taken[n++] = "content";
    if (called)
        taken[n++] = "tool_calls";
    entry_raw(im, e, "raw", without(im, m, taken), canonical_rest(r, call));
    return im->error;
}

/* ---------------------------------------------------------------- outside the list */

static void outside(struct import *im, const json_t *body, json_t *rules, json_t *tools)
{
    size_t i;
    json_t *item;
    (void)rules;
    json_array_foreach(json_object_get(body, "tools"), i, item) {
        json_t *f = json_object_get(item, "function"), *name = string_at(f, "name");
        if (name)
            add_new(im, tools, json_pack("{s:O, s:O*, s:O*}", "name", name, "description", string_at(f, "description"),
                                         "parameters", json_object_get(f, "parameters")));
    }
}

/* The model may call, refuse or speak aloud without a word. */
static const char *const instead[] = {"tool_calls", "function_call", "refusal", "audio", NULL};

const struct wire_import import_chat = {
    .name = "openai-chat", .list = "messages", .words = "content", .instead = instead, .strange = STRANGE_PARTS | STRANGE_TEXT,
    .message = message,
    .block = block, .outside = outside,
};
