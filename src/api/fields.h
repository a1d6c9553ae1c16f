/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a tool's fields: what fits, and where it goes in a request. For the files that fill requests from JSON
 * (fields.c) and from words (fields_word.c). */
#ifndef FOVEA_FIELDS_H
#define FOVEA_FIELDS_H

#include "base/buf.h"
#include "fovea.h"

/* Appends what a field takes, in words: for refusals and faults. */
void field_add_takes(struct buf *b, const struct fovea_field *field);

bool field_has_choice(const struct fovea_field *field, const char *value);
int64_t field_string_max(const struct fovea_field *field);

/* Whether the member of a request that a C caller filled in is one that could have been parsed. Zero is the default and
 * always fits. */
bool field_fits(const struct fovea_field *field, const void *request);

/* Each puts a value in its place; false, and nothing changed, when it does not fit. */
void field_set_string(const struct fovea_field *field, const char *value, void *request);
bool field_set_integer(const struct fovea_field *field, int64_t value, void *request);
bool field_set_box(const struct fovea_field *field, const double v[4], void *request);
bool field_set_pages(const struct fovea_field *field, const struct fovea_pages *pages, void *request);
bool field_set_seconds(const struct fovea_field *field, double seconds, void *request);
void field_set_boolean(const struct fovea_field *field, bool value, void *request);

/* "3" and "1-6"; "83.5", "1:23.5" and "0:01:23.5". Locales have no say. */
bool pages_parse(const char *words, struct fovea_pages *ret);
bool seconds_parse(const char *words, double *ret);

#endif
