/* SPDX-License-Identifier: Apache-2.0 */
/* Entries and parts, put together from values of a request. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/fault.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "transcript/transcript_priv.h"

static json_t *borrow(const json_t *value)
{
    return (json_t *)(uintptr_t)value;
}

void put_new(struct import *im, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new_nocheck(object, key, value) != 0)
        im->error = -ENOMEM;
}

void put(struct import *im, json_t *object, const char *key, const json_t *value)
{
    if (value)
        put_new(im, object, key, json_incref(borrow(value)));
}

void add_new(struct import *im, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        im->error = -ENOMEM;
}

json_t *without(struct import *im, const json_t *object, const char *const keys[])
{
    json_t *rest = json_copy_whole(object);
    if (!rest)
        im->error = -ENOMEM;
    for (; rest && *keys; keys++)
        (void)json_object_del(rest, *keys);
    return rest;
}

json_t *string_at(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_string(value) ? value : NULL;
}

bool is_word(const json_t *value, const char *word)
{
    size_t len = strlen(word); /* a string may have a NUL in it */
    return json_is_string(value) && json_string_length(value) == len && !memcmp(json_string_value(value), word, len);
}

bool is_url(const json_t *value)
{
    const char *s = json_string_value(value);
    return s && (!strncmp(s, "https://", 8) || !strncmp(s, "http://", 7));
}

int import_bad(struct import *im, const char *format, ...)
{
    char words[160];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return im->error = fault_set(im->fault, EINVAL, "%s[%zu]%s", im->wire->list, im->message, words);
}

static unsigned depth_of(const json_t *value)
{
    unsigned deepest = 0, depth;
    size_t i;
    const char *key;
    json_t *inner;
    json_object_foreach(borrow(value), key, inner)
        if ((depth = depth_of(inner)) > deepest)
            deepest = depth;
    json_array_foreach(value, i, inner)
        if ((depth = depth_of(inner)) > deepest)
            deepest = depth;
    return deepest + (json_is_object(value) || json_is_array(value));
}

bool entry_is_shallow(const json_t *entry)
{
    return depth_of(entry) <= LIMIT_JSON_SCAN_DEPTH;
}

/* No less than the bytes that the text of a value takes; cheap. */
static size_t most_bytes(const json_t *value)
{
    size_t most = 32 + 6 * json_string_length(value), i;
    const char *key;
    json_t *inner;
    json_object_foreach(borrow(value), key, inner)
        most += 6 * strlen(key) + most_bytes(inner);
    json_array_foreach(value, i, inner)
        most += most_bytes(inner);
    return most;
}

int entry_fits(const json_t *entry)
{
    size_t len = 0;
    if (most_bytes(entry) <= LIMIT_ENTRY_BYTES)
        return 0;
    auto_free char *text = entry_text_new(entry, &len);
    return !text ? -ENOMEM : len <= LIMIT_ENTRY_BYTES ? 0 : -EFBIG;
}

/* ---------------------------------------------------------------- entries */

json_t *entry_open(struct import *im, const char *kind)
{
    json_t *e = json_pack("{s:s, s:s, s:[]}", "kind", kind, "wire", im->wire->name, "parts");
    if (!e || json_array_append_new(im->in->entries, e) != 0) {
        im->error = -ENOMEM;
        return NULL;
    }
    if (im->pieces++)
        put_new(im, e, "join", json_true());
    return e;
}

json_t *entry_for(struct import *im, json_t *at, const char *kind)
{
    bool fits = at && is_word(json_object_get(at, "kind"), kind) &&
                json_array_size(json_object_get(at, "parts")) < LIMIT_ENTRY_PARTS;
    return fits ? at : entry_open(im, kind);
}

int entry_add_part(struct import *im, json_t *entry, json_t *part)
{
    json_t *parts = json_object_get(entry, "parts");
    if (part && json_array_size(parts) >= LIMIT_ENTRY_PARTS) {
        json_decref(part);
        return im->error = fault_set(im->fault, E2BIG, "%s[%zu]: more than %d blocks", im->wire->list,
                                     im->message, LIMIT_ENTRY_PARTS);
    }
    if (part || !im->error)
        add_new(im, parts, part);
    return im->error;
}

void entry_raw(struct import *im, json_t *entry, const char *key, json_t *rest, json_t *canonical)
{
    if (!rest || !canonical)
        im->error = -ENOMEM;
    else if (!json_equal(rest, canonical))
        put(im, entry, key, rest);
    json_decref(rest);
    json_decref(canonical);
}

json_t *by_name(const json_t *index, const json_t *name)
{
    return name ? json_object_getn(index, json_string_value(name), json_string_length(name)) : NULL;
}

int by_name_set(json_t *index, const json_t *name, const json_t *value)
{
    return json_object_setn_nocheck(index, json_string_value(name), json_string_length(name), borrow(value)) == 0 ? 0 : -ENOMEM;
}

void result_call(struct import *im, json_t *entry, const json_t *call)
{
    const json_t *made = by_name(im->calls, call);
    put(im, entry, "call", call);
    put(im, entry, "name", made ? json_object_get(made, "name") : NULL);
}

/* A picture in a result is what its call asked to see. */
static void give_ref(struct import *im, json_t *entry, json_t *part)
{
    const json_t *call = string_at(entry, "call");
    const json_t *made = by_name(im->calls, call);
    const json_t *arguments = made ? json_object_get(made, "arguments") : NULL;
    const json_t *path = string_at(arguments, "path");
    if (is_word(json_object_get(part, "type"), "image"))
        put(im, part, "ref", path ? path : string_at(arguments, "file_path"));
}

int import_parts(struct import *im, json_t *entry, const json_t *list, const char *where, part_maker *make,
                 enum side side)
{
    size_t i;
    json_t *block;
    json_array_foreach(list, i, block) {
        if (!json_is_object(block))
            return import_bad(im, "%s[%zu]: an object is wanted", where, i);
        json_t *part = make(im, block, side);
        if (part && side == SIDE_RESULT)
            give_ref(im, entry, part);
        int r = entry_add_part(im, entry, part);
        if (r < 0)
            return r;
    }
    return 0;
}

/* ---------------------------------------------------------------- parts */

json_t *part_new(struct import *im, const char *type)
{
    json_t *part = json_pack("{s:s}", "type", type);
    if (!part)
        im->error = -ENOMEM;
    return part;
}

json_t *part_text(struct import *im, const json_t *text)
{
    json_t *part = part_new(im, "text");
    put(im, part, "text", text);
    return part;
}

json_t *part_opaque(struct import *im, const json_t *value, bool thinking, const json_t *text)
{
    json_t *part = part_new(im, "opaque");
    put_new(im, part, "wire", json_string(im->wire->name));
    put(im, part, "value", value);
    if (thinking)
        put_new(im, part, "thinking", json_true());
    put(im, part, "text", text);
    return part;
}

json_t *part_of_type(struct import *im, const struct block_row *rows, size_t n, json_t *block, enum side side)
{
    const json_t *type = json_object_get(block, "type");
    for (size_t i = 0; i < n; i++) {
        json_t *part = is_word(type, rows[i].type) ? rows[i].make(im, block, side) : NULL;
        if (part || im->error)
            return part;
    }
    return part_opaque(im, block, false, NULL);
}

json_t *part_opaque_words(struct import *im, const json_t *value, const char *words)
{
    json_t *part = part_opaque(im, value, false, NULL);
    put_new(im, part, "text", json_string(words));
    return part;
}

static json_t *call_new(struct import *im, const json_t *id, const json_t *name)
{
    json_t *part = part_new(im, "tool_call");
    put(im, part, "id", id);
    put(im, part, "name", name);
    if (by_name_set(im->calls, id, part) < 0)
        im->error = -ENOMEM;
    return part;
}

json_t *part_call(struct import *im, const json_t *id, const json_t *name, const json_t *arguments)
{
    json_t *part = call_new(im, id, name);
    if (json_is_object(arguments))
        put(im, part, "arguments", arguments);
    else
        put_new(im, part, "arguments_text", value_text(arguments));
    return part;
}

/* What is no object, or says a member twice, stays text. */
json_t *part_call_text(struct import *im, const json_t *id, const json_t *name, const json_t *text)
{
    auto_json *object = json_read(json_string_value(text), json_string_length(text), JSON_REJECT_DUPLICATES, NULL);
    if (!object && errno == ENOMEM)
        im->error = -ENOMEM;
    json_t *part = call_new(im, id, name);
    if (json_is_object(object))
        put(im, part, "arguments", object);
    else
        put(im, part, "arguments_text", text);
    return part;
}

json_t *part_custom_call(struct import *im, const json_t *id, const json_t *name, const json_t *text)
{
    json_t *part = call_new(im, id, name);
    put(im, part, "arguments_text", text);
    return part;
}

/* Whether a string of a value could be taken for a token. */
static bool marked(const json_t *value)
{
    bool found = json_is_string(value) && json_string_value(value)[0] == '\001';
    size_t i;
    const char *key;
    json_t *inner;
    json_object_foreach(borrow(value), key, inner)
        found = found || marked(inner);
    json_array_foreach(value, i, inner)
        found = found || marked(inner);
    return found;
}

json_t *part_finish(struct import *im, json_t *part, json_t *block, const json_t *original, enum side side)
{
    auto_json *came = block;
    errno = 0;
    auto_json *made = part && block ? im->wire->block(part, side) : NULL;
    if (!part || !block || (!made && errno == ENOMEM)) {
        im->error = im->error ? im->error : -ENOMEM;
        json_decref(part);
        return NULL;
    }
    /* First of all: with a mark for the cache or without, it must come to the same. */
    if (json_object_get(part, "sha256") && marked(original)) {
        json_decref(part);
        return part_opaque_words(im, original, "[a block that cannot be taken apart]");
    }
    if (made && json_equal(made, came))
        return part;
    put(im, part, "raw", came);
    return part;
}

json_t *part_finish_same(struct import *im, json_t *part, const json_t *original, enum side side)
{
    return part_finish(im, part, json_incref(borrow(original)), original, side);
}
