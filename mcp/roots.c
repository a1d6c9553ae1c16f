/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roots: folders that a client of the older kind names, which narrow what its calls can reach. They are asked for with
 * the first call, on its stream, and no call goes on without the answer: a client that is slow to say where we may look
 * must not get more than it would have said.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/path.h"
#include "core.h"

static void free_list(char **roots)
{
    for (char **at = roots; roots && *at; at++)
        free(*at);
    free(roots);
}

/* ---------------------------------------------------------------- file: URIs */

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* In place: what stands behind % is no longer than before. */
static void percent_decode(char *s)
{
    char *to = s;
    for (const char *at = s; *at; at++) {
        int high = *at == '%' ? hex(at[1]) : -1, low = high >= 0 ? hex(at[2]) : -1;
        if (low >= 0 && high + low) {
            *to++ = (char)(high * 16 + low);
            at += 2;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
}

/* The path of file:///P, file:/P or file://localhost/P, or NULL for any other URI. */
static const char *path_of(const char *uri)
{
    static const char *const heads[] = {"file://localhost/", "file:///", "file:/"};
    if (!uri || !strncasecmp(uri, "file:////", 9))
        return NULL;
    for (size_t i = 0; i < COUNT(heads); i++)
        if (!strncasecmp(uri, heads[i], strlen(heads[i])))
            return !strncasecmp(uri, "file://", 7) && i == 2 ? NULL : uri + strlen(heads[i]) - 1;
    return NULL;
}

/* The folders of a roots/list result; those that are none here are left out. NULL when out of memory. */
static char **folders_of(const json_t *list)
{
    char **folders = calloc(LIMIT_ROOTS + 1, sizeof *folders);
    size_t n = 0;
    for (size_t i = 0; folders && i < json_array_size(list) && n < LIMIT_ROOTS; i++) {
        const char *path = path_of(member_string(json_array_get(list, i), "uri"));
        if (!path)
            continue;
        if (!(folders[n] = strdup(path))) {
            free_list(folders);
            return NULL;
        }
        percent_decode(folders[n++]);
    }
    return folders;
}

/* ---------------------------------------------------------------- asking */

void roots_ask(struct exchange *e)
{
    struct client *c = e->client;
    server_lock(e->server);
    bool ask = !e->modern && c->roots_state == ROOTS_STALE;
    if (ask) {
        c->roots_state = ROOTS_ASKED;
        c->roots_changed = false;
        c->roots_ask = ++e->server->asked;
        c->roots_by = clock_ms() + LIMIT_MCP_ROOTS_MS;
    }
    uint64_t number = c->roots_ask;
    server_unlock(e->server);
    if (ask)
        (void)ask_send(e, number, "roots/list", NULL);
}

/* Relative paths start where we were started, unless the client's folders are all elsewhere. */
static const char *start_of(char **roots, const char *here)
{
    for (char **r = roots; *r; r++)
        if (here && path_beneath(here, *r))
            return NULL;
    return *roots;
}

/* A session that looks no further than these folders, for others to be like. NULL when out of memory. */
static fovea_session *narrow(struct client *c, const json_t *list)
{
    fovea_session *narrowed = NULL;
    char **roots = folders_of(list);
    auto_free char *here = getcwd(NULL, 0);
    struct fovea_session_options options = {.roots = (const char *const *)roots, .like = client_base(c)};
    if (!roots)
        return NULL;
    options.cwd = start_of(roots, here);
    if (fovea_session_new(c->server->f, &options, &narrowed, NULL) < 0)
        narrowed = NULL;
    free_list(roots);
    return narrowed;
}

/* An empty list, or an error, says nothing about where to look. */
void roots_answered(struct client *c, const json_t *result)
{
    const json_t *list = json_object_get(result, "roots");
    fovea_session *narrowed = json_array_size(list) ? narrow(c, list) : NULL;
    if (json_array_size(list) && !narrowed)
        return; /* out of memory: as if it had not been said */
    fovea_session_free(c->narrowed);
    c->narrowed = narrowed;
    c->roots_named = true;
    c->roots_state = c->roots_changed ? ROOTS_STALE : ROOTS_KNOWN;
}

void roots_changed(struct client *c)
{
    server_lock(c->server);
    c->roots_changed = true;
    if (c->roots_state == ROOTS_KNOWN)
        c->roots_state = ROOTS_STALE;
    server_unlock(c->server);
}

/* Where no answer came, the next call asks again; one that comes late still counts. */
int roots_wait(struct exchange *e)
{
    struct client *c = e->client;
    struct server *s = e->server;
    int r = 0;
    server_lock(s);
    while (c->roots_state == ROOTS_ASKED && !s->closing && !exchange_cancelled(e) &&
           server_wait(s, &s->news, c->roots_by))
        ;
    if (s->closing || exchange_cancelled(e))
        r = -ECANCELED;
    else if (c->roots_state == ROOTS_ASKED || (c->roots_state == ROOTS_STALE && !c->roots_named))
        r = -ETIMEDOUT;
    if (r == -ETIMEDOUT)
        c->roots_state = ROOTS_STALE;
    server_unlock(s);
    return r;
}
