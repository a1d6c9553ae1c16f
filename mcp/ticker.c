/* SPDX-License-Identifier: Apache-2.0 */
/* Signs of life: a call that asked for progress hears something every LIMIT_MCP_PROGRESS_MS, waiting or running, so that
 * its client does not give it up. One thread, started with the first such call. */
#include "base/clock.h"
#include "base/thread.h"
#include "core.h"

enum { AT_ONCE = 64 };

struct round {
    struct exchange *due[AT_ONCE];
    size_t n;
    int64_t now, next; /* when the next one is due; 0 none */
};

/* Takes (with a reference) those that are due. */
static bool look(struct exchange *e, void *arg)
{
    struct round *r = arg;
    if (e->due && e->due <= r->now && r->n < AT_ONCE) {
        r->due[r->n++] = exchange_ref(e);
        e->due = r->now + LIMIT_MCP_PROGRESS_MS;
    }
    if (e->due && (!r->next || e->due < r->next))
        r->next = e->due;
    return false;
}

static void *tick(void *arg)
{
    struct server *s = arg;
    server_lock(s);
    while (!s->closing) {
        struct round r = {.now = clock_ms()};
        (void)calls_search(s, look, &r);
        if (!r.n) {
            (void)server_wait(s, &s->tick, r.next ? r.next : r.now + LIMIT_MCP_PROGRESS_MS);
            continue;
        }
        server_unlock(s);
        for (size_t i = 0; i < r.n; i++) {
            exchange_tick(r.due[i]);
            exchange_unref(r.due[i]);
        }
        server_lock(s);
    }
    server_unlock(s);
    return NULL;
}

void ticker_watch(struct exchange *e)
{
    struct server *s = e->server;
    if (!json_object_get(e->message.meta, "progressToken"))
        return;
    server_lock(s);
    if (e->flying)
        e->due = clock_ms() + LIMIT_MCP_PROGRESS_MS;
    if (!s->ticking && !s->closing)
        s->ticking = !thread_start(&s->ticker, NULL, tick, s);
    (void)pthread_cond_signal(&s->tick);
    server_unlock(s);
}
