/* SPDX-License-Identifier: Apache-2.0 */
/* A file that appears whole or not at all. */
#ifndef FOVEA_REPLACE_H
#define FOVEA_REPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/*
 * Writes beside path and renames. `before` is the file that stands there now, whose owner, group, mode and ACL are kept;
 * where owner or group cannot be had, the new one is private, and -EPERM when an ACL stands on it. NULL when there is
 * none: then the mode is `mode` less the umask, and -EEXIST when one came to be meanwhile. `lasting` waits for the disk,
 * so that a power cut leaves the old file or the new one too. 0 or a negative errno; nothing is left behind.
 */
int replace_file(const char *path, const void *data, size_t len, const struct stat *before, mode_t mode, bool lasting);

#endif
