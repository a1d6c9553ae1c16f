/* SPDX-License-Identifier: Apache-2.0 */
/* The book of call ids: how often an id stands before an entry, whatever came in and however much of it. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "lower/id_book.h"

static struct span of(const char *s)
{
    return (struct span){s, strlen(s)};
}

TEST(an_empty_book_knows_nothing)
{
    struct id_book b = {0};
    CHECK(id_book_before(&b, 1, of("x")) == 0);
    id_book_done(&b);
}

TEST(only_uses_before_an_entry_count)
{
    struct id_book b = {0};
    CHECK(id_book_add(&b, 2, of("call_0")) == 0);
    CHECK(id_book_add(&b, 2, of("call_1")) == 0);
    CHECK(id_book_add(&b, 5, of("call_0")) == 0);
    CHECK(id_book_add(&b, 5, of("call_0")) == 0);
    CHECK(id_book_add(&b, 9, of("call_0")) == 0);
    CHECK(id_book_before(&b, 2, of("call_0")) == 0);
    CHECK(id_book_before(&b, 3, of("call_0")) == 1);
    CHECK(id_book_before(&b, 5, of("call_0")) == 1);
    CHECK(id_book_before(&b, 9, of("call_0")) == 3);
    CHECK(id_book_before(&b, 10, of("call_0")) == 4);
    CHECK(id_book_before(&b, 10, of("call_1")) == 1);
    CHECK(id_book_before(&b, 10, of("call_2")) == 0);
    CHECK(id_book_before(&b, 10, (struct span){0}) == 0);
    id_book_done(&b);
}

TEST(the_book_counts_right_however_large_it_grows)
{
    enum { IDS = 700, ROUNDS = 20 };
    struct id_book b = {0};
    char id[24];
    for (int64_t round = 0; round < ROUNDS; round++)
        for (int i = 0; i < IDS; i++) {
            (void)snprintf(id, sizeof id, "call_%d", i);
            CHECK(id_book_before(&b, round + 1, of(id)) == (size_t)round);
            CHECK(id_book_add(&b, round + 1, of(id)) == 0);
        }
    for (int i = 0; i < IDS; i++) {
        (void)snprintf(id, sizeof id, "call_%d", i);
        CHECK(id_book_before(&b, ROUNDS / 2, of(id)) == ROUNDS / 2 - 1 && id_book_before(&b, INT64_MAX, of(id)) == ROUNDS);
    }
    id_book_done(&b);
}
