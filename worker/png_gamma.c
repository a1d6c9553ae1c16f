/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG's older words for colour: gAMA and cHRM count where there is neither a profile nor an sRGB chunk. What they say is
 * made a profile, so that there is one way to convert. Numbers that nobody can mean are passed over.
 */
#include <lcms2.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "bytes.h"
#include "png.h"

enum { UNIT = 100000 }; /* of both chunks */

static const double bt709[8] = {0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06}; /* white, red, green, blue */

/* The exponent that makes light of a sample; 0 when it is sRGB's curve, as far as one number can say that. */
static double exponent_of(const struct png_info *info)
{
    double g = info->gamma.data ? be32(info->gamma.data) / (double)UNIT : 0;
    if (g < 0.1 || g > 4 || fabs(g * 2.2 - 1) <= 0.05)
        return 0;
    return 1 / g;
}

/* True when the colours are others than those of sRGB, and possible. */
static bool read_primaries(const struct png_info *info, double xy[8])
{
    bool other = false;
    memcpy(xy, bt709, sizeof(bt709));
    if (!info->primaries.data)
        return false;
    double v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = be32(info->primaries.data + i * 4) / (double)UNIT;
        if (v[i] > 1 || (i % 2 && v[i] < 0.001))
            return false;
        other |= fabs(v[i] - bt709[i]) > 0.005;
    }
    /* Primaries on one line span no colours. */
    double area = (v[4] - v[2]) * (v[7] - v[3]) - (v[6] - v[2]) * (v[5] - v[3]);
    if (!other || fabs(area) < 0.01)
        return false;
    memcpy(xy, v, sizeof(v));
    return true;
}

static cmsToneCurve *make_curve(double exponent)
{
    static const cmsFloat64Number srgb[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    return exponent > 0 ? cmsBuildGamma(NULL, exponent) : cmsBuildParametricToneCurve(NULL, 4, srgb);
}

static cmsHPROFILE make_profile(bool gray, double exponent, const double xy[8])
{
    cmsToneCurve *curve = make_curve(exponent), *curves[3] = {curve, curve, curve};
    if (!curve)
        return NULL;
    cmsCIExyY white = {xy[0], xy[1], 1};
    cmsCIExyYTRIPLE primaries = {{xy[2], xy[3], 1}, {xy[4], xy[5], 1}, {xy[6], xy[7], 1}};
    cmsHPROFILE p =
        gray ? cmsCreateGrayProfile(cmsD50_xyY(), curve) : cmsCreateRGBProfile(&white, &primaries, curves);
    cmsFreeToneCurve(curve);
    return p;
}

static uint8_t *saved(cmsHPROFILE p, size_t *ret_len)
{
    cmsUInt32Number len = 0;
    if (!p || !cmsSaveProfileToMem(p, NULL, &len) || len > LIMIT_ICC_BYTES)
        return NULL;
    auto_free uint8_t *icc = malloc(len);
    if (!icc || !cmsSaveProfileToMem(p, icc, &len))
        return NULL;
    *ret_len = len;
    return take(icc);
}

uint8_t *png_make_profile(const struct png_info *info, size_t *ret_len)
{
    double xy[8];
    bool gray = !(info->colour & 2);
    bool other = read_primaries(info, xy) && !gray;
    double exponent = exponent_of(info);
    if (info->icc.data || info->srgb || (!other && exponent <= 0))
        return NULL;
    cmsHPROFILE p = make_profile(gray, exponent, xy);
    uint8_t *icc = saved(p, ret_len);
    if (p)
        cmsCloseProfile(p);
    return icc;
}
