/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that are written for processors against the plain ones: the resampler with each set of instructions gives the plain
 * one's bits, and the filters of PNG are undone as the standard says, byte by byte.
 * about: worker/resample.c worker/resample_plain.c worker/resample_sse2.c worker/resample_avx2.c worker/png_unfilter.c
 * max_len: 16384
 * keep: 196608
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "worker/kernel.h"
#include "worker/png.h"
#include "worker/resample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { HEAD = 10 };

struct task {
    struct size from, to;
    unsigned channels;
    bool alpha;
    struct part part;
    const uint8_t *px; /* rows with RESAMPLE_PAD behind each */
};

static size_t stride_of(const struct task *t)
{
    return (size_t)t->from.w * t->channels + RESAMPLE_PAD;
}

static bool resample_all(const struct task *t, const struct kernel *k, struct image *ret)
{
    struct resampler *r = NULL;
    kernel_force(k);
    assert(!image_init(ret, t->to));
    assert(!resample_new(t->from, t->channels, t->part, t->alpha, ret, &r));
    for (uint32_t y = 0; y < t->from.h; y++)
        resample_push(r, t->px + y * stride_of(t));
    assert(resample_done(r) == t->to.h);
    bool opaque = resample_opaque(r);
    resample_free(r);
    return opaque;
}

static void against_plain(const struct task *t)
{
    static const struct kernel *const all[] = {
#if defined(__x86_64__)
        &kernel_sse2, &kernel_avx2,
#endif
        NULL};
    auto_image plain = {0};
    bool opaque = resample_all(t, &kernel_plain, &plain);
    for (size_t i = 0; all[i]; i++) {
        auto_image m = {0};
        if (all[i] != &kernel_avx2 || kernel_best() == &kernel_avx2) {
            assert(resample_all(t, all[i], &m) == opaque);
            assert(!memcmp(m.px, plain.px, image_stride(&m) * m.size.h));
        }
    }
}

static void resample(const uint8_t *data, size_t len)
{
    static const unsigned channels[4] = {1, 3, 4, 4};
    struct task t = {.from = {1u + data[1] % 80, 1u + data[2] % 80}, .to = {1u + data[3] % 80, 1u + data[4] % 80},
                     .channels = channels[data[0] >> 2 & 3], .alpha = (data[0] >> 2 & 3) == 3};
    double x = t.from.w * data[5] / 512.0, y = t.from.h * data[6] / 512.0;
    t.part = (struct part){x, y, (t.from.w - x) * (1 + data[7]) / 256.0, (t.from.h - y) * (1 + data[8]) / 256.0};
    if (data[0] & 16)
        t.part = (struct part){0, 0, t.from.w, t.from.h};
    size_t n = stride_of(&t) * t.from.h, period = data[9] ? MIN((size_t)data[9], len - HEAD) : len - HEAD;
    auto_free uint8_t *px = malloc(n);
    assert(px);
    for (size_t i = 0; i < n; i++)
        px[i] = period ? data[HEAD + i % period] : 255;
    t.px = px;
    against_plain(&t);
}

static uint8_t paeth(int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

static void unfilter(const uint8_t *data, size_t len)
{
    static const unsigned sizes[8] = {1, 2, 3, 4, 6, 8, 3, 4};
    uint8_t type = data[1] % 6;
    unsigned bpp = sizes[data[2] & 7];
    size_t n = (len - HEAD) / 2;
    /* Rows are read in place, up to PNG_SLACK behind their ends. */
    auto_free uint8_t *row = calloc(n + PNG_SLACK, 1), *up = calloc(n + PNG_SLACK, 1), *out = calloc(n + PNG_SLACK, 1);
    assert(row && up && out);
    memcpy(row, data + HEAD, n);
    memcpy(up, data + HEAD + n, n);
    assert(png_unfilter(type, row, up, n, bpp, out) == (type < 5));
    uint8_t *plain = row; /* undone in place: only what is left of a byte is looked at */
    for (size_t i = 0; type < 5 && i < n; i++) {
        uint8_t a = i >= bpp ? plain[i - bpp] : 0, b = up[i], c = i >= bpp ? up[i - bpp] : 0;
        const uint8_t add[5] = {0, a, b, (uint8_t)((a + b) / 2), paeth(a, b, c)};
        plain[i] = (uint8_t)(row[i] + add[type]);
        assert(plain[i] == out[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < HEAD)
        return 0;
    if (data[0] & 1)
        unfilter(data, len);
    else
        resample(data, len);
    return 0;
}
