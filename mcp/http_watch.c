/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watcher: see http_watch.h. Hang-ups come from epoll, edge-triggered, set once for each connection, so that a
 * request costs no system call. Clocks are looked at now and then. A silent connection is idle, one that has begun a
 * request is slow: the kernel's count of bytes tells them apart, whatever the library has read of them. An answer in the
 * middle of a request is written by ourselves, since the library gives none there.
 */
#include "http_watch.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "http_outlet.h"

/* What epoll gives back; a connection has its serial number, from FIRST_SERIAL on. */
enum { IS_STOP, IS_POKE, FIRST_SERIAL };

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

static int add_fd(struct watch *w, int fd, uint32_t events, uint64_t what)
{
    struct epoll_event e = {.events = events, .data.u64 = what};
    return epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

static void poke(struct watch *w)
{
    uint64_t one = 1;
    (void)!write(w->poke, &one, sizeof one);
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

/* True when the time of its state is over. */
static bool late(struct conn *c, int64_t now)
{
    if (c->state == CONN_BODY)
        return body_is_late(c, now);
    if (c->state != CONN_WAITS)
        return false;
    if (!c->heard && bytes_received(c->fd) > c->seen) {
        c->heard = true;
        c->since = now;
    }
    return c->heard && now - c->since > LIMIT_HTTP_HEADER_MS;
}

static void look_at_clocks(struct watch *w)
{
    (void)pthread_mutex_lock(&w->lock);
    int64_t now = clock_ms();
    for (struct conn *c = w->first; c; c = c->next) {
        if (late(c, now))
            cut_locked(c, 408);
        if (c->state == CONN_CUT && now - c->since > LIMIT_HTTP_LINGER_MS)
            (void)shutdown(c->fd, SHUT_RDWR);
    }
    (void)pthread_mutex_unlock(&w->lock);
}

/* ---- hanging up */

/* The outlet, with a reference, whose listener has gone. */
static struct outlet *mark_hung(struct watch *w, uint64_t serial)
{
    struct outlet *o = NULL;
    (void)pthread_mutex_lock(&w->lock);
    for (struct conn *c = w->first; c; c = c->next)
        if (c->serial == serial) {
            c->hung = true;
            o = c->outlet ? outlet_ref(c->outlet) : NULL;
            break;
        }
    (void)pthread_mutex_unlock(&w->lock);
    return o;
}

static void hung_up(struct watch *w, uint64_t serial)
{
    struct outlet *o = mark_hung(w, serial);
    if (o && !http_outlet_over(o)) {
        http_outlet_cut(o, true);
        server_hung_up(w->server, o);
    }
    outlet_unref(o);
}

/* ---- running */

/* False when it is time to stop. */
static bool handle(struct watch *w, const struct epoll_event *events, int n)
{
    bool go_on = true;
    for (int i = 0; i < n; i++) {
        uint64_t what = events[i].data.u64, drained;
        if (what == IS_STOP)
            go_on = false;
        else if (what == IS_POKE)
            (void)!read(w->poke, &drained, sizeof drained);
        else
            hung_up(w, what);
    }
    return go_on;
}

void watch_run(struct watch *w)
{
    struct epoll_event events[64];
    int64_t look = 0;
    for (;;) {
        (void)pthread_mutex_lock(&w->lock);
        bool idle = !w->first;
        (void)pthread_mutex_unlock(&w->lock);
        int n = epoll_wait(w->epoll, events, COUNT(events), idle ? -1 : clock_left(look));
        if (!handle(w, events, n))
            return;
        if (clock_left(look))
            continue;
        look_at_clocks(w);
        look = clock_ms() + LIMIT_HTTP_TICK_MS;
    }
}

/* One outlet that is still answering, with a reference; each is given once. */
static struct outlet *take_answering(struct watch *w)
{
    struct outlet *o = NULL;
    (void)pthread_mutex_lock(&w->lock);
    w->ending = true;
    for (struct conn *c = w->first; c && !o; c = c->next)
        if (c->outlet) {
            o = outlet_ref(c->outlet);
            c->outlet = NULL;
        }
    (void)pthread_mutex_unlock(&w->lock);
    return o;
}

void watch_end(struct watch *w)
{
    for (struct outlet *o; (o = take_answering(w));) {
        http_outlet_cut(o, false);
        server_hung_up(w->server, o);
        outlet_unref(o);
    }
    int64_t until = clock_ms() + LIMIT_HTTP_END_MS;
    for (bool busy = true; busy && clock_left(until);) {
        (void)pthread_mutex_lock(&w->lock);
        busy = w->answering > 0;
        (void)pthread_mutex_unlock(&w->lock);
        if (busy)
            (void)usleep(5000);
    }
}

int watch_init(struct watch *w, struct server *s, bool tls, int stop_fd)
{
    *w = (struct watch){.server = s, .tls = tls, .serial = FIRST_SERIAL, .poke = -1};
    (void)pthread_mutex_init(&w->lock, NULL);
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (w->epoll < 0)
        return -errno;
    w->poke = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->poke < 0)
        return -errno;
    int r = add_fd(w, w->poke, EPOLLIN, IS_POKE);
    return r < 0 ? r : add_fd(w, stop_fd, EPOLLIN, IS_STOP);
}

void watch_done(struct watch *w)
{
    close_fd(w->poke);
    close_fd(w->epoll);
    (void)pthread_mutex_destroy(&w->lock);
}

/* ---- connections */

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
    bool full = w->count++ >= LIMIT_HTTP_CONNECTIONS;
    if (full)
        cut_locked(c, 503);
    (void)pthread_mutex_unlock(&w->lock);
    if (alone)
        poke(w);
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
    link_conn(c);
    (void)add_fd(w, fd, EPOLLRDHUP | EPOLLET, c->serial);
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

void conn_body(struct conn *c, size_t len)
{
    (void)pthread_mutex_lock(&c->watch->lock);
    if (c->state == CONN_BODY) {
        c->last = clock_ms();
        c->taken += (int64_t)len;
    } else if (c->state != CONN_CUT) {
        set_state(c, CONN_BODY);
        c->taken = 0;
    }
    (void)pthread_mutex_unlock(&c->watch->lock);
}

void conn_wait(struct conn *c)
{
    (void)pthread_mutex_lock(&c->watch->lock);
    c->outlet = NULL;
    if (c->state != CONN_CUT)
        set_state(c, CONN_WAITS);
    c->heard = false;
    c->seen = bytes_received(c->fd);
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
