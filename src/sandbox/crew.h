/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The crew of a pool: every worker process from start to end, kept by one thread. That thread starts them (so that
 * they die with the process and not with whichever thread asked), keeps the promised number waiting, and reaps the
 * ended. Thread-safe. Not to be used in a child forked from the process that made it.
 */
#ifndef FOVEA_CREW_H
#define FOVEA_CREW_H

#include <stdint.h>

#include "fovea.h"
#include "sandbox/proto.h"
#include "sandbox/spawn.h"

struct crew;

enum worker_state {
    WORKER_NONE,     /* a free place */
    WORKER_STARTING,
    WORKER_READY,    /* waiting, or died while waiting: taking it shows */
    WORKER_TAKEN,    /* belongs to one job */
    WORKER_ENDED,    /* killed; the keeper reaps it */
};

struct worker {
    enum worker_state state;
    uint64_t born; /* the oldest waits no longer */
    bool greeted;
    struct work_hello hello;
    struct child child;
};

int crew_new(const char *path, unsigned ready, struct crew **ret, struct fovea_fault *fault);
void crew_free(struct crew *c);

/* A job is about to come: at least one worker is to be ready. */
void crew_expect(struct crew *c);

/* A worker whose jail stands, alive a moment ago; the caller's until crew_end or crew_return. */
int crew_take(struct crew *c, struct worker **ret, struct fovea_fault *fault);

/* Kills the worker and returns at once. */
void crew_end(struct crew *c, struct worker *w);

/* Gives back a worker that got no job. */
void crew_return(struct crew *c, struct worker *w);

#endif
