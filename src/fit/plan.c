/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fitting: see plan.h. The target is found by one search for the largest size of the crop's shape that every limit
 * allows, so the shape is rounded once, however many limits bite.
 */
#include "fit/plan.h"

#include <assert.h>
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

bool fit_area(const struct fit_box *box, const struct area *whole, struct area *ret)
{
    static const double least = 1e-6; /* of a side */
    struct area a = *whole;
    if (box->set) {
        bool unit = box->space == FIT_UNIT;
        double ux = unit ? whole->w / 1000 : 1, uy = unit ? whole->h / 1000 : 1;
        double x = unit ? whole->x + box->x * ux : box->x, y = unit ? whole->y + box->y * uy : box->y;
        if (!isfinite(x) || !isfinite(y) || !isfinite(box->w) || !isfinite(box->h))
            return false;
        double left = fmax(x, whole->x), top = fmax(y, whole->y);
        double right = fmin(x + box->w * ux, whole->x + whole->w), bottom = fmin(y + box->h * uy, whole->y + whole->h);
        a = (struct area){left, top, right - left, bottom - top};
    }
    if (!(a.w >= whole->w * least) || !(a.h >= whole->h * least))
        return false;
    *ret = a;
    return true;
}

static uint32_t whole_number(double length, uint32_t most)
{
    double rounded = nearbyint(length);
    return rounded < 1 ? 1 : rounded > most ? most : (uint32_t)rounded;
}

static uint32_t side(double length)
{
    return whole_number(length, LIMIT_SIDE);
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

struct fit_limits fit_limits_drawn(const struct fit_limits *limits)
{
    struct fit_limits l = *limits;
    l.resize = 1;
    l.max_edge = limits->max_edge && limits->max_edge <= LIMIT_DRAWN_SIDE ? limits->max_edge : LIMIT_DRAWN_SIDE;
    return l;
}

struct size fit_page(const struct fit_limits *limits, struct size page)
{
    struct fit_limits l = fit_limits_drawn(limits);
    return fit_target(&l, page);
}

struct size fit_drawn(const struct fit_limits *limits, double width, double height)
{
    double f = LIMIT_SIDE / fmax(width, height);
    return fit_page(limits, (struct size){side(width * f), side(height * f)});
}

/* ---------------------------------------------------------------- tiles */

enum {
    TILE_OVERLAP = 64,    /* so that no line of text is cut in both */
    TILE_LONG = 2,        /* times as long as wide */
    TILE_SHRUNK_TENTHS = 15, /* shown whole, so many source pixels would become ten */
};

/* Shown whole as large as it usually is. Whoever asks for less wants a small picture, and no long one becomes of it. */
static uint32_t usual_length(const struct fit_limits *limits, struct size source)
{
    struct fit_limits l = *limits;
    l.max_edge = MAX(longest_side(limits), (uint32_t)FIT_USUAL_EDGE);
    struct size whole = fit_target(&l, source);
    return MAX(whole.w, whole.h);
}

/* The longest tile of that width that is shown as it is, or as large as one that wide can be. */
static uint32_t tile_length(const struct fit_limits *limits, uint32_t across, bool tall)
{
    uint32_t most = longest_side(limits), low = 1;
    struct size shown = fit_target(limits, tall ? (struct size){across, 1} : (struct size){1, across});
    uint32_t width = MIN(across, tall ? shown.w : shown.h), high = most;
    while (low < high) { /* the longest that stays that wide */
        uint32_t mid = low + (high - low + 1) / 2;
        if (allowed(limits, tall ? (struct size){width, mid} : (struct size){mid, width}))
            low = mid;
        else
            high = mid - 1;
    }
    /* Where the limits are tight it would come in stripes: a tile is at least half as long as it is wide. */
    uint64_t length = (uint64_t)low * across / width;
    return (uint32_t)MIN(MAX(length, (uint64_t)across / 2), (uint64_t)LIMIT_DRAWING);
}

uint32_t fit_tiles(const struct fit_limits *limits, struct size source)
{
    bool tall = source.h >= source.w;
    uint32_t across = tall ? source.w : source.h, along = tall ? source.h : source.w;
    if ((uint64_t)along < (uint64_t)across * TILE_LONG ||
        (uint64_t)along * 10 < (uint64_t)usual_length(limits, source) * TILE_SHRUNK_TENTHS)
        return 1;
    uint32_t length = tile_length(limits, across, tall);
    if (length >= along || length <= 2 * TILE_OVERLAP)
        return 1;
    uint32_t n = (along - TILE_OVERLAP + (length - TILE_OVERLAP) - 1) / (length - TILE_OVERLAP);
    return n <= LIMIT_PAGES ? n : 1;
}

struct rect fit_tile(const struct fit_limits *limits, struct size source, uint32_t k)
{
    assert(k >= 1 && k <= fit_tiles(limits, source));
    bool tall = source.h >= source.w;
    uint32_t across = tall ? source.w : source.h, along = tall ? source.h : source.w;
    uint32_t length = tile_length(limits, across, tall), start = (k - 1) * (length - TILE_OVERLAP);
    uint32_t rest = MIN(length, along - start);
    return tall ? (struct rect){0, start, across, rest} : (struct rect){start, 0, rest, across};
}

struct size fit_natural(const struct fit_drawing *d)
{
    return (struct size){whole_number(d->whole.w * d->unit_w, LIMIT_DRAWING), whole_number(d->whole.h * d->unit_h, LIMIT_DRAWING)};
}

struct area fit_tile_area(const struct fit_limits *limits, const struct fit_drawing *d, uint32_t k)
{
    const struct area *whole = &d->whole;
    struct size natural = fit_natural(d);
    struct rect t = fit_tile(limits, natural, k);
    double x = t.x / d->unit_w, y = t.y / d->unit_h;
    double right = t.x + t.w < natural.w ? (t.x + t.w) / d->unit_w : whole->w; /* the natural size was rounded */
    double bottom = t.y + t.h < natural.h ? (t.y + t.h) / d->unit_h : whole->h;
    return (struct area){whole->x + x, whole->y + y, right - x, bottom - y};
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
