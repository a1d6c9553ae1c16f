/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paper: how large a page may be so that it is shown as it was laid out, and the picture it is drawn on. A page's units are
 * pixels at natural size, of which it has whole numbers.
 */
#ifndef FOVEA_TEXT_PAPER_H
#define FOVEA_TEXT_PAPER_H

#include <cairo.h>

#include "decode.h"
#include "image.h"

/* The highest page of that width that is not shrunk, and the widest of that height; 0: there is none. */
uint32_t paper_height(const struct fit_limits *limits, uint32_t width);
uint32_t paper_width(const struct fit_limits *limits, uint32_t height);

/* A part of a page as pixels. Zero is an empty one. */
struct paper {
    cairo_surface_t *surface;
    cairo_t *cairo; /* draws in units of the page */
    struct image image;
};
#define auto_paper cleanup(paper_done) struct paper

/* A white sheet for the part that is wanted. WORK_NO_MEMORY. */
int paper_init(struct paper *p, const struct want *want, struct complaint *c);
void paper_done(struct paper *p);

/* All is drawn: its picture, which is the caller's then. */
int paper_take(struct paper *p, struct image *ret, struct complaint *c);

#endif
