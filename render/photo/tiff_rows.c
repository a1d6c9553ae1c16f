/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a TIFF. A strip, or a row of tiles, is decoded at once, which is quicker and lets libtiff see the end of its data; a
 * strip too large for that is decoded row by row. Only one of them is in memory.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "bytes.h"
#include "pixels.h"
#include "tiff.h"

enum { STRIP_BYTES = 32 << 20 }; /* decoded at once */

static size_t row_bytes(const struct tiff_info *i)
{
    if (i->kind == TIFF_BY_LIBRARY)
        return (size_t)i->width * 4;
    return ((size_t)i->width * i->samples * i->bits + 7) / 8;
}

/* Tiles reach beyond the picture, by less than one. */
static int make_tile(struct tiff_rows *r, struct complaint *c)
{
    uint64_t bytes = TIFFTileSize64(r->file->tiff);
    if (!bytes || bytes > LIMIT_TIFF_ROWS)
        return complain(c, WORK_TOO_LARGE, "a tile of %ju bytes", (uintmax_t)bytes);
    r->tile_bytes = (size_t)bytes;
    r->tile = malloc(r->tile_bytes);
    return r->tile ? WORK_OK : complain(c, WORK_NO_MEMORY, "out of memory for a tile");
}

/* A row must be as long as it is thought to be, or libtiff would write past it. */
static int check_stride(const struct tiff_rows *r, struct complaint *c)
{
    if (r->info->kind == TIFF_BY_LIBRARY || r->info->tiled || TIFFScanlineSize64(r->file->tiff) == r->stride)
        return WORK_OK;
    return complain(c, WORK_MALFORMED, "rows of %ju bytes where %zu are needed", (uintmax_t)TIFFScanlineSize64(r->file->tiff),
                    r->stride);
}

int tiff_rows_open(struct tiff_rows *r, struct tiff_file *f, struct tiff_info *info, uint8_t channels, struct complaint *c)
{
    *r = (struct tiff_rows){.file = f, .info = info, .channels = channels ? channels : 4, .stride = row_bytes(info)};
    size_t all;
    r->rows = MIN(info->chunk_rows, info->height);
    int status = check_pixels(info->width, info->height, (uint64_t)info->width * info->height, c);
    if (!status)
        status = check_stride(r, c);
    if (status)
        return status;
    bool fits = times(r->stride, r->rows, &all) && all <= LIMIT_TIFF_ROWS;
    if (info->kind != TIFF_BY_LIBRARY && !info->tiled && (!fits || all > STRIP_BYTES))
        r->rows = 1, all = r->stride;
    else if (!fits)
        return complain(c, WORK_TOO_LARGE, "strips or tiles of %u rows", r->rows);
    r->chunk = malloc(all);
    if (!r->chunk)
        return complain(c, WORK_NO_MEMORY, "out of memory for %u rows", r->rows);
    return info->tiled && info->kind != TIFF_BY_LIBRARY ? make_tile(r, c) : WORK_OK;
}

void tiff_rows_done(struct tiff_rows *r)
{
    free(r->chunk);
    free(r->tile);
    r->chunk = r->tile = NULL;
}

/* A tile's rows into those of the chunk. */
static void place_tile(struct tiff_rows *r, size_t at, uint32_t rows)
{
    size_t tile_stride = (size_t)TIFFTileRowSize64(r->file->tiff), n = MIN(tile_stride, r->stride - at);
    for (uint32_t y = 0; y < rows; y++)
        memcpy(r->chunk + y * r->stride + at, r->tile + y * tile_stride, n);
}

static bool read_tiles(struct tiff_rows *r, uint32_t rows)
{
    TIFF *t = r->file->tiff;
    uint32_t tile_w = 0;
    size_t stride = (size_t)TIFFTileRowSize64(t);
    if (!TIFFGetField(t, TIFFTAG_TILEWIDTH, &tile_w) || !tile_w || !stride || stride * rows > r->tile_bytes)
        return false;
    for (uint32_t x = 0, i = 0; x < r->info->width && i * stride < r->stride; i++) {
        tmsize_t got = TIFFReadEncodedTile(t, TIFFComputeTile(t, x, r->y, 0, 0), r->tile, (tmsize_t)r->tile_bytes);
        if (got < 0 || (size_t)got < r->tile_bytes)
            return false;
        place_tile(r, i * stride, rows);
        if (__builtin_add_overflow(x, tile_w, &x))
            break;
    }
    return true;
}

static bool read_strip(struct tiff_rows *r, uint32_t rows)
{
    TIFF *t = r->file->tiff;
    if (r->rows == 1 && r->info->chunk_rows > 1)
        return TIFFReadScanline(t, r->chunk, r->y, 0) == 1;
    tmsize_t want = (tmsize_t)(rows * r->stride);
    return TIFFReadEncodedStrip(t, TIFFComputeStrip(t, r->y, 0), r->chunk, want) == want;
}

static bool read_by_library(struct tiff_rows *r, uint32_t rows)
{
    TIFFRGBAImage *image = &r->info->library;
    image->row_offset = (int)r->y;
    image->col_offset = 0;
    return TIFFRGBAImageGet(image, (uint32_t *)(void *)r->chunk, r->info->width, rows) == 1;
}

static int read_chunk(struct tiff_rows *r, struct complaint *c)
{
    uint32_t rows = MIN(r->rows, r->info->height - r->y);
    bool good = r->info->kind == TIFF_BY_LIBRARY ? read_by_library(r, rows)
                : r->info->tiled                 ? read_tiles(r, rows)
                                                 : read_strip(r, rows);
    if (!good || r->file->damaged)
        return tiff_file_refuse(r->file, "its pixels are damaged or cut", c);
    return WORK_OK;
}

/* Each pixel is one number, alpha in its highest byte. */
static void unpack(const struct tiff_rows *r, const uint8_t *row, uint8_t *out)
{
    for (uint32_t x = 0; x < r->info->width; x++, row += 4, out += r->channels) {
        uint32_t v;
        memcpy(&v, row, sizeof v);
        memcpy(out, (uint8_t[4]){TIFFGetR(v), TIFFGetG(v), TIFFGetB(v), (uint8_t)TIFFGetA(v)}, r->channels);
    }
}

int tiff_rows_next(struct tiff_rows *r, uint8_t *out, struct complaint *c)
{
    uint32_t in_chunk = r->y % r->rows;
    int status = in_chunk ? WORK_OK : read_chunk(r, c);
    if (status)
        return status;
    const uint8_t *row = r->chunk + in_chunk * r->stride;
    if (r->info->kind == TIFF_BY_LIBRARY) {
        unpack(r, row, out);
        if (r->info->premultiplied && r->channels == 4)
            unpremultiply(out, r->info->width);
    } else {
        tiff_expand(r->info, row, r->channels, out);
    }
    r->y++;
    return WORK_OK;
}
