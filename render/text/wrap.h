/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of text cut into rows of a fixed number of columns, and rows into pages. Pure arithmetic over the bytes: nothing is
 * laid out or drawn, so that all of a large file can be counted and only the page that is shown costs more.
 *
 * A line ends with '\n'; a '\r' before it belongs to the end. What follows the last '\n' is a line unless it is empty. Bytes
 * that are not UTF-8 stand for U+FFFD, one each.
 */
#ifndef FOVEA_TEXT_WRAP_H
#define FOVEA_TEXT_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TAB_COLUMNS = 4,  /* as most editors show code */
    WRAP_JOINED = 16, /* characters on top of another one; each beyond has a column of its own */
    WRAP_WIDEST = 120, /* columns of a page */
    WRAP_LEAST = 40,
    WRAP_PROSE = 96, /* columns where most lines are longer than any page */
};

struct span {
    const uint8_t *at;
    size_t len;
};

/* How a character is shown. */
enum mark {
    MARK_PLAIN,
    MARK_TAB,
    MARK_PICTURE, /* as another character: U+FFFD for what is no UTF-8 */
    MARK_CARET,   /* a control character, as ^[; few fonts have pictures of these */
    MARK_HEX,     /* as <202E>: it would act on the text around it */
    MARK_PILED,   /* a combining character that has a column of its own */
};

/* One character of a row: where the next one begins, and the columns that it takes. */
struct cell {
    uint32_t c; /* what is shown (of MARK_CARET: behind the caret), or for MARK_HEX and MARK_TAB what it is */
    enum mark mark;
    unsigned bytes, columns;
};

/* Where a walk along a row is. Zero at its start. */
struct pen {
    unsigned column;
    unsigned joined;
};

/* The character at the start of s (which is not empty); moves the pen over it. */
struct cell cell_next(struct span s, struct pen *pen);

/* A line at the start of s, without its end; ret_next is how many bytes it has with it. s is not empty. */
struct span line_first(struct span s, size_t *ret_next);

/* Columns of a line, and `most` + 1 for any that has more. */
unsigned line_columns(struct span line, unsigned most);

/*
 * Bytes of the first row of what is left of a line: all of it where it fits, else up to a break behind white space, else
 * as many characters as fit (at least one).
 */
size_t row_first(struct span rest, unsigned columns);

/* What a file's lines need. */
struct survey {
    uint64_t lines;
    uint64_t widths[WRAP_WIDEST + 2]; /* lines of so many columns; the last: of more */
};
void survey_take(struct span text, struct survey *ret);

/* The columns to show a file in, at most `most`: as many as its lines need, or as most of them do. */
unsigned survey_columns(const struct survey *s, unsigned most);

/* A page: where its first row begins. */
struct page_start {
    size_t at;        /* offset in the text */
    uint64_t line;    /* from 1 */
    bool continued;   /* that row is not the first of its line */
};

/* Counts the rows of all of a text, which has at least one, and finds where row `wanted` (from 0) begins; false: it has none. */
bool rows_count(struct span text, unsigned columns, uint64_t wanted, uint64_t *ret_rows, struct page_start *ret_start);

#endif
