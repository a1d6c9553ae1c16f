/* SPDX-License-Identifier: Apache-2.0 */
/* The resampler's inner loops for every x86-64: two taps of four channels a step (pmaddwd). */
#if defined(__x86_64__)
#include <emmintrin.h>
#include <string.h>

#include "kernel.h"

static __m128i pair_of(const int16_t *weight)
{
    int32_t both;
    memcpy(&both, weight, sizeof both);
    return _mm_set1_epi32(both);
}

/* Two pixels of 16-bit channels, r g b a r g b a, become r r g g b b a a. */
static __m128i by_channel(__m128i two)
{
    return _mm_unpacklo_epi16(two, _mm_srli_si128(two, 8));
}

static void store4(int16_t *out, __m128i sum)
{
    _mm_storel_epi64((__m128i *)out, _mm_packs_epi32(sum, sum));
}

static __m128i load4(const uint8_t *p)
{
    int32_t four;
    memcpy(&four, p, sizeof four);
    return _mm_cvtsi32_si128(four);
}

/* Eight taps a step, and four more: taps come in fours. */
void across_grey_sse2(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out)
{
    const int shift = WEIGHT_BITS - MID_BITS;
    const __m128i zero = _mm_setzero_si128();
    for (uint32_t x = 0; x < n_out; x++) {
        const uint8_t *p = row + taps[x].first;
        const int16_t *w = taps[x].weight;
        __m128i sum = _mm_cvtsi32_si128(1 << (shift - 1));
        uint32_t i = 0;
        for (; i + 8 <= taps[x].n; i += 8) {
            __m128i eight = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(p + i)), zero);
            sum = _mm_add_epi32(sum, _mm_madd_epi16(eight, _mm_loadu_si128((const __m128i *)(w + i))));
        }
        if (i < taps[x].n) {
            __m128i four = _mm_unpacklo_epi8(load4(p + i), zero);
            sum = _mm_add_epi32(sum, _mm_madd_epi16(four, _mm_loadl_epi64((const __m128i *)(w + i))));
        }
        sum = _mm_add_epi32(sum, _mm_srli_si128(sum, 8));
        sum = _mm_srai_epi32(_mm_add_epi32(sum, _mm_srli_si128(sum, 4)), shift);
        int64_t level = (uint16_t)_mm_cvtsi128_si32(sum);
        level |= level << 16 | level << 32 | (int64_t)MID_OPAQUE << 48;
        memcpy(out + x * 4, &level, sizeof level);
    }
}

static void across_rgb(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out)
{
    const int shift = WEIGHT_BITS - MID_BITS;
    const __m128i half = _mm_set1_epi32(1 << (shift - 1)), zero = _mm_setzero_si128();
    const __m128i colour = _mm_setr_epi32(-1, -1, -1, 0), opaque = _mm_setr_epi32(0, 0, 0, MID_OPAQUE);
    for (uint32_t x = 0; x < n_out; x++) {
        const uint8_t *p = row + (size_t)taps[x].first * 3;
        __m128i sum = half;
        for (uint32_t i = 0; i < taps[x].n; i += 2) {
            __m128i two = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(p + i * 3)), zero);
            __m128i split = _mm_unpacklo_epi16(two, _mm_srli_si128(two, 6)); /* and a fourth pair that is neither's */
            sum = _mm_add_epi32(sum, _mm_madd_epi16(split, pair_of(taps[x].weight + i)));
        }
        store4(out + x * 4, _mm_or_si128(_mm_and_si128(_mm_srai_epi32(sum, shift), colour), opaque));
    }
}

static void across8(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out)
{
    const int shift = WEIGHT_BITS - MID_BITS;
    const __m128i half = _mm_set1_epi32(1 << (shift - 1)), zero = _mm_setzero_si128();
    for (uint32_t x = 0; x < n_out; x++) {
        const uint8_t *p = row + (size_t)taps[x].first * 4;
        __m128i sum = half;
        for (uint32_t i = 0; i < taps[x].n; i += 2) {
            __m128i two = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(p + i * 4)), zero);
            sum = _mm_add_epi32(sum, _mm_madd_epi16(by_channel(two), pair_of(taps[x].weight + i)));
        }
        store4(out + x * 4, _mm_srai_epi32(sum, shift));
    }
}

static void across16(const int16_t *row, const struct taps *taps, uint32_t n_out, int16_t *out)
{
    const int shift = WEIGHT_BITS + COVER_BITS - MID_BITS;
    const __m128i half = _mm_set1_epi32(1 << (shift - 1));
    for (uint32_t x = 0; x < n_out; x++) {
        const int16_t *p = row + (size_t)taps[x].first * 4;
        __m128i sum = half;
        for (uint32_t i = 0; i < taps[x].n; i += 2) {
            __m128i two = _mm_loadu_si128((const __m128i *)(p + i * 4));
            sum = _mm_add_epi32(sum, _mm_madd_epi16(by_channel(two), pair_of(taps[x].weight + i)));
        }
        store4(out + x * 4, _mm_srai_epi32(sum, shift));
    }
}

/* Eight columns: the sums of all rows, low half and high half. */
static void sum_down(const int16_t *const *rows, const struct taps *t, size_t at, int32_t half, __m128i sum[2])
{
    sum[0] = sum[1] = _mm_set1_epi32(half);
    for (uint32_t k = 0; k < t->n; k += 2) {
        __m128i a = _mm_loadu_si128((const __m128i *)(rows[k] + at));
        __m128i b = _mm_loadu_si128((const __m128i *)(rows[k + 1] + at)), w = pair_of(t->weight + k);
        sum[0] = _mm_add_epi32(sum[0], _mm_madd_epi16(_mm_unpacklo_epi16(a, b), w));
        sum[1] = _mm_add_epi32(sum[1], _mm_madd_epi16(_mm_unpackhi_epi16(a, b), w));
    }
}

static void down8(const int16_t *const *rows, const struct taps *t, size_t n, uint8_t *out)
{
    const int shift = WEIGHT_BITS + MID_BITS;
    for (size_t at = 0; at < n; at += 8) {
        __m128i sum[2];
        sum_down(rows, t, at, 1 << (shift - 1), sum);
        __m128i words = _mm_packs_epi32(_mm_srai_epi32(sum[0], shift), _mm_srai_epi32(sum[1], shift));
        _mm_storel_epi64((__m128i *)(out + at), _mm_packus_epi16(words, words));
    }
}

static void down16(const int16_t *const *rows, const struct taps *t, size_t n, int16_t *out)
{
    for (size_t at = 0; at < n; at += 8) {
        __m128i sum[2];
        sum_down(rows, t, at, 1 << (WEIGHT_BITS - 1), sum);
        _mm_storeu_si128((__m128i *)(out + at), _mm_packs_epi32(_mm_srai_epi32(sum[0], WEIGHT_BITS),
                                                                _mm_srai_epi32(sum[1], WEIGHT_BITS)));
    }
}

const struct kernel kernel_sse2 = {"sse2", across_grey_sse2, across_rgb, across8, across16, down8, down16};
#endif
