/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of ours to a client of the older kind: sent on the stream of the call that needs the answer, answered by a
 * response of the client's, whichever way that comes in. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
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

int ask_send(struct exchange *e, uint64_t number, const char *method, const char *params)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    (void)buf_add_format(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"fovea-%" PRIu64 "\",\"method\":\"%s\"", number, method);
    if (params)
        (void)buf_add_format(&b, ",\"params\":%s", params);
    (void)buf_add_str(&b, "}");
    exchange_send(e, &b);
    return b.error;
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
    int r = ask_send(e, a.number, method, params);
    server_lock(s);
    while (!r && !a.answered && !s->closing && !exchange_cancelled(e) && server_wait(s, &s->news, deadline))
        ;
    forget(e->client, &a);
    bool given_up = s->closing || exchange_cancelled(e);
    server_unlock(s);
    if (r)
        return r;
    if (!a.answered)
        return given_up ? -ECANCELED : -ETIMEDOUT;
    *ret = a.result;
    return a.result ? 0 : -EREMOTEIO;
}

/* The number in an id of ours; 0 when it is none. */
static uint64_t number_of(const json_t *id)
{
    const char *s = json_string_value(id);
    char *end;
    if (!s || strncmp(s, "fovea-", 6) != 0)
        return 0;
    unsigned long long n = strtoull(s + 6, &end, 10);
    return *end ? 0 : n;
}

void asks_answered(struct client *c, const struct message *m)
{
    uint64_t number = number_of(m->id);
    server_lock(c->server);
    if (number && number == c->roots_ask)
        roots_answered(c, m->result);
    for (struct ask *a = c->asks; a && number; a = a->next)
        if (a->number == number && !a->answered) {
            a->answered = true;
            a->result = json_incref(m->result);
        }
    server_tell(c->server);
    server_unlock(c->server);
}
