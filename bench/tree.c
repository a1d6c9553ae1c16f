/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and processor time of a process tree. A process that ends while it is looked at counts as nothing. */
#include "tree.h"

#include <dirent.h>

#include "base/cleanup.h"

enum { MAX_DEPTH = 8 };

struct sum {
    long kib, largest, ticks;
};

long resident_kib(pid_t pid)
{
    char path[64];
    long pages = 0;
    snprintf(path, sizeof(path), "/proc/%d/statm", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Of its own and of those of its children that have ended, in user mode and in the kernel. */
static long ticks_of(pid_t pid)
{
    char path[64];
    long own[2], ended[2];
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    int n = fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld %ld %ld", &own[0], &own[1], &ended[0],
        &ended[1]);
    fclose(file);
    return n == 4 ? own[0] + own[1] + ended[0] + ended[1] : 0;
}

static void add_process(struct sum *sum, pid_t pid, int depth);

static void add_children(struct sum *sum, pid_t pid, const char *thread, int depth)
{
    char path[320];
    int child;
    snprintf(path, sizeof(path), "/proc/%d/task/%s/children", pid, thread);
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%d", &child) == 1)
        add_process(sum, child, depth + 1);
    if (file)
        fclose(file);
}

static void add_process(struct sum *sum, pid_t pid, int depth)
{
    char path[64];
    long own = resident_kib(pid);
    sum->kib += own;
    sum->largest = MAX(sum->largest, own);
    sum->ticks += ticks_of(pid);
    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    DIR *threads = depth < MAX_DEPTH ? opendir(path) : NULL;
    for (struct dirent *entry; threads && (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            add_children(sum, pid, entry->d_name, depth);
    if (threads)
        closedir(threads);
}

long tree_kib(pid_t pid, long *largest)
{
    struct sum sum = {.largest = *largest};
    add_process(&sum, pid, 0);
    *largest = sum.largest;
    return sum.kib;
}

double tree_cpu_ms(pid_t pid)
{
    struct sum sum = {0};
    add_process(&sum, pid, 0);
    return (double)sum.ticks * 1e3 / (double)sysconf(_SC_CLK_TCK);
}
