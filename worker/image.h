/* SPDX-License-Identifier: Apache-2.0 */
/* A picture in memory: 8-bit RGBA, rows without gaps, alpha not premultiplied. Only target-size pictures exist so. */
#ifndef FOVEA_IMAGE_H
#define FOVEA_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "fit/geometry.h"

struct image {
    struct size size;
    bool opaque; /* every pixel is; alpha bytes are then 255 */
    uint8_t *px;
    bool on_white, on_grey; /* it was laid on these, or parts of it were */
};

/* Levels of grey that a picture is laid on. */
enum { LEVEL_WHITE = 255, LEVEL_GREY = 128 };

static inline size_t image_stride(const struct image *m)
{
    return (size_t)m->size.w * 4;
}

static inline const uint8_t *image_row(const struct image *m, uint32_t y)
{
    return m->px + y * image_stride(m);
}

/* Pixels are not set. -ENOMEM, or -EFBIG past LIMIT_SIDE and LIMIT_PIXELS. */
int image_init(struct image *m, struct size size);
void image_done(struct image *m);
#define auto_image cleanup(image_done) struct image

/* Scaled into a new picture (Lanczos3); the same size is a copy. -ENOMEM. */
int image_scale(const struct image *m, struct size size, struct image *ret);

/* Turns the stored picture upright (EXIF 1..8), in memory that it replaces. -ENOMEM. */
int image_orient(struct image *m, uint8_t orientation);

/* The same, backwards, for a box of the upright picture: where it lies in the stored one. */
struct rect rect_stored(struct rect r, struct size upright, uint8_t orientation);

/* The stored size upright, or the other way round. */
struct size size_turned(struct size s, uint8_t orientation);

/* The largest size of that shape within the box, and no larger than it is. No side may be 0. */
struct size size_within(struct size s, struct size box);

/* Whether each of a row's n pixels is opaque. */
bool row_opaque(const uint8_t *row, uint32_t n);

/* The colour of its visible pixels is light on average, so that white would swallow it. */
bool image_is_light(const struct image *m);

/* What to lay it on: white, or mid-grey if its content is light. */
uint8_t image_ground(const struct image *m);

/* Lays the picture on one grey level, in place; it is opaque then, and says on what it lies. */
void image_flatten(struct image *m, uint8_t level);

/* Its luminance (BT.601, rounded), one byte a pixel, into room for as many. Alpha is not looked at. */
void image_gray(const struct image *m, uint8_t *out);

/* From what cairo draws (words of 0xAARRGGBB, colours premultiplied; or of 0xXXRRGGBB, without alpha), in place. Sets whether
 * it is opaque. */
void image_from_words(struct image *m, bool alpha);

/* What tells drawn pictures from photos, as shares of all pixels. */
struct look {
    double flat;  /* equal their left and upper neighbour: near 0 in photos, near 1 in drawings and screenshots */
    double sharp; /* equal neither: what a lossless file has to spell out, unless it repeats */
    double novel; /* sharp, and no such colour was near before: what makes lossless files large and slow */
};
/* By about so many of its rows. novelty: `novel` is wanted; it takes most of the time. */
enum { LOOK_ROWS = 400, GLANCE_ROWS = 100 };
struct look image_look(const struct image *m, uint32_t rows, bool novelty);

#endif
