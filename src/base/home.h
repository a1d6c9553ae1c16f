/* SPDX-License-Identifier: Apache-2.0 */
/* Where a store lies on disk: a folder and files that are the user's alone. */
#ifndef FOVEA_HOME_H
#define FOVEA_HOME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "fovea.h"

/*
 * Opens a folder; with make, what is missing of it is made, mode 0700. One that is there may be read by others, since its
 * files may not; but it must be ours, with nobody else to write in it (else -EPERM), and no link (-ENOTDIR). -ENOENT
 * without a word when there is none to be made. The caller closes ret.
 */
int home_open(const char *path, bool make, int *ret, struct fovea_fault *fault);

/* Looks at a file of it, and makes it (mode 0600, empty) when asked to. One that others can read is closed to them, with its
 * log; one that is not ours, or no regular file, is -EPERM. Otherwise what the system says, such as -ENOENT. */
int home_file(int folder, const char *file, bool make, int64_t deadline, struct stat *ret);

/* Puts on disk that the folder is where it is: the names in it, its own, and that of every folder above it that may have been made for
 * it: those of ours, and the one that they stand in, where that can be opened. 0, or what the system says. */
int home_sync(int folder);

/* Alone with the files of the folder, as far as others do the same. Waits until the deadline (clock.h) at most, then goes
 * on: what it guards is guarded by SQLite too, only less kindly. */
void home_lock(int folder, int64_t deadline);
void home_unlock(int folder);

/* Whether such a file may be written by us, as far as permissions of it, its folder and its file system say. */
bool home_permits(const char *folder, const char *file);

/* Removes a store with its log, if it is still the file that was meant. */
void home_remove(int folder, const char *file, int64_t deadline, const struct stat *meant);

#endif
