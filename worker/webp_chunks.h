/* SPDX-License-Identifier: Apache-2.0 */
/* The RIFF chunks of a WebP, and its frames. */
#ifndef FOVEA_WEBP_CHUNKS_H
#define FOVEA_WEBP_CHUNKS_H

#include "canvas.h"
#include "decode.h"

/* As the four letters read in the file. */
#define WEBP_TYPE(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
enum {
    WEBP_HEAD = 12,    /* "RIFF", size, "WEBP" */
    WEBP_ANIMATED = 2, /* flags of VP8X */
    WEBP_XMP = 4,
    WEBP_EXIF = 8,
    WEBP_ALPHA = 16,
    WEBP_ICC = 32,
};

struct webp_chunk {
    uint32_t type;
    const uint8_t *data;
    size_t len;
    size_t at, next;
};

struct webp_info {
    const uint8_t *data;
    size_t len; /* by the RIFF header; the file may be longer */
    uint8_t flags;
    struct size canvas; /* of VP8X; 0x0 without one */
    uint32_t frames;    /* of an animation; 0 none */
    size_t first_frame; /* offset of the first ANMF */
    struct webp_chunk icc, exif;
};
int webp_read_info(const uint8_t *data, size_t len, struct webp_info *ret, struct complaint *c);

/* The chunk at an offset, padded to an even length. *ret_found false at the end of the file. */
int webp_chunk_at(const struct webp_info *info, size_t at, struct webp_chunk *ret, bool *ret_found,
                  struct complaint *c);

/* True when the bitstream of a still picture, and of its alpha if there is one, fills its chunk, but for bytes that hold
 * nothing. False also when that cannot be told. (webp_end.c) */
bool webp_is_full(const struct webp_info *info, const struct webp_chunk *picture, const struct webp_chunk *alpha,
                  struct size size);

struct webp_frame {
    struct frame frame; /* transparent is not filled in: the bitstream knows */
    const uint8_t *data;
    size_t len;
};
/* The next frame from *at on, which moves behind it. */
int webp_next_frame(const struct webp_info *info, size_t *at, struct webp_frame *ret, struct complaint *c);

#endif
