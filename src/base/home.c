/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders and files of a store: see home.h. Its file is never opened here: closing a descriptor would drop every lock
 * that SQLite holds on that file in this process. So it is made with mknod and looked at by name, inside a folder in
 * which nobody else can put anything.
 */
#include "base/home.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"

/* mkdir -p; what is missing is made for the owner alone. */
static int make_folders(const char *path)
{
    auto_free char *copy = strdup(path);
    if (!copy)
        return -ENOMEM;
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int r = mkdir(copy, 0700);
        *slash = '/';
        if (r < 0 && errno != EEXIST)
            return -errno;
    }
    return mkdir(copy, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

int home_open(const char *path, bool make, int *ret, struct fovea_fault *fault)
{
    auto_close int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        int r = make ? make_folders(path) : -ENOENT;
        if (r == -ENOENT && !make)
            return r;
        if (r < 0)
            return fault_set(fault, r, "cannot make the folder \"%.150s\": %s", path, strerror(-r));
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    struct stat st;
    if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
        return fault_set(fault, ENOTDIR, "\"%.150s\" must be a folder, and no link to one", path);
    if (fd < 0 || fstat(fd, &st) < 0)
        return fault_set(fault, errno, "cannot open the folder \"%.150s\": %s", path, strerror(errno));
    if (st.st_uid != geteuid() || st.st_mode & 022)
        return fault_set(fault, EPERM, "the folder \"%.150s\" is another user's or can be written by others: make it yours, "
                         "with mode 0700", path);
    *ret = take_fd(&fd);
    return 0;
}

/* Another's file system may have no such thing for folders; that its disk fails is another matter. */
static int sync_above(int fd)
{
    return fsync(fd) < 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT) ? -errno : 0;
}

/* It does not matter who made them: who did may have ended before it came to this. */
int home_sync(int folder)
{
    struct stat st, below = {0};
    auto_close int fd = -1;
    int r = fsync(folder) < 0 || fstat(folder, &below) < 0 ? -errno : 0;
    while (r == 0 && below.st_uid == geteuid()) {
        int above = openat(fd < 0 ? folder : fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close_fd(fd);
        fd = above;
        if (fd < 0)
            return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -errno : 0;
        if (fstat(fd, &st) < 0)
            return -errno;
        if (st.st_ino == below.st_ino && st.st_dev == below.st_dev)
            break; /* the top */
        r = sync_above(fd);
        below = st;
    }
    return r;
}

void home_lock(int folder, int64_t deadline)
{
    static const struct timespec nap = {.tv_nsec = LIMIT_LEDGER_NAP_MS * 1000000};
    while (flock(folder, LOCK_EX | LOCK_NB) < 0 && (errno == EWOULDBLOCK || errno == EINTR) && clock_left(deadline))
        (void)nanosleep(&nap, NULL);
}

void home_unlock(int folder)
{
    (void)flock(folder, LOCK_UN);
}

bool home_permits(const char *folder, const char *file)
{
    char path[LIMIT_PATH_BYTES];
    int n = snprintf(path, sizeof path, "%s/%s", folder, file);
    return n < (int)sizeof path && faccessat(AT_FDCWD, folder, R_OK | W_OK | X_OK, AT_EACCESS) == 0 &&
           (faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0 || errno == ENOENT);
}

/* What SQLite keeps beside a file: 0 and 1, false past the last, and of a name that has no room for it. */
static bool log_name(const char *file, size_t i, char name[static NAME_MAX + 1])
{
    static const char *const ends[] = {"-wal", "-shm"};
    return i < COUNT(ends) && snprintf(name, NAME_MAX + 1, "%s%s", file, ends[i]) <= NAME_MAX;
}

static void remove_log(int folder, const char *file)
{
    char name[NAME_MAX + 1];
    for (size_t i = 0; log_name(file, i, name); i++)
        (void)unlinkat(folder, name, 0);
}

/* For the owner alone, its log too: SQLite gives a new one the mode of its file, but leaves one that is there. */
static int close_to_others(int folder, const char *file)
{
    char name[NAME_MAX + 1];
    for (size_t i = 0; log_name(file, i, name); i++)
        if (fchmodat(folder, name, 0600, 0) < 0 && errno != ENOENT)
            return -errno;
    return fchmodat(folder, file, 0600, 0) < 0 ? -errno : 0;
}

/* Whoever still has an older file open has its log open too: a new one must not take that for its own. */
static int make_file(int folder, const char *file, int64_t deadline)
{
    struct stat st;
    int r = 0;
    home_lock(folder, deadline);
    if (fstatat(folder, file, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT) {
        remove_log(folder, file);
        r = mknodat(folder, file, S_IFREG | 0600, 0) < 0 && errno != EEXIST ? -errno : 0;
    }
    home_unlock(folder);
    return r;
}

int home_file(int folder, const char *file, bool make, int64_t deadline, struct stat *ret)
{
    struct stat st;
    char log[NAME_MAX + 1];
    if (!log_name(file, 0, log))
        return -ENAMETOOLONG;
    int r = fstatat(folder, file, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
    if (r == -ENOENT && make) {
        r = make_file(folder, file, deadline);
        if (r == 0 && fstatat(folder, file, &st, AT_SYMLINK_NOFOLLOW) < 0)
            r = -errno;
    }
    if (r < 0)
        return r;
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
        return -EPERM;
    if (st.st_mode & 077)
        r = close_to_others(folder, file);
    if (r == 0 || r == -EROFS) /* what nobody can change is as it is */
        *ret = st;
    return r == -EROFS ? 0 : r;
}

void home_remove(int folder, const char *file, int64_t deadline, const struct stat *meant)
{
    struct stat now;
    home_lock(folder, deadline);
    if (fstatat(folder, file, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == meant->st_ino && now.st_dev == meant->st_dev) {
        remove_log(folder, file);
        (void)unlinkat(folder, file, 0);
    }
    home_unlock(folder);
}
