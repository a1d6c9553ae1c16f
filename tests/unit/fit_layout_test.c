/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of what is drawn, of long pictures in tiles, and of contact sheets. */
#include <math.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "fit/models_table.h"
#include "fit/sheet.h"
#include "test.h"

static const struct fit_limits usual = {
    .max_edge = 1568, .min_edge = 28, .max_bytes = 512000, .quality = 75, .resize = 1};

static uint32_t random_state = 88172645u;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % n;
}

static bool equal(struct size a, struct size b)
{
    return a.w == b.w && a.h == b.h;
}

/* As configurations and models have them; a side is never so small that no sheet would fit. */
static struct fit_limits random_limits(void)
{
    struct fit_limits l = usual;
    l.max_edge = 600 + random_below(3500);
    l.max_patches = random_below(3) ? 0 : 800 + random_below(2000);
    if (random_below(2)) {
        const struct image_rule *rule = image_models[random_below((uint32_t)image_models_count)].rule;
        l.rule = random_below(2) ? rule->usual : rule->full;
    }
    return l;
}

/* ---------------------------------------------------------------- areas and what is drawn */

TEST(an_area_is_clamped_and_lies_on_no_grid)
{
    static const struct {
        struct fit_box box;
        struct area want; /* w 0: refused */
    } rows[] = {
        {{0}, {0, 0, 612, 792.5}},
        {{10.25, 20.5, 100.125, 50, FIT_SOURCE, 1}, {10.25, 20.5, 100.125, 50}},
        {{-10, -10, 30, 40, FIT_SOURCE, 1}, {0, 0, 20, 30}},
        {{600, 700, 900, 900, FIT_SOURCE, 1}, {600, 700, 12, 92.5}},
        {{500, 0, 250, 1000, FIT_UNIT, 1}, {306, 0, 153, 792.5}},
        {{612, 0, 10, 10, FIT_SOURCE, 1}, {0, 0, 0, 0}},
        {{0, 0, 0, 10, FIT_SOURCE, 1}, {0, 0, 0, 0}},
        {{0, 0, -5, 10, FIT_SOURCE, 1}, {0, 0, 0, 0}},
        {{(double)NAN, 0, 5, 10, FIT_SOURCE, 1}, {0, 0, 0, 0}},
        {{0, 0, (double)INFINITY, 10, FIT_SOURCE, 1}, {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct area a = {0};
        const struct area *w = &rows[i].want;
        bool got = fit_area(&rows[i].box, &(struct area){0, 0, 612, 792.5}, &a);
        CHECK_MSG(got == (w->w > 0), "row %zu", i);
        CHECK_MSG(!got || (a.x == w->x && a.y == w->y && fabs(a.w - w->w) < 1e-9 && fabs(a.h - w->h) < 1e-9), "row %zu", i);
    }
}

TEST(what_is_drawn_is_as_large_as_the_limits_allow)
{
    struct fit_limits open = usual;
    open.max_edge = 0;
    CHECK(equal(fit_drawn(&usual, 612, 792), (struct size){1212, 1568}));
    CHECK(equal(fit_drawn(&usual, 0.5, 0.25), (struct size){1568, 784}));
    CHECK(equal(fit_drawn(&open, 30, 30), (struct size){LIMIT_DRAWN_SIDE, LIMIT_DRAWN_SIDE}));
    for (int i = 0; i < 3000; i++) {
        struct fit_limits l = random_limits();
        double w = 1 + random_below(6000) / 3.0, h = 1 + random_below(6000) / 3.0;
        struct size s = fit_drawn(&l, w, h), again = fit_target(&l, s);
        CHECK_MSG(s.w && s.h && MAX(s.w, s.h) <= l.max_edge && equal(s, again), "%gx%g gave %ux%u", w, h, s.w, s.h);
        if (MIN(s.w, s.h) > l.min_edge)
            CHECK_MSG(fabs(w / h - (double)s.w / s.h) <= w / h * (1.5 / s.h + 1.5 / s.w), "%gx%g gave %ux%u", w, h, s.w, s.h);
    }
}

TEST(a_page_with_a_size_of_its_own_is_never_enlarged)
{
    struct fit_limits as_it_is = usual;
    as_it_is.resize = 0;
    CHECK(equal(fit_page(&usual, (struct size){505, 239}), (struct size){505, 239}));
    CHECK(equal(fit_page(&usual, (struct size){3136, 1568}), (struct size){1568, 784}));
    CHECK(equal(fit_page(&as_it_is, (struct size){3136, 1568}), (struct size){1568, 784}));
}

/* ---------------------------------------------------------------- tiles */

TEST(a_tall_page_comes_in_tiles_that_are_not_shrunk)
{
    static const uint32_t patches[] = {0, 1568};
    struct size page = {1200, 12000};
    for (size_t k = 0; k < COUNT(patches); k++) {
        struct fit_limits l = usual;
        l.max_patches = patches[k];
        uint32_t n = fit_tiles(&l, page), end = 0;
        CHECK_MSG(n >= 8 && n <= 20, "%u tiles", n);
        for (uint32_t i = 1; i <= n; i++) {
            struct rect t = fit_tile(&l, page, i);
            CHECK(t.x == 0 && t.w == 1200 && t.h && t.y + t.h <= 12000);
            CHECK(i == 1 ? t.y == 0 : t.y == end - 64);
            CHECK_MSG(equal(fit_target(&l, (struct size){t.w, t.h}), (struct size){t.w, t.h}), "tile %u is shrunk", i);
            end = t.y + t.h;
        }
        CHECK(end == 12000);
    }
}

TEST(a_wide_picture_is_cut_across_too)
{
    struct size strip = {12000, 1200};
    uint32_t n = fit_tiles(&usual, strip), end = 0;
    CHECK(n > 1);
    for (uint32_t i = 1; i <= n; i++) {
        struct rect t = fit_tile(&usual, strip, i);
        CHECK(t.y == 0 && t.h == 1200 && t.x == (i == 1 ? 0 : end - 64));
        end = t.x + t.w;
    }
    CHECK(end == 12000);
}

TEST(what_is_not_long_or_not_shrunk_has_one_tile)
{
    static const struct size rows[] = {{3840, 2160}, {1568, 1568}, {100, 1500}, {1, 1}, {800, 1600}, {5000, 5000}, {28, 1568}};
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_MSG(fit_tiles(&usual, rows[i]) == 1, "%ux%u", rows[i].w, rows[i].h);
}

TEST(a_picture_does_not_become_long_because_a_small_one_is_asked_for)
{
    static const struct size rows[] = {{800, 400}, {1000, 2000}, {2351, 1100}};
    struct fit_limits small = usual;
    small.max_edge = 100;
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_MSG(fit_tiles(&small, rows[i]) == fit_tiles(&usual, rows[i]), "%ux%u", rows[i].w, rows[i].h);
    small.max_edge = 400;
    CHECK(fit_tiles(&small, (struct size){1200, 12000}) > 1);
}

TEST(tiles_of_what_is_drawn_are_cut_at_its_natural_size_and_told_in_its_units)
{
    struct fit_drawing d = {{-10, 100, 100, 3000}, 2, 2};
    CHECK(equal(fit_natural(&d), (struct size){200, 6000}) && fit_tiles(&usual, fit_natural(&d)) == 4);
    struct area t = fit_tile_area(&usual, &d, 2), last = fit_tile_area(&usual, &d, 4);
    CHECK(t.x == -10 && t.y == 852 && t.w == 100 && t.h == 784);
    CHECK(last.y + last.h == 3100);
    d = (struct fit_drawing){{0, 0, 10.4, 5000.3}, 1, 1}; /* nothing of it is lost where pixels are rounded */
    last = fit_tile_area(&usual, &d, fit_tiles(&usual, fit_natural(&d)));
    CHECK(last.w == 10.4 && fabs(last.y + last.h - 5000.3) < 1e-9);
}

TEST(a_drawing_as_large_as_can_be_has_no_more_tiles_than_pages_can_be)
{
    static const struct size rows[] = {{LIMIT_DRAWING, 1}, {1, LIMIT_DRAWING}, {1000, LIMIT_DRAWING}, {LIMIT_DRAWING / 2, LIMIT_DRAWING}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t n = fit_tiles(&usual, rows[i]);
        CHECK_MSG(n >= 1 && n <= LIMIT_PAGES, "row %zu: %u", i, n);
        struct rect t = n > 1 ? fit_tile(&usual, rows[i], n) : (struct rect){0, 0, rows[i].w, rows[i].h};
        CHECK_MSG(t.x + t.w == rows[i].w && t.y + t.h == rows[i].h, "row %zu", i);
    }
}

static void check_tiles(const struct fit_limits *l, struct size s)
{
    uint32_t n = fit_tiles(l, s), end = 0;
    bool tall = s.h >= s.w;
    CHECK_MSG(n >= 1 && n <= LIMIT_PAGES, "%ux%u: %u", s.w, s.h, n);
    for (uint32_t i = 1; n > 1 && i <= n; i++) {
        struct rect t = fit_tile(l, s, i);
        uint32_t start = tall ? t.y : t.x, length = tall ? t.h : t.w;
        CHECK_MSG(t.w && t.h && (tall ? t.w == s.w && !t.x : t.h == s.h && !t.y), "%ux%u tile %u of %u: %ux%u", s.w, s.h, i, n, t.w, t.h);
        CHECK_MSG(i == 1 ? !start : start < end && start + length > end, "%ux%u tile %u of %u adds nothing", s.w, s.h, i, n);
        end = start + length;
    }
    CHECK_MSG(n == 1 || end == (tall ? s.h : s.w), "%ux%u: %u tiles end at %u, edge %u", s.w, s.h, n, end, l->max_edge);
}

TEST(tiles_of_any_size_cover_it_and_none_is_empty)
{
    for (int i = 0; i < 20000; i++) {
        struct fit_limits l = random_limits();
        if (!random_below(8))
            l.max_edge = 28 + random_below(600);
        check_tiles(&l, (struct size){1 + random_below(1u << random_below(17)), 1 + random_below(1u << random_below(17))});
    }
}

/* ---------------------------------------------------------------- sheets */

static void check_sheet(const struct fit_limits *l, uint32_t n, double w, double h, struct size most)
{
    struct sheet s;
    sheet_plan(l, n, w, h, most, &s);
    CHECK_MSG(s.n == n && s.columns * s.rows >= n && s.columns * (s.rows - 1) < n, "%u: %ux%u", n, s.columns, s.rows);
    CHECK_MSG(equal(fit_target(l, s.size), s.size), "%u of %gx%g: %ux%u within %u", n, w, h, s.size.w, s.size.h, l->max_edge);
    CHECK(!most.w || s.cell.w <= most.w);
    for (uint32_t k = 0; k < n; k++) {
        struct rect r = sheet_cell(&s, k), before = k ? sheet_cell(&s, k - 1) : r;
        CHECK(r.w == s.cell.w && r.h == s.cell.h && r.x + r.w + SHEET_GAP <= s.size.w &&
              r.y + r.h + SHEET_LABEL + SHEET_GAP <= s.size.h);
        CHECK(!k || r.x >= before.x + before.w + SHEET_GAP || r.y >= before.y + before.h + SHEET_LABEL + SHEET_GAP);
    }
}

TEST(a_sheet_of_any_pictures_is_never_scaled_and_its_cells_lie_apart)
{
    for (int i = 0; i < 4000; i++) {
        struct fit_limits l = random_limits();
        double w = 1 + random_below(4000), h = w * (0.2 + random_below(500) / 100.0);
        struct size most = {random_below(2) ? (uint32_t)w : 0, (uint32_t)h};
        check_sheet(&l, 1 + random_below(16), w, h, most.w ? most : (struct size){0, 0});
    }
}

TEST(the_longest_shapes_have_cells_too)
{
    static const double shapes[][2] = {{2, 14400}, {14400, 2}, {1, 65535}, {65535, 1}, {0.001, 65535}, {65535, 0.001}};
    static const uint32_t edges[] = {1568, 700, 200};
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t k = 0; k < COUNT(edges); k++)
            for (uint32_t n = 1; n <= 4; n++) {
                struct fit_limits l = {.max_edge = edges[k], .max_bytes = 1000, .resize = 1};
                check_sheet(&l, n, shapes[i][0], shapes[i][1], (struct size){0, 0});
            }
}

TEST(pictures_on_a_sheet_are_as_large_as_they_can_be)
{
    struct sheet s;
    sheet_plan(&usual, 2, 400, 1000, (struct size){0, 0}, &s);
    CHECK(s.columns == 2); /* tall ones side by side */
    sheet_plan(&usual, 2, 1000, 400, (struct size){0, 0}, &s);
    CHECK(s.columns == 1); /* wide ones beneath each other */
    sheet_plan(&usual, 9, 60, 60, (struct size){60, 60}, &s);
    CHECK(s.columns == 4 || s.columns == 3); /* small ones in a square, not in a strip */
    CHECK(s.cell.w == 60);
}
