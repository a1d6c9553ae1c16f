/* SPDX-License-Identifier: Apache-2.0 */
/* The reader: see reader.h. Children that could not be reaped are kept in one short list for the process, looked over
 * at every start; when it is full, no more are started. */
#include "source/reader.h"

#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "source/gate_priv.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* ---------------------------------------------------------------- children left behind */

static pthread_mutex_t strays_lock = PTHREAD_MUTEX_INITIALIZER;
static int strays[LIMIT_STRAY_READERS]; /* pidfd + 1; 0 is a free place */

/* True when the child is gone (or was reaped by somebody else). */
static bool reap(int pidfd)
{
    siginfo_t info = {0};
    int r;
    do
        r = waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG | __WALL);
    while (r < 0 && errno == EINTR);
    return r < 0 || info.si_pid;
}

/* Reaps those that have ended since; returns how many places are free. */
static size_t strays_look_over(void)
{
    size_t free_places = 0;
    (void)pthread_mutex_lock(&strays_lock);
    for (size_t i = 0; i < COUNT(strays); i++) {
        if (strays[i] && reap(strays[i] - 1)) {
            close_fd(strays[i] - 1);
            strays[i] = 0;
        }
        free_places += !strays[i];
    }
    (void)pthread_mutex_unlock(&strays_lock);
    return free_places;
}

static void strays_add(int pidfd)
{
    (void)pthread_mutex_lock(&strays_lock);
    size_t i = 0;
    while (i < COUNT(strays) && strays[i])
        i++;
    if (i < COUNT(strays))
        strays[i] = pidfd + 1;
    else
        close_fd(pidfd); /* the places went to other threads meanwhile: a zombie until we exit */
    (void)pthread_mutex_unlock(&strays_lock);
}

/* ---------------------------------------------------------------- the child */

static void sort_fds(int *fd, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k && fd[k] < fd[k - 1]; k--) {
            int t = fd[k];
            fd[k] = fd[k - 1];
            fd[k - 1] = t;
        }
}

/* A child left behind must not keep the host's pipes and sockets open. */
static void close_others(const struct reader_job *job)
{
    int kept[LIMIT_ROOTS + 3];
    size_t n = 0;
    unsigned from = 0;
    for (size_t i = 0; i < job->gate->n_roots; i++)
        kept[n++] = job->gate->root[i].fd;
    kept[n++] = job->fd;
    if (job->gate->home_fd >= 0)
        kept[n++] = job->gate->home_fd;
    sort_fds(kept, n);
    for (size_t i = 0; i < n; from = (unsigned)kept[i++] + 1)
        if ((unsigned)kept[i] > from)
            (void)syscall(SYS_close_range, from, (unsigned)kept[i] - 1, 0u);
    (void)syscall(SYS_close_range, from, ~0u, 0u);
}

static _Noreturn void run_child(const struct reader_job *job, struct reader_report *report)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_others(job);
    job->run(job, report);
    atomic_store(&report->done, 1);
    _exit(0);
}

/* ---------------------------------------------------------------- the parent */

/* Every signal is blocked in the child, so no handler of the host runs there. */
static int start(const struct reader_job *job, struct reader_report *report, int *ret_pidfd)
{
    sigset_t all, old;
    int pidfd = -1;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    long pid = syscall(SYS_clone, (unsigned long)CLONE_PIDFD, NULL, &pidfd, NULL, 0ul);
    int error = errno;
    if (!pid)
        run_child(job, report);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (pid < 0)
        return -error;
    *ret_pidfd = pidfd;
    return 0;
}

/* Waits for the end of the child. False: no progress for LIMIT_OPEN_MS, or not done within total_ms. */
static bool wait_for(int pidfd, const struct reader_report *report, int total_ms)
{
    uint64_t seen = 0;
    int64_t last = clock_ms() + total_ms, deadline = MIN(last, clock_ms() + LIMIT_OPEN_MS);
    for (;;) {
        struct pollfd p = {.fd = pidfd, .events = POLLIN};
        if (poll(&p, 1, MIN(clock_left(deadline), 250)) > 0)
            return true;
        uint64_t now = atomic_load(&report->progress);
        if (now != seen)
            deadline = MIN(last, clock_ms() + LIMIT_OPEN_MS);
        if (!clock_left(deadline))
            return false;
        seen = now;
    }
}

static void leave_behind(int *pidfd)
{
    (void)syscall(SYS_pidfd_send_signal, *pidfd, SIGKILL, NULL, 0u);
    struct pollfd p = {.fd = *pidfd, .events = POLLIN};
    (void)poll(&p, 1, LIMIT_KILL_MS);
    if (!reap(*pidfd))
        strays_add(take_fd(pidfd));
}

static int outcome(const struct reader_report *report, struct reader_report *ret, struct fovea_fault *fault)
{
    if (!atomic_load(&report->done))
        return fault_set(fault, EIO, "the process that reads the file died");
    if (report->error == -ENOSPC || report->error == -ENOMEM)
        return fault_oom(fault);
    if (report->error)
        return fault_set(fault, report->error, "cannot read the file: %s", strerrordesc_np(-report->error));
    memcpy(ret, report, sizeof *ret);
    return 0;
}

static void unmap_report(struct reader_report **r)
{
    (void)munmap(*r, sizeof **r);
}

int reader_run(const struct reader_job *job, struct reader_report *ret, struct fovea_fault *fault)
{
    if (!strays_look_over())
        return fault_set(fault, EBUSY, "%d readers wait for a file system that does not answer", LIMIT_STRAY_READERS);
    void *page = mmap(NULL, sizeof *ret, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return fault_oom(fault);
    cleanup(unmap_report) struct reader_report *report = page;
    auto_close int pidfd = -1;
    int r = start(job, report, &pidfd);
    if (r < 0)
        return fault_set(fault, r, "cannot start a process to read the file: %s", strerrordesc_np(-r));
    if (wait_for(pidfd, report, job->total_ms)) {
        (void)reap(pidfd);
        return outcome(report, ret, fault);
    }
    leave_behind(&pidfd);
    ret->verdict = SNAPSHOT_TIMED_OUT;
    return 0;
}
