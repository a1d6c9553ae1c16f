/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library does not watch: clients that hang up while their call runs, requests that never come to an end, and
 * more connections than we hold. One thread runs watch_run; the others are told from the thread that serves.
 */
#ifndef FOVEA_MCP_HTTP_WATCH_H
#define FOVEA_MCP_HTTP_WATCH_H

#include <pthread.h>
#include <stdint.h>

#include "server.h"

enum conn_state {
    CONN_WAITS, /* for a request, or for the rest of its headers */
    CONN_BODY,  /* a body is coming in */
    CONN_BUSY,  /* we answer */
    CONN_CUT,   /* told why; it may read that for a moment */
};

struct conn {
    struct watch *watch;
    struct conn *next, **at;
    uint64_t serial;
    int fd;
    enum conn_state state;
    int64_t since, last; /* of the state; of the last byte of a body */
    int64_t taken;       /* bytes of the body */
    uint64_t seen;       /* bytes of the wire that belong to requests that are over ... */
    bool inexact;        /* ... or had come in by then, since some request did not tell */
    bool heard;          /* some of the next request came in, or it is the first */
    bool admitted;       /* some request of it was let in */
    bool hung;           /* the other side has hung up */
    struct outlet *outlet;
};

struct watch {
    struct server *server;
    int epoll, poke;
    bool tls;
    pthread_mutex_t lock; /* of what follows, and of every conn */
    struct conn *first;
    unsigned count, answering;
    uint64_t serial;
    bool ending;
};

/* Watches stop_fd too, which is borrowed. 0 or a negative errno. */
int watch_init(struct watch *w, struct server *s, bool tls, int stop_fd);
void watch_done(struct watch *w);

/* Until stop_fd is readable. */
void watch_run(struct watch *w);

/* Ends the answers that are under way and waits a moment until they are out. */
void watch_end(struct watch *w);

/* A connection came; NULL when it could not be taken and was told so. The descriptor stays the library's. When there are
 * too many, the oldest one of which no request was let in goes, else the one idle for longest, else the new one. */
struct conn *conn_new(struct watch *w, int fd);
void conn_free(struct conn *c);

/* The first line of a request is there. */
void conn_heard(struct conn *c);
/* Its headers are, and it was let in or not; then each piece of its body, with its length. */
void conn_begin(struct conn *c, bool admitted);
void conn_body(struct conn *c, size_t len);
/* It is over; used: bytes that it took on the wire, 0 when that is not known. */
void conn_wait(struct conn *c, size_t used);
/* We answer. The outlet is borrowed until the next state. False when nobody listens any more. */
bool conn_busy(struct conn *c, struct outlet *o);

/* Says why in a few words, as far as the wire allows, and takes no more. */
void conn_cut(struct conn *c, int status);
bool conn_is_cut(struct conn *c);

/* Between http_watch.c and http_conn.c. Its clocks, with the lock held. */
void conn_look(struct conn *c, int64_t now);
void watch_hang_ups(struct watch *w, const struct conn *c);
void watch_poke(struct watch *w);

#endif
