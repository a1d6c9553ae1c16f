/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoders: one file per format, each variant a row. They take a target-size picture and give a file without any
 * metadata. Functions return 0, -ENOMEM, or -EFBIG when the format cannot hold a picture of that size.
 */
#ifndef FOVEA_ENCODE_H
#define FOVEA_ENCODE_H

#include <stdint.h>

#include "base/media.h"
#include "image.h"

struct encoded {
    uint8_t *data;
    size_t len;
    const struct encoder *by;
    struct size size;
};
static inline void encoded_done(struct encoded *e)
{
    free(e->data);
    e->data = NULL;
}
#define auto_encoded cleanup(encoded_done) struct encoded

enum { SHARES = 9 };
#define share_qualities ((const uint8_t[SHARES]){40, 50, 60, 70, 75, 80, 90, 95, 100})

struct encoder {
    enum media media;
    bool lossless; /* quality means nothing */
    bool alpha;    /* keeps transparency */
    uint32_t max_side;
    /* Bytes at each of share_qualities against those at quality 75, in hundredths, as measured; to foresee a step. Not
     * for lossless rows. */
    uint16_t shares[SHARES];
    int (*encode)(const struct image *m, unsigned quality, struct encoded *ret);
};

/* encode_png_quick takes a tenth of the time and, of drawn pictures, about a third more bytes. */
/* encode_webp is quick for drawn pictures, _photo for photos, _thorough is slow for either; encode_jpeg_fine keeps all of
 * the colour (4:4:4). */
extern const struct encoder encode_webp, encode_webp_photo, encode_webp_thorough, encode_webp_lossless;
extern const struct encoder encode_jpeg, encode_jpeg_fine, encode_png, encode_png_quick;

/*
 * encode_jpeg while the picture's rows are still being made. The picture is borrowed; only the rows that were told of are
 * looked at, and its `opaque` is not. What fails on the way shows at the end. On one thread at a time. free takes NULL.
 * drawn: with codes that suit drawn pictures at about quality 75 instead of the picture's own (see jpeg_codes.c).
 */
struct jpeg_writer;
int jpeg_writer_new(const struct image *m, unsigned quality, bool drawn, struct jpeg_writer **ret);
void jpeg_writer_rows(struct jpeg_writer *w, uint32_t rows); /* so many from the top are there */
int jpeg_writer_end(struct jpeg_writer *w, struct encoded *ret); /* all are there */
void jpeg_writer_free(struct jpeg_writer *w);

/* How many of n pixels (at least one), from the first on, are like it: drawn pictures are long runs. */
size_t pixels_alike(const uint32_t *px, size_t n);

/* The exact colours of a picture, when they are at most 256. */
struct palette {
    uint32_t n;
    uint32_t colour[256]; /* as RGBA lies in memory */
    uint8_t bits;         /* of an index: 1, 2, 4, 8 */
};
bool palette_of(const struct image *m, struct palette *ret);
/* The index of a colour that is in it. */
struct palette_map {
    uint32_t key[1024];
    uint16_t index[1024]; /* + 1; 0 free */
};
void palette_map(const struct palette *p, struct palette_map *ret);
uint8_t palette_index(const struct palette_map *map, uint32_t colour);

#endif
