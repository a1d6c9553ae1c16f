/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots: taken once, sealed, bounded, and never waited for without end. */
#include "source/snapshot.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/sha256.h"
#include "place.h"
#include "source/reader.h"
#include "silence.h"
#include "test.h"

static enum snapshot_verdict take_one(const struct place *p, const char *ref, uint64_t cap, struct snapshot *ret)
{
    struct ref_variants v = {0};
    struct fovea_fault fault = {0};
    enum snapshot_verdict verdict = SNAPSHOT_ABSENT;
    *ret = (struct snapshot){.fd = -1};
    CHECK(!ref_variants(ref, NULL, &v));
    CHECK_MSG(!snapshot_take(p->g, &v, NULL, cap, &verdict, ret, &fault), "%s", fault.text);
    ref_variants_done(&v);
    return verdict;
}

static enum snapshot_verdict take_lines(const struct place *p, const char *ref, uint64_t offset, uint64_t limit,
                                        struct snapshot_lines *ret)
{
    struct ref_variants v = {0};
    struct fovea_fault fault = {0};
    enum snapshot_verdict verdict = SNAPSHOT_ABSENT;
    CHECK(!ref_variants(ref, NULL, &v));
    CHECK_MSG(!snapshot_take_lines(p->g, &v, NULL, offset, limit, &verdict, ret, &fault), "%s", fault.text);
    ref_variants_done(&v);
    return verdict;
}

TEST(the_bytes_of_a_file_are_taken_and_sealed)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/it\\u2019s.png");
    struct snapshot s;
    CHECK(take_one(&p, "it's.png", MIB, &s) == SNAPSHOT_TAKEN);
    char text[16] = "";
    CHECK(s.size == strlen(TREE_INSIDE) && pread(s.fd, text, sizeof text, 0) == (ssize_t)s.size);
    CHECK_STR(text, TREE_INSIDE);
    CHECK(s.variant > 0 && s.nlink == 1 && s.ino && s.file_size == s.size);
    CHECK(pwrite(s.fd, "x", 1, 0) < 0 && ftruncate(s.fd, 0) < 0 && ftruncate(s.fd, 100) < 0);
    snapshot_done(&s);
    CHECK(s.fd == -1);
}

TEST(each_kind_of_refusal_has_its_verdict)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/a O/secret R/l->@O/secret R/fifo| R/dir/");
    struct snapshot s;
    CHECK(take_one(&p, "none", MIB, &s) == SNAPSHOT_ABSENT && s.fd < 0);
    CHECK(take_one(&p, "l", MIB, &s) == SNAPSHOT_ABSENT);
    CHECK(take_one(&p, "fifo", MIB, &s) == SNAPSHOT_NOT_REGULAR);
    CHECK(take_one(&p, "dir", MIB, &s) == SNAPSHOT_NOT_REGULAR);
    CHECK(take_one(&p, "a", strlen(TREE_INSIDE) - 1, &s) == SNAPSHOT_TOO_LARGE);
    CHECK(s.file_size == strlen(TREE_INSIDE) && s.fd < 0);
    CHECK(take_one(&p, "a", strlen(TREE_INSIDE), &s) == SNAPSHOT_TAKEN);
    snapshot_done(&s);
}

TEST(a_sparse_terabyte_is_too_large_at_once)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/big");
    auto_free char *path = tree_text(&p.t, "@R/big");
    if (truncate(path, (off_t)1 << 40) < 0)
        SKIP("no sparse files here");
    struct snapshot s;
    int64_t start = clock_ms();
    CHECK(take_one(&p, "big", 20 * MIB, &s) == SNAPSHOT_TOO_LARGE);
    CHECK(s.file_size == 1ull << 40 && clock_ms() - start < 1000);
}

TEST(a_file_that_grows_is_read_to_the_cap_and_no_further)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/log");
    auto_free char *path = tree_text(&p.t, "@R/log");
    (void)fflush(NULL);
    pid_t writer = fork();
    if (!writer) {
        static char piece[64 * 1024];
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        for (int i = 0; i < 8000; i++) {
            if (write(fd, piece, sizeof piece) < 0 || (i % 1000 == 999 && ftruncate(fd, 0) < 0))
                _exit(1);
        }
        _exit(0);
    }
    for (int i = 0; i < 100; i++) {
        struct snapshot s;
        enum snapshot_verdict v = take_one(&p, "log", 4 * MIB, &s);
        CHECK(v == SNAPSHOT_TOO_LARGE || v == SNAPSHOT_TAKEN);
        CHECK(v == SNAPSHOT_TAKEN ? s.size <= 4 * MIB : s.file_size > 4 * MIB);
        snapshot_done(&s);
    }
    (void)kill(writer, SIGKILL);
    (void)waitpid(writer, NULL, 0);
}

TEST(a_file_that_is_replaced_gives_one_or_the_other_and_no_mixture)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/a R/b");
    auto_free char *a = tree_text(&p.t, "@R/a"), *b = tree_text(&p.t, "@R/b");
    CHECK(!tree_file(a, "aaaa") && !tree_file(b, "bbbbbbbb"));
    struct stat of_a, of_b;
    CHECK(!stat(a, &of_a) && !stat(b, &of_b));
    (void)fflush(NULL);
    pid_t mover = fork();
    if (!mover) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            (void)renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
    }
    for (int i = 0; i < 200; i++) {
        struct snapshot s;
        char text[16] = "";
        if (take_one(&p, "a", MIB, &s) != SNAPSHOT_TAKEN)
            continue; /* it moved each time it was looked at */
        CHECK(pread(s.fd, text, sizeof text - 1, 0) == (ssize_t)s.size);
        CHECK(s.file_size == s.size && s.ino == (*text == 'a' ? of_a.st_ino : of_b.st_ino));
        CHECK_STR(text, s.ino == of_a.st_ino ? "aaaa" : "bbbbbbbb");
        snapshot_done(&s);
    }
    (void)kill(mover, SIGKILL);
    (void)waitpid(mover, NULL, 0);
}

/* Every descriptor we have. */
static size_t open_descriptors(void)
{
    size_t n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static volatile sig_atomic_t children;

static void count_child(int sig)
{
    (void)sig;
    children++;
}

TEST(the_host_sees_no_child_and_no_descriptor_stays)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/a R/b->a");
    struct sigaction old, act = {.sa_handler = count_child};
    CHECK(!sigaction(SIGCHLD, &act, &old));
    children = 0;
    struct snapshot s;
    CHECK(take_one(&p, "a", MIB, &s) == SNAPSHOT_TAKEN); /* starts the reader */
    snapshot_done(&s);
    size_t before = open_descriptors();
    for (int i = 0; i < 5000; i++) {
        struct snapshot_lines l;
        CHECK(take_one(&p, i & 1 ? "a" : "b", MIB, &s) == SNAPSHOT_TAKEN);
        CHECK(take_lines(&p, "a", 1, 1, &l) == SNAPSHOT_TAKEN);
        snapshot_done(&s);
        snapshot_lines_done(&l);
    }
    CHECK(open_descriptors() == before);
    CHECK(!children && waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
    gate_free(take(p.g));
    CHECK(!children && waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD);
    CHECK(open_descriptors() < before);
    CHECK(!sigaction(SIGCHLD, &old, NULL));
}

/* The children are copies of a process whose other threads hold the heap's locks at that moment. */
static void *take_many(void *arg)
{
    const struct place *p = arg;
    for (int i = 0; i < 100; i++) {
        struct snapshot s;
        auto_free void *noise = malloc(1000 + 4096 * (size_t)i);
        CHECK(noise && take_one(p, "a", MIB, &s) == SNAPSHOT_TAKEN && s.size == strlen(TREE_INSIDE));
        snapshot_done(&s);
    }
    return NULL;
}

TEST(many_threads_take_snapshots_at_once)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/a");
    pthread_t threads[4];
    for (size_t i = 0; i < COUNT(threads); i++)
        CHECK(!pthread_create(&threads[i], NULL, take_many, &p));
    for (size_t i = 0; i < COUNT(threads); i++)
        CHECK(!pthread_join(threads[i], NULL));
}

TEST(memory_gives_the_same_snapshot_as_a_file)
{
    struct fovea_fault fault = {0};
    struct snapshot s;
    struct snapshot_lines l;
    CHECK(!snapshot_of("abc", 3, &s, &fault) && s.size == 3);
    CHECK(pwrite(s.fd, "x", 1, 0) < 0);
    snapshot_done(&s);
    CHECK(!snapshot_of(NULL, 0, &s, &fault) && s.size == 0);
    snapshot_done(&s);
    CHECK(!snapshot_lines_of("a\nb\nc\n", 6, NULL, 2, 1, &l, &fault));
    CHECK(l.total_lines == 3 && l.first == 2 && l.last == 2 && l.window.size == 2 && l.head_len == 6);
    snapshot_lines_done(&l);
    CHECK(!snapshot_lines_of(NULL, 0, NULL, 1, 1, &l, &fault) && !l.total_lines && !l.first);
    snapshot_lines_done(&l);
}

TEST(a_text_window_comes_with_the_hash_of_the_whole_file)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/a");
    auto_free char *path = tree_text(&p.t, "@R/a");
    CHECK(!tree_file(path, "one\ntwo\nthree\n"));
    struct snapshot_lines l;
    uint8_t sha[SHA256_LEN];
    CHECK(take_lines(&p, "a", 2, 1, &l) == SNAPSHOT_TAKEN);
    sha256("one\ntwo\nthree\n", 14, sha);
    CHECK(!memcmp(sha, l.sha256, sizeof sha) && l.total_lines == 3 && l.first == 2 && l.last == 2);
    CHECK(l.window.size == 4 && l.window.fd == -1);
    CHECK_STR(l.text, "two\n");
    CHECK(l.head_len == 14 && !memcmp(l.head, "one\n", 4) && !l.bad_at);
    snapshot_lines_done(&l);
}

/* Somebody appends as fast as we read: what is told is all of the file as it was when it was opened. */
TEST(a_text_that_grows_ends_where_it_ended_at_the_start)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/log");
    auto_free char *path = tree_text(&p.t, "@R/log");
    (void)fflush(NULL);
    CHECK(!truncate(path, 0));
    pid_t writer = fork();
    if (!writer) {
        static char piece[64 * 1024];
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (size_t i = 0; i < sizeof piece; i++)
            piece[i] = i % 64 == 63 ? '\n' : 'x';
        int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        for (int i = 0; i < 1000; i++)
            if (write(fd, piece, sizeof piece) < 0)
                _exit(1);
        _exit(0);
    }
    for (int i = 0; i < 30; i++) {
        struct snapshot_lines l;
        CHECK(take_lines(&p, "log", 1, 1, &l) == SNAPSHOT_TAKEN);
        CHECK_MSG(l.total_lines * 64 == l.window.file_size, "%lu lines of %lu bytes", l.total_lines,
                  l.window.file_size);
        snapshot_lines_done(&l);
    }
    (void)kill(writer, SIGKILL);
    (void)waitpid(writer, NULL, 0);
}

/* A drop now and then, as from a file system that means harm. */
static void drip(const struct reader_job *job, struct reader_report *report)
{
    (void)job;
    for (;;) {
        atomic_fetch_add(&report->progress, 1);
        (void)poll(NULL, 0, 10);
    }
}

TEST(steady_progress_does_not_renew_the_deadline_for_ever)
{
    cleanup(place_done) struct place p;
    place_init(&p, "-");
    auto_close int fd = memfd_create("test", MFD_CLOEXEC);
    struct ref_variants none = {0};
    struct reader_job job = {.run = drip, .gate = p.g, .variants = &none, .total_ms = 600, .fd = fd};
    struct reader_report report = {0};
    struct fovea_fault fault = {0};
    int64_t start = clock_ms();
    CHECK_MSG(!reader_run(&job, &report, &fault), "%s", fault.text);
    CHECK(report.verdict == SNAPSHOT_TIMED_OUT);
    CHECK_MSG(clock_ms() - start >= 600 && clock_ms() - start < 1500, "%ld ms", (long)(clock_ms() - start));
}

TEST(a_failed_write_is_not_called_out_of_memory)
{
    static const char data[8 * KIB];
    struct rlimit old, small;
    struct fovea_fault fault = {0};
    struct snapshot s;
    CHECK(!getrlimit(RLIMIT_FSIZE, &old));
    small = (struct rlimit){4 * KIB, old.rlim_max};
    void (*was)(int) = signal(SIGXFSZ, SIG_IGN);
    CHECK(!setrlimit(RLIMIT_FSIZE, &small));
    CHECK_MSG(snapshot_of(data, sizeof data, &s, &fault) == -EFBIG, "%s", fault.text);
    CHECK_STR(fault.text, "cannot keep the bytes in memory: File too large");
    CHECK(!setrlimit(RLIMIT_FSIZE, &old));
    (void)signal(SIGXFSZ, was);
}

/* 64 MiB here; the memory in use, of the child too, does not depend on it. */
TEST(a_large_text_is_read_in_constant_memory)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/big");
    auto_free char *path = tree_text(&p.t, "@R/big");
    auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);
    static char piece[1 << 20];
    for (size_t i = 0; i < sizeof piece; i++)
        piece[i] = i % 64 == 63 ? '\n' : 'x';
    for (int i = 0; i < 64; i++)
        CHECK(write(fd, piece, sizeof piece) == sizeof piece);
    struct rusage before, after;
    struct snapshot_lines l;
    CHECK(!getrusage(RUSAGE_SELF, &before));
    CHECK(take_lines(&p, "big", 1000000, 3, &l) == SNAPSHOT_TAKEN);
    CHECK(!getrusage(RUSAGE_SELF, &after));
    CHECK(l.total_lines == 1 << 20 && l.first == 1000000 && l.last == 1000002 && l.window.size == 3 * 64);
    CHECK_MSG(after.ru_maxrss - before.ru_maxrss < 4096, "%ld KiB", after.ru_maxrss - before.ru_maxrss);
    gate_free(take(p.g));
    CHECK(!getrusage(RUSAGE_CHILDREN, &after));
    CHECK_MSG(after.ru_maxrss - before.ru_maxrss < 4096, "%ld KiB", after.ru_maxrss - before.ru_maxrss);
    snapshot_lines_done(&l);
}

TEST(binary_is_told_and_its_first_bytes_kept)
{
    cleanup(place_done) struct place p;
    place_init(&p, "R/a");
    auto_free char *path = tree_text(&p.t, "@R/a");
    auto_close int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    CHECK(write(fd, "\x89PNG\r\n\x1a\n\0\0", 10) == 10);
    struct snapshot_lines l;
    CHECK(take_lines(&p, "a", 1, 10, &l) == SNAPSHOT_TAKEN);
    CHECK(l.bad_at == 1 && l.head_len == 10 && l.head[1] == 'P');
    snapshot_lines_done(&l);
}

TEST(a_file_system_that_never_answers_costs_a_time_out)
{
    cleanup(place_done) struct place p;
    size_t before = open_descriptors();
    place_init(&p, "R/slow/ R/a");
    auto_free char *path = tree_text(&p.t, "@R/slow");
    auto_close int silence = mount_silence(path);
    if (silence < 0)
        SKIP("no FUSE mounts here");
    struct snapshot s;
    int64_t start = clock_ms();
    CHECK(take_one(&p, "slow/x.png", MIB, &s) == SNAPSHOT_TIMED_OUT);
    int64_t took = clock_ms() - start;
    CHECK_MSG(took >= LIMIT_OPEN_MS && took <= LIMIT_OPEN_MS + 500, "%ld ms", (long)took);
    start = clock_ms();
    CHECK(take_one(&p, "a", MIB, &s) == SNAPSHOT_TAKEN && clock_ms() - start < LIMIT_OPEN_MS / 2);
    snapshot_done(&s);
    CHECK(umount2(path, MNT_DETACH) == 0);
    close_fd(take_fd(&silence));
    CHECK(take_one(&p, "a", MIB, &s) == SNAPSHOT_TAKEN);
    snapshot_done(&s);
    gate_free(take(p.g));
    CHECK(waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD);
    CHECK(open_descriptors() == before);
}
