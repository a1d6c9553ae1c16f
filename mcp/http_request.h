/* SPDX-License-Identifier: Apache-2.0 */
/* One HTTP request: admitted or refused by its headers, read, handed to the server, answered. */
#ifndef FOVEA_MCP_HTTP_REQUEST_H
#define FOVEA_MCP_HTTP_REQUEST_H

#include <microhttpd.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "http_gate.h"
#include "http_sessions.h"
#include "http_watch.h"

TAILQ_HEAD(requests, request);

/* What all requests share; used by the one thread that serves, but for `watch`. */
struct http {
    struct server *server;
    struct gate gate;
    char *token; /* NULL: none is asked for */
    struct watch watch;
    struct sessions sessions;
    struct requests requests; /* the newest is last */
    size_t bodies;            /* bytes of bodies that are coming in */
};

/* The headers we look at. NULL where one was not sent. */
struct seen_headers {
    const char *host, *origin, *authorization, *type, *accept, *length, *encoding, *session, *version, *method, *name;
    const char *asks;  /* Access-Control-Request-Method */
    bool takes_json;   /* some Accept allows it */
    bool bad;          /* one of them came twice or has a NUL in it, or a name is none */
};

struct request {
    TAILQ_ENTRY(request) all;
    struct conn *conn;
    size_t used;         /* bytes on the wire so far; 0 when not known */
    const char *foreign; /* the further origin it comes from; NULL none */
    struct seen_headers headers;
    const struct refusal *refusal;
    struct buf body;
    struct session *session; /* held; NULL none */
    struct client *client;   /* of this request alone; NULL when it has a session */
    struct outlet *outlet;   /* NULL until the message was handed over */
    bool new_session, ends_session, preflight;
};

/* A way to say no. */
struct refusal {
    int status;
    bool now; /* before anything of the body is read, whatever its length */
    const char *header, *value;
    const char *text;
};

/* NULL when the request may go on; r->session is then held. http_admit.c */
const struct refusal *request_admit(struct http *h, struct request *r, const char *url, const char *method);
extern const struct refusal refused_server, refused_session;

void headers_read(struct MHD_Connection *connection, struct seen_headers *ret);

/* The library's callbacks; the argument is the struct http. */
enum MHD_Result request_answer(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
                               const char *version, const char *data, size_t *size, void **request);
void request_completed(void *arg, struct MHD_Connection *connection, void **request, enum MHD_RequestTerminationCode why);

#endif
