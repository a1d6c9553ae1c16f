/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fitting: see plan.h. The target is found by one search for the largest size of the crop's shape that every limit
 * allows, so the shape is rounded once, however many limits bite.
 */
#include "fit/plan.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/limits.h"

const uint8_t fit_qualities[4] = {70, 60, 50, 40};
const double fit_scales[4] = {0.75, 0.5, 0.35, 0.25};

/* Borders a hair off a whole pixel (what division leaves) are on it. */
static const double hair = 1e-6;

static void crop_axis(double start, double length, uint32_t whole, uint32_t *ret_start, uint32_t *ret_length)
{
    double low = floor(start + hair), high = fmax(ceil(start + length - hair), low + 1);
    low = fmax(low, 0);
    high = fmin(high, whole);
    *ret_start = low < whole ? (uint32_t)low : whole;
    *ret_length = high > low ? (uint32_t)(high - low) : 0;
}

bool fit_crop(const struct fit_box *box, struct size source, struct rect *ret_crop)
{
    struct rect r = {0, 0, source.w, source.h};
    if (box->set) {
        double ux = box->space == FIT_UNIT ? source.w / 1000.0 : 1, uy = box->space == FIT_UNIT ? source.h / 1000.0 : 1;
        if (!isfinite(box->x) || !isfinite(box->y) || !isfinite(box->w) || !isfinite(box->h) || box->w <= 0 ||
            box->h <= 0)
            return false;
        crop_axis(box->x * ux, box->w * ux, source.w, &r.x, &r.w);
        crop_axis(box->y * uy, box->h * uy, source.h, &r.y, &r.h);
    }
    if (!r.w || !r.h)
        return false;
    *ret_crop = r;
    return true;
}

static uint32_t side(double length)
{
    double rounded = nearbyint(length);
    return rounded < 1 ? 1 : rounded > LIMIT_SIDE ? LIMIT_SIDE : (uint32_t)rounded;
}

static bool unshrunk(const struct token_rule *rule, struct size s)
{
    struct size got = tokens_resize(rule, s);
    return got.w == s.w && got.h == s.h;
}

static uint32_t longest_side(const struct fit_limits *limits)
{
    return limits->max_edge && limits->max_edge <= LIMIT_SIDE ? limits->max_edge : LIMIT_SIDE;
}

/* Nobody on the way to the model would shrink a picture of this size. */
static bool allowed(const void *arg, struct size s)
{
    const struct fit_limits *limits = arg;
    struct token_rule patches = {.kind = TOKENS_CLAUDE, .budget = limits->max_patches};
    return MAX(s.w, s.h) <= longest_side(limits) && unshrunk(&patches, s) && unshrunk(&limits->rule, s);
}

/* Both axes by one factor where that is allowed, else only the short one, else not at all. A least side above the
 * longest cannot be had: then the longest is the aim, and the shape stays. */
static struct size enlarge(const struct fit_limits *limits, struct size s)
{
    uint32_t least = limits->min_edge, most = longest_side(limits);
    bool reachable = least <= most;
    uint32_t from = reachable ? MIN(s.w, s.h) : MAX(s.w, s.h), to = MIN(least, most);
    if (!from || from >= to)
        return s;
    double f = (double)to / from;
    struct size both = {side(s.w * f), side(s.h * f)}, one = {MAX(s.w, least), MAX(s.h, least)};
    if (MAX(s.w, s.h) * f <= LIMIT_SIDE && allowed(limits, both))
        return both;
    return reachable && allowed(limits, one) ? one : s;
}

struct size fit_target(const struct fit_limits *limits, struct size crop)
{
    return limits->resize ? enlarge(limits, size_largest(crop, allowed, limits)) : crop;
}

bool fit_scaled(struct size target, double scale, struct size *ret)
{
    struct size s = {side(target.w * scale), side(target.h * scale)};
    if (s.w < FIT_LEAST_EDGE || s.h < FIT_LEAST_EDGE)
        return false;
    *ret = s;
    return true;
}

bool fit_explains(const struct fit_limits *limits, struct size crop, struct size result)
{
    struct size target = fit_target(limits, crop), s;
    if (result.w == target.w && result.h == target.h)
        return true;
    for (size_t i = 0; limits->resize && i < COUNT(fit_scales); i++)
        if (fit_scaled(target, fit_scales[i], &s) && s.w == result.w && s.h == result.h)
            return true;
    return false;
}
