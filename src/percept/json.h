/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values that are released on every way out, and their text. */
#ifndef FOVEA_JSON_H
#define FOVEA_JSON_H

#include <jansson.h>

#include "base/cleanup.h"

static inline void json_decref_p(json_t **j)
{
    json_decref(*j);
}
#define auto_json cleanup(json_decref_p) json_t

/* A value on one line, numbers with no more digits than they need. NULL when out of memory. */
char *json_line_new(const json_t *value);

#endif
