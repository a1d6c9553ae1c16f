/* SPDX-License-Identifier: Apache-2.0 */
/* The scene of the workers alone: their programs made known, one of each kind started and heard, all of them sent home. So few
 * calls that even few points play every one. */
#include "base/cleanup.h"
#include "base/limits.h"
#include "sandbox/programs.h"
#include "scenes.h"

static void hear(struct pool *p, struct outcome *o)
{
    struct fovea_fault fault = {0};
    struct work_hello hello = {0};
    int r = o->code < 0 ? 0 : pool_hello(p, &hello, &fault);
    tell_fault(o, r, &fault);
    if (r == 0)
        tell_str(o, hello.codecs);
}

/* A renderer's pool is made when it is wanted; one that cannot be prepared is made later. */
static void run_programs(struct outcome *o)
{
    struct fovea_fault fault = {0};
    struct programs *p = NULL;
    struct pool *photo = NULL;
    int r = programs_new(build_folder(), "/home/somebody", 1, &p, &fault);
    if (r == 0) {
        programs_prepare(p, PROGRAM_PHOTO);
        r = programs_pool(p, PROGRAM_PHOTO, &photo, &fault);
    }
    tell_fault(o, r, &fault);
    if (r == 0)
        hear(photo, o);
    programs_free(p);
}

/* One that is given a word. */
static void run_alone(struct outcome *o)
{
    char path[LIMIT_PATH_BYTES + 16];
    struct fovea_fault fault = {0};
    struct pool *worker = NULL, *given = NULL;
    (void)snprintf(path, sizeof path, "%s/fovea-worker", build_folder());
    int r = pool_new_of(&(struct program){.path = path}, 0, &worker, &fault);
    r = r < 0 ? r : pool_new_of(&(struct program){.path = path, .word = "word"}, 0, &given, &fault);
    tell_fault(o, r, &fault);
    if (r == 0)
        hear(worker, o);
    pool_free(worker);
    pool_free(given);
}

static void run_workers(struct outcome *o)
{
    run_programs(o);
    if (o->code == 0)
        run_alone(o);
}

const struct scene scene_workers = {.name = "workers", .run = run_workers};
