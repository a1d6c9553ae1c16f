/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of text measured without a sample: the same numbers as Pango's own, whatever the font is and however it is drawn. */
#include "render/svg/metrics.c"
#include "test.h"

#include <fontconfig/fontconfig.h>

static bool near(int a, int b)
{
    return abs(a - b) <= 1; /* of 1024 to a unit: a number that is cut off just below the next */
}

static PangoFontMetrics *(*pangos)(PangoFont *, PangoLanguage *);
static unsigned asked;

static PangoFontMetrics *ask_pango(PangoFont *font, PangoLanguage *language)
{
    asked++;
    return pangos(font, language);
}

static void replace_once(PangoFont *font)
{
    svg_spare_metrics();
    CHECK(usual && PANGO_FONT_GET_CLASS(font)->get_metrics == line_metrics);
    pangos = pangos ? pangos : usual;
    usual = ask_pango;
}

static void check_same(PangoFont *font, const char *what)
{
    PangoFontMetrics *a = pangos(font, NULL), *b = pango_font_get_metrics(font, NULL);
    CHECK_MSG(near(a->ascent, b->ascent) && near(a->descent, b->descent) && near(a->height, b->height), "%s: %d %d %d, not %d %d %d", what,
              b->ascent, b->descent, b->height, a->ascent, a->descent, a->height);
    CHECK_MSG(near(a->underline_position, b->underline_position) && near(a->underline_thickness, b->underline_thickness) &&
                  near(a->strikethrough_position, b->strikethrough_position) && near(a->strikethrough_thickness, b->strikethrough_thickness),
              "%s: %d %d %d %d", what, b->underline_position, b->underline_thickness, b->strikethrough_position, b->strikethrough_thickness);
    pango_font_metrics_unref(a);
    pango_font_metrics_unref(b);
}

/* As settings of the system do it to some fonts. */
TEST(lines_of_fonts_that_settings_stretch_are_measured_by_pango)
{
    static const char rule[] = "<fontconfig><match target='pattern'><test name='family'><string>Stretched</string></test>"
                               "<edit name='matrix'><matrix><double>1</double><double>0</double><double>0</double><double>1.5</double>"
                               "</matrix></edit></match></fontconfig>";
    CHECK(FcConfigParseAndLoadFromMemory(FcConfigGetCurrent(), (const FcChar8 *)rule, FcTrue));
    PangoFontMap *map = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT);
    PangoContext *context = pango_font_map_create_context(map);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(context, options);
    cairo_font_options_destroy(options);
    PangoFontDescription *d = pango_font_description_from_string("Stretched 12");
    PangoFont *font = pango_context_load_font(context, d);
    CHECK(font != NULL);
    replace_once(font);
    asked = 0;
    check_same(font, "stretched");
    CHECK(asked > 0);
    g_object_unref(font);
    pango_font_description_free(d);
    g_object_unref(context);
    g_object_unref(map);
}

TEST(lines_have_the_metrics_that_pango_gives_them)
{
    static const char *const fonts[] = {"sans 10", "sans bold 11", "serif 12.5", "monospace italic 7", "DejaVu Sans 40", "nobody has this 9"};
    static const PangoMatrix turns[] = {
        {1, 0, 0, 1, 0, 0}, {7.84, 0, 0, 7.84, 0, 0}, {0, 3, -3, 0, 0, 0}, {2, 0, 0, 9, 0, 0}, {1, 0.5, 0.25, 1, 0, 0}, {-0.1, 0, 0, 0.1, 0, 0},
    };
    static const struct {
        PangoGravity gravity;
        cairo_hint_metrics_t hints;
        bool asks;
    } kinds[] = {
        {PANGO_GRAVITY_SOUTH, CAIRO_HINT_METRICS_OFF, false}, /* as drawings have it */
        {PANGO_GRAVITY_SOUTH, CAIRO_HINT_METRICS_ON, true},
        {PANGO_GRAVITY_EAST, CAIRO_HINT_METRICS_OFF, true},
    };
    PangoFontMap *map = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT);
    PangoContext *context = pango_font_map_create_context(map);
    for (size_t i = 0; i < COUNT(fonts) * COUNT(turns) * COUNT(kinds); i++) {
        size_t kind = i / COUNT(fonts) / COUNT(turns);
        cairo_font_options_t *options = cairo_font_options_create();
        cairo_font_options_set_hint_metrics(options, kinds[kind].hints);
        pango_cairo_context_set_font_options(context, options);
        cairo_font_options_destroy(options);
        PangoFontDescription *d = pango_font_description_from_string(fonts[i % COUNT(fonts)]);
        pango_font_description_set_gravity(d, kinds[kind].gravity);
        pango_context_set_matrix(context, &turns[i / COUNT(fonts) % COUNT(turns)]);
        PangoFont *font = pango_context_load_font(context, d);
        CHECK(font != NULL);
        replace_once(font);
        asked = 0;
        check_same(font, fonts[i % COUNT(fonts)]);
        CHECK_MSG(kinds[kind].asks || !asked, "%s: Pango's own were taken", fonts[i % COUNT(fonts)]);
        g_object_unref(font);
        pango_font_description_free(d);
    }
    g_object_unref(context);
    g_object_unref(map);
}
