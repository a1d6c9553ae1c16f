/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The crew: a table of workers and the thread that keeps it. The kernel kills a worker when the thread that started it
 * ends, so all are started by the keeper, which lives as long as the pool: a job's own thread may come and go, and the
 * death of the process reaches every worker at once, even in the middle of decoding.
 *
 * Only the keeper starts and reaps; jobs move a worker from ready to taken to ended. All of it under one lock that is
 * never held across a start or a wait.
 */
#include "sandbox/crew_priv.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/thread.h"

void crew_wake_keeper(struct crew *c)
{
    (void)eventfd_write(c->wake, 1);
}

struct worker *crew_oldest_ready(struct crew *c)
{
    struct worker *oldest = NULL;
    for (size_t i = 0; i < COUNT(c->workers); i++) {
        struct worker *w = &c->workers[i];
        if (w->state == WORKER_READY && (!oldest || w->born < oldest->born))
            oldest = w;
    }
    return oldest;
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
    return MAX(c->ready + c->waiting, c->expected ? 1u : 0u);
}

static bool wants_more(const struct crew *c)
{
    return !c->broken && count_ready(c) < wanted(c);
}

static void end_locked(struct worker *w)
{
    child_kill(&w->child);
    close_fd(take_fd(&w->child.socket));
    w->state = w->child.pidfd < 0 ? WORKER_NONE : WORKER_ENDED;
}

static void end_surplus(struct crew *c)
{
    struct worker *w;
    while ((w = crew_oldest_ready(c)) && count_ready(c) > wanted(c))
        end_locked(w);
}

/* A job that was announced may never come: its file is not there. */
static void expect_no_longer(struct crew *c)
{
    if (!c->expected || clock_ms() < c->expected)
        return;
    c->expected = 0;
    end_surplus(c);
}

/* Starts one worker, with the lock let go meanwhile. */
static void start(struct crew *c, struct worker *w)
{
    *w = (struct worker){.state = WORKER_STARTING, .born = c->births++};
    bool ahead = c->ready > 0;
    uint64_t asks = c->asks;
    (void)pthread_mutex_unlock(&c->lock);
    int e = child_spawn(&c->program, ahead, &w->child);
    (void)pthread_mutex_lock(&c->lock);
    w->state = e ? WORKER_NONE : WORKER_READY;
    if (e) {
        c->failed = asks;
        c->failure = e;
        c->broken = c->asks == asks;
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

/* Sleeps until a job wants something, a worker has ended, or a job is not expected any more. */
static void sleep_until_needed(struct crew *c)
{
    struct pollfd fds[1 + LIMIT_WORKERS] = {{.fd = c->wake, .events = POLLIN}};
    nfds_t n = 1;
    eventfd_t count;
    for (size_t i = 0; i < COUNT(c->workers); i++)
        if (watched(&c->workers[i]))
            fds[n++] = (struct pollfd){.fd = c->workers[i].child.pidfd, .events = POLLIN};
    int most = c->expected ? clock_left(c->expected) : -1;
    (void)pthread_mutex_unlock(&c->lock);
    (void)poll(fds, n, most);
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
        if (wants_more(c) && (place = free_place(c)))
            start(c, place);
        else
            sleep_until_needed(c);
        expect_no_longer(c);
        reap(c); /* after each start too: under steady load there is always another to start */
    }
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---------------------------------------------------------------- public */

void crew_end(struct crew *c, struct worker *w)
{
    (void)pthread_mutex_lock(&c->lock);
    end_locked(w);
    (void)pthread_cond_broadcast(&c->news);
    (void)pthread_mutex_unlock(&c->lock);
    crew_wake_keeper(c);
}

void crew_ready(struct crew *c, unsigned ready)
{
    (void)pthread_mutex_lock(&c->lock);
    c->ready = MIN(ready, (unsigned)LIMIT_READY_WORKERS);
    end_surplus(c);
    (void)pthread_mutex_unlock(&c->lock);
    crew_wake_keeper(c);
}

void crew_refill(struct crew *c)
{
    (void)pthread_mutex_lock(&c->lock);
    bool urgent = !c->program.patient && !crew_oldest_ready(c);
    (void)pthread_mutex_unlock(&c->lock);
    if (urgent)
        crew_wake_keeper(c);
}

void crew_return(struct crew *c, struct worker *w)
{
    (void)pthread_mutex_lock(&c->lock);
    w->state = WORKER_READY;
    (void)pthread_cond_broadcast(&c->news);
    (void)pthread_mutex_unlock(&c->lock);
    crew_wake_keeper(c);
}

void crew_expect(struct crew *c)
{
    (void)pthread_mutex_lock(&c->lock);
    c->broken = false;
    c->expected = clock_ms() + LIMIT_EXPECTED_MS;
    (void)pthread_mutex_unlock(&c->lock);
    crew_wake_keeper(c);
}

static void crew_done(struct crew *c)
{
    (void)pthread_cond_destroy(&c->news);
    (void)pthread_mutex_destroy(&c->lock);
    close_fd(c->wake);
    free(c->path);
    free(c->word);
    free(c);
}

int crew_new(const struct program *program, unsigned ready, struct crew **ret, struct fovea_fault *fault)
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
    c->path = strdup(program->path);
    c->word = program->word ? strdup(program->word) : NULL;
    c->program = (struct program){c->path, c->word, program->setting, program->patient};
    bool copied = c->path && (c->word || !program->word);
    c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int e = c->wake < 0 ? errno : copied ? thread_start(&c->keeper, NULL, keep, c) : ENOMEM;
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
    crew_wake_keeper(c);
    (void)pthread_join(c->keeper, NULL);
    for (size_t i = 0; i < COUNT(c->workers); i++)
        if (c->workers[i].state == WORKER_READY)
            crew_end(c, &c->workers[i]);
    int64_t deadline = clock_ms() + LIMIT_REAP_MS;
    for (size_t i = 0; i < COUNT(c->workers); i++) {
        struct worker *w = &c->workers[i];
        struct pollfd p = {.fd = w->child.pidfd, .events = POLLIN};
        if (w->state == WORKER_ENDED && !child_reap(&w->child)) {
            while (poll(&p, 1, clock_left(deadline)) < 0 && errno == EINTR && clock_left(deadline))
                ; /* a signal of the host's */
            (void)child_reap(&w->child);
            close_fd(take_fd(&w->child.pidfd));
        }
    }
    crew_done(c);
}
