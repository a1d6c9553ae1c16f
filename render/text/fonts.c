/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fonts: see fonts.h. The size of code is given by its column: cairo puts letters on whole pixels, so a column that is a
 * whole number of them keeps letters evenly spaced.
 */
#include "fonts.h"

#include <stdbool.h>

#include "fontset.h"

/* GLib's own way of saying what is wrong looks for a journal, by calls that the jail does not know. */
static GLogWriterOutput say_nothing(GLogLevelFlags level, const GLogField *fields, gsize n, gpointer data)
{
    (void)level;
    (void)fields;
    (void)n;
    (void)data;
    return G_LOG_WRITER_HANDLED;
}

void fonts_prepare(const char **readable)
{
    g_log_set_writer_func(say_nothing, NULL, NULL);
    (void)fontset_name(readable, 0);
}

PangoContext *fonts_context(void)
{
    fontset_ready();
    PangoFontMap *map = pango_cairo_font_map_get_default();
    PangoContext *context = pango_font_map_create_context(map);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(context, options);
    cairo_font_options_destroy(options);
    pango_cairo_context_set_resolution(context, 96);
    pango_context_set_round_glyph_positions(context, FALSE);
    return context;
}

enum { MOST_TOLD = 32 }; /* times */

void fonts_scale(PangoContext *context, cairo_t *cairo)
{
    cairo_matrix_t m;
    cairo_get_matrix(cairo, &m);
    if (m.xx <= MOST_TOLD && m.yy <= MOST_TOLD)
        pango_cairo_update_context(cairo, context);
}

/* Of a letter, in units of the font's size. */
static double column_of(PangoContext *context, PangoFontDescription *font)
{
    enum { SIZE = 1000, LETTERS = 10 };
    PangoLayout *layout = pango_layout_new(context);
    int width;
    pango_font_description_set_absolute_size(font, SIZE * PANGO_SCALE);
    pango_layout_set_font_description(layout, font);
    pango_layout_set_text(layout, "0123456789", LETTERS);
    pango_layout_get_size(layout, &width, NULL);
    g_object_unref(layout);
    double share = (double)width / PANGO_SCALE / SIZE / LETTERS;
    return share > 0.1 && share < 2 ? share : 0.6;
}

PangoFontDescription *fonts_mono(PangoContext *context, double column)
{
    PangoFontDescription *font = pango_font_description_from_string(FONTS_MONO);
    pango_font_description_set_absolute_size(font, column / column_of(context, font) * PANGO_SCALE);
    return font;
}

/* Other scripts have marks that take room, and fonts that know where. */
static bool has_seats(const PangoItem *item)
{
    static const GUnicodeScript scripts[] = {G_UNICODE_SCRIPT_COMMON, G_UNICODE_SCRIPT_INHERITED, G_UNICODE_SCRIPT_LATIN, G_UNICODE_SCRIPT_GREEK,
                                             G_UNICODE_SCRIPT_CYRILLIC};
    bool found = false;
    for (size_t i = 0; i < G_N_ELEMENTS(scripts); i++)
        found = found || item->analysis.script == (guint8)scripts[i];
    return found && item->analysis.level % 2 == 0;
}

/* Variation selectors count as marks, and are what emoji are joined with. */
static bool is_mark(gunichar c)
{
    return g_unichar_ismark(c) && !(c >= 0xfe00 && c <= 0xfe0f);
}

/* Whether glyph k of a run is of a mark: alone, because another font has it, or behind the letter of its cluster. */
static bool stands_on(const PangoGlyphItem *run, int k, const char *text)
{
    const char *at = text + run->item->offset + run->glyphs->log_clusters[k];
    return is_mark(g_utf8_get_char(run->glyphs->glyphs[k].attr.is_cluster_start ? at : g_utf8_next_char(at)));
}

/* Most fonts of one width have marks as wide as letters, and say nothing of where these belong: they would stand behind their letter, in
 * the column of the next. Ink that is not over the letter is put over its middle. */
static void seat(PangoFont *font, PangoGlyphInfo *g, int letter)
{
    PangoRectangle ink;
    if (g->glyph == PANGO_GLYPH_EMPTY || g->glyph & PANGO_GLYPH_UNKNOWN_FLAG)
        return;
    pango_font_get_glyph_extents(font, g->glyph, &ink, NULL);
    int middle = ink.x + ink.width / 2;
    g->geometry.width = 0;
    if (ink.width > 0 && middle + g->geometry.x_offset > 0)
        g->geometry.x_offset = -letter / 2 - middle;
}

void fonts_seat_marks(PangoLayoutLine *line)
{
    const char *text = pango_layout_get_text(line->layout);
    int letter = 0;
    for (GSList *i = line->runs; i; i = i->next) {
        PangoGlyphItem *run = i->data;
        bool seats = has_seats(run->item);
        for (int k = 0; k < run->glyphs->num_glyphs; k++) {
            PangoGlyphInfo *g = &run->glyphs->glyphs[k];
            if (letter && seats && stands_on(run, k, text))
                seat(run->item->analysis.font, g, letter);
            else
                letter = g->geometry.width;
        }
    }
}

uint32_t fonts_missing(const PangoLayoutLine *line)
{
    uint32_t n = 0;
    for (const GSList *i = line->runs; i; i = i->next) {
        const PangoGlyphString *glyphs = ((const PangoGlyphItem *)i->data)->glyphs;
        for (int k = 0; k < glyphs->num_glyphs; k++)
            n += !!(glyphs->glyphs[k].glyph & PANGO_GLYPH_UNKNOWN_FLAG);
    }
    return n;
}
