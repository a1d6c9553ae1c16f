/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: checking it, and showing hostile bytes in words without letting them act. Copies of text. */
#ifndef FOVEA_TEXT_H
#define FOVEA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Decodes one character. Returns its length in bytes (1..4), or 0 when s does not start with valid UTF-8. */
size_t utf8_decode(const char *s, size_t len, uint32_t *ret_char);

/* How many bytes of s, from its start, are valid UTF-8. A character cut off by the end does not count. */
size_t utf8_valid_prefix(const char *s, size_t len);
bool utf8_valid(const char *s, size_t len);

/* Writes one character, 1 to 4 bytes; returns how many. */
size_t utf8_encode(uint32_t c, char out[4]);

/* Appends one character. */
int buf_add_char(struct buf *b, uint32_t c);

/* True of what could change how the text around it is read or shown: controls, overrides, most of what is invisible. */
bool char_acts(uint32_t c);

/* Appends one that acts so that it only shows: \n, \u202e. */
int buf_add_char_shown(struct buf *b, uint32_t c);

/*
 * Appends s as it may stand in a message: control characters, bidirectional overrides and invalid bytes become \n,
 * \u202e, \xff. Long ones are cut in the middle of nothing: at most max characters, then an ellipsis.
 */
int buf_add_shown(struct buf *b, const char *s, size_t max);

/* A copy, where there is something; NULL of NULL, and when memory is out. */
char *copy_new(const char *s);

#endif
