/* SPDX-License-Identifier: Apache-2.0 */
/* The greeting: a worker's first words, said when its jail stands or cannot stand. Read once, in time, and believed only
 * as far as they are of this build. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "sandbox/check.h"
#include "sandbox/crew.h"

int crew_greet(struct worker *w, const fovea_cancel *cancel)
{
    struct pollfd p[] = {{.fd = w->child.socket, .events = POLLIN}, {.fd = cancel_fd(cancel), .events = POLLIN}};
    int64_t deadline = clock_ms() + LIMIT_WORKER_START_MS;
    int n;
    if (w->greeted)
        return 0;
    while ((n = poll(p, COUNT(p), clock_left(deadline))) < 0 && errno == EINTR)
        ;
    if (n <= 0)
        return n ? -errno : -ETIMEDOUT;
    if (p[1].revents)
        return -ECANCELED;
    ssize_t got = TEMP_FAILURE_RETRY(recv(w->child.socket, &w->hello, sizeof w->hello, MSG_DONTWAIT | MSG_TRUNC));
    /* One that left without taking its job is told of before what it said. */
    if (got < 0 && errno == ECONNRESET)
        got = TEMP_FAILURE_RETRY(recv(w->child.socket, &w->hello, sizeof w->hello, MSG_DONTWAIT | MSG_TRUNC));
    if (got <= 0)
        return -EPIPE;
    if (got != sizeof w->hello || !check_hello(&w->hello))
        return -EPROTO;
    if (w->hello.error)
        return -ENOSYS;
    w->greeted = true;
    return 0;
}
