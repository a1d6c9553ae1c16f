/* SPDX-License-Identifier: Apache-2.0 */
/* PNG in the kinds that are met: true colour, alpha, gray, 16 bits, palette, one bit, each also interlaced. */
#include <err.h>
#include <png.h>

#include "base/cleanup.h"
#include "gen.h"

static const struct {
    int type, bits;
} kinds[] = {
    [PNG_RGB] = {PNG_COLOR_TYPE_RGB, 8},     [PNG_RGBA] = {PNG_COLOR_TYPE_RGB_ALPHA, 8},
    [PNG_GRAY] = {PNG_COLOR_TYPE_GRAY, 8},   [PNG_RGB16] = {PNG_COLOR_TYPE_RGB, 16},
    [PNG_PALETTE] = {PNG_COLOR_TYPE_PALETTE, 8}, [PNG_BILEVEL] = {PNG_COLOR_TYPE_GRAY, 1},
};

/* Colour to index, by open addressing; at most 256 of 1024 slots are ever in use. */
struct colours {
    uint32_t key[1024]; /* 0x1RRGGBB */
    uint8_t index[1024];
    unsigned n;
};

/* Index of the colour, added where it is new; -1 when there are 256 already. */
static int colour_index(struct colours *c, const uint8_t *px)
{
    uint32_t key = 1u << 24 | (uint32_t)px[0] << 16 | (uint32_t)px[1] << 8 | px[2];
    for (uint32_t at = key * 2654435761u >> 22;; at = (at + 1) & 1023) {
        if (c->key[at] == key)
            return c->index[at];
        if (c->key[at])
            continue;
        if (c->n == 256)
            return -1;
        c->key[at] = key;
        c->index[at] = (uint8_t)c->n;
        return (int)c->n++;
    }
}

static bool exact_palette(const struct raster *r, uint8_t palette[256][3], uint8_t *indices, unsigned *ret_n)
{
    struct colours c = {0};
    size_t n = (size_t)r->w * r->h;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *px = r->px + i * r->channels;
        int index = colour_index(&c, px);
        if (index < 0)
            return false;
        indices[i] = (uint8_t)index;
        for (int k = 0; k < 3; k++)
            palette[index][k] = px[k];
    }
    *ret_n = c.n;
    return true;
}

static unsigned level(uint8_t v, unsigned steps)
{
    return (v * (steps - 1) + 127u) / 255;
}

unsigned to_palette(const struct raster *r, uint8_t palette[256][3], uint8_t *indices)
{
    unsigned n;
    if (exact_palette(r, palette, indices, &n))
        return n;
    for (unsigned i = 0; i < 252; i++) {
        palette[i][0] = (uint8_t)(i / 42 * 51);
        palette[i][1] = (uint8_t)(i / 6 % 7 * 255 / 6);
        palette[i][2] = (uint8_t)(i % 6 * 51);
    }
    for (size_t i = 0; i < (size_t)r->w * r->h; i++) {
        const uint8_t *px = r->px + i * r->channels;
        indices[i] = (uint8_t)(level(px[0], 6) * 42 + level(px[1], 7) * 6 + level(px[2], 6));
    }
    return 252;
}

static uint8_t gray_of(const uint8_t *px)
{
    return (uint8_t)((px[0] * 77u + px[1] * 150u + px[2] * 29u) >> 8);
}

/* One row of the file from one of the raster. 16-bit samples get low bits of their own. */
static void make_row(const struct raster *r, enum png_kind kind, uint32_t y, uint8_t *row)
{
    const uint8_t *px = r->px + (size_t)y * r->w * r->channels;
    size_t bytes = (size_t)r->w * r->channels;
    if (kind == PNG_RGB || kind == PNG_RGBA)
        memcpy(row, px, bytes);
    if (kind == PNG_RGB16)
        for (size_t i = 0; i < bytes; i++) {
            row[2 * i] = px[i];
            row[2 * i + 1] = (uint8_t)(px[i] * 37 + i * 11);
        }
    if (kind == PNG_GRAY)
        for (uint32_t x = 0; x < r->w; x++)
            row[x] = gray_of(px + (size_t)x * r->channels);
    if (kind == PNG_BILEVEL)
        for (uint32_t x = 0; x < r->w; x++) {
            uint8_t bit = (uint8_t)(0x80 >> (x & 7));
            row[x / 8] = (uint8_t)((row[x / 8] & ~bit) | (gray_of(px + (size_t)x * r->channels) > 150 ? bit : 0));
        }
}

static void write_rows(png_structp png, png_infop info, const struct raster *r, enum png_kind kind)
{
    auto_free uint8_t *all = calloc((size_t)r->w * r->h, 6);
    auto_free png_bytep *rows = calloc(r->h, sizeof(*rows));
    uint8_t palette[256][3];
    if (!all || !rows)
        errx(1, "out of memory");
    if (kind == PNG_PALETTE) {
        unsigned n = to_palette(r, palette, all);
        png_set_PLTE(png, info, (png_colorp)palette, (int)n);
    }
    for (uint32_t y = 0; y < r->h; y++) {
        rows[y] = all + (size_t)y * r->w * (kind == PNG_PALETTE ? 1 : 6);
        make_row(r, kind, y, rows[y]);
    }
    png_write_info(png, info);
    png_write_image(png, rows);
    png_write_end(png, NULL);
}

int write_png(const char *path, const struct raster *r, const struct how *how)
{
    FILE *file = fopen(path, "wbe");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!file || !info || setjmp(png_jmpbuf(png)))
        errx(1, "cannot write '%s'", path);
    png_init_io(png, file);
    png_set_compression_level(png, how->quality ? how->quality : 6);
    if (how->unfiltered)
        png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_IHDR(png, info, r->w, r->h, kinds[how->png].bits, kinds[how->png].type,
                 how->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
    write_rows(png, info, r, how->png);
    png_destroy_write_struct(&png, &info);
    return fclose(file);
}
