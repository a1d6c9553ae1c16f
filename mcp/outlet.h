/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the answers to one incoming message go: a line of stdout, the body or event stream of one HTTP response, a
 * place in a batch. Thread-safe; counted, because work may outlast the connection it came in on.
 */
#ifndef FOVEA_MCP_OUTLET_H
#define FOVEA_MCP_OUTLET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct outlet;

struct outlet_kind {
    /* One JSON message, without a newline. `last`: the answer itself, nothing follows; before it come notifications
     * and requests of ours. http: the status if nothing but this is answered (200, 400, 404, 503). May block while the
     * other side is slow. False: there is no room for one so long, and nothing was sent (only a batch says so). */
    bool (*send)(struct outlet *o, const char *text, size_t len, bool last, int http);
    /* No more will be sent, whether the last message was or not (a cancelled call has none). Called once. */
    void (*end)(struct outlet *o);
    void (*free)(struct outlet *o);
};

struct outlet {
    const struct outlet_kind *kind;
    struct outlet *to; /* of a batch: where its answers go in the end; NULL of any other */
    atomic_uint refs;
};

static inline struct outlet *outlet_ref(struct outlet *o)
{
    atomic_fetch_add(&o->refs, 1);
    return o;
}

static inline void outlet_unref(struct outlet *o)
{
    if (o && atomic_fetch_sub(&o->refs, 1) == 1)
        o->kind->free(o);
}

/* Answers of a batch (2025-03-26 only): collects `count` of them and sends one array to `to` (a reference of which it
 * takes). NULL when out of memory. */
struct outlet *batch_outlet_new(struct outlet *to, unsigned count);

#endif
