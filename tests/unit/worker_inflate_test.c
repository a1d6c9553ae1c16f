/* SPDX-License-Identifier: Apache-2.0 */
/* Inflating: what another library made comes back whole, however it is cut into pieces, and what it refuses is refused. */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "test.h"
#include "worker/inflate.h"

enum { MOST = 200 * 1000 };

/* Input that is handed out in pieces of one size, each in memory of its own so that a sanitizer sees its borders. */
struct feed {
    const uint8_t *data;
    size_t len, at, piece;
    uint8_t *now;
};

static bool feed_more(void *of, const uint8_t **ret, size_t *ret_len)
{
    struct feed *f = of;
    size_t n = MIN(f->piece, f->len - f->at);
    free(f->now);
    f->now = NULL;
    if (!n)
        return false;
    f->now = malloc(n);
    if (!f->now)
        abort();
    memcpy(f->now, f->data + f->at, n);
    f->at += n;
    *ret = f->now;
    *ret_len = n;
    return true;
}

/* Inflates through a buffer of the window and `step` bytes more. *ret_len: what came out before the end or the error. */
static enum inflate_result inflate_all(const uint8_t *z, size_t z_len, size_t piece, size_t step, uint8_t *ret,
                                       size_t *ret_len)
{
    auto_free struct inflater *s = malloc(sizeof *s);
    auto_free uint8_t *buf = malloc(INFLATE_WINDOW + step + INFLATE_SLACK);
    struct feed f = {z, z_len, 0, piece, NULL};
    if (!s || !buf)
        abort();
    uint8_t *out = buf;
    size_t len = 0;
    enum inflate_result r = INFLATE_MORE;
    inflate_begin(s, feed_more, &f);
    while (r == INFLATE_MORE) {
        size_t keep = MIN((size_t)(out - buf), (size_t)INFLATE_WINDOW);
        memmove(buf, out - keep, keep);
        out = buf + keep;
        r = inflate_to(s, buf, &out, out + step);
        size_t n = MIN((size_t)(out - buf) - keep, MOST - len);
        memcpy(ret + len, buf + keep, n);
        len += n;
    }
    free(f.now);
    *ret_len = len;
    return r;
}

static uint32_t noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Kinds of data: one byte, noise, noise of few levels, periods of 1 to 40, runs of every length. */
static void fill_kind(int kind, uint8_t *data, size_t len)
{
    uint32_t seed = 7;
    size_t period = kind > 3 ? (size_t)kind - 3 : 1;
    for (size_t i = 0; i < len; i++)
        switch (kind) {
        case 0: data[i] = 200; break;
        case 1: data[i] = (uint8_t)noise(&seed); break;
        case 2: data[i] = (uint8_t)(noise(&seed) % 5 * (noise(&seed) % 7)); break;
        case 3: data[i] = i && noise(&seed) % 90 ? data[i - 1] : (uint8_t)noise(&seed); break;
        default: data[i] = i < period || noise(&seed) % 900 == 0 ? (uint8_t)noise(&seed) : data[i - period]; break;
        }
}

static size_t deflated(const uint8_t *data, size_t len, int level, uint8_t *z, size_t room)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(level);
    size_t n = libdeflate_zlib_compress(c, data, len, z, room);
    libdeflate_free_compressor(c);
    return n;
}

TEST(what_was_deflated_comes_back_in_pieces_of_any_size)
{
    static uint8_t data[MOST], z[2 * MOST], back[MOST];
    static const size_t pieces[] = {1, 7, 31, 33, 1000, 2 * MOST}, steps[] = {1, 300, 5000, MOST};
    static const int levels[] = {0, 1, 6, 12};
    for (int kind = 0; kind < 44; kind++)
        for (size_t l = 0; l < COUNT(levels); l++) {
            size_t len = kind % 4 ? 30 * 1000 + (size_t)kind : MOST, got = 0;
            fill_kind(kind, data, len);
            size_t n = deflated(data, len, levels[l], z, sizeof z);
            size_t piece = pieces[(size_t)kind % COUNT(pieces)], step = steps[((size_t)kind + l) % COUNT(steps)];
            enum inflate_result r = inflate_all(z, n, piece, step, back, &got);
            CHECK_MSG(r == INFLATE_END && got == len && !memcmp(data, back, len), "kind %d level %d: %d, %zu of %zu", kind,
                      levels[l], (int)r, got, len);
        }
}

TEST(an_empty_stream_ends_at_once)
{
    uint8_t z[64], back[1];
    size_t got = 1, n = deflated(back, 0, 6, z, sizeof z);
    CHECK(inflate_all(z, n, 64, 100, back, &got) == INFLATE_END && !got);
}

TEST(a_stream_that_is_cut_anywhere_is_said_to_be_cut)
{
    static uint8_t data[2000], z[4000], back[MOST];
    for (int level = 0; level <= 6; level += 6) {
        fill_kind(2, data, sizeof data);
        size_t n = deflated(data, sizeof data, level, z, sizeof z);
        for (size_t len = 0; len < n; len++) {
            size_t got;
            enum inflate_result r = inflate_all(z, len, 50, 700, back, &got);
            CHECK_MSG(r == INFLATE_CUT, "level %d, %zu of %zu bytes: %d", level, len, n, (int)r);
        }
    }
}

TEST(a_wrong_checksum_and_a_wrong_header_are_refused)
{
    static uint8_t data[500], z[1000], back[MOST];
    size_t got;
    fill_kind(3, data, sizeof data);
    size_t n = deflated(data, sizeof data, 6, z, sizeof z);
    z[n - 1] ^= 1;
    CHECK(inflate_all(z, n, 1000, 700, back, &got) == INFLATE_BAD_SUM);
    z[n - 1] ^= 1;
    z[0] ^= 1;
    CHECK(inflate_all(z, n, 1000, 700, back, &got) == INFLATE_BAD);
}

TEST(input_behind_the_end_is_seen)
{
    static uint8_t data[500], z[1000];
    struct inflater *s = malloc(sizeof *s);
    uint8_t *buf = malloc(1000 + INFLATE_SLACK);
    fill_kind(3, data, sizeof data);
    size_t n = deflated(data, sizeof data, 6, z, sizeof z);
    for (size_t more = 0; s && buf && more < 60; more++) {
        struct feed f = {z, n + more, 0, sizeof z, NULL};
        uint8_t *out = buf;
        inflate_begin(s, feed_more, &f);
        CHECK(inflate_to(s, buf, &out, buf + 1000) == INFLATE_END);
        CHECK(inflate_left(s) == (more > 0));
        free(f.now);
    }
    free(buf);
    free(s);
}

/* The other one is laxer: it makes something of two length symbols that mean nothing. */
TEST(of_damaged_streams_none_is_taken_that_another_inflater_refuses)
{
    static uint8_t data[3000], z[4000], hurt[4000], back[MOST], other[MOST];
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    uint32_t seed = 3, taken = 0;
    for (int i = 0; i < 20000; i++) {
        size_t len = 20 + noise(&seed) % 300, got = 0, other_got = 0;
        fill_kind((int)(noise(&seed) % 12), data, len);
        size_t n = deflated(data, len, (int)(noise(&seed) % 10), z, sizeof z);
        memcpy(hurt, z, n);
        uint32_t wounds = noise(&seed) % 3;
        for (uint32_t k = 0; k < wounds; k++)
            hurt[2 + noise(&seed) % (n - 6)] ^= (uint8_t)(1u << noise(&seed) % 8);
        enum inflate_result r = inflate_all(hurt, n, 1 + noise(&seed) % 400, 1 + noise(&seed) % 900, back, &got);
        size_t used = 0;
        bool good = !libdeflate_zlib_decompress_ex(d, hurt, n, other, sizeof other, &used, &other_got);
        CHECK_MSG(r == INFLATE_END ? good : wounds > 0, "stream %d: %d here, %d there", i, (int)r, good);
        CHECK(r != INFLATE_END || (got == other_got && !memcmp(back, other, got)));
        taken += wounds && r == INFLATE_END;
    }
    CHECK(taken > 10);
    libdeflate_free_decompressor(d);
}
