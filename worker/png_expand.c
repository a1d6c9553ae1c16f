/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of every colour type and depth made RGBA of 8 bits, or grey or RGB where that is all there is. Up to 8 bits a
 * pixel it is a look-up: png.c fills the palette of a gray picture, too. 16 bits are rounded to nearest, after the
 * transparent colour was compared in full.
 */
#include <string.h>

#include "base/cleanup.h"
#include "bytes.h"
#include "png.h"
#include "spread.h"

static inline uint8_t from16(const uint8_t *p)
{
    return (uint8_t)((be16(p) * 255u + 32895u) >> 16);
}

static bool expand_index8(const struct png_info *info, const uint8_t *row, uint8_t *out, uint32_t width)
{
    uint8_t most = 0;
    for (uint32_t x = 0; x < width; x++)
        most = MAX(most, row[x]);
    if (most >= info->colours)
        return false;
    for (uint32_t x = 0; x < width; x++)
        memcpy(out + (size_t)x * 4, info->palette[row[x]], 4);
    return true;
}

/* 1, 2 or 4 bits, the leftmost pixel in the high bits. */
static bool expand_index(const struct png_info *info, const uint8_t *row, uint8_t *out, uint32_t width)
{
    unsigned depth = info->depth, mask = (1u << depth) - 1, most = 0;
    for (uint32_t x = 0; x < width; x++) {
        size_t bit = (size_t)x * depth;
        unsigned v = row[bit / 8] >> (8 - depth - bit % 8) & mask;
        most = MAX(most, v);
        memcpy(out + (size_t)x * 4, info->palette[v], 4);
    }
    return most < info->colours;
}

/* Grey levels of 1, 2 or 4 bits, one byte each: all of a stored byte at once. */
static bool expand_levels(const struct png_info *info, const uint8_t *row, uint8_t *out, uint32_t width)
{
    uint32_t in_byte = 8u / info->depth, x = 0;
    for (; x + 8 <= width; x += in_byte)
        memcpy(out + x, info->levels[*row++], 8);
    for (; x < width; x += in_byte)
        memcpy(out + x, info->levels[*row++], MIN(in_byte, width - x));
    return true;
}

static bool expand_gray16(const struct png_info *info, const uint8_t *row, uint8_t *out, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, row += 2, out += 4) {
        out[0] = out[1] = out[2] = from16(row);
        out[3] = info->keyed && be16(row) == info->key[0] ? 0 : 255;
    }
    return true;
}

static bool expand_gray_alpha8(const struct png_info *info, const uint8_t *row, uint8_t *out, uint32_t width)
{
    (void)info;
    for (uint32_t x = 0; x < width; x++, row += 2, out += 4) {
        out[0] = out[1] = out[2] = row[0];
        out[3] = row[1];
    }
    return true;
}

static bool expand_gray_alpha16(const struct png_info *info, const uint8_t *row, uint8_t *out, uint32_t width)
{
    (void)info;
    for (uint32_t x = 0; x < width; x++, row += 4, out += 4) {
        out[0] = out[1] = out[2] = from16(row);
        out[3] = from16(row + 2);
    }
    return true;
}

static bool expand_rgb8(const struct png_info *info, const uint8_t *row, uint8_t *out, uint32_t width)
{
    (void)info;
    spread(row, 3, width, out);
    return true;
}

static bool expand_rgb8_keyed(const struct png_info *info, const uint8_t *row, uint8_t *out, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, row += 3, out += 4) {
        memcpy(out, row, 3);
        out[3] = row[0] == info->key[0] && row[1] == info->key[1] && row[2] == info->key[2] ? 0 : 255;
    }
    return true;
}

static bool expand_rgb16(const struct png_info *info, const uint8_t *row, uint8_t *out, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, row += 6, out += 4) {
        bool key = info->keyed;
        for (int i = 0; i < 3; i++) {
            out[i] = from16(row + i * 2);
            key = key && be16(row + i * 2) == info->key[i];
        }
        out[3] = key ? 0 : 255;
    }
    return true;
}

static bool expand_rgba8(const struct png_info *info, const uint8_t *row, uint8_t *out, uint32_t width)
{
    (void)info;
    memcpy(out, row, (size_t)width * 4);
    return true;
}

/* As many channels as are stored. */
static bool expand_wide(const struct png_info *info, const uint8_t *row, uint8_t *out, uint32_t width)
{
    size_t n = (size_t)width * (info->bits / 16);
    for (size_t i = 0; i < n; i++)
        out[i] = from16(row + i * 2);
    return true;
}

uint8_t png_channels(const struct png_info *info)
{
    return info->keyed ? 4 : info->colour == PNG_RGB ? 3 : info->colour == PNG_GRAY ? 1 : 4;
}

png_expand *png_expand_for(const struct png_info *info, uint8_t channels)
{
    bool wide = info->depth == 16;
    if (channels && channels < 4)
        return wide ? expand_wide : info->depth == 8 ? NULL : expand_levels;
    switch ((enum png_colour)info->colour) {
    case PNG_RGB: return wide ? expand_rgb16 : info->keyed ? expand_rgb8_keyed : expand_rgb8;
    case PNG_RGBA: return wide ? expand_wide : expand_rgba8;
    case PNG_GRAY_ALPHA: return wide ? expand_gray_alpha16 : expand_gray_alpha8;
    case PNG_GRAY:
    case PNG_PALETTE: break;
    }
    return wide ? expand_gray16 : info->depth == 8 ? expand_index8 : expand_index;
}
