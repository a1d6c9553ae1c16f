/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deflating, see quick.h. One table remembers where four bytes were last seen. A copy is taken from there or from as far back as the
 * copy before it, whichever is longer: rows of a drawing repeat the row above, or go on in one colour. What was found is kept as
 * marks until there are enough of them to be worth codes of their own.
 */
#include "quick.h"

#include <assert.h>
#include <endian.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum {
    SLOT_BITS = 14,
    MARKS = 32 * 1024,     /* of a block, at most */
    SHORTEST = 4,          /* copy that is looked for */
    LONGEST = 258,
    GOOD_ENOUGH = 32,      /* as far back as the last one: not looked for elsewhere */
    LITERALS = 256,
    END_OF_BLOCK = 256,
    LENGTHS = 286,         /* codes of literals and lengths */
    DISTANCES = 30,        /* codes of those */
    CODE_LENGTHS = 19,
    LONGEST_CODE = 15,
    LONGEST_CODE_LENGTH = 7, /* code of code lengths */
    WRITE_SLACK = 9,       /* bytes behind those of a block: 7 bits were left from before it, and 8 bytes are written at once */
    ZLIB_HEAD = 2,
    ZLIB_TAIL = 4,
};
static_assert(MARKS < 1 << 16, "counts are sorted by two bytes");
static_assert((int)WRITE_SLACK >= 2 + (int)ZLIB_TAIL, "what is left of the last bits, and the checksum, need no more room");

/* Bits in the order in which they are written, the first the lowest. */
struct code {
    uint32_t bits;
    uint8_t n;
};

/* A stream that is being written: what is not there yet. */
struct bits {
    uint8_t *at;
    uint64_t waiting;
    unsigned n;
};

struct quick {
    uint8_t *begin, *end;
    struct bits bits;
    uint32_t pos, sum; /* of what came so far */
    uint32_t back;     /* how far the last copy reached */
    uint32_t n;        /* marks */
    uint32_t often[LENGTHS], distances_often[DISTANCES]; /* each code is needed */
    uint32_t slots[1 << SLOT_BITS];                  /* position and one; 0: none yet */
    uint32_t marks[MARKS];                           /* a literal, or length << 16 | distance */
};

static unsigned log2_of(uint32_t v)
{
    return 31 - (unsigned)__builtin_clz(v);
}

/* By RFC 1951 codes come in groups of four lengths, or of two distances, that double from group to group; the low bits follow the
 * code. */
static unsigned length_code(unsigned length)
{
    if (length == LONGEST)
        return 28;
    unsigned v = length - 3, top = v < 4 ? 0 : log2_of(v) - 2;
    return v < 4 ? v : 4 * top + (v >> top);
}

static unsigned length_extra(unsigned code)
{
    return code < 8 || code == 28 ? 0 : code / 4 - 1;
}

static unsigned distance_code(unsigned distance)
{
    unsigned v = distance - 1, top = v < 2 ? 0 : log2_of(v) - 1;
    return v < 2 ? v : 2 * top + (v >> top);
}

static unsigned distance_extra(unsigned code)
{
    return code < 4 ? 0 : code / 2 - 1;
}

static uint32_t low_bits(uint32_t v, unsigned n)
{
    return v & ((1u << n) - 1);
}

/* ---- lengths of codes */

struct leaf {
    uint32_t often;
    uint16_t symbol;
};

/* Those that are needed, the rarest first. Returns how many. */
static unsigned sorted(const uint32_t *often, unsigned n, struct leaf *ret)
{
    struct leaf by_low[LENGTHS];
    unsigned used = 0, start[2][257] = {{0}};
    for (unsigned i = 0; i < n; i++) {
        if (!often[i])
            continue;
        ret[used++] = (struct leaf){often[i], (uint16_t)i};
        start[0][(often[i] & 255) + 1]++;
        start[1][(often[i] >> 8) + 1]++;
    }
    for (unsigned i = 0; i < 256; i++) {
        start[0][i + 1] += start[0][i];
        start[1][i + 1] += start[1][i];
    }
    for (unsigned i = 0; i < used; i++)
        by_low[start[0][ret[i].often & 255]++] = ret[i];
    for (unsigned i = 0; i < used; i++)
        ret[start[1][by_low[i].often >> 8]++] = by_low[i];
    return used;
}

/* How many codes have each length, by joining the two rarest again and again. At least two leaves. */
static void count_depths(const struct leaf *leaves, unsigned n, unsigned *count)
{
    uint32_t joined[LENGTHS];
    uint16_t above_leaf[LENGTHS] = {0}, above[LENGTHS] = {0};
    uint8_t depth[LENGTHS];
    unsigned leaf = 0, next = 0;
    for (unsigned made = 0; made < n - 1; made++) {
        joined[made] = 0;
        for (int i = 0; i < 2; i++) {
            bool of_leaves = leaf < n && (next == made || leaves[leaf].often <= joined[next]);
            joined[made] += of_leaves ? leaves[leaf].often : joined[next];
            if (of_leaves)
                above_leaf[leaf++] = (uint16_t)made;
            else
                above[next++] = (uint16_t)made;
        }
    }
    depth[n - 2] = 0;
    for (unsigned i = n - 2; i-- > 0;)
        depth[i] = (uint8_t)(depth[above[i]] + 1);
    for (unsigned i = 0; i < n; i++)
        count[depth[above_leaf[i]] + 1]++;
}

/* None longer than most: those move up there, and others down, until all have a place again. */
static void shorten(unsigned *count, unsigned most)
{
    uint32_t taken = 0;
    for (unsigned i = most + 1; i <= LENGTHS; i++) {
        count[most] += count[i];
        count[i] = 0;
    }
    for (unsigned i = 1; i <= most; i++)
        taken += count[i] << (most - i);
    for (; taken > 1u << most; taken--) {
        unsigned i = most - 1;
        while (!count[i])
            i--;
        count[i]--;
        count[i + 1] += 2;
        count[most]--;
    }
}

/* The length of each code, 0 for those that are not needed. */
static void lengths_of(const uint32_t *often, unsigned n, unsigned most, uint8_t *ret)
{
    struct leaf leaves[LENGTHS];
    unsigned count[LENGTHS + 1] = {0}, used = sorted(often, n, leaves);
    memset(ret, 0, n);
    if (used == 1)
        ret[leaves[0].symbol] = 1;
    if (used < 2)
        return;
    count_depths(leaves, used, count);
    shorten(count, most);
    for (unsigned length = most, i = 0; length; length--)
        for (unsigned k = 0; k < count[length]; k++)
            ret[leaves[i++].symbol] = (uint8_t)length;
}

/* By length, then by number; the first bit is the highest. */
static void codes_of(const uint8_t *lengths, unsigned n, struct code *ret)
{
    uint32_t next[LONGEST_CODE + 2] = {0}, count[LONGEST_CODE + 1] = {0};
    for (unsigned i = 0; i < n; i++)
        count[lengths[i]]++;
    count[0] = 0;
    for (unsigned i = 1; i <= LONGEST_CODE; i++)
        next[i + 1] = (next[i] + count[i]) << 1;
    for (unsigned i = 0; i < n; i++) {
        uint32_t v = lengths[i] ? next[lengths[i]]++ : 0, turned = 0;
        for (unsigned k = 0; k < lengths[i]; k++)
            turned |= (v >> k & 1) << (lengths[i] - 1 - k);
        ret[i] = (struct code){turned, lengths[i]};
    }
}

/* ---- writing */

/* At most 63 in all. */
static inline void bits_add(struct bits *b, uint64_t bits, unsigned n)
{
    b->waiting |= bits << b->n;
    b->n += n;
}

/* All but the last 7 at most. Whoever calls has seen to the room. */
static inline void bits_write(struct bits *b)
{
    uint64_t out = htole64(b->waiting);
    memcpy(b->at, &out, sizeof out);
    b->at += b->n / 8;
    b->waiting = b->waiting >> (b->n & ~7u);
    b->n %= 8;
}

static void put(struct quick *q, uint32_t bits, unsigned n)
{
    bits_add(&q->bits, bits, n);
    bits_write(&q->bits);
}

/* Code lengths as they are written: repeats are one symbol and its count. */
struct brief {
    uint8_t symbol, more;
};

static unsigned make_brief(const uint8_t *lengths, unsigned n, struct brief *ret)
{
    unsigned made = 0;
    for (unsigned i = 0, run; i < n; i += run) {
        bool zero = !lengths[i];
        unsigned most = zero ? 138 : 6;
        bool again = !zero && i && lengths[i - 1] == lengths[i];
        for (run = 1; i + run < n && run < most && lengths[i + run] == lengths[i]; run++)
            ;
        if (zero && run >= 3) {
            ret[made++] = run < 11 ? (struct brief){17, (uint8_t)(run - 3)} : (struct brief){18, (uint8_t)(run - 11)};
        } else if (again && run >= 3) {
            ret[made++] = (struct brief){16, (uint8_t)(run - 3)};
        } else {
            run = 1;
            ret[made++] = (struct brief){lengths[i], 0};
        }
    }
    return made;
}

struct head {
    struct brief brief[LENGTHS + DISTANCES];
    unsigned n_brief, n_order;
    struct code codes[CODE_LENGTHS];
};

static const uint8_t code_order[CODE_LENGTHS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

static unsigned brief_extra(unsigned symbol)
{
    return symbol == 16 ? 2 : symbol == 17 ? 3 : symbol == 18 ? 7 : 0;
}

static void plan_head(struct head *h, const uint8_t *lengths)
{
    uint32_t often[CODE_LENGTHS] = {0};
    uint8_t own[CODE_LENGTHS];
    h->n_brief = make_brief(lengths, LENGTHS + DISTANCES, h->brief);
    for (unsigned i = 0; i < h->n_brief; i++)
        often[h->brief[i].symbol]++;
    lengths_of(often, CODE_LENGTHS, LONGEST_CODE_LENGTH, own);
    codes_of(own, CODE_LENGTHS, h->codes);
    h->n_order = CODE_LENGTHS;
    while (h->n_order > 4 && !own[code_order[h->n_order - 1]])
        h->n_order--;
}

static uint64_t bits_of_head(const struct head *h)
{
    uint64_t n = 3 + 14 + 3 * h->n_order;
    for (unsigned i = 0; i < h->n_brief; i++)
        n += h->codes[h->brief[i].symbol].n + brief_extra(h->brief[i].symbol);
    return n;
}

static void write_head(struct quick *q, const struct head *h, bool last)
{
    put(q, last | 2u << 1, 3);
    put(q, (LENGTHS - 257) | (DISTANCES - 1) << 5 | (h->n_order - 4) << 10, 14);
    for (unsigned i = 0; i < h->n_order; i++)
        put(q, h->codes[code_order[i]].n, 3);
    for (unsigned i = 0; i < h->n_brief; i++) {
        const struct code *c = &h->codes[h->brief[i].symbol];
        put(q, c->bits | (uint32_t)h->brief[i].more << c->n, c->n + brief_extra(h->brief[i].symbol));
    }
}

/* What a length is written as: its code and what follows it. */
static void length_words(const struct code *codes, struct code *ret)
{
    for (unsigned length = SHORTEST; length <= LONGEST; length++) {
        unsigned code = length_code(length);
        const struct code *c = &codes[LITERALS + 1 + code];
        ret[length] = (struct code){c->bits | low_bits(length - 3, length_extra(code)) << c->n, (uint8_t)(c->n + length_extra(code))};
    }
}

/* A copy is one word, and so are literals in a row as long as they fit: each is written at once. */
static void write_marks(struct quick *q, const struct code *codes, const struct code *distances)
{
    enum { WORD = 56 };
    struct code words[LONGEST + 1];
    struct bits b = q->bits;
    length_words(codes, words);
    for (uint32_t i = 0; i < q->n; i++) {
        uint32_t mark = q->marks[i], length = mark >> 16, distance = mark & 0xffff;
        if (!length) {
            if (b.n + LONGEST_CODE > WORD)
                bits_write(&b);
            bits_add(&b, codes[mark].bits, codes[mark].n);
            continue;
        }
        unsigned code = distance_code(distance);
        const struct code *l = &words[length], *d = &distances[code];
        bits_write(&b);
        bits_add(&b, l->bits, l->n);
        bits_add(&b, d->bits | low_bits(distance - 1, distance_extra(code)) << d->n, d->n + distance_extra(code));
    }
    bits_write(&b);
    bits_add(&b, codes[END_OF_BLOCK].bits, codes[END_OF_BLOCK].n);
    bits_write(&b);
    q->bits = b;
}

/* Bits of all marks. */
static uint64_t bits_of(const struct quick *q, const uint8_t *lengths)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < LENGTHS; i++)
        n += (uint64_t)q->often[i] * (lengths[i] + (i > LITERALS ? length_extra(i - LITERALS - 1) : 0));
    for (unsigned i = 0; i < DISTANCES; i++)
        n += (uint64_t)q->distances_often[i] * (lengths[LENGTHS + i] + distance_extra(i));
    return n;
}

static bool write_block(struct quick *q, bool last)
{
    uint8_t lengths[LENGTHS + DISTANCES];
    struct code codes[LENGTHS + DISTANCES];
    struct head head;
    q->often[END_OF_BLOCK] = 1;
    lengths_of(q->often, LENGTHS, LONGEST_CODE, lengths);
    lengths_of(q->distances_often, DISTANCES, LONGEST_CODE, lengths + LENGTHS);
    plan_head(&head, lengths);
    bool first = q->bits.at == q->begin;
    size_t need = (first ? ZLIB_HEAD : 0) + (bits_of_head(&head) + bits_of(q, lengths)) / 8 + WRITE_SLACK;
    if (need > (size_t)(q->end - q->bits.at))
        return false;
    if (first)
        put(q, 0x0178, 8 * ZLIB_HEAD);
    write_head(q, &head, last);
    codes_of(lengths, LENGTHS, codes);
    codes_of(lengths + LENGTHS, DISTANCES, codes + LENGTHS);
    write_marks(q, codes, codes + LENGTHS);
    q->n = 0;
    memset(q->often, 0, sizeof q->often);
    memset(q->distances_often, 0, sizeof q->distances_often);
    return true;
}

/* ---- finding */

static inline uint64_t load(const uint8_t *at)
{
    uint64_t v;
    memcpy(&v, at, sizeof v);
    return le64toh(v);
}

static inline uint32_t slot_of(uint64_t v)
{
    return (uint32_t)v * 0x9e3779b1u >> (32 - SLOT_BITS);
}

/* How many bytes are the same at both places, before end and at most LONGEST. */
static inline size_t alike(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
    size_t most = MIN((size_t)(end - a), (size_t)LONGEST), n = 0;
    for (; n + 8 <= most; n += 8) {
        uint64_t differ = load(a + n) ^ load(b + n);
        if (differ)
            return n + (size_t)__builtin_ctzll(differ) / 8;
    }
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

static inline void mark_literal(struct quick *q, uint8_t byte)
{
    q->marks[q->n++] = byte;
    q->often[byte]++;
}

static inline void mark_copy(struct quick *q, size_t length, uint32_t distance)
{
    q->marks[q->n++] = (uint32_t)length << 16 | distance;
    q->often[LITERALS + 1 + length_code((unsigned)length)]++;
    q->distances_often[distance_code(distance)]++;
    q->back = distance;
}

/* The longest copy for what begins at `at`, which is at `pos`; 0 when there is none. At least 8 bytes follow. */
static inline size_t find(struct quick *q, const uint8_t *at, const uint8_t *end, uint32_t pos, uint32_t *ret_distance)
{
    uint64_t v = load(at);
    uint32_t *slot = &q->slots[slot_of(v)], far = pos + 1 - *slot, reach = MIN(pos, (uint32_t)QUICK_WINDOW);
    size_t n = 0;
    *slot = pos + 1;
    if (q->back <= reach && (uint32_t)load(at - q->back) == (uint32_t)v) {
        n = alike(at, at - q->back, end);
        *ret_distance = q->back;
    }
    if (n < GOOD_ENOUGH && far - 1 < reach && far != q->back && (uint32_t)load(at - far) == (uint32_t)v) {
        size_t other = alike(at, at - far, end);
        if (other > n) {
            n = other;
            *ret_distance = far;
        }
    }
    return n;
}

/* Within a copy only its end is remembered: the next one mostly goes on from there. */
static inline void remember(struct quick *q, const uint8_t *at, uint32_t pos)
{
    q->slots[slot_of(load(at))] = pos + 1;
}

struct quick *quick_new(uint8_t *out, size_t room)
{
    struct quick *q = malloc(sizeof *q);
    if (!q)
        return NULL;
    memset(q, 0, offsetof(struct quick, marks));
    q->begin = out;
    q->bits.at = out;
    q->end = out + room;
    q->sum = 1;
    q->back = 1;
    return q;
}

void quick_free(struct quick *q)
{
    free(q);
}

bool quick_add(struct quick *q, const uint8_t *data, size_t len)
{
    const uint8_t *at = data, *end = data + len;
    q->sum = libdeflate_adler32(q->sum, data, len);
    while (at < end) {
        if (q->n == MARKS && !write_block(q, false))
            return false;
        uint32_t pos = q->pos + (uint32_t)(at - data), distance = 0;
        size_t n = end - at >= 8 ? find(q, at, end, pos, &distance) : 0;
        if (!n) {
            mark_literal(q, *at++);
            continue;
        }
        mark_copy(q, n, distance);
        at += n;
        if (end - at >= 8)
            remember(q, at - 1, pos + (uint32_t)n - 1);
    }
    q->pos += (uint32_t)len;
    return true;
}

size_t quick_end(struct quick *q)
{
    if (!write_block(q, true))
        return 0;
    put(q, 0, -q->bits.n % 8);
    uint8_t *at = q->bits.at;
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (uint8_t)(q->sum >> shift);
    return (size_t)(at - q->begin);
}
