/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-svg: SVG and SVGZ, drawn by librsvg in a jail that can read fonts and nothing else. */
#include <cairo.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "svg.h"
#include "warm.h"

static const struct decoder_ops *decoder_of_svg(enum media media)
{
    return media == MEDIA_SVG ? &decode_svg : media == MEDIA_SVGZ ? &decode_svgz : NULL;
}

/* An ordinary picture is that large: what was freed stays with the process, touched. */
enum { WARM_W = 1568, WARM_H = 1568 };

/* What most drawings have, once: text makes Pango find its fonts and start its threads. What is see-through is drawn on a layer
 * of its own, as large as the whole, and mostly within another: charts have that, so that memory is touched too. */
static void warm_svg(void)
{
    static const char markup[] =
        "<svg xmlns='http://www.w3.org/2000/svg' width='64' height='32'><defs><linearGradient id='a'><stop stop-color='red'/>"
        "<stop offset='1'/></linearGradient></defs><g opacity='.9'><g opacity='.9'><rect width='9' height='9' fill='url(#a)'/></g></g><path d='M1 1L9 8C4 4 5 5 2 2' "
        "fill='none' stroke='#ddd'/>"
        "<text y='20' font-family='sans-serif' font-size='11'>Axis 0</text>"
        "<text y='30' font-family='Arial' font-weight='bold'>b</text></svg>";
    struct source s = {.data = (const uint8_t *)markup, .len = sizeof markup - 1};
    struct want want = {.area = {0, 0, 64, 32}, .target = {WARM_W, WARM_H}};
    struct decoder *d = NULL;
    struct header header;
    struct size size;
    if (decode_svg.open(&s, &d, &header, NULL))
        return;
    (void)decode_svg.start(d, &want, &size, NULL);
    /* The rows that the picture will be made of. */
    volatile uint8_t *rows = malloc((size_t)WARM_W * WARM_H * 4);
    for (size_t i = 0; rows && i < (size_t)WARM_W * WARM_H * 4; i += 4096)
        rows[i] = 0;
    free((void *)(uintptr_t)rows);
    decode_svg.close(d);
    warm_up();
}

static void name_libraries(char *out, size_t room)
{
    (void)snprintf(out, room, "librsvg %u.%u.%u, cairo %s", rsvg_major_version, rsvg_minor_version, rsvg_micro_version,
                   cairo_version_string());
}

int main(int argc, char **argv)
{
    static const struct worker_program program = {
        .decoder_of = decoder_of_svg, .prepare = svg_prepare, .warm = warm_svg, .libraries = name_libraries};
    return worker_main(&program, argc, argv);
}
