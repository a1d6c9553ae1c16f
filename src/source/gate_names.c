/* SPDX-License-Identifier: Apache-2.0 */
/* Files with several names: whether a file that was opened under a harmless one lies in a folder of the floor under
 * another. Folders are read with plain system calls (opendir would allocate). Entries are compared by stat: the inode
 * numbers in a folder are not to be trusted on an overlay file system, where containers live. */
#include "source/gate_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "base/cleanup.h"

static bool search_folder(struct floor_search *s, int fd, unsigned depth);

/* Is the entry the file, or a folder that holds it? What cannot be told counts as yes. */
static bool search_entry(struct floor_search *s, int dir, const char *name, unsigned depth)
{
    struct stat st;
    if (!strcmp(name, ".") || !strcmp(name, ".."))
        return false;
    if (!s->left)
        return true;
    s->left--;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno != ENOENT;
    if (gate_is(&st, s->dev, s->ino))
        return true;
    if (!S_ISDIR(st.st_mode) || !depth)
        return false;
    auto_close int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    return fd < 0 ? errno != ENOENT : search_folder(s, fd, depth - 1);
}

static bool search_folder(struct floor_search *s, int fd, unsigned depth)
{
    _Alignas(struct dirent64) char piece[4 * KIB];
    for (;;) {
        long n = syscall(SYS_getdents64, fd, piece, sizeof piece);
        if (n <= 0)
            return n < 0;
        for (long at = 0; at < n;) {
            const struct dirent64 *e = (const void *)(piece + at);
            if (search_entry(s, fd, e->d_name, depth))
                return true;
            at += e->d_reclen;
        }
    }
}

bool floor_search(struct floor_search *s, int base, const char *path)
{
    struct stat st;
    if (fstatat(base, path, &st, 0) < 0)
        return false;
    if (gate_is(&st, s->dev, s->ino))
        return true;
    if (!S_ISDIR(st.st_mode))
        return false;
    auto_close int fd = openat(base, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
    return fd < 0 ? errno != ENOENT : search_folder(s, fd, LIMIT_FLOOR_DEPTH);
}
