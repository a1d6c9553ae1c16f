/* SPDX-License-Identifier: Apache-2.0 */
/* Colour planes for lossy WebP, see yuv.h. One source, compiled for AVX2 too: the compiler makes vectors of it. */
#include "yuv.h"

#define INLINED static inline __attribute__((always_inline))

/* 16.16 fixed point: what a decoder of lossy WebP undoes. */
static inline uint8_t luma(uint32_t p)
{
    uint32_t r = p & 255, g = p >> 8 & 255, b = p >> 16 & 255;
    return (uint8_t)((16839 * r + 33059 * g + 6420 * b + (16 << 16) + (1 << 15)) >> 16);
}

INLINED void luma_row(const uint32_t *restrict row, uint32_t w, uint8_t *restrict out)
{
    for (uint32_t x = 0; x < w; x++)
        out[x] = luma(row[x]);
}

/* Two channels of four pixels are summed at once: r and b have room for carries between them. */
INLINED void chroma_of(uint32_t rb, uint32_t g4, uint8_t *u, uint8_t *v)
{
    int32_t r = (int32_t)(rb & 0xffff), b = (int32_t)(rb >> 16), g = (int32_t)g4;
    *u = (uint8_t)((-9719 * r - 19081 * g + 28800 * b + (128 << 18) + (1 << 17)) >> 18);
    *v = (uint8_t)((28800 * r - 24116 * g - 4684 * b + (128 << 18) + (1 << 17)) >> 18);
}

INLINED void chroma_row(const uint32_t *restrict a, const uint32_t *restrict b, uint32_t w, uint8_t *restrict u,
                        uint8_t *restrict v)
{
    const uint32_t mask = 0x00ff00ff;
    for (uint32_t x = 0; x < w / 2; x++) {
        uint32_t p = a[2 * x], q = a[2 * x + 1], r = b[2 * x], s = b[2 * x + 1];
        uint32_t g = (p >> 8 & 255) + (q >> 8 & 255) + (r >> 8 & 255) + (s >> 8 & 255);
        chroma_of((p & mask) + (q & mask) + (r & mask) + (s & mask), g, u + x, v + x);
    }
    if (w & 1) {
        uint32_t p = a[w - 1], q = b[w - 1];
        chroma_of(2 * ((p & mask) + (q & mask)), 2 * ((p >> 8 & 255) + (q >> 8 & 255)), u + w / 2, v + w / 2);
    }
}

INLINED void convert(const struct image *m, const struct yuv *to)
{
    const uint32_t *px = (const uint32_t *)(const void *)m->px;
    uint32_t w = m->size.w, h = m->size.h;
    for (uint32_t y = 0; y < h; y += 2) {
        const uint32_t *a = px + (size_t)y * w, *b = y + 1 < h ? a + w : a;
        luma_row(a, w, to->y + y * to->y_stride);
        if (y + 1 < h)
            luma_row(b, w, to->y + (y + 1) * to->y_stride);
        chroma_row(a, b, w, to->u + y / 2 * to->uv_stride, to->v + y / 2 * to->uv_stride);
    }
}

static void convert_plain(const struct image *m, const struct yuv *to)
{
    convert(m, to);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void convert_avx2(const struct image *m, const struct yuv *to)
{
    convert(m, to);
}

void yuv_of(const struct image *m, const struct yuv *planes)
{
    (__builtin_cpu_supports("avx2") ? convert_avx2 : convert_plain)(m, planes);
}
#else
void yuv_of(const struct image *m, const struct yuv *planes)
{
    convert_plain(m, planes);
}
#endif
