/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections: what each is doing, for how long it may, and which goes when there are too many. A silent connection is
 * idle, one that has begun a request is slow: the kernel's count of bytes tells them apart, less what whole requests
 * took. So a plain request of a known length costs no system call here; after one in chunks, and under TLS, what it took
 * on the wire is not known, and the count is asked for at its end. What of the next request the library has read by then
 * is missed by that, until its first line is whole, of which the library tells.
 *
 * An answer in the middle of a request is written by ourselves, since the library gives none there. Under TLS it cannot
 * be: the keys are the library's, on its thread. There a request that is too slow, or turns out too long, ends without
 * words; one that says its length is told 413 as ever.
 */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "http_watch.h"

static const struct {
    int status;
    const char *line;
} cuts[] = {
    {408, "408 Request Timeout"},
    {413, "413 Content Too Large"},
    {503, "503 Service Unavailable\r\nRetry-After: 1"},
};

static uint64_t bytes_received(int fd)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0 ? 0 : info.tcpi_bytes_received;
}

/* ---- cutting */

static void tell_why(const struct watch *w, int fd, int status)
{
    char text[160];
    for (size_t i = 0; i < COUNT(cuts) && !w->tls; i++)
        if (cuts[i].status == status) {
            int n = snprintf(text, sizeof text, "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", cuts[i].line);
            (void)send(fd, text, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
        }
    (void)shutdown(fd, SHUT_WR);
}

static void set_state(struct conn *c, enum conn_state state)
{
    if (c->state == CONN_BUSY && state != CONN_BUSY)
        c->watch->answering--;
    if (c->state != CONN_BUSY && state == CONN_BUSY)
        c->watch->answering++;
    c->state = state;
    c->since = c->last = clock_ms();
}

static void cut_locked(struct conn *c, int status)
{
    if (c->state == CONN_CUT)
        return;
    tell_why(c->watch, c->fd, status);
    set_state(c, CONN_CUT);
}

static bool body_is_late(const struct conn *c, int64_t now)
{
    int64_t age = now - c->since;
    if (age <= LIMIT_HTTP_STALL_MS)
        return false;
    return age > LIMIT_HTTP_BODY_MS || now - c->last > LIMIT_HTTP_STALL_MS || c->taken < age * LIMIT_HTTP_RATE / 1000;
}

/* Some of the next request came in. */
static bool has_begun(const struct conn *c)
{
    return c->heard || bytes_received(c->fd) > c->seen;
}

/* True when the time of its state is over. */
static bool late(struct conn *c, int64_t now)
{
    if (c->state == CONN_BODY)
        return body_is_late(c, now);
    if (c->state != CONN_WAITS)
        return false;
    if (!c->heard && has_begun(c)) {
        c->heard = true;
        c->since = now;
    }
    return c->heard && now - c->since > LIMIT_HTTP_HEADER_MS;
}

void conn_look(struct conn *c, int64_t now)
{
    if (late(c, now))
        cut_locked(c, bytes_received(c->fd) ? 408 : 0);
    if (c->state == CONN_CUT && now - c->since > LIMIT_HTTP_LINGER_MS)
        (void)shutdown(c->fd, SHUT_RDWR);
}

/* ---- too many */

/* Who is missed least: the oldest stranger, else who has been idle for longest, of several in one millisecond the oldest, which
 * comes last. NULL when all are at work. */
static struct conn *least_missed(struct conn *first)
{
    struct conn *stranger = NULL, *idle = NULL;
    for (struct conn *c = first; c; c = c->next)
        if (c->state != CONN_CUT && !c->admitted)
            stranger = c;
        else if (c->state == CONN_WAITS && (!idle || c->since <= idle->since) && !has_begun(c))
            idle = c;
    return stranger ? stranger : idle;
}

/* At once, without a moment to read why: its place is needed. */
static void make_room(struct conn *newcomer)
{
    struct conn *c = least_missed(newcomer->next);
    if (!c) {
        cut_locked(newcomer, 503);
        return;
    }
    cut_locked(c, c->state == CONN_BODY || (bytes_received(c->fd) && has_begun(c)) ? 503 : 0);
    (void)shutdown(c->fd, SHUT_RDWR);
}

/* ---- life */

static void link_conn(struct conn *c)
{
    struct watch *w = c->watch;
    (void)pthread_mutex_lock(&w->lock);
    c->serial = w->serial++;
    c->next = w->first;
    c->at = &w->first;
    if (c->next)
        c->next->at = &c->next;
    w->first = c;
    bool alone = !c->next;
    if (w->count++ >= LIMIT_HTTP_CONNECTIONS)
        make_room(c);
    (void)pthread_mutex_unlock(&w->lock);
    if (alone)
        watch_poke(w);
}

struct conn *conn_new(struct watch *w, int fd)
{
    struct conn *c = calloc(1, sizeof *c);
    if (!c) {
        tell_why(w, fd, 503);
        (void)shutdown(fd, SHUT_RDWR);
        return NULL;
    }
    int yes = 1;
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    c->watch = w;
    c->fd = fd;
    c->since = clock_ms();
    c->heard = true; /* the clock of the first request runs from here */
    link_conn(c);
    watch_hang_ups(w, c);
    return c;
}

void conn_free(struct conn *c)
{
    if (!c)
        return;
    struct watch *w = c->watch;
    (void)pthread_mutex_lock(&w->lock);
    set_state(c, CONN_CUT);
    *c->at = c->next;
    if (c->next)
        c->next->at = c->at;
    w->count--;
    (void)pthread_mutex_unlock(&w->lock);
    free(c);
}

/* ---- states */

void conn_heard(struct conn *c)
{
    (void)pthread_mutex_lock(&c->watch->lock);
    if (c->state == CONN_WAITS && !c->heard) {
        c->heard = true;
        c->since = clock_ms();
    }
    (void)pthread_mutex_unlock(&c->watch->lock);
}

void conn_begin(struct conn *c, bool admitted)
{
    (void)pthread_mutex_lock(&c->watch->lock);
    c->admitted = c->admitted || admitted;
    if (c->state != CONN_CUT)
        set_state(c, CONN_BODY);
    c->taken = 0;
    (void)pthread_mutex_unlock(&c->watch->lock);
}

void conn_body(struct conn *c, size_t len)
{
    (void)pthread_mutex_lock(&c->watch->lock);
    c->last = clock_ms();
    c->taken += (int64_t)len;
    (void)pthread_mutex_unlock(&c->watch->lock);
}

void conn_wait(struct conn *c, size_t used)
{
    (void)pthread_mutex_lock(&c->watch->lock);
    c->outlet = NULL;
    if (c->state != CONN_CUT)
        set_state(c, CONN_WAITS);
    c->heard = false;
    c->inexact = c->inexact || !used || c->watch->tls;
    c->seen = c->inexact ? bytes_received(c->fd) : c->seen + used;
    (void)pthread_mutex_unlock(&c->watch->lock);
}

bool conn_busy(struct conn *c, struct outlet *o)
{
    (void)pthread_mutex_lock(&c->watch->lock);
    bool alive = c->state != CONN_CUT && !c->hung && !c->watch->ending;
    if (c->state != CONN_CUT)
        set_state(c, CONN_BUSY);
    c->outlet = o;
    (void)pthread_mutex_unlock(&c->watch->lock);
    return alive;
}

void conn_cut(struct conn *c, int status)
{
    (void)pthread_mutex_lock(&c->watch->lock);
    cut_locked(c, status);
    (void)pthread_mutex_unlock(&c->watch->lock);
}

bool conn_is_cut(struct conn *c)
{
    (void)pthread_mutex_lock(&c->watch->lock);
    bool cut = c->state == CONN_CUT;
    (void)pthread_mutex_unlock(&c->watch->lock);
    return cut;
}
