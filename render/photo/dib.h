/* SPDX-License-Identifier: Apache-2.0 */
/* The device-independent bitmap: what a BMP file holds behind its first fourteen bytes, and an icon as one of its images. */
#ifndef FOVEA_DIB_H
#define FOVEA_DIB_H

#include "decode.h"

enum dib_packing { DIB_PLAIN, DIB_RLE8, DIB_RLE4, DIB_RLE24 };

/* Where a channel lies in a pixel of 16 or 32 bits. */
struct dib_channel {
    uint32_t mask;
    uint8_t shift;      /* what then is left are at most 8 bits */
    uint8_t level[256]; /* what these mean */
};

struct dib {
    const uint8_t *data; /* from the header on */
    size_t len;
    uint32_t header; /* its length */
    uint32_t width, height;
    bool top_down, icon;
    uint16_t bits;
    enum dib_packing packing;
    uint32_t colours; /* in the palette */
    uint8_t palette[256][4];
    struct dib_channel channel[4]; /* red, green, blue, alpha: mask 0 when there is none */
    size_t pixels;                 /* offset */
    size_t stride;                 /* of a plain row */
    const uint8_t *icc;
    size_t icc_len;
};

/*
 * Reads the header and checks LIMIT_SIDE. pixels: their offset, where the file says it; 0: behind the palette, as in icons, whose
 * height counts the mask too. Borrows data.
 */
int dib_read(const uint8_t *data, size_t len, size_t pixels, bool icon, struct dib *ret, struct complaint *c);

/* Fills in what the shared steps want to know. */
void dib_header(const struct dib *d, struct header *ret);

/* ---- rows, top down (dib_rows.c) */

struct dib_rows {
    const struct dib *dib;
    uint8_t channels;
    uint32_t y;
    bool opaque;          /* the alpha channel was never written */
    const uint8_t *mask;  /* of an icon; NULL: not looked at */
    size_t mask_stride;
    uint8_t *canvas;      /* of a packed picture: all of it, RGBA */
};

/* Everything that is shown must be there. Checks LIMIT_PIXELS. */
int dib_rows_open(struct dib_rows *r, const struct dib *d, uint8_t channels, struct complaint *c);
void dib_rows_next(struct dib_rows *r, uint8_t *out);
void dib_rows_done(struct dib_rows *r);

/* ---- run lengths (dib_rle.c) */

/* Draws on a transparent canvas of RGBA, top down; what the codes leave out stays so. */
int dib_unpack(const struct dib *d, uint8_t *canvas, struct complaint *c);

#endif
