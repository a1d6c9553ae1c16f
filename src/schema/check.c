/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check: a node's rules over a value, with the instance's place, the dynamic scope and the marks of what was
 * evaluated. Depth and steps are counted here, so that no schema can run for ever or eat the stack.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "schema/schema_priv.h"

int check_steps(struct check *c, uint64_t steps)
{
    if (steps > c->steps)
        return -E2BIG;
    c->steps -= steps;
    return 0;
}

/* ---------------------------------------------------------------- errors */

static void add_pointer(struct buf *b, const struct place *p)
{
    if (!p)
        return;
    add_pointer(b, p->up); /* as deep as the check, which is bounded */
    if (!p->key) {
        (void)buf_add_format(b, "/%zu", p->index);
        return;
    }
    (void)buf_add_str(b, "/");
    for (size_t i = 0; i < p->len; i++) {
        if (p->key[i] == '~' || p->key[i] == '/')
            (void)buf_add_str(b, p->key[i] == '~' ? "~0" : "~1");
        else
            (void)buf_add(b, p->key + i, 1);
    }
}

/* As much of s as fits, without half a character at the end. */
static void copy_text(char *out, size_t room, const char *s, size_t len)
{
    if (len >= room)
        len = utf8_valid_prefix(s, room - 1);
    memcpy(out, s, len);
    out[len] = '\0';
}

struct shown show(struct check *c, const char *s)
{
    struct shown out = {0};
    auto_buf b = BUF_INIT(4 * KIB);
    c->no_memory |= !s || buf_add_shown(&b, s, 120) == -ENOMEM;
    copy_text(out.text, sizeof out.text, b.data ? b.data : "", b.len);
    return out;
}

static void write_error(struct check *c, const struct place *place, const char *keyword, const char *words)
{
    struct schema_error *e = c->error;
    auto_buf b = BUF_INIT(64 * KIB);
    add_pointer(&b, place); /* of one that does not fit, its start */
    c->no_memory |= b.error == -ENOMEM;
    copy_text(e->pointer, sizeof e->pointer, b.data ? b.data : "", b.len);
    copy_text(e->keyword, sizeof e->keyword, keyword, strlen(keyword));
    copy_text(e->text, sizeof e->text, words, strlen(words));
}

int check_fail(struct check *c, const struct frame *f, const char *keyword, const char *format, ...)
{
    if (c->quiet)
        return 1;
    char words[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(words, sizeof words, format, args);
    va_end(args);
    write_error(c, f->place, keyword, words);
    return 1;
}

/* ---------------------------------------------------------------- a node over a value */

static size_t size_of(const json_t *v)
{
    return json_is_array(v) ? json_array_size(v) : json_object_size(v);
}

static int run_rules(struct check *c, const struct frame *f)
{
    const struct node *n = f->node;
    int r = 0;
    for (size_t i = 0; !r && i < n->count; i++)
        r = n->rules[i].keyword->check(c, f, &n->rules[i]);
    return r;
}

static void merge(uint8_t *into, const uint8_t *marks, size_t n)
{
    for (size_t i = 0; into && i < n; i++)
        into[i] |= marks[i];
}

/* With marks of its own, handed on when the value is valid. */
static int run_marked(struct check *c, struct frame *f)
{
    size_t n = size_of(f->value);
    uint8_t *outer = f->marks;
    if (check_steps(c, n / 16))
        return -E2BIG;
    auto_free uint8_t *own = calloc(n + 1, 1);
    if (!own)
        return -ENOMEM;
    f->marks = own;
    int r = run_rules(c, f);
    if (!r)
        merge(outer, own, n);
    return r;
}

static int run(struct check *c, struct frame *f, const struct rule *by, bool apart)
{
    const struct node *n = f->node;
    const struct scope *outer = f->scope;
    struct scope scope = {outer, n->resource};
    if (check_steps(c, 1))
        return -E2BIG;
    if (json_is_true(n->json))
        return 0;
    if (json_is_false(n->json))
        return check_fail(c, f, by ? by->keyword->name : "false", "nothing is allowed here");
    if (c->depth >= LIMIT_SCHEMA_CHECK_DEPTH)
        return -ELOOP;
    if (!outer || outer->resource != n->resource)
        f->scope = &scope; /* cppcheck-suppress autoVariables ; it is taken back below */
    c->depth++;
    int r = n->tracks || (apart && f->marks) ? run_marked(c, f) : run_rules(c, f);
    c->depth--;
    f->scope = outer;
    return r;
}

int apply(struct check *c, const struct frame *f, const struct rule *r, const struct node *n)
{
    struct frame inner = *f;
    inner.node = n;
    return run(c, &inner, r, false);
}

int apply_apart(struct check *c, const struct frame *f, const struct rule *r, const struct node *n)
{
    struct frame inner = *f;
    inner.node = n;
    c->quiet++;
    int result = run(c, &inner, r, true);
    c->quiet--;
    return result;
}

int apply_member(struct check *c, const struct frame *f, const struct rule *r, const struct node *n, const char *key,
                 size_t len, const json_t *value)
{
    struct place place = {.up = f->place, .key = key, .len = len};
    struct frame inner = {.node = n, .value = value, .place = &place, .scope = f->scope};
    return run(c, &inner, r, false);
}

int apply_item(struct check *c, const struct frame *f, const struct rule *r, const struct node *n, size_t index)
{
    struct place place = {.up = f->place, .index = index};
    struct frame inner = {.node = n, .value = json_array_get(f->value, index), .place = &place, .scope = f->scope};
    return run(c, &inner, r, false);
}

int schema_check(const struct schema *s, const json_t *instance, struct schema_error *ret_error)
{
    struct schema_error error = {0};
    struct check c = {.schema = s, .error = &error, .steps = LIMIT_SCHEMA_STEPS};
    struct frame f = {.node = s->root, .value = instance};
    int r = run(&c, &f, NULL, false);
    matcher_free(c.matcher);
    if (r == 1 && c.no_memory)
        return -ENOMEM;
    if (r == 1 && ret_error)
        *ret_error = error;
    return r;
}
