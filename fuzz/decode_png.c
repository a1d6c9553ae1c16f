/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG and APNG through the worker: see shown.h. And rows as our decoder gives them against libspng's: what both take has the
 * same pixels. Checksums are set right after most changes, since they would hide all that is behind them.
 * about: worker/png.c worker/png_chunks.c worker/png_stream.c worker/png_rows.c worker/png_unfilter.c worker/png_expand.c
 * worker/png_frames.c worker/png_gamma.c
 * seeds: fixtures
 * max_len: 16384
 * keep: 196608
 */
#include <libdeflate.h>
#include <spng.h>

#include "shown.h"
#include "worker/bytes.h"
#include "worker/png.h"

static const struct decoder_ops *only_png(enum media media)
{
    return media == MEDIA_PNG ? &decode_png : NULL;
}

/* The whole picture as RGBA, or NULL. */
static uint8_t *rows_of(const struct source *s, const struct sniff *is)
{
    struct decoder *d = NULL;
    struct header h = {0};
    struct size size;
    if (decode_png.open(s, &d, &h, NULL))
        return NULL;
    struct want want = {.frame = 1, .least = {h.width, h.height}, .channels = 4};
    size_t stride = (size_t)h.width * 4;
    uint8_t *px = malloc(stride * h.height + PNG_SLACK);
    assert(px && h.width == is->width && h.height == is->height);
    int status = decode_png.start(d, &want, &size, NULL);
    for (uint32_t y = 0; !status && y < h.height; y++)
        status = decode_png.row(d, px + y * stride, NULL);
    status = status ? status : decode_png.finish(d, NULL);
    decode_png.close(d);
    if (status)
        free(take(px));
    return px;
}

/* 16 bits are rounded here and cut there, and what an animation shows first is another matter: these are left out. */
static void against_spng(const uint8_t *data, size_t len)
{
    struct sniff is;
    sniff(data, len, len, &is);
    bool small = (uint64_t)is.width * is.height <= SHOWN_PIXELS / 16;
    if (is.media != MEDIA_PNG || !is.width || !small || is.frames > 1 || len < 33 || data[24] > 8)
        return;
    auto_free uint8_t *ours = rows_of(&(struct source){.data = data, .len = len}, &is);
    if (!ours)
        return;
    size_t n = (size_t)is.width * is.height * 4;
    auto_free uint8_t *theirs = malloc(n);
    spng_ctx *ctx = spng_ctx_new(0);
    assert(theirs && ctx);
    /* Chunks that we have no use for may be as they like. */
    spng_set_crc_action(ctx, SPNG_CRC_ERROR, SPNG_CRC_USE);
    assert(!spng_set_png_buffer(ctx, data, len));
    int e = spng_decode_image(ctx, theirs, n, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS);
    spng_ctx_free(ctx);
    if (!e)
        assert(!memcmp(ours, theirs, n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t n = shown_len(data, len);
    auto_free uint8_t *copy = shown_copy(data, n);
    against_spng(copy, n);
    return shown_file(only_png, data, len);
}

static void set_checksums(uint8_t *data, size_t len)
{
    for (size_t at = PNG_SIGNATURE; len >= PNG_FRAMING && at <= len - PNG_FRAMING;) {
        uint32_t n = be32(data + at);
        if (n > len - PNG_FRAMING - at)
            return;
        uint32_t crc = libdeflate_crc32(0, data + at + 4, n + 4);
        for (size_t i = 0; i < 4; i++)
            data[at + 8 + n + i] = (uint8_t)(crc >> (24 - 8 * i));
        at += n + PNG_FRAMING;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t room, unsigned seed)
{
    static const char *const words[] = {"acTL", "fcTL", "fdAT", "tRNS", "PLTE", "iCCP", "eXIf",
                                        "gAMA", "cHRM", "sRGB", "IDAT", "IEND", NULL};
    return shown_mutate(data, len, room, seed, words, set_checksums);
}
