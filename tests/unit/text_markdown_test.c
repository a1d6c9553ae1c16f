/* SPDX-License-Identifier: Apache-2.0 */
/* Markdown and the HTML in it, row by row: what of it stands on a page, how it looks, and which images it names. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"
#include "render/text/md_build.h"
#include "render/text/md_html.h"

/* ---------------------------------------------------------------- a document as one line */

static void add_runs(struct buf *b, const struct md_doc *d, const struct md_block *k)
{
    for (uint32_t i = k->run; i < k->run + k->runs; i++) {
        const struct md_run *r = &d->runs[i];
        if (r->look & LOOK_IMAGE) {
            const struct md_image *m = &d->images[r->image];
            const char *ref = d->refs.data;
            for (uint32_t n = 0; m->ref != MD_NO_REF && n < m->ref; n++)
                ref += strlen(ref) + 1;
            (void)buf_add_format(b, "(%s|%.*s|%u%s)", m->ref == MD_NO_REF ? "-" : ref, (int)m->alt_len, d->alts.data ? d->alts.data + m->alt : "", m->width, m->percent ? "%" : "");
            continue;
        }
        static const char letters[] = "bicsl";
        for (size_t n = 0; n < 5; n++)
            (void)buf_add(b, letters + n, r->look >> n & 1);
        (void)buf_add(b, "{", r->look != 0);
        (void)buf_add(b, d->text.data + r->at, r->len);
        (void)buf_add(b, "}", r->look != 0);
    }
}

static void add_block_of(struct buf *b, const struct md_doc *d, const struct md_block *k)
{
    static const char kinds[] = "PHCRTc", markers[] = " o#tx", aligns[] = "<|>";
    (void)buf_add_format(b, "%c", kinds[k->kind]);
    if (k->level)
        (void)buf_add_format(b, "%u", k->level);
    for (unsigned i = 0; i < k->depth; i++)
        (void)buf_add_str(b, k->quotes >> i & 1 ? ">" : "-");
    if (k->marker)
        (void)buf_add(b, markers + k->marker, 1);
    if (k->marker == MARKER_NUMBER)
        (void)buf_add_format(b, "%u", k->number);
    if (k->kind == MD_CELL)
        (void)buf_add(b, aligns + k->align, 1);
    (void)buf_add_str(b, "=");
    add_runs(b, d, k);
    for (uint32_t i = 0; k->kind == MD_TABLE && i < k->cells; i++) {
        (void)buf_add_str(b, " ");
        add_block_of(b, d, &d->cells[k->cell + i]);
    }
}

/* What the Markdown says; NULL with the code where it cannot be had. The caller frees. */
static char *told(const char *text, size_t len, int *ret_code)
{
    struct md_doc d;
    auto_buf b = BUF_INIT(1 << 24);
    *ret_code = md_doc_init(&d, (struct span){(const uint8_t *)text, len});
    if (*ret_code)
        return NULL;
    for (size_t i = 0; i < d.n_blocks; i++) {
        (void)buf_add_str(&b, i ? " ; " : "");
        add_block_of(&b, &d, &d.blocks[i]);
    }
    md_doc_done(&d);
    return buf_take(&b);
}

#define ROW(text, want) {text, sizeof text - 1, want}

static const struct {
    const char *text;
    size_t len;
    const char *want;
} rows[] = {
    ROW("# a *b* **c** `d` ~~e~~ [f](g)", "H1=a i{b} b{c} c{d} s{e} l{f}"),
    ROW("a  \nb\nc\\\nd", "P=a\nb c\nd"),
    ROW("a\0b", "P=a\xef\xbf\xbd" "b"),
    ROW("a\xff" "b", "P=a\xef\xbf\xbd" "b"),
    ROW("a\x07" "b\x7f", "P=a<0007>b<007F>"),
    ROW("a\u202e\u200c\u200d\u2066", "P=a<202E>\u200c\u200d<2066>"),
    ROW("a&#10;b&#9;c&#13;d", "P=a\nb\tc<000D>d"),
    ROW("&amp;&lt;&#65;&#x42;&#X43;&#xd800;&bogus;&#1234567;&#0;", "P=&<ABC&#xd800;&bogus;&#1234567;&#0;"),
    ROW("\u1ab0\u1b00\u1dc0\u1e00\u20d0\u2100\ufe20\ufe30\u0370", "P=\u1ab0\u1b00\u1dc0\u1e00\u20d0\u2100\ufe20\ufe30\u0370"),
    ROW("> a\n\n- b\n- [ ] c\n- [x] d\n\n7. e", "P>=a ; P-o=b ; P-t=c ; P-x=d ; P-#7=e"),
    ROW("> > - > x", "P>>->o=x"),
    ROW("---\n\n```\ni\tj\n```\n", "R= ; C=i\tj\n"),
    ROW("|a|b|c|\n|:-:|--:|:--|\n|*d*|![e](f)||", "T= c|=b{a} c>=b{b} c<=b{c} c|=i{d} c>=(f|e|0) c<="),
    ROW("![a b](c.png) ![](c.png) ![]() ![d &amp; e](f&amp;g)", "P=(c.png|a b|0) (c.png||0) (-||0) (f&g|d & e|0)"),
    ROW("![a ![b](c) d](e)", "P=(e|a b d|0)"),
    ROW("![a <img src=x alt=y> b](c)", "P=(c|a  b|0)"),
    ROW("[![a](b)](c) d", "P=(b|a|0) d"),
    ROW("a <b>c</b> <file> <BR> d <I>e</I> 1<2", "P=a c <file> \n d e 1<2"),
    ROW("<div>\n  a\n\tb\n\n</div>\n", "P=a\nb\n ; P="),
    ROW("<!-- a -->b", "P=b\n"),
    ROW("<!-- a\n\nb -->c\n\nd", "P=c\n ; P=d"),
    ROW("<!-- a", "P="),
    ROW("<!-->a", "P=a\n"),
    ROW("<p>a<!-- b -->c<!-- d\ne -->f</p>", "P=acf\n"),
    ROW("a <!-- b\n*c* --> d", "P=a  d"),
    ROW("<script>\na < b\n\n<p>c\n</script>\n\nd", "P= ; P=d"),
    ROW("<STYLE type='x'>p{}</Style>a\n\nb", "P=a\n ; P=b"),
    ROW("<div>a<script>b</script>c</div>", "P=ac\n"),
    ROW("a <script>b *c* d</script> e", "P=a  e"),
    ROW("the <script> tag and <style>", "P=the <script> tag and <style>"),
    ROW("<script>\nnever ends\n", "P="),
    ROW("<scripts>a</scripts>", "P=<scripts>a</scripts>\n"),
    ROW("<table><tr><td>a</td><td>b</td></tr><tr><th>1<td>2</table>", "P=a | b\n1 | 2\n"),
    ROW("<table>\n  <tr>\n    <td>a</td>\n    <td>b\n      c</td>\n  </tr>\n  <tr><td></td><td>d</td></tr>\n</table>\ne",
        "P=a | b c \n| d\ne\n"),
    ROW("<table><tr><td>\n\n**a**\n\n</td><td>\n\nb", "P= ; P=b{a} ; P= ; P=b"),
    ROW("<p\nclass=x>y</p>", "P=y\n"),
    ROW("<p\n\nz", "P=<p\n ; P=z"),
    ROW("<h1>a</h1><h2>b</h2>", "P=a\nb\n"),
    ROW("<p><img src=\"a&amp;b.png\" alt='x &quot; y &x' width=50%></p>", "P=(a&b.png|x \" y &x|50%)\n"),
    ROW("<p><img\tsrc=a width=99999999><img/src=b width=\"12px\"/><img width=x></p>", "P=(a||65535)(b||12)(-||0)\n"),
    ROW("<p><img\nsrc = 'a'><imgx><img src='b></p>\n", NULL),
    ROW("<p><img src=\"a\0b\"></p>", "P=(-||0)\xef\xbf\xbd\n"),
    ROW("<p><img alt=z src></p>", "P=(-|z|0)\n"),
    ROW("<p><img src=\"&nothing;&toolongtobeanentity;\"></p>", "P=(&nothing;&toolongtobeanentity;||0)\n"),
};

TEST(markdown_stands_on_the_page_as_it_should)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        int code;
        auto_free char *got = told(rows[i].text, rows[i].len, &code);
        CHECK(got != NULL && code == 0);
        if (rows[i].want)
            CHECK_STR(got, rows[i].want);
    }
}

TEST(entities_are_characters_or_nothing)
{
    static const struct {
        const char *text;
        uint32_t c;
    } entities[] = {{"&amp;", '&'}, {"&#x41;", 'A'}, {"&#Xe9;", 0xe9}, {"&#65;", 'A'},   {"&#xg;", 0},      {"&#x;", 0},     {"&#6a;", 0},
                    {"&#;", 0},     {"&;", 0},       {"x;", 0},        {"x&amp;", 0},    {"&amp", 0},       {"&nope;", 0},   {"&#x110000;", 0},
                    {"&#xdfff;", 0}, {"&#xe000;", 0xe000}, {"&#x10ffff;", 0x10ffff}, {"&#99999999999;", 0}, {"&#x/;", 0}, {"&#x@;", 0}};
    for (size_t i = 0; i < COUNT(entities); i++)
        CHECK_MSG(html_entity((struct span){(const uint8_t *)entities[i].text, strlen(entities[i].text)}) == entities[i].c, "%s", entities[i].text);
}

/* ---------------------------------------------------------------- more than there may be */

/* Each piece with a number behind it and `tail` behind that, where there is a tail. */
static char *many(const char *piece, const char *tail, size_t n, const char *before, const char *after)
{
    auto_buf b = BUF_INIT(1 << 24);
    (void)buf_add_str(&b, before);
    for (size_t i = 0; i < n; i++) {
        (void)buf_add_str(&b, piece);
        if (tail)
            (void)buf_add_format(&b, "%zu%s", i, tail);
    }
    (void)buf_add_str(&b, after);
    return buf_take(&b);
}

static char *told_of(const char *text, int *ret_code)
{
    return told(text, strlen(text), ret_code);
}

TEST(images_beyond_the_most_are_words)
{
    int code;
    auto_free char *text = many("![a](b", ") ", LIMIT_MARKDOWN_IMAGES + 2, "", "");
    auto_free char *got = told_of(text, &code);
    CHECK(got && strstr(got, "(b0|a|0)") && strstr(got, "[image] a"));
    auto_free char *tags = many("<img src=b", " alt=c> ", LIMIT_MARKDOWN_IMAGES + 2, "<p>", "</p>"), *also = told_of(tags, &code);
    CHECK(also && strstr(also, "[image]"));
}

TEST(names_beyond_the_most_are_not_asked_for)
{
    int code;
    auto_free char *text = many("![a](b", ") ", LIMIT_REFS + 1, "", ""), *got = told_of(text, &code);
    CHECK(got && strstr(got, "(-|a|0)"));
    auto_free char *name = many("abcdefgh", NULL, LIMIT_REFS_BYTES / 8 + 1, "![a](", ")"), *long_one = told_of(name, &code);
    CHECK(long_one && strstr(long_one, "(-|a|0)"));
}

TEST(long_words_are_cut_and_long_paragraphs_go_on)
{
    int code;
    auto_free char *alt = many("abcdefgh ", NULL, LIMIT_MARKDOWN_ALT / 8, "![", "](c) d"), *got = told_of(alt, &code);
    CHECK(got && strstr(got, "|0) d") && strlen(got) < LIMIT_MARKDOWN_ALT + 64);
    auto_free char *long_one = many("abcdefgh ", NULL, LIMIT_MARKDOWN_BLOCK / 8, "- ", ""), *parts = told_of(long_one, &code);
    CHECK(parts && strstr(parts, " ; P-="));
    auto_free char *code_block = many("abcdefgh ", NULL, LIMIT_MARKDOWN_BLOCK / 8, "    ", ""), *code_parts = told_of(code_block, &code);
    CHECK(code_parts && strstr(code_parts, " ; C="));
    auto_free char *cell = many("abcdefgh ", NULL, LIMIT_MARKDOWN_BLOCK / 8, "|a|\n|---|\n|", "|");
    CHECK(!told_of(cell, &code) && code == -E2BIG);
}

/* Behind each text is a page that nobody may read. */
TEST(text_that_ends_within_a_link_is_read_to_its_end_and_no_further)
{
    static const char *const texts[] = {"[a](b", "[a](<b", "![a](b", "[a](b \"c", "[a]: b", "[a]: <b", "<http://b", "www.b", "[a](b\\", "[a][b", "`b", "&am"};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(two != MAP_FAILED && !mprotect(two + page, page, PROT_NONE));
    for (size_t i = 0; i < COUNT(texts); i++) {
        size_t len = strlen(texts[i]);
        struct md_doc d;
        memcpy(two + page - len, texts[i], len);
        CHECK_MSG(!md_doc_init(&d, (struct span){two + page - len, len}), "%s", texts[i]);
        md_doc_done(&d);
    }
    (void)munmap(two, 2 * page);
}

TEST(depth_has_an_end)
{
    int code;
    auto_free char *quotes = many("> ", NULL, 80, "", "x"), *got = told_of(quotes, &code);
    CHECK(got && !strncmp(got, "P>>>>>>>>>>=", 12));
    auto_free char *lists = many("- ", NULL, 80, "", "x"), *items = told_of(lists, &code);
    CHECK(items && !strncmp(items, "P----------", 11));
}
