/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader: a child process for opening and reading one file, which can be left behind when the file system does
 * not answer. The child is a copy of a process that may have threads: it may make system calls and compute, nothing
 * else (no allocation, no locks, no stdio).
 */
#ifndef FOVEA_READER_H
#define FOVEA_READER_H

#include <stdatomic.h>

#include "source/snapshot.h"

/* Shared between both; only the child writes, the parent reads the rest after `done`. */
struct reader_report {
    _Atomic uint64_t progress; /* anything that changes: "still alive" */
    _Atomic uint32_t done;
    int32_t error; /* negative errno of reading or writing */
    enum snapshot_verdict verdict;
    struct snapshot_lines lines; /* a plain snapshot uses lines.window only */
};

struct reader_job {
    void (*run)(const struct reader_job *job, struct reader_report *report); /* in the child */
    const struct gate *gate;
    const struct ref_variants *variants;
    int total_ms; /* for all of it, whatever the progress */
    int fd;       /* where the bytes go */
    uint64_t cap, offset, limit;
};

/*
 * Runs the job. 0 and *ret filled (verdict SNAPSHOT_TIMED_OUT when LIMIT_OPEN_MS passed without progress, or
 * total_ms in all; then the child is killed, and reaped later if the kernel will not let go of it now), or a fault. The
 * child is made without an exit signal: a host program's SIGCHLD handler and its waitpid(-1) never see it.
 */
int reader_run(const struct reader_job *job, struct reader_report *ret, struct fovea_fault *fault);

#endif
