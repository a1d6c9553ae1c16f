/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fitting: whatever the source, the box and the limits, the plan lies within them, settles when it is planned again, its crop lies
 * in the source and its tiles and cells cover it; a place in the picture leads back to one in the crop.
 * about: src/fit/plan.c src/fit/geometry.c src/fit/sheet.c src/fit/tokens.c
 */
#include "fuzz.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "fit/models_table.h"
#include "fit/sheet.h"

static struct fit_limits limits_of(struct feed *f)
{
    struct fit_limits l = {.max_edge = feed_size(f), .min_edge = feed_size(f), .max_patches = feed_size(f), .max_bytes = 1000,
                           .quality = 75, .resize = feed_u8(f) & 1};
    uint8_t which = feed_u8(f);
    if (which & 1) {
        const struct image_rule *rule = image_models[(which >> 2) % image_models_count].rule;
        l.rule = which & 2 ? rule->usual : rule->full;
    }
    return l;
}

static uint32_t side_of(struct feed *f)
{
    return 1 + feed_size(f) % LIMIT_SIDE;
}

static bool equal(struct size a, struct size b)
{
    return a.w == b.w && a.h == b.h;
}

/* Whether a picture of one pixel passes: where not even that does, nothing can be promised. */
static bool anything_fits(const struct fit_limits *l)
{
    struct size one = {1, 1};
    return equal(tokens_resize(&l->rule, one), one) && equal(fit_target(l, one), fit_target(l, fit_target(l, one)));
}

static void check_target(const struct fit_limits *l, struct size s)
{
    struct size got = fit_target(l, s), least;
    CLAIM(got.w && got.h && got.w <= LIMIT_SIDE && got.h <= LIMIT_SIDE);
    CLAIM(fit_explains(l, s, got));
    if (!l->resize) {
        CLAIM(equal(got, s));
        return;
    }
    uint64_t patches = (uint64_t)((got.w + 27) / 28) * ((got.h + 27) / 28);
    CLAIM(!l->max_edge || l->max_edge > LIMIT_SIDE || MAX(got.w, got.h) <= l->max_edge);
    CLAIM(!l->max_patches || patches <= l->max_patches);
    if (anything_fits(l))
        CLAIM(equal(tokens_resize(&l->rule, got), got));
    CLAIM(equal(fit_target(l, got), got));
    for (size_t i = 0; i < COUNT(fit_scales); i++)
        if (fit_scaled(got, fit_scales[i], &least))
            CLAIM(least.w <= got.w && least.h <= got.h && MIN(least.w, least.h) >= FIT_LEAST_EDGE && fit_explains(l, s, least));
}

/* The first and the last pixel of the picture lead to pixels of the crop. */
static void check_back(struct rect crop, struct size shown)
{
    double fx = (double)crop.w / shown.w, fy = (double)crop.h / shown.h;
    double x = crop.x + (shown.w - 0.5) * fx, y = crop.y + (shown.h - 0.5) * fy;
    CLAIM(isfinite(x) && isfinite(y) && x > crop.x && x < (double)crop.x + crop.w && y > crop.y && y < (double)crop.y + crop.h);
}

static void check_crop(const struct fit_limits *l, const struct fit_box *box, struct size s)
{
    struct rect r;
    if (!fit_crop(box, s, &r))
        return;
    CLAIM(r.w && r.h && (uint64_t)r.x + r.w <= s.w && (uint64_t)r.y + r.h <= s.h);
    check_target(l, (struct size){r.w, r.h});
    check_back(r, fit_target(l, (struct size){r.w, r.h}));
}

static void check_area(const struct fit_limits *l, const struct fit_box *box, const struct area *whole)
{
    struct area a;
    if (!fit_area(box, whole, &a))
        return;
    CLAIM(isfinite(a.x) && isfinite(a.y) && a.w > 0 && a.h > 0);
    CLAIM(a.x >= whole->x && a.y >= whole->y && a.w <= whole->w && a.h <= whole->h);
    struct size shown = fit_drawn(l, a.w, a.h);
    CLAIM(shown.w && shown.h && MAX(shown.w, shown.h) <= LIMIT_SIDE);
}

static void check_tiles(const struct fit_limits *l, struct size s)
{
    uint32_t n = fit_tiles(l, s), end = 0;
    bool tall = s.h >= s.w;
    CLAIM(n >= 1 && n <= LIMIT_PAGES);
    for (uint32_t i = 1; n > 1 && i <= n; i++) {
        struct rect t = fit_tile(l, s, i);
        uint32_t start = tall ? t.y : t.x, length = tall ? t.h : t.w;
        CLAIM(t.w && t.h && (tall ? t.w == s.w && !t.x : t.h == s.h && !t.y));
        CLAIM(i == 1 ? !start : start < end && start + length > end);
        end = start + length;
    }
    CLAIM(n == 1 || end == (tall ? s.h : s.w));
}

static void check_sheet(const struct fit_limits *l, uint32_t n, double w, double h, struct size most)
{
    struct sheet s;
    sheet_plan(l, n, w, h, most, &s);
    CLAIM(s.n == n && s.columns * s.rows >= n && s.columns * (s.rows - 1) < n && s.cell.w && s.cell.h);
    CLAIM(!most.w || s.cell.w <= most.w);
    for (uint32_t k = 0; k < n; k++) {
        struct rect r = sheet_cell(&s, k), before = k ? sheet_cell(&s, k - 1) : r;
        CLAIM(r.w == s.cell.w && r.h == s.cell.h && r.x + r.w + SHEET_GAP <= s.size.w &&
              r.y + r.h + SHEET_LABEL + SHEET_GAP <= s.size.h);
        CLAIM(!k || r.x >= before.x + before.w + SHEET_GAP || r.y >= before.y + before.h + SHEET_LABEL + SHEET_GAP);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    struct fit_limits l = limits_of(&f);
    struct size s = {side_of(&f), side_of(&f)};
    struct fit_box box = {feed_real(&f), feed_real(&f), feed_real(&f), feed_real(&f), feed_u8(&f) & 1, feed_u8(&f) & 1};
    struct area whole = {(int32_t)feed_u32(&f) % 100000, (int32_t)feed_u32(&f) % 100000, s.w - 0.25, s.h - 0.25};
    check_target(&l, s);
    check_crop(&l, &box, s);
    check_area(&l, &box, &whole);
    check_tiles(&l, s);
    uint32_t n = 1 + feed_u8(&f) % LIMIT_SHEET_CELLS;
    check_sheet(&l, n, whole.w, whole.h, feed_u8(&f) & 1 ? s : (struct size){0, 0});
    CLAIM(tokens_count(&l.rule, s) || l.rule.kind == TOKENS_UNKNOWN || !l.rule.base);
    return 0;
}
