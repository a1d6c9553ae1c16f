/* SPDX-License-Identifier: Apache-2.0 */
/* The small languages within JSON Schema, row by row: formats, patterns, references, and schemas that are wrong in unusual ways. */
#include "test.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/limits.h"
#include "schema/schema_priv.h"

/* ---------------------------------------------------------------- formats */

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define WITH_NUL(s) s, sizeof s - 1

static const struct {
    const char *format, *text;
    size_t len; /* 0: all of it */
    bool good;
} texts[] = {
    {"hostname", "xn--a.example", 0, true},
    {"hostname", "xn--", 0, false},
    {"hostname", "ab--c", 0, false},
    {"hostname", "xa--c", 0, false},
    {"hostname", "a..b", 0, false},
    {"email", "\"a b\\\"\"@example.com", 0, true},
    {"email", "\"a\"b\"@example.com", 0, false},
    {"email", "\"a\\\"@example.com", 0, false},
    {"email", "\"a\tb\"@example.com", 0, false},
    {"email", "\"\xc3\xa9\"@example.com", 0, false},
    {"email", WITH_NUL("a\0b@example.com"), false},
    {"email", "a(b@example.com", 0, false},
    {"email", "a@[1.2.3.4", 0, false},
    {"email", "a@[IPv6:::1]", 0, true},
    {"email", "a@[1.2.3.4]", 0, true},
    {"email", "a@[1.2.3.4.5.6]", 0, false},
    {"email", "a@[1]", 0, false},
    {"email", A64 "a@example.com", 0, false},
    {"email", "nobody", 0, false},
    {"idn-email", "nobody", 0, false},
    {"idn-email", A64 "a@example.com", 0, false},
    {"idn-email", "\xff@example.com", 0, false},
    {"idn-email", "a..b@example.com", 0, false},
    {"idn-email", "\"\xc3\xa9\"@b\xc3\xbc\x63her.example", 0, true},
    {"idn-email", "a@b..c", 0, false},
    {"idn-email", "a@-b", 0, false},
    {"time", "12:34:5", 0, false},
    {"time", "12:34-56Z", 0, false},
    {"time", "12:3", 0, false},
    {"time", "12:34:56.Z", 0, false},
    {"time", "12:34:56+0100", 0, false},
    {"time", "12:34:56+01:x0", 0, false},
    {"time", "12:34:56z", 0, true},
    {"date-time", "2024-01-01t12:34:56Z", 0, true},
    {"date-time", "2024-01-01 12:34:56Z", 0, false},
    {"date-time", "2024-01-01T12:34:56Zx", 0, false},
    {"duration", WITH_NUL("P1\0"), false},
    {"duration", "P1", 0, false},
    {"uri", "http://[v1.a:b]/", 0, true},
    {"uri", "http://[v1]/", 0, false},
    {"uri", "http://[v.a]/", 0, false},
    {"uri", "http://[v1.]/", 0, false},
    {"uri", "http://[vg.a]/", 0, false},
    {"uri", "http://[v1./]/", 0, false},
    {"uri", "http://[v1.a@b]/", 0, false},
    {"uri", "http://[v1.%41]/", 0, false},
    {"uri", "http://[]/", 0, false},
    {"uri", "http://[::1/", 0, false},
    {"uri", "http://[::1]x/", 0, false},
    {"uri", "http://a:8x/", 0, false},
    {"uri", "http://a:8!/", 0, false},
    {"uri", "http://%zz@a/", 0, false},
    {"uri", "http://u:p@a:80/b?c#d", 0, true},
    {"uri", "{:a", 0, false},
    {"uri", "1a:b", 0, false},
    {"uri", ":b", 0, false},
    {"uri", "a_b:c", 0, false},
    {"uri", "a~b:c", 0, false},
    {"uri", "a*b:c", 0, false},
    {"uri", WITH_NUL("a\0b:c"), false},
    {"uri", WITH_NUL("a:b\0"), false},
    {"uri", "a:%4", 0, false},
    {"uri", "a:b?c d", 0, false},
    {"uri", "a:b#c d", 0, false},
    {"iri", "a:\xc3\xa9", 0, true},
    {"iri", "a:\xff", 0, false},
    {"uri-template", "{a.b,c:30,d*}", 0, true},
    {"uri-template", "{%41}", 0, true},
    {"uri-template", "{.a}", 0, true},
    {"uri-template", "{..a}", 0, false},
    {"uri-template", "{a..b}", 0, false},
    {"uri-template", "{a.}", 0, false},
    {"uri-template", "{%4}", 0, false},
    {"uri-template", "{%zz}", 0, false},
    {"uri-template", "{%4z}", 0, false},
    {"uri-template", "{a-b}", 0, false},
    {"uri-template", "{a~b}", 0, false},
    {"uri-template", "{a\xc3\xa9}", 0, false},
    {"uri-template", WITH_NUL("{a\0}"), false},
    {"uri-template", WITH_NUL("{\0}"), false},
    {"uri-template", "{a:}", 0, false},
    {"uri-template", "{a:0}", 0, false},
    {"uri-template", "{a:3!}", 0, false},
    {"uri-template", "{a:3x}", 0, false},
    {"uri-template", "{a:12345}", 0, false},
    {"uri-template", "{a*b}", 0, false},
    {"uri-template", "{}", 0, false},
    {"uri-template", "%4", 0, false},
    {"uri-template", "%zz", 0, false},
    {"uri-template", "%4z", 0, false},
};

TEST(formats_take_and_refuse_what_their_grammars_say)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        uint64_t cost;
        format_fn *valid = format_find(texts[i].format, &cost);
        size_t len = texts[i].len ? texts[i].len : strlen(texts[i].text);
        CHECK_MSG(valid && valid(texts[i].text, len) == texts[i].good, "%s: %s", texts[i].format, texts[i].text);
    }
}

/* ---------------------------------------------------------------- patterns */

static const struct {
    const char *pattern;
    size_t len;        /* 0: all of it */
    const char *words; /* of the refusal; NULL: it is right */
} patterns[] = {
    {"\\u{1F600}", 0, NULL},
    {"\\u{110000}", 0, "\\u without four digits"},
    {"\\u{}", 0, "\\u without four digits"},
    {"\\u{1234567}", 0, "\\u without four digits"},
    {"\\u{12x}", 0, "\\u without four digits"},
    {"\\u{12", 0, "\\u without four digits"},
    {"\\u", 0, "\\u without four digits"},
    {"\\u12", 0, "\\u without four digits"},
    {WITH_NUL("\\u12\0" "4"), "\\u without four digits"},
    {"\\u123\x14", 0, "\\u without four digits"}, /* a control character is no digit */
    {"\\u0041", 0, NULL},
    {"\\ue000", 0, NULL},
    {"\\udc00\\udc00", 0, "a lone surrogate"},
    {"\\ud800", 0, "a lone surrogate"},
    {"\\ud800xxxxxx", 0, "a lone surrogate"},
    {"\\ud800\\xxxxxx", 0, "a lone surrogate"},
    {"\\ud800\\u0041", 0, "half a surrogate pair"},
    {"\\ud800\\ue000", 0, "half a surrogate pair"},
    {"\\ud800\\uzzzz", 0, "half a surrogate pair"},
    {"\\p", 0, "\\p without a name in braces"},
    {"\\pL}", 0, "\\p without a name in braces"},
    {"\\p{L", 0, "\\p without a name in braces"},
    {"\\p{" A64 "}", 0, "\\p without a name in braces"},
    {"\\p{}", 0, "an unknown property"},
    {"\\p{^L}", 0, "an unknown property"},
    {"\\P{General_Category=Letter}", 0, NULL},
    {"(a)\\1", 0, NULL},
    {"(a)\\1b", 0, NULL},
    {"(a)\\10000", 0, NULL},
    {"\\k", 0, "\\k without a name"},
    {"\\kx>", 0, "\\k without a name"},
    {"\\k<x", 0, "\\k without a name"},
    {"\\x4", 0, "\\x without two digits"},
    {"\\c", 0, "\\c without a letter"},
    {"\\c1", 0, "\\c without a letter"},
    {"\\c{", 0, "\\c without a letter"},
    {"\\07", 0, "an octal escape"},
    {"\\0a", 0, NULL},
    {"\\0/", 0, NULL},
    {"\\b\\Ba[\\b]", 0, NULL},
    {"[\\B]", 0, "an unknown escape"},
    {"[\\1]", 0, "an unknown escape"},
    {"\\\xc3\xa9", 0, "an unknown escape"},
    {WITH_NUL("\\\0"), NULL},
    {"\\\t", 0, NULL},
    {"\\[\\}", 0, NULL},
    {"a\\", 0, "a backslash at the end"},
    {"(?<", 0, "an unknown kind of group"},
    {"(?", 0, "an unknown kind of group"},
    {"(?>abc)", 0, "an unknown kind of group"},
    {"a{2", 0, NULL},
    {"a{}", 0, NULL},
    {"a{2,,3}", 0, NULL},
    {"a{2,3,}", 0, NULL},
    {"a{,}", 0, NULL},
    {"a{999999}", 0, NULL},
    {"a{2}?b", 0, NULL},
    {WITH_NUL("a*\0"), NULL},
};

TEST(patterns_are_translated_or_refused_with_the_reason)
{
    for (size_t i = 0; i < COUNT(patterns); i++) {
        auto_buf out = BUF_INIT(LIMIT_SCHEMA_PATTERN);
        const char *words = NULL;
        size_t stride, len = patterns[i].len ? patterns[i].len : strlen(patterns[i].pattern);
        int r = ecma_translate(patterns[i].pattern, len, &out, &words, &stride);
        CHECK_MSG(r == (patterns[i].words ? -EINVAL : 0), "%s: %d %s", patterns[i].pattern, r, words);
        if (patterns[i].words)
            CHECK_STR(words, patterns[i].words);
    }
}

TEST(a_pattern_that_grows_too_long_is_refused)
{
    auto_buf out = BUF_INIT(8);
    const char *words = NULL;
    size_t stride;
    CHECK(ecma_translate("abcdefghijkl", 12, &out, &words, &stride) == -EINVAL);
    CHECK_STR(words, "is too long");
}

/* ---------------------------------------------------------------- references: RFC 3986, section 5.4, and paths without a scheme */

static const struct {
    const char *base, *ref, *whole;
} references[] = {
    {"http://a/b/c/d;p?q", "g:h", "g:h"},
    {"http://a/b/c/d;p?q", "g", "http://a/b/c/g"},
    {"http://a/b/c/d;p?q", "./g", "http://a/b/c/g"},
    {"http://a/b/c/d;p?q", "g/", "http://a/b/c/g/"},
    {"http://a/b/c/d;p?q", "/g", "http://a/g"},
    {"http://a/b/c/d;p?q", "//g", "http://g"},
    {"http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"},
    {"http://a/b/c/d;p?q", "#s", "http://a/b/c/d;p?q#s"},
    {"http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"},
    {"http://a/b/c/d;p?q", ".", "http://a/b/c/"},
    {"http://a/b/c/d;p?q", "..", "http://a/b/"},
    {"http://a/b/c/d;p?q", "../..", "http://a/"},
    {"http://a/b/c/d;p?q", "../../../g", "http://a/g"},
    {"http://a/b/c/d;p?q", "/./g", "http://a/g"},
    {"http://a/b/c/d;p?q", "/../g", "http://a/g"},
    {"http://a/b/c/d;p?q", ".g", "http://a/b/c/.g"},
    {"http://a/b/c/d;p?q", "a.", "http://a/b/c/a."},
    {"http://a/b/c/d;p?q", "g/../h", "http://a/b/c/h"},
    {"http://a/b/c/d;p?q", "g;x=1/./y", "http://a/b/c/g;x=1/y"},
    {"http://a/b/c/d;p?q", "x/.y", "http://a/b/c/x/.y"},
    {"http://a/b/c/d;p?q", "xy", "http://a/b/c/xy"},
    {"http://a", "b", "http://a/b"},
    {"", "./b", "b"},
    {"", "../b", "b"},
    {"", ".", ""},
    {"a", ":b", ":b"},
    {"a/b", "1x:c", "a/1x:c"},
    {"a/b", "c", "a/c"},
    {"", "http:", "http:"},
};

TEST(references_resolve_as_rfc_3986_says)
{
    for (size_t i = 0; i < COUNT(references); i++) {
        char *whole = NULL;
        CHECK(uri_resolve(references[i].base, references[i].ref, &whole) == 0);
        CHECK_MSG(whole && !strcmp(whole, references[i].whole), "%s + %s: got %s, want %s", references[i].base, references[i].ref,
                  whole, references[i].whole);
        free(whole);
    }
}

/* ---------------------------------------------------------------- whole schemas */

static const struct {
    const char *schema, *words; /* NULL: it is right */
} schemas[] = {
    {"{\"$anchor\":1}", "must be a name"},
    {"{\"$anchor\":\"\"}", "must be a name"},
    {"{\"$anchor\":\"a b\"}", "must be a name"},
    {"{\"$anchor\":\"1a\"}", "must be a name"},
    {"{\"$anchor\":\"-a\"}", "must be a name"},
    {"{\"$anchor\":\".a\"}", "must be a name"},
    {"{\"$anchor\":\"a\",\"$dynamicAnchor\":\"a\"}", NULL},
    {"{\"$id\":1}", "must be a URI"},
    {"{\"$id\":\"http://a/b#\"}", NULL},
    {"{\"$defs\":{\"a\":{\"$id\":\"http://a/b\"},\"b\":{\"$id\":\"http://a/b\"}}}", "is given twice"},
    {"{\"$defs\":{\"a\":{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}}}", NULL},
    {"{\"$ref\":\"#/%zz\"}", "is not a URI reference"},
    {"{\"$ref\":\"#/%4z\"}", "is not a URI reference"},
    {"{\"$ref\":\"#/%4\"}", "is not a URI reference"},
    {"{\"$ref\":\"#/%\"}", "is not a URI reference"},
    {"{\"$ref\":\"#/a%00b\"}", "is not a URI reference"},
    {"{\"$ref\":\"#/%14%11\"}", "leads nowhere"},
    {"{\"$ref\":\"#/%\\u00141\"}", "is not a URI reference"}, /* a control character is no digit */
    {"{\"$ref\":\"#/a~1b/~01/~2\",\"a/b\":{\"~1\":{\"~2\":{}}}}", NULL},
    {"{\"$ref\":\"#/x/00\",\"x\":[{}]}", "leads nowhere"},
    {"{\"$ref\":\"#/x/\",\"x\":[{}]}", "leads nowhere"},
    {"{\"$ref\":\"#/x/a\",\"x\":[{}]}", "leads nowhere"},
    {"{\"$ref\":\"#/x/1234567890\",\"x\":[{}]}", "leads nowhere"},
    {"{\"$ref\":\"#/x/7\",\"x\":[{}]}", "leads nowhere"},
    {"{\"$ref\":\"#/x\",\"x\":1}", "must be a schema"},
    {"{\"$ref\":\"https://json-schema.org/draft/2020-12/schema#\"}", NULL},
    {"{\"maxLength\":1.5}", "must be a whole number"},
    {"{\"maxLength\":1e300}", NULL},
    {"{\"maxLength\":2.0}", NULL},
    {"{\"dependentRequired\":{\"a\":1}}", "must hold lists of strings"},
    {"{\"dependentRequired\":1}", "must be an object"},
    {"{\"properties\":{\"a~b\":{\"minimum\":\"1\"}}}", "/properties/a~0b"},
    {"{\"$ref\":\"#/x/y\",\"x\":{\"y\":{\"minimum\":\"1\"}}}", "at \"/x/y\""},
};

TEST(unusual_schemas_are_taken_or_refused_with_the_reason)
{
    for (size_t i = 0; i < COUNT(schemas); i++) {
        struct schema *s = NULL;
        struct fovea_fault fault = {0};
        json_t *j = json_loads(schemas[i].schema, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        int r = schema_new(j, &(struct schema_options){0}, &s, &fault);
        CHECK_MSG(schemas[i].words ? r < 0 && strstr(fault.text, schemas[i].words) : r == 0, "%s: %d %s", schemas[i].schema, r, fault.text);
        schema_free(s);
        json_decref(j);
    }
}

TEST(long_identifiers_are_refused_as_such)
{
    static const char *const names[] = {"$id", "$ref"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct schema *s = NULL;
        struct fovea_fault fault = {0};
        char *uri = calloc(LIMIT_SCHEMA_URI + 2, 1);
        memset(uri, 'a', LIMIT_SCHEMA_URI + 1);
        json_t *j = json_pack("{s:s}", names[i], uri);
        CHECK(schema_new(j, &(struct schema_options){0}, &s, &fault) < 0);
        CHECK_MSG(strstr(fault.text, "is too long") != NULL, "%s: %s", names[i], fault.text);
        json_decref(j);
        free(uri);
    }
}

/* ---------------------------------------------------------------- numbers that no machine type holds exactly */

TEST(numbers_beyond_64_bits_compare_and_divide_exactly)
{
    static const struct {
        const char *schema, *value;
        int verdict;
    } numbers[] = {
        {"{\"maximum\":1e300}", "9223372036854775807", 0},
        {"{\"minimum\":1e300}", "9223372036854775807", 1},
        {"{\"minimum\":-1e300}", "-9223372036854775808", 0},
        {"{\"maximum\":-1e300}", "-9223372036854775808", 1},
        {"{\"multipleOf\":7}", "-14", 0},
        {"{\"multipleOf\":0.3}", "-0.9", 0},
        {"{\"multipleOf\":2}", "0.5", 1},
        {"{\"multipleOf\":2}", "1e-300", 1},
        {"{\"multipleOf\":2}", "0", 0},
        {"{\"multipleOf\":12}", "2.4e1", 0},
        {"{\"multipleOf\":0.1}", "0.30000000000000004", 1},
        {"{\"uniqueItems\":true}", "[1e300,1e300,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]", 1},
        {"{\"uniqueItems\":true}", "[-1e300,1e300,0.5,1.0,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]", 0},
    };
    for (size_t i = 0; i < COUNT(numbers); i++) {
        struct schema *s = NULL;
        struct fovea_fault fault = {0};
        struct schema_error e = {"", "", ""};
        json_t *schema = json_loads(numbers[i].schema, 0, NULL), *v = json_loads(numbers[i].value, JSON_DECODE_ANY, NULL);
        CHECK(schema_new(schema, &(struct schema_options){0}, &s, &fault) == 0);
        CHECK_MSG(schema_check(s, v, &e) == numbers[i].verdict, "%s with %s: %s", numbers[i].schema, numbers[i].value, e.text);
        schema_free(s);
        json_decref(schema);
        json_decref(v);
    }
}
