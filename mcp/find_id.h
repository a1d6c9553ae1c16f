/* SPDX-License-Identifier: Apache-2.0 */
/* The id of a message that cannot be read otherwise, because it is broken or too long to be kept: whoever waits for its
 * answer is owed one. The text may come in pieces; nothing of it is kept but the id. */
#ifndef FOVEA_MCP_FIND_ID_H
#define FOVEA_MCP_FIND_ID_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"

/* Starts as zero. */
struct id_finder {
    size_t depth;
    bool object;             /* the outermost value is one */
    bool in_string, escaped; /* the next character is within one; and behind a backslash */
    bool key;                /* a string that comes now, at depth 1, is a key */
    char name[4];            /* of that key, the beginning, and how long it is */
    size_t n_name;
    bool taking, found;             /* the id's value is coming; is there */
    char value[6 * LIMIT_MCP_ID + 2]; /* as JSON; each character may be an escape */
    size_t n_value;
};

/* Looks at the next piece of the text. */
void id_finder_take(struct id_finder *f, const char *text, size_t len);

/* The message's own id, an integer or a string of at most LIMIT_MCP_ID bytes (the caller drops it); NULL: none was found. */
json_t *id_finder_id(const struct id_finder *f);

/* Whether an id is one that can be sent back. */
bool id_fits(const json_t *id);

#endif
