/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of text lines: what is counted, kept, converted and refused, however the bytes are cut into pieces. */
#include "source/lines.h"

#include "base/cleanup.h"
#include "base/limits.h"
#include "test.h"

static const struct {
    const char *name, *bytes;
    size_t len;
    uint64_t offset, limit;
    const char *window;
    uint64_t first, last, total, bad_at;
    uint32_t encoding;
} rows[] = {
#define B(s) s, sizeof(s) - 1
    {"empty", B(""), 1, 10, "", 0, 0, 0, 0, 0},
    {"one line", B("a\n"), 1, 10, "a\n", 1, 1, 1, 0, 0},
    {"no line end at the end", B("a\nb"), 1, 10, "a\nb", 1, 2, 2, 0, 0},
    {"one byte", B("a"), 1, 10, "a", 1, 1, 1, 0, 0},
    {"only a line end", B("\n"), 1, 10, "\n", 1, 1, 1, 0, 0},
    {"the middle", B("a\nb\nc\nd\n"), 2, 2, "b\nc\n", 2, 3, 4, 0, 0},
    {"the end", B("a\nb\nc"), 3, 9, "c", 3, 3, 3, 0, 0},
    {"past the end", B("a\nb\n"), 3, 1, "", 0, 0, 2, 0, 0},
    {"no limit at all", B("a\nb\n"), 2, UINT64_MAX, "b\n", 2, 2, 2, 0, 0},
    {"far past the end", B("a\nb\n"), UINT64_MAX, UINT64_MAX, "", 0, 0, 2, 0, 0},
    {"CRLF as found", B("a\r\nb\r\n"), 1, 1, "a\r\n", 1, 1, 2, 0, 0},
    {"UTF-8 mark dropped", B("\xef\xbb\xbf" "a\nb"), 1, 9, "a\nb", 1, 2, 2, 0, 0},
    {"mark only", B("\xef\xbb\xbf"), 1, 9, "", 0, 0, 0, 0, 0},
    {"a mark later is text", B("a\xef\xbb\xbf"), 1, 9, "a\xef\xbb\xbf", 1, 1, 1, 0, 0},
    {"long characters", B("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n"), 1, 9, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n", 1, 1, 1, 0, 0},
    {"NUL", B("ab\0c"), 1, 9, NULL, 0, 0, 0, 3, 0},
    {"NUL first", B("\0"), 1, 9, NULL, 0, 0, 0, 1, 0},
    {"a stray byte", B("ab\xff" "c"), 1, 9, NULL, 0, 0, 0, 3, 0},
    {"an overlong form", B("a\xc0\x80"), 1, 9, NULL, 0, 0, 0, 2, 0},
    {"a surrogate", B("a\xed\xa0\x80z"), 1, 9, NULL, 0, 0, 0, 2, 0},
    {"beyond Unicode", B("a\xf4\x90\x80\x80z"), 1, 9, NULL, 0, 0, 0, 2, 0},
    {"cut by the end", B("abc\xe2\x82"), 1, 9, NULL, 0, 0, 0, 4, 0},
    {"cut by a letter", B("abc\xe2\x82" "d"), 1, 9, NULL, 0, 0, 0, 4, 0},
    {"UTF-16LE", B("\xff\xfe" "a\0\n\0" "\xac\x20" "\x3d\xd8\x00\xde"), 1, 9, "a\n\xe2\x82\xac\xf0\x9f\x98\x80", 1, 2, 2, 0, 1},
    {"UTF-16BE", B("\xfe\xff" "\0a\0\n" "\x20\xac"), 2, 9, "\xe2\x82\xac", 2, 2, 2, 0, 2},
    {"UTF-16 mark only", B("\xff\xfe"), 1, 9, "", 0, 0, 0, 0, 1},
    {"UTF-16 with a NUL", B("\xff\xfe" "a\0\0\0"), 1, 9, NULL, 0, 0, 0, 5, 1},
    {"UTF-16 odd", B("\xff\xfe" "a\0b"), 1, 9, NULL, 0, 0, 0, 5, 1},
    {"UTF-16 half a pair", B("\xff\xfe" "\x3d\xd8" "a\0"), 1, 9, NULL, 0, 0, 0, 3, 1},
    {"UTF-16 the other half", B("\xff\xfe" "\x00\xde"), 1, 9, NULL, 0, 0, 0, 3, 1},
#undef B
};

/* Feeds in pieces of one size and compares with what the row says. */
static void check_row(size_t i, size_t piece)
{
    uint8_t window[64];
    struct lines l;
    lines_init(&l, window, sizeof window, rows[i].offset, rows[i].limit);
    for (size_t at = 0; at < rows[i].len; at += piece)
        if (!lines_add(&l, (const uint8_t *)rows[i].bytes + at, MIN(piece, rows[i].len - at)))
            break;
    struct snapshot_lines got = {0};
    lines_end(&l, &got);
    CHECK_MSG(got.bad_at == rows[i].bad_at, "%s, pieces of %zu: bad at %lu", rows[i].name, piece, got.bad_at);
    CHECK_MSG(got.encoding == rows[i].encoding, "%s", rows[i].name);
    if (rows[i].bad_at)
        return;
    CHECK_MSG(got.window.size == strlen(rows[i].window) && !memcmp(window, rows[i].window, got.window.size),
              "%s, pieces of %zu: '%.*s'", rows[i].name, piece, (int)got.window.size, window);
    CHECK_MSG(got.first == rows[i].first && got.last == rows[i].last && got.total_lines == rows[i].total,
              "%s, pieces of %zu: %lu..%lu of %lu", rows[i].name, piece, got.first, got.last, got.total_lines);
    uint8_t sha[SHA256_LEN];
    sha256(rows[i].bytes, rows[i].len, sha);
    CHECK_MSG(!memcmp(sha, got.sha256, sizeof sha), "%s", rows[i].name);
}

TEST(every_row_in_pieces_of_every_size)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t piece = 1; piece <= MAX(rows[i].len, (size_t)1); piece++)
            check_row(i, piece);
}

/* A long text by arithmetic: line k is k % 50 times a two-byte character. */
static size_t make_text(char *out, size_t room, size_t lines)
{
    size_t n = 0;
    for (size_t k = 1; k <= lines; k++) {
        for (size_t i = 0; i < k % 50 && n + 3 < room; i++) {
            out[n++] = '\xc3';
            out[n++] = '\xa9';
        }
        out[n++] = '\n';
    }
    return n;
}

static size_t line_start(const char *text, size_t len, size_t line)
{
    size_t at = 0;
    for (; line > 1 && at < len; at++)
        line -= text[at] == '\n';
    return at;
}

TEST(windows_that_cross_blocks_and_pieces_are_exact)
{
    static char text[300000], got[300000];
    size_t len = make_text(text, sizeof text, 5000);
    static const size_t starts[] = {1, 2, 80, 81, 160, 2500, 4999, 5000}, limits[] = {1, 2, 79, 500, 5000},
                        pieces[] = {1000, 4080, 4081, 65536, sizeof text};
    for (size_t i = 0; i < COUNT(starts) * COUNT(limits) * COUNT(pieces); i++) {
        size_t first = starts[i % COUNT(starts)], limit = limits[i / COUNT(starts) % COUNT(limits)];
        size_t piece = pieces[i / COUNT(starts) / COUNT(limits)];
        struct lines l;
        lines_init(&l, (uint8_t *)got, sizeof got, first, limit);
        for (size_t at = 0; at < len; at += piece)
            CHECK(lines_add(&l, (const uint8_t *)text + at, MIN(piece, len - at)));
        struct snapshot_lines s = {0};
        lines_end(&l, &s);
        size_t from = line_start(text, len, first), to = line_start(text, len, first + limit);
        CHECK(s.window.size == to - from);
        CHECK_MSG(!memcmp(got, text + from, to - from), "%zu+%zu in pieces of %zu", first, limit, piece);
        CHECK(s.total_lines == 5000 && s.first == first && s.last == MIN(first + limit - 1, (size_t)5000));
    }
}

static uint8_t room[LIMIT_READ_WINDOW];

/* The same piece again and again, in all more than a window holds. */
static struct snapshot_lines feed(const char *piece, size_t len, size_t times)
{
    struct lines l;
    struct snapshot_lines s = {0};
    lines_init(&l, room, sizeof room, 1, UINT64_MAX);
    for (size_t i = 0; i < times; i++)
        CHECK(lines_add(&l, (const uint8_t *)piece, len));
    lines_end(&l, &s);
    return s;
}

TEST(a_window_over_the_limit_is_cut_at_a_line_end)
{
    char line[1000];
    memset(line, 'x', sizeof line);
    line[999] = '\n';
    struct snapshot_lines s = feed(line, sizeof line, 10000);
    CHECK(s.cut && s.window.size == LIMIT_READ_WINDOW / 1000 * 1000 && s.last == LIMIT_READ_WINDOW / 1000);
    CHECK(room[s.window.size - 1] == '\n' && !s.cut_bytes);
    CHECK(s.total_lines == 10000);
}

TEST(a_line_over_the_limit_is_cut_at_a_character)
{
    static const char euro[] = "\xe2\x82\xac";
    static char piece[3000];
    for (size_t i = 0; i < sizeof piece; i++)
        piece[i] = euro[i % 3];
    struct snapshot_lines s = feed(piece, sizeof piece, 3000);
    CHECK_MSG(s.cut && s.window.size == LIMIT_READ_WINDOW / 3 * 3, "%lu", s.window.size);
    CHECK(s.first == 1 && s.last == 1 && s.total_lines == 1);
    CHECK_MSG(s.cut_bytes == sizeof piece * 3000 - s.window.size, "%lu", s.cut_bytes);
}

static const struct {
    const char *name, *text;
    size_t room;
    uint64_t offset, limit;
    const char *window;
    uint64_t first, last, total, cut, cut_bytes;
} cuts[] = {
    {"all fits", "ab\ncd\n", 6, 1, 9, "ab\ncd\n", 1, 2, 2, 0, 0},
    {"whole lines only", "ab\ncd\nef\n", 8, 1, 9, "ab\ncd\n", 1, 2, 3, 1, 0},
    {"a long line later", "ab\ncdefgh\nx", 5, 1, 9, "ab\n", 1, 1, 3, 1, 0},
    {"a long line first", "abcdefgh\nij\n", 3, 1, 9, "abc", 1, 1, 2, 1, 5},
    {"a long line in the middle", "ab\ncdefgh\nij\n", 4, 2, 1, "cdef", 2, 2, 3, 1, 2},
    {"without an end", "abcdefgh", 3, 1, 9, "abc", 1, 1, 1, 1, 5},
    {"only its end is beyond", "abc\nd", 3, 1, 9, "abc", 1, 1, 2, 1, 0},
    {"at a whole character", "a\xe2\x82\xac" "b\n", 3, 1, 9, "a", 1, 1, 1, 1, 4},
    {"after a whole character", "a\xe2\x82\xac" "b\n", 4, 1, 9, "a\xe2\x82\xac", 1, 1, 1, 1, 1},
    {"no room for a character", "\xf0\x9f\x98\x80\n", 2, 1, 9, "", 1, 1, 1, 1, 4},
};

TEST(a_smaller_window_is_cut_the_same_way_and_tells_by_how_much)
{
    for (size_t i = 0; i < COUNT(cuts); i++)
        for (size_t piece = 1; piece <= strlen(cuts[i].text); piece++) {
            struct lines l;
            struct snapshot_lines s = {0};
            size_t len = strlen(cuts[i].text);
            uint8_t got[16];
            lines_init(&l, got, cuts[i].room, cuts[i].offset, cuts[i].limit);
            for (size_t at = 0; at < len; at += piece)
                CHECK(lines_add(&l, (const uint8_t *)cuts[i].text + at, MIN(piece, len - at)));
            lines_end(&l, &s);
            CHECK_MSG(s.window.size == strlen(cuts[i].window) && !memcmp(got, cuts[i].window, s.window.size), "%s: '%.*s'",
                      cuts[i].name, (int)s.window.size, got);
            CHECK_MSG(s.first == cuts[i].first && s.last == cuts[i].last && s.total_lines == cuts[i].total, "%s",
                      cuts[i].name);
            CHECK_MSG(s.cut == cuts[i].cut && s.cut_bytes == cuts[i].cut_bytes, "%s, pieces of %zu: %lu beyond",
                      cuts[i].name, piece, s.cut_bytes);
        }
}
