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

/* The program's path and word are copied; its setting outlives the crew. */
int crew_new(const struct program *program, unsigned ready, struct crew **ret, struct fovea_fault *fault);
void crew_free(struct crew *c);

/* Changes how many wait, at any time; those too many end at once. */
void crew_ready(struct crew *c, unsigned ready);

/* A job is about to come: at least one worker is to be ready, for LIMIT_EXPECTED_MS. */
void crew_expect(struct crew *c);

/*
 * A worker, alive a moment ago; the caller's until crew_end or crew_return. One that is still starting may be given its
 * job already (it reads nothing before its jail stands, and then need not wait for us), but is to be greeted after.
 * A cancel (may be NULL) that strikes is the fault -ECANCELED, here and in crew_fault.
 */
int crew_take(struct crew *c, const fovea_cancel *cancel, struct worker **ret, struct fovea_fault *fault);

/* Waits until the worker says that its jail stands. -ENOSYS when it does not, -EPIPE when the worker ended before (then
 * another one may do better), -EPROTO, -ETIMEDOUT, -ECANCELED; crew_fault makes a sentence of it (and of -EBUSY: every
 * place is held by a job). */
int crew_greet(struct worker *w, const fovea_cancel *cancel);
int crew_fault(const struct crew *c, const struct worker *w, int error, struct fovea_fault *fault);

/* To be called when a taken worker has its job: if no other waits, a successor is started beside it. (If one does, or the
 * program is patient, that can wait for the end of the job, which then has the processors to itself.) */
void crew_refill(struct crew *c);

/* Kills the worker and returns at once. */
void crew_end(struct crew *c, struct worker *w);

/* Gives back a worker that got no job. */
void crew_return(struct crew *c, struct worker *w);

#endif
