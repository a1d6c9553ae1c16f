/* SPDX-License-Identifier: Apache-2.0 */
/* A server on the loopback that plays one act a request, with and without TLS. Include test.h first. */
#ifndef FOVEA_TEST_SERVER_H
#define FOVEA_TEST_SERVER_H

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

#define SERVER_BODIES 4

enum act_kind {
    ACT_SEND,  /* the bytes, then keep the connection */
    ACT_CLOSE, /* the bytes, then close */
    ACT_RESET, /* the bytes, then reset */
    ACT_HANG,  /* the bytes, then nothing more */
    ACT_SLOW   /* the bytes one by one, 5 ms apart */
};

struct act {
    enum act_kind kind;
    const char *bytes;
};

struct server {
    int listener;
    int port;
    const struct act *acts; /* the last is played again for all further requests */
    size_t count;
    SSL_CTX *tls;
    pthread_t thread;
    atomic_int requests, connections;
    atomic_bool stop;
    pthread_mutex_t lock;
    char seen[8192]; /* the last request's head; under the lock, as below */
    char bodies[SERVER_BODIES][8192]; /* of the first requests, cut to size */
};

struct peer {
    int fd;
    SSL *ssl;
};

static ssize_t peer_read(struct peer *p, char *to, size_t len)
{
    return p->ssl ? SSL_read(p->ssl, to, (int)len) : read(p->fd, to, len);
}

static bool peer_write(struct peer *p, const char *from, size_t len)
{
    return p->ssl ? SSL_write(p->ssl, from, (int)len) == (int)len : send(p->fd, from, len, MSG_NOSIGNAL) == (ssize_t)len;
}

static void keep_body(struct server *s, const char *bytes, size_t len, size_t at)
{
    size_t i = (size_t)s->requests;
    if (i >= SERVER_BODIES || at >= sizeof s->bodies[i] - 1)
        return;
    (void)pthread_mutex_lock(&s->lock);
    memcpy(s->bodies[i] + at, bytes, MIN(len, sizeof s->bodies[i] - 1 - at));
    (void)pthread_mutex_unlock(&s->lock);
}

/* Reads one request: its head into seen, its body into bodies. */
static bool take_request(struct server *s, struct peer *p)
{
    size_t len = 0;
    char *end = NULL, head[sizeof s->seen], piece[65536];
    while (!end && len < sizeof head - 1) {
        ssize_t n = peer_read(p, head + len, sizeof head - 1 - len);
        if (n <= 0)
            return false;
        len += (size_t)n;
        head[len] = '\0';
        end = strstr(head, "\r\n\r\n");
    }
    if (!end)
        return false;
    size_t have = len - (size_t)(end + 4 - head);
    (void)pthread_mutex_lock(&s->lock);
    memcpy(s->seen, head, len + 1);
    (void)pthread_mutex_unlock(&s->lock);
    keep_body(s, end + 4, have, 0);
    const char *length = strcasestr(head, "content-length:");
    size_t whole = length ? strtoul(length + 15, NULL, 10) : 0;
    while (have < whole) {
        ssize_t n = peer_read(p, piece, sizeof piece);
        if (n <= 0)
            return false;
        keep_body(s, piece, (size_t)n, have);
        have += (size_t)n;
    }
    return true;
}

/* Waits for the other side to give up, or for the test to end. */
static void hang(struct server *s, int fd)
{
    char c;
    while (!s->stop && recv(fd, &c, 1, MSG_DONTWAIT | MSG_PEEK) != 0)
        (void)poll(NULL, 0, 5);
}

/* false when the connection is over. */
static bool play(struct server *s, struct peer *p, const struct act *a)
{
    size_t step = a->kind == ACT_SLOW ? 1 : strlen(a->bytes);
    for (size_t i = 0; i < strlen(a->bytes) && !s->stop; i += step) {
        if (!peer_write(p, a->bytes + i, MIN(step, strlen(a->bytes) - i)))
            return false;
        if (a->kind == ACT_SLOW)
            (void)poll(NULL, 0, 5);
    }
    if (a->kind == ACT_HANG)
        hang(s, p->fd);
    if (a->kind == ACT_RESET)
        (void)setsockopt(p->fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
    return a->kind == ACT_SEND || a->kind == ACT_SLOW;
}

static void serve(struct server *s, struct peer *p)
{
    if (s->tls) {
        p->ssl = SSL_new(s->tls);
        (void)SSL_set_fd(p->ssl, p->fd);
        if (SSL_accept(p->ssl) != 1)
            goto out;
    }
    while (!s->stop && take_request(s, p)) {
        size_t i = (size_t)s->requests++;
        if (!play(s, p, &s->acts[MIN(i, s->count - 1)]))
            break;
    }
out:
    SSL_free(p->ssl);
    (void)close(p->fd);
}

static void *server_main(void *ctx)
{
    struct server *s = ctx;
    while (!s->stop) {
        struct pollfd wait = {s->listener, POLLIN, 0};
        if (poll(&wait, 1, 20) <= 0)
            continue;
        struct peer p = {.fd = accept(s->listener, NULL, NULL)};
        if (p.fd < 0)
            continue;
        s->connections++;
        /* A client that keeps its connection must not keep us. */
        (void)setsockopt(p.fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){0, 300000}, sizeof(struct timeval));
        serve(s, &p);
    }
    return NULL;
}

static void server_start(struct server *s, const struct act *acts, size_t count)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    SSL_CTX *tls = s->tls;
    memset(s, 0, sizeof *s);
    s->tls = tls;
    s->acts = acts;
    s->count = count;
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(!bind(s->listener, (struct sockaddr *)&at, sizeof at) && !listen(s->listener, 64));
    CHECK(!getsockname(s->listener, (struct sockaddr *)&at, &len));
    s->port = ntohs(at.sin_port);
    (void)signal(SIGPIPE, SIG_IGN);
    CHECK(!pthread_create(&s->thread, NULL, server_main, s));
}

static void server_stop(struct server *s)
{
    s->stop = true;
    (void)pthread_join(s->thread, NULL);
    (void)close(s->listener);
}

#endif
