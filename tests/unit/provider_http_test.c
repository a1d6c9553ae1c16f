/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking over real connections: a server on the loopback plays one act a request, with and without TLS. Every fault must
 * end typed and in bounded time, be tried again only by the rules, and never show the key.
 */
#include "test.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/limits.h"
#include "provider/provider.h"
#include "server.h"

#define KEY "canary-0123456789-key"

#define HEAD(rest) "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n" rest "\r\n"
#define START "data: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\n"
#define HELLO "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}\n\n"
#define END                                                                                                        \
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3}}\n\n" \
    "data: {\"type\":\"message_stop\"}\n\n"
#define ANSWER HEAD("connection: close\r\n") START HELLO END
#define ERROR(status, headers, type, words)                                                                        \
    "HTTP/1.1 " status " x\r\ncontent-type: application/json\r\nconnection: close\r\n" headers                       \
    "\r\n{\"type\":\"error\",\"error\":{\"type\":\"" type "\",\"message\":\"" words "\"}}"

/* What one question to such a server came to. */
struct asked {
    int code;
    struct fovea_fault fault;
    struct wire_reply reply;
    int requests, connections;
    int64_t ms;
    struct buf shown;
    char seen[8192];
};

static struct host test_host(const char *base)
{
    struct host h = {0};
    CHECK(!host_make(&(struct host_place){.name = "test", .base_url = base, .wire = "anthropic"}, &h));
    return h;
}

static void on_text(void *ctx, const char *piece, size_t len)
{
    (void)buf_add(ctx, piece, len);
}

static struct wire_request *question(struct host *h)
{
    static struct wire_part part = {.kind = WIRE_TEXT, .text = "what is it"};
    static struct wire_turn turn = {WIRE_USER, &part, 1};
    static struct wire_request q;
    q = (struct wire_request){.host = h, .model = "m", .turns = &turn, .count = 1, .stream = true};
    return &q;
}

static void ask_at(struct server *s, struct http *http, const char *base, struct provider_call call, struct asked *got)
{
    struct host h = test_host(base);
    *got = (struct asked){.shown = BUF_INIT(1 << 20)};
    call.request = question(&h);
    call.key = call.key ? call.key : KEY;
    call.on_text = on_text;
    call.ctx = &got->shown;
    int64_t from = clock_ms();
    got->code = provider_ask(http, &call, &got->reply, &got->fault);
    got->ms = clock_ms() - from;
    got->requests = s->requests;
    got->connections = s->connections;
    (void)pthread_mutex_lock(&s->lock);
    memcpy(got->seen, s->seen, sizeof got->seen);
    (void)pthread_mutex_unlock(&s->lock);
    const char *message = got->reply.error.message;
    CHECK_MSG(!strstr(got->fault.text, KEY), "the fault shows the key: %s", got->fault.text);
    CHECK_MSG(!message || !strstr(message, KEY), "the error shows the key: %s", message);
    CHECK(!strstr(got->reply.error.kind, KEY) && !strstr(got->reply.error.code, KEY));
}

static void ask_with(const struct act *acts, size_t count, struct provider_call call, struct asked *got)
{
    struct server s = {0};
    struct http *http;
    char base[64];
    server_start(&s, acts, count);
    (void)snprintf(base, sizeof base, "http://127.0.0.1:%d", s.port);
    CHECK(!http_new(&http, NULL));
    ask_at(&s, http, base, call, got);
    http_free(http);
    server_stop(&s);
}

static void asked_done(struct asked *a)
{
    wire_reply_done(&a->reply);
    buf_done(&a->shown);
}

#define ASK(call, ...)                                                   \
    struct asked got;                                                    \
    static const struct act acts[] = {__VA_ARGS__};                      \
    ask_with(acts, COUNT(acts), (struct provider_call)call, &got)
#define CALL(...) {__VA_ARGS__}

TEST(an_answer_is_read_and_shown_as_it_comes)
{
    ASK({0}, {ACT_CLOSE, ANSWER});
    CHECK_MSG(!got.code && got.reply.stop == WIRE_STOP_END, "%d %s", got.code, got.fault.text);
    CHECK_STR(got.reply.text.data, "Hello");
    CHECK_STR(got.shown.data, "Hello");
    CHECK(got.requests == 1 && got.reply.usage.output == 3);
    CHECK(strstr(got.seen, "POST /v1/messages HTTP/1.1") && strstr(got.seen, "x-api-key: " KEY));
    CHECK(!strcasestr(got.seen, "expect:"));
    asked_done(&got);
}

TEST(an_answer_byte_by_byte_is_the_same_answer)
{
    ASK({0}, {ACT_SLOW, HEAD("content-length: 99999\r\n") START HELLO END});
    CHECK_MSG(!got.code && got.reply.stop == WIRE_STOP_END, "%d %s", got.code, got.fault.text);
    CHECK_STR(got.reply.text.data, "Hello");
    asked_done(&got);
}

TEST(an_answer_in_one_piece_is_read_although_a_stream_was_asked_for)
{
    ASK({0}, {ACT_CLOSE, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"
                         "{\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}],\"stop_reason\":\"end_turn\"}"});
    CHECK(!got.code && got.reply.stop == WIRE_STOP_END);
    CHECK_STR(got.shown.data, "Hi");
    asked_done(&got);
}

TEST(an_answer_that_has_said_all_does_not_wait_for_the_server_to_hang_up)
{
    ASK({0}, {ACT_HANG, ANSWER});
    CHECK_MSG(!got.code && got.ms < 2000, "%d in %lld ms", got.code, (long long)got.ms);
    asked_done(&got);
}

TEST(a_connection_is_used_again)
{
    static const struct act acts[] = {{ACT_SEND, HEAD("transfer-encoding: chunked\r\n")
        "5f\r\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3}}\n\n\r\n0\r\n\r\n"}};
    struct server s = {0};
    struct http *http;
    char base[64];
    struct asked got;
    server_start(&s, acts, 1);
    (void)snprintf(base, sizeof base, "http://localhost:%d", s.port);
    CHECK(!http_new(&http, NULL));
    for (int i = 0; i < 3; i++) {
        ask_at(&s, http, base, (struct provider_call){0}, &got);
        CHECK_MSG(!got.code, "%s", got.fault.text);
        asked_done(&got);
    }
    CHECK_MSG(got.requests == 3 && got.connections == 1, "%d requests, %d connections", got.requests, got.connections);
    http_free(http);
    server_stop(&s);
}

TEST(passing_errors_are_tried_twice_more_and_no_oftener)
{
    ASK({0}, {ACT_CLOSE, ERROR("529", "retry-after-ms: 10\r\n", "overloaded_error", "busy " KEY)});
    CHECK(!got.code && got.reply.stop == WIRE_STOP_ERROR && got.reply.error.status == 529);
    CHECK_STR(got.reply.error.message, "busy [redacted]");
    CHECK_MSG(got.requests == 3 && got.ms < 1000, "%d requests in %lld ms", got.requests, (long long)got.ms);
    asked_done(&got);
}

TEST(the_pause_without_a_word_of_the_server_is_half_a_second_doubled)
{
    ASK({0}, {ACT_CLOSE, ERROR("500", "", "api_error", "x")});
    CHECK_MSG(got.requests == 3 && got.ms >= 1125 && got.ms < 2500, "%d requests in %lld ms", got.requests, (long long)got.ms);
    asked_done(&got);
}

TEST(a_try_after_a_passing_error_gives_the_answer_alone)
{
    ASK({0}, {ACT_CLOSE, ERROR("503", "retry-after: 0\r\n", "api_error", "x")},
        {ACT_CLOSE, HEAD("connection: close\r\n") START
         "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n"},
        {ACT_CLOSE, ANSWER});
    CHECK(!got.code && got.reply.stop == WIRE_STOP_END && got.requests == 3 && !got.reply.error.message);
    CHECK_STR(got.reply.text.data, "Hello");
    asked_done(&got);
}

TEST(final_errors_are_not_tried_again)
{
    static const struct act rows[] = {
        {ACT_CLOSE, ERROR("400", "", "invalid_request_error", KEY)},
        {ACT_CLOSE, ERROR("401", "", "authentication_error", "x-api-key " KEY)},
        {ACT_CLOSE, ERROR("429", "x-should-retry: false\r\n", "rate_limit_error", "x")},
        {ACT_CLOSE, ERROR("429", "retry-after: 3600\r\n", "rate_limit_error", "x")},
        {ACT_CLOSE, "HTTP/1.1 413 Too Large\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>" KEY "</html>"},
        {ACT_CLOSE, "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/" KEY "\r\nconnection: close\r\n\r\n"},
        {ACT_CLOSE, "HTTP/1.1 307 x\r\nlocation: /elsewhere\r\nconnection: close\r\n\r\n"},
        {ACT_CLOSE, "HTTP/1.1 403 x\r\ncontent-length: 4000\r\n\r\n{\"error\":"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct asked got;
        ask_with(&rows[i], 1, (struct provider_call){0}, &got);
        CHECK_MSG(!got.code && got.reply.stop == WIRE_STOP_ERROR && got.requests == 1 && got.reply.error.message,
                  "row %zu: %d, %d requests, %s", i, got.code, got.requests, got.fault.text);
        asked_done(&got);
    }
}

TEST(a_connection_lost_before_any_answer_is_tried_again)
{
    static const struct act rows[][2] = {
        {{ACT_CLOSE, ""}, {ACT_CLOSE, ANSWER}},
        {{ACT_RESET, ""}, {ACT_CLOSE, ANSWER}},
        {{ACT_CLOSE, "HTTP/1.1 100 Continue\r\n\r\n"}, {ACT_CLOSE, ANSWER}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct asked got;
        ask_with(rows[i], 2, (struct provider_call){0}, &got);
        CHECK_MSG(!got.code && got.requests >= 2, "row %zu: %d %s, %d", i, got.code, got.fault.text, got.requests);
        asked_done(&got);
    }
}

TEST(an_answer_that_began_is_never_asked_for_again)
{
    static const struct {
        struct act act;
        int code;
    } rows[] = {
        {{ACT_CLOSE, HEAD("connection: close\r\n") START HELLO}, -ECONNRESET},
        {{ACT_RESET, HEAD("connection: close\r\n") START HELLO}, -ECONNRESET},
        {{ACT_CLOSE, HEAD("content-length: 5000\r\n") START HELLO "data: {\"type\":\"cont"}, -ECONNRESET},
        {{ACT_CLOSE, HEAD("transfer-encoding: chunked\r\n") "ffff\r\n" START HELLO}, -ECONNRESET},
        {{ACT_CLOSE, HEAD("connection: close\r\n") START "data: garbage " KEY "\n\n"}, -EBADMSG},
        {{ACT_CLOSE, HEAD("transfer-encoding: chunked\r\n") "zz\r\n" START}, -ECONNRESET},
        {{ACT_CLOSE, "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>" KEY}, -EBADMSG},
        {{ACT_CLOSE, "HTTP/1.1 200 OK\r\ncontent-"}, -ECONNRESET},
        {{ACT_CLOSE, HEAD("content-length: 0\r\n")}, -ECONNRESET},
        {{ACT_CLOSE, HEAD("connection: close\r\n")}, -ECONNRESET},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct asked got;
        ask_with(&rows[i].act, 1, (struct provider_call){0}, &got);
        CHECK_MSG(got.code == rows[i].code && *got.fault.text, "row %zu: %d %s", i, got.code, got.fault.text);
        CHECK_MSG(got.requests == 1, "row %zu: %d requests", i, got.requests);
        asked_done(&got);
    }
}

TEST(an_empty_answer_is_an_error_and_no_answer)
{
    ASK({0}, {ACT_CLOSE, HEAD("content-length: 0\r\n")});
    CHECK_MSG(got.code == -ECONNRESET, "%d", got.code);
    asked_done(&got);
}

TEST(silence_ends_in_its_time)
{
    static const struct act rows[] = {
        {ACT_HANG, ""}, {ACT_HANG, "HTTP/1.1 200 OK\r\n"}, {ACT_HANG, HEAD("") START}, {ACT_HANG, HEAD("") START "data: {"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct asked got;
        ask_with(&rows[i], 1, (struct provider_call){.idle_ms = 200}, &got);
        CHECK_MSG(got.code == -ETIMEDOUT && got.ms >= 195 && got.ms < 800 && got.requests == 1, "row %zu: %d in %lld ms", i,
                  got.code, (long long)got.ms);
        asked_done(&got);
    }
}

TEST(an_answer_that_never_ends_meets_the_time_for_all)
{
    ASK(CALL(.total_ms = 300), {ACT_SLOW, HEAD("") ": a comment that goes on and on and on and on and on and on and on and on "
                                          "and on and on and on and on and on and on and on and on and on and on and on"});
    CHECK_MSG(got.code == -ETIMEDOUT && got.ms >= 295 && got.ms < 900, "%d in %lld ms", got.code, (long long)got.ms);
    asked_done(&got);
}

TEST(a_wait_longer_than_the_time_left_gives_the_error_at_once)
{
    ASK(CALL(.total_ms = 1000), {ACT_CLOSE, ERROR("429", "retry-after: 5\r\n", "rate_limit_error", "x")});
    CHECK(!got.code && got.reply.error.status == 429 && got.ms < 500 && got.requests == 1);
    asked_done(&got);
}

struct striker {
    fovea_cancel *cancel;
    atomic_llong at;
};

static void *strike(void *ctx)
{
    struct striker *s = ctx;
    (void)poll(NULL, 0, 150);
    s->at = clock_ms();
    fovea_cancel_now(s->cancel);
    return NULL;
}

TEST(a_cancel_ends_every_wait_within_a_tenth_of_a_second)
{
    static const struct act rows[] = {
        {ACT_HANG, ""}, {ACT_HANG, HEAD("") START HELLO}, {ACT_CLOSE, ERROR("429", "retry-after: 30\r\n", "rate_limit_error", "x")},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct asked got;
        struct striker s = {0};
        pthread_t thread;
        CHECK(!fovea_cancel_new(&s.cancel, NULL));
        CHECK(!pthread_create(&thread, NULL, strike, &s));
        ask_with(&rows[i], 1, (struct provider_call){.cancel = s.cancel}, &got);
        (void)pthread_join(thread, NULL);
        int64_t late = got.ms - 150;
        CHECK_MSG(got.code == -ECANCELED && late < 100, "row %zu: %d, %lld ms late", i, got.code, (long long)late);
        fovea_cancel_free(s.cancel);
        asked_done(&got);
    }
}

TEST(a_name_or_port_where_nobody_is_ends_typed)
{
    struct server s = {0};
    struct http *http;
    struct asked got;
    CHECK(!http_new(&http, NULL));
    ask_at(&s, http, "http://127.0.0.1:1", (struct provider_call){.total_ms = 5000}, &got);
    CHECK_MSG(got.code == -EHOSTUNREACH && got.ms < 3000, "%d in %lld ms", got.code, (long long)got.ms);
    asked_done(&got);
    http_free(http);
}

TEST(a_key_never_goes_out_without_tls_or_to_a_proxy)
{
    struct server s = {0};
    struct http *http;
    struct asked got;
    CHECK(!http_new(&http, NULL));
    ask_at(&s, http, "http://example.com", (struct provider_call){0}, &got);
    CHECK(got.code == -EINVAL);
    asked_done(&got);
    CHECK(!setenv("http_proxy", "http://127.0.0.1:1", 1) && !setenv("all_proxy", "http://127.0.0.1:1", 1));
    static const struct act act = {ACT_CLOSE, ANSWER};
    ask_with(&act, 1, (struct provider_call){0}, &got);
    CHECK(!got.code && got.requests == 1);
    asked_done(&got);
    (void)unsetenv("http_proxy");
    (void)unsetenv("all_proxy");
    http_free(http);
}

TEST(an_answer_past_its_ceiling_is_cut_off)
{
    enum { BYTES = LIMIT_ANSWER_BYTES + LIMIT_ANSWER_BYTES / 4 };
    auto_free char *bytes = malloc(BYTES + 4096);
    int n = snprintf(bytes, 4096, "%s", HEAD("connection: close\r\n") "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"");
    memset(bytes + n, 'x', BYTES);
    (void)snprintf(bytes + n + BYTES, 4096 - (size_t)n, "\"}}\n\n");
    struct act act = {ACT_CLOSE, bytes};
    struct asked got;
    ask_with(&act, 1, (struct provider_call){0}, &got);
    CHECK_MSG(got.code == -EFBIG && got.requests == 1, "%d", got.code);
    asked_done(&got);
}

struct many {
    struct http *http;
    char base[64];
    atomic_int good;
};

static void *one_of_many(void *ctx)
{
    struct many *m = ctx;
    struct wire_part part = {.kind = WIRE_TEXT, .text = "x"};
    struct wire_turn turn = {WIRE_USER, &part, 1};
    struct host h = test_host(m->base);
    struct wire_request q = {.host = &h, .model = "m", .turns = &turn, .count = 1, .stream = true};
    auto_reply r;
    m->good += !provider_ask(m->http, &(struct provider_call){.request = &q, .key = KEY}, &r, NULL) &&
               r.stop == WIRE_STOP_END;
    return NULL;
}

TEST(many_questions_at_once_are_all_answered)
{
    static const struct act act = {ACT_CLOSE, ANSWER};
    enum { COUNT_OF = 64 };
    struct server s = {0};
    struct many m = {0};
    pthread_t threads[COUNT_OF];
    server_start(&s, &act, 1);
    (void)snprintf(m.base, sizeof m.base, "http://127.0.0.1:%d", s.port);
    CHECK(!http_new(&m.http, NULL));
    for (int i = 0; i < COUNT_OF; i++)
        CHECK(!pthread_create(&threads[i], NULL, one_of_many, &m));
    for (int i = 0; i < COUNT_OF; i++)
        (void)pthread_join(threads[i], NULL);
    CHECK_MSG(m.good == COUNT_OF, "%d", m.good);
    http_free(m.http);
    server_stop(&s);
}

/* Runs openssl in a folder; false when it cannot. */
static bool openssl(const char *folder, const char *const argv[])
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        if (!chdir(folder) && freopen("/dev/null", "w", stderr))
            (void)execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    return waitpid(pid, &status, 0) == pid && !status;
}

static bool make_certificate(const char *folder)
{
    const char *const argv[] = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                          "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
                          "subjectAltName=DNS:localhost", NULL};
    return openssl(folder, argv);
}

static void ask_tls(SSL_CTX *tls, const char *name, const char *ca, const char *bytes, struct asked *got)
{
    struct act act = {ACT_CLOSE, bytes};
    struct server s = {.tls = tls};
    struct http *http;
    char base[64];
    server_start(&s, &act, 1);
    (void)snprintf(base, sizeof base, "https://%s:%d", name, s.port);
    CHECK(!http_new(&http, NULL));
    ask_at(&s, http, base, (struct provider_call){.ca_file = ca}, got);
    http_free(http);
    server_stop(&s);
}

#define SAID(text) "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"" text "\"}}\n\n"
#define ECHO HEAD("connection: close\r\n") START SAID("the can") SAID("ary-0123456789") SAID("-key, canary") END

TEST(only_a_certificate_that_is_trusted_and_fits_the_name_gets_the_key_which_no_answer_shows)
{
    char folder[] = "/tmp/fovea-tls-XXXXXX", cert[64], key[64];
    struct asked got;
    if (!mkdtemp(folder) || !make_certificate(folder))
        SKIP("no openssl to make a certificate with");
    (void)snprintf(cert, sizeof cert, "%s/cert.pem", folder);
    (void)snprintf(key, sizeof key, "%s/key.pem", folder);
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    CHECK(SSL_CTX_use_certificate_file(tls, cert, SSL_FILETYPE_PEM) == 1);
    CHECK(SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM) == 1);
    ask_tls(tls, "localhost", cert, ANSWER, &got);
    CHECK_MSG(!got.code && got.requests == 1, "trusted: %d %s", got.code, got.fault.text);
    asked_done(&got);
    ask_tls(tls, "localhost", cert, ECHO, &got);
    CHECK(!got.code);
    CHECK_STR(got.shown.data, "the [redacted], canary");
    CHECK_STR(got.reply.text.data, "the [redacted], canary");
    asked_done(&got);
    ask_tls(tls, "127.0.0.1", cert, ANSWER, &got);
    CHECK_MSG(got.code == -EPROTO && !got.requests, "other name: %d %s", got.code, got.fault.text);
    asked_done(&got);
    ask_tls(tls, "localhost", NULL, ANSWER, &got);
    CHECK_MSG(got.code == -EPROTO && !got.requests && got.connections == 1, "unknown: %d %s", got.code, got.fault.text);
    asked_done(&got);
    ask_tls(NULL, "localhost", cert, ANSWER, &got);
    CHECK_MSG(got.code == -ECONNRESET && !got.requests && got.connections == 3, "hangs up: %d %s", got.code, got.fault.text);
    asked_done(&got);
    SSL_CTX_free(tls);
    (void)unlink(cert);
    (void)unlink(key);
    (void)rmdir(folder);
}
