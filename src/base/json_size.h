/* SPDX-License-Identifier: Apache-2.0 */
/* How large JSON from outside would become, before anything is built of it: a value costs memory whatever its length, so
 * that a few megabytes of "{}," are a gigabyte as a tree. */
#ifndef FOVEA_JSON_SIZE_H
#define FOVEA_JSON_SIZE_H

#include <stdbool.h>
#include <stddef.h>

struct json_size {
    size_t values;  /* at least one for each but the first of an array or object; an empty one counts once more */
    unsigned depth; /* of arrays and objects */
};

/* By brackets, commas and quotes alone: the text need not be JSON. Ends early with what was counted when one of the two
 * passes its ceiling. */
struct json_size json_measure(const char *text, size_t len, size_t max_values, unsigned max_depth);

/* Whether the text has no more values than that. */
bool json_fits(const char *text, size_t len, size_t max_values);

/* Where the string that begins at at, behind its quote, has ended: behind its other quote, or at len. */
size_t json_string_end(const char *text, size_t len, size_t at);

#endif
