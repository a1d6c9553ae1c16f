/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker says is held against what was asked and what the bytes are. */
#include "test.h"

#include <stddef.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/media.h"
#include "fit/plan.h"
#include "sandbox/check.h"

/* Headers of a 20 x 10 picture, as far as a header goes. */
static const uint8_t png[64] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x14\0\0\0\x0a\x08\2\0\0\0";
static const uint8_t webp[64] = "RIFF\x38\0\0\0WEBPVP8L\x2b\0\0\0\x2f\x13\x40\x02\0";

static const struct work_request whole = {
    .magic = WORK_MAGIC, .media = MEDIA_PNG, .limits = {.max_edge = 100, .max_bytes = 1000, .resize = 1}};

static struct work_reply honest(void)
{
    return (struct work_reply){.magic = WORK_MAGIC, .source_w = 20, .source_h = 10, .extent_w = 20, .extent_h = 10, .unit_w = 1, .unit_h = 1,
                               .frames = 1, .pages = 1, .orientation = 1, .media = MEDIA_PNG, .width = 20, .height = 10, .crop = {0, 0, 20, 10},
                               .image_len = sizeof png};
}

TEST(an_honest_reply_is_believed)
{
    struct work_reply r = honest();
    CHECK(check_reply(&whole, &r, png));
}

TEST(webp_is_believed_only_where_it_is_allowed)
{
    struct work_request asked = whole;
    struct work_reply r = honest();
    r.media = MEDIA_WEBP;
    CHECK(!check_reply(&asked, &r, webp));
    asked.flags = WORK_WEBP_OK;
    CHECK(check_reply(&asked, &r, webp));
    CHECK(!check_reply(&asked, &r, png));
}

TEST(lines_of_a_part_are_some_of_the_pages)
{
    static const struct {
        uint32_t first, last;
        bool believed;
    } rows[] = {{0, 0, true}, {5, 5, true}, {5, 9, true}, {6, 7, true}, {4, 7, false}, {6, 10, false}, {7, 6, false}, {6, 0, false}, {0, 7, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct work_request asked = whole;
        struct work_reply r = honest();
        asked.media = MEDIA_TEXT;
        r.first_line = 5;
        r.last_line = 9;
        r.total_lines = 20;
        r.part_first = rows[i].first;
        r.part_last = rows[i].last;
        CHECK_MSG(check_reply(&asked, &r, png) == rows[i].believed, "%u to %u", rows[i].first, rows[i].last);
        CHECK(!check_reply(&whole, &r, png)); /* a picture has none */
    }
}

TEST(the_crop_is_the_one_that_was_asked_for)
{
    struct work_request asked = whole;
    struct work_reply r = honest();
    asked.region = (struct fit_box){.x = 30, .y = 0, .w = 20, .h = 10, .set = 1};
    CHECK(!check_reply(&asked, &r, png));
    r.source_w = 100;
    r.extent_w = 100;
    r.crop = (struct area){30, 0, 20, 10};
    CHECK(check_reply(&asked, &r, png));
    r.crop.x = 31;
    CHECK(!check_reply(&asked, &r, png));
}

TEST(a_size_that_the_plan_does_not_give_is_not_believed)
{
    struct work_request asked = whole;
    struct work_reply r = honest();
    r.source_w = 40; /* 40 x 20 fits in 100: it would not have been made smaller */
    r.source_h = 20;
    r.extent_w = 40;
    r.extent_h = 20;
    r.crop = (struct area){0, 0, 40, 20};
    CHECK(!check_reply(&asked, &r, png));
    asked.limits.max_edge = 20;
    CHECK(check_reply(&asked, &r, png));
}

TEST(a_refusal_needs_no_picture_but_plausible_numbers)
{
    struct work_reply r = {.magic = WORK_MAGIC, .status = WORK_MALFORMED, .detail = "IDAT CRC does not match"};
    CHECK(check_reply(&whole, &r, NULL));
    r.status = WORK_BAD_FRAME;
    CHECK(!check_reply(&whole, &r, NULL));
    r.frames = 3;
    CHECK(check_reply(&whole, &r, NULL));
    r.status = WORK_BAD_REGION;
    CHECK(!check_reply(&whole, &r, NULL));
    r.source_w = r.source_h = LIMIT_SIDE;
    CHECK(!check_reply(&whole, &r, NULL));
    r.extent_w = r.extent_h = LIMIT_SIDE;
    r.unit_w = r.unit_h = 1;
    CHECK(check_reply(&whole, &r, NULL));
}

TEST(lengths_are_bounded_and_cannot_overflow)
{
    static const struct {
        uint64_t image;
        uint32_t w, h;
        bool good;
    } rows[] = {
        {64, 0, 0, true},
        {64, 80, 40, true},
        {64, 81, 40, false},
        {64, 80, 41, false},
        {64, 80, 0, false},
        {64, 0, 40, false},
        {0, 80, 40, false},
        {LIMIT_WORKER_OUTPUT, 0, 0, true},
        {LIMIT_WORKER_OUTPUT, 1, 1, false},
        {LIMIT_WORKER_OUTPUT + 1, 0, 0, false},
        {UINT64_MAX, 1, 1, false},
        {64, UINT32_MAX, UINT32_MAX, false},
    };
    struct work_request asked = whole;
    asked.preview_w = 80;
    asked.preview_h = 40;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct work_reply r = honest();
        size_t len = 0;
        r.image_len = rows[i].image;
        r.preview_w = rows[i].w;
        r.preview_h = rows[i].h;
        CHECK_MSG(check_length(&asked, &r, &len) == rows[i].good, "row %zu", i);
        CHECK_MSG(len == (rows[i].good ? rows[i].image + 4ull * rows[i].w * rows[i].h : 0), "row %zu: %zu", i, len);
    }
}

TEST(a_greeting_is_whole_and_consistent)
{
    struct work_hello good = {.magic = WORK_MAGIC, .codecs = "libx 1"}, h = good;
    CHECK(check_hello(&h));
    h.magic++;
    CHECK(!check_hello(&h));
    h = good;
    h.error = 1;
    CHECK(!check_hello(&h)); /* which layer? */
    h.layer[0] = 'x';
    CHECK(check_hello(&h));
    memset(h.layer, 'x', sizeof h.layer);
    CHECK(!check_hello(&h));
    h = good;
    h.codecs[2] = '\n';
    CHECK(!check_hello(&h));
}

/* ---------------------------------------------------------------- rows and text */

TEST(rows_are_believed_at_the_planned_size_only)
{
    static const uint8_t rows[20 * 10];
    struct work_request asked = whole;
    struct work_reply r = honest();
    asked.flags = WORK_RAW;
    r.media = MEDIA_NONE;
    r.image_len = sizeof rows;
    CHECK(check_reply(&asked, &r, rows));
    CHECK(!check_reply(&whole, &r, rows));
    r.image_len--;
    CHECK(!check_reply(&asked, &r, rows));
    r.image_len++;
    r.media = MEDIA_PNG;
    CHECK(!check_reply(&asked, &r, rows));
}

TEST(rows_are_not_a_step_of_the_ladder)
{
    static const uint8_t rows[150 * 150];
    struct work_request asked = whole;
    asked.flags = WORK_RAW;
    asked.limits.max_edge = 300;
    struct work_reply r = honest();
    r.source_w = r.source_h = 300;
    r.extent_w = r.extent_h = r.crop.w = r.crop.h = 300;
    r.width = r.height = 150;
    r.media = MEDIA_NONE;
    r.image_len = sizeof rows;
    CHECK(!check_reply(&asked, &r, rows));
}

struct words {
    struct work_text head;
    struct work_line lines[2];
    char text[12];
};

static struct words honest_words(void)
{
    return (struct words){{WORK_MAGIC, 2, 3, 9000, 12, 0}, {{0, 5, 2, 9500}, {7, 5, 1, 8000}}, "a \xc3\xa4" "b\n\nworld"};
}

static bool believed(const struct words *w)
{
    struct work_request asked = {.magic = WORK_MAGIC, .flags = WORK_TEXT};
    struct work_reply r = {.magic = WORK_MAGIC, .image_len = sizeof *w};
    size_t len;
    return check_length(&asked, &r, &len) && len == sizeof *w && check_reply(&asked, &r, (const uint8_t *)w);
}

TEST(honest_text_is_believed)
{
    struct words w = honest_words();
    CHECK(believed(&w));
    struct work_text none = {.magic = WORK_MAGIC};
    CHECK(check_text((const uint8_t *)&none, sizeof none));
    CHECK(!check_text((const uint8_t *)&none, sizeof none - 1));
}

TEST(text_that_does_not_add_up_is_not_believed)
{
    static const struct {
        size_t at; /* of a 32-bit number */
        uint32_t lie;
    } lies[] = {
        {offsetof(struct words, head.magic), 1},       {offsetof(struct words, head.lines), 1},
        {offsetof(struct words, head.lines), 3},       {offsetof(struct words, head.lines), UINT32_MAX},
        {offsetof(struct words, head.words), 2},       {offsetof(struct words, head.confidence), 10001},
        {offsetof(struct words, head.text_len), 11},   {offsetof(struct words, head.text_len), UINT32_MAX},
        {offsetof(struct words, head.cut), 2},         {offsetof(struct words, lines[0].at), 1},
        {offsetof(struct words, lines[0].len), 0},     {offsetof(struct words, lines[0].len), 3},
        {offsetof(struct words, lines[0].len), 6},     {offsetof(struct words, lines[0].words), 0},
        {offsetof(struct words, lines[0].words), 6},   {offsetof(struct words, lines[1].at), 6},
        {offsetof(struct words, lines[1].at), 4},      {offsetof(struct words, lines[1].at), 0},
        {offsetof(struct words, lines[1].at), 13},     {offsetof(struct words, lines[1].at), UINT32_MAX},
        {offsetof(struct words, lines[1].len), 6},     {offsetof(struct words, lines[1].len), UINT32_MAX},
        {offsetof(struct words, lines[1].len), 4},     {offsetof(struct words, lines[1].confidence), 10001},
    };
    for (size_t i = 0; i < COUNT(lies); i++) {
        struct words w = honest_words();
        memcpy((char *)&w + lies[i].at, &lies[i].lie, sizeof lies[i].lie);
        CHECK_MSG(!believed(&w), "lie %zu", i);
    }
}

TEST(text_with_bytes_that_act_or_are_none_is_not_believed)
{
    static const char bad[] = {'\0', '\x1b', '\r', '\x7f', '\xff', '\xc3'};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct words w = honest_words();
        w.text[9] = bad[i];
        CHECK_MSG(!believed(&w), "byte %zu", i);
    }
}

/* ---------------------------------------------------------------- one lie at a time */

#define LIES(asked, bytes, ...)                                              \
    do {                                                                     \
        struct work_reply r = honest();                                      \
        __VA_ARGS__;                                                         \
        CHECK_MSG(!check_reply(asked, &r, bytes), "believed: %s", #__VA_ARGS__); \
    } while (0)

TEST(no_number_of_a_reply_is_believed_past_its_bounds)
{
    LIES(&whole, png, r.source_w = 0);
    LIES(&whole, png, r.source_w = LIMIT_SIDE + 1);
    LIES(&whole, png, r.source_h = 0);
    LIES(&whole, png, r.source_h = LIMIT_SIDE + 1);
    LIES(&whole, png, r.frames = 0);
    LIES(&whole, png, r.frames = LIMIT_FRAMES + 1);
    LIES(&whole, png, r.pages = LIMIT_PAGES + 1);
    LIES(&whole, png, r.extent_w = -1);
    LIES(&whole, png, r.extent_h = 0);
    LIES(&whole, png, r.extent_h = 0.0 / 0.0);
    LIES(&whole, png, r.extent_h = 12);
    LIES(&whole, png, r.unit_w = 0);
    LIES(&whole, png, r.unit_h = 0.0 / 0.0);
    LIES(&whole, png, r.unit_h = 1e9);
    LIES(&whole, png, r.unit_w = 2, r.unit_h = 2);
    LIES(&whole, png, r.origin_x = 2.0 * LIMIT_DRAWING);
    LIES(&whole, png, r.origin_y = -2.0 * LIMIT_DRAWING);
    LIES(&whole, png, r.line_top = -1);
    LIES(&whole, png, r.line_height = -1);
    LIES(&whole, png, r.orientation = 0);
    LIES(&whole, png, r.orientation = 9);
    LIES(&whole, png, r.time_ms = -2);
    LIES(&whole, png, r.detail[0] = '\x7f');
    LIES(&whole, png, r.facts = 1u << 31);
    LIES(&whole, png, r.total_lines = 1);
    LIES(&whole, png, r.facts = WORK_PARTIAL);
    LIES(&whole, png, r.facts = WORK_DAMAGED);
    LIES(&whole, png, r.facts = WORK_CSS_PIXELS);
    LIES(&whole, png, r.facts = WORK_SOURCE);
}

TEST(units_of_a_drawing_alone_are_no_squares)
{
    static const enum media squares[] = {MEDIA_PNG, MEDIA_BMP, MEDIA_PDF, MEDIA_TEXT, MEDIA_MP4};
    struct work_request asked = whole;
    struct work_reply r = honest();
    asked.media = MEDIA_SVG;
    asked.limits.max_edge = 20;
    r.extent_h = r.crop.h = r.source_h = 5;
    r.unit_h = 2;
    CHECK(check_reply(&asked, &r, png));
    r.status = WORK_BAD_REGION;
    CHECK(check_reply(&asked, &r, NULL));
    for (size_t i = 0; i < COUNT(squares); i++) {
        asked.media = squares[i];
        CHECK_MSG(!check_reply(&asked, &r, NULL), "row %zu", i);
    }
}

/* It has no pixels, so that its units are as many as they are; those of others are bounded. */
TEST(a_drawing_alone_is_larger_than_pictures_are)
{
    struct work_request asked = whole;
    struct work_reply r = honest();
    asked.limits.max_edge = 20;
    r.source_w = LIMIT_DRAWING - 1;
    r.source_h = LIMIT_DRAWING / 2;
    r.extent_w = r.crop.w = r.source_w;
    r.extent_h = r.crop.h = r.source_h;
    r.origin_x = r.crop.x = -2e9;
    CHECK(!check_reply(&asked, &r, png));
    asked.media = MEDIA_PDF;
    CHECK(!check_reply(&asked, &r, png));
    asked.media = MEDIA_SVG;
    CHECK(check_reply(&asked, &r, png));
    r.unit_w = r.unit_h = 0.001;
    CHECK(check_reply(&asked, &r, png));
    r.unit_w = r.unit_h = 2; /* in pixels it would be larger than anything */
    CHECK(!check_reply(&asked, &r, png));
    r.unit_w = r.unit_h = -1;
    CHECK(!check_reply(&asked, &r, png));
    r.unit_w = r.unit_h = 1;
    r.source_w = LIMIT_DRAWING + 1u;
    r.extent_w = r.crop.w = LIMIT_DRAWING + 1.0;
    CHECK(!check_reply(&asked, &r, png));
}

TEST(a_drawing_alone_is_measured_in_css_pixels_and_these_are_plain)
{
    static const enum media others[] = {MEDIA_PNG, MEDIA_PDF, MEDIA_TEXT, MEDIA_MP4};
    struct work_request asked = whole;
    struct work_reply r = honest();
    asked.media = MEDIA_SVG;
    asked.limits.max_edge = 20;
    r.facts = WORK_CSS_PIXELS;
    CHECK(check_reply(&asked, &r, png));
    r.status = WORK_BAD_REGION;
    CHECK(check_reply(&asked, &r, NULL));
    r.origin_x = 1;
    CHECK(!check_reply(&asked, &r, NULL));
    r.origin_x = 0;
    r.unit_w = r.unit_h = 2;
    CHECK(!check_reply(&asked, &r, NULL));
    r.unit_w = r.unit_h = 1;
    for (size_t i = 0; i < COUNT(others); i++) {
        asked.media = others[i];
        CHECK_MSG(!check_reply(&asked, &r, NULL), "row %zu", i);
    }
}

TEST(rows_of_a_drawing_have_the_size_that_was_named)
{
    static const uint8_t rows[20 * 10 * 4];
    struct work_request asked = whole;
    struct work_reply r = honest();
    asked.media = MEDIA_SVG;
    asked.flags = WORK_RGBA;
    r.media = MEDIA_NONE;
    r.image_len = sizeof rows;
    CHECK(!check_reply(&asked, &r, rows)); /* the plan's would be larger */
    asked.drawn_w = 20;
    asked.drawn_h = 10;
    asked.limits.min_edge = 28;
    CHECK(check_reply(&asked, &r, rows));
    asked.drawn_h = 11;
    CHECK(!check_reply(&asked, &r, rows));
    asked.drawn_h = 10;
    asked.media = MEDIA_PNG; /* which has its own */
    asked.limits.max_edge = 10;
    CHECK(!check_reply(&asked, &r, rows));
}

TEST(only_stored_pixels_are_rounded)
{
    static const struct {
        enum media media;
        bool believed;
    } rows[] = {{MEDIA_PNG, true}, {MEDIA_TIFF, true}, {MEDIA_MP4, true}, {MEDIA_SVG, false}, {MEDIA_PDF, false}, {MEDIA_MARKDOWN, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct work_request asked = whole;
        struct work_reply r = honest();
        asked.media = rows[i].media;
        asked.limits.max_edge = 20;
        asked.region = (struct fit_box){.w = 20, .h = 10, .set = 1};
        CHECK_MSG(check_reply(&asked, &r, png), "row %zu", i);
        r.facts = WORK_ROUNDED;
        CHECK_MSG(check_reply(&asked, &r, png) == rows[i].believed, "row %zu", i);
    }
}

TEST(a_gif_is_believed_unless_it_was_ruled_out)
{
    static const uint8_t gif[64] = "GIF89a\x14\0\x0a\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x14\0\x0a\0\0\2\x16";
    struct work_request asked = whole;
    struct work_reply r = honest();
    r.media = MEDIA_GIF;
    CHECK(check_reply(&asked, &r, gif));
    asked.flags = WORK_NO_GIF;
    CHECK(!check_reply(&asked, &r, gif));
}

TEST(the_header_of_the_picture_has_the_last_word_on_its_size)
{
    uint8_t other[sizeof png];
    struct work_reply r = honest();
    memcpy(other, png, sizeof png);
    other[23] = 11; /* its height */
    CHECK(!check_reply(&whole, &r, other));
    other[23] = 10;
    other[19] = 21;
    CHECK(!check_reply(&whole, &r, other));
}

/* A viewer would turn it, and show another picture than the plan's. */
TEST(a_picture_that_is_not_upright_is_not_believed)
{
    uint8_t jpeg[64] = "\xff\xd8\xff\xe1\0\x22" "Exif\0\0" "MM\0\x2a\0\0\0\x08" "\0\1" "\x01\x12\0\3\0\0\0\1\0\1\0\0" "\0\0\0\0"
                       "\xff\xc0\0\x11\x08\0\x0a\0\x14\3";
    struct work_reply r = honest();
    r.media = MEDIA_JPEG;
    CHECK(check_reply(&whole, &r, jpeg));
    jpeg[31] = 6;
    CHECK(!check_reply(&whole, &r, jpeg));
}

TEST(refused_pages_and_times_have_plausible_numbers)
{
    struct work_reply r = {.magic = WORK_MAGIC, .status = WORK_BAD_PAGE};
    CHECK(!check_reply(&whole, &r, NULL));
    r.pages = 7;
    CHECK(check_reply(&whole, &r, NULL));
    r.status = WORK_BAD_TIME;
    r.duration_ms = -2;
    CHECK(!check_reply(&whole, &r, NULL));
    r.duration_ms = 1000;
    CHECK(check_reply(&whole, &r, NULL));
}

TEST(rows_of_another_height_are_not_the_planned_ones)
{
    static const uint8_t rows[20 * 9];
    struct work_request asked = whole;
    asked.flags = WORK_RAW;
    LIES(&asked, rows, r.media = MEDIA_NONE, r.height = 9, r.image_len = sizeof rows);
}

/* A tile of a picture that is long, as rows: of what is drawn (an SVG) and of what is decoded (a PNG). */
static void tiles_are_counted(enum media media)
{
    struct work_request asked = whole;
    struct size source = {800, 16000};
    asked.media = media;
    asked.page = 2;
    asked.flags = WORK_RAW;
    asked.limits.max_edge = 800;
    uint32_t pages = fit_tiles(&asked.limits, source);
    struct rect tile = fit_tile(&asked.limits, source, 2);
    struct size target = fit_target(&asked.limits, (struct size){tile.w, tile.h});
    CHECK(pages > 1);
    struct work_reply r = honest();
    r.facts = WORK_TILED;
    r.source_w = source.w;
    r.source_h = source.h;
    r.extent_w = source.w;
    r.extent_h = source.h;
    r.pages = pages;
    r.crop = (struct area){tile.x, tile.y, tile.w, tile.h};
    r.media = MEDIA_NONE;
    r.width = target.w;
    r.height = target.h;
    r.image_len = (uint64_t)target.w * target.h;
    CHECK(check_reply(&asked, &r, NULL));
    r.pages = pages + 1;
    CHECK(!check_reply(&asked, &r, NULL)); /* not as many */
    r.pages = pages;
    asked.page = 1;
    CHECK(!check_reply(&asked, &r, NULL)); /* another tile */
    asked.page = 0;
    CHECK(!check_reply(&asked, &r, NULL)); /* no tile was asked for */
    asked.page = 1;
    asked.region = (struct fit_box){.x = 2000, .y = 0, .w = 20, .h = 10, .set = 1};
    CHECK(!check_reply(&asked, &r, NULL)); /* nor this part, which lies outside */
}

TEST(tiles_are_the_ones_that_the_plan_counts)
{
    tiles_are_counted(MEDIA_PNG);
    tiles_are_counted(MEDIA_SVG);
}

TEST(a_sheet_has_whole_pixels_and_bounds)
{
    struct work_request asked = whole;
    struct {
        uint8_t bytes[sizeof png];
        struct work_cell cell;
    } out = {.cell = {.w = 5, .h = 5, .number = 1, .time_ms = -1}};
    memcpy(out.bytes, png, sizeof png);
    asked.flags = WORK_SHEET;
    struct work_reply good = honest();
    good.cells = 1;
    CHECK(check_reply(&asked, &good, out.bytes));
    good.facts = WORK_PARTIAL; /* only a video can be too long to look at */
    CHECK(!check_reply(&asked, &good, out.bytes));
    good.facts = WORK_DAMAGED; /* nor is a picture shown that is damaged */
    CHECK(!check_reply(&asked, &good, out.bytes));
    asked.media = MEDIA_MP4;
    good.facts = WORK_PARTIAL | WORK_DAMAGED;
    CHECK(check_reply(&asked, &good, out.bytes));
    asked.media = MEDIA_PNG;
    LIES(&asked, out.bytes, r.cells = 1, r.crop.w = 0);
    LIES(&asked, out.bytes, r.cells = 1, r.crop.w = 20.5);
    LIES(&asked, out.bytes, r.cells = 1, r.crop.h = 10.5);
    LIES(&asked, out.bytes, r.cells = 1, r.crop.h = 0.5, out.cell.h = 0);
    out.cell.h = 5;
    LIES(&asked, out.bytes, r.cells = 1, r.crop.w = LIMIT_SIDE + 1.0);
    LIES(&asked, out.bytes, r.cells = 1, r.crop.h = LIMIT_SIDE + 1.0);
    LIES(&asked, out.bytes, r.cells = 1, r.crop.h = 0.0 / 0.0);
    LIES(&asked, out.bytes, r.cells = 1, r.crop.x = 1);
    LIES(&asked, out.bytes, r.cells = 1, r.crop.y = 1);
    LIES(&asked, out.bytes, r.cells = 1, r.facts = WORK_ROUNDED);
    LIES(&asked, out.bytes, r.cells = 1, out.cell.labels = 4);
    LIES(&asked, out.bytes, r.cells = 1, out.cell.labels = WORK_LABEL_TIME); /* which is not known */
    out.cell.time_ms = 0;
    good.facts = 0;
    out.cell.labels = WORK_LABEL_NUMBER | WORK_LABEL_TIME;
    CHECK(check_reply(&asked, &good, out.bytes));
}

TEST(a_difference_is_a_picture_that_was_allowed_and_is_what_it_says)
{
    struct work_request asked = whole;
    struct {
        uint8_t bytes[sizeof png];
        struct work_cell cell, next;
    } out = {.cell = {.w = 5, .h = 5, .number = 1, .time_ms = -1}, .next = {.w = 5, .h = 5, .number = 2, .time_ms = -1}};
    memcpy(out.bytes, png, sizeof png);
    asked.flags = WORK_DIFF;
    asked.raw_w = asked.other_w = 20;
    asked.raw_h = asked.other_h = 10;
    struct work_reply good = honest();
    good.cells = 1;
    good.changed = 25;
    CHECK(check_reply(&asked, &good, out.bytes));
    LIES(&asked, out.bytes, r.cells = 1, r.changed = 25, r.media = MEDIA_WEBP);
    LIES(&asked, out.bytes, r.cells = 1, r.changed = 25, r.media = MEDIA_JPEG);
    LIES(&asked, out.bytes, r.cells = 1, r.changed = 25, r.crop.w = 200);
    LIES(&asked, out.bytes, r.cells = 1, r.changed = 25, r.crop.h = 0);
    LIES(&asked, out.bytes, r.cells = 1, r.changed = 25, r.facts = WORK_ROUNDED);
    LIES(&asked, out.bytes, r.cells = 1, r.changed = 25, r.facts = WORK_CSS_PIXELS);
    LIES(&asked, out.bytes, r.cells = 2, r.changed = 25, out.next.labels = WORK_LABEL_NUMBER); /* of one box alone */
    out.cell.labels = WORK_LABEL_NUMBER;
    good.cells = 2;
    CHECK(check_reply(&asked, &good, out.bytes));
    out.cell.time_ms = out.next.time_ms = 0;
    LIES(&asked, out.bytes, r.cells = 2, r.changed = 25, out.cell.labels = out.next.labels = WORK_LABEL_TIME);
}

TEST(names_that_do_not_end_or_are_too_many_are_not_taken)
{
    static const uint8_t names[4] = {'a', 0, 'b', 0};
    struct work_request asked = {.magic = WORK_MAGIC, .flags = WORK_REFS};
    struct work_reply r = {.magic = WORK_MAGIC, .image_len = 4};
    CHECK(check_reply(&asked, &r, names));
    r.image_len = 3;
    CHECK(!check_reply(&asked, &r, names));
    r.image_len = 0;
    CHECK(check_reply(&asked, &r, names));
    r.image_len = LIMIT_REFS_BYTES + UINT64_C(1);
    CHECK(!check_reply(&asked, &r, names));
}

TEST(a_greeting_with_a_negative_error_or_bytes_past_ascii_is_none)
{
    struct work_hello h = {.magic = WORK_MAGIC, .layer = "x", .error = -1};
    CHECK(!check_hello(&h));
    h.error = 1;
    h.layer[0] = '\x7f';
    CHECK(!check_hello(&h));
}

TEST(text_without_words_is_not_sure_of_any)
{
    struct work_text none = {.magic = WORK_MAGIC, .confidence = 1};
    CHECK(!check_text((const uint8_t *)&none, sizeof none));
}
