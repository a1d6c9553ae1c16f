/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any schema over any value; the first line is one, the rest the other. A verdict or words, and the verdict is of what the value is,
 * not of how it is written: the same when both are written anew with their members in another order, the same within allOf and the
 * other one within not. Where ../shared has the official suite, "@" and a number stand for a schema of it, so that its schemas are
 * judged over any value; and before anything else its own cases (the required ones, but for those that need other documents) must have
 * the suite's verdicts, as they are and in each of those forms. Without it those inputs say nothing, and a folder that lacks most of it
 * fails. (All of the suite as it is, with the optional cases, is tests/unit/schema_suite_test.c.)
 * about: src/schema/make.c src/schema/compile.c src/schema/refs.c src/schema/walk.c src/schema/check.c src/schema/check_apply.c
 *   src/schema/check_array.c src/schema/check_object.c src/schema/check_value.c src/schema/keywords.c src/schema/equal.c src/schema/number.c
 *   src/schema/pattern.c src/schema/ecma.c src/schema/format.c src/schema/format_time.c src/schema/format_uri.c src/schema/uri.c
 */
#include "fuzz.h"

#include <dirent.h>

#include "base/cleanup.h"
#include "schema/schema.h"

#define SUITE "../shared/corpora/JSON-Schema-Test-Suite/tests/draft2020-12"
enum { LEAST_SCHEMAS = 300, MOST_SCHEMAS = 1024 };
static json_t *suite[MOST_SCHEMAS];
static size_t suite_n;

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

/* The verdict: 0 valid, 1 not, below 0 none. */
static int judge(const json_t *document, const json_t *value, bool formats, bool *ret_schema)
{
    struct schema_options options = {.formats = formats};
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

/* Whether it says the same within another: names and references count from the top. */
static bool can_move(const json_t *document)
{
    char *text = json_dumps(document, JSON_ENCODE_ANY);
    bool can = text && !strchr(text, '$');
    free(text);
    return can;
}

static void check_within(const json_t *document, const json_t *value, bool formats, int verdict)
{
    json_t *all = json_pack("{s:[O]}", "allOf", document), *none = json_pack("{s:O}", "not", document);
    bool fine;
    CLAIM(all && none);
    int a = judge(all, value, formats, &fine);
    CLAIM(!fine || a < 0 || a == verdict);
    int b = judge(none, value, formats, &fine);
    CLAIM(!fine || b < 0 || b == !verdict);
    json_decref(all);
    json_decref(none);
}

/* In every form that it can have; the verdict. */
static int check(const json_t *document, const json_t *value, bool formats)
{
    json_t *document2 = rewritten(document), *value2 = rewritten(value);
    bool one, two;
    int a = judge(document, value, formats, &one);
    if (document2 && value2) {
        int b = judge(document2, value2, formats, &two);
        CLAIM(one == two);
        CLAIM(a < 0 || b < 0 || a == b);
    }
    if (a >= 0 && can_move(document))
        check_within(document, value, formats, a);
    json_decref(document2);
    json_decref(value2);
    return a;
}

/* ---------------------------------------------------------------- the suite */

/* Documents that the suite serves, and drafts that are not ours. */
static bool is_alone(const json_t *document)
{
    char *text = json_dumps(document, JSON_ENCODE_ANY | JSON_COMPACT);
    bool alone = text && !strstr(text, "localhost:1234");
    free(text);
    return alone;
}

static void take_file(const char *name)
{
    char path[512];
    size_t i, k;
    json_t *group, *test;
    (void)snprintf(path, sizeof path, SUITE "/%s", name);
    json_t *groups = json_load_file(path, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    json_array_foreach(groups, i, group) {
        json_t *document = json_object_get(group, "schema");
        if (!is_alone(document) || suite_n == MOST_SCHEMAS)
            continue;
        json_array_foreach(json_object_get(group, "tests"), k, test) {
            int verdict = check(document, json_object_get(test, "data"), false);
            CLAIM(verdict == !json_is_true(json_object_get(test, "valid")));
        }
        suite[suite_n++] = json_incref(document);
    }
    json_decref(groups);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct dirent **files = NULL;
    int n = scandir(SUITE, &files, NULL, alphasort);
    (void)argc;
    (void)argv;
    if (n < 0)
        (void)fprintf(stderr, "skipped: the official suite of schemas is not in ../shared\n");
    for (int i = 0; i < n; i++) {
        size_t len = strlen(files[i]->d_name);
        if (len > 5 && !strcmp(files[i]->d_name + len - 5, ".json"))
            take_file(files[i]->d_name);
        free(files[i]);
    }
    free(files);
    CLAIM(n < 0 || suite_n >= LEAST_SCHEMAS);
    return 0;
}

/* ---------------------------------------------------------------- */

static json_t *document_of(const char *text, size_t len)
{
    char number[8] = "";
    if (!len || text[0] != '@')
        return load(text, len);
    memcpy(number, text + 1, MIN(len - 1, sizeof number - 1));
    return suite_n ? json_incref(suite[strtoul(number, NULL, 10) % suite_n]) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t half = middle(data, len);
    json_t *document = document_of((const char *)data, half), *value = load((const char *)data + half, len - half);
    if (document && value)
        (void)check(document, value, true);
    json_decref(document);
    json_decref(value);
    return 0;
}
