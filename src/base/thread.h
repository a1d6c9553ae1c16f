/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of ours in a host's process. */
#ifndef FOVEA_THREAD_H
#define FOVEA_THREAD_H

#include <pthread.h>

/* Starts a thread on which no signal of the host's is handled: its handlers may count on threads of its own. attr may be NULL. 0, or a
 * positive errno value as pthread_create has it. */
int thread_start(pthread_t *ret, const pthread_attr_t *attr, void *(*run)(void *arg), void *arg);

#endif
