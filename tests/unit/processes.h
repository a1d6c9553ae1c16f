/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel tells of processes, so that a test can say that nothing was left: descriptors and children. */
#ifndef FOVEA_TEST_PROCESSES_H
#define FOVEA_TEST_PROCESSES_H

#include <dirent.h>
#include <stdio.h>
#include <sys/types.h>

enum { CHILDREN = 128 }; /* whose ids are told */

/* How many descriptors a process has; of this one, the look itself is counted too. */
static inline int fds_of(pid_t id)
{
    int n = -2; /* . and .. */
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)id);
    DIR *d = opendir(path);
    while (d && readdir(d))
        n++;
    if (d)
        (void)closedir(d);
    return n;
}

/* How many children a process has, zombies too; their ids in ids when that is not NULL. */
static inline int children_of(pid_t parent, pid_t ids[CHILDREN])
{
    int n = 0, id, ppid;
    struct dirent *e;
    DIR *d = opendir("/proc");
    while (d && (e = readdir(d))) {
        char path[300], state;
        (void)snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
        FILE *f = e->d_name[0] >= '0' && e->d_name[0] <= '9' ? fopen(path, "re") : NULL;
        if (!f)
            continue;
        if (fscanf(f, "%d (%*[^)]) %c %d", &id, &state, &ppid) == 3 && ppid == parent) {
            if (ids && n < CHILDREN)
                ids[n] = id;
            n++;
        }
        (void)fclose(f);
    }
    if (d)
        (void)closedir(d);
    return n;
}

#endif
