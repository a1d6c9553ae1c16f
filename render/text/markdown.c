/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markdown as pages: one column of blocks, cut between lines. All of it is measured to know how many pages there are; one is
 * drawn. What is too long for that is shown as its source, by the renderer of text.
 */
#include "markdown.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "encoding.h"
#include "md_page.h"
#include "md_repair.h"
#include "paper.h"
#include "plain.h"

enum { MARGIN = 44, GUTTER = 68, PAGE_WIDTH = 1092, PAGE_LEAST = 480, HEIGHT_LEAST = 320 };

struct decoder {
    struct decoder *plain; /* instead of all below */
    uint8_t *copy;
    struct md_doc doc;
    struct insets insets;
    struct setter set;
    struct flow flow;
    size_t first, end; /* slices on the page */
    uint32_t width, height; /* of the page */
    uint32_t pages, missing;
    struct area shown; /* of the page */
};

static void markdown_close(struct decoder *d)
{
    if (d->plain)
        render_plain.close(d->plain);
    if (d->set.context)
        setter_done(&d->set);
    flow_done(&d->flow);
    md_doc_done(&d->doc);
    free(d->copy);
    free(d);
}

/* Valid UTF-8 of what is nearly that. */
static int make_valid(struct span *text, uint8_t **copy)
{
    if (utf8_valid((const char *)text->at, text->len))
        return 0;
    auto_buf out = BUF_INIT(4 * LIMIT_MARKDOWN_BYTES);
    for (size_t i = 0; i < text->len;) {
        size_t good = utf8_valid_prefix((const char *)text->at + i, text->len - i);
        (void)buf_add(&out, text->at + i, good);
        i += good;
        if (i < text->len)
            (void)buf_add_char(&out, 0xfffd);
        i += i < text->len;
    }
    *text = (struct span){(const uint8_t *)"", out.len};
    uint8_t *made = (uint8_t *)buf_take(&out);
    if (!made)
        return -ENOMEM;
    free(*copy);
    *copy = made;
    text->at = made;
    return 0;
}

static int repair(struct span *text, uint8_t **copy)
{
    auto_buf out = BUF_INIT(8 * LIMIT_MARKDOWN_BYTES);
    int e = md_repair(*text, &out);
    if (e || !out.len)
        return e;
    free(*copy);
    *text = (struct span){NULL, out.len};
    text->at = *copy = (uint8_t *)buf_take(&out);
    return 0;
}

static int parse(const struct source *s, struct md_doc *ret_doc, uint8_t **ret_copy)
{
    struct span text;
    int e = text_of((struct span){s->data, s->len}, &text, ret_copy);
    if (!e)
        e = make_valid(&text, ret_copy);
    if (!e)
        e = repair(&text, ret_copy);
    return e ? e : md_doc_init(ret_doc, text);
}

static const struct fit_limits *limits_of(const struct source *s)
{
    static const struct fit_limits none = {.resize = 1};
    return s->request ? work_layout(s->request) : &none;
}

static void choose_page(struct decoder *d, const struct fit_limits *limits)
{
    uint32_t width = MIN(paper_width(limits, HEIGHT_LEAST), (uint32_t)PAGE_WIDTH);
    d->width = MAX(width, (uint32_t)PAGE_LEAST);
    d->height = paper_height(limits, d->width);
    if (d->height < HEIGHT_LEAST)
        d->height = MAX((uint32_t)HEIGHT_LEAST, d->width * 3 / 4);
}

static double column_width(const struct decoder *d)
{
    return d->width - GUTTER - MARGIN;
}

static double column_height(const struct decoder *d)
{
    return d->height - 2 * MARGIN;
}

/* One page alone is as large as its text. No line is set anew: none is wider than what stays. */
static void trim_page(struct decoder *d)
{
    if (d->pages > 1)
        return;
    d->height = (uint32_t)ceil(fmax(page_height(d->flow.slices, 0, d->flow.n), 16)) + 2 * MARGIN;
    uint32_t width = (uint32_t)ceil(d->flow.widest) + 1 + GUTTER + MARGIN;
    d->width = MIN(d->width, MAX(width, (uint32_t)PAGE_LEAST));
    d->set.width = column_width(d);
}

/* All of it, in slices. -ENOMEM, -E2BIG. */
static int measure(struct decoder *d, const struct source *s)
{
    choose_page(d, limits_of(s));
    insets_init(&d->insets, s, &d->doc);
    setter_init(&d->set, &d->doc, &d->insets, column_width(d), column_height(d));
    d->insets.context = d->set.context;
    d->insets.font = d->set.body;
    d->insets.width = column_width(d);
    d->insets.height = column_height(d) * 0.75;
    return flow_init(&d->flow, &d->set);
}

static int find_page(struct decoder *d, const struct source *s, struct complaint *c)
{
    uint32_t page = s->request && s->request->page ? s->request->page : 1;
    d->pages = MIN(pages_cut(d->flow.slices, d->flow.n, column_height(d), page, &d->first, &d->end), LIMIT_PAGES);
    if (page > d->pages)
        return complain(c, WORK_BAD_PAGE, "there are %u", d->pages);
    trim_page(d);
    return WORK_OK;
}

static int open_plain(struct decoder *d, const struct source *s, struct header *ret_header, struct complaint *c)
{
    int status = render_plain.open(s, &d->plain, ret_header, c);
    ret_header->as_source = !status;
    return status;
}

static int markdown_open(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return complain(c, WORK_NO_MEMORY, "no memory for the text");
    int e = s->len > LIMIT_MARKDOWN_BYTES ? -E2BIG : parse(s, &d->doc, &d->copy), status;
    if (!e)
        e = measure(d, s);
    if (e == -ENOMEM) {
        status = complain(c, WORK_NO_MEMORY, "no memory for the text");
    } else if (e) {
        status = open_plain(d, s, ret_header, c);
    } else {
        status = find_page(d, s, c);
        *ret_header = (struct header){.extent_w = d->width, .extent_h = d->height, .has_pages = true, .pages = d->pages,
                                      .frames = 1, .orientation = 1, .exact = true, .channels = 3};
    }
    if (status)
        markdown_close(d);
    else
        *ret = d;
    return status;
}

static int markdown_draw(struct decoder *d, const struct want *want, struct image *ret, struct complaint *c)
{
    if (d->plain)
        return render_plain.draw(d->plain, want, ret, c);
    auto_paper paper = {0};
    int status = paper_init(&paper, want, c);
    if (status)
        return status;
    d->shown = want->area;
    fonts_scale(d->set.context, paper.cairo);
    d->missing = flow_draw(&d->flow, &d->set, d->first, d->end, paper.cairo, GUTTER, MARGIN);
    return paper_take(&paper, ret, c);
}

/* The lines of the slices in the part that is shown. */
static void tell_part(const struct decoder *d, struct told *ret)
{
    double y = MARGIN;
    for (size_t i = d->first; i < d->end; i++) {
        const struct slice *one = &d->flow.slices[i];
        y += i > d->first ? one->space : 0;
        if (one->first && y < d->shown.y + d->shown.h && y + one->height > d->shown.y) {
            ret->part_first = ret->part_first ? MIN(ret->part_first, one->first) : one->first;
            ret->part_last = MAX(ret->part_last, one->last);
        }
        y += one->height;
    }
    ret->part_last = MIN(ret->part_last, ret->last_line);
    ret->part_first = MIN(ret->part_first, ret->part_last);
}

static void markdown_tell(const struct decoder *d, struct told *ret)
{
    if (d->plain) {
        render_plain.tell(d->plain, ret);
        return;
    }
    ret->total_lines = d->doc.lines;
    ret->missing = d->missing;
    for (size_t i = d->first; i < d->end; i++) {
        const struct slice *one = &d->flow.slices[i];
        if (one->first && (!ret->first_line || one->first < ret->first_line))
            ret->first_line = one->first;
        ret->last_line = MAX(ret->last_line, one->last);
    }
    /* What shows nothing at either end (fences, comments) is on the first and the last page. */
    if (!d->first)
        ret->first_line = MIN(1u, ret->total_lines);
    if (d->end == d->flow.n)
        ret->last_line = ret->total_lines;
    ret->first_line = ret->first_line ? ret->first_line : ret->last_line;
    tell_part(d, ret);
}

int markdown_refs(const struct source *s, struct work_reply *reply, struct output *ret, struct complaint *c)
{
    struct md_doc doc = {0};
    auto_free uint8_t *copy = NULL;
    *reply = (struct work_reply){.magic = WORK_MAGIC};
    if (s->request->media != MEDIA_MARKDOWN)
        return complain(c, WORK_UNSUPPORTED, "only Markdown names images");
    int e = s->len > LIMIT_MARKDOWN_BYTES ? -E2BIG : parse(s, &doc, &copy);
    if (e == -ENOMEM)
        return complain(c, WORK_NO_MEMORY, "no memory for the text");
    /* What is shown as its source shows no images. */
    if (e)
        return WORK_OK;
    ret->len = doc.refs.len;
    ret->data = ret->copy = (uint8_t *)buf_take(&doc.refs);
    reply->image_len = ret->len;
    md_doc_done(&doc);
    return ret->data ? WORK_OK : complain(c, WORK_NO_MEMORY, "no memory for the names");
}

const struct decoder_ops render_markdown = {
    .media = MEDIA_MARKDOWN,
    .library = "md4c",
    .open = markdown_open,
    .draw = markdown_draw,
    .close = markdown_close,
    .tell = markdown_tell,
};
