/* SPDX-License-Identifier: Apache-2.0 */
/* The server from inside: whose turn it is, what a full queue does, and that a cancelled call is silent. Its tools here
 * wait until the test lets them go, so nothing depends on timing. */
#include "test.h"

#include <pthread.h>

#include "base/buf.h"
#include "base/clock.h"
#include "mcp/core.h"
#include "outlet_record.h"

/* ---------------------------------------------------------------- a tool that waits */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned allowed, started, finished;

static bool has(const char *tool)
{
    return !strcmp(tool, "wait");
}

static bool call(struct exchange *e, const char *tool, json_t *arguments)
{
    (void)tool;
    (void)arguments;
    (void)pthread_mutex_lock(&lock);
    started++;
    (void)pthread_cond_broadcast(&changed);
    while (!allowed && !exchange_cancelled(e)) {
        struct timespec t;
        (void)clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += 5000000;
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&changed, &lock, &t);
    }
    allowed -= allowed > 0;
    finished++;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
    exchange_result(e, "\"content\":[]");
    return true;
}

static const struct extension waiting = {
    .capabilities = {"\"tools\":{}", "\"tools\":{}"}, .tools = "{\"name\":\"wait\"}", .call = call, .has = has};

static unsigned messages(struct record *r)
{
    return record_counts(r).messages;
}

/* ---------------------------------------------------------------- the server of a test */

struct bench {
    fovea *f;
    struct server *s;
};

static struct bench begin(void)
{
    struct bench b = {0};
    struct fovea_fault fault = {0};
    static const struct server_options options = {.extension = &waiting};
    const struct fovea_options quiet = {.config_file = "", .cwd = "/"};
    allowed = started = finished = 0;
    CHECK_MSG(!fovea_new(&quiet, &b.f, &fault) && !server_new(b.f, &options, &b.s, &fault), "%s", fault.text);
    return b;
}

static void end(struct bench *b)
{
    CHECK(server_free(b->s, 0, NULL, NULL));
    fovea_free(b->f);
}

static enum served say(struct bench *b, struct client *c, const struct headers *h, struct record *r, const char *text)
{
    return server_receive(b->s, c, h, &r->outlet, text, strlen(text));
}

static enum served ask_to_wait(struct bench *b, struct client *c, const struct headers *h, struct record *r, int id)
{
    char text[256];
    (void)snprintf(text, sizeof text,
                   "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\","
                   "\"_meta\":{\"progressToken\":%d}}}", id, id);
    return say(b, c, h, r, text);
}

static void until_started(unsigned n)
{
    (void)pthread_mutex_lock(&lock);
    while (started < n)
        (void)pthread_cond_wait(&changed, &lock);
    (void)pthread_mutex_unlock(&lock);
}

static void let_go(unsigned n)
{
    (void)pthread_mutex_lock(&lock);
    allowed += n;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

static void until_answered(struct record *r, unsigned n)
{
    int64_t deadline = clock_ms() + 10000;
    while (messages(r) < n && clock_left(deadline))
        (void)usleep(1000);
    CHECK_MSG(messages(r) >= n, "%u of %u answers", messages(r), n);
}

static void agree(struct bench *b, struct client *c, const char *revision)
{
    char text[256];
    struct record r = RECORD;
    (void)snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                                      "\"protocolVersion\":\"%s\"}}", revision);
    CHECK(say(b, c, NULL, &r, text) == SERVED && strstr(r.text.data, revision));
    buf_done(&r.text);
}

/* ---------------------------------------------------------------- */

TEST(a_client_with_one_call_is_not_kept_waiting_by_one_with_many)
{
    struct bench b = begin();
    struct client *many = client_new(b.s), *one = client_new(b.s);
    struct record rm = RECORD, ro = RECORD;
    b.s->room[LOAD_WAIT] = 1;
    for (int i = 1; i <= 50; i++)
        CHECK(ask_to_wait(&b, many, NULL, &rm, i) == SERVED);
    until_started(1);
    CHECK(ask_to_wait(&b, one, NULL, &ro, 1) == SERVED);
    let_go(2); /* the one that runs, and whoever is next */
    until_answered(&ro, 1);
    CHECK(messages(&rm) == 1);
    client_free(many);
    client_free(one);
    end(&b);
    buf_done(&rm.text);
    buf_done(&ro.text);
}

TEST(a_full_queue_answers_503_over_http)
{
    struct bench b = begin();
    struct client *c = client_new(b.s);
    struct record r = RECORD, late = RECORD;
    const struct headers h = {.session = true};
    agree(&b, c, "2025-06-18");
    for (int i = 1; i <= LIMIT_MCP_QUEUE; i++)
        CHECK(ask_to_wait(&b, c, &h, &r, i) == SERVED);
    CHECK(ask_to_wait(&b, c, &h, &late, LIMIT_MCP_QUEUE + 1) == SERVED_BUSY);
    CHECK(late.http == 503 && late.ends == 1);
    CHECK(messages(&r) == 0);
    client_free(c);
    end(&b);
    buf_done(&r.text);
    buf_done(&late.text);
}

/* Waits for `idle` runners of all there are. */
static bool until_idle(struct server *s, unsigned idle)
{
    int64_t deadline = clock_ms() + 10000;
    bool are = false;
    while (!are && clock_left(deadline)) {
        server_lock(s);
        are = s->idle == idle && s->runners == idle && !s->coming && !s->starting;
        server_unlock(s);
        (void)usleep(1000);
    }
    return are;
}

TEST(a_runner_that_wakes_by_itself_does_not_stand_in_for_one_that_starts)
{
    struct bench b = begin();
    struct client *c = client_new(b.s);
    struct record r = RECORD;
    let_go(1);
    (void)ask_to_wait(&b, c, NULL, &r, 1);
    until_answered(&r, 1);
    CHECK(until_idle(b.s, 1));
    server_lock(b.s);
    b.s->starting++; /* a thread that was made and does not run yet */
    (void)pthread_cond_broadcast(&b.s->work);
    server_unlock(b.s);
    (void)usleep(50000);
    server_lock(b.s);
    CHECK_MSG(b.s->idle == 1 && b.s->starting == 1, "%u idle, %u starting", b.s->idle, b.s->starting);
    b.s->starting--;
    server_unlock(b.s);
    client_free(c);
    end(&b);
    buf_done(&r.text);
}

static atomic_bool shaking;

static void *shake(void *arg)
{
    struct server *s = arg;
    while (atomic_load(&shaking)) {
        server_lock(s);
        (void)pthread_cond_broadcast(&s->work);
        server_unlock(s);
        (void)usleep(10);
    }
    return NULL;
}

/* A condition may wake whom it likes. */
TEST(wakes_that_nobody_meant_lose_no_call_and_no_runner)
{
    enum { ROUNDS = 20 };
    struct bench b = begin();
    struct client *c = client_new(b.s);
    struct record r = RECORD;
    pthread_t shaker;
    atomic_store(&shaking, true);
    CHECK(!pthread_create(&shaker, NULL, shake, b.s));
    for (int round = 0, id = 0; round < ROUNDS; round++) {
        for (int i = 0; i <= round; i++)
            (void)ask_to_wait(&b, c, NULL, &r, ++id);
        until_started((unsigned)id); /* each of them on a runner of its own */
        let_go((unsigned)round + 1);
        until_answered(&r, (unsigned)id);
    }
    atomic_store(&shaking, false);
    (void)pthread_join(shaker, NULL);
    CHECK(until_idle(b.s, ROUNDS));
    client_free(c);
    end(&b);
    buf_done(&r.text);
}

TEST(a_cancelled_call_is_stopped_and_silent_whether_it_waits_or_runs)
{
    struct bench b = begin();
    struct client *c = client_new(b.s);
    struct record runs = RECORD, waits = RECORD, note = RECORD;
    b.s->room[LOAD_WAIT] = 1;
    (void)ask_to_wait(&b, c, NULL, &runs, 1);
    until_started(1);
    (void)ask_to_wait(&b, c, NULL, &waits, 2);
    for (int i = 2; i >= 1; i--) {
        char text[128];
        (void)snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
                                          "\"requestId\":%d}}", i);
        CHECK(say(&b, c, NULL, &note, text) == SERVED_NOTHING);
    }
    client_free(c);
    end(&b);
    CHECK(messages(&runs) == 0 && messages(&waits) == 0 && messages(&note) == 0);
    CHECK(runs.ends == 1 && waits.ends == 1);
    CHECK(started == 1);
}

TEST(hanging_up_cancels_what_was_to_be_answered_there)
{
    struct bench b = begin();
    struct client *c = client_new(b.s);
    struct record gone = RECORD, stays = RECORD;
    (void)ask_to_wait(&b, c, NULL, &gone, 1);
    (void)ask_to_wait(&b, c, NULL, &stays, 2);
    until_started(2);
    server_hung_up(b.s, &gone.outlet);
    until_started(2);
    let_go(2);
    until_answered(&stays, 1);
    client_free(c);
    end(&b);
    CHECK(messages(&gone) == 0);
    buf_done(&stays.text);
}

TEST(hanging_up_on_a_batch_cancels_each_of_its_calls)
{
    struct bench b = begin();
    struct client *c = client_new(b.s);
    struct record gone = RECORD;
    agree(&b, c, "2025-03-26");
    CHECK(say(&b, c, NULL, &gone, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\"}},"
                                  "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\"}}]") ==
          SERVED);
    until_started(2);
    server_hung_up(b.s, &gone.outlet);
    CHECK(!c->n_flight);
    client_free(c);
    end(&b);
    CHECK(messages(&gone) == 0 && gone.ends == 1);
}

TEST(an_id_in_flight_cannot_be_used_again_but_later_it_can)
{
    struct bench b = begin();
    struct client *c = client_new(b.s);
    struct record first = RECORD, twin = RECORD, again = RECORD;
    (void)ask_to_wait(&b, c, NULL, &first, 7);
    (void)ask_to_wait(&b, c, NULL, &twin, 7);
    CHECK(twin.text.data && strstr(twin.text.data, "\"id\":7,\"error\":{\"code\":-32600"));
    let_go(1);
    until_answered(&first, 1);
    let_go(1);
    (void)ask_to_wait(&b, c, NULL, &again, 7);
    until_answered(&again, 1);
    CHECK(strstr(again.text.data, "\"result\""));
    client_free(c);
    end(&b);
    buf_done(&first.text);
    buf_done(&twin.text);
    buf_done(&again.text);
}

TEST(a_batch_is_one_array_where_2025_03_26_was_agreed_and_an_error_elsewhere)
{
    static const char batch[] = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},5,"
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},"
                                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"wait\"}}]";
    static const char *const elsewhere[] = {"2024-11-05", "2025-06-18", "2025-11-25"};
    struct bench b = begin();
    for (size_t i = 0; i < COUNT(elsewhere); i++) {
        struct client *c = client_new(b.s);
        struct record r = RECORD;
        agree(&b, c, elsewhere[i]);
        CHECK(say(&b, c, NULL, &r, batch) == SERVED && strstr(r.text.data, "-32600") && messages(&r) == 1);
        client_free(c);
        buf_done(&r.text);
    }
    struct client *c = client_new(b.s);
    struct record r = RECORD, silent = RECORD;
    agree(&b, c, "2025-03-26");
    let_go(1);
    CHECK(say(&b, c, NULL, &r, batch) == SERVED);
    until_answered(&r, 1);
    auto_json *all = json_loads(r.text.data, 0, NULL);
    CHECK(json_array_size(all) == 3 && r.ends == 1);
    CHECK(say(&b, c, NULL, &silent, "[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]") == SERVED_NOTHING);
    CHECK(!messages(&silent) && !silent.ends);
    CHECK(say(&b, c, NULL, &silent, "[]") == SERVED && messages(&silent) == 1);
    client_free(c);
    end(&b);
    buf_done(&r.text);
    buf_done(&silent.text);
}

/* What a request is told that opens one way or another, over HTTP. */
#define VERSION(v) "\"io.modelcontextprotocol/protocolVersion\":\"" v "\""
#define CAPABLE "\"io.modelcontextprotocol/clientCapabilities\":{}"
static const struct {
    const char *method, *meta;
    struct headers h;
    int code, http;
} opens[] = {
    {"server/discover", VERSION("2026-07-28") "," CAPABLE, {.version = "2026-07-28", .method = "server/discover"}, 0, 200},
    {"server/discover", CAPABLE, {.version = "2026-07-28", .method = "server/discover"}, RPC_PARAMS, 400},
    {"server/discover", VERSION("2026-07-28"), {.version = "2026-07-28", .method = "server/discover"}, RPC_PARAMS, 400},
    {"server/discover", VERSION("1999-01-01") "," CAPABLE, {.version = "1999-01-01"}, RPC_VERSION, 400},
    {"server/discover", VERSION("1999-01-01") "," CAPABLE, {.version = "2026-07-28"}, RPC_HEADERS, 400},
    {"server/discover", VERSION("2026-07-28") "," CAPABLE, {.version = NULL}, RPC_HEADERS, 400},
    {"tools/list", VERSION("2026-07-28") "," CAPABLE, {.version = "2026-07-28", .method = "tools/call"}, RPC_HEADERS, 400},
    {"tools/list", VERSION("2026-07-28") "," CAPABLE, {.version = "2026-07-28", .method = "tools/list"}, 0, 200},
    {"tools/list", VERSION("2025-11-25") "," CAPABLE, {.version = "2025-11-25"}, RPC_VERSION, 400},
    {"ping", VERSION("2026-07-28") "," CAPABLE, {.version = "2026-07-28", .method = "ping"}, RPC_NO_METHOD, 404},
    {"initialize", VERSION("2026-07-28") "," CAPABLE, {.version = "2026-07-28", .method = "initialize"}, RPC_NO_METHOD, 404},
    {"tools/list", NULL, {0}, RPC_INVALID, 400},
    {"tools/list", NULL, {.version = "2030-01-01"}, RPC_VERSION, 400},
    {"no/such", NULL, {0}, RPC_NO_METHOD, 200},
};

TEST(the_era_follows_from_how_a_request_opens)
{
    struct bench b = begin();
    for (size_t i = 0; i < COUNT(opens); i++) {
        struct client *c = client_new(b.s);
        struct record r = RECORD;
        char text[512], code[32];
        (void)snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s%s%s}}",
                       opens[i].method, opens[i].meta ? "\"_meta\":{" : "", opens[i].meta ? opens[i].meta : "",
                       opens[i].meta ? "}" : "");
        (void)snprintf(code, sizeof code, opens[i].code ? "\"code\":%d" : "\"result\"", opens[i].code);
        (void)say(&b, c, &opens[i].h, &r, text);
        CHECK_MSG(messages(&r) == 1 && strstr(r.text.data, code) && strstr(r.text.data, "\"id\":1,") &&
                      r.http == opens[i].http, "%zu: %d %s", i, r.http, r.text.data);
        client_free(c);
        buf_done(&r.text);
    }
    end(&b);
}

TEST(what_was_asked_before_stdin_ended_may_take_as_long_as_a_question)
{
    struct fovea_setting setting = {0};
    for (size_t i = 0; !fovea_setting(i, &setting) && strcmp(setting.key, "images.questionTimeoutMs") != 0;)
        i++;
    CHECK_STR(setting.key, "images.questionTimeoutMs");
    CHECK(strtoll(setting.preset, NULL, 10) > 0 && strtoll(setting.preset, NULL, 10) < LIMIT_MCP_DRAIN_MS);
}
