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
#include "base/thread.h"
#include "core.h"

/* ---------------------------------------------------------------- queues, under the lock */

/* In the order of when they last had a turn. */
static void line_up(struct server *s, struct client *c)
{
    struct client *before = TAILQ_LAST(&s->turns, turns);
    while (before && before->served > c->served)
        before = TAILQ_PREV(before, turns, in_turn);
    if (before)
        TAILQ_INSERT_AFTER(&s->turns, before, c, in_turn);
    else
        TAILQ_INSERT_HEAD(&s->turns, c, in_turn);
}

static void enqueue(struct server *s, struct client *c, struct exchange *e)
{
    (void)exchange_ref(e);
    TAILQ_INSERT_TAIL(&c->queue[e->load], e, in_queue);
    e->queued = true;
    s->queued[e->load]++;
    if (!c->n_queued++)
        line_up(s, c);
}

static void dequeue(struct server *s, struct client *c, struct exchange *e)
{
    TAILQ_REMOVE(&c->queue[e->load], e, in_queue);
    e->queued = false;
    s->queued[e->load]--;
    if (!--c->n_queued)
        TAILQ_REMOVE(&s->turns, c, in_turn);
}

static struct exchange *first_that_fits(const struct server *s, const struct client *c)
{
    for (size_t load = 0; load < LOADS; load++)
        if (s->running[load] < s->room[load] && !TAILQ_EMPTY(&c->queue[load]))
            return TAILQ_FIRST(&c->queue[load]);
    return NULL;
}

/* The next call to run, off its queue and counted. Its client goes to the end. */
static struct exchange *pick(struct server *s)
{
    struct client *c;
    struct exchange *e = NULL;
    TAILQ_FOREACH(c, &s->turns, in_turn)
        if ((e = first_that_fits(s, c)))
            break;
    if (!e)
        return NULL;
    dequeue(s, c, e);
    s->running[e->load]++;
    c->served = ++s->begun;
    if (c->n_queued) {
        TAILQ_REMOVE(&s->turns, c, in_turn);
        TAILQ_INSERT_TAIL(&s->turns, c, in_turn);
    }
    return e;
}

static void account(struct server *s, const struct exchange *e, int sign)
{
    s->accepted = sign > 0 ? s->accepted + 1 : s->accepted - 1;
    s->accepted_bytes = sign > 0 ? s->accepted_bytes + e->bytes : s->accepted_bytes - e->bytes;
    server_tell(s);
}

/* ---------------------------------------------------------------- calls that are not answered yet */

static size_t bucket_of(const json_t *id)
{
    uint64_t h = json_is_integer(id) ? (uint64_t)json_integer_value(id) : 5381;
    for (const char *s = json_is_string(id) ? json_string_value(id) : ""; *s; s++)
        h = h * 33 + (unsigned char)*s;
    return h % CLIENT_BUCKETS;
}

static void take_off(struct client *c, struct exchange *e)
{
    (void)exchange_ref(e);
    LIST_INSERT_HEAD(&c->flight[bucket_of(e->message.id)], e, in_flight);
    e->flying = true;
    c->n_flight++;
}

void calls_leave(struct exchange *e)
{
    server_lock(e->server);
    bool was = e->flying;
    if (was) {
        LIST_REMOVE(e, in_flight);
        e->client->n_flight--;
    }
    e->flying = false;
    e->due = 0;
    server_unlock(e->server);
    if (was)
        exchange_unref(e);
}

struct exchange *calls_find(struct client *c, const json_t *id)
{
    struct exchange *e;
    server_lock(c->server);
    LIST_FOREACH(e, &c->flight[bucket_of(id)], in_flight)
        if (json_equal(e->message.id, id)) {
            (void)exchange_ref(e);
            break;
        }
    server_unlock(c->server);
    return e;
}

struct exchange *calls_search(struct server *s, bool (*look)(struct exchange *e, void *arg), void *arg)
{
    struct exchange *e;
    for (struct client *c = s->clients; c; c = c->next)
        for (size_t i = 0; c->n_flight && i < CLIENT_BUCKETS; i++)
            LIST_FOREACH(e, &c->flight[i], in_flight)
                if (look(e, arg))
                    return e;
    return NULL;
}

/* ---------------------------------------------------------------- runners */

/* Runs e, which is off its queue, with the lock let go meanwhile. */
static void run_one(struct server *s, struct exchange *e, fovea_cancel *cancel)
{
    e->cancel = cancel;
    server_unlock(s);
    if (!exchange_cancelled(e))
        e->run(e);
    server_lock(s);
    e->cancel = NULL;
    if (exchange_cancelled(e))
        fovea_cancel_reset(cancel);
    s->running[e->load]--;
    account(s, e, -1);
}

static void *runner(void *arg);

/* All that can fail is done here: a runner that is there does not leave before the end. */
static void start_runner(struct server *s)
{
    if (s->runners == LIMIT_MCP_RUNNERS)
        return;
    struct runner *r = &s->runner[s->runners];
    *r = (struct runner){.server = s};
    if (fovea_cancel_new(&r->cancel, NULL) < 0)
        return;
    if (thread_start(&r->thread, NULL, runner, r)) {
        fovea_cancel_free(r->cancel);
        return;
    }
    s->runners++;
    s->starting++;
}

/* One runner more: an idle one that nobody woke yet, else a new one. */
static void wake_runner(struct server *s)
{
    if (!s->idle) {
        start_runner(s);
        return;
    }
    s->idle--;
    s->coming++;
    (void)pthread_cond_signal(&s->work);
}

/* One more where fewer are coming than calls wait that have room, so that a burst makes no more threads than it needs.
 * Whoever took a call, or adds one, sees to that. */
static void wake_another(struct server *s)
{
    unsigned fit = 0;
    for (size_t load = 0; load < LOADS; load++)
        fit += MIN(s->queued[load], s->room[load] - s->running[load]);
    if (s->coming + s->starting < fit)
        wake_runner(s);
}

/* Whoever wakes one takes it off the idle. One that wakes by itself takes the place of one that was meant, which then
 * finds that nobody is coming and goes on waiting as idle as before. */
static void wait_for_work(struct server *s)
{
    s->idle++;
    do
        (void)pthread_cond_wait(&s->work, &s->lock);
    while (!s->coming && !s->closing);
    s->coming -= s->coming > 0;
}

static void *runner(void *arg)
{
    const struct runner *r = arg;
    struct server *s = r->server;
    server_lock(s);
    s->starting--;
    while (!s->closing) {
        struct exchange *e = pick(s);
        if (e) {
            wake_another(s);
            run_one(s, e, r->cancel);
            server_unlock(s);
            exchange_unref(e);
            server_lock(s);
            continue;
        }
        wait_for_work(s);
    }
    server_unlock(s);
    fovea_cancel_free(r->cancel);
    return NULL;
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
    if (!s->runners)
        wake_runner(s);
    if (!s->runners)
        return -EAGAIN;
    account(s, e, 1);
    take_off(e->client, e);
    enqueue(s, e->client, e);
    /* Where the load has no room, whoever ends a call of that kind takes the next one. */
    wake_another(s);
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

/* One that waits is forgotten; one that runs is stopped, and its runner finds that nobody listens. */
void calls_cancel(struct exchange *e)
{
    struct server *s = e->server;
    atomic_store(&e->cancelled, true);
    server_lock(s);
    bool was_queued = e->queued;
    if (was_queued) {
        dequeue(s, e->client, e);
        account(s, e, -1);
    }
    if (e->cancel)
        fovea_cancel_now(e->cancel);
    server_tell(s);
    server_unlock(s);
    if (was_queued)
        exchange_unref(e);
    exchange_close(e);
}

void calls_cancel_all(struct client *c)
{
    for (;;) {
        struct exchange *e = NULL;
        server_lock(c->server);
        for (size_t i = 0; !e && i < CLIENT_BUCKETS; i++)
            e = LIST_FIRST(&c->flight[i]);
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
    server_tell(s);
    (void)pthread_cond_broadcast(&s->tick);
    unsigned n = s->runners;
    server_unlock(s);
    for (unsigned i = 0; i < n; i++)
        all &= !pthread_timedjoin_np(s->runner[i].thread, NULL, &until);
    if (s->ticking)
        all &= !pthread_timedjoin_np(s->ticker, NULL, &until);
    return all;
}
