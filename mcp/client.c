/* SPDX-License-Identifier: Apache-2.0 */
/* Clients: what they said of themselves, and what follows from it for their calls. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/path.h"
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

static void free_list(char **list)
{
    for (char **at = list; list && *at; at++)
        free(*at);
    free(list);
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

void client_agree(struct client *c, enum revision revision, const json_t *params)
{
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
    server_unlock(c->server);
    free(old);
    json_decref(before);
}

void client_roots_changed(struct client *c)
{
    server_lock(c->server);
    if (c->roots_state == ROOTS_KNOWN)
        c->roots_state = ROOTS_STALE;
    server_unlock(c->server);
}

/* ---------------------------------------------------------------- roots */

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The folder of a file: URI, or NULL for any other one. The caller frees. */
static char *folder_of(const char *uri)
{
    const char *path = uri && !strncmp(uri, "file://", 7) ? uri + 7 : NULL;
    if (path && !strncmp(path, "localhost/", 10))
        path += 9;
    if (!path || *path != '/')
        return NULL;
    char *folder = strdup(path), *to = folder;
    for (const char *at = folder; folder && *at; at++) {
        int high = *at == '%' ? hex(at[1]) : -1, low = high >= 0 ? hex(at[2]) : -1;
        if (low >= 0 && high + low) {
            *to++ = (char)(high * 16 + low);
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    if (folder)
        *to = '\0';
    return folder;
}

/* The folders of a roots/list result. A client that names none says nothing about where to look: NULL. */
static char **folders_of(const json_t *result)
{
    const json_t *list = json_object_get(result, "roots");
    char **folders = calloc(LIMIT_ROOTS + 1, sizeof *folders);
    size_t n = 0;
    for (size_t i = 0; folders && i < json_array_size(list) && n < LIMIT_ROOTS; i++) {
        folders[n] = folder_of(member_string(json_array_get(list, i), "uri"));
        n += folders[n] != NULL;
    }
    if (!n)
        free_list(take(folders));
    return folders;
}

/* Relative paths start where we were started, unless the client's folders are all elsewhere. */
static const char *start_of(char **roots, const char *here)
{
    for (char **r = roots; r && *r; r++)
        if (here && path_beneath(here, *r))
            return NULL;
    return roots ? *roots : NULL;
}

/* A session that looks no further than the client's roots; *ret stays NULL where it names none. */
static int narrow(struct server *s, const json_t *result, fovea_session **ret, struct fovea_fault *fault)
{
    char **roots = folders_of(result);
    auto_free char *here = roots ? getcwd(NULL, 0) : NULL;
    struct fovea_session_options options = {.roots = (const char *const *)roots, .cwd = start_of(roots, here)};
    int r = roots ? fovea_session_new(s->f, &options, ret, fault) : 0;
    free_list(roots);
    return r;
}

/* Asks the client for its roots where it has any that we do not know; other calls of it wait meanwhile. A client that
 * does not answer has not narrowed anything. */
static int learn_roots(struct exchange *e, struct fovea_fault *fault)
{
    struct client *c = e->client;
    struct server *s = e->server;
    auto_json *result = NULL;
    int64_t deadline = clock_ms() + LIMIT_MCP_ROOTS_MS;
    server_lock(s);
    while (c->roots_state == ROOTS_ASKED && !exchange_cancelled(e) && server_wait(s, &s->news, deadline))
        ;
    bool ask = c->roots_state == ROOTS_STALE;
    if (ask)
        c->roots_state = ROOTS_ASKED;
    server_unlock(s);
    if (!ask)
        return 0;
    fovea_session *narrowed = NULL;
    int r = exchange_ask(e, "roots/list", NULL, LIMIT_MCP_ROOTS_MS, &result);
    int made = r ? 0 : narrow(s, result, &narrowed, fault);
    server_lock(s);
    if (!r && !made) {
        fovea_session *old = c->narrowed;
        c->narrowed = narrowed;
        narrowed = old;
    }
    c->roots_state = r == -ECANCELED || made < 0 ? ROOTS_STALE : ROOTS_KNOWN;
    server_tell(s);
    server_unlock(s);
    fovea_session_free(narrowed);
    return made;
}

/* ---------------------------------------------------------------- sessions */

static const char *name_of(const struct exchange *e)
{
    if (!e->modern)
        return e->client->name;
    return member_string(json_object_get(e->message.meta, "io.modelcontextprotocol/clientInfo"), "name");
}

int client_session(struct exchange *e, fovea_session **ret, struct fovea_fault *fault)
{
    const struct server_options *o = &e->server->options;
    const char *main = member_string(e->message.meta, "fovea/main");
    int r = e->modern ? 0 : learn_roots(e, fault);
    if (r < 0)
        return r;
    server_lock(e->server);
    const struct client_row *known = client_known(name_of(e));
    struct fovea_session_options options = {
        .like = e->modern ? NULL : e->client->narrowed,
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
