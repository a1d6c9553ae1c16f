/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of one side, see axis.h: Lanczos3, stretched where the picture shrinks, in fixed point. */
#include "axis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"

enum { LOBES = 3 };

static double lanczos(double x)
{
    if (x < 0)
        x = -x;
    if (x < 1e-8)
        return 1;
    if (x >= LOBES)
        return 0;
    /* sin(3y) = 3 sin(y) - 4 sin(y)^3: one sine instead of two, which are most of the time of a small picture. */
    double p = x * M_PI, s = sin(p / LOBES);
    return LOBES * s * s * (3 - 4 * s * s) / (p * p);
}

/* Rounds n weights to fixed point with a sum of exactly 1: what rounding leaves over goes to the largest. */
static void fix_weights(const double *exact, uint32_t n, int16_t *out)
{
    double total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += exact[i];
    int32_t left = 1 << WEIGHT_BITS;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (int16_t)lrint(exact[i] / total * (1 << WEIGHT_BITS));
        left -= out[i];
        if (out[i] > out[largest])
            largest = i;
    }
    out[largest] = (int16_t)(out[largest] + left);
}

/* Taps of output position i: clamped to the part's whole pixels, so that nothing outside of it bleeds in. */
static void one_tap(double start, double scale, const struct axis *a, uint32_t group, double *exact, struct taps *t,
                    int16_t *weight)
{
    double stretch = fmax(scale, 1), reach = LOBES * stretch;
    double first = fmax(floor(start - reach + 0.5), a->low), last = fmin(floor(start + reach + 0.5), a->high);
    if (last <= first) {
        first = fmin(fmax(floor(start), a->low), a->high - 1);
        last = first + 1;
    }
    uint32_t n = (uint32_t)(last - first);
    for (uint32_t i = 0; i < n; i++)
        exact[i] = lanczos((first + i + 0.5 - start) / stretch);
    fix_weights(exact, n, weight);
    *t = (struct taps){(uint32_t)first, (n + group - 1) / group * group, weight};
}

void axis_done(struct axis *a)
{
    free(a->taps);
    free(a->weights);
}

int axis_init(struct axis *a, uint32_t side, double start, double length, uint32_t n, uint32_t group)
{
    double scale = length / n;
    a->low = (uint32_t)fmin(fmax(floor(start + HAIR), 0), side - 1);
    a->high = MAX((uint32_t)fmin(ceil(start + length - HAIR), side), a->low + 1);
    size_t room = ((size_t)(2 * LOBES * fmax(scale, 1)) + 2 + group) / group * group;
    a->n = n;
    a->taps = calloc(n, sizeof *a->taps);
    a->weights = calloc(n, room * sizeof *a->weights);
    auto_free double *exact = calloc(room, sizeof *exact);
    if (!a->taps || !a->weights || !exact)
        return -ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        one_tap(start + (i + 0.5) * scale, scale, a, group, exact, &a->taps[i], a->weights + i * room);
        a->longest = MAX(a->longest, a->taps[i].n);
    }
    return 0;
}
