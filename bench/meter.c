/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cold start: runs a command N times with its output thrown away and prints the least wall time, the least peak memory
 * of its largest process, and the largest peak of the sum over all of its processes (sampled, so it can only be seen
 * too low), as one line of JSON. Time and memory come from different runs: the sampling would cost time. Being small
 * itself, it adds nothing to the figures (a child starts out with the memory of whoever forks it).
 */
#include <err.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "tree.h"

enum { SAMPLE_NS = 400000 };

struct peak {
    double ms;
    long largest_kib, tree_kib;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static pid_t start(char **argv)
{
    pid_t pid = vfork();
    if (pid)
        return pid;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
        execvp(argv[0], argv);
    _exit(127);
}

static bool ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/* One run, with its memory sampled or not. Exit status of the command. */
static int run(char **argv, struct peak *p, bool sampled)
{
    struct rusage used;
    int status;
    double begin = now_ms();
    pid_t pid = start(argv);
    if (pid < 0)
        err(1, "cannot start '%s'", argv[0]);
    while (sampled && !ended(pid)) {
        p->tree_kib = MAX(p->tree_kib, tree_kib(pid, &p->largest_kib));
        nanosleep(&(struct timespec){0, SAMPLE_NS}, NULL);
    }
    if (wait4(pid, &status, 0, &used) < 0)
        err(1, "wait4");
    p->ms = now_ms() - begin;
    p->largest_kib = MAX(p->largest_kib, used.ru_maxrss);
    p->tree_kib = MAX(p->tree_kib, p->largest_kib);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        errx(2, "usage: meter RUNS COMMAND [ARGUMENT...]");
    long runs = strtol(argv[1], NULL, 10);
    struct peak best = {1e9, 1L << 40, 0};
    for (long i = 0; i < 2 * runs; i++) {
        struct peak p = {0};
        bool sampled = i & 1;
        int status = run(argv + 2, &p, sampled);
        if (status)
            errx(1, "'%s' ended with status %d", argv[2], status);
        if (!sampled) {
            best.ms = fmin(best.ms, p.ms);
            continue;
        }
        best.largest_kib = MIN(best.largest_kib, p.largest_kib);
        best.tree_kib = MAX(best.tree_kib, p.tree_kib);
    }
    printf("{\"ms\":%.2f,\"largest_kib\":%ld,\"tree_kib\":%ld}\n", best.ms, best.largest_kib, best.tree_kib);
    return 0;
}
