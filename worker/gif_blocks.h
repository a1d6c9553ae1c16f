/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a GIF, walked without decoding a pixel. */
#ifndef FOVEA_GIF_BLOCKS_H
#define FOVEA_GIF_BLOCKS_H

#include "canvas.h"
#include "decode.h"

enum {
    GIF_HEAD = 13,         /* signature and screen descriptor */
    GIF_CONTROL_BYTES = 8, /* of a control block without surplus */
};

struct gif_screen {
    struct size size;
    size_t first; /* offset of the first block */
};
int gif_read_screen(const uint8_t *data, size_t len, struct gif_screen *ret, struct complaint *c);

enum gif_kind { GIF_IMAGE, GIF_CONTROL, GIF_EXTENSION, GIF_END };

struct gif_block {
    enum gif_kind kind;
    size_t at, next; /* offsets: its first byte, and what follows it */
    uint8_t label;   /* of an extension */
};
/* The block at an offset, whole, or WORK_MALFORMED. */
int gif_block_at(const uint8_t *data, size_t len, size_t at, struct gif_block *ret, struct complaint *c);

struct gif_frame {
    struct frame frame;
    size_t at, codes; /* offsets of its descriptor and of its LZW data */
    size_t control;   /* and of the control block before it; 0 none */
    bool interlaced;
    int transparent; /* colour index; -1 none */
};
/* The next image from *at on, with what the control block before it says; *at moves behind it. *ret_found false when the
 * trailer comes first. */
int gif_next_frame(const uint8_t *data, size_t len, size_t *at, struct gif_frame *ret, bool *ret_found,
                   struct complaint *c);

/* Colours of the image whose descriptor is at an offset: 256 of them, black where the table has none. */
void gif_colours(const uint8_t *data, size_t len, const struct gif_frame *f, uint8_t out[256][4]);

/* Undoes the LZW coding that starts (with its code size) at an offset: exactly count pixels, or false. */
bool gif_unpack(const uint8_t *data, size_t len, size_t at, uint8_t *out, uint32_t count);

/* How far the coding of count pixels reaches, its end code included. */
struct gif_extent {
    size_t last; /* offset of the last sub-block that is used; 0 none */
    size_t end;  /* offset behind the last byte that is used */
};
bool gif_measure(const uint8_t *data, size_t len, size_t at, uint32_t count, struct gif_extent *ret);

#endif
