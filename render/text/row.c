/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row is drawn in pieces: letters of one column in one, those of two in another, which is spread so that what follows
 * stands in its column whatever font the wide ones came from. A row with letters that run from right to left, or that a
 * font must shape, is one piece: there is no grid for these.
 */
#include "row.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "fonts.h"

enum { DOTTED_CIRCLE = 0x25cc };

static void mark_zeros(struct row_pen *pen, const char *words, size_t len)
{
    PangoAttrList *list = pango_attr_list_new();
    zero_mark(&pen->zero, list, words, len, 0);
    pango_layout_set_attributes(pen->layout, list);
    pango_attr_list_unref(list);
}

/* seated: marks are put onto the letters before them where their font does not do it. */
static void show_words(struct row_pen *pen, const char *words, size_t len, bool seated, double x, double y)
{
    bool zeros = pen->zero.there && memchr(words, '0', len);
    if (zeros)
        mark_zeros(pen, words, len);
    pango_layout_set_text(pen->layout, words, (int)len);
    PangoLayoutLine *line = seated ? pango_layout_get_line(pen->layout, 0) : pango_layout_get_line_readonly(pen->layout, 0);
    if (seated)
        fonts_seat_marks(line);
    pen->missing += fonts_missing(line);
    cairo_move_to(pen->cairo, x, y);
    pango_cairo_show_layout_line(pen->cairo, line);
    if (zeros)
        pango_layout_set_attributes(pen->layout, NULL);
}

void row_words(struct row_pen *pen, const char *words, size_t len, double x, double y)
{
    show_words(pen, words, len, false, x, y);
}

/* A piece of a row, as it is shown. */
struct piece {
    struct buf text;
    unsigned first, columns;
    unsigned wide; /* letters of two columns; all are, or none */
    bool marked; /* characters that are not shown as they are */
    bool joined; /* there are combining characters among them */
};

static void spread(struct row_pen *pen, const struct piece *p)
{
    int width;
    pango_layout_set_text(pen->layout, p->text.data, (int)p->text.len);
    pango_layout_get_size(pen->layout, &width, NULL);
    double gap = p->columns * pen->column * PANGO_SCALE - width;
    PangoAttrList *list = pango_attr_list_new();
    pango_attr_list_insert(list, pango_attr_letter_spacing_new((int)lrint(gap / p->wide)));
    pango_layout_set_attributes(pen->layout, list);
    pango_attr_list_unref(list);
}

/* A letter and its accent as one character, where there is one: the accent alone may come from another font, beside it. */
static void compose(struct piece *p)
{
    char *composed = p->text.error ? NULL : g_utf8_normalize(p->text.data, (gssize)p->text.len, G_NORMALIZE_DEFAULT_COMPOSE);
    if (!composed)
        return;
    p->text.len = 0;
    (void)buf_add_str(&p->text, composed);
    g_free(composed);
}

static void draw_piece(struct row_pen *pen, struct piece *p, double x, double y)
{
    if (p->joined)
        compose(p);
    pen->failed |= p->text.error != 0;
    if (p->text.len && !p->text.error) {
        if (p->wide)
            spread(pen, p);
        cairo_set_source_rgb(pen->cairo, p->marked ? 0.72 : 0, 0, 0);
        show_words(pen, p->text.data, p->text.len, p->joined, x + p->first * pen->column, y);
        if (p->wide)
            pango_layout_set_attributes(pen->layout, NULL);
    }
    p->first += p->columns;
    p->columns = p->wide = 0;
    p->joined = false;
    p->text.len = 0;
}

static void add_cell(struct piece *p, const struct cell *k)
{
    if (k->mark == MARK_PILED)
        (void)buf_add_char(&p->text, DOTTED_CIRCLE);
    if (k->mark == MARK_CARET)
        (void)buf_add_str(&p->text, "^");
    if (k->mark == MARK_HEX)
        (void)buf_add_format(&p->text, "<%04X>", k->c);
    else if (k->mark == MARK_TAB)
        (void)buf_add(&p->text, "        ", k->columns);
    else
        (void)buf_add_char(&p->text, k->c);
    p->columns += k->columns;
    p->joined |= !k->columns || k->mark == MARK_PILED;
    p->wide += k->columns == 2 && k->mark == MARK_PLAIN;
}

static bool is_wide(const struct cell *k)
{
    return k->columns == 2 && k->mark == MARK_PLAIN;
}

static bool is_marked(const struct cell *k)
{
    return k->mark == MARK_HEX || k->mark == MARK_CARET;
}

/* Scripts whose letters join, are reordered, or run from right to left. */
static bool needs_shaping(struct span row)
{
    for (size_t i = 0; i < row.len;) {
        uint32_t c;
        size_t n = utf8_decode((const char *)row.at + i, row.len - i, &c);
        if ((c >= 0x590 && c < 0x1100) || (c >= 0x1700 && c < 0x1900) || (c >= 0xfb1d && c < 0xfe00) ||
            (c >= 0xfe70 && c < 0xff00) || (c >= 0x10800 && c < 0x11fff))
            return true;
        i += n ? n : 1;
    }
    return false;
}

void row_draw(struct row_pen *pen, struct span row, double x, double y)
{
    struct pen at = {0};
    bool whole = needs_shaping(row), wide = false, marked = false;
    struct piece p = {.text = BUF_INIT(LIMIT_TEXT_ROW)};
    for (size_t i = 0; i < row.len && at.column < pen->columns;) {
        struct cell k = cell_next((struct span){row.at + i, row.len - i}, &at);
        bool joins = !k.columns && k.mark == MARK_PLAIN;
        if (!whole && !joins && (is_wide(&k) != wide || is_marked(&k) != marked))
            draw_piece(pen, &p, x, y);
        wide = joins ? wide : is_wide(&k);
        p.marked = marked = joins ? marked : is_marked(&k);
        add_cell(&p, &k);
        i += k.bytes;
    }
    if (whole)
        p.wide = 0, p.marked = false;
    draw_piece(pen, &p, x, y);
    buf_done(&p.text);
}
