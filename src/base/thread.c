/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: see thread.h. A new one has the mask of who starts it, so it is born with all signals blocked. */
#include "base/thread.h"

#include <signal.h>

int thread_start(pthread_t *ret, const pthread_attr_t *attr, void *(*run)(void *arg), void *arg)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int e = pthread_create(ret, attr, run, arg);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return e;
}
