/* SPDX-License-Identifier: Apache-2.0 */
/* Exact palettes: whether a picture has few enough colours, which, and which index each has. */
#include <string.h>

#include "encode.h"

enum { SLOTS = 1024 };

static uint32_t slot_of(uint32_t colour)
{
    return colour * 0x9e3779b1u >> 22;
}

/* The colour's slot: its own, or the free one where it belongs. There is always a free one. */
static uint32_t find(const struct palette_map *map, uint32_t colour)
{
    uint32_t s = slot_of(colour);
    while (map->index[s] && map->key[s] != colour)
        s = (s + 1) % SLOTS;
    return s;
}

static bool add(struct palette *p, struct palette_map *map, uint32_t colour)
{
    uint32_t s = find(map, colour);
    if (map->index[s])
        return true;
    if (p->n == COUNT(p->colour))
        return false;
    map->key[s] = colour;
    map->index[s] = (uint16_t)(p->n + 1);
    p->colour[p->n++] = colour;
    return true;
}

static uint8_t alpha_of(uint32_t colour)
{
    uint8_t bytes[4];
    memcpy(bytes, &colour, sizeof bytes);
    return bytes[3];
}

/* Those that are not opaque first (their alphas are a short list then), each kind in order of value. */
static int by_alpha(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    bool opaque_x = alpha_of(x) == 255, opaque_y = alpha_of(y) == 255;
    if (opaque_x != opaque_y)
        return opaque_x - opaque_y;
    return (x > y) - (x < y);
}

size_t pixels_alike(const uint32_t *px, size_t n)
{
    enum { STEP = 16 };
    size_t run = 1;
    if (n > 1 && px[1] != px[0])
        return 1;
    for (; run + STEP <= n; run += STEP) {
        uint32_t other = 0;
        for (size_t i = 0; i < STEP; i++)
            other |= px[run + i] ^ px[0];
        if (other)
            break;
    }
    while (run < n && px[run] == px[0])
        run++;
    return run;
}

bool palette_of(const struct image *m, struct palette *ret)
{
    struct palette_map map = {0};
    struct palette p = {0};
    const uint32_t *px = (const uint32_t *)(const void *)m->px;
    size_t n = (size_t)m->size.w * m->size.h;
    for (size_t i = 0; i < n; i += pixels_alike(px + i, n - i))
        if (!add(&p, &map, px[i]))
            return false;
    qsort(p.colour, p.n, sizeof p.colour[0], by_alpha);
    p.bits = p.n <= 2 ? 1 : p.n <= 4 ? 2 : p.n <= 16 ? 4 : 8;
    *ret = p;
    return true;
}

void palette_map(const struct palette *p, struct palette_map *ret)
{
    memset(ret, 0, sizeof *ret);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t s = find(ret, p->colour[i]);
        ret->key[s] = p->colour[i];
        ret->index[s] = (uint16_t)(i + 1);
    }
}

uint8_t palette_index(const struct palette_map *map, uint32_t colour)
{
    return (uint8_t)(map->index[find(map, colour)] - 1);
}
