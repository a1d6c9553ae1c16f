/* SPDX-License-Identifier: Apache-2.0 */
/* The resampler's inner loops with AVX2: four taps of four channels a step, sixteen columns a step. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "kernel.h"

#define AVX2 __attribute__((target("avx2")))

/* Four weights as two pairs: the low lane has the first pair four times, the high lane the second. */
AVX2 static inline __m256i pairs_of(const int16_t *weight)
{
    const __m256i spread = _mm256_setr_epi8(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5,
                                            6, 7, 4, 5, 6, 7);
    int64_t four;
    memcpy(&four, weight, sizeof four);
    return _mm256_shuffle_epi8(_mm256_set1_epi64x(four), spread);
}

AVX2 static inline void store4(int16_t *out, __m256i sum, int32_t half, int shift)
{
    __m128i both = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    both = _mm_sra_epi32(_mm_add_epi32(both, _mm_set1_epi32(half)), _mm_cvtsi32_si128(shift));
    _mm_storel_epi64((__m128i *)out, _mm_packs_epi32(both, both));
}

/* Pixels of so many bytes; places: where the bytes of four of them go, see the callers. */
AVX2 static inline void across_bytes(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out,
                                     size_t channels, __m256i places, __m256i start)
{
    const int shift = WEIGHT_BITS - MID_BITS;
    for (uint32_t x = 0; x < n_out; x++) {
        const uint8_t *p = row + (size_t)taps[x].first * channels;
        const int16_t *w = taps[x].weight;
        __m256i sum = start;
        for (uint32_t i = 0; i < taps[x].n; i += TAP_GROUP) {
            __m256i four = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(p + i * channels)));
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_shuffle_epi8(four, places), pairs_of(w + i)));
        }
        store4(out + x * 4, sum, 1 << (shift - 1), shift);
    }
}

/* Pixels 0 and 1 in the low lane, 2 and 3 in the high one, each channel's two side by side as 16-bit words. */
AVX2 static void across8(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out)
{
    const __m256i places = _mm256_setr_epi8(0, -1, 4, -1, 1, -1, 5, -1, 2, -1, 6, -1, 3, -1, 7, -1, 8, -1, 12, -1, 9, -1,
                                            13, -1, 10, -1, 14, -1, 11, -1, 15, -1);
    across_bytes(row, taps, n_out, out, 4, places, _mm256_setzero_si256());
}

/* The same with no fourth channel: its sum starts with what weights of 1 in all would make of 255. */
AVX2 static void across_rgb(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out)
{
    const __m256i places = _mm256_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1, 6, -1, 9, -1, 7, -1,
                                            10, -1, 8, -1, 11, -1, -1, -1, -1, -1);
    across_bytes(row, taps, n_out, out, 3, places, _mm256_setr_epi32(0, 0, 0, 255 << WEIGHT_BITS, 0, 0, 0, 0));
}

AVX2 static void across16(const int16_t *row, const struct taps *taps, uint32_t n_out, int16_t *out)
{
    const __m256i split = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, 0, 1, 8, 9, 2, 3, 10, 11,
                                           4, 5, 12, 13, 6, 7, 14, 15);
    const int shift = WEIGHT_BITS + COVER_BITS - MID_BITS;
    for (uint32_t x = 0; x < n_out; x++) {
        const int16_t *p = row + (size_t)taps[x].first * 4, *w = taps[x].weight;
        __m256i sum = _mm256_setzero_si256();
        for (uint32_t i = 0; i < taps[x].n; i += TAP_GROUP) {
            __m256i four = _mm256_loadu_si256((const __m256i *)(p + i * 4));
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_shuffle_epi8(four, split), pairs_of(w + i)));
        }
        store4(out + x * 4, sum, 1 << (shift - 1), shift);
    }
}

/* Sixteen columns: the sums of all rows; unpacking works in lanes, and so does the packing that follows. */
AVX2 static inline void sum_down(const int16_t *const *rows, const struct taps *t, size_t at, int32_t half,
                                 __m256i sum[2])
{
    __m256i low = _mm256_set1_epi32(half), high = low;
    for (uint32_t k = 0; k < t->n; k += 2) {
        int32_t pair;
        memcpy(&pair, t->weight + k, sizeof pair);
        __m256i w = _mm256_set1_epi32(pair);
        __m256i a = _mm256_loadu_si256((const __m256i *)(rows[k] + at));
        __m256i b = _mm256_loadu_si256((const __m256i *)(rows[k + 1] + at));
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), w));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), w));
    }
    sum[0] = low;
    sum[1] = high;
}

AVX2 static void down8(const int16_t *const *rows, const struct taps *t, size_t n, uint8_t *out)
{
    const int shift = WEIGHT_BITS + MID_BITS;
    for (size_t at = 0; at < n; at += 16) {
        __m256i sum[2];
        sum_down(rows, t, at, 1 << (shift - 1), sum);
        __m256i words = _mm256_packs_epi32(_mm256_srai_epi32(sum[0], shift), _mm256_srai_epi32(sum[1], shift));
        _mm_storeu_si128((__m128i *)(out + at),
                         _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
    }
}

AVX2 static void down16(const int16_t *const *rows, const struct taps *t, size_t n, int16_t *out)
{
    for (size_t at = 0; at < n; at += 16) {
        __m256i sum[2];
        sum_down(rows, t, at, 1 << (WEIGHT_BITS - 1), sum);
        _mm256_storeu_si256((__m256i *)(out + at), _mm256_packs_epi32(_mm256_srai_epi32(sum[0], WEIGHT_BITS),
                                                                      _mm256_srai_epi32(sum[1], WEIGHT_BITS)));
    }
}

const struct kernel kernel_avx2 = {"avx2", across_grey_sse2, across_rgb, across8, across16, down8, down16};
#endif
