/* SPDX-License-Identifier: Apache-2.0 */
/* Setting blocks: see md_set.h. Looks become attributes, images shapes that pango_cairo asks us to draw. */
#include "md_set.h"

#include <math.h>
#include <stdlib.h>

enum { BODY_PX = 20, SMALL_PX = 13, CODE_COLUMN = 11 };

/* Sizes of headings, the largest first. */
static const double heading_px[6] = {34, 28, 24, 22, 20, 20};


/* The data of a shape is the number of its image and one: NULL is none. */
static void draw_shape(cairo_t *cairo, PangoAttrShape *shape, gboolean do_path, gpointer data)
{
    if (!do_path)
        inset_draw(data, cairo, (uint32_t)((uintptr_t)shape->data - 1));
}

/* As for the page that will be drawn at its own size: what is set before it is made stays good then. */
static void suit_paper(PangoContext *context)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    pango_cairo_update_context(cairo, context);
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
}

void setter_init(struct setter *s, const struct md_doc *doc, const struct insets *insets, double width, double height)
{
    *s = (struct setter){.doc = doc, .insets = insets, .context = fonts_context(), .width = width, .height = height};
    suit_paper(s->context);
    s->body = pango_font_description_from_string(FONTS_BODY);
    pango_font_description_set_absolute_size(s->body, BODY_PX * PANGO_SCALE);
    s->small = pango_font_description_from_string(FONTS_BODY);
    pango_font_description_set_absolute_size(s->small, SMALL_PX * PANGO_SCALE);
    s->mono = fonts_mono(s->context, CODE_COLUMN);
    zero_init(&s->zero, s->context, s->mono, CODE_COLUMN);
    pango_cairo_context_set_shape_renderer(s->context, draw_shape, (gpointer)(uintptr_t)insets, NULL);
}

void setter_done(struct setter *s)
{
    if (s->context)
        g_object_unref(s->context);
    pango_font_description_free(s->body);
    pango_font_description_free(s->mono);
    pango_font_description_free(s->small);
    *s = (struct setter){0};
}

double set_indent(const struct md_block *b)
{
    double x = 0;
    for (unsigned i = 0; i < b->depth; i++)
        x += b->quotes >> i & 1 ? MD_IN_QUOTE : MD_IN_ITEM;
    return x;
}

double set_width(const struct setter *s, const struct md_block *b)
{
    double pad = b->kind == MD_CODE ? 2 * MD_CODE_PAD : 0;
    return fmax(s->width - set_indent(b) - pad, 100);
}

static void add(PangoAttrList *list, PangoAttribute *a, uint32_t at, uint32_t len)
{
    a->start_index = at;
    a->end_index = at + len;
    pango_attr_list_insert(list, a);
}

static void add_image(const struct setter *s, PangoAttrList *list, uint32_t image, uint32_t at, uint32_t len)
{
    double w, h;
    inset_size(s->insets, image, &w, &h);
    PangoRectangle r = {0, (int)(-h * PANGO_SCALE), (int)(w * PANGO_SCALE), (int)(h * PANGO_SCALE)};
    add(list, pango_attr_shape_new_with_data(&r, &r, (gpointer)(uintptr_t)(image + 1), NULL, NULL), at, len);
}

static void add_code(const struct setter *s, PangoAttrList *list, uint32_t at, uint32_t len)
{
    add(list, pango_attr_family_new(FONTS_MONO), at, len);
    add(list, pango_attr_size_new_absolute(pango_font_description_get_size(s->mono)), at, len);
    add(list, pango_attr_background_new(0xeeee, 0xf0f0, 0xf3f3), at, len);
}

static void add_look(const struct setter *s, PangoAttrList *list, const struct md_run *r, uint32_t at, bool code_block)
{
    if (r->look & LOOK_IMAGE)
        add_image(s, list, r->image, at, r->len);
    if (r->look & LOOK_BOLD)
        add(list, pango_attr_weight_new(PANGO_WEIGHT_BOLD), at, r->len);
    if (r->look & LOOK_ITALIC)
        add(list, pango_attr_style_new(PANGO_STYLE_ITALIC), at, r->len);
    if (r->look & LOOK_STRUCK)
        add(list, pango_attr_strikethrough_new(TRUE), at, r->len);
    if (r->look & LOOK_CODE && !code_block)
        add_code(s, list, at, r->len);
    if (r->look & LOOK_LINK) {
        add(list, pango_attr_underline_new(PANGO_UNDERLINE_SINGLE), at, r->len);
        add(list, pango_attr_foreground_new(0x0909, 0x4b4b, 0xb5b5), at, r->len);
    }
}

static void add_looks(const struct setter *s, PangoAttrList *list, const struct md_block *b, uint32_t shift)
{
    for (uint32_t i = 0; i < b->runs; i++) {
        const struct md_run *r = &s->doc->runs[b->run + i];
        if (r->look)
            add_look(s, list, r, shift + r->at - b->at, b->kind == MD_CODE);
    }
}

static PangoLayout *new_layout(const struct setter *s, const struct md_block *b, double width)
{
    PangoLayout *layout = pango_layout_new(s->context);
    pango_layout_set_font_description(layout, b->kind == MD_CODE ? s->mono : s->body);
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_spacing(layout, (b->kind == MD_CODE ? MD_LINE_GAP / 2 : MD_LINE_GAP) * PANGO_SCALE);
    if (width > 0)
        pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
    if (b->kind == MD_CELL && width > 0)
        pango_layout_set_alignment(layout, b->align == ALIGN_CENTRE ? PANGO_ALIGN_CENTER
                                           : b->align == ALIGN_RIGHT ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT);
    return layout;
}

static void set_tabs(PangoLayout *layout)
{
    PangoTabArray *tabs = pango_tab_array_new_with_positions(1, TRUE, PANGO_TAB_LEFT, TAB_COLUMNS * CODE_COLUMN);
    pango_layout_set_tabs(layout, tabs);
    pango_tab_array_free(tabs);
}

/* A last line end is no empty line; of code, only the last one. */
static uint32_t text_len(const struct setter *s, const struct md_block *b)
{
    uint32_t len = b->len;
    while (len && s->doc->text.data[b->at + len - 1] == '\n') {
        len--;
        if (b->kind == MD_CODE)
            break;
    }
    return len;
}

PangoLayout *set_text(const struct setter *s, const struct md_block *b, double width)
{
    PangoLayout *layout = new_layout(s, b, width);
    PangoAttrList *list = pango_attr_list_new();
    uint32_t len = text_len(s, b);
    if (b->kind == MD_CODE)
        set_tabs(layout);
    pango_layout_set_text(layout, len ? s->doc->text.data + b->at : "", (int)len);
    if (b->kind == MD_HEADING) {
        add(list, pango_attr_weight_new(PANGO_WEIGHT_BOLD), 0, b->len);
        add(list, pango_attr_size_new_absolute((int)(heading_px[b->level - 1] * PANGO_SCALE)), 0, b->len);
    }
    add_looks(s, list, b, 0);
    if (b->kind == MD_CODE && len)
        zero_mark(&s->zero, list, s->doc->text.data + b->at, len, 0);
    pango_layout_set_attributes(layout, list);
    pango_attr_list_unref(list);
    return layout;
}

int set_loose_row(const struct setter *s, const struct md_block *table, uint32_t row, double width, PangoLayout **ret)
{
    auto_buf text = BUF_INIT(LIMIT_MARKDOWN_LOOSE);
    PangoAttrList *list = pango_attr_list_new();
    for (uint64_t i = (uint64_t)row * table->columns; i < ((uint64_t)row + 1) * table->columns && i < table->cells; i++) {
        const struct md_block *cell = &s->doc->cells[table->cell + i];
        if (text.len)
            (void)buf_add_str(&text, " | ");
        add_looks(s, list, cell, (uint32_t)text.len);
        if (cell->len)
            (void)buf_add(&text, s->doc->text.data + cell->at, cell->len);
    }
    if (!text.error) {
        *ret = new_layout(s, table, width);
        pango_layout_set_text(*ret, text.data ? text.data : "", (int)text.len);
        pango_layout_set_attributes(*ret, list);
    }
    pango_attr_list_unref(list);
    return text.error;
}
