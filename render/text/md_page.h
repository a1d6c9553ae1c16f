/* SPDX-License-Identifier: Apache-2.0 */
/* A document measured in slices, and the slices of one page drawn. */
#ifndef FOVEA_TEXT_MD_PAGE_H
#define FOVEA_TEXT_MD_PAGE_H

#include "md_flow.h"
#include "md_set.h"

enum { TABLE_COLUMNS = 24 }; /* of a table that is drawn as one */

/* How the columns of a table are set. */
struct table {
    double widths[TABLE_COLUMNS];
    bool loose; /* it is not: a line for each row, the cells behind one another */
};

/* All of a document, measured. Zero is an empty one. */
struct flow {
    struct slice *slices;
    size_t n, room;
    struct table *tables; /* all of the document's */
    double widest;        /* how much of the column's width is used */
    PangoLayout **kept;   /* of each block what was set; NULL: it has to be set again */
    size_t blocks, kept_bytes;
};

/* -ENOMEM, or -E2BIG for what is too much to be laid out. */
int flow_init(struct flow *f, const struct setter *s);
void flow_done(struct flow *f);

/* One more at the end. The same errors. */
int flow_add(struct flow *f, struct slice one);

/* Plans a table and adds its slices, with that space before the first. The same errors. */
int table_measure(const struct setter *s, uint32_t index, float space, struct flow *f);
/* Returns where the base line of its text is, and counts characters that no font has. */
double table_row_draw(const struct setter *s, const struct md_block *b, const struct table *t, const struct slice *row,
                      cairo_t *cairo, double x, double y, uint32_t *missing);

/* Draws slices first to end - 1, the first at the top of the column, whose upper left corner is x, y. Returns how many
 * characters no font had. */
uint32_t flow_draw(const struct flow *f, const struct setter *s, size_t first, size_t end, cairo_t *cairo, double x, double y);

#endif
