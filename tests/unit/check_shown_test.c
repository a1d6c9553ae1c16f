/* SPDX-License-Identifier: Apache-2.0 */
/* Replies on what is drawn, in tiles, on a sheet or compared are held against the same arithmetic. */
#include "test.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/media.h"
#include "fit/sheet.h"
#include "sandbox/check.h"

static const struct fit_limits usual = {.max_edge = 1568, .max_bytes = 1000, .resize = 1};

/* A reply, and the bytes behind it: as much of a PNG as its header, then the cells. */
struct said {
    struct work_request asked;
    struct work_reply reply;
    uint8_t data[64 + 64 * sizeof(struct work_cell)];
};

static void set_size(struct said *s, struct size shown)
{
    static const uint8_t head[33] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\2\0\0\0";
    memcpy(s->data, head, sizeof head);
    for (int i = 0; i < 4; i++) {
        s->data[16 + i] = (uint8_t)(shown.w >> (24 - 8 * i));
        s->data[20 + i] = (uint8_t)(shown.h >> (24 - 8 * i));
    }
    s->reply.width = shown.w;
    s->reply.height = shown.h;
}

static struct said honest(enum media media, uint32_t flags, struct size source, struct area crop, struct size shown)
{
    struct said s = {.asked = {.magic = WORK_MAGIC, .media = media, .flags = flags, .limits = usual},
                     .reply = {.magic = WORK_MAGIC, .source_w = source.w, .source_h = source.h, .extent_w = source.w,
                               .extent_h = source.h, .unit_w = 1, .unit_h = 1, .frames = 1, .pages = 1, .orientation = 1, .media = MEDIA_PNG,
                               .crop = crop, .image_len = 64}};
    set_size(&s, shown);
    return s;
}

static void set_cell(struct said *s, uint32_t i, struct work_cell c)
{
    memcpy(s->data + 64 + i * sizeof c, &c, sizeof c);
}

static bool believed(const struct said *s)
{
    size_t len;
    return check_length(&s->asked, &s->reply, &len) && len <= sizeof s->data && check_reply(&s->asked, &s->reply, s->data);
}

TEST(a_page_that_is_drawn_has_the_extent_and_the_size_of_the_plan)
{
    struct size shown = fit_drawn(&usual, 612.5, 792);
    struct said good = honest(MEDIA_PDF, 0, (struct size){612, 792}, (struct area){0, 0, 612.5, 792}, shown);
    good.reply.extent_w = 612.5;
    CHECK(believed(&good));
    static const double lies[] = {(double)NAN, (double)INFINITY, -612.5, 0, 614, 610};
    for (size_t i = 0; i < COUNT(lies); i++) {
        struct said bad = good;
        bad.reply.extent_w = bad.reply.crop.w = lies[i];
        CHECK_MSG(!believed(&bad), "lie %zu", i);
    }
    struct said bad = good;
    bad.reply.crop.x = 0.25;
    CHECK(!believed(&bad));
    bad = good;
    set_size(&bad, (struct size){shown.w - 1, shown.h});
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.pages = 0;
    CHECK(!believed(&bad));
    bad.reply.pages = LIMIT_PAGES + 1;
    CHECK(!believed(&bad));
}

TEST(lines_of_text_are_in_order_and_finite)
{
    struct size shown = {800, 600};
    struct said good = honest(MEDIA_TEXT, 0, (struct size){800, 600}, (struct area){0, 0, 800, 600}, shown);
    good.reply.first_line = 1;
    good.reply.last_line = 40;
    good.reply.total_lines = 90;
    good.reply.line_top = 8;
    good.reply.line_height = 14;
    CHECK(believed(&good));
    struct said bad = good;
    bad.reply.first_line = 41;
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.last_line = 91;
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.line_height = NAN;
    CHECK(!believed(&bad));
    bad.reply.line_height = -1;
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.missing = LIMIT_GLYPHS + 1;
    CHECK(!believed(&bad));
}

TEST(a_page_of_text_is_shown_as_it_is_and_only_a_part_of_it_enlarged)
{
    struct said whole = honest(MEDIA_MARKDOWN, 0, (struct size){400, 300}, (struct area){0, 0, 400, 300}, (struct size){400, 300});
    CHECK(believed(&whole));
    set_size(&whole, fit_drawn(&usual, 400, 300));
    CHECK(!believed(&whole));
    struct said part = honest(MEDIA_TEXT, 0, (struct size){400, 300}, (struct area){0, 0, 200, 100}, fit_drawn(&usual, 200, 100));
    part.asked.region = (struct fit_box){0, 0, 200, 100, FIT_SOURCE, 1};
    CHECK(believed(&part));
    set_size(&part, (struct size){200, 100});
    CHECK(!believed(&part));
}

TEST(a_tile_is_the_one_that_the_arithmetic_gives)
{
    struct size page = {1200, 12000};
    uint32_t n = fit_tiles(&usual, page);
    struct rect t = fit_tile(&usual, page, 2);
    struct said good = honest(MEDIA_PNG, 0, page, (struct area){t.x, t.y, t.w, t.h}, (struct size){t.w, t.h});
    good.asked.page = 2;
    good.reply.pages = n;
    good.reply.facts = WORK_TILED;
    CHECK(believed(&good));
    struct said bad = good;
    bad.asked.page = 3;
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.pages = n + 1;
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.facts = 0; /* then it would be all of it */
    CHECK(!believed(&bad));
    bad = good;
    bad.asked.page = n + 1;
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.crop.h = 1;
    CHECK(!believed(&bad));
}

/* One unit more is two patches across instead of one: tiles counted by one width and cut by the other lay past the end. */
TEST(no_tile_lies_outside_of_its_source)
{
    struct area past = {0, 111744, 28, -46209};
    struct fit_limits tight = {.max_patches = 1000, .max_bytes = 1000, .resize = 1};
    struct said bad = honest(MEDIA_SVG, 0, (struct size){29, 65535}, past, fit_drawn(&tight, past.w, past.h));
    bad.asked.limits = tight;
    bad.asked.page = bad.reply.pages = fit_tiles(&tight, (struct size){29, 65535});
    bad.reply.facts = WORK_TILED;
    bad.reply.extent_w = 28;
    CHECK(bad.reply.pages == 5);
    CHECK(!believed(&bad));
    struct said good = honest(MEDIA_SVG, 0, (struct size){28, 65535}, (struct area){0, 27936, 28, 28000}, (struct size){1, 1});
    set_size(&good, fit_drawn(&tight, 28, 28000));
    good.asked.limits = tight;
    good.asked.page = 2;
    good.reply.pages = 3;
    good.reply.facts = WORK_TILED;
    CHECK(believed(&good));
}

TEST(the_size_in_whole_units_is_the_extent_rounded)
{
    struct said good = honest(MEDIA_PDF, 0, (struct size){1, 1}, (struct area){0, 0, 0.25, 1.25}, fit_drawn(&usual, 0.25, 1.25));
    good.reply.extent_w = 0.25;
    good.reply.extent_h = 1.25;
    CHECK(believed(&good));
    struct said bad = good;
    bad.reply.source_h = 2;
    CHECK(!believed(&bad));
}

TEST(tiles_are_counted_where_none_was_asked_for_too)
{
    struct size page = {1200, 12000};
    uint32_t n = fit_tiles(&usual, page);
    static const enum media kinds[] = {MEDIA_PNG, MEDIA_SVG};
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (uint32_t region = 0; region < 2; region++) {
            struct said good = honest(kinds[i], 0, page, (struct area){0, 0, page.w, page.h}, fit_target(&usual, page));
            good.asked.region = (struct fit_box){0, 0, page.w, page.h, FIT_SOURCE, region};
            good.reply.pages = n;
            good.reply.facts = WORK_TILED;
            CHECK(believed(&good));
            struct said bad = good;
            bad.reply.pages = n + 1;
            CHECK(!believed(&bad));
            bad = good;
            bad.reply.facts = 0; /* it has no pages but these */
            CHECK(!believed(&bad));
        }
}

TEST(what_has_pages_of_its_own_or_is_not_long_has_no_tiles)
{
    struct said bad = honest(MEDIA_PDF, 0, (struct size){1200, 12000}, (struct area){0, 0, 1200, 12000}, fit_drawn(&usual, 1200, 12000));
    bad.reply.pages = fit_tiles(&usual, (struct size){1200, 12000});
    CHECK(believed(&bad)); /* so many pages it may have */
    bad.reply.facts = WORK_TILED;
    CHECK(!believed(&bad));
    bad = honest(MEDIA_PNG, 0, (struct size){400, 300}, (struct area){0, 0, 400, 300}, (struct size){400, 300});
    bad.reply.facts = WORK_TILED;
    CHECK(!believed(&bad));
}

static struct said honest_sheet(void)
{
    struct sheet s;
    sheet_plan(&usual, 6, 400, 300, (struct size){400, 300}, &s);
    struct said good = honest(MEDIA_GIF, WORK_SHEET, (struct size){400, 300}, (struct area){0, 0, s.size.w, s.size.h}, s.size);
    good.reply.frames = 20;
    good.reply.cells = 6;
    for (uint32_t k = 0; k < 6; k++) {
        struct rect r = sheet_cell(&s, k);
        set_cell(&good, k, (struct work_cell){r.x, r.y, r.w, r.h, k + 1, 0, -1});
    }
    return good;
}

TEST(a_sheet_has_its_cells_within_it_and_no_more_than_there_may_be)
{
    struct said good = honest_sheet(), bad = good;
    CHECK(believed(&good));
    static const struct work_cell lies[] = {
        {0, 0, 0, 10, 1, 0, -1},          {0, 0, 10, 0, 1, 0, -1},  {1240, 0, 2000, 10, 1, 0, -1},
        {0, 1500, 10, 1500, 1, 0, -1},    {UINT32_MAX, 0, UINT32_MAX, 10, 1, 0, -1},
    };
    for (size_t i = 0; i < COUNT(lies); i++) {
        bad = good;
        set_cell(&bad, 5, lies[i]);
        CHECK_MSG(!believed(&bad), "lie %zu", i);
    }
    bad = good;
    bad.reply.cells = LIMIT_SHEET_CELLS + 1;
    CHECK(!believed(&bad));
    bad = good;
    bad.asked.flags = 0; /* nobody asked for cells */
    CHECK(!believed(&bad));
}

TEST(a_sheet_is_laid_out_within_the_limits)
{
    static const double lies[] = {(double)NAN, (double)INFINITY, 0, 70000, 0.5, 300.5};
    for (size_t i = 0; i < COUNT(lies); i++) {
        struct said bad = honest_sheet();
        bad.reply.crop.w = lies[i];
        CHECK_MSG(!believed(&bad), "lie %zu", i);
    }
    struct said bad = honest_sheet();
    bad.reply.crop.x = 1;
    CHECK(!believed(&bad));
    bad = honest_sheet();
    bad.reply.crop.w = 4000;
    set_size(&bad, (struct size){4000, (uint32_t)bad.reply.crop.h});
    CHECK(!believed(&bad));
}

TEST(cells_come_in_order_with_numbers_and_times_that_can_be)
{
    static const int64_t most = LIMIT_VIDEO_SECONDS * INT64_C(1000);
    struct said good = honest_sheet(), bad;
    struct work_cell last, one;
    memcpy(&last, good.data + 64 + 5 * sizeof last, sizeof last);
    const struct {
        uint32_t number;
        int64_t time_ms;
    } lies[] = {{0, -1}, {4, -1}, {LIMIT_FRAMES + 1, -1}, {6, -2}, {6, most + 1}, {6, INT64_MAX}, {6, INT64_MIN}};
    for (size_t i = 0; i < COUNT(lies); i++) {
        one = last;
        one.number = lies[i].number;
        one.time_ms = lies[i].time_ms;
        bad = good;
        set_cell(&bad, 5, one);
        CHECK_MSG(!believed(&bad), "lie %zu", i);
    }
    one = last;
    one.time_ms = most;
    set_cell(&good, 5, one);
    CHECK(believed(&good));
    memcpy(&one, good.data + 64 + 4 * sizeof one, sizeof one);
    one.time_ms = 700;
    set_cell(&good, 4, one);
    last.time_ms = 699;
    set_cell(&good, 5, last);
    CHECK(!believed(&good));
}

TEST(times_lines_and_pages_are_within_their_bounds)
{
    static const int64_t most = LIMIT_VIDEO_SECONDS * INT64_C(1000);
    struct said good = honest(MEDIA_PNG, 0, (struct size){40, 30}, (struct area){0, 0, 40, 30}, (struct size){40, 30}), bad;
    good.reply.time_ms = -1;
    good.reply.duration_ms = most;
    good.reply.line_top = good.reply.line_height = (float)LIMIT_SIDE;
    good.asked.page = 1;
    CHECK(believed(&good));
    static const int64_t lies[] = {INT64_MIN, -2, LIMIT_VIDEO_SECONDS * INT64_C(1000) + 1, INT64_MAX};
    for (size_t i = 0; i < COUNT(lies); i++) {
        bad = good;
        bad.reply.time_ms = lies[i];
        CHECK_MSG(!believed(&bad), "time %zu", i);
        bad = good;
        bad.reply.duration_ms = lies[i];
        CHECK_MSG(!believed(&bad), "duration %zu", i);
        bad.reply.status = WORK_BAD_TIME;
        CHECK_MSG(!check_reply(&bad.asked, &bad.reply, NULL), "past the end %zu", i);
    }
    bad = good;
    bad.reply.line_top = 65536;
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.line_height = 65536;
    CHECK(!believed(&bad));
    bad = good;
    bad.asked.page = 2;
    CHECK(!believed(&bad));
}

TEST(a_still_picture_asked_for_as_a_sheet_is_shown_as_any_other)
{
    struct said s = honest(MEDIA_GIF, WORK_SHEET, (struct size){40, 30}, (struct area){0, 0, 40, 30}, (struct size){40, 30});
    CHECK(believed(&s));
    s.reply.crop.w = 39;
    CHECK(!believed(&s));
}

TEST(pages_that_were_named_are_on_a_sheet)
{
    struct said s = honest(MEDIA_TIFF, WORK_SHEET, (struct size){40, 30}, (struct area){0, 0, 40, 30}, (struct size){40, 30});
    CHECK(believed(&s));
    s.asked.page = 1;
    s.asked.last_page = 2;
    CHECK(!believed(&s));
}

static struct said honest_diff(void)
{
    struct said s = honest(MEDIA_NONE, WORK_DIFF, (struct size){300, 200}, (struct area){0, 0, 632, 500}, (struct size){632, 500});
    s.asked.raw_w = 300;
    s.asked.raw_h = 150;
    s.asked.other_w = 280;
    s.asked.other_h = 200;
    s.reply.changed = 1200;
    s.reply.cells = 1;
    set_cell(&s, 0, (struct work_cell){260, 150, 40, 50, 1, 0, -1});
    return s;
}

TEST(a_difference_has_boxes_within_the_pictures_and_a_picture_or_neither)
{
    struct said good = honest_diff(), bad = good;
    CHECK(believed(&good));
    set_cell(&bad, 0, (struct work_cell){261, 150, 40, 50, 1, 0, -1});
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.changed = 300 * 200 + 1;
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.changed = 0;
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.cells = 0;
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.image_len = 0;
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.cells = LIMIT_DIFF_BOXES + 1;
    CHECK(!believed(&bad));
    bad = good;
    bad.reply.crop.y = 3;
    CHECK(!believed(&bad));
    struct said equal = {.asked = good.asked, .reply = {.magic = WORK_MAGIC}};
    CHECK(believed(&equal));
    equal.reply.preview_w = equal.reply.preview_h = 1;
    CHECK(!believed(&equal));
}

TEST(names_of_images_end_with_a_nul_or_are_none)
{
    struct said s = {.asked = {.magic = WORK_MAGIC, .flags = WORK_REFS}, .reply = {.magic = WORK_MAGIC}};
    CHECK(believed(&s));
    memcpy(s.data, "a.png\0b.png", 12);
    s.reply.image_len = 12;
    CHECK(believed(&s));
    s.reply.image_len = 11;
    CHECK(!believed(&s));
}

TEST(rows_of_rgba_are_four_bytes_a_pixel)
{
    struct said s = honest(MEDIA_PNG, WORK_RGBA, (struct size){4, 4}, (struct area){0, 0, 4, 4}, (struct size){4, 4});
    s.reply.media = MEDIA_NONE;
    CHECK(believed(&s));
    s.reply.image_len = 16;
    CHECK(!believed(&s));
}
