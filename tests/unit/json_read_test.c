/* SPDX-License-Identifier: Apache-2.0 */
/* JSON into trees: read as jansson reads it, and whole or not at all when memory is out at any step. */
#include "base/json_read.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "test.h"

static void json_decref_p(json_t **j)
{
    json_decref(*j);
}
#define auto_json cleanup(json_decref_p) json_t

static const char *const seeds[] = {
    "{\"a\":[1,-2.5e3,true,false,null,\"x\\u00e9\\ud83d\\ude00\\n\"],\"b\":{\"c\":\"\xc3\xa9\",\"a\":0}}",
    "[0,-0,1e5,1E-400,1e400,9223372036854775807,9223372036854775808,-9223372036854775808,0.1]",
    "\"\\u0000abc\"", "[\"\\ud800\"]", " { } ", "[[[[]]]]", "12345.678", "nul", "{\"a\":1,\"a\":2}", "[1,]", "{\"\\u0000\":1}",
    "[\"\xed\xa0\x80\",\"\xf4\x90\x80\x80\",\"\xc0\x80\"]", "{\"k\":\"0123456789abcdef0123456789\"}  x", "[-]", "[01]", "[1.]", "[.5]", "[1e]",
    "[+1]", "[\"\t\"]", "truex", "true", "[true1]", "", "\xef\xbb\xbf[]",
};

static uint32_t noise(void)
{
    static uint32_t state = 12345;
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/* A seed with a few bytes changed, put in or taken out. NUL is left alone: jansson passes over one behind a number. */
static size_t mutate(char *to, size_t room)
{
    static const char letters[] = "{}[]\",:\\u0123dD8cabeEfntrlsx.-+ \t\n\x01\x80\xc3\xa9\xf0\x9f";
    const char *seed = seeds[noise() % COUNT(seeds)];
    size_t len = strlen(seed);
    memcpy(to, seed, len);
    for (unsigned left = noise() % 4; left--;) {
        size_t at = len ? noise() % len : 0, how = noise() % 3;
        char c = letters[noise() % (sizeof letters - 1)];
        if (how == 0 && len < room) {
            memmove(to + at + 1, to + at, len++ - at);
            to[at] = c;
        } else if (how == 1 && len) {
            memmove(to + at, to + at + 1, --len - at);
        } else if (len) {
            to[at] = c;
        }
    }
    return len;
}

TEST(text_is_read_as_jansson_reads_it)
{
    static const size_t flags[] = {0, JSON_ALLOW_NUL, JSON_REJECT_DUPLICATES, JSON_DECODE_ANY, JSON_DECODE_INT_AS_REAL, JSON_DISABLE_EOF_CHECK,
                                   JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES,
                                   JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL | JSON_DECODE_ANY};
    for (int i = 0; i < 200000; i++) {
        char text[256];
        size_t len = mutate(text, sizeof text), flag = flags[noise() % COUNT(flags)];
        json_error_t theirs, ours;
        auto_json *want = json_loadb(text, len, flag, &theirs), *got = json_read(text, len, flag, &ours);
        CHECK_MSG(!want == !got && (!want || json_equal(want, got)), "%.*s (flags %zu)", (int)len, text, flag);
        if (!want && !got)
            CHECK_STR(ours.text, theirs.text);
        if (want && flag & JSON_DISABLE_EOF_CHECK)
            CHECK_MSG(ours.position == theirs.position, "%.*s", (int)len, text);
        if (test_failed)
            return;
    }
}

TEST(nesting_ends_where_jansson_ends_it)
{
    static char text[2 * 2049 + 1];
    for (int depth = 2047; depth <= 2049; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        auto_json *want = json_loadb(text, (size_t)depth * 2, 0, NULL), *got = json_read(text, (size_t)depth * 2, 0, NULL);
        CHECK_MSG(!want == !got, "depth %d", depth);
    }
}

/* ---------------------------------------------------------------- without memory */

static long fails_at, asked;

static void *scarce(size_t size)
{
    if (++asked == fails_at) {
        errno = ENOMEM;
        return NULL;
    }
    return malloc(size);
}

static const char document[] = "{\"a\":[1,2.5,\"a string that is longer than sixteen bytes\",{\"b\":null,\"c\":\"d\"}],"
                               "\"e\":\"another string that is longer than thirty-two bytes\"}";

static json_t *read_document(const json_t *whole)
{
    (void)whole;
    return json_read(document, sizeof document - 1, 0, NULL);
}

/* jansson itself gives trees that lack something here. */
TEST(what_is_read_or_copied_without_memory_is_whole_or_not_there)
{
    json_t *(*const ways[])(const json_t *) = {read_document, json_copy_whole, json_deep_copy_whole};
    auto_json *whole = json_read(document, sizeof document - 1, 0, NULL);
    json_set_alloc_funcs(scarce, free);
    for (size_t way = 0; way < COUNT(ways); way++) {
        bool reached = true;
        for (fails_at = 1; reached; fails_at++) {
            asked = 0;
            errno = 0;
            auto_json *got = ways[way](whole);
            reached = asked >= fails_at;
            CHECK_MSG(got ? json_equal(got, whole) : errno == ENOMEM, "way %zu, allocation %ld", way, fails_at);
        }
        CHECK(fails_at > 2);
    }
    fails_at = 0;
    json_set_alloc_funcs(malloc, free);
}

TEST(text_that_is_no_json_is_not_called_a_want_of_memory)
{
    json_error_t where;
    CHECK(!json_read("{\"a\":}", 6, 0, &where) && errno == EBADMSG && where.text[0]);
}
