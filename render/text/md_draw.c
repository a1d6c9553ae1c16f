/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing the slices of a page: what is around them (bars of quotes, markers, the ground of code), then their text. */
#include "md_page.h"

#include <math.h>
#include <stdio.h>

enum { BAR = 4, BULLET = 3, MARKER_GAP = 12, BOX = 15, NUMBER_GAP = 18 };

/* A block of which some slices are on the page. */
struct on_page {
    const struct setter *set;
    const struct md_block *block;
    cairo_t *cairo;
    double x, width; /* where it stands, its indent counted in */
    PangoLayout *layout;
    PangoLayoutIter *iter; /* at the line `at` */
    uint32_t at;
    uint32_t row;         /* of a table that is set loosely, the one that layout is of */
    uint32_t *missing;
    double base;          /* line of the slice that was drawn */
};

static void grey(cairo_t *cairo, double v)
{
    cairo_set_source_rgb(cairo, v, v, v);
}

/* Down from the block before, where that is in the same quote. */
static void draw_bars(cairo_t *cairo, const struct md_block *b, const struct md_block *before, double x, double y,
                      double space, double height)
{
    cairo_set_source_rgb(cairo, 0.8, 0.82, 0.85);
    for (unsigned i = 0; i < b->depth; i++) {
        bool quote = b->quotes >> i & 1;
        double above = before && before->quotes >> i & 1 ? space : 0;
        if (quote)
            cairo_rectangle(cairo, x, y - above, BAR, height + above);
        x += quote ? MD_IN_QUOTE : MD_IN_ITEM;
    }
    cairo_fill(cairo);
}

/* Black and round in the first list, then a ring, then a square. */
static void draw_bullet(cairo_t *cairo, uint32_t lists, double x, double y)
{
    grey(cairo, 0.15);
    if (lists % 3 == 0)
        cairo_rectangle(cairo, x - BULLET, y - BULLET, 2 * BULLET, 2 * BULLET);
    else
        cairo_arc(cairo, x, y, BULLET + 0.5, 0, 2 * M_PI);
    cairo_set_line_width(cairo, 1.2);
    if (lists % 3 == 2)
        cairo_stroke(cairo);
    else
        cairo_fill(cairo);
}

static void draw_task(cairo_t *cairo, bool done, double x, double y)
{
    grey(cairo, 0.35);
    cairo_set_line_width(cairo, 1.5);
    cairo_rectangle(cairo, x - BOX, y - BOX / 2.0, BOX, BOX);
    cairo_stroke(cairo);
    if (done) {
        cairo_set_line_width(cairo, 2.2);
        cairo_move_to(cairo, x - BOX + 3.5, y);
        cairo_line_to(cairo, x - BOX + 6.5, y + 3.5);
        cairo_line_to(cairo, x - 3.5, y - 4);
        cairo_stroke(cairo);
    }
}

static void draw_number(const struct on_page *p, double baseline)
{
    char text[16];
    PangoLayout *layout = pango_layout_new(p->set->context);
    int w;
    (void)snprintf(text, sizeof text, "%u.", p->block->number);
    pango_layout_set_font_description(layout, p->set->body);
    pango_layout_set_text(layout, text, -1);
    pango_layout_get_pixel_size(layout, &w, NULL);
    cairo_set_source_rgb(p->cairo, 0, 0, 0);
    cairo_move_to(p->cairo, p->x - w - MARKER_GAP + 2, baseline);
    pango_cairo_show_layout_line(p->cairo, pango_layout_get_line_readonly(layout, 0));
    g_object_unref(layout);
}

static void draw_marker(const struct on_page *p, double baseline)
{
    const struct md_block *b = p->block;
    double middle = baseline - 6.5;
    if (b->marker == MARKER_NUMBER)
        draw_number(p, baseline);
    else if (b->marker == MARKER_BULLET)
        draw_bullet(p->cairo, b->number, p->x - MARKER_GAP - BULLET, middle);
    else if (b->marker != MARKER_NONE)
        draw_task(p->cairo, b->marker == MARKER_DONE, p->x - MARKER_GAP + 2, middle);
}

static void to_line(struct on_page *p, uint32_t line)
{
    while (p->at < line && pango_layout_iter_next_line(p->iter))
        p->at++;
}

static void show_line(struct on_page *p, double x, double base)
{
    PangoLayoutLine *line = pango_layout_iter_get_line(p->iter);
    fonts_seat_marks(line);
    *p->missing += fonts_missing(line);
    p->base = base;
    cairo_move_to(p->cairo, x, base);
    pango_cairo_show_layout_line(p->cairo, line);
}

static void draw_line(struct on_page *p, uint32_t part, double y, double h)
{
    const struct md_block *b = p->block;
    bool code = b->kind == MD_CODE;
    PangoRectangle r;
    int top;
    to_line(p, part);
    pango_layout_iter_get_line_extents(p->iter, NULL, &r);
    pango_layout_iter_get_line_yrange(p->iter, &top, NULL);
    double pad = code ? MD_CODE_PAD : 0;
    double base = y + (part || b->joined ? 0 : pad) + (double)(pango_layout_iter_get_baseline(p->iter) - top) / PANGO_SCALE;
    if (code) {
        cairo_set_source_rgb(p->cairo, 0.955, 0.96, 0.967);
        cairo_rectangle(p->cairo, p->x, y, p->width + 2 * pad, ceil(h));
        cairo_fill(p->cairo);
    }
    if (!part)
        draw_marker(p, base);
    grey(p->cairo, b->quotes ? 0.2 : 0);
    show_line(p, p->x + pad + (double)r.x / PANGO_SCALE, base);
}

static void draw_rule(cairo_t *cairo, double x, double y, double w)
{
    grey(cairo, 0.8);
    cairo_rectangle(cairo, x, round(y), w, 2);
    cairo_fill(cairo);
}

/* The layout of a block, or of a row of one that is set loosely. */
static void begin_layout(struct on_page *p, PangoLayout *layout)
{
    p->layout = layout;
    p->iter = pango_layout_get_iter(layout);
    p->at = 0;
}

static void end_layout(struct on_page *p)
{
    if (p->iter)
        pango_layout_iter_free(p->iter);
    if (p->layout)
        g_object_unref(p->layout);
    p->iter = NULL;
    p->layout = NULL;
}

static void begin(struct on_page *p, const struct md_block *b, PangoLayout *kept, double column)
{
    end_layout(p);
    p->block = b;
    p->x = column + set_indent(b);
    p->width = set_width(p->set, b);
    if (b->kind != MD_TABLE && b->kind != MD_RULE)
        begin_layout(p, kept ? g_object_ref(kept) : set_text(p->set, b, p->width));
}

static void draw_loose(struct on_page *p, const struct slice *s, double y)
{
    PangoLayout *layout;
    int top;
    if (!p->layout || p->row != s->part) {
        end_layout(p);
        if (set_loose_row(p->set, p->block, s->part, p->width, &layout))
            return; /* it was there when it was measured */
        begin_layout(p, layout);
        p->row = s->part;
    }
    to_line(p, s->line);
    pango_layout_iter_get_line_yrange(p->iter, &top, NULL);
    cairo_set_source_rgb(p->cairo, 0, 0, 0);
    show_line(p, p->x, y + (double)(pango_layout_iter_get_baseline(p->iter) - top) / PANGO_SCALE);
}

static void draw_slice(struct on_page *p, const struct table *tables, const struct slice *s, bool last, double y)
{
    const struct md_block *b = p->block;
    if (b->kind == MD_TABLE && tables[b->table].loose) {
        draw_loose(p, s, y);
    } else if (b->kind == MD_TABLE) {
        p->base = table_row_draw(p->set, b, &tables[b->table], s, p->cairo, p->x, y, p->missing);
    } else if (b->kind == MD_RULE) {
        draw_rule(p->cairo, p->x, y + s->height / 2.0, p->width);
        p->base = y + s->height;
    } else {
        draw_line(p, s->part, y, s->height);
        if (last && b->kind == MD_HEADING && b->level <= 2)
            draw_rule(p->cairo, p->x, y + s->height - 2, p->width);
    }
}

/* The number of the source's line, small, beside the slice that was drawn. */
static void draw_source_line(const struct on_page *p, uint32_t line, double x)
{
    char text[16];
    int w;
    PangoLayout *layout = pango_layout_new(p->set->context);
    (void)snprintf(text, sizeof text, "%u", line);
    pango_layout_set_font_description(layout, p->set->small);
    pango_layout_set_text(layout, text, -1);
    pango_layout_get_pixel_size(layout, &w, NULL);
    grey(p->cairo, 0.62);
    cairo_move_to(p->cairo, x - w - NUMBER_GAP, p->base);
    pango_cairo_show_layout_line(p->cairo, pango_layout_get_line_readonly(layout, 0));
    g_object_unref(layout);
}

uint32_t flow_draw(const struct flow *f, const struct setter *s, size_t first, size_t after, cairo_t *cairo, double x, double y)
{
    uint32_t missing = 0;
    struct on_page p = {.set = s, .cairo = cairo, .missing = &missing};
    const struct md_block *before = NULL;
    for (size_t i = first; i < after; i++) {
        const struct slice *one = &f->slices[i];
        const struct md_block *b = &s->doc->blocks[one->block];
        double space = i > first ? one->space : 0;
        y += space;
        draw_bars(cairo, b, before, x, y, space, one->height);
        if (b != p.block)
            begin(&p, b, f->kept[one->block], x);
        draw_slice(&p, f->tables, one, i + 1 == after || f->slices[i + 1].block != one->block, y);
        if (one->begins && one->first)
            draw_source_line(&p, one->first, x);
        y += one->height;
        before = b;
    }
    end_layout(&p);
    return MIN(missing, LIMIT_GLYPHS);
}
