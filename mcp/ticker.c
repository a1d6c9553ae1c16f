/* SPDX-License-Identifier: Apache-2.0 */
/* Signs of life: a call that asked for progress hears something every LIMIT_MCP_PROGRESS_MS, waiting or running, so that
 * its client does not give it up. One thread, started with the first such call. */
#include "base/clock.h"
#include "core.h"

enum { AT_ONCE = 64 };

/* Collects (with a reference) those that are due and says when the next one is; 0 none. */
static size_t collect(struct server *s, struct exchange *due[AT_ONCE], int64_t *ret_next)
{
    int64_t now = clock_ms(), next = 0;
    size_t n = 0;
    for (struct client *c = s->clients; c; c = c->next)
        for (struct exchange *e = c->inflight; e; e = e->next_inflight) {
            if (e->due && e->due <= now && n < AT_ONCE) {
                due[n++] = exchange_ref(e);
                e->due = now + LIMIT_MCP_PROGRESS_MS;
            }
            if (e->due && (!next || e->due < next))
                next = e->due;
        }
    *ret_next = next;
    return n;
}

static void *tick(void *arg)
{
    struct server *s = arg;
    struct exchange *due[AT_ONCE];
    int64_t next;
    server_lock(s);
    while (!s->closing) {
        size_t n = collect(s, due, &next);
        if (!n) {
            (void)server_wait(s, &s->tick, next ? next : clock_ms() + LIMIT_MCP_PROGRESS_MS);
            continue;
        }
        server_unlock(s);
        for (size_t i = 0; i < n; i++) {
            exchange_progress(due[i], due[i]->progress + 1, -1);
            exchange_unref(due[i]);
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
    if (e->inflight)
        e->due = clock_ms() + LIMIT_MCP_PROGRESS_MS;
    if (!s->ticking && !s->closing)
        s->ticking = !thread_start(&s->ticker, tick, s);
    (void)pthread_cond_signal(&s->tick);
    server_unlock(s);
}
