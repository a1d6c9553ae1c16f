/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fitting: a source's size and the limits give the size to show. Pure arithmetic, no pixels, no I/O. Both sides of the
 * trust boundary use it: the worker to plan, the parent to check that the worker's answer is the planned one.
 */
#ifndef FOVEA_PLAN_H
#define FOVEA_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "fit/geometry.h"
#include "fit/tokens.h"

/* Crosses the process boundary as bytes: fixed-width members only. */
struct fit_limits {
    uint32_t max_edge;    /* longest side; 0, or past LIMIT_SIDE, is that */
    uint32_t min_edge;    /* shortest side: smaller ones are enlarged; 0 off */
    uint32_t max_patches; /* of 28 px; 0 off */
    uint32_t max_bytes;   /* of the encoded picture */
    uint32_t quality;     /* first JPEG/WebP quality */
    uint32_t resize;      /* 0: original pixels and encoding (images.autoResize false) */
    struct token_rule rule;
};

enum { FIT_USUAL_EDGE = 1568 }; /* of images.maxDimension, where nothing else is said */

enum fit_space { FIT_SOURCE, FIT_UNIT };

/* A box as asked for, in source pixels or thousandths of the source. set 0: the whole. */
struct fit_box {
    double x, y, w, h;
    uint32_t space; /* enum fit_space */
    uint32_t set;
};

/* The box in whole source pixels, clamped to the source: outward to pixel borders. False when nothing is left, or a
 * number is not finite. */
bool fit_crop(const struct fit_box *box, struct size source, struct rect *ret_crop);

/* The same of a source that is drawn, in its units, of which `whole` is all: clamped, but to no grid. False also for a part
 * that is next to nothing. */
bool fit_area(const struct fit_box *box, const struct area *whole, struct area *ret);

/*
 * The size at which a crop of that size is shown. Never larger than max_edge, the patches or the model's rule allow;
 * enlarged to min_edge where it is smaller (one axis alone when both cannot be had: scales are per axis). When min_edge
 * is above max_edge, max_edge wins and the shape stays.
 */
struct size fit_target(const struct fit_limits *limits, struct size crop);

/* The same limits for what is drawn, which has no pixels that could be left as they are: it is resized, and max_edge is at most
 * LIMIT_DRAWN_SIDE. */
struct fit_limits fit_limits_drawn(const struct fit_limits *limits);

/* The size at which a part of something that is drawn is shown, so large in its units: the largest of its shape. Where units are no
 * squares, height is in units as tall as those across are wide. */
struct size fit_drawn(const struct fit_limits *limits, double width, double height);

/* The same of a whole page of text, which has a size of its own: not enlarged, unless min_edge asks for it. */
struct size fit_page(const struct fit_limits *limits, struct size page);

/*
 * A long picture, shown whole, is too small to be read: it is given in tiles too, cut across its long side with a little
 * overlap, each shown as large as the limits allow. How many there are (1: it is not long, or would not be at the usual size), and the
 * k-th, from 1 to that.
 */
uint32_t fit_tiles(const struct fit_limits *limits, struct size source);
struct rect fit_tile(const struct fit_limits *limits, struct size source, uint32_t k);

/* What is drawn: where it lies in its own units, and how large one of these is in pixels at its natural size, across and down. */
struct fit_drawing {
    struct area whole;
    double unit_w, unit_h;
};

/* The size that it has by itself, as a browser shows it: this decides whether it is long. Sides are at most LIMIT_DRAWING. */
struct size fit_natural(const struct fit_drawing *d);

/* Its k-th tile, in its units. */
struct area fit_tile_area(const struct fit_limits *limits, const struct fit_drawing *d, uint32_t k);

/* The ladder when the first encode is over budget: qualities, then scales of the target with the same qualities. */
extern const uint8_t fit_qualities[4];
extern const double fit_scales[4];
enum { FIT_LEAST_EDGE = 100 }; /* a scale step that would go below is not tried */

/* The target times a ladder scale; false when an edge would fall under FIT_LEAST_EDGE. */
bool fit_scaled(struct size target, double scale, struct size *ret);

/* True when fit_target (or a ladder step of it) explains a result of this size. */
bool fit_explains(const struct fit_limits *limits, struct size crop, struct size result);

#endif
