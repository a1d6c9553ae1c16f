/* SPDX-License-Identifier: Apache-2.0 */
/* One side of a picture that is scaled: which source positions make each output position, and with what weight. */
#ifndef FOVEA_AXIS_H
#define FOVEA_AXIS_H

#include "kernel.h"

#define HAIR 1e-6 /* a border so near to a whole pixel is on it */

struct axis {
    uint32_t n; /* output positions */
    struct taps *taps;
    int16_t *weights;
    uint32_t longest;   /* taps of the longest */
    uint32_t low, high; /* source positions that count */
};

/* start and length: the part of a source side that becomes n positions. Taps come in whole groups. -ENOMEM; done takes
 * what init left then, too. */
int axis_init(struct axis *a, uint32_t side, double start, double length, uint32_t n, uint32_t group);
void axis_done(struct axis *a);

#endif
