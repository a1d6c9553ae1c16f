/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server, whichever way its messages come: transports hand in bytes and an outlet, the server answers there, at
 * once or when the work is done. Both eras in one process: a request that names its protocol version in _meta is served
 * by itself (2026-07-28), `initialize` makes a client of the older kind. Thread-safe.
 */
#ifndef FOVEA_MCP_SERVER_H
#define FOVEA_MCP_SERVER_H

#include "fovea.h"
#include "message.h"
#include "outlet.h"

struct server;
struct client;
struct extension;

struct server_options {
    const char *main;                  /* "PROVIDER/MODEL" the host runs; NULL not known */
    const char *session;               /* the name that what is spent is kept under; NULL none */
    bool no_webp;                      /* for every client, known or not */
    const struct extension *extension; /* further methods and tools; NULL none */
    bool (*stopped)(void *arg);        /* asked while a full queue keeps a message waiting: give it up? NULL: never */
    void *stopped_arg;
};

/* f is borrowed. */
int server_new(fovea *f, const struct server_options *options, struct server **ret, struct fovea_fault *fault);

/* Waits up to drain_ms for the calls that were accepted, cancels what is left, and frees. No message may come in any
 * more. `gone`, asked now and then, ends the wait early: nobody is there to hear. NULL: nobody asks. False when a thread
 * is stuck in a write that nobody takes: then nothing is freed, f is still in use, and the process had better end. */
bool server_free(struct server *s, int drain_ms, bool (*gone)(void *arg), void *arg);

/* One conversation of the older kind, or one connection on which messages of either kind come. */
struct client *client_new(struct server *s);
/* Its calls are cancelled. */
void client_free(struct client *c);

/* True once `initialize` was answered. */
bool client_initialized(struct client *c);

/* Cancels the calls whose answers would go to that outlet: the other side hung up. */
void server_hung_up(struct server *s, struct outlet *o);

/* HTTP headers that must agree with the message; NULL where a header was not sent. */
struct headers {
    const char *version; /* MCP-Protocol-Version */
    const char *method;  /* Mcp-Method */
    const char *name;    /* Mcp-Name */
    bool session;        /* Mcp-Session-Id was sent, and its client is the one given */
};

enum served {
    SERVED,         /* the outlet gets the answer, or has it already */
    SERVED_NOTHING, /* there is nothing to answer: notifications, responses */
    SERVED_BUSY,    /* the queue is full; the outlet has the error */
};

/*
 * Takes one message or batch. text must be followed by a NUL. headers is NULL where there are none (stdio); then a full
 * queue blocks instead. The outlet is borrowed; the server takes references of its own.
 */
enum served server_receive(struct server *s, struct client *c, const struct headers *headers, struct outlet *o,
                           const char *text, size_t len);

#endif
