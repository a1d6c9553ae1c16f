/* SPDX-License-Identifier: Apache-2.0 */
/* Between the two parts of the crew: its keeping (crew.c) and the taking of one worker (crew_take.c). */
#ifndef FOVEA_CREW_PRIV_H
#define FOVEA_CREW_PRIV_H

#include <pthread.h>

#include "base/limits.h"
#include "sandbox/crew.h"

struct crew {
    pthread_mutex_t lock;
    pthread_cond_t news; /* a worker is ready, a place is free, or a start failed */
    pthread_t keeper;
    int wake; /* eventfd: the keeper has something to do */
    char *path, *word;      /* owned, of the program */
    struct program program;
    unsigned ready, waiting;
    int64_t expected; /* a job was announced, and is waited for until then; 0: none */
    uint64_t births;
    uint64_t asks;   /* jobs that found no worker ready */
    uint64_t failed; /* a start failed for those up to this one, none for who asked while it was under way */
    int failure;     /* the last one's error */
    bool broken;     /* a start failed: no more until a job asks again */
    bool closing;
    struct worker workers[LIMIT_WORKERS];
};

/* The keeper has something to do. */
void crew_wake_keeper(struct crew *c);

/* With the lock held; NULL when none waits. */
struct worker *crew_oldest_ready(struct crew *c);

#endif
