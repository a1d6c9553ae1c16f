/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG filters undone. Each pixel needs its left neighbour, so the work is a chain: for 3 and 4 bytes a pixel, which is
 * nearly every large picture, a pixel is one SSE2 register and the chain is kept short. The plain loops serve the rest
 * and other processors.
 */
#include <string.h>

#include "base/cleanup.h"
#include "png.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static void undo_sub(uint8_t *row, size_t len, unsigned bpp)
{
    for (size_t i = bpp; i < len; i++)
        row[i] = (uint8_t)(row[i] + row[i - bpp]);
}

static void undo_up(uint8_t *restrict row, const uint8_t *restrict up, size_t len)
{
    for (size_t i = 0; i < len; i++)
        row[i] = (uint8_t)(row[i] + up[i]);
}

static void undo_average(uint8_t *row, const uint8_t *up, size_t len, unsigned bpp)
{
    for (size_t i = 0; i < MIN(len, bpp); i++)
        row[i] = (uint8_t)(row[i] + up[i] / 2);
    for (size_t i = bpp; i < len; i++)
        row[i] = (uint8_t)(row[i] + (row[i - bpp] + up[i]) / 2);
}

static void undo_paeth(uint8_t *row, const uint8_t *up, size_t len, unsigned bpp)
{
    for (size_t i = 0; i < MIN(len, bpp); i++)
        row[i] = (uint8_t)(row[i] + up[i]);
    for (size_t i = bpp; i < len; i++) {
        int a = row[i - bpp], b = up[i], c = up[i - bpp];
        int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
        int near = pb < pa ? b : a;
        near = pc < MIN(pa, pb) ? c : near;
        row[i] = (uint8_t)(row[i] + near);
    }
}

#if defined(__SSE2__)

/*
 * Four bytes are read and written even for a pixel of three: the next pixel is read before this one is written, the last
 * one is written exactly, and the caller's buffers have slack for reading.
 */
static inline __m128i load_pixel(const uint8_t *p)
{
    int v;
    memcpy(&v, p, 4);
    return _mm_cvtsi32_si128(v);
}

static inline __attribute__((always_inline)) void store_pixel(uint8_t *p, __m128i v, bool last, unsigned bpp)
{
    int x = _mm_cvtsi128_si32(v);
    if (last)
        memcpy(p, &x, bpp);
    else
        memcpy(p, &x, 4);
}

static inline __attribute__((always_inline)) void sub_pixels(uint8_t *row, size_t len, unsigned bpp)
{
    __m128i left = _mm_setzero_si128(), next = load_pixel(row);
    for (size_t i = 0; i < len; i += bpp) {
        left = _mm_add_epi8(left, next);
        next = load_pixel(row + i + bpp);
        store_pixel(row + i, left, i + bpp >= len, bpp);
    }
}

static inline __attribute__((always_inline)) void average_pixels(uint8_t *row, const uint8_t *up, size_t len,
                                                                 unsigned bpp)
{
    const __m128i one = _mm_set1_epi8(1);
    __m128i left = _mm_setzero_si128(), next = load_pixel(row);
    for (size_t i = 0; i < len; i += bpp) {
        __m128i b = load_pixel(up + i);
        /* The instruction rounds up; PNG rounds down. */
        __m128i mean = _mm_sub_epi8(_mm_avg_epu8(left, b), _mm_and_si128(_mm_xor_si128(left, b), one));
        left = _mm_add_epi8(mean, next);
        next = load_pixel(row + i + bpp);
        store_pixel(row + i, left, i + bpp >= len, bpp);
    }
}

/*
 * Paeth's choice without distances: with t = 3c - a - b, it is the larger of a and b where t <= the smaller, the smaller
 * where t >= the larger, and the corner c between. Only one subtraction and the comparisons wait for the left pixel.
 */
static inline __attribute__((always_inline)) void paeth_pixels(uint8_t *row, const uint8_t *up, size_t len,
                                                               unsigned bpp)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i a = zero, c = zero, next = load_pixel(row);
    for (size_t i = 0; i < len; i += bpp) {
        __m128i b = _mm_unpacklo_epi8(load_pixel(up + i), zero);
        __m128i fixed = _mm_sub_epi16(_mm_add_epi16(c, _mm_add_epi16(c, c)), b);
        __m128i t = _mm_sub_epi16(fixed, a), low = _mm_min_epi16(a, b), high = _mm_max_epi16(a, b);
        __m128i over_low = _mm_cmpgt_epi16(t, low), under_high = _mm_cmpgt_epi16(high, t);
        __m128i between = _mm_and_si128(_mm_and_si128(over_low, under_high), c);
        __m128i outside = _mm_or_si128(_mm_andnot_si128(over_low, high), _mm_andnot_si128(under_high, low));
        /* Added as bytes, so that the upper halves stay 0. */
        a = _mm_add_epi8(_mm_unpacklo_epi8(next, zero), _mm_or_si128(between, outside));
        c = b;
        next = load_pixel(row + i + bpp);
        store_pixel(row + i, _mm_packus_epi16(a, a), i + bpp >= len, bpp);
    }
}

/* The same loop for both widths, with the width known to the compiler. */
static bool unfilter_pixels(uint8_t type, uint8_t *row, const uint8_t *up, size_t len, unsigned bpp)
{
    switch (type << 4 | bpp) {
    case 0x13: sub_pixels(row, len, 3); return true;
    case 0x14: sub_pixels(row, len, 4); return true;
    case 0x33: average_pixels(row, up, len, 3); return true;
    case 0x34: average_pixels(row, up, len, 4); return true;
    case 0x43: paeth_pixels(row, up, len, 3); return true;
    case 0x44: paeth_pixels(row, up, len, 4); return true;
    default: return false;
    }
}

#else

static bool unfilter_pixels(uint8_t type, uint8_t *row, const uint8_t *up, size_t len, unsigned bpp)
{
    (void)type, (void)row, (void)up, (void)len, (void)bpp;
    return false;
}

#endif

bool png_unfilter(uint8_t type, uint8_t *row, const uint8_t *before, size_t len, unsigned bytes_per_pixel)
{
    if (unfilter_pixels(type, row, before, len, bytes_per_pixel))
        return true;
    switch (type) {
    case 0: return true;
    case 1: undo_sub(row, len, bytes_per_pixel); return true;
    case 2: undo_up(row, before, len); return true;
    case 3: undo_average(row, before, len, bytes_per_pixel); return true;
    case 4: undo_paeth(row, before, len, bytes_per_pixel); return true;
    default: return false;
    }
}
