/* SPDX-License-Identifier: Apache-2.0 */
/* The resampler's inner loops in plain C: what every processor runs, and what the others are measured against. */
#include "kernel.h"

static int16_t narrow16(int32_t v)
{
    return v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : (int16_t)v;
}

static uint8_t narrow8(int32_t v)
{
    return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v;
}

static void across_grey(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out)
{
    const int shift = WEIGHT_BITS - MID_BITS;
    for (uint32_t x = 0; x < n_out; x++) {
        int32_t sum = 1 << (shift - 1);
        for (uint32_t i = 0; i < taps[x].n; i++)
            sum += row[taps[x].first + i] * taps[x].weight[i];
        out[x * 4] = out[x * 4 + 1] = out[x * 4 + 2] = narrow16(sum >> shift);
        out[x * 4 + 3] = MID_OPAQUE;
    }
}

static void across_rgb(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out)
{
    const int shift = WEIGHT_BITS - MID_BITS;
    for (uint32_t x = 0; x < n_out; x++) {
        int32_t sum[3] = {1 << (shift - 1), 1 << (shift - 1), 1 << (shift - 1)};
        const uint8_t *p = row + (size_t)taps[x].first * 3;
        for (uint32_t i = 0; i < taps[x].n; i++)
            for (uint32_t c = 0; c < 3; c++)
                sum[c] += p[i * 3 + c] * taps[x].weight[i];
        for (uint32_t c = 0; c < 3; c++)
            out[x * 4 + c] = narrow16(sum[c] >> shift);
        out[x * 4 + 3] = MID_OPAQUE;
    }
}

static void across8(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out)
{
    const int shift = WEIGHT_BITS - MID_BITS;
    for (uint32_t x = 0; x < n_out; x++) {
        int32_t sum[4] = {1 << (shift - 1), 1 << (shift - 1), 1 << (shift - 1), 1 << (shift - 1)};
        const uint8_t *p = row + (size_t)taps[x].first * 4;
        for (uint32_t i = 0; i < taps[x].n; i++)
            for (uint32_t c = 0; c < 4; c++)
                sum[c] += p[i * 4 + c] * taps[x].weight[i];
        for (uint32_t c = 0; c < 4; c++)
            out[x * 4 + c] = narrow16(sum[c] >> shift);
    }
}

static void across16(const int16_t *row, const struct taps *taps, uint32_t n_out, int16_t *out)
{
    const int shift = WEIGHT_BITS + COVER_BITS - MID_BITS;
    for (uint32_t x = 0; x < n_out; x++) {
        int32_t sum[4] = {1 << (shift - 1), 1 << (shift - 1), 1 << (shift - 1), 1 << (shift - 1)};
        const int16_t *p = row + (size_t)taps[x].first * 4;
        for (uint32_t i = 0; i < taps[x].n; i++)
            for (uint32_t c = 0; c < 4; c++)
                sum[c] += p[i * 4 + c] * taps[x].weight[i];
        for (uint32_t c = 0; c < 4; c++)
            out[x * 4 + c] = narrow16(sum[c] >> shift);
    }
}

/* Columns at a time, so that sums stay in registers and the loop over rows is outside of them. */
enum { STRIP = 16 };

static void strip_down(const int16_t *const *rows, const struct taps *t, size_t at, size_t n, int32_t half, int32_t *sum)
{
    for (size_t i = 0; i < n; i++)
        sum[i] = half;
    for (uint32_t k = 0; k < t->n; k++)
        for (size_t i = 0; i < n; i++)
            sum[i] += rows[k][at + i] * t->weight[k];
}

static void down8(const int16_t *const *rows, const struct taps *t, size_t n, uint8_t *out)
{
    const int shift = WEIGHT_BITS + MID_BITS;
    for (size_t at = 0; at < n; at += STRIP) {
        int32_t sum[STRIP];
        size_t len = n - at < STRIP ? n - at : STRIP;
        strip_down(rows, t, at, len, 1 << (shift - 1), sum);
        for (size_t i = 0; i < len; i++)
            out[at + i] = narrow8(sum[i] >> shift);
    }
}

static void down16(const int16_t *const *rows, const struct taps *t, size_t n, int16_t *out)
{
    for (size_t at = 0; at < n; at += STRIP) {
        int32_t sum[STRIP];
        size_t len = n - at < STRIP ? n - at : STRIP;
        strip_down(rows, t, at, len, 1 << (WEIGHT_BITS - 1), sum);
        for (size_t i = 0; i < len; i++)
            out[at + i] = narrow16(sum[i] >> WEIGHT_BITS);
    }
}

const struct kernel kernel_plain = {"plain", across_grey, across_rgb, across8, across16, down8, down16};
