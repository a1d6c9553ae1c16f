/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inflating a zlib stream in pieces. What was made stays the history of what follows, so the caller's buffer must keep
 * the last INFLATE_WINDOW bytes right before the place where it goes on. Any bytes may come in: nothing is read or
 * written outside of what was given.
 */
#ifndef FOVEA_INFLATE_H
#define FOVEA_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    INFLATE_WINDOW = 32 * 1024,
    INFLATE_SLACK = 288, /* bytes behind the limit that may be written */
};

enum inflate_result {
    INFLATE_MORE,    /* the limit is reached */
    INFLATE_END,     /* all of it, and the checksum is right */
    INFLATE_CUT,     /* the input ended before that */
    INFLATE_BAD,     /* no deflate stream */
    INFLATE_BAD_SUM, /* it ends with another checksum */
};

/* Bits that were taken from the input and not yet used: the low n of bits. Those above may be set; they are the next. */
struct inflate_bits {
    const uint8_t *in, *end;
    uint64_t bits;
    unsigned n;
};

enum { INFLATE_LENGTHS = 2400, INFLATE_DISTANCES = 416 }; /* places in the tables of codes, see inflate_codes.c */

struct inflater {
    /* The next piece of the input, maybe empty; false when there is none. */
    bool (*more)(void *of, const uint8_t **ret, size_t *ret_len);
    void *of;
    struct inflate_bits bits;
    struct inflate_bits block, tail; /* where the block began; where the last one ended */
    unsigned made_up; /* zero bytes behind the end of the input */
    enum { INFLATE_HEAD, INFLATE_BLOCK, INFLATE_STORED, INFLATE_CODES, INFLATE_TAIL, INFLATE_DONE } state;
    bool last; /* block */
    uint32_t stored, sum;
    uint32_t lengths[INFLATE_LENGTHS], distances[INFLATE_DISTANCES];
};

void inflate_begin(struct inflater *z, bool (*more)(void *of, const uint8_t **ret, size_t *ret_len), void *of);

/* Writes from *out on until limit is reached or passed (by less than INFLATE_SLACK) and moves *out. begin: where the
 * history starts. */
enum inflate_result inflate_to(struct inflater *z, const uint8_t *begin, uint8_t **out, const uint8_t *limit);

/* After INFLATE_END: whether there is input behind it, of what was taken by `more`. */
bool inflate_left(const struct inflater *z);

/* ---- tables (inflate_codes.c) */

/*
 * An entry of a table: low 6 bits how many bits the symbol has with those that follow its code, bits 8 to 11 how many of
 * these are the code, the upper half a value: one literal or two, base of a length or distance. A table is entered by as
 * many of the next bits as its name says; longer codes go on in a part of it whose start is the value and whose bits are
 * bits 8 to 11.
 */
enum {
    CODE_PAIR = 1 << 6, /* with CODE_LITERAL: the value is two, the first in its low byte */
    CODE_LITERAL = 1 << 14,
    CODE_SPECIAL = 1 << 15, /* no value: none of the codes, or one of these two */
    CODE_END = 1 << 13,
    CODE_PART = 1 << 12,
    LENGTH_BITS = 11,
    DISTANCE_BITS = 8,
    ORDER_BITS = 7,
};
enum { LENGTH_CODES = 288, DISTANCE_CODES = 32, ORDER_CODES = 19 };

/* Make a table of the lengths of codes; false when these are no code. */
bool inflate_lengths_table(const uint8_t *lengths, unsigned n, uint32_t table[INFLATE_LENGTHS]);
bool inflate_distances_table(const uint8_t *lengths, unsigned n, uint32_t table[INFLATE_DISTANCES]);
bool inflate_order_table(const uint8_t lengths[ORDER_CODES], uint32_t table[1 << ORDER_BITS]);

#endif
