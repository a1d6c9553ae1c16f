/* SPDX-License-Identifier: Apache-2.0 */
/* Deflating: whatever the size, kind and level, one stream that another library inflates to the same bytes. */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "test.h"
#include "worker/deflate.h"

enum { MOST = (1 << 21) + 7 };

static uint32_t noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* One byte, noise, text of few letters, long runs. */
static void fill_kind(int kind, uint8_t *data, size_t len)
{
    uint32_t seed = 9;
    for (size_t i = 0; i < len; i++)
        data[i] = kind == 0   ? 7
                  : kind == 1 ? (uint8_t)noise(&seed)
                  : kind == 2 ? (uint8_t)(noise(&seed) % 5 * (noise(&seed) % 3))
                              : (uint8_t)(i && noise(&seed) % 300 ? data[i - 1] : noise(&seed));
}

TEST(large_and_small_input_comes_back_from_one_stream)
{
    static const size_t sizes[] = {0, 1, 5000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 1500001, MOST};
    static const int levels[] = {1, 4, 6};
    auto_free uint8_t *data = malloc(MOST), *back = malloc(MOST), *z = malloc(deflate_bound(MOST));
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    for (size_t i = 0; data && back && z && i < COUNT(sizes) * COUNT(levels) * 4; i++) {
        size_t len = sizes[i % COUNT(sizes)], got = 0, used = 0;
        int level = levels[i / COUNT(sizes) % COUNT(levels)], kind = (int)(i / COUNT(sizes) / COUNT(levels));
        fill_kind(kind, data, len);
        int64_t n = deflate(data, len, level, z);
        bool good = n > 0 && (size_t)n <= deflate_bound(len) &&
                    !libdeflate_zlib_decompress_ex(d, z, (size_t)n, back, MOST, &used, &got);
        CHECK_MSG(good && used == (size_t)n && got == len && !memcmp(data, back, len), "%zu bytes of kind %d at level %d",
                  len, kind, level);
    }
    libdeflate_free_decompressor(d);
}

TEST(two_halves_cost_little)
{
    auto_free uint8_t *data = malloc(MOST), *z = malloc(deflate_bound(MOST)), *whole = malloc(deflate_bound(MOST));
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
    fill_kind(3, data, MOST);
    int64_t n = deflate(data, MOST, 6, z);
    size_t one = libdeflate_zlib_compress(c, data, MOST, whole, deflate_bound(MOST));
    CHECK_MSG((double)n < 1.01 * (double)one, "%lld and %zu", (long long)n, one);
    libdeflate_free_compressor(c);
}
