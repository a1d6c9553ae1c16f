/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting and ending one worker process.
 *
 * What the host process is promised: no handler, mask or disposition of its signals changes, and no child but ours is
 * ever waited for (by pidfd). What it may see: SIGCHLD when a worker ends, and a worker's pid from waitpid(-1): the
 * kernel gives every program that was executed this exit signal, so it cannot be turned off. A host that ignores
 * SIGCHLD, or reaps whatever it finds, does no harm here.
 */
#ifndef FOVEA_SPAWN_H
#define FOVEA_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    int pidfd;  /* -1 once reaped */
    int socket; /* our end; SOCK_SEQPACKET, close-on-exec */
};

/* What is executed. The strings are borrowed for as long as it is. */
struct program {
    const char *path;
    const char *word;    /* its one argument; NULL: none (but WORK_AHEAD when it is started ahead of work) */
    const char *setting; /* its whole environment, NAME=VALUE; NULL: empty */
    bool patient;        /* a successor is started when the job has ended, not beside it: it is large, and would slow it down */
};

/*
 * Executes the program with no more than that, /dev/null as 0, 1 and 2, the socket as WORK_SOCKET, no other descriptor,
 * default signals, and a session of its own (what is typed at the terminal does not reach it).
 * As cheap in a large process with threads as in a small one. 0 or a negative errno value, that of exec included.
 *
 * The kernel kills the child when the thread that called this ends: call it from one that lives as long as the worker
 * should.
 */
int child_spawn(const struct program *program, bool ahead, struct child *ret);

/* Asks for its death and returns at once. */
void child_kill(const struct child *c);

/* Takes an ended child off the process table, once; false while it still runs. */
bool child_reap(struct child *c);

#endif
