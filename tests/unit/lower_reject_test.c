/* SPDX-License-Identifier: Apache-2.0 */
/* Which picture a rejection means when it names no place: what its words say, and none when they can mean none. */
#include "test.h"

#include <errno.h>
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

TEST(a_place_is_taken_only_where_the_whole_way_to_it_is_written)
{
    enum { ALL = -1, NO = -2 };
    static const struct {
        enum lower_wire wire;
        const char *text;
        int message, block, inner; /* message NO: none; block ALL: the message as a whole */
    } rows[] = {
        {LOWER_ANTHROPIC, "messages.12.content.3.image: could not process image", 12, 3, -1},
        {LOWER_ANTHROPIC, "messages.12: could not process image", 12, ALL, -1},
        {LOWER_ANTHROPIC, "messages.1.content.x: could not process image", 1, ALL, -1},
        {LOWER_ANTHROPIC, "messages.1.content.0.tool_result.content.x: could not process image", 1, 0, -1},
        {LOWER_ANTHROPIC, "messages.x, then messages.4: could not process image", 4, ALL, -1},
        {LOWER_ANTHROPIC, "messages./ could not process image", NO, 0, 0},
        {LOWER_ANTHROPIC, "my_messages.4 amessages.4 zmessages.4 0messages.4 9messages.4: could not process image", NO, 0, 0},
        {LOWER_ANTHROPIC, "{messages.4: could not process image", 4, ALL, -1},
        {LOWER_ANTHROPIC, ":messages.5: could not process image", 5, ALL, -1},
        {LOWER_ANTHROPIC, "messages.99999999999: could not process image", NO, 0, 0},
        {LOWER_CHAT, "messages[2].content[1].image_url: could not process image", 2, 1, -1},
        {LOWER_CHAT, "messages[2: could not process image", NO, 0, 0},
        {LOWER_CHAT, "messages[:]: could not process image", NO, 0, 0},
        {LOWER_CHAT, "messages[2].content[1: could not process image", 2, ALL, -1},
        {LOWER_RESPONSES, "input[3].output[0].image_url: could not process image", 3, 0, -1},
        {LOWER_RESPONSES, "input[3].content[2].image_url: could not process image", 3, 2, -1},
        {LOWER_GEMINI, "contents[1].parts[0].function_response.parts[2].inline_data: could not process image", 1, 0, 2},
        {LOWER_GEMINI, "contents[1].parts[0].functionResponse.parts[5]: could not process image", 1, 0, 5},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rejection r = {0};
        int code = reject_read(rows[i].wire, rows[i].text, strlen(rows[i].text), &r);
        CHECK_MSG(code == 0 && r.placed == (rows[i].message != NO), "%d, %d: %s", code, r.placed, rows[i].text);
        if (code == 0 && r.placed)
            CHECK_MSG((int)r.place.message == rows[i].message && (int64_t)r.place.inner == rows[i].inner &&
                          (rows[i].block == ALL ? r.place.block == SIZE_MAX : (int)r.place.block == rows[i].block),
                      "%zu %zu %d: %s", r.place.message, r.place.block, (int)r.place.inner, rows[i].text);
    }
}

TEST(a_type_is_taken_when_the_text_names_one_and_no_other)
{
    static const struct {
        const char *text, *type;
    } rows[] = {
        {"Unsupported MIME type: image/heic", "image/heic"},
        {"Unsupported MIME type: image/svg+xml...", "image/svg+xml"},
        {"Unsupported MIME type: image/.", "image/."},
        {"Unsupported MIME type image/gif: image/gif", "image/gif"},
        {"Unsupported MIME type image/gif, not image/png", ""},
        {"Unsupported MIME type image/gif, not image/giff", ""},
        {"Unsupported MIME type image/vnd.somebody.of.a.very.long.name-indeed", ""},
        {"Unsupported MIME type", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rejection r = {0};
        int code = reject_read(LOWER_GEMINI, rows[i].text, strlen(rows[i].text), &r);
        CHECK_MSG(code == 0 && !strcmp(r.type, rows[i].type), "%d '%s': %s", code, r.type, rows[i].text);
    }
}

TEST(the_words_of_a_rejection_are_its_message_without_control_characters)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"{\"error\":{\"message\" :\r\n\t\"Could not process image\\nat all\"}}", "Could not process image at all"},
        {"could not process image, \"message\"", "could not process image, \"message\""},
        {"could not process image, \"message\": 5", "could not process image, \"message\": 5"},
        {"could not process image, \"message\": \"cut sho", "could not process image, \"message\": \"cut sho"},
        {"could not process image, \"message\": \"half \\ud800\"", "half \xef\xbf\xbd"},
        {"could not\x01process image; could not process image", "could not process image; could not process image"},
    };
    struct rejection r = {0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK(reject_read(LOWER_CHAT, rows[i].text, strlen(rows[i].text), &r) == 0);
        CHECK_STR(r.words, rows[i].words);
    }
    /* A NUL among them ends nothing. */
    static const char nul[] = "could\0 not process image: \"message\"\0";
    CHECK(reject_read(LOWER_CHAT, nul, sizeof nul - 1, &r) == 0);
    CHECK(reject_read(LOWER_CHAT, "", 0, &r) == -ENOENT);
    CHECK(reject_read(LOWER_CHAT, "\\\\", 2, &r) == -ENOENT);
}
