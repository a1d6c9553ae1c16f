/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One HTTP request at a time, as the library hands it over: bodies that are refused, too large for the room or cut; and memory that
 * runs out at each step. The library and what gives out memory stand in by --wrap (see the Makefile); sessions and the server are real.
 */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "mcp/core.h"
#include "mcp/http_outlet.h"
#include "mcp/http_request.h"

enum { MOST_HEADERS = 8 };

/* ---------------------------------------------------------------- the library */

static struct {
    const char *header[MOST_HEADERS][2];
    struct conn *conn;
    bool no_info, no_size, no_response, no_memory, no_client, no_outlet, no_session, no_body, no_session_header;
    int status, asleep, code; /* the last: of the error that is told */
    bool retry;
} lib;
static struct MHD_Connection *const connection = (struct MHD_Connection *)(void *)&lib;

const union MHD_ConnectionInfo *__wrap_MHD_get_connection_info(struct MHD_Connection *c, enum MHD_ConnectionInfoType type, ...);
const union MHD_ConnectionInfo *__wrap_MHD_get_connection_info(struct MHD_Connection *c, enum MHD_ConnectionInfoType type, ...)
{
    static union MHD_ConnectionInfo info;
    CHECK(c == connection);
    if (type == MHD_CONNECTION_INFO_SOCKET_CONTEXT)
        info.socket_context = lib.conn;
    else
        info.header_size = 100;
    return lib.no_info || (lib.no_size && type != MHD_CONNECTION_INFO_SOCKET_CONTEXT) ? NULL : &info;
}

int __wrap_MHD_get_connection_values_n(struct MHD_Connection *c, enum MHD_ValueKind kind, MHD_KeyValueIteratorN see, void *arg);
int __wrap_MHD_get_connection_values_n(struct MHD_Connection *c, enum MHD_ValueKind kind, MHD_KeyValueIteratorN see, void *arg)
{
    int n = 0;
    CHECK(c == connection);
    for (; n < MOST_HEADERS && lib.header[n][0]; n++) {
        const char *name = lib.header[n][0], *value = lib.header[n][1];
        (void)see(arg, kind, name, strlen(name), value, strlen(value));
    }
    return n;
}

static struct MHD_Response *new_response(void)
{
    return lib.no_response ? NULL : (struct MHD_Response *)(void *)&lib;
}

struct MHD_Response *__wrap_MHD_create_response_from_buffer(size_t len, void *data, enum MHD_ResponseMemoryMode mode);
struct MHD_Response *__wrap_MHD_create_response_from_buffer(size_t len, void *data, enum MHD_ResponseMemoryMode mode)
{
    const char *code = len ? memmem(data, len, "\"code\":", 7) : NULL;
    lib.code = code ? (int)strtol(code + 7, NULL, 10) : 0;
    if (mode == MHD_RESPMEM_MUST_FREE && !lib.no_response)
        free(data);
    return new_response();
}

struct MHD_Response *__wrap_MHD_create_response_from_callback(uint64_t size, size_t block, MHD_ContentReaderCallback say, void *arg,
                                                              MHD_ContentReaderFreeCallback drop);
struct MHD_Response *__wrap_MHD_create_response_from_callback(uint64_t size, size_t block, MHD_ContentReaderCallback say, void *arg,
                                                              MHD_ContentReaderFreeCallback drop)
{
    (void)size, (void)block, (void)say, (void)arg, (void)drop;
    return NULL;
}

enum MHD_Result __wrap_MHD_add_response_header(struct MHD_Response *r, const char *name, const char *value);
enum MHD_Result __wrap_MHD_add_response_header(struct MHD_Response *r, const char *name, const char *value)
{
    (void)r, (void)value;
    lib.retry = lib.retry || !strcmp(name, "Retry-After");
    return lib.no_session_header && !strcmp(name, "Mcp-Session-Id") ? MHD_NO : MHD_YES;
}

enum MHD_Result __wrap_MHD_queue_response(struct MHD_Connection *c, unsigned status, struct MHD_Response *r);
enum MHD_Result __wrap_MHD_queue_response(struct MHD_Connection *c, unsigned status, struct MHD_Response *r)
{
    CHECK(c == connection && r);
    lib.status = (int)status;
    return MHD_YES;
}

void __wrap_MHD_destroy_response(struct MHD_Response *r);
void __wrap_MHD_destroy_response(struct MHD_Response *r)
{
    (void)r;
}

void __wrap_MHD_suspend_connection(struct MHD_Connection *c);
void __wrap_MHD_suspend_connection(struct MHD_Connection *c)
{
    CHECK(c == connection);
    lib.asleep++;
}

void __wrap_MHD_resume_connection(struct MHD_Connection *c);
void __wrap_MHD_resume_connection(struct MHD_Connection *c)
{
    CHECK(c == connection);
    lib.asleep--;
}

/* ---------------------------------------------------------------- memory */

#define REFUSABLE(type, name, params, flag, ...)                     \
    type __real_##name params;                                       \
    type __wrap_##name params;                                       \
    type __wrap_##name params                                        \
    {                                                                \
        return lib.flag ? (type)0 : __real_##name(__VA_ARGS__);      \
    }
REFUSABLE(void *, calloc, (size_t n, size_t size), no_memory, n, size)
REFUSABLE(struct client *, client_new, (struct server *s), no_client, s)
REFUSABLE(struct outlet *, http_outlet_new, (struct MHD_Connection *c), no_outlet, c)
REFUSABLE(struct session *, sessions_add, (struct sessions *s, struct client *c), no_session, s, c)

int __real_buf_add(struct buf *b, const void *data, size_t len);
int __wrap_buf_add(struct buf *b, const void *data, size_t len);
int __wrap_buf_add(struct buf *b, const void *data, size_t len)
{
    return lib.no_body ? (b->error = -ENOMEM) : __real_buf_add(b, data, len);
}

/* ---------------------------------------------------------------- a bench */

struct bench {
    fovea *f;
    struct http h;
    int pair[2], stop;
    void *request;
};

static void bench_init(struct bench *b)
{
    static const struct server_options options = {0};
    const struct fovea_options quiet = {.config_file = "", .cwd = "/"};
    struct fovea_fault fault;
    *b = (struct bench){.h = {.gate = {.port = 80}}, .stop = eventfd(0, EFD_CLOEXEC)};
    memset(&lib, 0, sizeof lib);
    CHECK_MSG(!fovea_new(&quiet, &b->f, &fault) && !server_new(b->f, &options, &b->h.server, &fault), "%s", fault.text);
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, b->pair) && !watch_init(&b->h.watch, b->h.server, false, b->stop));
    TAILQ_INIT(&b->h.requests);
    lib.conn = conn_new(&b->h.watch, b->pair[0]);
    CHECK(lib.conn != NULL);
}

static void bench_done(struct bench *b)
{
    lib.no_memory = lib.no_client = lib.no_outlet = lib.no_session = lib.no_body = lib.no_response = false;
    request_completed(&b->h, connection, &b->request, MHD_REQUEST_TERMINATED_COMPLETED_OK);
    CHECK(TAILQ_EMPTY(&b->h.requests) && b->h.bodies == 0);
    sessions_done(&b->h.sessions);
    conn_free(lib.conn);
    watch_done(&b->h.watch);
    CHECK(server_free(b->h.server, 5000, NULL, NULL));
    fovea_free(b->f);
    close_fd(b->pair[0]);
    close_fd(b->pair[1]);
    close_fd(b->stop);
}

static enum MHD_Result headers(struct bench *b, const char *method, const char *name, const char *value)
{
    const char *all[][2] = {{"Host", "localhost"}, {"Content-Type", "application/json"}, {name, value}};
    size_t none = 0;
    memcpy(lib.header, all, sizeof all);
    return request_answer(&b->h, connection, "/mcp", method, "HTTP/1.1", NULL, &none, &b->request);
}

static enum MHD_Result piece(struct bench *b, const char *data, size_t len)
{
    enum MHD_Result r = request_answer(&b->h, connection, "/mcp", "POST", "HTTP/1.1", data, &len, &b->request);
    CHECK(len == 0);
    return r;
}

static enum MHD_Result end(struct bench *b)
{
    size_t none = 0;
    return request_answer(&b->h, connection, "/mcp", "POST", "HTTP/1.1", NULL, &none, &b->request);
}

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
#define INITIALIZE "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"},\"capabilities\":{}}}"

TEST(a_request_in_pieces_gets_its_answer)
{
    cleanup(bench_done) struct bench b;
    bench_init(&b);
    lib.no_size = true;
    CHECK(headers(&b, "POST", NULL, NULL) == MHD_YES && piece(&b, INITIALIZE, 10) == MHD_YES && piece(&b, &INITIALIZE[10], strlen(INITIALIZE) - 10) == MHD_YES);
    CHECK(end(&b) == MHD_YES && lib.status == 200 && lib.asleep == 0);
}

/* ---------------------------------------------------------------- without memory */

TEST(without_a_connection_or_memory_for_a_request_the_connection_closes)
{
    cleanup(bench_done) struct bench b;
    bench_init(&b);
    lib.no_info = true;
    CHECK(headers(&b, "POST", NULL, NULL) == MHD_NO && !b.request);
    lib.no_info = false;
    lib.no_memory = true;
    CHECK(headers(&b, "POST", NULL, NULL) == MHD_NO && !b.request);
    lib.no_memory = false;
    lib.no_response = true;
    CHECK(headers(&b, "GET", "Transfer-Encoding", "chunked") == MHD_NO); /* no memory to say why */
    conn_cut(lib.conn, 503);
    request_completed(&b.h, connection, &b.request, MHD_REQUEST_TERMINATED_WITH_ERROR);
    CHECK(headers(&b, "POST", NULL, NULL) == MHD_NO && !b.request);
}

static void answer_503(struct bench *b, const char *words)
{
    CHECK(headers(b, "POST", NULL, NULL) == MHD_YES && piece(b, words, strlen(words)) == MHD_YES);
    CHECK_MSG(end(b) == MHD_YES && lib.status == 503 && lib.retry, "%d", lib.status);
}

TEST(without_memory_for_an_answer_it_is_told_to_try_again)
{
    for (int i = 0; i < 3; i++) {
        cleanup(bench_done) struct bench b;
        bench_init(&b);
        lib.no_client = i == 0;
        lib.no_outlet = i == 1;
        lib.no_session = i == 2;
        answer_503(&b, INITIALIZE);
    }
}

/* It used to be answered 200 without the id, and every later request was told to send initialize first. */
TEST(without_memory_for_its_id_there_is_no_session)
{
    cleanup(bench_done) struct bench b;
    bench_init(&b);
    lib.no_session_header = true;
    CHECK(headers(&b, "POST", NULL, NULL) == MHD_YES && piece(&b, INITIALIZE, strlen(INITIALIZE)) == MHD_YES && end(&b) == MHD_YES);
    CHECK(lib.status == 503 && lib.retry && !b.h.sessions.first);
    CHECK(lib.code == -32603);
}

TEST(without_memory_for_the_response_the_connection_closes)
{
    cleanup(bench_done) struct bench b;
    bench_init(&b);
    CHECK(headers(&b, "POST", NULL, NULL) == MHD_YES && piece(&b, PING, strlen(PING)) == MHD_YES);
    lib.no_response = true;
    CHECK(end(&b) == MHD_NO && !lib.status);
}

/* ---------------------------------------------------------------- bodies */

TEST(a_small_body_of_a_refused_request_is_read_and_a_large_one_not)
{
    static const struct {
        const char *name, *value;
        int at_once, later;
    } rows[] = {
        {"X", "y", 0, 405},
        {"Content-Length", "10", 0, 405},
        {"Content-Length", "65537", 405, 405},
        {"Transfer-Encoding", "chunked", 405, 405},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        cleanup(bench_done) struct bench b;
        bench_init(&b);
        CHECK(headers(&b, "PUT", rows[i].name, rows[i].value) == MHD_YES);
        CHECK_MSG(lib.status == rows[i].at_once, "row %zu: %d", i, lib.status);
        CHECK(piece(&b, "0123456789", 10) == MHD_YES && end(&b) == MHD_YES && lib.status == rows[i].later);
    }
}

TEST(a_session_is_ended_whatever_body_comes_with_that)
{
    cleanup(bench_done) struct bench b;
    char id[SESSION_ID_LEN + 1];
    bench_init(&b);
    CHECK(headers(&b, "POST", NULL, NULL) == MHD_YES && piece(&b, INITIALIZE, strlen(INITIALIZE)) == MHD_YES && end(&b) == MHD_YES && lib.status == 200);
    (void)snprintf(id, sizeof id, "%s", b.h.sessions.first->id);
    request_completed(&b.h, connection, &b.request, MHD_REQUEST_TERMINATED_COMPLETED_OK);
    CHECK(headers(&b, "DELETE", "Mcp-Session-Id", id) == MHD_YES && piece(&b, "body", 4) == MHD_YES);
    CHECK(end(&b) == MHD_YES && lib.status == 204 && !b.h.sessions.first);
}

TEST(a_body_that_has_no_room_is_cut_and_swallowed)
{
    cleanup(bench_done) struct bench b;
    char back[256] = "";
    bench_init(&b);
    CHECK(headers(&b, "POST", NULL, NULL) == MHD_YES);
    lib.no_body = true;
    CHECK(piece(&b, PING, 10) == MHD_YES && conn_is_cut(lib.conn));
    lib.no_body = false;
    CHECK(recv(b.pair[1], back, sizeof back - 1, MSG_DONTWAIT) > 0 && strstr(back, " 503 ") && strstr(back, "Retry-After"));
    CHECK(piece(&b, PING, 10) == MHD_YES && b.h.bodies == 0);
    CHECK(end(&b) == MHD_NO && !lib.status);
}

/* Bodies of less than an equal share are left alone, and then it is the new one that goes. */
TEST(whoever_has_no_more_than_a_share_keeps_it)
{
    cleanup(bench_done) struct bench b;
    char back[256] = "";
    bench_init(&b);
    struct request small = {.conn = lib.conn, .body.ceiling = LIMIT_MCP_LINE};
    CHECK(!buf_add(&small.body, PING, strlen(PING)));
    TAILQ_INSERT_TAIL(&b.h.requests, &small, all);
    CHECK(headers(&b, "POST", NULL, NULL) == MHD_YES && piece(&b, PING, 10) == MHD_YES);
    b.h.bodies += LIMIT_HTTP_BODIES - 15; /* of others, all as small */
    CHECK(piece(&b, PING, 10) == MHD_YES);
    CHECK(small.body.len == strlen(PING) && conn_is_cut(lib.conn));
    CHECK(recv(b.pair[1], back, sizeof back - 1, MSG_DONTWAIT) > 0 && strstr(back, " 503 "));
    b.h.bodies -= LIMIT_HTTP_BODIES - 15;
    TAILQ_REMOVE(&b.h.requests, &small, all);
    buf_done(&small.body);
}

/* ---------------------------------------------------------------- answers */

TEST(an_answer_waits_asleep_and_is_whole_or_a_stream)
{
    static const struct {
        bool note, last;
        int http, status;
        enum outlet_says says;
    } rows[] = {
        {false, true, 0, 200, OUTLET_PLAIN},
        {false, true, 404, 404, OUTLET_PLAIN},
        {true, false, 0, 0, OUTLET_GONE}, /* no memory for a stream */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        memset(&lib, 0, sizeof lib);
        struct outlet *o = http_outlet_new(connection);
        struct MHD_Response *response = NULL;
        int status = 0;
        CHECK(http_outlet_ready(o, &status, &response) == OUTLET_WAITS && lib.asleep == 1);
        CHECK(o->kind->send(o, "{}", 2, rows[i].last, rows[i].http) && lib.asleep == 0);
        CHECK(http_outlet_over(o) == rows[i].last && !http_outlet_gone(o));
        CHECK(o->kind->send(o, "{}", 2, true, 200)); /* of a plain one, too late */
        CHECK_MSG(http_outlet_ready(o, &status, &response) == rows[i].says && status == rows[i].status, "row %zu: %d", i, status);
        o->kind->end(o);
        outlet_unref(o);
    }
}

TEST(an_answer_without_memory_ends_the_connection)
{
    for (int i = 0; i < 3; i++) {
        memset(&lib, 0, sizeof lib);
        struct outlet *o = http_outlet_new(connection);
        struct MHD_Response *response = NULL;
        int status = 0;
        lib.no_body = i < 2;
        CHECK(o->kind->send(o, "{}", 2, i != 1, 200));
        lib.no_response = i == 2;
        CHECK(http_outlet_ready(o, &status, &response) == OUTLET_GONE && !response);
        CHECK(http_outlet_gone(o) == (i < 2));
        outlet_unref(o);
    }
    lib.no_memory = true;
    CHECK(!http_outlet_new(connection));
    lib.no_memory = false;
}
