/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lease: one writing connection at a time, of all processes. SQLite before 3.51.3 can lose a commit when its log begins
 * anew beside another connection's checkpoint, so whoever writes or folds the log in holds this lock from before the
 * transaction to after the checkpoint, and nobody else checkpoints. It is a lock on an open file description: it ends with
 * its process, however that ends, and keeps threads apart as well.
 *
 * Byte 0 is the lease. Byte 1 is the place of the next: who waits for the lease holds it, so that a process that writes again
 * and again comes after those that wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"
#include "record/sqlite_priv.h"

enum { LEASE, NEXT };

static int unlockable(struct backend *b, int error, struct fovea_fault *fault)
{
    return sq_fault_named(b, error, "cannot be locked for writing: see to its .lease file", fault);
}

static int set_lock(int fd, short type, off_t byte)
{
    struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &l) < 0 ? -errno : 0;
}

static int wait_lock(struct backend *b, off_t byte, struct fovea_fault *fault)
{
    struct pollfd p = {.fd = cancel_fd(b->wait->cancel), .events = POLLIN};
    struct timespec nap = {.tv_nsec = LIMIT_RECORD_NAP_US * 1000 / 64};
    for (;;) {
        int r = set_lock(b->lease, F_WRLCK, byte);
        if (r == 0)
            return 0;
        if (r != -EAGAIN)
            return sq_fault_named(b, r, "cannot be locked for writing", fault);
        if (cancel_struck(b->wait->cancel))
            return fault_cancelled(fault);
        if (!clock_left(b->deadline))
            return sq_fault_named(b, EBUSY, "is being written by another process for too long: try again", fault);
        (void)ppoll(&p, 1, &nap, NULL);
        nap.tv_nsec = MIN(nap.tv_nsec * 2, LIMIT_RECORD_NAP_US * 1000);
    }
}

static int open_lease(struct backend *b, int folder, const char *name, struct fovea_fault *fault)
{
    if (b->lease < 0)
        b->lease = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    return b->lease < 0 ? unlockable(b, errno, fault) : 0;
}

/* 1 while it is still the one that others find, 0 when it was removed or moved, else a negative errno. */
static int is_current(const struct backend *b, int folder, const char *name)
{
    struct stat held, there;
    if (fstat(b->lease, &held) < 0)
        return -errno;
    if (fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -errno;
    return held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

int sq_lease_take(struct backend *b, int folder, struct fovea_fault *fault)
{
    auto_free char *name = NULL;
    if (asprintf(&name, "%s.lease", b->name) < 0)
        return fault_oom(fault);
    for (;;) {
        int r = open_lease(b, folder, name, fault);
        if (r == 0)
            r = wait_lock(b, NEXT, fault);
        if (r == 0) {
            r = wait_lock(b, LEASE, fault);
            (void)set_lock(b->lease, F_UNLCK, NEXT);
        }
        if (r < 0)
            return r;
        r = is_current(b, folder, name);
        if (r > 0)
            return 0;
        close_fd(take_fd(&b->lease)); /* another may be there */
        if (r < 0)
            return unlockable(b, r, fault);
        if (!clock_left(b->deadline))
            return sq_fault_named(b, EBUSY, "is being moved about: try again", fault);
    }
}

void sq_lease_drop(struct backend *b)
{
    (void)set_lock(b->lease, F_UNLCK, LEASE);
}
