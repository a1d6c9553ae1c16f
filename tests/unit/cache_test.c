/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of pictures alone: what hits, what goes first, and many threads at once. */
#include "api/cache.h"

#include <pthread.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/media.h"
#include "test.h"

static void free_cache(struct cache **c)
{
    cache_free(*c);
}
#define auto_cache cleanup(free_cache) struct cache

static struct work_request request_of(uint64_t len)
{
    return (struct work_request){.magic = WORK_MAGIC, .media = MEDIA_PNG, .input_len = len,
                                 .limits = {.max_edge = 1568, .max_bytes = 512000, .quality = 75, .resize = 1}};
}

/* A source's hash, as good as any. */
static const uint8_t *hash_of(uint32_t seed, uint8_t out[SHA256_LEN])
{
    sha256(&seed, sizeof seed, out);
    return out;
}

static void keep(struct cache *c, uint32_t seed, const struct work_request *q, size_t len, uint32_t status)
{
    uint8_t hash[SHA256_LEN];
    auto_free uint8_t *data = malloc(len);
    memset(data, (int)(seed & 255), len);
    struct pool_output o = {.reply = {.magic = WORK_MAGIC, .status = status, .width = seed, .image_len = len},
                            .data = data, .len = len};
    cache_keep(c, hash_of(seed, hash), q, &o);
}

/* Whether it is there, and is what was kept. */
static bool has(struct cache *c, uint32_t seed, const struct work_request *q, size_t len)
{
    uint8_t hash[SHA256_LEN];
    struct pool_output o = {0};
    if (!cache_find(c, hash_of(seed, hash), q, &o))
        return false;
    bool right = o.len == len && o.reply.width == seed && o.data[0] == (seed & 255) && o.data[len - 1] == (seed & 255);
    CHECK_MSG(right, "seed %u", seed);
    pool_output_done(&o);
    return right;
}

TEST(a_kept_picture_is_found_again_as_often_as_one_likes)
{
    auto_cache *c = cache_new();
    struct work_request q = request_of(1000);
    CHECK(!cache_expects(c, &q) && !has(c, 1, &q, 5000));
    keep(c, 1, &q, 5000, WORK_OK);
    CHECK(cache_expects(c, &q));
    CHECK(has(c, 1, &q, 5000) && has(c, 1, &q, 5000));
}

TEST(another_source_or_another_request_is_a_miss)
{
    auto_cache *c = cache_new();
    struct work_request q = request_of(1000);
    keep(c, 1, &q, 10, WORK_OK);
    CHECK(!has(c, 2, &q, 10));
    struct work_request other[] = {q, q, q, q, q, q, q};
    other[0].limits.max_bytes--;
    other[1].limits.quality++;
    other[2].flags ^= WORK_WEBP_OK;
    other[3].frame = 2;
    other[4].region = (struct fit_box){.x = 1, .y = 1, .w = 5, .h = 5, .set = 1};
    other[5].preview_w = 10;
    other[6].input_len++;
    for (size_t i = 0; i < COUNT(other); i++)
        CHECK_MSG(!has(c, 1, &other[i], 10) && !cache_expects(c, &other[i]), "request %zu", i);
}

TEST(only_pictures_are_kept)
{
    auto_cache *c = cache_new();
    struct work_request q = request_of(1000);
    keep(c, 1, &q, 10, WORK_MALFORMED);
    cache_keep(c, (uint8_t[SHA256_LEN]){0}, &q, &(struct pool_output){0});
    CHECK(!cache_expects(c, &q));
}

TEST(no_cache_is_a_cache_without_anything)
{
    struct work_request q = request_of(1000);
    keep(NULL, 1, &q, 10, WORK_OK);
    CHECK(!cache_expects(NULL, &q) && !has(NULL, 1, &q, 10));
    cache_free(NULL);
}

TEST(bytes_have_a_ceiling_and_the_least_recently_used_goes_first)
{
    auto_cache *c = cache_new();
    struct work_request q = request_of(1000);
    const size_t quarter = LIMIT_CACHE_BYTES / 4;
    for (uint32_t i = 0; i < 4; i++)
        keep(c, i, &q, quarter, WORK_OK);
    CHECK(has(c, 0, &q, quarter)); /* now 1 is the oldest use */
    keep(c, 4, &q, 1, WORK_OK);
    CHECK(has(c, 0, &q, quarter) && !has(c, 1, &q, quarter) && has(c, 2, &q, quarter) && has(c, 4, &q, 1));
    keep(c, 5, &q, LIMIT_CACHE_BYTES + 1, WORK_OK);
    CHECK(!has(c, 5, &q, LIMIT_CACHE_BYTES + 1) && has(c, 4, &q, 1));
    keep(c, 6, &q, LIMIT_CACHE_BYTES, WORK_OK);
    CHECK(has(c, 6, &q, LIMIT_CACHE_BYTES) && !has(c, 0, &q, quarter) && !has(c, 4, &q, 1));
}

TEST(entries_have_a_ceiling)
{
    auto_cache *c = cache_new();
    struct work_request q = request_of(1000);
    for (uint32_t i = 0; i <= LIMIT_CACHE_ENTRIES; i++)
        keep(c, i, &q, 1, WORK_OK);
    CHECK(!has(c, 0, &q, 1) && has(c, 1, &q, 1) && has(c, LIMIT_CACHE_ENTRIES, &q, 1));
}

TEST(the_same_picture_kept_twice_is_there_once)
{
    auto_cache *c = cache_new();
    struct work_request q = request_of(1000);
    const size_t half = LIMIT_CACHE_BYTES / 2;
    for (uint32_t i = 0; i < 4; i++)
        keep(c, i % 2, &q, half, WORK_OK);
    CHECK(has(c, 0, &q, half) && has(c, 1, &q, half));
}

enum { THREADS = 3, TURNS = 2, SOURCES = 24 };

static void *keep_and_find(void *arg)
{
    struct cache *c = arg;
    const size_t len = LIMIT_CACHE_BYTES / (SOURCES / 2); /* half of them fit */
    struct work_request q = request_of(7);
    for (uint32_t i = 0; i < TURNS; i++)
        for (uint32_t k = 0; k < SOURCES; k++)
            if (!has(c, k * 7 % SOURCES, &q, len))
                keep(c, k * 7 % SOURCES, &q, len, WORK_OK);
    return NULL;
}

TEST(threads_share_it_while_entries_are_thrown_out)
{
    auto_cache *c = cache_new();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, keep_and_find, c));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct work_request q = request_of(7);
    CHECK(cache_expects(c, &q));
}
