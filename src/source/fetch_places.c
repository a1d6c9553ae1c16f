/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places: see fetch_places.h. Who has waited longest and may have a place is the next; nobody passes. Who waits is woken when a
 * place is left, and looks again at short intervals besides, because a cancel must end the wait too.
 */
#include "source/fetch_places.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"

struct waiter {
    const char *host;
    struct waiter *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static char taken_by[LIMIT_FETCHES][LIMIT_HOST_BYTES]; /* "" is free */
static struct waiter *first;                           /* who came first is first */
static unsigned waiting;

/* All below, but for the last two, with the lock held. */

static bool has_too_many(const char *host)
{
    int n = 0;
    for (int i = 0; i < LIMIT_FETCHES; i++)
        n += !strcmp(taken_by[i], host);
    return n >= LIMIT_FETCHES_HOST;
}

/* Behind all who wait, or in its own place among them. */
static int find_place(const struct waiter *self)
{
    if (has_too_many(self->host))
        return -EAGAIN;
    for (const struct waiter *w = first; w && w != self; w = w->next)
        if (!has_too_many(w->host))
            return -EAGAIN;
    for (int i = 0; i < LIMIT_FETCHES; i++)
        if (!taken_by[i][0])
            return i;
    return -EAGAIN;
}

/* The link to it; to NULL, the end of the line. */
static struct waiter **link_to(const struct waiter *at)
{
    struct waiter **w = &first;
    while (*w && *w != at)
        w = &(*w)->next;
    return w;
}

static void nap(int64_t deadline)
{
    int64_t until = clock_ms() + MIN(clock_left(deadline), LIMIT_CANCEL_NAP_MS);
    struct timespec t = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};
    (void)pthread_cond_clockwait(&moved, &lock, CLOCK_MONOTONIC, &t);
}

static int wait_in_line(struct waiter *self, int64_t deadline, const fovea_cancel *cancel)
{
    int place;
    if (waiting == LIMIT_FETCHES_WAITING)
        return -EBUSY;
    waiting++;
    *link_to(NULL) = self;
    while ((place = find_place(self)) < 0) {
        if (cancel_struck(cancel))
            place = -ECANCELED;
        else if (!clock_left(deadline))
            place = -ETIMEDOUT;
        if (place != -EAGAIN)
            break;
        nap(deadline);
    }
    *link_to(self) = self->next;
    waiting--;
    return place;
}

int place_take(const char *host, int64_t deadline, const fovea_cancel *cancel)
{
    struct waiter self = {.host = host};
    (void)pthread_mutex_lock(&lock);
    int place = find_place(&self);
    if (place < 0)
        place = wait_in_line(&self, deadline, cancel);
    if (place >= 0)
        (void)snprintf(taken_by[place], sizeof taken_by[place], "%s", host);
    /* Whoever stood behind may be the next now. */
    (void)pthread_cond_broadcast(&moved);
    (void)pthread_mutex_unlock(&lock);
    return place;
}

void place_leave(int place)
{
    if (place < 0)
        return;
    (void)pthread_mutex_lock(&lock);
    taken_by[place][0] = '\0';
    (void)pthread_cond_broadcast(&moved);
    (void)pthread_mutex_unlock(&lock);
}
