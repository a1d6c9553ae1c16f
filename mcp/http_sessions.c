/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: see http_sessions.h. A list in order of use: few are live, and the one wanted is mostly near its head. */
#include "http_sessions.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/limits.h"

static void session_free(struct session *session)
{
    client_free(session->client);
    free(session);
}

void sessions_done(struct sessions *s)
{
    while (s->first) {
        struct session *gone = s->first;
        s->first = gone->next;
        session_free(gone);
    }
    s->count = 0;
}

/* Takes what *at points to off the list. */
static struct session *unlink_at(struct sessions *s, struct session **at)
{
    struct session *session = *at;
    *at = session->next;
    s->count--;
    return session;
}

static void link_first(struct sessions *s, struct session *session)
{
    session->next = s->first;
    s->first = session;
    s->count++;
}

/* Makes room for one more; false when every session is at work. */
static bool make_room(struct sessions *s)
{
    struct session **last = NULL;
    if (s->count < LIMIT_HTTP_SESSIONS)
        return true;
    for (struct session **at = &s->first; *at; at = &(*at)->next)
        if (!(*at)->users)
            last = at;
    if (last)
        session_free(unlink_at(s, last));
    return last != NULL;
}

static bool random_id(char out[SESSION_ID_LEN + 1])
{
    uint8_t bytes[SESSION_ID_LEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

struct session *sessions_add(struct sessions *s, struct client *c)
{
    auto_free struct session *session = calloc(1, sizeof *session);
    if (!session || !random_id(session->id) || !make_room(s))
        return NULL;
    session->client = c;
    session->users = 1;
    link_first(s, session);
    return take(session);
}

struct session *sessions_take(struct sessions *s, const char *id)
{
    for (struct session **at = &s->first; *at; at = &(*at)->next)
        if (!strcmp((*at)->id, id)) {
            struct session *session = unlink_at(s, at);
            link_first(s, session);
            session->users++;
            return session;
        }
    return NULL;
}

void session_release(struct session *session)
{
    if (session && !--session->users && !session->client)
        free(session);
}

void sessions_end(struct sessions *s, struct session *session)
{
    for (struct session **at = &s->first; *at; at = &(*at)->next)
        if (*at == session) {
            (void)unlink_at(s, at);
            client_free(take(session->client));
            return;
        }
}
