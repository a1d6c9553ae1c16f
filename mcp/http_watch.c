/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watcher: see http_watch.h. Hang-ups come from epoll, edge-triggered, set once for each connection, so that
 * watching a request costs nothing. Clocks are looked at now and then.
 *
 * A client that closes only its sending half after a request counts as one that hung up, and its call is cancelled: on
 * this side the two look the same until an answer is written, and a call may run for minutes before there is one.
 */
#include "http_watch.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "http_outlet.h"

/* What epoll gives back; a connection has its serial number, from FIRST_SERIAL on. */
enum { IS_STOP, IS_POKE, FIRST_SERIAL };

static int add_fd(struct watch *w, int fd, uint32_t events, uint64_t what)
{
    struct epoll_event e = {.events = events, .data.u64 = what};
    return epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

void watch_poke(struct watch *w)
{
    uint64_t one = 1;
    (void)!write(w->poke, &one, sizeof one);
}

void watch_hang_ups(struct watch *w, const struct conn *c)
{
    (void)add_fd(w, c->fd, EPOLLRDHUP | EPOLLET, c->serial);
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

static void look_at_clocks(struct watch *w)
{
    (void)pthread_mutex_lock(&w->lock);
    int64_t now = clock_ms();
    for (struct conn *c = w->first; c; c = c->next)
        conn_look(c, now);
    (void)pthread_mutex_unlock(&w->lock);
}

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
