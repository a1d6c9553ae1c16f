/* SPDX-License-Identifier: Apache-2.0 */
/* Deflating into one zlib stream on two threads. */
#ifndef FOVEA_DEFLATE_H
#define FOVEA_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes that a stream of len bytes can take. */
size_t deflate_bound(size_t len);

/* Writes the stream to out, which has that much room, by libdeflate at that level. Large input is cut in two halves that
 * know nothing of each other, for about 0.5 % more bytes; the same input always gives the same stream. Returns its
 * length, or -ENOMEM. */
int64_t deflate(const uint8_t *data, size_t len, int level, uint8_t *out);

#endif
