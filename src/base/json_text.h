/* SPDX-License-Identifier: Apache-2.0 */
/* JSON written straight into a buffer, where a tree of values would only be built to be thrown away. */
#ifndef FOVEA_JSON_TEXT_H
#define FOVEA_JSON_TEXT_H

#include "base/buf.h"

/* Appends s in quotes. It must be UTF-8; what is not becomes U+FFFD, so that the line is JSON whatever came in. */
int buf_add_json(struct buf *b, const char *s, size_t len);
int buf_add_json_str(struct buf *b, const char *s);

/* Of a double: so many digits always survive, so many always suffice. */
enum { REAL_SURE_DIGITS = 15, REAL_MOST_DIGITS = 17 };

/* Appends a number with the fewest digits that are read back as it, and a point or an exponent. With a point whatever the host's locale
 * writes: what is stored under one locale is read under another. It must be finite. */
int buf_add_real(struct buf *b, double v);
/* The same with no more digits than that, and as a whole number where it is one: for words. */
int buf_add_rounded(struct buf *b, double v, int digits);
/* The same with just so many digits behind the point. */
int buf_add_fixed(struct buf *b, double v, int decimals);

/* All digits of each, parted: for what is hashed. */
int buf_add_reals(struct buf *b, const double *v, size_t n, const char *between);

/* The number at the start of text, written with a point whatever the host's locale; as strtod besides. */
double real_read(const char *text, char **ret_end);

/* Appends the bytes in base64, without quotes. */
int buf_add_base64(struct buf *b, const void *data, size_t len);

#endif
