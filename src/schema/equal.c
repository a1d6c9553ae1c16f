/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equality as JSON Schema has it: numbers by value (1 is 1.0), objects without order. Uniqueness sorts items by a hash
 * that respects it and compares only those with the same one. Both count their steps.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "schema/schema_priv.h"

static int equal(struct check *c, const json_t *a, const json_t *b, unsigned depth);

static int equal_arrays(struct check *c, const json_t *a, const json_t *b, unsigned depth)
{
    int same = json_array_size(a) == json_array_size(b);
    for (size_t i = 0; same > 0 && i < json_array_size(a); i++)
        same = equal(c, json_array_get(a, i), json_array_get(b, i), depth + 1);
    return same;
}

static int equal_objects(struct check *c, const json_t *a, const json_t *b, unsigned depth)
{
    const char *key;
    size_t len;
    json_t *v;
    int same = json_object_size(a) == json_object_size(b);
    if (!same)
        return 0;
    json_object_keylen_foreach((json_t *)a, key, len, v) {
        const json_t *other = json_object_getn(b, key, len);
        same = other ? equal(c, v, other, depth + 1) : 0;
        if (same <= 0)
            break;
    }
    return same;
}

static int equal_strings(struct check *c, const json_t *a, const json_t *b)
{
    size_t len = json_string_length(a);
    if (len != json_string_length(b))
        return 0;
    int r = check_steps(c, len / 256);
    return r ? r : !memcmp(json_string_value(a), json_string_value(b), len);
}

static int equal(struct check *c, const json_t *a, const json_t *b, unsigned depth)
{
    if (depth > LIMIT_SCHEMA_CHECK_DEPTH)
        return -ELOOP;
    int r = check_steps(c, 1);
    if (r)
        return r;
    if (json_is_number(a) && json_is_number(b))
        return !number_compare(a, b);
    if (json_typeof(a) != json_typeof(b))
        return 0;
    if (json_is_array(a))
        return equal_arrays(c, a, b, depth);
    if (json_is_object(a))
        return equal_objects(c, a, b, depth);
    return json_is_string(a) ? equal_strings(c, a, b) : 1;
}

int values_equal(struct check *c, const json_t *a, const json_t *b)
{
    return equal(c, a, b, 0);
}

/* ---------------------------------------------------------------- hashes */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0xff51afd7ed558ccdu;
    return h ^ (h >> 32);
}

static uint64_t hash_bytes(const char *s, size_t len)
{
    uint64_t h = 0xcbf29ce484222325u ^ len;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)s[i]) * 0x100000001b3u;
    return mix(h, len);
}

static uint64_t hash_number(const json_t *v)
{
    double d = json_is_real(v) ? json_real_value(v) : 0;
    uint64_t bits;
    if (json_is_integer(v))
        return mix(1, (uint64_t)json_integer_value(v));
    /* cppcheck-suppress incorrectLogicOperator ; it does not read hexadecimal exponents */
    if (trunc(d) == d && d >= -0x1p63 && d < 0x1p63)
        return mix(1, (uint64_t)(json_int_t)d);
    memcpy(&bits, &d, sizeof bits);
    return mix(2, bits);
}

static int hash(struct check *c, const json_t *v, unsigned depth, uint64_t *ret);

static int hash_children(struct check *c, const json_t *v, unsigned depth, uint64_t *ret)
{
    uint64_t h = (uint64_t)json_typeof(v), one = 0;
    const char *key;
    size_t len, i;
    json_t *child;
    int r = 0;
    json_array_foreach(v, i, child) {
        r = hash(c, child, depth + 1, &one);
        h = mix(h, one);
        if (r)
            return r;
    }
    json_object_keylen_foreach((json_t *)v, key, len, child) {
        r = hash(c, child, depth + 1, &one);
        h += mix(hash_bytes(key, len), one); /* a sum: order does not matter */
        if (r)
            return r;
    }
    *ret = h;
    return 0;
}

static int hash(struct check *c, const json_t *v, unsigned depth, uint64_t *ret)
{
    if (depth > LIMIT_SCHEMA_CHECK_DEPTH)
        return -ELOOP;
    int r = check_steps(c, 1 + json_string_length(v) / 64);
    if (r)
        return r;
    if (json_is_array(v) || json_is_object(v))
        return hash_children(c, v, depth, ret);
    if (json_is_number(v))
        *ret = hash_number(v);
    else if (json_is_string(v))
        *ret = hash_bytes(json_string_value(v), json_string_length(v));
    else
        *ret = 100 + (uint64_t)json_typeof(v);
    return 0;
}

/* ---------------------------------------------------------------- uniqueness */

struct entry {
    uint64_t hash;
    size_t index;
};

static int by_hash(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = (x->hash > y->hash) - (x->hash < y->hash);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Whether the i-th entry equals one before it with the same hash. */
static int seen_before(struct check *c, const json_t *array, const struct entry *e, size_t i, size_t ret_pair[2])
{
    int same = 0;
    for (size_t k = i; !same && k-- && e[k].hash == e[i].hash;) {
        same = equal(c, json_array_get(array, e[k].index), json_array_get(array, e[i].index), 0);
        ret_pair[0] = e[k].index;
        ret_pair[1] = e[i].index;
    }
    return same;
}

int values_unique(struct check *c, const json_t *array, size_t ret_pair[2])
{
    size_t n = json_array_size(array);
    int r = check_steps(c, n);
    if (r)
        return r;
    auto_free struct entry *e = calloc(n + 1, sizeof *e);
    if (!e)
        return -ENOMEM;
    for (size_t i = 0; !r && i < n; i++) {
        e[i].index = i;
        r = hash(c, json_array_get(array, i), 0, &e[i].hash);
    }
    if (r)
        return r;
    qsort(e, n, sizeof *e, by_hash);
    for (size_t i = 1; !r && i < n; i++)
        r = seen_before(c, array, e, i, ret_pair);
    return r < 0 ? r : !r;
}
