/* SPDX-License-Identifier: Apache-2.0 */
/* Ends that are none of the protocol's: at each of its points, by death, by silence, by work without end, and by what the
 * jail forbids. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "fault.h"
#include "filter.h"

static void crash(struct job *j)
{
    (void)j;
    fault_crash();
}
static void aborts(struct job *j)
{
    (void)j;
    abort();
}
static void exit_0(struct job *j)
{
    (void)j;
    _exit(0);
}
static void exit_1(struct job *j)
{
    (void)j;
    _exit(1);
}
static void hangs(struct job *j)
{
    (void)j;
    fault_hang();
}
static void spins(struct job *j)
{
    (void)j;
    fault_spin();
}
static void stops(struct job *j)
{
    (void)j;
    fault_stop();
    fault_hang();
}
static void closed_socket(struct job *j)
{
    (void)j;
    (void)close(WORK_SOCKET);
    fault_hang();
}
static void forks(struct job *j)
{
    (void)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
    fault_reply(j);
}
static void opens(struct job *j)
{
    (void)syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", NULL, 0);
    fault_reply(j);
}
static void output_beyond_limit(struct job *j)
{
    (void)!ftruncate(j->output, (off_t)LIMIT_RAW_OUTPUT + 1);
    fault_reply(j);
}
static void oom(struct job *j)
{
    bool full = false;
    size_t pieces = JAIL_SANITIZED ? 1 : LIMIT_WORKER_MEMORY / (16 * MIB); /* no limit there */
    for (size_t i = 0; i < pieces && !full; i++) {
        void *volatile piece = malloc(16 * MIB);
        full = !piece;
    }
    j->reply = (struct work_reply){.magic = WORK_MAGIC, .status = full ? WORK_NO_MEMORY : WORK_UNSUPPORTED};
    fault_reply(j);
}

/* What it has comes and stays: one that is killed in the middle of it takes long to go. */
static void eats_memory(struct job *j)
{
    char *volatile piece = NULL;
    size_t pieces = JAIL_SANITIZED ? 4 : LIMIT_WORKER_MEMORY / (4 * MIB);
    for (size_t i = 0; i < pieces && (piece = malloc(4 * MIB)); i++)
        memset(piece, 1, 4 * MIB);
    j->reply = (struct work_reply){.magic = WORK_MAGIC, .status = WORK_NO_MEMORY};
    fault_reply(j);
}

/* ---------------------------------------------------------------- with half of the picture written */

static void halve_output(struct job *j)
{
    (void)!ftruncate(j->output, (off_t)j->reply.image_len / 2);
}
static void exit_midway(struct job *j)
{
    halve_output(j);
    _exit(0);
}
static void crash_midway(struct job *j)
{
    halve_output(j);
    fault_crash();
}
static void hang_midway(struct job *j)
{
    halve_output(j);
    fault_hang();
}
static void stop_midway(struct job *j)
{
    halve_output(j);
    fault_stop();
    fault_hang();
}
static void reply_midway(struct job *j)
{
    halve_output(j);
    fault_reply(j);
}
static void hang_after_reply(struct job *j)
{
    fault_reply(j);
    fault_hang();
}
static void stop_after_reply(struct job *j)
{
    fault_reply(j);
    fault_stop();
    fault_hang();
}
static void spin_after_reply(struct job *j)
{
    fault_reply(j);
    fault_spin();
}
static void crash_after_reply(struct job *j)
{
    fault_reply(j);
    fault_crash();
}

/* ---------------------------------------------------------------- what is forbidden */

static void kills_parent(struct job *j)
{
    (void)kill(getppid(), SIGTERM);
    fault_reply(j);
}
static void executes(struct job *j)
{
    (void)syscall(SYS_execve, "/bin/true", NULL, NULL);
    fault_reply(j);
}
static void listens(struct job *j)
{
    (void)syscall(SYS_bind, socket(AF_INET, SOCK_STREAM, 0), NULL, 0);
    fault_reply(j);
}
static void traces(struct job *j)
{
    (void)syscall(SYS_ptrace, 16, getpid(), NULL, NULL);
    fault_reply(j);
}

const struct fault fault_ends[] = {
    {"crash", crash}, {"abort", aborts}, {"exit-0", exit_0}, {"exit-1", exit_1}, {"hang", hangs}, {"spin", spins}, {"stop", stops},
    {"closed-socket", closed_socket}, {"fork", forks}, {"open", opens}, {"output-beyond-limit", output_beyond_limit}, {"oom", oom},
    {"eats-memory", eats_memory}, {"exit-midway", exit_midway}, {"crash-midway", crash_midway}, {"hang-midway", hang_midway},
    {"stop-midway", stop_midway}, {"reply-midway", reply_midway}, {"hang-after-reply", hang_after_reply},
    {"stop-after-reply", stop_after_reply}, {"spin-after-reply", spin_after_reply}, {"crash-after-reply", crash_after_reply},
    {"kills-parent", kills_parent}, {"executes", executes}, {"listens", listens}, {"traces", traces}, {NULL, NULL},
};
