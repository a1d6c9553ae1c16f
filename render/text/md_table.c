/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables. Each column gets what its longest cell needs while that fits; else those that need little get it and the others
 * share the rest. A table that cannot be had in this way (too many columns, a row higher than a page) is set loosely: all of its
 * text, and no grid.
 */
#include "md_page.h"

#include <math.h>

enum { COLUMN_LEAST = 64 };

uint32_t table_rows(const struct md_block *b)
{
    return b->columns ? (b->cells + b->columns - 1) / b->columns : 0;
}

static const struct md_block *cell_at(const struct setter *s, const struct md_block *b, uint32_t row, uint32_t column)
{
    uint64_t i = (uint64_t)row * b->columns + column;
    return i < b->cells ? &s->doc->cells[b->cell + i] : NULL;
}

static double natural_width(const struct setter *s, const struct md_block *cell)
{
    PangoLayout *layout = set_text(s, cell, 0);
    int w;
    pango_layout_get_pixel_size(layout, &w, NULL);
    g_object_unref(layout);
    return w + 2 * MD_CELL_PAD_X + 2;
}

/* Cells longer than the column are not measured: they are as wide as it is. */
static void natural_widths(const struct setter *s, const struct md_block *b, double most, struct table *t)
{
    for (uint32_t row = 0; row < table_rows(b); row++)
        for (uint32_t i = 0; i < b->columns; i++) {
            const struct md_block *cell = cell_at(s, b, row, i);
            if (cell && t->widths[i] < most)
                t->widths[i] = fmax(t->widths[i], cell->len > most ? most : fmin(natural_width(s, cell), most));
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

void table_plan(const struct setter *s, const struct md_block *b, struct table *ret)
{
    *ret = (struct table){.loose = !b->columns || b->columns > TABLE_COLUMNS};
    if (ret->loose)
        return;
    double room = set_width(s, b);
    natural_widths(s, b, room, ret);
    share(ret, b->columns, room);
    for (uint32_t row = 0; !ret->loose && row < table_rows(b); row++)
        if (table_row_height(s, b, ret, row) > s->height)
            ret->loose = true;
}

static double inner(const struct table *t, uint32_t column)
{
    return t->widths[column] - 2 * MD_CELL_PAD_X;
}

static double loose_height(const struct setter *s, const struct md_block *b, uint32_t row)
{
    PangoLayout *layout = set_loose_row(s, b, row, set_width(s, b));
    int h;
    pango_layout_get_pixel_size(layout, NULL, &h);
    g_object_unref(layout);
    return fmin(h + MD_CELL_PAD_Y, s->height);
}

double table_row_height(const struct setter *s, const struct md_block *b, const struct table *t, uint32_t row)
{
    int highest = 0;
    if (t->loose)
        return loose_height(s, b, row);
    for (uint32_t i = 0; i < b->columns; i++) {
        const struct md_block *cell = cell_at(s, b, row, i);
        int h = 0;
        if (!cell)
            continue;
        PangoLayout *layout = set_text(s, cell, inner(t, i));
        pango_layout_get_pixel_size(layout, NULL, &h);
        g_object_unref(layout);
        highest = h > highest ? h : highest;
    }
    return highest + 2 * MD_CELL_PAD_Y;
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

void table_row_draw(const struct setter *s, const struct md_block *b, const struct table *t, uint32_t row, cairo_t *cairo,
                    double x, double y)
{
    if (t->loose) {
        draw_layout(cairo, set_loose_row(s, b, row, set_width(s, b)), x, y);
        return;
    }
    double h = table_row_height(s, b, t, row);
    for (uint32_t i = 0; i < b->columns; i++) {
        const struct md_block *cell = cell_at(s, b, row, i);
        draw_box(cairo, cell && cell->head, x, y, t->widths[i], h);
        if (cell)
            draw_layout(cairo, set_text(s, cell, inner(t, i)), x + MD_CELL_PAD_X, y + MD_CELL_PAD_Y);
        x += t->widths[i];
    }
}
