/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON Schema draft 2020-12: jansson values in, a verdict out. Nothing is ever fetched: a reference leads into the
 * document, to the draft's own meta-schemas, or to what options.resolve gives. Schemas and instances may be hostile:
 * size, depth, steps and regular expressions are bounded by LIMIT_SCHEMA_* in base/limits.h.
 *
 * A schema whose $schema names another draft is refused rather than read with another meaning. Regular expressions are
 * ECMA-262's with the u flag, as far as PCRE2 can say them (a lookbehind must have a fixed length); identity escapes of
 * punctuation and lone braces are taken as themselves.
 */
#ifndef FOVEA_SCHEMA_H
#define FOVEA_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

#include "fovea.h"

struct schema; /* compiled: immutable, may be used from many threads at once */

struct schema_options {
    bool formats; /* "format" is judged, not only noted: see format.c for which */
    /* Other documents by their absolute URI, without fragment: a new reference or NULL. May be NULL. */
    json_t *(*resolve)(const char *uri, void *arg);
    void *arg;
};

/* Compiles a copy of document; options may be NULL. Faults: -EINVAL (the schema is wrong; the text names the place as a
 * JSON pointer, and the keyword), -E2BIG or -ELOOP (too large, too deep), -ENOMEM. */
int schema_new(const json_t *document, const struct schema_options *options, struct schema **ret,
               struct fovea_fault *fault);
void schema_free(struct schema *s);

struct schema_error {
    char pointer[256]; /* the place in the instance; cut when longer, "" is the whole */
    char keyword[64];
    char text[256]; /* what is wrong, in words that may be shown to a model */
};

/* 0: valid. 1: invalid, and the first error. Below 0 there is no verdict: -ELOOP (too deep, or a reference that leads to
 * itself), -E2BIG (too many steps), -ENOMEM. */
int schema_check(const struct schema *s, const json_t *instance, struct schema_error *ret_error);

#endif
