/* SPDX-License-Identifier: Apache-2.0 */
/* The little of HTML that is in Markdown. */
#ifndef FOVEA_TEXT_MD_HTML_H
#define FOVEA_TEXT_MD_HTML_H

#include "wrap.h"

/* The character that an entity ("&amp;", "&#8212;") stands for; 0: nobody knows. */
uint32_t html_entity(struct span s);

/*
 * What stands at the start of s. A tag that HTML knows: its length, and in *ret_break whether it ends a line. 0: a letter, or a
 * tag of no known name, which is text that somebody forgot to quote.
 */
size_t html_markup(struct span s, bool *ret_break);

/* The value of a tag's attribute, its quotes taken away; {NULL, 0}: it has none of that name. */
struct span html_attribute(struct span tag, const char *name);

/* The tag begins with these letters ("<img", "</tr") and its name ends there. */
bool html_is(struct span tag, const char *name);

/* A comment, a script, a style: how it begins and what ends it. */
struct html_unseen {
    const char *start, *end;
};

/* The kind that begins at the start of s; NULL: none. */
const struct html_unseen *html_unseen(struct span s);

/* Whether it ends in s, and behind that end the rest begins. */
bool html_seen_again(const struct html_unseen *u, struct span s, size_t *ret_at);

#endif
