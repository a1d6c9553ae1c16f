/* SPDX-License-Identifier: Apache-2.0 */
/* Write and rename: whoever reads the file, at whatever moment, finds the old one or the new one. See replace.h. */
#include "replace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/limits.h"

/* A name beside path that nobody has: the same folder, so that the rename stays on one file system. */
static int open_beside(const char *path, mode_t mode, char name[LIMIT_PATH_BYTES], int *ret_fd)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path + 1) : 0;
    for (int tries = 0; tries < LIMIT_OPEN_RETRIES; tries++) {
        uint64_t dice;
        if (getrandom(&dice, sizeof dice, 0) != sizeof dice)
            return -EIO;
        int n = snprintf(name, LIMIT_PATH_BYTES, "%.*s.fovea-%016" PRIx64, folder, path, dice);
        if (n < 0 || n >= LIMIT_PATH_BYTES)
            return -ENAMETOOLONG;
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (fd >= 0)
            *ret_fd = fd;
        if (fd >= 0 || errno != EEXIST)
            return fd >= 0 ? 0 : -errno;
    }
    return -EEXIST;
}

/* What was private before stays so, and what was somebody's stays theirs where we may say so. */
static int take_after(int fd, const struct stat *before)
{
    if (before->st_uid != geteuid() && fchown(fd, before->st_uid, before->st_gid) < 0 && errno != EPERM)
        return -errno;
    return fchmod(fd, before->st_mode & 0777) < 0 ? -errno : 0;
}

/* close() may be the one to report that the disk is full. */
int replace_file(const char *path, const void *data, size_t len, const struct stat *before, mode_t mode, bool lasting)
{
    char name[LIMIT_PATH_BYTES];
    int fd = -1, r = open_beside(path, before ? 0600 : mode, name, &fd);
    if (r < 0)
        return r;
    if (before)
        r = take_after(fd, before);
    if (r == 0)
        r = write_all(fd, data, len);
    if (r == 0 && lasting && fsync(fd) < 0 && errno != EINVAL)
        r = -errno;
    if (close(fd) < 0 && r == 0)
        r = -errno;
    if (r == 0 && rename(name, path) < 0)
        r = -errno;
    if (r < 0)
        (void)unlink(name);
    return r;
}
