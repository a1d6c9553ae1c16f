/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and boxes in whole pixels. */
#ifndef FOVEA_GEOMETRY_H
#define FOVEA_GEOMETRY_H

#include <stdint.h>

struct size {
    uint32_t w, h;
};

struct rect {
    uint32_t x, y, w, h;
};

#endif
