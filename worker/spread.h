/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of fewer channels made RGBA. */
#ifndef FOVEA_SPREAD_H
#define FOVEA_SPREAD_H

#include <stdint.h>

enum { SPREAD_PAD = 4 }; /* bytes behind a row of RGB that may be read */

/* n pixels of grey (channels 1), RGB (3) or RGBA (4) become RGBA, opaque where there was no alpha. */
void spread(const uint8_t *row, unsigned channels, uint32_t n, uint8_t *out);

#endif
