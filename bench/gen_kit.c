/* SPDX-License-Identifier: Apache-2.0 */
/* The drawing kit: a thin layer over cairo, and the way from its surface to a raster. Grey antialiasing and no hinting,
 * so that a picture does not depend on the settings of the machine that makes it. */
#include "gen.h"

#include <err.h>
#include <math.h>

#include "base/cleanup.h"

static const struct {
    const char *family;
    cairo_font_weight_t weight;
} faces[] = {
    [SANS] = {"DejaVu Sans", CAIRO_FONT_WEIGHT_NORMAL},     [SANS_BOLD] = {"DejaVu Sans", CAIRO_FONT_WEIGHT_BOLD},
    [MONO] = {"DejaVu Sans Mono", CAIRO_FONT_WEIGHT_NORMAL}, [MONO_BOLD] = {"DejaVu Sans Mono", CAIRO_FONT_WEIGHT_BOLD},
    [SERIF] = {"DejaVu Serif", CAIRO_FONT_WEIGHT_NORMAL},   [SERIF_BOLD] = {"DejaVu Serif", CAIRO_FONT_WEIGHT_BOLD},
};

void raster_init(struct raster *r, uint32_t w, uint32_t h, unsigned channels)
{
    *r = (struct raster){w, h, channels, calloc((size_t)w * h, channels)};
    if (!r->px)
        errx(1, "out of memory");
}

void raster_done(struct raster *r)
{
    free(r->px);
    r->px = NULL;
}

void ink_alpha(struct scene *s, uint32_t rgb, double alpha)
{
    cairo_set_source_rgba(s->cr, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, alpha);
}

void ink(struct scene *s, uint32_t rgb)
{
    ink_alpha(s, rgb, 1);
}

void box(struct scene *s, double x, double y, double w, double h, uint32_t rgb)
{
    ink(s, rgb);
    cairo_rectangle(s->cr, x, y, w, h);
    cairo_fill(s->cr);
}

void round_box(struct scene *s, double x, double y, double w, double h, double radius, uint32_t rgb)
{
    ink(s, rgb);
    cairo_new_sub_path(s->cr);
    cairo_arc(s->cr, x + w - radius, y + radius, radius, -M_PI / 2, 0);
    cairo_arc(s->cr, x + w - radius, y + h - radius, radius, 0, M_PI / 2);
    cairo_arc(s->cr, x + radius, y + h - radius, radius, M_PI / 2, M_PI);
    cairo_arc(s->cr, x + radius, y + radius, radius, M_PI, 1.5 * M_PI);
    cairo_close_path(s->cr);
    cairo_fill(s->cr);
}

void line(struct scene *s, double x0, double y0, double x1, double y1, double width, uint32_t rgb)
{
    ink(s, rgb);
    cairo_set_line_width(s->cr, width);
    cairo_move_to(s->cr, x0, y0);
    cairo_line_to(s->cr, x1, y1);
    cairo_stroke(s->cr);
}

static void set_face(struct scene *s, enum face face, double size)
{
    cairo_select_font_face(s->cr, faces[face].family, CAIRO_FONT_SLANT_NORMAL, faces[face].weight);
    cairo_set_font_size(s->cr, size);
}

double text_width(struct scene *s, enum face face, double size, const char *words)
{
    cairo_text_extents_t extents;
    set_face(s, face, size);
    cairo_text_extents(s->cr, words, &extents);
    return extents.x_advance;
}

void text(struct scene *s, double x, double y, enum face face, double size, uint32_t rgb, const char *words)
{
    set_face(s, face, size);
    ink(s, rgb);
    cairo_move_to(s->cr, x, y);
    cairo_show_text(s->cr, words);
    if (s->truth)
        fprintf(s->truth, "%s\n", words);
}

void text_right(struct scene *s, double x, double y, enum face face, double size, uint32_t rgb, const char *words)
{
    text(s, x - text_width(s, face, size, words), y, face, size, rgb, words);
}

void text_middle(struct scene *s, double x, double y, enum face face, double size, uint32_t rgb, const char *words)
{
    text(s, x - text_width(s, face, size, words) / 2, y, face, size, rgb, words);
}

static cairo_t *context_new(cairo_surface_t *surface, double scale)
{
    cairo_t *cr = cairo_create(surface);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    cairo_scale(cr, scale, scale);
    return cr;
}

bool fonts_present(void)
{
    static const double wide[] = {[SANS] = 974.1, [SANS_BOLD] = 1042.0, [MONO] = 602.1, [SERIF] = 948.2};
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
    struct scene s = {.cr = context_new(surface, 1)};
    bool present = true;
    for (size_t i = 0; i < COUNT(wide); i++)
        present = present && (wide[i] <= 0 || fabs(text_width(&s, (enum face)i, 1000, "m") - wide[i]) < 1);
    cairo_destroy(s.cr);
    cairo_surface_destroy(surface);
    return present;
}

/* cairo keeps premultiplied pixels in machine order. */
static void copy_row(const uint32_t *from, uint8_t *to, uint32_t w, unsigned channels)
{
    for (uint32_t x = 0; x < w; x++, to += channels) {
        uint32_t p = from[x], a = channels == 4 ? p >> 24 : 255;
        for (unsigned c = 0; c < 3; c++) {
            uint32_t v = p >> (16 - 8 * c) & 255;
            to[c] = (uint8_t)(a == 255 || !a ? v : (v * 255 + a / 2) / a);
        }
        if (channels == 4)
            to[3] = (uint8_t)a;
    }
}

void paint(paint_fn *fn, const struct scene *like, uint32_t w, uint32_t h, double scale, unsigned frames, bool alpha,
           struct raster *ret)
{
    raster_init(ret, w, h * frames, alpha ? 4 : 3);
    for (unsigned i = 0; i < frames; i++) {
        cairo_surface_t *surface =
            cairo_image_surface_create(alpha ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24, (int)w, (int)h);
        struct scene s = *like;
        s.cr = context_new(surface, scale);
        s.w = w / scale;
        s.h = h / scale;
        s.frame = i;
        fn(&s);
        if (cairo_status(s.cr))
            errx(1, "cairo: %s", cairo_status_to_string(cairo_status(s.cr)));
        cairo_destroy(s.cr);
        cairo_surface_flush(surface);
        const uint8_t *data = cairo_image_surface_get_data(surface);
        size_t stride = (size_t)cairo_image_surface_get_stride(surface);
        for (uint32_t y = 0; y < h; y++)
            copy_row((const uint32_t *)(const void *)(data + y * stride),
                     ret->px + ((size_t)i * h + y) * w * ret->channels, w, ret->channels);
        cairo_surface_destroy(surface);
    }
}
