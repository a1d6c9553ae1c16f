/* SPDX-License-Identifier: Apache-2.0 */
/* Which frames of a video or an animation to show, from small pictures of many of them. Arithmetic only. */
#ifndef FOVEA_CHOOSE_H
#define FOVEA_CHOOSE_H

#include <stdint.h>

enum {
    LOOK_W = 32,
    LOOK_H = 18,
    LOOK_BYTES = LOOK_W * LOOK_H * 3,
    LOOKS_MOST = 1024, /* frames looked at */
    CHOSEN_MOST = 12,
};

/* A frame as it looks from far away. */
struct look_at {
    int64_t pts, ms;
    uint8_t px[LOOK_BYTES]; /* RGB */
};

/* How much two differ: 0 the same, 255 black and white. A small part that changes counts more than its area. */
double look_distance(const struct look_at *a, const struct look_at *b);

/*
 * Chooses from n frames in order of time: the first, then again and again the one that is least like those chosen, where
 * being far away in time counts a little too; a frame that looks like the one chosen before it is left out. most: so many, with
 * the last one among them; 0: how many, its length and its cuts say. Writes their places, rising, and returns their number
 * (1..CHOSEN_MOST).
 */
uint32_t choose(const struct look_at *looks, uint32_t n, int64_t length_ms, uint32_t most, uint32_t ret[CHOSEN_MOST]);

#endif
