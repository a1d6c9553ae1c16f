/* SPDX-License-Identifier: Apache-2.0 */
/* OpenAI Responses: each item is an entry. Items of the model's side that follow each other are one answer, so they join.
 * There are thirty types of items and more each year: what is neither message, call nor result is opaque, whole. */
#include <errno.h>
#include <string.h>

#include "transcript/transcript_priv.h"

/* ---------------------------------------------------------------- canonical blocks */

static json_t *text_block(const json_t *part, enum side side)
{
    json_t *text = json_object_get(part, "text");
    if (side == SIDE_ASSISTANT)
        return json_pack("{s:s, s:O, s:[]}", "type", "output_text", "text", text, "annotations");
    return json_pack("{s:s, s:O}", "type", "input_text", "text", text);
}

static json_t *image_block(const json_t *part, enum side side)
{
    json_t *url = json_object_get(part, "url"), *file = json_object_get(part, "file_id");
    (void)side;
    if (file)
        return json_pack("{s:s, s:s, s:O}", "type", "input_image", "detail", "high", "file_id", file);
    return json_pack("{s:s, s:s, s:o}", "type", "input_image", "detail", "high", "image_url",
                     url ? json_incref(url) : json_string(TOKEN_URL));
}

static json_t *file_block(const json_t *part, enum side side)
{
    json_t *url = json_object_get(part, "url"), *file = json_object_get(part, "file_id"), *name = json_object_get(part, "name");
    (void)side;
    if (url)
        return json_pack("{s:s, s:O}", "type", "input_file", "file_url", url);
    if (file)
        return json_pack("{s:s, s:O}", "type", "input_file", "file_id", file);
    return name ? json_pack("{s:s, s:O, s:s}", "type", "input_file", "filename", name, "file_data", TOKEN_URL) : NULL;
}

static json_t *call_block(const json_t *part, enum side side)
{
    json_t *arguments = json_object_get(part, "arguments");
    (void)side;
    return arguments ? json_pack("{s:s, s:O, s:O, s:o}", "type", "function_call", "call_id", json_object_get(part, "id"),
                                 "name", json_object_get(part, "name"), "arguments", value_text(arguments))
                     : NULL;
}

static json_t *block(const json_t *part, enum side side)
{
    static const struct {
        const char *type;
        json_t *(*make)(const json_t *part, enum side side);
    } makers[] = {{"text", text_block}, {"image", image_block}, {"document", file_block}, {"tool_call", call_block}};
    for (size_t i = 0; i < COUNT(makers); i++)
        if (is_word(json_object_get(part, "type"), makers[i].type))
            return makers[i].make(part, side);
    return NULL;
}

/* ---------------------------------------------------------------- blocks → parts */

static json_t *make_text(struct import *im, json_t *b, enum side side)
{
    json_t *text = string_at(b, "text");
    return text ? part_finish_same(im, part_text(im, text), b, side) : NULL;
}

/* By its id or address. */
static json_t *make_named(struct import *im, const char *kind, json_t *b, const char *member, json_t *value, enum side side)
{
    json_t *part = part_new(im, kind);
    put(im, part, member, value);
    put(im, part, "name", string_at(b, "filename"));
    if (!strcmp(member, "url") && !is_url(value))
        put_new(im, part, "broken", json_string("no web address"));
    return part_finish_same(im, part, b, side);
}

static json_t *make_image(struct import *im, json_t *b, enum side side)
{
    static const struct payload_place at = {.url = "image_url"};
    json_t *url = string_at(b, "image_url"), *file = string_at(b, "file_id");
    if (url && !is_url(url))
        return part_payload(im, "image", b, &at, NULL, side);
    return url ? make_named(im, "image", b, "url", url, side) : file ? make_named(im, "image", b, "file_id", file, side) : NULL;
}

static json_t *make_file(struct import *im, json_t *b, enum side side)
{
    static const struct payload_place at = {.url = "file_data"};
    json_t *url = string_at(b, "file_url"), *file = string_at(b, "file_id");
    if (string_at(b, "file_data"))
        return part_payload(im, "document", b, &at, string_at(b, "filename"), side);
    return url    ? make_named(im, "document", b, "url", url, side)
           : file ? make_named(im, "document", b, "file_id", file, side)
                  : NULL;
}

static json_t *make_refusal(struct import *im, json_t *b, enum side side)
{
    (void)side;
    return part_opaque(im, b, false, string_at(b, "refusal"));
}

static json_t *make_part(struct import *im, json_t *b, enum side side)
{
    static const struct block_row rows[] = {
        {"input_text", make_text},  {"output_text", make_text}, {"input_image", make_image},
        {"input_file", make_file},  {"refusal", make_refusal},
    };
    return part_of_type(im, rows, COUNT(rows), b, side);
}

/* ---------------------------------------------------------------- items */

/* An item's entry. The model's items join each other. */
static json_t *item_open(struct import *im, const char *kind)
{
    bool model = !strcmp(kind, "assistant");
    im->pieces = model && im->model_side;
    im->model_side = model;
    return entry_open(im, kind);
}

/* content or output; what is neither string nor list stays in raw. Returns whether it was taken. */
static bool take_content(struct import *im, json_t *entry, const json_t *content, const char *where, enum side side)
{
    if (!content || json_is_string(content))
        put_new(im, entry, "plain", json_true());
    if (json_is_string(content))
        (void)entry_add_part(im, entry, part_text(im, content));
    else if (json_is_array(content))
        (void)import_parts(im, entry, content, where, make_part, side);
    else
        return !content;
    return true;
}

static bool has_opaque(const json_t *entry)
{
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(entry, "parts"), i, part)
        if (is_word(json_object_get(part, "type"), "opaque"))
            return true;
    return false;
}

static int message_item(struct import *im, json_t *item)
{
    static const struct {
        const char *role, *kind;
        enum side side;
    } roles[] = {
        {"user", "user", SIDE_USER},
        {"assistant", "assistant", SIDE_ASSISTANT},
        {"system", "system", SIDE_SYSTEM},
        {"developer", "system", SIDE_SYSTEM},
    };
    json_t *role = json_object_get(item, "role");
    size_t i = 0;
    while (i < COUNT(roles) - 1 && !is_word(role, roles[i].role))
        i++;
    if (!is_word(role, roles[i].role)) {
        if (string_at(item, "tool_call_id"))
            return import_bad(im, ".role: user, assistant, system or developer is wanted; \"tool_call_id\" is openai-chat's");
        i = 0;
    }
    json_t *e = item_open(im, roles[i].kind);
    if (roles[i].side == SIDE_SYSTEM)
        put(im, e, "role", role);
    bool taken = take_content(im, e, json_object_get(item, "content"), ".content", roles[i].side);
    json_t *rest = without(im, item, taken ? (const char *const[]){"content", NULL} : (const char *const[]){NULL});
    /* An opaque part by itself would be an item. */
    if (roles[i].side == SIDE_ASSISTANT && (has_opaque(e) || json_array_size(json_object_get(e, "parts")) == 0))
        put_new(im, e, "raw", rest);
    else
        entry_raw(im, e, "raw", rest, json_pack("{s:s}", "role", roles[i].role));
    return im->error;
}

static int opaque_item(struct import *im, json_t *item)
{
    bool thinking = is_word(json_object_get(item, "type"), "reasoning");
    json_t *e = item_open(im, "assistant");
    return entry_add_part(im, e, part_opaque(im, item, thinking, NULL));
}

static int call_item(struct import *im, json_t *item)
{
    bool custom = is_word(json_object_get(item, "type"), "custom_tool_call");
    json_t *id = string_at(item, "call_id"), *name = string_at(item, "name");
    json_t *text = string_at(item, custom ? "input" : "arguments");
    if (!id || !name || !text)
        return opaque_item(im, item);
    json_t *e = item_open(im, "assistant");
    json_t *part = custom ? part_custom_call(im, id, name, text) : part_call_text(im, id, name, text);
    return entry_add_part(im, e, part_finish_same(im, part, item, SIDE_ASSISTANT));
}

static int result_item(struct import *im, json_t *item)
{
    json_t *id = string_at(item, "call_id");
    if (!id)
        return opaque_item(im, item);
    json_t *e = item_open(im, "tool_result");
    result_call(im, e, id);
    bool taken = take_content(im, e, json_object_get(item, "output"), ".output", SIDE_RESULT);
    entry_raw(im, e, "raw", without(im, item, taken ? (const char *const[]){"output", NULL} : (const char *const[]){NULL}),
              json_pack("{s:s, s:O}", "type", "function_call_output", "call_id", id));
    return im->error;
}

static int item(struct import *im, json_t *it)
{
    static const struct {
        const char *type;
        int (*import)(struct import *im, json_t *item);
    } takers[] = {
        {"message", message_item},           {"function_call", call_item},
        {"custom_tool_call", call_item},     {"function_call_output", result_item},
        {"custom_tool_call_output", result_item},
    };
    json_t *type = json_object_get(it, "type");
    if (!has_member(it, "type") && string_at(it, "role"))
        return message_item(im, it);
    for (size_t i = 0; i < COUNT(takers); i++)
        if (is_word(type, takers[i].type))
            return i > 0 || string_at(it, "role") ? takers[i].import(im, it) : opaque_item(im, it);
    return opaque_item(im, it);
}

/* ---------------------------------------------------------------- outside the list */

static void outside(struct import *im, const json_t *body, json_t *rules, json_t *tools)
{
    size_t i;
    json_t *one, *words = string_at(body, "instructions");
    if (words)
        add_new(im, rules, part_text(im, words));
    json_array_foreach(json_object_get(body, "tools"), i, one) {
        json_t *name = string_at(one, "name");
        if (name && is_word(json_object_get(one, "type"), "function"))
            add_new(im, tools, json_pack("{s:O, s:O*, s:O*}", "name", name, "description", string_at(one, "description"),
                                         "parameters", json_object_get(one, "parameters")));
    }
}

const struct wire_import import_responses = {
    .name = "openai-responses", .list = "input", .words = "content", .strange = STRANGE_PARTS | STRANGE_CALLS | STRANGE_TEXT,
    .message = item, .block = block,
    .outside = outside,
};
