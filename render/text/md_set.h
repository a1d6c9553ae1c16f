/* SPDX-License-Identifier: Apache-2.0 */
/* Setting: blocks of a document as layouts, at the width of the column that they stand in. */
#ifndef FOVEA_TEXT_MD_SET_H
#define FOVEA_TEXT_MD_SET_H

#include "fonts.h"
#include "md_doc.h"
#include "md_inset.h"
#include "zero.h"

enum {
    MD_LINE_GAP = 8,   /* between the lines of a paragraph */
    MD_CODE_PAD = 14,  /* around code */
    MD_CELL_PAD_X = 12,
    MD_CELL_PAD_Y = 7,
    MD_IN_QUOTE = 26, /* how far a quote is indented, and a list item */
    MD_IN_ITEM = 38,
};

/* What blocks are set with. */
struct setter {
    const struct md_doc *doc;
    const struct insets *insets;
    PangoContext *context;
    PangoFontDescription *body, *mono, *small;
    struct zero zero;     /* of the code */
    double width, height; /* of the column on a page */
};

void setter_init(struct setter *s, const struct md_doc *doc, const struct insets *insets, double width, double height);
void setter_done(struct setter *s);

/* Where a block begins in the column, and how wide it is. */
double set_indent(const struct md_block *b);
double set_width(const struct setter *s, const struct md_block *b);

/* The text of a block, in lines of that width (0: one that is as long as it is). The caller unrefs it. */
PangoLayout *set_text(const struct setter *s, const struct md_block *b, double width);

/* A row of a table too wide to be one: its cells behind one another, for the caller to unref. -ENOMEM, -E2BIG. */
int set_loose_row(const struct setter *s, const struct md_block *table, uint32_t row, double width, PangoLayout **ret);

#endif
