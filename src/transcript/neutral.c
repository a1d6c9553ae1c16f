/* SPDX-License-Identifier: Apache-2.0 */
/* Entries as a host writes them. What each kind of entry and part may have is a table; docs/transcript.schema.json says the
 * same, and a test holds the two together. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "base/text.h"
#include "transcript/neutral.h"

static const struct neutral_member system_members[] = {
    {"kind", IS_STRING, true}, {"at", IS_COUNT, false},  {"wire", IS_WIRE, false},
    {"join", IS_BOOL, false},  {"plain", IS_BOOL, false}, {"role", IS_ROLE, false},
    {"parts", IS_PARTS, true}, {"raw", IS_OBJECT, false}, {0},
};
static const struct neutral_member said_members[] = {
    {"kind", IS_STRING, true}, {"at", IS_COUNT, false},   {"wire", IS_WIRE, false},
    {"join", IS_BOOL, false},  {"plain", IS_BOOL, false}, {"parts", IS_PARTS, true},
    {"raw", IS_OBJECT, false}, {0},
};
static const struct neutral_member result_members[] = {
    {"kind", IS_STRING, true}, {"at", IS_COUNT, false},    {"wire", IS_WIRE, false},  {"join", IS_BOOL, false},
    {"plain", IS_BOOL, false}, {"call", IS_NAME, false},   {"name", IS_NAME, false},  {"error", IS_BOOL, false},
    {"arguments", IS_OBJECT, false}, {"result", IS_OBJECT, false}, {"parts", IS_PARTS, true},
    {"block", IS_OBJECT, false}, {"raw", IS_OBJECT, false}, {0},
};
static const struct neutral_member usage_members[] = {
    {"kind", IS_STRING, true},   {"at", IS_COUNT, false},         {"model", IS_MODEL, true},
    {"input", IS_COUNT, false},  {"output", IS_COUNT, false},     {"cache_read", IS_COUNT, false},
    {"cache_write", IS_COUNT, false}, {"cost_usd", IS_COST, false}, {0},
};
static const struct neutral_member request_members[] = {
    {"kind", IS_STRING, true}, {"at", IS_COUNT, false},   {"wire", IS_WIRE, true}, {"system", IS_PARTS, false},
    {"tools", IS_TOOLS, false}, {"body", IS_OBJECT, false}, {0},
};
static const struct neutral_member repair_members[] = {
    {"kind", IS_STRING, true}, {"at", IS_COUNT, false}, {"entry", IS_NUMBER, true}, {"part", IS_COUNT, true},
    {"how", IS_HOW, true},     {"why", IS_STRING, false}, {0},
};
static const struct neutral_member call_members[] = {
    {"kind", IS_STRING, true},       {"at", IS_COUNT, false},       {"wire", IS_WIRE, false}, {"id", IS_WORD, true},
    {"name", IS_WORD, true},         {"arguments", IS_OBJECT, false}, {"arguments_text", IS_STRING, false},
    {"raw", IS_OBJECT, false},       {0},
};

static const struct neutral_kind kinds[] = {
    {"system", system_members, PARTS_WORDS}, {"user", said_members, PARTS_MEDIA},
    {"assistant", said_members, PARTS_CALLS}, {"tool_result", result_members, PARTS_MEDIA},
    {"perception", result_members, PARTS_MEDIA}, {"usage", usage_members, PARTS_TEXT},
    {"request", request_members, PARTS_TEXT}, {"repair", repair_members, PARTS_TEXT},
    {"tool_call", call_members, PARTS_CALLS},
};

/* ---------------------------------------------------------------- values */

static bool one_of(const json_t *value, const char *const *words)
{
    for (; *words; words++)
        if (is_word(value, *words))
            return true;
    return false;
}

static bool is_count(const json_t *value, json_int_t least)
{
    return json_is_integer(value) && json_integer_value(value) >= least;
}

static bool is_model(const json_t *value)
{
    const char *s = json_string_value(value), *slash = s ? strchr(s, '/') : NULL;
    return slash && slash > s && slash[1];
}

static bool is_list_of_tools(const json_t *value)
{
    size_t i;
    json_t *tool;
    json_array_foreach(value, i, tool)
        if (!string_at(tool, "name"))
            return false;
    return json_is_array(value);
}

static bool value_is(const struct neutral *n, enum neutral_is is, const json_t *value)
{
    static const char *const roles[] = {"system", "developer", NULL}, *const ways[] = {"refit", "stub", NULL};
    switch (is) {
    case IS_STRING:
        return json_is_string(value);
    case IS_WORD:
        return json_string_length(value) > 0;
    case IS_NAME:
        return json_is_string(value) && (n->wired || json_string_length(value) > 0);
    case IS_BOOL:
        return json_is_boolean(value);
    case IS_COUNT:
        return is_count(value, 0);
    case IS_NUMBER:
        return is_count(value, 1);
    case IS_SIZE:
        return is_count(value, 1) && json_integer_value(value) <= INT32_MAX;
    case IS_COST:
        return json_is_null(value) || (json_is_number(value) && json_number_value(value) >= 0);
    case IS_OBJECT:
        return json_is_object(value);
    case IS_PARTS:
        return json_is_array(value);
    case IS_TOOLS:
        return is_list_of_tools(value);
    case IS_MODEL:
        return is_model(value);
    case IS_WIRE:
        return one_of(value, transcript_wires);
    case IS_ROLE:
        return one_of(value, roles);
    case IS_HOW:
        return one_of(value, ways);
    }
    return false;
}

static const char *const wanted[] = {
    [IS_STRING] = "a string",
    [IS_WORD] = "a string that is not empty",
    [IS_NAME] = "a string that is not empty",
    [IS_BOOL] = "true or false",
    [IS_COUNT] = "a whole number from 0",
    [IS_NUMBER] = "a whole number from 1",
    [IS_SIZE] = "a whole number from 1 to 2147483647",
    [IS_COST] = "a number from 0, or null",
    [IS_OBJECT] = "an object",
    [IS_PARTS] = "a list of parts",
    [IS_TOOLS] = "a list of tools with names",
    [IS_MODEL] = "\"PROVIDER/MODEL\"",
    [IS_WIRE] = "anthropic, openai-chat, openai-responses or gemini",
    [IS_ROLE] = "system or developer",
    [IS_HOW] = "refit or stub",
};

/* ---------------------------------------------------------------- members */

int neutral_bad(struct neutral *n, const char *member, const char *words)
{
    return fault_set(n->fault, EINVAL, "%s%s: %s", n->where, member, words);
}

/* Two slips at most, and fewer than half of the letters. */
static unsigned near_enough(const char *said)
{
    size_t len = MIN(strlen(said), (size_t)5);
    return MIN(2 * NEAREST_EDIT, (unsigned)len * NEAREST_EDIT / 2) + 1;
}

/* The name that was meant, or NULL. */
static const char *meant(const char *said, const struct neutral_member *table)
{
    const char *best = NULL;
    unsigned least = near_enough(said);
    for (; table->name; table++) {
        unsigned d = nearest_distance(said, table->name, strlen(table->name));
        if (d < least) {
            least = d;
            best = table->name;
        }
    }
    return best;
}

static int unknown(struct neutral *n, const char *key, const char *kind, const struct neutral_member *table)
{
    auto_buf shown = BUF_INIT(KIB);
    const char *near = meant(key, table);
    if (buf_add_shown(&shown, key, 40) < 0)
        return fault_oom(n->fault);
    return fault_set(n->fault, EINVAL, "%s%s: no member of %s%s%s%s", n->where, shown.data, kind,
                     near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

int neutral_check(struct neutral *n, const json_t *object, const char *kind, const struct neutral_member *table)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        const struct neutral_member *m = table;
        while (m->name && strcmp(m->name, key) != 0)
            m++;
        if (!m->name)
            return unknown(n, key, kind, table);
        if (!value_is(n, m->is, value))
            return fault_set(n->fault, EINVAL, "%s%s: %s is wanted", n->where, key, wanted[m->is]);
    }
    for (; table->name; table++)
        if (table->must && !json_object_get(object, table->name))
            return neutral_bad(n, table->name, "is missing");
    return 0;
}

int neutral_copy(json_t *to, const json_t *from, const struct neutral_member *table)
{
    for (; table->name; table++) {
        json_t *value = json_object_get(from, table->name);
        if (value && table->is != IS_PARTS && !json_is_false(value) && json_object_set(to, table->name, value) != 0)
            return -ENOMEM;
    }
    return 0;
}

/* ---------------------------------------------------------------- entries */

static const struct neutral_kind *kind_of(struct neutral *n, const json_t *entry)
{
    const json_t *said = json_object_get(entry, "kind");
    const char *best = NULL;
    unsigned least = json_is_string(said) ? near_enough(json_string_value(said)) : 0;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        unsigned d = json_is_string(said) ? nearest_distance(json_string_value(said), kinds[i].name, strlen(kinds[i].name))
                                          : NEAREST_FAR;
        if (is_word(said, kinds[i].name))
            return &kinds[i];
        best = d < least ? kinds[i].name : best;
        least = MIN(d, least);
    }
    if (!said)
        (void)neutral_bad(n, "kind", "is missing");
    else
        (void)fault_set(n->fault, EINVAL, "kind: no such kind of entry%s%s%s", best ? "; did you mean \"" : "",
                        best ? best : "", best ? "\"?" : "");
    return NULL;
}

int incoming_speaker(const json_t *entry)
{
    for (int kind = 0; kind < ENTRY_KINDS; kind++)
        if (is_word(json_object_get(entry, "kind"), entry_kinds[kind]))
            return entry_speaker((enum entry_kind)kind);
    return 0;
}

/* Nobody joins another speaker. What the first one that came would join may be stored already. */
static void check_join(const struct neutral *n, json_t *entry)
{
    int before = 0;
    for (size_t i = json_array_size(n->in->entries); i-- && !before;)
        before = incoming_speaker(json_array_get(n->in->entries, i));
    if (before && before != incoming_speaker(entry))
        (void)json_object_del(entry, "join");
}

/* A call by itself: an assistant's entry that joins the one before. */
static int long_form(struct neutral *n, const json_t *call, json_t **ret)
{
    auto_json *part = json_pack("{s:s}", "type", "tool_call");
    auto_json *e = json_pack("{s:s, s:O*, s:O*, s:b, s:[]}", "kind", "assistant", "at", json_object_get(call, "at"), "wire",
                             json_object_get(call, "wire"), "join", 1, "parts");
    static const char *const moved[] = {"id", "name", "arguments", "arguments_text", "raw", NULL};
    for (const char *const *key = moved; part && *key; key++) {
        json_t *value = json_object_get(call, *key);
        if (value && json_object_set(part, *key, value) != 0)
            return fault_oom(n->fault);
    }
    if (!part || !e || json_array_append(json_object_get(e, "parts"), part) != 0)
        return fault_oom(n->fault);
    *ret = take(e);
    return 0;
}

static int take_entry(struct neutral *n, const json_t *entry, const struct neutral_kind *kind)
{
    auto_json *e = json_object();
    json_t *list = json_object_get(entry, "parts");
    if (!e || neutral_copy(e, entry, kind->members) < 0)
        return fault_oom(n->fault);
    if (!strcmp(kind->name, "request"))
        list = json_object_get(entry, "system");
    if (json_object_get(e, "join"))
        check_join(n, e);
    int r = list ? neutral_parts(n, list, kind, e) : 0;
    r = r == 0 ? neutral_source(n, e) : r;
    if (r == 0 && !entry_is_shallow(e))
        r = fault_set(n->fault, EINVAL, "the entry is nested too deeply");
    if (r == 0 && (r = entry_fits(e)) == -EFBIG)
        (void)fault_set(n->fault, EFBIG, "the entry has more than %llu bytes without its pictures and documents",
                        (unsigned long long)LIMIT_ENTRY_BYTES);
    if (r == -ENOMEM)
        return fault_oom(n->fault);
    if (r == 0 && json_array_append(n->in->entries, e) != 0)
        r = fault_oom(n->fault);
    return r;
}

/* What the table of an entry cannot say. */
static int check_entry(struct neutral *n, const json_t *entry, const struct neutral_kind *kind)
{
    if (kind->members == call_members)
        return neutral_call(n, entry);
    for (const char *const *key = (const char *const[]){"raw", "block", NULL}; *key; key++)
        if (json_object_get(entry, *key) && !n->wired)
            return neutral_bad(n, *key, "the entry must say its wire");
    if (kind->members == result_members && !n->wired && !json_object_get(entry, "call") && !json_object_get(entry, "name"))
        return neutral_bad(n, "call", "is missing (or name, for a result that stands for itself)");
    return 0;
}

int incoming_entry(struct incoming *in, const json_t *entry, struct fovea_fault *fault)
{
    struct neutral n = {.in = in, .fault = fault, .wired = json_object_get(entry, "wire") != NULL};
    if (!in->entries && !(in->entries = json_array()))
        return fault_oom(fault);
    if (!json_is_object(entry))
        return fault_set(fault, EINVAL, "an entry is an object");
    const struct neutral_kind *kind = kind_of(&n, entry);
    if (!kind)
        return -EINVAL;
    int r = neutral_check(&n, entry, kind->name, kind->members);
    r = r == 0 ? check_entry(&n, entry, kind) : r;
    if (r < 0)
        return r;
    if (kind->members != call_members)
        return take_entry(&n, entry, kind);
    auto_json *whole = NULL;
    r = long_form(&n, entry, &whole);
    return r < 0 ? r : take_entry(&n, whole, &kinds[2]);
}
