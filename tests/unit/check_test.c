/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker says is held against what was asked and what the bytes are. */
#include "test.h"

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
    return (struct work_reply){.magic = WORK_MAGIC, .source_w = 20, .source_h = 10, .frames = 1, .orientation = 1,
                               .media = MEDIA_PNG, .width = 20, .height = 10, .crop = {0, 0, 20, 10},
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
    r.crop = (struct rect){30, 0, 20, 10};
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
    r.crop = (struct rect){0, 0, 40, 20};
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
