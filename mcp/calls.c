/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of calls and the threads that run them. Each client has a queue of its own and they take turns, so that one
 * with two hundred pictures does not keep another waiting. A call starts when its kind of load has room: pictures as
 * many as there are processors, and a read never waits behind them. How many are accepted at all is bounded; what does
 * not fit is not read from stdin yet, or refused over HTTP.
 */
#include <errno.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "base/clock.h"
#include "core.h"

/* ---------------------------------------------------------------- queues, under the lock */

static void enqueue(struct client *c, struct exchange *e)
{
    e->queued = true;
    e->next_queued = NULL;
    *c->queue_end = e;
    c->queue_end = &e->next_queued;
}

/* Takes the exchange that *at points to off its queue. */
static struct exchange *dequeue(struct client *c, struct exchange **at)
{
    struct exchange *e = *at;
    *at = e->next_queued;
    if (c->queue_end == &e->next_queued)
        c->queue_end = at;
    e->queued = false;
    return e;
}

static struct exchange *first_that_fits(struct server *s, struct client *c)
{
    for (struct exchange **at = &c->queue; *at; at = &(*at)->next_queued)
        if (s->running[(*at)->load] < s->room[(*at)->load])
            return dequeue(c, at);
    return NULL;
}

/* The next call to run: the clients take turns, beginning after the one that was served last. */
static struct exchange *pick(struct server *s)
{
    struct exchange *e = NULL;
    struct client *from = s->turn && s->turn->next ? s->turn->next : s->clients, *c = from;
    if (!from)
        return NULL;
    do {
        e = first_that_fits(s, c);
        if (e)
            s->turn = c;
        c = c->next ? c->next : s->clients;
    } while (!e && c != from);
    return e;
}

static void account(struct server *s, const struct exchange *e, int sign)
{
    s->accepted = sign > 0 ? s->accepted + 1 : s->accepted - 1;
    s->accepted_bytes = sign > 0 ? s->accepted_bytes + e->bytes : s->accepted_bytes - e->bytes;
    (void)pthread_cond_broadcast(&s->news);
}

/* ---------------------------------------------------------------- runners */

static void run_one(struct server *s, struct exchange *e, fovea_cancel *cancel)
{
    s->running[e->load]++;
    e->cancel = cancel;
    server_unlock(s);
    if (!exchange_cancelled(e))
        e->run(e);
    server_lock(s);
    e->cancel = NULL;
    fovea_cancel_reset(cancel);
    s->running[e->load]--;
    account(s, e, -1);
    server_unlock(s);
    exchange_unref(e);
    server_lock(s);
}

static void *runner(void *arg)
{
    struct server *s = arg;
    fovea_cancel *cancel = NULL;
    struct exchange *e;
    if (fovea_cancel_new(&cancel, NULL) < 0)
        cancel = NULL;
    server_lock(s);
    while (cancel && !s->closing) {
        e = pick(s);
        if (e) {
            run_one(s, e, cancel);
            continue;
        }
        s->idle++;
        (void)pthread_cond_wait(&s->work, &s->lock);
        s->idle--;
    }
    server_unlock(s);
    fovea_cancel_free(cancel);
    return NULL;
}

static void want_runner(struct server *s)
{
    if (!s->idle && s->runners < LIMIT_MCP_RUNNERS && !thread_start(&s->runner[s->runners], runner, s))
        s->runners++;
    (void)pthread_cond_signal(&s->work);
}

/* ---------------------------------------------------------------- public */

void calls_start(struct server *s)
{
    unsigned processors = (unsigned)MAX(get_nprocs(), 1);
    s->room[LOAD_LIGHT] = 4;
    s->room[LOAD_PIXELS] = MIN(MAX(processors, 2u), 8u);
    s->room[LOAD_WAIT] = LIMIT_MCP_RUNNERS - s->room[LOAD_LIGHT] - s->room[LOAD_PIXELS];
}

static bool full(const struct server *s, const struct exchange *e)
{
    return s->accepted >= LIMIT_MCP_QUEUE || (s->accepted && s->accepted_bytes + e->bytes > LIMIT_MCP_QUEUE_BYTES);
}

static int add_locked(struct server *s, struct exchange *e, bool block)
{
    while (!s->closing && full(s, e)) {
        if (!block)
            return -EAGAIN;
        (void)server_wait(s, &s->news, clock_ms() + 100);
        if (s->options.stopped && s->options.stopped(s->options.stopped_arg))
            return -ECANCELED;
    }
    if (s->closing)
        return -ECANCELED;
    want_runner(s);
    if (!s->runners)
        return -EAGAIN;
    account(s, e, 1);
    e->inflight = true;
    e->next_inflight = e->client->inflight;
    e->client->inflight = exchange_ref(e);
    enqueue(e->client, exchange_ref(e));
    return 0;
}

int calls_add(struct exchange *e, enum tool_load load, void (*run)(struct exchange *e), bool block)
{
    struct server *s = e->server;
    e->load = load;
    e->run = run;
    server_lock(s);
    int r = add_locked(s, e, block);
    server_unlock(s);
    if (!r)
        ticker_watch(e);
    return r;
}

struct exchange *calls_find(struct client *c, const json_t *id)
{
    struct exchange *e;
    server_lock(c->server);
    for (e = c->inflight; e && !json_equal(e->message.id, id); e = e->next_inflight)
        ;
    if (e)
        (void)exchange_ref(e);
    server_unlock(c->server);
    return e;
}

/* One that waits is forgotten; one that runs is stopped, and its runner finds that nobody listens. */
void calls_cancel(struct exchange *e)
{
    struct server *s = e->server;
    bool was_queued = false;
    atomic_store(&e->cancelled, true);
    server_lock(s);
    for (struct exchange **at = &e->client->queue; e->queued && *at; at = &(*at)->next_queued)
        if (*at == e) {
            (void)dequeue(e->client, at);
            account(s, e, -1);
            was_queued = true;
            break;
        }
    if (e->cancel)
        fovea_cancel_now(e->cancel);
    (void)pthread_cond_broadcast(&s->news);
    server_unlock(s);
    if (was_queued)
        exchange_unref(e);
    exchange_close(e);
}

void calls_cancel_all(struct client *c)
{
    for (;;) {
        server_lock(c->server);
        struct exchange *e = c->inflight;
        if (e)
            (void)exchange_ref(e);
        server_unlock(c->server);
        if (!e)
            return;
        calls_cancel(e);
        exchange_unref(e);
    }
}

bool calls_stop(struct server *s)
{
    struct timespec until;
    bool all = true;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    server_lock(s);
    s->closing = true;
    (void)pthread_cond_broadcast(&s->work);
    (void)pthread_cond_broadcast(&s->news);
    (void)pthread_cond_broadcast(&s->tick);
    unsigned n = s->runners;
    server_unlock(s);
    for (unsigned i = 0; i < n; i++)
        all &= !pthread_timedjoin_np(s->runner[i], NULL, &until);
    if (s->ticking)
        all &= !pthread_timedjoin_np(s->ticker, NULL, &until);
    return all;
}
