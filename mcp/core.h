/* SPDX-License-Identifier: Apache-2.0 */
/* What the server's own files share: its state and its clients. Transports and extensions see server.h and exchange.h. */
#ifndef FOVEA_MCP_CORE_H
#define FOVEA_MCP_CORE_H

#include "base/limits.h"
#include "exchange.h"
#include "server.h"

/* A question of ours to a client. */
struct ask {
    struct ask *next;
    uint64_t number;
    bool answered;
    json_t *result; /* NULL: the client answered with an error */
};

enum roots_state {
    ROOTS_NONE,  /* the client has none to name */
    ROOTS_STALE, /* to be asked for with the next call */
    ROOTS_ASKED,
    ROOTS_KNOWN,
};

enum { CLIENT_BUCKETS = 64 };

struct client {
    atomic_uint refs;
    struct server *server;
    struct client *next; /* of the server's list */

    /* Under the server's lock: */
    enum revision revision; /* agreed by initialize; REVISION_NONE before */
    bool modern;            /* it has named the modern version before any initialize: now each request must */
    char *name;             /* clientInfo.name; NULL not known */
    json_t *capabilities;
    enum roots_state roots_state;
    bool roots_named;     /* at least once */
    bool roots_changed;   /* while they were asked for */
    uint64_t roots_ask;   /* the number of the last question for them */
    int64_t roots_by;     /* until when calls wait for the answer, clock_ms() */
    fovea_session *base;     /* what is counted for it, for sessions like it; NULL before initialize */
    fovea_session *narrowed; /* the same, and to its roots; NULL: it named none */
    LIST_HEAD(, exchange) flight[CLIENT_BUCKETS]; /* not answered yet, by the hash of their ids */
    TAILQ_HEAD(, exchange) queue[LOADS];          /* those of them that wait to run */
    unsigned n_flight, n_queued;
    TAILQ_ENTRY(client) in_turn; /* while something waits */
    uint64_t served;             /* when a call of it was last begun, by the server's count; 0 never */
    struct ask *asks;
};

/* A thread that runs calls. */
struct runner {
    pthread_t thread;
    struct server *server;
    fovea_cancel *cancel; /* of the call that it runs */
};

struct server {
    fovea *f;
    struct server_options options;
    pthread_mutex_t lock;
    pthread_cond_t work; /* for runners: something was queued */
    pthread_cond_t news; /* for all others: a call ended, an answer came, it closes */
    unsigned listeners;  /* who wait for news */
    pthread_cond_t tick; /* for the ticker */
    struct client *clients;
    TAILQ_HEAD(turns, client) turns; /* clients for whom something waits; whose turn was longest ago comes first */
    uint64_t begun;             /* calls so far */
    uint64_t asked;      /* questions so far, for their ids */
    unsigned accepted;   /* queued or running */
    size_t accepted_bytes;
    unsigned runners;
    unsigned idle;     /* of them: wait, and nobody woke them */
    unsigned coming;   /* woken, and not yet there */
    unsigned starting; /* never idle yet, and not yet there */
    unsigned queued[LOADS], running[LOADS], room[LOADS];
    struct runner runner[LIMIT_MCP_RUNNERS];
    pthread_t ticker;
    bool ticking, closing;
    bool warm; /* workers were asked to be ready */
    fovea_session *base; /* what is counted for all who never initialize */
    char *tools; /* JSON text of the list, without the brackets */
};

void server_lock(struct server *s);
void server_unlock(struct server *s);

/* Tells whoever waits for news; with the lock held. */
void server_tell(struct server *s);

/* Waits for `cond` until `deadline` (clock_ms) with the lock held; false when it has passed. */
bool server_wait(struct server *s, pthread_cond_t *cond, int64_t deadline);

/* ---- client.c */
struct client *client_ref(struct client *c);
void client_unref(struct client *c);
/* With the lock held: what is counted goes there. */
const fovea_session *client_base(const struct client *c);
/* What the client's calls may see and get; the caller frees with fovea_session_free. */
int client_session(struct exchange *e, fovea_session **ret, struct fovea_fault *fault);
/* Notes what `initialize` said. 0 or -ENOMEM. */
int client_agree(struct client *c, enum revision revision, const json_t *params);

/* ---- exchange.c */
struct exchange *exchange_new(struct client *c, struct outlet *o, json_t *root, const struct message *m);
/* Takes it off its client's list and ends its outlet; nothing is sent any more. */
void exchange_close(struct exchange *e);
/* An answer without an exchange, for what is no request. id may be NULL. */
void answer_error(struct outlet *o, const json_t *id, const struct rpc_error *error);
int buf_add_id(struct buf *b, const json_t *id);
/* One more sign of life. */
void exchange_tick(struct exchange *e);
/* A message that belongs to this request and is not its answer. */
void exchange_send(struct exchange *e, const struct buf *message);

/* ---- calls.c: the queue */
/* Queues work on e. 0, or -EAGAIN when the queue is full and `block` is not set, -ECANCELED when the server closes. */
int calls_add(struct exchange *e, enum tool_load load, void (*run)(struct exchange *e), bool block);
/* The exchange of that id, referenced, or NULL. */
struct exchange *calls_find(struct client *c, const json_t *id);
void calls_cancel(struct exchange *e);
void calls_cancel_all(struct client *c);
void calls_leave(struct exchange *e); /* off its client's list, if it is there */
/* Calls `look` for every call that is not answered, with the lock held, until it says true; returns that one. */
struct exchange *calls_search(struct server *s, bool (*look)(struct exchange *e, void *arg), void *arg);
void calls_start(struct server *s);
/* Ends the threads; false when some do not end in time. */
bool calls_stop(struct server *s);

/* ---- ticker.c: signs of life */
void ticker_watch(struct exchange *e);

/* ---- roots.c: the folders that a client of the older kind narrows our reach to */
/* Asks for them, on the stream of e, where they are not known. */
void roots_ask(struct exchange *e);
/* Waits for them: 0, -ETIMEDOUT when the client has not named them, -ECANCELED. */
int roots_wait(struct exchange *e);
void roots_changed(struct client *c);
/* With the lock held: what the client answered; NULL: an error. */
void roots_answered(struct client *c, const json_t *result);

/* ---- asks.c */
/* Sends a question on the stream of e. 0 or -ENOMEM. */
int ask_send(struct exchange *e, uint64_t number, const char *method, const char *params);
/* The client's response to a question of ours, or to none. */
void asks_answered(struct client *c, const struct message *m);

/* ---- methods.c */
const struct method *method_find(const struct server *s, const char *name, unsigned era);

/* ---- tools.c */
char *tools_text_new(const struct server *s);
void tools_call(struct exchange *e);
/* A client looks around: soon it will want to see something. */
void tools_warm_up(struct server *s);

/* ---- content.c: a tool's outcome as a result */
void content_of_result(struct exchange *e, const fovea_result *result);
void content_of_fault(struct exchange *e, const struct fovea_fault *fault);

#endif
