/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON read in place, without a tree: values are spans of the text, and a string can be copied into other JSON as it stands,
 * quotes and escapes included. For text that was written by us and checked; what is not JSON ends the scan, and nothing is
 * ever read outside it. Depth is bounded by LIMIT_JSON_SCAN_DEPTH.
 */
#ifndef FOVEA_JSON_SCAN_H
#define FOVEA_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

/* A piece of the text; len 0: there is none. */
struct span {
    const char *at;
    size_t len;
};

/* The whole value at the start of text, blanks before it passed over. False when there is none. */
bool span_value(const char *text, size_t len, struct span *ret);

/* The members of an object, or the elements of an array (key is then empty), one after the other:
 *     struct span_walk w = span_enter(object);
 *     while (span_next(&w)) ... w.key, w.value ...
 * key is without its quotes and as written. bad: it ended because the text is not JSON. */
struct span_walk {
    const char *at, *end;
    char close; /* what ends it */
    bool bad, begun;
    struct span key, value;
};
struct span_walk span_enter(struct span value);
bool span_next(struct span_walk *w);

/* The same in one pass over what is nested: span_key stops before a value, which is then taken (span_take), or entered and left
 * again when its own walk has ended. */
bool span_key(struct span_walk *w);
bool span_take(struct span_walk *w);
struct span_walk span_inner(const struct span_walk *w); /* bad: what stands there is no object or array */
bool span_outer(struct span_walk *w, const struct span_walk *inner);

/* Whether the walk is over an object. */
static inline bool span_is_object(const struct span_walk *w)
{
    return w->close == '}';
}

/* The very bytes. Inline: the lengths of words that stand in the code are known when it is compiled. */
static inline bool span_equals(struct span s, const char *word, size_t len)
{
    return s.len == len && memcmp(s.at, word, len) == 0;
}
static inline bool span_is(struct span s, const char *word)
{
    return span_equals(s, word, strlen(word));
}

/* Whether it is one of the words; the list ends with NULL, and may be NULL itself. */
bool span_is_any(struct span s, const char *const *words);
/* The value of an object's member; empty when there is none. */
struct span span_member(struct span object, const char *name);
uint64_t span_hash(struct span s); /* FNV-1a */

bool span_is_string(struct span value);                  /* a JSON string */
struct span span_inside(struct span value);              /* a string without its quotes, as written; else empty */
bool span_int(struct span value, int64_t *ret);          /* an integer that fits */
bool span_true(struct span value);

/* Appends a string's text with its escapes resolved, as UTF-8. -EINVAL: no string. */
int span_text(struct span value, struct buf *to);
/* A copy of that; NULL when it is no string or memory is out. */
char *span_text_new(struct span value);

#endif
