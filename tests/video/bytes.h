/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes and elements by hand, for files that no muxer would write. */
#ifndef FOVEA_MKVIDEO_BYTES_H
#define FOVEA_MKVIDEO_BYTES_H

#include "base/buf.h"

void add_number(struct buf *b, uint64_t v, unsigned bytes);    /* the highest byte first */
void add_number_le(struct buf *b, uint64_t v, unsigned bytes);
void add_text(struct buf *b, const char *s);
void add_zeros(struct buf *b, size_t n);

/* An ISO box whose length is filled in at its end; returns where it begins. */
size_t box_begin(struct buf *b, const char *type);
void box_end(struct buf *b, size_t at);

/* The same of RIFF. */
size_t chunk_begin(struct buf *b, const char *type);
void chunk_end(struct buf *b, size_t at);

/* Where the four letters stand for the n-th time (from 0), or b->len. */
size_t find_type(const struct buf *b, const char *type, unsigned n);
void put_number(struct buf *b, size_t at, uint64_t v, unsigned bytes); /* over what is there, if it is */

#endif
