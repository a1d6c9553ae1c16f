/* SPDX-License-Identifier: Apache-2.0 */
/* Connections, by a clock that the test reads out: which is cut, when, with what words, and which goes when there are too many. And
 * sessions, when there are too many of these or no memory. */
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "mcp/core.h"
#include "mcp/http_sessions.h"
#include "mcp/http_watch.h"

static bool no_memory, no_luck; /* see the Makefile */
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    return no_memory ? NULL : __real_calloc(n, size);
}
ssize_t __real_getrandom(void *to, size_t len, unsigned flags);
ssize_t __wrap_getrandom(void *to, size_t len, unsigned flags);
ssize_t __wrap_getrandom(void *to, size_t len, unsigned flags)
{
    return no_luck ? -1 : __real_getrandom(to, len, flags);
}

/* A watch, and wires: [0] is ours, [1] the client's. */
struct bench {
    struct watch w;
    int stop, wire[4][2];
    struct conn *c[4];
};

static void tcp_pair(int pair[2])
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    auto_close int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(!bind(fd, (struct sockaddr *)&a, len) && !listen(fd, 1) && !getsockname(fd, (struct sockaddr *)&a, &len));
    pair[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(!connect(pair[1], (struct sockaddr *)&a, sizeof a));
    pair[0] = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    CHECK(pair[0] >= 0);
}

static void bench_init(struct bench *b, bool tls)
{
    *b = (struct bench){.stop = eventfd(0, EFD_CLOEXEC)};
    CHECK(!watch_init(&b->w, NULL, tls, b->stop));
    for (size_t i = 0; i < COUNT(b->c); i++) {
        tcp_pair(b->wire[i]);
        b->c[i] = conn_new(&b->w, b->wire[i][0]);
    }
}

static void bench_done(struct bench *b)
{
    for (size_t i = 0; i < COUNT(b->c); i++) {
        conn_free(b->c[i]);
        close_fd(b->wire[i][0]);
        close_fd(b->wire[i][1]);
    }
    watch_done(&b->w);
    close_fd(b->stop);
}

/* The status line that the client has, "" for none, "end" for an end without words. */
static const char *heard(const struct bench *b, size_t i)
{
    static char text[256];
    ssize_t n = recv(b->wire[i][1], text, sizeof text - 1, MSG_DONTWAIT);
    text[MAX(n, 0)] = '\0';
    text[strcspn(text, "\r")] = '\0';
    return n < 0 ? "" : n == 0 ? "end" : text;
}

static void look(struct bench *b, size_t i, int64_t later)
{
    (void)pthread_mutex_lock(&b->w.lock);
    conn_look(b->c[i], clock_ms() + later);
    (void)pthread_mutex_unlock(&b->w.lock);
}

static void send_bytes(const struct bench *b, size_t i)
{
    CHECK(send(b->wire[i][1], "POST /", 6, MSG_NOSIGNAL) == 6);
    (void)usleep(2000);
}

TEST(a_first_request_has_its_time_from_the_start)
{
    cleanup(bench_done) struct bench b;
    bench_init(&b, false);
    look(&b, 0, LIMIT_HTTP_HEADER_MS - 100);
    CHECK_STR(heard(&b, 0), "");
    look(&b, 0, LIMIT_HTTP_HEADER_MS + 100); /* it never said a word, and gets none */
    CHECK_STR(heard(&b, 0), "end");
    send_bytes(&b, 1);
    look(&b, 1, LIMIT_HTTP_HEADER_MS + 100);
    CHECK_STR(heard(&b, 1), "HTTP/1.1 408 Request Timeout");
    CHECK(conn_is_cut(b.c[1]));
    conn_cut(b.c[1], 503); /* once is enough */
    CHECK_STR(heard(&b, 1), "end");
    look(&b, 1, LIMIT_HTTP_HEADER_MS + LIMIT_HTTP_LINGER_MS + 1000);
    CHECK(send(b.wire[1][0], "x", 1, MSG_NOSIGNAL) < 0);
}

TEST(under_tls_a_connection_ends_without_words)
{
    cleanup(bench_done) struct bench b;
    bench_init(&b, true);
    conn_cut(b.c[0], 413);
    CHECK_STR(heard(&b, 0), "end");
}

TEST(a_body_must_come_at_its_rate_and_in_its_time)
{
    static const struct {
        int64_t age, silent, taken;
        bool late;
    } rows[] = {
        {LIMIT_HTTP_STALL_MS - 500, LIMIT_HTTP_STALL_MS - 500, 0, false},
        {LIMIT_HTTP_STALL_MS + 500, 0, LIMIT_HTTP_RATE * 3600, false},
        {LIMIT_HTTP_STALL_MS + 500, 0, 1, true},
        {LIMIT_HTTP_STALL_MS + 500, LIMIT_HTTP_STALL_MS + 500, LIMIT_HTTP_RATE * 3600, true},
        {LIMIT_HTTP_BODY_MS + 500, 0, (int64_t)LIMIT_HTTP_RATE * 3600, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        cleanup(bench_done) struct bench b;
        bench_init(&b, false);
        send_bytes(&b, 0);
        conn_begin(b.c[0], true);
        conn_body(b.c[0], (size_t)rows[i].taken);
        b.c[0]->since -= rows[i].age;
        b.c[0]->last -= rows[i].silent;
        look(&b, 0, 0);
        CHECK_MSG(conn_is_cut(b.c[0]) == rows[i].late, "row %zu", i);
    }
}

TEST(between_requests_a_connection_may_be_silent_but_not_slow)
{
    cleanup(bench_done) struct bench b;
    bench_init(&b, false);
    send_bytes(&b, 0);
    conn_begin(b.c[0], true);
    conn_wait(b.c[0], 6);
    look(&b, 0, 10 * LIMIT_HTTP_HEADER_MS);
    CHECK_STR(heard(&b, 0), "");
    send_bytes(&b, 0); /* the next has begun, and its clock runs from when that was seen */
    look(&b, 0, 0);
    look(&b, 0, LIMIT_HTTP_HEADER_MS - 100);
    CHECK_STR(heard(&b, 0), "");
    look(&b, 0, LIMIT_HTTP_HEADER_MS + 100);
    CHECK_STR(heard(&b, 0), "HTTP/1.1 408 Request Timeout");
    conn_begin(b.c[1], true);
    conn_heard(b.c[1]); /* in the middle of a body that says nothing */
    conn_wait(b.c[1], 0);
    conn_heard(b.c[1]);
    conn_heard(b.c[1]);
    CHECK(b.c[1]->heard && b.c[1]->inexact);
}

TEST(whoever_answers_is_counted_until_it_does_not)
{
    cleanup(bench_done) struct bench b;
    bench_init(&b, false);
    CHECK(conn_busy(b.c[0], NULL) && conn_busy(b.c[0], NULL) && b.w.answering == 1);
    conn_wait(b.c[0], 10);
    CHECK(b.w.answering == 0);
    conn_cut(b.c[1], 503);
    CHECK(!conn_busy(b.c[1], NULL) && b.w.answering == 0);
    conn_begin(b.c[1], true);
    CHECK(conn_is_cut(b.c[1]));
    b.c[2]->hung = true;
    CHECK(!conn_busy(b.c[2], NULL));
    b.w.ending = true;
    CHECK(!conn_busy(b.c[3], NULL));
    conn_free(NULL);
}

/* One more than there may be. */
static struct conn *crowd(struct bench *b, int wire[2])
{
    tcp_pair(wire);
    b->w.count += LIMIT_HTTP_CONNECTIONS;
    struct conn *c = conn_new(&b->w, wire[0]);
    b->w.count -= LIMIT_HTTP_CONNECTIONS;
    return c;
}

TEST(with_too_many_connections_strangers_go_first_then_the_idle_then_the_new_one)
{
    cleanup(bench_done) struct bench b;
    int wire[2];
    bench_init(&b, false);
    for (size_t i = 0; i < 3; i++) {
        send_bytes(&b, i);
        conn_begin(b.c[i], i > 0);
    }
    conn_begin(b.c[3], true);
    conn_wait(b.c[3], 10);
    static const char *const goes[] = {"HTTP/1.1 503 Service Unavailable", "end"};
    static const size_t who[] = {0, 3};
    for (size_t i = 0; i < COUNT(who); i++) {
        struct conn *c = crowd(&b, wire);
        conn_begin(c, true); /* let in, and at work */
        CHECK_STR(heard(&b, who[i]), goes[i]);
        CHECK(conn_is_cut(b.c[who[i]]) && !conn_is_cut(c));
        conn_free(c);
        close_fd(wire[0]);
        close_fd(wire[1]);
    }
    struct conn *c = crowd(&b, wire);
    CHECK(conn_is_cut(c) && !conn_is_cut(b.c[1]) && !conn_is_cut(b.c[2]));
    conn_free(c);
    close_fd(wire[0]);
    close_fd(wire[1]);
}

TEST(one_of_the_idle_that_has_begun_its_next_request_stays)
{
    cleanup(bench_done) struct bench b;
    int wire[2];
    bench_init(&b, false);
    for (size_t i = 0; i < COUNT(b.c); i++) {
        send_bytes(&b, i);
        conn_begin(b.c[i], true);
        conn_wait(b.c[i], 6);
        b.c[i]->since -= (int64_t)(i + 1) * 1000; /* the last is idle for longest */
    }
    send_bytes(&b, 3);
    b.c[0]->since -= 60000;
    send_bytes(&b, 0);
    struct conn *c = crowd(&b, wire);
    CHECK(conn_is_cut(b.c[2]) && !conn_is_cut(b.c[0]) && !conn_is_cut(b.c[1]) && !conn_is_cut(b.c[3]));
    conn_free(c);
    close_fd(wire[0]);
    close_fd(wire[1]);
}

TEST(a_stranger_in_the_middle_of_its_headers_is_told_why)
{
    cleanup(bench_done) struct bench b;
    int wire[2];
    bench_init(&b, false);
    send_bytes(&b, 0);
    struct conn *c = crowd(&b, wire);
    CHECK_STR(heard(&b, 0), "HTTP/1.1 503 Service Unavailable");
    conn_free(c);
    close_fd(wire[0]);
    close_fd(wire[1]);
}

TEST(without_memory_a_connection_is_told_so)
{
    cleanup(bench_done) struct bench b;
    int wire[2];
    char text[256] = "";
    bench_init(&b, false);
    tcp_pair(wire);
    no_memory = true;
    CHECK(!conn_new(&b.w, wire[0]));
    no_memory = false;
    CHECK(recv(wire[1], text, sizeof text - 1, 0) > 0 && strstr(text, " 503 "));
    close_fd(wire[0]);
    close_fd(wire[1]);
}

TEST(a_wire_that_does_not_count_its_bytes_is_as_silent_as_it_says)
{
    cleanup(bench_done) struct bench b;
    int pair[2];
    bench_init(&b, false);
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    struct conn *c = conn_new(&b.w, pair[0]);
    conn_begin(c, true);
    conn_wait(c, 0);
    conn_look(c, clock_ms() + 10 * LIMIT_HTTP_HEADER_MS);
    CHECK(!conn_is_cut(c));
    conn_free(c);
    close_fd(pair[0]);
    close_fd(pair[1]);
}

TEST(what_cannot_be_watched_is_an_error)
{
    struct watch w;
    CHECK(watch_init(&w, NULL, false, -1) == -EBADF);
    watch_done(&w);
}

/* ---------------------------------------------------------------- sessions */

TEST(the_session_longest_unused_goes_and_one_that_is_held_never)
{
    struct sessions all = {0};
    struct session *first = sessions_add(&all, NULL), *second = sessions_add(&all, NULL);
    char oldest[SESSION_ID_LEN + 1];
    for (size_t i = 2; i < LIMIT_HTTP_SESSIONS; i++)
        CHECK(sessions_add(&all, NULL) != NULL);
    CHECK(!sessions_add(&all, NULL)); /* all are held */
    (void)snprintf(oldest, sizeof oldest, "%s", second->id);
    second->users = 0;
    struct session *last = sessions_add(&all, NULL);
    CHECK(last && all.count == LIMIT_HTTP_SESSIONS && !sessions_take(&all, oldest) && sessions_take(&all, first->id) == first);
    struct session stranger = {.users = 1};
    sessions_end(&all, &stranger);
    CHECK(all.count == LIMIT_HTTP_SESSIONS);
    no_memory = true;
    CHECK(!sessions_add(&all, NULL));
    no_memory = false;
    last->users = 0;
    no_luck = true;
    CHECK(!sessions_add(&all, NULL) && all.count == LIMIT_HTTP_SESSIONS);
    no_luck = false;
    sessions_done(&all);
    CHECK(!all.first && !all.count);
}
