/* SPDX-License-Identifier: Apache-2.0 */
/* The folders of a host: see folders.h. What is known of one never changes again, so calls may hold on to it without
 * the lock; one call at a time finds out more. */
#include "api/folders.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/text.h"
#include "source/folder.h"

struct named {
    char *spelled; /* NULL: not named */
    char *path;    /* free of links; NULL: not known */
    bool silent;   /* its file system does not answer */
};

struct folders {
    atomic_uint refs;
    pthread_mutex_t lock;
    pthread_cond_t found;
    bool looking; /* a call looks them up */
    bool narrow;  /* there is a list of roots, be it empty */
    size_t n;     /* the first is the cwd */
    struct named folder[1 + LIMIT_ROOTS];
};

struct folders *folders_ref(struct folders *d)
{
    atomic_fetch_add(&d->refs, 1);
    return d;
}

void folders_unref(struct folders *d)
{
    if (!d || atomic_fetch_sub(&d->refs, 1) != 1)
        return;
    for (size_t i = 0; i < d->n; i++) {
        free(d->folder[i].spelled);
        free(d->folder[i].path);
    }
    (void)pthread_cond_destroy(&d->found);
    (void)pthread_mutex_destroy(&d->lock);
    free(d);
}

static void unref_p(struct folders **d)
{
    folders_unref(*d);
}

static int add(struct folders *d, const char *what, const char *path, struct fovea_fault *fault)
{
    auto_buf shown = BUF_INIT(KIB);
    struct named *f = &d->folder[d->n++];
    if (path && *path != '/')
        return buf_add_shown(&shown, path, 100) < 0
                   ? fault_oom(fault)
                   : fault_set(fault, EINVAL, "%s \"%s\" is not an absolute path", what, shown.data ? shown.data : "");
    return path && !(f->spelled = strdup(path)) ? fault_oom(fault) : 0;
}

int folders_new(const char *cwd, const char *const *roots, struct folders **ret, struct fovea_fault *fault)
{
    cleanup(unref_p) struct folders *d = calloc(1, sizeof *d);
    pthread_condattr_t monotonic;
    if (!d)
        return fault_oom(fault);
    atomic_init(&d->refs, 1);
    (void)pthread_mutex_init(&d->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&d->found, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    d->narrow = roots;
    int r = add(d, "the session's working folder", cwd, fault);
    for (; r == 0 && roots && *roots; roots++)
        r = d->n > LIMIT_ROOTS ? fault_set(fault, EINVAL, "a session has at most %d roots", LIMIT_ROOTS)
                               : add(d, "root", *roots, fault);
    if (r < 0)
        return r;
    *ret = take(d);
    return 0;
}

/* ---------------------------------------------------------------- looking */

static bool is_open(const struct named *f)
{
    return f->spelled && !f->path && !f->silent;
}

/* All that are not known yet. Each has its time, and all of them no more than a file has: those that are left then count
 * as silent. */
static int look(struct folders *d, const struct call *c, struct fovea_fault *fault)
{
    int64_t deadline = clock_ms() + LIMIT_OPEN_MS;
    int r = 0;
    for (size_t i = 0; r == 0 && i < d->n; i++) {
        struct named *f = &d->folder[i];
        enum snapshot_verdict verdict = SNAPSHOT_TIMED_OUT;
        char *path = NULL;
        if (!is_open(f))
            continue;
        int left = MIN(clock_left(deadline), LIMIT_FOLDER_MS);
        if (left)
            r = folder_resolve(c->f->gate, f->spelled, left, c->scope.cancel, &verdict, &path, fault);
        if (r < 0)
            return r;
        (void)pthread_mutex_lock(&d->lock);
        f->path = path;
        f->silent = verdict == SNAPSHOT_TIMED_OUT;
        (void)pthread_mutex_unlock(&d->lock);
    }
    return r;
}

static bool any_open(const struct folders *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (is_open(&d->folder[i]))
            return true;
    return false;
}

/* True when the caller is to look, alone. */
static bool take_turn(struct folders *d, const fovea_cancel *cancel)
{
    (void)pthread_mutex_lock(&d->lock);
    while (d->looking && any_open(d) && !cancel_struck(cancel)) {
        int64_t wake = clock_ms() + LIMIT_CANCEL_NAP_MS;
        struct timespec until = {.tv_sec = (time_t)(wake / 1000), .tv_nsec = (long)(wake % 1000) * 1000000};
        (void)pthread_cond_timedwait(&d->found, &d->lock, &until);
    }
    bool mine = !d->looking && any_open(d) && !cancel_struck(cancel);
    d->looking |= mine;
    (void)pthread_mutex_unlock(&d->lock);
    return mine;
}

static void end_turn(struct folders *d)
{
    (void)pthread_mutex_lock(&d->lock);
    d->looking = false;
    (void)pthread_cond_broadcast(&d->found);
    (void)pthread_mutex_unlock(&d->lock);
}

/* The roots that are known, in a list of the call's own. */
static int lend(struct folders *d, struct call *c)
{
    const char **roots = d->narrow ? calloc(d->n, sizeof *roots) : NULL;
    if (d->narrow && !roots)
        return -ENOMEM;
    (void)pthread_mutex_lock(&d->lock);
    const struct named *cwd = &d->folder[0];
    if (cwd->spelled)
        c->cwd = cwd->path ? cwd->path : cwd->spelled; /* where nothing is there, it opens nothing */
    for (size_t i = 1, n = 0; roots && i < d->n; i++)
        if (d->folder[i].path)
            roots[n++] = d->folder[i].path;
    (void)pthread_mutex_unlock(&d->lock);
    c->scope.roots = c->roots = roots;
    return 0;
}

int folders_lend(struct folders *d, struct call *c, struct fovea_fault *fault)
{
    int r = 0;
    if (take_turn(d, c->scope.cancel)) {
        r = look(d, c, fault);
        end_turn(d);
    }
    if (r == 0 && cancel_struck(c->scope.cancel))
        r = fault_cancelled(fault);
    if (r == 0 && lend(d, c) < 0)
        r = fault_oom(fault);
    return r;
}
