/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scaling: antialiased separable Lanczos3 on 8-bit channels, in the picture's own gamma (text reads best so), fed row by
 * row. Rows of grey or RGB are taken as they are and come out as RGBA. Only as many horizontally scaled rows are held as
 * the vertical filter is tall. A flat colour stays exactly that colour, and the same size is a plain copy. The result
 * does not depend on the processor.
 */
#ifndef FOVEA_RESAMPLE_H
#define FOVEA_RESAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "fit/geometry.h"
#include "image.h"

enum { RESAMPLE_PAD = 16 }; /* bytes behind a pushed row that may be read (their values do not matter) */

/* The part of the rows that is shown. Its borders need not be whole pixels: rows of a picture that was decoded
 * smaller have the region's borders between pixels. */
struct part {
    double x, y, w, h;
};

struct resampler;

/*
 * channels: of a pixel in the rows, 1 grey, 3 RGB, 4. alpha: the fourth is coverage, the others are weighted by it
 * (premultiplied inside, straight outside); without it the channels are alike. Rows go to `out`, which is borrowed and
 * has the size to reach. -ENOMEM.
 */
int resample_new(struct size source, unsigned channels, struct part part, bool alpha, struct image *out,
                 struct resampler **ret);
void resample_free(struct resampler *r);

/* Takes the next source row from the top: all of it, also where the part lies elsewhere. The row before must still be
 * there: the two are compared. */
void resample_push(struct resampler *r, const uint8_t *row);

/* How many rows of `out` are complete, from the top. */
uint32_t resample_done(const struct resampler *r);

/* Every row of the part was opaque, as far as pushed. Always true without alpha. */
bool resample_opaque(const struct resampler *r);

#endif
