/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion to sRGB by lcms2, see colour.h. */
#include "colour.h"

#include <lcms2.h>
#include <math.h>
#include <stdio.h>

static void close_profile(cmsHPROFILE *p)
{
    if (*p)
        cmsCloseProfile(*p);
}
#define auto_profile cleanup(close_profile) cmsHPROFILE

static void free_transform(cmsHTRANSFORM *t)
{
    if (*t)
        cmsDeleteTransform(*t);
}
#define auto_transform cleanup(free_transform) cmsHTRANSFORM

static const cmsColorSpaceSignature spaces[] = {
    [COLOUR_RGBA] = cmsSigRgbData, [COLOUR_GRAY] = cmsSigGrayData, [COLOUR_CMYK] = cmsSigCmykData};

/*
 * Inks without a profile: the sixteen solid overprints of a usual coated press as they look in sRGB, index bits C M Y K.
 * A raster of inks is a mixture of these (Neugebauer). Mixed in gamma space, with black spreading a little and the
 * colours a little less, it is about 5 levels off a real profile in the middle tones.
 */
typedef float colour4 __attribute__((vector_size(16)));
static const colour4 solids[16] = {
    {255, 255, 255, 255}, {0, 156, 228, 255}, {234, 23, 133, 255}, {48, 36, 123, 255},
    {255, 240, 0, 255},   {0, 143, 63, 255},  {232, 31, 42, 255},  {48, 39, 55, 255},
    {41, 35, 43, 255},    {22, 31, 42, 255},  {40, 24, 40, 255},   {25, 25, 37, 255},
    {40, 35, 37, 255},    {22, 26, 35, 255},  {43, 27, 40, 255},   {33, 33, 44, 255},
};

static const double spread[4] = {1.1, 1.1, 1.1, 0.9};
typedef float cover_table[4][256]; /* how much of the paper each ink covers */

static void fill_covers(cover_table t)
{
    for (int ink = 0; ink < 4; ink++)
        for (int i = 0; i < 256; i++)
            t[ink][i] = (float)pow(i / 255.0, spread[ink]);
}

/* Halves the solids ink by ink, the last one first, until one colour is left. */
static colour4 mixed(const uint8_t *ink, cover_table cover)
{
    colour4 v[16];
    memcpy(v, solids, sizeof v);
    for (int bit = 3; bit >= 0; bit--)
        for (int i = 0, n = 1 << bit; i < n; i++)
            v[i] += (v[i + n] - v[i]) * cover[bit][ink[bit]];
    return v[0];
}

static void inks_plain(struct image *m)
{
    size_t n = (size_t)m->size.w * m->size.h;
    cover_table cover;
    fill_covers(cover);
    for (uint8_t *p = m->px; n--; p += 4) {
        colour4 c = mixed(p, cover) + 0.5f;
        for (int i = 0; i < 4; i++)
            p[i] = (uint8_t)c[i];
    }
    m->opaque = true;
}

/* One level at a time is enough for grey: 256 of them make a table. */
static void apply_grey(cmsHTRANSFORM t, struct image *m)
{
    uint8_t levels[256], table[256][3];
    for (int i = 0; i < 256; i++)
        levels[i] = (uint8_t)i;
    cmsDoTransform(t, levels, table, 256);
    size_t n = (size_t)m->size.w * m->size.h;
    for (uint8_t *p = m->px; n--; p += 4)
        memcpy(p, table[p[0]], 3);
}

static void apply_rows(cmsHTRANSFORM t, struct image *m)
{
    for (uint32_t y = 0; y < m->size.h; y++) {
        uint8_t *row = m->px + y * image_stride(m);
        cmsDoTransform(t, row, row, m->size.w);
    }
}

static void set_opaque(struct image *m)
{
    size_t n = (size_t)m->size.w * m->size.h;
    for (uint8_t *p = m->px; n--; p += 4)
        p[3] = 255;
    m->opaque = true;
}

static const struct {
    cmsUInt32Number in, out, flags;
} formats[] = {
    [COLOUR_RGBA] = {TYPE_RGBA_8, TYPE_RGBA_8, cmsFLAGS_COPY_ALPHA},
    [COLOUR_GRAY] = {TYPE_GRAY_8, TYPE_RGB_8, 0},
    [COLOUR_CMYK] = {TYPE_CMYK_8, TYPE_RGBA_8, 0},
};

static bool convert(struct image *m, const struct header *h)
{
    if (h->icc_len > UINT32_MAX || profile_is_srgb(h->icc, h->icc_len))
        return false;
    auto_profile from = cmsOpenProfileFromMem(h->icc, (cmsUInt32Number)h->icc_len);
    auto_profile srgb = cmsCreate_sRGBProfile();
    if (!from || !srgb || cmsGetColorSpace(from) != spaces[h->colour])
        return false;
    auto_transform t = cmsCreateTransform(from, formats[h->colour].in, srgb, formats[h->colour].out,
                                          INTENT_PERCEPTUAL, formats[h->colour].flags);
    if (!t)
        return false;
    if (h->colour == COLOUR_GRAY)
        apply_grey(t, m);
    else
        apply_rows(t, m);
    if (h->colour == COLOUR_CMYK)
        set_opaque(m);
    return true;
}

bool colour_needed(const struct header *h)
{
    return h->colour == COLOUR_CMYK || (h->icc && h->icc_len);
}

bool colour_to_srgb(struct image *m, const struct header *h)
{
    if (h->icc && h->icc_len && convert(m, h))
        return true;
    if (h->colour == COLOUR_CMYK)
        inks_plain(m);
    return h->colour == COLOUR_CMYK;
}

void colour_library(char *out, size_t room)
{
    int v = cmsGetEncodedCMMversion(); /* 2140 is 2.14 */
    (void)snprintf(out, room, "lcms2 %d.%d", v / 1000, v % 1000 / 10);
}
