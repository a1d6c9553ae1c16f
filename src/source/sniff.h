/* SPDX-License-Identifier: Apache-2.0 */
/* Type and outline of a file from its first bytes; never from its name. Pure and bounded. */
#ifndef FOVEA_SNIFF_H
#define FOVEA_SNIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/media.h"

struct sniff {
    enum media media;
    uint32_t width, height; /* as stored, before orientation; 0 when the header does not tell */
    uint32_t frames;        /* 0 when the header does not tell */
    bool alpha;             /* the header allows pixels that are not opaque */
    uint8_t orientation;    /* EXIF 1..8; 1 when none is told */
};

/* Looks at head (the first len bytes of a file of file_len bytes; at most LIMIT_SNIFF_BYTES are used). */
void sniff(const void *head, size_t len, uint64_t file_len, struct sniff *ret);

#endif
