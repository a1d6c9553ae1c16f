/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POST or GET and wait, over one libcurl. The answer's bytes are handed on as they come. A cancel, a time-out or a word from who
 * takes the bytes ends it at once. Redirects and proxies are not followed, certificates are checked, and plain http goes
 * to this machine only, so what is in the headers reaches the URL's own origin and nobody else.
 */
#ifndef FOVEA_PROVIDER_HTTP_H
#define FOVEA_PROVIDER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "fovea.h"

/* Connections that are kept for the next request; any thread may use it. */
struct http;

int http_new(struct http **ret, struct fovea_fault *f);
void http_free(struct http *h); /* nobody uses it any more */

/* Loads libcurl and readies a handle, which the first request does otherwise. */
void http_warm(struct http *h);

struct http_request {
    const char *url;
    const char *headers; /* lines of "name: value\n" */
    const char *body;    /* of a POST */
    size_t len;
    const char *ca_file;  /* PEM; trusted besides the system's authorities. NULL: those alone */
    int64_t total_ms;     /* 0: no limit */
    int64_t idle_ms;      /* without a byte of the answer; 0: the usual */
    bool fresh;           /* over a connection of its own: a kept one may be what failed */
    const fovea_cancel *cancel; /* may be NULL */
};

struct http_answer {
    int status;         /* 0 until the headers are there */
    bool sent;          /* the whole body went out, whatever came back */
    struct buf headers; /* lines of "name: value\n", of the final answer */
    size_t bytes;       /* of the body, so far */
    /*
     * Is given bytes of the body; headers and status are complete by then. 1: it has all it needs (the rest is let go,
     * for a moment, so that the connection can be used again); negative: ends the request with that code.
     */
    int (*on_bytes)(void *ctx, const char *bytes, size_t len);
    void *ctx;
};

/*
 * 0 when the answer is over, whatever its status; the code of on_bytes; or -ECANCELED, -ETIMEDOUT (too long in all, or
 * nothing came), -EHOSTUNREACH (no name, no connection), -EPROTO (TLS), -ECONNRESET (cut off), -EFBIG (answer past its
 * ceiling), -EINVAL (a URL that may not be asked), -ENOSYS (no libcurl, or too old a one), -ENOMEM. The fault's words never show a header.
 */
int http_post(struct http *h, const struct http_request *q, struct http_answer *a, struct fovea_fault *f);

/* The same without a body. */
int http_get(struct http *h, const struct http_request *q, struct http_answer *a, struct fovea_fault *f);

void http_answer_done(struct http_answer *a);

#endif
