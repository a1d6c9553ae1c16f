/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jail, layer upon layer, the filter last because it forbids what the others need. A layer is a row with a name;
 * the first that does not stand ends the attempt, and its name travels to the user. Nothing here is best effort.
 *
 * Single-threaded by design: Landlock binds the thread that asks and those it starts. (The filter binds all, by TSYNC.)
 */
#include "sandbox/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "filter.h"

/* Landlock's interface up to ABI 7, because the headers we build with may know less than the kernel we run on. */
struct landlock_attr {
    uint64_t handled_access_fs;
    uint64_t handled_access_net; /* ABI 4 */
    uint64_t scoped;             /* ABI 6 */
};
enum { LANDLOCK_VERSION = 1, LANDLOCK_BENEATH = 1 };
enum { READ_FILE = 1 << 2, READ_DIR = 1 << 3 };
struct landlock_beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));
#define RIGHTS(n) (((uint64_t)1 << (n)) - 1)

/* What a ruleset of each ABI can handle. */
static const struct landlock_attr landlock_all[] = {
    [1] = {RIGHTS(13), 0, 0},
    [2] = {RIGHTS(14), 0, 0},                 /* refer */
    [3] = {RIGHTS(15), 0, 0},                 /* truncate */
    [4] = {RIGHTS(15), RIGHTS(2), 0},         /* TCP bind, connect */
    [5] = {RIGHTS(16), RIGHTS(2), 0},         /* device ioctl */
    [6] = {RIGHTS(16), RIGHTS(2), RIGHTS(2)}, /* abstract sockets, signals */
};

const struct jail_limits jail_usual = {LIMIT_WORKER_MEMORY, LIMIT_RAW_OUTPUT, LIMIT_WORKER_CPU_S, NULL};

struct jail {
    pid_t parent;
    int keep_fd;
    const struct jail_limits *limits;
    int landlock_abi;
};

/* Dies with the thread that started it; the parent's death before this moment shows in getppid. */
static int enter_parent(struct jail *j)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL))
        return -1;
    if (getppid() == j->parent)
        return 0;
    errno = ESRCH;
    return -1;
}

static int lower_limit(__rlimit_resource_t what, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now))
        return -1;
    rlim_t to = MIN(now.rlim_max, most);
    return setrlimit(what, &(struct rlimit){to, to});
}

/*
 * The kernel bounds the tasks of a user, not of a process, and does not say how many those are; all of the machine's are
 * no fewer. So whatever takes over a decoder has the machine's number and a margin to share with everything else that the user runs: too
 * few to leave the user without, and enough for libraries that do not forgive a thread that cannot start (libde265 waits for it for
 * ever). A namespace would count for itself, but not every system lets us have one, and it comes with capabilities.
 * /proc may be a container's own and the system call's number ends at 16 bits, hence both.
 */
static rlim_t tasks_now(void)
{
    struct sysinfo machine = {0};
    char text[64] = "";
    auto_close int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    const char *total = n > 0 ? strchr(text, '/') : NULL;
    (void)sysinfo(&machine);
    return MAX(total ? strtoul(total + 1, NULL, 10) : 0ul, (unsigned long)machine.procs);
}

/* Address space is left alone under sanitizers: their shadow memory alone is terabytes of it. */
static int enter_rlimit(struct jail *j)
{
    const struct {
        __rlimit_resource_t what;
        rlim_t most;
    } limits[] = {
#if !JAIL_SANITIZED
        {RLIMIT_AS, j->limits->memory},
#endif
        {RLIMIT_CPU, j->limits->cpu_s},
        {RLIMIT_FSIZE, j->limits->output},
        {RLIMIT_NOFILE, (rlim_t)j->keep_fd + 1 + JAIL_FDS + (j->limits->readable ? LIMIT_RENDER_FDS : 0)},
        {RLIMIT_CORE, 0},
        {RLIMIT_MEMLOCK, 0},
        {RLIMIT_NPROC, tasks_now() + LIMIT_WORKER_TASKS},
    };
    for (size_t i = 0; i < COUNT(limits); i++)
        if (lower_limit(limits[i].what, limits[i].most))
            return -1;
    return 0;
}

static int enter_descriptors(struct jail *j)
{
    return (int)syscall(SYS_close_range, (unsigned)j->keep_fd + 1, ~0u, 0);
}

/* Landlock would not bind a thread that is there already. Without /proc nobody can tell. */
static int enter_threads(struct jail *j)
{
    (void)j;
    struct stat st;
    if (stat("/proc/self/task", &st) || st.st_nlink <= 3)
        return 0;
    errno = EBUSY;
    return -1;
}

/* Nobody reads its memory through /proc or attaches to it, and it leaves no core. */
static int enter_dumpable(struct jail *j)
{
    (void)j;
    return prctl(PR_SET_DUMPABLE, 0);
}

static int enter_no_new_privs(struct jail *j)
{
    (void)j;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int jail_landlock_abi(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
    return abi < 0 ? 0 : (int)abi;
}

/* A folder lets all beneath it be read; what is not there needs no rule. */
static int let_read(int ruleset, const char *path)
{
    auto_close int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return 0;
    if (fstat(fd, &st))
        return -1;
    struct landlock_beneath rule = {READ_FILE | (S_ISDIR(st.st_mode) ? READ_DIR : 0), fd};
    return (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_BENEATH, &rule, 0);
}

/* Every right of the running ABI is handled, and no rule grants one but reading what was named. */
static int enter_landlock(struct jail *j)
{
    j->landlock_abi = jail_landlock_abi();
    if (j->landlock_abi < 1)
        return -1;
    const struct landlock_attr *all = &landlock_all[MIN((size_t)j->landlock_abi, COUNT(landlock_all) - 1)];
    auto_close int ruleset = (int)syscall(SYS_landlock_create_ruleset, all, sizeof *all, 0);
    if (ruleset < 0)
        return -1;
    for (const char *const *path = j->limits->readable; path && *path; path++)
        if (let_read(ruleset, *path))
            return -1;
    return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}

static int enter_seccomp(struct jail *j)
{
    struct sock_filter filter[MAX(COUNT(jail_filter), COUNT(jail_filter_reading))];
    bool reading = j->limits->readable;
    size_t n = reading ? COUNT(jail_filter_reading) : COUNT(jail_filter);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
    memcpy(filter, reading ? jail_filter_reading : jail_filter, n * sizeof *filter);
    for (size_t i = 0; i < n; i++)
        if (filter[i].k == JAIL_SELF_PID)
            filter[i].k = (uint32_t)getpid();
    long e = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (e > 0)
        errno = EBUSY; /* that thread has a filter of its own */
    return e ? -1 : 0;
}

static const struct {
    const char *name;
    int (*enter)(struct jail *j);
} layers[] = {
    {"parent", enter_parent},
    {"rlimit", enter_rlimit},
    {"descriptors", enter_descriptors},
    {"threads", enter_threads},
    {"dumpable", enter_dumpable},
    {"no_new_privs", enter_no_new_privs},
    {"landlock", enter_landlock},
    {"seccomp", enter_seccomp},
};

int jail_enter(pid_t parent, int keep_fd, const struct jail_limits *limits, struct jail_report *ret)
{
    struct jail jail = {.parent = parent, .keep_fd = keep_fd, .limits = limits};
    struct jail_report report = {0};
    for (size_t i = 0; i < COUNT(layers) && !report.layer; i++)
        if (layers[i].enter(&jail))
            report = (struct jail_report){.layer = layers[i].name, .error = errno};
    report.landlock_abi = jail.landlock_abi;
    *ret = report;
    return report.layer ? -1 : 0;
}
