/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures for the worker's tests: drawn ones, photo-like ones, and files read back by the real decoders. */
#ifndef FOVEA_TEST_PIXELS_H
#define FOVEA_TEST_PIXELS_H

#include <stdlib.h>

#include "worker/decode.h"
#include "worker/encode.h"
#include "worker/image.h"

static inline uint32_t noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static inline void set_pixel(struct image *m, uint32_t x, uint32_t y, uint8_t r, uint8_t g, uint8_t b, uint8_t a)
{
    uint8_t *p = m->px + ((size_t)y * m->size.w + x) * 4;
    p[0] = r, p[1] = g, p[2] = b, p[3] = a;
}

static inline struct image flat_image(uint32_t w, uint32_t h, uint8_t r, uint8_t g, uint8_t b, uint8_t a)
{
    struct image m;
    if (image_init(&m, (struct size){w, h}))
        abort();
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++)
            set_pixel(&m, x, y, r, g, b, a);
    m.opaque = a == 255;
    return m;
}

/* Like a photo: a gradient with noise on it. */
static inline struct image noisy_image(uint32_t w, uint32_t h, bool opaque, uint32_t seed)
{
    struct image m = flat_image(w, h, 0, 0, 0, 255);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++)
            set_pixel(&m, x, y, (uint8_t)(x * 200 / w + noise(&seed) % 50), (uint8_t)(y * 200 / h + noise(&seed) % 50),
                      (uint8_t)(noise(&seed) % 256), opaque ? 255 : (uint8_t)(noise(&seed) % 256));
    m.opaque = opaque;
    return m;
}

/* Like a screenshot: boxes of few colours. */
static inline struct image drawn_image(uint32_t w, uint32_t h, uint32_t colours, uint32_t seed)
{
    struct image m = flat_image(w, h, 250, 250, 250, 255);
    for (int n = 0; n < 60; n++) {
        uint32_t x0 = noise(&seed) % w, y0 = noise(&seed) % h, c = noise(&seed) % colours;
        uint32_t x1 = x0 + 1 + noise(&seed) % 60, y1 = y0 + 1 + noise(&seed) % 12;
        for (uint32_t y = y0; y < y1 && y < h; y++)
            for (uint32_t x = x0; x < x1 && x < w; x++)
                set_pixel(&m, x, y, (uint8_t)(c * 37), (uint8_t)(c * 91), (uint8_t)c, 255);
    }
    return m;
}

/* Reads a whole file by its real decoder. */
static inline int read_image(enum media media, const uint8_t *data, size_t len, struct image *ret)
{
    const struct decoder_ops *ops = decoder_of(media);
    struct decoder *d = NULL;
    struct header h;
    struct size size;
    int status = ops->open(&(struct source){.data = data, .len = len}, &d, &h, NULL);
    struct want want = {.frame = 1, .least = {h.width, h.height}, .channels = 4};
    if (!status)
        status = ops->start(d, &want, &size, NULL);
    if (!status && image_init(ret, size))
        abort();
    for (uint32_t y = 0; !status && y < size.h; y++)
        status = ops->row(d, ret->px + y * image_stride(ret), NULL);
    if (!status)
        status = ops->finish(d, NULL);
    if (!status)
        ret->opaque = row_opaque(ret->px, size.w * size.h);
    ops->close(d);
    return status;
}

static inline bool same_pixels(const struct image *a, const struct image *b)
{
    return a->size.w == b->size.w && a->size.h == b->size.h && !memcmp(a->px, b->px, image_stride(a) * a->size.h);
}

/* The largest difference of any byte; 256 when the sizes differ. */
static inline int difference(const struct image *a, const struct image *b)
{
    int most = 0;
    if (a->size.w != b->size.w || a->size.h != b->size.h)
        return 256;
    for (size_t i = 0; i < image_stride(a) * a->size.h; i++)
        most = MAX(most, abs(a->px[i] - b->px[i]));
    return most;
}

#endif
