/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the table of what a worker may ask of the kernel into a seccomp filter, printed as C. Runs once, at build time
 * and with the build's own flags, so that libseccomp is linked into nothing that ships and a sanitized build gets what
 * its runtime needs besides. Everything that is not in the table kills the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* Stands where the process's own id belongs; the jail puts that in when it locks itself. */
#define SELF_PID 0x5e1f0001u

/* The signal by which libc spreads setuid over threads. */
#define SIGSETXID 33

/* A thread of this process and nothing else: no new process, no namespace, no tracing. */
#define THREAD_FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define NOT_THREAD_FLAGS                                                                                       \
    (CLONE_VFORK | CLONE_PARENT | CLONE_PTRACE | CLONE_PIDFD | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |  \
     CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

#define ALLOW(call) {SCMP_SYS(call), SCMP_ACT_ALLOW, 0, {0, SCMP_CMP_EQ, 0, 0}}
#define ALLOW_IF_EQUAL(call, arg, value) {SCMP_SYS(call), SCMP_ACT_ALLOW, 1, {arg, SCMP_CMP_EQ, value, 0}}
#define ALLOW_IF_MASKED(call, arg, mask, value) \
    {SCMP_SYS(call), SCMP_ACT_ALLOW, 1, {arg, SCMP_CMP_MASKED_EQ, mask, value}}
#define ANSWER_IF_EQUAL(call, error, arg, value) {SCMP_SYS(call), SCMP_ACT_ERRNO(error), 1, {arg, SCMP_CMP_EQ, value, 0}}
#define ANSWER_IF_MASKED(call, error, arg, mask, value) \
    {SCMP_SYS(call), SCMP_ACT_ERRNO(error), 1, {arg, SCMP_CMP_MASKED_EQ, mask, value}}
#define ANSWER(call, error) {SCMP_SYS(call), SCMP_ACT_ERRNO(error), 0, {0, SCMP_CMP_EQ, 0, 0}}

struct rule {
    int call;
    uint32_t action;
    unsigned conditions;
    struct scmp_arg_cmp condition; /* what an argument must be */
};

static const struct rule always[] = {
    /* the input, the output and the socket: descriptors that are already open */
    ALLOW(read),
    ALLOW(pread64),
    ALLOW(write),
    ALLOW(writev),
    ALLOW(pwrite64),
    ALLOW(lseek),
    ALLOW(ftruncate),
    ALLOW(fstat),
    ALLOW(close),
    ALLOW(recvmsg),
    ALLOW(recvfrom),
    ALLOW(sendmsg),
    ALLOW_IF_EQUAL(sendto, 4, 0),
    /* libc's fstat(). The path it could carry is out of our sight and Landlock does not guard it, so: not here. */
    ANSWER(newfstatat, ENOSYS),
    /* memory, none of it executable */
    ALLOW_IF_MASKED(mmap, 2, PROT_EXEC, 0),
    ALLOW_IF_MASKED(mprotect, 2, PROT_EXEC, 0),
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(madvise),
    ALLOW(brk),
    /* threads; clone3 hides its flags behind a pointer, so libc is sent back to clone */
    ANSWER(clone3, ENOSYS),
    ALLOW_IF_MASKED(clone, 0, THREAD_FLAGS | NOT_THREAD_FLAGS, THREAD_FLAGS),
    ALLOW_IF_EQUAL(rt_sigaction, 0, SIGSETXID), /* the first pthread_create */
    ALLOW(set_robust_list),
    ALLOW(rseq),
    ALLOW(futex),
    ALLOW(sched_yield),
    ALLOW(sched_getaffinity), /* malloc asks it how many arenas make sense */
    ALLOW(gettid),
    ALLOW(exit),
    /* the rest of libc */
    ALLOW(clock_gettime),
    ALLOW(getrandom),
    ALLOW(getpid),
    ALLOW(sysinfo), /* qsort asks how much memory there is; libwebp sorts */
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
    ALLOW(restart_syscall),
    ALLOW_IF_EQUAL(tgkill, 0, SELF_PID), /* abort */
    ALLOW(exit_group),
#if !SANITIZED
    ANSWER_IF_EQUAL(prctl, EPERM, 0, PR_SET_NAME), /* dav1d names its threads, and does without */
#else
    /* what the sanitizers' runtime does at thread starts and to tell what it found */
    ALLOW(sigaltstack),
    ALLOW(rt_sigaction),
    ALLOW(nanosleep),
    ALLOW(clock_nanosleep),
    ALLOW(gettimeofday),
    ALLOW(uname),
    ALLOW(getuid),
    ALLOW_IF_EQUAL(prlimit64, 2, 0),
    ANSWER(prctl, EPERM),
    ANSWER(ioctl, ENOTTY),
    ANSWER(open, EACCES),
    ANSWER(openat, EACCES),
    ANSWER(stat, EACCES),
    ANSWER(access, EACCES),
    ANSWER(readlink, EACCES),
    ANSWER(readlinkat, EACCES),
    ANSWER(pipe, EMFILE),
    ANSWER(pipe2, EMFILE),
    ANSWER(process_vm_readv, EPERM),
    ANSWER(socket, EACCES),
#endif
};

/* What a worker needs besides that reads fonts and tables, where Landlock decides which. Nothing that creates, writes or
 * lists what it was not shown. */
static const struct rule reading[] = {
    ALLOW_IF_MASKED(openat, 2, O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | O_PATH, O_RDONLY),
#ifdef __NR_open
    ALLOW_IF_MASKED(open, 1, O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | O_PATH, O_RDONLY),
#endif
    /* fontconfig would write its caches anew, and does without */
    ANSWER_IF_MASKED(openat, EACCES, 2, O_ACCMODE, O_WRONLY),
    ANSWER_IF_MASKED(openat, EACCES, 2, O_ACCMODE, O_RDWR),
    ANSWER(mkdir, EACCES),
    ANSWER(mkdirat, EACCES),
    ANSWER(chmod, EACCES),
    ANSWER(fchmodat, EACCES),
    ANSWER(link, EACCES),
    ANSWER(linkat, EACCES),
    ANSWER(unlink, EACCES),
    ANSWER(unlinkat, EACCES),
    ANSWER(rename, EACCES),
    ANSWER(renameat, EACCES),
    ANSWER(renameat2, EACCES),
    ALLOW(newfstatat),
    ALLOW(statx),
    ALLOW(fstatfs),
    ALLOW(getdents64),
    ALLOW_IF_EQUAL(fcntl, 1, F_GETFD),
    ALLOW_IF_EQUAL(fcntl, 1, F_SETFD),
    ALLOW_IF_EQUAL(fcntl, 1, F_GETFL),
    ALLOW(fadvise64),
    ALLOW(readv),
    /* no more than stat tells; Pango passes over a font that it is told it cannot read */
    ALLOW(access),
    ALLOW(faccessat),
    ALLOW(faccessat2),
    ANSWER(readlink, EACCES),
    ANSWER(readlinkat, EACCES),
    ANSWER(getcwd, EACCES),
    /* what libraries ask and can do without */
    ALLOW(clock_nanosleep),
    ALLOW(sched_getparam),
    ALLOW(sched_getscheduler),
    ALLOW(poll),
    ALLOW(ppoll),
    ALLOW(getuid),
    ALLOW(geteuid),
    ALLOW(getgid),
    ALLOW(getegid),
    ALLOW(uname),
    ALLOW(sigaltstack), /* Rust's threads */
    ALLOW_IF_EQUAL(prlimit64, 2, 0),
    ANSWER(prctl, EPERM), /* names of threads */
    ANSWER(ioctl, ENOTTY),
};

static bool is_reading(int call)
{
    for (size_t i = 0; i < COUNT(reading); i++)
        if (reading[i].call == call)
            return true;
    return false;
}

/* Of a call that is in both tables, the second has the say. */
static int add_rules(scmp_filter_ctx filter, const struct rule *rules, size_t n, bool files)
{
    for (size_t i = 0; i < n; i++) {
        const struct rule *r = &rules[i];
        if (files && rules == always && is_reading(r->call))
            continue;
        int e = seccomp_rule_add_array(filter, r->action, r->call, r->conditions, &r->condition);
        if (e < 0) {
            fprintf(stderr, "mkfilter: cannot add row %zu: %s\n", i, strerror(-e));
            return e;
        }
    }
    return 0;
}

/* Native architecture only: a call by another one (32-bit, x32) kills like any other. */
static int make(int fd, bool files)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (!filter)
        return -ENOMEM;
    int e = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (!e)
        e = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (!e)
        e = add_rules(filter, always, COUNT(always), files);
    if (!e && files)
        e = add_rules(filter, reading, COUNT(reading), files);
    if (!e)
        e = seccomp_export_bpf(filter, fd);
    seccomp_release(filter);
    return e;
}

static int print(int fd, const char *name)
{
    struct sock_filter op;
    printf("__attribute__((unused)) static const struct sock_filter %s[] = {\n", name);
    for (off_t at = 0; pread(fd, &op, sizeof op, at) == sizeof op; at += (off_t)sizeof op)
        printf("    {0x%02x, %u, %u, 0x%08" PRIx32 "},\n", op.code, op.jt, op.jf, op.k);
    printf("};\n");
    return fflush(stdout) || ferror(stdout) ? -EIO : 0;
}

static int emit(const char *name, bool files)
{
    auto_close int fd = memfd_create("filter", MFD_CLOEXEC);
    int e = fd < 0 ? -errno : make(fd, files);
    return e ? e : print(fd, name);
}

int main(void)
{
    printf("/* Made by tools/mkfilter.c. */\n#include <linux/filter.h>\n#define JAIL_SANITIZED %d\n"
           "#define JAIL_SELF_PID 0x%xu\n", SANITIZED, SELF_PID);
    int e = emit("jail_filter", false);
    if (!e)
        e = emit("jail_filter_reading", true);
    if (e)
        fprintf(stderr, "mkfilter: %s\n", strerror(-e));
    return e != 0;
}
