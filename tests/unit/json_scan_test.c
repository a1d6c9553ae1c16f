/* SPDX-License-Identifier: Apache-2.0 */
/* JSON read in place: what jansson reads we find too, and nothing is ever read outside the text. */
#include "test.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/json_scan.h"
#include "base/limits.h"

static struct span span(const char *s)
{
    return (struct span){s, strlen(s)};
}

TEST(the_first_value_is_found_and_ends_where_it_ends)
{
    static const struct {
        const char *text, *value; /* NULL: none */
    } rows[] = {
        {"{}", "{}"},
        {" \t\r\n[1,2] x", "[1,2]"},
        {"\"a\\\"b\" ", "\"a\\\"b\""},
        {"\"\\\\\"x\"", "\"\\\\\""},
        {"-12.5e3,", "-12.5e3"},
        {"true]", "true"},
        {"{\"a\":\"}\"}", "{\"a\":\"}\"}"},
        {"[\"]\\\"\"]", "[\"]\\\"\"]"},
        {"", NULL},
        {"  ", NULL},
        {"\"open", NULL},
        {"\"open\\\"", NULL},
        {"\"", NULL},
        {"{\"a\":1", NULL},
        {"[[]", NULL},
        {",", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct span got = {0};
        bool found = span_value(rows[i].text, strlen(rows[i].text), &got);
        CHECK_MSG(found == (rows[i].value != NULL), "row %zu: %s", i, rows[i].text);
        if (found && rows[i].value)
            CHECK_MSG(span_is(got, rows[i].value), "row %zu: %.*s", i, (int)got.len, got.at);
    }
}

TEST(members_come_one_after_the_other_with_keys_as_written)
{
    struct span_walk w = span_enter(span("{ \"a\" : 1 ,\"b\\\"\":[{}], \"\":\"\" }"));
    CHECK(span_next(&w) && span_is(w.key, "a") && span_is(w.value, "1"));
    CHECK(span_next(&w) && span_is(w.key, "b\\\"") && span_is(w.value, "[{}]"));
    CHECK(span_next(&w) && w.key.len == 0 && span_is(w.value, "\"\""));
    CHECK(!span_next(&w) && !w.bad);
    w = span_enter(span("[ 1,\"x\" , null]"));
    CHECK(span_next(&w) && span_next(&w) && span_is(w.value, "\"x\"") && span_next(&w) && !span_next(&w) && !w.bad);
    w = span_enter(span("[]"));
    CHECK(!span_next(&w) && !w.bad);
    w = span_enter((struct span){0});
    CHECK(!span_next(&w) && !w.bad);
}

TEST(what_is_not_json_ends_the_walk_and_says_so)
{
    static const char *const texts[] = {
        "[1 2]", "{\"a\" 1}", "{\"a\":}", "{a:1}", "{\"a\":1 \"b\":2}", "[,]", "{\"a\":1,}", "[1,]", "7", "\"x\"", "[\"a]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct span_walk w = span_enter(span(texts[i]));
        unsigned n = 0;
        while (span_next(&w) && n < 10)
            n++;
        CHECK_MSG(w.bad && n < 10, "%s", texts[i]);
    }
}

TEST(numbers_are_whole_and_fit)
{
    static const struct {
        const char *text;
        bool good;
        int64_t n;
    } rows[] = {
        {"0", true, 0},
        {"-1", true, -1},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"1.0", false, 0},
        {"1e3", false, 0},
        {"-", false, 0},
        {"", false, 0},
        {"\"1\"", false, 0},
        {"null", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t n = 77;
        CHECK_MSG(span_int(span(rows[i].text), &n) == rows[i].good && n == (rows[i].good ? rows[i].n : 77), "%s", rows[i].text);
    }
    CHECK(span_true(span("true")) && !span_true(span("false")) && !span_true(span("\"true\"")));
}

TEST(strings_are_read_as_a_parser_reads_them)
{
    static const char *const texts[] = {
        "\"\"", "\"plain\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u00e9\\u4e16\"", "\"\\ud83d\\ude00\"", "\"\xc3\xa9\"",
        "\"\\u0041\\u007f\\u0080\\u07ff\\u0800\\uffff\"", "\"a\\u0001b\"", "\"\\uD83D\\uDE00x\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        json_t *want = json_loads(texts[i], JSON_DECODE_ANY, NULL);
        char *got = span_text_new(span(texts[i]));
        CHECK(want && got);
        CHECK_STR(got, json_string_value(want));
        free(got);
        json_decref(want);
    }
    /* Half a pair is no letter. */
    char *half = span_text_new(span("\"\\ud83dx\\ude00\""));
    CHECK_STR(half, "\xef\xbf\xbdx\xef\xbf\xbd");
    free(half);
}

TEST(what_is_no_string_has_no_text)
{
    static const char *const texts[] = {"", "7", "{}", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\\"", "abc"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        CHECK_MSG(span_text_new(span(texts[i])) == NULL, "%s", texts[i]);
    CHECK(span_inside(span("7")).len == 0 && span_inside(span("\"\"")).len == 0);
    struct buf small = BUF_INIT(2);
    CHECK(span_text(span("\"abc\""), &small) == -EFBIG);
    buf_done(&small);
}

TEST(depth_is_bounded)
{
    static char deep[2 * (LIMIT_JSON_SCAN_DEPTH + 1) + 1];
    struct span got;
    for (size_t n = LIMIT_JSON_SCAN_DEPTH; n <= LIMIT_JSON_SCAN_DEPTH + 1; n++) {
        memset(deep, '[', n);
        memset(deep + n, ']', n);
        CHECK(span_value(deep, 2 * n, &got) == (n == LIMIT_JSON_SCAN_DEPTH));
    }
}

/* Everything that can be entered is entered; the sanitizers watch. Returns how many values there were. */
static size_t walk_all(struct span value, unsigned depth)
{
    struct span_walk w = span_enter(value);
    int64_t n;
    size_t count = 1;
    (void)span_int(value, &n);
    free(span_text_new(value));
    while (depth < 20 && span_next(&w))
        count += walk_all(w.value, depth + 1);
    return count;
}

static size_t count_all(const json_t *v)
{
    size_t n = 1, i;
    const char *key;
    json_t *inner;
    json_object_foreach((json_t *)(uintptr_t)v, key, inner)
        n += count_all(inner);
    json_array_foreach(v, i, inner)
        n += count_all(inner);
    return n;
}

TEST(damaged_text_is_never_read_outside_and_good_text_wholly)
{
    static const char good[] = "{\"kind\":\"user\",\"at\":-12,\"parts\":[{\"type\":\"text\",\"text\":\"a\\u00e9\\\"\\\\\"},[],{},"
                               "[[1,2.5e-3],true,false,null]],\"raw\":{\"\":\"\\ud83d\\ude00\"}}";
    static const char letters[] = "{}[]\",:\\u0d8 tfn-1e";
    unsigned seed = 7;
    json_t *tree = json_loads(good, 0, NULL);
    struct span whole;
    CHECK(span_value(good, sizeof good - 1, &whole) && walk_all(whole, 0) == count_all(tree));
    json_decref(tree);
    for (unsigned round = 0; round < 20000; round++) {
        /* Of its very size, so that a step beyond is seen. */
        size_t len = sizeof good - 1;
        char *text = malloc(len);
        memcpy(text, good, len);
        for (unsigned i = 0; i <= round % 4; i++) {
            seed = seed * 1103515245 + 12345;
            text[(seed >> 8) % len] = letters[(seed >> 20) % (sizeof letters - 1)];
        }
        size_t cut = round % 3 ? len : (seed >> 5) % len;
        char *exact = malloc(cut ? cut : 1);
        memcpy(exact, text, cut);
        if (span_value(exact, cut, &whole))
            (void)walk_all(whole, 0);
        free(exact);
        free(text);
    }
}
