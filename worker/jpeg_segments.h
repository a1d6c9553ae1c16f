/* SPDX-License-Identifier: Apache-2.0 */
/* The segments of a JPEG, and what is in them beside the picture. */
#ifndef FOVEA_JPEG_SEGMENTS_H
#define FOVEA_JPEG_SEGMENTS_H

#include "decode.h"

enum {
    MARK_SOF = 0xc0, /* 16 of them, tables among them */
    MARK_JPG = 0xc8, /* but this one has no meaning */
    MARK_SOI = 0xd8,
    MARK_EOI = 0xd9,
    MARK_SOS = 0xda,
    MARK_DQT = 0xdb,
    MARK_DRI = 0xdd,
    MARK_APP = 0xe0, /* APP0 .. APP15 */
    MARK_ADOBE = 0xee,
    MARK_COM = 0xfe,
};

struct jpeg_segment {
    uint8_t marker;
    const uint8_t *data; /* after the length */
    size_t len;
    size_t at, next; /* offsets of its marker and of what follows */
};

/* The segment at an offset, fill bytes skipped. False when there is none that is whole. */
bool jpeg_segment_at(const uint8_t *data, size_t len, size_t at, struct jpeg_segment *ret);

/* How many bytes of coded data there are from an offset on, without restarts that nothing follows and fill bytes.
 * *ret_next is where the marker behind them stands, len when there is none. */
size_t jpeg_scan_at(const uint8_t *data, size_t len, size_t at, size_t *ret_next);

struct jpeg_extras {
    uint8_t orientation;
    uint8_t *icc; /* joined in order; the caller frees. NULL none, or sRGB, or broken */
    size_t icc_len;
};
int jpeg_read_extras(const uint8_t *data, size_t len, struct jpeg_extras *ret, struct complaint *c);

#endif
