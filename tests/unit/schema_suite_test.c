/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Schema: every test of the public JSON-Schema-Test-Suite for draft 2020-12, with its remote documents. */
#include "test.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "percept/json.h"
#include "schema/schema.h"

#define SUITE "../shared/corpora/JSON-Schema-Test-Suite/"

static void schema_p(struct schema **s)
{
    schema_free(*s);
}

/* Optional tests that fail: of which file and group how many, and why. */
static const struct known {
    const char *file, *group;
    unsigned count;
    const char *why;
} left_out[] = {
    {"cross-draft.json", "refs to historic drafts are processed as historic drafts", 1, "only draft 2020-12 is known"},
    {"ecmascript-regex.json", "ECMA 262 lookbehind is valid, including variable width", 1,
     "PCRE2's lookbehind has a fixed length"},
    {"hostname.json", "validation of A-label (punycode) host names", 23, "no tables of IDNA: encoded labels are not decoded"},
    {"idn-hostname.json", "validation of internationalized host names", 42, "no tables of IDNA: an annotation only"},
    {"idn-hostname.json", "validation of separators in internationalized host names", 12, "the same"},
};

struct tally {
    unsigned passed, failed, known[COUNT(left_out)];
};

/* Numbers beyond 64 bits are read as reals, as whoever reads an answer must. */
static json_t *load(const char *path)
{
    json_t *j = json_load_file(path, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    return j ? j : json_load_file(path, JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
}

static json_t *remote(const char *uri, void *arg)
{
    static const char host[] = "http://localhost:1234/";
    char path[512];
    (void)arg;
    if (strncmp(uri, host, sizeof host - 1) || strstr(uri, ".."))
        return NULL;
    (void)snprintf(path, sizeof path, SUITE "remotes/%s", uri + sizeof host - 1);
    return load(path);
}

static bool is_left_out(struct tally *t, const char *file, const char *group)
{
    for (size_t i = 0; i < COUNT(left_out); i++)
        if (!strcmp(left_out[i].file, file) && !strcmp(left_out[i].group, group))
            return ++t->known[i];
    return false;
}

static void judge(struct tally *t, const char *file, const char *group, const json_t *test, const struct schema *s,
                  const char *fault)
{
    const char *name = json_string_value(json_object_get(test, "description"));
    bool valid = json_is_true(json_object_get(test, "valid"));
    struct schema_error error = {"", "", ""};
    int got = s ? schema_check(s, json_object_get(test, "data"), &error) : -1;
    if (got == !valid && (valid || *error.keyword)) {
        t->passed++;
    } else if (!is_left_out(t, file, group)) {
        t->failed++;
        CHECK_MSG(false, "%s: %s: %s: got %d, want %d (%s%s)", file, group, name, got, !valid, s ? error.keyword : fault,
                  error.text);
    }
}

static void run_file(const char *folder, const char *file, bool formats, struct tally *t)
{
    char path[512];
    struct schema_options options = {.formats = formats, .resolve = remote};
    size_t i, k;
    json_t *group, *test;
    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    auto_json *groups = load(path);
    CHECK_MSG(groups != NULL, "%s cannot be read", path);
    json_array_foreach(groups, i, group) {
        cleanup(schema_p) struct schema *s = NULL;
        struct fovea_fault fault = {0};
        (void)schema_new(json_object_get(group, "schema"), &options, &s, &fault);
        json_array_foreach(json_object_get(group, "tests"), k, test)
            judge(t, file, json_string_value(json_object_get(group, "description")), test, s, fault.text);
    }
}

/* Every .json file of the folder; false when there is none. */
static bool run_folder(const char *folder, bool formats, struct tally *t)
{
    DIR *d = opendir(folder);
    if (!d)
        return false;
    for (struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n > 5 && !strcmp(e->d_name + n - 5, ".json"))
            run_file(folder, e->d_name, formats, t);
    }
    (void)closedir(d);
    return true;
}

TEST(every_required_test_of_draft_2020_12_passes)
{
    struct tally t = {0};
    if (!run_folder(SUITE "tests/draft2020-12", false, &t))
        SKIP("../shared/corpora has no JSON-Schema-Test-Suite");
    printf("# required: %u passed, %u failed\n", t.passed, t.failed);
    CHECK(t.passed > 1000);
}

TEST(optional_tests_pass_but_for_those_known)
{
    struct tally t = {0};
    if (!run_folder(SUITE "tests/draft2020-12/optional", false, &t))
        SKIP("../shared/corpora has no JSON-Schema-Test-Suite");
    (void)run_folder(SUITE "tests/draft2020-12/optional/format", true, &t);
    unsigned known = 0;
    for (size_t i = 0; i < COUNT(left_out); i++) {
        known += t.known[i];
        CHECK_MSG(t.known[i] == left_out[i].count, "%s: %s: %u fail, %u are known (%s)", left_out[i].file,
                  left_out[i].group, t.known[i], left_out[i].count, left_out[i].why);
    }
    printf("# optional: %u passed, %u known to fail, %u failed\n", t.passed, known, t.failed);
}
