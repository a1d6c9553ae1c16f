/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text and code: black on white, line numbers beside it, one page of rows at a time. The page is laid out so that it is shown
 * as it is: as many columns as the file needs, and as many rows as the limits then allow. Of the file all rows are counted
 * and those of the page are drawn.
 */
#include "plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "encoding.h"
#include "fonts.h"
#include "paper.h"
#include "row.h"

enum {
    COLUMN = 12,  /* pixels; the font's size is 20 then. OCR read 10, 11, 13 and 14 less well, if not by much */
    LEADING = 25, /* from one row to the next */
    BASE = 18,    /* and from a row's top to its base line */
    MARGIN = 16,
    GAP = 2, /* columns between numbers and text */
    ROWS_LEAST = 8,
};

static const double number_grey = 0.66;

struct decoder {
    struct span text;
    uint8_t *copy;
    struct survey survey;
    unsigned columns, digits;
    uint32_t width, height, rows_most; /* of the page */
    uint64_t rows;              /* of the file */
    uint32_t pages, page_rows;
    struct page_start start;
    uint64_t last_line, part_first, part_last;
    uint32_t missing;
};

static unsigned digits_of(uint64_t n)
{
    unsigned digits = 1;
    while (n >= 10) {
        n /= 10;
        digits++;
    }
    return digits;
}

static uint32_t gutter(const struct decoder *d)
{
    return MARGIN + (d->digits + GAP) * COLUMN;
}

/* A page too small for a few words is laid out as if it were not, and shown smaller. */
static void choose_page(struct decoder *d, const struct fit_limits *limits)
{
    uint32_t least = 2 * MARGIN + ROWS_LEAST * LEADING;
    uint32_t widest = paper_width(limits, least), beside = gutter(d) + MARGIN;
    uint32_t room = widest > beside ? (widest - beside) / COLUMN : 0;
    d->columns = survey_columns(&d->survey, MAX(room, (uint32_t)WRAP_LEAST));
    d->width = beside + d->columns * COLUMN;
    d->height = paper_height(limits, d->width);
    if (d->height < least)
        d->height = MAX(least, d->width * 3 / 4);
    d->rows_most = (d->height - 2 * MARGIN) / LEADING;
}

/* One page alone is as high as its text. */
static void trim_page(struct decoder *d)
{
    if (d->pages == 1)
        d->height = 2 * MARGIN + (uint32_t)d->rows * LEADING;
}

static const struct fit_limits *limits_of(const struct source *s)
{
    static const struct fit_limits none = {.resize = 1};
    return s->request ? work_layout(s->request) : &none;
}

static int find_page(struct decoder *d, const struct source *s, struct complaint *c)
{
    uint32_t page = s->request && s->request->page ? s->request->page : 1;
    bool found = rows_count(d->text, d->columns, (uint64_t)(page - 1) * d->rows_most, &d->rows, &d->start);
    d->pages = (uint32_t)MIN((d->rows + d->rows_most - 1) / d->rows_most, (uint64_t)LIMIT_PAGES);
    if (!found || page > d->pages)
        return complain(c, WORK_BAD_PAGE, "there are %u", d->pages);
    d->page_rows = (uint32_t)MIN(d->rows - (uint64_t)(page - 1) * d->rows_most, (uint64_t)d->rows_most);
    return WORK_OK;
}

static void plain_close(struct decoder *d)
{
    free(d->copy);
    free(d);
}

static int lay_out(struct decoder *d, const struct source *s, struct complaint *c)
{
    if (text_of((struct span){s->data, s->len}, &d->text, &d->copy))
        return complain(c, WORK_NO_MEMORY, "no memory for the text");
    /* A mark and no more is an empty line. */
    if (!d->text.len)
        d->text = (struct span){(const uint8_t *)"\n", 1};
    survey_take(d->text, &d->survey);
    d->digits = digits_of(d->survey.lines);
    choose_page(d, limits_of(s));
    int status = find_page(d, s, c);
    if (!status)
        trim_page(d);
    return status;
}

static int plain_open(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return complain(c, WORK_NO_MEMORY, "no memory for the text");
    int status = lay_out(d, s, c);
    *ret_header = (struct header){.extent_w = d->width, .extent_h = d->height, .has_pages = true, .pages = d->pages,
                                  .frames = 1, .orientation = 1, .exact = true, .channels = 3};
    if (status)
        plain_close(d);
    else
        *ret = d;
    return status;
}

/* Walks the rows of the page; draws those that the wanted part shows. */
struct walk {
    struct row_pen pen;
    size_t at;
    uint64_t line;
    bool continued;
};

static void draw_number(struct walk *w, const struct decoder *d, double y)
{
    char words[32];
    int n = w->continued ? snprintf(words, sizeof words, "\u21aa")
                         : snprintf(words, sizeof words, "%*llu", (int)d->digits, (unsigned long long)w->line);
    double indent = w->continued ? (d->digits - 1) * w->pen.column : 0;
    cairo_set_source_rgb(w->pen.cairo, number_grey, number_grey, number_grey);
    row_words(&w->pen, words, (size_t)n, MARGIN + indent, y);
}

static void walk_row(struct walk *w, const struct decoder *d, double top, bool seen)
{
    size_t next;
    struct span rest = {d->text.at + w->at, d->text.len - w->at}, line = line_first(rest, &next);
    size_t len = line.len ? row_first(line, d->columns) : 0;
    if (seen) {
        draw_number(w, d, top + BASE);
        row_draw(&w->pen, (struct span){line.at, len}, gutter(d), top + BASE);
    }
    w->continued = len < line.len;
    w->at += w->continued ? len : next;
    w->line += !w->continued;
}

static void draw_rows(struct decoder *d, const struct area *area, struct walk *w)
{
    d->part_first = d->part_last = 0;
    for (uint32_t i = 0; i < d->page_rows; i++) {
        double top = MARGIN + (double)i * LEADING;
        bool seen = top + 2 * LEADING > area->y && top - LEADING < area->y + area->h;
        d->last_line = w->line;
        if (top + LEADING > area->y && top < area->y + area->h) {
            d->part_first = d->part_first ? d->part_first : w->line;
            d->part_last = w->line;
        }
        walk_row(w, d, top, seen);
    }
}

static int plain_draw(struct decoder *d, const struct want *want, struct image *ret, struct complaint *c)
{
    auto_paper paper = {0};
    int status = paper_init(&paper, want, c);
    if (status)
        return status;
    PangoContext *context = fonts_context();
    PangoFontDescription *font = fonts_mono(context, COLUMN);
    fonts_scale(context, paper.cairo);
    struct walk w = {.pen = {.cairo = paper.cairo, .layout = pango_layout_new(context), .column = COLUMN,
                             .columns = d->columns}, .at = d->start.at,
                     .line = d->start.line, .continued = d->start.continued};
    zero_init(&w.pen.zero, context, font, COLUMN);
    pango_layout_set_font_description(w.pen.layout, font);
    pango_layout_set_single_paragraph_mode(w.pen.layout, TRUE);
    draw_rows(d, &want->area, &w);
    d->missing = MIN(w.pen.missing, LIMIT_GLYPHS);
    g_object_unref(w.pen.layout);
    pango_font_description_free(font);
    g_object_unref(context);
    return w.pen.failed ? complain(c, WORK_NO_MEMORY, "no memory for the rows") : paper_take(&paper, ret, c);
}

static uint32_t clamp(uint64_t n)
{
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static void plain_tell(const struct decoder *d, struct told *ret)
{
    ret->first_line = clamp(d->start.line);
    ret->last_line = clamp(d->last_line);
    ret->total_lines = clamp(d->survey.lines);
    ret->part_first = clamp(d->part_first);
    ret->part_last = clamp(d->part_last);
    ret->line_top = MARGIN;
    ret->line_height = (float)LEADING;
    ret->rows = d->page_rows;
    ret->missing = d->missing;
}

const struct decoder_ops render_plain = {
    .media = MEDIA_TEXT,
    .library = "Pango",
    .open = plain_open,
    .draw = plain_draw,
    .close = plain_close,
    .tell = plain_tell,
};
