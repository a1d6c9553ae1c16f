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
void table_plan(const struct setter *s, const struct md_block *b, struct table *ret);
uint32_t table_rows(const struct md_block *b);
double table_row_height(const struct setter *s, const struct md_block *b, const struct table *t, uint32_t row);
void table_row_draw(const struct setter *s, const struct md_block *b, const struct table *t, uint32_t row, cairo_t *cairo,
                    double x, double y);

/* All of a document, for the caller to free. -ENOMEM. */
int slices_measure(const struct setter *s, struct slice **ret, size_t *ret_n);

/* Slices first to end - 1, the first at the top of the column, whose upper left corner is x, y. */
void slices_draw(const struct setter *s, const struct slice *slices, size_t first, size_t end, cairo_t *cairo, double x,
                 double y);

#endif
