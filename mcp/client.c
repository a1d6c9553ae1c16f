/* SPDX-License-Identifier: Apache-2.0 */
/* Clients: what they said of themselves, and what follows from it for their calls. */
#include <errno.h>
#include <string.h>

#include "base/fault.h"
#include "clients.h"
#include "core.h"

struct client *client_new(struct server *s)
{
    struct client *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    atomic_init(&c->refs, 1);
    c->server = s;
    for (size_t i = 0; i < LOADS; i++)
        TAILQ_INIT(&c->queue[i]);
    server_lock(s);
    c->served = s->begun; /* the last in line, as if it had just had a turn */
    c->next = s->clients;
    s->clients = c;
    server_unlock(s);
    return c;
}

struct client *client_ref(struct client *c)
{
    atomic_fetch_add(&c->refs, 1);
    return c;
}

static void leave_server(struct client *c)
{
    struct server *s = c->server;
    server_lock(s);
    for (struct client **at = &s->clients; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    server_unlock(s);
}

void client_unref(struct client *c)
{
    if (!c || atomic_fetch_sub(&c->refs, 1) != 1)
        return;
    const struct extension *x = c->server->options.extension;
    if (x && x->gone)
        x->gone(c);
    leave_server(c);
    free(c->name);
    json_decref(c->capabilities);
    fovea_session_free(c->narrowed);
    fovea_session_free(c->base);
    free(c);
}

void client_free(struct client *c)
{
    if (!c)
        return;
    calls_cancel_all(c);
    client_unref(c);
}

bool client_initialized(struct client *c)
{
    server_lock(c->server);
    bool is = c->revision != REVISION_NONE;
    server_unlock(c->server);
    return is;
}

/* What was counted for a client that says it again stays counted. */
int client_agree(struct client *c, enum revision revision, const json_t *params)
{
    struct fovea_session_options options = {.name = c->server->options.session};
    fovea_session *base = NULL;
    if (fovea_session_new(c->server->f, &options, &base, NULL) < 0)
        return -ENOMEM;
    const char *name = member_string(json_object_get(params, "clientInfo"), "name");
    json_t *capabilities = member(params, "capabilities", JSON_OBJECT);
    char *copy = name ? strdup(name) : NULL;
    server_lock(c->server);
    char *old = c->name;
    json_t *before = c->capabilities;
    c->revision = revision;
    c->name = copy;
    c->capabilities = json_incref(capabilities);
    c->roots_state = json_is_object(json_object_get(capabilities, "roots")) ? ROOTS_STALE : ROOTS_NONE;
    if (!c->base)
        c->base = take(base);
    server_unlock(c->server);
    free(old);
    json_decref(before);
    fovea_session_free(base);
    return 0;
}

/* ---------------------------------------------------------------- sessions */

static const char *name_of(const struct exchange *e)
{
    if (!e->modern)
        return e->client->name;
    return member_string(json_object_get(e->message.meta, META "clientInfo"), "name");
}

const fovea_session *client_base(const struct client *c)
{
    return c->base ? c->base : c->server->base;
}

int client_session(struct exchange *e, fovea_session **ret, struct fovea_fault *fault)
{
    const struct server_options *o = &e->server->options;
    const char *main = member_string(e->message.meta, "fovea/main");
    int r = e->modern ? 0 : roots_wait(e);
    if (r == -ETIMEDOUT)
        return fault_set(fault, r, "this client has folders of its own (roots) but has not said which; answer roots/list, "
                                   "then call again");
    if (r < 0)
        return fault_set(fault, r, "the call was cancelled");
    server_lock(e->server);
    const struct client_row *known = client_known(name_of(e));
    struct fovea_session_options options = {
        .like = e->modern ? e->server->base : e->client->narrowed ? e->client->narrowed : client_base(e->client),
        .main = main ? main : o->main,
        .model_unknown = true,
        .no_webp = o->no_webp || !known || !known->webp,
        .max_text = (known ? known->page : CLIENT_PAGE) - LIMIT_MCP_FOOTER,
        .max_image = LIMIT_MCP_IMAGE,
    };
    r = fovea_session_new(e->server->f, &options, ret, fault);
    server_unlock(e->server);
    return r;
}
