/* SPDX-License-Identifier: Apache-2.0 */
/* What several of these decoders do to a row. */
#ifndef FOVEA_PIXELS_H
#define FOVEA_PIXELS_H

#include <stdint.h>

/* Colour that was multiplied by its alpha becomes what it was, as well as 8 bits can tell. n pixels of RGBA. */
static inline void unpremultiply(uint8_t *rgba, uint32_t n)
{
    for (uint8_t *p = rgba; n--; p += 4)
        for (int i = 0; p[3] && p[3] < 255 && i < 3; i++) {
            unsigned v = (p[i] * 255u + p[3] / 2) / p[3];
            p[i] = (uint8_t)(v < 255 ? v : 255);
        }
}

#endif
