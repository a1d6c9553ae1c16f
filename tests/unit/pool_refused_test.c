/* SPDX-License-Identifier: Apache-2.0 */
/* The pool when the kernel refuses: every call between a worker's birth and its answer fails once, is told in words or made good, and
 * the next job is done as if nothing had been. The linker leads the pool's calls here (--wrap). */
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/media.h"
#include "built.h"
#include "processes.h"
#include "sandbox/pool.h"

enum call { SYSCALL, GETRLIMIT, POLL, SENDMSG, RECV, CALLS };

static struct {
    int error;   /* 0: none */
    int after;   /* so many that go well */
    long number; /* of a SYSCALL */
} refusals[CALLS];
static atomic_bool hurried;    /* every wait for news is over at once */
static atomic_int birth_ms;    /* that a start takes longer */
static atomic_int stillborn;   /* the error of the next start, which it has once a job waits */
static atomic_bool job_waits;

static void refuse(enum call call, long number, int after, int error)
{
    refusals[call].number = number;
    refusals[call].after = after;
    refusals[call].error = error;
}

/* Runs in a newborn worker too, on a small stack, in our memory. */
#define BARE __attribute__((noinline, no_sanitize("address", "thread", "undefined")))

BARE static bool refused(enum call call, long number)
{
    int error = refusals[call].error;
    if (!error || refusals[call].number != number || refusals[call].after-- > 0)
        return false;
    refusals[call].error = 0;
    errno = error;
    return true;
}

/* What the keeper of the workers waits for is not meant. */
static bool refused_here(enum call call)
{
    return gettid() == getpid() && refused(call, 0);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
BARE long __wrap_syscall(long number, ...)
{
    long a[5];
    va_list args;
    va_start(args, number);
    for (int i = 0; i < 5; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    return refused(SYSCALL, number) ? -1 : __real_syscall(number, a[0], a[1], a[2], a[3], a[4]);
}

int __real___clone(int (*run)(void *), void *stack, int flags, void *arg, ...);
int __wrap___clone(int (*run)(void *), void *stack, int flags, void *arg, int *pidfd);
int __wrap___clone(int (*run)(void *), void *stack, int flags, void *arg, int *pidfd)
{
    (void)usleep((useconds_t)birth_ms * 1000);
    int error = atomic_exchange(&stillborn, 0);
    for (int i = 0; error && !job_waits && i < 10000; i++)
        (void)usleep(1000);
    errno = error;
    return error ? -1 : __real___clone(run, stack, flags, arg, pidfd);
}

int __real_getrlimit(int what, struct rlimit *ret);
int __wrap_getrlimit(int what, struct rlimit *ret);
int __wrap_getrlimit(int what, struct rlimit *ret)
{
    return refused(GETRLIMIT, 0) ? -1 : __real_getrlimit(what, ret);
}

int __real_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms)
{
    return refused_here(POLL) ? -1 : __real_poll(fds, n, ms);
}

ssize_t __real_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags)
{
    return refused_here(SENDMSG) ? -1 : __real_sendmsg(fd, m, flags);
}

ssize_t __real_recv(int fd, void *to, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *to, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *to, size_t len, int flags)
{
    return refused_here(RECV) ? -1 : __real_recv(fd, to, len, flags);
}

int __real_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
    job_waits = true;
    return hurried ? ETIMEDOUT : __real_pthread_cond_timedwait(c, m, until);
}

/* ---------------------------------------------------------------- tools */

/* The fault worker is beside this program. Where it is slow, nobody has heard from it when it is given its job. */
static struct pool *new_pool(bool slow)
{
    const char *dir = built(slow ? "tests/fault/hello-slow" : "tests/fault");
    char file[LIMIT_PATH_BYTES + 32];
    struct pool *p = NULL;
    struct fovea_fault fault = {0};
    (void)snprintf(file, sizeof file, "%s/fovea-worker", dir);
    if (slow && (mkdir(dir, 0755) == 0 || errno == EEXIST))
        (void)!symlink("../fovea-worker", file);
    CHECK_MSG(!pool_new_of(&(struct program){.path = file}, 0, &p, &fault), "%s", fault.text);
    return p;
}

struct outcome {
    int code;
    enum pool_end end;
    bool picture;
    struct fovea_fault fault;
};

static struct outcome run(struct pool *p, const char *words, const fovea_cancel *cancel)
{
    struct outcome o = {0};
    struct pool_output out = {0};
    auto_close int input = memfd_create("input", MFD_CLOEXEC);
    (void)!write(input, words, strlen(words));
    struct work_request q = {.magic = WORK_MAGIC, .media = MEDIA_PNG, .input_len = strlen(words),
                             .limits = {.max_edge = 1568, .max_bytes = 500 * 1024, .quality = 75}};
    struct pool_job job = {.request = &q, .input = input, .limit_ms = 5000, .cancel = cancel};
    o.code = pool_run(p, &job, &o.end, &out, &o.fault);
    o.picture = !o.code && o.end == POOL_DONE && out.data;
    pool_output_done(&out);
    return o;
}

static bool works(struct pool *p)
{
    struct outcome o = run(p, "FAULT:none", NULL);
    return o.picture;
}

/* The keeper closes what is of the last job when it comes to it. */
static int fds_down_to(int most)
{
    int n = fds_of(getpid());
    for (int64_t until = clock_ms() + 2000; n > most && clock_left(until); n = fds_of(getpid()))
        (void)poll(NULL, 0, 1);
    return n;
}

static bool no_child_is_left(void)
{
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

/* ---------------------------------------------------------------- a birth */

static const struct {
    const char *what;
    enum call call;
    long number;
    int after, error, code;
} births[] = {
    {"dying with the parent", SYSCALL, SYS_prctl, 0, EINVAL, -ESRCH},
    {"the parent, gone already", SYSCALL, SYS_getppid, 0, EPERM, -ESRCH},
    {"a session", SYSCALL, SYS_setsid, 0, EPERM, -EPERM},
    {"room for null", SYSCALL, SYS_fcntl, 0, EMFILE, -EMFILE},
    {"room for the socket", SYSCALL, SYS_fcntl, 1, EMFILE, -EMFILE},
    {"null as the first", SYSCALL, SYS_dup3, 0, EBUSY, -EBUSY},
    {"null as the third", SYSCALL, SYS_dup3, 2, EMFILE, -EMFILE},
    {"the socket in its place", SYSCALL, SYS_dup3, 3, EMFILE, -EMFILE},
    {"closing what is the host's", SYSCALL, SYS_close_range, 0, ENOSYS, -ENOSYS},
    {"the host's stack", GETRLIMIT, 0, 0, ENOSYS, -ENOSYS},
};

TEST(a_birth_that_fails_at_any_call_is_told_and_the_next_one_succeeds)
{
    struct pool *p = new_pool(false);
    CHECK(works(p));
    int fds = fds_of(getpid());
    for (size_t i = 0; i < COUNT(births); i++) {
        refuse(births[i].call, births[i].number, births[i].after, births[i].error);
        struct outcome o = run(p, "FAULT:none", NULL);
        CHECK_MSG(o.code == births[i].code && o.fault.code == o.code && o.fault.text[0], "%s: code %d (%s)", births[i].what, o.code,
                  o.fault.text);
        CHECK_MSG(!refusals[births[i].call].error, "%s was not asked for", births[i].what);
        CHECK_MSG(works(p), "after %s", births[i].what);
    }
    int left = fds_down_to(fds);
    CHECK_MSG(left <= fds, "%d instead of %d", left, fds);
    pool_free(p);
    CHECK(no_child_is_left());
}

TEST(a_birth_that_takes_too_long_is_given_up)
{
    struct pool *p = new_pool(false);
    birth_ms = 300;
    hurried = true;
    struct outcome o = run(p, "FAULT:none", NULL);
    hurried = false;
    CHECK_MSG(o.code == -ETIMEDOUT && strstr(o.fault.text, "it was not ready in time"), "code %d (%s)", o.code, o.fault.text);
    birth_ms = 0;
    CHECK(works(p));
    pool_free(p);
    CHECK(no_child_is_left());
}

static void *strike_soon(void *arg)
{
    (void)usleep(50000);
    fovea_cancel_now(arg);
    return NULL;
}

TEST(a_cancel_ends_the_wait_for_a_birth)
{
    struct pool *p = new_pool(false);
    fovea_cancel *c = NULL;
    pthread_t t;
    CHECK(!fovea_cancel_new(&c, &(struct fovea_fault){0}));
    birth_ms = 400;
    int64_t start = clock_ms();
    CHECK(!pthread_create(&t, NULL, strike_soon, c));
    struct outcome o = run(p, "FAULT:none", c);
    CHECK_MSG(o.code == -ECANCELED && clock_ms() - start < 300, "code %d (%s), %d ms", o.code, o.fault.text, (int)(clock_ms() - start));
    birth_ms = 0;
    (void)pthread_join(t, NULL);
    fovea_cancel_free(c);
    pool_free(p);
    CHECK(no_child_is_left());
}

static fovea_cancel *let_go;

static void *hold_a_place(void *arg)
{
    struct outcome o = run(arg, "FAULT:hang", let_go);
    CHECK_MSG(o.code == -ECANCELED, "code %d (%s)", o.code, o.fault.text);
    return NULL;
}

/* The wait itself is hurried: it would be LIMIT_WORKERS_BUSY_MS. */
TEST(a_job_that_waited_in_vain_for_a_place_says_that_all_are_busy)
{
    struct pool *p = new_pool(false);
    pthread_t t[LIMIT_WORKERS];
    CHECK(!fovea_cancel_new(&let_go, &(struct fovea_fault){0}));
    int before = fds_of(getpid());
    for (size_t i = 0; i < COUNT(t); i++)
        CHECK(!pthread_create(&t[i], NULL, hold_a_place, p));
    /* Each that is held has a socket, a pidfd, an input and an output. */
    for (int i = 0; i < 2000 && fds_of(getpid()) < before + 4 * LIMIT_WORKERS; i++)
        (void)usleep(5000);
    (void)usleep(200000);
    hurried = true;
    struct outcome o = run(p, "FAULT:none", NULL);
    hurried = false;
    CHECK_MSG(o.code == -EBUSY, "code %d", o.code);
    CHECK_STR(o.fault.text, "all 64 workers are busy; try again");
    fovea_cancel_now(let_go);
    for (size_t i = 0; i < COUNT(t); i++)
        (void)pthread_join(t[i], NULL);
    fovea_cancel_free(let_go);
    CHECK(works(p));
    pool_free(p);
    CHECK(no_child_is_left());
}

/* ---------------------------------------------------------------- a job */

TEST(a_wait_that_a_signal_interrupts_is_gone_on_with)
{
    struct pool *p = new_pool(true);
    for (int after = 0; after < 4; after++) {
        refuse(POLL, 0, after, EINTR);
        CHECK_MSG(works(p), "%d", after);
    }
    refuse(POLL, 0, 0, 0);
    pool_free(p);
}

TEST(a_signal_at_the_end_of_a_pool_leaves_no_child)
{
    for (int i = 0; i < 8; i++) {
        struct pool *p = new_pool(false);
        pool_ready(p, 4);
        CHECK(works(p));
        refuse(POLL, 0, 0, EINTR);
        pool_free(p);
        refuse(POLL, 0, 0, 0);
        CHECK(no_child_is_left());
    }
}

/* What we lack is no sign of a hostile picture: it used to be taken for the worker's death. */
TEST(a_wait_that_fails_is_a_fault_and_not_the_pictures)
{
    struct pool *p = new_pool(true);
    static const char *const words[] = {NULL, "cannot start", "cannot wait for a picture"}; /* a worker's silence, its greeting, its reply */
    for (int after = 0; after < 3; after++) {
        refuse(POLL, 0, after, ENOMEM);
        struct outcome o = run(p, "FAULT:slow", NULL);
        CHECK_MSG(words[after] ? o.code == -ENOMEM && strstr(o.fault.text, words[after]) && strstr(o.fault.text, "Cannot allocate memory")
                               : o.picture,
                  "%d: code %d (%s), end %d", after, o.code, o.fault.text, (int)o.end);
        CHECK(!refusals[POLL].error);
        CHECK(works(p));
    }
    pool_free(p);
    CHECK(no_child_is_left());
}

TEST(a_job_that_cannot_be_handed_over_goes_to_another_or_is_told)
{
    struct pool *p = new_pool(true);
    refuse(SENDMSG, 0, 0, ECONNRESET);
    CHECK(works(p)); /* that one was gone */
    refuse(SENDMSG, 0, 0, ENOBUFS);
    struct outcome o = run(p, "FAULT:none", NULL);
    CHECK_MSG(o.code == -ENOBUFS && strstr(o.fault.text, "No buffer space available"), "code %d (%s)", o.code, o.fault.text);
    refuse(SENDMSG, 0, 0, ENOBUFS);
    refuse(POLL, 0, 1, ENOMEM); /* nor does anybody hear why */
    o = run(p, "FAULT:none", NULL);
    CHECK_MSG(o.code == -ENOMEM, "code %d (%s)", o.code, o.fault.text);
    CHECK(works(p));
    pool_free(p);
    CHECK(no_child_is_left());
}

TEST(a_greeting_that_cannot_be_read_costs_one_worker)
{
    static const int errors[] = {ECONNRESET, ENOMEM};
    struct pool *p = new_pool(true);
    for (size_t i = 0; i < COUNT(errors); i++) {
        refuse(RECV, 0, 0, errors[i]);
        CHECK_MSG(works(p), "%d", errors[i]);
        CHECK(!refusals[RECV].error);
    }
    pool_free(p);
    CHECK(no_child_is_left());
}

TEST(a_call_that_a_signal_interrupts_is_made_again)
{
    static const enum call calls[] = {SENDMSG, RECV, RECV};
    struct pool *p = new_pool(true);
    for (int i = 0; i < (int)COUNT(calls); i++) {
        refuse(calls[i], 0, i / 2, EINTR); /* the request; the greeting; the reply */
        CHECK_MSG(works(p), "%d", i);
        CHECK(!refusals[calls[i]].error);
    }
    pool_free(p);
}

/* It used to be taken for the worker's death, and the picture for damaged. */
TEST(a_reply_that_cannot_be_read_is_a_fault_and_not_the_pictures)
{
    struct pool *p = new_pool(true);
    refuse(RECV, 0, 1, ENOMEM);
    struct outcome o = run(p, "FAULT:none", NULL);
    CHECK_MSG(o.code == -ENOMEM && strstr(o.fault.text, "cannot wait for a picture"), "code %d (%s)", o.code, o.fault.text);
    CHECK(works(p));
    pool_free(p);
    CHECK(no_child_is_left());
}

/* A job that came while a worker was started ahead used to be told of that one's failure. */
TEST(a_start_that_was_under_way_fails_for_nobody_who_came_later)
{
    struct pool *p = NULL;
    char file[LIMIT_PATH_BYTES + 32];
    struct fovea_fault fault = {0};
    (void)snprintf(file, sizeof file, "%s/fovea-worker", built("tests/fault"));
    job_waits = false;
    stillborn = EMFILE;
    CHECK_MSG(!pool_new_of(&(struct program){.path = file}, 1, &p, &fault), "%s", fault.text);
    for (int64_t until = clock_ms() + 5000; stillborn && clock_left(until);)
        (void)poll(NULL, 0, 1);
    CHECK(!stillborn); /* it is under way */
    struct outcome o = run(p, "FAULT:none", NULL);
    CHECK_MSG(o.picture, "%d (%s)", o.code, o.fault.text);
    pool_free(p);
    CHECK(no_child_is_left());
}
