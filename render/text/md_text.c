/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a document: what the parser gives, as it may stand on a page, in runs of one look and in blocks that are not too long. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "md_build.h"
#include "md_html.h"

#define REPLACEMENT "\xef\xbf\xbd"

static uint32_t look_now(const struct build *b)
{
    return (b->bold ? LOOK_BOLD : 0) | (b->italic ? LOOK_ITALIC : 0) | (b->struck ? LOOK_STRUCK : 0) |
           (b->link ? LOOK_LINK : 0) | (b->code ? LOOK_CODE : 0);
}

/* The run that text of this look belongs to: the last one, or a new one. */
int put_run(struct build *b, const char *text, size_t len, uint32_t look, uint32_t image)
{
    struct md_doc *d = b->doc;
    struct md_block *k = b->block;
    struct md_run *last = k->runs ? &d->runs[d->n_runs - 1] : NULL;
    if (!last || last->look != look || look & LOOK_IMAGE) {
        if (!GROW(b, d->runs, d->n_runs))
            return -1;
        last = &d->runs[d->n_runs++];
        *last = (struct md_run){(uint32_t)d->text.len, 0, look, image};
        k->runs++;
    }
    if (buf_add(&d->text, text, len))
        return build_failed(b, d->text.error);
    last->len += (uint32_t)len;
    k->len += (uint32_t)len;
    return 0;
}

/* Where to cut text so that at most `room` bytes stand before it: at a line's end, behind a blank, between characters. */
static size_t cut_at(const char *text, size_t room, bool code)
{
    const char *end = memrchr(text, '\n', room);
    if (!end && !code)
        end = memrchr(text, ' ', room);
    if (end)
        return (size_t)(end - text) + 1;
    while (room && ((uint8_t)text[room] & 0xc0) == 0x80)
        room--;
    return room;
}

/* A block that is too long goes on in another, close behind it. A cell cannot. */
static int go_on(struct build *b)
{
    struct md_doc *d = b->doc;
    if (b->block->kind == MD_CELL)
        return build_failed(b, -E2BIG);
    if (!GROW(b, d->blocks, d->n_blocks))
        return -1;
    struct md_block *before = &d->blocks[d->n_blocks - 1], *next = before + 1;
    before->goes_on = true;
    *next = *before;
    next->goes_on = false;
    next->joined = true;
    next->marker = MARKER_NONE;
    next->at = (uint32_t)d->text.len;
    next->run = (uint32_t)d->n_runs;
    next->len = next->runs = 0;
    next->first_line = next->last_line = b->line;
    d->n_blocks++;
    b->block = next;
    return 0;
}

/* Words that stand for an image are cut, between characters. */
static int put_alt(struct build *b, const char *text, size_t len)
{
    struct md_doc *d = b->doc;
    size_t has = d->alts.len - d->images[d->n_images - 1].alt;
    size_t room = has < LIMIT_MARKDOWN_ALT ? LIMIT_MARKDOWN_ALT - has : 0;
    size_t n = len <= room ? len : cut_at(text, room, true);
    return n && buf_add(&d->alts, text, n) ? build_failed(b, d->alts.error) : 0;
}

int put_text(struct build *b, const char *text, size_t len)
{
    if (b->image)
        return put_alt(b, text, len);
    while (b->block && len) {
        size_t room = b->block->len < LIMIT_MARKDOWN_BLOCK ? LIMIT_MARKDOWN_BLOCK - b->block->len : 0;
        size_t n = len <= room ? len : cut_at(text, room, b->block->kind == MD_CODE);
        if ((n && put_run(b, text, n, look_now(b), 0)) || (n < len && go_on(b)))
            return -1;
        text += n;
        len -= n;
    }
    return 0;
}

/* A character as it may stand on a page: what acts on its surroundings only shows, and piles have an end. */
static int put_char(struct build *b, uint32_t c)
{
    char out[16];
    bool joins = c >= 0x300 && ((c < 0x370) || (c >= 0x1ab0 && c < 0x1b00) || (c >= 0x1dc0 && c < 0x1e00) ||
                                (c >= 0x20d0 && c < 0x2100) || (c >= 0xfe20 && c < 0xfe30));
    b->piled = joins ? b->piled + 1 : 0;
    if (b->piled > WRAP_JOINED)
        return 0;
    if (char_acts(c) && c != '\n' && c != '\t' && c != 0x200c && c != 0x200d)
        return put_text(b, out, (size_t)snprintf(out, sizeof out, "<%04X>", c));
    return put_text(b, out, utf8_encode(c, out));
}

static int put_shown(struct build *b, struct span s)
{
    size_t from = 0, i = 0;
    while (i < s.len) {
        uint8_t byte = s.at[i];
        if ((byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\t') {
            b->piled = 0;
            i++;
            continue;
        }
        uint32_t c;
        size_t n = utf8_decode((const char *)s.at + i, s.len - i, &c);
        if (put_text(b, (const char *)s.at + from, i - from) || put_char(b, n ? c : 0xfffd))
            return -1;
        i += n ? n : 1;
        from = i;
    }
    return put_text(b, (const char *)s.at + from, i - from);
}

/* Pointers go forward nearly always; one that does not tells nothing new. */
static void note_line(struct build *b, const char *text, size_t len)
{
    const char *start = (const char *)b->source.at;
    if (text < start || text > start + b->source.len || !b->block)
        return;
    size_t at = (size_t)(text - start);
    for (; b->seen < at; b->seen++)
        b->line += b->source.at[b->seen] == '\n';
    bool more = len && text[len - 1] != '\n';
    for (size_t end = at + len; more && b->seen < end; b->seen++)
        b->line += b->source.at[b->seen] == '\n';
    if (!b->block->first_line)
        b->block->first_line = b->line;
    b->block->last_line = b->line;
}

static int put_entity(struct build *b, struct span s)
{
    uint32_t c = html_entity(s);
    return c ? put_char(b, c) : put_shown(b, s);
}

static bool at_start(const struct build *b)
{
    return !b->block || !b->block->len || b->doc->text.data[b->doc->text.len - 1] == '\n';
}

/* Between the lines of HTML is no empty one, and none before the first. */
static int put_break(struct build *b)
{
    return at_start(b) ? 0 : put_text(b, "\n", 1);
}

/* Nothing is before it, or room enough. */
static bool after_blank(const struct build *b)
{
    return at_start(b) || (b->row && b->doc->text.data[b->doc->text.len - 1] == ' ');
}

/* A row of a table is one line, however many it is written in. */
static int put_line_end(struct build *b)
{
    if (!b->row)
        return put_break(b);
    return after_blank(b) ? 0 : put_text(b, " ", 1);
}

static int put_html_text(struct build *b, struct span s)
{
    while (s.len) {
        size_t next;
        struct span line = line_first(s, &next);
        bool ended = next > line.len;
        while (line.len && after_blank(b) && (line.at[0] == ' ' || line.at[0] == '\t'))
            line = (struct span){line.at + 1, line.len - 1};
        if (put_shown(b, line) || (ended && put_line_end(b)))
            return -1;
        s = (struct span){s.at + next, s.len - next};
    }
    return 0;
}

/* Entities in an attribute are rare, and only these matter in names. */
static void spell_attribute(struct span value, struct buf *out)
{
    for (size_t i = 0; i < value.len;) {
        const uint8_t *end = value.at[i] == '&' ? memchr(value.at + i, ';', MIN(value.len - i, (size_t)16)) : NULL;
        size_t n = end ? (size_t)(end - value.at) - i + 1 : 1;
        uint32_t c = end ? html_entity((struct span){value.at + i, n}) : 0;
        (void)(c ? buf_add_char(out, c) : buf_add(out, value.at + i, n));
        i += n;
    }
}

/* Pixels, or percent of the column. */
static void set_width_of(struct md_image *m, struct span value)
{
    uint32_t n = 0;
    size_t i = 0;
    for (; i < value.len && value.at[i] >= '0' && value.at[i] <= '9' && n < LIMIT_SIDE; i++)
        n = n * 10 + (uint32_t)(value.at[i] - '0');
    m->percent = i < value.len && value.at[i] == '%';
    m->width = m->percent ? MIN(n, 100u) : MIN(n, LIMIT_SIDE);
}

static int put_img(struct build *b, struct span tag)
{
    auto_buf name = BUF_INIT(LIMIT_REFS_BYTES), alt = BUF_INIT(LIMIT_REFS_BYTES);
    struct md_doc *d = b->doc;
    size_t before = d->n_images;
    spell_attribute(html_attribute(tag, "src"), &name);
    spell_attribute(html_attribute(tag, "alt"), &alt);
    if (alt.error == -ENOMEM)
        return build_failed(b, -ENOMEM);
    if (build_image(b, &name))
        return -1;
    if (d->n_images > before)
        set_width_of(&d->images[before], html_attribute(tag, "width"));
    int e = d->n_images > before && alt.len ? put_shown(b, (struct span){(const uint8_t *)alt.data, alt.len}) : 0;
    if (d->n_images > before || b->image)
        build_image_end(b);
    return e;
}

/* The parser gives HTML line by line: a tag or comment that goes on is looked for in the source. */
static struct span beyond(const struct build *b, struct span s)
{
    const uint8_t *start = b->source.at, *end = start + b->source.len;
    if (s.at < start || s.at + s.len > end)
        return s;
    struct span more = {s.at, MIN((size_t)(end - s.at), s.len + LIMIT_MARKDOWN_BLOCK)};
    const uint8_t *gap = memmem(s.at + s.len, more.len - s.len, "\n\n", 2); /* the line itself is not looked through for every tag */
    if (gap)
        more.len = (size_t)(gap - s.at);
    return more;
}

/* Within a paragraph the end must be there: who writes of the <script> tag means no script. (The parser finds that of comments.) */
static const struct html_unseen *begins_unseen(const struct build *b, struct span tag)
{
    const struct html_unseen *u = html_unseen(tag);
    size_t at;
    tag.len = MIN(tag.len, LIMIT_MARKDOWN_BLOCK);
    return u && (b->html || u->start[1] == '!' || html_seen_again(u, tag, &at)) ? u : NULL;
}

/* Passes what is not shown, from a place on; false: all the rest is not. */
static bool pass_unseen(struct build *b, struct span s, size_t *at)
{
    size_t n, from = MIN(*at, s.len);
    if (b->unseen && !html_seen_again(b->unseen, (struct span){s.at + from, s.len - from}, &n))
        return false;
    *at = b->unseen ? from + n : from;
    b->unseen = NULL;
    return true;
}

/* Cells of a row are told apart as in a table that is too wide to be drawn. */
static int put_cell(struct build *b)
{
    bool first = !b->row || !b->row_cells;
    b->row_cells = first ? 1 : b->row_cells + 1;
    b->row = true;
    return first ? 0 : after_blank(b) ? put_text(b, "| ", 2) : put_text(b, " | ", 3);
}

static int put_tag(struct build *b, struct span tag, bool ends)
{
    if (ends && put_break(b))
        return -1;
    if (html_is(tag, "<img") && tag.len > strlen("<img>"))
        return put_img(b, tag);
    if (html_is(tag, "<td") || html_is(tag, "<th"))
        return put_cell(b);
    if (html_is(tag, "<tr") || html_is(tag, "</tr") || html_is(tag, "</table")) {
        b->row = html_is(tag, "<tr");
        b->row_cells = 0;
    }
    return 0;
}

static int put_html(struct build *b, struct span s)
{
    if (b->passed > s.at && b->passed <= b->source.at + b->source.len && s.at >= b->source.at) {
        size_t skip = MIN((size_t)(b->passed - s.at), s.len);
        s = (struct span){s.at + skip, s.len - skip};
    }
    size_t i = 0;
    if (!pass_unseen(b, s, &i))
        return 0;
    struct span all = beyond(b, s);
    /* Behind the last > no tag ends, so that none is looked for in vain, again and again. */
    const uint8_t *last = memrchr(all.at, '>', all.len);
    size_t tags = last ? (size_t)(last - all.at) + 1 : 0;
    for (size_t from = i;;) {
        bool ends = false;
        struct span tag = {s.at + i, i < s.len ? all.len - i : 0};
        size_t n = html_markup((struct span){tag.at, i < s.len && i < tags ? tags - i : 0}, &ends);
        const struct html_unseen *unseen = n ? NULL : begins_unseen(b, tag);
        if (n || unseen || i == s.len) {
            if (put_html_text(b, (struct span){s.at + from, i - from}))
                return -1;
            if (i == s.len)
                return 0;
            if (n && put_tag(b, (struct span){tag.at, n}, ends))
                return -1;
            if (n > s.len - i)
                b->passed = tag.at + n;
            i += unseen ? 2 : n; /* of <!--> the end has letters of the start */
            b->unseen = unseen;
            if (!pass_unseen(b, s, &i))
                return 0;
            from = i;
        } else {
            const uint8_t *next = memchr(s.at + i + 1, '<', s.len - i - 1);
            i = next ? (size_t)(next - s.at) : s.len;
        }
    }
}

int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE len, void *data)
{
    struct build *b = data;
    struct span s = {(const uint8_t *)text, len};
    if (build_block(b))
        return -1;
    note_line(b, text, len);
    if (b->unseen && type != MD_TEXT_HTML)
        return 0;
    switch (type) {
    case MD_TEXT_NULLCHAR:
        return put_text(b, REPLACEMENT, 3);
    case MD_TEXT_BR:
        return put_text(b, "\n", 1);
    case MD_TEXT_SOFTBR:
        return put_text(b, " ", 1);
    case MD_TEXT_ENTITY:
        return put_entity(b, s);
    case MD_TEXT_HTML:
        return put_html(b, s);
    default:
        return put_shown(b, s);
    }
}
