/* SPDX-License-Identifier: Apache-2.0 */
/* Fitting: see plan.h. */
#include "fit/plan.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/limits.h"

const uint8_t fit_qualities[4] = {70, 60, 50, 40};
const double fit_scales[4] = {0.75, 0.5, 0.35, 0.25};

/* Borders a hair off a whole pixel (what division leaves) are that pixel's. */
static const double hair = 1e-6;

static void crop_axis(double start, double length, uint32_t side, uint32_t *ret_start, uint32_t *ret_length)
{
    double low = fmax(floor(start + hair), 0), high = fmin(ceil(start + length - hair), side);
    *ret_start = low < side ? (uint32_t)low : side;
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

static struct size shrink_to_edge(struct size s, uint32_t edge)
{
    uint32_t longest = MAX(s.w, s.h);
    if (!edge || longest <= edge)
        return s;
    double f = (double)edge / longest;
    return (struct size){side(s.w * f), side(s.h * f)};
}

static struct size shrink_to_patches(struct size s, uint32_t patches)
{
    struct token_rule rule = {.kind = TOKENS_CLAUDE, .budget = patches};
    return patches ? tokens_resize(&rule, s) : s;
}

/* Both axes by one factor where that stays within the longest side, else only the short axis. */
static struct size enlarge(struct size s, uint32_t least, uint32_t longest)
{
    uint32_t shortest = MIN(s.w, s.h);
    if (!least || shortest >= least)
        return s;
    double f = (double)least / shortest;
    if (MAX(s.w, s.h) * f <= longest)
        return (struct size){MAX(side(s.w * f), least), MAX(side(s.h * f), least)};
    return (struct size){MAX(s.w, least), MAX(s.h, least)};
}

struct size fit_target(const struct fit_limits *limits, struct size crop)
{
    if (!limits->resize)
        return crop;
    struct size s = shrink_to_edge(crop, limits->max_edge);
    s = shrink_to_patches(s, limits->max_patches);
    s = tokens_resize(&limits->rule, s);
    return enlarge(s, limits->min_edge, limits->max_edge);
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
    for (size_t i = 0; i < COUNT(fit_scales); i++)
        if (fit_scaled(target, fit_scales[i], &s) && s.w == result.w && s.h == result.h)
            return true;
    return false;
}
