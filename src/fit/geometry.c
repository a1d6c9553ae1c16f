/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes at other sizes: see geometry.h. Sizes are exact, in integers, so that both sides of a pipe get the same pixels. */
#include "fit/geometry.h"

#include "base/cleanup.h"

bool length_less(double a, double b, double side)
{
    return b - a > 1e-6 * side;
}

uint32_t size_share(uint32_t length, uint32_t num, uint32_t den)
{
    uint64_t product = (uint64_t)length * num, whole = product / den, rest = product % den;
    if (rest * 2 > den || (rest * 2 == den && whole % 2))
        whole++;
    return whole ? (uint32_t)whole : 1;
}

struct size size_at_edge(struct size s, uint32_t edge)
{
    if (s.w >= s.h)
        return (struct size){edge, size_share(edge, s.h, s.w)};
    return (struct size){size_share(edge, s.w, s.h), edge};
}

struct size size_largest(struct size s, bool (*fits)(const void *arg, struct size s), const void *arg)
{
    uint32_t low = 1, high = MAX(s.w, s.h);
    if (!s.w || !s.h || fits(arg, s))
        return s;
    while (high - low > 1) { /* low fits or is 1, high does not */
        uint32_t middle = low + (high - low) / 2;
        if (fits(arg, size_at_edge(s, middle)))
            low = middle;
        else
            high = middle;
    }
    return size_at_edge(s, low);
}
