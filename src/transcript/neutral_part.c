/* SPDX-License-Identifier: Apache-2.0 */
/* Parts as a host writes them. Bytes come as `data`, and leave into the blobs. */
#include <errno.h>
#include <string.h>

#include "base/fault.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "transcript/neutral.h"

static const struct neutral_member text_members[] = {
    {"type", IS_STRING, true}, {"text", IS_STRING, true}, {"raw", IS_OBJECT, false}, {0},
};
static const struct neutral_member image_members[] = {
    {"type", IS_STRING, true}, {"media_type", IS_WORD, false}, {"declared", IS_STRING, false}, {"data", IS_STRING, false},
    {"url", IS_NAME, false},   {"file_id", IS_NAME, false},    {"name", IS_STRING, false},     {"view", IS_WORD, false},
    {"ref", IS_STRING, false}, {"width", IS_SIZE, false},      {"height", IS_SIZE, false},     {"broken", IS_WORD, false},
    {"raw", IS_OBJECT, false}, {0},
};
static const struct neutral_member document_members[] = {
    {"type", IS_STRING, true}, {"media_type", IS_WORD, false}, {"declared", IS_STRING, false}, {"data", IS_STRING, false},
    {"url", IS_NAME, false},   {"file_id", IS_NAME, false},    {"name", IS_STRING, false},     {"pages", IS_SIZE, false},
    {"broken", IS_WORD, false}, {"raw", IS_OBJECT, false}, {0},
};
static const struct neutral_member call_members[] = {
    {"type", IS_STRING, true},        {"id", IS_NAME, true},        {"name", IS_NAME, true}, {"arguments", IS_OBJECT, false},
    {"arguments_text", IS_STRING, false}, {"raw", IS_OBJECT, false}, {0},
};
static const struct neutral_member opaque_members[] = {
    {"type", IS_STRING, true},    {"wire", IS_WIRE, true},    {"value", IS_OBJECT, true},
    {"thinking", IS_BOOL, false}, {"text", IS_STRING, false}, {"broken", IS_WORD, false}, {0},
};

/* ---------------------------------------------------------------- what a table cannot say */

static int check_raw(struct neutral *n, const json_t *part)
{
    return json_object_get(part, "raw") && !n->wired ? neutral_bad(n, "raw", "the entry must say its wire") : 0;
}

int neutral_call(struct neutral *n, const json_t *part)
{
    bool object = json_object_get(part, "arguments"), text = json_object_get(part, "arguments_text");
    if (object == text)
        return neutral_bad(n, "arguments", object ? "and arguments_text cannot both be there" : "is missing");
    return check_raw(n, part);
}

static int check_media(struct neutral *n, const json_t *part)
{
    int ways = (json_object_get(part, "data") != NULL) + (json_object_get(part, "url") != NULL) +
               (json_object_get(part, "file_id") != NULL);
    const char *view = json_string_value(json_object_get(part, "view"));
    if (ways > 1 || (ways == 0 && !json_object_get(part, "broken")))
        return neutral_bad(n, "data", "one of data, url and file_id is wanted");
    if (view && (strncmp(view, "view:", 5) != 0 || !view[5]))
        return neutral_bad(n, "view", "\"view:ID\" is wanted");
    return check_raw(n, part);
}

static const struct part_row {
    const char *name;
    const struct neutral_member *members;
    enum neutral_parts from; /* entries that may have it */
    int (*check)(struct neutral *n, const json_t *part); /* may be NULL */
} rows[] = {
    {"text", text_members, PARTS_TEXT, check_raw},         {"opaque", opaque_members, PARTS_WORDS, NULL},
    {"image", image_members, PARTS_MEDIA, check_media},    {"document", document_members, PARTS_MEDIA, check_media},
    {"tool_call", call_members, PARTS_CALLS, neutral_call},
};

/* ---------------------------------------------------------------- taking them */

/* Bytes out of an object, in place of which it gets their sha256. */
static int take_base64(struct neutral *n, const json_t *data, json_t *to)
{
    int r = payload_take(n->in, data, to);
    if (r == -EINVAL)
        return neutral_bad(n, "data", "no base64");
    if (r == -EFBIG)
        return fault_set(n->fault, EFBIG, "%sdata: more than %zu bytes", n->where, n->in->max_blob);
    return r == -ENOMEM ? fault_oom(n->fault) : MIN(r, 0);
}

/* A picture's type is told by its bytes, a document's by who sent it. An exported part has what was said, too. */
static int take_data(struct neutral *n, json_t *to)
{
    auto_json *data = json_incref(json_object_get(to, "data"));
    bool image = is_word(json_object_get(to, "type"), "image");
    if (!data)
        return 0;
    (void)json_object_del(to, "data");
    (void)json_object_del(to, "broken");
    if (image && !n->wired)
        (void)json_object_del(to, "media_type");
    int r = take_base64(n, data, to);
    if (r == -ENODATA)
        return json_object_set_new(to, "broken", json_string("it is empty")) == 0 ? 0 : fault_oom(n->fault);
    if (r == 0 && !image && !json_object_get(to, "media_type") &&
        json_object_set_new(to, "media_type", json_string("application/pdf")) != 0)
        return fault_oom(n->fault);
    return r;
}

/* Its hash was said before, and must be theirs. */
static int take_source(struct neutral *n, json_t *entry, const char *name)
{
    const json_t *said = json_object_get(json_object_get(entry, "result"), name);
    const json_t *sha = string_at(said, "sha256"), *data = string_at(said, "data");
    if (!sha || !data)
        return 0;
    auto_json *result = json_copy_whole(json_object_get(entry, "result"));
    auto_json *source = json_copy_whole(said);
    auto_json *found = json_object();
    if (!result || !source || !found)
        return fault_oom(n->fault);
    (void)snprintf(n->where, sizeof n->where, "result.%s.", name);
    int r = take_base64(n, data, found);
    if (r < 0 || !json_equal(json_object_get(found, "sha256"), sha))
        return r < 0 && r != -ENODATA ? r : neutral_bad(n, "data", "other bytes than those of sha256");
    (void)json_object_del(source, "data");
    if (json_object_set(result, name, source) != 0 || json_object_set(entry, "result", result) != 0)
        return fault_oom(n->fault);
    return 0;
}

int neutral_source(struct neutral *n, json_t *entry)
{
    int r = take_source(n, entry, "source");
    return r == 0 ? take_source(n, entry, "against") : r;
}

static int take_part(struct neutral *n, const json_t *part, const struct neutral_kind *kind, json_t *list)
{
    const json_t *type = json_object_get(part, "type");
    const struct part_row *row = rows;
    while (row < rows + COUNT(rows) && !is_word(type, row->name))
        row++;
    if (row == rows + COUNT(rows))
        return neutral_bad(n, "type", "text, image, document, tool_call or opaque is wanted");
    /* Some hosts put pictures into their rules. They are never sent, and nobody loses them. */
    if (row->from > (n->wired && kind->parts == PARTS_WORDS ? PARTS_MEDIA : kind->parts))
        return fault_set(n->fault, EINVAL, "%stype: no %s in a %s entry", n->where, row->name, kind->name);
    int r = neutral_check(n, part, row->name, row->members);
    r = r == 0 && row->check ? row->check(n, part) : r;
    if (r < 0)
        return r;
    auto_json *to = json_object();
    if (!to || neutral_copy(to, part, row->members) < 0)
        return fault_oom(n->fault);
    r = take_data(n, to);
    return r < 0 ? r : json_array_append(list, to) == 0 ? 0 : fault_oom(n->fault);
}

int neutral_parts(struct neutral *n, const json_t *list, const struct neutral_kind *kind, json_t *to)
{
    const char *key = !strcmp(kind->name, "request") ? "system" : "parts";
    auto_json *parts = json_array();
    size_t i;
    json_t *part;
    if (!parts)
        return fault_oom(n->fault);
    if (json_array_size(list) > LIMIT_ENTRY_PARTS)
        return fault_set(n->fault, EINVAL, "%s: more than %d", key, LIMIT_ENTRY_PARTS);
    json_array_foreach(list, i, part) {
        (void)snprintf(n->where, sizeof n->where, "%s[%zu]", key, i);
        if (!json_is_object(part))
            return neutral_bad(n, "", "an object is wanted");
        (void)snprintf(n->where, sizeof n->where, "%s[%zu].", key, i);
        int r = take_part(n, part, kind, parts);
        if (r < 0)
            return r;
    }
    n->where[0] = '\0';
    return json_object_set(to, key, parts) == 0 ? 0 : fault_oom(n->fault);
}
