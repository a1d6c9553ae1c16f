/* SPDX-License-Identifier: Apache-2.0 */
/* Faults: a negative errno value and one sentence, written by whoever detects it. */
#ifndef FOVEA_FAULT_H
#define FOVEA_FAULT_H

#include <errno.h>

#include "fovea.h"

/* Writes the sentence and returns code (made negative), so that `return fault_set(f, ...)` reads well. f may be NULL. */
__attribute__((format(printf, 3, 4))) int fault_set(struct fovea_fault *f, int code, const char *format, ...);

/* The fault of every failed allocation. */
int fault_oom(struct fovea_fault *f);

#ifdef __clang_analyzer__
/* It reads one file at a time, and would take into account that these return 0. */
#define fault_set(f, code, ...) ((void)fault_set(f, code, __VA_ARGS__), (code) > 0 ? -(code) : (code) ? (code) : -EIO)
#define fault_oom(f) ((void)fault_oom(f), -ENOMEM)
#endif

#endif
