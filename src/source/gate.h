/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate: which files may be opened. Everything opened lies inside the reach, judged on the opened descriptor, and
 * not on the deny floor (private keys, cloud credentials, /proc, /sys, /dev, our own config and state). What is absent
 * and what is out of reach look the same from outside.
 */
#ifndef FOVEA_GATE_H
#define FOVEA_GATE_H

#include <stdint.h>
#include <sys/stat.h>

#include "fovea.h"

struct gate;

struct gate_options {
    const char *cwd;          /* absolute */
    const char *home;         /* what ~ means, and where the floor's folders are; NULL none */
    const char *const *reach; /* absolute folders, NULL-terminated; may be empty: then nothing is in reach */
    const char *called;       /* what faults call the reach; NULL: fs_reach */
    const char *const *where; /* where each of them must truly be, free of links; NULL: wherever they are */
    const char *const *floor; /* further absolute paths that are denied (our config and state); may be NULL */
};

/* Opens and pins the folders of the reach. -EINVAL: one is relative, missing, no folder or not where
 * it must be (the text names it). Without
 * the means to look at all of the floor there is no gate. */
int gate_new(const struct gate_options *options, struct gate **ret, struct fovea_fault *fault);
void gate_free(struct gate *g);

enum gate_verdict {
    GATE_OPEN,        /* ret_fd is a regular file, opened read-only */
    GATE_ABSENT,      /* not there, out of reach, denied, or we may not read it */
    GATE_NOT_REGULAR, /* folder, FIFO, socket or device, inside the reach */
};

/*
 * Opens one absolute or cwd-relative path, exactly as spelled. What does not lie beneath one of the roots (canonical
 * absolute folders, NULL-terminated; NULL narrows nothing) by its true path is absent, of whatever type it is. Only
 * system calls: no allocation, no locks, so that it may run in a child forked from a process with threads. Returns a gate_verdict;
 * or below 0 the errno of what kept us from looking at something in reach: means that ran out, a file system that fails.
 */
int gate_open(const struct gate *g, const char *const *roots, const char *path, int *ret_fd, struct stat *ret_stat);

#endif
