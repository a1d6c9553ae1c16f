/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-text: pages of text and of Markdown, and the names of its images. */
#include "look.h"

static const char markdown[] = "# Title\n\nSome *words*, **more**, `code`, [a link](b), ![an image](a.png) and &amp;.\n\n- one\n  1. two\n- [x] done\n\n"
                               "> said\n\n```\nint a;\n```\n\n|a|b|\n|:-:|--:|\n|c|<b>d</b><br>e|\n\n<details><summary>s</summary>\n\nhidden\n\n</details>\n\n"
                               "<p align=\"center\"><img src=\"c.png\" width=\"50%\"></p>\n\n---\n\n\xd7\xa9\xd7\x9c\n";

SCENE(plain, {.text = "one\n\ttwo\r\nthree \xe4\xbd\xa0\n", .media = MEDIA_TEXT}, {.text = "\xff\xfe" "a", .media = MEDIA_TEXT})
SCENE(markdown, {.text = markdown, .media = MEDIA_MARKDOWN, .edge = 400}, {.text = markdown, .media = MEDIA_MARKDOWN, .flags = WORK_REFS})
SERVED({.text = "one\n\ttwo\n", .media = MEDIA_TEXT}, {.text = markdown, .media = MEDIA_MARKDOWN, .flags = WORK_REFS})
WHOLE({.text = "one\n\ttwo\r\nthree\n", .media = MEDIA_TEXT}, {.text = markdown, .media = MEDIA_MARKDOWN, .flags = WORK_REFS})

const struct scene *const scenes[] = {&drawn_plain, &drawn_markdown, &drawn_served, &drawn_whole, NULL};
