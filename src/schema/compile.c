/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling a node: each known keyword's value is judged in form, as the meta-schema would, and what the check needs is
 * looked up once. A keyword that cannot fail leaves no rule.
 */
#include <errno.h>
#include <string.h>

#include "base/limits.h"
#include "schema/schema_priv.h"

static int wrong(struct maker *m, const struct node *n, const struct rule *r, const char *words)
{
    return schema_wrong(m, n, r->keyword->name, "%s", words);
}

int compile_string(struct maker *m, struct node *n, struct rule *r)
{
    return json_is_string(r->value) ? 0 : wrong(m, n, r, "must be a string");
}

int compile_bool(struct maker *m, struct node *n, struct rule *r)
{
    return json_is_boolean(r->value) ? 0 : wrong(m, n, r, "must be true or false");
}

int compile_number(struct maker *m, struct node *n, struct rule *r)
{
    return json_is_number(r->value) ? 0 : wrong(m, n, r, "must be a number");
}

int compile_divisor(struct maker *m, struct node *n, struct rule *r)
{
    return json_is_number(r->value) && json_number_value(r->value) > 0 ? 0 : wrong(m, n, r, "must be a number above 0");
}

int compile_list(struct maker *m, struct node *n, struct rule *r)
{
    return json_is_array(r->value) ? 0 : wrong(m, n, r, "must be a list");
}

/* A whole number from 0; one beyond 64 bits is as good as none. */
static bool count_of(const json_t *v, uint64_t *ret)
{
    if (!json_is_number(v) || !number_is_integer(v) || json_number_value(v) < 0)
        return false;
    if (json_is_integer(v))
        *ret = (uint64_t)json_integer_value(v);
    else
        *ret = json_real_value(v) < 0x1p63 ? (uint64_t)json_real_value(v) : UINT64_MAX;
    return true;
}

int compile_count(struct maker *m, struct node *n, struct rule *r)
{
    return count_of(r->value, &r->low) ? 0 : wrong(m, n, r, "must be a whole number from 0");
}

static bool all_strings(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return false;
    return json_is_array(list);
}

int compile_names(struct maker *m, struct node *n, struct rule *r)
{
    return all_strings(r->value) ? 0 : wrong(m, n, r, "must be a list of strings");
}

/* dependentRequired, and dependencies, which may hold schemas too: those the walk has seen. */
int compile_name_lists(struct maker *m, struct node *n, struct rule *r)
{
    const char *key;
    json_t *v;
    if (!json_is_object(r->value))
        return wrong(m, n, r, "must be an object");
    json_object_foreach((json_t *)r->value, key, v) {
        if (!all_strings(v) && (r->keyword->shape == SHAPE_NONE || json_is_array(v)))
            return wrong(m, n, r, "must hold lists of strings");
    }
    return 0;
}

int compile_vocabularies(struct maker *m, struct node *n, struct rule *r)
{
    const char *key;
    json_t *v;
    if (!json_is_object(r->value))
        return wrong(m, n, r, "must be an object");
    json_object_foreach((json_t *)r->value, key, v) {
        if (!json_is_boolean(v))
            return wrong(m, n, r, "must hold true or false only");
    }
    return 0;
}

static bool is_type_name(const json_t *v)
{
    static const char *const names[] = {"null", "boolean", "object", "array", "number", "string", "integer"};
    const char *s = json_string_value(v);
    for (size_t i = 0; s && i < COUNT(names); i++)
        if (!strcmp(s, names[i]))
            return true;
    return false;
}

int compile_type(struct maker *m, struct node *n, struct rule *r)
{
    bool good = is_type_name(r->value) || json_array_size(r->value);
    for (size_t i = 0; i < json_array_size(r->value); i++)
        good &= is_type_name(json_array_get(r->value, i));
    return good ? 0 : wrong(m, n, r, "must be null, boolean, object, array, number, string, integer, or a list of these");
}

int compile_pattern(struct maker *m, struct node *n, struct rule *r)
{
    if (!json_is_string(r->value))
        return wrong(m, n, r, "must be a string");
    r->patterns = schema_alloc(m, 1, sizeof *r->patterns);
    if (!r->patterns)
        return -ENOMEM;
    r->count = 1;
    return pattern_keep(m, n, r->keyword->name, json_string_value(r->value), json_string_length(r->value), r->patterns);
}

int compile_format(struct maker *m, struct node *n, struct rule *r)
{
    if (!json_is_string(r->value))
        return wrong(m, n, r, "must be a string");
    if (m->options->formats || (n->resource->vocabulary & VOCAB_FORMAT_ASSERT))
        r->format = format_find(json_string_value(r->value), &r->low);
    return 0;
}

/* ---------------------------------------------------------------- what leads to other nodes */

int compile_ref(struct maker *m, struct node *n, struct rule *r)
{
    const char *dynamic;
    if (!json_is_string(r->value))
        return wrong(m, n, r, "must be a string");
    return ref_resolve(m, n, r->keyword->name, json_string_value(r->value), &r->node, &dynamic);
}

int compile_dynamic_ref(struct maker *m, struct node *n, struct rule *r)
{
    if (!json_is_string(r->value))
        return wrong(m, n, r, "must be a string");
    return ref_resolve(m, n, r->keyword->name, json_string_value(r->value), &r->node, &r->anchor);
}

static const struct node *node_of(const struct maker *m, const json_t *v)
{
    const struct schema *s = m->schema;
    return json_is_true(v) ? &s->yes : json_is_false(v) ? &s->no : node_find(s, v);
}

int compile_schemas(struct maker *m, struct node *n, struct rule *r)
{
    (void)n; /* the walk has judged the shape */
    if (r->keyword->shape == SHAPE_ONE)
        r->node = node_of(m, r->value);
    if (r->keyword->shape != SHAPE_LIST)
        return 0;
    r->count = json_array_size(r->value);
    r->nodes = schema_alloc(m, r->count, sizeof *r->nodes);
    for (size_t i = 0; r->nodes && i < r->count; i++)
        r->nodes[i] = node_of(m, json_array_get(r->value, i));
    return r->nodes ? 0 : -ENOMEM;
}

int compile_pattern_properties(struct maker *m, struct node *n, struct rule *r)
{
    const char *key;
    json_t *v;
    size_t count = json_object_size(r->value);
    r->patterns = schema_alloc(m, count, sizeof *r->patterns);
    r->nodes = schema_alloc(m, count, sizeof *r->nodes);
    if (!r->patterns || !r->nodes)
        return -ENOMEM;
    json_object_foreach((json_t *)r->value, key, v) {
        int failed = pattern_keep(m, n, r->keyword->name, key, strlen(key), &r->patterns[r->count]);
        if (failed)
            return failed;
        r->nodes[r->count++] = node_of(m, v);
    }
    return 0;
}

int compile_additional(struct maker *m, struct node *n, struct rule *r)
{
    r->beside = json_object_get(n->json, "properties");
    for (size_t i = 0; i < n->count; i++) {
        if (n->rules[i].keyword->check == check_pattern_properties) {
            r->patterns = n->rules[i].patterns;
            r->count = n->rules[i].count;
        }
    }
    return compile_schemas(m, n, r);
}

int compile_unevaluated(struct maker *m, struct node *n, struct rule *r)
{
    n->tracks = true;
    return compile_schemas(m, n, r);
}

int compile_items(struct maker *m, struct node *n, struct rule *r)
{
    r->low = json_array_size(json_object_get(n->json, "prefixItems"));
    return compile_schemas(m, n, r);
}

int compile_contains(struct maker *m, struct node *n, struct rule *r)
{
    r->low = 1;
    r->high = UINT64_MAX;
    if (n->resource->vocabulary & VOCAB_VALIDATION) { /* their own rows say what is wrong with them */
        (void)count_of(json_object_get(n->json, "minContains"), &r->low);
        (void)count_of(json_object_get(n->json, "maxContains"), &r->high);
    }
    return compile_schemas(m, n, r);
}

int compile_if(struct maker *m, struct node *n, struct rule *r)
{
    r->then = node_of(m, json_object_get(n->json, "then"));
    r->otherwise = node_of(m, json_object_get(n->json, "else"));
    return compile_schemas(m, n, r);
}

static bool known(const struct node *n, const struct keyword *kw)
{
    return (kw->vocabulary & n->resource->vocabulary) && json_object_get(n->json, kw->name);
}

int node_compile(struct maker *m, struct node *n)
{
    size_t rules = 0;
    for (size_t i = 0; i < keywords_count; i++)
        rules += keywords[i].check && known(n, &keywords[i]);
    n->rules = schema_alloc(m, rules, sizeof *n->rules);
    if (!n->rules)
        return -ENOMEM;
    for (size_t i = 0; i < keywords_count; i++) {
        const struct keyword *kw = &keywords[i];
        if (!known(n, kw))
            continue;
        struct rule r = {.keyword = kw, .value = json_object_get(n->json, kw->name)};
        int failed = kw->compile ? kw->compile(m, n, &r) : 0;
        if (failed)
            return failed;
        if (kw->check)
            n->rules[n->count++] = r;
    }
    return 0;
}
