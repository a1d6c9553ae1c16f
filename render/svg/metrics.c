/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the height of a line, Pango asks each font for its metrics. Its own answer also says how wide letters are on average, and to
 * know that it sets a sample text in a font of another size: that font is looked up and loaded for nothing. Nobody asks for
 * averages in an SVG, and a drawing has its own sizes, so that none of this can be done before it comes. For a chart with two sizes
 * of letters it was a third of all drawing.
 */
#include "svg.h"

#include <hb-ot.h>
#include <math.h>
#include <pango/pangocairo.h>

struct measured {
    hb_font_t *font;
    double scale; /* of what it is drawn with: metrics are in the units of the text */
};

static int of_text(const struct measured *m, int position)
{
    return (int)(position / m->scale);
}

static int position_or(const struct measured *m, hb_ot_metrics_tag_t tag, int otherwise)
{
    hb_position_t position = 0;
    return of_text(m, hb_ot_metrics_get_position(m->font, tag, &position) && position ? position : otherwise);
}

/* How much higher letters are drawn than they are set. */
static double height_scale(cairo_scaled_font_t *font)
{
    cairo_matrix_t m;
    cairo_scaled_font_get_ctm(font, &m);
    double along = hypot(m.xx, m.yx);
    return along > 0 ? fabs(m.xx * m.yy - m.xy * m.yx) / along : 0;
}

/* Lines that run down the page are measured from their middle. */
static bool is_upright(PangoFont *font)
{
    PangoFontDescription *d = pango_font_describe(font);
    bool upright = pango_font_description_get_gravity(d) == PANGO_GRAVITY_SOUTH;
    pango_font_description_free(d);
    return upright;
}

/* Settings may stretch or slant a font, or round its height, and bitmaps of emoji have another: then cairo has not what HarfBuzz has,
 * or Pango does it twice. */
static bool is_as_set(cairo_scaled_font_t *font, const hb_font_extents_t *e)
{
    cairo_font_extents_t drawn;
    cairo_matrix_t set;
    cairo_scaled_font_get_font_matrix(font, &set);
    if (set.xx != set.yy || set.xy != 0 || set.yx != 0)
        return false;
    cairo_scaled_font_extents(font, &drawn);
    double height = (double)(e->ascender - e->descender) / PANGO_SCALE;
    return fabs(drawn.ascent + drawn.descent - height) < height / 1000 + 2.0 / PANGO_SCALE;
}

static PangoFontMetrics *(*usual)(PangoFont *, PangoLanguage *);

/* As Pango has them, but for the averages. */
static PangoFontMetrics *line_metrics(PangoFont *font, PangoLanguage *language)
{
    cairo_scaled_font_t *scaled = pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(font));
    struct measured f = {pango_font_get_hb_font(font), scaled ? height_scale(scaled) : 0};
    hb_font_extents_t e = {0};
    hb_font_get_extents_for_direction(f.font, HB_DIRECTION_LTR, &e);
    if (!(f.scale > 0) || !is_upright(font) || !is_as_set(scaled, &e))
        return usual(font, language);
    PangoFontMetrics *m = g_slice_new0(PangoFontMetrics); /* which its unref gives back */
    m->ref_count = 1;
    m->ascent = of_text(&f, e.ascender);
    m->descent = of_text(&f, -e.descender);
    m->height = of_text(&f, e.ascender - e.descender + e.line_gap);
    m->underline_position = position_or(&f, HB_OT_METRICS_TAG_UNDERLINE_OFFSET, -PANGO_SCALE);
    m->underline_thickness = position_or(&f, HB_OT_METRICS_TAG_UNDERLINE_SIZE, PANGO_SCALE);
    m->strikethrough_position = position_or(&f, HB_OT_METRICS_TAG_STRIKEOUT_OFFSET, e.ascender / 2);
    m->strikethrough_thickness = position_or(&f, HB_OT_METRICS_TAG_STRIKEOUT_SIZE, PANGO_SCALE);
    return m;
}

void svg_spare_metrics(void)
{
    GType type = g_type_from_name("PangoCairoFcFont");
    PangoFontClass *class = type ? g_type_class_peek(type) : NULL;
    if (!class || usual)
        return;
    usual = class->get_metrics;
    class->get_metrics = line_metrics;
}
