/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deflating, see deflate.h. libdeflate makes whole streams only, whose last block says that it is the last, and which end
 * at any bit of a byte. Two of them become one: each is gone through to find its last block and its end, the first one's
 * mark is taken off, and the second is appended bit by bit.
 */
#include "deflate.h"

#include <assert.h>
#include <errno.h>
#include <libdeflate.h>
#include <pthread.h>
#include <string.h>

#include "base/cleanup.h"
#include "inflate.h"

enum {
    TWO_FROM = 1 << 20, /* bytes from which a second thread pays */
    HEAD = 2,           /* bytes of a zlib stream before and behind the blocks */
    TAIL = 4,
    PIECE = 96 * 1024,
};

struct half {
    const uint8_t *data;
    size_t len;
    int level;
    uint8_t *out;
    size_t room, made;    /* made 0: out of memory */
    size_t mark, end;     /* bits of the stream: what says that a block is the last; behind that block */
};

struct given {
    const uint8_t *data;
    size_t len;
};

static bool give(void *of, const uint8_t **ret, size_t *ret_len)
{
    struct given *g = of;
    bool first = g->data != NULL;
    *ret = g->data;
    *ret_len = g->len;
    g->data = NULL;
    return first;
}

static size_t bit_of(const struct inflate_bits *at, const uint8_t *stream)
{
    return (size_t)(at->in - stream) * 8 - at->n;
}

/* Goes through the stream. -ENOMEM. */
static int find_end(struct half *h)
{
    auto_free struct inflater *z = malloc(sizeof *z);
    auto_free uint8_t *buf = malloc(INFLATE_WINDOW + PIECE + INFLATE_SLACK);
    if (!z || !buf)
        return -ENOMEM;
    struct given g = {h->out, h->made};
    uint8_t *out = buf;
    enum inflate_result r;
    inflate_begin(z, give, &g);
    while ((r = inflate_to(z, buf, &out, buf + INFLATE_WINDOW + PIECE)) == INFLATE_MORE) {
        memmove(buf, out - INFLATE_WINDOW, INFLATE_WINDOW);
        out = buf + INFLATE_WINDOW;
    }
    h->mark = bit_of(&z->block, h->out);
    h->end = bit_of(&z->tail, h->out);
    assert(r == INFLATE_END);
    return 0;
}

static void deflate_all(struct half *h)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(h->level);
    h->made = c ? libdeflate_zlib_compress(c, h->data, h->len, h->out, h->room) : 0;
    libdeflate_free_compressor(c);
}

static void *deflate_half(void *arg)
{
    struct half *h = arg;
    deflate_all(h);
    if (h->made && find_end(h))
        h->made = 0;
    return NULL;
}

/* Both halves, beside each other if that can be. */
static void deflate_both(struct half half[2])
{
    pthread_t thread;
    bool beside = !pthread_create(&thread, NULL, deflate_half, &half[1]);
    deflate_half(&half[0]);
    if (beside)
        pthread_join(thread, NULL);
    else
        deflate_half(&half[1]);
}

/* Appends bytes from bit `end` of out on. */
static void append(uint8_t *out, size_t end, const uint8_t *bytes, size_t n)
{
    unsigned shift = end % 8;
    uint8_t *to = out + end / 8;
    *to &= (uint8_t)((1u << shift) - 1);
    for (size_t i = 0; i < n; i++) {
        *to++ |= (uint8_t)(bytes[i] << shift);
        *to = (uint8_t)(bytes[i] >> (8 - shift));
    }
}

static int64_t deflate_two(const uint8_t *data, size_t len, int level, uint8_t *out)
{
    size_t first = len / 2, room = libdeflate_zlib_compress_bound(NULL, len - first);
    auto_free uint8_t *second = malloc(room);
    struct half half[2] = {{data, first, level, out, room, 0, 0, 0},
                           {data + first, len - first, level, second, room, 0, 0, 0}};
    if (!second)
        return -ENOMEM;
    deflate_both(half);
    if (!half[0].made || !half[1].made)
        return -ENOMEM;
    out[half[0].mark / 8] &= (uint8_t)~(1u << half[0].mark % 8);
    append(out, half[0].end, second + HEAD, half[1].made - HEAD - TAIL);
    size_t n = (half[0].end + half[1].end - HEAD * 8 + 7) / 8;
    uint32_t sum = libdeflate_adler32(1, data, len);
    for (int shift = 24; shift >= 0; shift -= 8)
        out[n++] = (uint8_t)(sum >> shift);
    return (int64_t)n;
}

size_t deflate_bound(size_t len)
{
    return libdeflate_zlib_compress_bound(NULL, len) + libdeflate_zlib_compress_bound(NULL, 0);
}

int64_t deflate(const uint8_t *data, size_t len, int level, uint8_t *out)
{
    if (len >= TWO_FROM)
        return deflate_two(data, len, level, out);
    struct half all = {data, len, level, out, deflate_bound(len), 0, 0, 0};
    deflate_all(&all);
    return all.made ? (int64_t)all.made : -ENOMEM;
}
