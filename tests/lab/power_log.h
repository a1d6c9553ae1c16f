/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program does to files below one folder, call by call. The functions at the end stand before those of the C library, for our
 * code and for SQLite's alike: each does its work by the bare system call and notes it. What is mapped (SQLite's -shm) goes
 * past them; it is no part of what a disk must keep.
 */
#ifndef FOVEA_POWER_LOG_H
#define FOVEA_POWER_LOG_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { LOG_OPS = 1 << 16, LOG_NODES = 64, LOG_NAME = 32 };

enum op_kind { OP_WRITE, OP_TRUNCATE, OP_LINK, OP_UNLINK, OP_SYNC, OP_MARK };

/* A node is a file or a folder; 0 is the folder at the top. */
struct op {
    enum op_kind kind;
    int node;            /* that is written or synced; of link and unlink the folder */
    int to;              /* of a link: the node that gets the name */
    bool folder;         /* of a link: to is one; of a sync: node is one */
    char name[LOG_NAME]; /* of link and unlink */
    int64_t at;          /* of a write; of a truncation the length that is left; of a mark its number */
    size_t len;
    uint8_t *data;
};

static struct power_log {
    bool on;
    struct op *ops;
    size_t n;
    struct {
        dev_t dev;
        ino_t ino;
        bool live;
        char end[8]; /* how its name ends: what kind of file it is */
    } nodes[LOG_NODES];
    int n_nodes;
    bool full; /* something did not fit: nothing that is said holds */
    bool watch; /* what is synced anywhere is noted, and nothing else */
    struct stat synced[LOG_NODES];
    size_t n_synced;
} power_log;

static struct op *log_add(enum op_kind kind, int node)
{
    static struct op nowhere;
    struct power_log *l = &power_log;
    if (l->n == LOG_OPS || !l->ops) {
        l->full = true;
        return &nowhere;
    }
    l->ops[l->n] = (struct op){.kind = kind, .node = node};
    return &l->ops[l->n++];
}

static int log_find(const struct stat *st)
{
    for (int i = 0; i < power_log.n_nodes; i++)
        if (power_log.nodes[i].live && power_log.nodes[i].dev == st->st_dev && power_log.nodes[i].ino == st->st_ino)
            return i;
    return -1;
}

static int log_node_of(int fd)
{
    struct stat st;
    return power_log.on && fstat(fd, &st) == 0 ? log_find(&st) : -1;
}

static int log_new_node(const struct stat *st)
{
    struct power_log *l = &power_log;
    if (l->n_nodes == LOG_NODES) {
        l->full = true;
        return -1;
    }
    l->nodes[l->n_nodes].dev = st->st_dev;
    l->nodes[l->n_nodes].ino = st->st_ino;
    l->nodes[l->n_nodes].live = true;
    return l->n_nodes++;
}

/* The folder that a name stands in, or -1 where that is not ours. */
static int log_place(int at, const char *path, const char **ret_name)
{
    char folder[512];
    struct stat st;
    const char *slash = strrchr(path, '/');
    *ret_name = slash ? slash + 1 : path;
    if (!slash)
        return at == AT_FDCWD ? -1 : log_node_of(at);
    if ((size_t)(slash - path) >= sizeof folder)
        return -1;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    return fstatat(at, folder, &st, 0) == 0 ? log_find(&st) : -1;
}

static bool log_is_lasting(const char *name)
{
    size_t n = strlen(name);
    return n < LOG_NAME && !(n > 4 && !strcmp(name + n - 4, "-shm"));
}

/* A name that is there now and was not before. */
static void log_made(int at, const char *path)
{
    const char *name;
    struct stat st;
    int saved = errno, folder = power_log.on ? log_place(at, path, &name) : -1;
    if (folder >= 0 && log_is_lasting(name) && fstatat(at, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && log_find(&st) < 0) {
        int node = log_new_node(&st);
        struct op *op = log_add(OP_LINK, folder);
        op->to = node;
        op->folder = S_ISDIR(st.st_mode);
        (void)snprintf(op->name, sizeof op->name, "%s", name);
        size_t n = strlen(name);
        if (node >= 0)
            (void)snprintf(power_log.nodes[node].end, sizeof power_log.nodes[node].end, "%s", name + (n > 4 ? n - 4 : 0));
    }
    errno = saved;
}

static void log_written(int fd, const void *data, ssize_t n, int64_t at)
{
    int saved = errno, node = n > 0 ? log_node_of(fd) : -1;
    if (node >= 0) {
        struct op *op = log_add(OP_WRITE, node);
        op->data = malloc((size_t)n);
        power_log.full |= !op->data;
        if (op->data)
            memcpy(op->data, data, (size_t)n);
        op->len = (size_t)n;
        op->at = at;
    }
    errno = saved;
}

static void log_cut(int fd, int64_t length)
{
    int saved = errno, node = log_node_of(fd);
    if (node >= 0)
        log_add(OP_TRUNCATE, node)->at = length;
    errno = saved;
}

static void log_synced(int fd)
{
    struct stat st;
    int saved = errno, node = log_node_of(fd);
    if (power_log.watch && power_log.n_synced < LOG_NODES && fstat(fd, &power_log.synced[power_log.n_synced]) == 0)
        power_log.n_synced++;
    if (node >= 0)
        log_add(OP_SYNC, node)->folder = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
    errno = saved;
}

/* Before it is done: what the name means is still to be seen. */
static void log_unlink(int at, const char *path)
{
    const char *name;
    struct stat st;
    int saved = errno, folder = power_log.on ? log_place(at, path, &name) : -1;
    if (folder >= 0 && log_is_lasting(name) && fstatat(at, path, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        int node = log_find(&st);
        (void)snprintf(log_add(OP_UNLINK, folder)->name, LOG_NAME, "%s", name);
        if (node >= 0)
            power_log.nodes[node].live = false;
    }
    errno = saved;
}

/* The top: all that is below it is noted from now on. */
static int power_log_start(const char *top)
{
    struct stat st;
    power_log.ops = calloc(LOG_OPS, sizeof *power_log.ops);
    if (!power_log.ops || stat(top, &st) < 0)
        return -1;
    (void)log_new_node(&st);
    power_log.on = true;
    return 0;
}

static void power_log_done(void)
{
    for (size_t i = 0; i < power_log.n; i++)
        free(power_log.ops[i].data);
    free(take(power_log.ops));
}

/* ---------------------------------------------------------------- the calls */

#define OURS __attribute__((visibility("default")))

static int do_open(int at, const char *path, int flags, mode_t mode)
{
    struct stat st;
    bool was = !(flags & O_CREAT) || !power_log.on || fstatat(at, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
    int fd = (int)syscall(SYS_openat, at, path, flags | O_LARGEFILE, mode);
    if (fd >= 0 && !was)
        log_made(at, path);
    else if (fd >= 0 && flags & O_TRUNC)
        log_cut(fd, 0);
    return fd;
}

#define MODE_OF(flags, mode)                            \
    mode_t mode = 0;                                    \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {            \
        va_list list;                                   \
        va_start(list, flags);                          \
        mode = (mode_t)va_arg(list, int);               \
        va_end(list);                                   \
    }

OURS int open(const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return do_open(AT_FDCWD, path, flags, mode);
}
OURS int open64(const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return do_open(AT_FDCWD, path, flags, mode);
}
OURS int openat(int at, const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return do_open(at, path, flags, mode);
}
OURS int openat64(int at, const char *path, int flags, ...)
{
    MODE_OF(flags, mode)
    return do_open(at, path, flags, mode);
}

OURS ssize_t write(int fd, const void *data, size_t n)
{
    int64_t at = log_node_of(fd) >= 0 ? lseek(fd, 0, SEEK_CUR) : 0;
    ssize_t done = syscall(SYS_write, fd, data, n);
    log_written(fd, data, done, at);
    return done;
}
OURS ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
    ssize_t done = syscall(SYS_pwrite64, fd, data, n, at);
    log_written(fd, data, done, at);
    return done;
}
OURS ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
    return pwrite(fd, data, n, at);
}
OURS int ftruncate(int fd, off_t length)
{
    int r = (int)syscall(SYS_ftruncate, fd, length);
    if (r == 0)
        log_cut(fd, length);
    return r;
}
OURS int ftruncate64(int fd, off64_t length)
{
    return ftruncate(fd, length);
}
OURS int fsync(int fd)
{
    int r = (int)syscall(SYS_fsync, fd);
    if (r == 0)
        log_synced(fd);
    return r;
}
OURS int fdatasync(int fd)
{
    int r = (int)syscall(SYS_fdatasync, fd);
    if (r == 0)
        log_synced(fd);
    return r;
}
OURS int mkdir(const char *path, mode_t mode)
{
    int r = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    if (r == 0)
        log_made(AT_FDCWD, path);
    return r;
}
OURS int mknodat(int at, const char *path, mode_t mode, dev_t dev)
{
    int r = (int)syscall(SYS_mknodat, at, path, mode, dev);
    if (r == 0)
        log_made(at, path);
    return r;
}
OURS int unlinkat(int at, const char *path, int flags)
{
    log_unlink(at, path);
    return (int)syscall(SYS_unlinkat, at, path, flags);
}
OURS int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}
/* The record renames and links nothing. Were that to change, what is said here would not hold. */
OURS int renameat(int at, const char *from, int to_at, const char *to)
{
    const char *name;
    power_log.full |= power_log.on && (log_place(at, from, &name) >= 0 || log_place(to_at, to, &name) >= 0);
    return (int)syscall(SYS_renameat, at, from, to_at, to);
}
OURS int rename(const char *from, const char *to)
{
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}
OURS int linkat(int at, const char *from, int to_at, const char *to, int flags)
{
    const char *name;
    power_log.full |= power_log.on && log_place(to_at, to, &name) >= 0;
    return (int)syscall(SYS_linkat, at, from, to_at, to, flags);
}

#endif
