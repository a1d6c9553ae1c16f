/* SPDX-License-Identifier: Apache-2.0 */
/* Keywords about arrays. */
#include "schema/schema_priv.h"

int check_max_items(struct check *c, const struct frame *f, const struct rule *r)
{
    if (!json_is_array(f->value) || json_array_size(f->value) <= r->low)
        return 0;
    return check_fail(c, f, r->keyword->name, "must have at most %ju items", (uintmax_t)r->low);
}

int check_min_items(struct check *c, const struct frame *f, const struct rule *r)
{
    if (!json_is_array(f->value) || json_array_size(f->value) >= r->low)
        return 0;
    return check_fail(c, f, r->keyword->name, "must have at least %ju items", (uintmax_t)r->low);
}

int check_unique_items(struct check *c, const struct frame *f, const struct rule *r)
{
    size_t pair[2];
    if (!json_is_array(f->value) || !json_is_true(r->value))
        return 0;
    int unique = values_unique(c, f->value, pair);
    if (unique)
        return unique < 0 ? unique : 0;
    return check_fail(c, f, r->keyword->name, "items %zu and %zu are equal", pair[0], pair[1]);
}

static void mark(const struct frame *f, size_t index)
{
    if (f->marks)
        f->marks[index] = 1;
}

int check_prefix_items(struct check *c, const struct frame *f, const struct rule *r)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < r->count && i < json_array_size(f->value); i++) {
        failed = apply_item(c, f, r, r->nodes[i], i);
        mark(f, i);
    }
    return failed;
}

int check_items(struct check *c, const struct frame *f, const struct rule *r)
{
    int failed = 0;
    for (size_t i = r->low; !failed && i < json_array_size(f->value); i++) {
        failed = apply_item(c, f, r, r->node, i);
        mark(f, i);
    }
    return failed;
}

int check_unevaluated_items(struct check *c, const struct frame *f, const struct rule *r)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < json_array_size(f->value); i++) {
        if (f->marks[i])
            continue;
        failed = apply_item(c, f, r, r->node, i);
        mark(f, i);
    }
    return failed;
}

/* Goes on to the end only if somebody wants the marks or the number may become too high. */
int check_contains(struct check *c, const struct frame *f, const struct rule *r)
{
    uint64_t found = 0;
    if (!json_is_array(f->value))
        return 0;
    c->quiet++;
    int failed = 0;
    for (size_t i = 0; failed >= 0 && i < json_array_size(f->value); i++) {
        if (!f->marks && found >= r->low && r->high == UINT64_MAX)
            break;
        failed = apply_item(c, f, r, r->node, i);
        if (!failed) {
            mark(f, i);
            found++;
        }
    }
    c->quiet--;
    if (failed < 0)
        return failed;
    if (found < r->low)
        return check_fail(c, f, r->low == 1 ? "contains" : "minContains", "%ju items fit, at least %ju must",
                          (uintmax_t)found, (uintmax_t)r->low);
    if (found > r->high)
        return check_fail(c, f, "maxContains", "%ju items fit, at most %ju may", (uintmax_t)found, (uintmax_t)r->high);
    return 0;
}
