/* SPDX-License-Identifier: Apache-2.0 */
/* What hosts said: see discovery.h. The lock guards the list of answers and their states, and is not held while a host is
 * asked; rows that were handed out never move, since choices point to them. */
#include "api/discovery.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/fault.h"
#include "provider/discover.h"

enum answer_state {
    ANSWER_WANTED, /* nobody asks at the moment */
    ANSWER_AWAITED,
    ANSWER_KNOWN,
    ANSWER_FAILED, /* at failed_ms */
};

struct answer {
    const struct provider *provider;
    char *base_url, *id; /* what was asked; id NULL: all */
    enum answer_state state;
    int64_t failed_ms;
    struct discover_list list; /* holds the ids of rows */
    struct model *rows;
    struct answer *next;
};

struct discovery {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct http *http;
    struct answer *answers;
    size_t count;
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
    return d;
}

static void answer_free(struct answer *a)
{
    if (!a)
        return;
    discover_list_done(&a->list);
    free(a->rows);
    free(a->base_url);
    free(a->id);
    free(a);
}

void discovery_free(struct discovery *d)
{
    if (!d)
        return;
    for (struct answer *a = d->answers, *next; a; a = next) {
        next = a->next;
        answer_free(a);
    }
    http_free(d->http);
    (void)pthread_cond_destroy(&d->changed);
    (void)pthread_mutex_destroy(&d->lock);
    free(d);
}

bool discovery_can_ask(const struct discovery_question *q)
{
    const char *wire = q->provider->wire;
    return q->base_url && wire && !strncmp(wire, "openai-", 7) && (q->key || q->provider->auth_none);
}

/* ---------------------------------------------------------------- asking */

static struct model row_of(const struct provider *p, const struct discovered *said)
{
    static const char source[] = "the host's own word";
    return (struct model){
        .provider = p->name,
        .id = said->id,
        .can = (said->vision ? MODEL_VISION : 0u) | (said->pdf ? MODEL_PDF : 0u) | (said->video ? MODEL_VIDEO : 0u),
        .context = said->context,
        .price = {-1, -1, -1, -1},
        .price_source = "none",
        .limits_source = source,
        .modality_source = said->told ? source : "none",
    };
}

static int ask(struct discovery *d, const struct discovery_question *q, struct discover_list *ret,
               struct fovea_fault *fault)
{
    const struct provider *p = q->provider;
    struct host_place place = {.name = p->name, .base_url = q->base_url, .wire = p->wire, .auth = p->auth,
                               .keyless = !q->key};
    struct host host;
    if (host_make(&place, &host) < 0)
        return fault_set(fault, EINVAL, "'%s' is no host that can be asked", p->name);
    struct discover_request request = {.host = &host, .key = q->key, .ca_file = q->ca_file, .id = q->id,
                                       .total_ms = q->total_ms, .cancel = q->cancel};
    return discover(d->http, &request, ret, fault);
}

/* Fills an answer that is this thread's to fill. */
static enum answer_state fill(struct discovery *d, const struct discovery_question *q, struct answer *a)
{
    int r = ask(d, q, &a->list, NULL);
    if (r == -ECANCELED)
        return ANSWER_WANTED;
    if (r == 0 && a->list.n && !(a->rows = calloc(a->list.n, sizeof *a->rows))) {
        discover_list_done(&a->list);
        r = -ENOMEM;
    }
    if (r < 0)
        return ANSWER_FAILED;
    for (size_t i = 0; i < a->list.n; i++)
        a->rows[i] = row_of(a->provider, &a->list.rows[i]);
    return ANSWER_KNOWN;
}

/* ---------------------------------------------------------------- answers; all under the lock */

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* The answer to this question, made where there is none yet. NULL when it cannot be. */
static struct answer *answer_for(struct discovery *d, const struct discovery_question *q)
{
    for (struct answer *a = d->answers; a; a = a->next)
        if (a->provider == q->provider && same(a->base_url, q->base_url) && same(a->id, q->id))
            return a;
    struct answer *a = d->count < LIMIT_DISCOVERIES ? calloc(1, sizeof *a) : NULL;
    if (!a)
        return NULL;
    a->provider = q->provider;
    a->base_url = strdup(q->base_url);
    a->id = q->id ? strdup(q->id) : NULL;
    if (!a->base_url || (q->id && !a->id)) {
        answer_free(a);
        return NULL;
    }
    a->next = d->answers;
    d->answers = a;
    d->count++;
    return a;
}

static void ask_unlocked(struct discovery *d, const struct discovery_question *q, struct answer *a)
{
    a->state = ANSWER_AWAITED;
    (void)pthread_mutex_unlock(&d->lock);
    enum answer_state state = fill(d, q, a);
    (void)pthread_mutex_lock(&d->lock);
    a->state = state;
    a->failed_ms = clock_ms();
    (void)pthread_cond_broadcast(&d->changed);
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

const struct model *discovery_rows(struct discovery *d, const struct discovery_question *q, size_t *ret_n)
{
    int64_t deadline = clock_ms() + q->total_ms;
    const struct model *rows = NULL;
    *ret_n = 0;
    (void)pthread_mutex_lock(&d->lock);
    struct answer *a = answer_for(d, q);
    while (a && a->state == ANSWER_AWAITED && clock_ms() < deadline && !cancel_struck(q->cancel))
        wait_a_tick(d);
    bool stale = a && (a->state == ANSWER_WANTED ||
                       (a->state == ANSWER_FAILED && clock_ms() - a->failed_ms >= LIMIT_DISCOVER_AGAIN_MS));
    if (stale && !cancel_struck(q->cancel))
        ask_unlocked(d, q, a);
    if (a && a->state == ANSWER_KNOWN && a->list.n) {
        rows = a->rows;
        *ret_n = a->list.n;
    }
    (void)pthread_mutex_unlock(&d->lock);
    return rows;
}

int discovery_tell(struct discovery *d, const struct discovery_question *q,
                   void (*tell)(const struct model *row, void *arg), void *arg, struct fovea_fault *fault)
{
    cleanup(discover_list_done) struct discover_list l = {0};
    int r = ask(d, q, &l, fault);
    for (size_t i = 0; r == 0 && i < l.n; i++) {
        struct model row = row_of(q->provider, &l.rows[i]);
        tell(&row, arg);
    }
    return r;
}
