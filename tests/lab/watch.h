/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a lab sees of its own process: descriptors, threads, memory, children, zombies that stay; how long a thread had no
 * processor; and a timer that does nothing but fire each millisecond and write down how late it was. By these two a machine
 * that is busy elsewhere is told from work of ours that comes too late.
 */
#ifndef TESTS_LAB_WATCH_H
#define TESTS_LAB_WATCH_H

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

static inline int64_t watch_us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* How long, in microseconds, this thread was ready to run and had no processor, ever since it began; by the kernel's count. */
static inline int64_t watch_starved(void)
{
    long long ns = 0;
    FILE *f = fopen("/proc/thread-self/schedstat", "re");
    if (f && fscanf(f, "%*d %lld", &ns) != 1)
        ns = 0;
    if (f)
        (void)fclose(f);
    return ns / 1000;
}

static inline int watch_entries(const char *folder)
{
    int n = -3; /* ., .. and the descriptor of the look itself */
    DIR *d = opendir(folder);
    while (d && readdir(d))
        n++;
    if (d)
        (void)closedir(d);
    return n;
}

static inline int watch_fds(void)
{
    return watch_entries("/proc/self/fd");
}

static inline int watch_threads(void)
{
    return watch_entries("/proc/self/task") + 1;
}

/* Memory of its own, without what is mapped from files. */
static inline long watch_memory_kib(void)
{
    char line[128];
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && !kib && fgets(line, sizeof line, f))
        if (!strncmp(line, "RssAnon:", 8))
            kib = strtol(line + 8, NULL, 10);
    if (f)
        (void)fclose(f);
    return kib;
}

/* ---------------------------------------------------------------- children */

enum { WATCH_CHILDREN = 256 };

struct watch_family {
    int children, zombies;
    pid_t dead[WATCH_CHILDREN];      /* the zombies' ids, */
    int64_t since[WATCH_CHILDREN];   /* and when each was first seen as one */
};

/* A child's state, or 0 when it is another's or gone. */
static inline char watch_child_state(const char *pid)
{
    char path[300], state = 0;
    int parent = 0;
    (void)snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    if (fscanf(f, "%*d (%*[^)]) %c %d", &state, &parent) != 2 || parent != getpid())
        state = 0;
    (void)fclose(f);
    return state;
}

static inline void watch_family(struct watch_family *ret)
{
    struct dirent *e;
    DIR *d = opendir("/proc");
    *ret = (struct watch_family){0};
    while (d && (e = readdir(d))) {
        char state = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? watch_child_state(e->d_name) : 0;
        ret->children += state != 0;
        if (state == 'Z' && ret->zombies < WATCH_CHILDREN)
            ret->dead[ret->zombies++] = (pid_t)strtol(e->d_name, NULL, 10);
    }
    if (d)
        (void)closedir(d);
}

/* For how long, in microseconds, the longest of the zombies has been one, as far as was seen. */
static inline int64_t watch_stayed(const struct watch_family *before, struct watch_family *now)
{
    int64_t at = watch_us(), longest = 0;
    for (int k = 0; k < now->zombies; k++) {
        now->since[k] = at;
        for (int i = 0; i < before->zombies; i++)
            if (before->dead[i] == now->dead[k])
                now->since[k] = before->since[i];
        longest = MAX(longest, at - now->since[k]);
    }
    return longest;
}

/* ---------------------------------------------------------------- the timer */

enum { WATCH_TICKS = 1 << 16 }; /* a minute, and some */

struct watch_timer {
    pthread_t thread;
    atomic_bool over;
    _Atomic int64_t first;               /* when tick 0 was due */
    _Atomic int32_t late[WATCH_TICKS];   /* microseconds, of the tick that was due first + 1000 i */
    _Atomic int64_t ticks;
};

static inline void *watch_tick(void *arg)
{
    struct watch_timer *w = arg;
    int64_t due = w->first;
    for (int64_t i = 0; !w->over; i++, due += 1000) {
        struct timespec until = {.tv_sec = (time_t)(due / 1000000), .tv_nsec = (long)(due % 1000000) * 1000};
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        w->late[i % WATCH_TICKS] = (int32_t)MIN(watch_us() - due, INT32_MAX);
        w->ticks = i + 1;
    }
    return NULL;
}

static inline bool watch_timer_start(struct watch_timer *w)
{
    w->first = watch_us() + 1000;
    return !pthread_create(&w->thread, NULL, watch_tick, w);
}

static inline void watch_timer_end(struct watch_timer *w)
{
    w->over = true;
    (void)pthread_join(w->thread, NULL);
}

/* How late it was at worst for what was due between the two times; one that has not fired yet is late since then. */
static inline int64_t watch_late(struct watch_timer *w, int64_t from, int64_t to)
{
    int64_t worst = 0, now = watch_us(), i = MAX((from - w->first) / 1000, 0), end = (to - w->first) / 1000;
    for (; i <= end && i < w->ticks; i++)
        worst = MAX(worst, w->late[i % WATCH_TICKS]);
    return i <= end ? MAX(worst, MIN(now, to) - (w->first + i * 1000)) : worst;
}

#endif
