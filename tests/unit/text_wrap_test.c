/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and pages of text and of Markdown: arithmetic alone. */
#include "render/text/wrap.c"
#include "render/text/md_flow.c"
#include "render/text/encoding.c"
#include "render/text/md_html.c"
#include "render/text/md_repair.c"
#include "test.h"

static struct span span_of(const char *s)
{
    return (struct span){(const uint8_t *)s, strlen(s)};
}

static size_t first_row(const char *s, unsigned columns)
{
    return row_first(span_of(s), columns);
}

static uint64_t rows_of(const char *s, unsigned columns)
{
    uint64_t rows = 0;
    struct page_start start;
    (void)rows_count(span_of(s), columns, 0, &rows, &start);
    return rows;
}

TEST(lines_end_at_line_feeds_and_carriage_returns_before_them_are_not_shown)
{
    size_t next;
    struct span line = line_first(span_of("ab\r\ncd"), &next);
    CHECK(line.len == 2 && next == 4);
    line = line_first(span_of("ab"), &next);
    CHECK(line.len == 2 && next == 2);
    line = line_first(span_of("\n"), &next);
    CHECK(line.len == 0 && next == 1);
}

TEST(columns_are_counted_by_how_characters_are_shown)
{
    CHECK(line_columns(span_of("abc"), 80) == 3);
    CHECK(line_columns(span_of("\tx"), 80) == 5);
    CHECK(line_columns(span_of("abc\tx"), 80) == 5);
    CHECK(line_columns(span_of("漢字"), 80) == 4);
    CHECK(line_columns(span_of("e\u0301x"), 80) == 2);
    CHECK(line_columns(span_of("\x1b"), 80) == 2);
    CHECK(line_columns(span_of("\u202e"), 80) == 6);
    CHECK(line_columns(span_of("\xff\xfe"), 80) == 2);
    CHECK(line_columns(span_of("0123456789"), 5) == 6);
}

TEST(rows_break_behind_white_space_or_where_they_are_full)
{
    CHECK(first_row("one two three", 8) == 8);
    CHECK(first_row("one two three", 7) == 8); /* the space stands out */
    CHECK(first_row("one two three", 6) == 4);
    CHECK(first_row("abcdefgh", 3) == 3);
    CHECK(first_row("        abcdefgh", 10) == 10); /* an indent is no place to break */
    CHECK(first_row("漢字漢字", 5) == 6);
    CHECK(first_row("漢", 1) == 3); /* one at least */
}

TEST(a_pile_of_combining_characters_comes_to_an_end)
{
    char pile[2 * 4000 + 2] = "e";
    for (size_t i = 0; i < 4000; i++)
        memcpy(pile + 1 + 2 * i, "\u0301", 2);
    CHECK(first_row(pile, 80) == 1 + 2 * (WRAP_JOINED + 79));
}

TEST(rows_of_a_file_are_those_of_its_lines)
{
    CHECK(rows_of("a\nb\n", 40) == 2);
    CHECK(rows_of("a\nb", 40) == 2);
    CHECK(rows_of("\n\n\n", 40) == 3);
    CHECK(rows_of("abcdef\ng\n", 3) == 3);
}

TEST(a_page_begins_where_the_one_before_ends)
{
    uint64_t rows;
    struct page_start start;
    CHECK(rows_count(span_of("abcdef\ng\nh\n"), 3, 1, &rows, &start));
    CHECK(rows == 4 && start.at == 3 && start.line == 1 && start.continued);
    CHECK(rows_count(span_of("abcdef\ng\nh\n"), 3, 2, &rows, &start));
    CHECK(start.at == 7 && start.line == 2 && !start.continued);
    CHECK(!rows_count(span_of("abcdef\ng\nh\n"), 3, 4, &rows, &start));
}

TEST(a_page_is_as_wide_as_the_file_needs)
{
    struct survey s;
    survey_take(span_of("short\nlines\n"), &s);
    CHECK(s.lines == 2 && survey_columns(&s, 120) == WRAP_LEAST);
    char long_line[101];
    memset(long_line, 'x', 100);
    long_line[100] = 0;
    survey_take(span_of(long_line), &s);
    CHECK(survey_columns(&s, 120) == 100);
    survey_take(span_of("short\nlines\nand\nnot\nmany\nof\nthem\n"), &s);
    s.widths[WRAP_WIDEST + 1]++;
    s.lines++;
    CHECK(survey_columns(&s, 120) == WRAP_PROSE); /* one long line has room, although it does not fit */
    survey_take(span_of(long_line), &s);
    CHECK(survey_columns(&s, 90) == 90); /* most lines are longer than the page: it is as wide as it can be */
}

TEST(utf_16_with_its_mark_is_text)
{
    struct span text;
    auto_free uint8_t *copy = NULL;
    const uint8_t little[] = {0xff, 0xfe, 'a', 0, 0x3d, 0xd8, 0x00, 0xde, 0x00, 0xd8, 'b'};
    CHECK(text_of((struct span){little, sizeof little}, &text, &copy) == 0);
    CHECK(text.len == 11 && memcmp(text.at, "a\U0001f600\ufffd\ufffd", 11) == 0);
}

TEST(pages_of_slices_cut_no_slice_and_leave_no_heading_behind)
{
    struct slice s[] = {{.height = 40}, {.block = 1, .space = 10, .height = 40},
                        {.block = 2, .space = 10, .height = 20, .keep = true}, {.block = 3, .space = 10, .height = 40}};
    CHECK(page_end(s, 4, 0, 100) == 2);
    CHECK(page_end(s, 4, 0, 130) == 2); /* the heading fits, what it heads does not */
    CHECK(page_end(s, 4, 0, 170) == 4);
    CHECK(page_end(s, 4, 0, 10) == 1); /* one at least */
    size_t first, end;
    CHECK(pages_cut(s, 4, 100, 2, &first, &end) == 2);
    CHECK(first == 2 && end == 4);
    CHECK(page_height(s, 2, 4) == 70);
    CHECK(pages_cut(s, 0, 100, 1, &first, &end) == 1);
}

/* What is read as `text` is parsed as `want`; NULL: as it is. */
static void check_repair(const char *text, const char *want)
{
    auto_buf out = BUF_INIT(4096);
    CHECK(md_repair(span_of(text), &out) == 0);
    CHECK_MSG(want ? out.len == strlen(want) && memcmp(out.data, want, out.len) == 0 : out.len == 0, "%s", text);
}

TEST(the_second_line_of_a_table_gets_three_dashes_for_each_cell)
{
    check_repair("|a|b|\n|-|-|\n|c|d|\n", "|a|b|\n|---|---|\n|c|d|\n");
    check_repair("a|b\r\n:-|--:\r\nc|d", "a|b\r\n:---|---:\r\nc|d");
    check_repair("> |a|\n> |-|\n", "> |a|\n> |---|\n");
    check_repair("|a|b|\n|---|---|\n", NULL);
    check_repair("words\n|-|-|\n", NULL);                      /* no table */
    check_repair("```\n|a|\n|-|\n```\n", NULL);               /* code */
    check_repair("     |a|\n     |-|\n", NULL);
    check_repair("```\n```\n|a|\n|-|\n", "```\n```\n|a|\n|---|\n");
    check_repair("", NULL);
}

static bool attribute_is(const char *tag, const char *name, const char *want)
{
    struct span got = html_attribute(span_of(tag), name);
    return want ? got.at && got.len == strlen(want) && memcmp(got.at, want, got.len) == 0 : !got.at;
}

TEST(attributes_of_a_tag_are_found_by_name_however_they_are_quoted)
{
    const char *tag = "<img\n data-src='no' SRC=\"a b.png\" alt='it\"s' width=200 hidden/>";
    CHECK(attribute_is(tag, "src", "a b.png"));
    CHECK(attribute_is(tag, "alt", "it\"s"));
    CHECK(attribute_is(tag, "width", "200"));
    CHECK(attribute_is(tag, "hidden", ""));
    CHECK(attribute_is(tag, "height", NULL));
    CHECK(attribute_is("<img src=\"cut", "src", "cut"));
    CHECK(attribute_is("<img ===\"", "src", NULL));
    CHECK(html_is(span_of("<IMG src=a>"), "<img") && html_is(span_of("<img>"), "<img") && !html_is(span_of("<image a>"), "<img"));
}
