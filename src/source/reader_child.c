/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader itself: jobs one after the other, until the parent is gone or there is nothing to do. The kernel sends it
 * SIGKILL when the other end of a pipe closes that only the parent has: while it waits, in the middle of a job, and
 * whichever thread of the parent made it. (A host that forks gives its child that end too; then a reader without work
 * ends after LIMIT_READER_IDLE_MS.)
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "source/gate_priv.h"
#include "source/reader_priv.h"

static void sort_fds(int *fd, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k && fd[k] < fd[k - 1]; k--) {
            int t = fd[k];
            fd[k] = fd[k - 1];
            fd[k - 1] = t;
        }
}

/* A reader must not keep the host's pipes and sockets open. */
static void close_others(const struct reader_birth *b)
{
    int kept[LIMIT_ROOTS + 3] = {b->socket, b->life};
    size_t n = 2;
    unsigned from = 0;
    for (size_t i = 0; i < b->gate->n_roots; i++)
        kept[n++] = b->gate->root[i].fd;
    if (b->gate->home_fd >= 0)
        kept[n++] = b->gate->home_fd;
    sort_fds(kept, n);
    for (size_t i = 0; i < n; from = (unsigned)kept[i++] + 1)
        if ((unsigned)kept[i] > from)
            (void)syscall(SYS_close_range, from, (unsigned)kept[i] - 1, 0u);
    (void)syscall(SYS_close_range, from, ~0u, 0u);
}

/* Keys are often in the environment; /proc shows this process's copy of it, which nobody here needs. Only what the kernel put
 * above our stack is shown there, and only that may surely be written to. */
static void forget_environment(void)
{
    uintptr_t from = getauxval(AT_RANDOM), to = getauxval(AT_EXECFN);
    for (char **e = environ; e && *e; e++)
        if ((uintptr_t)*e - from < to - from)
            explicit_bzero(*e, strlen(*e));
}

/* False when that end is closed already, or it cannot be done. */
static bool die_with(int life)
{
    struct pollfd p = {.fd = life, .events = POLLIN};
    int bad = fcntl(life, F_SETOWN, (int)syscall(SYS_getpid));
    bad |= fcntl(life, F_SETSIG, SIGKILL);
    bad |= fcntl(life, F_SETFL, O_ASYNC | O_NONBLOCK);
    return (bad | poll(&p, 1, 0)) == 0;
}

static void rest_at_most(int socket, int ms)
{
    struct timeval t = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    (void)setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
}

/* The word that a job is on the desk, and the descriptor that comes with it or -1. False when none will come: the
 * parent closed the socket, or nothing came for long. */
static bool receive(int socket, int *ret_fd)
{
    char byte;
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec word = {.iov_base = &byte, .iov_len = 1};
    struct msghdr m = {
        .msg_iov = &word, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t n;
    while ((n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    if (n != 1)
        return false;
    const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *ret_fd = -1;
    if (c) /* our parent sends nothing else */
        memcpy(ret_fd, CMSG_DATA(c), sizeof *ret_fd);
    return true;
}

_Noreturn void reader_serve(const struct reader_birth *b)
{
    struct desk *d = b->desk;
    int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    forget_environment();
    (void)prctl(PR_SET_NAME, "fovea-reader");
    close_others(b);
    uint8_t *piece = mmap(NULL, LIMIT_READ_PIECE, PROT_READ | PROT_WRITE, how, -1, 0);
    if (piece == MAP_FAILED || !die_with(b->life))
        _exit(1);
    rest_at_most(b->socket, LIMIT_READER_IDLE_MS);
    int fd;
    while (receive(b->socket, &fd)) {
        atomic_store(&d->report.begun, 1);
        d->job.fd = fd;
        d->job.piece = piece;
        d->job.run(&d->job, &d->report);
        close_fd(fd);
        if (TEMP_FAILURE_RETRY(send(b->socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT)) != 1)
            break;
    }
    _exit(0);
}
