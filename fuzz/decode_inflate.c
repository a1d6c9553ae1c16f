/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our inflate, in pieces of any size, against libdeflate: what the one takes the other takes, with the same bytes. And what
 * our two ways of deflating make of the same bytes inflates to them again.
 * about: worker/inflate.c worker/inflate_codes.c worker/deflate.c worker/quick.c
 * max_len: 16384
 * keep: 196608
 */
#include <assert.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "worker/deflate.h"
#include "worker/inflate.h"
#include "worker/quick.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { ROOM = 48 * 1024 };

struct pieces {
    const uint8_t *data;
    size_t len, at, step;
};

static bool next_piece(void *of, const uint8_t **ret, size_t *ret_len)
{
    struct pieces *p = of;
    size_t n = MIN(p->step, p->len - p->at);
    if (!n)
        return false;
    *ret = p->data + p->at;
    *ret_len = n;
    p->at += n;
    return true;
}

/* All of a stream: how it ended, and how much there is. `grain`: how much is asked for at once. */
static enum inflate_result inflate_all(const uint8_t *data, size_t len, size_t step, size_t grain, uint8_t *out, size_t *ret_len,
                                       bool *ret_left)
{
    struct pieces p = {data, len, 0, step};
    auto_free struct inflater *z = malloc(sizeof *z);
    assert(z);
    inflate_begin(z, next_piece, &p);
    uint8_t *at = out;
    enum inflate_result r = INFLATE_MORE;
    while (r == INFLATE_MORE && at < out + ROOM)
        r = inflate_to(z, out, &at, MIN(at + grain, out + ROOM));
    assert(at <= out + ROOM + INFLATE_SLACK);
    *ret_len = (size_t)(at - out);
    *ret_left = p.at < p.len || inflate_left(z);
    return r;
}

static void against_libdeflate(const uint8_t *data, size_t len, size_t step, size_t grain)
{
    auto_free uint8_t *ours = malloc(ROOM + INFLATE_SLACK), *theirs = malloc(ROOM);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    assert(ours && theirs && d);
    size_t n, used, made;
    bool left;
    enum inflate_result r = inflate_all(data, len, step, grain, ours, &n, &left);
    enum libdeflate_result e = libdeflate_zlib_decompress_ex(d, data, len, theirs, ROOM, &used, &made);
    libdeflate_free_decompressor(d);
    if (e == LIBDEFLATE_INSUFFICIENT_SPACE || n >= ROOM)
        return;
    assert((e == LIBDEFLATE_SUCCESS) == (r == INFLATE_END));
    if (r != INFLATE_END)
        return;
    assert(n == made && !memcmp(ours, theirs, n));
    assert(left == (used < len));
}

static void same_again(const uint8_t *stream, size_t n, const uint8_t *data, size_t len)
{
    auto_free uint8_t *out = malloc(ROOM + INFLATE_SLACK);
    size_t made;
    bool left;
    assert(out);
    assert(inflate_all(stream, n, n, ROOM, out, &made, &left) == INFLATE_END);
    assert(made == len && !memcmp(out, data, len) && !left);
}

static void there_and_back(const uint8_t *data, size_t len, int level)
{
    size_t room = deflate_bound(len);
    auto_free uint8_t *out = malloc(room);
    assert(out);
    int64_t n = deflate(data, len, level, out);
    assert(n > 0 && (size_t)n <= room);
    same_again(out, (size_t)n, data, len);
}

/* The input again and again, over many windows and blocks, in pieces that have no more before them than was promised. */
static void quick_and_back(const uint8_t *data, size_t len, size_t step)
{
    enum { ALL = 200 * 1000, PIECE_LEAST = 512, QUICK_ROOM = ALL + ALL / 4 };
    size_t n = 0, piece = MAX(MIN(step, (size_t)ALL / 64) * 64, (size_t)PIECE_LEAST);
    auto_free uint8_t *all = malloc(ALL), *out = malloc(QUICK_ROOM), *copy = malloc(QUICK_WINDOW + piece);
    struct quick *q = quick_new(out, QUICK_ROOM);
    assert(all && out && copy && q);
    for (; n < ALL; n++)
        all[n] = (uint8_t)(data[n % len] + (n / len % 5 == 4));
    for (size_t at = 0; at < ALL; at += piece) {
        size_t before = MIN(at, (size_t)QUICK_WINDOW), now = MIN(piece, ALL - at);
        memset(copy, (int)at, QUICK_WINDOW);
        memcpy(copy + QUICK_WINDOW - before, all + at - before, before + now);
        assert(quick_add(q, copy + QUICK_WINDOW, now));
    }
    n = quick_end(q);
    quick_free(q);
    assert(n);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    auto_free uint8_t *back = malloc(ALL);
    size_t made = 0;
    assert(d && back && !libdeflate_zlib_decompress(d, out, n, back, ALL, &made) && made == ALL && !memcmp(all, back, ALL));
    libdeflate_free_decompressor(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < 4)
        return 0;
    size_t step = data[0] ? data[0] : SIZE_MAX / 4, grain = 1 + data[1] * (size_t)data[1];
    auto_free uint8_t *copy = malloc(len - 3);
    assert(copy);
    memcpy(copy, data + 3, len - 3);
    against_libdeflate(copy, len - 3, step, grain);
    if (data[2] < 64)
        there_and_back(copy, len - 3, 1 + data[2] % 9);
    if (data[2] > 250)
        quick_and_back(copy, len - 3, step);
    return 0;
}
