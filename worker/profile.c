/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is an ICC profile plainly sRGB? Nearly all embedded profiles are, under many names and in many sizes. The answer comes
 * from the numbers: the three primaries and a few points of each tone curve. What uses tables instead of a matrix is
 * never called sRGB here; it is converted properly instead.
 */
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "bytes.h"
#include "decode.h"

enum { HEADER = 128, MOST_TAGS = 100 };

struct tag {
    const uint8_t *data;
    size_t len;
};

static struct tag find_tag(const uint8_t *icc, size_t len, const char *name)
{
    uint32_t count = MIN(be32(icc + HEADER), (uint32_t)MOST_TAGS);
    for (uint32_t i = 0; i < count && HEADER + 4 + (size_t)(i + 1) * 12 <= len; i++) {
        const uint8_t *e = icc + HEADER + 4 + (size_t)i * 12;
        size_t at = be32(e + 4), n = be32(e + 8);
        if (!memcmp(e, name, 4))
            return at <= len && n <= len - at ? (struct tag){icc + at, n} : (struct tag){0};
    }
    return (struct tag){0};
}

static double fixed(const uint8_t *p)
{
    return (int32_t)be32(p) / 65536.0;
}

static double srgb(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

/* A parametric curve at x; negative for a kind that is not known. */
static double parametric(struct tag t, double x)
{
    static const uint8_t counts[] = {1, 3, 4, 5, 7};
    unsigned kind = be16(t.data + 8);
    if (kind >= COUNT(counts) || t.len < 12 + 4u * counts[kind])
        return -1;
    double p[7] = {0}; /* g a b c d e f */
    for (unsigned i = 0; i < counts[kind]; i++)
        p[i] = fixed(t.data + 12 + i * 4);
    if (kind == 0)
        return pow(x, p[0]);
    if (kind < 3) /* the break lies at -b/a; below it, kind 1 is 0 and kind 2 is c */
        return x >= -p[2] / p[1] ? pow(p[1] * x + p[2], p[0]) + p[3] : p[3];
    return x >= p[4] ? pow(p[1] * x + p[2], p[0]) + p[5] : p[3] * x + p[6];
}

static double tabulated(struct tag t, double x)
{
    uint32_t n = be32(t.data + 8);
    if (n == 0)
        return x;
    if (t.len < 12 || (t.len - 12) / 2 < n)
        return -1;
    if (n == 1)
        return pow(x, be16(t.data + 12) / 256.0);
    double at = x * (n - 1);
    uint32_t i = MIN((uint32_t)at, n - 2);
    double low = be16(t.data + 12 + (size_t)i * 2), high = be16(t.data + 14 + (size_t)i * 2);
    return (low + (high - low) * (at - i)) / 65535;
}

static bool curve_is_srgb(struct tag t)
{
    static const double points[] = {0.02, 0.1, 0.25, 0.5, 0.75, 0.9};
    if (t.len < 12)
        return false;
    for (size_t i = 0; i < COUNT(points); i++) {
        double v = !memcmp(t.data, "para", 4)   ? parametric(t, points[i])
                   : !memcmp(t.data, "curv", 4) ? tabulated(t, points[i])
                                                : -1;
        /* Half a step of 8 bits, measured where the eye does: on the encoded scale. */
        double want = srgb(points[i]), slope = (srgb(points[i] + 0.002) - want) / 0.002;
        if (!(v >= 0) || !(fabs(v - want) <= slope * 0.75 / 255 + 1.0 / 4096))
            return false;
    }
    return true;
}

static bool primary_is(struct tag t, const double xyz[3])
{
    if (t.len < 20 || memcmp(t.data, "XYZ ", 4) != 0)
        return false;
    for (int i = 0; i < 3; i++)
        if (!(fabs(fixed(t.data + 8 + i * 4) - xyz[i]) < 0.0015))
            return false;
    return true;
}

bool profile_is_srgb(const uint8_t *icc, size_t len)
{
    static const struct {
        const char *primary, *curve;
        double xyz[3];
    } channels[] = {
        {"rXYZ", "rTRC", {0.4361, 0.2225, 0.0139}},
        {"gXYZ", "gTRC", {0.3851, 0.7169, 0.0971}},
        {"bXYZ", "bTRC", {0.1431, 0.0606, 0.7141}},
    };
    if (len < HEADER + 4 || memcmp(icc + 36, "acsp", 4) != 0 || memcmp(icc + 16, "RGB XYZ ", 8) != 0)
        return false;
    if (find_tag(icc, len, "A2B0").data)
        return false;
    for (size_t i = 0; i < COUNT(channels); i++)
        if (!primary_is(find_tag(icc, len, channels[i].primary), channels[i].xyz) ||
            !curve_is_srgb(find_tag(icc, len, channels[i].curve)))
            return false;
    return true;
}
