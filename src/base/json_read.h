/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON text into jansson's values, copies of them and their text, that are whole or not there. jansson's own go on when memory is out,
 * and give a tree or a text that lacks bytes of strings, or members. The first call puts a watch before jansson's allocator (see
 * json_set_alloc_funcs); one that is set later is not watched.
 */
#ifndef FOVEA_JSON_READ_H
#define FOVEA_JSON_READ_H

#include <jansson.h>
#include <stddef.h>

/* As json_loadb. NULL: errno is ENOMEM, or EBADMSG when it is not JSON. */
json_t *json_read(const char *text, size_t len, size_t flags, json_error_t *error);

/* The same as json_copy and json_deep_copy. NULL (errno is ENOMEM) when a part would be missing. */
json_t *json_copy_whole(const json_t *value);
json_t *json_deep_copy_whole(const json_t *value);

/* The same as json_dumps, whose text can lack bytes too. The caller frees; NULL when out of memory. */
char *json_text_new(const json_t *value, size_t flags);

/* What was built, unless a step of it was bad (not 0): then it is let go of, and NULL. */
json_t *json_if_whole(json_t *value, int bad);

#endif
