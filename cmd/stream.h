/* SPDX-License-Identifier: Apache-2.0 */
/* What a model says, on a terminal: as it comes or whole, and never so that it acts on the terminal. */
#ifndef FOVEA_STREAM_H
#define FOVEA_STREAM_H

#include "base/buf.h"
#include "waiting.h"

/* An answer under way. */
struct stream {
    struct waiting *waiting; /* whose line makes room; NULL none */
    char rest[4]; /* the beginning of a character, until the rest of it comes */
    size_t n_rest;
    bool any, open; /* something was shown; its last line has no end */
};

/* fovea_session_options.on_text, with a struct stream: shows pieces on stdout. */
void stream_text(void *arg, const char *piece, size_t len);

/* Ends the last line. */
void stream_end(struct stream *s);

/*
 * Appends text with all that could act on a terminal made visible. Line ends, tabs and the joiners that scripts need stay
 * as they are. Returns how many bytes were taken: the beginning of a character at the end is left, unless `last`.
 */
size_t buf_add_visible(struct buf *b, const char *s, size_t len, bool last);

#endif
