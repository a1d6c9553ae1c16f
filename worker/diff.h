/* SPDX-License-Identifier: Apache-2.0 */
/* How two pictures differ: where, and shown side by side. */
#ifndef FOVEA_DIFF_H
#define FOVEA_DIFF_H

#include "base/limits.h"
#include "picture.h"

/*
 * For WORK_DIFF: the source's bytes are the rows of what was before, the other input those of what came after, both RGBA. A
 * pixel is changed when it is not the same, or lies in only one of them; what is wholly transparent in both is the same.
 * Transparency is shown on one ground, which the reply's facts name: white, or mid-grey where the content is light.
 * The reply has how many there are and a cell for each box around some of them, from the top; of equal pictures nothing
 * more. The picture has three cells of a contact sheet: before, after, and the difference.
 */
int diff_make(const struct source *s, struct work_reply *reply, struct output *ret, struct complaint *c);

/* ---- boxes around what changed (diff_boxes.c) */

struct spot {
    uint16_t x0, y0, x1, y1; /* of changed pixels in one square: from, to behind the last; x1 0: none */
};

/* A coarse grid is enough to find what lies together, and small however large the pictures are. */
struct changes {
    uint32_t side; /* of a square, in pixels */
    uint32_t w, h; /* in squares */
    struct spot *spots;
    struct rect apart[2]; /* boxes that are joined with nothing, such as a margin that only one picture has */
    uint32_t n_apart;
};
int changes_init(struct changes *g, struct size all); /* -ENOMEM */
void changes_done(struct changes *g);

/* The pixels of row y from x0 to before x1 are changed. */
void changes_add(struct changes *g, uint32_t y, uint32_t x0, uint32_t x1);

/* The next of two such boxes; an empty one is none. */
void changes_keep_apart(struct changes *g, struct rect box);

/* Boxes around what lies together, top to bottom, then left to right; how many. What is near is one box, and when there are
 * too many, what is less near. -ENOMEM. */
int changes_boxes(struct changes *g, struct rect ret[LIMIT_DIFF_BOXES], uint32_t *ret_n);

#endif
