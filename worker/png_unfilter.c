/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG filters undone. Each pixel needs its left neighbour, so the work is a chain: for 3 and 4 bytes a pixel, which is
 * nearly every large picture, a pixel is one SSE2 register and the chain is kept short (in Paeth, the distance of the
 * left neighbour does not depend on it). The plain loops serve the rest and other processors.
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

/* Four bytes are read even for a pixel of three: the caller's buffers have the slack. */
static inline __m128i load_pixel(const uint8_t *p)
{
    int v;
    memcpy(&v, p, 4);
    return _mm_cvtsi32_si128(v);
}

static inline __attribute__((always_inline)) void store_pixel(uint8_t *p, __m128i v, unsigned bpp)
{
    int x = _mm_cvtsi128_si32(v);
    memcpy(p, &x, bpp);
}

static inline __attribute__((always_inline)) void sub_pixels(uint8_t *row, size_t len, unsigned bpp)
{
    __m128i left = _mm_setzero_si128();
    for (size_t i = 0; i + bpp <= len; i += bpp) {
        left = _mm_add_epi8(left, load_pixel(row + i));
        store_pixel(row + i, left, bpp);
    }
}

static inline __attribute__((always_inline)) void average_pixels(uint8_t *row, const uint8_t *up, size_t len,
                                                                 unsigned bpp)
{
    const __m128i one = _mm_set1_epi8(1);
    __m128i left = _mm_setzero_si128();
    for (size_t i = 0; i + bpp <= len; i += bpp) {
        __m128i b = load_pixel(up + i);
        /* The instruction rounds up; PNG rounds down. */
        __m128i mean = _mm_sub_epi8(_mm_avg_epu8(left, b), _mm_and_si128(_mm_xor_si128(left, b), one));
        left = _mm_add_epi8(mean, load_pixel(row + i));
        store_pixel(row + i, left, bpp);
    }
}

static inline __m128i magnitude(__m128i v)
{
    return _mm_max_epi16(v, _mm_sub_epi16(_mm_setzero_si128(), v));
}

static inline __m128i choose(__m128i mask, __m128i yes, __m128i no)
{
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

static inline __attribute__((always_inline)) void paeth_pixels(uint8_t *row, const uint8_t *up, size_t len,
                                                               unsigned bpp)
{
    const __m128i zero = _mm_setzero_si128(), low = _mm_set1_epi16(255);
    __m128i a = zero, c = zero;
    for (size_t i = 0; i + bpp <= len; i += bpp) {
        __m128i b = _mm_unpacklo_epi8(load_pixel(up + i), zero);
        __m128i x = _mm_unpacklo_epi8(load_pixel(row + i), zero);
        __m128i to_b = _mm_sub_epi16(b, c), to_a = _mm_sub_epi16(a, c);
        __m128i pa = magnitude(to_b), pb = magnitude(to_a), pc = magnitude(_mm_add_epi16(to_a, to_b));
        __m128i least = _mm_min_epi16(pc, _mm_min_epi16(pa, pb));
        /* Ties go to left, then above, then the corner. */
        __m128i near = choose(_mm_cmpeq_epi16(least, pb), b, c);
        near = choose(_mm_cmpeq_epi16(least, pa), a, near);
        a = _mm_and_si128(_mm_add_epi16(x, near), low);
        c = b;
        store_pixel(row + i, _mm_packus_epi16(a, a), bpp);
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
