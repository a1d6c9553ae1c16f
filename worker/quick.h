/* SPDX-License-Identifier: Apache-2.0 */
/* Deflating pictures that were drawn just now: several times as quick as a library made for all kinds of data, mostly for a tenth
 * more bytes than its quickest level (of pages and charts; of a smooth gradient for two thirds more). The same input in the same
 * pieces always gives the same stream. */
#ifndef FOVEA_QUICK_H
#define FOVEA_QUICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QUICK_WINDOW = 32 * 1024 }; /* bytes that a copy reaches back */

/* A zlib stream that is written to out. NULL: out of memory. */
struct quick;
struct quick *quick_new(uint8_t *out, size_t room);
void quick_free(struct quick *q);

/* The next piece. Right before it in memory lie the last QUICK_WINDOW bytes that came before it, or all of them where they are
 * fewer. False when the room did not do. */
bool quick_add(struct quick *q, const uint8_t *data, size_t len);

/* The last of it. The length of the stream; 0 when the room did not do. */
size_t quick_end(struct quick *q);

#endif
