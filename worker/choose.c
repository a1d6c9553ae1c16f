/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The choice of frames for a contact sheet. Taking the one that is least like all chosen so far shows every scene before it
 * shows any of them twice, however unequal they are in length; and it needs no threshold for what a cut is.
 */
#include "choose.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/cleanup.h"

/* In units of look_distance. */
static const double alike = 1.0;        /* as compression alone makes still frames differ, and little more */
static const double local_share = 0.125; /* of the largest difference: a word that changed is a change */
static const double cut = 24;           /* on average, between two frames in a row: another scene */
static const double whole_length = 16;  /* what the length of the video is worth */

/* Of all, and where it is largest. */
static double mean_difference(const struct look_at *a, const struct look_at *b, double *ret_most)
{
    uint32_t sum = 0, most = 0;
    for (size_t i = 0; i < LOOK_BYTES; i += 3) {
        uint32_t d = 0;
        for (size_t k = i; k < i + 3; k++)
            d += (uint32_t)abs(a->px[k] - b->px[k]);
        sum += d;
        most = MAX(most, d);
    }
    *ret_most = (double)most / 3;
    return (double)sum / LOOK_BYTES;
}

double look_distance(const struct look_at *a, const struct look_at *b)
{
    double most, mean = mean_difference(a, b, &most);
    return mean + (most - mean) * local_share;
}

static bool is_cut(const struct look_at *a, const struct look_at *b)
{
    double most;
    return mean_difference(a, b, &most) > cut;
}

/* Short ones are told by few frames, unless they are cut often. */
static uint32_t how_many(const struct look_at *looks, uint32_t n, int64_t length_ms)
{
    static const struct {
        int64_t below_ms;
        uint32_t n;
    } rows[] = {{1000, 3}, {3000, 4}, {10000, 6}, {30000, 9}};
    uint32_t cuts = 0, base = CHOSEN_MOST;
    for (size_t i = COUNT(rows); i-- > 0;)
        base = length_ms < rows[i].below_ms ? rows[i].n : base;
    for (uint32_t i = 1; i < n; i++)
        cuts += is_cut(&looks[i - 1], &looks[i]);
    return MIN(MIN(MAX(base, cuts + 1), (uint32_t)CHOSEN_MOST), n);
}

static double apart(const struct look_at *a, const struct look_at *b, int64_t length_ms)
{
    double share = length_ms > 0 ? (double)llabs(a->ms - b->ms) / (double)length_ms : 0;
    return look_distance(a, b) + whole_length * MIN(share, 1);
}

/* Marks up to `most`, second the one named, if it is; far[i] is how far the i-th is from the nearest that is marked. */
static void mark(const struct look_at *looks, uint32_t n, int64_t length_ms, uint32_t most, uint32_t second, double *far,
                 bool *marked)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < n; i++)
        far[i] = 1e9;
    for (uint32_t k = 0; k < most; k++) {
        uint32_t next = 0;
        marked[last] = true;
        for (uint32_t i = 0; i < n; i++) {
            far[i] = MIN(far[i], apart(&looks[last], &looks[i], length_ms));
            next = far[i] > far[next] ? i : next;
        }
        last = !k && second ? second : next;
    }
}

uint32_t choose(const struct look_at *looks, uint32_t n, int64_t length_ms, uint32_t most, uint32_t ret[CHOSEN_MOST])
{
    static double far[LOOKS_MOST];
    bool marked[LOOKS_MOST] = {false};
    uint32_t chosen = 0;
    n = MIN(n, (uint32_t)LOOKS_MOST);
    uint32_t many = most ? MIN(MIN(most, (uint32_t)CHOSEN_MOST), n) : how_many(looks, n, length_ms);
    mark(looks, n, length_ms, many, most ? n - 1 : 0, far, marked);
    for (uint32_t i = 0; i < n && chosen < CHOSEN_MOST; i++)
        if (marked[i] && (!chosen || look_distance(&looks[ret[chosen - 1]], &looks[i]) > alike))
            ret[chosen++] = i;
    return chosen;
}
