/* SPDX-License-Identifier: Apache-2.0 */
/* The quick way of deflating: one stream that another library inflates to the same bytes, and always the same stream. */
#include "worker/quick.c"

#include "test.h"

enum { MOST = 1200007, ROOM = MOST + MOST / 8 + 4096 };

static uint32_t noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* One byte; noise; few letters; long runs; rows that are mostly the row above, as of a page; noise that comes again at the end of the
 * window, and right behind it. */
enum { KINDS = 7 };

static void fill_kind(int kind, uint8_t *data, size_t len)
{
    enum { ROW = 1377 };
    size_t again = kind == 5 ? QUICK_WINDOW : QUICK_WINDOW + 1;
    uint32_t seed = 9;
    for (size_t i = 0; i < len; i++)
        data[i] = kind == 0   ? 7
                  : kind == 1 ? (uint8_t)noise(&seed)
                  : kind == 2 ? (uint8_t)(noise(&seed) % 5 * (noise(&seed) % 3))
                  : kind == 3 ? (uint8_t)(i && noise(&seed) % 300 ? data[i - 1] : noise(&seed))
                  : kind == 4 ? (uint8_t)(i >= ROW && noise(&seed) % 40 ? data[i - ROW] : noise(&seed) % 7 ? 255 : noise(&seed))
                              : (uint8_t)(i >= again ? data[i - again] : noise(&seed));
}

/* Data in pieces, each behind no more of what came before it than was promised: what lies further back is garbage. */
static size_t deflate_pieces(const uint8_t *data, size_t len, size_t piece, uint8_t garbage, uint8_t *out, size_t room)
{
    auto_free uint8_t *copy = malloc(QUICK_WINDOW + piece);
    struct quick *q = quick_new(out, room);
    bool good = q && copy;
    for (size_t at = 0; good && at < len; at += piece) {
        size_t before = MIN(at, (size_t)QUICK_WINDOW), n = MIN(piece, len - at);
        memset(copy, garbage, QUICK_WINDOW + piece);
        memcpy(copy + QUICK_WINDOW - before, data + at - before, before + n);
        good = quick_add(q, copy + QUICK_WINDOW, n);
    }
    size_t made = good ? quick_end(q) : 0;
    quick_free(q);
    return made;
}

TEST(input_of_any_size_and_kind_in_pieces_of_any_size_comes_back_from_one_stream)
{
    static const size_t sizes[] = {0, 1, 7, 8, 9, 259, 5000, 32768, 32769, 70001, MOST};
    static const size_t pieces[] = {1, 7, 8, 1000, 65536, MOST};
    auto_free uint8_t *data = malloc(MOST), *back = malloc(MOST), *z = malloc(ROOM);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    assert(data && back && z && d);
    for (int kind = 0; kind < KINDS; kind++) {
        fill_kind(kind, data, MOST);
        for (size_t i = 0; i < COUNT(sizes) * COUNT(pieces); i++) {
            size_t len = sizes[i % COUNT(sizes)], piece = pieces[i / COUNT(sizes)], got = 0, used = 0;
            if (len / piece > 40000)
                continue;
            size_t n = deflate_pieces(data, len, piece, 0xa5, z, ROOM);
            bool good = n && !libdeflate_zlib_decompress_ex(d, z, n, back, MOST, &used, &got);
            CHECK_MSG(good && used == n && got == len && !memcmp(data, back, len), "%zu bytes of kind %d in pieces of %zu", len, kind, piece);
        }
    }
    libdeflate_free_decompressor(d);
}

TEST(the_same_input_is_the_same_stream_whatever_lies_around_it)
{
    auto_free uint8_t *data = malloc(MOST), *first = malloc(ROOM), *again = malloc(ROOM + 64);
    assert(data && first && again);
    for (int kind = 0; kind < KINDS; kind++) {
        fill_kind(kind, data, MOST);
        size_t n = deflate_pieces(data, MOST, 65521, 0, first, ROOM);
        for (uint8_t garbage = 1; garbage < 4; garbage++) {
            memset(again, 255 - garbage, ROOM + 64);
            size_t m = deflate_pieces(data, MOST, 65521, garbage * 85, again + garbage * 13, ROOM);
            CHECK(n && m == n && !memcmp(first, again + garbage * 13, n));
        }
    }
}

TEST(nothing_is_written_behind_the_room_and_too_little_of_it_is_told)
{
    enum { LEN = 90001 };
    auto_free uint8_t *data = malloc(LEN), *z = malloc(ROOM);
    assert(data && z);
    for (int kind = 0; kind < KINDS; kind++) {
        fill_kind(kind, data, LEN);
        size_t whole = deflate_pieces(data, LEN, 4096, 0, z, ROOM), least = 0;
        for (size_t room = whole + 64; room > 0; room = room > whole ? room - 1 : room * 3 / 4) {
            memset(z, 0x5a, whole + 128);
            size_t n = deflate_pieces(data, LEN, 4096, 0, z, room);
            CHECK_MSG(n == 0 || (n == whole && n <= room), "%zu of %zu", n, room);
            least = n ? room : least;
            bool untouched = true;
            for (size_t i = room; i < whole + 128; i++)
                untouched &= z[i] == 0x5a;
            CHECK_MSG(untouched, "kind %d, %zu bytes of room", kind, room);
        }
        CHECK_MSG(least < whole + 64, "kind %d needs all of the room", kind);
    }
}

/* What a set of code lengths leaves free, in parts of 2^most: 0 is a full one. */
static int64_t left_free(const uint8_t *lengths, unsigned n, unsigned most)
{
    int64_t left = (int64_t)1 << most;
    for (unsigned i = 0; i < n; i++)
        left -= lengths[i] ? 1ll << (most - lengths[i]) : 0;
    return left;
}

TEST(no_code_is_longer_than_the_format_allows_and_none_is_lost)
{
    uint8_t lengths[LENGTHS];
    for (unsigned most = 7; most <= 15; most += 8) {
        /* Each as frequent as the two before it: the deepest tree there is. */
        uint32_t often[LENGTHS] = {1, 1}, seed = 5;
        for (unsigned i = 2; i < 22; i++)
            often[i] = often[i - 1] + often[i - 2];
        for (unsigned n = 2; n <= (most == 7 ? 19 : 22); n++) {
            lengths_of(often, n, most, lengths);
            CHECK_MSG(!left_free(lengths, n, most), "%u of the deepest tree", n);
        }
        for (int i = 0; i < 2000; i++) {
            unsigned n = most == 7 ? 19 : LENGTHS, used = 0;
            uint64_t long_ones = 0;
            for (unsigned k = 0; k < n; k++) {
                often[k] = noise(&seed) % 3 ? 0 : 1 + noise(&seed) % (1u << noise(&seed) % 15);
                used += !!often[k];
            }
            lengths_of(often, n, most, lengths);
            for (unsigned k = 0; k < n; k++)
                long_ones += lengths[k] > most || !!lengths[k] != !!often[k];
            CHECK_MSG(!long_ones && (used < 2 || !left_free(lengths, n, most)), "round %d of %u", i, most);
        }
    }
}

TEST(a_copy_reaches_to_the_end_of_the_window_and_no_further)
{
    auto_free uint8_t *data = malloc(MOST), *z = malloc(ROOM);
    assert(data && z);
    fill_kind(5, data, MOST);
    CHECK(deflate_pieces(data, MOST, 65536, 0, z, ROOM) < MOST / 10);
    fill_kind(6, data, MOST);
    CHECK(deflate_pieces(data, MOST, 65536, 0, z, ROOM) > MOST);
}

TEST(positions_may_begin_anew_after_4_GiB)
{
    enum { LEN = 120000, FIRST = 40000 };
    size_t got = 0;
    auto_free uint8_t *data = malloc(LEN), *back = malloc(LEN), *z = malloc(ROOM);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    struct quick *q = quick_new(z, ROOM);
    assert(data && back && z && d && q);
    fill_kind(4, data, LEN);
    CHECK(quick_add(q, data, FIRST));
    q->pos = 0u - 20000;
    for (size_t i = 0; i < COUNT(q->slots); i++)
        q->slots[i] = q->pos + 1 + (uint32_t)i * 3; /* as if seen a whole round before */
    CHECK(quick_add(q, data + FIRST, LEN - FIRST));
    size_t n = quick_end(q);
    CHECK(n && !libdeflate_zlib_decompress(d, z, n, back, LEN, &got) && got == LEN && !memcmp(data, back, LEN));
    quick_free(q);
    libdeflate_free_decompressor(d);
}

/* RFC 1951: the least length and distance of each code. */
static const uint16_t length_least[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                        31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint16_t distance_least[DISTANCES] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
                                                   193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

TEST(each_length_and_distance_has_the_code_and_the_bits_that_the_format_gives_it)
{
    for (unsigned length = 3, right = 0; length <= LONGEST; length++) {
        right += right + 1 < COUNT(length_least) && length == length_least[right + 1];
        CHECK_MSG(length_code(length) == right && low_bits(length - 3, length_extra(right)) == length - length_least[right], "length %u", length);
    }
    for (unsigned distance = 1, right = 0; distance <= QUICK_WINDOW; distance++) {
        right += right + 1 < DISTANCES && distance == distance_least[right + 1];
        CHECK_MSG(distance_code(distance) == right && low_bits(distance - 1, distance_extra(right)) == distance - distance_least[right],
                  "distance %u", distance);
    }
}
