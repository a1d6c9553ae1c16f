/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounded COMMAND...: runs the command and writes to descriptor 3 what that cost: its exit status (128 and the signal when
 * it was killed), the milliseconds it took, the most memory in KiB that it or any process it waited for held, and how many
 * processes it left behind. Those that it leaves become ours, which is how they are seen; they are ended.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"

enum { COST_FD = 3, LEAVE_MS = 100, MOST_LEFT = 64 };

static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What was told to end may need a moment for it; what still runs then was left. It is ended by its number, child by child. */
static int left_behind(void)
{
    int left = 0;
    (void)nanosleep(&(struct timespec){.tv_nsec = LEAVE_MS * 1000000L}, NULL);
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
    for (; left < MOST_LEFT; left++) {
        FILE *list = fopen("/proc/thread-self/children", "re");
        int pid = 0, found = list && fscanf(list, "%d", &pid) == 1;
        if (list)
            (void)fclose(list);
        if (!found)
            break;
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
    }
    return left;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: bounded COMMAND... 3>COST\n", stderr);
        return 2;
    }
    int64_t start = clock_ms();
    pid_t pid = prctl(PR_SET_CHILD_SUBREAPER, 1) ? -1 : fork();
    if (pid == 0) {
        (void)close(COST_FD);
        (void)execvp(argv[1], argv + 1);
        _exit(127);
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return 126;
    int64_t ms = clock_ms() - start;
    struct rusage cost;
    if (getrusage(RUSAGE_CHILDREN, &cost))
        return 126;
    dprintf(COST_FD, "%d %lld %ld %d\n", code_of(status), (long long)ms, cost.ru_maxrss, left_behind());
    return code_of(status);
}
