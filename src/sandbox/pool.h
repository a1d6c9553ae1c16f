/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers as the parent sees them: one process for one input, some kept ready ahead of work. Thread-safe.
 */
#ifndef FOVEA_POOL_H
#define FOVEA_POOL_H

#include <stdint.h>

#include "fovea.h"
#include "sandbox/proto.h"
#include "sandbox/spawn.h"

struct pool;

/* program: as crew_new takes it. ready: how many to keep waiting (0: start on demand). The first ones are started at
 * once, in the background. Fails only for want of memory, descriptors or threads; a worker that cannot start shows
 * at the first job. */
int pool_new_of(const struct program *program, unsigned ready, struct pool **ret, struct fovea_fault *fault);
void pool_free(struct pool *p);

/* Changes how many are kept waiting, at any time; those too many end at once. */
void pool_ready(struct pool *p, unsigned ready);

/* Changes nothing but time: sees to it that a worker is on its way for a job that is about to come. One
 * that then finds no job ends after LIMIT_EXPECTED_MS. */
void pool_prepare(struct pool *p);

/* What a job gave: the reply, checked, and the sealed memfd, mapped. */
struct pool_output {
    struct work_reply reply;
    const uint8_t *data; /* image_len bytes of picture, then the preview, then the cells; NULL unless reply.status is WORK_OK */
    size_t len;
};
void pool_output_done(struct pool_output *o);

/* Jobs that did not end by themselves. */
enum pool_end {
    POOL_DONE,      /* output is filled in */
    POOL_TIMED_OUT, /* the limit passed; the worker is dead */
    POOL_DIED,      /* the worker crashed, was killed, or answered nonsense: the input is to blame */
};

struct pool_job {
    const struct work_request *request;
    int input;                  /* the bytes */
    int other;                  /* more of them, where request->other_len says so */
    int limit_ms;               /* waited at most, from when the worker was ready for it */
    const fovea_cancel *cancel; /* may be NULL */
    void (*meanwhile)(void *arg); /* called once right after the job was handed over, to use the wait; may be NULL */
    void *arg;
};

/*
 * Runs one job: gives a ready (or new) worker the request and the input, waits (a start has LIMIT_WORKER_START_MS of its
 * own, and LIMIT_WORKERS_BUSY_MS are waited for a place when jobs hold all of them), checks the answer.
 * When the cancel strikes, whatever is waited for, the worker is killed and the fault is -ECANCELED.
 * Returns 0 and how it ended, or a fault (-ENOSYS "sandbox unavailable: LAYER", -EBUSY, -ENOMEM, ...).
 */
int pool_run(struct pool *p, const struct pool_job *job, enum pool_end *ret_end, struct pool_output *ret_output,
             struct fovea_fault *fault);

/* The same with an output of the caller's: an empty memfd, sealed when the job is done, and so fit to be the input of
 * another. */
int pool_run_into(struct pool *p, const struct pool_job *job, int output, enum pool_end *ret_end,
                  struct pool_output *ret_output, struct fovea_fault *fault);

/* Starts a worker and returns its hello, for doctor. */
int pool_hello(struct pool *p, struct work_hello *ret, struct fovea_fault *fault);

#endif
