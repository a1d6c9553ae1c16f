/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changed pixels in few boxes. Each square of a coarse grid holds the tight box of its own; squares side by side are joined
 * by union-find, and the grid is made coarser until so few boxes are left that each can be held against each.
 */
#include <string.h>

#include "diff.h"

enum {
    NEAR = 10,            /* pixels between two changes that belong together */
    SQUARES_MOST = 1 << 20,
    LOOSE_MOST = 512,     /* boxes held against each other */
};

static uint32_t squares(uint32_t length, uint32_t side)
{
    return (length + side - 1) / side;
}

int changes_init(struct changes *g, struct size all)
{
    uint32_t side = NEAR;
    while ((uint64_t)squares(all.w, side) * squares(all.h, side) > SQUARES_MOST)
        side *= 2;
    *g = (struct changes){.side = side, .w = squares(all.w, side), .h = squares(all.h, side)};
    g->spots = calloc((size_t)g->w * g->h, sizeof *g->spots);
    return g->spots ? 0 : -ENOMEM;
}

void changes_done(struct changes *g)
{
    free(g->spots);
    *g = (struct changes){0};
}

static void join(struct spot *to, struct spot from)
{
    if (!from.x1)
        return;
    if (!to->x1)
        *to = from;
    *to = (struct spot){MIN(to->x0, from.x0), MIN(to->y0, from.y0), MAX(to->x1, from.x1), MAX(to->y1, from.y1)};
}

void changes_add(struct changes *g, uint32_t y, uint32_t x0, uint32_t x1)
{
    struct spot *row = g->spots + (size_t)(y / g->side) * g->w;
    for (uint32_t k = x0 / g->side; k <= (x1 - 1) / g->side; k++) {
        uint32_t left = MAX(x0, k * g->side), right = MIN(x1, (k + 1) * g->side);
        join(&row[k], (struct spot){(uint16_t)left, (uint16_t)y, (uint16_t)right, (uint16_t)(y + 1)});
    }
}

void changes_keep_apart(struct changes *g, struct rect box)
{
    if (box.w && box.h && g->n_apart < COUNT(g->apart))
        g->apart[g->n_apart++] = box;
}

/* Pixels between two boxes, along the axis where there are more. */
static uint32_t gap(const struct spot *a, const struct spot *b)
{
    int across = MAX(a->x0, b->x0) - MIN(a->x1, b->x1), along = MAX(a->y0, b->y0) - MIN(a->y1, b->y1);
    return (uint32_t)MAX(MAX(across, along), 0);
}

static uint32_t root_of(uint32_t *parents, uint32_t i)
{
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

/* With those before it: left, and the three above. */
static void join_around(const struct changes *g, uint32_t *parents, uint32_t x, uint32_t y)
{
    const uint32_t back = UINT32_MAX; /* wraps around: one less, and what lies before the first is past the last */
    const uint32_t around[4][2] = {{back, 0}, {back, back}, {0, back}, {1, back}};
    uint32_t i = y * g->w + x;
    for (int k = 0; k < 4; k++) {
        uint32_t nx = x + around[k][0], ny = y + around[k][1], j = ny * g->w + nx;
        if (nx >= g->w || ny >= g->h || !g->spots[j].x1 || gap(&g->spots[i], &g->spots[j]) >= g->side)
            continue;
        parents[root_of(parents, i)] = root_of(parents, j);
    }
}

/* What hangs together is gathered in one of its squares. */
static void gather(struct changes *g, uint32_t *parents)
{
    uint32_t total = g->w * g->h;
    for (uint32_t i = 0; i < total; i++)
        parents[i] = i;
    for (uint32_t y = 0; y < g->h; y++)
        for (uint32_t x = 0; x < g->w; x++)
            if (g->spots[y * g->w + x].x1)
                join_around(g, parents, x, y);
    for (uint32_t i = 0; i < total; i++) {
        uint32_t root = root_of(parents, i);
        if (root == i)
            continue;
        join(&g->spots[root], g->spots[i]);
        g->spots[i] = (struct spot){0};
    }
}

static uint32_t count(const struct changes *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->w * g->h; i++)
        n += g->spots[i].x1 != 0;
    return n;
}

/* Four squares become one, in place: each is read before it is written. */
static void coarsen(struct changes *g)
{
    uint32_t w = squares(g->w, 2), h = squares(g->h, 2);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
            struct spot all = {0};
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t fx = x * 2 + k % 2, fy = y * 2 + k / 2;
                if (fx < g->w && fy < g->h)
                    join(&all, g->spots[fy * g->w + fx]);
            }
            g->spots[y * w + x] = all;
        }
    g->side *= 2;
    g->w = w;
    g->h = h;
}

/* Joins boxes with fewer pixels between them, until there are no such. */
static uint32_t join_near(struct spot *boxes, uint32_t n, uint32_t near)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            if (gap(&boxes[i], &boxes[j]) >= near)
                continue;
            join(&boxes[i], boxes[j]);
            boxes[j] = boxes[--n];
            i = UINT32_MAX; /* it grew: all over again */
            break;
        }
    return n;
}

static uint64_t pixels_of(const struct spot *s)
{
    return (uint64_t)(s->x1 - s->x0) * (s->y1 - s->y0);
}

/* Pixels that a box around both has, and they have not. */
static int64_t wasted(const struct spot *a, const struct spot *b)
{
    struct spot both = *a;
    join(&both, *b);
    return (int64_t)pixels_of(&both) - (int64_t)pixels_of(a) - (int64_t)pixels_of(b);
}

/* Of too many, the two that waste the least together become one, again and again; at most LOOSE_MOST of them, in some 50 ms. */
static uint32_t join_least_waste(struct spot *boxes, uint32_t n, uint32_t most)
{
    while (n > most) {
        uint32_t first = 0, second = 1;
        int64_t least = INT64_MAX;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = i + 1; j < n; j++) {
                int64_t waste = wasted(&boxes[i], &boxes[j]);
                if (waste >= least)
                    continue;
                least = waste;
                first = i;
                second = j;
            }
        join(&boxes[first], boxes[second]);
        boxes[second] = boxes[--n];
    }
    return join_near(boxes, n, NEAR);
}

static int by_place(const void *a, const void *b)
{
    const struct rect *p = a, *q = b;
    return p->y != q->y ? (p->y > q->y) - (p->y < q->y) : (p->x > q->x) - (p->x < q->x);
}

int changes_boxes(struct changes *g, struct rect ret[LIMIT_DIFF_BOXES], uint32_t *ret_n)
{
    struct spot boxes[LOOSE_MOST];
    uint32_t n = 0;
    auto_free uint32_t *parents = malloc((size_t)g->w * g->h * sizeof *parents);
    if (!parents)
        return -ENOMEM;
    for (gather(g, parents); count(g) > LOOSE_MOST; gather(g, parents))
        coarsen(g);
    for (uint32_t i = 0; i < g->w * g->h; i++)
        if (g->spots[i].x1)
            boxes[n++] = g->spots[i];
    n = join_least_waste(boxes, join_near(boxes, n, NEAR), LIMIT_DIFF_BOXES - g->n_apart);
    for (uint32_t i = 0; i < n; i++)
        ret[i] = (struct rect){boxes[i].x0, boxes[i].y0, (uint32_t)(boxes[i].x1 - boxes[i].x0),
                               (uint32_t)(boxes[i].y1 - boxes[i].y0)};
    for (uint32_t i = 0; i < g->n_apart; i++)
        ret[n++] = g->apart[i];
    qsort(ret, n, sizeof *ret, by_place);
    *ret_n = n;
    return 0;
}
