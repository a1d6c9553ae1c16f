/* SPDX-License-Identifier: Apache-2.0 */
/* The pool against workers that misbehave in every way we know: each ends as it should, in time, and leaves nothing. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
#include "filter.h"
#include "processes.h"
#include "sandbox/check.h"
#include "sandbox/crew.h"
#include "sandbox/pool.h"
#include "sandbox/serve.h"

enum {
    LIMIT_MS = 250,     /* of what ends by it */
    PATIENCE_MS = 5000, /* of what does not, on a machine that has other things to do */
    SLACK_MS = JAIL_SANITIZED ? 1000 : 50, /* past the limit */
    DEATH_MS = JAIL_SANITIZED ? 1000 : 100, /* from the host's to its workers'; shadow memory takes long to go */
    NO_STATUS = 99,
};

/* ---------------------------------------------------------------- tools */

/* The folder of the fault worker, beside this program; with a name, a folder whose worker fails at birth like that. */
static const char *worker_dir(const char *name)
{
    static _Thread_local char dir[LIMIT_PATH_BYTES];
    char file[LIMIT_PATH_BYTES + 32];
    (void)snprintf(dir, sizeof dir, name ? "%s/tests/fault/%s" : "%s/tests/fault", build_folder(), name);
    if (name) {
        (void)mkdir(dir, 0755);
        (void)snprintf(file, sizeof file, "%s/fovea-worker", dir);
        (void)!symlink("../fovea-worker", file);
    }
    return dir;
}

static struct pool *pool_at(const char *dir, unsigned ready)
{
    struct pool *p = NULL;
    struct fovea_fault fault = {0};
    char path[LIMIT_PATH_BYTES + 32];
    (void)snprintf(path, sizeof path, "%s/fovea-worker", dir);
    CHECK_MSG(!pool_new_of(&(struct program){.path = path}, ready, &p, &fault), "%s", fault.text);
    return p;
}

struct outcome {
    int code;
    enum pool_end end;
    unsigned status;
    char detail[WORK_DETAIL];
    struct fovea_fault fault;
    int64_t ms;
    bool picture_ok;
};

/* A whole PNG that stays as it is while it is looked at. */
static bool picture_holds(const struct pool_output *o)
{
    static const uint8_t start[8] = "\x89PNG\r\n\x1a\n", end[8] = "IEND\xae\x42\x60\x82";
    bool good = true;
    for (int i = 0; i < 50 && good; i++)
        good = o->len > 60 && !memcmp(o->data, start, 8) && !memcmp(o->data + o->len - 8, end, 8);
    return good;
}

static struct work_request request_of(size_t len)
{
    return (struct work_request){.magic = WORK_MAGIC, .media = MEDIA_PNG, .input_len = len,
                                 .limits = {.max_edge = 1568, .max_bytes = 500 * 1024, .quality = 75}};
}

static const char *other_words; /* of the other input; NULL: there is none */

static struct outcome run_all(struct pool *p, const char *fault, int limit_ms, const fovea_cancel *cancel,
                              void (*meanwhile)(void *), void *arg)
{
    char text[64];
    struct outcome o = {.status = NO_STATUS};
    struct pool_output out = {0};
    int len = snprintf(text, sizeof text, "FAULT:%s", fault);
    auto_close int input = memfd_create("input", MFD_CLOEXEC);
    (void)!write(input, text, (size_t)len);
    struct work_request request = request_of((size_t)len);
    auto_close int other = memfd_create("other", MFD_CLOEXEC);
    request.other_len = other_words ? strlen(other_words) : 0;
    (void)!write(other, other_words, (size_t)request.other_len);
    int64_t start = clock_ms();
    struct pool_job job = {.request = &request,
                           .input = input,
                           .other = other,
                           .limit_ms = limit_ms,
                           .cancel = cancel,
                           .meanwhile = meanwhile,
                           .arg = arg};
    o.code = pool_run(p, &job, &o.end, &out, &o.fault);
    o.ms = clock_ms() - start;
    if (!o.code && o.end == POOL_DONE) {
        o.status = out.reply.status;
        memcpy(o.detail, out.reply.detail, sizeof o.detail);
        o.picture_ok = out.data && picture_holds(&out);
        pool_output_done(&out);
    }
    return o;
}

static struct outcome run_with(struct pool *p, const char *fault, int limit_ms, void (*meanwhile)(void *), void *arg)
{
    return run_all(p, fault, limit_ms, NULL, meanwhile, arg);
}

static struct outcome run(struct pool *p, const char *fault)
{
    return run_with(p, fault, PATIENCE_MS, NULL, NULL);
}

static bool honest_job_works(struct pool *p)
{
    struct outcome o = run_with(p, "none", 5000, NULL, NULL);
    return !o.code && o.end == POOL_DONE && o.status == WORK_OK && o.picture_ok;
}

/* Waits until n children are left and it stays so: ready workers come, ended ones vanish. */
static bool children_become(int n)
{
    int same = 0;
    for (int i = 0; i < 400 && same < 4; i++, usleep(5000))
        same = children_of(getpid(), NULL) == n ? same + 1 : 0;
    return same == 4;
}

/* When none come and go any more. */
static int count_fds(void)
{
    int n = fds_of(getpid()), same = 0;
    for (int i = 0; i < 400 && same < 4; i++, usleep(2000)) {
        int now = fds_of(getpid());
        same = now == n ? same + 1 : 0;
        n = now;
    }
    return n;
}

static void sleep_ms(int ms)
{
    (void)poll(NULL, 0, ms);
}

/* ---------------------------------------------------------------- faults of a job */

static const struct row {
    const char *fault;
    enum pool_end end;
    unsigned status;
} rows[] = {
    {"none", POOL_DONE, WORK_OK},
    {"refuse", POOL_DONE, WORK_MALFORMED},
    {"slow", POOL_DONE, WORK_OK},
    {"two-replies", POOL_DONE, WORK_OK},
    {"fds-with-reply", POOL_DONE, WORK_OK},
    {"oom", POOL_DONE, JAIL_SANITIZED ? WORK_UNSUPPORTED : WORK_NO_MEMORY},
    {"garbage", POOL_DIED, NO_STATUS},
    {"short-reply", POOL_DIED, NO_STATUS},
    {"empty-reply", POOL_DIED, NO_STATUS},
    {"long-reply", POOL_DIED, NO_STATUS},
    {"wrong-magic", POOL_DIED, NO_STATUS},
    {"wrong-status", POOL_DIED, NO_STATUS},
    {"endless-detail", POOL_DIED, NO_STATUS},
    {"escape-in-detail", POOL_DIED, NO_STATUS},
    {"huge-length", POOL_DIED, NO_STATUS},
    {"no-length", POOL_DIED, NO_STATUS},
    {"lying-size", POOL_DIED, NO_STATUS},
    {"lying-length", POOL_DIED, NO_STATUS},
    {"lying-media", POOL_DIED, NO_STATUS},
    {"barred-media", POOL_DIED, NO_STATUS},
    {"lying-dimensions", POOL_DIED, NO_STATUS},
    {"lying-header", POOL_DIED, NO_STATUS},
    {"crop-outside", POOL_DIED, NO_STATUS},
    {"source-of-nothing", POOL_DIED, NO_STATUS},
    {"unknown-fact", POOL_DIED, NO_STATUS},
    {"preview-unasked", POOL_DIED, NO_STATUS},
    {"crash", POOL_DIED, NO_STATUS},
    {"abort", POOL_DIED, NO_STATUS},
    {"exit-0", POOL_DIED, NO_STATUS},
    {"exit-1", POOL_DIED, NO_STATUS},
    {"closed-socket", POOL_DIED, NO_STATUS},
    {"fork", POOL_DIED, NO_STATUS},
    {"open", POOL_DIED, NO_STATUS},
    {"output-beyond-limit", POOL_DIED, NO_STATUS},
    {"fd-bomb", POOL_DIED, NO_STATUS},
    {"writable-mapping", POOL_DIED, NO_STATUS},
    {"hang", POOL_TIMED_OUT, NO_STATUS},
    {"spin", POOL_TIMED_OUT, NO_STATUS},
    {"stop", POOL_TIMED_OUT, NO_STATUS},
};

static bool ended_as(const struct row *row, const struct outcome *o)
{
    return !o->code && o->end == row->end && o->status == row->status && (o->status != WORK_OK || o->picture_ok);
}

TEST(every_fault_ends_as_it_should_and_leaves_nothing_behind)
{
    struct pool *p = pool_at(worker_dir(NULL), 1);
    CHECK(honest_job_works(p) && children_become(1));
    int fds = count_fds();
    for (size_t i = 0; i < COUNT(rows); i++) {
        int limit = rows[i].end == POOL_TIMED_OUT ? LIMIT_MS : PATIENCE_MS;
        struct outcome o = run_with(p, rows[i].fault, limit, NULL, NULL);
        CHECK_MSG(ended_as(&rows[i], &o), "%s: code %d (%s), end %d, status %u", rows[i].fault, o.code, o.fault.text,
                  (int)o.end, o.status);
        CHECK_MSG(o.ms <= limit + SLACK_MS, "%s: took %d ms", rows[i].fault, (int)o.ms);
        CHECK_MSG(honest_job_works(p), "after %s", rows[i].fault);
        CHECK_MSG(children_become(1), "%s: %d children", rows[i].fault, children_of(getpid(), NULL));
        CHECK_MSG(count_fds() == fds, "%s: %d descriptors instead of %d", rows[i].fault, count_fds(), fds);
    }
    pool_free(p);
    CHECK(children_of(getpid(), NULL) == 0);
}

TEST(what_a_worker_writes_after_its_reply_does_not_arrive)
{
    static const char *const faults[] = {"writes-on", "grows-on"};
    struct pool *p = pool_at(worker_dir(NULL), 2);
    for (int i = 0; i < 40; i++) {
        struct outcome o = run(p, faults[i % 2]);
        /* Sealed in time: whole and still. Too late: noticed. */
        CHECK_MSG(!o.code && (o.end == POOL_DIED || (o.end == POOL_DONE && o.picture_ok)), "code %d end %d", o.code,
                  (int)o.end);
    }
    pool_free(p);
}

static void *mixed_faults(void *arg)
{
    unsigned seed = 7;
    for (int i = 0; i < 50; i++) {
        seed = seed * 1103515245u + 12345u;
        const struct row *row = &rows[(seed >> 16) % COUNT(rows)];
        struct outcome o = run_with(arg, row->fault, row->end == POOL_TIMED_OUT ? 60 : 5000, NULL, NULL);
        CHECK_MSG(ended_as(row, &o), "%s: code %d (%s) end %d status %u", row->fault, o.code, o.fault.text, (int)o.end,
                  o.status);
    }
    return NULL;
}

TEST(two_hundred_mixed_faults_from_four_threads)
{
    struct pool *p = pool_at(worker_dir(NULL), 2);
    CHECK(honest_job_works(p) && children_become(2));
    int fds = count_fds();
    pthread_t t[4];
    for (size_t i = 0; i < COUNT(t); i++)
        CHECK(!pthread_create(&t[i], NULL, mixed_faults, p));
    for (size_t i = 0; i < COUNT(t); i++)
        (void)pthread_join(t[i], NULL);
    CHECK(honest_job_works(p));
    CHECK(children_become(2));
    CHECK_MSG(count_fds() == fds, "%d instead of %d", count_fds(), fds);
    pool_free(p);
    CHECK(children_of(getpid(), NULL) == 0);
}

static atomic_bool enough;

static void *honest_until_enough(void *arg)
{
    while (!enough)
        CHECK(honest_job_works(arg));
    return NULL;
}

static int zombies_of_ours(void)
{
    pid_t ids[CHILDREN] = {0};
    int n = 0, count = MIN(children_of(getpid(), ids), CHILDREN);
    for (int i = 0; i < count; i++) {
        siginfo_t ended = {0};
        n += !waitid(P_PID, (id_t)ids[i], &ended, WEXITED | WNOHANG | WNOWAIT) && ended.si_pid;
    }
    return n;
}

/* The keeper used to start one after the other for as long as somebody waited, and had up to 60 zombies meanwhile. */
TEST(the_ended_are_reaped_while_jobs_keep_coming)
{
    struct pool *p = pool_at(worker_dir(NULL), 0);
    pthread_t t[6];
    int most = 0;
    enough = false;
    for (size_t i = 0; i < COUNT(t); i++)
        CHECK(!pthread_create(&t[i], NULL, honest_until_enough, p));
    for (int i = 0; i < 60; i++, sleep_ms(10))
        most = MAX(most, zombies_of_ours());
    enough = true;
    for (size_t i = 0; i < COUNT(t); i++)
        (void)pthread_join(t[i], NULL);
    CHECK_MSG(most <= 2 * (int)COUNT(t), "%d zombies at once", most);
    pool_free(p);
}

/* ---------------------------------------------------------------- faults of a start */

static void start_fails(const char *dir, int code, const char *text)
{
    for (unsigned ready = 0; ready < 3; ready += 2) {
        struct pool *p = pool_at(dir, ready);
        int fds = count_fds();
        for (int i = 0; i < 2; i++) {
            struct outcome o = run(p, "none");
            CHECK_MSG(o.code == code && strstr(o.fault.text, text), "%s: code %d, '%s'", dir, o.code, o.fault.text);
        }
        pool_free(p);
        CHECK(children_of(getpid(), NULL) == 0);
        CHECK(count_fds() <= fds);
    }
}

TEST(a_worker_that_is_not_there_is_a_fault_that_names_it)
{
    start_fails("/nonexistent", -ENOENT, "cannot start \"/nonexistent/fovea-worker\": No such file or directory; see fovea doctor");
    start_fails("/dev/null", -ENOTDIR, "cannot start \"/dev/null/fovea-worker\": Not a directory; see fovea doctor");
}

TEST(a_worker_that_ends_before_its_greeting_is_a_fault)
{
    start_fails(worker_dir("hello-exit"), -EPIPE, "it ended before it was ready");
    start_fails(worker_dir("hello-crash"), -EPIPE, "it ended before it was ready");
}

TEST(a_greeting_of_another_build_is_a_fault)
{
    start_fails(worker_dir("hello-garbage"), -EPROTO, "it is not of this build");
}

TEST(a_layer_that_does_not_stand_is_a_fault_that_names_it)
{
    start_fails(worker_dir("hello-no-landlock"), -ENOSYS,
                "sandbox unavailable: landlock (Operation not supported); see fovea doctor");
    start_fails(worker_dir("hello-nameless"), -ENOSYS, "sandbox unavailable: landlock (unknown error); see fovea doctor");
    start_fails(worker_dir("hello-late"), -ENOSYS,
                "sandbox unavailable: landlock (Operation not supported); see fovea doctor");
}

TEST(a_worker_that_never_greets_is_given_up_in_time)
{
    struct pool *p = pool_at(worker_dir("hello-hang"), 0);
    struct outcome o = run(p, "none");
    CHECK_MSG(o.code == -ETIMEDOUT && strstr(o.fault.text, "it was not ready in time"), "%s", o.fault.text);
    CHECK_MSG(o.ms <= LIMIT_WORKER_START_MS + SLACK_MS, "%d ms", (int)o.ms);
    pool_free(p);
    CHECK(children_of(getpid(), NULL) == 0);
}

/* ---------------------------------------------------------------- the ready ones */

TEST(a_worker_starts_with_nothing_of_its_parents)
{
    auto_close int leak = open("/dev/null", O_RDONLY); /* without close-on-exec on purpose */
    CHECK(leak >= 0);
    sigset_t usr1, before;
    void (*was)(int) = signal(SIGPIPE, SIG_IGN);
    (void)sigemptyset(&usr1);
    (void)sigaddset(&usr1, SIGUSR1);
    (void)pthread_sigmask(SIG_BLOCK, &usr1, &before);
    struct pool *p = pool_at(worker_dir(NULL), 1);
    struct outcome o = run_with(p, "birth", 5000, NULL, NULL);
    CHECK_STR(o.detail, "env 0 fds 4 blocked 0 ignored 0 session own");
    pool_free(p);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)signal(SIGPIPE, was);
}

/* 0 would be all of us. */
static void slay(pid_t pid)
{
    CHECK(pid > 0 && kill(pid, SIGKILL) == 0);
}

TEST(a_worker_that_was_killed_while_waiting_is_replaced_silently)
{
    struct pool *p = pool_at(worker_dir(NULL), 3);
    CHECK(honest_job_works(p) && children_become(3));
    for (int round = 0; round < 3; round++) {
        pid_t ids[CHILDREN] = {0};
        CHECK(children_of(getpid(), ids) == 3);
        for (int i = 0; i <= round; i++)
            slay(ids[i]);
        CHECK(children_become(2 - round)); /* no zombie is left waiting for a job */
        CHECK(honest_job_works(p));
        for (int i = 0; i < 3; i++)
            CHECK(honest_job_works(p));
        CHECK(children_become(3));
    }
    pool_free(p);
}

TEST(hello_tells_the_codecs_and_the_landlock_abi)
{
    struct pool *p = pool_at(worker_dir(NULL), 0);
    struct work_hello hello = {0};
    struct fovea_fault fault = {0};
    CHECK_MSG(!pool_hello(p, &hello, &fault), "%s", fault.text);
    CHECK_STR(hello.codecs, "nothing but faults");
    CHECK(hello.landlock_abi >= 1 && hello.error == 0);
    CHECK(honest_job_works(p));
    pool_free(p);
}

TEST(hello_of_a_worker_that_cannot_begin_is_a_fault)
{
    struct pool *p = pool_at(worker_dir("hello-late"), 0);
    struct work_hello hello = {0};
    struct fovea_fault fault = {0};
    CHECK(pool_hello(p, &hello, &fault) == -ENOSYS && !hello.magic);
    CHECK_STR(fault.text, "sandbox unavailable: landlock (Operation not supported); see fovea doctor");
    pool_free(p);
    p = pool_at("/nonexistent", 0);
    CHECK(pool_hello(p, &hello, &fault) == -ENOENT);
    pool_free(p);
    CHECK(children_of(getpid(), NULL) == 0);
}

/* It is known already, so only its silence is looked at. */
TEST(one_that_greeted_and_was_killed_then_is_replaced_silently)
{
    struct pool *p = pool_at(worker_dir(NULL), 1);
    struct work_hello hello = {0};
    struct fovea_fault fault = {0};
    CHECK_MSG(!pool_hello(p, &hello, &fault), "%s", fault.text);
    pid_t ids[CHILDREN] = {0};
    int n = children_of(getpid(), ids); /* it, and perhaps one more that was started while it greeted */
    CHECK(n >= 1);
    for (int i = 0; i < n; i++)
        slay(ids[i]);
    CHECK(children_become(0));
    CHECK(honest_job_works(p));
    pool_free(p);
}

TEST(prepare_starts_one_worker_however_often_it_is_called)
{
    struct pool *p = pool_at(worker_dir(NULL), 0);
    for (int i = 0; i < 20; i++)
        pool_prepare(p);
    CHECK(children_become(1));
    sleep_ms(20);
    CHECK(children_become(1));
    CHECK(honest_job_works(p));
    CHECK(children_become(0));
    pool_free(p);
}

/* Its file was not there, or something else. */
TEST(a_worker_for_a_job_that_never_comes_ends)
{
    struct pool *p = pool_at(worker_dir(NULL), 0);
    pool_prepare(p);
    CHECK(children_become(1));
    sleep_ms(LIMIT_EXPECTED_MS);
    CHECK(children_become(0));
    pool_ready(p, 1); /* but those that are to wait stay */
    pool_prepare(p);
    CHECK(children_become(1));
    sleep_ms(LIMIT_EXPECTED_MS + 200);
    CHECK(children_become(1));
    CHECK(honest_job_works(p));
    pool_free(p);
}

/* ---------------------------------------------------------------- too little of something */

enum { HELD_MS = LIMIT_WORKER_START_MS + 700 };

static void *hold_place(void *arg)
{
    struct outcome o = run_with(arg, "hang", HELD_MS, NULL, NULL);
    CHECK_MSG(!o.code && o.end == POOL_TIMED_OUT, "code %d (%s)", o.code, o.fault.text);
    return NULL;
}

TEST(a_job_waits_for_a_place_as_long_as_others_may_hold_one)
{
    struct pool *p = pool_at(worker_dir(NULL), 0);
    pthread_t t[LIMIT_WORKERS];
    for (size_t i = 0; i < COUNT(t); i++)
        CHECK(!pthread_create(&t[i], NULL, hold_place, p));
    for (int i = 0; i < 400 && children_of(getpid(), NULL) < LIMIT_WORKERS; i++)
        sleep_ms(5);
    CHECK(children_of(getpid(), NULL) == LIMIT_WORKERS);
    sleep_ms(100);
    struct outcome o = run_with(p, "none", 5000, NULL, NULL);
    CHECK_MSG(!o.code && o.end == POOL_DONE && o.picture_ok, "code %d (%s)", o.code, o.fault.text);
    for (size_t i = 0; i < COUNT(t); i++)
        (void)pthread_join(t[i], NULL);
    pool_free(p);
    CHECK(children_of(getpid(), NULL) == 0);
}

TEST(a_job_that_finds_no_place_says_so)
{
    struct fovea_fault fault = {0};
    CHECK(crew_fault(NULL, NULL, -EBUSY, &fault) == -EBUSY);
    CHECK_STR(fault.text, "all 64 workers are busy; try again");
}

TEST(a_pool_without_descriptors_says_so)
{
    struct rlimit old, none;
    struct pool *p = NULL;
    struct fovea_fault fault = {0};
    CHECK(!getrlimit(RLIMIT_NOFILE, &old));
    none = (struct rlimit){0, old.rlim_max};
    CHECK(!setrlimit(RLIMIT_NOFILE, &none));
    int code = pool_new_of(&(struct program){.path = "/nonexistent"}, 0, &p, &fault);
    CHECK(!setrlimit(RLIMIT_NOFILE, &old));
    CHECK_MSG(code == -EMFILE, "%d", code);
    CHECK_STR(fault.text, "cannot keep workers: Too many open files");
}

static void forbid_memory(void *arg)
{
    struct rlimit few = *(struct rlimit *)arg;
    few.rlim_cur = 1;
    CHECK(!setrlimit(RLIMIT_AS, &few));
}

/* What we lack is no sign of a hostile picture. */
TEST(an_output_that_cannot_be_mapped_is_a_fault)
{
    struct rlimit old;
    if (JAIL_SANITIZED)
        SKIP("a sanitizer needs memory of its own");
    CHECK(!getrlimit(RLIMIT_AS, &old));
    struct pool *p = pool_at(worker_dir(NULL), 0);
    struct outcome o = run_with(p, "slow", 5000, forbid_memory, &old);
    CHECK(!setrlimit(RLIMIT_AS, &old));
    CHECK_MSG(o.code == -ENOMEM, "code %d, end %d", o.code, (int)o.end);
    CHECK_STR(o.fault.text, "cannot map the picture: Cannot allocate memory");
    CHECK(honest_job_works(p));
    pool_free(p);
}

static void count_call(void *arg)
{
    *(int *)arg += 1;
}

TEST(meanwhile_runs_once_while_the_worker_works)
{
    struct pool *p = pool_at(worker_dir(NULL), 1);
    int calls = 0;
    struct outcome o = run_with(p, "slow", 5000, count_call, &calls);
    CHECK(calls == 1 && o.end == POOL_DONE && o.status == WORK_OK);
    pool_free(p);
}

TEST(a_pool_can_be_freed_at_once)
{
    int fds = count_fds();
    for (int i = 0; i < 20; i++)
        pool_free(pool_at(worker_dir(NULL), 4));
    pool_free(NULL);
    crew_free(NULL);
    CHECK(children_of(getpid(), NULL) == 0);
    CHECK(count_fds() == fds);
}

/* ---------------------------------------------------------------- cancel */

/* The one who strikes may begin to count a little before the one who waits. */
enum { STRIKE_EARLY_MS = 20, STRIKE_MS = 50, CANCEL_MS = JAIL_SANITIZED ? 1000 : 100 };

static void *strike_soon(void *arg)
{
    sleep_ms(STRIKE_MS);
    fovea_cancel_now(arg);
    return NULL;
}

/* A job that would last is cancelled in time, and one with a cancel that struck before does not begin. */
static void check_cancel(struct pool *p, const char *fault)
{
    fovea_cancel *c = NULL;
    pthread_t t;
    CHECK(!fovea_cancel_new(&c, &(struct fovea_fault){0}));
    CHECK(!pthread_create(&t, NULL, strike_soon, c));
    struct outcome o = run_all(p, fault, 5000, c, NULL, NULL);
    (void)pthread_join(t, NULL);
    CHECK_MSG(o.code == -ECANCELED && o.ms >= STRIKE_MS - STRIKE_EARLY_MS && o.ms < STRIKE_MS + CANCEL_MS, "%s: code %d (%s), %d ms", fault,
              o.code, o.fault.text, (int)o.ms);
    CHECK_STR(o.fault.text, "the call was cancelled");
    o = run_all(p, fault, 5000, c, NULL, NULL);
    CHECK(o.code == -ECANCELED && o.ms < CANCEL_MS);
    fovea_cancel_reset(c);
    fovea_cancel_free(c);
}

TEST(a_cancel_kills_the_worker_at_once_and_leaves_no_child)
{
    static const char *const faults[] = {"hang", "spin", "stop"};
    struct pool *p = pool_at(worker_dir(NULL), 1);
    for (size_t i = 0; i < COUNT(faults); i++)
        check_cancel(p, faults[i]);
    CHECK(children_become(1) && honest_job_works(p));
    pool_free(p);
    CHECK(children_of(getpid(), NULL) == 0);
}

TEST(a_cancel_ends_the_wait_for_a_greeting)
{
    for (unsigned ready = 0; ready < 2; ready++) {
        struct pool *p = pool_at(worker_dir("hello-hang"), ready);
        check_cancel(p, "none");
        CHECK(children_become((int)ready));
        pool_free(p);
        CHECK(children_of(getpid(), NULL) == 0);
    }
}

static fovea_cancel *let_go;
static atomic_int held;

static void count_held(void *arg)
{
    (void)arg;
    held++;
}

static void *hold_a_place(void *arg)
{
    struct outcome o = run_all(arg, "hang", 60000, let_go, count_held, NULL);
    CHECK_MSG(o.code == -ECANCELED, "code %d (%s)", o.code, o.fault.text);
    return NULL;
}

TEST(a_cancel_ends_the_wait_for_a_place)
{
    struct pool *p = pool_at(worker_dir(NULL), 0);
    pthread_t t[LIMIT_WORKERS];
    CHECK(!fovea_cancel_new(&let_go, &(struct fovea_fault){0}));
    for (size_t i = 0; i < COUNT(t); i++)
        CHECK(!pthread_create(&t[i], NULL, hold_a_place, p));
    for (int i = 0; i < 4000 && held < LIMIT_WORKERS; i++)
        sleep_ms(5);
    CHECK(held == LIMIT_WORKERS && children_of(getpid(), NULL) == LIMIT_WORKERS);
    check_cancel(p, "none");
    fovea_cancel_now(let_go);
    for (size_t i = 0; i < COUNT(t); i++)
        (void)pthread_join(t[i], NULL);
    fovea_cancel_free(let_go);
    pool_free(p);
    CHECK(children_of(getpid(), NULL) == 0);
}

TEST(a_cancel_that_does_not_strike_changes_nothing)
{
    struct pool *p = pool_at(worker_dir(NULL), 0);
    fovea_cancel *c = NULL;
    CHECK(!fovea_cancel_new(&c, &(struct fovea_fault){0}));
    for (int i = 0; i < 3; i++) {
        struct outcome o = run_all(p, "none", 5000, c, NULL, NULL);
        CHECK_MSG(!o.code && o.end == POOL_DONE && o.picture_ok, "%s", o.fault.text);
    }
    struct outcome o = run_all(p, "hang", LIMIT_MS, c, NULL, NULL);
    CHECK(!o.code && o.end == POOL_TIMED_OUT);
    fovea_cancel_free(c);
    pool_free(p);
}

TEST(how_many_wait_can_be_changed_at_any_time)
{
    struct pool *p = pool_at(worker_dir(NULL), 0);
    int fds = count_fds();
    static const unsigned steps[] = {3, 1, 4, 0, 2, 0};
    for (size_t i = 0; i < COUNT(steps); i++) {
        pool_ready(p, steps[i]);
        CHECK_MSG(children_become((int)steps[i]), "%u", steps[i]);
        CHECK(honest_job_works(p));
        CHECK_MSG(children_become((int)steps[i]), "%u after a job", steps[i]);
    }
    CHECK(count_fds() == fds);
    pool_free(p);
    CHECK(children_of(getpid(), NULL) == 0);
}

TEST(those_too_many_end_even_when_they_are_dead_already)
{
    struct pool *p = pool_at(worker_dir(NULL), 2);
    pid_t ids[CHILDREN] = {0};
    CHECK(children_become(2) && children_of(getpid(), ids) == 2);
    slay(ids[0]);
    CHECK(children_become(1)); /* it keeps its place, and is off the process table */
    pool_ready(p, 0);
    CHECK(children_become(0));
    CHECK(honest_job_works(p));
    pool_free(p);
    CHECK(children_of(getpid(), NULL) == 0);
}

/* ---------------------------------------------------------------- hosts */

TEST(a_host_that_ignores_or_reaps_all_children_does_no_harm)
{
    void (*was)(int) = signal(SIGCHLD, SIG_IGN);
    struct pool *p = pool_at(worker_dir(NULL), 1);
    for (int i = 0; i < 5; i++)
        CHECK(honest_job_works(p));
    (void)signal(SIGCHLD, was);
    for (int i = 0; i < 5; i++) {
        CHECK(honest_job_works(p));
        sleep_ms(5);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
    pool_free(p);
    CHECK(children_of(getpid(), NULL) == 0);
}

static void *make_pool(void *arg)
{
    *(struct pool **)arg = pool_at(worker_dir(NULL), 2);
    CHECK(honest_job_works(*(struct pool **)arg));
    return NULL;
}

TEST(workers_outlive_the_thread_that_made_the_pool)
{
    struct pool *p = NULL;
    pthread_t t;
    CHECK(!pthread_create(&t, NULL, make_pool, &p));
    (void)pthread_join(t, NULL);
    CHECK(children_become(2));
    pid_t before[CHILDREN] = {0}, after[CHILDREN] = {0};
    (void)children_of(getpid(), before);
    sleep_ms(50);
    CHECK(children_of(getpid(), after) == 2 && !memcmp(before, after, sizeof before));
    CHECK(honest_job_works(p));
    pool_free(p);
}

/* A process with a worker that spins and one that waits; it tells that it has them by a byte on the pipe. */
static void tell(void *arg)
{
    (void)!write(*(int *)arg, "x", 1);
}

static void host_dies_after(int ms)
{
    int pipe_fd[2];
    char byte;
    CHECK(!pipe2(pipe_fd, O_CLOEXEC));
    pid_t host = fork();
    if (!host) {
        struct pool *p = pool_at(worker_dir(NULL), 1);
        (void)run_with(p, "spin", 60000, tell, &pipe_fd[1]);
        _exit(0);
    }
    CHECK(read(pipe_fd[0], &byte, 1) == 1);
    pid_t ids[CHILDREN] = {0};
    for (int i = 0; i < 100 && children_of(host, ids) < 2; i++)
        sleep_ms(5);
    struct pollfd ends[2];
    for (size_t i = 0; i < COUNT(ends); i++)
        ends[i] = (struct pollfd){.fd = (int)syscall(SYS_pidfd_open, ids[i], 0), .events = POLLIN};
    sleep_ms(ms);
    (void)kill(host, SIGKILL);
    int64_t start = clock_ms();
    for (size_t i = 0; i < COUNT(ends); i++)
        CHECK(ends[i].fd >= 0 && poll(&ends[i], 1, 2 * DEATH_MS) == 1);
    CHECK_MSG(clock_ms() - start <= DEATH_MS, "%d ms", (int)(clock_ms() - start));
    (void)waitpid(host, NULL, 0);
    for (size_t i = 0; i < COUNT(ends); i++)
        close_fd(ends[i].fd);
    close_fd(pipe_fd[0]);
    close_fd(pipe_fd[1]);
}

TEST(workers_die_at_once_with_their_parent_even_in_the_middle_of_work)
{
    for (int i = 0; i < 3; i++)
        host_dies_after(200);
}

TEST(workers_die_with_their_parent_while_they_start)
{
    for (int i = 0; i < 20; i++)
        host_dies_after(0);
}

/* ---------------------------------------------------------------- another input */

TEST(another_input_arrives_beside_the_first_and_only_when_there_is_one)
{
    struct pool *p = pool_at(worker_dir(NULL), 1);
    struct outcome none = run(p, "other");
    CHECK_STR(none.detail, "there is none");
    other_words = "the words of the other one";
    struct outcome some = run(p, "other");
    CHECK_STR(some.detail, other_words);
    other_words = NULL;
    pool_free(p);
}

static void send_with(int socket, size_t n)
{
    int fds[8] = {0};
    struct work_request q = {.magic = WORK_MAGIC};
    union {
        char bytes[CMSG_SPACE(sizeof fds)];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec words = {.iov_base = &q, .iov_len = sizeof q};
    struct msghdr m = {.msg_iov = &words, .msg_iovlen = 1, .msg_control = control.bytes,
                       .msg_controllen = CMSG_SPACE(n * sizeof *fds)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n * sizeof *fds);
    memcpy(CMSG_DATA(c), fds, n * sizeof *fds);
    CHECK(sendmsg(socket, &m, MSG_NOSIGNAL) == sizeof q);
}

/* Runs as a worker would, in a process of its own: its socket has a number. */
static int received(size_t n)
{
    int pair[2], status = -1;
    CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair));
    pid_t child = fork();
    if (!child) {
        struct work_request q;
        int fds[SERVE_FDS], got = 0;
        (void)dup2(pair[1], WORK_SOCKET);
        int e = serve_receive(&q, fds);
        for (size_t i = 0; !e && i < SERVE_FDS; i++)
            got += fds[i] >= 0;
        _exit(e ? 100 : got);
    }
    send_with(pair[0], n);
    (void)waitpid(child, &status, 0);
    (void)close(pair[0]);
    (void)close(pair[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(a_worker_takes_three_descriptors_and_no_request_with_many)
{
    CHECK(received(2) == 2);
    CHECK(received(3) == 3);
    CHECK(received(8) == 100);
}
