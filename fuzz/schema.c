/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any schema over any value; the first line is one, the rest the other. A verdict or words, and the verdict is of what the value is,
 * not of how it is written: the same when both are written anew with their members in another order. (The official suite's verdicts are
 * tests/unit/schema_suite_test.c.)
 * about: src/schema/schema.c src/schema/check.c src/schema/keywords.c src/schema/format.c src/schema/uri.c
 */
#include "fuzz.h"

#include "schema/schema.h"

/* A line end nearest the middle parts them better than the middle itself: seeds can then be edited. */
static size_t middle(const uint8_t *data, size_t len)
{
    const uint8_t *line = len ? memchr(data, '\n', len) : NULL;
    return line ? (size_t)(line - data) : len / 2;
}

static json_t *load(const char *text, size_t len)
{
    return json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

/* Written with its members sorted, and read again. */
static json_t *rewritten(const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    json_t *again = text ? load(text, strlen(text)) : NULL;
    free(text);
    return again;
}

static int judge(const json_t *document, const json_t *value, bool *ret_schema)
{
    struct schema_options options = {.formats = true};
    struct schema *s = NULL;
    struct fovea_fault fault = {0};
    struct schema_error error = {"", "", ""};
    int r = schema_new(document, &options, &s, &fault);
    *ret_schema = r == 0;
    CLAIM(r == 0 ? s != NULL : fault.code < 0 && *fault.text && !s);
    if (r < 0)
        return r;
    r = schema_check(s, value, &error);
    CLAIM(r <= 1 && (r != 1 || (*error.keyword && *error.text)));
    CLAIM(schema_check(s, value, &error) == r);
    schema_free(s);
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t half = middle(data, len);
    json_t *document = load((const char *)data, half), *value = load((const char *)data + half, len - half);
    json_t *document2 = document ? rewritten(document) : NULL, *value2 = value ? rewritten(value) : NULL;
    bool one, two;
    if (document && value && document2 && value2) {
        int a = judge(document, value, &one), b = judge(document2, value2, &two);
        CLAIM(one == two);
        CLAIM(a < 0 || b < 0 || a == b);
    }
    json_decref(document);
    json_decref(value);
    json_decref(document2);
    json_decref(value2);
    return 0;
}
