/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The crew: a table of workers and the thread that keeps it. The kernel kills a worker when the thread that started it
 * ends, so all are started by the keeper, which lives as long as the pool: a job's own thread may come and go, and the
 * death of the process reaches every worker at once, even in the middle of decoding.
 *
 * Only the keeper starts and reaps; jobs move a worker from ready to taken to ended. All of it under one lock that is
 * never held across a start or a wait.
 */
#include "sandbox/crew.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"

struct crew {
    pthread_mutex_t lock;
    pthread_cond_t news; /* a worker is ready, a place is free, or a start failed */
    pthread_t keeper;
    int wake; /* eventfd: the keeper has something to do */
    char *path;
    unsigned ready, waiting;
    bool expected; /* a job was announced */
    uint64_t births;
    unsigned failures; /* starts that failed, counted so that those who wait see a new one */
    int failure;       /* the last one's error */
    bool broken;       /* a start failed: no more until a job asks again */
    bool closing;
    struct worker workers[LIMIT_WORKERS];
};

static void wake_keeper(struct crew *c)
{
    (void)eventfd_write(c->wake, 1);
}

/* ---------------------------------------------------------------- the keeper */

static struct worker *free_place(struct crew *c)
{
    for (size_t i = 0; i < COUNT(c->workers); i++)
        if (c->workers[i].state == WORKER_NONE)
            return &c->workers[i];
    return NULL;
}

static unsigned count_ready(const struct crew *c)
{
    unsigned ready = 0;
    for (size_t i = 0; i < COUNT(c->workers); i++)
        ready += c->workers[i].state == WORKER_READY;
    return ready;
}

static unsigned wanted(const struct crew *c)
{
    return MAX(c->ready, (unsigned)c->expected) + c->waiting;
}

static bool wants_more(const struct crew *c)
{
    return !c->broken && !c->closing && count_ready(c) < wanted(c);
}

static void end_locked(struct worker *w)
{
    child_kill(&w->child);
    close_fd(take_fd(&w->child.socket));
    w->state = w->child.pidfd < 0 ? WORKER_NONE : WORKER_ENDED;
}

/* Starts one worker, with the lock let go meanwhile. */
static void start(struct crew *c, struct worker *w)
{
    *w = (struct worker){.state = WORKER_STARTING, .born = c->births++};
    bool ahead = c->ready > 0;
    (void)pthread_mutex_unlock(&c->lock);
    int e = child_spawn(c->path, ahead, &w->child);
    (void)pthread_mutex_lock(&c->lock);
    w->state = e ? WORKER_NONE : WORKER_READY;
    if (e) {
        c->failures++;
        c->failure = e;
        c->broken = true;
    } else if (count_ready(c) > wanted(c)) {
        end_locked(w); /* nobody wants it any more */
    }
    (void)pthread_cond_broadcast(&c->news);
}

static bool watched(const struct worker *w)
{
    return (w->state == WORKER_READY || w->state == WORKER_ENDED) && w->child.pidfd >= 0;
}

/* One that died while waiting keeps its place: what it said last is for whoever takes it. */
static void reap(struct crew *c)
{
    for (size_t i = 0; i < COUNT(c->workers); i++) {
        struct worker *w = &c->workers[i];
        if (!watched(w) || !child_reap(&w->child) || w->state == WORKER_READY)
            continue;
        w->state = WORKER_NONE;
        (void)pthread_cond_broadcast(&c->news);
    }
}

/* Sleeps until a job wants something or a worker has ended. */
static void sleep_until_needed(struct crew *c)
{
    struct pollfd fds[1 + LIMIT_WORKERS] = {{.fd = c->wake, .events = POLLIN}};
    nfds_t n = 1;
    eventfd_t count;
    for (size_t i = 0; i < COUNT(c->workers); i++)
        if (watched(&c->workers[i]))
            fds[n++] = (struct pollfd){.fd = c->workers[i].child.pidfd, .events = POLLIN};
    (void)pthread_mutex_unlock(&c->lock);
    (void)poll(fds, n, -1);
    if (fds[0].revents)
        (void)eventfd_read(c->wake, &count);
    (void)pthread_mutex_lock(&c->lock);
}

static void *keep(void *arg)
{
    struct crew *c = arg;
    struct worker *place;
    (void)pthread_mutex_lock(&c->lock);
    while (!c->closing) {
        while (wants_more(c) && (place = free_place(c)))
            start(c, place);
        sleep_until_needed(c);
        reap(c);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---------------------------------------------------------------- taking one */

static struct worker *oldest_ready(struct crew *c)
{
    struct worker *oldest = NULL;
    for (size_t i = 0; i < COUNT(c->workers); i++) {
        struct worker *w = &c->workers[i];
        if (w->state == WORKER_READY && (!oldest || w->born < oldest->born))
            oldest = w;
    }
    return oldest;
}

/* Until when one job waits: for a start, and before that for a place to start in. */
struct patience {
    int64_t start, place;
    const fovea_cancel *cancel;
};

/* More wait than there are places that no job holds: somebody must wait for the end of one. */
static bool crowded(const struct crew *c)
{
    unsigned held = 0;
    for (size_t i = 0; i < COUNT(c->workers); i++)
        held += c->workers[i].state == WORKER_TAKEN || c->workers[i].state == WORKER_ENDED;
    return held + c->waiting > COUNT(c->workers);
}

/* A cancel cannot wake us here, so it is looked at now and then. */
static int wait_for_news(struct crew *c, int64_t deadline, const fovea_cancel *cancel)
{
    int64_t nap = cancel ? MIN(deadline, clock_ms() + LIMIT_CANCEL_NAP_MS) : deadline;
    struct timespec until = {.tv_sec = (time_t)(nap / 1000), .tv_nsec = (long)(nap % 1000) * 1000000};
    int e = pthread_cond_timedwait(&c->news, &c->lock, &until);
    if (cancel_struck(cancel))
        return ECANCELED;
    return e == ETIMEDOUT && nap < deadline ? 0 : e;
}

/* Waits with the lock held; NULL when the time is over or a start failed (then *ret_error says why). */
static struct worker *wait_for_ready(struct crew *c, struct patience *p, int *ret_error)
{
    unsigned failures = c->failures;
    struct worker *w;
    bool busy = false;
    int e = 0;
    while (!(w = oldest_ready(c)) && c->failures == failures && !e) {
        busy = crowded(c);
        e = wait_for_news(c, busy ? p->place : p->start, p->cancel);
        if (busy)
            p->start = clock_ms() + LIMIT_WORKER_START_MS;
    }
    if (!w)
        *ret_error = c->failures != failures ? c->failure : busy && e == ETIMEDOUT ? -EBUSY : -e;
    return w;
}

static struct worker *take_ready(struct crew *c, struct patience *p, int *ret_error)
{
    (void)pthread_mutex_lock(&c->lock);
    c->broken = false;
    struct worker *w = oldest_ready(c);
    if (!w) {
        c->waiting++;
        wake_keeper(c);
        w = wait_for_ready(c, p, ret_error);
        c->waiting--;
    }
    if (w)
        w->state = WORKER_TAKEN;
    c->expected = false;
    (void)pthread_mutex_unlock(&c->lock);
    return w;
}

/* A waiting worker is silent once it has greeted; more to read is its end, or it speaks out of turn. */
static bool silent(const struct worker *w)
{
    struct pollfd p = {.fd = w->child.socket, .events = POLLIN};
    return !poll(&p, 1, 0);
}

int crew_fault(const struct crew *c, const struct worker *w, int error, struct fovea_fault *fault)
{
    bool jail = w && error == -ENOSYS;
    const char *words = strerrordesc_np(jail ? w->hello.error : -error), *why = words ? words : "unknown error";
    if (jail)
        return fault_set(fault, error, "sandbox unavailable: %s (%s); see fovea doctor", w->hello.layer, why);
    if (error == -ECANCELED)
        return fault_cancelled(fault);
    if (error == -EBUSY)
        return fault_set(fault, error, "all %d workers are busy; try again", LIMIT_WORKERS);
    why = error == -EPIPE       ? "it ended before it was ready"
          : error == -EPROTO    ? "it is not of this build"
          : error == -ETIMEDOUT ? "it was not ready in time"
                                : why;
    return fault_set(fault, error, "cannot start \"%.150s\": %s; see fovea doctor", c->path, why);
}

int crew_take(struct crew *c, const fovea_cancel *cancel, struct worker **ret, struct fovea_fault *fault)
{
    struct patience p = {clock_ms() + LIMIT_WORKER_START_MS, clock_ms() + LIMIT_WORKERS_BUSY_MS, cancel};
    int e = 0;
    for (unsigned i = 0; i < LIMIT_WORKER_TRIES; i++) {
        struct worker *w = take_ready(c, &p, &e);
        if (!w)
            return crew_fault(c, NULL, e, fault);
        e = silent(w) ? 0 : w->greeted ? -EPIPE : crew_greet(w, cancel);
        if (!e && (!w->greeted || silent(w))) {
            *ret = w;
            return 0;
        }
        if (e && e != -EPIPE)
            e = crew_fault(c, w, e, fault);
        crew_end(c, w);
        if (e && e != -EPIPE)
            return e;
    }
    return crew_fault(c, NULL, -EPIPE, fault);
}

/* ---------------------------------------------------------------- public */

static void move(struct crew *c, struct worker *w, enum worker_state to)
{
    (void)pthread_mutex_lock(&c->lock);
    w->state = to;
    (void)pthread_cond_broadcast(&c->news);
    (void)pthread_mutex_unlock(&c->lock);
}

void crew_end(struct crew *c, struct worker *w)
{
    child_kill(&w->child);
    close_fd(take_fd(&w->child.socket));
    move(c, w, w->child.pidfd < 0 ? WORKER_NONE : WORKER_ENDED);
    wake_keeper(c);
}

void crew_ready(struct crew *c, unsigned ready)
{
    struct worker *w;
    (void)pthread_mutex_lock(&c->lock);
    c->ready = MIN(ready, (unsigned)LIMIT_READY_WORKERS);
    while (count_ready(c) > wanted(c) && (w = oldest_ready(c)))
        end_locked(w);
    (void)pthread_mutex_unlock(&c->lock);
    wake_keeper(c);
}

void crew_refill(struct crew *c)
{
    (void)pthread_mutex_lock(&c->lock);
    bool urgent = !oldest_ready(c);
    (void)pthread_mutex_unlock(&c->lock);
    if (urgent)
        wake_keeper(c);
}

void crew_return(struct crew *c, struct worker *w)
{
    move(c, w, WORKER_READY);
    wake_keeper(c);
}

void crew_expect(struct crew *c)
{
    (void)pthread_mutex_lock(&c->lock);
    c->broken = false;
    c->expected = true;
    (void)pthread_mutex_unlock(&c->lock);
    wake_keeper(c);
}

/* No signal of the host is handled on the keeper's thread. */
static int start_keeper(struct crew *c)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int e = pthread_create(&c->keeper, NULL, keep, c);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return e;
}

static void crew_done(struct crew *c)
{
    (void)pthread_cond_destroy(&c->news);
    (void)pthread_mutex_destroy(&c->lock);
    close_fd(c->wake);
    free(c->path);
    free(c);
}

int crew_new(const char *path, unsigned ready, struct crew **ret, struct fovea_fault *fault)
{
    struct crew *c = calloc(1, sizeof *c);
    pthread_condattr_t monotonic;
    if (!c)
        return fault_oom(fault);
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&c->news, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    c->ready = MIN(ready, LIMIT_READY_WORKERS);
    c->path = strdup(path);
    c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int e = c->wake < 0 ? errno : c->path ? start_keeper(c) : ENOMEM;
    if (!e) {
        *ret = c;
        return 0;
    }
    crew_done(c);
    return e == ENOMEM ? fault_oom(fault) : fault_set(fault, e, "cannot keep workers: %s", strerrordesc_np(e));
}

void crew_free(struct crew *c)
{
    if (!c)
        return;
    (void)pthread_mutex_lock(&c->lock);
    c->closing = true;
    (void)pthread_mutex_unlock(&c->lock);
    wake_keeper(c);
    (void)pthread_join(c->keeper, NULL);
    for (size_t i = 0; i < COUNT(c->workers); i++)
        if (c->workers[i].state == WORKER_READY)
            crew_end(c, &c->workers[i]);
    int64_t deadline = clock_ms() + LIMIT_REAP_MS;
    for (size_t i = 0; i < COUNT(c->workers); i++) {
        struct worker *w = &c->workers[i];
        struct pollfd p = {.fd = w->child.pidfd, .events = POLLIN};
        if (w->state == WORKER_ENDED && !child_reap(&w->child)) {
            (void)poll(&p, 1, clock_left(deadline));
            (void)child_reap(&w->child);
            close_fd(take_fd(&w->child.pidfd));
        }
    }
    crew_done(c);
}
