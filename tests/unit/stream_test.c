/* SPDX-License-Identifier: Apache-2.0 */
/* Answers on a terminal: whatever pieces they come in, they read the same, and nothing in them acts. */
#include "test.h"

#include "cmd/schema.c"
#include "cmd/stream.c"

/* ---------------------------------------------------------------- in place of the streams */

static struct buf written = BUF_INIT(1 << 20);
static struct buf spoken = BUF_INIT(1 << 20);
static bool hushed;

int out(const void *data, size_t len)
{
    return buf_add(&written, data, len);
}
void say(const char *format, ...)
{
    (void)buf_add_str(&spoken, format);
}
void waiting_hush(struct waiting *w, bool hush)
{
    (void)w;
    hushed = hush;
}
int read_all(int fd, struct buf *b)
{
    (void)fd;
    (void)b;
    return -EIO;
}
static void begin(void)
{
    buf_done(&written);
    buf_done(&spoken);
    hushed = false;
}

/* ---------------------------------------------------------------- text */

static const struct {
    const char *text, *want;
} texts[] = {
    {"plain\n", "plain\n"},
    {"no end", "no end\n"},
    {"a\tb\n\nc\n", "a\tb\n\nc\n"},
    {"\033[31mred\033[0m\n", "\\u001b[31mred\\u001b[0m\n"},
    {"\033]52;c;ZXZpbA==\a\n", "\\u001b]52;c;ZXZpbA==\\u0007\n"},
    {"\xc2\x9b" "2J\n", "\\u009b2J\n"},
    {"a\r\nb\r\n", "a\nb\n"},
    {"progress\rover it\n", "progress\\u000dover it\n"},
    {"ends in a return\r", "ends in a return\\u000d\n"},
    {"\xe2\x80\xaelive\n", "\\u202elive\n"},
    {"中文 é e\xcc\x81 🇩🇪\n", "中文 é e\xcc\x81 🇩🇪\n"},
    {"👨‍👩‍👧 می\xe2\x80\x8cخواهم\n", "👨‍👩‍👧 می\xe2\x80\x8cخواهم\n"},
    {"\xff\xfe\n", "\\xff\\xfe\n"},
    {"cut \xe4\xb8", "cut \\xe4\\xb8\n"},
    {"broken \xe4\xb8z\n", "broken \\xe4\\xb8z\n"},
    {"\xed\xa0\x80\n", "\\xed\\xa0\\x80\n"},
    {"\xf4\x90\x80\x80\n", "\\xf4\\x90\\x80\\x80\n"},
};

/* In pieces of that length. */
static void shown_in_pieces(const char *text, size_t piece, const char *want)
{
    struct stream s = {0};
    size_t len = strlen(text);
    begin();
    for (size_t at = 0; at < len; at += piece)
        stream_text(&s, text + at, MIN(piece, len - at));
    stream_end(&s);
    CHECK_MSG(written.data && !strcmp(written.data, want), "pieces of %zu: got '%s', want '%s'", piece,
              written.data ? written.data : "", want);
    CHECK(hushed && s.any);
}

TEST(pieces_of_any_length_show_the_same)
{
    for (size_t i = 0; i < COUNT(texts); i++)
        for (size_t piece = 1; piece <= strlen(texts[i].text); piece++)
            shown_in_pieces(texts[i].text, piece, texts[i].want);
}

TEST(a_whole_text_shows_as_its_pieces_do)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        auto_buf b = BUF_INIT(4096);
        size_t len = strlen(texts[i].text);
        CHECK(buf_add_visible(&b, texts[i].text, len, true) == len);
        CHECK_MSG(!strncmp(b.data, texts[i].want, b.len), "got '%s', want '%s'", b.data, texts[i].want);
    }
}

TEST(nothing_said_shows_nothing)
{
    struct stream s = {0};
    begin();
    stream_text(&s, "", 0);
    stream_end(&s);
    CHECK(!written.len && !s.any && !hushed);
}

/* ---------------------------------------------------------------- JSON */

static const struct {
    const char *json, *want;
} pretty[] = {
    {"{}", "{}"},
    {"[ ]", "[]"},
    {"7", "7"},
    {"{\"a\":1,\"b\":[1,2]}", "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    2\n  ]\n}"},
    {"{\"a\":{},\"b\":[]}", "{\n  \"a\": {},\n  \"b\": []\n}"},
    {"{ \"a\" :\n1.10 }", "{\n  \"a\": 1.10\n}"},
    {"{\"a\":\"{[,:]} \\\" \\\\\"}", "{\n  \"a\": \"{[,:]} \\\" \\\\\"\n}"},
    {"{\"n\":123456789012345678901234567890}", "{\n  \"n\": 123456789012345678901234567890\n}"},
};

TEST(an_object_is_set_in_lines_and_nothing_in_it_changes)
{
    for (size_t i = 0; i < COUNT(pretty); i++) {
        auto_buf b = BUF_INIT(4096);
        buf_add_pretty(&b, pretty[i].json);
        CHECK_STR(b.data, pretty[i].want);
    }
}
