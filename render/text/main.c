/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-text: text, code and Markdown as pages, in a jail with nothing but fonts. */
#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <stdio.h>

#include "fonts.h"
#include "plain.h"
#include "program.h"
#include "warm.h"

static const struct decoder_ops *renderer_of(enum media media)
{
    return media == MEDIA_TEXT ? &render_plain : NULL;
}

static void name_libraries(char *out, size_t room)
{
    int fc = FcGetVersion();
    (void)snprintf(out, room, "Pango %s, cairo %s, fontconfig %d.%d.%d", pango_version_string(), cairo_version_string(),
                   fc / 10000, fc / 100 % 100, fc % 100);
}

/* Once through the fonts of code and of prose. */
static void warm(void)
{
    PangoContext *context = fonts_context();
    PangoFontDescription *font = fonts_mono(context, 12);
    pango_font_description_free(font);
    g_object_unref(context);
    warm_up();
}

int main(int argc, char **argv)
{
    static const struct worker_program program = {
        .decoder_of = renderer_of, .prepare = fonts_prepare, .warm = warm, .libraries = name_libraries};
    return worker_main(&program, argc, argv);
}
