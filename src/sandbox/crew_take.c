/* SPDX-License-Identifier: Apache-2.0 */
/* Taking a worker: one that waits, or else one that is started for the job, for as long as the job has patience. One
 * found dead costs another try. */
#include <errno.h>
#include <poll.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "sandbox/crew_priv.h"

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

/* Waits with the lock held; NULL when the time is over or a start failed that began since (then *ret_error says why). */
static struct worker *wait_for_ready(struct crew *c, struct patience *p, int *ret_error)
{
    uint64_t ask = ++c->asks;
    struct worker *w;
    bool busy = false;
    int e = 0;
    while (!(w = crew_oldest_ready(c)) && c->failed < ask && !e) {
        busy = crowded(c);
        e = wait_for_news(c, busy ? p->place : p->start, p->cancel);
        if (busy)
            p->start = clock_ms() + LIMIT_WORKER_START_MS;
    }
    if (!w)
        *ret_error = c->failed >= ask ? c->failure : busy && e == ETIMEDOUT ? -EBUSY : -e;
    return w;
}

static struct worker *take_ready(struct crew *c, struct patience *p, int *ret_error)
{
    (void)pthread_mutex_lock(&c->lock);
    c->broken = false;
    c->expected = 0; /* this is the job: it does not wait for one worker and expect another */
    struct worker *w = crew_oldest_ready(c);
    if (!w) {
        c->waiting++;
        crew_wake_keeper(c);
        w = wait_for_ready(c, p, ret_error);
        c->waiting--;
    }
    if (w)
        w->state = WORKER_TAKEN;
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
    /* cppcheck-suppress nullPointer ; jail says that w is there */
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
