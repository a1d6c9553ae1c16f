/* SPDX-License-Identifier: Apache-2.0 */
/* Any schema over any value: the bytes up to the middle are one, the rest the other. A verdict, or words. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "schema/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A line end nearest the middle parts them better than the middle itself: seeds can then be edited. */
static size_t middle(const uint8_t *data, size_t len)
{
    const uint8_t *line = len ? memchr(data, '\n', len) : NULL;
    return line ? (size_t)(line - data) : len / 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct schema_options options = {.formats = true};
    struct schema *s = NULL;
    struct fovea_fault fault = {0};
    struct schema_error error = {"", "", ""};
    size_t half = middle(data, len);
    json_t *document = json_loadb((const char *)data, half, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    json_t *value = json_loadb((const char *)data + half, len - half, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (document && schema_new(document, &options, &s, &fault))
        assert(fault.code < 0 && *fault.text && !s);
    if (s && value && schema_check(s, value, &error) == 1)
        assert(*error.keyword && *error.text);
    schema_free(s);
    json_decref(document);
    json_decref(value);
    return 0;
}
