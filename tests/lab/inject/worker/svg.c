/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-svg: a drawing, and a part of a large one with layers. */
#include "look.h"

#define HEAD "<svg xmlns='http://www.w3.org/2000/svg' "

SCENE(svg, {.text = HEAD "width='60' height='40'><rect width='30' height='40' fill='red' opacity='.5'/><text y='20'>a</text></svg>", .media = MEDIA_SVG, .small = true},
      {.text = HEAD "viewBox='0 0 3000 2000'><g opacity='.5'><rect width='900' height='900'/></g></svg>", .media = MEDIA_SVG,
       .region = {100, 100, 300, 200, FIT_SOURCE, 1}})
SERVED({.text = HEAD "width='60' height='40'><rect width='30' height='40' fill='red' opacity='.5'/></svg>", .media = MEDIA_SVG})
WHOLE({.text = HEAD "width='60' height='40'><rect width='30' height='40' fill='red' opacity='.5'/><text y='20'>a</text></svg>", .media = MEDIA_SVG, .small = true})

const struct scene *const scenes[] = {&drawn_svg, &drawn_served, &drawn_whole, NULL};
