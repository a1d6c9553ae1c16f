/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inflating, see inflate.h. Screenshots are long runs of the same byte: libraries that inflate in pieces copy such a run
 * a few bytes at a time, and take two to three times as long as this. Where plenty of input is left it is read eight
 * bytes at a time; near the end of a piece, byte by byte. Every symbol is taken whole, so that nothing has to be
 * remembered between two calls but where the next one begins.
 */
#include "inflate.h"

#include <endian.h>
#include <libdeflate.h>
#include <string.h>

#include "base/cleanup.h"
#include "inflate_copy.h"

enum { PLENTY = 32 }; /* bytes of input that one quick step cannot use up */

void inflate_begin(struct inflater *z, bool (*more)(void *of, const uint8_t **ret, size_t *ret_len), void *of)
{
    z->more = more;
    z->of = of;
    z->bits = (struct inflate_bits){0};
    z->made_up = 0;
    z->state = INFLATE_HEAD;
    z->last = false;
    z->stored = 0;
    z->sum = 1;
}

INLINE void refill(struct inflate_bits *b)
{
    uint64_t next;
    memcpy(&next, b->in, sizeof next);
    b->bits |= le64toh(next) << b->n;
    b->in += (63 - b->n) >> 3;
    b->n |= 56;
}

INLINE void drop(struct inflate_bits *b, unsigned n)
{
    b->bits >>= n;
    b->n -= n;
}

static bool next_piece(struct inflater *z)
{
    const uint8_t *in;
    size_t len = 0;
    while (!len)
        if (!z->more(z->of, &in, &len))
            return false;
    z->bits.in = in;
    z->bits.end = in + len;
    return true;
}

/* At least 56 bits; behind the end of the input they are 0. */
static void fill(struct inflater *z)
{
    struct inflate_bits *b = &z->bits;
    while (b->n < 56) {
        if (b->in != b->end || next_piece(z))
            b->bits |= (uint64_t)*b->in++ << b->n;
        else
            z->made_up++;
        b->n += 8;
    }
}

/* Bits were used that the input does not have. */
static bool cut(const struct inflater *z)
{
    return z->made_up > z->bits.n / 8;
}

/* Where the input is used up to, when it is not cut. */
static struct inflate_bits here(const struct inflater *z)
{
    struct inflate_bits b = z->bits;
    b.n -= MIN(z->made_up * 8, b.n);
    return b;
}

/* n bits, at most 32. */
static uint32_t take_bits(struct inflater *z, unsigned n)
{
    fill(z);
    uint32_t v = (uint32_t)(z->bits.bits & (((uint64_t)1 << n) - 1));
    drop(&z->bits, n);
    return v;
}

INLINE uint32_t look_up(const uint32_t *table, unsigned bits, uint64_t next)
{
    uint32_t e = table[next & ((1u << bits) - 1)];
    if (e & CODE_PART)
        e = table[(e >> 16) + (next >> bits & ((1u << (e >> 8 & 15)) - 1))];
    return e;
}

/* The value of an entry with what its further bits add, and all of its bits dropped. */
INLINE size_t value_of(struct inflate_bits *b, uint32_t e)
{
    unsigned all = e & 63, code = e >> 8 & 15;
    size_t v = (e >> 16) + ((b->bits & (((uint64_t)1 << all) - 1)) >> code);
    drop(b, all);
    return v;
}

enum step { STEP_ON, STEP_BLOCK_END, STEP_BAD };

INLINE void literal(struct inflate_bits *b, uint32_t e, uint8_t **out)
{
    (*out)[0] = (uint8_t)(e >> 16);
    (*out)[1] = (uint8_t)(e >> 24);
    *out += e & CODE_PAIR ? 2 : 1;
    drop(b, e & 63);
}

/* A match or the end of the block. quick: there is plenty of input, and need for it. */
INLINE enum step match(struct inflate_bits *b, const struct inflater *z, uint32_t e, const uint8_t *begin, uint8_t **out,
                       bool quick)
{
    if (e & CODE_SPECIAL) {
        drop(b, e & 63);
        return e & CODE_END ? STEP_BLOCK_END : STEP_BAD;
    }
    size_t len = value_of(b, e);
    if (quick)
        refill(b);
    uint32_t d = look_up(z->distances, DISTANCE_BITS, b->bits);
    if (d & CODE_SPECIAL)
        return STEP_BAD;
    size_t distance = value_of(b, d);
    if (distance > (size_t)(*out - begin))
        return STEP_BAD;
    copy_match(*out, distance, len);
    *out += len;
    return STEP_ON;
}

/* As long as there is plenty of input. Of 56 bits two literals leave enough for a length. */
INLINE enum step run(struct inflater *z, const uint8_t *begin, uint8_t **ret_out, const uint8_t *limit)
{
    struct inflate_bits b = z->bits;
    uint8_t *out = *ret_out;
    enum step s = STEP_ON;
    while (s == STEP_ON && out < limit && b.end - b.in >= PLENTY) {
        refill(&b);
        uint32_t e = look_up(z->lengths, LENGTH_BITS, b.bits);
        for (int i = 0; i < 2 && e & CODE_LITERAL; i++) {
            literal(&b, e, &out);
            e = look_up(z->lengths, LENGTH_BITS, b.bits);
        }
        if (e & CODE_LITERAL)
            literal(&b, e, &out);
        else
            s = match(&b, z, e, begin, &out, true);
    }
    z->bits = b;
    *ret_out = out;
    return s;
}

static enum step run_plain(struct inflater *z, const uint8_t *begin, uint8_t **out, const uint8_t *limit)
{
    return run(z, begin, out, limit);
}

#if defined(__x86_64__)

/* Shifts by a register that is not a certain one: all that the loop does. */
__attribute__((target("bmi2"))) static enum step run_bmi2(struct inflater *z, const uint8_t *begin, uint8_t **out,
                                                          const uint8_t *limit)
{
    return run(z, begin, out, limit);
}

static enum step run_quick(struct inflater *z, const uint8_t *begin, uint8_t **out, const uint8_t *limit)
{
    return __builtin_cpu_supports("bmi2") ? run_bmi2(z, begin, out, limit) : run_plain(z, begin, out, limit);
}

#else

static enum step run_quick(struct inflater *z, const uint8_t *begin, uint8_t **out, const uint8_t *limit)
{
    return run_plain(z, begin, out, limit);
}

#endif

static enum step run_slowly(struct inflater *z, const uint8_t *begin, uint8_t **out)
{
    fill(z);
    uint32_t e = look_up(z->lengths, LENGTH_BITS, z->bits.bits);
    if (!(e & CODE_LITERAL))
        return match(&z->bits, z, e, begin, out, false);
    literal(&z->bits, e, out);
    return STEP_ON;
}

static enum inflate_result run_codes(struct inflater *z, const uint8_t *begin, uint8_t **out, const uint8_t *limit)
{
    enum step s = STEP_ON;
    while (s == STEP_ON && *out < limit) {
        s = run_quick(z, begin, out, limit);
        if (s == STEP_ON && *out < limit)
            s = run_slowly(z, begin, out);
        if (cut(z))
            return INFLATE_CUT;
    }
    if (s == STEP_BLOCK_END)
        z->state = z->last ? INFLATE_TAIL : INFLATE_BLOCK;
    return s == STEP_BAD ? INFLATE_BAD : INFLATE_MORE;
}

/* What is in the bits first, then straight from the input. */
static enum inflate_result run_stored(struct inflater *z, uint8_t **out, const uint8_t *limit)
{
    struct inflate_bits *b = &z->bits;
    for (; b->n && z->stored && *out < limit; z->stored--) {
        *(*out)++ = (uint8_t)b->bits;
        drop(b, 8);
    }
    while (!b->n && z->stored && *out < limit) {
        b->bits = 0;
        if (b->in == b->end && !next_piece(z))
            return INFLATE_CUT;
        size_t n = MIN(MIN((size_t)(b->end - b->in), (size_t)z->stored), (size_t)(limit - *out));
        memcpy(*out, b->in, n);
        *out += n;
        b->in += n;
        z->stored -= (uint32_t)n;
    }
    if (!z->stored)
        z->state = z->last ? INFLATE_TAIL : INFLATE_BLOCK;
    return INFLATE_MORE;
}

static enum inflate_result begin_stored(struct inflater *z)
{
    drop(&z->bits, z->bits.n % 8);
    uint32_t both = take_bits(z, 32);
    z->stored = both & 0xffff;
    z->state = INFLATE_STORED;
    return z->stored == (both >> 16 ^ 0xffff) ? INFLATE_MORE : INFLATE_BAD;
}

static enum inflate_result begin_fixed(struct inflater *z)
{
    uint8_t lengths[LENGTH_CODES], distances[DISTANCE_CODES];
    for (unsigned i = 0; i < LENGTH_CODES; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(distances, 5, sizeof distances);
    bool good = inflate_lengths_table(lengths, LENGTH_CODES, z->lengths) &&
                inflate_distances_table(distances, DISTANCE_CODES, z->distances);
    z->state = INFLATE_CODES;
    return good ? INFLATE_MORE : INFLATE_BAD;
}

/* The code that the lengths of the others are written in. */
static bool read_order(struct inflater *z, unsigned n, uint32_t table[1 << ORDER_BITS])
{
    static const uint8_t order[ORDER_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[ORDER_CODES] = {0};
    for (unsigned i = 0; i < n; i++)
        lengths[order[i]] = (uint8_t)take_bits(z, 3);
    return inflate_order_table(lengths, table);
}

/* n lengths: 0 to 15 are that, 16 repeats the last, 17 and 18 are zeros. */
static bool read_lengths(struct inflater *z, const uint32_t *order, uint8_t *lengths, unsigned n)
{
    static const uint8_t bits[] = {2, 3, 7}, least[] = {3, 3, 11};
    for (unsigned i = 0; i < n;) {
        fill(z);
        uint32_t e = order[z->bits.bits & ((1 << ORDER_BITS) - 1)], symbol = e >> 16;
        if (e & CODE_SPECIAL)
            return false;
        drop(&z->bits, e & 63);
        unsigned times = symbol < 16 ? 1 : least[symbol - 16] + take_bits(z, bits[symbol - 16]);
        if (times > n - i || (symbol == 16 && !i))
            return false;
        memset(lengths + i, symbol < 16 ? (int)symbol : symbol == 16 ? lengths[i - 1] : 0, times);
        i += times;
    }
    return true;
}

static enum inflate_result begin_dynamic(struct inflater *z)
{
    unsigned n = take_bits(z, 5) + 257, m = take_bits(z, 5) + 1, ordered = take_bits(z, 4) + 4;
    uint32_t order[1 << ORDER_BITS];
    uint8_t lengths[LENGTH_CODES + DISTANCE_CODES];
    bool good = n <= 286 && m <= 30 && read_order(z, ordered, order) && read_lengths(z, order, lengths, n + m) &&
                inflate_lengths_table(lengths, n, z->lengths) && inflate_distances_table(lengths + n, m, z->distances);
    z->state = INFLATE_CODES;
    return good ? INFLATE_MORE : INFLATE_BAD;
}

static enum inflate_result begin_block(struct inflater *z)
{
    fill(z);
    z->block = here(z);
    z->last = take_bits(z, 1);
    switch (take_bits(z, 2)) {
    case 0: return begin_stored(z);
    case 1: return begin_fixed(z);
    case 2: return begin_dynamic(z);
    default: return INFLATE_BAD;
    }
}

/* Method 8, a window of up to 32 KiB, no dictionary. */
static enum inflate_result begin_stream(struct inflater *z)
{
    unsigned method = take_bits(z, 8), flags = take_bits(z, 8);
    z->state = INFLATE_BLOCK;
    bool good = (method & 15) == 8 && method >> 4 <= 7 && !(flags & 32) && (method << 8 | flags) % 31 == 0;
    return good ? INFLATE_MORE : INFLATE_BAD;
}

static enum inflate_result end_stream(struct inflater *z)
{
    z->tail = here(z);
    drop(&z->bits, z->bits.n % 8);
    uint32_t sum = __builtin_bswap32(take_bits(z, 32));
    z->state = INFLATE_DONE;
    return sum == z->sum ? INFLATE_END : INFLATE_BAD_SUM;
}

enum inflate_result inflate_to(struct inflater *z, const uint8_t *begin, uint8_t **out, const uint8_t *limit)
{
    uint8_t *summed = *out;
    enum inflate_result r = INFLATE_MORE;
    while (r == INFLATE_MORE && *out < limit) {
        switch (z->state) {
        case INFLATE_HEAD: r = begin_stream(z); break;
        case INFLATE_BLOCK: r = begin_block(z); break;
        case INFLATE_STORED: r = run_stored(z, out, limit); break;
        case INFLATE_CODES: r = run_codes(z, begin, out, limit); break;
        case INFLATE_TAIL:
            z->sum = libdeflate_adler32(z->sum, summed, (size_t)(*out - summed));
            summed = *out;
            r = end_stream(z);
            break;
        case INFLATE_DONE: r = INFLATE_END; break;
        }
        if (cut(z))
            r = INFLATE_CUT;
    }
    z->sum = libdeflate_adler32(z->sum, summed, (size_t)(*out - summed));
    return r;
}

bool inflate_left(const struct inflater *z)
{
    return z->bits.n / 8 > z->made_up || z->bits.in != z->bits.end;
}
