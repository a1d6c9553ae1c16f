/* SPDX-License-Identifier: Apache-2.0 */
/* Keywords that put other schemas over the same value: references and logic. */
#include "schema/schema_priv.h"

int check_ref(struct check *c, const struct frame *f, const struct rule *r)
{
    return apply(c, f, r, r->node);
}

/* The outermost resource on the way here that has the dynamic anchor wins. */
int check_dynamic_ref(struct check *c, const struct frame *f, const struct rule *r)
{
    const struct node *target = r->node;
    for (const struct scope *s = f->scope; r->anchor && s; s = s->up) {
        const struct anchor *a = anchor_find(s->resource, r->anchor);
        if (a && a->dynamic)
            target = a->node;
        int failed = check_steps(c, 1);
        if (failed)
            return failed;
    }
    return apply(c, f, r, target);
}

int check_all_of(struct check *c, const struct frame *f, const struct rule *r)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < r->count; i++)
        failed = apply(c, f, r, r->nodes[i]);
    return failed;
}

/* How many fit, up to most; all are looked at when somebody wants their marks. */
static int count_fits(struct check *c, const struct frame *f, const struct rule *r, size_t most, size_t *ret)
{
    *ret = 0;
    for (size_t i = 0; i < r->count && (f->marks || *ret < most); i++) {
        int result = apply_apart(c, f, r, r->nodes[i]);
        if (result < 0)
            return result;
        *ret += !result;
    }
    return 0;
}

int check_any_of(struct check *c, const struct frame *f, const struct rule *r)
{
    size_t fits;
    int failed = count_fits(c, f, r, 1, &fits);
    if (failed || fits)
        return failed;
    return check_fail(c, f, r->keyword->name, "fits none of the %zu schemas", r->count);
}

int check_one_of(struct check *c, const struct frame *f, const struct rule *r)
{
    size_t fits;
    int failed = count_fits(c, f, r, 2, &fits);
    if (failed || fits == 1)
        return failed;
    return check_fail(c, f, r->keyword->name, fits ? "fits more than one of the %zu schemas" : "fits none of the %zu schemas",
                      r->count);
}

int check_not(struct check *c, const struct frame *f, const struct rule *r)
{
    struct frame inner = *f;
    inner.marks = NULL; /* what fits here makes the value wrong, so nothing is ever handed on */
    int result = apply_apart(c, &inner, r, r->node);
    if (result)
        return result < 0 ? result : 0;
    return check_fail(c, f, r->keyword->name, "fits the schema that it must not fit");
}

int check_if(struct check *c, const struct frame *f, const struct rule *r)
{
    if (!r->then && !r->otherwise && !f->marks)
        return 0;
    int result = apply_apart(c, f, r, r->node);
    if (result < 0)
        return result;
    const struct node *next = result ? r->otherwise : r->then;
    return next ? apply(c, f, r, next) : 0;
}
