/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and results as a terminal interface shows them: no line is too wide, nothing acts, nothing is cut in half. */
#include "test.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "handles.h"
#include "percept/columns.h"
#include "percept/result.h"

/* ---------------------------------------------------------------- columns */

static const struct {
    const char *what, *text;
    size_t max;
    const char *want;
} lines[] = {
    {"short", "plain", 10, "plain"},
    {"exact", "0123456789", 10, "0123456789"},
    {"one too many", "0123456789a", 10, "012345678…"},
    {"room for one", "ab", 1, "…"},
    {"empty", "", 5, ""},
    {"two columns each", "中文字符", 8, "中文字符"},
    {"cut before a wide one", "中文字符号", 8, "中文字…"},
    {"never half of a wide one", "中文字符", 6, "中文…"},
    {"a wide one that leaves a column", "中文字符", 7, "中文字…"},
    {"marks take no column", "e\xcc\x81" "e\xcc\x81" "e\xcc\x81", 3, "e\xcc\x81" "e\xcc\x81" "e\xcc\x81"},
    {"marks stay with their base", "ae\xcc\x81xyz", 3, "ae\xcc\x81…"},
    {"marks leave with their base", "abe\xcc\x81z", 3, "ab…"},
    {"a mark with nothing below it", "\xcc\x81x", 10, "\\u0301x"},
    {"emoji", "👍👍👍", 6, "👍👍👍"},
    {"emoji cut", "👍👍👍", 5, "👍👍…"},
    {"an emoji with its tone is whole", "ab👍🏽z", 6, "ab…"},
    {"a family is whole or gone", "a👨‍👩‍👧", 5, "a…"},
    {"a family counts as wide as its members", "a👨‍👩‍👧", 7, "a👨‍👩‍👧"},
    {"a heart in colour has two columns", "❤️❤️", 3, "❤️…"},
    {"a flag is whole", "a🇩🇪b", 3, "a…"},
    {"a flag fits", "a🇩🇪", 3, "a🇩🇪"},
    {"two flags part between", "🇩🇪🇫🇷🇪🇸", 4, "🇩🇪…"},
    {"tab to the next stop", "a\tb", 10, "a   b"},
    {"tab at a stop", "abcd\tb", 20, "abcd    b"},
    {"escape is shown", "\033[31mred", 40, "\\u001b[31mred"},
    {"an escape of ours is whole or gone", "abcd\033", 9, "abcd…"},
    {"C1 controls", "\xc2\x9b" "31m", 20, "\\u009b31m"},
    {"override", "ab\xe2\x80\xaetxt.exe", 40, "ab\\u202etxt.exe"},
    {"isolate", "\xe2\x81\xa6x\xe2\x81\xa9", 40, "\\u2066x\\u2069"},
    {"right to left as it is", "שלום", 4, "שלום"},
    {"joiners of a script stay", "می\xe2\x80\x8cخواهم", 20, "می\xe2\x80\x8cخواهم"},
    {"a joiner with nothing before it", "\xe2\x80\x8dx", 20, "\\u200dx"},
    {"a sign before a number has a column", "\xd8\x80\xd8\x80\xd8\x80\xd8\x80", 3, "\xd8\x80\xd8\x80…"},
    {"a hexagram has two", "䷀䷀䷀", 5, "䷀䷀…"},
    {"zero width space", "a\xe2\x80\x8b" "b", 20, "a\\u200bb"},
    {"soft hyphen", "a\xc2\xad" "b", 20, "a\\u00adb"},
    {"soft hyphen behind a joiner", "a\xe2\x80\x8d\xc2\xad" "b", 20, "a\xe2\x80\x8d\\u00adb"},
    {"no UTF-8", "a\xff" "b\xc3", 20, "a\\xffb\\xc3"},
    {"bell and delete", "\a\x7f", 20, "\\u0007\\u007f"},
};

TEST(lines_are_cut_by_columns_and_made_harmless)
{
    for (size_t i = 0; i < COUNT(lines); i++) {
        auto_buf b = BUF_INIT(4096);
        CHECK(buf_add_columns(&b, lines[i].text, strlen(lines[i].text), lines[i].max) == 0);
        CHECK_MSG(!strcmp(b.data ? b.data : "", lines[i].want), "%s: got '%s', want '%s'", lines[i].what,
                  b.data ? b.data : "", lines[i].want);
    }
}

TEST(a_pile_of_marks_has_an_end)
{
    auto_buf pile = BUF_INIT(1 << 20), b = BUF_INIT(1 << 20);
    (void)buf_add_str(&pile, "a");
    for (int i = 0; i < 10000; i++)
        (void)buf_add_str(&pile, "\xcc\x81");
    (void)buf_add_str(&pile, "b");
    CHECK(buf_add_columns(&b, pile.data, pile.len, 10) == 0);
    CHECK(b.len == 1 + 2 * 16 + 1);
    CHECK(b.data[b.len - 1] == 'b');
}

TEST(a_long_line_costs_what_is_shown)
{
    auto_buf b = BUF_INIT(1024); /* too small for the line */
    size_t len = 10 << 20;
    auto_free char *line = malloc(len);
    memset(line, 'x', len);
    CHECK(buf_add_columns(&b, line, len, 120) == 0);
    CHECK(b.len == 119 + strlen("…"));
}

/* ---------------------------------------------------------------- calls */

#define TEN "0123456789"
#define NINETY TEN TEN TEN TEN TEN TEN TEN TEN TEN

static const struct {
    const char *tool, *arguments, *want;
} calls[] = {
    {"inspect_image", "{\"path\":\"a.png\",\"question\":\"what is it?\"}", "inspect_image a.png: what is it?"},
    {"vision_analyze", "{\"file_path\":\"b.pdf\",\"prompt\":\"sum?\"}", "vision_analyze b.pdf: sum?"},
    {"vision_analyze", "{\"file_url\":\"https://x.org/a.png\",\"prompt\":\"?\"}", "vision_analyze https://x.org/a.png: ?"},
    {"vision_analyze", "{\"file_base64\":\"iVBORw0KGgo=\",\"prompt\":\"?\"}", "vision_analyze (inline data): ?"},
    {"vision_analyze", "{\"file_path\":\"data:image/png;base64,iVBO\",\"prompt\":\"?\"}", "vision_analyze (inline data): ?"},
    {"video_analyze", "{\"file_path\":\"v.mp4\"}", "video_analyze v.mp4"},
    {"view", "{\"path\":\"a.png\",\"page\":2}", "view a.png"},
    {"read", "{\"path\":\"with  two blanks\"}", "read with two blanks"},
    {"view", "{\"path\":7}", "view"},
    {"view", "no JSON", "view"},
    {"view", "", "view"},
    {"inspect_image", "{\"path\":\"a\",\"question\":\"  one\\n\\ttwo\\r\\n three \"}", "inspect_image a: one two three"},
    {"inspect_image", "{\"path\":\"a\",\"question\":\"" NINETY TEN "\"}", "inspect_image a: " NINETY TEN},
    {"inspect_image", "{\"path\":\"a\",\"question\":\"" NINETY TEN "x\"}", "inspect_image a: " NINETY "012345678…"},
    {"inspect_image", "{\"path\":\"" NINETY TEN "x\",\"question\":\"q\"}", "inspect_image " NINETY "012345678…: q"},
    {"inspect_image", "{\"path\":\"a\\u001b[2J\",\"question\":\"\\u202eq\\u0000\"}",
     "inspect_image a\\u001b[2J: \\u202eq\\u0000"},
    {"\033]0;x\a", "{}", "\\u001b]0;x\\u0007"},
};

TEST(a_call_is_one_line)
{
    for (size_t i = 0; i < COUNT(calls); i++) {
        auto_free char *got = fovea_render_call_new(calls[i].tool, calls[i].arguments, strlen(calls[i].arguments));
        CHECK_STR(got, calls[i].want);
    }
}

/* ---------------------------------------------------------------- results */

static fovea_result *answer(const char *text, const char *mime)
{
    struct answer a = {.text = strdup(text), .provider = strdup("anthropic"), .model = strdup("claude-opus-4-7"),
                       .mime = mime};
    return result_of_answer(&a);
}

#define FOOT "\nanthropic/claude-opus-4-7 · image/webp"
#define LINE120 NINETY TEN TEN TEN

static const struct {
    const char *what, *text, *brief, *expanded;
} answers[] = {
    {"one line", "A cat.", "A cat." FOOT, "A cat." FOOT},
    {"blank", "", "(no text)" FOOT, "(no text)" FOOT},
    {"only blanks", " \n\t\r\n ", "(no text)" FOOT, "(no text)" FOOT},
    {"blank lines around", "\n\n  a\n\nb\n\n", "  a\n\nb" FOOT, "  a\n\nb" FOOT},
    {"four lines", "1\n2\n3\n4\n", "1\n2\n3\n4" FOOT, "1\n2\n3\n4" FOOT},
    {"five lines", "1\n2\n3\n4\n5", "1\n2\n3\n4\n… 1 more line" FOOT, "1\n2\n3\n4\n5" FOOT},
    {"eighteen lines", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18",
     "1\n2\n3\n4\n… 14 more lines" FOOT,
     "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n… 2 more lines" FOOT},
    {"lines of Windows", "a\r\nb\r\n", "a\nb" FOOT, "a\nb" FOOT},
    {"a return of its own", "a\rb", "a\\u000db" FOOT, "a\\u000db" FOOT},
    {"as wide as may be", LINE120, LINE120 FOOT, LINE120 FOOT},
    {"wider", LINE120 "x", NINETY TEN TEN "012345678…" FOOT, NINETY TEN TEN "012345678…" FOOT},
};

TEST(an_answer_has_four_or_sixteen_lines_and_its_model)
{
    for (size_t i = 0; i < COUNT(answers); i++) {
        auto_result *r = answer(answers[i].text, "image/webp");
        auto_free char *brief = fovea_render_result_new(r, false), *expanded = fovea_render_result_new(r, true);
        CHECK_MSG(!strcmp(brief, answers[i].brief), "%s: got '%s'", answers[i].what, brief);
        CHECK_MSG(!strcmp(expanded, answers[i].expanded), "%s: got '%s'", answers[i].what, expanded);
    }
}

TEST(an_answer_without_a_picture_has_its_model_alone)
{
    auto_result *r = answer("x", NULL);
    auto_free char *got = fovea_render_result_new(r, false);
    CHECK_STR(got, "x\nanthropic/claude-opus-4-7");
}

TEST(refusals_and_errors_say_why)
{
    auto_result *refusal = result_refused(REASON_ABSENT, "a.png is not there");
    auto_result *failed = result_failed(FAIL_LLM_ERROR, "out of\033 luck", &(struct cost){.words = "0"});
    auto_result *plain = result_failed_plain("inspect_image request aborted.");
    auto_free char *a = fovea_render_result_new(refusal, false), *b = fovea_render_result_new(failed, false),
                   *c = fovea_render_result_new(plain, false);
    CHECK_STR(a, "absent: a.png is not there");
    CHECK_STR(b, "LLM_ERROR: out of\\u001b luck");
    CHECK_STR(c, "inspect_image request aborted.");
}

TEST(a_text_is_its_lines_whatever_bytes_they_hold)
{
    struct text t = {.text = strndup("a\nb\nc\nd\ne", 9), .len = 9, .first = 1, .last = 5, .total = 5};
    t.text[2] = '\0';
    auto_result *r = result_of_text(&t);
    auto_free char *got = fovea_render_result_new(r, false);
    CHECK_STR(got, "a\n\\u0000\nc\nd\n… 1 more line");
}

TEST(a_perception_is_its_note_and_its_id)
{
    struct perception p = {.id = "view:3f9a0c51d2e4", .note = strdup("a.png 10x10, shown pixel for pixel."),
                           .media = MEDIA_WEBP, .size = {10, 10}, .crop = {0, 0, 10, 10}};
    auto_result *r = result_of_perception(&p);
    auto_free char *got = fovea_render_result_new(r, false);
    CHECK_STR(got, "a.png 10x10, shown pixel for pixel.\nview:3f9a0c51d2e4 · image/webp");
}
