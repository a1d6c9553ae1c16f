/* SPDX-License-Identifier: Apache-2.0 */
/* Anthropic Messages. A user's message may hold results and words in any order: each result is an entry, and the words
 * between them are entries that join. */
#include <errno.h>
#include <string.h>

#include "transcript/transcript_priv.h"

/* ---------------------------------------------------------------- canonical blocks */

static json_t *source_of(const json_t *part)
{
    json_t *url = json_object_get(part, "url"), *file = json_object_get(part, "file_id");
    if (url)
        return json_pack("{s:s, s:O}", "type", "url", "url", url);
    if (file)
        return json_pack("{s:s, s:O}", "type", "file", "file_id", file);
    return json_pack("{s:s, s:s, s:s}", "type", "base64", "media_type", TOKEN_TYPE, "data", TOKEN_DATA);
}

static json_t *block(const json_t *part, enum side side)
{
    const char *type = json_string_value(json_object_get(part, "type"));
    (void)side;
    if (!strcmp(type, "text"))
        return json_pack("{s:s, s:O}", "type", "text", "text", json_object_get(part, "text"));
    if (!strcmp(type, "image"))
        return json_pack("{s:s, s:o}", "type", "image", "source", source_of(part));
    if (!strcmp(type, "document"))
        return json_pack("{s:s, s:o, s:O*}", "type", "document", "source", source_of(part), "title",
                         json_object_get(part, "name"));
    json_t *arguments = json_object_get(part, "arguments");
    if (!strcmp(type, "tool_call") && arguments)
        return json_pack("{s:s, s:O, s:O, s:O}", "type", "tool_use", "id", json_object_get(part, "id"), "name",
                         json_object_get(part, "name"), "input", arguments);
    return NULL;
}

/* ---------------------------------------------------------------- blocks → parts */

static json_t *make_text(struct import *im, json_t *b, enum side side)
{
    json_t *text = string_at(b, "text");
    return text ? part_finish_same(im, part_text(im, text), b, side) : NULL;
}

/* A source that is a URL or a file, or bytes. Other sources are none of ours. */
static json_t *make_media(struct import *im, const char *kind, json_t *b, enum side side)
{
    static const struct payload_place at = {.outer = "source", .data = "data", .type = "media_type"};
    static const char *const members[][2] = {{"url", "url"}, {"file", "file_id"}};
    json_t *source = json_object_get(b, "source"), *type = json_object_get(source, "type"), *title = string_at(b, "title");
    const json_t *name = !strcmp(kind, "document") ? title : NULL;
    if (is_word(type, "base64"))
        return part_payload(im, kind, b, &at, name, side);
    for (size_t i = 0; i < COUNT(members); i++) {
        json_t *value = is_word(type, members[i][0]) ? string_at(source, members[i][1]) : NULL;
        if (!value)
            continue;
        json_t *part = part_new(im, kind);
        put(im, part, members[i][1], value);
        put(im, part, "name", name);
        if (i == 0 && !is_url(value))
            put_new(im, part, "broken", json_string("no web address"));
        return part_finish_same(im, part, b, side);
    }
    return NULL;
}

static json_t *make_image(struct import *im, json_t *b, enum side side)
{
    return make_media(im, "image", b, side);
}

/* A document may be made of blocks; one picture among them that is none, and the whole request is refused. */
static bool has_bad_picture(struct import *im, const json_t *blocks)
{
    size_t i;
    json_t *b;
    json_array_foreach(blocks, i, b) {
        json_t *source = json_object_get(b, "source");
        bool bytes = is_word(json_object_get(b, "type"), "image") && is_word(json_object_get(source, "type"), "base64");
        int r = bytes ? payload_picture(json_object_get(source, "data")) : 0;
        if (r == -ENOMEM)
            im->error = r;
        if (r < 0)
            return true;
    }
    return false;
}

/* Words of a document that is text need no reader. */
static json_t *make_document(struct import *im, json_t *b, enum side side)
{
    json_t *part = make_media(im, "document", b, side), *source = json_object_get(b, "source");
    json_t *words = string_at(source, "data") ? string_at(source, "data") : string_at(source, "content");
    if (part || im->error)
        return part;
    if (has_bad_picture(im, json_object_get(source, "content")))
        return part_broken(im, b, "document", "an image in it is no picture");
    return words ? part_opaque(im, b, false, words) : NULL;
}

static json_t *make_call(struct import *im, json_t *b, enum side side)
{
    json_t *id = string_at(b, "id"), *name = string_at(b, "name"), *input = json_object_get(b, "input");
    if (side != SIDE_ASSISTANT || !id || !name || !input)
        return NULL;
    return part_finish_same(im, part_call(im, id, name, input), b, side);
}

static json_t *make_thinking(struct import *im, json_t *b, enum side side)
{
    (void)side;
    return part_opaque(im, b, true, NULL);
}

static json_t *make_part(struct import *im, json_t *b, enum side side)
{
    static const struct block_row rows[] = {
        {"text", make_text},         {"image", make_image},       {"document", make_document},
        {"tool_use", make_call},     {"thinking", make_thinking}, {"redacted_thinking", make_thinking},
    };
    return part_of_type(im, rows, COUNT(rows), b, side);
}

/* ---------------------------------------------------------------- messages */

/* The content that entry is made of. One that is neither string nor list stays where it is: in *kept. */
static int take_content(struct import *im, json_t *entry, const json_t *content, const char *where, enum side side,
                        bool *kept)
{
    *kept = content && !json_is_string(content) && !json_is_array(content);
    if (json_is_array(content))
        return import_parts(im, entry, content, where, make_part, side);
    if (!*kept)
        put_new(im, entry, "plain", json_true());
    return json_is_string(content) ? entry_add_part(im, entry, part_text(im, content)) : im->error;
}

static json_t *rest_of(struct import *im, const json_t *object, bool kept)
{
    const char *const names[] = {kept ? NULL : "content", NULL};
    return without(im, object, names);
}

static json_t *result_entry(struct import *im, json_t *b)
{
    json_t *id = string_at(b, "tool_use_id"), *e = entry_open(im, "tool_result");
    bool error = json_is_true(json_object_get(b, "is_error")), kept;
    if (!e)
        return NULL;
    result_call(im, e, id);
    if (error)
        put_new(im, e, "error", json_true());
    if (take_content(im, e, json_object_get(b, "content"), ".content: tool_result.content", SIDE_RESULT, &kept) < 0)
        return NULL;
    json_t *canonical = json_pack("{s:s, s:O}", "type", "tool_result", "tool_use_id", id);
    if (canonical && error)
        put_new(im, canonical, "is_error", json_true());
    entry_raw(im, e, "block", rest_of(im, b, kept), canonical);
    return e;
}

static int take_list(struct import *im, const json_t *list, const char *kind, enum side side)
{
    json_t *e = json_array_size(list) ? NULL : entry_open(im, kind), *b;
    size_t i;
    json_array_foreach(list, i, b) {
        if (!json_is_object(b))
            return import_bad(im, ".content[%zu]: an object is wanted", i);
        bool result = side == SIDE_USER && is_word(json_object_get(b, "type"), "tool_result") &&
                      string_at(b, "tool_use_id");
        e = result ? result_entry(im, b) : entry_for(im, e, kind);
        if (e && !result)
            (void)entry_add_part(im, e, make_part(im, b, side));
        if (!e || im->error)
            return im->error ? im->error : -ENOMEM;
    }
    return 0;
}

static int message(struct import *im, json_t *m)
{
    static const struct {
        const char *role;
        enum side side;
    } roles[] = {{"user", SIDE_USER}, {"assistant", SIDE_ASSISTANT}, {"system", SIDE_SYSTEM}};
    json_t *role = string_at(m, "role"), *content = json_object_get(m, "content");
    size_t first = json_array_size(im->in->entries), row = 0;
    if (!role)
        return import_bad(im, ".role: a string is wanted");
    while (row < COUNT(roles) && !is_word(role, roles[row].role))
        row++;
    if (row == COUNT(roles))
        return import_bad(im, ".role: user, assistant or system is wanted");
    if (!json_is_string(content) && !json_is_array(content))
        return import_bad(im, ".content: a string or a list is wanted");
    if (json_is_array(content)) {
        int r = take_list(im, content, roles[row].role, roles[row].side);
        if (r < 0)
            return r;
    } else {
        json_t *e = entry_open(im, roles[row].role);
        bool kept;
        (void)take_content(im, e, content, "", roles[row].side, &kept);
    }
    json_t *e = json_array_get(im->in->entries, first);
    if (roles[row].side == SIDE_SYSTEM)
        put(im, e, "role", role);
    entry_raw(im, e, "raw", rest_of(im, m, false), json_pack("{s:O}", "role", role));
    return im->error;
}

/* ---------------------------------------------------------------- outside the list */

static void outside(struct import *im, const json_t *body, json_t *rules, json_t *tools)
{
    json_t *words = json_object_get(body, "system"), *item;
    size_t i;
    if (json_is_string(words))
        add_new(im, rules, part_text(im, words));
    json_array_foreach(words, i, item)
        if (string_at(item, "text"))
            add_new(im, rules, part_text(im, string_at(item, "text")));
    json_array_foreach(json_object_get(body, "tools"), i, item) {
        json_t *schema = json_object_get(item, "input_schema"), *name = string_at(item, "name");
        if (schema && name)
            add_new(im, tools, json_pack("{s:O, s:O*, s:O}", "name", name, "description", string_at(item, "description"),
                                         "parameters", schema));
    }
}

const struct wire_import import_anthropic = {
    .name = "anthropic", .list = "messages", .words = "content", .strange = STRANGE_PARTS | STRANGE_TEXT,
    .message = message, .block = block,
    .outside = outside,
};
