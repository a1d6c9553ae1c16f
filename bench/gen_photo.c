/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures that cost a codec what a photo costs: a sky with clouds, ridges, buildings with hard edges and a ground of
 * many octaves of noise, with grain over all. Everything scales with the width, so that one seed is one picture at any
 * size. Noise is made row by row, octave by octave: 48 megapixels take seconds. */
#include "gen.h"

#include <err.h>
#include <math.h>

#include "base/cleanup.h"

enum { RIDGES = 3, HOUSES = 7 };

/* No lens draws finer than this many pixels; and a photo smaller than a camera's is a reduced one, with less grain. */
#define FINEST 2.2f
#define CAMERA_WIDTH 3000.0f

struct look {
    float sky_top[3], sky_low[3], ridge[RIDGES][3], ground[3];
    float texture; /* how rough surfaces are */
    float grain;
};

static const struct look looks[PHOTO_LOOKS] = {
    [PHOTO_DAY] = {{62, 120, 200}, {205, 225, 240}, {{130, 150, 175}, {88, 112, 108}, {60, 84, 52}}, {104, 118, 58}, .8f, 12},
    [PHOTO_DUSK] = {{40, 38, 92}, {250, 160, 96}, {{120, 84, 120}, {74, 50, 84}, {40, 30, 52}}, {66, 52, 58}, .8f, 14},
    [PHOTO_SNOW] = {{120, 150, 190}, {232, 236, 242}, {{196, 206, 220}, {160, 172, 190}, {70, 82, 84}}, {206, 212, 224}, .3f, 10},
    [PHOTO_FOREST] = {{150, 175, 190}, {215, 225, 215}, {{92, 118, 96}, {58, 88, 50}, {38, 64, 30}}, {104, 122, 72}, 2.8f, 84},
};

struct house {
    float x, y, w, h, colour[3];
};

struct view {
    const struct look *look;
    uint32_t seed, w, h;
    float *cloud, *rough, *lattice; /* one row each */
    float *ridge[RIDGES];           /* height of each ridge's line, by column */
    struct house house[HOUSES];
};

static float hash_unit(uint32_t seed, uint32_t x, uint32_t y)
{
    uint32_t v = seed * 0x9e3779b1u ^ x * 0x85ebca6bu ^ y * 0xc2b2ae35u;
    v = (v ^ v >> 15) * 0x2c1b3c6du;
    v = (v ^ v >> 12) * 0x297a2d39u;
    return (float)((v ^ v >> 15) >> 8) * (1 / 16777216.0f);
}

static float smooth(float t)
{
    return t * t * (3 - 2 * t);
}

/* Adds one octave of value noise, centred on 0, to a row. */
static void add_octave(const struct view *v, float *row, float y, float cell, float amp, uint32_t seed)
{
    float inverse = 1 / cell, fy = y * inverse;
    uint32_t iy = (uint32_t)fy, cells = (uint32_t)((float)v->w * inverse) + 2;
    float t = smooth(fy - (float)iy);
    for (uint32_t i = 0; i < cells; i++) {
        float top = hash_unit(seed, i, iy), low = hash_unit(seed, i, iy + 1);
        v->lattice[i] = amp * (top + (low - top) * t - .5f);
    }
    for (uint32_t x = 0; x < v->w; x++) {
        float fx = (float)x * inverse;
        uint32_t ix = (uint32_t)fx;
        row[x] += v->lattice[ix] + (v->lattice[ix + 1] - v->lattice[ix]) * smooth(fx - (float)ix);
    }
}

/* first and last cell as parts of the width; each octave is half the cell and `fall` of the height of the one before. */
static void noise_row(const struct view *v, float *row, float y, float first, float last, float fall, uint32_t seed)
{
    memset(row, 0, v->w * sizeof(*row));
    float amp = 1;
    for (float part = first; part <= last; part *= 2, amp *= fall, seed++)
        if ((float)v->w / part >= FINEST)
            add_octave(v, row, y, (float)v->w / part, amp, seed);
}

static void lay_out(struct view *v)
{
    struct rng rng = {v->seed * 2654435761u + 1};
    for (int i = 0; i < RIDGES; i++) {
        noise_row(v, v->ridge[i], 1 + 900.0f * (float)i, 2, 256, .5f, v->seed + 77 * (uint32_t)i);
        for (uint32_t x = 0; x < v->w; x++)
            v->ridge[i][x] = .42f + .12f * (float)i + .22f * v->ridge[i][x];
    }
    for (int i = 0; i < HOUSES; i++) {
        struct house *h = &v->house[i];
        h->w = .05f + .06f * (float)rng_unit(&rng);
        h->h = .08f + .16f * (float)rng_unit(&rng);
        h->x = (float)rng_unit(&rng) * .9f;
        h->y = .78f - h->h + .1f * (float)rng_unit(&rng);
        for (int c = 0; c < 3; c++)
            h->colour[c] = 90 + 120 * (float)rng_unit(&rng);
    }
}

static void house_pixel(const struct house *h, float u, float y, float *px)
{
    float a = (u - h->x) / h->w * 4, b = (y - h->y) / h->h * 5;
    float ca = a - floorf(a), cb = b - floorf(b);
    bool window = ca > .25f && ca < .75f && cb > .2f && cb < .7f;
    bool frame = window && (fabsf(ca - .5f) < .03f || fabsf(cb - .45f) < .03f);
    for (int c = 0; c < 3; c++)
        px[c] = frame ? 235 : window ? h->colour[c] * .28f + 20 : h->colour[c];
}

static void sky_pixel(const struct view *v, float u, float y, float cloud, float *px)
{
    float t = fminf(1, y / .6f), white = fminf(1, fmaxf(0, cloud * 2.2f + .1f)) * (.9f - .5f * t);
    float dx = u - .72f, dy = y - .3f, sun = expf(-(dx * dx + dy * dy) * 60);
    for (int c = 0; c < 3; c++) {
        float base = v->look->sky_top[c] + (v->look->sky_low[c] - v->look->sky_top[c]) * t;
        px[c] = base + (245 - base) * white + sun * 70;
    }
}

static void pixel(const struct view *v, uint32_t x, float u, float y, float *px)
{
    float rough = v->rough[x] * v->look->texture;
    for (int i = 0; i < HOUSES; i++) {
        const struct house *h = &v->house[i];
        if (u >= h->x && u < h->x + h->w && y >= h->y && y < h->y + h->h && y < .9f) {
            house_pixel(h, u, y, px);
            for (int c = 0; c < 3; c++)
                px[c] *= 1 + .12f * rough;
            return;
        }
    }
    if (y < v->ridge[0][x]) {
        sky_pixel(v, u, y, v->cloud[x], px);
        return;
    }
    const float *base = y > .76f + .05f * v->cloud[x] ? v->look->ground
                        : y > v->ridge[2][x]           ? v->look->ridge[2]
                        : y > v->ridge[1][x]           ? v->look->ridge[1]
                                                       : v->look->ridge[0];
    for (int c = 0; c < 3; c++)
        px[c] = base[c] * (1 + (y - .25f) * 1.3f * rough) + 18 * v->cloud[x];
}

static void photo_row(struct view *v, uint32_t y, uint8_t *out)
{
    float at = (float)y / (float)v->h;
    float strength = v->look->grain * fminf(1, (float)v->w / CAMERA_WIDTH);
    noise_row(v, v->cloud, (float)y * 1.8f, 3, 192, .55f, v->seed + 1000);
    noise_row(v, v->rough, (float)y, 24, 3072, 1.0f, v->seed + 2000);
    for (uint32_t x = 0; x < v->w; x++, out += 3) {
        float px[3], grain = strength * (hash_unit(v->seed, x, y) + hash_unit(v->seed + 1, x, y) - 1);
        pixel(v, x, (float)x / (float)v->w, at, px);
        for (int c = 0; c < 3; c++)
            out[c] = (uint8_t)fminf(255, fmaxf(0, px[c] + grain + .5f));
    }
}

void photo(enum photo_look look, uint32_t seed, uint32_t w, uint32_t h, struct raster *ret)
{
    struct view v = {.look = &looks[look], .seed = seed, .w = w, .h = h};
    auto_free float *rows = calloc((size_t)w + 4, (3 + RIDGES) * sizeof(float));
    if (!rows)
        errx(1, "out of memory");
    v.cloud = rows;
    v.rough = rows + w;
    v.lattice = rows + 2 * (size_t)w;
    for (int i = 0; i < RIDGES; i++)
        v.ridge[i] = rows + (size_t)(3 + i) * w + 4 * 3;
    lay_out(&v);
    raster_init(ret, w, h, 3);
    for (uint32_t y = 0; y < h; y++)
        photo_row(&v, y, ret->px + (size_t)y * w * 3);
}
