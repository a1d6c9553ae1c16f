/* SPDX-License-Identifier: Apache-2.0 */
/* JSON into trees and back: whole, or not at all when memory is out at any step. */
#include "base/json_read.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "provider/wire_priv.h"
#include "test.h"

static long fails_at, fails_on, asked;

static void *scarce(size_t size)
{
    if (++asked == fails_at || (fails_on && asked > fails_at)) {
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

/* Before the first of ours is read, as a host would. */
__attribute__((constructor)) static void be_scarce(void)
{
    json_set_alloc_funcs(scarce, free);
}

TEST(what_is_read_or_copied_without_memory_is_whole_or_not_there)
{
    json_t *(*const ways[])(const json_t *) = {read_document, json_copy_whole, json_deep_copy_whole};
    auto_json *whole = json_read(document, sizeof document - 1, 0, NULL);
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
}

TEST(text_without_memory_is_whole_or_not_there)
{
    auto_json *whole = json_read(document, sizeof document - 1, 0, NULL);
    bool reached = true;
    for (fails_at = 1; reached; fails_at++) {
        asked = 0;
        auto_free char *text = json_text_new(whole, JSON_COMPACT);
        reached = asked >= fails_at;
        CHECK_MSG(!text || !strcmp(text, document), "allocation %ld", fails_at);
    }
    CHECK(fails_at > 2);
    fails_at = 0;
}

/* A dump that failed for want of memory was taken for a value that cannot be written. */
TEST(bug_a_schema_that_there_is_no_memory_to_write_is_told_as_one_that_cannot_be_written)
{
    auto_json *whole = json_read(document, sizeof document - 1, 0, NULL);
    bool reached = true;
    for (fails_at = 1; reached; fails_at++) {
        auto_buf b = BUF_INIT(1024);
        asked = 0;
        int r = wire_add_value(&b, "schema", whole);
        reached = asked >= fails_at;
        CHECK_MSG(reached ? r == -ENOMEM : r == 0 && strstr(b.data, document), "allocation %ld: %d", fails_at, r);
    }
    CHECK(fails_at > 2);
    fails_at = 0;
}

TEST(text_that_is_no_json_is_not_called_a_want_of_memory)
{
    json_error_t where;
    CHECK(!json_read("{\"a\":}", 6, 0, &where) && errno == EBADMSG && where.text[0]);
}

/* jansson dropped one behind a number or a word. */
TEST(a_nul_byte_has_no_place_in_json)
{
    static const struct {
        const char *text;
        size_t len;
        int line, column;
    } rows[] = {{"{\"dda\":2\0\t}", 11, 1, 9}, {"[\n true\0]", 9, 2, 6}, {"[1]\0", 4, 1, 4}, {"\0", 1, 1, 1}, {"[\"a\0b\"]", 7, 1, 4}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        json_error_t where;
        errno = 0;
        CHECK_MSG(!json_read(rows[i].text, rows[i].len, JSON_ALLOW_NUL, &where) && errno == EBADMSG, "row %zu", i);
        CHECK_MSG(where.line == rows[i].line && where.column == rows[i].column, "row %zu: %d, %d", i, where.line, where.column);
        CHECK_STR(where.text, "a NUL byte");
        CHECK(json_error_code(&where) == json_error_invalid_syntax);
    }
    json_decref(json_read("[\"a\\u0000b\"]", 12, JSON_ALLOW_NUL, NULL));
    CHECK(!json_read("", 0, 0, NULL));
}

/* jansson's lexer went on with the part of a token that it had room for, and copied from behind the end of it. */
TEST(a_token_that_cannot_grow_is_never_read_behind_its_end)
{
    enum { LEN = 5000 };
    static char text[LEN + 32];
    memset(text, 'x', sizeof text);
    memcpy(text, "{\"k\":[1,\"", 9);
    memcpy(text + LEN, "\",\"y\"]}", 8);
    size_t len = strlen(text);
    for (long first = 1; first < 40; first++)
        for (int forever = 0; forever < 2; forever++) {
            asked = 0;
            fails_at = first;
            fails_on = forever;
            auto_json *j = json_read(text, len, 0, NULL);
            bool struck = asked >= first;
            fails_at = fails_on = 0;
            CHECK_MSG(struck ? !j && errno == ENOMEM : j != NULL, "call %ld", first);
        }
}
