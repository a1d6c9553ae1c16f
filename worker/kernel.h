/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner loops of the resampler, once per instruction set. Weights are 2.14 fixed point and sum to exactly 1;
 * rows between the two passes carry 6 fraction bits. All sets give the same bits.
 */
#ifndef FOVEA_KERNEL_H
#define FOVEA_KERNEL_H

#include <stddef.h>
#include <stdint.h>

enum {
    WEIGHT_BITS = 14,
    MID_BITS = 6,    /* fraction of a row between the passes */
    COVER_BITS = 7,  /* fraction of a premultiplied row */
    TAP_GROUP = 4,   /* taps of one output pixel come in whole groups, the last filled up with zeros */
    MID_OPAQUE = 255 << MID_BITS,
    DOWN_STEP = 16,  /* the down loops read and write whole steps of values: rows and out have room for that */
};

/* The taps of one output pixel: n weights from source position `first`. */
struct taps {
    uint32_t first;
    uint32_t n; /* a multiple of TAP_GROUP horizontally, of 2 vertically */
    const int16_t *weight;
};

struct kernel {
    const char *name;
    /* One row across: n_out pixels of four channels, from bytes of one, three or four channels (what is not there is
     * opaque) or from premultiplied 16-bit values. */
    void (*across_grey)(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out);
    void (*across_rgb)(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out);
    void (*across8)(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out);
    void (*across16)(const int16_t *row, const struct taps *taps, uint32_t n_out, int16_t *out);
    /* One row down: n values of each of t->n rows; to bytes, or keeping the fraction. */
    void (*down8)(const int16_t *const *rows, const struct taps *t, size_t n, uint8_t *out);
    void (*down16)(const int16_t *const *rows, const struct taps *t, size_t n, int16_t *out);
};

extern const struct kernel kernel_plain;
#if defined(__x86_64__)
void across_grey_sse2(const uint8_t *row, const struct taps *taps, uint32_t n_out, int16_t *out);
extern const struct kernel kernel_sse2, kernel_avx2;
#endif

/* The fastest that this processor runs. */
const struct kernel *kernel_best(void);

/* For tests: every later resampler uses this one; NULL is the best again. */
void kernel_force(const struct kernel *k);

#endif
