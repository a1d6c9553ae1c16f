/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request that is being answered. Whoever works on it sends notifications, then exactly one result or error; after
 * a cancel nothing is sent any more, whatever is tried. Counted: the client's list, the queue and whoever works on it
 * hold references.
 */
#ifndef FOVEA_MCP_EXCHANGE_H
#define FOVEA_MCP_EXCHANGE_H

#include <pthread.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "message.h"
#include "outlet.h"
#include "server.h"

/* Protocol revisions in order of time; a later one compares greater. */
enum revision { REVISION_NONE, R2024_11_05, R2025_03_26, R2025_06_18, R2025_11_25, R2026_07_28 };
enum { ERA_LEGACY = 1, ERA_MODERN = 2 };

const char *revision_name(enum revision r);
enum revision revision_find(const char *name); /* REVISION_NONE when unknown or NULL */
#define REVISION_LATEST_LEGACY R2025_11_25
#define REVISION_MODERN "2026-07-28"
#define META "io.modelcontextprotocol/" /* of the protocol's own keys in _meta */

/* What a tools/call may use of the machine while it runs; each has a limit of how many run at once. */
enum tool_load {
    LOAD_LIGHT,  /* reads a file */
    LOAD_PIXELS, /* decodes and encodes: as many as there are processors */
    LOAD_WAIT,   /* waits for somebody else */
    LOADS,
};

struct method;

struct exchange {
    atomic_uint refs;
    struct server *server;
    struct client *client;
    struct outlet *outlet;
    json_t *root;         /* owns what `message` borrows */
    json_t *capabilities; /* of its client, when it came in; NULL none */
    struct message message;
    enum revision revision;
    bool modern, http;
    size_t bytes; /* of its message, for the queue's account */
    const struct method *method;

    char *error_data; /* what an error's data borrows */
    enum served served;
    enum tool_load load;
    const char *doing; /* for signs of life; NULL: they have no words */
    void (*run)(struct exchange *e);

    pthread_mutex_t lock; /* of sending, and of: */
    bool done;            /* the answer is out */
    double progress;      /* the last value sent */

    atomic_bool cancelled, closed;

    /* The server's, under its lock: */
    LIST_ENTRY(exchange) in_flight;
    TAILQ_ENTRY(exchange) in_queue;
    bool flying, queued;
    int64_t due;          /* when the next sign of life is, clock_ms(); 0 never */
    fovea_cancel *cancel; /* while it runs */
};

struct exchange *exchange_ref(struct exchange *e);
void exchange_unref(struct exchange *e);
static inline void exchange_unref_p(struct exchange **e)
{
    exchange_unref(*e);
}
#define auto_exchange cleanup(exchange_unref_p) struct exchange

/* ---- answering */

/*
 * The result: `members` is JSON text of its members without the braces, "\"tools\":[]". In the modern era resultType
 * "complete" and who we are is added. One that has a resultType of its own goes by exchange_result_of: type NULL is
 * "complete".
 */
void exchange_result(struct exchange *e, const char *members);
void exchange_result_of(struct exchange *e, const char *type, const char *members);

/* The same with a buffer that holds a whole answer, begun by exchange_begin and ended here; for large ones. */
void exchange_begin(const struct exchange *e, struct buf *b);
void exchange_finish(struct exchange *e, struct buf *b);

void exchange_error(struct exchange *e, const struct rpc_error *error);
__attribute__((format(printf, 3, 4))) void exchange_fail(struct exchange *e, enum rpc_code code, const char *format, ...);

/* A notification that belongs to this request. params is JSON text of an object. */
void exchange_note(struct exchange *e, const char *method, const char *params);

/* A sign of life, if the request asked for such; `progress` must be above every earlier one. total below 0: unknown. */
void exchange_progress(struct exchange *e, double progress, double total);

bool exchange_cancelled(struct exchange *e);

/*
 * Asks the client something (legacy era only) and waits for the answer: 0 and the result (the caller drops it),
 * -ETIMEDOUT, -ECANCELED, -EREMOTEIO (the client answered with an error), -ENOMEM. Only in a method that runs as work.
 */
int exchange_ask(struct exchange *e, const char *method, const char *params, int limit_ms, json_t **ret);

/*
 * A method's function may return without an answer: the exchange stays open until it is answered or cancelled. Whoever
 * means to answer keeps a reference; nobody else does.
 */

/* In a method's function: leaves the rest to a thread of its own, when there is room for that load. */
enum served exchange_queue(struct exchange *e, enum tool_load load, void (*run)(struct exchange *e));

/* What the client can do: its declared capability of that name, or NULL. */
json_t *exchange_capability(const struct exchange *e, const char *name);

/* ---- methods and tools, as tables */

struct method {
    const char *name;
    unsigned eras;
    bool work; /* may last: queued as LOAD_WAIT, run on a thread of its own */
    void (*run)(struct exchange *e);
};

/* Further methods and tools, beside the product's own. */
struct extension {
    const struct method *methods;
    size_t n_methods;
    const char *capabilities[2];   /* JSON text of members for initialize ([0]) and server/discover ([1]); they replace
                                      the product's own */
    const char *tools;             /* JSON text of further entries of tools/list, without the brackets */
    /* tools/call of a tool that the product does not have: true when it was taken (and answered, or held). */
    bool (*call)(struct exchange *e, const char *tool, json_t *arguments);
    bool (*has)(const char *tool);
    /* A client is about to be freed; and the server is, and cancels what is still open. Exchanges that were kept must
     * be let go of in `end`, at the latest. Either may be NULL. */
    void (*gone)(struct client *c);
    void (*end)(void);
};

#endif
