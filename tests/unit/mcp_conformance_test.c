/* SPDX-License-Identifier: Apache-2.0 */
/* The conformance fixtures, through the server: what the official suite does not try. */
#include "test.h"

#include <poll.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/limits.h"
#include "mcp/conformance.h"

/* ---------------------------------------------------------------- a server, and an outlet that records */

struct record {
    struct outlet outlet;
    pthread_mutex_t lock;
    json_t *messages;
    bool ended;
};

static bool record_send(struct outlet *o, const char *text, size_t len, bool last, int http)
{
    struct record *r = (struct record *)o;
    (void)last, (void)http;
    (void)pthread_mutex_lock(&r->lock);
    json_t *m = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    CHECK_MSG(m, "%.*s", (int)len, text);
    (void)json_array_append_new(r->messages, m ? m : json_null());
    (void)pthread_mutex_unlock(&r->lock);
    return true;
}

static void record_end(struct outlet *o)
{
    struct record *r = (struct record *)o;
    (void)pthread_mutex_lock(&r->lock);
    r->ended = true;
    (void)pthread_mutex_unlock(&r->lock);
}

static void record_free(struct outlet *o)
{
    struct record *r = (struct record *)o;
    json_decref(r->messages);
    free(r);
}

static const struct outlet_kind record_kind = {record_send, record_end, record_free};

static struct record *record_new(void)
{
    struct record *r = calloc(1, sizeof *r);
    *r = (struct record){.outlet = {.kind = &record_kind, .refs = 1}, .messages = json_array()};
    (void)pthread_mutex_init(&r->lock, NULL);
    return r;
}

static void record_unref_p(struct record **r)
{
    outlet_unref(&(*r)->outlet);
}
#define auto_record cleanup(record_unref_p) struct record

static size_t messages(struct record *r, bool *ended)
{
    (void)pthread_mutex_lock(&r->lock);
    size_t n = json_array_size(r->messages);
    if (ended)
        *ended = r->ended;
    (void)pthread_mutex_unlock(&r->lock);
    return n;
}

static fovea *context;
static struct server *server;

static void begin(void)
{
    struct fovea_fault fault = {0};
    static const struct server_options options = {.extension = &conformance_extension};
    const struct fovea_options quiet = {.config_file = "", .cwd = "/"};
    CHECK_MSG(!fovea_new(&quiet, &context, &fault) && !server_new(context, &options, &server, &fault), "%s", fault.text);
}

static void end(void)
{
    CHECK(server_free(server, 1000, NULL, NULL));
    fovea_free(context);
}

/* ---------------------------------------------------------------- asking */

#define META "io.modelcontextprotocol/"
#define META_WITH(capabilities) \
    "\"_meta\":{\"" META "protocolVersion\":\"2026-07-28\",\"" META "clientCapabilities\":{" capabilities "}}"
#define MODERN META_WITH("\"elicitation\":{},\"sampling\":{},\"roots\":{}")

static void tell(struct client *c, struct record *r, const char *method, const char *params)
{
    char text[8192];
    static int id;
    (void)snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{%s}}", ++id, method,
                   params);
    (void)server_receive(server, c, NULL, &r->outlet, text, strlen(text));
}

static void wait_for(struct record *r, size_t n, bool to_end)
{
    int64_t deadline = clock_ms() + 5000;
    bool ended = false;
    while ((messages(r, &ended) < n || (to_end && !ended)) && clock_left(deadline))
        (void)poll(NULL, 0, 2);
    CHECK(messages(r, &ended) >= n && (!to_end || ended));
}

/* The answer to one request; the caller drops it. */
static json_t *answer(struct client *c, const char *method, const char *params)
{
    auto_record *r = record_new();
    tell(c, r, method, params);
    wait_for(r, 1, true);
    return json_incref(json_array_get(r->messages, json_array_size(r->messages) - 1));
}

static const char *text_of(const json_t *reply)
{
    json_t *content = json_object_get(json_object_get(reply, "result"), "content");
    return member_string(json_array_get(content, 0), "text");
}

static int code_of(const json_t *reply)
{
    return (int)json_integer_value(json_object_get(json_object_get(reply, "error"), "code"));
}

static struct client *older_client(void)
{
    struct client *c = client_new(server);
    auto_json *r = answer(c, "initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}");
    CHECK(json_object_get(r, "result"));
    return c;
}

/* ---------------------------------------------------------------- the tests */

TEST(the_list_and_the_table_name_the_same_tools)
{
    auto_buf b = BUF_INIT(MIB);
    size_t i;
    json_t *tool;
    (void)buf_add_format(&b, "[%s]", conformance_extension.tools);
    auto_json *list = json_loads(b.data, JSON_REJECT_DUPLICATES, NULL);
    CHECK(json_array_size(list) > 20);
    json_array_foreach(list, i, tool) {
        CHECK(conformance_extension.has(member_string(tool, "name")));
        CHECK(member(tool, "inputSchema", JSON_OBJECT) && member_string(tool, "description"));
    }
    CHECK(!conformance_extension.has("view") && !conformance_extension.has(""));
}

TEST(a_sealed_state_comes_back_and_a_changed_one_does_not)
{
    auto_json *answers = json_pack("{s:s}", "step1", "Ada"), *back = NULL, *none = NULL;
    auto_free char *sealed = fixture_seal("form", 1, answers);
    unsigned round = 0;
    CHECK(sealed && !fixture_unseal(sealed, "form", &round, &back));
    CHECK(round == 1 && json_equal(answers, back));
    CHECK(fixture_unseal(sealed, "other", &round, &none) == -EBADMSG);
    CHECK(fixture_unseal("", "form", &round, &none) == -EBADMSG);
    for (size_t i = 0; sealed && sealed[i]; i++) {
        char was = sealed[i];
        sealed[i] = (char)(was ^ 1);
        CHECK_MSG(fixture_unseal(sealed, "form", &round, &none) == -EBADMSG, "at byte %zu", i);
        sealed[i] = '\0';
        CHECK_MSG(fixture_unseal(sealed, "form", &round, &none) == -EBADMSG, "cut at byte %zu", i);
        sealed[i] = was;
    }
    CHECK(!none);
}

TEST(a_state_that_is_too_long_is_not_sealed)
{
    auto_free char *name = calloc(1, LIMIT_MCP_STATE + 1);
    memset(name, 'x', LIMIT_MCP_STATE);
    auto_json *answers = json_pack("{s:s}", "name", name);
    auto_free char *sealed = fixture_seal("form", 0, answers);
    CHECK(!sealed);
}

TEST(no_such_resource_has_the_code_of_its_era)
{
    static const struct {
        const char *params;
        int code;
    } rows[] = {{"\"uri\":\"test://\\\"none\"", RPC_NO_RESOURCE}, {"\"uri\":\"test://\\\"none\"," MODERN, RPC_PARAMS}};
    begin();
    struct client *c = older_client();
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_json *r = answer(c, "resources/read", rows[i].params);
        CHECK(code_of(r) == rows[i].code);
        CHECK_STR(member_string(json_object_get(json_object_get(r, "error"), "data"), "uri"), "test://\"none");
    }
    client_free(c);
    end();
}

TEST(rounds_follow_each_other_and_cannot_be_skipped)
{
#define FORM "\"name\":\"test_input_required_result_multi_round\"," MODERN
    char params[4096];
    begin();
    struct client *c = client_new(server);
    auto_json *early = answer(c, "tools/call", FORM ",\"inputResponses\":{\"step2\":{\"action\":\"decline\"}}");
    json_t *asked = json_object_get(early, "result");
    CHECK(json_object_get(json_object_get(asked, "inputRequests"), "step1"));
    auto_free char *state = json_dumps(json_object_get(asked, "requestState"), JSON_ENCODE_ANY);
    (void)snprintf(params, sizeof params, FORM ",\"requestState\":%s,\"inputResponses\":{\"step1\":{\"action\":\"accept\","
                   "\"content\":{\"name\":\"Ada\"}},\"step2\":{\"action\":\"decline\"}}", state);
    auto_json *second = answer(c, "tools/call", params);
    asked = json_object_get(second, "result");
    CHECK_STR(member_string(asked, "resultType"), "input_required");
    CHECK(json_object_get(json_object_get(asked, "inputRequests"), "step2"));
    auto_free char *later = json_dumps(json_object_get(asked, "requestState"), JSON_ENCODE_ANY);
    (void)snprintf(params, sizeof params, FORM ",\"requestState\":%s,\"inputResponses\":{\"step2\":{\"action\":\"decline\"}}",
                   later);
    auto_json *last = answer(c, "tools/call", params);
    CHECK_MSG(text_of(last) && strstr(text_of(last), "Ada") && strstr(text_of(last), "decline"), "%s", text_of(last));
    client_free(c);
    end();
#undef FORM
}

TEST(what_the_client_cannot_answer_is_not_asked)
{
    begin();
    struct client *c = client_new(server);
    auto_json *none = answer(c, "tools/call",
                             "\"name\":\"test_input_required_result_list_roots\"," META_WITH("\"sampling\":{}"));
    CHECK(code_of(none) == RPC_NO_CAPABILITY);
    auto_json *some = answer(c, "tools/call",
                             "\"name\":\"test_input_required_result_capabilities\"," META_WITH("\"roots\":{}"));
    json_t *asked = json_object_get(json_object_get(some, "result"), "inputRequests");
    CHECK(json_object_size(asked) == 1 && json_object_get(asked, "client_roots"));
    client_free(c);
    end();
}

static size_t log_lines(struct client *c)
{
    auto_record *r = record_new();
    tell(c, r, "tools/call", "\"name\":\"test_tool_with_logging\"");
    wait_for(r, 1, true);
    return messages(r, NULL) - 1;
}

TEST(a_log_level_is_its_clients_own_and_goes_with_it)
{
    begin();
    struct client *loud = older_client(), *quiet = older_client();
    auto_json *set = answer(quiet, "logging/setLevel", "\"level\":\"error\"");
    CHECK(json_object_size(json_object_get(set, "result")) == 0);
    CHECK(log_lines(loud) == 3 && log_lines(quiet) == 0);
    client_free(quiet);
    quiet = older_client(); /* likely where the other one was */
    CHECK(log_lines(quiet) == 3);
    client_free(loud);
    client_free(quiet);
    end();
}

TEST(a_subscription_hears_what_it_asked_for_and_nothing_else)
{
    static const char *const triggers[] = {"tool_change", "prompt_change", "resource_update"};
    begin();
    struct client *c = client_new(server);
    auto_record *r = record_new();
    tell(c, r, "subscriptions/listen",
         "\"notifications\":{\"promptsListChanged\":true,\"resourceSubscriptions\":[\"test://watched-resource\"]}," MODERN);
    wait_for(r, 1, false);
    for (size_t i = 0; i < COUNT(triggers); i++) {
        char params[512];
        (void)snprintf(params, sizeof params, "\"name\":\"test_trigger_%s\"," MODERN, triggers[i]);
        auto_json *done = answer(c, "tools/call", params);
        CHECK(text_of(done));
    }
    static const char *const heard[] = {"notifications/subscriptions/acknowledged", "notifications/prompts/list_changed",
                                        "notifications/resources/updated"};
    CHECK(messages(r, NULL) == COUNT(heard));
    for (size_t i = 0; i < COUNT(heard); i++) {
        const json_t *m = json_array_get(r->messages, i), *params = json_object_get(m, "params");
        CHECK_STR(member_string(m, "method"), heard[i]);
        CHECK(json_object_get(json_object_get(params, "_meta"), META "subscriptionId"));
    }
    client_free(c);
    end();
}

TEST(who_hung_up_makes_room_for_another_subscription)
{
    begin();
    struct client *c = client_new(server);
    for (int i = 0; i < 2 * LIMIT_MCP_LISTENERS; i++) {
        auto_record *r = record_new();
        tell(c, r, "subscriptions/listen", "\"notifications\":{\"toolsListChanged\":true}," MODERN);
        wait_for(r, 1, false);
        CHECK(member_string(json_array_get(r->messages, 0), "method"));
        server_hung_up(server, &r->outlet);
        wait_for(r, 1, true);
    }
    client_free(c);
    end();
}

TEST(a_resource_is_watched_by_whoever_subscribed)
{
    begin();
    struct client *c = older_client();
    for (int subscribed = 1; subscribed >= 0; subscribed--) {
        auto_json *done = answer(c, subscribed ? "resources/subscribe" : "resources/unsubscribe",
                                 "\"uri\":\"test://watched-resource\"");
        CHECK(json_object_get(done, "result"));
        auto_record *r = record_new();
        tell(c, r, "tools/call", "\"name\":\"test_trigger_resource_update\"");
        wait_for(r, 1, true);
        CHECK(messages(r, NULL) == 1 + (size_t)subscribed);
    }
    client_free(c);
    end();
}
