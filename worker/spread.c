/* SPDX-License-Identifier: Apache-2.0 */
/* Rows made RGBA, see spread.h. */
#include "spread.h"

#include <string.h>

#if defined(__x86_64__)
#include <tmmintrin.h>
#endif

static void spread_grey(const uint8_t *row, uint32_t n, uint8_t *out)
{
    for (uint32_t x = 0; x < n; x++) {
        const uint8_t rgba[4] = {row[x], row[x], row[x], 255};
        memcpy(out + (size_t)x * 4, rgba, 4);
    }
}

static void spread_rgb(const uint8_t *row, uint32_t n, uint8_t *out)
{
    static const uint8_t opaque_bytes[4] = {0, 0, 0, 255};
    uint32_t opaque;
    memcpy(&opaque, opaque_bytes, 4);
    for (uint32_t x = 0; x < n; x++) {
        uint32_t v; /* the fourth byte is the next pixel's, or slack; it is overwritten */
        memcpy(&v, row + (size_t)x * 3, 4);
        v |= opaque;
        memcpy(out + (size_t)x * 4, &v, 4);
    }
}

#if defined(__x86_64__)

/* Four pixels at a time, where the processor has the shuffle. */
__attribute__((target("ssse3"))) static void spread_rgb_ssse3(const uint8_t *row, uint32_t n, uint8_t *out)
{
    const __m128i places = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    const __m128i opaque = _mm_set1_epi32((int)0xff000000u);
    uint32_t x = 0;
    for (; x + 4 <= n; x += 4) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(row + (size_t)x * 3));
        v = _mm_or_si128(_mm_shuffle_epi8(v, places), opaque);
        _mm_storeu_si128((__m128i *)(void *)(out + (size_t)x * 4), v);
    }
    spread_rgb(row + (size_t)x * 3, n - x, out + (size_t)x * 4);
}

static void spread_colour(const uint8_t *row, uint32_t n, uint8_t *out)
{
    if (__builtin_cpu_supports("ssse3"))
        spread_rgb_ssse3(row, n, out);
    else
        spread_rgb(row, n, out);
}

#else

static void spread_colour(const uint8_t *row, uint32_t n, uint8_t *out)
{
    spread_rgb(row, n, out);
}

#endif

void spread(const uint8_t *row, unsigned channels, uint32_t n, uint8_t *out)
{
    if (channels == 1)
        spread_grey(row, n, out);
    else if (channels == 3)
        spread_colour(row, n, out);
    else
        memcpy(out, row, (size_t)n * 4);
}
