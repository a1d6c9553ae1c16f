/* SPDX-License-Identifier: Apache-2.0 */
/* The jail: what it forbids kills, what workers need works, and a layer that cannot stand is named. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "filter.h"
#include "sandbox/jail.h"

enum { KEEP = 3, GOOD = 40, BAD = 41, NO_JAIL = 42 };

/* Runs act in a jailed child and returns how that ended. act returns true when all went well. */
static int jailed(bool (*act)(void))
{
    pid_t parent = getpid(), pid = fork();
    if (!pid) {
        struct jail_report report;
        alarm(20);
        if (jail_enter(parent, KEEP, &jail_usual, &report))
            _exit(NO_JAIL);
        _exit(act() ? GOOD : BAD);
    }
    int status = 0;
    (void)waitpid(pid, &status, 0);
    return status;
}

static bool ended_with(int status, int code)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

/* ---------------------------------------------------------------- what is forbidden */

static char page[4096] __attribute__((aligned(4096)));

#define CALL(name, ...)                                \
    static bool do_##name(void)                        \
    {                                                  \
        return syscall(SYS_##name, __VA_ARGS__) >= 0;  \
    }
#ifdef SYS_open /* newer architectures do not have these */
CALL(open, "/etc/passwd", O_RDONLY)
CALL(creat, "jail-test", 0600)
CALL(stat, "/", page)
CALL(access, "/", 0)
CALL(readlink, "/proc/self/exe", page, sizeof page)
CALL(unlink, "/nonexistent")
CALL(rename, "/nonexistent", "/nonexistent2")
CALL(mkdir, "/nonexistent/x", 0700)
CALL(fork, 0)
CALL(vfork, 0)
#endif
CALL(openat, AT_FDCWD, "/etc/passwd", O_RDONLY)
CALL(openat2, AT_FDCWD, "/etc/passwd", page, 24)
CALL(statx, AT_FDCWD, "/", 0, 0, page)
CALL(chdir, "/")
CALL(chroot, "/")
CALL(mount, "none", "/mnt", "tmpfs", 0, NULL)
CALL(socket, AF_INET, SOCK_STREAM, 0)
CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, page)
CALL(connect, 0, page, sizeof(struct sockaddr_in))
CALL(bind, 0, page, sizeof(struct sockaddr_in))
CALL(sendmmsg, 0, page, 0, 0)
CALL(execve, "/bin/true", NULL, NULL)
CALL(execveat, AT_FDCWD, "/bin/true", NULL, NULL, 0)
CALL(clone, SIGCHLD, NULL, NULL, NULL, 0)
CALL(unshare, CLONE_NEWUSER)
CALL(setns, 0, 0)
CALL(ptrace, PTRACE_TRACEME, 0, 0, 0)
CALL(process_vm_writev, 1, NULL, 0, NULL, 0, 0)
CALL(kill, 0, 0)
CALL(tkill, 1, 0)
CALL(tgkill, 1, 1, 0)
CALL(pidfd_open, 1, 0)
CALL(prctl, PR_SET_DUMPABLE, 1, 0, 0, 0)
CALL(setrlimit, RLIMIT_CORE, page)
CALL(memfd_create, "x", 0)
CALL(memfd_secret, 0)
CALL(userfaultfd, 0)
CALL(io_uring_setup, 1, page)
CALL(bpf, 0, page, sizeof page)
CALL(perf_event_open, page, 0, -1, -1, 0)
CALL(ioctl, 0, 0, 0)
CALL(fcntl, 0, F_GETFD)
CALL(dup, 0)
CALL(shmget, 0, 4096, 0600)
CALL(pkey_mprotect, page, sizeof page, PROT_READ, -1)
CALL(setuid, 0)
CALL(seccomp, 1, 0, NULL)
CALL(keyctl, 0, 0, 0)
CALL(epoll_create1, 0)
CALL(getppid, 0)

static bool do_mmap_exec(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}
static bool do_mprotect_exec(void)
{
    return !mprotect(page, sizeof page, PROT_READ | PROT_EXEC);
}
static bool do_clone_into_namespace(void)
{
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_NEWNET;
    return syscall(SYS_clone, flags, NULL, NULL, NULL, 0) >= 0;
}
static bool do_sendto_an_address(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    return sendto(KEEP, "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof to) >= 0;
}
static bool do_call_nobody_knows(void)
{
    return syscall(5000) >= 0;
}

/* softened: under sanitizers the answer is an error instead of death. */
static const struct {
    const char *name;
    bool (*act)(void);
    bool softened;
} forbidden[] = {
#define ROW(name) {#name, do_##name, false}
#define SOFT(name) {#name, do_##name, true}
#ifdef SYS_open
    SOFT(open), ROW(creat), SOFT(stat), SOFT(access), SOFT(readlink), ROW(unlink), ROW(rename), ROW(mkdir),
    ROW(fork), ROW(vfork),
#endif
    SOFT(openat), ROW(openat2), ROW(statx), ROW(chdir), ROW(chroot), ROW(mount), SOFT(socket), ROW(socketpair),
    ROW(connect), ROW(bind), ROW(sendmmsg), ROW(execve), ROW(execveat), ROW(clone), ROW(unshare), ROW(setns),
    ROW(ptrace), ROW(process_vm_writev), ROW(kill), ROW(tkill), ROW(tgkill), ROW(pidfd_open), SOFT(prctl),
    ROW(setrlimit), ROW(memfd_create), ROW(memfd_secret), ROW(userfaultfd), ROW(io_uring_setup), ROW(bpf),
    ROW(perf_event_open), SOFT(ioctl), ROW(fcntl), ROW(dup), ROW(shmget), ROW(pkey_mprotect), ROW(setuid),
    ROW(seccomp), ROW(keyctl), ROW(epoll_create1), ROW(getppid), ROW(mmap_exec), ROW(mprotect_exec),
    ROW(clone_into_namespace), ROW(sendto_an_address), ROW(call_nobody_knows),
};

TEST(what_is_not_in_the_table_kills_with_sigsys)
{
    for (size_t i = 0; i < COUNT(forbidden); i++) {
        int status = jailed(forbidden[i].act);
        bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
        bool refused = JAIL_SANITIZED && forbidden[i].softened && ended_with(status, BAD);
        CHECK_MSG(killed || refused, "%s ended with status 0x%x", forbidden[i].name, status);
    }
}

TEST(the_filter_kills_the_process_by_default)
{
    /* Every way out of the filter that is not "allow" or a chosen errno is the death of the whole process. */
    size_t kills = 0;
    for (size_t i = 0; i < COUNT(jail_filter); i++) {
        if ((jail_filter[i].code & 7) != BPF_RET)
            continue;
        uint32_t action = jail_filter[i].k & SECCOMP_RET_ACTION_FULL;
        CHECK_MSG(action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_ERRNO || action == SECCOMP_RET_KILL_PROCESS,
                  "action 0x%x", action);
        kills += action == SECCOMP_RET_KILL_PROCESS;
    }
    CHECK(kills);
}

static bool newfstatat_says_enosys(void)
{
    return syscall(SYS_newfstatat, 0, "/", page, 0) < 0 && errno == ENOSYS;
}

TEST(a_path_cannot_be_asked_about_through_newfstatat)
{
    CHECK(ended_with(jailed(newfstatat_says_enosys), GOOD));
}

/* ---------------------------------------------------------------- what works */

static void *count_up(void *arg)
{
    char *own = malloc(100000);
    if (own)
        memset(own, 1, 100000);
    free(own);
    __atomic_add_fetch((int *)arg, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static bool threads_work(void)
{
    int count = 0;
    pthread_t t[8];
    for (size_t i = 0; i < COUNT(t); i++)
        if (pthread_create(&t[i], NULL, count_up, &count))
            return false;
    for (size_t i = 0; i < COUNT(t); i++)
        (void)pthread_join(t[i], NULL);
    return count == (int)COUNT(t);
}

TEST(threads_and_memory_work_inside)
{
    int status = jailed(threads_work);
    CHECK_MSG(ended_with(status, GOOD), "status 0x%x", status);
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_ever(void *arg)
{
    (void)pthread_mutex_lock(&held);
    return arg;
}

/* Root has no such bound, so it becomes somebody else. */
static bool threads_end(pid_t parent)
{
    struct jail_report r;
    struct sysinfo machine;
    pthread_attr_t small;
    pthread_t t;
    if (!getuid() && (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
        return false;
    if (sysinfo(&machine) || pthread_attr_init(&small) || pthread_attr_setstacksize(&small, (size_t)PTHREAD_STACK_MIN) ||
        pthread_mutex_lock(&held) || jail_enter(parent, KEEP, &jail_usual, &r))
        return false;
    unsigned most = machine.procs + LIMIT_WORKER_TASKS + 500, n = 0; /* others start theirs too */
    while (n < most && !pthread_create(&t, &small, wait_for_ever, NULL))
        n++;
    return n >= 100 && n < most;
}

static bool aborts(void)
{
    abort();
}

TEST(abort_is_an_abort)
{
    int status = jailed(aborts);
    CHECK_MSG(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status 0x%x", status);
}

static bool memory_ends(void)
{
    void *volatile small = malloc(100 * MIB), *volatile large = malloc(LIMIT_WORKER_MEMORY);
    return small && !large;
}

TEST(memory_beyond_the_limit_is_refused)
{
    if (JAIL_SANITIZED)
        SKIP("sanitizers need the address space");
    CHECK(ended_with(jailed(memory_ends), GOOD));
}

static bool only_kept_descriptors(void)
{
    for (int fd = KEEP + 1; fd < 256; fd++)
        if (lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF)
            return false;
    return true;
}

TEST(descriptors_above_the_kept_ones_are_closed)
{
    int fd[8];
    for (size_t i = 0; i < COUNT(fd); i++)
        fd[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK(fd[0] > 0 && fd[COUNT(fd) - 1] > KEEP);
    CHECK(ended_with(jailed(only_kept_descriptors), GOOD));
    for (size_t i = 0; i < COUNT(fd); i++)
        close_fd(fd[i]);
}

static bool too_large_a_file(void)
{
    return !ftruncate(KEEP, (off_t)LIMIT_RAW_OUTPUT + 1);
}

TEST(output_beyond_the_limit_kills)
{
    auto_close int fd = memfd_create("out", MFD_CLOEXEC);
    auto_close int saved = fcntl(KEEP, F_DUPFD_CLOEXEC, 10);
    CHECK(dup2(fd, KEEP) == KEEP);
    int status = jailed(too_large_a_file);
    CHECK_MSG(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ, "status 0x%x", status);
    if (saved >= 0)
        (void)dup2(saved, KEEP);
    else
        (void)close(KEEP);
}

/* ---------------------------------------------------------------- layers that cannot stand */

/* Makes one system call fail with ENOSYS from now on, as on a kernel that does not have it. */
static void take_away(unsigned call)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = COUNT(filter), .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        _exit(BAD);
}

static const struct {
    unsigned call;
    const char *layer;
} missing[] = {
    {SYS_prlimit64, "rlimit"},
    {SYS_close_range, "descriptors"},
    {SYS_landlock_create_ruleset, "landlock"},
    {SYS_landlock_restrict_self, "landlock"},
    {SYS_seccomp, "seccomp"},
    {SYS_prctl, "parent"},
};

TEST(a_layer_that_cannot_stand_is_named)
{
    for (size_t i = 0; i < COUNT(missing); i++) {
        pid_t parent = getpid(), pid = fork();
        if (!pid) {
            struct jail_report report = {0};
            take_away(missing[i].call);
            int e = jail_enter(parent, KEEP, &jail_usual, &report);
            _exit(e == -1 && report.error == ENOSYS && report.layer && !strcmp(report.layer, missing[i].layer) ? GOOD
                                                                                                               : BAD);
        }
        int status = 0;
        (void)waitpid(pid, &status, 0);
        CHECK_MSG(ended_with(status, GOOD), "%s: status 0x%x", missing[i].layer, status);
    }
}

/* ---------------------------------------------------------------- hosts that are not as they should be */

/* Runs act, which ends with GOOD or BAD, in a process of its own that knows its parent. */
static void in_child(const char *what, bool (*act)(pid_t parent))
{
    pid_t parent = getpid(), pid = fork();
    if (!pid) {
        alarm(20);
        _exit(act(parent) ? GOOD : BAD);
    }
    int status = 0;
    (void)waitpid(pid, &status, 0);
    CHECK_MSG(ended_with(status, GOOD), "%s: status 0x%x", what, status);
}

static bool fails_at(const struct jail_report *r, const char *layer, int error)
{
    return r->layer && !strcmp(r->layer, layer) && r->error == error;
}

static const char *const readable[] = {"/nonexistent", "/etc", "/etc/passwd", NULL};
static const struct jail_limits reading = {LIMIT_WORKER_MEMORY, LIMIT_RAW_OUTPUT, LIMIT_WORKER_CPU_S, readable};

static void *doze(void *arg)
{
    (void)arg;
    (void)pause();
    return NULL;
}

static bool threads_are_noticed(pid_t parent)
{
    struct jail_report r = {0};
    pthread_t t;
    return !pthread_create(&t, NULL, doze, NULL) && jail_enter(parent, KEEP, &jail_usual, &r) == -1 && fails_at(&r, "threads", EBUSY);
}

/* glibc asks about files through newfstatat; with it /proc/self/task goes. */
static bool nothing_tells_of_threads(pid_t parent)
{
    struct jail_report r = {0};
    take_away(SYS_newfstatat);
    return jail_enter(parent, KEEP, &jail_usual, &r) == 0 && !r.layer;
}

static bool what_may_be_read_cannot_be_looked_at(pid_t parent)
{
    struct jail_report r = {0};
    take_away(SYS_newfstatat);
    return jail_enter(parent, KEEP, &reading, &r) == -1 && fails_at(&r, "landlock", ENOSYS);
}

static bool no_rule_can_be_added(pid_t parent)
{
    struct jail_report r = {0};
    take_away(SYS_landlock_add_rule);
    return jail_enter(parent, KEEP, &reading, &r) == -1 && fails_at(&r, "landlock", ENOSYS);
}

static bool no_descriptor_is_left_for_rules(pid_t parent)
{
    struct jail_report r = {0};
    return !setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0}) && jail_enter(parent, KEEP, &jail_usual, &r) == -1 && fails_at(&r, "landlock", EMFILE);
}

static pthread_barrier_t filtered;

static void *filter_itself(void *arg)
{
    take_away(SYS_userfaultfd);
    (void)pthread_barrier_wait(&filtered);
    return doze(arg);
}

/* One that nobody saw, and that the filter cannot bind. */
static bool a_thread_with_a_filter_of_its_own(pid_t parent)
{
    struct jail_report r = {0};
    pthread_t t;
    take_away(SYS_newfstatat);
    if (pthread_barrier_init(&filtered, NULL, 2) || pthread_create(&t, NULL, filter_itself, NULL))
        return false;
    (void)pthread_barrier_wait(&filtered);
    return jail_enter(parent, KEEP, &jail_usual, &r) == -1 && fails_at(&r, "seccomp", EBUSY);
}

TEST(threads_have_a_bound)
{
    if (JAIL_SANITIZED)
        SKIP("each thread has shadow memory");
    in_child("threads", threads_end);
}

TEST(a_jail_stands_whole_or_says_what_is_in_its_way)
{
    in_child("threads", threads_are_noticed);
    in_child("no /proc", nothing_tells_of_threads);
    in_child("no descriptor", no_descriptor_is_left_for_rules);
    in_child("no rule", no_rule_can_be_added);
    in_child("no fstat", what_may_be_read_cannot_be_looked_at);
    in_child("a filtered thread", a_thread_with_a_filter_of_its_own);
}

TEST(a_parent_that_is_gone_already_is_noticed)
{
    pid_t pid = fork();
    if (!pid) {
        struct jail_report report = {0};
        int e = jail_enter(getpid(), KEEP, &jail_usual, &report);
        _exit(e == -1 && report.error == ESRCH && !strcmp(report.layer, "parent") ? GOOD : BAD);
    }
    int status = 0;
    (void)waitpid(pid, &status, 0);
    CHECK(ended_with(status, GOOD));
}

TEST(landlock_is_there_and_its_version_is_told)
{
    CHECK(jail_landlock_abi() >= 1);
}
