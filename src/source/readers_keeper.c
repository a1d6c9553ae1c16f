/* SPDX-License-Identifier: Apache-2.0 */
/* The keeper of the readers: see readers_keep. It has nothing to do once the table is empty, and is gone then. */
#include <poll.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "source/gate_priv.h"
#include "source/reader_priv.h"

/* What one that is not idle has for a pidfd is being written by whoever starts it. */
static bool is_over(const struct reader *r)
{
    if (r->state != READER_IDLE)
        return false;
    struct pollfd p = {.fd = r->pidfd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

/* Buries those that ended; false when there is no reader left. The lock is held, and let go of meanwhile. Readers stay for
 * many jobs, so one that was left behind would be a zombie for long if only the next start looked for it. */
static bool look_over(struct readers *all)
{
    bool any = readers_reap_strays() < LIMIT_STRAY_READERS;
    for (size_t i = 0; i < COUNT(all->reader) && !all->ending; i++) {
        struct reader *r = &all->reader[i];
        if (is_over(r)) {
            r->state = READER_BUSY;
            (void)pthread_mutex_unlock(&all->lock);
            (void)reader_bury(r, 0);
            (void)pthread_mutex_lock(&all->lock);
            r->state = READER_NONE;
            (void)pthread_cond_signal(&all->idle);
        }
        any |= r->state != READER_NONE;
    }
    return any;
}

static void *keep(void *arg)
{
    struct readers *all = arg;
    (void)pthread_mutex_lock(&all->lock);
    do {
        int64_t wake = clock_ms() + LIMIT_KEEPER_MS;
        struct timespec until = {.tv_sec = (time_t)(wake / 1000), .tv_nsec = (long)(wake % 1000) * 1000000};
        while (!all->ending && clock_left(wake))
            (void)pthread_cond_timedwait(&all->stop, &all->lock, &until);
    } while (!all->ending && look_over(all));
    all->keeper_state = KEEPER_LEFT;
    (void)pthread_mutex_unlock(&all->lock);
    return NULL;
}

void readers_keep(struct readers *all)
{
    if (all->keeper_state == KEEPER_RUNS || all->ending)
        return;
    if (all->keeper_state == KEEPER_LEFT)
        (void)pthread_join(all->keeper, NULL); /* it said so with its last lock */
    all->keeper_state = KEEPER_NONE;
    if (thread_start(&all->keeper, NULL, keep, all) == 0)
        all->keeper_state = KEEPER_RUNS;
}

void readers_keeper_end(struct readers *all)
{
    (void)pthread_mutex_lock(&all->lock);
    all->ending = true;
    bool there = all->keeper_state != KEEPER_NONE;
    (void)pthread_cond_signal(&all->stop);
    (void)pthread_mutex_unlock(&all->lock);
    if (there)
        (void)pthread_join(all->keeper, NULL);
}
