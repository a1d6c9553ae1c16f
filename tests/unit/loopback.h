/* SPDX-License-Identifier: Apache-2.0 */
/* A plain HTTP server on the loopback for tests: one answer a path, counted, with the last request's head kept. */
#ifndef FOVEA_TEST_LOOPBACK_H
#define FOVEA_TEST_LOOPBACK_H

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

struct page {
    const char *path;   /* with the method: "GET /v1/models" */
    const char *status; /* "200"; "hang" answers nothing */
    const char *body;
    const char *when;   /* only where the request has these words; NULL: always */
};

struct loopback {
    int listener, port;
    const struct page *_Atomic pages; /* up to one without a path; a test may change them */
    pthread_t thread;
    atomic_bool stop;
    atomic_int requests, misses;
    char base[64];   /* http://127.0.0.1:PORT/v1 */
    char seen[8192]; /* requests, one after the other; to be read after the server stopped */
    size_t seen_len;
};

static const struct page *loopback_page(const struct loopback *s, const char *request)
{
    for (const struct page *p = s->pages; p->path; p++) {
        size_t n = strlen(p->path);
        if (!strncmp(request, p->path, n) && request[n] == ' ' && (!p->when || strstr(request, p->when)))
            return p;
    }
    return NULL;
}

/* Reads one whole request; false when none comes. */
static bool loopback_take(int fd, char *to, size_t room)
{
    size_t len = 0;
    for (;;) {
        ssize_t n = read(fd, to + len, room - 1 - len);
        if (n <= 0)
            return false;
        len += (size_t)n;
        to[len] = '\0';
        const char *end = strstr(to, "\r\n\r\n"), *length = strcasestr(to, "content-length:");
        if (end && len >= (size_t)(end + 4 - to) + (length ? strtoul(length + 15, NULL, 10) : 0))
            return true;
    }
}

static void loopback_answer(struct loopback *s, int fd)
{
    char request[4096], head[256];
    if (!loopback_take(fd, request, sizeof request))
        return;
    const struct page *p = loopback_page(s, request);
    const char *body = p ? p->body : "{\"error\":\"not found\"}";
    s->requests++;
    s->misses += !p;
    int n = snprintf(s->seen + s->seen_len, sizeof s->seen - s->seen_len, "%s\n", request);
    s->seen_len += n > 0 && (size_t)n < sizeof s->seen - s->seen_len ? (size_t)n : 0;
    while (p && !strcmp(p->status, "hang") && !s->stop)
        (void)poll(NULL, 0, 5);
    n = snprintf(head, sizeof head, "HTTP/1.1 %s x\r\ncontent-type: application/json\r\ncontent-length: %zu\r\nconnection: close\r\n\r\n",
                 p ? p->status : "404", strlen(body));
    if (n > 0 && send(fd, head, (size_t)n, MSG_NOSIGNAL) == n)
        (void)!send(fd, body, strlen(body), MSG_NOSIGNAL);
}

static void *loopback_main(void *arg)
{
    struct loopback *s = arg;
    while (!s->stop) {
        struct pollfd wait = {s->listener, POLLIN, 0};
        if (poll(&wait, 1, 20) <= 0)
            continue;
        int fd = accept(s->listener, NULL, NULL);
        if (fd < 0)
            continue;
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){1, 0}, sizeof(struct timeval));
        loopback_answer(s, fd);
        (void)close(fd);
    }
    return NULL;
}

static void loopback_start(struct loopback *s, const struct page *pages)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    memset(s, 0, sizeof *s);
    s->pages = pages;
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(!bind(s->listener, (struct sockaddr *)&at, sizeof at) && !listen(s->listener, 64));
    CHECK(!getsockname(s->listener, (struct sockaddr *)&at, &len));
    s->port = ntohs(at.sin_port);
    (void)snprintf(s->base, sizeof s->base, "http://127.0.0.1:%d/v1", s->port);
    CHECK(!pthread_create(&s->thread, NULL, loopback_main, s));
}

static void loopback_stop(struct loopback *s)
{
    s->stop = true;
    (void)pthread_join(s->thread, NULL);
    (void)close(s->listener);
}

#endif
