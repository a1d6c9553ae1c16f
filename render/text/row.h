/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of code and plain text, drawn column by column. */
#ifndef FOVEA_TEXT_ROW_H
#define FOVEA_TEXT_ROW_H

/* GLib has MIN and MAX of its own and takes ours away, if they come first. */
#include "base/cleanup.h"

#include <pango/pangocairo.h>

#include "wrap.h"
#include "zero.h"

/* What rows are drawn with. */
struct row_pen {
    cairo_t *cairo;
    PangoLayout *layout; /* in the font of the rows */
    struct zero zero;
    double column;       /* its width */
    unsigned columns;    /* of a row; what stands out over them is not drawn */
    uint32_t missing;    /* characters drawn so far that no font has */
    bool failed;         /* something was not drawn, for want of memory */
};

/* Draws a row of text with its base line at y, from x on. */
void row_draw(struct row_pen *pen, struct span row, double x, double y);

/* Draws words in one piece, in the colour that is set. */
void row_words(struct row_pen *pen, const char *words, size_t len, double x, double y);

#endif
