/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Markdown document as a list of what stands below one another: paragraphs, headings, code, tables, rules, each with its
 * text and how its letters look. Nesting is flat: a block knows the quotes and lists around it.
 */
#ifndef FOVEA_TEXT_MD_DOC_H
#define FOVEA_TEXT_MD_DOC_H

#include "base/buf.h"
#include "wrap.h"

enum md_kind { MD_PARAGRAPH, MD_HEADING, MD_CODE, MD_RULE, MD_TABLE, MD_CELL };

enum md_look {
    LOOK_BOLD = 1,
    LOOK_ITALIC = 2,
    LOOK_CODE = 4,
    LOOK_STRUCK = 8,
    LOOK_LINK = 16,
    LOOK_IMAGE = 32, /* one U+FFFC: see image */
};

enum md_marker { MARKER_NONE, MARKER_BULLET, MARKER_NUMBER, MARKER_TASK, MARKER_DONE };

enum md_align { ALIGN_LEFT, ALIGN_CENTRE, ALIGN_RIGHT };

/* Letters that look alike. */
struct md_run {
    uint32_t at, len; /* in the document's text */
    uint32_t look;
    uint32_t image; /* with LOOK_IMAGE */
};

struct md_block {
    enum md_kind kind;
    uint8_t level;      /* of a heading, 1..6 */
    uint8_t depth;      /* quotes and list items around it, as far as they are shown */
    uint16_t quotes;    /* a bit for each of these that is a quote; bit 0 is the outermost */
    bool joined, goes_on; /* it is a long one's next part, or has one */
    bool tight;         /* close to what stands before it */
    enum md_marker marker;
    uint32_t number;    /* of MARKER_NUMBER; of MARKER_BULLET, how many lists it is in */
    enum md_align align;/* of a cell */
    bool head;          /* a cell of a table's head */
    uint32_t at, len;   /* its text */
    uint32_t run, runs;
    uint32_t cell, cells, columns; /* of a table: row by row, in the document's cells */
    uint32_t table;     /* and which of the tables it is */
    uint32_t first_line, last_line; /* of the source; 0: not known */
};

struct md_image {
    uint32_t ref;       /* which of the refs; MD_NO_REF */
    uint32_t alt, alt_len; /* in the document's alts */
    uint32_t width;     /* that it asks for: pixels, or percent of the column; 0: none */
    bool percent;
};
#define MD_NO_REF UINT32_MAX

struct md_doc {
    struct buf text, alts;
    struct md_block *blocks, *cells;
    struct md_run *runs;
    struct md_image *images;
    size_t n_blocks, n_cells, n_runs, n_images;
    struct buf refs; /* names of images, a NUL behind each, none twice */
    uint32_t n_refs, n_tables;
    uint32_t lines; /* of the source */
};

/* Parses valid UTF-8. -ENOMEM, -E2BIG for more of anything than a page could be made of. */
int md_doc_init(struct md_doc *d, struct span text);
void md_doc_done(struct md_doc *d);

#endif
