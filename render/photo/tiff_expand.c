/* SPDX-License-Identifier: Apache-2.0 */
/* Samples as they are stored in a TIFF, as the rows that the shared steps take. */
#include <string.h>

#include "pixels.h"
#include "tiff.h"

static uint8_t byte_of(uint16_t v)
{
    return (uint8_t)((v * 255u + 32895u) >> 16);
}

static void expand_small(const struct tiff_info *i, const uint8_t *in, uint8_t channels, uint8_t *out)
{
    unsigned in_byte = 8u / i->bits, most = (1u << i->bits) - 1;
    for (uint32_t x = 0; x < i->width; x++, out += channels) {
        unsigned shift = 8 - i->bits * (x % in_byte + 1);
        memcpy(out, i->palette[in[x / in_byte] >> shift & most], channels);
    }
}

/* Grey, as one channel or as four. */
static void put_gray(const struct tiff_info *i, const uint8_t *sample, uint8_t channels, uint8_t *out)
{
    uint8_t v = i->inverted ? (uint8_t)(255 - sample[0]) : sample[0];
    if (channels == 1)
        out[0] = v;
    else
        memcpy(out, (uint8_t[4]){v, v, v, i->alpha ? sample[1] : 255}, channels);
}

static void put_colour(const struct tiff_info *i, const uint8_t *sample, uint8_t channels, uint8_t *out)
{
    memcpy(out, sample, 3);
    if (channels == 4)
        out[3] = i->alpha || i->kind == TIFF_INKS ? sample[3] : 255;
}

static void expand_bytes(const struct tiff_info *i, const uint8_t *in, uint8_t channels, uint8_t *out)
{
    for (uint32_t x = 0; x < i->width; x++, in += i->samples, out += channels)
        if (i->kind == TIFF_GRAY)
            put_gray(i, in, channels, out);
        else
            put_colour(i, in, channels, out);
}

/* libtiff gives 16 bits in the machine's order. */
static void expand_words(const struct tiff_info *i, const uint8_t *in, uint8_t channels, uint8_t *out)
{
    uint8_t few[4] = {0};
    unsigned n = i->samples < 4 ? i->samples : 4;
    for (uint32_t x = 0; x < i->width; x++, in += (size_t)i->samples * 2, out += channels) {
        for (unsigned k = 0; k < n; k++) {
            uint16_t v;
            memcpy(&v, in + (size_t)k * 2, sizeof v);
            few[k] = byte_of(v);
        }
        if (i->kind == TIFF_GRAY)
            put_gray(i, few, channels, out);
        else
            put_colour(i, few, channels, out);
    }
}

void tiff_expand(const struct tiff_info *info, const uint8_t *samples, uint8_t channels, uint8_t *out)
{
    if (info->bits < 8 || info->kind == TIFF_PALETTE)
        expand_small(info, samples, channels, out);
    else if (info->bits == 16)
        expand_words(info, samples, channels, out);
    else
        expand_bytes(info, samples, channels, out);
    if (info->premultiplied && channels == 4)
        unpremultiply(out, info->width);
}
