/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A contact sheet: several pictures of one shape in a grid, each with a line of words beneath it. Pure arithmetic, like the
 * rest of this room.
 */
#ifndef FOVEA_SHEET_H
#define FOVEA_SHEET_H

#include "fit/plan.h"

enum {
    SHEET_GAP = 8,    /* around each cell */
    SHEET_LABEL = 26, /* height of the strip of words beneath a picture */
};

struct sheet {
    uint32_t n, columns, rows;
    struct size cell; /* of a picture */
    struct size size; /* of all */
};

/*
 * The grid that shows n pictures (1..LIMIT_SHEET_CELLS) of that shape as large as the limits allow; no picture larger than
 * `most` (0x0: however large). A sheet is never scaled by a model's rule or max_edge, unless not even cells of one pixel would fit.
 */
void sheet_plan(const struct fit_limits *limits, uint32_t n, double width, double height, struct size most,
                struct sheet *ret);

/* Where the k-th picture lies, from 0; its words are right beneath it. */
struct rect sheet_cell(const struct sheet *s, uint32_t k);

#endif
