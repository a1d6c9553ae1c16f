/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hosts said: see discovery.h. The lock guards the lists, and is not held while a host is asked. An answer does not
 * change once it is known: a newer one takes its place in the list, and the old one goes when the last has let it go.
 */
#include "api/discovery_priv.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/cancel.h"
#include "base/clock.h"

struct asked_host {
    const struct provider *provider;
    char *base_url;
    struct host_answer *answers; /* the latest used first */
    bool failed; /* when it was asked last, at failed_ms */
    int64_t failed_ms;
    struct fovea_fault fault;
    struct asked_host *next;
};

struct kept {
    struct model row;
    struct kept *next;
};

struct discovery {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct http *http;
    struct asked_host *hosts; /* as many as the config has addresses */
    struct kept *kept;
    int64_t again_ms;
};

struct discovery *discovery_new(void)
{
    struct discovery *d = calloc(1, sizeof *d);
    if (!d || http_new(&d->http, NULL) < 0) {
        free(d);
        return NULL;
    }
    (void)pthread_mutex_init(&d->lock, NULL);
    (void)pthread_cond_init(&d->changed, NULL);
    d->again_ms = LIMIT_DISCOVER_AGAIN_MS;
    return d;
}

void discovery_set_again(struct discovery *d, int64_t ms)
{
    d->again_ms = ms;
}

struct http *discovery_http(const struct discovery *d)
{
    return d->http;
}

static void answer_unref(struct host_answer *a)
{
    if (!a || --a->users)
        return;
    discover_list_done(&a->list);
    free(a->rows);
    free(a->id);
    free(a);
}

static void host_free(struct asked_host *h)
{
    for (struct host_answer *a = h->answers, *next; a; a = next) {
        next = a->next;
        answer_unref(a);
    }
    free(h->base_url);
    free(h);
}

void discovery_free(struct discovery *d)
{
    if (!d)
        return;
    for (struct asked_host *h = d->hosts, *next; h; h = next) {
        next = h->next;
        host_free(h);
    }
    for (struct kept *k = d->kept, *next; k; k = next) {
        next = k->next;
        free(k);
    }
    http_free(d->http);
    (void)pthread_cond_destroy(&d->changed);
    (void)pthread_mutex_destroy(&d->lock);
    free(d);
}

/* ---------------------------------------------------------------- answers; all under the lock */

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static struct asked_host *host_find(struct discovery *d, const struct provider *p, const char *base_url)
{
    struct asked_host *h = d->hosts;
    while (h && !(h->provider == p && same(h->base_url, base_url)))
        h = h->next;
    return h;
}

/* NULL when out of memory. */
static struct asked_host *host_for(struct discovery *d, const struct discovery_question *q)
{
    struct asked_host *h = host_find(d, q->provider, q->base_url);
    if (h)
        return h;
    h = calloc(1, sizeof *h);
    if (!h || !(h->base_url = strdup(q->base_url))) {
        free(h);
        return NULL;
    }
    h->provider = q->provider;
    h->next = d->hosts;
    d->hosts = h;
    return h;
}

/* Whether it has a model that sees, and the one that is asked for: then there is no reason to ask again. */
static bool helps(const struct host_answer *a, const char *id)
{
    for (size_t i = 0; a->known && i < a->list.n; i++)
        if (a->list.rows[i].vision && (!id || !strcmp(a->list.rows[i].id, id)))
            return true;
    return false;
}

/* The answer that is there, or awaited; it is the latest used from now on. */
static struct host_answer *answer_find(struct asked_host *h, const char *id)
{
    for (struct host_answer **at = &h->answers; *at; at = &(*at)->next) {
        struct host_answer *a = *at;
        if (!same(a->id, id) && !(!a->id && helps(a, id)))
            continue;
        *at = a->next;
        a->next = h->answers;
        h->answers = a;
        return a;
    }
    return NULL;
}

static void answer_drop(struct asked_host *h, struct host_answer *a)
{
    struct host_answer **at = &h->answers;
    while (*at && *at != a)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = a->next;
    answer_unref(a);
}

/* One that is awaited is somebody's, and the one on all models stays. */
static void drop_oldest(struct asked_host *h)
{
    struct host_answer *oldest = NULL;
    size_t n = 0;
    for (struct host_answer *a = h->answers; a; a = a->next) {
        n += a->id != NULL;
        oldest = a->id && a->known ? a : oldest;
    }
    if (oldest && n > LIMIT_DISCOVER_IDS)
        answer_drop(h, oldest);
}

static struct host_answer *answer_add(struct asked_host *h, const char *id)
{
    struct host_answer *a = calloc(1, sizeof *a);
    if (!a || (id && !(a->id = strdup(id)))) {
        free(a);
        return NULL;
    }
    a->users = 1;
    a->next = h->answers;
    h->answers = a;
    drop_oldest(h);
    return a;
}

/* The answer, or NULL when there was none. */
static struct host_answer *ask_unlocked(struct discovery *d, const struct discovery_question *q, struct asked_host *h)
{
    struct host_answer *a = answer_add(h, q->id);
    struct fovea_fault fault = {0};
    if (!a)
        return NULL;
    (void)pthread_mutex_unlock(&d->lock);
    int r = answer_fill(d->http, q, a, &fault);
    (void)pthread_mutex_lock(&d->lock);
    a->known = r == 0;
    a->at_ms = clock_ms();
    if (r < 0)
        answer_drop(h, a);
    if (r != -ECANCELED) {
        h->failed = r < 0;
        h->failed_ms = clock_ms();
        h->fault = fault;
    }
    (void)pthread_cond_broadcast(&d->changed);
    return r < 0 ? NULL : a;
}

static void wait_a_tick(struct discovery *d)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += LIMIT_DISCOVER_TICK_MS * 1000000L;
    t.tv_sec += t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    (void)pthread_cond_clockwait(&d->changed, &d->lock, CLOCK_MONOTONIC, &t);
}

/* ---------------------------------------------------------------- for choosing */

static struct host_answer *answer_for(struct discovery *d, const struct discovery_question *q, struct asked_host *h)
{
    int64_t deadline = clock_ms() + q->total_ms;
    struct host_answer *a;
    while ((a = answer_find(h, q->id)) && !a->known) {
        if (clock_ms() >= deadline || cancel_struck(q->cancel))
            return NULL;
        wait_a_tick(d);
    }
    if (a && (helps(a, q->id) || clock_ms() - a->at_ms < d->again_ms))
        return a;
    if (cancel_struck(q->cancel) || (h->failed && clock_ms() - h->failed_ms < d->again_ms))
        return NULL;
    if (a)
        answer_drop(h, a);
    return ask_unlocked(d, q, h);
}

struct host_answer *discovery_ask(struct discovery *d, const struct discovery_question *q)
{
    (void)pthread_mutex_lock(&d->lock);
    struct asked_host *h = host_for(d, q);
    struct host_answer *a = h ? answer_for(d, q, h) : NULL;
    if (a && !a->list.n)
        a = NULL;
    if (a)
        a->users++;
    (void)pthread_mutex_unlock(&d->lock);
    return a;
}

void discovery_let_go(struct discovery *d, struct host_answer *a)
{
    (void)pthread_mutex_lock(&d->lock);
    answer_unref(a);
    (void)pthread_mutex_unlock(&d->lock);
}

const struct model *answer_rows(const struct host_answer *a, size_t *ret_n)
{
    *ret_n = a->list.n;
    return a->rows;
}

/* A host that says another context each time runs out of room for it. */
static const struct model *keep(struct discovery *d, const struct model *row)
{
    size_t n = 0;
    int64_t context = row->context;
    for (const struct kept *k = d->kept; k; k = k->next)
        n += k->row.provider == row->provider;
    if (n >= LIMIT_DISCOVER_KEPT)
        context = 0;
    for (const struct kept *k = d->kept; k; k = k->next)
        if (k->row.provider == row->provider && k->row.can == row->can && k->row.context == context &&
            k->row.modality_source == row->modality_source)
            return &k->row;
    struct kept *k = malloc(sizeof *k);
    if (!k)
        return NULL;
    *k = (struct kept){.row = *row, .next = d->kept};
    k->row.id = "";
    k->row.context = context;
    d->kept = k;
    return &k->row;
}

const struct model *discovery_keep(struct discovery *d, const struct model *row)
{
    (void)pthread_mutex_lock(&d->lock);
    row = keep(d, row);
    (void)pthread_mutex_unlock(&d->lock);
    return row;
}

void discovery_trouble(struct discovery *d, const struct provider *p, const char *base_url, struct fovea_fault *ret)
{
    (void)pthread_mutex_lock(&d->lock);
    const struct asked_host *h = base_url ? host_find(d, p, base_url) : NULL;
    *ret = h && h->failed ? h->fault : (struct fovea_fault){0};
    (void)pthread_mutex_unlock(&d->lock);
}
