/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted for a session. */
#include "api/tally.h"

#include <pthread.h>
#include <string.h>

#include "base/limits.h"
#include "test.h"

static void name(uint8_t sha[SHA256_LEN], uint32_t n)
{
    memset(sha, 0, SHA256_LEN);
    memcpy(sha, &n, sizeof n);
}

TEST(money_adds_up_and_never_wraps)
{
    struct tally *t = tally_new();
    tally_spend(t, 5);
    tally_spend(t, -1); /* not known */
    CHECK(tally_spent(t) == 5);
    tally_spend(t, INT64_MAX);
    CHECK(tally_spent(t) == INT64_MAX);
    tally_unref(t);
    tally_unref(NULL);
}

TEST(picture_is_counted_up_to_its_most_and_given_back)
{
    struct tally *t = tally_new();
    uint8_t a[SHA256_LEN], b[SHA256_LEN];
    name(a, 1);
    name(b, 2);
    CHECK(tally_picture(t, a, 2) && tally_picture(t, a, 2) && !tally_picture(t, a, 2));
    CHECK(tally_picture(t, b, 2));
    tally_give_back(t, a);
    CHECK(tally_picture(t, a, 2) && !tally_picture(t, a, 2));
    CHECK(tally_picture(t, a, 0)); /* off */
    tally_give_back(t, b);
    tally_give_back(t, b); /* once too often */
    CHECK(tally_picture(t, b, 1) && !tally_picture(t, b, 1));
    tally_unref(t);
}

TEST(oldest_pictures_are_forgotten)
{
    struct tally *t = tally_new();
    uint8_t sha[SHA256_LEN];
    for (uint32_t i = 0; i <= LIMIT_ASK_PICTURES; i++) {
        name(sha, i);
        CHECK(tally_picture(t, sha, 1));
    }
    name(sha, 1);
    CHECK(!tally_picture(t, sha, 1));
    name(sha, 0);
    CHECK(tally_picture(t, sha, 1));
    tally_unref(t);
}

static void *ask_often(void *arg)
{
    struct tally *t = arg;
    uint8_t sha[SHA256_LEN];
    intptr_t got = 0;
    name(sha, 7);
    for (int i = 0; i < 1000; i++) {
        got += tally_picture(t, sha, 500);
        tally_spend(t, 1);
    }
    tally_unref(t);
    return (void *)got;
}

TEST(threads_together_get_no_more_than_is_allowed)
{
    struct tally *t = tally_new();
    pthread_t thread[4];
    intptr_t got = 0;
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&thread[i], NULL, ask_often, tally_ref(t)) == 0);
    for (int i = 0; i < 4; i++) {
        void *n;
        (void)pthread_join(thread[i], &n);
        got += (intptr_t)n;
    }
    CHECK(got == 500 && tally_spent(t) == 4000);
    tally_unref(t);
}
