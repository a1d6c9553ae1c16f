/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-text: text, code and Markdown as pages, in a jail with nothing but fonts. */
#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <stdio.h>

#include "fonts.h"
#include "markdown.h"
#include "plain.h"
#include "program.h"
#include "warm.h"

static const struct decoder_ops *renderer_of(enum media media)
{
    return media == MEDIA_TEXT ? &render_plain : media == MEDIA_MARKDOWN ? &render_markdown : NULL;
}

static void name_libraries(char *out, size_t room)
{
    int fc = FcGetVersion();
    (void)snprintf(out, room, "Pango %s, cairo %s, fontconfig %d.%d.%d", pango_version_string(), cairo_version_string(),
                   fc / 10000, fc / 100 % 100, fc % 100);
}

/* All of ASCII, so that what most pages need has been rendered once. */
static void draw_words(PangoContext *context, PangoFontDescription *font)
{
    char words[0x7f - 0x20 + 1];
    for (int i = 0; i < 0x7f - 0x20; i++)
        words[i] = (char)(0x20 + i);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1200, 40);
    cairo_t *cairo = cairo_create(surface);
    PangoLayout *layout = pango_layout_new(context);
    pango_layout_set_font_description(layout, font);
    pango_layout_set_text(layout, words, sizeof words - 1);
    pango_cairo_show_layout(cairo, layout);
    g_object_unref(layout);
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
}

/* Once through the fonts of code and of prose. */
static void warm(void)
{
    PangoContext *context = fonts_context();
    PangoFontDescription *font = fonts_mono(context, 11);
    draw_words(context, font);
    pango_font_description_set_family(font, FONTS_BODY);
    draw_words(context, font);
    pango_font_description_free(font);
    g_object_unref(context);
    warm_up();
}

int main(int argc, char **argv)
{
    static const struct worker_program program = {
        .decoder_of = renderer_of, .other_work = markdown_refs, .other_flags = WORK_REFS,
        .prepare = fonts_prepare, .warm = warm, .libraries = name_libraries};
    return worker_main(&program, argc, argv);
}
