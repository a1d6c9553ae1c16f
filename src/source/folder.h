/* SPDX-License-Identifier: Apache-2.0 */
/* Where a folder truly is, found out by a reader: its file system may never answer. */
#ifndef FOVEA_FOLDER_H
#define FOVEA_FOLDER_H

#include "source/snapshot.h"

/*
 * The path without links of an absolute path, wherever it leads: the reach has no say here. Returns 0 and a verdict:
 * SNAPSHOT_TAKEN with *ret (the caller frees), SNAPSHOT_ABSENT, or SNAPSHOT_TIMED_OUT after total_ms; or a fault, as
 * snapshot_take.
 */
int folder_resolve(const struct gate *g, const char *path, int total_ms, const fovea_cancel *cancel,
                   enum snapshot_verdict *ret_verdict, char **ret, struct fovea_fault *fault);

#endif
