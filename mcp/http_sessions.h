/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of the older revisions: an id that names a client. Used by one thread only. */
#ifndef FOVEA_MCP_HTTP_SESSIONS_H
#define FOVEA_MCP_HTTP_SESSIONS_H

#include "server.h"

enum { SESSION_ID_LEN = 32 };

struct session {
    struct session *next;
    char id[SESSION_ID_LEN + 1];
    struct client *client; /* NULL once it was ended */
    unsigned users;        /* requests that hold it */
};

/* The most recently used one is first. */
struct sessions {
    struct session *first;
    size_t count;
};

void sessions_done(struct sessions *s);

/* A new session that owns the client, held by the caller. When there are too many the one longest unused and not held
 * is ended; NULL (and the client stays the caller's) when all are held or memory is out. */
struct session *sessions_add(struct sessions *s, struct client *c);

/* The live session of that id, held by the caller, or NULL. */
struct session *sessions_take(struct sessions *s, const char *id);

/* No longer held. Content with NULL. */
void session_release(struct session *session);

/* Its calls are cancelled, and its id is unknown from now on. */
void sessions_end(struct sessions *s, struct session *session);

#endif
