/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and processor time of a process tree. A process that ends while it is looked at counts as nothing. */
#include <dirent.h>

#include "base/cleanup.h"
#include "tree.h"

enum { MAX_DEPTH = 8 };

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

static long sum_kib(pid_t pid, int depth, long *largest);

static long children_kib(pid_t pid, const char *thread, int depth, long *largest)
{
    char path[320];
    long sum = 0;
    int child;
    snprintf(path, sizeof(path), "/proc/%d/task/%s/children", pid, thread);
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%d", &child) == 1)
        sum += sum_kib(child, depth + 1, largest);
    if (file)
        fclose(file);
    return sum;
}

static long sum_kib(pid_t pid, int depth, long *largest)
{
    char path[64];
    long own = resident_kib(pid), sum = own;
    *largest = MAX(*largest, own);
    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    DIR *threads = depth < MAX_DEPTH ? opendir(path) : NULL;
    for (struct dirent *entry; threads && (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            sum += children_kib(pid, entry->d_name, depth, largest);
    if (threads)
        closedir(threads);
    return sum;
}

long tree_kib(pid_t pid, long *largest)
{
    return sum_kib(pid, 0, largest);
}

double cpu_ms(pid_t pid)
{
    char path[64];
    long own[2], ended[2]; /* in user mode, in the kernel */
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    int n = fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld %ld %ld", &own[0], &own[1], &ended[0],
        &ended[1]);
    fclose(file);
    return n == 4 ? (double)(own[0] + own[1] + ended[0] + ended[1]) * 1e3 / (double)sysconf(_SC_CLK_TCK) : 0;
}
