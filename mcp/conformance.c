/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the official conformance suite wants to find in a server beside tools of its own: tools, resources and prompts
 * by agreed names and contents. They stand here and in conformance_*.c, outside the product's own table, and are there
 * only with --conformance.
 */
#include "base/json_read.h"
#include "conformance.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "base/limits.h"

enum { PAUSE_MS = 50 };

/* ---------------------------------------------------------------- answering */

void fixture_result(struct exchange *e, const char *type, const struct buf *members)
{
    if (members->error)
        exchange_fail(e, RPC_INTERNAL, "the answer does not fit");
    else
        exchange_result_of(e, type, members->data);
}

void fixture_text(struct exchange *e, bool is_error, const char *text)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    (void)buf_add_str(&b, "\"content\":[{\"type\":\"text\",\"text\":");
    (void)buf_add_json_str(&b, text);
    (void)buf_add_str(&b, is_error ? "}],\"isError\":true" : "}]");
    fixture_result(e, NULL, &b);
}

void fixture_add_caching(const struct exchange *e, struct buf *members)
{
    if (e->modern)
        (void)buf_add_str(members, ",\"ttlMs\":0,\"cacheScope\":\"private\"");
}

void fixture_list(struct exchange *e, const char *name, const char *(*entry)(size_t i), size_t n)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    if (json_object_get(e->message.params, "cursor")) {
        exchange_fail(e, RPC_PARAMS, "the list has one page, and no cursor");
        return;
    }
    (void)buf_add_format(&b, "\"%s\":[", name);
    for (size_t i = 0; i < n; i++) {
        (void)buf_add_str(&b, i ? "," : "");
        (void)buf_add_str(&b, entry(i));
    }
    (void)buf_add_str(&b, "]");
    fixture_add_caching(e, &b);
    fixture_result(e, NULL, &b);
}

bool fixture_need(struct exchange *e, const char *capability)
{
    char text[256];
    struct rpc_error error;
    if (exchange_capability(e, capability))
        return true;
    if (e->modern) {
        (void)rpc_error_set(&error, RPC_NO_CAPABILITY, 400, "the client must declare \"%s\"", capability);
        (void)snprintf(text, sizeof text, "{\"requiredCapabilities\":{\"%s\":{}}}", capability);
        error.data = text;
        exchange_error(e, &error);
    } else {
        (void)snprintf(text, sizeof text, "the client did not declare the capability \"%s\"", capability);
        fixture_text(e, true, text);
    }
    return false;
}

/* ---------------------------------------------------------------- tools that do something */

static void pause_a_bit(void)
{
    (void)poll(NULL, 0, PAUSE_MS);
}

static void with_progress(struct exchange *e, const char *tool, json_t *arguments)
{
    (void)tool, (void)arguments;
    for (int done = 0; done <= 100 && !exchange_cancelled(e); done += 50) {
        if (done)
            pause_a_bit();
        exchange_progress(e, done, 100);
    }
    fixture_text(e, false, "The tool reported its progress.");
}

static void with_logging(struct exchange *e, const char *tool, json_t *arguments)
{
    static const char *const steps[] = {"Tool execution started", "Tool processing data", "Tool execution completed"};
    (void)tool, (void)arguments;
    for (size_t i = 0; i < COUNT(steps) && !exchange_cancelled(e); i++) {
        if (i)
            pause_a_bit();
        fixture_log(e, "info", steps[i]);
    }
    fixture_text(e, false, "The tool wrote its log.");
}

static void missing_capability(struct exchange *e, const char *tool, json_t *arguments)
{
    (void)tool, (void)arguments;
    if (fixture_need(e, "sampling"))
        fixture_text(e, false, "The client declared sampling.");
}

static void streaming_form(struct exchange *e, const char *tool, json_t *arguments)
{
    exchange_progress(e, 1, 2);
    fixture_form(e, tool, arguments);
}

static void echo(struct exchange *e, const char *tool, json_t *arguments)
{
    (void)tool;
    auto_free char *text = json_text_new(arguments, JSON_COMPACT | JSON_ENCODE_ANY);
    fixture_text(e, false, text ? text : "{}");
}

/* ---------------------------------------------------------------- the tools */

#define BLOCK_TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define BLOCK_IMAGE "{\"type\":\"image\",\"data\":\"" FIXTURE_PNG "\",\"mimeType\":\"image/png\"}"
#define BLOCK_AUDIO "{\"type\":\"audio\",\"data\":\"" FIXTURE_WAV "\",\"mimeType\":\"audio/wav\"}"
#define BLOCK_RESOURCE(uri, mime, text) \
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"" uri "\",\"mimeType\":\"" mime "\",\"text\":\"" text "\"}}"
#define CONTENT(blocks) "\"content\":[" blocks "]"

#define NOTHING "{\"type\":\"object\",\"additionalProperties\":false}"
#define ONE_STRING(name, description)                                                                             \
    "{\"type\":\"object\",\"properties\":{\"" name "\":{\"type\":\"string\",\"description\":\"" description "\"}}," \
    "\"required\":[\"" name "\"]}"
#define SCHEMA_2020_12                                                                                            \
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\","                          \
    "\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\","                                     \
    "\"properties\":{\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"                         \
    "\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$defs/address\"},"                  \
    "\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"                                     \
    "\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"                                           \
    "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"                            \
    "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":[\"contactMethod\"]},"         \
    "\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}"

/* TOOL(name, description, schema, members of a constant result or NULL, function otherwise): one list, from which come
 * the entries of tools/list and the table of tools/call. */
#define TOOLS(TOOL)                                                                                                   \
    TOOL("test_simple_text", "Answers with a text.", NOTHING,                                                         \
         CONTENT(BLOCK_TEXT("This is a simple text response for testing.")), NULL)                                    \
    TOOL("test_image_content", "Answers with a picture.", NOTHING, CONTENT(BLOCK_IMAGE), NULL)                        \
    TOOL("test_audio_content", "Answers with a sound.", NOTHING, CONTENT(BLOCK_AUDIO), NULL)                          \
    TOOL("test_embedded_resource", "Answers with a resource.", NOTHING,                                               \
         CONTENT(BLOCK_RESOURCE("test://embedded-resource", "text/plain", "This is an embedded resource content.")),  \
         NULL)                                                                                                        \
    TOOL("test_multiple_content_types", "Answers with a text, a picture and a resource.", NOTHING,                    \
         CONTENT(BLOCK_TEXT("Multiple content types test:") "," BLOCK_IMAGE "," BLOCK_RESOURCE(                       \
             "test://mixed-content-resource", "application/json", "{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}")),  \
         NULL)                                                                                                        \
    TOOL("test_error_handling", "Always fails.", NOTHING,                                                             \
         CONTENT(BLOCK_TEXT("This tool intentionally returns an error for testing")) ",\"isError\":true", NULL)       \
    TOOL("test_tool_with_progress", "Reports its progress.", NOTHING, NULL, with_progress)                            \
    TOOL("test_tool_with_logging", "Writes three log messages.", NOTHING, NULL, with_logging)                         \
    TOOL("test_logging_tool", "Writes log messages if the request asks for them.", NOTHING, NULL, with_logging)       \
    TOOL("test_sampling", "Asks the client's model.", ONE_STRING("prompt", "What to ask the model"), NULL,            \
         fixture_ask)                                                                                                 \
    TOOL("test_elicitation", "Asks the user.", ONE_STRING("message", "What to ask the user"), NULL, fixture_ask)      \
    TOOL("test_elicitation_sep1034_defaults", "Asks the user, with a default for each kind of value.", NOTHING, NULL, \
         fixture_ask)                                                                                                 \
    TOOL("test_elicitation_sep1330_enums", "Asks the user to choose, in five ways.", NOTHING, NULL, fixture_ask)      \
    TOOL("test_missing_capability", "Works only for a client that declares sampling.", NOTHING, NULL,                 \
         missing_capability)                                                                                          \
    TOOL("test_streaming_elicitation", "Reports progress, then needs the user's word.", NOTHING, NULL,                \
         streaming_form)                                                                                              \
    TOOL("test_trigger_tool_change", "Announces that the list of tools changed.", NOTHING, NULL, fixture_trigger)     \
    TOOL("test_trigger_prompt_change", "Announces that the list of prompts changed.", NOTHING, NULL, fixture_trigger) \
    TOOL("test_trigger_resource_update", "Announces that the watched resource changed.", NOTHING, NULL,               \
         fixture_trigger)                                                                                             \
    TOOL("test_input_required_result_elicitation", "Needs the user's name.", NOTHING, NULL, fixture_form)             \
    TOOL("test_input_required_result_sampling", "Needs the client's model.", NOTHING, NULL, fixture_form)             \
    TOOL("test_input_required_result_list_roots", "Needs the client's roots.", NOTHING, NULL, fixture_form)           \
    TOOL("test_input_required_result_request_state", "Needs a confirmation, and its state back.", NOTHING, NULL,      \
         fixture_form)                                                                                                \
    TOOL("test_input_required_result_multiple_inputs", "Needs three answers at once.", NOTHING, NULL, fixture_form)   \
    TOOL("test_input_required_result_multi_round", "Needs two answers, one after the other.", NOTHING, NULL,          \
         fixture_form)                                                                                                \
    TOOL("test_input_required_result_tampered_state", "Refuses a state that was changed.", NOTHING, NULL,             \
         fixture_form)                                                                                                \
    TOOL("test_input_required_result_capabilities", "Asks only what the client can answer.", NOTHING, NULL,           \
         fixture_form)                                                                                                \
    TOOL("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", SCHEMA_2020_12, NULL, echo)

#define AS_ENTRY(name, description, schema, result, run) \
    ",{\"name\":\"" name "\",\"description\":\"" description "\",\"inputSchema\":" schema "}"
#define AS_ROW(name, description, schema, result, run) {name, result, run},

static const struct fixture_tool {
    const char *name;
    const char *result;
    void (*run)(struct exchange *e, const char *tool, json_t *arguments);
} tools[] = {TOOLS(AS_ROW)};

static const struct fixture_tool *find_tool(const char *name)
{
    for (size_t i = 0; i < COUNT(tools); i++)
        if (!strcmp(tools[i].name, name))
            return &tools[i];
    return NULL;
}

static bool has_tool(const char *name)
{
    return find_tool(name) != NULL;
}

static bool call_tool(struct exchange *e, const char *name, json_t *arguments)
{
    const struct fixture_tool *t = find_tool(name);
    if (t && t->result)
        exchange_result(e, t->result);
    else if (t)
        t->run(e, t->name, arguments);
    return t != NULL;
}

/* ---------------------------------------------------------------- the extension */

static const struct method methods[] = {
    {"resources/list", ERA_LEGACY | ERA_MODERN, false, fixture_resources_list},
    {"resources/templates/list", ERA_LEGACY | ERA_MODERN, false, fixture_templates_list},
    {"resources/read", ERA_LEGACY | ERA_MODERN, false, fixture_resources_read},
    {"resources/subscribe", ERA_LEGACY, false, fixture_subscribe},
    {"resources/unsubscribe", ERA_LEGACY, false, fixture_unsubscribe},
    {"prompts/list", ERA_LEGACY | ERA_MODERN, false, fixture_prompts_list},
    {"prompts/get", ERA_LEGACY | ERA_MODERN, false, fixture_prompts_get},
    {"completion/complete", ERA_LEGACY | ERA_MODERN, false, fixture_complete},
    {"logging/setLevel", ERA_LEGACY, false, fixture_set_level},
    {"subscriptions/listen", ERA_MODERN, true, fixture_listen}, /* as work, so that a cancel finds it */
};

const struct extension conformance_extension = {
    .methods = methods,
    .n_methods = COUNT(methods),
    .capabilities =
        {
            "\"tools\":{},\"resources\":{\"subscribe\":true},\"prompts\":{},\"completions\":{},\"logging\":{}",
            "\"tools\":{\"listChanged\":true},\"resources\":{\"subscribe\":true},\"prompts\":{\"listChanged\":true},"
            "\"completions\":{},\"logging\":{}",
        },
    .tools = &(TOOLS(AS_ENTRY))[1], /* without the first comma */
    .call = call_tool,
    .has = has_tool,
    .gone = fixture_client_gone,
    .end = fixture_end,
};
