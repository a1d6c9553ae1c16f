/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-text: text, code and Markdown as pages, in a jail with nothing but fonts. */
#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <stdio.h>
#include <stdlib.h>

#include "fonts.h"
#include "markdown.h"
#include "plain.h"
#include "image.h"
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

/* An ordinary page is that large: what was freed stays with the process, touched. */
enum { WARM_SIDE = 1568 };

static void draw_once(const struct decoder_ops *ops, const char *text, size_t len)
{
    struct source s = {.data = (const uint8_t *)text, .len = len};
    struct decoder *d = NULL;
    struct header h;
    auto_image drawn = {0};
    if (ops->open(&s, &d, &h, NULL))
        return;
    struct want want = {.channels = 4, .area = {0, 0, h.extent_w, h.extent_h}, .target = {WARM_SIDE, WARM_SIDE}};
    want.area.w = want.area.h = WARM_SIDE; /* at the size of letters that pages have */
    if (!ops->draw(d, &want, &drawn, NULL))
        warm_page(&drawn);
    ops->close(d);
}

/* Once through the fonts of code and of prose, with all letters of ASCII in each. */
static void warm(void)
{
#define ASCII "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_ abcdefghijklmnopqrstuvwxyz{|}~"
#define WORDS "The quick brown fox jumps over the lazy dog. PACK MY BOX WITH FIVE DOZEN LIQUOR JUGS. 0123456789,:;?!()[]/-"
    static const char code[] = ASCII "\n";
    static const char prose[] = "# " WORDS "\n## " WORDS "\n### " WORDS "\n\n" WORDS " **" WORDS "** *" WORDS "* [" WORDS "](u) `" WORDS "`\n\n"
                                "- a\n\n1. a\n\n> a\n\n|a `a`|b|\n|---|---|\n|c|d **d**|\n\n"
                                "```\n" ASCII "\n```\n";
    draw_once(&render_plain, code, sizeof code - 1);
    draw_once(&render_markdown, prose, sizeof prose - 1);
}

int main(int argc, char **argv)
{
    static const struct worker_program program = {
        .decoder_of = renderer_of, .other_work = markdown_refs, .other_flags = WORK_REFS,
        .prepare = fonts_prepare, .warm = warm, .libraries = name_libraries};
    return worker_main(&program, argc, argv);
}
