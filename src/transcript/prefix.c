/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a request is in a session already. Two requests of one conversation differ in what belongs to a request:
 * hosts move cache_control along, make a list of a string to put it there, and write arguments with other blanks. So both
 * sides are brought to one plain form, and those are compared. */
#include <errno.h>
#include <string.h>

#include "base/json_read.h"
#include "transcript/transcript_priv.h"

/* Members whose inside is a program's own: what stands there under our names is something else. */
static bool is_foreign(const char *key)
{
    static const char *const keys[] = {"arguments", "args", "input", "response", "parameters", "input_schema"};
    for (size_t i = 0; i < COUNT(keys); i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

/* Takes what belongs to a request out of a value that is ours: out of blocks, and blocks in blocks. */
static void strip(json_t *value)
{
    size_t i;
    const char *key;
    json_t *inner;
    (void)json_object_del(value, "cache_control");
    (void)json_object_del(value, "prompt_cache_breakpoint");
    json_object_foreach(value, key, inner)
        if (!is_foreign(key))
            strip(inner);
    json_array_foreach(value, i, inner)
        strip(inner);
}

static json_t *stripped(const json_t *value)
{
    json_t *copy = json_deep_copy_whole(value);
    strip(copy);
    return copy;
}

/* Arguments that say the same in other words are written as we would. */
static int plain_arguments(json_t *raw, const json_t *part)
{
    json_t *function = json_object_get(raw, "function"), *holder = function ? function : raw;
    json_t *text = string_at(holder, "arguments"), *arguments = json_object_get(part, "arguments");
    auto_json *said = text ? json_read(json_string_value(text), json_string_length(text), JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (text && !said && errno == ENOMEM)
        return -ENOMEM;
    if (!said || !arguments || !json_equal(said, arguments))
        return 0;
    return json_object_set_new(holder, "arguments", value_text(arguments)) == 0 ? 0 : -ENOMEM;
}

static enum side side_of(const json_t *entry)
{
    const json_t *kind = json_object_get(entry, "kind");
    return is_word(kind, "assistant")     ? SIDE_ASSISTANT
           : is_word(kind, "tool_result") ? SIDE_RESULT
           : is_word(kind, "system")      ? SIDE_SYSTEM
                                          : SIDE_USER;
}

static int plain_raw(json_t *to, const json_t *part, const struct wire_import *wire, enum side side)
{
    const json_t *raw = json_object_get(part, "raw");
    if (!raw || !wire)
        return 0;
    auto_json *copy = stripped(raw);
    if (!copy || plain_arguments(copy, part) < 0)
        return -ENOMEM;
    errno = 0;
    auto_json *canonical = wire->block(part, side);
    if (!canonical && errno == ENOMEM)
        return -ENOMEM;
    if (canonical && json_equal(copy, canonical))
        return 0;
    return json_object_set(to, "raw", copy) == 0 ? 0 : -ENOMEM;
}

static json_t *plain_part(const json_t *part, const struct wire_import *wire, enum side side)
{
    static const char *const kept[] = {"type", "text",   "id",  "arguments", "arguments_text",
                                       "wire", "sha256", "url", "file_id",   NULL};
    auto_json *to = json_object();
    for (const char *const *key = kept; to && *key; key++) {
        json_t *value = json_object_get(part, *key);
        if (value && json_object_set(to, *key, value) != 0)
            return NULL;
    }
    const json_t *value = json_object_get(part, "value");
    if (!to || (value && json_object_set_new(to, "value", stripped(value)) != 0))
        return NULL;
    json_t *name = is_word(json_object_get(part, "type"), "tool_call") ? json_object_get(part, "name") : NULL;
    if (name && json_object_set(to, "name", name) != 0)
        return NULL;
    return plain_raw(to, part, wire, side) == 0 ? take(to) : NULL;
}

/* A result's block, when more than its call and its error is left of it. */
static int plain_block(json_t *to, const json_t *entry)
{
    const json_t *block = json_object_get(entry, "block");
    if (!block)
        return 0;
    auto_json *copy = stripped(block);
    auto_json *canonical = json_pack("{s:s, s:O?}", "type", "tool_result", "tool_use_id", json_object_get(entry, "call"));
    if (!copy || !canonical)
        return -ENOMEM;
    if (is_word(json_object_get(copy, "type"), "tool_result"))
        (void)json_object_del(copy, "is_error");
    return json_equal(copy, canonical) || json_object_set(to, "block", copy) == 0 ? 0 : -ENOMEM;
}

/* The plain form; without raw where the other side is of another wire (NULL). */
static json_t *plain_entry(const json_t *entry, const struct wire_import *wire)
{
    static const char *const kept[] = {"kind", "role", "call", "error", NULL};
    auto_json *to = json_pack("{s:[]}", "parts");
    const json_t *raw = wire ? json_object_get(entry, "raw") : NULL;
    json_t *part;
    size_t i;
    for (const char *const *key = kept; to && *key; key++) {
        json_t *value = json_object_get(entry, *key);
        if (value && json_object_set(to, *key, value) != 0)
            return NULL;
    }
    if (!to || (raw && json_object_set_new(to, "raw", stripped(raw)) != 0) || (wire && plain_block(to, entry) < 0))
        return NULL;
    json_array_foreach(json_object_get(entry, "parts"), i, part)
        if (json_array_append_new(json_object_get(to, "parts"), plain_part(part, wire, side_of(entry))) != 0)
            return NULL;
    return take(to);
}

/* 1 the same, 0 not, or -ENOMEM. */
static int same(const json_t *stored, const json_t *came)
{
    json_t *wire = string_at(stored, "wire");
    const struct wire_import *both = wire && json_equal(wire, json_object_get(came, "wire"))
                                         ? wire_import_find(json_string_value(wire))
                                         : NULL;
    auto_json *a = plain_entry(stored, both);
    auto_json *b = plain_entry(came, both);
    return a && b ? json_equal(a, b) : -ENOMEM;
}

/* ---------------------------------------------------------------- feeding */

static bool is_kind(const json_t *entry, const char *kind)
{
    return is_word(json_object_get(entry, "kind"), kind);
}

/* Whether fovea's own tools recorded this result already. */
static bool is_own(const struct prefix *p, const json_t *came)
{
    json_t *call = is_kind(came, "tool_result") ? string_at(came, "call") : NULL;
    return by_name(p->own, call) != NULL;
}

/* What our own tools recorded. Nobody who speaks to a provider knows of a view without a call. */
static int keep_own(struct prefix *p, const json_t *stored)
{
    json_t *call = string_at(stored, "call");
    if (call && !p->own && !(p->own = json_object()))
        return -ENOMEM;
    return call ? by_name_set(p->own, call, json_true()) : 0;
}

/* A copy without thoughts; *ret_any: there were some. */
static json_t *thoughtless(const json_t *entry, bool *ret_any)
{
    auto_json *copy = json_copy_whole(entry);
    auto_json *parts = json_array();
    json_t *part;
    size_t i;
    *ret_any = false;
    json_array_foreach(json_object_get(entry, "parts"), i, part) {
        bool thought = json_is_true(json_object_get(part, "thinking"));
        *ret_any |= thought;
        if (!thought && json_array_append(parts, part) != 0)
            return NULL;
    }
    return parts && json_object_set(copy, "parts", parts) == 0 ? take(copy) : NULL;
}

/* Hosts may leave old thoughts out of later requests: what was said is the same. 1 the same, 0 not, 2 nothing but thoughts. */
static int same_but_thoughts(const json_t *stored, const json_t *came)
{
    bool had, has;
    auto_json *a = thoughtless(stored, &had);
    auto_json *b = thoughtless(came, &has);
    if (!a || !b)
        return -ENOMEM;
    return !had || has ? 0 : json_array_size(json_object_get(a, "parts")) ? same(a, b) : 2;
}

static int compare(struct prefix *p, const json_t *stored)
{
    const json_t *came;
    while ((came = json_array_get(p->in->entries, p->at)) && (is_kind(came, "request") || is_own(p, came)))
        p->at++;
    if (!came)
        return 0;
    int r = same(stored, came);
    r = r == 0 ? same_but_thoughts(stored, came) : r;
    if (r < 0)
        return r;
    p->at += r == 1;
    return r ? 0 : -EEXIST;
}

int prefix_entry(struct prefix *p, const char *body, size_t len)
{
    auto_json *stored = json_read(body, len, JSON_ALLOW_NUL, NULL);
    p->unread = !stored && errno != ENOMEM;
    if (!stored)
        return p->unread ? -EBADMSG : -ENOMEM;
    if (is_kind(stored, "usage") || is_kind(stored, "repair"))
        return 0;
    if (is_kind(stored, "request")) {
        json_decref(p->request);
        p->request = take(stored);
        return 0;
    }
    if (is_kind(stored, "perception") || json_object_get(stored, "result"))
        return keep_own(p, stored);
    return compare(p, stored);
}

/* ---------------------------------------------------------------- the end */

static json_t *plain_request(const json_t *request)
{
    json_t *copy = stripped(request);
    (void)json_object_del(copy, "at");
    return copy;
}

static int same_request(const json_t *a, const json_t *b)
{
    auto_json *one = a ? plain_request(a) : NULL;
    auto_json *two = plain_request(b);
    if ((a && !one) || !two)
        return -ENOMEM;
    return one && json_equal(one, two);
}

int prefix_end(struct prefix *p)
{
    auto_json *left = json_array();
    size_t i;
    json_t *came;
    if (!left)
        return -ENOMEM;
    json_array_foreach(p->in->entries, i, came) {
        bool request = is_kind(came, "request");
        int known = request ? same_request(p->request, came) : i < p->at || is_own(p, came);
        if (known < 0 || (!known && json_array_append(left, came) != 0))
            return -ENOMEM;
    }
    json_decref(p->in->entries);
    p->in->entries = take(left);
    p->at = 0;
    return 0;
}

void prefix_done(struct prefix *p)
{
    json_decref(p->request);
    json_decref(p->own);
    *p = (struct prefix){0};
}
