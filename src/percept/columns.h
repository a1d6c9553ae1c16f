/* SPDX-License-Identifier: Apache-2.0 */
/* Text measured in columns of a terminal, and cut to them. */
#ifndef FOVEA_COLUMNS_H
#define FOVEA_COLUMNS_H

#include "base/buf.h"

/*
 * Appends one line of text that takes at most max columns (above 0): what is longer ends with an ellipsis, which counts.
 * Nothing in it acts on a terminal: a tab becomes spaces, any other control, override or byte that is no UTF-8 is shown
 * as \u001b or \xff. What stands on top of a character, or is joined to it, stays with it. Returns b's error.
 */
int buf_add_columns(struct buf *b, const char *s, size_t len, size_t max);

#endif
