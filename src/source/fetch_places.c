/* SPDX-License-Identifier: Apache-2.0 */
/* Places: see fetch_places.h. Who waits looks again at short intervals, because a cancel must end the wait too. */
#include "source/fetch_places.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char taken_by[LIMIT_FETCHES][LIMIT_HOST_BYTES]; /* "" is free */
static unsigned waiting;

/* With the lock held. */
static int find_place(const char *host)
{
    int free_one = -EAGAIN, same = 0;
    for (int i = 0; i < LIMIT_FETCHES; i++) {
        if (!taken_by[i][0])
            free_one = i;
        else
            same += !strcmp(taken_by[i], host);
    }
    return same < LIMIT_FETCHES_HOST ? free_one : -EAGAIN;
}

static int try_place(const char *host)
{
    (void)pthread_mutex_lock(&lock);
    int place = find_place(host);
    if (place >= 0)
        (void)snprintf(taken_by[place], sizeof taken_by[place], "%s", host);
    (void)pthread_mutex_unlock(&lock);
    return place;
}

/* One more or one less that waits; false when there are too many. */
static bool count_waiting(int change)
{
    (void)pthread_mutex_lock(&lock);
    bool fits = change < 0 || waiting < LIMIT_FETCHES_WAITING;
    waiting += fits ? (unsigned)change : 0;
    (void)pthread_mutex_unlock(&lock);
    return fits;
}

static int wait_for_place(const char *host, int64_t deadline, const fovea_cancel *cancel)
{
    int place;
    struct pollfd p = {.fd = cancel_fd(cancel), .events = POLLIN};
    while ((place = try_place(host)) < 0) {
        if (cancel_struck(cancel))
            return -ECANCELED;
        if (!clock_left(deadline))
            return -ETIMEDOUT;
        (void)poll(&p, 1, MIN(clock_left(deadline), LIMIT_CANCEL_NAP_MS));
    }
    return place;
}

int place_take(const char *host, int64_t deadline, const fovea_cancel *cancel)
{
    int place = try_place(host);
    if (place >= 0)
        return place;
    if (!count_waiting(1))
        return -EBUSY;
    place = wait_for_place(host, deadline, cancel);
    (void)count_waiting(-1);
    return place;
}

void place_leave(int place)
{
    if (place < 0)
        return;
    (void)pthread_mutex_lock(&lock);
    taken_by[place][0] = '\0';
    (void)pthread_mutex_unlock(&lock);
}
