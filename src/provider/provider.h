/* SPDX-License-Identifier: Apache-2.0 */
/* One question to a provider: built, sent, tried again by the vendors' rules, and its answer read as it comes. */
#ifndef FOVEA_PROVIDER_H
#define FOVEA_PROVIDER_H

#include "fovea.h"
#include "provider/hosts.h"
#include "provider/http.h"
#include "provider/wire.h"

struct provider_call {
    const struct wire_request *request;
    const char *key;     /* NULL for a host without */
    const char *ca_file; /* as in http_request, like the times; the total is for all tries together */
    int64_t total_ms;
    int64_t idle_ms;
    const fovea_cancel *cancel;
    /* Is shown each new piece of the answer; may be NULL. */
    void (*on_text)(void *ctx, const char *piece, size_t len);
    void *ctx;
    /* Is told of each try that is given up for another, as provider_ask would have left it: it may be billed too. May be
     * NULL. */
    void (*on_lost)(void *arg, int code, const struct wire_reply *r);
    void *lost_arg;
};

/*
 * 0 when the provider answered: reply->stop says how, and WIRE_STOP_ERROR that it was an error (reply->error). A negative
 * code and words when there was no answer: those of http_post and wire_body, -ECONNRESET also for an answer that stopped
 * short and -EBADMSG for one that cannot be read. reply is initialized here, with what was read whatever the outcome
 * (tokens may have been billed); the caller's wire_reply_done frees it. The key is neither in the words nor in the text, by
 * the rule of wire.h.
 */
int provider_ask(struct http *http, const struct provider_call *c, struct wire_reply *reply, struct fovea_fault *f);

#endif
