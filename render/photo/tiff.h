/* SPDX-License-Identifier: Apache-2.0 */
/* The rooms of the TIFF decoder: which directory is which page, libtiff over memory, rows. */
#ifndef FOVEA_TIFF_H
#define FOVEA_TIFF_H

#include <tiffio.h>

#include "decode.h"

/* ---- pages (tiff_pages.c) */

/* Walks the list of directories: where the page-th picture is, from 1, and how many there are. Small copies and masks are no
 * pages. WORK_BAD_PAGE past the last (of several), with *ret_pages filled in. */
int tiff_find_page(const uint8_t *data, size_t len, uint32_t page, uint64_t *ret_at, uint32_t *ret_pages,
                   struct complaint *c);

/* ---- libtiff over bytes in memory (tiff_file.c) */

struct tiff_file {
    const uint8_t *data;
    size_t len, at;
    TIFF *tiff;
    bool damaged; /* libtiff filled in what could not be decoded */
    struct complaint words; /* its first */
};
int tiff_file_open(struct tiff_file *f, const uint8_t *data, size_t len, struct complaint *c);
void tiff_file_close(struct tiff_file *f);
/* What libtiff said, or else. */
int tiff_file_refuse(const struct tiff_file *f, const char *otherwise, struct complaint *c);

/* ---- what the samples are (tiff_kind.c) */

enum tiff_kind {
    TIFF_GRAY,
    TIFF_PALETTE,
    TIFF_RGB,
    TIFF_INKS,
    TIFF_BY_LIBRARY, /* everything rarer: libtiff makes RGBA of it */
};

struct tiff_info {
    uint32_t width, height;
    enum tiff_kind kind;
    uint16_t bits, samples; /* of a sample; of a pixel */
    uint16_t photometric, compression;
    bool inverted;             /* 0 is white */
    bool alpha, premultiplied; /* the sample behind the colour is alpha */
    bool tiled;
    uint32_t chunk_rows; /* of a strip or tile */
    uint8_t palette[256][4];
    TIFFRGBAImage library; /* TIFF_BY_LIBRARY */
};
/* Of the current directory. Checks LIMIT_SIDE. */
int tiff_read_info(struct tiff_file *f, struct tiff_info *ret, struct complaint *c);
void tiff_info_done(struct tiff_info *info);

/* ---- rows (tiff_rows.c) */

struct tiff_rows {
    struct tiff_file *file;
    struct tiff_info *info;
    uint8_t channels;
    uint32_t y;
    size_t stride;     /* of a row of samples */
    uint32_t rows;     /* that the chunk has room for; 1: rows are read one by one */
    uint8_t *chunk;    /* rows of samples, or of RGBA by the library */
    uint8_t *tile;
    size_t tile_bytes;
};
int tiff_rows_open(struct tiff_rows *r, struct tiff_file *f, struct tiff_info *info, uint8_t channels, struct complaint *c);
int tiff_rows_next(struct tiff_rows *r, uint8_t *out, struct complaint *c);
void tiff_rows_done(struct tiff_rows *r);

/* A row of samples as so many channels. (tiff_expand.c) */
void tiff_expand(const struct tiff_info *info, const uint8_t *samples, uint8_t channels, uint8_t *out);

#endif
