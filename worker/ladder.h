/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ladder: a target-size picture and a budget of bytes give the file to answer with. The result is that of trying
 * every format at the first quality, then lower qualities, then smaller scales, until one fits; the work is less: what
 * cannot win is not encoded, and one encode's size foretells the step that will fit. The step itself is always the first
 * that fits, not the first that was foretold to.
 */
#ifndef FOVEA_LADDER_H
#define FOVEA_LADDER_H

#include "encode.h"
#include "fit/plan.h"

struct ladder {
    const struct fit_limits *limits;
    bool webp;             /* WebP is allowed */
    bool pristine;         /* the picture's pixels are the source's own, so that lossless may be smaller */
    bool thorough;         /* spend the time of the thorough lossy method */
    bool drawn;            /* a page or a drawing, made just now: quick and exact before small */
    bool sheet;            /* drawn, of several pictures, which took long enough: small counts, unless it is small already */
    bool lossless_source;  /* source is there and its encoding loses nothing */
    struct jpeg_writer *jpeg; /* a JPEG of the picture at the first quality, begun already; NULL: none. Borrowed */
    struct encoded source; /* the source's own file as one more candidate; data NULL when there is none. Borrowed */
};

/* Gives the file, which is the source's own when ret->by is NULL (then ret->data is borrowed from it), and on what
 * transparency was laid: WORK_ON_WHITE, WORK_ON_GREY or 0. May flatten the picture. -ENOMEM, -EFBIG. */
int ladder_climb(const struct ladder *l, struct image *m, struct encoded *ret, uint32_t *ret_facts);

#endif
