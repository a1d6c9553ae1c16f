/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maxrss FILE COMMAND...: runs the command and writes to FILE how much memory, in KiB, its own process held at most.
 * What wait4 reports would include the children it waited for, and here the children are the point: so the process is
 * stopped just before it ends, while the kernel still knows. Exit status: the command's.
 */
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/cleanup.h"

static long high_water(pid_t pid)
{
    char path[64], line[256];
    long kib = -1;
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "VmHWM:", 6))
            kib = strtol(line + 6, NULL, 10);
    if (f)
        (void)fclose(f);
    return kib;
}

static void save(const char *path, long kib)
{
    FILE *f = fopen(path, "we");
    if (!f)
        return;
    fprintf(f, "%ld\n", kib);
    (void)fclose(f);
}

static void start(char **command)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
        _exit(126);
    (void)raise(SIGSTOP);
    (void)execvp(command[0], command);
    _exit(127);
}

/* Hands every signal on, except the stops that tracing itself makes. */
static int follow(pid_t pid, const char *file)
{
    int status;
    if (waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
        return 126;
    (void)ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL));
    for (int signal = 0;;) {
        (void)ptrace(PTRACE_CONT, pid, NULL, (void *)(long)signal);
        if (waitpid(pid, &status, __WALL) < 0)
            return 126;
        if (!WIFSTOPPED(status))
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8))
            save(file, high_water(pid));
        signal = status >> 16 ? 0 : WSTOPSIG(status);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: maxrss FILE COMMAND...\n", stderr);
        return 2;
    }
    pid_t pid = fork();
    if (pid == 0)
        start(argv + 2);
    return pid < 0 ? 126 : follow(pid, argv[1]);
}
