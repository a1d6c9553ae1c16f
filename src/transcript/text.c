/* SPDX-License-Identifier: Apache-2.0 */
/* Entries as text. Members of an entry and of its parts stand in one order, so that one conversation has one text; what
 * came from outside (arguments, raw) keeps its own. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/json_text.h"
#include "base/limits.h"
#include "transcript/transcript_priv.h"

static const char *const entry_order[] = {
    "kind",  "at",     "wire",  "join",   "plain",      "role",        "call",     "name",  "error", "arguments",
    "result", "model", "input", "output", "cache_read", "cache_write", "cost_usd", "entry", "part",  "how",
    "why",   "system", "tools", "body",   "parts",      "block",       "raw",      NULL,
};
static const char *const part_order[] = {
    "type",  "id",     "name",  "wire", "thinking", "text",    "arguments", "arguments_text", "media_type", "declared", "sha256", "data",
    "bytes", "width", "height", "pages", "url", "file_id", "view", "ref", "broken", "value", "raw", NULL,
};

static void add_value(struct buf *b, const json_t *v);

static void add_member(struct buf *b, const char *key, const json_t *value)
{
    (void)buf_add_str(b, b->len && b->data[b->len - 1] == '{' ? "" : ",");
    (void)buf_add_json_str(b, key);
    (void)buf_add_str(b, ":");
    add_value(b, value);
}

static void add_object(struct buf *b, const json_t *object)
{
    const char *key;
    json_t *value;
    (void)buf_add_str(b, "{");
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
        add_member(b, key, value);
    (void)buf_add_str(b, "}");
}

static void add_array(struct buf *b, const json_t *array)
{
    size_t i;
    json_t *value;
    (void)buf_add_str(b, "[");
    json_array_foreach(array, i, value) {
        (void)buf_add_str(b, i ? "," : "");
        add_value(b, value);
    }
    (void)buf_add_str(b, "]");
}

/* As deep as jansson parses: what it made fits our stack too. */
static void add_value(struct buf *b, const json_t *v)
{
    static const char *const words[] = {[JSON_TRUE] = "true", [JSON_FALSE] = "false", [JSON_NULL] = "null"};
    json_type type = json_typeof(v);
    if (type == JSON_OBJECT)
        add_object(b, v);
    else if (type == JSON_ARRAY)
        add_array(b, v);
    else if (type == JSON_STRING)
        (void)buf_add_json(b, json_string_value(v), json_string_length(v));
    else if (type == JSON_INTEGER)
        (void)buf_add_format(b, "%" PRId64, (int64_t)json_integer_value(v));
    else if (type == JSON_REAL)
        (void)buf_add_real(b, json_real_value(v));
    else
        (void)buf_add_str(b, words[type]);
}

static void add_ordered(struct buf *b, const json_t *object, const char *const *order);

static void add_parts(struct buf *b, const json_t *parts)
{
    size_t i;
    json_t *part;
    (void)buf_add_str(b, "[");
    json_array_foreach(parts, i, part) {
        (void)buf_add_str(b, i ? "," : "");
        add_ordered(b, part, part_order);
    }
    (void)buf_add_str(b, "]");
}

static void add_ordered(struct buf *b, const json_t *object, const char *const *order)
{
    (void)buf_add_str(b, "{");
    for (; *order; order++) {
        const json_t *value = json_object_get(object, *order);
        if (value && json_is_array(value) && !strcmp(*order, "parts")) {
            (void)buf_add_str(b, ",\"parts\":");
            add_parts(b, value);
        } else if (value) {
            add_member(b, *order, value);
        }
    }
    (void)buf_add_str(b, "}");
}

static char *text_taken(struct buf *b, size_t *ret_len)
{
    size_t len = b->len;
    char *text = buf_take(b);
    if (text && ret_len)
        *ret_len = len;
    return text;
}

char *entry_text_new(const json_t *entry, size_t *ret_len)
{
    auto_buf b = BUF_INIT(SIZE_MAX / 2);
    add_ordered(&b, entry, entry_order);
    return text_taken(&b, ret_len);
}

char *value_text_new(const json_t *value, size_t *ret_len)
{
    auto_buf b = BUF_INIT(SIZE_MAX / 2);
    add_value(&b, value);
    return text_taken(&b, ret_len);
}

json_t *value_text(const json_t *value)
{
    size_t len = 0;
    auto_free char *text = value_text_new(value, &len);
    return text ? json_stringn_nocheck(text, len) : NULL;
}
