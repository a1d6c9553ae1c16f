/* SPDX-License-Identifier: Apache-2.0 */
/* A document in the making: what md_doc.c (blocks and spans) and md_text.c (their text) share. */
#ifndef FOVEA_TEXT_MD_BUILD_H
#define FOVEA_TEXT_MD_BUILD_H

#include <md4c.h>

#include "base/cleanup.h"
#include "md_doc.h"

enum {
    DEPTH_SHOWN = 10,
    DEPTH_KEPT = 64,
};

/* What is open around the text that comes. */
struct open {
    MD_BLOCKTYPE type;
    uint32_t next; /* number of the next item */
    bool tight;
};

struct build {
    struct md_doc *doc;
    struct span source;
    int error;
    struct open open[DEPTH_KEPT];
    size_t depth; /* may be more than are kept */
    uint32_t bold, italic, struck, link, code, image; /* spans that are open */
    struct md_block *block; /* that text goes to; NULL: none is open */
    enum md_marker marker; /* for the next block */
    uint32_t number;
    bool first; /* nothing of the item stands yet */
    bool fresh; /* a list begins that is in no other */
    size_t seen;  /* bytes of the source whose lines were counted */
    uint32_t line;
    unsigned piled;
    const uint8_t *passed; /* HTML of the source before this has been seen; NULL: none */
    bool html;             /* the block is HTML, and not only some of its text */
    const struct html_unseen *unseen; /* of HTML, what is open and not shown; NULL: nothing */
    bool row;              /* in a row of a table by HTML, which is one line */
    uint32_t row_cells;    /* of it so far */
};

/* Notes the first error; returns -1, which ends the parser. */
int build_failed(struct build *b, int error);

/* Room for one more in an array of n: twice as much when it is full. NULL: build_failed was told. */
void *build_grown(struct build *b, void *array, size_t n, size_t each);
#define GROW(b, array, n) ({ \
    void *more_ = build_grown(b, array, n, sizeof *(array)); \
    if (more_) \
        (array) = more_; \
    more_ != NULL; })

/* A paragraph, where no block is open: text of a tight list comes without one. */
int build_block(struct build *b);

/* An image of that name begins: text is its alternative, up to the end. What is beyond the most there may be is words. */
int build_image(struct build *b, const struct buf *name);
void build_image_end(struct build *b);

/* ---- md_text.c. All return 0 or -1. */

/* Text as it is; letters of a look of their own, in a run of their own. */
int put_text(struct build *b, const char *text, size_t len);
int put_run(struct build *b, const char *text, size_t len, uint32_t look, uint32_t image);

/* The parser's text. */
int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE len, void *data);

/* ---- md_lines.c */

/* Fills in lines of blocks that have none yet, as far as they can be found. */
void build_lines(struct md_doc *d, struct span source);

#endif
