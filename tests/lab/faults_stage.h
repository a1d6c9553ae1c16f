/* SPDX-License-Identifier: Apache-2.0 */
/* Where the lab of faults plays: pools of the fault worker, one for each fault of a start, contexts with it and with the real
 * one, all in a folder of its own. */
#ifndef TESTS_LAB_FAULTS_STAGE_H
#define TESTS_LAB_FAULTS_STAGE_H

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "faults_job.h"
#include "faults_rows.h"

struct stage {
    char dir[64], build[LIMIT_PATH_BYTES];
    struct pool *busy[2]; /* some of its workers wait, or none does */
    struct start_place {
        struct pool *pool;
        struct note *notes;
        pthread_mutex_t lock; /* one at a time, so that whose greeting was noted is known */
    } starts[COUNT(start_rows)];
    fovea *hurried, *patient, *real;
    struct note *notes;
};

static inline struct note *place_new(const struct stage *s, const char *name)
{
    char dir[128], path[192], target[LIMIT_PATH_BYTES + 64];
    (void)snprintf(dir, sizeof dir, "%s/%s", s->dir, name);
    (void)mkdir(dir, 0700);
    (void)snprintf(path, sizeof path, "%s/fovea-worker", dir);
    (void)snprintf(target, sizeof target, "%s/tests/fault/fovea-worker", s->build);
    (void)!symlink(target, path);
    (void)snprintf(path, sizeof path, "%s/notes", dir);
    auto_close int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, NOTES_ROWS * sizeof(struct note)))
        return NULL;
    void *map = mmap(NULL, NOTES_ROWS * sizeof(struct note), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return map == MAP_FAILED ? NULL : map;
}

static inline struct pool *pool_in(const struct stage *s, const char *name, unsigned ready)
{
    char path[160];
    struct pool *p = NULL;
    (void)snprintf(path, sizeof path, "%s/%s/fovea-worker", s->dir, name);
    return pool_new_of(&(struct program){.path = path}, ready, &p, NULL) ? NULL : p;
}

static inline fovea *context_with(const struct stage *s, const char *workers, const char *setting)
{
    char config[128];
    fovea *f = NULL;
    struct fovea_fault fault = {0};
    (void)snprintf(config, sizeof config, "%s/config.yaml", s->dir);
    FILE *file = fopen(config, "we");
    if (file) {
        fputs(setting, file);
        (void)fclose(file);
    }
    const char *const reach[] = {s->build, NULL};
    struct fovea_options options = {.config_file = config, .worker_dir = workers, .ready_workers = 1, .no_cache = true,
                                    .reach = reach};
    if (fovea_new(&options, &f, &fault))
        fprintf(stderr, "  %s\n", fault.text);
    return f;
}

static inline bool stage_open(struct stage *s)
{
    char jobs[128];
    bool good = (s->notes = place_new(s, "job")) && (s->busy[0] = pool_in(s, "job", 2)) && (s->busy[1] = pool_in(s, "job", 0));
    for (size_t i = 0; good && i < COUNT(start_rows); i++) {
        struct start_place *place = &s->starts[i];
        good = (place->notes = place_new(s, start_rows[i].name)) && (place->pool = pool_in(s, start_rows[i].name, 0)) &&
               !pthread_mutex_init(&place->lock, NULL);
    }
    (void)snprintf(jobs, sizeof jobs, "%s/job", s->dir);
    return good && (s->hurried = context_with(s, jobs, "view:\n  timeoutMs: 100\n")) &&
           (s->patient = context_with(s, jobs, "view:\n  timeoutMs: 10000\n")) && (s->real = context_with(s, s->build, ""));
}

static inline void stage_close(struct stage *s)
{
    for (size_t i = 0; i < COUNT(start_rows); i++) {
        pool_free(s->starts[i].pool);
        (void)munmap(s->starts[i].notes, NOTES_ROWS * sizeof(struct note));
    }
    pool_free(s->busy[0]);
    pool_free(s->busy[1]);
    fovea_free(s->hurried);
    fovea_free(s->patient);
    fovea_free(s->real);
    (void)munmap(s->notes, NOTES_ROWS * sizeof(struct note));
}

#endif
