/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider on the loopback that plays a scene for each question: the model's id names it. It speaks the four wires as
 * their vendors do, with and without TLS, and writes down every request before it answers.
 */
#ifndef TESTS_HOST_H
#define TESTS_HOST_H

#include <openssl/ssl.h>
#include <stdbool.h>

#include "base/buf.h"

#define MAX_HEAD (64 * 1024)
#define MAX_BODY (96 * 1024 * 1024)

/* ---------------------------------------------------------------- connections */

struct peer {
    int fd;
    SSL *ssl;         /* NULL: plain */
    const char *door; /* "http" or "tls" */
    struct buf left;  /* what came after the request that was taken last */
};

bool peer_send(struct peer *p, const char *bytes, size_t len);

struct request {
    struct buf head, body;
    char method[16], path[2048], model[256];
    char key[4096]; /* of whichever header carries it */
    bool repair;    /* the model has spoken before */
};
/* false when there is none more. */
bool request_take(struct peer *p, struct request *q);
void request_done(struct request *q);

/* A context with a certificate of its own for 127.0.0.1 and localhost, which is also written to the file. */
SSL_CTX *tls_new(const char *pem_file);

/* ---------------------------------------------------------------- what is said */

enum stop { STOP_END, STOP_LENGTH, STOP_REFUSAL };

struct failure {
    int status;       /* 0: inside an answer */
    const char *kind; /* as Anthropic names it */
    const char *words;
    bool terminal; /* of a 429: no money, so no further try */
};

/* How a vendor says it. Each appends whole events, or the body of an error. */
struct tongue {
    const char *name;
    const char *path; /* part of the request's path that gives it away */
    void (*start)(struct buf *b, const char *model);
    void (*text)(struct buf *b, const char *model, const char *text);
    void (*end)(struct buf *b, const char *model, enum stop stop, const char *text);
    void (*failure)(struct buf *b, const struct failure *f);
    const char *pages; /* its words for a PDF of too many */
};

/* NULL: nobody's endpoint. */
const struct tongue *tongue_of(const char *path);

/* What every answer is said to have cost; the part from the cache and into it is input too. */
enum { TOKENS_NEW = 1000, TOKENS_READ = 200, TOKENS_WRITTEN = 100, TOKENS_OUT = 50, TOKENS_THOUGHT = 10 };

/* ---------------------------------------------------------------- scenes */

/* Answers one request. false: the connection is over. */
bool scene_play(struct peer *p, const struct request *q);

#endif
