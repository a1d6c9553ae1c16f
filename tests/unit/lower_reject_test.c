/* SPDX-License-Identifier: Apache-2.0 */
/* Which picture a rejection means when it names no place: what its words say, and none when they can mean none. */
#include "test.h"

#include <string.h>

#include "base/cleanup.h"
#include "lower/writer.h"

/* A request with something of everything, in its order. */
enum { ATTACHED, SEEN_LARGE, SEEN_TINY, ATTACHED_PDF, SEEN_GIF, SEEN_LONG, ATTACHED_LAST, SPOTS };
static const struct reject_spot spots[SPOTS] = {
    [ATTACHED] = {.place = {0, 0, -1}, .image = true, .stored = true, .bytes = 900000, .longest = 1500, .shortest = 1200, .type = "image/png"},
    [SEEN_LARGE] = {.place = {2, 0, 0}, .image = true, .in_result = true, .stored = true, .bytes = 4000000, .longest = 1600,
                    .shortest = 900, .type = "image/png"},
    [SEEN_TINY] = {.place = {2, 1, 0}, .image = true, .in_result = true, .stored = true, .bytes = 100, .longest = 30, .shortest = 28,
                   .type = "image/png"},
    [ATTACHED_PDF] = {.place = {3, 0, -1}, .stored = true, .bytes = 9000000, .type = "application/pdf"},
    [SEEN_GIF] = {.place = {5, 0, 0}, .image = true, .in_result = true, .stored = true, .bytes = 200000, .longest = 500, .shortest = 500,
                  .type = "image/gif"},
    [SEEN_LONG] = {.place = {7, 0, 0}, .image = true, .in_result = true, .stored = true, .bytes = 70000, .longest = 7000, .shortest = 100,
                   .type = "image/jpeg"},
    [ATTACHED_LAST] = {.place = {8, 1, -1}, .image = true, .stored = true, .bytes = 50000, .longest = 400, .shortest = 300, .type = "image/png"},
};

static int chosen(const struct reject_spot *all, size_t n, enum lower_wire wire, const char *text)
{
    struct rejection r;
    if (reject_read(wire, text, strlen(text), &r) < 0)
        return -2;
    const struct reject_spot *s = reject_choose(&r, all, n);
    return s ? (int)(s - all) : -1;
}

TEST(the_words_of_a_rejection_say_which_picture_it_means)
{
    static const struct {
        enum lower_wire wire;
        const char *text;
        int want;
    } rows[] = {
        {LOWER_RESPONSES, "{\"error\":{\"code\":\"image_too_small\",\"message\":\"The image is too small\"}}", SEEN_TINY},
        {LOWER_ANTHROPIC, "image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes", SEEN_LARGE},
        {LOWER_ANTHROPIC, "At least one of the image dimensions exceed max allowed size: 8000 pixels", SEEN_LONG},
        {LOWER_GEMINI, "Multimodal function responses are not supported for this model", SEEN_LONG},
        {LOWER_CHAT, "Invalid message: a tool message must not contain an image", SEEN_LONG},
        {LOWER_CHAT, "tool message content must be a string", SEEN_LONG},
        {LOWER_GEMINI, "Unsupported MIME type: image/gif", SEEN_GIF},
        {LOWER_GEMINI, "Unsupported MIME type: image/heic.", -1},
        {LOWER_CHAT, "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg']",
         SEEN_GIF},
        {LOWER_ANTHROPIC, "media_type: Input should be 'image/jpeg', 'image/png'", SEEN_GIF},
        {LOWER_ANTHROPIC, "Could not process image", ATTACHED_LAST},
        {LOWER_ANTHROPIC, "Could not process PDF", ATTACHED_PDF},
        {LOWER_ANTHROPIC, "A maximum of 100 PDF pages may be provided.", ATTACHED_PDF},
        {LOWER_CHAT, "At most 4 image(s) may be provided in one prompt.", ATTACHED},
        {LOWER_ANTHROPIC, "messages.2.content.1.tool_result.content.0.image: image exceeds 5 MB", SEEN_TINY},
        {LOWER_ANTHROPIC, "messages.6.content.0.image: image exceeds 5 MB", -1},
        {LOWER_ANTHROPIC, "overloaded_error", -2},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int got = chosen(spots, SPOTS, rows[i].wire, rows[i].text);
        CHECK_MSG(got == rows[i].want, "%d, not %d: %s", got, rows[i].want, rows[i].text);
    }
}

TEST(when_the_words_can_mean_none_it_is_none)
{
    static const struct reject_spot attached[] = {
        {.place = {0, 0, -1}, .image = true, .stored = true, .bytes = 900000, .longest = 1500, .shortest = 1200, .type = "image/png"}};
    CHECK(chosen(attached, 1, LOWER_GEMINI, "Multimodal function responses are not supported") == -1);
    CHECK(chosen(attached, 1, LOWER_GEMINI, "Unsupported MIME type: image/gif") == -1);
    CHECK(chosen(attached, 1, LOWER_ANTHROPIC, "Could not process PDF") == -1);
    CHECK(chosen(attached, 0, LOWER_ANTHROPIC, "Could not process image") == -1);
}

TEST(a_request_that_is_too_large_gets_further_with_every_rejection)
{
    static const char *const texts[] = {
        "{\"type\":\"error\",\"error\":{\"type\":\"request_too_large\",\"message\":\"Request exceeds the maximum size\"}}",
        "<html><head><title>413 Request Entity Too Large</title></head></html>",
        "Error code: 413 - something",
        "Total image size 52428800 exceeds the limit",
        "Request payload size exceeds the limit: 20971520 bytes.",
    };
    for (size_t t = 0; t < COUNT(texts); t++) {
        struct reject_spot now[SPOTS];
        size_t n = SPOTS, steps = 0;
        memcpy(now, spots, sizeof now);
        for (; n > 0 && steps < 3 * SPOTS; steps++) {
            int got = chosen(now, n, LOWER_ANTHROPIC, texts[t]);
            if (got < 0)
                break;
            if (now[got].repaired || !now[got].image) {
                memmove(now + got, now + got + 1, (--n - (size_t)got) * sizeof *now); /* it is a text now */
                continue;
            }
            now[got].repaired = true;
            now[got].bytes = MIN(now[got].bytes, 60000);
        }
        CHECK_MSG(n <= 1 && steps <= 2 * SPOTS, "%zu left after %zu steps: %s", n, steps, texts[t]);
    }
    /* The largest first. */
    struct reject_spot now[SPOTS];
    static const int order[] = {SEEN_LARGE, ATTACHED, SEEN_GIF, SEEN_LONG};
    memcpy(now, spots, sizeof now);
    for (size_t i = 0; i < COUNT(order); i++) {
        CHECK(chosen(now, SPOTS, LOWER_ANTHROPIC, "Total image size exceeds 50 MB") == order[i]);
        now[order[i]].repaired = true;
        now[order[i]].bytes = 60000;
    }
    CHECK(now[chosen(now, SPOTS, LOWER_ANTHROPIC, "Total image size exceeds 50 MB")].repaired);
}
