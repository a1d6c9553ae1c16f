/* SPDX-License-Identifier: Apache-2.0 */
/* Keywords about one value: its type, what it equals, numbers and strings. Each passes over what it is not about. */
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "schema/schema_priv.h"

/* A value of the schema, to be named in an error. */
static struct shown value_text(struct check *c, const json_t *v)
{
    auto_free char *text = json_text_new(v, JSON_COMPACT | JSON_ENCODE_ANY);
    return show(c, text);
}

static const char *type_of(const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT: return "object";
    case JSON_ARRAY: return "array";
    case JSON_STRING: return "string";
    case JSON_INTEGER: return "integer";
    case JSON_REAL: return number_is_integer(v) ? "integer" : "number";
    case JSON_TRUE:
    case JSON_FALSE: return "boolean";
    case JSON_NULL: break;
    }
    return "null";
}

static bool type_fits(const json_t *wanted, const char *type)
{
    const char *name = json_string_value(wanted);
    return !strcmp(name, type) || (!strcmp(name, "number") && !strcmp(type, "integer"));
}

int check_type(struct check *c, const struct frame *f, const struct rule *r)
{
    const char *type = type_of(f->value);
    if (json_is_string(r->value))
        return type_fits(r->value, type) ? 0 : check_fail(c, f, r->keyword->name, "must be of type %s, is %s",
                                                          json_string_value(r->value), type);
    for (size_t i = 0; i < json_array_size(r->value); i++)
        if (type_fits(json_array_get(r->value, i), type))
            return 0;
    return c->quiet ? 1 : check_fail(c, f, r->keyword->name, "must be of one of the types %s, is %s",
                                     value_text(c, r->value).text, type);
}

int check_const(struct check *c, const struct frame *f, const struct rule *r)
{
    int equal = values_equal(c, r->value, f->value);
    if (equal || c->quiet)
        return equal < 0 ? equal : !equal;
    return check_fail(c, f, r->keyword->name, "must be %s", value_text(c, r->value).text);
}

int check_enum(struct check *c, const struct frame *f, const struct rule *r)
{
    int equal = 0;
    for (size_t i = 0; !equal && i < json_array_size(r->value); i++)
        equal = values_equal(c, json_array_get(r->value, i), f->value);
    if (equal || c->quiet)
        return equal < 0 ? equal : !equal;
    return check_fail(c, f, r->keyword->name, "must be one of %s", value_text(c, r->value).text);
}

/* ---------------------------------------------------------------- numbers */

static struct shown number_text(struct check *c, const json_t *v)
{
    auto_buf b = BUF_INIT(64);
    if (json_is_integer(v))
        (void)buf_add_format(&b, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    else
        (void)buf_add_rounded(&b, json_real_value(v), REAL_SURE_DIGITS);
    return show(c, b.error ? NULL : b.data);
}

int check_multiple_of(struct check *c, const struct frame *f, const struct rule *r)
{
    if (!json_is_number(f->value) || number_multiple(f->value, r->value))
        return 0;
    return check_fail(c, f, r->keyword->name, "must be a multiple of %s", number_text(c, r->value).text);
}

static int bound(struct check *c, const struct frame *f, const struct rule *r, bool good, const char *words)
{
    return good ? 0 : check_fail(c, f, r->keyword->name, "must be %s %s", words, number_text(c, r->value).text);
}

int check_maximum(struct check *c, const struct frame *f, const struct rule *r)
{
    return bound(c, f, r, !json_is_number(f->value) || number_compare(f->value, r->value) <= 0, "at most");
}

int check_exclusive_maximum(struct check *c, const struct frame *f, const struct rule *r)
{
    return bound(c, f, r, !json_is_number(f->value) || number_compare(f->value, r->value) < 0, "below");
}

int check_minimum(struct check *c, const struct frame *f, const struct rule *r)
{
    return bound(c, f, r, !json_is_number(f->value) || number_compare(f->value, r->value) >= 0, "at least");
}

int check_exclusive_minimum(struct check *c, const struct frame *f, const struct rule *r)
{
    return bound(c, f, r, !json_is_number(f->value) || number_compare(f->value, r->value) > 0, "above");
}

/* ---------------------------------------------------------------- strings */

/* In characters: every byte that does not continue one. */
static uint64_t length_of(const json_t *v)
{
    const char *s = json_string_value(v);
    uint64_t n = 0;
    for (size_t i = 0; i < json_string_length(v); i++)
        n += (s[i] & 0xc0) != 0x80;
    return n;
}

static int check_length(struct check *c, const struct frame *f, uint64_t *ret)
{
    int r = check_steps(c, json_string_length(f->value) / 64);
    if (!r)
        *ret = length_of(f->value);
    return r;
}

int check_max_length(struct check *c, const struct frame *f, const struct rule *r)
{
    uint64_t length = 0;
    int failed = json_is_string(f->value) ? check_length(c, f, &length) : 0;
    if (failed || length <= r->low)
        return failed;
    return check_fail(c, f, r->keyword->name, "must have at most %ju characters", (uintmax_t)r->low);
}

int check_min_length(struct check *c, const struct frame *f, const struct rule *r)
{
    uint64_t length = UINT64_MAX;
    int failed = json_is_string(f->value) ? check_length(c, f, &length) : 0;
    if (failed || length >= r->low)
        return failed;
    return check_fail(c, f, r->keyword->name, "must have at least %ju characters", (uintmax_t)r->low);
}

int check_pattern(struct check *c, const struct frame *f, const struct rule *r)
{
    if (!json_is_string(f->value))
        return 0;
    int match = pattern_match(c, r->patterns[0], json_string_value(f->value), json_string_length(f->value));
    if (match || c->quiet)
        return match < 0 ? match : !match;
    return check_fail(c, f, r->keyword->name, "does not match the pattern %s", show(c, json_string_value(r->value)).text);
}

int check_format(struct check *c, const struct frame *f, const struct rule *r)
{
    if (!r->format || !json_is_string(f->value))
        return 0;
    int failed = check_steps(c, r->low + json_string_length(f->value) / 16);
    if (failed || r->format(json_string_value(f->value), json_string_length(f->value)))
        return failed;
    if (c->quiet)
        return 1;
    return check_fail(c, f, r->keyword->name, "is not a valid %s", show(c, json_string_value(r->value)).text);
}
