/* SPDX-License-Identifier: Apache-2.0 */
/* RGB to the planes of lossy WebP: BT.601 in studio range, each chroma sample the mean of its four pixels. */
#ifndef FOVEA_YUV_H
#define FOVEA_YUV_H

#include "image.h"

struct yuv {
    uint8_t *y, *u, *v;
    size_t y_stride, uv_stride;
};

/* Fills planes of the picture's size, the chroma ones of half of it, rounded up. */
void yuv_of(const struct image *m, const struct yuv *planes);

#endif
