/* SPDX-License-Identifier: Apache-2.0 */
/* Tool arguments: one field table takes JSON and words, refuses with the field's name, and gives the schema. */
#include "test.h"

#include "api/tools.h"
#include "base/cleanup.h"
#include "percept/result.h"

static void json_decref_p(json_t **j)
{
    json_decref(*j);
}
static void result_p(fovea_result **r)
{
    fovea_result_free(*r);
}

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
    {"view", "{\"path\":\"a\",\"region\":[0,0,0,5]}", "four numbers"},
    {"view", "{\"path\":\"a\",\"region\":[0,0,-1,5]}", "four numbers"},
    {"view", "{\"path\":\"a\",\"region\":\"0,0,5,5\"}", "four numbers"},
    {"view", "{\"path\":\"a\",\"region\":[0,0,5,\"5\"]}", "four numbers"},
    {"view", "{\"path\":\"a\",\"space\":\"metres\"}", "\"source\", \"view\" or \"unit\""},
    {"view", "{\"path\":\"a\",\"max_edge\":1}", "\"max_edge\""},
    {"view", "[1]", "JSON object"},
    {"read", "{\"path\":\"a\",\"limit\":0}", "\"limit\""},
    {"read", "{\"path\":\"a\",\"region\":[0,0,1,1]}", "unknown argument \"region\""},
};

TEST(json_arguments_are_taken_or_refused_by_name)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        tool_run *run;
        const struct fovea_tool *tool = tool_find(rows[i].tool, &run);
        cleanup(json_decref_p) json_t *json =
            json_loads(rows[i].json, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
        auto_free void *request = calloc(1, tool->request_size);
        cleanup(result_p) fovea_result *refusal = NULL;
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
    cleanup(json_decref_p) json_t *json =
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

TEST(every_tool_has_a_schema_that_lists_each_field)
{
    size_t n;
    const struct fovea_tool *tools = fovea_tools(&n);
    for (size_t i = 0; i < n; i++) {
        auto_free char *words = fovea_tool_schema_new(&tools[i]);
        cleanup(json_decref_p) json_t *schema = json_loads(words ? words : "", 0, NULL);
        json_t *properties = json_object_get(schema, "properties");
        CHECK(json_object_size(properties) == tools[i].n_fields);
        for (size_t k = 0; k < tools[i].n_fields; k++)
            CHECK_MSG(json_object_get(properties, tools[i].fields[k].name) != NULL, "%s", tools[i].fields[k].name);
        CHECK(json_is_false(json_object_get(schema, "additionalProperties")));
        CHECK_MSG(strlen(tools[i].description) < 2048, "%s", tools[i].name);
    }
}
