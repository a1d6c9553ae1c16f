/* SPDX-License-Identifier: Apache-2.0 */
/* Tool arguments: one field table takes JSON and words, refuses with the field's name, and gives the schema. */
#include "test.h"

#include "api/tools.h"
#include "base/cleanup.h"
#include "handles.h"
#include "percept/json.h"
#include "percept/result.h"

struct row {
    const char *tool, *json;
    const char *says; /* part of the refusal; NULL: accepted */
};

static const struct row rows[] = {
    {"view", "{\"path\":\"a.png\"}", NULL},
    {"view", "{\"path\":\"a.png\",\"frame\":null,\"space\":null}", NULL},
    {"view", "{\"path\":\"a.png\",\"frame\":2.0}", NULL},
    {"view", "{\"path\":\"a.png\",\"region\":[0,0,10.5,20]}", NULL},
    {"view", "{\"path\":\"a.png\",\"space\":\"unit\"}", NULL},
    {"read", "{\"path\":\"a\",\"offset\":1,\"limit\":5}", NULL},
    {"view", "{}", "\"path\" is missing"},
    {"view", "{\"path\":null}", "\"path\" is missing"},
    {"view", "{\"path\":5}", "\"path\" takes a string"},
    {"view", "{\"path\":\"a\\u0000.png\"}", "without NUL"},
    {"view", "{\"path\":\"a\",\"pth\":\"b\"}", "unknown argument \"pth\"; view takes path, page"},
    {"view", "{\"path\":\"a\",\"frame\":0}", "\"frame\" takes a whole number from 1"},
    {"view", "{\"path\":\"a\",\"frame\":1.5}", "\"frame\""},
    {"view", "{\"path\":\"a\",\"frame\":\"2\"}", "\"frame\""},
    {"view", "{\"path\":\"a\",\"frame\":1e300}", "\"frame\""},
    {"view", "{\"path\":\"a\",\"region\":[0,0,10]}", "four numbers"},
    {"view", "{\"path\":\"a\",\"region\":[0,0,0,5]}", NULL},
    {"view", "{\"path\":\"a\",\"region\":[0,0,-1,5]}", NULL},
    {"view", "{\"path\":\"a\",\"region\":\"0,0,5,5\"}", "four numbers"},
    {"view", "{\"path\":\"a\",\"region\":[0,0,5,\"5\"]}", "four numbers"},
    {"view", "{\"path\":\"a\",\"space\":\"metres\"}", "\"source\", \"view\" or \"unit\""},
    {"view", "{\"path\":\"a\",\"max_edge\":1}", "\"max_edge\""},
    {"view", "{\"path\":\"a\",\"page\":3}", NULL},
    {"view", "{\"path\":\"a\",\"page\":\"3\"}", NULL},
    {"view", "{\"path\":\"a\",\"page\":\"1-6\"}", NULL},
    {"view", "{\"path\":\"a\",\"page\":\"1-64\"}", NULL},
    {"view", "{\"path\":\"a\",\"page\":\"1-65\"}", NULL},
    {"view", "{\"path\":\"a\",\"page\":0}", "\"page\""},
    {"view", "{\"path\":\"a\",\"page\":1.5}", "\"page\""},
    {"view", "{\"path\":\"a\",\"page\":\"6-1\"}", "\"page\""},
    {"view", "{\"path\":\"a\",\"page\":\"1-\"}", "\"page\""},
    {"view", "{\"path\":\"a\",\"page\":\"99999999999999999999\"}", "\"page\""},
    {"view", "{\"path\":\"a\",\"page\":true}", "\"page\""},
    {"view", "{\"path\":\"a\",\"time\":0}", NULL},
    {"view", "{\"path\":\"a\",\"time\":83.5}", NULL},
    {"view", "{\"path\":\"a\",\"time\":\"0:01:02\"}", NULL},
    {"view", "{\"path\":\"a\",\"time\":-1}", "\"time\" takes seconds"},
    {"view", "{\"path\":\"a\",\"time\":\"1:60\"}", "\"time\""},
    {"view", "{\"path\":\"a\",\"time\":\"1:2:3:4\"}", "\"time\""},
    {"view", "{\"path\":\"a\",\"time\":\"307445734561825861:00\"}", "\"time\""}, /* 44 s, once it has overflowed */
    {"view", "{\"path\":\"a\",\"time\":[1]}", "\"time\""},
    {"view", "{\"path\":\"a\",\"sheet\":true}", NULL},
    {"view", "{\"path\":\"a\",\"sheet\":1}", "\"sheet\" takes true or false"},
    {"vision_analyze", "{\"prompt\":\"p\",\"file_path\":\"a\",\"page\":\"2-3\"}", NULL},
    {"view", "[1]", "JSON object"},
    {"read", "{\"path\":\"a\",\"limit\":0}", "\"limit\""},
    {"read", "{\"path\":\"a\",\"region\":[0,0,1,1]}", "unknown argument \"region\""},
};

TEST(json_arguments_are_taken_or_refused_by_name)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        tool_run *run;
        const struct fovea_tool *tool = tool_find(rows[i].tool, &run);
        auto_json *json =
            json_loads(rows[i].json, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
        auto_free void *request = calloc(1, tool->request_size);
        auto_result *refusal = NULL;
        struct fovea_fault fault;
        CHECK_MSG(tool_arguments(tool, json, request, &refusal, &fault) == 0, "%s", rows[i].json);
        CHECK_MSG(!refusal == !rows[i].says, "%s gave %s", rows[i].json, refusal ? fovea_result_text(refusal) : "none");
        if (refusal && rows[i].says) {
            CHECK_STR(fovea_result_reason(refusal), "invalid_input");
            CHECK_MSG(strstr(fovea_result_text(refusal), rows[i].says) != NULL, "%s says %s", rows[i].json,
                      fovea_result_text(refusal));
        }
    }
}

TEST(values_land_in_their_members)
{
    tool_run *run;
    const struct fovea_tool *tool = tool_find("view", &run);
    auto_json *json =
        json_loads("{\"path\":\"p\",\"frame\":3,\"region\":[1,2,3,4],\"space\":\"unit\",\"max_edge\":640}", 0, NULL);
    struct fovea_view_request q = {0};
    fovea_result *refusal = NULL;
    CHECK(tool_arguments(tool, json, &q, &refusal, NULL) == 0 && !refusal);
    CHECK_STR(q.path, "p");
    CHECK(q.frame == 3 && q.max_edge == 640 && q.page.first == 0);
    CHECK(q.region.set && q.region.x == 1 && q.region.y == 2 && q.region.w == 3 && q.region.h == 4);
    CHECK_STR(q.space, "unit");
}

static int word(const char *name, const char *value, struct fovea_view_request *q, struct fovea_fault *fault)
{
    tool_run *run;
    const struct fovea_tool *tool = tool_find("view", &run);
    for (size_t i = 0; i < tool->n_fields; i++)
        if (!strcmp(tool->fields[i].name, name))
            return fovea_field_parse(&tool->fields[i], value, q, fault);
    return -ENOENT;
}

TEST(words_of_a_command_line_fill_the_same_members)
{
    static const char *const bad[][2] = {{"frame", "x"},      {"frame", ""},        {"frame", "2x"},
                                         {"frame", "0"},      {"region", "1,2,3"},  {"region", "1,2,3,4,5"},
                                         {"region", "1,2,3,nan"}, {"space", "inch"}, {"frame", "99999999999999999999"}};
    struct fovea_view_request q = {0};
    struct fovea_fault fault;
    CHECK(word("region", "10,20.5,30,40", &q, &fault) == 0);
    CHECK(q.region.set && q.region.y == 20.5);
    CHECK(word("frame", "7", &q, &fault) == 0 && q.frame == 7);
    for (size_t i = 0; i < COUNT(bad); i++) {
        fault.text[0] = '\0';
        CHECK_MSG(word(bad[i][0], bad[i][1], &q, &fault) == -EINVAL, "%s=%s", bad[i][0], bad[i][1]);
        CHECK_MSG(strstr(fault.text, bad[i][0]) != NULL, "%s", fault.text);
    }
}

TEST(pages_and_times_have_several_spellings)
{
    static const struct {
        const char *words;
        double seconds;
    } times[] = {{"0", 0}, {"83.5", 83.5}, {"1:23.5", 83.5}, {"0:01:02", 62}, {"1:00:00", 3600}, {"7.", 7}};
    static const char *const bad[][2] = {{"page", ""}, {"page", "x"}, {"page", "0"}, {"page", "-1"}, {"page", "2-1"},
                                         {"page", "1-2-3"}, {"time", ""}, {"time", "1:"}, {"time", "1:75"}, {"time", "1e3"},
                                         {"time", "nan"}, {"sheet", "yes"}};
    struct fovea_fault fault;
    struct fovea_view_request q = {0};
    CHECK(word("page", "2-9", &q, &fault) == 0 && q.page.first == 2 && q.page.last == 9);
    CHECK(word("page", "5-5", &q, &fault) == 0 && q.page.first == 5 && q.page.last == 0);
    CHECK(word("sheet", "true", &q, &fault) == 0 && q.sheet);
    for (size_t i = 0; i < COUNT(times); i++)
        CHECK_MSG(word("time", times[i].words, &q, &fault) == 0 && q.time.set &&
                      q.time.seconds > times[i].seconds - 1e-9 && q.time.seconds < times[i].seconds + 1e-9,
                  "%s is %g", times[i].words, q.time.seconds);
    for (size_t i = 0; i < COUNT(bad); i++)
        CHECK_MSG(word(bad[i][0], bad[i][1], &q, &fault) == -EINVAL, "%s=%s", bad[i][0], bad[i][1]);
}

TEST(a_request_becomes_the_arguments_that_made_it)
{
    static const char words[] = "{\"path\":\"a\",\"page\":\"1-6\",\"frame\":2,\"time\":1.5,\"sheet\":true,\"against\":\"b\"}";
    tool_run *run;
    auto_json *given = json_loads(words, 0, NULL);
    struct fovea_view_request q = {0};
    fovea_result *refusal = NULL;
    CHECK(tool_arguments(tool_find("view", &run), given, &q, &refusal, NULL) == 0 && !refusal);
    auto_json *again = tool_arguments_new("view", &q);
    CHECK(json_equal(given, again));
}

TEST(a_value_of_two_types_has_them_side_by_side_in_the_schema)
{
    tool_run *run;
    auto_free char *words = fovea_tool_schema_new(tool_find("view", &run));
    CHECK(strstr(words, "\"page\":{\"anyOf\":[{\"type\":\"integer\",\"minimum\":1},{\"type\":\"string\"}]"));
    CHECK(strstr(words, "\"time\":{\"anyOf\":[{\"type\":\"number\",\"minimum\":0},{\"type\":\"string\"}]"));
    CHECK(strstr(words, "\"sheet\":{\"type\":\"boolean\""));
}

TEST(every_tool_has_a_schema_that_lists_each_field)
{
    size_t n;
    const struct fovea_tool *tools = fovea_tools(&n);
    for (size_t i = 0; i < n; i++) {
        auto_free char *words = fovea_tool_schema_new(&tools[i]);
        auto_json *schema = json_loads(words ? words : "", 0, NULL);
        json_t *properties = json_object_get(schema, "properties");
        CHECK(json_object_size(properties) == tools[i].n_fields);
        for (size_t k = 0; k < tools[i].n_fields; k++)
            CHECK_MSG(json_object_get(properties, tools[i].fields[k].name) != NULL, "%s", tools[i].fields[k].name);
        CHECK(json_is_false(json_object_get(schema, "additionalProperties")));
        CHECK_MSG(strlen(tools[i].description) < 2048, "%s", tools[i].name);
    }
}
