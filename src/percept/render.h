/* SPDX-License-Identifier: Apache-2.0 */
/* What every preview is made of. Nothing that is appended acts on a terminal. */
#ifndef FOVEA_RENDER_H
#define FOVEA_RENDER_H

#include <stdbool.h>

#include "base/buf.h"

enum { QUESTION_COLUMNS = 100, LINE_COLUMNS = 120, LINES = 4, LINES_EXPANDED = 16 };

/* Text as one line: every run of blanks is one space, none at the ends; cut to columns. */
void render_one_line(struct buf *b, const char *s, size_t len, size_t columns);

/* At most so many lines of a text, each after the indent and cut to LINE_COLUMNS, then how many more there are. The last line has
 * no end. most 0: all of them, and none is cut. */
void render_lines(struct buf *b, const char *text, size_t len, unsigned most, const char *indent);

#endif
