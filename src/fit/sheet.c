/* SPDX-License-Identifier: Apache-2.0 */
/* The grid of a contact sheet: for each number of columns the largest cell, and of these the largest. */
#include "fit/sheet.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/limits.h"

static struct size cell_of(uint32_t width, double shape)
{
    double h = nearbyint(width / shape);
    return (struct size){width, h < 1 ? 1 : h > LIMIT_SIDE ? LIMIT_SIDE : (uint32_t)h};
}

static struct size whole(uint32_t columns, uint32_t rows, struct size cell)
{
    uint64_t w = (uint64_t)columns * (cell.w + SHEET_GAP) + SHEET_GAP;
    uint64_t h = (uint64_t)rows * (cell.h + SHEET_LABEL + SHEET_GAP) + SHEET_GAP;
    return (struct size){(uint32_t)MIN(w, UINT32_MAX), (uint32_t)MIN(h, UINT32_MAX)};
}

static bool fits(const struct fit_limits *limits, struct size s)
{
    if (s.w > LIMIT_SIDE || s.h > LIMIT_SIDE)
        return false;
    struct size t = fit_target(limits, s);
    return t.w >= s.w && t.h >= s.h;
}

static uint32_t widest_cell(const struct fit_limits *limits, uint32_t columns, uint32_t rows, double shape, uint32_t most)
{
    uint32_t low = 1, high = most;
    while (low < high) {
        uint32_t mid = low + (high - low + 1) / 2;
        if (fits(limits, whole(columns, rows, cell_of(mid, shape))))
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* What is so long that even a pixel of its width does not fit, is cut to what does: a sheet is never scaled. */
static struct size cell_within(const struct fit_limits *limits, uint32_t columns, uint32_t rows, double shape, uint32_t most)
{
    struct size cell = cell_of(widest_cell(limits, columns, rows, shape, most), shape);
    uint32_t low = 1, high = cell.h;
    if (fits(limits, whole(columns, rows, cell)))
        return cell;
    while (low < high) {
        uint32_t mid = low + (high - low + 1) / 2;
        if (fits(limits, whole(columns, rows, (struct size){cell.w, mid})))
            low = mid;
        else
            high = mid - 1;
    }
    return (struct size){cell.w, low};
}

/* A grid with places left over has to have pictures that are an eighth larger. */
static uint64_t worth(const struct sheet *s)
{
    return (uint64_t)s->cell.w * (s->columns * s->rows > s->n ? 7 : 8);
}

/* The larger pictures; of the same, the sheet that is least long. */
static bool better(const struct sheet *a, const struct sheet *b)
{
    if (worth(a) != worth(b))
        return worth(a) > worth(b);
    if (a->cell.h != b->cell.h)
        return a->cell.h > b->cell.h;
    return MAX(a->size.w, a->size.h) < MAX(b->size.w, b->size.h);
}

void sheet_plan(const struct fit_limits *limits, uint32_t n, double width, double height, struct size most,
                struct sheet *ret)
{
    struct fit_limits l = fit_limits_drawn(limits);
    struct sheet best = {.n = n};
    double shape = width / height;
    uint32_t widest = most.w ? MIN(most.w, (uint32_t)LIMIT_SIDE) : LIMIT_SIDE;
    for (uint32_t columns = 1; columns <= n; columns++) {
        uint32_t rows = (n + columns - 1) / columns;
        struct size cell = cell_within(&l, columns, rows, shape, widest);
        struct sheet s = {n, columns, rows, cell, whole(columns, rows, cell)};
        if (!best.columns || better(&s, &best))
            best = s;
    }
    /* What is smaller than the least side gets more ground, rather than be enlarged. */
    uint32_t least = MIN(l.min_edge, l.max_edge);
    best.size = (struct size){MAX(best.size.w, least), MAX(best.size.h, least)};
    *ret = best;
}

struct rect sheet_cell(const struct sheet *s, uint32_t k)
{
    uint32_t column = k % s->columns, row = k / s->columns;
    return (struct rect){SHEET_GAP + column * (s->cell.w + SHEET_GAP),
                         SHEET_GAP + row * (s->cell.h + SHEET_LABEL + SHEET_GAP), s->cell.w, s->cell.h};
}
