/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deflate's codes as tables, see inflate.h: each code fills every place of the table that begins with it, so that one
 * look tells symbol and length. What no code begins with stays CODE_SPECIAL.
 */
#include <string.h>

#include "base/cleanup.h"
#include "inflate.h"

enum { LONGEST = 15, END_OF_BLOCK = 256 };

/* A table in the making. */
struct table {
    uint32_t *at;
    unsigned bits, used, room;
    uint16_t left[LONGEST + 1]; /* codes of each length that are still to come */
    unsigned part, part_bits, prefix;
};

static uint32_t literal_or_length(unsigned symbol)
{
    static const uint16_t base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    if (symbol < END_OF_BLOCK)
        return symbol << 16 | CODE_LITERAL;
    unsigned i = symbol - END_OF_BLOCK - 1;
    if (symbol == END_OF_BLOCK)
        return CODE_SPECIAL | CODE_END;
    return i < COUNT(base) ? (uint32_t)base[i] << 16 | extra[i] : CODE_SPECIAL;
}

static uint32_t distance(unsigned symbol)
{
    if (symbol >= 30)
        return CODE_SPECIAL;
    unsigned extra = symbol < 4 ? 0 : symbol / 2 - 1;
    unsigned base = symbol < 4 ? symbol + 1 : ((2 + symbol % 2) << extra) + 1;
    return base << 16 | extra;
}

static uint32_t plain(unsigned symbol)
{
    return symbol << 16 | CODE_LITERAL;
}

static unsigned reversed(unsigned code, unsigned length)
{
    unsigned r = 0;
    for (unsigned i = 0; i < length; i++)
        r |= (code >> i & 1) << (length - 1 - i);
    return r;
}

/* A new part for the codes that begin with prefix: as wide as the longest of them, which are the next to come. */
static bool open_part(struct table *t, unsigned prefix, unsigned length)
{
    unsigned bits = length - t->bits;
    for (unsigned full = t->left[length]; full < 1u << bits && t->bits + bits < LONGEST;)
        full = full * 2 + t->left[t->bits + ++bits];
    if (t->used + (1u << bits) > t->room)
        return false;
    t->at[prefix] = CODE_SPECIAL | CODE_PART | bits << 8 | t->used << 16;
    t->part = t->used;
    t->part_bits = bits;
    t->prefix = prefix;
    t->used += 1u << bits;
    return true;
}

static bool place(struct table *t, uint32_t entry, unsigned code, unsigned length)
{
    unsigned r = reversed(code, length), prefix = r & ((1u << t->bits) - 1);
    entry += length | length << 8;
    if (length <= t->bits) {
        for (unsigned i = r; i < 1u << t->bits; i += 1u << length)
            t->at[i] = entry;
        return true;
    }
    if (prefix != t->prefix && !open_part(t, prefix, length))
        return false;
    for (unsigned i = r >> t->bits; i < 1u << t->part_bits; i += 1u << (length - t->bits))
        t->at[t->part + i] = entry;
    return true;
}

/* No more codes than there is room for, and no fewer; but a single one of one bit, or none, may stand alone. */
static bool sound(const uint16_t count[LONGEST + 1], unsigned codes)
{
    int room = 1;
    for (unsigned length = 1; length <= LONGEST && room >= 0; length++)
        room = room * 2 - count[length];
    return !room || (room > 0 && (!codes || (codes == 1 && count[1])));
}

/* Symbols that have a code, by its length, then by value. */
static void sort(const uint16_t count[LONGEST + 1], const uint8_t *lengths, unsigned n, uint16_t *sorted)
{
    uint16_t at[LONGEST + 2] = {0};
    for (unsigned length = 1; length <= LONGEST; length++)
        at[length + 1] = (uint16_t)(at[length] + count[length]);
    for (unsigned i = 0; i < n; i++)
        if (lengths[i])
            sorted[at[lengths[i]]++] = (uint16_t)i;
}

static bool build(struct table *t, const uint8_t *lengths, unsigned n, uint32_t (*entry)(unsigned symbol))
{
    uint16_t sorted[LENGTH_CODES];
    for (unsigned i = 0; i < n; i++)
        t->left[lengths[i]]++;
    unsigned codes = n - t->left[0], code = 0;
    t->left[0] = 0;
    if (!sound(t->left, codes))
        return false;
    sort(t->left, lengths, n, sorted);
    t->used = 1u << t->bits;
    t->prefix = t->used; /* of no part */
    for (unsigned i = 0; i < t->used; i++)
        t->at[i] = CODE_SPECIAL;
    const uint16_t *symbol = sorted;
    for (unsigned length = 1; length <= LONGEST; length++, code <<= 1)
        for (; t->left[length]; t->left[length]--)
            if (!place(t, entry(*symbol++), code++, length))
                return false;
    return true;
}

/* Two literals whose codes fit one place become one entry: photos are mostly that. From the end, because what follows a
 * code is found at a smaller place, where it still stands alone. */
static void pair_literals(uint32_t table[INFLATE_LENGTHS])
{
    for (unsigned i = 1u << LENGTH_BITS; i--;) {
        uint32_t first = table[i], second = table[i >> (first & 63)];
        if (first & second & CODE_LITERAL && (first & 63) + (second & 63) <= LENGTH_BITS)
            table[i] = (first | CODE_PAIR | (second >> 16 << 24)) + (second & 63);
    }
}

bool inflate_lengths_table(const uint8_t *lengths, unsigned n, uint32_t table[INFLATE_LENGTHS])
{
    struct table t = {.at = table, .bits = LENGTH_BITS, .room = INFLATE_LENGTHS};
    if (n <= END_OF_BLOCK || !lengths[END_OF_BLOCK] || !build(&t, lengths, n, literal_or_length))
        return false;
    pair_literals(table);
    return true;
}

bool inflate_distances_table(const uint8_t *lengths, unsigned n, uint32_t table[INFLATE_DISTANCES])
{
    struct table t = {.at = table, .bits = DISTANCE_BITS, .room = INFLATE_DISTANCES};
    return build(&t, lengths, n, distance);
}

bool inflate_order_table(const uint8_t lengths[ORDER_CODES], uint32_t table[1 << ORDER_BITS])
{
    struct table t = {.at = table, .bits = ORDER_BITS, .room = 1 << ORDER_BITS};
    return build(&t, lengths, ORDER_CODES, plain);
}
