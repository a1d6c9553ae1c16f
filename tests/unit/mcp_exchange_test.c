/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request and its answer, where something is amiss: no memory for the words, an outlet that has no room, words after the answer;
 * and questions to the client that are answered twice, by an error, not at all, or to nobody. What a tool does is the test's.
 */
#include "test.h"

#include <errno.h>
#include <pthread.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "mcp/core.h"
#include "outlet_record.h"

/* Without memory for words of any kind; see the Makefile. */
static _Thread_local bool speechless;

int __real_buf_add_json_str(struct buf *b, const char *s);
int __wrap_buf_add_json_str(struct buf *b, const char *s);
int __wrap_buf_add_json_str(struct buf *b, const char *s)
{
    return speechless ? (b->error = -ENOMEM) : __real_buf_add_json_str(b, s);
}

static void (*act)(struct exchange *e);

static bool has(const char *tool)
{
    return !strcmp(tool, "act");
}

static bool call(struct exchange *e, const char *tool, json_t *arguments)
{
    (void)arguments;
    if (!has(tool))
        return false;
    act(e);
    return true;
}

static const struct extension acting = {
    .capabilities = {"\"tools\":{}", "\"tools\":{}"}, .tools = "{\"name\":\"act\"}", .call = call, .has = has};

struct bench {
    fovea *f;
    struct server *s;
    struct client *c;
};

static void bench_done(struct bench *b)
{
    client_free(b->c);
    CHECK(server_free(b->s, 0, NULL, NULL));
    fovea_free(b->f);
}

static void say(struct bench *b, struct record *r, const char *text)
{
    (void)server_receive(b->s, b->c, NULL, &r->outlet, text, strlen(text));
}

static void bench_init(struct bench *b)
{
    static const struct server_options options = {.extension = &acting};
    const struct fovea_options quiet = {.config_file = "", .cwd = "/"};
    struct fovea_fault fault = {0};
    struct record r = RECORD;
    *b = (struct bench){0};
    CHECK_MSG(!fovea_new(&quiet, &b->f, &fault) && !server_new(b->f, &options, &b->s, &fault), "%s", fault.text);
    b->c = client_new(b->s);
    say(b, &r, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"}}");
    CHECK(r.answers == 1);
    buf_done(&r.text);
}

#define CALL(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"act\",\"_meta\":{\"progressToken\":1}}}"

static void until_ended(struct record *r)
{
    for (int64_t deadline = clock_ms() + 10000; !record_counts(r).ends && clock_left(deadline);)
        (void)usleep(500);
    CHECK(record_counts(r).ends == 1);
}

/* What the tool's doing gives; the caller looks and ends it. */
static void play(struct bench *b, struct record *r, void (*what)(struct exchange *e), const char *words)
{
    act = what;
    say(b, r, words);
    until_ended(r);
}

/* ---------------------------------------------------------------- answers */

static void loses_its_answer(struct exchange *e)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    exchange_begin(e, &b);
    b.error = -ENOMEM;
    exchange_finish(e, &b);
}

static void loses_every_word(struct exchange *e)
{
    speechless = true;
    loses_its_answer(e);
    speechless = false;
}

TEST(a_call_without_memory_for_its_answer_is_answered_all_the_same)
{
    static const struct {
        void (*what)(struct exchange *e);
        const char *id;
    } rows[] = {
        {loses_its_answer, "7"},
        {loses_every_word, "7"},
        {loses_every_word, "\"a\\\"b\\\\c\\u0001\u00e9\""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        cleanup(bench_done) struct bench b;
        struct record r = RECORD;
        char words[256];
        bench_init(&b);
        (void)snprintf(words, sizeof words, CALL("%s"), rows[i].id);
        play(&b, &r, rows[i].what, words);
        auto_json *answer = json_loadb(r.text.data, r.text.len, 0, NULL), *id = json_loads(rows[i].id, JSON_DECODE_ANY, NULL);
        CHECK_MSG(r.answers == 1 && r.http == 500 && json_equal(json_object_get(answer, "id"), id), "%s", r.text.data);
        CHECK(json_integer_value(json_object_get(json_object_get(answer, "error"), "code")) == RPC_INTERNAL);
        buf_done(&r.text);
    }
}

TEST(an_error_without_memory_for_its_words_carries_the_id)
{
    static const char *const ids[] = {"7", "\"x\\ny\"", NULL};
    for (size_t i = 0; i < COUNT(ids); i++) {
        struct record r = RECORD;
        struct rpc_error error = {.code = RPC_INVALID, .text = "no"};
        auto_json *id = ids[i] ? json_loads(ids[i], JSON_DECODE_ANY, NULL) : NULL;
        speechless = true;
        answer_error(&r.outlet, id, &error);
        speechless = false;
        auto_json *answer = json_loadb(r.text.data, r.text.len, 0, NULL);
        CHECK_MSG(r.http == 500 && r.ends == 1 && (id ? json_equal(json_object_get(answer, "id"), id) : !json_object_get(answer, "id")), "%s",
                  r.text.data);
        r.text.len = 0;
        answer_error(&r.outlet, id, &error);
        CHECK(r.http == 200 && strstr(r.text.data, "-32600"));
        buf_done(&r.text);
    }
}

static void answers_at_length(struct exchange *e)
{
    exchange_note(e, "notifications/message", "{\"data\":\"01234567890123456789012345678901234567890123456789012345678901234567890123456789"
                                              "01234567890123456789012345678901234567890123456789012345678901234567890123456789\"}");
    exchange_result(e, "\"content\":[],\"x\":\"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123"
                       "4567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\"");
}

TEST(an_answer_for_which_an_outlet_has_no_room_becomes_an_error)
{
    cleanup(bench_done) struct bench b;
    struct record r = RECORD;
    bench_init(&b);
    r.full = true;
    play(&b, &r, answers_at_length, CALL("7"));
    CHECK_MSG(r.answers == 1 && !r.notes && strstr(r.text.data, "too long for one message"), "%s", r.text.data);
    buf_done(&r.text);
}

static void goes_on_talking(struct exchange *e)
{
    struct buf lost = {.error = -ENOMEM};
    exchange_send(e, &lost); /* nobody waits for it */
    exchange_progress(e, 5, 10);
    exchange_progress(e, 3, 10);
    exchange_result(e, "");
    exchange_note(e, "notifications/message", "{}");
    exchange_result(e, "");
}

TEST(nothing_follows_an_answer_and_progress_only_grows)
{
    cleanup(bench_done) struct bench b;
    struct record r = RECORD;
    bench_init(&b);
    play(&b, &r, goes_on_talking, CALL("7"));
    CHECK_MSG(r.answers == 1 && r.notes == 1 && strstr(r.text.data, "\"progress\":5"), "%s", r.text.data);
    buf_done(&r.text);
}

TEST(an_empty_result_of_the_modern_kind_says_who_we_are)
{
    cleanup(bench_done) struct bench b;
    struct record r = RECORD;
    bench_init(&b);
    client_free(b.c);
    b.c = client_new(b.s);
    play(&b, &r, goes_on_talking, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"act\",\"_meta\":{"
                                  "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    auto_json *answer = json_loadb(r.text.data, r.text.len, 0, NULL);
    CHECK_MSG(r.answers == 1 && json_object_get(json_object_get(answer, "result"), "_meta"), "%s", r.text.data);
    buf_done(&r.text);
}

/* ---------------------------------------------------------------- questions */

static atomic_int asked;
static json_t *told;
static int patience = 5000;

static void asks(struct exchange *e)
{
    asked = exchange_ask(e, "roots/list", "{}", patience, &told);
    exchange_result(e, "\"content\":[]");
}

/* Until the question is out; its id is put into `id`. */
static void until_asked(struct record *r, char id[32])
{
    for (int64_t deadline = clock_ms() + 10000; clock_left(deadline); (void)usleep(500)) {
        (void)pthread_mutex_lock(&r->lock);
        const char *at = r->text.len ? strstr(r->text.data, "fovea-") : NULL;
        bool out = at && sscanf(at, "%31[^\"]", id) == 1;
        (void)pthread_mutex_unlock(&r->lock);
        if (out)
            return;
    }
    CHECK_MSG(false, "%s", "asked");
}

static void answer(struct bench *b, const char *id, const char *rest)
{
    char words[256];
    struct record r = RECORD;
    (void)snprintf(words, sizeof words, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",%s}", id, rest);
    say(b, &r, words);
    CHECK(!r.answers);
    buf_done(&r.text);
}

TEST(a_question_is_answered_once_and_only_by_its_number)
{
    cleanup(bench_done) struct bench b;
    struct record r = RECORD;
    char id[32] = "", other[64];
    bench_init(&b);
    act = asks;
    say(&b, &r, CALL("7"));
    until_asked(&r, id);
    (void)snprintf(other, sizeof other, "%sx", id);
    answer(&b, other, "\"result\":{}");
    answer(&b, "fovea-999", "\"result\":{}");
    answer(&b, "somebody-1", "\"result\":{}");
    CHECK(!record_counts(&r).ends);
    answer(&b, id, "\"result\":{\"a\":1}");
    answer(&b, id, "\"result\":{\"a\":2}");
    until_ended(&r);
    CHECK(asked == 0 && json_integer_value(json_object_get(told, "a")) == 1);
    json_decref(told);
    told = NULL;
    buf_done(&r.text);
}

TEST(a_question_may_be_answered_by_an_error_or_not_at_all)
{
    cleanup(bench_done) struct bench b;
    struct record r = RECORD, late = RECORD, gone = RECORD;
    char id[32] = "";
    bench_init(&b);
    act = asks;
    say(&b, &r, CALL("7"));
    until_asked(&r, id);
    answer(&b, id, "\"error\":{\"code\":1,\"message\":\"no\"}");
    until_ended(&r);
    CHECK(asked == -EREMOTEIO);
    patience = 20;
    play(&b, &late, asks, CALL("8"));
    CHECK(asked == -ETIMEDOUT);
    patience = 5000;
    say(&b, &gone, CALL("9"));
    until_asked(&gone, id);
    struct record none = RECORD;
    say(&b, &none, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":9}}");
    until_ended(&gone);
    for (int i = 0; i < 5000 && asked != -ECANCELED; i++) /* its tool hears of it a little later */
        (void)usleep(1000);
    CHECK(asked == -ECANCELED && !gone.answers);
    buf_done(&r.text);
    buf_done(&late.text);
    buf_done(&gone.text);
    buf_done(&none.text);
}

TEST(a_question_open_when_the_server_ends_is_given_up)
{
    struct bench b;
    struct record r = RECORD;
    char id[32] = "";
    bench_init(&b);
    act = asks;
    asked = 0;
    say(&b, &r, CALL("7"));
    until_asked(&r, id);
    bench_done(&b);
    CHECK(asked == -ECANCELED);
    buf_done(&r.text);
}

/* The one that was asked first is forgotten while the other is open. */
static atomic_int open_asks;
static void asks_too(struct exchange *e)
{
    json_t *ret = NULL;
    int r = exchange_ask(e, "roots/list", NULL, open_asks++ ? 300 : 50, &ret);
    CHECK(r == -ETIMEDOUT);
    exchange_result(e, "\"content\":[]");
}

TEST(questions_are_forgotten_one_by_one)
{
    cleanup(bench_done) struct bench b;
    struct record first = RECORD, second = RECORD;
    char id[32] = "";
    bench_init(&b);
    act = asks_too;
    say(&b, &first, CALL("7"));
    until_asked(&first, id);
    say(&b, &second, CALL("8"));
    until_ended(&first);
    until_ended(&second);
    CHECK(!b.c->asks && first.answers == 1 && second.answers == 1);
    buf_done(&first.text);
    buf_done(&second.text);
}
