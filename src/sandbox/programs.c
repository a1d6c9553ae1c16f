/* SPDX-License-Identifier: Apache-2.0 */
/* Pools by program: see programs.h. */
#include "sandbox/programs.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"

struct programs {
    char *dir;
    char *home; /* HOME=...; NULL none */
    pthread_mutex_t lock;
    unsigned ready;
    struct pool *pool[PROGRAM_COUNT]; /* NULL: not needed yet */
};

/* How many wait ahead of work, of the number that is configured. A Markdown with images is two jobs for its program, one right
 * after the other: which images, then the page. */
static unsigned ready_of(enum program_id id, unsigned ready)
{
    unsigned most = id == PROGRAM_WORKER ? ready : id == PROGRAM_TEXT ? 2 : 1;
    return MIN(ready, most);
}

/* Renderers find fonts by the user's own settings too. */
static int new_pool(const struct programs *p, enum program_id id, struct pool **ret, struct fovea_fault *fault)
{
    auto_free char *path = NULL;
    if (asprintf(&path, "%s/%s", p->dir, program_name(id)) < 0) {
        path = NULL;
        return fault_oom(fault);
    }
    const char *setting = id == PROGRAM_WORKER ? NULL : p->home;
    return pool_new_of(&(struct program){.path = path, .setting = setting, .patient = id != PROGRAM_WORKER},
                       ready_of(id, p->ready), ret, fault);
}

int programs_pool(struct programs *p, enum program_id id, struct pool **ret, struct fovea_fault *fault)
{
    int r = 0;
    assert(id < PROGRAM_COUNT);
    (void)pthread_mutex_lock(&p->lock);
    if (!p->pool[id])
        r = new_pool(p, id, &p->pool[id], fault);
    struct pool *pool = p->pool[id];
    (void)pthread_mutex_unlock(&p->lock);
    if (r == 0)
        *ret = pool;
    return r;
}

void programs_prepare(struct programs *p, enum program_id id)
{
    struct pool *pool;
    struct fovea_fault fault;
    if (programs_pool(p, id, &pool, &fault) == 0)
        pool_prepare(pool);
}

void programs_ready(struct programs *p, unsigned ready)
{
    (void)pthread_mutex_lock(&p->lock);
    p->ready = ready;
    for (size_t i = 0; i < PROGRAM_COUNT; i++)
        if (p->pool[i])
            pool_ready(p->pool[i], ready_of((enum program_id)i, ready));
    (void)pthread_mutex_unlock(&p->lock);
}

void programs_free(struct programs *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < PROGRAM_COUNT; i++)
        pool_free(p->pool[i]);
    (void)pthread_mutex_destroy(&p->lock);
    free(p->dir);
    free(p->home);
    free(p);
}

static void free_programs(struct programs **p)
{
    programs_free(*p);
}

int programs_new(const char *dir, const char *home, unsigned ready, struct programs **ret, struct fovea_fault *fault)
{
    struct pool *first;
    cleanup(free_programs) struct programs *p = calloc(1, sizeof *p);
    if (!p)
        return fault_oom(fault);
    (void)pthread_mutex_init(&p->lock, NULL);
    p->ready = ready;
    if (!(p->dir = strdup(dir)))
        return fault_oom(fault);
    if (home && asprintf(&p->home, "HOME=%s", home) < 0) {
        p->home = NULL;
        return fault_oom(fault);
    }
    int r = programs_pool(p, PROGRAM_WORKER, &first, fault);
    if (r == 0)
        *ret = take(p);
    return r;
}
