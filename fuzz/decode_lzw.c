/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GIF's LZW against the plain way of undoing it, by chains of prefixes: the same verdict, the same pixels, and the same end
 * when only measured.
 * about: worker/gif_lzw.c
 * max_len: 16384
 * keep: 196608
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "worker/gif_blocks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { CODES = 4096 };

struct chains {
    uint16_t prefix[CODES];
    uint8_t last[CODES];
    uint8_t bytes[65536]; /* out of sub-blocks */
    size_t n_bytes, bit;
};

static void join_blocks(struct chains *t, const uint8_t *data, size_t len)
{
    for (size_t at = 1; at < len && data[at];) {
        size_t n = MIN((size_t)data[at], len - at - 1);
        n = MIN(n, sizeof t->bytes - t->n_bytes);
        memcpy(t->bytes + t->n_bytes, data + at + 1, n);
        t->n_bytes += n;
        at += 1 + (size_t)data[at];
    }
}

static int code_of(struct chains *t, unsigned width)
{
    int code = 0;
    if (t->bit + width > t->n_bytes * 8)
        return -1;
    for (unsigned i = 0; i < width; i++, t->bit++)
        code |= (t->bytes[t->bit / 8] >> t->bit % 8 & 1) << i;
    return code;
}

/* The string of a code, backwards; its length. */
static size_t string_of(const struct chains *t, int code, int clear, uint8_t out[CODES])
{
    size_t n = 0;
    for (; code > clear + 1 && n < CODES; code = t->prefix[code])
        out[n++] = t->last[code];
    out[n++] = (uint8_t)code;
    return n;
}

/* As gif_unpack. */
static bool plain_unpack(const uint8_t *data, size_t len, uint8_t *out, uint32_t count)
{
    if (!len || data[0] < 1 || data[0] > 11)
        return false;
    auto_free struct chains *t = calloc(1, sizeof *t);
    assert(t);
    join_blocks(t, data, len);
    int clear = 1 << data[0], next = clear + 2, before = -1;
    unsigned width = data[0] + 1u;
    uint8_t string[CODES + 1];
    for (uint32_t done = 0; done < count;) {
        int code = code_of(t, width);
        if (code == clear) {
            next = clear + 2, before = -1, width = data[0] + 1u;
            continue;
        }
        if (code < 0 || code == clear + 1 || (code < clear && code > 255))
            return false;
        bool fresh = before >= 0 && next < CODES;
        if (code > clear + 1 && code >= next + fresh)
            return false;
        if (fresh) {
            size_t k = string_of(t, code == next ? before : code, clear, string);
            t->prefix[next] = (uint16_t)before;
            t->last[next++] = string[k - 1];
            if (next == 1 << width && width < 12)
                width++;
        }
        for (size_t n = string_of(t, code, clear, string); n && done < count;)
            out[done++] = string[--n];
        before = code;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < 3 || len > 60000)
        return 0;
    uint32_t count = 1 + data[0] * 256u + data[1];
    auto_free uint8_t *copy = malloc(len - 2), *ours = malloc(count), *plain = malloc(count);
    assert(copy && ours && plain);
    memcpy(copy, data + 2, len - 2);
    struct gif_extent extent;
    bool good = gif_unpack(copy, len - 2, 0, ours, count);
    assert(good == plain_unpack(copy, len - 2, plain, count));
    assert(good == gif_measure(copy, len - 2, 0, count, &extent));
    if (good)
        assert(!memcmp(ours, plain, count) && extent.end <= len - 2 && extent.last < extent.end);
    return 0;
}
