/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in memory, and what is done to one after it was scaled: turning, flattening, a look at what it is. */
#include "image.h"

#include <errno.h>
#include <string.h>

#include "base/limits.h"
#include "kernel.h"
#include "resample.h"

int image_init(struct image *m, struct size size)
{
    size_t pixels, bytes;
    if (!size.w || !size.h || size.w > LIMIT_SIDE || size.h > LIMIT_SIDE)
        return -EFBIG;
    if (__builtin_mul_overflow((size_t)size.w, (size_t)size.h, &pixels) || pixels > LIMIT_PIXELS ||
        __builtin_mul_overflow(pixels, (size_t)4, &bytes))
        return -EFBIG;
    /* The scaling loops write whole steps; the next row covers what is too much, and this the last row's. */
    uint8_t *px = malloc(bytes + DOWN_STEP + RESAMPLE_PAD);
    if (!px)
        return -ENOMEM;
    *m = (struct image){.size = size, .opaque = true, .px = px};
    return 0;
}

void image_done(struct image *m)
{
    free(m->px);
    *m = (struct image){0};
}

int image_scale(const struct image *m, struct size size, struct image *ret)
{
    auto_image out = {0};
    struct resampler *r;
    int e = image_init(&out, size);
    if (!e)
        e = resample_new(m->size, 4, (struct part){0, 0, m->size.w, m->size.h}, !m->opaque, &out, &r);
    if (e)
        return e;
    for (uint32_t y = 0; y < m->size.h; y++)
        resample_push(r, image_row(m, y));
    out.opaque = m->opaque;
    resample_free(r);
    *ret = out;
    out.px = NULL;
    return 0;
}

struct size size_within(struct size s, struct size box)
{
    double f = MIN(MIN((double)box.w / s.w, (double)box.h / s.h), 1);
    struct size t = {(uint32_t)(s.w * f + 0.5), (uint32_t)(s.h * f + 0.5)};
    return (struct size){MIN(MAX(t.w, 1u), box.w), MIN(MAX(t.h, 1u), box.h)};
}

/* How the stored picture lies in the upright one: its sides change places; it starts at the right, at the bottom. */
struct turn {
    bool swap, from_right, from_bottom;
};
static const struct turn turns[9] = {
    [2] = {false, true, false}, [3] = {false, true, true}, [4] = {false, false, true},
    [5] = {true, false, false}, [6] = {true, true, false}, [7] = {true, true, true}, [8] = {true, false, true},
};

struct size size_turned(struct size s, uint8_t orientation)
{
    return orientation <= 8 && turns[orientation].swap ? (struct size){s.h, s.w} : s;
}

struct rect rect_stored(struct rect r, struct size upright, uint8_t orientation)
{
    struct turn t = orientation <= 8 ? turns[orientation] : turns[1];
    if (t.from_right)
        r.x = upright.w - r.x - r.w;
    if (t.from_bottom)
        r.y = upright.h - r.y - r.h;
    return t.swap ? (struct rect){r.y, r.x, r.h, r.w} : r;
}

int image_orient(struct image *m, uint8_t orientation)
{
    if (orientation < 2 || orientation > 8)
        return 0;
    struct turn t = turns[orientation];
    struct size s = m->size;
    auto_image up = {0};
    int e = image_init(&up, size_turned(s, orientation));
    if (e)
        return e;
    ptrdiff_t w = up.size.w, right = t.from_right ? -1 : 1, below = t.from_bottom ? -w : w;
    ptrdiff_t start = (t.from_right ? w - 1 : 0) + (t.from_bottom ? (ptrdiff_t)(up.size.h - 1) * w : 0);
    ptrdiff_t step_x = t.swap ? below : right, step_y = t.swap ? right : below;
    const uint32_t *from = (const uint32_t *)(const void *)m->px;
    uint32_t *to = (uint32_t *)(void *)up.px;
    for (uint32_t y = 0; y < s.h; y++)
        for (uint32_t x = 0; x < s.w; x++)
            to[start + y * step_y + x * step_x] = *from++;
    up.opaque = m->opaque;
    image_done(m);
    *m = up;
    up.px = NULL;
    return 0;
}

bool row_opaque(const uint8_t *row, uint32_t n)
{
    uint8_t all = 255;
    for (uint32_t x = 0; x < n; x++)
        all &= row[x * 4 + 3];
    return all == 255;
}

bool image_is_light(const struct image *m)
{
    uint64_t light = 0, cover = 0;
    size_t n = (size_t)m->size.w * m->size.h;
    for (const uint8_t *p = m->px; n--; p += 4) {
        if (!p[3])
            continue;
        light += (uint64_t)(p[0] * 54 + p[1] * 183 + p[2] * 19) * p[3];
        cover += p[3];
    }
    return cover && light / cover > 200 * 256;
}

uint8_t image_ground(const struct image *m)
{
    return image_is_light(m) ? LEVEL_GREY : LEVEL_WHITE;
}

void image_flatten(struct image *m, uint8_t level)
{
    size_t n = (size_t)m->size.w * m->size.h;
    const uint8_t ground[4] = {level, level, level, 255};
    for (uint8_t *p = m->px; n--; p += 4) {
        if (p[3] == 255) /* most pixels are all there or not at all */
            continue;
        if (!p[3]) {
            memcpy(p, ground, sizeof ground);
            continue;
        }
        for (int c = 0; c < 3; c++)
            p[c] = (uint8_t)((p[c] * p[3] + level * (255 - p[3]) + 127) / 255);
        p[3] = 255;
    }
    m->opaque = true;
    m->on_white = level == LEVEL_WHITE;
    m->on_grey = !m->on_white;
}

/* Colours met lately; a slot forgets when another colour of its hash comes. */
enum { MEMORY_BITS = 12 };

static bool is_new(uint32_t *memory, uint32_t colour)
{
    uint32_t *slot = &memory[colour * 0x9e3779b1u >> (32 - MEMORY_BITS)];
    bool new = *slot != colour;
    *slot = colour;
    return new;
}

/* Pixels of a row that equal both neighbours, and neither; without a branch, many at a time. */
static void count_row(const uint32_t *row, const uint32_t *above, uint32_t w, uint32_t *flat, uint32_t *sharp)
{
    uint32_t both = 0, neither = 0;
    for (uint32_t x = 1; x < w; x++) {
        uint32_t left = row[x] == row[x - 1], up = row[x] == above[x];
        both += left & up;
        neither += !(left | up);
    }
    *flat = both;
    *sharp = neither;
}

static uint32_t count_novel(const uint32_t *row, const uint32_t *above, uint32_t w, uint32_t *memory)
{
    uint32_t novel = 0;
    for (uint32_t x = 1; x < w; x++)
        novel += row[x] != row[x - 1] && row[x] != above[x] && is_new(memory, row[x]);
    return novel;
}

struct look image_look(const struct image *m, uint32_t rows, bool novelty)
{
    uint32_t memory[1 << MEMORY_BITS] = {0}, w = m->size.w, seen = 0;
    uint32_t step = m->size.h > rows ? m->size.h / rows : 1;
    const uint32_t *px = (const uint32_t *)(const void *)m->px;
    uint64_t flat = 0, sharp = 0, novel = 0;
    for (uint32_t y = 1; y < m->size.h; y += step, seen++) {
        const uint32_t *row = px + (size_t)y * w, *above = row - w;
        uint32_t both, neither;
        count_row(row, above, w, &both, &neither);
        flat += both;
        sharp += neither;
        if (novelty && neither)
            novel += count_novel(row, above, w, memory);
    }
    double pixels = (double)w * MAX(seen, 1);
    return (struct look){(double)flat / pixels, (double)sharp / pixels, (double)novel / pixels};
}

void image_gray(const struct image *m, uint8_t *out)
{
    size_t n = (size_t)m->size.w * m->size.h;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = m->px + i * 4;
        out[i] = (uint8_t)((p[0] * 77u + p[1] * 150u + p[2] * 29u + 128) >> 8);
    }
}
