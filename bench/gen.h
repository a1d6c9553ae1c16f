/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The corpus of the benchmark: pictures made by these functions alone, the same bytes every time (own random numbers,
 * no clock, no network; text is drawn by cairo with the DejaVu fonts). A bench tool: it may exit when out of memory.
 */
#ifndef FOVEA_BENCH_GEN_H
#define FOVEA_BENCH_GEN_H

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---------------------------------------------------------------- random numbers and words */

struct rng {
    uint64_t state;
};
uint32_t rng_next(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t n); /* 0 .. n-1 */
double rng_unit(struct rng *r);                /* 0 .. 1 */

const char *rng_word(struct rng *r);                          /* an English word */
void rng_sentence(struct rng *r, unsigned words, char *buf, size_t size); /* capital first, full stop last */
void rng_title(struct rng *r, unsigned words, char *buf, size_t size);
void rng_code_line(struct rng *r, char *buf, size_t size); /* looks like a line of a program */

/* ---------------------------------------------------------------- rasters */

/* 8-bit samples, rows without padding; frames of an animation are stacked. channels 3 is RGB, 4 RGBA (not
 * premultiplied). */
struct raster {
    uint32_t w, h;
    unsigned channels;
    uint8_t *px;
};
void raster_init(struct raster *r, uint32_t w, uint32_t h, unsigned channels);
void raster_done(struct raster *r);

/* ---------------------------------------------------------------- painters */

/* What a painter draws on: cr is scaled, so that w x h are the units of layout. Words drawn go to truth as well. */
struct scene {
    cairo_t *cr;
    double w, h;
    struct rng rng;
    bool dark;
    unsigned frame;
    FILE *truth;
};
typedef void paint_fn(struct scene *s);

paint_fn paint_app, paint_phone, paint_code, paint_terminal, paint_page, paint_document, paint_dashboard, paint_chart,
    paint_window, paint_icon;

/* Paints frames of w x h pixels at scale and makes RGB, or RGBA where alpha is asked for. */
void paint(paint_fn *fn, const struct scene *like, uint32_t w, uint32_t h, double scale, unsigned frames, bool alpha,
           struct raster *ret);

/* True when text comes out in the DejaVu fonts and not in whatever stands in for them. */
bool fonts_present(void);

enum photo_look { PHOTO_DAY, PHOTO_DUSK, PHOTO_SNOW, PHOTO_FOREST, PHOTO_LOOKS };
void photo(enum photo_look look, uint32_t seed, uint32_t w, uint32_t h, struct raster *ret);

/* Drawing kit of the painters. Colours are 0xRRGGBB. */
enum face { SANS, SANS_BOLD, MONO, MONO_BOLD, SERIF, SERIF_BOLD };
void ink(struct scene *s, uint32_t rgb);
void ink_alpha(struct scene *s, uint32_t rgb, double alpha);
void box(struct scene *s, double x, double y, double w, double h, uint32_t rgb);
void round_box(struct scene *s, double x, double y, double w, double h, double radius, uint32_t rgb);
void line(struct scene *s, double x0, double y0, double x1, double y1, double width, uint32_t rgb);
double text_width(struct scene *s, enum face face, double size, const char *words);
void text(struct scene *s, double x, double y, enum face face, double size, uint32_t rgb, const char *words);
void text_right(struct scene *s, double x, double y, enum face face, double size, uint32_t rgb, const char *words);
void text_middle(struct scene *s, double x, double y, enum face face, double size, uint32_t rgb, const char *words);

/* ---------------------------------------------------------------- writers */

enum png_kind { PNG_RGB, PNG_RGBA, PNG_GRAY, PNG_RGB16, PNG_PALETTE, PNG_BILEVEL };

struct how {
    enum png_kind png;
    bool interlaced, progressive, cmyk, gray, lossless;
    bool unfiltered; /* PNG rows as they are: smaller for flat screens */
    int quality;     /* of JPEG and WebP; zlib's level of PNG */
    int orientation; /* of EXIF; 0 writes no EXIF */
    unsigned frames;
};

/* Each returns 0, or -1 with the file not of use. */
typedef int write_fn(const char *path, const struct raster *r, const struct how *how);
write_fn write_png, write_jpeg, write_webp, write_gif;

/* At most 256 colours: exact where there are no more, else the nearest of a fixed cube. indices has w*h bytes. */
unsigned to_palette(const struct raster *r, uint8_t palette[256][3], uint8_t *indices);

#endif
