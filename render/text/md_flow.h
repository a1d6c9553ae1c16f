/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of a document, from its top to its end, cut into pages. A slice is what is never cut: a line of text, a row of a
 * table. Pure arithmetic. */
#ifndef FOVEA_TEXT_MD_FLOW_H
#define FOVEA_TEXT_MD_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice {
    uint32_t block, part; /* which line or row of which block */
    uint32_t line;        /* of the row of a table that is set loosely */
    uint32_t first, last; /* lines of the source that it shows; 0: not known */
    bool begins;          /* and it is the first slice of these */
    float space, height;  /* the space before it is not there at the top of a page */
    bool keep;            /* must not stand alone at the foot of a page */
};

/* The slice behind the last one of a page that begins with `first`: at least one stands on it. */
size_t page_end(const struct slice *slices, size_t n, size_t first, double room);

/* How high slices first to end - 1 are as one page. */
double page_height(const struct slice *slices, size_t first, size_t end);

/* How many pages there are (at least one), and where page `wanted` (from 1) begins; its end is *ret_end. The same when there is
 * no such page: then both are n. */
uint32_t pages_cut(const struct slice *slices, size_t n, double room, uint32_t wanted, size_t *ret_first, size_t *ret_end);

#endif
