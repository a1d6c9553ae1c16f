/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-svg: SVG and SVGZ, drawn by librsvg in a jail that can read fonts and nothing else. */
#include <cairo.h>
#include <stdio.h>
#include <string.h>

#include "image.h"
#include "program.h"
#include "svg.h"
#include "warm.h"

static const struct decoder_ops *decoder_of_svg(enum media media)
{
    return media == MEDIA_SVG ? &decode_svg : media == MEDIA_SVGZ ? &decode_svgz : NULL;
}

/* An ordinary picture is that large: what was freed stays with the process, touched. */
enum { WARM_W = 1568, WARM_H = 1568 };

/* A chart, which has what most drawings have: text makes Pango find its fonts and start its threads. What is see-through is drawn
 * on a layer of its own, as large as the whole, and mostly within another, so that memory is touched too. */
static void warm_svg(void)
{
    static const char markup[] =
        ""
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' class='marks' width='200' "
        "height='200' viewBox='0 0 200 200'>"
        "<style>.a{fill:#222}</style><defs><linearGradient id='g'><stop stop-color='red'/><stop offset='1'/>"
        "</linearGradient><clipPath id='c'><rect width='90' height='90'/></clipPath></defs>"
        "<rect width='200' height='200' fill='white'/>"
        "<g fill='none' stroke-miterlimit='10' transform='translate(40,10)'>"
        "<g class='mark-group role-frame root' role='graphics-object' aria-roledescription='group mark container'>"
        "<path class='background' aria-hidden='true' d='M0.5,0.5h150v150h-150Z' stroke='#ddd'/>"
        "<line transform='translate(0,50)' x2='150' y2='0' stroke='#ddd' stroke-width='1' opacity='1'/>"
        "<text text-anchor='middle' transform='translate(30,165)' font-family='sans-serif' font-size='10px' "
        "fill='#000' opacity='1'>0.25 Axis gh</text>"
        "<text text-anchor='end' transform='translate(-7,33)' font-family='sans-serif' font-size='11px' "
        "font-weight='bold' fill='#000'>Title 1,234</text>"
        "<text text-anchor='middle' transform='translate(-30,75) rotate(-90) translate(0,-2)' font-family='sans-serif' "
        "font-size='11px' font-weight='bold' fill='#000'>Mean of y (bcd)</text>"
        "<g clip-path='url(#c)'>"
        "<path d='M0,3L30,50L60,20C70,30 80,90 90,20' stroke='#4c78a8' stroke-width='2' stroke-opacity='.7'/>"
        "<path transform='translate(50,60)' d='M2.7,0A2.7,2.7,0,1,1,-2.7,0A2.7,2.7,0,1,1,2.7,0' fill='url(#g)' "
        "stroke='#4c78a8' stroke-width='2' opacity='.7'/>"
        "</g><g opacity='.9'><g opacity='.9'><rect width='9' height='9' fill='#4c78a8'/></g></g></g></g></svg>";
    struct source s = {.data = (const uint8_t *)markup, .len = sizeof markup - 1};
    struct want want = {.area = {0, 0, 200, 200}, .target = {WARM_W, WARM_H}};
    struct decoder *d = NULL;
    struct header header;
    auto_image drawn = {0};
    if (decode_svg.open(&s, &d, &header, NULL))
        return;
    if (!decode_svg.draw(d, &want, &drawn, NULL))
        warm_page(&drawn);
    decode_svg.close(d);
    svg_spare_metrics();
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
