/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker says is held against what was asked and what the bytes are. */
#include "test.h"

#include <stddef.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/media.h"
#include "sandbox/check.h"

/* Headers of a 20 x 10 picture, as far as a header goes. */
static const uint8_t png[64] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x14\0\0\0\x0a\x08\2\0\0\0";
static const uint8_t webp[64] = "RIFF\x38\0\0\0WEBPVP8L\x2b\0\0\0\x2f\x13\x40\x02\0";

static const struct work_request whole = {
    .magic = WORK_MAGIC, .media = MEDIA_PNG, .limits = {.max_edge = 100, .max_bytes = 1000, .resize = 1}};

static struct work_reply honest(void)
{
    return (struct work_reply){.magic = WORK_MAGIC, .source_w = 20, .source_h = 10, .extent_w = 20, .extent_h = 10,
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
