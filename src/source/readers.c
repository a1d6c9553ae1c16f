/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes: a table of readers for each gate, and one short list for the whole process of those that were killed
 * and could not be reaped, looked over at every start and by the keepers; when it is full, no more are started. The lock of
 * the table is never held across a start or an end.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "source/gate_priv.h"
#include "source/reader_priv.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* ---------------------------------------------------------------- children left behind */

static pthread_mutex_t strays_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

/* In a child of the host nobody holds them: the threads that did are not there. */
static void free_locks(void)
{
    strays_lock = start_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, free_locks);
}
static int strays[LIMIT_STRAY_READERS]; /* pidfd + 1; 0 is a free place */

/* True when the child is gone (or was reaped by somebody else). */
static bool reap(int pidfd)
{
    siginfo_t info = {0};
    return waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG | __WALL) < 0 || info.si_pid;
}

size_t readers_reap_strays(void)
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

/* ---------------------------------------------------------------- start and end of one */

/* Signals are blocked here and stay blocked in the child, so that no handler of the host runs there; SIGKILL, which is
 * all that ends it from outside, cannot be blocked. */
static int fork_reader(const struct reader_birth *b, int *ret_pidfd)
{
    sigset_t all, old;
    int pidfd = -1;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    long pid = syscall(SYS_clone, (unsigned long)CLONE_PIDFD, NULL, &pidfd, NULL, 0ul);
    int error = errno;
    if (!pid)
        reader_serve(b);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (pid < 0)
        return -error;
    *ret_pidfd = pidfd;
    return 0;
}

static void free_desk(struct desk **d)
{
    if (*d)
        (void)munmap(*d, sizeof **d);
}

/* False when it cannot be told: then it is like none. */
static bool rights_now(struct reader_rights *ret)
{
    gid_t groups[LIMIT_GROUPS];
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    int n = getgroups(LIMIT_GROUPS, groups), bad;
    *ret = (struct reader_rights){.uid = geteuid(),
                                  .gid = getegid(),
                                  .fsuid = (uid_t)setfsuid((uid_t)-1), /* changes nothing, and tells */
                                  .fsgid = (gid_t)setfsgid((gid_t)-1)};
    bad = (int)syscall(SYS_capget, &head, (void *)ret->caps);
    if ((n | bad) < 0)
        return false;
    sha256(groups, (size_t)n * sizeof *groups, ret->groups);
    return true;
}

/* A child that another thread starts between the clone and the advice would hold our desk too, so there is one at a
 * time. */
static int clone_alone(struct reader_birth *b, int *ret_pidfd)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int how = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
    (void)pthread_once(&once, watch_forks);
    (void)pthread_mutex_lock(&start_lock);
    void *page = mmap(NULL, sizeof *b->desk, PROT_READ | PROT_WRITE, how, -1, 0);
    b->desk = page == MAP_FAILED ? NULL : page;
    int e = b->desk ? fork_reader(b, ret_pidfd) : -ENOMEM;
    if (e == 0)
        (void)madvise(b->desk, sizeof *b->desk, MADV_DONTFORK);
    else
        free_desk(&b->desk);
    (void)pthread_mutex_unlock(&start_lock);
    return e;
}

/* Into a place that is the caller's; others look at its state meanwhile. */
static int start(const struct gate *g, struct reader *r)
{
    int pair[2], pipe_fd[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    auto_close int ours = pair[0], theirs = pair[1];
    if (pipe2(pipe_fd, O_CLOEXEC) < 0)
        return -errno;
    auto_close int life = pipe_fd[1], life_read = pipe_fd[0];
    struct reader_birth b = {.gate = g, .socket = theirs, .life = life_read};
    (void)rights_now(&r->rights); /* before: one that could do more than this says must not be taken for less */
    int e = clone_alone(&b, &r->pidfd);
    if (e < 0)
        return e;
    r->socket = take_fd(&ours);
    r->life = take_fd(&life);
    r->desk = b.desk;
    return 0;
}

/* By the pipe too: a host that gave up its rights may not send a signal to one that still has them. */
static void kill_reader(struct reader *r)
{
    (void)syscall(SYS_pidfd_send_signal, r->pidfd, SIGKILL, NULL, 0u);
    close_fd(take_fd(&r->life));
}

bool reader_bury(struct reader *r, int wait_ms)
{
    struct pollfd p = {.fd = r->pidfd, .events = POLLIN};
    (void)poll(&p, 1, wait_ms);
    bool gone = reap(r->pidfd);
    if (gone)
        close_fd(r->pidfd);
    else
        strays_add(r->pidfd);
    close_fd(take_fd(&r->life)); /* of one that ended by itself */
    close_fd(r->socket);
    free_desk(&r->desk);
    return gone;
}

/* ---------------------------------------------------------------- the table */

static void set_state(struct readers *all, struct reader *r, enum reader_state to, bool keep)
{
    (void)pthread_mutex_lock(&all->lock);
    r->state = to;
    if (keep)
        readers_keep(all);
    (void)pthread_cond_signal(&all->idle);
    (void)pthread_mutex_unlock(&all->lock);
}

void readers_end(struct readers *all, struct reader *r)
{
    kill_reader(r);
    bool gone = reader_bury(r, LIMIT_KILL_MS);
    set_state(all, r, READER_NONE, !gone);
}

void readers_give(struct readers *all, struct reader *r)
{
    uint64_t used = r->desk->report.lines.window.size;
    if (r->desk->job.text && used > LIMIT_READER_KEPT) {
        size_t from = offsetof(struct desk, text) + LIMIT_READER_KEPT, page = (size_t)sysconf(_SC_PAGESIZE);
        from = (from + page - 1) / page * page;
        (void)madvise((char *)r->desk + from, sizeof *r->desk - from, MADV_REMOVE);
    }
    set_state(all, r, READER_IDLE, true);
}

/* The first in the table that is idle, so that those at its end may rest; else a free place. */
static struct reader *find(struct readers *all)
{
    struct reader *place = NULL;
    for (size_t i = 0; i < COUNT(all->reader); i++) {
        if (all->reader[i].state == READER_IDLE)
            return &all->reader[i];
        if (all->reader[i].state == READER_NONE && !place)
            place = &all->reader[i];
    }
    return place;
}

static void nap(struct readers *all, int64_t deadline, const fovea_cancel *cancel)
{
    if (cancel)
        deadline = MIN(deadline, clock_ms() + LIMIT_CANCEL_NAP_MS);
    struct timespec until = {.tv_sec = (time_t)(deadline / 1000), .tv_nsec = (long)(deadline % 1000) * 1000000};
    (void)pthread_cond_timedwait(&all->idle, &all->lock, &until);
}

/* A reader or a place, busy from now on; NULL when there is none in time. */
static struct reader *wait_for_place(struct readers *all, const fovea_cancel *cancel, bool *ret_idle)
{
    int64_t deadline = 0;
    (void)pthread_mutex_lock(&all->lock);
    struct reader *r;
    while (!(r = find(all)) && !cancel_struck(cancel)) {
        deadline = deadline ? deadline : clock_ms() + LIMIT_READERS_BUSY_MS;
        if (!clock_left(deadline))
            break;
        nap(all, deadline, cancel);
    }
    if (r) {
        *ret_idle = r->state == READER_IDLE;
        r->state = READER_BUSY;
    }
    (void)pthread_mutex_unlock(&all->lock);
    return r;
}

static int start_at(const struct gate *g, struct reader *place, struct fovea_fault *fault)
{
    if (!readers_reap_strays())
        return fault_set(fault, EBUSY, "%d readers wait for a file system that does not answer", LIMIT_STRAY_READERS);
    int e = start(g, place);
    if (e == -ENOMEM)
        return fault_oom(fault);
    return e < 0 ? fault_set(fault, e, "cannot start a process to read the file: %s", strerrordesc_np(-e)) : 0;
}

/* A host may have given up rights since: then what was started with them is not for its jobs. */
static bool reads_as_we_do(const struct reader *r)
{
    struct reader_rights now;
    return rights_now(&now) && !memcmp(&now, &r->rights, sizeof now);
}

int readers_take(const struct gate *g, const fovea_cancel *cancel, struct reader **ret, struct fovea_fault *fault)
{
    struct readers *all = g->readers;
    bool idle = false;
    if (all->owner != getpid())
        return fault_set(fault, EPERM, "after fork() the context belongs to the parent; make one of your own");
    struct reader *r = wait_for_place(all, cancel, &idle);
    if (!r && cancel_struck(cancel))
        return fault_cancelled(fault);
    if (!r)
        return fault_set(fault, EBUSY, "all %d readers are busy; try again", LIMIT_READERS);
    if (idle && !reads_as_we_do(r)) {
        kill_reader(r);
        (void)reader_bury(r, LIMIT_KILL_MS); /* the start looks for it again */
        idle = false;
    }
    int e = idle ? 0 : start_at(g, r, fault);
    if (e < 0)
        set_state(all, r, READER_NONE, false);
    else
        *ret = r;
    return e;
}

struct readers *readers_new(void)
{
    struct readers *all = calloc(1, sizeof *all);
    pthread_condattr_t monotonic;
    if (!all)
        return NULL;
    (void)pthread_mutex_init(&all->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&all->idle, &monotonic);
    (void)pthread_cond_init(&all->stop, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    all->owner = getpid();
    return all;
}

/* In a child forked from the owner they are somebody else's: nothing of them is touched. */
void readers_free(struct readers *all)
{
    if (!all || all->owner != getpid()) {
        free(all);
        return;
    }
    readers_keeper_end(all);
    for (size_t i = 0; i < COUNT(all->reader); i++)
        if (all->reader[i].state != READER_NONE)
            kill_reader(&all->reader[i]);
    int64_t deadline = clock_ms() + LIMIT_REAP_MS;
    for (size_t i = 0; i < COUNT(all->reader); i++)
        if (all->reader[i].state != READER_NONE)
            (void)reader_bury(&all->reader[i], clock_left(deadline));
    (void)readers_reap_strays();
    (void)pthread_cond_destroy(&all->idle);
    (void)pthread_cond_destroy(&all->stop);
    (void)pthread_mutex_destroy(&all->lock);
    free(all);
}
