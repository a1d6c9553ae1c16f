/* SPDX-License-Identifier: Apache-2.0 */
/* What a call costs, in whole nano-dollars. Pure arithmetic; a price that is not known stays not known, never 0. */
#ifndef FOVEA_MONEY_H
#define FOVEA_MONEY_H

#include <stdint.h>

struct model;

enum {
    MODEL_TIERS = 2,
    MONEY_TEXT = 32, /* room for any amount in words, NUL included */
};
#define MONEY_UNKNOWN ((int64_t)-1)

/* Millionths of a dollar a million tokens; below 0 not known. */
struct price {
    int64_t input, output, cache_read, cache_write;
};

struct price_tier {
    int64_t above; /* input tokens, those of the cache included */
    struct price price;
};

/* Tokens of one call. The four do not overlap: input is what was neither read from a cache nor written to one. */
struct usage {
    int64_t input, cache_read, cache_write, output;
};

/*
 * The cost in nano-dollars, to the nearest. What the provider reported (nano-dollars; below 0 nothing) wins. Otherwise by
 * the row: a request with more input tokens than a tier's threshold has that tier's price as a whole. MONEY_UNKNOWN
 * without a row, where a rate that is needed is not known, for tokens below 0, and past int64_t.
 */
int64_t money_cost(const struct model *model, const struct usage *usage, int64_t reported);

/* The sum; not known as soon as one of the two is not, or past int64_t. */
int64_t money_add(int64_t a, int64_t b);

/* Nano-dollars as dollars, with up to nine decimals and no zeros at their end: "0.0034"; "null" when not known. */
void money_text(int64_t nano, char ret[static MONEY_TEXT]);

/* "12.5" → millionths. Digits, a point and at most six decimals; -EINVAL for anything else. */
int money_parse_micro(const char *text, int64_t *ret);

#endif
