/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reference leads to: a resource by its URI, then a place in it by JSON pointer or by anchor. A document that is
 * not here is asked of options.resolve, never of the network. $schema finds its meta-schema the same way, for the
 * vocabularies it names.
 */
#include <errno.h>
#include <string.h>

#include "base/fault.h"
#include "base/json_read.h"
#include "schema/schema_priv.h"

static struct resource *resource_find(const struct schema *s, const char *uri)
{
    struct resource *r = s->resources;
    while (r && strcmp(r->uri, uri))
        r = r->next;
    if (!r)
        for (r = s->resources; r && (!r->alias || strcmp(r->alias, uri)); r = r->next)
            ;
    return r;
}

static void decref_p(json_t **j)
{
    json_decref(*j);
}

/* *ret is a new reference, or NULL when nobody has the document. */
static int fetch(struct maker *m, const char *uri, json_t **ret)
{
    const char *meta = meta_schema(uri);
    if (meta) {
        *ret = json_read(meta, strlen(meta), 0, NULL);
        return *ret ? 0 : fault_oom(m->fault);
    }
    *ret = m->options->resolve ? m->options->resolve(uri, m->options->arg) : NULL;
    return 0;
}

static int resource_load(struct maker *m, const struct node *at, const char *keyword, const char *uri,
                         struct resource **ret)
{
    *ret = resource_find(m->schema, uri);
    if (*ret)
        return 0;
    cleanup(decref_p) json_t *json = NULL;
    int r = fetch(m, uri, &json);
    if (r)
        return r;
    if (!json)
        return schema_wrong(m, at, keyword, "leads out of the schema, and nothing is fetched: '%s'", uri);
    return walk_document(m, json, uri, ret);
}

/* ---------------------------------------------------------------- fragments */

/* Percent-decodes in place; false when it is not well formed. */
static bool percent_decode(char *s)
{
    char *out = s;
    for (; *s; s++) {
        if (*s == '%') {
            int high = hex_digit(s[1]), low = high < 0 ? -1 : hex_digit(s[2]);
            if (low < 0 || !(high | low))
                return false;
            *out++ = (char)(high << 4 | low);
            s += 2;
        } else {
            *out++ = *s;
        }
    }
    *out = '\0';
    return true;
}

/* Takes the token at *s, unescaped in place, and moves on to the next one. */
static char *next_token(char **s)
{
    char *token = *s, *out = token, *in = token;
    for (; *in && *in != '/'; in++) {
        char c = *in;
        if (c == '~' && (in[1] == '0' || in[1] == '1'))
            c = *++in == '0' ? '~' : '/';
        *out++ = c;
    }
    *s = *in ? in + 1 : NULL;
    *out = '\0';
    return token;
}

static const json_t *child_of(const json_t *json, const char *token)
{
    size_t index = 0;
    if (json_is_object(json))
        return json_object_get(json, token);
    if (!*token || strlen(token) > 9 || token[strspn(token, "0123456789")] || (*token == '0' && token[1]))
        return NULL;
    for (; *token; token++)
        index = 10 * index + (size_t)(*token - '0');
    return json_array_get(json, index);
}

/* Where a pointer leads that starts at the root of `in`; on the way the resource may change. */
static int follow(struct maker *m, const struct node *at, const char *keyword, struct resource *in, char *pointer,
                  const struct node **ret)
{
    const json_t *json = in->root->json;
    struct node *found = NULL, place = {.key = schema_text(m, pointer, strlen(pointer))};
    if (!place.key)
        return -ENOMEM;
    for (char *rest = pointer + 1; rest && json;) {
        json = child_of(json, next_token(&rest));
        found = node_find(m->schema, json);
        if (found)
            in = found->resource;
    }
    if (!json)
        return schema_wrong(m, at, keyword, "leads nowhere: '%s'", json_string_value(json_object_get(at->json, keyword)));
    int r = found ? 0 : walk_node(m, json, in, &place, &found);
    if (!r)
        *ret = found;
    return r;
}

int ref_resolve(struct maker *m, const struct node *at, const char *keyword, const char *ref, const struct node **ret,
                const char **ret_dynamic)
{
    struct resource *in;
    auto_free char *uri = NULL;
    int r = uri_resolve(at->resource->uri, ref, &uri);
    if (r)
        return r == -EFBIG ? schema_wrong(m, at, keyword, "is too long") : fault_oom(m->fault);
    char *fragment = uri + strcspn(uri, "#");
    if (*fragment)
        *fragment++ = '\0';
    r = resource_load(m, at, keyword, uri, &in);
    if (r)
        return r;
    *ret_dynamic = NULL;
    if (!percent_decode(fragment))
        return schema_wrong(m, at, keyword, "is not a URI reference: '%s'", ref);
    if (*fragment == '/')
        return follow(m, at, keyword, in, fragment, ret);
    const struct anchor *a = *fragment ? anchor_find(in, fragment) : NULL;
    if (*fragment && !a)
        return schema_wrong(m, at, keyword, "names no anchor: '%s'", ref);
    *ret = a ? a->node : in->root;
    if (a && a->dynamic)
        *ret_dynamic = a->name;
    return 0;
}

/* ---------------------------------------------------------------- vocabularies */

static const struct {
    const char *name;
    unsigned bit;
} vocabularies[] = {
    {"core", VOCAB_CORE},
    {"applicator", VOCAB_APPLICATOR},
    {"unevaluated", VOCAB_UNEVALUATED},
    {"validation", VOCAB_VALIDATION},
    {"meta-data", VOCAB_META},
    {"format-annotation", VOCAB_FORMAT},
    {"format-assertion", VOCAB_FORMAT_ASSERT},
    {"content", VOCAB_CONTENT},
};

static unsigned vocabulary_find(const char *uri)
{
    static const char prefix[] = META_URI "vocab/";
    for (size_t i = 0; i < COUNT(vocabularies); i++)
        if (!strncmp(uri, prefix, sizeof prefix - 1) && !strcmp(uri + sizeof prefix - 1, vocabularies[i].name))
            return vocabularies[i].bit;
    return 0;
}

int vocabulary_of(struct maker *m, const struct node *at, const char *uri, unsigned *ret)
{
    if (!strcmp(uri, META_URI "schema") || !strcmp(uri, META_URI "schema#")) {
        *ret = VOCAB_DEFAULT;
        return 0;
    }
    cleanup(decref_p) json_t *meta = NULL;
    int r = fetch(m, uri, &meta);
    if (r)
        return r;
    json_t *list = json_object_get(meta, "$vocabulary"), *wanted;
    const char *name;
    if (!list)
        return schema_wrong(m, at, "$schema", "names '%s'; only draft 2020-12 is known: leave it out or use its URI", uri);
    unsigned bits = 0;
    json_object_foreach(list, name, wanted) {
        unsigned bit = vocabulary_find(name);
        if (!bit && !json_is_false(wanted))
            return schema_wrong(m, at, "$schema", "needs a vocabulary that is not known: '%s'", name);
        bits |= bit;
    }
    *ret = bits | VOCAB_CORE;
    return 0;
}
