/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a schema: the document is copied and walked into nodes, then each node is compiled; a reference may bring in
 * further nodes or documents, which wait at the end of the same list. The loop ends because all of them are counted.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/limits.h"
#include "base/text.h"
#include "schema/schema_priv.h"

struct block {
    struct block *next;
    max_align_t data[];
};

void *schema_alloc(struct maker *m, size_t count, size_t size)
{
    size_t bytes;
    struct block *b = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) && !__builtin_add_overflow(bytes, sizeof *b, &bytes))
        b = calloc(1, bytes);
    if (!b) {
        (void)fault_oom(m->fault);
        return NULL;
    }
    b->next = m->schema->blocks;
    m->schema->blocks = b;
    return b->data;
}

char *schema_text(struct maker *m, const char *s, size_t len)
{
    char *copy = schema_alloc(m, len + 1, 1);
    if (copy)
        memcpy(copy, s, len);
    return copy;
}

static void add_token(struct buf *b, const char *s)
{
    (void)buf_add_str(b, "/");
    for (; *s; s++) {
        if (*s == '~' || *s == '/')
            (void)buf_add_str(b, *s == '~' ? "~0" : "~1");
        else
            (void)buf_add(b, s, 1);
    }
}

/* A node's place as a JSON pointer. */
static void add_place(struct buf *b, const struct node *n)
{
    if (!n || !n->keyword) {
        (void)buf_add_str(b, n && n->key ? n->key : "");
        return;
    }
    add_place(b, n->parent); /* as deep as the document, which is bounded */
    add_token(b, n->keyword);
    if (n->key)
        add_token(b, n->key);
    else if (n->index)
        (void)buf_add_format(b, "/%zu", n->index - 1);
}

int schema_wrong(struct maker *m, const struct node *n, const char *keyword, const char *format, ...)
{
    char words[160];
    auto_buf place = BUF_INIT(64 * KIB), text = BUF_INIT(4 * KIB);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(words, sizeof words, format, args);
    va_end(args);

    add_place(&place, n);
    (void)buf_add_format(&text, "schema keyword \"%s\" at \"", keyword);
    (void)buf_add_shown(&text, place.data ? place.data : "", 100);
    (void)buf_add_str(&text, "\" ");
    (void)buf_add_shown(&text, words, 140);
    if (text.error)
        return fault_oom(m->fault);
    return fault_set(m->fault, EINVAL, "%s", text.data);
}

static int compile_all(struct maker *m)
{
    int r = 0;
    for (size_t i = 0; !r && i < m->schema->count; i++)
        r = node_compile(m, m->schema->nodes[i]);
    return r;
}

static void schema_free_p(struct schema **s)
{
    schema_free(*s);
}

int schema_new(const json_t *document, const struct schema_options *options, struct schema **ret,
               struct fovea_fault *fault)
{
    static const struct schema_options none;
    cleanup(schema_free_p) struct schema *s = calloc(1, sizeof *s);
    if (!s)
        return fault_oom(fault);
    s->yes.json = json_true();
    s->no.json = json_false();

    struct maker m = {.schema = s, .options = options ? options : &none, .fault = fault};
    struct resource *main = NULL;
    int r = walk_document(&m, document, "", &main);
    if (!r)
        r = compile_all(&m);
    if (r)
        return r;
    s->root = main->root;
    *ret = take(s);
    return 0;
}

static void free_patterns(struct pattern *p)
{
    while (p)
        p = pattern_next_free(p);
}

void schema_free(struct schema *s)
{
    if (!s)
        return;
    for (struct document *d = s->documents; d; d = d->next)
        json_decref(d->json);
    free_patterns(s->patterns);
    for (struct block *b = s->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(s->table);
    free(s->nodes);
    free(s);
}
