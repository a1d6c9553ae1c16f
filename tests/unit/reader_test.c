/* SPDX-License-Identifier: Apache-2.0 */
/* Readers: they stay, they die when they should, they can be cancelled and narrowed, and nothing of them is left. */
#include "source/reader.h"

#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "filter.h"
#include "place.h"
#include "processes.h"
#include "source/folder.h"
#include "source/gate_priv.h"
#include "source/reader_priv.h"
#include "test.h"

enum {
    SOON_MS = JAIL_SANITIZED ? 1000 : 100, /* shadow memory takes long to go */
    HELD = 3, /* descriptors of a reader: socket, pipe, the one root */
};

/* The clock goes on by so many ms when a test says so. */
static atomic_long skew;
int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    int r = __real_clock_gettime(id, t);
    t->tv_sec += skew / 1000;
    return r;
}

/* A verdict, or the code of a fault. */
static int take_text(const struct place *p, const char *ref, const struct snapshot_scope *scope,
                     struct snapshot_lines *ret)
{
    struct ref_variants v = {0};
    struct fovea_fault fault = {0};
    enum snapshot_verdict verdict = SNAPSHOT_ABSENT;
    CHECK(!ref_variants(ref, NULL, &v));
    int r = snapshot_take_lines(p->g, &v, scope, 1, UINT64_MAX, &verdict, ret, &fault);
    ref_variants_done(&v);
    return r < 0 ? r : (int)verdict;
}

static int take_bytes(const struct place *p, const char *ref, const struct snapshot_scope *scope)
{
    struct ref_variants v = {0};
    struct fovea_fault fault = {0};
    struct snapshot s = {.fd = -1};
    enum snapshot_verdict verdict = SNAPSHOT_ABSENT;
    CHECK(!ref_variants(ref, NULL, &v));
    int r = snapshot_take(p->g, &v, scope, MIB, &verdict, &s, &fault);
    ref_variants_done(&v);
    snapshot_done(&s);
    return r < 0 ? r : (int)verdict;
}

static bool reads_inside(const struct place *p)
{
    struct snapshot_lines l = {0};
    bool good = take_text(p, "a", NULL, &l) == SNAPSHOT_TAKEN && l.text && !strcmp(l.text, TREE_INSIDE);
    snapshot_lines_done(&l);
    return good;
}

TEST(no_reader_is_started_before_the_first_job_and_one_serves_many)
{
    cleanup(place_done) struct place p;
    pid_t first[CHILDREN] = {0}, last[CHILDREN] = {0};
    place_init(&p, "R/a");
    CHECK(children_of(getpid(), first) == 0);
    CHECK(reads_inside(&p) && children_of(getpid(), first) == 1);
    int fds = fds_of(getpid());
    for (int i = 0; i < 10000; i++)
        CHECK(reads_inside(&p));
    for (int i = 0; i < 1000; i++)
        CHECK(take_bytes(&p, i & 1 ? "a" : "none", NULL) == (i & 1 ? SNAPSHOT_TAKEN : SNAPSHOT_ABSENT));
    CHECK(children_of(getpid(), last) == 1 && first[0] == last[0]);
    CHECK_MSG(fds_of(getpid()) == fds, "%d instead of %d", fds_of(getpid()), fds);
    CHECK_MSG(fds_of(first[0]) == HELD, "%d", fds_of(first[0])); /* none of ours, none of the files */
    gate_free(take(p.g));
    CHECK(children_of(getpid(), last) == 0);
}

TEST(a_reader_found_dead_costs_another_try)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/a");
    for (int i = 0; i < 20; i++) {
        pid_t ids[CHILDREN] = {0};
        CHECK(reads_inside(&p));
        CHECK(children_of(getpid(), ids) == 1 && !kill(ids[0], SIGKILL));
        if (i & 1)
            (void)poll(NULL, 0, 5);
    }
    CHECK(reads_inside(&p));
}

static void *read_many(void *arg)
{
    for (int i = 0; i < 500; i++)
        CHECK(reads_inside(arg));
    return NULL;
}

TEST(threads_share_readers_and_none_outlives_the_gate)
{
    cleanup(place_done) struct place p;
    pid_t ids[CHILDREN];
    place_init(&p, "R/a");
    pthread_t t[8];
    for (size_t i = 0; i < COUNT(t); i++)
        CHECK(!pthread_create(&t[i], NULL, read_many, &p));
    for (size_t i = 0; i < COUNT(t); i++)
        CHECK(!pthread_join(t[i], NULL));
    int n = children_of(getpid(), ids);
    CHECK_MSG(n >= 1 && n <= (int)COUNT(t), "%d", n);
    CHECK(reads_inside(&p)); /* those who started them are gone */
    gate_free(take(p.g));
    CHECK(children_of(getpid(), ids) == 0);
}

/* ---------------------------------------------------------------- jobs that do not end */

static void sleep_for_ever(const struct reader_job *job, struct reader_report *report)
{
    (void)job, (void)report;
    for (;;)
        (void)poll(NULL, 0, 1000);
}

static void spin_for_ever(const struct reader_job *job, struct reader_report *report)
{
    (void)job;
    for (;;)
        atomic_fetch_add(&report->progress, 1);
}

static void tell_and_sleep(const struct reader_job *job, struct reader_report *report)
{
    (void)!write(job->fd, "x", 1);
    sleep_for_ever(job, report);
}

static int run_job(const struct place *p, void (*run)(const struct reader_job *, struct reader_report *),
                   const fovea_cancel *cancel, int fd, int total_ms)
{
    struct ref_variants none = {0};
    struct reader_report report = {0};
    struct fovea_fault fault = {0};
    struct reader_job job = {
        .run = run, .gate = p->g, .variants = &none, .cancel = cancel, .total_ms = total_ms, .fd = fd};
    int r = reader_run(&job, &report, &fault);
    return r < 0 ? r : (int)report.verdict;
}

static void *strike_soon(void *arg)
{
    (void)poll(NULL, 0, 50);
    fovea_cancel_now(arg);
    return NULL;
}

static void check_cancel(const struct place *p, void (*run)(const struct reader_job *, struct reader_report *))
{
    fovea_cancel *c = NULL;
    struct fovea_fault fault = {0};
    pthread_t t;
    CHECK(!fovea_cancel_new(&c, &fault));
    CHECK(!pthread_create(&t, NULL, strike_soon, c));
    int64_t start = clock_ms();
    int r = run ? run_job(p, run, c, -1, 60000)
                : take_bytes(p, "slow/x.png", &(struct snapshot_scope){.cancel = c});
    int64_t took = clock_ms() - start;
    CHECK_MSG(r == -ECANCELED, "%d", r);
    CHECK_MSG(took >= 50 && took < 50 + SOON_MS, "%ld ms", (long)took);
    CHECK(!pthread_join(t, NULL));
    start = clock_ms();
    CHECK(run_job(p, sleep_for_ever, c, -1, 60000) == -ECANCELED && clock_ms() - start < 1000); /* it stays struck */
    fovea_cancel_free(c);
    CHECK(reads_inside(p));
}

TEST(a_cancel_ends_a_read_at_once)
{
    cleanup(place_done) struct place p;
    pid_t ids[CHILDREN];
    place_init(&p, "R/a");
    check_cancel(&p, sleep_for_ever);
    check_cancel(&p, spin_for_ever);
    CHECK(children_of(getpid(), ids) == 1);
}

TEST(a_cancel_ends_a_read_from_a_file_system_that_never_answers)
{
    cleanup(place_done) struct place p;
    pid_t ids[CHILDREN];
    char data[128];
    place_init(&p, "R/slow/ R/a");
    auto_free char *path = tree_text(&p.t, "@R/slow");
    auto_close int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    (void)snprintf(data, sizeof data, "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
    if (fuse < 0 || mount("fovea-test", path, "fuse", MS_NOSUID | MS_NODEV, data) < 0)
        SKIP("no FUSE mounts here");
    check_cancel(&p, NULL);
    CHECK(!umount2(path, MNT_DETACH));
    close_fd(take_fd(&fuse));
    CHECK(reads_inside(&p) && children_of(getpid(), ids) == 1);
}

TEST(a_job_over_its_time_is_ended_and_the_next_one_works)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/a");
    int64_t start = clock_ms();
    CHECK(run_job(&p, spin_for_ever, NULL, -1, 300) == SNAPSHOT_TIMED_OUT);
    CHECK_MSG(clock_ms() - start < 300 + 2 * SOON_MS, "%ld ms", (long)(clock_ms() - start));
    CHECK(reads_inside(&p));
}

static void *hold(void *arg)
{
    CHECK(run_job(arg, sleep_for_ever, NULL, -1, 700) == SNAPSHOT_TIMED_OUT);
    return NULL;
}

TEST(who_finds_every_reader_busy_waits_and_can_be_cancelled)
{
    cleanup(place_done) struct place p;
    pid_t ids[CHILDREN];
    pthread_t t[LIMIT_READERS];
    place_init(&p, "R/a");
    for (size_t i = 0; i < COUNT(t); i++)
        CHECK(!pthread_create(&t[i], NULL, hold, &p));
    for (int i = 0; i < 100 && children_of(getpid(), ids) < LIMIT_READERS; i++)
        (void)poll(NULL, 0, 2);
    CHECK(children_of(getpid(), ids) == LIMIT_READERS);
    check_cancel(&p, sleep_for_ever);
    CHECK(reads_inside(&p));
    for (size_t i = 0; i < COUNT(t); i++)
        CHECK(!pthread_join(t[i], NULL));
}

/* ---------------------------------------------------------------- hosts */

static void *read_in_thread(void *arg)
{
    CHECK(reads_inside(arg));
    return NULL;
}

/* A host with a reader that a thread started which is gone; at work or idle when the host is killed. */
static _Noreturn void be_host(const struct tree *tree, bool at_work, int tell)
{
    pthread_t t;
    struct place own = {.t = *tree};
    place_open(&own);
    CHECK(!pthread_create(&t, NULL, read_in_thread, &own) && !pthread_join(t, NULL));
    if (at_work)
        (void)run_job(&own, tell_and_sleep, NULL, tell, 60000);
    (void)!write(tell, "x", 1);
    for (;;)
        (void)poll(NULL, 0, 1000);
}

static void check_host_dies(bool at_work)
{
    cleanup(tree_done) struct tree t; /* not the host's own: nobody would remove that */
    int pipe_fd[2];
    char byte;
    pid_t ids[CHILDREN] = {0};
    CHECK(!tree_init(&t, "R/a") && !pipe2(pipe_fd, O_CLOEXEC));
    (void)fflush(NULL);
    pid_t host = fork();
    if (!host)
        be_host(&t, at_work, pipe_fd[1]);
    CHECK(read(pipe_fd[0], &byte, 1) == 1);
    CHECK(children_of(host, ids) == 1);
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, ids[0], 0), .events = POLLIN};
    CHECK(end.fd >= 0);
    CHECK(!kill(host, SIGKILL));
    CHECK(poll(&end, 1, SOON_MS) == 1);
    CHECK(waitpid(host, NULL, 0) == host);
    close_fd(end.fd);
    close_fd(pipe_fd[0]);
    close_fd(pipe_fd[1]);
}

TEST(readers_die_with_a_host_that_is_killed)
{
    for (int i = 0; i < 5; i++) {
        check_host_dies(false);
        check_host_dies(true);
    }
}

TEST(after_fork_the_context_is_the_parents)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/a");
    CHECK(reads_inside(&p));
    (void)fflush(NULL);
    pid_t child = fork();
    if (!child) {
        struct snapshot_lines l = {0};
        bool refused = take_text(&p, "a", NULL, &l) == -EPERM;
        gate_free(p.g); /* frees memory and nothing else */
        _exit(refused ? 0 : 1);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(reads_inside(&p));
}

/* In a process of its own: what is given up does not come back. */
/* What gives up rights does so for good: in a process of its own, which it ends. */
static bool well_in_a_child(void (*act)(void))
{
    int status = 1;
    (void)fflush(NULL);
    pid_t child = fork();
    if (!child)
        act();
    return waitpid(child, &status, 0) == child && status == 0;
}

static _Noreturn void give_up_rights(void)
{
    struct place p;
    struct snapshot_lines l = {0};
    pid_t ids[CHILDREN];
    place_init(&p, "R/a");
    auto_free char *path = tree_text(&p.t, "@R/a");
    bool good = !chmod(path, 0600) && reads_inside(&p) && !setegid(65534) && !seteuid(65534);
    good = good && take_text(&p, "a", NULL, &l) == SNAPSHOT_ABSENT && children_of(getpid(), ids) == 1;
    good = good && !seteuid(0) && !setegid(0) && reads_inside(&p) && children_of(getpid(), ids) == 1;
    tree_done(&p.t);
    good = good && !setgid(65534) && !setuid(65534);
    good = good && take_text(&p, "a", NULL, &l) == SNAPSHOT_ABSENT && children_of(getpid(), ids) == 1;
    gate_free(p.g);
    _exit(good && children_of(getpid(), ids) == 0 ? 0 : 1);
}

TEST(a_host_that_gives_up_its_rights_reads_without_them)
{
    if (geteuid() != 0)
        SKIP("needs to be root");
    CHECK(well_in_a_child(give_up_rights));
}

/* The same user and group all the time: what goes is a further group, then the capabilities. */
static _Noreturn void give_up_more(void)
{
    struct place p;
    struct snapshot_lines l = {0};
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {0}, all[2];
    place_init(&p, "R/a R/b");
    auto_free char *a = tree_text(&p.t, "@R/a"), *b = tree_text(&p.t, "@R/b");
    bool good = !chmod(a, 0040) && !chown(a, 65534, 4321) && !chmod(b, 0) && !chown(b, 65534, 65534);
    good = good && !setgroups(1, (gid_t[]){4321}) && reads_inside(&p); /* by capability */
    good = good && !syscall(SYS_capget, &head, all);
    none[0].permitted = all[0].permitted;
    none[1].permitted = all[1].permitted;
    good = good && !syscall(SYS_capset, &head, none) && take_text(&p, "b", NULL, &l) == SNAPSHOT_ABSENT;
    good = good && reads_inside(&p); /* by group */
    good = good && !syscall(SYS_capset, &head, all) && !setgroups(0, NULL) && !syscall(SYS_capset, &head, none);
    good = good && take_text(&p, "a", NULL, &l) == SNAPSHOT_ABSENT && !syscall(SYS_capset, &head, all);
    place_done(&p);
    _exit(good ? 0 : 1);
}

TEST(a_host_that_gives_up_groups_or_capabilities_reads_without_them)
{
    if (geteuid() != 0)
        SKIP("needs to be root");
    CHECK(well_in_a_child(give_up_more));
}

/* ---------------------------------------------------------------- what is left of them */

static void nap_for_a_while(const struct reader_job *job, struct reader_report *report)
{
    (void)job;
    (void)poll(NULL, 0, 100);
    report->verdict = SNAPSHOT_ABSENT;
}

static void *read_once(void *p)
{
    CHECK(run_job(p, nap_for_a_while, NULL, -1, 5000) == SNAPSHOT_ABSENT);
    return NULL;
}

/* As many readers as there are threads. */
static void start_readers(struct place *p, size_t n)
{
    pthread_t thread[LIMIT_READERS];
    for (size_t i = 0; i < n; i++)
        CHECK(!pthread_create(&thread[i], NULL, read_once, p));
    for (size_t i = 0; i < n; i++)
        CHECK(!pthread_join(thread[i], NULL));
}

TEST(idle_readers_that_ended_are_reaped_without_another_job)
{
    cleanup(place_done) struct place p;
    pid_t ids[CHILDREN];
    place_init(&p, "R/a");
    int fds = fds_of(getpid());
    for (int round = 0; round < 2; round++) {
        start_readers(&p, 4);
        int n = children_of(getpid(), ids);
        CHECK_MSG(n > 1, "%d", n);
        for (int i = 0; i < n; i++)
            CHECK(!kill(ids[i], SIGKILL));
        int64_t deadline = clock_ms() + 4 * LIMIT_KEEPER_MS;
        while (children_of(getpid(), ids) && clock_left(deadline))
            (void)poll(NULL, 0, 20);
        CHECK(children_of(getpid(), ids) == 0);
        (void)poll(NULL, 0, 50);
        CHECK_MSG(fds_of(getpid()) == fds, "%d instead of %d", fds_of(getpid()), fds);
    }
}

static void leave_one_behind(struct place *p)
{
    struct reader *r = NULL;
    CHECK(!readers_take(p->g, NULL, &r, &(struct fovea_fault){0}));
    CHECK(!reader_bury(r, 0)); /* nobody killed it: it ends a little later, when it finds us gone */
    (void)pthread_mutex_lock(&p->g->readers->lock);
    r->state = READER_NONE;
    (void)pthread_mutex_unlock(&p->g->readers->lock);
}

/* One that was killed and took long to go was a zombie until the next start, which may be minutes away: readers stay. */
TEST(a_reader_left_behind_is_reaped_although_no_other_is_started)
{
    cleanup(place_done) struct place p;
    pid_t ids[CHILDREN];
    place_init(&p, "R/a");
    start_readers(&p, 4);
    int n = children_of(getpid(), ids);
    CHECK_MSG(n > 1, "%d", n);
    leave_one_behind(&p);
    int64_t deadline = clock_ms() + 4 * LIMIT_KEEPER_MS;
    while (children_of(getpid(), ids) >= n && clock_left(deadline))
        CHECK(reads_inside(&p));
    CHECK_MSG(children_of(getpid(), ids) == n - 1, "%d of %d", children_of(getpid(), ids), n);
}

/* Mappings of memory that a reader shares, its own desk among them. */
static int shared_maps_of(pid_t id)
{
    char path[64], line[512];
    int n = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/maps", (int)id);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        n += strstr(line, "rw-s") && strstr(line, "/dev/zero");
    if (f)
        (void)fclose(f);
    return n;
}

TEST(a_reader_holds_no_memory_of_another)
{
    pid_t ids[CHILDREN];
    for (int round = 0; round < 20; round++) {
        cleanup(place_done) struct place p;
        place_init(&p, "R/a");
        start_readers(&p, LIMIT_READERS);
        for (int i = children_of(getpid(), ids) - 1; i >= 0; i--)
            CHECK_MSG(shared_maps_of(ids[i]) <= 1, "%d", shared_maps_of(ids[i]));
    }
}

/* ---------------------------------------------------------------- narrowing */

TEST(what_is_not_beneath_the_roots_is_absent_whatever_it_is)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/a R/in/a R/in/out->../a R/in/far->@R/side/b R/side/b R/side/fifo| R/side/dir/ R/in/fifo| "
                   "R/back->in/a R/inner/x");
    auto_free char *in = tree_text(&p.t, "@R/in"), *side = tree_text(&p.t, "@R/side");
    static const struct {
        const char *path;
        int in, side, both;
    } rows[] = {
        {"in/a", SNAPSHOT_TAKEN, SNAPSHOT_ABSENT, SNAPSHOT_TAKEN},
        {"a", SNAPSHOT_ABSENT, SNAPSHOT_ABSENT, SNAPSHOT_ABSENT},
        {"in/out", SNAPSHOT_ABSENT, SNAPSHOT_ABSENT, SNAPSHOT_ABSENT},
        {"in/far", SNAPSHOT_ABSENT, SNAPSHOT_TAKEN, SNAPSHOT_TAKEN},
        {"in/../in/a", SNAPSHOT_TAKEN, SNAPSHOT_ABSENT, SNAPSHOT_TAKEN},
        {"in/../a", SNAPSHOT_ABSENT, SNAPSHOT_ABSENT, SNAPSHOT_ABSENT},
        {"back", SNAPSHOT_TAKEN, SNAPSHOT_ABSENT, SNAPSHOT_TAKEN},
        {"inner/x", SNAPSHOT_ABSENT, SNAPSHOT_ABSENT, SNAPSHOT_ABSENT},
        {"side/fifo", SNAPSHOT_ABSENT, SNAPSHOT_NOT_REGULAR, SNAPSHOT_NOT_REGULAR},
        {"in/fifo", SNAPSHOT_NOT_REGULAR, SNAPSHOT_ABSENT, SNAPSHOT_NOT_REGULAR},
        {"side/dir", SNAPSHOT_ABSENT, SNAPSHOT_NOT_REGULAR, SNAPSHOT_NOT_REGULAR},
        {"side", SNAPSHOT_ABSENT, SNAPSHOT_NOT_REGULAR, SNAPSHOT_NOT_REGULAR},
        {"none", SNAPSHOT_ABSENT, SNAPSHOT_ABSENT, SNAPSHOT_ABSENT},
    };
    const struct snapshot_scope in_only = {.roots = (const char *[]){in, NULL}},
                                side_only = {.roots = (const char *[]){side, NULL}},
                                both = {.roots = (const char *[]){side, in, NULL}},
                                nothing = {.roots = (const char *[]){NULL}},
                                all = {.roots = (const char *[]){"/", NULL}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_MSG(take_bytes(&p, rows[i].path, &in_only) == rows[i].in, "%s", rows[i].path);
        CHECK_MSG(take_bytes(&p, rows[i].path, &side_only) == rows[i].side, "%s", rows[i].path);
        CHECK_MSG(take_bytes(&p, rows[i].path, &both) == rows[i].both, "%s", rows[i].path);
        CHECK_MSG(take_bytes(&p, rows[i].path, &nothing) == SNAPSHOT_ABSENT, "%s", rows[i].path);
    }
    CHECK(take_bytes(&p, "a", &all) == SNAPSHOT_TAKEN && take_bytes(&p, "a", NULL) == SNAPSHOT_TAKEN);
}

TEST(too_many_roots_are_a_fault_and_the_reader_lives)
{
    cleanup(place_done) struct place p;
    const char *roots[LIMIT_ROOTS + 2] = {0};
    place_init(&p, "R/a");
    for (size_t i = 0; i <= LIMIT_ROOTS; i++)
        roots[i] = "/";
    CHECK(take_bytes(&p, "a", &(struct snapshot_scope){.roots = roots}) == -E2BIG);
    roots[LIMIT_ROOTS] = NULL;
    CHECK(take_bytes(&p, "a", &(struct snapshot_scope){.roots = roots}) == SNAPSHOT_TAKEN);
}

TEST(a_text_is_cut_to_the_size_asked_for_and_the_rest_is_told)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/a");
    auto_free char *path = tree_text(&p.t, "@R/a");
    CHECK(!tree_file(path, "one\ntwo\nthree\n"));
    struct snapshot_lines l;
    CHECK(take_text(&p, "a", &(struct snapshot_scope){.max_text = 9}, &l) == SNAPSHOT_TAKEN);
    CHECK_STR(l.text, "one\ntwo\n");
    CHECK(l.cut && !l.cut_bytes && l.total_lines == 3 && l.last == 2);
    snapshot_lines_done(&l);
    CHECK(take_text(&p, "a", &(struct snapshot_scope){.max_text = 2}, &l) == SNAPSHOT_TAKEN);
    CHECK_STR(l.text, "on");
    CHECK(l.cut && l.cut_bytes == 1 && l.total_lines == 3 && l.last == 1);
    snapshot_lines_done(&l);
}

/* It said that the file was absent. */
TEST(a_reader_that_cannot_open_says_so_and_why)
{
    cleanup(place_done) struct place p;
    struct snapshot_lines l = {0};
    struct ref_variants v = {0};
    struct fovea_fault fault = {0};
    enum snapshot_verdict verdict;
    pid_t ids[CHILDREN];
    struct rlimit old;
    place_init(&p, "R/a");
    CHECK(reads_inside(&p) && children_of(getpid(), ids) == 1);
    CHECK(!prlimit(ids[0], RLIMIT_NOFILE, NULL, &old));
    CHECK(!prlimit(ids[0], RLIMIT_NOFILE, &(struct rlimit){0, old.rlim_max}, NULL));
    CHECK(!ref_variants("a", NULL, &v));
    CHECK(snapshot_take_lines(p.g, &v, NULL, 1, UINT64_MAX, &verdict, &l, &fault) == -EMFILE);
    CHECK_MSG(strstr(fault.text, "cannot open") && strstr(fault.text, "Too many open files"), "%s", fault.text);
    ref_variants_done(&v);
    CHECK(!prlimit(ids[0], RLIMIT_NOFILE, &old, NULL));
    CHECK(reads_inside(&p));
}

TEST(a_reader_that_the_host_reaped_itself_costs_another_try)
{
    cleanup(place_done) struct place p;
    pid_t ids[CHILDREN];
    place_init(&p, "R/a");
    CHECK(reads_inside(&p) && children_of(getpid(), ids) == 1);
    CHECK(!kill(ids[0], SIGKILL) && waitpid(ids[0], NULL, __WALL) == ids[0]);
    CHECK(reads_inside(&p));
}

/* Of so many groups nobody can tell whether they are those of before. */
static _Noreturn void join_many_groups(void)
{
    static gid_t groups[LIMIT_GROUPS + 1];
    struct place p;
    pid_t before[CHILDREN], after[CHILDREN];
    for (size_t i = 0; i < COUNT(groups); i++)
        groups[i] = (gid_t)(10000 + i);
    place_init(&p, "R/a");
    bool good = !setgroups(COUNT(groups), groups) && reads_inside(&p) && children_of(getpid(), before) == 1;
    good = good && reads_inside(&p) && children_of(getpid(), after) == 1 && before[0] != after[0];
    place_done(&p);
    _exit(good ? 0 : 1);
}

TEST(a_host_in_more_groups_than_are_counted_has_a_new_reader_each_time)
{
    if (geteuid() != 0)
        SKIP("needs to be root");
    CHECK(well_in_a_child(join_many_groups));
}

TEST(roots_too_long_for_the_desk_are_a_fault_and_the_reader_lives)
{
    cleanup(place_done) struct place p;
    static char longer[20 * LIMIT_PATH_BYTES];
    const char *roots[LIMIT_ROOTS + 1] = {0};
    place_init(&p, "R/a");
    memset(longer, '/', sizeof longer - 1);
    for (size_t i = 0; i < 8; i++)
        roots[i] = longer;
    CHECK(take_bytes(&p, "a", &(struct snapshot_scope){.roots = roots}) == -E2BIG);
    CHECK(reads_inside(&p));
}

static int where(const struct place *p, const char *path, char **ret)
{
    enum snapshot_verdict verdict = SNAPSHOT_TIMED_OUT;
    struct fovea_fault fault = {0};
    auto_free char *full = tree_text(&p->t, path);
    int r = folder_resolve(p->g, full, 5000, NULL, &verdict, ret, &fault);
    return r < 0 ? r : (int)verdict;
}

TEST(a_folder_is_where_its_links_lead_and_a_file_is_none)
{
    cleanup(place_done) struct place p;
    char *got = NULL;
    place_init(&p, "R/a l->R/");
    CHECK(where(&p, "@l/.", &got) == SNAPSHOT_TAKEN);
    auto_free char *want = tree_text(&p.t, "@R"), *have = got;
    CHECK_STR(have, want);
    CHECK(where(&p, "@R/a/", &got) == SNAPSHOT_ABSENT);
    CHECK(where(&p, "@R/none", &got) == SNAPSHOT_ABSENT);
    CHECK(where(&p, "/{5000*x}", &got) == SNAPSHOT_ABSENT);
}

/* ---------------------------------------------------------------- too many */

/* Leaves all readers of a gate behind alive, as if the kernel did not let go of them; what keeps them is to be closed. */
static void strand(struct place *p, int kept[2 * LIMIT_READERS])
{
    start_readers(p, LIMIT_READERS);
    struct reader *held[LIMIT_READERS];
    for (size_t i = 0; i < LIMIT_READERS; i++)
        CHECK(!readers_take(p->g, NULL, &held[i], &(struct fovea_fault){0}));
    for (size_t i = 0; i < LIMIT_READERS; i++) {
        kept[2 * i] = dup(held[i]->life);
        kept[2 * i + 1] = dup(held[i]->socket);
        CHECK(!reader_bury(held[i], 0));
        (void)pthread_mutex_lock(&p->g->readers->lock);
        held[i]->state = READER_NONE;
        (void)pthread_mutex_unlock(&p->g->readers->lock);
    }
}

TEST(with_too_many_readers_left_behind_no_more_are_started)
{
    cleanup(place_done) struct place p, q;
    struct snapshot_lines l;
    struct reader *r = NULL;
    int kept[2 * LIMIT_READERS];
    pid_t ids[CHILDREN];
    place_init(&q, "R/a");
    CHECK(reads_inside(&q));
    place_init(&p, "R/a");
    strand(&p, kept);
    CHECK(readers_reap_strays() == 0 && take_text(&p, "a", NULL, &l) == -EBUSY);
    CHECK(reads_inside(&q)); /* one that is there still serves */
    CHECK(!readers_take(q.g, NULL, &r, &(struct fovea_fault){0}));
    CHECK(!reader_bury(r, 0)); /* one more than there are places for: a zombie until we exit */
    r->state = READER_NONE;
    for (size_t i = 0; i < COUNT(kept); i++)
        close_fd(kept[i]);
    for (int i = 0; i < 500 && readers_reap_strays() < LIMIT_STRAY_READERS; i++)
        (void)poll(NULL, 0, 10);
    CHECK(reads_inside(&p) && reads_inside(&q));
    (void)waitpid(-1, NULL, __WALL | WNOHANG);
    CHECK(children_of(getpid(), ids) >= 2);
}

static void *jump(void *arg)
{
    (void)poll(NULL, 0, 30);
    skew = LIMIT_READERS_BUSY_MS + 1000;
    return arg;
}

TEST(who_finds_every_reader_busy_for_too_long_is_told_so)
{
    cleanup(place_done) struct place p;
    struct reader *held[LIMIT_READERS], *r;
    struct fovea_fault fault = {0};
    fovea_cancel *c = NULL;
    pthread_t t;
    place_init(&p, "R/a");
    CHECK(!fovea_cancel_new(&c, NULL));
    for (size_t i = 0; i < COUNT(held); i++)
        CHECK(!readers_take(p.g, NULL, &held[i], &fault));
    CHECK(!pthread_create(&t, NULL, jump, NULL));
    CHECK(readers_take(p.g, c, &r, &fault) == -EBUSY && strstr(fault.text, "busy"));
    CHECK(!pthread_join(t, NULL));
    skew = 0;
    for (size_t i = 0; i < COUNT(held); i++)
        readers_give(p.g->readers, held[i]);
    fovea_cancel_free(c);
    CHECK(reads_inside(&p));
}
