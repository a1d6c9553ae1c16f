/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Huffman codes for drawn pictures. Codes made for one picture need all of its coefficients first: they are counted,
 * kept and gone through again, which is most of an encode. These were made from the counts of screenshots, charts and
 * scans at quality 75, each picture weighing the same, and cost 1.2 % more bytes on those than codes of their own (the
 * standard's example 4.1 %). Every symbol has a code, so any picture can be written with them.
 */
#include "jpeg_codes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include "base/cleanup.h"

enum { LONGEST = 16 };

/* The symbols that are frequent, most frequent first, and how many codes there are of each length. */
struct code {
    uint8_t bits[LONGEST + 1];
    uint8_t symbols[52];
    uint8_t n; /* of these; the others have the longest codes, in order of value */
};

static const struct code dc_codes[2] = {
    {{0, 1, 0, 2, 3, 1, 1, 1, 0, 3}, {0, 3, 4, 2, 5, 6, 1, 7, 8, 9, 10, 11}, 12},
    {{0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 3, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 12},
};
static const struct code ac_codes[2] = {
    {{0, 0, 1, 3, 3, 2, 3, 4, 5, 7, 8, 5, 6, 1, 1, 2, 111},
     {0x01, 0x00, 0x02, 0x03, 0x04, 0x05, 0x11, 0x12, 0x21, 0x06, 0x13, 0x31, 0x14, 0x22, 0x41, 0x51, 0x32,
      0x52, 0x61, 0x71, 0x91, 0x07, 0x15, 0x53, 0x81, 0x92, 0xa1, 0xb1, 0x23, 0x33, 0x34, 0x42, 0x62, 0x72,
      0xc1, 0xd1, 0x16, 0x24, 0x54, 0x93, 0xe1, 0x17, 0x63, 0x73, 0x74, 0x82, 0xa2, 0xb2, 0xd2, 0x08, 0x35},
     51},
    {{0, 1, 0, 2, 1, 2, 3, 4, 8, 6, 1, 1, 1, 1, 1, 1, 129},
     {0x00, 0x01, 0x11, 0x02, 0x03, 0x12, 0x04, 0x21, 0x31, 0x13, 0x32, 0x41, 0x51, 0x05, 0x14, 0x52, 0x61,
      0x71, 0x91, 0xa1, 0xd1, 0x15, 0x22, 0x81, 0xb1, 0xc1, 0xf0, 0xe1, 0x23, 0x33, 0x34, 0x42, 0xf1},
     33},
};

/* Of an AC symbol the high half is a run of zeros, the low half the bits of what ends it: 1 to 10, or none. */
static bool is_ac(unsigned symbol)
{
    unsigned run = symbol >> 4, bits = symbol & 15;
    return bits ? bits <= 10 : run == 0 || run == 15;
}

static void set_code(JHUFF_TBL *to, const struct code *c, bool ac)
{
    size_t n = c->n;
    memcpy(to->bits, c->bits, sizeof c->bits);
    memcpy(to->huffval, c->symbols, n);
    for (unsigned s = 0; ac && s < 256; s++)
        if (is_ac(s) && !memchr(c->symbols, (int)s, c->n))
            to->huffval[n++] = (uint8_t)s;
}

void jpeg_codes_drawn(struct jpeg_compress_struct *j)
{
    for (size_t i = 0; i < COUNT(dc_codes); i++) {
        set_code(j->dc_huff_tbl_ptrs[i], &dc_codes[i], false);
        set_code(j->ac_huff_tbl_ptrs[i], &ac_codes[i], true);
    }
    j->optimize_coding = FALSE;
}
