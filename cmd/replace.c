/* SPDX-License-Identifier: Apache-2.0 */
/* Write and rename: whoever reads the file, at whatever moment, finds the old one or the new one. See replace.h. */
#include "replace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/limits.h"

/* A name beside path that nobody has: the same folder, so that the rename stays on one file system. Until it is done it
 * is for nobody else to read. */
static int open_beside(const char *path, char name[LIMIT_PATH_BYTES], int *ret_fd)
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
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0)
            *ret_fd = fd;
        if (fd >= 0 || errno != EEXIST)
            return fd >= 0 ? 0 : -errno;
    }
    return -EEXIST;
}

static const char acl_name[] = "system.posix_acl_access";

/* The list of further users and groups. One that the folder lays down for new files is not what stood on the old one. */
static int take_acl(int fd, const char *path, bool ours)
{
    char acl[LIMIT_ACL_BYTES];
    ssize_t n = lgetxattr(path, acl_name, acl, sizeof acl);
    if (n < 0 && (errno == ENODATA || errno == EOPNOTSUPP))
        return fremovexattr(fd, acl_name) < 0 && errno != ENODATA && errno != EOPNOTSUPP ? -errno : 0;
    if (n < 0)
        return -errno;
    if (!ours)
        return -EPERM; /* "the owner" and "the group" in it would be others than before */
    return fsetxattr(fd, acl_name, acl, (size_t)n, 0) < 0 ? -errno : 0;
}

/* What was private before stays so, and what was somebody's stays theirs; where we may not say so, it is nobody's but
 * ours. */
static int take_after(int fd, const char *path, const struct stat *before)
{
    struct stat now;
    if (fstat(fd, &now) < 0)
        return -errno;
    bool ours = now.st_gid == before->st_gid || fchown(fd, (uid_t)-1, before->st_gid) == 0;
    ours &= now.st_uid == before->st_uid || fchown(fd, before->st_uid, (gid_t)-1) == 0;
    if (!ours && errno != EPERM && errno != EINVAL) /* of an owner that this name space does not know */
        return -errno;
    int r = take_acl(fd, path, ours);
    if (r < 0)
        return r;
    return fchmod(fd, before->st_mode & (ours ? 0777 : 0700)) < 0 ? -errno : 0;
}

/* Less the umask, which only setting it tells; nobody makes files here meanwhile. */
static int take_mode(int fd, mode_t mode)
{
    mode_t mask = umask(077);
    (void)umask(mask);
    return fchmod(fd, mode & ~mask) < 0 ? -errno : 0;
}

/* A file that came to be since is somebody's: it stays. Not every file system can say so in one step. */
static int move_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -errno;
    return link(from, to) < 0 || unlink(from) < 0 ? -errno : 0;
}

/* So that the new name lasts too. */
static int sync_folder(const char *path)
{
    char folder[LIMIT_PATH_BYTES] = ".";
    const char *slash = strrchr(path, '/');
    if (slash)
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
    auto_close int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES) /* a folder to write into and not to list */
        return 0;
    return fd < 0 || (fsync(fd) < 0 && errno != EINVAL) ? -errno : 0;
}

/* close() may be the one to report that the disk is full. */
static int fill(int fd, const void *data, size_t len, bool lasting)
{
    int r = write_all(fd, data, len);
    if (r == 0 && lasting && fsync(fd) < 0 && errno != EINVAL)
        r = -errno;
    return close(fd) < 0 && r == 0 ? -errno : r;
}

int replace_file(const char *path, const void *data, size_t len, const struct stat *before, mode_t mode, bool lasting)
{
    char name[LIMIT_PATH_BYTES];
    int fd = -1, r = open_beside(path, name, &fd);
    if (r < 0)
        return r;
    r = before ? take_after(fd, path, before) : take_mode(fd, mode);
    if (r < 0)
        close_fd(fd);
    else
        r = fill(fd, data, len, lasting);
    if (r == 0)
        r = !before ? move_new(name, path) : rename(name, path) < 0 ? -errno : 0;
    if (r < 0) {
        (void)unlink(name);
        return r;
    }
    return lasting ? sync_folder(path) : 0;
}
