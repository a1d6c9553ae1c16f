/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker does while it waits. */
#ifndef FOVEA_WARM_H
#define FOVEA_WARM_H

enum { KEPT_BLOCK = 32 << 20 }; /* blocks up to that are of the heap, and twice that of it stays when it is freed: the most libc allows */

/* Runs the usual paths once on a tiny picture and touches the memory that an ordinary one needs. */
void warm_up(void);

/* For programs that draw: encodes such a page as it will be encoded. */
struct image;
void warm_page(const struct image *m);

#endif
