/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jail that a worker locks itself into before it has seen one byte of input: rlimits, no_new_privs, death with its
 * parent, no descriptors but its own, no other thread, Landlock with no rule but for what may be read, and a seccomp allow-list
 * that kills by default.
 */
#ifndef FOVEA_JAIL_H
#define FOVEA_JAIL_H

#include <stddef.h>
#include <sys/types.h>

enum { JAIL_FDS = 4 }; /* descriptors a worker may hold besides those it kept: input, output and some air */

struct jail_report {
    const char *layer; /* the layer that failed; NULL when all stand */
    int error;         /* its errno */
    int landlock_abi;
};

/*
 * readable: folders and files (NULL ends them; NULL: none) that may still be opened for reading, such as fonts; what is not there is
 * passed over. All else stays shut, and with it every way of writing; whether a file is there can be asked (stat), which Landlock
 * does not guard.
 */
struct jail_limits {
    size_t memory, output;
    unsigned cpu_s;
    const char *const *readable;
};
extern const struct jail_limits jail_usual; /* of a worker that makes pictures */

/*
 * Enters the jail; there is no way back. parent is who must be alive still (getppid at the start of main). Keeps
 * descriptors 0..keep_fd. Returns 0, or -1 with the layer that could not be set up.
 *
 * To be called before the first thread starts. What the jail then takes from libc: fstat() (ENOSYS; lseek tells a
 * size), all that opens files (the time zone, the number of processors; free() in an arena other than the first, which
 * M_ARENA_MAX 1 avoids), sleeping other than on a condition with a time, fork, signals to others; leave with _exit.
 */
int jail_enter(pid_t parent, int keep_fd, const struct jail_limits *limits, struct jail_report *ret);

/* What this kernel offers, without entering: for doctor. Returns the Landlock ABI (0 none). */
int jail_landlock_abi(void);

#endif
