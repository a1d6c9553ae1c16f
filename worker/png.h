/* SPDX-License-Identifier: Apache-2.0 */
/* The rooms of the PNG decoder: chunks, the inflated stream of one image, unfiltering, rows of RGBA. */
#ifndef FOVEA_PNG_H
#define FOVEA_PNG_H

#include <stdbool.h>
#include <stdint.h>

#include "canvas.h"
#include "decode.h"
#include "inflate.h"

/* ---- chunks (png_chunks.c) */

#define PNG_TYPE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
enum {
    PNG_SIGNATURE = 8, /* bytes before the first chunk */
    PNG_FRAMING = 12,  /* length, type and CRC around a chunk's data */
};

struct png_chunk {
    uint32_t type, len;
    const uint8_t *data;
    size_t next; /* offset of the chunk after it */
};

extern const uint8_t png_signature[PNG_SIGNATURE];

/* The chunk at an offset: within the file, letters in its type, or WORK_MALFORMED. */
int png_chunk_at(const uint8_t *data, size_t len, size_t at, struct png_chunk *ret, struct complaint *c);
int png_crc_check(const struct png_chunk *k, struct complaint *c);

enum png_colour { PNG_GRAY = 0, PNG_RGB = 2, PNG_PALETTE = 3, PNG_GRAY_ALPHA = 4, PNG_RGBA = 6 };

/* What the chunks around the pixels say. */
struct png_info {
    const uint8_t *data;
    size_t len;
    uint32_t width, height;
    uint8_t depth, colour; /* colour: enum png_colour */
    uint8_t bits;          /* of one pixel */
    bool interlaced;
    uint32_t colours; /* in the palette */
    uint8_t palette[256][4];
    uint8_t levels[256][8]; /* gray of less than 8 bits: what the pixels of one byte are */
    bool keyed; /* one colour is transparent; or the palette has alpha */
    uint16_t key[3];
    struct png_chunk icc, exif, gamma, primaries; /* data NULL: none */
    size_t plte, trns, srgb;    /* offsets of those that count; 0 none */
    size_t idat;                /* offset of the first IDAT */
    uint32_t frames;            /* 1 unless a sound animation */
    size_t first_frame;         /* offset of its first fcTL; 0 no animation */
};

/* Walks the whole file: structure, order, checksums of what matters except the pixels' own. */
int png_read_info(const uint8_t *data, size_t len, struct png_info *ret, struct complaint *c);

/* Inflates the profile; *ret is NULL when there is none, it is sRGB, or it is broken. The caller frees. */
int png_read_profile(const struct png_info *info, uint8_t **ret, size_t *ret_len, struct complaint *c);

/* A profile made of gAMA and cHRM, where these say that the pixels are not sRGB; else NULL. The caller frees.
 * (png_gamma.c) */
uint8_t *png_make_profile(const struct png_info *info, size_t *ret_len);

/* ---- the stream of one image (png_stream.c) */

struct png_stream {
    const struct png_info *info;
    uint32_t type; /* IDAT or fdAT */
    size_t at;     /* offset of the next chunk */
    uint8_t *buf;
    size_t room, start, end; /* inflated and not yet taken: buf[start..end) */
    bool ended;
    int status; /* of the chunks: what was wrong with one */
    struct complaint complaint;
    struct inflater z;
};

/* at: the first chunk. longest: the most bytes that will be asked for at once. */
int png_stream_open(struct png_stream *s, const struct png_info *info, size_t at, size_t longest, struct complaint *c);
void png_stream_done(struct png_stream *s);
/* The next n bytes, until more are taken. */
int png_stream_take(struct png_stream *s, size_t n, const uint8_t **ret, struct complaint *c);
/* The data must end here, with the right checksum. */
int png_stream_end(struct png_stream *s, struct complaint *c);

/* ---- filters (png_unfilter.c) */

enum { PNG_SLACK = 16 }; /* readable bytes that must follow a row */

/* Undoes filter type (0..4; false for another) on a row, into out. before: the row above, zeros for the first. */
bool png_unfilter(uint8_t type, const uint8_t *row, const uint8_t *before, size_t len, unsigned bytes_per_pixel,
                  uint8_t *out);

/* ---- channels (png_expand.c) */

typedef bool png_expand(const struct png_info *info, const uint8_t *row, uint8_t *out, uint32_t width);
/* The fewest channels that hold rows of this kind. */
uint8_t png_channels(const struct png_info *info);
/* The function that makes a row of so many channels (those, or 4); it returns false for an index outside the palette.
 * NULL: the stored bytes are that row. */
png_expand *png_expand_for(const struct png_info *info, uint8_t channels);

/* ---- rows (png_rows.c) */

struct png_rows {
    const struct png_info *info;
    uint32_t width, height, y;
    size_t row_bytes; /* longest row, without its filter byte */
    png_expand *expand; /* NULL: rows are given as they are stored */
    uint8_t *blank;     /* a row of zeros */
    const uint8_t *before; /* the row above: where it was given, in stored, or blank */
    uint8_t *stored;    /* two rows, where they are given expanded */
    uint8_t *picture;  /* interlaced: all of it */
    struct png_stream stream;
};

/* Rows of the image whose data chunks start at an offset, with so many channels. */
int png_rows_open(struct png_rows *r, const struct png_info *info, size_t at, struct size size, uint8_t channels,
                  struct complaint *c);
int png_rows_next(struct png_rows *r, uint8_t *out, struct complaint *c);
int png_rows_end(struct png_rows *r, struct complaint *c);
void png_rows_done(struct png_rows *r);

/* ---- animation (png_frames.c) */

/* One frame: where its data is and how it is drawn. at: offset of its fcTL. */
struct png_frame {
    struct frame frame;
    size_t data; /* offset of its first IDAT or fdAT */
    size_t next; /* offset of the next fcTL; 0 after the last */
};
int png_frame_at(const struct png_info *info, size_t at, struct png_frame *ret, struct complaint *c);

/* All of them, of an info that has any. Both are borrowed. */
struct png_player {
    const struct png_info *info;
    struct png_frame frame; /* read last */
};
struct animation png_animation(struct png_player *p, const struct png_info *info);

#endif
