/* SPDX-License-Identifier: Apache-2.0 */
/* Between the three parts of the reader: the job (reader.c), the processes (readers.c), the child (reader_child.c). */
#ifndef FOVEA_READER_PRIV_H
#define FOVEA_READER_PRIV_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/limits.h"
#include "source/reader.h"

/* What both share, at one address in both: pointers into it hold on either side. Pages come with their first use. */
struct desk {
    struct reader_report report;
    struct reader_job job;
    struct ref_variants variants; /* in names, like the roots */
    const char *roots[LIMIT_ROOTS + 1];
    char names[(LIMIT_PATH_VARIANTS + LIMIT_ROOTS) * LIMIT_PATH_BYTES];
    uint8_t text[LIMIT_READ_WINDOW];
};

enum reader_state {
    READER_NONE, /* a free place */
    READER_IDLE, /* or died while idle: the next job shows */
    READER_BUSY, /* belongs to one job */
};

struct reader {
    enum reader_state state;
    int socket, pidfd;
    int life; /* write end of a pipe: closing it kills the reader */
    uid_t uid;
    gid_t gid; /* whom it reads as */
    struct desk *desk;
};

/* What the child has of its own. */
struct reader_birth {
    const struct gate *gate;
    struct desk *desk;
    int socket;
    int life; /* read end */
};
_Noreturn void reader_serve(const struct reader_birth *b);

/* An idle reader or a new one; the caller's until readers_give or readers_end. */
int readers_take(const struct gate *g, const fovea_cancel *cancel, struct reader **ret, struct fovea_fault *fault);
void readers_give(struct readers *all, struct reader *r);

/* Kills it. Waits LIMIT_KILL_MS for its end at most; one that the kernel will not let go of is reaped later. */
void readers_end(struct readers *all, struct reader *r);

#endif
