/* SPDX-License-Identifier: Apache-2.0 */
/* Faults: a negative errno value and one sentence, written by whoever detects it. */
#ifndef FOVEA_FAULT_H
#define FOVEA_FAULT_H

#include "fovea.h"

/* Writes the sentence and returns code (made negative), so that `return fault_set(f, ...)` reads well. f may be NULL. */
__attribute__((format(printf, 3, 4))) int fault_set(struct fovea_fault *f, int code, const char *format, ...);

/* The fault of every failed allocation. */
int fault_oom(struct fovea_fault *f);

#endif
