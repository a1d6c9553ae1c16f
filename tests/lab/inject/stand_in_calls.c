/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-ins for the functions that ask the kernel for something: descriptors, bytes, processes, threads. The fortified names and
 * those for large files are other doors to the same; all lead to one function each.
 */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "inject_priv.h"

#define STAND_IN __attribute__((visibility("default"), used))

/* Calls libc's own (or a sanitizer's), which is looked up once. */
#define REAL(name, ...)                                              \
    ({                                                               \
        static __typeof__(&(name)) real_;                            \
        if (!real_)                                                  \
            *(void **)&real_ = dlsym(RTLD_NEXT, #name);              \
        real_(__VA_ARGS__);                                          \
    })

ssize_t real_write(int fd, const void *data, size_t len)
{
    return REAL(write, fd, data, len);
}

/* What fails as a whole. */
#define PLAIN(kind, type, name, params, ...)                         \
    STAND_IN type name params;                                       \
    type name params                                                 \
    {                                                                \
        return inject_fails(kind) ? (type)-1 : REAL(name, __VA_ARGS__); \
    }

/* Writing to one fails for nobody, and libmicrohttpd ends the process if it does. */
static bool is_event(int fd, size_t len)
{
    char path[32], where[32] = "";
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return len == sizeof(uint64_t) && readlink(path, where, sizeof where - 1) > 0 && !strcmp(where, "anon_inode:[eventfd]");
}

/* What may also do a part: half of it, at least a byte. */
#define PARTLY(kind, name, params, fd, at, len, ...)                 \
    STAND_IN ssize_t name params;                                    \
    ssize_t name params                                              \
    {                                                                \
        int verdict_ = inject_verdict(kind);                         \
        if (verdict_ && is_event(fd, len))                           \
            verdict_ = 0;                                            \
        if (inject_is_reset(verdict_))                               \
            (void)shutdown(fd, SHUT_RDWR);                           \
        if (verdict_ > 0) {                                          \
            errno = verdict_;                                        \
            return -1;                                               \
        }                                                            \
        if (verdict_ == INJECT_SHORT && (len) > 1)                   \
            len /= 2;                                                \
        return REAL(name, fd, at, len, ##__VA_ARGS__);     \
    }

/* ---------------------------------------------------------------- bytes */

PARTLY(INJECT_READ, read, (int fd, void *to, size_t len), fd, to, len)
PARTLY(INJECT_READ, pread, (int fd, void *to, size_t len, off_t at), fd, to, len, at)
PARTLY(INJECT_READ, pread64, (int fd, void *to, size_t len, off_t at), fd, to, len, at)
PARTLY(INJECT_WRITE, write, (int fd, const void *from, size_t len), fd, from, len)
PARTLY(INJECT_WRITE, pwrite, (int fd, const void *from, size_t len, off_t at), fd, from, len, at)
PARTLY(INJECT_WRITE, pwrite64, (int fd, const void *from, size_t len, off_t at), fd, from, len, at)
PLAIN(INJECT_READ, ssize_t, readv, (int fd, const struct iovec *v, int n), fd, v, n)
PLAIN(INJECT_WRITE, ssize_t, writev, (int fd, const struct iovec *v, int n), fd, v, n)
PARTLY(INJECT_RECV, recv, (int fd, void *to, size_t len, int flags), fd, to, len, flags)
PLAIN(INJECT_RECV, ssize_t, recvfrom, (int fd, void *to, size_t len, int flags, struct sockaddr *a, socklen_t *n), fd, to, len, flags, a, n)
PLAIN(INJECT_RECV, ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), fd, m, flags)
PARTLY(INJECT_SEND, send, (int fd, const void *from, size_t len, int flags), fd, from, len, flags)
PLAIN(INJECT_SEND, ssize_t, sendto, (int fd, const void *from, size_t len, int flags, const struct sockaddr *a, socklen_t n), fd, from, len, flags, a, n)
PLAIN(INJECT_SEND, ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), fd, m, flags)

ssize_t __read_chk(int fd, void *to, size_t len, size_t room);
STAND_IN ssize_t __read_chk(int fd, void *to, size_t len, size_t room)
{
    return len > room ? -1 : read(fd, to, len);
}
ssize_t __pread_chk(int fd, void *to, size_t len, off_t at, size_t room);
STAND_IN ssize_t __pread_chk(int fd, void *to, size_t len, off_t at, size_t room)
{
    return len > room ? -1 : pread(fd, to, len, at);
}
ssize_t __pread64_chk(int fd, void *to, size_t len, off_t at, size_t room);
STAND_IN ssize_t __pread64_chk(int fd, void *to, size_t len, off_t at, size_t room)
{
    return len > room ? -1 : pread(fd, to, len, at);
}
ssize_t __recv_chk(int fd, void *to, size_t len, size_t room, int flags);
STAND_IN ssize_t __recv_chk(int fd, void *to, size_t len, size_t room, int flags)
{
    return len > room ? -1 : recv(fd, to, len, flags);
}

ssize_t __recvfrom_chk(int fd, void *to, size_t len, size_t room, int flags, struct sockaddr *a, socklen_t *n);
STAND_IN ssize_t __recvfrom_chk(int fd, void *to, size_t len, size_t room, int flags, struct sockaddr *a, socklen_t *n)
{
    return len > room ? -1 : recvfrom(fd, to, len, flags, a, n);
}

PLAIN(INJECT_RANDOM, ssize_t, getrandom, (void *to, size_t len, unsigned flags), to, len, flags)
PLAIN(INJECT_SYNC, int, fsync, (int fd), fd)
PLAIN(INJECT_SYNC, int, fdatasync, (int fd), fd)

STAND_IN int clock_gettime(clockid_t which, struct timespec *ret)
{
    int code = REAL(clock_gettime, which, ret);
    if (code == 0 && which == CLOCK_MONOTONIC && inject_verdict(INJECT_CLOCK))
        ret->tv_sec += 3600;
    return code;
}

PLAIN(INJECT_RESIZE, int, ftruncate, (int fd, off_t len), fd, len)
PLAIN(INJECT_RESIZE, int, ftruncate64, (int fd, off_t len), fd, len)
PLAIN(INJECT_RESIZE, int, fallocate, (int fd, int mode, off_t at, off_t len), fd, mode, at, len)

STAND_IN int posix_fallocate(int fd, off_t at, off_t len)
{
    int error = inject_verdict(INJECT_RESIZE);
    return error ? error : REAL(posix_fallocate, fd, at, len);
}

STAND_IN void *mmap(void *at, size_t len, int protect, int flags, int fd, off_t offset)
{
    return inject_fails(INJECT_MMAP) ? MAP_FAILED : REAL(mmap, at, len, protect, flags, fd, offset);
}
STAND_IN void *mmap64(void *at, size_t len, int protect, int flags, int fd, off_t offset)
{
    return mmap(at, len, protect, flags, fd, offset);
}

/* ---------------------------------------------------------------- descriptors */

static mode_t mode_of(int flags, va_list args)
{
    return flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(args, int) : 0;
}

#define OPEN(name)                                                   \
    STAND_IN int name(const char *path, int flags, ...)              \
    {                                                                \
        va_list args;                                                \
        va_start(args, flags);                                       \
        mode_t mode = mode_of(flags, args);                          \
        va_end(args);                                                \
        return inject_fails(INJECT_OPEN) ? -1 : REAL(name, path, flags, mode); \
    }
#define OPENAT(name)                                                 \
    STAND_IN int name(int dir, const char *path, int flags, ...)     \
    {                                                                \
        va_list args;                                                \
        va_start(args, flags);                                       \
        mode_t mode = mode_of(flags, args);                          \
        va_end(args);                                                \
        return inject_fails(INJECT_OPEN) ? -1 : REAL(name, dir, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
PLAIN(INJECT_OPEN, int, __open_2, (const char *path, int flags), path, flags)
PLAIN(INJECT_OPEN, int, __open64_2, (const char *path, int flags), path, flags)
PLAIN(INJECT_OPEN, int, __openat_2, (int dir, const char *path, int flags), dir, path, flags)

PLAIN(INJECT_PIPE, int, pipe, (int fd[2]), fd)
PLAIN(INJECT_PIPE, int, pipe2, (int fd[2], int flags), fd, flags)
PLAIN(INJECT_PIPE, int, eventfd, (unsigned n, int flags), n, flags)
PLAIN(INJECT_PIPE, int, epoll_create1, (int flags), flags)
PLAIN(INJECT_PIPE, int, signalfd, (int fd, const sigset_t *mask, int flags), fd, mask, flags)
PLAIN(INJECT_MEMFD, int, memfd_create, (const char *name, unsigned flags), name, flags)
PLAIN(INJECT_SOCKET, int, socket, (int domain, int type, int protocol), domain, type, protocol)
PLAIN(INJECT_SOCKET, int, socketpair, (int domain, int type, int protocol, int fd[2]), domain, type, protocol, fd)
PLAIN(INJECT_SOCKET, int, accept, (int fd, struct sockaddr *a, socklen_t *n), fd, a, n)
PLAIN(INJECT_SOCKET, int, accept4, (int fd, struct sockaddr *a, socklen_t *n, int flags), fd, a, n, flags)
PLAIN(INJECT_CONNECT, int, connect, (int fd, const struct sockaddr *a, socklen_t n), fd, a, n)
PLAIN(INJECT_POLL, int, poll, (struct pollfd *fds, nfds_t n, int ms), fds, n, ms)
PLAIN(INJECT_POLL, int, ppoll, (struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask), fds, n, t, mask)

int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room);
STAND_IN int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t room)
{
    return n > room / sizeof *fds ? -1 : poll(fds, n, ms);
}
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask, size_t room);
STAND_IN int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask, size_t room)
{
    return n > room / sizeof *fds ? -1 : ppoll(fds, n, t, mask);
}

/* Only what is new needs room. */
STAND_IN int epoll_ctl(int epoll, int what, int fd, struct epoll_event *e)
{
    return what == EPOLL_CTL_ADD && inject_fails(INJECT_EPOLL) ? -1 : REAL(epoll_ctl, epoll, what, fd, e);
}
PLAIN(INJECT_POLL, int, epoll_wait, (int epoll, struct epoll_event *e, int n, int ms), epoll, e, n, ms)
PLAIN(INJECT_BIND, int, bind, (int fd, const struct sockaddr *a, socklen_t n), fd, a, n)
PLAIN(INJECT_BIND, int, listen, (int fd, int n), fd, n)
PLAIN(INJECT_BIND, int, getsockname, (int fd, struct sockaddr *a, socklen_t *n), fd, a, n)
PLAIN(INJECT_DUP, int, dup, (int fd), fd)
PLAIN(INJECT_DUP, int, dup2, (int from, int to), from, to)
PLAIN(INJECT_DUP, int, dup3, (int from, int to, int flags), from, to, flags)

PLAIN(INJECT_STAT, int, fstat, (int fd, struct stat *st), fd, st)
PLAIN(INJECT_STAT, int, fstat64, (int fd, struct stat64 *st), fd, st)
PLAIN(INJECT_STAT, int, fstatat, (int dir, const char *path, struct stat *st, int flags), dir, path, st, flags)
PLAIN(INJECT_STAT, int, fstatfs, (int fd, struct statfs *fs), fd, fs)
PLAIN(INJECT_STAT, int, stat, (const char *path, struct stat *st), path, st)
PLAIN(INJECT_STAT, int, stat64, (const char *path, struct stat64 *st), path, st)
PLAIN(INJECT_STAT, int, lstat, (const char *path, struct stat *st), path, st)
PLAIN(INJECT_STAT, int, lstat64, (const char *path, struct stat64 *st), path, st)
PLAIN(INJECT_STAT, int, fstatat64, (int dir, const char *path, struct stat64 *st, int flags), dir, path, st, flags)
PLAIN(INJECT_STAT, int, statx, (int dir, const char *path, int flags, unsigned mask, struct statx *st), dir, path, flags, mask, st)
PLAIN(INJECT_STAT, ssize_t, readlink, (const char *path, char *to, size_t room), path, to, room)
PLAIN(INJECT_STAT, ssize_t, readlinkat, (int dir, const char *path, char *to, size_t room), dir, path, to, room)
PLAIN(INJECT_ACCESS, int, access, (const char *path, int how), path, how)
PLAIN(INJECT_ACCESS, int, faccessat, (int dir, const char *path, int how, int flags), dir, path, how, flags)
STAND_IN char *getcwd(char *to, size_t room)
{
    return inject_fails(INJECT_CWD) ? NULL : REAL(getcwd, to, room);
}

ssize_t __readlink_chk(const char *path, char *to, size_t len, size_t room);
STAND_IN ssize_t __readlink_chk(const char *path, char *to, size_t len, size_t room)
{
    return len > room ? -1 : readlink(path, to, len);
}
ssize_t __readlinkat_chk(int dir, const char *path, char *to, size_t len, size_t room);
STAND_IN ssize_t __readlinkat_chk(int dir, const char *path, char *to, size_t len, size_t room)
{
    return len > room ? -1 : readlinkat(dir, path, to, len);
}

/* ---------------------------------------------------------------- names and locks */

PLAIN(INJECT_RENAME, int, rename, (const char *from, const char *to), from, to)
PLAIN(INJECT_RENAME, int, renameat, (int a, const char *from, int b, const char *to), a, from, b, to)
PLAIN(INJECT_RENAME, int, renameat2, (int a, const char *from, int b, const char *to, unsigned flags), a, from, b, to, flags)
PLAIN(INJECT_LINK, int, link, (const char *from, const char *to), from, to)
PLAIN(INJECT_LINK, int, linkat, (int a, const char *from, int b, const char *to, int flags), a, from, b, to, flags)
PLAIN(INJECT_UNLINK, int, unlink, (const char *path), path)
PLAIN(INJECT_UNLINK, int, unlinkat, (int dir, const char *path, int flags), dir, path, flags)
PLAIN(INJECT_MKDIR, int, mkdir, (const char *path, mode_t mode), path, mode)
PLAIN(INJECT_MKDIR, int, mkdirat, (int dir, const char *path, mode_t mode), dir, path, mode)
PLAIN(INJECT_CHMOD, int, fchmod, (int fd, mode_t mode), fd, mode)
PLAIN(INJECT_CHMOD, int, fchmodat, (int dir, const char *path, mode_t mode, int flags), dir, path, mode, flags)
PLAIN(INJECT_CHMOD, int, fchown, (int fd, uid_t owner, gid_t group), fd, owner, group)

/* Giving a lock back fails for nobody. */
STAND_IN int flock(int fd, int how)
{
    return !(how & LOCK_UN) && inject_fails(INJECT_LOCK) ? -1 : REAL(flock, fd, how);
}

static bool is_lock(int what, const void *lock)
{
    bool sets = what == F_SETLK || what == F_SETLKW || what == F_OFD_SETLK || what == F_OFD_SETLKW;
    return sets && ((const struct flock *)lock)->l_type != F_UNLCK;
}

static enum inject_kind fcntl_kind(int what, const void *arg)
{
    return what == F_DUPFD || what == F_DUPFD_CLOEXEC ? INJECT_DUP
           : is_lock(what, arg)                       ? INJECT_LOCK
                                                      : INJECT_NONE;
}

#define FCNTL(name)                                                  \
    STAND_IN int name(int fd, int what, ...)                         \
    {                                                                \
        va_list args;                                                \
        va_start(args, what);                                        \
        void *arg = va_arg(args, void *); /* as wide as any that there is */ \
        va_end(args);                                                \
        enum inject_kind kind = fcntl_kind(what, arg);               \
        return kind && inject_fails(kind) ? -1 : REAL(name, fd, what, arg); \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

/* ---------------------------------------------------------------- processes and threads */

PLAIN(INJECT_FORK, pid_t, fork, (void))
PLAIN(INJECT_EXEC, int, execve, (const char *path, char *const words[], char *const environment[]), path, words, environment)

STAND_IN int pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    int error = inject_verdict(INJECT_THREAD);
    return error ? error : REAL(pthread_create, ret, attr, run, arg);
}

/* How workers are started. */
int __clone(int (*run)(void *), void *stack, int flags, void *arg, ...);
STAND_IN int __clone(int (*run)(void *), void *stack, int flags, void *arg, ...)
{
    va_list args;
    va_start(args, arg);
    void *parent = va_arg(args, void *), *tls = va_arg(args, void *), *child = va_arg(args, void *);
    va_end(args);
    return inject_fails(INJECT_FORK) ? -1 : REAL(__clone, run, stack, flags, arg, parent, tls, child);
}

/* What is asked of the kernel without a function of libc's: readers, workers' programs, files within reach and the names in folders. */
static enum inject_kind syscall_kind(long number)
{
    return number == SYS_openat2                            ? INJECT_OPEN
           : number == SYS_clone                            ? INJECT_FORK
           : number == SYS_execve                           ? INJECT_EXEC
           : number == SYS_getdents64                       ? INJECT_READ
           : number == SYS_getrandom                        ? INJECT_RANDOM
           : number == SYS_dup3                             ? INJECT_DUP
                                                            : INJECT_NONE;
}

STAND_IN long syscall(long number, ...)
{
    long a[6];
    va_list args;
    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    enum inject_kind kind = syscall_kind(number);
    if (kind != INJECT_NONE && inject_fails(kind))
        return -1;
    return REAL(syscall, number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
