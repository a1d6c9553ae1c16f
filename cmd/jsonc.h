/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places in JSON text, and JSON with comments made plain. What is dropped is blanked, so that the length stays and a
 * place in the plain copy is a place in the text.
 */
#ifndef FOVEA_JSONC_H
#define FOVEA_JSONC_H

#include <stdbool.h>
#include <stddef.h>

/* One object: where it stands, and what a new member must know of the others. */
struct jsonc_object {
    size_t open, close;
    size_t first;    /* its first key; `close` when it has none */
    size_t last_end; /* behind its last value; behind `{` when it has none */
    bool found;      /* the key that was looked for, ... */
    size_t key, value, value_end; /* ... and its value */
};

/* The object at `open` and its member `key`. The text is known to be valid and plain, and ends with a NUL. */
struct jsonc_object jsonc_object(const char *t, size_t open, const char *key);

/* Behind the blanks at `at`. */
size_t jsonc_skip_blank(const char *t, size_t at);

/* Comments (and a byte order mark), then commas behind the last member: in place, in any text that ends with a NUL. */
void jsonc_blank_comments(char *t, size_t len);
void jsonc_blank_commas(char *t, size_t len);

#endif
