/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker programs of one context, each with a pool of its own. That of fovea-worker is there from the start; a renderer's
 * begins with its first job (or when one is about to come), and from then on as many wait as were asked for, but at most one:
 * they are large. Thread-safe.
 */
#ifndef FOVEA_PROGRAMS_H
#define FOVEA_PROGRAMS_H

#include "base/media.h"
#include "sandbox/pool.h"

struct programs;

/* dir: where the programs are. home: the user's, for fonts of their own; NULL none. ready: how many of fovea-worker wait.
 * Faults as pool_new_of. */
int programs_new(const char *dir, const char *home, unsigned ready, struct programs **ret, struct fovea_fault *fault);
void programs_free(struct programs *p);

/* The pool of a program; borrowed. Faults as pool_new_of. */
int programs_pool(struct programs *p, enum program_id id, struct pool **ret, struct fovea_fault *fault);

/* A job for it is about to come, so a worker may be started now. Costs nothing but time when that was wrong. */
void programs_prepare(struct programs *p, enum program_id id);

/* Changes how many wait. */
void programs_ready(struct programs *p, unsigned ready);

#endif
