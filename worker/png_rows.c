/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of one PNG image. A plain picture is handed out as it is inflated; an interlaced one (Adam7) has to be whole
 * before its first row is.
 */
#include <string.h>

#include "base/cleanup.h"
#include "bytes.h"
#include "png.h"

static size_t bytes_of(const struct png_info *info, uint32_t width)
{
    return ((size_t)width * info->bits + 7) / 8;
}

/* Reads one row of width pixels of the stream. */
static int read_row(struct png_rows *r, uint32_t width, uint8_t *out, struct complaint *c)
{
    size_t n = bytes_of(r->info, width);
    const uint8_t *row;
    int status = png_stream_take(&r->stream, n + 1, &row, c);
    if (status)
        return status;
    uint8_t *to = !r->expand ? out : r->before == r->stored ? r->stored + r->row_bytes + PNG_SLACK : r->stored;
    if (!png_unfilter(row[0], row + 1, r->before, n, MAX(r->info->bits / 8u, 1u), to))
        return complain(c, WORK_MALFORMED, "unknown filter type %u", row[0]);
    if (r->expand && !r->expand(r->info, to, out, width))
        return complain(c, WORK_MALFORMED, "a pixel is outside the palette of %u colours", r->info->colours);
    r->before = to;
    return WORK_OK;
}

/* One of Adam7's seven pictures, its pixels put where they belong. */
static int read_pass(struct png_rows *r, int pass, uint8_t *line, struct complaint *c)
{
    static const uint8_t x0[] = {0, 4, 0, 2, 0, 1, 0}, dx[] = {8, 8, 4, 4, 2, 2, 1};
    static const uint8_t y0[] = {0, 0, 4, 0, 2, 0, 1}, dy[] = {8, 8, 8, 4, 4, 2, 2};
    uint32_t width = r->width > x0[pass] ? (r->width - x0[pass] + dx[pass] - 1) / dx[pass] : 0;
    r->before = r->blank;
    for (uint32_t y = y0[pass]; width && y < r->height; y += dy[pass]) {
        int status = read_row(r, width, line, c);
        if (status)
            return status;
        uint8_t *to = r->picture + ((size_t)y * r->width + x0[pass]) * 4;
        for (uint32_t x = 0; x < width; x++)
            memcpy(to + (size_t)x * dx[pass] * 4, line + (size_t)x * 4, 4);
    }
    return WORK_OK;
}

static int read_interlaced(struct png_rows *r, struct complaint *c)
{
    auto_free uint8_t *line = malloc((size_t)r->width * 4);
    r->picture = malloc((size_t)r->width * r->height * 4);
    if (!line || !r->picture)
        return complain(c, WORK_NO_MEMORY, "out of memory for an interlaced picture of %ux%u", r->width, r->height);
    for (int pass = 0; pass < 7; pass++) {
        int status = read_pass(r, pass, line, c);
        if (status)
            return status;
    }
    return WORK_OK;
}

int png_rows_open(struct png_rows *r, const struct png_info *info, size_t at, struct size size, uint8_t channels,
                  struct complaint *c)
{
    r->info = info;
    r->width = size.w;
    r->height = size.h;
    r->y = 0;
    r->row_bytes = bytes_of(info, size.w);
    r->expand = png_expand_for(info, channels);
    r->picture = NULL;
    r->stream.buf = NULL;
    r->before = r->blank = calloc(1, r->row_bytes + PNG_SLACK);
    r->stored = r->expand ? calloc(2, r->row_bytes + PNG_SLACK) : NULL;
    int status = !r->blank || (r->expand && !r->stored)
                     ? complain(c, WORK_NO_MEMORY, "out of memory for a row of %zu bytes", r->row_bytes)
                     : png_stream_open(&r->stream, info, at, r->row_bytes + 1, c);
    if (!status && info->interlaced)
        status = read_interlaced(r, c);
    if (status)
        png_rows_done(r);
    return status;
}

int png_rows_next(struct png_rows *r, uint8_t *out, struct complaint *c)
{
    if (r->y >= r->height)
        return complain(c, WORK_MALFORMED, "there are only %u rows", r->height);
    uint32_t y = r->y++;
    if (!r->picture)
        return read_row(r, r->width, out, c);
    memcpy(out, r->picture + (size_t)y * r->width * 4, (size_t)r->width * 4);
    return WORK_OK;
}

int png_rows_end(struct png_rows *r, struct complaint *c)
{
    return png_stream_end(&r->stream, c);
}

void png_rows_done(struct png_rows *r)
{
    free(take(r->blank));
    free(take(r->stored));
    free(take(r->picture));
    png_stream_done(&r->stream);
}
