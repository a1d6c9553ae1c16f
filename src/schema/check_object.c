/* SPDX-License-Identifier: Apache-2.0 */
/* Keywords about objects. They go through the instance's members in its own order, by which marks are counted. */
#include <errno.h>

#include "schema/schema_priv.h"

/* One member of the instance after the other; i counts them. */
struct member {
    void *at;
    size_t i;
    const char *key;
    size_t len;
    const json_t *value;
};

static bool member_read(struct member *m)
{
    if (!m->at)
        return false;
    m->key = json_object_iter_key(m->at);
    m->len = json_object_iter_key_len(m->at);
    m->value = json_object_iter_value(m->at);
    return true;
}

static bool member_first(const json_t *object, struct member *m)
{
    *m = (struct member){.at = json_is_object(object) ? json_object_iter((json_t *)object) : NULL};
    return member_read(m);
}

static bool member_next(const json_t *object, struct member *m)
{
    m->at = json_object_iter_next((json_t *)object, m->at);
    m->i++;
    return member_read(m);
}

#define each_member(object, m) bool more_ = member_first(object, m); more_; more_ = member_next(object, m)

static const struct node *node_of(const struct check *c, const json_t *v)
{
    const struct schema *s = c->schema;
    return json_is_true(v) ? &s->yes : json_is_false(v) ? &s->no : node_find(s, v);
}

/* Applies n to the member and marks it. */
static int visit(struct check *c, const struct frame *f, const struct rule *r, const struct node *n,
                 const struct member *m)
{
    if (f->marks)
        f->marks[m->i] = 1;
    return apply_member(c, f, r, n, m->key, m->len, m->value);
}

int check_max_properties(struct check *c, const struct frame *f, const struct rule *r)
{
    if (!json_is_object(f->value) || json_object_size(f->value) <= r->low)
        return 0;
    return check_fail(c, f, r->keyword->name, "must have at most %ju properties", (uintmax_t)r->low);
}

int check_min_properties(struct check *c, const struct frame *f, const struct rule *r)
{
    if (!json_is_object(f->value) || json_object_size(f->value) >= r->low)
        return 0;
    return check_fail(c, f, r->keyword->name, "must have at least %ju properties", (uintmax_t)r->low);
}

/* Whether the object has all these names. */
static int names_there(struct check *c, const struct frame *f, const struct rule *r, const json_t *names)
{
    int failed = check_steps(c, json_array_size(names) / 8);
    for (size_t i = 0; !failed && i < json_array_size(names); i++) {
        const json_t *name = json_array_get(names, i);
        if (!json_object_getn(f->value, json_string_value(name), json_string_length(name)))
            failed = c->quiet ? 1 : check_fail(c, f, r->keyword->name, "property \"%s\" is missing",
                                               show(c, json_string_value(name)).text);
    }
    return failed;
}

int check_required(struct check *c, const struct frame *f, const struct rule *r)
{
    return json_is_object(f->value) ? names_there(c, f, r, r->value) : 0;
}

/* For each member that the rule names: a list of names that must be there too, or a schema for the whole. */
int check_dependent(struct check *c, const struct frame *f, const struct rule *r)
{
    int failed = 0;
    struct member m;
    for (each_member(f->value, &m)) {
        const json_t *v = json_object_getn(r->value, m.key, m.len);
        failed = check_steps(c, 1);
        if (!failed && json_is_array(v))
            failed = names_there(c, f, r, v);
        else if (!failed && v)
            failed = apply(c, f, r, node_of(c, v));
        if (failed)
            break;
    }
    return failed;
}

int check_properties(struct check *c, const struct frame *f, const struct rule *r)
{
    int failed = 0;
    struct member m;
    for (each_member(f->value, &m)) {
        const json_t *v = json_object_getn(r->value, m.key, m.len);
        failed = v ? visit(c, f, r, node_of(c, v), &m) : check_steps(c, 1);
        if (failed)
            break;
    }
    return failed;
}

int check_pattern_properties(struct check *c, const struct frame *f, const struct rule *r)
{
    int failed = 0;
    struct member m;
    for (each_member(f->value, &m)) {
        for (size_t i = 0; !failed && i < r->count; i++) {
            failed = pattern_match(c, r->patterns[i], m.key, m.len);
            if (failed > 0)
                failed = visit(c, f, r, r->nodes[i], &m);
        }
        if (failed)
            break;
    }
    return failed;
}

/* 1 when properties or patternProperties speak of the member. */
static int spoken_of(struct check *c, const struct rule *r, const struct member *m)
{
    int match = r->beside && json_object_getn(r->beside, m->key, m->len) ? 1 : check_steps(c, 1);
    for (size_t i = 0; !match && i < r->count; i++)
        match = pattern_match(c, r->patterns[i], m->key, m->len);
    return match;
}

int check_additional_properties(struct check *c, const struct frame *f, const struct rule *r)
{
    struct member m;
    for (each_member(f->value, &m)) {
        int failed = spoken_of(c, r, &m);
        if (!failed)
            failed = visit(c, f, r, r->node, &m);
        else if (failed > 0)
            continue;
        if (failed)
            return failed;
    }
    return 0;
}

int check_unevaluated_properties(struct check *c, const struct frame *f, const struct rule *r)
{
    struct member m;
    for (each_member(f->value, &m)) {
        int failed = f->marks[m.i] ? 0 : visit(c, f, r, r->node, &m);
        if (failed)
            return failed;
    }
    return 0;
}

int check_property_names(struct check *c, const struct frame *f, const struct rule *r)
{
    struct member m;
    for (each_member(f->value, &m)) {
        json_t *name = json_stringn(m.key, m.len);
        if (!name)
            return -ENOMEM;
        int failed = apply_member(c, f, r, r->node, m.key, m.len, name);
        json_decref(name);
        if (failed)
            return failed;
    }
    return 0;
}
