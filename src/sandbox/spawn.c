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
#include <sys/prctl.h>
#include <sys/resource.h>
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

enum { STACK_BYTES = 16 << 10 }; /* of the child until exec */

struct start {
    const char *path;
    const char *argv[3];
    const char *environment[2];
    struct rlimit stack;
    pid_t parent;
    int socket, null;
    int error; /* why exec did not happen; written by the child into our memory */
};

/*
 * The child runs in the parent's memory on a stack of its own and never returns, which sanitizers take amiss; and libc
 * (with a sanitizer in front of it) keeps notes in that memory. So it asks the kernel directly and is not instrumented.
 */
#define IN_CHILD __attribute__((noinline, no_sanitize("address", "thread")))

/* Handlers must go before the mask is lifted, and what the host ignores would survive exec. */
IN_CHILD static void default_signals(void)
{
    static const struct {
        long handler, flags, restorer, mask;
    } dfl;
    for (int s = 1; s < NSIG; s++)
        (void)syscall(SYS_rt_sigaction, s, &dfl, NULL, sizeof dfl.mask);
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &dfl.mask, NULL, sizeof dfl.mask);
}

/* The host may have any of 0..3 closed, so ours are first moved out of the way. */
IN_CHILD static bool place_descriptors(const struct start *s)
{
    long null = syscall(SYS_fcntl, s->null, F_DUPFD, WORK_SOCKET + 1);
    long sock = syscall(SYS_fcntl, s->socket, F_DUPFD, WORK_SOCKET + 1);
    bool placed = null >= 0 && sock >= 0;
    for (long fd = 0; fd < WORK_SOCKET && placed; fd++)
        placed = syscall(SYS_dup3, null, fd, 0) >= 0;
    return placed && syscall(SYS_dup3, sock, WORK_SOCKET, 0) >= 0 &&
           !syscall(SYS_close_range, WORK_SOCKET + 1, ~0u, 0);
}

IN_CHILD static int start_child(void *arg)
{
    struct start *s = arg;
    /* From here on, not only from the jail on: a job may be in the socket already when the parent dies. */
    if (syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || syscall(SYS_getppid) != s->parent) {
        s->error = ESRCH;
        return 127;
    }
    default_signals();
    (void)syscall(SYS_prlimit64, 0, RLIMIT_STACK, &s->stack, NULL); /* libc sizes threads by it; the jail bounds all */
    if (syscall(SYS_setsid) >= 0 && place_descriptors(s))
        (void)syscall(SYS_execve, s->path, s->argv, s->environment);
    s->error = errno;
    return 127; /* clone() exits with it */
}

/* clone() by its other name, because ThreadSanitizer takes the ordinary one for a fork, with memory of its own. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the name is libc's */
extern int __clone(int (*run)(void *), void *stack, int flags, void *arg, ...);

/* Signals are held back: a handler of the host must not run in the child while it shares memory. */
static pid_t clone_child(struct start *s, int *ret_pidfd)
{
    alignas(64) char stack[STACK_BYTES];
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
    pid_t pid = __clone(start_child, stack + sizeof stack, flags, s, ret_pidfd);
    int saved = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return pid;
}

/* A signal of the host's may interrupt it. */
static void wait_for(int pidfd)
{
    siginfo_t info;
    while (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED) < 0 && errno == EINTR)
        ;
}

int child_spawn(const struct program *program, bool ahead, struct child *ret)
{
    int pair[2] = {-1, -1};
    auto_close int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return -errno;
    auto_close int ours = pair[0], theirs = pair[1], pidfd = -1;
    const char *word = program->word ? program->word : ahead ? WORK_AHEAD : NULL;
    struct start start = {.path = program->path, .argv = {program->path, word}, .environment = {program->setting},
                          .parent = getpid(), .socket = theirs, .null = null};
    if (getrlimit(RLIMIT_STACK, &start.stack))
        return -errno;
    start.stack.rlim_cur = MIN(start.stack.rlim_max, LIMIT_WORKER_STACK);
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
    /* ECHILD: the host took it, which is as good. */
    if (!waitid((idtype_t)P_PIDFD, (id_t)c->pidfd, &info, WEXITED | WNOHANG) && !info.si_pid)
        return false;
    close_fd(take_fd(&c->pidfd));
    return true;
}
