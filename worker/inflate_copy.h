/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of what was inflated before, for inflate.c: where most of the time of a screenshot would go. */
#ifndef FOVEA_INFLATE_COPY_H
#define FOVEA_INFLATE_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"

enum { COPY = 16 }; /* bytes that are copied at a time */

#define INLINE static inline __attribute__((always_inline))

INLINE void copy_step(uint8_t *to, const uint8_t *from)
{
    uint8_t step[COPY];
    memcpy(step, from, COPY);
    memcpy(to, step, COPY);
}

/* From less than a step before: by bytes until a whole number of distances is a step, then from so far before. */
static inline void copy_near(uint8_t *out, size_t distance, size_t len)
{
    size_t period = (COPY - 1 + distance) / distance * distance;
    for (size_t i = 0; i < MIN(period, len); i++)
        out[i] = (out - distance)[i];
    for (size_t i = period; i < len; i += COPY)
        copy_step(out + i, out + i - period);
}

/* Up to COPY - 1 bytes more are written. */
INLINE void copy_match(uint8_t *out, size_t distance, size_t len)
{
    const uint8_t *from = out - distance;
    if (distance >= COPY) {
        for (size_t i = 0; i < len; i += COPY)
            copy_step(out + i, from + i);
    } else if (distance == 1) {
        uint8_t run[COPY];
        memset(run, *from, COPY);
        for (size_t i = 0; i < len; i += COPY)
            copy_step(out + i, run);
    } else {
        copy_near(out, distance, len);
    }
}

#endif
