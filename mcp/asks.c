/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of ours to a client of the older kind: sent on the stream of the call that needs the answer, answered by a
 * response of the client's, whichever way that comes in. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "core.h"

static void forget(struct client *c, const struct ask *a)
{
    for (struct ask **at = &c->asks; *at; at = &(*at)->next)
        if (*at == a) {
            *at = a->next;
            return;
        }
}

static int send_question(struct exchange *e, uint64_t number, const char *method, const char *params)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    (void)buf_add_format(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"fovea-%" PRIu64 "\",\"method\":\"%s\"", number, method);
    if (params)
        (void)buf_add_format(&b, ",\"params\":%s", params);
    if (buf_add_str(&b, "}"))
        return -ENOMEM;
    (void)pthread_mutex_lock(&e->lock);
    if (!e->done && !exchange_cancelled(e))
        e->outlet->kind->send(e->outlet, b.data, b.len, false, 200);
    (void)pthread_mutex_unlock(&e->lock);
    return 0;
}

int exchange_ask(struct exchange *e, const char *method, const char *params, int limit_ms, json_t **ret)
{
    struct server *s = e->server;
    struct ask a = {0};
    int64_t deadline = clock_ms() + limit_ms;
    server_lock(s);
    a.number = ++s->asked;
    a.next = e->client->asks;
    e->client->asks = &a;
    server_unlock(s);
    int r = send_question(e, a.number, method, params);
    server_lock(s);
    while (!r && !a.answered && !s->closing && !exchange_cancelled(e) && server_wait(s, &s->news, deadline))
        ;
    forget(e->client, &a);
    server_unlock(s);
    if (r)
        return r;
    if (!a.answered)
        return exchange_cancelled(e) || s->closing ? -ECANCELED : -ETIMEDOUT;
    *ret = a.result;
    return a.result ? 0 : -EREMOTEIO;
}

void asks_answered(struct client *c, const struct message *m)
{
    char id[32];
    server_lock(c->server);
    for (struct ask *a = c->asks; a; a = a->next) {
        (void)snprintf(id, sizeof id, "fovea-%" PRIu64, a->number);
        if (a->answered || !json_is_string(m->id) || strcmp(id, json_string_value(m->id)) != 0)
            continue;
        a->answered = true;
        a->result = json_incref(m->result);
        server_tell(c->server);
    }
    server_unlock(c->server);
}
