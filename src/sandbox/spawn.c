/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting a worker: clone with the memory shared until exec (as vfork does), so that the cost does not grow with the
 * host, and with a pidfd from birth, so that no other process is ever meant by it. Between clone and exec only system
 * calls happen. See spawn.h for what the host is promised.
 */
#include "sandbox/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "sandbox/proto.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

enum { STACK_BYTES = 64 << 10 }; /* of the child until exec; roomy for sanitizers */

struct start {
    const char *path;
    int socket, null;
    int error; /* why exec did not happen; written by the child into our memory */
};

/*
 * Handlers must go before the mask is lifted, and what the host ignores would survive exec. Asked of the kernel itself,
 * because libc (and a sanitizer in front of it) keeps notes in the memory that we share.
 */
static void default_signals(void)
{
    static const struct {
        long handler, flags, restorer, mask;
    } dfl;
    sigset_t none;
    for (int s = 1; s < NSIG; s++)
        (void)syscall(SYS_rt_sigaction, s, &dfl, NULL, sizeof dfl.mask);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The host may have any of 0..3 closed, so ours are first moved out of the way. */
static int place_descriptors(const struct start *s)
{
    int null = fcntl(s->null, F_DUPFD, WORK_SOCKET + 1), sock = fcntl(s->socket, F_DUPFD, WORK_SOCKET + 1);
    if (null < 0 || sock < 0)
        return -1;
    for (int fd = 0; fd < WORK_SOCKET; fd++)
        if (dup2(null, fd) < 0)
            return -1;
    if (dup2(sock, WORK_SOCKET) < 0)
        return -1;
    return (int)syscall(SYS_close_range, WORK_SOCKET + 1, ~0u, 0);
}

/* Runs in the child, on its own stack in the parent's memory. */
static int start_child(void *arg)
{
    struct start *s = arg;
    char *const argv[] = {(char *)s->path, NULL}, *const environment[] = {NULL};
    default_signals();
    if (setsid() >= 0 && !place_descriptors(s))
        (void)execve(s->path, argv, environment);
    s->error = errno;
    _exit(127);
}

/* Signals are held back: a handler of the host must not run in the child while it shares memory. */
static pid_t clone_child(struct start *s, int *ret_pidfd)
{
    alignas(64) char stack[STACK_BYTES];
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = clone(start_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, s, ret_pidfd);
    int saved = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return pid;
}

static void wait_for(int pidfd)
{
    siginfo_t info;
    while (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED) < 0 && errno == EINTR)
        ;
}

int child_spawn(const char *path, struct child *ret)
{
    int pair[2] = {-1, -1};
    auto_close int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return -errno;
    auto_close int ours = pair[0], theirs = pair[1], pidfd = -1;
    struct start start = {.path = path, .socket = theirs, .null = null};
    pid_t pid = clone_child(&start, &pidfd);
    if (pid < 0)
        return -errno;
    if (start.error) {
        wait_for(pidfd); /* it is past all work: it exits now */
        return -start.error;
    }
    *ret = (struct child){.pid = pid, .pidfd = take_fd(&pidfd), .socket = take_fd(&ours)};
    return 0;
}

void child_kill(const struct child *c)
{
    if (c->pidfd >= 0)
        (void)syscall(SYS_pidfd_send_signal, c->pidfd, SIGKILL, NULL, 0);
}

bool child_reap(struct child *c)
{
    siginfo_t info = {0};
    if (c->pidfd < 0)
        return true;
    /* ECHILD: the host took it, which is as good. */
    if (!waitid((idtype_t)P_PIDFD, (id_t)c->pidfd, &info, WEXITED | WNOHANG) && !info.si_pid)
        return false;
    close_fd(take_fd(&c->pidfd));
    return true;
}
