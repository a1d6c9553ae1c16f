/* SPDX-License-Identifier: Apache-2.0 */
/* From a decoded frame to pixels that a viewer knows: its shape, which way is up, its colours. */
#ifndef FOVEA_VIDEO_PIXELS_H
#define FOVEA_VIDEO_PIXELS_H

#include "image.h"
#include "movie.h"

/* The size at which a frame is shown, before it is turned: no pixel is lost where they are not square. */
struct size pixels_size(const struct movie *m, const AVFrame *f);
/* How it is to be turned: EXIF 1..8. */
uint8_t pixels_orientation(const struct movie *m);
/* It may be transparent. */
bool pixels_alpha(const AVFrame *f);

/* Rows of 3 or 4 bytes a pixel. */
struct pixels {
    uint8_t *px;
    size_t stride;
};
void pixels_done(struct pixels *p);

/* The frame at that size. quick: for a look at it. -ENOMEM, -EINVAL for what cannot be converted. */
int pixels_make(struct movie *m, const AVFrame *f, struct size size, uint8_t channels, bool quick, struct pixels *ret);

/* The same as a picture, upright, that fits the box. */
int pixels_image(struct movie *m, const AVFrame *f, struct size box, struct image *ret);

#endif
