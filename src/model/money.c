/* SPDX-License-Identifier: Apache-2.0 */
/* Prices times tokens. Rates are kept as millionths of a dollar a million tokens, which is a millionth of a millionth of
 * a dollar a token: whole for every price that vendors publish, so sums are exact and rounded once, at the end. */
#include "model/money.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/models.h"

enum { PICO_PER_NANO = 1000, MICRO_DIGITS = 6 };
static const int64_t nano_per_dollar = 1000000000;

/* The price of the whole request: that of the highest threshold which its input passes. */
static const struct price *price_for(const struct model *model, int64_t input)
{
    const struct price *price = &model->price;
    for (size_t i = 0; i < MODEL_TIERS && model->tiers[i].above > 0; i++)
        if (input > model->tiers[i].above)
            price = &model->tiers[i].price;
    return price;
}

int64_t money_cost(const struct model *model, const struct usage *u, int64_t reported)
{
    int64_t input, pico = 0;
    if (reported >= 0)
        return reported;
    if (!model || u->input < 0 || u->cache_read < 0 || u->cache_write < 0 || u->output < 0 ||
        __builtin_add_overflow(u->input, u->cache_read, &input) || __builtin_add_overflow(input, u->cache_write, &input))
        return MONEY_UNKNOWN;
    const struct price *p = price_for(model, input);
    if (p->input < 0 || p->output < 0)
        return MONEY_UNKNOWN; /* even of no tokens: nothing says that they were free */
    const int64_t parts[][2] = {
        {u->input, p->input}, {u->output, p->output}, {u->cache_read, p->cache_read}, {u->cache_write, p->cache_write}};
    for (size_t i = 0; i < COUNT(parts); i++) {
        int64_t part;
        if (!parts[i][0])
            continue;
        if (parts[i][1] < 0 || __builtin_mul_overflow(parts[i][0], parts[i][1], &part) ||
            __builtin_add_overflow(pico, part, &pico))
            return MONEY_UNKNOWN;
    }
    return pico / PICO_PER_NANO + (pico % PICO_PER_NANO >= PICO_PER_NANO / 2);
}

int64_t money_add(int64_t a, int64_t b)
{
    int64_t sum;
    return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? MONEY_UNKNOWN : sum;
}

void money_text(int64_t nano, char ret[static MONEY_TEXT])
{
    if (nano < 0) {
        (void)snprintf(ret, MONEY_TEXT, "null");
        return;
    }
    int len = snprintf(ret, MONEY_TEXT, "%lld.%09lld", (long long)(nano / nano_per_dollar),
                       (long long)(nano % nano_per_dollar));
    while (ret[len - 1] == '0')
        ret[--len] = 0;
    if (ret[len - 1] == '.')
        ret[--len] = 0;
}

int money_parse_micro(const char *text, int64_t *ret)
{
    int64_t n = 0;
    int decimals = -1;
    for (const char *c = text; *c; c++) {
        if (*c == '.' && decimals < 0 && c != text && c[1]) {
            decimals = 0;
            continue;
        }
        if (*c < '0' || *c > '9' || decimals == MICRO_DIGITS || __builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, *c - '0', &n))
            return -EINVAL;
        decimals += decimals >= 0;
    }
    for (decimals = MAX(decimals, 0); decimals < MICRO_DIGITS; decimals++)
        if (__builtin_mul_overflow(n, 10, &n))
            return -EINVAL;
    if (!*text)
        return -EINVAL;
    *ret = n;
    return 0;
}
