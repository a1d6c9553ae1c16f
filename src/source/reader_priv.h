/* SPDX-License-Identifier: Apache-2.0 */
/* Between the three parts of the reader: the job (reader.c), the processes (readers.c), the child (reader_child.c). */
#ifndef FOVEA_READER_PRIV_H
#define FOVEA_READER_PRIV_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/limits.h"
#include "base/sha256.h"
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
    READER_IDLE, /* or died while idle: the next job or the keeper sees */
    READER_BUSY, /* belongs to one job */
};

/* What a process may read, as far as it can give that up. */
struct reader_rights {
    uid_t uid, fsuid;
    gid_t gid, fsgid;
    uint32_t caps[6]; /* as capget(2) gives them */
    uint8_t groups[SHA256_LEN];
};

struct reader {
    enum reader_state state;
    int socket, pidfd;
    int life; /* write end of a pipe: closing it kills the reader */
    struct reader_rights rights; /* those it was started with */
    struct desk *desk;
};

struct readers {
    pthread_mutex_t lock;
    pthread_cond_t idle; /* a reader, or a place for one */
    pthread_cond_t stop; /* of the keeper */
    pthread_t keeper;
    enum { KEEPER_NONE, KEEPER_RUNS, KEEPER_LEFT } keeper_state; /* left: to be joined */
    bool ending;
    pid_t owner;
    struct reader reader[LIMIT_READERS];
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

/* Buries one that is dead, or was killed; its place stays the caller's. False: it has not ended yet and is left behind. */
bool reader_bury(struct reader *r, int wait_ms);

/* Reaps those left behind that have ended since, of all gates; returns how many places are free for such. */
size_t readers_reap_strays(void);

/*
 * The keeper: a thread that looks over idle readers and those left behind while there are any, so that those that ended
 * leave no zombie in a host that asks for nothing more. Starts it where it does not run; called with the lock held. A host
 * that has no thread to spare keeps its zombies until the next job.
 */
void readers_keep(struct readers *all);
void readers_keeper_end(struct readers *all);

#endif
