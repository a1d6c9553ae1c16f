/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers: child processes that open and read files or find folders, one after the other, and can be left behind when
 * a file system does not answer. They belong to a gate, are started when a job finds none idle, and serve until they
 * have had nothing to do for LIMIT_READER_IDLE_MS, the gate ends or the process does. A reader is a copy of a
 * process that may have threads: it may make system calls and compute, nothing else (no allocation, no locks, no stdio).
 */
#ifndef FOVEA_READER_H
#define FOVEA_READER_H

#include <stdatomic.h>

#include "source/snapshot.h"

/* In memory that both share; only the reader writes, the parent reads the rest when the word has come. */
struct reader_report {
    _Atomic uint64_t progress; /* anything that changes: "still alive" */
    _Atomic uint32_t begun;
    int32_t error; /* negative errno of reading or writing */
    enum snapshot_verdict verdict;
    struct snapshot_lines lines; /* a plain snapshot uses lines.window only */
};

struct reader_job {
    void (*run)(const struct reader_job *job, struct reader_report *report); /* in the reader */
    const struct gate *gate;
    const struct ref_variants *variants;
    const char *const *roots;   /* as in struct snapshot_scope */
    const fovea_cancel *cancel; /* of the parent alone */
    int total_ms;               /* for all of it, whatever the progress */
    int fd;                     /* where the bytes go; -1 for a text, which goes into `text` */
    uint64_t cap, offset, limit;
    size_t max_text;
    /* Filled in for the reader: */
    uint8_t *text;  /* max_text bytes */
    uint8_t *piece; /* LIMIT_READ_PIECE bytes of its own */
};

/*
 * Runs the job. 0 and *ret filled (verdict SNAPSHOT_TIMED_OUT when LIMIT_OPEN_MS passed without progress, or total_ms
 * in all; then the reader is killed, and reaped later if the kernel will not let go of it now), or a fault: -ECANCELED,
 * -EBUSY when every reader is at work. ret->lines.text is the caller's. Thread-safe; not for a child forked from the
 * process that made the gate.
 */
int reader_run(const struct reader_job *job, struct reader_report *ret, struct fovea_fault *fault);

/*
 * The readers of one gate; none is started yet. What the host is promised: a reader is made without an exit signal (a
 * SIGCHLD handler and waitpid(-1) never see it), holds none of the host's descriptors, and ends with the process,
 * whichever thread started it. NULL when out of memory.
 */
struct readers;
struct readers *readers_new(void);
void readers_free(struct readers *r);

#endif
