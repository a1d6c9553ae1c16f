/* SPDX-License-Identifier: Apache-2.0 */
/* An outlet of the MCP server that keeps what it is told: struct record r = RECORD. It lives where its test has it; buf_done(&r.text)
 * ends it. The server's threads write it, so what may still change is read by record_counts, or under its lock. */
#ifndef FOVEA_TEST_OUTLET_RECORD_H
#define FOVEA_TEST_OUTLET_RECORD_H

#include <pthread.h>

#include "base/buf.h"
#include "base/limits.h"
#include "mcp/core.h"

struct record {
    struct outlet outlet;
    pthread_mutex_t lock;
    struct buf text; /* every message, one a line */
    unsigned answers, notes, ends;
    int http;
    bool full; /* takes no message longer than a few words */
};

static inline bool record_send(struct outlet *o, const char *text, size_t len, bool last, int http)
{
    struct record *r = (struct record *)o;
    if (r->full && len > 200)
        return false;
    (void)pthread_mutex_lock(&r->lock);
    (void)buf_add(&r->text, text, len);
    (void)buf_add(&r->text, "\n", 1);
    r->http = last ? http : r->http;
    last ? r->answers++ : r->notes++;
    (void)pthread_mutex_unlock(&r->lock);
    return true;
}

static inline void record_end(struct outlet *o)
{
    struct record *r = (struct record *)o;
    (void)pthread_mutex_lock(&r->lock);
    r->ends++;
    (void)pthread_mutex_unlock(&r->lock);
}

static inline void record_free(struct outlet *o)
{
    (void)o;
}

static const struct outlet_kind record_kind = {record_send, record_end, record_free};
#define RECORD {.outlet = {.kind = &record_kind, .refs = 1}, .lock = PTHREAD_MUTEX_INITIALIZER, .text = BUF_INIT(MIB)}

struct record_counts {
    unsigned messages, notes, ends;
};

static inline struct record_counts record_counts(struct record *r)
{
    (void)pthread_mutex_lock(&r->lock);
    struct record_counts n = {r->answers + r->notes, r->notes, r->ends};
    (void)pthread_mutex_unlock(&r->lock);
    return n;
}

#endif
