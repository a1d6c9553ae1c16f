/* SPDX-License-Identifier: Apache-2.0 */
/* The fixtures that are only looked up: resources, prompts, and what completes their arguments. */
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "base/limits.h"
#include "conformance.h"

/* ---------------------------------------------------------------- resources */

#define ENTRY(uri, name, description, mime)                                                     \
    "{\"uri\":\"" uri "\",\"name\":\"" name "\",\"description\":\"" description "\",\"mimeType\":\"" mime "\"}"
#define CONTENTS(uri, mime, kind, data) \
    "\"contents\":[{\"uri\":\"" uri "\",\"mimeType\":\"" mime "\",\"" kind "\":\"" data "\"}]"

static const struct fixture_resource {
    const char *uri, *entry, *contents;
} resources[] = {
    {"test://static-text", ENTRY("test://static-text", "static-text", "A text that stays the same.", "text/plain"),
     CONTENTS("test://static-text", "text/plain", "text", "This is the content of the static text resource.")},
    {"test://static-binary", ENTRY("test://static-binary", "static-binary", "A picture.", "image/png"),
     CONTENTS("test://static-binary", "image/png", "blob", FIXTURE_PNG)},
    {FIXTURE_WATCHED, ENTRY(FIXTURE_WATCHED, "watched-resource", "A text that may be watched.", "text/plain"),
     CONTENTS(FIXTURE_WATCHED, "text/plain", "text", "This is the content of the watched resource.")},
};

#define TEMPLATE_HEAD "test://template/"
#define TEMPLATE_TAIL "/data"
#define TEMPLATE TEMPLATE_HEAD "{id}" TEMPLATE_TAIL

static const char *resource_entry(size_t i)
{
    return resources[i].entry;
}

static const char *template_entry(size_t i)
{
    (void)i;
    return "{\"uriTemplate\":\"" TEMPLATE "\",\"name\":\"template\",\"description\":\"Data by its id.\","
           "\"mimeType\":\"application/json\"}";
}

void fixture_resources_list(struct exchange *e)
{
    fixture_list(e, "resources", resource_entry, COUNT(resources));
}

void fixture_templates_list(struct exchange *e)
{
    fixture_list(e, "resourceTemplates", template_entry, 1);
}

static const struct fixture_resource *find_resource(const char *uri)
{
    for (size_t i = 0; i < COUNT(resources); i++)
        if (!strcmp(resources[i].uri, uri))
            return &resources[i];
    return NULL;
}

/* How long the id is that stands in the URI where the template has {id}; 0 when it is not of the template. */
static size_t template_id(const char *uri)
{
    size_t head = strlen(TEMPLATE_HEAD);
    if (strncmp(uri, TEMPLATE_HEAD, head) != 0)
        return 0;
    size_t id = strcspn(uri + head, "/");
    return strcmp(uri + head + id, TEMPLATE_TAIL) == 0 ? id : 0;
}

bool fixture_has_resource(const char *uri)
{
    return find_resource(uri) || template_id(uri);
}

void fixture_no_resource(struct exchange *e, const char *uri)
{
    struct rpc_error error;
    auto_buf data = BUF_INIT(LIMIT_MCP_REPLY);
    (void)rpc_error_set(&error, e->modern ? RPC_PARAMS : RPC_NO_RESOURCE, 0, "there is no such resource");
    (void)buf_add_str(&data, "{\"uri\":");
    (void)buf_add_json_str(&data, uri);
    (void)buf_add_str(&data, "}");
    error.data = data.error ? NULL : data.data;
    exchange_error(e, &error);
}

static void add_template(struct buf *b, const char *uri, size_t id_len)
{
    const char *id = uri + strlen(TEMPLATE_HEAD);
    auto_buf text = BUF_INIT(LIMIT_MCP_REPLY), words = BUF_INIT(LIMIT_MCP_REPLY);
    (void)buf_add_str(&words, "Data for ID: ");
    (void)buf_add(&words, id, id_len);
    (void)buf_add_str(&text, "{\"id\":");
    (void)buf_add_json(&text, id, id_len);
    (void)buf_add_str(&text, ",\"templateTest\":true,\"data\":");
    (void)buf_add_json(&text, words.data, words.len);
    (void)buf_add_str(&text, "}");
    (void)buf_add_str(b, "\"contents\":[{\"uri\":");
    (void)buf_add_json_str(b, uri);
    (void)buf_add_str(b, ",\"mimeType\":\"application/json\",\"text\":");
    (void)buf_add_json(b, text.data, text.len);
    (void)buf_add_str(b, "}]");
    if (text.error || words.error)
        b->error = -ENOMEM;
}

void fixture_resources_read(struct exchange *e)
{
    const char *uri = member_string(e->message.params, "uri");
    if (!uri) {
        exchange_fail(e, RPC_PARAMS, "\"uri\" must be a string");
        return;
    }
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    const struct fixture_resource *r = find_resource(uri);
    size_t id = template_id(uri);
    if (r)
        (void)buf_add_str(&b, r->contents);
    else if (id)
        add_template(&b, uri, id);
    else {
        fixture_no_resource(e, uri);
        return;
    }
    fixture_add_caching(e, &b);
    fixture_result(e, NULL, &b);
}

/* ---------------------------------------------------------------- prompts */

#define PROMPT(name, description, arguments) \
    "{\"name\":\"" name "\",\"description\":\"" description "\",\"arguments\":[" arguments "]}"
#define ARGUMENT(name, description) \
    "{\"name\":\"" name "\",\"description\":\"" description "\",\"required\":true}"
#define MESSAGE(content) "{\"role\":\"user\",\"content\":" content "}"
#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"

/* What a prompt says: text, the argument of that name inside the quotes of a string, text again. */
enum { PROMPT_PARTS = 2 };
static const struct fixture_prompt {
    const char *name, *entry;
    const char *messages[PROMPT_PARTS + 1];
    const char *arguments[PROMPT_PARTS];
} prompts[] = {
    {"test_simple_prompt", PROMPT("test_simple_prompt", "A prompt without arguments.", ""),
     {MESSAGE(TEXT("This is a simple prompt for testing."))}, {NULL}},
    {"test_prompt_with_arguments",
     PROMPT("test_prompt_with_arguments", "A prompt with two arguments.",
            ARGUMENT("arg1", "First test argument") "," ARGUMENT("arg2", "Second test argument")),
     {"{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Prompt with arguments: arg1='", "', arg2='",
      "'\"}}"},
     {"arg1", "arg2"}},
    {"test_prompt_with_embedded_resource",
     PROMPT("test_prompt_with_embedded_resource", "A prompt that holds a resource.",
            ARGUMENT("resourceUri", "URI of the resource to embed")),
     {"{\"role\":\"user\",\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":\"",
      "\",\"mimeType\":\"text/plain\",\"text\":\"Embedded resource content for testing.\"}}}," MESSAGE(
          TEXT("Please process the embedded resource above."))},
     {"resourceUri"}},
    {"test_prompt_with_image", PROMPT("test_prompt_with_image", "A prompt that holds a picture.", ""),
     {MESSAGE("{\"type\":\"image\",\"data\":\"" FIXTURE_PNG "\",\"mimeType\":\"image/png\"}") "," MESSAGE(
         TEXT("Please analyze the image above."))},
     {NULL}},
    {"test_input_required_result_prompt",
     PROMPT("test_input_required_result_prompt", "A prompt that needs the user's word.", ""), {NULL}, {NULL}},
};

static const char *prompt_entry(size_t i)
{
    return prompts[i].entry;
}

void fixture_prompts_list(struct exchange *e)
{
    fixture_list(e, "prompts", prompt_entry, COUNT(prompts));
}

static const struct fixture_prompt *find_prompt(const char *name)
{
    for (size_t i = 0; i < COUNT(prompts); i++)
        if (!strcmp(prompts[i].name, name))
            return &prompts[i];
    return NULL;
}

/* As JSON, without the quotes around it. */
static void add_inside(struct buf *b, const char *value)
{
    auto_buf quoted = BUF_INIT(LIMIT_MCP_REPLY);
    if (buf_add_json_str(&quoted, value) < 0)
        b->error = quoted.error;
    else
        (void)buf_add(b, quoted.data + 1, quoted.len - 2);
}

static void say_prompt(struct exchange *e, const struct fixture_prompt *p, const json_t *arguments)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    (void)buf_add_str(&b, "\"messages\":[");
    (void)buf_add_str(&b, p->messages[0]);
    for (size_t i = 0; i < PROMPT_PARTS && p->arguments[i]; i++) {
        const char *value = member_string(arguments, p->arguments[i]);
        if (!value) {
            exchange_fail(e, RPC_PARAMS, "the argument \"%s\" must be a string", p->arguments[i]);
            return;
        }
        add_inside(&b, value);
        (void)buf_add_str(&b, p->messages[i + 1]);
    }
    (void)buf_add_str(&b, "]");
    fixture_result(e, NULL, &b);
}

void fixture_prompts_get(struct exchange *e)
{
    const char *name = member_string(e->message.params, "name");
    const struct fixture_prompt *p = name ? find_prompt(name) : NULL;
    json_t *arguments = json_object_get(e->message.params, "arguments");
    if (!p)
        exchange_fail(e, RPC_PARAMS, "there is no such prompt");
    else if (p->messages[0])
        say_prompt(e, p, arguments);
    else
        fixture_form(e, p->name, arguments);
}

/* ---------------------------------------------------------------- completion */

enum { COMPLETIONS = 3 };
static const struct fixture_completion {
    const char *type, *key, *what, *argument;
    const char *values[COMPLETIONS];
} completions[] = {
    {"ref/prompt", "name", "test_prompt_with_arguments", "arg1", {"paris", "park", "party"}},
    {"ref/prompt", "name", "test_prompt_with_arguments", "arg2", {"berlin", "bern", "bergen"}},
    {"ref/resource", "uri", TEMPLATE, "id", {"1", "12", "123"}},
};

static bool is(const json_t *object, const char *key, const char *value)
{
    const char *s = member_string(object, key);
    return s && !strcmp(s, value);
}

static const struct fixture_completion *find_completion(const json_t *ref, const json_t *argument)
{
    for (size_t i = 0; i < COUNT(completions); i++) {
        const struct fixture_completion *c = &completions[i];
        if (is(ref, "type", c->type) && is(ref, c->key, c->what) && is(argument, "name", c->argument))
            return c;
    }
    return NULL;
}

void fixture_complete(struct exchange *e)
{
    const json_t *argument = json_object_get(e->message.params, "argument");
    const struct fixture_completion *c = find_completion(json_object_get(e->message.params, "ref"), argument);
    const char *begun = member_string(argument, "value");
    size_t found = 0;
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    if (!c || !begun) {
        exchange_fail(e, RPC_PARAMS, "there is no such argument to complete");
        return;
    }
    (void)buf_add_str(&b, "\"completion\":{\"values\":[");
    for (size_t i = 0; i < COMPLETIONS; i++)
        if (!strncmp(c->values[i], begun, strlen(begun)))
            (void)buf_add_format(&b, "%s\"%s\"", found++ ? "," : "", c->values[i]);
    (void)buf_add_format(&b, "],\"total\":%zu,\"hasMore\":false}", found);
    fixture_result(e, NULL, &b);
}
