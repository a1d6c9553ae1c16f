/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values that are released on every way out. */
#ifndef FOVEA_JSON_H
#define FOVEA_JSON_H

#include <jansson.h>

#include "base/cleanup.h"

static inline void json_decref_p(json_t **j)
{
    json_decref(*j);
}
#define auto_json cleanup(json_decref_p) json_t

#endif
