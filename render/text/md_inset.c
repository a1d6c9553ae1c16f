/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures within a document: see md_inset.h. The rows come from another worker by way of the host, so each number about them
 * is checked as if it were hostile. */
#include "md_inset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_PAD = 14, FRAME_HEIGHT = 44 };

static bool holds(const struct work_inset *i, uint64_t len)
{
    if (!i->w || !i->h || i->w > LIMIT_SIDE || i->h > LIMIT_SIDE || (uint64_t)i->w * i->h > LIMIT_PIXELS || i->at > len)
        return false;
    return (uint64_t)i->w * i->h * 4 <= len - i->at;
}

void insets_init(struct insets *in, const struct source *s, const struct md_doc *doc)
{
    uint64_t len = s->request ? s->request->other_len : 0;
    *in = (struct insets){.rows = s->other, .doc = doc};
    if (!s->other || len < doc->n_refs * sizeof *in->table)
        return;
    memcpy(in->table, s->other, doc->n_refs * sizeof *in->table);
    for (uint32_t i = 0; i < doc->n_refs; i++)
        if (!holds(&in->table[i], len))
            in->table[i] = (struct work_inset){0};
}

static const struct work_inset *shown(const struct insets *in, uint32_t image)
{
    uint32_t ref = in->doc->images[image].ref;
    return ref < in->doc->n_refs && in->table[ref].w ? &in->table[ref] : NULL;
}

/* What a frame says of an image that is not there. The caller unrefs it. */
static PangoLayout *words(const struct insets *in, uint32_t image)
{
    const struct md_image *m = &in->doc->images[image];
    char *text = g_strdup_printf("%.*s%s[image not shown]", (int)m->alt_len, m->alt_len ? in->doc->alts.data + m->alt : "",
                                 m->alt_len ? " " : "");
    PangoLayout *layout = pango_layout_new(in->context);
    pango_layout_set_font_description(layout, in->font);
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_MIDDLE);
    pango_layout_set_text(layout, text, -1);
    g_free(text);
    int width;
    pango_layout_get_size(layout, &width, NULL);
    double most = in->width - 2 * FRAME_PAD;
    pango_layout_set_width(layout, (int)(fmin((double)width / PANGO_SCALE + 1, most) * PANGO_SCALE));
    return layout;
}

static double asked_width(const struct insets *in, uint32_t image)
{
    const struct md_image *m = &in->doc->images[image];
    return m->percent ? in->width * m->width / 100 : m->width;
}

void inset_size(const struct insets *in, uint32_t image, double *ret_w, double *ret_h)
{
    const struct work_inset *i = shown(in, image);
    if (i) {
        double w = i->natural_w ? i->natural_w : i->w, h = i->natural_h ? i->natural_h : i->h;
        double asked = asked_width(in, image);
        if (asked > 0) {
            h *= asked / w;
            w = asked;
        }
        double f = fmin(fmin(in->width / w, in->height / h), 1);
        *ret_w = fmax(w * f, 1);
        *ret_h = fmax(h * f, 1);
        return;
    }
    PangoLayout *layout = words(in, image);
    int w;
    pango_layout_get_pixel_size(layout, &w, NULL);
    g_object_unref(layout);
    *ret_w = w + 2 * FRAME_PAD;
    *ret_h = FRAME_HEIGHT;
}

static uint32_t premultiplied(const uint8_t *px)
{
    uint32_t a = px[3], c[3];
    for (size_t i = 0; i < 3; i++)
        c[i] = (px[i] * a + 127) / 255;
    return a << 24 | c[0] << 16 | c[1] << 8 | c[2];
}

static cairo_surface_t *surface_of(const uint8_t *rows, const struct work_inset *i)
{
    cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)i->w, (int)i->h);
    unsigned char *data = cairo_image_surface_get_data(s);
    size_t stride = (size_t)cairo_image_surface_get_stride(s);
    for (uint32_t y = 0; data && y < i->h; y++)
        for (uint32_t x = 0; x < i->w; x++) {
            uint32_t px = premultiplied(rows + i->at + ((size_t)y * i->w + x) * 4);
            memcpy(data + y * stride + (size_t)x * 4, &px, sizeof px);
        }
    cairo_surface_mark_dirty(s);
    return s;
}

static void draw_frame(const struct insets *in, cairo_t *cairo, uint32_t image, double x, double y, double w, double h)
{
    PangoLayout *layout = words(in, image);
    int text_h;
    pango_layout_get_pixel_size(layout, NULL, &text_h);
    cairo_set_source_rgb(cairo, 0.96, 0.965, 0.97);
    cairo_rectangle(cairo, x + 0.5, y + 0.5, w - 1, h - 1);
    cairo_fill_preserve(cairo);
    cairo_set_source_rgb(cairo, 0.75, 0.77, 0.8);
    cairo_set_line_width(cairo, 1);
    cairo_stroke(cairo);
    cairo_set_source_rgb(cairo, 0.25, 0.28, 0.32);
    cairo_move_to(cairo, x + FRAME_PAD, y + (h - text_h) / 2);
    pango_cairo_show_layout(cairo, layout);
    g_object_unref(layout);
}

void inset_draw(const struct insets *in, cairo_t *cairo, uint32_t image)
{
    const struct work_inset *i = shown(in, image);
    double x, y, w, h;
    cairo_get_current_point(cairo, &x, &y);
    inset_size(in, image, &w, &h);
    y -= h;
    cairo_save(cairo);
    if (i) {
        cairo_surface_t *s = surface_of(in->rows, i);
        cairo_translate(cairo, x, y);
        cairo_scale(cairo, w / i->w, h / i->h);
        cairo_set_source_surface(cairo, s, 0, 0);
        cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD);
        cairo_paint(cairo);
        cairo_surface_destroy(s);
    } else {
        draw_frame(in, cairo, image, x, y, w, h);
    }
    cairo_restore(cairo);
}
