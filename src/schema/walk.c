/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a document to nodes: every place that a known keyword makes a schema, with its identifiers ($id, $anchor,
 * $dynamicAnchor) and the vocabulary it is written in. What stands under enum, const or an unknown word is data and is
 * not looked into, unless a reference points there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "schema/schema_priv.h"

/* ---------------------------------------------------------------- nodes by the address of their JSON */

static size_t slot_of(const struct schema *s, const json_t *json)
{
    uint64_t h = (uint64_t)(uintptr_t)json * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 20) & (s->table_size - 1);
}

static void table_put(struct schema *s, struct node *n)
{
    size_t i = slot_of(s, n->json);
    while (s->table[i])
        i = (i + 1) & (s->table_size - 1);
    s->table[i] = n;
}

struct node *node_find(const struct schema *s, const json_t *json)
{
    if (!json || !s->table_size)
        return NULL;
    size_t i = slot_of(s, json);
    while (s->table[i] && s->table[i]->json != json)
        i = (i + 1) & (s->table_size - 1);
    return s->table[i];
}

/* Twice the room for both lists; the table stays at most half full. */
static int grow(struct maker *m)
{
    struct schema *s = m->schema;
    size_t room = s->room ? 2 * s->room : 64; /* values are counted: far from overflow */
    struct node **nodes = reallocarray(s->nodes, room, sizeof *nodes);
    if (nodes)
        s->nodes = nodes;
    struct node **table = calloc(2 * room, sizeof *table);
    if (!nodes || !table) {
        free(table);
        return fault_oom(m->fault);
    }
    free(s->table);
    s->table = table;
    s->table_size = 2 * room;
    s->room = room;
    for (size_t i = 0; i < s->count; i++)
        table_put(s, s->nodes[i]);
    return 0;
}

static int node_add(struct maker *m, struct node *n)
{
    struct schema *s = m->schema;
    if (s->count == s->room && grow(m))
        return -ENOMEM;
    s->nodes[s->count++] = n;
    table_put(s, n);
    return 0;
}

/* ---------------------------------------------------------------- identifiers */

static int count_name(struct maker *m)
{
    if (++m->names > LIMIT_SCHEMA_NAMES)
        return fault_set(m->fault, E2BIG, "the schema has more than %d identifiers", LIMIT_SCHEMA_NAMES);
    return 0;
}

static int resource_add(struct maker *m, unsigned vocabulary, struct resource **ret)
{
    if (count_name(m))
        return -E2BIG;
    struct resource *r = schema_alloc(m, 1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->uri = "";
    r->vocabulary = vocabulary;
    r->next = m->schema->resources;
    m->schema->resources = *ret = r;
    return 0;
}

const struct anchor *anchor_find(const struct resource *r, const char *name)
{
    const struct anchor *a = r->anchors;
    while (a && strcmp(a->name, name))
        a = a->next;
    return a;
}

static bool anchor_valid(const char *s)
{
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");
    return n && !s[n] && (*s > '9' || *s < '-') && *s != '-' && *s != '.';
}

static int take_anchor(struct maker *m, struct node *n, const char *keyword, bool dynamic)
{
    const json_t *v = json_object_get(n->json, keyword);
    if (!v)
        return 0;
    const char *name = json_string_value(v);
    if (!name || !anchor_valid(name))
        return schema_wrong(m, n, keyword, "must be a name of letters, digits, '-', '_' and '.'");
    const struct anchor *old = anchor_find(n->resource, name);
    if (old && old->node != n)
        return schema_wrong(m, n, keyword, "is given twice: '%s'", name);
    if (count_name(m))
        return -E2BIG;
    struct anchor *a = schema_alloc(m, 1, sizeof *a);
    if (!a)
        return -ENOMEM;
    *a = (struct anchor){name, dynamic, n, n->resource->anchors};
    n->resource->anchors = a;
    return 0;
}

static bool uri_taken(const struct maker *m, const struct resource *self, const char *uri)
{
    for (const struct resource *r = m->schema->resources; r; r = r->next)
        if (r != self && r->root && !strcmp(r->uri, uri))
            return true;
    return false;
}

static int take_id(struct maker *m, struct node *n)
{
    const json_t *v = json_object_get(n->json, "$id");
    const char *id = json_string_value(v);
    if (!v)
        return 0;
    if (!id || (strchr(id, '#') && strchr(id, '#')[1]))
        return schema_wrong(m, n, "$id", "must be a URI without a fragment");
    auto_free char *uri = NULL;
    int failed = uri_resolve(n->resource->uri, id, &uri);
    if (failed)
        return failed == -EFBIG ? schema_wrong(m, n, "$id", "is too long") : fault_oom(m->fault);
    uri[strcspn(uri, "#")] = '\0';
    struct resource *r = n->resource;
    /* inside another one; otherwise this is the document's own */
    failed = r->root ? resource_add(m, r->vocabulary, &r) : 0;
    if (failed)
        return failed;
    if (uri_taken(m, r, uri))
        return schema_wrong(m, n, "$id", "is given twice: '%s'", uri);
    r->uri = schema_text(m, uri, strlen(uri));
    r->root = n;
    n->resource = r;
    return r->uri ? 0 : -ENOMEM;
}

static int take_identity(struct maker *m, struct node *n)
{
    int r = take_id(m, n);
    if (r)
        return r;
    if (!n->resource->root)
        n->resource->root = n;
    const char *dialect = json_string_value(json_object_get(n->json, "$schema"));
    if (dialect && n->resource->root == n)
        r = vocabulary_of(m, n, dialect, &n->resource->vocabulary);
    if (!r)
        r = take_anchor(m, n, "$anchor", false);
    if (!r)
        r = take_anchor(m, n, "$dynamicAnchor", true);
    return r;
}

/* ---------------------------------------------------------------- the walk */

static int walk_list(struct maker *m, struct node *n, const char *keyword, const json_t *list)
{
    struct node *made;
    if (!json_is_array(list) || !json_array_size(list))
        return schema_wrong(m, n, keyword, "must be a list of at least one schema");
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct node place = {.parent = n, .keyword = keyword, .index = i + 1};
        int r = walk_node(m, json_array_get(list, i), n->resource, &place, &made);
        if (r)
            return r;
    }
    return 0;
}

static int walk_map(struct maker *m, struct node *n, const struct keyword *kw, json_t *map)
{
    const char *key;
    json_t *v;
    struct node *made;
    if (!json_is_object(map))
        return schema_wrong(m, n, kw->name, "must be an object of schemas");
    json_object_foreach(map, key, v) {
        struct node place = {.parent = n, .keyword = kw->name, .key = key};
        if (kw->shape == SHAPE_MIXED && json_is_array(v))
            continue;
        int r = walk_node(m, v, n->resource, &place, &made);
        if (r)
            return r;
    }
    return 0;
}

static int walk_keyword(struct maker *m, struct node *n, const struct keyword *kw)
{
    struct node *made, place = {.parent = n, .keyword = kw->name};
    json_t *v = kw->shape == SHAPE_NONE ? NULL : json_object_get(n->json, kw->name);
    if (!v || !(kw->vocabulary & n->resource->vocabulary))
        return 0;
    if (kw->shape == SHAPE_LIST)
        return walk_list(m, n, kw->name, v);
    if (kw->shape == SHAPE_ONE)
        return walk_node(m, v, n->resource, &place, &made);
    return walk_map(m, n, kw, v);
}

int walk_node(struct maker *m, const json_t *json, struct resource *in, const struct node *place, struct node **ret)
{
    struct schema *s = m->schema;
    *ret = json_is_true(json) ? &s->yes : json_is_false(json) ? &s->no : node_find(s, json);
    if (*ret)
        return 0;
    if (!json_is_object(json))
        return schema_wrong(m, place->parent, place->keyword ? place->keyword : "$ref",
                            "must be a schema: an object or a boolean");
    struct node *n = schema_alloc(m, 1, sizeof *n);
    if (!n)
        return -ENOMEM;
    *n = *place;
    n->json = json;
    n->resource = in;
    int r = take_identity(m, n);
    if (!r)
        r = node_add(m, n);
    for (size_t i = 0; !r && i < keywords_count; i++)
        r = walk_keyword(m, n, &keywords[i]);
    *ret = n;
    return r;
}

/* Counts values and levels before anything recursive touches them. */
static int measure(struct maker *m, const json_t *v, unsigned depth)
{
    const char *key;
    json_t *child;
    size_t i;
    int r = 0;
    if (depth > LIMIT_SCHEMA_DEPTH)
        return fault_set(m->fault, ELOOP, "the schema is nested more than %d deep", LIMIT_SCHEMA_DEPTH);
    if (++m->values > LIMIT_SCHEMA_VALUES)
        return fault_set(m->fault, E2BIG, "the schema has more than %d values", LIMIT_SCHEMA_VALUES);
    if (json_is_array(v)) {
        json_array_foreach(v, i, child) {
            if (!r)
                r = measure(m, child, depth + 1);
        }
    } else if (json_is_object(v)) {
        json_object_foreach((json_t *)v, key, child) {
            if (!r)
                r = measure(m, child, depth + 1);
        }
    }
    return r;
}

int walk_document(struct maker *m, const json_t *json, const char *uri, struct resource **ret)
{
    int r = json ? measure(m, json, 0) : fault_set(m->fault, EINVAL, "there is no schema");
    if (r)
        return r;
    struct document *d = schema_alloc(m, 1, sizeof *d);
    if (!d)
        return -ENOMEM;
    d->json = json_deep_copy_whole(json);
    d->next = m->schema->documents;
    m->schema->documents = d;
    if (!d->json)
        return fault_oom(m->fault);
    struct resource *in;
    r = resource_add(m, VOCAB_DEFAULT, &in);
    if (r)
        return r;
    in->uri = in->alias = schema_text(m, uri, strlen(uri));
    if (!in->uri)
        return -ENOMEM;
    struct node *root, place = {0};
    if (!json_is_object(json) && !json_is_boolean(json))
        return fault_set(m->fault, EINVAL, "a schema must be an object or a boolean");
    r = walk_node(m, d->json, in, &place, &root);
    if (!r) {
        in->root = root;
        *ret = in;
    }
    return r;
}
