/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables. Each column gets what its longest cell needs while that fits; else those that need little get it and the others
 * share the rest. A table that cannot be had in this way (too many columns, a row higher than a page) is set loosely: all of its
 * text, and no grid. A cell is set once to measure it, and again only where it must be wrapped.
 */
#include "md_page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { COLUMN_LEAST = 64 };

static uint32_t rows_of(const struct md_block *b)
{
    return b->columns ? (b->cells + b->columns - 1) / b->columns : 0;
}

static const struct md_block *cell_at(const struct setter *s, const struct md_block *b, uint32_t row, uint32_t column)
{
    uint64_t i = (uint64_t)row * b->columns + column;
    return i < b->cells ? &s->doc->cells[b->cell + i] : NULL;
}

/* What a cell needs in one line, and then its height. */
struct need {
    float w, h;
};

/* A table in the making. */
struct plan {
    const struct setter *s;
    const struct md_block *b;
    struct table *t;
    struct need *needs; /* of all cells */
    float *heights;     /* of all rows */
};

static void done_plan(struct plan *p)
{
    free(p->needs);
    free(p->heights);
}

static double inner(const struct table *t, uint32_t column)
{
    return t->widths[column] - 2 * MD_CELL_PAD_X;
}

static struct need need_of(const struct setter *s, const struct md_block *cell, double width)
{
    PangoLayout *layout = set_text(s, cell, width);
    int w, h;
    pango_layout_get_pixel_size(layout, &w, &h);
    g_object_unref(layout);
    return (struct need){(float)w, (float)h};
}

/* Cells of more bytes than the column has pixels are not measured: they are as wide as it is. */
static void take_needs(struct plan *p, double most)
{
    for (uint32_t i = 0; i < p->b->cells; i++) {
        const struct md_block *cell = &p->s->doc->cells[p->b->cell + i];
        double *width = &p->t->widths[i % p->b->columns];
        p->needs[i] = cell->len > most ? (struct need){INFINITY, 0} : need_of(p->s, cell, 0);
        *width = fmax(*width, fmin(p->needs[i].w + 2 * MD_CELL_PAD_X + 2, most));
    }
}

/* From the narrowest on, each column that needs less than its share gets what it needs. */
static void share(struct table *t, uint32_t columns, double room)
{
    bool settled[TABLE_COLUMNS] = {false};
    uint32_t left = columns;
    for (bool again = true; again && left;) {
        double part = room / left;
        again = false;
        for (uint32_t i = 0; i < columns; i++)
            if (!settled[i] && t->widths[i] <= part) {
                settled[i] = again = true;
                room -= t->widths[i];
                left--;
            }
    }
    for (uint32_t i = 0; i < columns; i++)
        if (!settled[i])
            t->widths[i] = room / left;
    for (uint32_t i = 0; i < columns; i++)
        t->loose |= !settled[i] && t->widths[i] < COLUMN_LEAST;
}

/* Only cells that are wrapped are set again. */
static void take_heights(struct plan *p)
{
    for (uint32_t i = 0; i < p->b->cells && !p->t->loose; i++) {
        double width = inner(p->t, i % p->b->columns);
        float h = p->needs[i].w <= width ? p->needs[i].h : need_of(p->s, &p->s->doc->cells[p->b->cell + i], width).h;
        float *row = &p->heights[i / p->b->columns];
        *row = fmaxf(*row, h + 2 * MD_CELL_PAD_Y);
        p->t->loose |= *row > p->s->height;
    }
}

static int plan_table(struct plan *p)
{
    p->t->loose = !p->b->columns || p->b->columns > TABLE_COLUMNS;
    if (p->t->loose)
        return 0;
    p->needs = calloc(MAX(p->b->cells, 1u), sizeof *p->needs);
    p->heights = calloc(MAX(rows_of(p->b), 1u), sizeof *p->heights);
    if (!p->needs || !p->heights)
        return -ENOMEM;
    double room = set_width(p->s, p->b);
    take_needs(p, room);
    share(p->t, p->b->columns, room);
    take_heights(p);
    return 0;
}

static void number_row(const struct plan *p, uint32_t row, struct slice *one)
{
    one->begins = true;
    for (uint32_t i = 0; i < p->b->columns; i++) {
        const struct md_block *cell = cell_at(p->s, p->b, row, i);
        if (cell && cell->first_line) {
            one->first = one->first ? MIN(one->first, cell->first_line) : cell->first_line;
            one->last = MAX(one->last, cell->last_line);
        }
    }
}

/* A row that is set loosely may be higher than a page: each of its lines is a slice. */
static int add_loose(const struct plan *p, struct slice one, struct flow *f)
{
    PangoLayout *layout;
    int e = set_loose_row(p->s, p->b, one.part, set_width(p->s, p->b), &layout);
    if (e)
        return e;
    int n = pango_layout_get_line_count(layout);
    PangoLayoutIter *iter = pango_layout_get_iter(layout);
    for (int i = 0; i < n && !e; i++) {
        int top, bottom;
        pango_layout_iter_get_line_yrange(iter, &top, &bottom);
        one.line = (uint32_t)i;
        one.height = (float)(bottom - top) / PANGO_SCALE + (i == n - 1 ? MD_CELL_PAD_Y : 0);
        e = flow_add(f, one);
        one.space = 0;
        one.begins = false;
        (void)pango_layout_iter_next_line(iter);
    }
    pango_layout_iter_free(iter);
    g_object_unref(layout);
    f->widest = p->s->width;
    return e;
}

int table_measure(const struct setter *s, uint32_t index, float space, struct flow *f)
{
    const struct md_block *b = &s->doc->blocks[index];
    cleanup(done_plan) struct plan p = {s, b, &f->tables[b->table], NULL, NULL};
    double width = set_indent(b) + 2;
    int e = plan_table(&p);
    for (uint32_t i = 0; i < b->columns && i < TABLE_COLUMNS; i++)
        width += p.t->widths[i];
    f->widest = fmax(f->widest, width);
    for (uint32_t row = 0; row < rows_of(b) && !e; row++) {
        struct slice one = {.block = index, .part = row, .space = row ? 0 : space, .keep = row == 0};
        number_row(&p, row, &one);
        if (!p.t->loose)
            one.height = p.heights[row];
        e = p.t->loose ? add_loose(&p, one, f) : flow_add(f, one);
    }
    return e;
}

static void draw_layout(cairo_t *cairo, PangoLayout *layout, double x, double y)
{
    cairo_set_source_rgb(cairo, 0, 0, 0);
    cairo_move_to(cairo, x, y);
    pango_cairo_show_layout(cairo, layout);
    g_object_unref(layout);
}

static void draw_box(cairo_t *cairo, bool head, double x, double y, double w, double h)
{
    cairo_rectangle(cairo, x + 0.5, y + 0.5, w, h);
    if (head) {
        cairo_set_source_rgb(cairo, 0.95, 0.955, 0.965);
        cairo_fill_preserve(cairo);
    }
    cairo_set_source_rgb(cairo, 0.76, 0.78, 0.81);
    cairo_set_line_width(cairo, 1);
    cairo_stroke(cairo);
}

double table_row_draw(const struct setter *s, const struct md_block *b, const struct table *t, const struct slice *row,
                      cairo_t *cairo, double x, double y, uint32_t *missing)
{
    double base = y;
    for (uint32_t i = 0; i < b->columns; i++) {
        const struct md_block *cell = cell_at(s, b, row->part, i);
        draw_box(cairo, cell && cell->head, x, y, t->widths[i], row->height);
        if (cell) {
            PangoLayout *layout = set_text(s, cell, inner(t, i));
            base = y + MD_CELL_PAD_Y + (double)pango_layout_get_baseline(layout) / PANGO_SCALE;
            *missing += (uint32_t)pango_layout_get_unknown_glyphs_count(layout);
            draw_layout(cairo, layout, x + MD_CELL_PAD_X, y + MD_CELL_PAD_Y);
        }
        x += t->widths[i];
    }
    return base;
}
