/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run lengths of 4, 8 and (OS/2's) 24 bits. Codes can leave pixels out: those stay transparent. Data that ends before the code
 * that says so, with pixels still to come, is cut. Each code takes at least two bytes and draws within its row, so the work is
 * bounded by the file and the picture.
 */
#include <string.h>

#include "base/cleanup.h"
#include "dib.h"

struct rle {
    const struct dib *dib;
    uint8_t *canvas;
    const uint8_t *at, *end;
    uint32_t x, y; /* y from the first row in the file */
};

enum { END_OF_LINE, END_OF_PICTURE, MOVE };

static size_t left(const struct rle *r)
{
    return (size_t)(r->end - r->at);
}

static void put(struct rle *r, const uint8_t rgb[3])
{
    const struct dib *d = r->dib;
    uint32_t y = d->top_down ? r->y : d->height - 1 - r->y;
    uint8_t *out = r->canvas + ((size_t)y * d->width + r->x++) * 4;
    memcpy(out, rgb, 3);
    out[3] = 255;
}

/* What is past the end of a row is dropped, as everybody does. */
static unsigned in_row(const struct rle *r, unsigned n)
{
    return MIN(n, r->dib->width - r->x);
}

/* The i-th pixel of some that are spelled out, or that repeat. */
static void put_pixel(struct rle *r, const uint8_t *data, unsigned i)
{
    if (r->dib->packing == DIB_RLE24)
        put(r, (uint8_t[3]){data[i * 3 + 2], data[i * 3 + 1], data[i * 3]});
    else if (r->dib->packing == DIB_RLE8)
        put(r, r->dib->palette[data[i]]);
    else
        put(r, r->dib->palette[i % 2 ? data[i / 2] & 15u : data[i / 2] >> 4]);
}

/* True when it was there. */
static bool spelled_out(struct rle *r, unsigned n)
{
    size_t bytes = r->dib->packing == DIB_RLE24 ? n * 3u : r->dib->packing == DIB_RLE8 ? n : (n + 1) / 2;
    if (bytes > left(r))
        return false;
    for (unsigned i = 0, shown = in_row(r, n); i < shown; i++)
        put_pixel(r, r->at, i);
    r->at += MIN(bytes + bytes % 2, left(r));
    return true;
}

static bool run(struct rle *r, unsigned n)
{
    size_t bytes = r->dib->packing == DIB_RLE24 ? 3 : 1;
    if (bytes > left(r))
        return false;
    for (unsigned i = 0, shown = in_row(r, n); i < shown; i++)
        put_pixel(r, r->at, r->dib->packing == DIB_RLE4 ? i % 2 : 0);
    r->at += bytes;
    return true;
}

static bool move(struct rle *r)
{
    if (left(r) < 2)
        return false;
    r->x = MIN(r->x + r->at[0], r->dib->width);
    r->y = MIN(r->y + r->at[1], r->dib->height);
    r->at += 2;
    return true;
}

static bool next_line(struct rle *r)
{
    r->x = 0;
    return r->y++ < r->dib->height;
}

enum step { GO_ON, ENDED, CUT, DAMAGED };

/* One code: a hole of zeros in the data reads as ends of lines, more than there are. */
static enum step step(struct rle *r)
{
    bool inside = r->y < r->dib->height;
    if (left(r) < 2)
        return CUT;
    unsigned n = *r->at++;
    if (n)
        return !inside ? DAMAGED : run(r, n) ? GO_ON : CUT;
    unsigned code = *r->at++;
    if (code == END_OF_PICTURE)
        return ENDED;
    if (code == END_OF_LINE)
        return next_line(r) ? GO_ON : DAMAGED;
    if (code == MOVE)
        return move(r) ? GO_ON : CUT;
    return !inside ? DAMAGED : spelled_out(r, code) ? GO_ON : CUT;
}

int dib_unpack(const struct dib *d, uint8_t *canvas, struct complaint *c)
{
    enum step s;
    if (d->pixels > d->len)
        return complain(c, WORK_MALFORMED, "the file ends before its pixels");
    struct rle r = {.dib = d, .canvas = canvas, .at = d->data + d->pixels, .end = d->data + d->len};
    while ((s = step(&r)) == GO_ON)
        ;
    /* All rows were given, and only the last word is missing. */
    bool full = r.y >= d->height || (r.y == d->height - 1 && r.x >= d->width);
    if (s == DAMAGED)
        return complain(c, WORK_MALFORMED, "the run lengths go on past the last of %u rows", d->height);
    return s == CUT && !full ? complain(c, WORK_MALFORMED, "the run lengths end in row %u of %u", r.y + 1, d->height) : WORK_OK;
}
