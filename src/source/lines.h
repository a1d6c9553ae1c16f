/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window of text lines out of a stream of bytes, in constant memory: counts lines, checks the text, hashes the
 * bytes, writes the window to memory. No allocation and no locks: it runs in a forked child.
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
    uint8_t *text; /* the window, not owned */
    size_t room;
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
    uint64_t beyond; /* of a first line that was cut: bytes not written */
};

/* text: at least room bytes, which must outlive *l; room is all that the window can be. */
void lines_init(struct lines *l, uint8_t *text, size_t room, uint64_t offset, uint64_t limit);

/* Returns false when the rest is of no use: it is not text. */
bool lines_add(struct lines *l, const uint8_t *data, size_t len);

/* Ends the text and fills in what is known; ret->head and ret->text are filled by the caller. */
void lines_end(struct lines *l, struct snapshot_lines *ret);

/* ---- lines_window.c: text as UTF-8 that was checked, with the number of line ends in it */
void lines_add_text(struct lines *l, const uint8_t *text, size_t len, size_t line_ends);

/* How much of a window that was cut is whole lines, or where even its first line was cut, whole characters. */
uint64_t lines_trim(const struct lines *l);

#endif
