/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a fetch that need no network: heads of answers, places, and what is refused before anything is dialled. */
#include "source/fetch.h"

#include <errno.h>
#include <pthread.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "source/fetch_answer.h"
#include "source/fetch_places.h"
#include "test.h"

/* Lines are parted by '\n', which stays on them. */
static enum net_reason read_head(const char *head, struct answer *a)
{
    *a = (struct answer){.status = 0};
    while (*head) {
        size_t n = strcspn(head, "\n");
        n += head[n] == '\n';
        enum net_reason r = answer_add(a, head, n);
        if (r)
            return r;
        head += n;
    }
    return a->ended ? answer_judge(a, 100) : NET_TRUNCATED;
}

TEST(heads_are_judged_by_the_table)
{
    static const char *const rows[][2] = {
        {"HTTP/1.1 200 OK\r\n\r\n", "ok"},
        {"HTTP/1.0 200\r\nContent-Length: 100\r\n\r\n", "ok"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", "too_large"},
        {"HTTP/1.1 200 OK\r\ncontent-length:7 \r\nContent-Length: 7\r\n\r\n", "ok"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nContent-Length: 8\r\n\r\n", "http_status"},
        {"HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n", "http_status"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 0x7\r\n\r\n", "http_status"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n", "http_status"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n 8\r\n\r\n", "http_status"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n", "ok"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", "http_status"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", "http_status"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "encoding"},
        {"HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n", "encoding"},
        {"HTTP/1.1 200 OK\r\nContent-Encoding: Identity\r\n\r\n", "ok"},
        {"HTTP/1.1 200 OK\r\nX : y\r\n\r\n", "http_status"},
        {"HTTP/1.1 200 OK\r\n: y\r\n\r\n", "http_status"},
        {"HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", "ok"},
        {"HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n", "http_status"},
        {"HTTP/1.1 200 OK\r\n b\r\n\r\n", "http_status"},
        {"HTTP/1.1 100 Go on\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\n b: c\r\n\r\n", "http_status"},
        {"HTTP/1.1 200 OK\r\nHTTP/1.1 302 Found\r\n\r\n", "http_status"},
        {"HTTP/1.1 100 Go on\r\nContent-Length: 9999\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "ok"},
        {"HTTP/1.1 103 Early\r\nLocation: /x\r\n\r\nHTTP/1.1 302 Found\r\n\r\n", "http_status"},
        {"HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n", "ok"},
        {"HTTP/1.1 302 Found\r\nLocation: /x\r\nlocation: /x\r\n\r\n", "http_status"},
        {"HTTP/1.1 302 Found\r\nLocation: /x\r\n\ty\r\n\r\n", "url_syntax"},
        {"HTTP/1.1 302 Found\r\nLocation: /x\rHost: y\r\n\r\n", "url_syntax"},
        {"HTTP/1.1 300 Many\r\nLocation: /x\r\n\r\n", "http_status"},
        {"HTTP/1.1 600 No\r\n\r\n", "http_status"},
        {"HTTP/1.1 20 No\r\n\r\n", "http_status"},
        {"HTTP/1.1 2000 No\r\n\r\n", "http_status"},
        {"HTTP/2 200\r\n\r\n", "http_status"},
        {"ICY 200 OK\r\n\r\n", "http_status"},
        {"\r\n", "http_status"},
        {"HTTP/1.1 200 OK\r\nX: y", "truncated"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct answer a;
        const char *got = net_reason_code(read_head(rows[i][0], &a));
        CHECK_MSG(!strcmp(got, rows[i][1]), "%s: got %s, want %s", rows[i][0], got, rows[i][1]);
    }
}

TEST(heads_end_at_their_ceilings)
{
    struct answer a = {.status = 0};
    enum net_reason r = answer_add(&a, "HTTP/1.1 200 OK\r\n", 17);
    for (int i = 1; i < LIMIT_FETCH_HEADERS; i++)
        r = r ? r : answer_add(&a, "X: y\r\n", 6);
    CHECK(r == NET_OK && answer_add(&a, "X: y\r\n", 6) == NET_HEADER_TOO_LARGE);
    static char line[LIMIT_FETCH_HEADER_BYTES + 1];
    memset(line, 'x', sizeof line);
    a = (struct answer){.status = 200, .last = ""};
    CHECK(answer_add(&a, line, sizeof line) == NET_HEADER_TOO_LARGE);
    a = (struct answer){.status = 200, .last = ""};
    CHECK(answer_add(&a, "X: a\0b\r\n", 8) == NET_HTTP_STATUS);
    CHECK(answer_add(&a, "", 0) == NET_OK && a.ended); /* an empty line, whatever ends it */
}

TEST(a_location_longer_than_any_url_stays_too_long)
{
    static char line[LIMIT_URL_BYTES * 2];
    struct answer a = {.status = 302, .last = ""};
    struct url base, next;
    memset(line, 'x', sizeof line);
    memcpy(line, "Location: /", 11);
    CHECK(answer_add(&a, line, sizeof line) == NET_OK);
    CHECK(url_parse("https://a.test/", 15, &base) == NET_OK);
    CHECK(url_join(&base, a.location, a.location_len, &next) == NET_URL_TOO_LONG);
}

TEST(one_host_cannot_take_every_place)
{
    int held[LIMIT_FETCHES], n = 0;
    for (; n < LIMIT_FETCHES_HOST; n++)
        held[n] = place_take("slow.test", clock_ms(), NULL);
    CHECK(place_take("slow.test", clock_ms(), NULL) == -ETIMEDOUT);
    for (; n < LIMIT_FETCHES; n++) {
        char host[16];
        (void)snprintf(host, sizeof host, "h%d.test", n);
        held[n] = place_take(host, clock_ms(), NULL);
        CHECK(held[n] >= 0);
    }
    CHECK(place_take("late.test", clock_ms() + 30, NULL) == -ETIMEDOUT);
    fovea_cancel *cancel;
    CHECK(fovea_cancel_new(&cancel, NULL) == 0);
    fovea_cancel_now(cancel);
    CHECK(place_take("late.test", clock_ms() + 5000, cancel) == -ECANCELED);
    fovea_cancel_free(cancel);
    place_leave(held[0]);
    held[0] = place_take("late.test", clock_ms(), NULL);
    CHECK(held[0] >= 0);
    while (n)
        place_leave(held[--n]);
}

static void *wait_first(void *arg)
{
    *(int *)arg = place_take("busy.test", clock_ms() + 20000, NULL);
    return NULL;
}

/* Later ones, that came whenever a place was free, used to be served for as long as they came. */
TEST(a_waiting_fetch_was_passed_by_later_ones)
{
    int held[LIMIT_FETCHES_HOST], got = -1;
    pthread_t thread;
    for (size_t i = 0; i < COUNT(held); i++)
        held[i] = place_take("busy.test", clock_ms(), NULL);
    CHECK(pthread_create(&thread, NULL, wait_first, &got) == 0);
    (void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    place_leave(held[0]);
    CHECK(place_take("busy.test", clock_ms(), NULL) == -ETIMEDOUT);
    int other = place_take("other.test", clock_ms() + 1000, NULL);
    CHECK(other >= 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(got >= 0);
    place_leave(got);
    place_leave(other);
    for (size_t i = 1; i < COUNT(held); i++)
        place_leave(held[i]);
}

static void *wait_long(void *arg)
{
    CHECK(place_take("busy.test", clock_ms() + 20000, arg) == -ECANCELED);
    return NULL;
}

TEST(a_line_that_is_full_is_not_joined)
{
    int held[LIMIT_FETCHES_HOST];
    static pthread_t thread[LIMIT_FETCHES_WAITING];
    fovea_cancel *cancel;
    pthread_attr_t small;
    CHECK(fovea_cancel_new(&cancel, NULL) == 0 && !pthread_attr_init(&small) && !pthread_attr_setstacksize(&small, 256 << 10));
    for (size_t i = 0; i < COUNT(held); i++)
        held[i] = place_take("busy.test", clock_ms(), NULL);
    for (size_t i = 0; i < COUNT(thread); i++)
        CHECK(pthread_create(&thread[i], &small, wait_long, cancel) == 0);
    int64_t deadline = clock_ms() + 10000;
    int got = -ETIMEDOUT;
    while (got == -ETIMEDOUT && clock_left(deadline))
        got = place_take("busy.test", clock_ms(), NULL);
    CHECK_MSG(got == -EBUSY, "%d", got);
    fovea_cancel_now(cancel);
    for (size_t i = 0; i < COUNT(thread); i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    for (size_t i = 0; i < COUNT(held); i++)
        place_leave(held[i]);
    place_leave(-EBUSY);
    fovea_cancel_free(cancel);
    (void)pthread_attr_destroy(&small);
}

TEST(what_the_gate_refuses_is_a_result_with_words)
{
    struct fetch_result r;
    const struct fetch_policy p = {.deny = (const char *const[]){"denied.test", NULL}};
    CHECK(fetch_url(&p, "https://127.0.0.1/", 0, NULL, &r, NULL) == 0 && r.reason == NET_IP_LOOPBACK && r.body.fd == -1);
    CHECK(r.words[0] && net_reason_of_gate(r.reason));
    CHECK(fetch_url(&p, "https://denied.test/", 0, NULL, &r, NULL) == 0 && r.reason == NET_HOST_DENIED);
    CHECK(fetch_gate(&p, "http://a.test/", 14, NULL) == NET_SCHEME);
    CHECK(fetch_gate(&p, "https://a.test/", 15, NULL) == NET_OK);
}
