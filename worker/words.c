/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pixels as cairo draws them, turned into ours where they lie. All of a page goes through here: pieces that are opaque from end
 * to end, or empty, are most of it, and take a few instructions each.
 */
#include <endian.h>
#include <string.h>

#include "image.h"

enum { PIECE = 64 }; /* pixels that are looked at together */

/* Cairo's word as our bytes: red first, alpha as it is. */
static inline uint32_t turned(uint32_t p)
{
    return htole32((p & 0xff00ff00) | (p >> 16 & 255) | (p & 255) << 16);
}

static uint32_t straight(uint32_t value, uint32_t alpha)
{
    return MIN((value * 255 + alpha / 2) / alpha, 255u);
}

static uint32_t pixel_out(uint32_t p)
{
    uint32_t a = p >> 24;
    if (!a)
        return 0;
    if (a < 255)
        p = a << 24 | straight(p >> 16 & 255, a) << 16 | straight(p >> 8 & 255, a) << 8 | straight(p & 255, a);
    return turned(p);
}

/* Whether all of it is opaque. */
static bool piece_out(uint32_t px[PIECE])
{
    uint32_t all = UINT32_MAX, any = 0;
    for (size_t i = 0; i < PIECE; i++) {
        all &= px[i];
        any |= px[i];
    }
    if (all >> 24 == 255) {
        for (size_t i = 0; i < PIECE; i++)
            px[i] = turned(px[i]);
        return true;
    }
    for (size_t i = 0; any && i < PIECE; i++)
        px[i] = pixel_out(px[i]);
    return false;
}

static bool words_with_alpha(uint32_t *px, size_t n)
{
    bool opaque = true;
    for (; n >= PIECE; n -= PIECE, px += PIECE)
        opaque &= piece_out(px);
    for (; n; n--, px++) {
        opaque &= *px >> 24 == 255;
        *px = pixel_out(*px);
    }
    return opaque;
}

void image_from_words(struct image *m, bool alpha)
{
    uint32_t *px = (uint32_t *)(void *)m->px;
    size_t n = (size_t)m->size.w * m->size.h;
    m->opaque = !alpha || words_with_alpha(px, n);
    for (size_t i = 0; !alpha && i < n; i++)
        px[i] = turned(px[i] | 0xff000000);
}
