/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Schema: each keyword by a good and a bad value, wrong schemas by their words, and every limit. */
#include "test.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "percept/json.h"
#include "schema/schema.h"

static void schema_p(struct schema **s)
{
    schema_free(*s);
}
#define auto_schema cleanup(schema_p) struct schema

static json_t *parse(const char *text)
{
    return json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

static struct schema *compile(const char *text, bool formats)
{
    struct schema_options options = {.formats = formats};
    struct schema *s = NULL;
    struct fovea_fault fault = {0};
    auto_json *j = parse(text);
    CHECK_MSG(j && !schema_new(j, &options, &s, &fault), "%s: %s", text, fault.text);
    return s;
}

static int verdict(const char *schema, const char *value, struct schema_error *ret_error)
{
    auto_schema *s = compile(schema, true);
    auto_json *j = parse(value);
    CHECK_MSG(j != NULL, "%s", value);
    return s && j ? schema_check(s, j, ret_error) : -1;
}

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---------------------------------------------------------------- keywords */

static const struct {
    const char *schema, *good, *bad, *keyword, *pointer;
} rows[] = {
    {"true", "1", NULL, NULL, NULL},
    {"{}", "null", NULL, NULL, NULL},
    {"{\"not\":{}}", NULL, "1", "not", ""},
    {"{\"type\":\"integer\"}", "1.0", "1.5", "type", ""},
    {"{\"type\":[\"string\",\"null\"]}", "null", "true", "type", ""},
    {"{\"const\":{\"a\":[1]}}", "{\"a\":[1.0]}", "{\"a\":[2]}", "const", ""},
    {"{\"enum\":[1,\"x\",null]}", "\"x\"", "false", "enum", ""},
    {"{\"multipleOf\":0.01}", "19.99", "19.995", "multipleOf", ""},
    {"{\"multipleOf\":0.5}", "1e308", "0.25", "multipleOf", ""},
    {"{\"multipleOf\":3}", "9223372036854775806", "9223372036854775807", "multipleOf", ""},
    {"{\"maximum\":9007199254740993}", "9007199254740993", "9007199254740994", "maximum", ""},
    {"{\"maximum\":9007199254740992.0}", "9007199254740992", "9007199254740993", "maximum", ""},
    {"{\"exclusiveMaximum\":3}", "2.9", "3.0", "exclusiveMaximum", ""},
    {"{\"minimum\":-1.5}", "-1", "-2", "minimum", ""},
    {"{\"exclusiveMinimum\":0}", "1e-300", "0.0", "exclusiveMinimum", ""},
    {"{\"maxLength\":2}", "\"\\ud83d\\udca9\\ud83d\\udca9\"", "\"abc\"", "maxLength", ""},
    {"{\"minLength\":2.0}", "\"ab\"", "\"\\ud83d\\udca9\"", "minLength", ""},
    {"{\"pattern\":\"^a+$\"}", "\"aa\"", "\"aa\\n\"", "pattern", ""},
    {"{\"maxItems\":1}", "[1]", "[1,2]", "maxItems", ""},
    {"{\"minItems\":1}", "[1]", "[]", "minItems", ""},
    {"{\"uniqueItems\":true}", "[1,true,\"1\",[1],{\"a\":1,\"b\":2}]", "[{\"a\":1,\"b\":2},{\"b\":2.0,\"a\":1}]", "uniqueItems", ""},
    {"{\"contains\":{\"const\":1}}", "[0,1]", "[0]", "contains", ""},
    {"{\"contains\":{\"const\":1},\"maxContains\":1}", "[1,0]", "[1,1]", "maxContains", ""},
    {"{\"contains\":{\"const\":1},\"minContains\":2}", "[1,1]", "[1]", "minContains", ""},
    {"{\"prefixItems\":[{\"type\":\"null\"}],\"items\":{\"type\":\"string\"}}", "[null,\"a\"]", "[null,\"a\",1]", "type", "/2"},
    {"{\"prefixItems\":[true],\"unevaluatedItems\":false}", "[1]", "[1,2]", "unevaluatedItems", "/1"},
    {"{\"maxProperties\":1}", "{\"a\":1}", "{\"a\":1,\"b\":1}", "maxProperties", ""},
    {"{\"minProperties\":1}", "{\"a\":1}", "{}", "minProperties", ""},
    {"{\"required\":[\"a\"]}", "{\"a\":1}", "{\"b\":1}", "required", ""},
    {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"b\":1}", "{\"a\":1}", "dependentRequired", ""},
    {"{\"dependentSchemas\":{\"a\":{\"minProperties\":2}}}", "{\"b\":1}", "{\"a\":1}", "minProperties", ""},
    {"{\"properties\":{\"a/b~\":{\"type\":\"null\"}}}", "{\"a\":1}", "{\"a/b~\":1}", "type", "/a~1b~0"},
    {"{\"patternProperties\":{\"^x\":{\"type\":\"null\"}}}", "{\"y\":1}", "{\"x1\":1}", "type", "/x1"},
    {"{\"properties\":{\"a\":true},\"patternProperties\":{\"^x\":true},\"additionalProperties\":false}", "{\"a\":1,\"x\":2}",
     "{\"b\":1}", "additionalProperties", "/b"},
    {"{\"propertyNames\":{\"maxLength\":1}}", "{\"a\":1}", "{\"ab\":1}", "maxLength", "/ab"},
    {"{\"allOf\":[{\"properties\":{\"a\":true}}],\"unevaluatedProperties\":false}", "{\"a\":1}", "{\"b\":1}",
     "unevaluatedProperties", "/b"},
    {"{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":\"number\"}},\"maximum\":3}", "3", "4", "maximum", ""},
    {"{\"$ref\":\"#n\",\"$defs\":{\"x\":{\"$anchor\":\"n\",\"type\":\"number\"}}}", "3", "\"3\"", "type", ""},
    {"{\"$dynamicRef\":\"#n\",\"$defs\":{\"x\":{\"$dynamicAnchor\":\"n\",\"type\":\"number\"}}}", "3", "\"3\"", "type", ""},
    {"{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}", "{\"items\":{\"minimum\":1}}",
     "{\"items\":{\"minimum\":\"1\"}}", "type", "/items/minimum"},
    {"{\"allOf\":[{\"minimum\":1},{\"maximum\":2}]}", "2", "3", "maximum", ""},
    {"{\"anyOf\":[{\"minimum\":2},{\"maximum\":1}]}", "1", "1.5", "anyOf", ""},
    {"{\"oneOf\":[{\"minimum\":1},{\"maximum\":2}]}", "3", "1.5", "oneOf", ""},
    {"{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":1},\"else\":{\"minimum\":1}}", "1", "0", "minimum", ""},
    {"{\"format\":\"date\"}", "\"2024-02-29\"", "\"2023-02-29\"", "format", ""},
    {"{\"format\":\"ipv6\"}", "\"::ffff:1.2.3.4\"", "\"1::2::3\"", "format", ""},
    {"{\"items\":{\"properties\":{\"n\":{\"type\":\"integer\"}}}}", "[{\"n\":1}]", "[{},{\"n\":\"x\"}]", "type", "/1/n"},
};

TEST(each_keyword_takes_the_good_and_names_place_and_keyword_of_the_bad)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct schema_error e = {"", "", ""};
        if (rows[i].good)
            CHECK_MSG(verdict(rows[i].schema, rows[i].good, &e) == 0, "%s with %s: %s", rows[i].schema, rows[i].good, e.text);
        if (!rows[i].bad)
            continue;
        CHECK_MSG(verdict(rows[i].schema, rows[i].bad, &e) == 1, "%s with %s", rows[i].schema, rows[i].bad);
        CHECK_STR(e.keyword, rows[i].keyword);
        CHECK_STR(e.pointer, rows[i].pointer);
        CHECK(*e.text);
    }
}

TEST(errors_say_what_would_be_right)
{
    static const struct {
        const char *schema, *value, *words;
    } table[] = {
        {"{\"type\":\"string\"}", "1", "must be of type string, is integer"},
        {"{\"type\":[\"string\",\"null\"]}", "1.5", "must be of one of the types [\"string\",\"null\"], is number"},
        {"{\"enum\":[\"a\",\"b\"]}", "1", "must be one of [\"a\",\"b\"]"},
        {"{\"const\":3}", "4", "must be 3"},
        {"{\"minimum\":0.5}", "0", "must be at least 0.5"},
        {"{\"pattern\":\"^[A-Z]+$\"}", "\"a\"", "does not match the pattern ^[A-Z]+$"},
        {"{\"required\":[\"total\"]}", "{}", "property \"total\" is missing"},
        {"{\"anyOf\":[false,{\"required\":[\"a\"]}]}", "{}", "fits none of the 2 schemas"},
        {"false", "1", "nothing is allowed here"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct schema_error e = {"", "", ""};
        CHECK(verdict(table[i].schema, table[i].value, &e) == 1);
        CHECK_STR(e.text, table[i].words);
    }
}

TEST(formats_are_annotations_unless_asked_for)
{
    auto_schema *s = compile("{\"format\":\"ipv4\"}", false);
    auto_json *j = parse("\"300.1.1.1\"");
    CHECK(schema_check(s, j, NULL) == 0);
    CHECK(verdict("{\"format\":\"ipv4\"}", "\"300.1.1.1\"", NULL) == 1);
    CHECK(verdict("{\"format\":\"of-my-own\"}", "\"x\"", NULL) == 0);
}

/* ---------------------------------------------------------------- regular expressions */

TEST(patterns_mean_what_ecma_262_says)
{
    static const struct {
        const char *pattern, *text;
        bool match;
    } table[] = {
        {"^\\\\d$", "\\u0663", false},       {"^\\\\w$", "\\u00e9", false},      {"^\\\\s$", "\\ufeff", true},
        {"^[\\\\s]$", "\\u2003", true},      {"^[\\\\S]$", "\\u2003", false},    {"^[^\\\\S]$", "\\u2003", true},
        {"^.$", "\\u2028", false},           {"^.$", "\\ud83d\\udca9", true},    {"^\\\\u{1f4a9}$", "\\ud83d\\udca9", true},
        {"^\\\\ud83d\\\\udca9$", "\\ud83d\\udca9", true},                        {"^\\\\v$", "\\u000b", true},
        {"^[[:alpha:]\\\\]$", "[]", true},    {"^\\\\p{Lu}$", "\\u00c9", true},   {"^\\\\p{Script=Greek}$", "\\u03b1", true},
        {"^\\\\p{gc=Nd}$", "5", true},       {"^(a)\\\\1$", "aa", true},         {"^(?<x>a)\\\\k<x>$", "aa", true},
        {"^(?:(a)|b)\\\\1$", "b", true},     {"^[^]$", "\\n", true},             {"[]", "a", false},
        {"^\\\\cJ$", "\\n", true},           {"^\\\\/$", "/", true},             {"^a{,2}$", "a{,2}", true},
        {"^\\\\0$", "\\u0000", true},        {"(?<=b)a", "ba", true},            {"^\\\\x41$", "A", true},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        char schema[128], text[64];
        (void)snprintf(schema, sizeof schema, "{\"pattern\":\"%s\"}", table[i].pattern);
        (void)snprintf(text, sizeof text, "\"%s\"", table[i].text);
        CHECK_MSG(verdict(schema, text, NULL) == !table[i].match, "%s with %s", schema, text);
    }
}

/* ---------------------------------------------------------------- wrong schemas */

TEST(a_wrong_schema_is_refused_with_place_and_keyword)
{
    static const struct {
        const char *schema, *words;
    } table[] = {
        {"1", "a schema must be an object or a boolean"},
        {"{\"type\":\"strin\"}", "schema keyword \"type\" at \"\" must be null"},
        {"{\"properties\":{\"a/b\":{\"minimum\":\"1\"}}}", "\"minimum\" at \"/properties/a~1b\" must be a number"},
        {"{\"allOf\":[true,{\"not\":3}]}", "\"not\" at \"/allOf/1\" must be a schema"},
        {"{\"items\":[{}]}", "\"items\" at \"\" must be a schema"},
        {"{\"anyOf\":[]}", "\"anyOf\" at \"\" must be a list of at least one schema"},
        {"{\"maxLength\":-1}", "\"maxLength\" at \"\" must be a whole number"},
        {"{\"multipleOf\":0}", "\"multipleOf\" at \"\" must be a number above 0"},
        {"{\"required\":[1]}", "\"required\" at \"\" must be a list of strings"},
        {"{\"$ref\":\"#/$defs/x\"}", "\"$ref\" at \"\" leads nowhere: '#/$defs/x'"},
        {"{\"$ref\":\"#x\"}", "names no anchor"},
        {"{\"$ref\":\"http://example.com/x\"}", "leads out of the schema, and nothing is fetched: 'http://example.com/x'"},
        {"{\"$ref\":\"file:///etc/passwd\"}", "nothing is fetched"},
        {"{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}", "only draft 2020-12 is known"},
        {"{\"$id\":\"a#b\"}", "without a fragment"},
        {"{\"$defs\":{\"a\":{\"$anchor\":\"x\"},\"b\":{\"$anchor\":\"x\"}}}", "\"$anchor\" at \"/$defs/b\" is given twice"},
        {"{\"pattern\":\"(\"}", "\"pattern\" at \"\" has a regular expression that is wrong"},
        {"{\"pattern\":\"(?i)a\"}", "an unknown kind of group"},
        {"{\"pattern\":\"(*UTF)a\"}", "nothing to repeat"},
        {"{\"pattern\":\"a++\"}", "nothing to repeat"},
        {"{\"pattern\":\"\\\\Aa\"}", "an unknown escape"},
        {"{\"patternProperties\":{\"[\":true}}", "a class without"},
        {"{\"$ref\":\"#/x/0\",\"x\":[{\"not\":{\"minimum\":\"1\"}}]}", "\"minimum\" at \"/x/0/not\" must be a number"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct schema *s = NULL;
        struct fovea_fault fault = {0};
        auto_json *j = parse(table[i].schema);
        CHECK_MSG(schema_new(j, NULL, &s, &fault) == -EINVAL && !s, "%s", table[i].schema);
        CHECK_MSG(strstr(fault.text, table[i].words) != NULL, "%s: '%s'", table[i].schema, fault.text);
    }
}

/* ---------------------------------------------------------------- limits */

static json_t *nested(unsigned depth)
{
    json_t *j = json_array();
    while (depth--)
        j = json_pack("[o]", j);
    return j;
}

TEST(depth_is_bounded_in_schema_instance_and_equality)
{
    struct schema *s = NULL;
    struct fovea_fault fault = {0};
    auto_buf deep = BUF_INIT(1 * MIB);
    for (unsigned i = 0; i < 1000; i++)
        (void)buf_add_str(&deep, "{\"not\":");
    (void)buf_add_str(&deep, "{}");
    for (unsigned i = 0; i < 1000; i++)
        (void)buf_add_str(&deep, "}");
    auto_json *schema = parse(deep.data);
    CHECK(schema_new(schema, NULL, &s, &fault) == -ELOOP && strstr(fault.text, "deep"));

    auto_json *value = nested(1500);
    auto_schema *recursive = compile("{\"items\":{\"$ref\":\"#\"}}", false);
    CHECK(schema_check(recursive, value, NULL) == -ELOOP);
    auto_schema *unique = compile("{\"uniqueItems\":true}", false);
    CHECK(schema_check(unique, value, NULL) == -ELOOP);
}

TEST(a_reference_that_leads_to_itself_ends)
{
    CHECK(verdict("{\"$ref\":\"#\"}", "1", NULL) == -ELOOP);
    CHECK(verdict("{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"$ref\":\"#/$defs/a\"}}}", "1",
                  NULL) == -ELOOP);
    CHECK(verdict("{\"$dynamicAnchor\":\"x\",\"not\":{\"$dynamicRef\":\"#x\"}}", "1", NULL) == -ELOOP);
}

/* Each definition applies the next one twice: 2^60 evaluations. */
TEST(a_schema_of_exponential_work_ends_in_bounded_time)
{
    auto_buf b = BUF_INIT(64 * KIB);
    (void)buf_add_str(&b, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{\"d60\":true");
    for (unsigned i = 0; i < 60; i++)
        (void)buf_add_format(&b, ",\"d%u\":{\"allOf\":[{\"$ref\":\"#/$defs/d%u\"},{\"$ref\":\"#/$defs/d%u\"}]}", i, i + 1, i + 1);
    (void)buf_add_str(&b, "}}");
    double start = seconds();
    CHECK(verdict(b.data, "1", NULL) == -E2BIG);
    CHECK_MSG(seconds() - start < 10, "%.1f s", seconds() - start);
}

static int match_long(const char *schema, char c, size_t n)
{
    auto_schema *s = compile(schema, false);
    auto_free char *text = malloc(n + 1);
    memset(text, c, n);
    text[n] = '\0';
    auto_json *j = json_string(text);
    return schema_check(s, j, NULL);
}

TEST(catastrophic_patterns_end_in_bounded_time)
{
    double start = seconds();
    CHECK(match_long("{\"pattern\":\"^(a+)+[bc]$\"}", 'a', 40) == -E2BIG);
    CHECK(match_long("{\"pattern\":\"^(a|a)*[bc]$\"}", 'a', 60) == -E2BIG);
    CHECK(match_long("{\"pattern\":\"[ab]*[cd]\"}", 'a', 1000000) == -E2BIG); /* quadratic */
    CHECK(match_long("{\"pattern\":\"[ab]{60000}[cd]\"}", 'a', 1000000) == -E2BIG);
    CHECK(match_long("{\"pattern\":\"([ab]*)\\\\1x?[cd]\"}", 'a', 1000000) == -E2BIG);
    CHECK(match_long("{\"pattern\":\"^[a-z]+$\"}", 'a', 1000000) == 0);
    CHECK(match_long("{\"pattern\":\"^(?:a|b)*$\"}", 'a', 100000) == 0);
    CHECK_MSG(seconds() - start < 30, "%.1f s", seconds() - start);
}

TEST(uniqueness_of_many_items_is_quick)
{
    auto_schema *s = compile("{\"uniqueItems\":true}", false);
    auto_json *j = json_array();
    for (int i = 0; i < 200000; i++)
        (void)json_array_append_new(j, json_pack("[i,s]", i, "x"));
    struct schema_error e = {"", "", ""};
    double start = seconds();
    CHECK(schema_check(s, j, &e) == 0);
    (void)json_array_append_new(j, json_pack("[f,s]", 77.0, "x"));
    CHECK(schema_check(s, j, &e) == 1);
    CHECK_STR(e.text, "items 77 and 200000 are equal");
    CHECK_MSG(seconds() - start < 10, "%.1f s", seconds() - start);
}

TEST(size_and_identifiers_of_a_schema_are_bounded)
{
    struct schema *s = NULL;
    struct fovea_fault fault = {0};
    auto_json *values = json_pack("{s:[]}", "enum");
    for (int i = 0; i <= LIMIT_SCHEMA_VALUES; i++)
        (void)json_array_append_new(json_object_get(values, "enum"), json_integer(i));
    CHECK(schema_new(values, NULL, &s, &fault) == -E2BIG && strstr(fault.text, "values"));

    auto_json *names = json_pack("{s:[]}", "allOf");
    for (int i = 0; i <= LIMIT_SCHEMA_NAMES; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "a%d", i);
        (void)json_array_append_new(json_object_get(names, "allOf"), json_pack("{s:s}", "$anchor", name));
    }
    CHECK(schema_new(names, NULL, &s, &fault) == -E2BIG && strstr(fault.text, "identifiers"));

    auto_json *patterns = json_pack("{s:[]}", "allOf");
    for (int i = 0; i <= LIMIT_SCHEMA_PATTERNS; i++)
        (void)json_array_append_new(json_object_get(patterns, "allOf"), json_pack("{s:s}", "pattern", "a"));
    CHECK(schema_new(patterns, NULL, &s, &fault) == -E2BIG && strstr(fault.text, "regular expressions"));
}

TEST(long_places_and_names_are_cut_at_a_character)
{
    auto_buf key = BUF_INIT(4 * KIB);
    for (int i = 0; i < 200; i++)
        (void)buf_add_str(&key, "\xc3\xa9");
    auto_schema *s = compile("{\"additionalProperties\":{\"required\":[\"x\\u0007\"]}}", false);
    auto_json *j = json_pack("{s:{}}", key.data);
    struct schema_error e;
    CHECK(schema_check(s, j, &e) == 1);
    CHECK(strlen(e.pointer) == 255 && e.pointer[254] == '\xa9');
    CHECK_STR(e.text, "property \"x\\u0007\" is missing");
}

/* ---------------------------------------------------------------- threads, ownership, speed */

static const char receipt[] =
    "{\"type\":\"object\",\"required\":[\"total\",\"items\"],\"additionalProperties\":false,\"properties\":{"
    "\"total\":{\"type\":\"number\",\"minimum\":0},\"currency\":{\"type\":\"string\",\"pattern\":\"^[A-Z]{3}$\"},"
    "\"items\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"name\"],\"properties\":{"
    "\"name\":{\"type\":\"string\",\"minLength\":1},\"price\":{\"type\":\"number\",\"multipleOf\":0.01}}}}}}";
static const char answer[] = "{\"total\":12.5,\"currency\":\"EUR\",\"items\":[{\"name\":\"tea\",\"price\":2.5},"
                             "{\"name\":\"cake\",\"price\":10.0},{\"name\":\"water\",\"price\":0}]}";

static void *check_often(void *arg)
{
    const struct schema *s = arg;
    auto_json *good = parse(answer), *bad = parse("{\"total\":-1,\"items\":[]}");
    bool right = true;
    for (int i = 0; i < 500; i++)
        right &= schema_check(s, good, NULL) == 0 && schema_check(s, bad, NULL) == 1;
    return right ? arg : NULL;
}

TEST(one_schema_serves_many_threads)
{
    auto_schema *s = compile(receipt, false);
    pthread_t threads[4];
    for (size_t i = 0; i < COUNT(threads); i++)
        CHECK(!pthread_create(&threads[i], NULL, check_often, s));
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *right = NULL;
        CHECK(!pthread_join(threads[i], &right) && right == s);
    }
}

TEST(the_document_may_change_after_it_was_compiled)
{
    auto_json *document = parse("{\"properties\":{\"a\":{\"type\":\"string\"}}}"), *j = parse("{\"a\":1}");
    auto_schema *s = NULL;
    struct fovea_fault fault = {0};
    CHECK(!schema_new(document, NULL, &s, &fault));
    json_object_clear(document);
    CHECK(schema_check(s, j, NULL) == 1);
}

TEST(a_small_object_is_checked_in_microseconds)
{
    enum { ROUNDS = 2000 };
    auto_schema *s = compile(receipt, false);
    auto_json *j = parse(answer);
    double best = 1;
    for (int round = 0; round < 5; round++) {
        double start = seconds();
        for (int i = 0; i < ROUNDS; i++)
            CHECK(schema_check(s, j, NULL) == 0);
        best = MIN(best, (seconds() - start) / ROUNDS);
    }
    printf("# %.2f us a check\n", best * 1e6);
    CHECK_MSG(best < 1e-3, "%.1f us", best * 1e6);
}
