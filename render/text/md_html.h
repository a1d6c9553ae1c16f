/* SPDX-License-Identifier: Apache-2.0 */
/* The little of HTML that is in Markdown. */
#ifndef FOVEA_TEXT_MD_HTML_H
#define FOVEA_TEXT_MD_HTML_H

#include "wrap.h"

/* The character that an entity ("&amp;", "&#8212;") stands for; 0: nobody knows. */
uint32_t html_entity(struct span s);

/*
 * What stands at the start of s. A tag that HTML knows, or a comment: its length, and in *ret_break whether it ends a line.
 * 0: a letter, or a tag of no known name, which is text that somebody forgot to quote.
 */
size_t html_markup(struct span s, bool *ret_break);

/* The value of a tag's attribute, its quotes taken away; {NULL, 0}: it has none of that name. */
struct span html_attribute(struct span tag, const char *name);

/* The tag is an image. */
bool html_is_image(struct span tag);

#endif
