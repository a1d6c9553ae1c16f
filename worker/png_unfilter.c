/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG filters undone. Each pixel needs its left neighbour, so the work is a chain: for colour, which is nearly every
 * large picture, a pixel is one SSE2 register and the chain is kept short. The plain loops serve the rest and other
 * processors.
 */
#include <string.h>

#include "base/cleanup.h"
#include "png.h"

#if defined(__SSE2__) && defined(__x86_64__)
#include <emmintrin.h>
#endif

/* Nothing to add for QUIET bytes from i on: most of a page is like that. */
enum { QUIET = 16 };
static bool quiet(const uint8_t *row, size_t i, size_t len)
{
    uint64_t two[QUIET / 8];
    if (row[i] || len - i < QUIET)
        return false;
    memcpy(two, row + i, sizeof two);
    return !(two[0] | two[1]);
}

static void undo_sub(const uint8_t *row, size_t len, unsigned bpp, uint8_t *out)
{
    memcpy(out, row, MIN(len, bpp));
    for (size_t i = bpp; i < len; i++) {
        out[i] = (uint8_t)(row[i] + out[i - bpp]);
        for (; bpp == 1 && i + 1 < len && quiet(row, i + 1, len); i += QUIET)
            memset(out + i + 1, out[i], QUIET);
    }
}

static void undo_up(const uint8_t *row, const uint8_t *up, size_t len, uint8_t *out)
{
    typedef uint8_t lanes __attribute__((vector_size(16), may_alias, aligned(1)));
    size_t i = 0;
    for (; i + sizeof(lanes) <= len; i += sizeof(lanes))
        *(lanes *)(out + i) = *(const lanes *)(row + i) + *(const lanes *)(up + i);
    for (; i < len; i++)
        out[i] = (uint8_t)(row[i] + up[i]);
}

static void undo_average(const uint8_t *row, const uint8_t *up, size_t len, unsigned bpp, uint8_t *out)
{
    for (size_t i = 0; i < MIN(len, bpp); i++)
        out[i] = (uint8_t)(row[i] + up[i] / 2);
    for (size_t i = bpp; i < len; i++)
        out[i] = (uint8_t)(row[i] + (out[i - bpp] + up[i]) / 2);
}

/*
 * Paeth's choice without distances: with t = 3c - a - b, it is the larger of a and b where t <= the smaller, the smaller
 * where t >= the larger, and the corner c between. Only one subtraction and the comparisons wait for the left pixel.
 */
static void undo_paeth(const uint8_t *row, const uint8_t *up, size_t len, unsigned bpp, uint8_t *out)
{
    for (size_t i = 0; i < MIN(len, bpp); i++)
        out[i] = (uint8_t)(row[i] + up[i]);
    for (size_t i = bpp; i < len; i++) {
        int a = out[i - bpp], b = up[i], c = up[i - bpp];
        int t = 3 * c - a - b, low = MIN(a, b), high = MAX(a, b);
        int near = t <= low ? high : t >= high ? low : c;
        out[i] = (uint8_t)(row[i] + near);
        /* Where the left pixel is the corner, the choice is the pixel above, and so for the next. */
        for (; bpp == 1 && out[i] == up[i] && i + 1 < len && quiet(row, i + 1, len); i += QUIET)
            memcpy(out + i + 1, up + i + 1, QUIET);
    }
}

#if defined(__SSE2__) && defined(__x86_64__)

#define PIXEL_LOOP static inline __attribute__((always_inline))

/* Four bytes are read and written for a pixel of three, eight for one of six: the last one is written exactly, and the
 * caller's buffers have slack for reading. */
PIXEL_LOOP __m128i load_pixel(const uint8_t *p, unsigned bpp)
{
    if (bpp > 4)
        return _mm_loadl_epi64((const __m128i *)(const void *)p);
    int v;
    memcpy(&v, p, 4);
    return _mm_cvtsi32_si128(v);
}

PIXEL_LOOP void store_pixel(uint8_t *p, __m128i v, bool last, unsigned bpp)
{
    int64_t x = _mm_cvtsi128_si64(v);
    if (last)
        memcpy(p, &x, bpp);
    else
        memcpy(p, &x, bpp > 4 ? 8 : 4);
}

PIXEL_LOOP void sub_pixels(const uint8_t *row, size_t len, unsigned bpp, uint8_t *out)
{
    __m128i left = _mm_setzero_si128(), next = load_pixel(row, bpp);
    for (size_t i = 0; i < len; i += bpp) {
        left = _mm_add_epi8(left, next);
        next = load_pixel(row + i + bpp, bpp);
        store_pixel(out + i, left, i + bpp >= len, bpp);
    }
}

PIXEL_LOOP void average_pixels(const uint8_t *row, const uint8_t *up, size_t len, unsigned bpp, uint8_t *out)
{
    const __m128i one = _mm_set1_epi8(1);
    __m128i left = _mm_setzero_si128(), next = load_pixel(row, bpp);
    for (size_t i = 0; i < len; i += bpp) {
        __m128i b = load_pixel(up + i, bpp);
        /* The instruction rounds up; PNG rounds down. */
        __m128i mean = _mm_sub_epi8(_mm_avg_epu8(left, b), _mm_and_si128(_mm_xor_si128(left, b), one));
        left = _mm_add_epi8(mean, next);
        next = load_pixel(row + i + bpp, bpp);
        store_pixel(out + i, left, i + bpp >= len, bpp);
    }
}

/* Pixels a step at a time, a whole number of registers: 16 of 3 or 6 bytes, 8 of 4 or 8. */
PIXEL_LOOP size_t step_of(unsigned bpp)
{
    return bpp % 3 ? 8 * bpp : 16 * bpp;
}

PIXEL_LOOP bool all_zero(const uint8_t *p, size_t len)
{
    __m128i any = _mm_setzero_si128();
    for (size_t i = 0; i < len; i += 16)
        any = _mm_or_si128(any, _mm_loadu_si128((const __m128i *)(const void *)(p + i)));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(any, _mm_setzero_si128())) == 0xffff;
}

/* The first bpp words. */
PIXEL_LOOP bool same_pixel(__m128i a, __m128i b, unsigned bpp)
{
    unsigned mask = (1u << 2 * bpp) - 1;
    return ((unsigned)_mm_movemask_epi8(_mm_cmpeq_epi16(a, b)) & mask) == mask;
}

/* What the chain carries from pixel to pixel: left and corner as words, and the next one's bytes. */
struct paeth {
    __m128i a, c, next;
};

/* Chooses as undo_paeth does, by masks. The last pixel is written exactly, so that what follows is left as it was. */
PIXEL_LOOP void paeth_step(struct paeth *s, const uint8_t *row, const uint8_t *up, size_t len, unsigned bpp,
                           uint8_t *out)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i a = s->a, c = s->c, next = s->next;
    for (size_t i = 0; i < len; i += bpp) {
        __m128i b = _mm_unpacklo_epi8(load_pixel(up + i, bpp), zero);
        __m128i fixed = _mm_sub_epi16(_mm_add_epi16(c, _mm_add_epi16(c, c)), b);
        __m128i t = _mm_sub_epi16(fixed, a), low = _mm_min_epi16(a, b), high = _mm_max_epi16(a, b);
        __m128i over_low = _mm_cmpgt_epi16(t, low), under_high = _mm_cmpgt_epi16(high, t);
        __m128i between = _mm_and_si128(_mm_and_si128(over_low, under_high), c);
        __m128i outside = _mm_or_si128(_mm_andnot_si128(over_low, high), _mm_andnot_si128(under_high, low));
        /* Added as bytes, so that the upper halves stay 0. */
        a = _mm_add_epi8(_mm_unpacklo_epi8(next, zero), _mm_or_si128(between, outside));
        c = b;
        next = load_pixel(row + i + bpp, bpp);
        store_pixel(out + i, _mm_packus_epi16(a, a), i + bpp >= len, bpp);
    }
    *s = (struct paeth){a, c, next};
}

/* Where the left pixel is the corner, the choice is the pixel above; with nothing to add it is so for the next pixel
 * too. Most of a screenshot is like that, and whole steps are copied then. */
PIXEL_LOOP void paeth_pixels(const uint8_t *row, const uint8_t *up, size_t len, unsigned bpp, uint8_t *out)
{
    const __m128i zero = _mm_setzero_si128();
    const size_t step = step_of(bpp);
    struct paeth s = {zero, zero, load_pixel(row, bpp)};
    size_t i = 0;
    for (; i + step < len; i += step) {
        if (!all_zero(row + i, step) || !same_pixel(s.a, s.c, bpp)) {
            paeth_step(&s, row + i, up + i, step, bpp, out + i);
            continue;
        }
        for (; i + 2 * step < len && all_zero(row + i + step, step); i += step)
            memcpy(out + i, up + i, step);
        memcpy(out + i, up + i, step);
        s.a = s.c = _mm_unpacklo_epi8(load_pixel(up + i + step - bpp, bpp), zero);
        s.next = load_pixel(row + i + step, bpp);
    }
    paeth_step(&s, row + i, up + i, len - i, bpp, out + i);
}

PIXEL_LOOP bool unfilter_as(uint8_t type, const uint8_t *row, const uint8_t *up, size_t len, unsigned bpp, uint8_t *out)
{
    switch (type) {
    case 1: sub_pixels(row, len, bpp, out); return true;
    case 3: average_pixels(row, up, len, bpp, out); return true;
    case 4: paeth_pixels(row, up, len, bpp, out); return true;
    default: return false;
    }
}

/* The same loops for each width, with the width known to the compiler. */
static bool unfilter_pixels(uint8_t type, const uint8_t *row, const uint8_t *up, size_t len, unsigned bpp, uint8_t *out)
{
    switch (bpp) {
    case 3: return unfilter_as(type, row, up, len, 3, out);
    case 4: return unfilter_as(type, row, up, len, 4, out);
    case 6: return unfilter_as(type, row, up, len, 6, out);
    case 8: return unfilter_as(type, row, up, len, 8, out);
    default: return false;
    }
}

#else

static bool unfilter_pixels(uint8_t type, const uint8_t *row, const uint8_t *up, size_t len, unsigned bpp, uint8_t *out)
{
    (void)type, (void)row, (void)up, (void)len, (void)bpp, (void)out;
    return false;
}

#endif

bool png_unfilter(uint8_t type, const uint8_t *row, const uint8_t *before, size_t len, unsigned bytes_per_pixel,
                  uint8_t *out)
{
    if (unfilter_pixels(type, row, before, len, bytes_per_pixel, out))
        return true;
    switch (type) {
    case 0: memcpy(out, row, len); return true;
    case 1: undo_sub(row, len, bytes_per_pixel, out); return true;
    case 2: undo_up(row, before, len, out); return true;
    case 3: undo_average(row, before, len, bytes_per_pixel, out); return true;
    case 4: undo_paeth(row, before, len, bytes_per_pixel, out); return true;
    default: return false;
    }
}
