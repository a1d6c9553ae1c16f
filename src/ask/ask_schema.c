/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a vendor's structured output can hold a schema. Each takes a part of JSON Schema, and refuses or passes over
 * the rest; what it would pass over is better said in the prompt. The rules are rows; a schema is only looked at.
 */
#include <string.h>

#include "ask/ask_priv.h"
#include "base/limits.h"

struct rules {
    const char *words;  /* keywords that are taken, each with a blank on both sides */
    bool closed;        /* every object says additionalProperties: false */
    bool all_required;  /* and requires all its properties */
    bool tree;          /* references are followed: what leads back to itself is too deep */
    unsigned depth;     /* schemas within schemas */
    unsigned min_items; /* the largest */
    unsigned optional;  /* properties, in all */
    unsigned unions;    /* anyOf and lists of types, in all */
    unsigned values;    /* of enums, in all */
};

#define COMMON " type properties required additionalProperties items enum anyOf $ref $defs title description format minItems "

static const struct {
    const struct wire *wire;
    struct rules rules;
    bool loose; /* anything may be sent without the promise */
} vendors[] = {
    {&wire_anthropic,
     {.words = COMMON "const definitions default ", .closed = true, .tree = true, .depth = 32, .min_items = 1,
      .optional = 24, .unions = 16, .values = 1000},
     false},
    {&wire_openai_chat,
     {.words = COMMON "const definitions pattern multipleOf minimum maximum exclusiveMinimum exclusiveMaximum maxItems ",
      .closed = true, .all_required = true, .depth = 10, .min_items = UINT32_MAX, .unions = 1000, .values = 1000},
     true},
    {&wire_gemini,
     {.words = COMMON "oneOf prefixItems minimum maximum maxItems ", .tree = true, .depth = 32, .min_items = UINT32_MAX,
      .optional = 1000, .unions = 1000, .values = 1000},
     false},
};

struct walk {
    const struct rules *rules;
    const json_t *root;
    unsigned left; /* schemas that may still be looked at: references can lead to one many times */
    unsigned optional, unions, values;
};

static bool fits(struct walk *w, const json_t *s, unsigned depth);

/* Among words that stand between blanks. */
static bool listed(const char *words, const char *word)
{
    if (!word || !*word || strchr(word, ' '))
        return false;
    size_t len = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += len)
        if (at[-1] == ' ' && at[len] == ' ')
            return true;
    return false;
}

static bool has_word(const json_t *list, const char *word)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *one = json_string_value(json_array_get(list, i));
        if (one && !strcmp(one, word))
            return true;
    }
    return false;
}

static bool is_type(const json_t *s, const char *name)
{
    const json_t *type = json_object_get(s, "type");
    return json_is_string(type) ? !strcmp(json_string_value(type), name) : has_word(type, name);
}

static bool all_words_fit(const struct walk *w, const json_t *s)
{
    for (void *i = json_object_iter((json_t *)s); i; i = json_object_iter_next((json_t *)s, i))
        if (!listed(w->rules->words, json_object_iter_key(i)))
            return false;
    return true;
}

static bool object_fits(struct walk *w, const json_t *s)
{
    const json_t *properties = json_object_get(s, "properties"), *required = json_object_get(s, "required");
    size_t missing = 0;
    if (!is_type(s, "object") && !properties)
        return true;
    if (w->rules->closed && !json_is_false(json_object_get(s, "additionalProperties")))
        return false;
    for (void *i = json_object_iter((json_t *)properties); i; i = json_object_iter_next((json_t *)properties, i))
        missing += !has_word(required, json_object_iter_key(i));
    w->optional += (unsigned)missing;
    /* A required property without a schema is one more than there are. */
    bool exact = !missing && json_array_size(required) == json_object_size(properties);
    return w->rules->all_required ? exact : w->optional <= w->rules->optional;
}

static bool values_fit(struct walk *w, const json_t *s)
{
    const json_t *values = json_object_get(s, "enum"), *format = json_object_get(s, "format");
    const json_t *only = json_object_get(s, "const"), *least = json_object_get(s, "minItems");
    for (size_t i = 0; i < json_array_size(values); i++)
        if (json_is_object(json_array_get(values, i)) || json_is_array(json_array_get(values, i)))
            return false;
    w->values += (unsigned)json_array_size(values);
    w->unions += json_is_array(json_object_get(s, "type")) || json_object_get(s, "anyOf");
    if (least && (!json_is_integer(least) || json_integer_value(least) > w->rules->min_items))
        return false;
    if (format && !listed(" date-time time date duration email hostname ipv4 ipv6 uuid ", json_string_value(format)))
        return false;
    return !json_is_object(only) && !json_is_array(only) && w->values <= w->rules->values && w->unions <= w->rules->unions;
}

/* "#/$defs/NAME", which is all that the vendors have in common. */
static bool reference_fits(struct walk *w, const json_t *s, unsigned depth)
{
    static const char *const folders[] = {"$defs", "definitions"};
    const char *to = json_string_value(json_object_get(s, "$ref"));
    for (size_t i = 0; to && i < COUNT(folders); i++) {
        size_t len = strlen(folders[i]);
        if (strncmp(to, "#/", 2) || strncmp(to + 2, folders[i], len) || to[2 + len] != '/' || strpbrk(to + 3 + len, "/~%"))
            continue;
        const json_t *target = json_object_get(json_object_get(w->root, folders[i]), to + 3 + len);
        return target && json_object_size(s) == 1 && (!w->rules->tree || fits(w, target, depth + 1));
    }
    return false;
}

static bool map_fits(struct walk *w, const json_t *map, unsigned depth)
{
    for (void *i = json_object_iter((json_t *)map); i; i = json_object_iter_next((json_t *)map, i))
        if (!fits(w, json_object_iter_value(i), depth))
            return false;
    return true;
}

static bool list_fits(struct walk *w, const json_t *list, unsigned depth)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!fits(w, json_array_get(list, i), depth))
            return false;
    return true;
}

/* Definitions are looked at where they are used, when references are followed. */
static bool children_fit(struct walk *w, const json_t *s, unsigned depth)
{
    static const char *const maps[] = {"properties", "$defs", "definitions"};
    static const char *const lists[] = {"anyOf", "oneOf", "prefixItems"};
    static const char *const ones[] = {"items", "additionalProperties"};
    for (size_t i = 0; i < (w->rules->tree ? 1 : COUNT(maps)); i++)
        if (!map_fits(w, json_object_get(s, maps[i]), depth))
            return false;
    for (size_t i = 0; i < COUNT(lists); i++)
        if (!list_fits(w, json_object_get(s, lists[i]), depth))
            return false;
    for (size_t i = 0; i < COUNT(ones); i++) {
        const json_t *one = json_object_get(s, ones[i]);
        if (one && (i == 0 || json_is_object(one)) && !fits(w, one, depth))
            return false;
    }
    return true;
}

static bool fits(struct walk *w, const json_t *s, unsigned depth)
{
    static const char *const says[] = {"type", "enum", "const", "anyOf", "oneOf"};
    bool said = false;
    if (!json_is_object(s) || depth > w->rules->depth || !w->left || !all_words_fit(w, s))
        return false;
    w->left--;
    if (json_object_get(s, "$ref"))
        return reference_fits(w, s, depth);
    for (size_t i = 0; i < COUNT(says); i++)
        said = said || json_object_get(s, says[i]);
    if (!said || (is_type(s, "array") && !json_object_get(s, "items") && !json_object_get(s, "prefixItems")))
        return false;
    return object_fits(w, s) && values_fit(w, s) && children_fit(w, s, depth + 1);
}

enum schema_form ask_schema_form(const struct host *h, const json_t *schema)
{
    const struct wire *wire = h->wire == &wire_openai_responses ? &wire_openai_chat : h->wire;
    for (size_t i = 0; h->structured && i < COUNT(vendors); i++) {
        if (vendors[i].wire != wire)
            continue;
        struct walk w = {.rules = &vendors[i].rules, .root = schema, .left = LIMIT_ASK_SCHEMA_STEPS};
        if (is_type(schema, "object") && json_is_string(json_object_get(schema, "type")) && fits(&w, schema, 0))
            return SCHEMA_STRICT;
        /* Who is behind a router has rules of its own. */
        return vendors[i].loose && !h->route_schema ? SCHEMA_LOOSE : SCHEMA_PROMPT;
    }
    return SCHEMA_PROMPT;
}
