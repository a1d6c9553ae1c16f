/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window of text lines out of a stream of bytes, in constant memory: counts lines, checks the text, hashes the
 * bytes, writes the window to a descriptor. No allocation and no locks: it runs in a forked child.
 */
#ifndef FOVEA_LINES_H
#define FOVEA_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"
#include "source/snapshot.h"

struct lines {
    /* Asked for: lines first .. end - 1, counted from 1. */
    uint64_t first, end;
    int fd;
    /* The bytes so far: */
    struct sha256_state sha;
    uint64_t fed;
    uint32_t head_len, encoding;
    uint64_t bad_at;
    bool started; /* the encoding is known */
    uint8_t carry[4]; /* a character whose other bytes come later */
    uint32_t carry_len;
    /* The text so far: */
    uint64_t line;            /* in which the next character stands */
    bool open;                /* that line has begun */
    uint64_t written;         /* of the window */
    uint64_t whole, whole_lines; /* of it, in whole lines */
    bool cut;
    int error; /* of writing; negative errno */
};

void lines_init(struct lines *l, int fd, uint64_t offset, uint64_t limit);

/* Returns false when the rest is of no use: not text, or the window cannot be written. */
bool lines_add(struct lines *l, const uint8_t *data, size_t len);

/* Ends the text and fills in what is known; ret->head is filled by the caller. 0, or the error of writing. */
int lines_end(struct lines *l, struct snapshot_lines *ret);

/* ---- lines_window.c: text as UTF-8 that was checked, with the number of line ends in it */
void lines_add_text(struct lines *l, const uint8_t *text, size_t len, size_t line_ends);

/* Shortens a window that was cut to whole lines, or where even its first line was cut, to whole characters. */
int lines_trim(struct lines *l, uint64_t *ret_size);

#endif
