/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paper: how large a page may be so that it is shown as it was laid out, and the picture it is drawn on. A page's units are
 * pixels at natural size, of which it has whole numbers.
 */
#ifndef FOVEA_TEXT_PAPER_H
#define FOVEA_TEXT_PAPER_H

#include <cairo.h>

#include "decode.h"

/* The highest page of that width that is not shrunk, and the widest of that height; 0: there is none. */
uint32_t paper_height(const struct fit_limits *limits, uint32_t width);
uint32_t paper_width(const struct fit_limits *limits, uint32_t height);

/* A part of a page as pixels. Zero is an empty one. */
struct paper {
    cairo_surface_t *surface;
    cairo_t *cairo; /* draws in units of the page */
    struct size size;
    uint8_t channels;
    uint32_t row; /* the next */
};

/* A white sheet for the part that is wanted. WORK_NO_MEMORY, WORK_TOO_LARGE. */
int paper_init(struct paper *p, const struct want *want, struct complaint *c);
void paper_done(struct paper *p);

/* All is drawn: rows may be had. */
int paper_ready(struct paper *p, struct complaint *c);
void paper_row(struct paper *p, uint8_t *out);

#endif
