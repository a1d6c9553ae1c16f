/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines on the monotonic clock, and the time of day, in milliseconds. */
#ifndef FOVEA_CLOCK_H
#define FOVEA_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The time of day, since the epoch: for what is written down, never for a deadline. */
static inline int64_t clock_wall_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Milliseconds left until deadline, for poll(); never negative. */
static inline int clock_left(int64_t deadline)
{
    int64_t left = deadline - clock_ms();
    return left < 0 ? 0 : left > 1000000 ? 1000000 : (int)left;
}

#endif
