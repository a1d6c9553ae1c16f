/* SPDX-License-Identifier: Apache-2.0 */
/* Which frames of a video or an animation a sheet shows: every scene, however short; nothing twice; always the same. */
#include "worker/choose.h"

#include "base/cleanup.h"
#include "test.h"

enum { N = 200 };
static struct look_at looks[N];

static void paint(struct look_at *l, int64_t ms, uint8_t level, uint8_t noise)
{
    l->ms = l->pts = ms;
    for (size_t i = 0; i < LOOK_BYTES; i++)
        l->px[i] = (uint8_t)(level + (noise ? (i * 7 + (size_t)ms) % noise : 0));
}

static bool has_between(const uint32_t *chosen, uint32_t n, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < n; i++)
        if (chosen[i] >= from && chosen[i] < to)
            return true;
    return false;
}

TEST(the_same_picture_all_along_is_chosen_once)
{
    uint32_t chosen[CHOSEN_MOST];
    for (uint32_t i = 0; i < N; i++)
        paint(&looks[i], 40 * i, 90, 2);
    CHECK(choose(looks, N, 8000, 0, chosen) == 1);
    CHECK(chosen[0] == 0);
    CHECK(choose(looks, 1, 0, 0, chosen) == 1);
}

TEST(a_scene_of_one_frame_is_chosen)
{
    uint32_t chosen[CHOSEN_MOST];
    for (uint32_t i = 0; i < N; i++)
        paint(&looks[i], 40 * i, i == 137 ? 220 : i < 100 ? 20 : 60, 0);
    uint32_t n = choose(looks, N, 8000, 0, chosen);
    CHECK(n == 4); /* before it and after it the same scene is seen again */
    CHECK(has_between(chosen, n, 0, 100) && has_between(chosen, n, 100, 137) && has_between(chosen, n, 137, 138));
}

TEST(many_cuts_make_many_pictures_but_no_more_than_fit)
{
    uint32_t chosen[CHOSEN_MOST];
    for (uint32_t i = 0; i < N; i++)
        paint(&looks[i], 5 * i, (uint8_t)(i / 10 * 97 % 240), 0);
    CHECK(choose(looks, N, 1000, 0, chosen) == CHOSEN_MOST);
    CHECK(choose(looks, 80, 400, 0, chosen) == 8);
}

TEST(places_rise_and_the_choice_is_the_same_again)
{
    uint32_t chosen[CHOSEN_MOST], again[CHOSEN_MOST];
    for (uint32_t i = 0; i < N; i++)
        paint(&looks[i], 100 * i, (uint8_t)i, 3);
    uint32_t n = choose(looks, N, 20000, 0, chosen);
    CHECK(n == 9);
    CHECK(choose(looks, N, 20000, 0, again) == n && !memcmp(chosen, again, n * sizeof *chosen));
    for (uint32_t i = 1; i < n; i++)
        CHECK(chosen[i] > chosen[i - 1]);
}

TEST(a_small_part_that_changes_is_a_change)
{
    paint(&looks[0], 0, 255, 0);
    paint(&looks[1], 40, 255, 0);
    CHECK(look_distance(&looks[0], &looks[1]) == 0);
    memset(looks[1].px + 300, 200, 3);
    CHECK(look_distance(&looks[0], &looks[1]) > 1);
    paint(&looks[1], 40, 0, 0);
    CHECK(look_distance(&looks[0], &looks[1]) == 255);
}

TEST(a_number_that_is_given_is_kept_to_and_has_the_last_in_it)
{
    uint32_t chosen[CHOSEN_MOST];
    for (uint32_t i = 0; i < N; i++)
        paint(&looks[i], 40 * i, i == 137 ? 250 : (uint8_t)(i / 4), 0);
    CHECK(choose(looks, N, 8000, 2, chosen) == 2 && chosen[0] == 0 && chosen[1] == N - 1);
    CHECK(choose(looks, N, 8000, 3, chosen) == 3 && chosen[1] == 137 && chosen[2] == N - 1);
    CHECK(choose(looks, N, 8000, 12, chosen) == 12 && chosen[11] == N - 1);
    CHECK(choose(looks, N, 8000, 99, chosen) == 12);
    for (uint32_t i = 0; i < N; i++)
        paint(&looks[i], 40 * i, 90, 0);
    CHECK(choose(looks, N, 8000, 12, chosen) == 1);
}
