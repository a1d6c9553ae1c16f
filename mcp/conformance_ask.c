/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of questions to a client, and the fixtures that ask one in the middle of a call, as servers did until
 * 2025-11-25. */
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "conformance.h"

/* ---------------------------------------------------------------- kinds of questions */

static bool fits_elicitation(const json_t *answer)
{
    const char *action = member_string(answer, "action");
    if (!action)
        return false;
    if (!strcmp(action, "accept"))
        return member(answer, "content", JSON_OBJECT) != NULL;
    return !strcmp(action, "decline") || !strcmp(action, "cancel");
}

static void tell_elicitation(struct buf *text, const json_t *answer)
{
    auto_free char *content = json_text_new(json_object_get(answer, "content"), JSON_COMPACT);
    (void)buf_add_format(text, "action=%s, content=%s", member_string(answer, "action"), content ? content : "{}");
}

static bool fits_sampling(const json_t *answer)
{
    return member_string(member(answer, "content", JSON_OBJECT), "text") != NULL;
}

static void tell_sampling(struct buf *text, const json_t *answer)
{
    (void)buf_add_str(text, member_string(json_object_get(answer, "content"), "text"));
}

static bool fits_roots(const json_t *answer)
{
    return member(answer, "roots", JSON_ARRAY) != NULL;
}

static void tell_roots(struct buf *text, const json_t *answer)
{
    size_t i;
    json_t *root;
    json_array_foreach(json_object_get(answer, "roots"), i, root) {
        const char *uri = member_string(root, "uri");
        (void)buf_add_format(text, "%s%s", i ? ", " : "", uri ? uri : "a root without URI");
    }
}

const struct fixture_kind fixture_elicitation = {"elicitation", "elicitation/create", fits_elicitation,
                                                 tell_elicitation};
const struct fixture_kind fixture_sampling = {"sampling", "sampling/createMessage", fits_sampling, tell_sampling};
const struct fixture_kind fixture_roots = {"roots", "roots/list", fits_roots, tell_roots};

/* ---------------------------------------------------------------- asking in the middle of a call */

#define OPTIONS(one, two) "{\"const\":\"value1\",\"title\":\"" one "\"},{\"const\":\"value2\",\"title\":\"" two "\"}"

/* The parameters: text, the argument of that name as a string, text. */
static const struct ask {
    const char *tool;
    const struct fixture_kind *kind;
    const char *before, *argument, *after;
    const char *opening;
} asks[] = {
    {"test_sampling", &fixture_sampling, FIXTURE_USER_SAYS, "prompt", "}}],\"maxTokens\":100}", "LLM response: "},
    {"test_elicitation", &fixture_elicitation, "{\"message\":", "message",
     ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
     "\"username\":{\"type\":\"string\",\"description\":\"User's response\"},"
     "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}},"
     "\"required\":[\"username\",\"email\"]}}",
     "User response: "},
    {"test_elicitation_sep1034_defaults", &fixture_elicitation,
     "{\"message\":\"Please check these values\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
     "\"name\":{\"type\":\"string\",\"description\":\"User name\",\"default\":\"John Doe\"},"
     "\"age\":{\"type\":\"integer\",\"description\":\"User age\",\"default\":30},"
     "\"score\":{\"type\":\"number\",\"description\":\"User score\",\"default\":95.5},"
     "\"status\":{\"type\":\"string\",\"description\":\"User status\","
     "\"enum\":[\"active\",\"inactive\",\"pending\"],\"default\":\"active\"},"
     "\"verified\":{\"type\":\"boolean\",\"description\":\"Verified or not\",\"default\":true}},\"required\":[]}}",
     NULL, "", "Elicitation completed: "},
    {"test_elicitation_sep1330_enums", &fixture_elicitation,
     "{\"message\":\"Please choose\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
     "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]},"
     "\"titledSingle\":{\"type\":\"string\",\"oneOf\":[" OPTIONS("First Option", "Second Option") "]},"
     "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
     "\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"
     "\"untitledMulti\":{\"type\":\"array\","
     "\"items\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]}},"
     "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":[" OPTIONS("First Choice", "Second Choice") "]}}},"
     "\"required\":[]}}",
     NULL, "", "Elicitation completed: "},
};

static const struct ask *find_ask(const char *tool)
{
    for (size_t i = 0; i < COUNT(asks); i++)
        if (!strcmp(asks[i].tool, tool))
            return &asks[i];
    return NULL;
}

static void ask_and_tell(struct exchange *e, const struct ask *a, const char *params)
{
    auto_buf text = BUF_INIT(LIMIT_MCP_REPLY);
    auto_json *answer = NULL;
    int r = exchange_ask(e, a->kind->method, params, LIMIT_MCP_ASK_MS, &answer);
    if (r < 0 || !a->kind->fits(answer)) {
        (void)buf_add_format(&text, "the client did not answer: %s", r < 0 ? strerror(-r) : "not what was asked for");
        fixture_text(e, true, text.error ? "out of memory" : text.data);
        return;
    }
    (void)buf_add_str(&text, a->opening);
    a->kind->tell(&text, answer);
    fixture_text(e, text.error < 0, text.error ? "the client's answer is too long" : text.data);
}

/* The parameters of the question; false when an argument is missing, or too long. */
static bool write_params(const struct ask *a, const json_t *arguments, struct buf *b)
{
    const char *value = a->argument ? member_string(arguments, a->argument) : NULL;
    (void)buf_add_str(b, a->before);
    if (value)
        (void)buf_add_json_str(b, value);
    (void)buf_add_str(b, a->after);
    return !b->error && (value || !a->argument);
}

void fixture_ask(struct exchange *e, const char *tool, json_t *arguments)
{
    const struct ask *a = find_ask(tool);
    auto_buf params = BUF_INIT(LIMIT_MCP_REPLY);
    if (e->modern)
        fixture_text(e, true, "a server asks in the middle of a call until 2025-11-25 only");
    else if (!write_params(a, arguments, &params))
        fixture_text(e, true, "the argument is missing, or no string, or too long");
    else if (fixture_need(e, a->kind->capability))
        ask_and_tell(e, a, params.data);
}
