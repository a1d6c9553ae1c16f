/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact arithmetic on JSON numbers, which jansson holds as 64-bit integers or doubles. A double stands for the shortest
 * decimal that reads back as it, which is what its author wrote; so 0.0075 is a multiple of 0.0001, and 1e308 of 0.5.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "schema/schema_priv.h"

static int compare_int_real(json_int_t i, double d)
{
    if (d >= 0x1p63)
        return -1;
    if (d < -0x1p63)
        return 1;
    json_int_t whole = (json_int_t)d;
    if (i != whole)
        return i < whole ? -1 : 1;
    double rest = d - (double)whole; /* exact: both have the same leading bits */
    return (rest < 0) - (rest > 0);
}

int number_compare(const json_t *a, const json_t *b)
{
    if (json_is_integer(a) && json_is_integer(b))
        return (json_integer_value(a) > json_integer_value(b)) - (json_integer_value(a) < json_integer_value(b));
    if (json_is_integer(a))
        return compare_int_real(json_integer_value(a), json_real_value(b));
    if (json_is_integer(b))
        return -compare_int_real(json_integer_value(b), json_real_value(a));
    return (json_real_value(a) > json_real_value(b)) - (json_real_value(a) < json_real_value(b));
}

bool number_is_integer(const json_t *v)
{
    return json_is_integer(v) || trunc(json_real_value(v)) == json_real_value(v);
}

/* digits * 10^exponent, without sign. */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* Reads what printf's %e wrote; whatever the locale's point is, it is no digit. */
static struct decimal decimal_read(const char *text)
{
    struct decimal d = {0};
    bool point = false;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9') {
            point = true;
            continue;
        }
        d.digits = 10 * d.digits + (uint64_t)(*text - '0');
        d.exponent -= point;
    }
    d.exponent += *text ? (int)strtol(text + 1, NULL, 10) : 0;
    return d;
}

static struct decimal decimal_of(const json_t *v)
{
    char text[64];
    if (json_is_integer(v)) {
        json_int_t i = json_integer_value(v);
        return (struct decimal){i < 0 ? 0 - (uint64_t)i : (uint64_t)i, 0};
    }
    double d = fabs(json_real_value(v));
    for (int places = 14; places <= 16; places++) { /* 15 digits always survive, 17 always suffice */
        (void)snprintf(text, sizeof text, "%.*e", places, d);
        if (strtod(text, NULL) == d)
            break;
    }
    return decimal_read(text);
}

static uint64_t power_mod(int exponent, uint64_t mod)
{
    unsigned __int128 result = 1 % mod, base = 10 % mod;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = result * base % mod;
        base = base * base % mod;
    }
    return (uint64_t)result;
}

bool number_multiple(const json_t *v, const json_t *divisor)
{
    struct decimal a = decimal_of(v), b = decimal_of(divisor);
    assert(b.digits); /* a schema with another was refused */
    int shift = a.exponent - b.exponent;
    if (!a.digits)
        return true;
    if (shift >= 0)
        return (unsigned __int128)(a.digits % b.digits) * power_mod(shift, b.digits) % b.digits == 0;
    unsigned __int128 whole = b.digits;
    for (; shift < 0 && whole <= a.digits; shift++)
        whole *= 10;
    return whole <= a.digits && a.digits % whole == 0;
}
