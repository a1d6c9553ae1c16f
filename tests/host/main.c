/* SPDX-License-Identifier: Apache-2.0 */
/*
 * askhost FOLDER [quiet]: a provider for tests, until its stdin ends. Prints one line of JSON with its ports: http, tls (the
 * certificate is FOLDER/ca.pem), mute (takes connections and reads nothing) and shut (nobody listens). Each request is a
 * line of JSON in FOLDER/requests, there before its answer is; none is written with "quiet", for measuring.
 */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <jansson.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include "host.h"

static struct {
    pthread_mutex_t lock;
    int log;
    SSL_CTX *tls;
} host = {.lock = PTHREAD_MUTEX_INITIALIZER, .log = -1};

static json_t *headers_of(const char *head)
{
    json_t *all = json_array();
    for (const char *line = strstr(head, "\r\n"); line && line[2]; line = strstr(line + 2, "\r\n"))
        (void)json_array_append_new(all, json_stringn_nocheck(line + 2, strcspn(line + 2, "\r\n")));
    return all;
}

static void write_down(const struct peer *p, const struct request *q)
{
    json_t *all = json_pack("{s:s,s:s,s:s,s:s,s:o}", "door", p->door, "method", q->method, "path", q->path, "model", q->model,
                            "headers", headers_of(q->head.data));
    (void)json_object_set_new(all, "body", json_stringn_nocheck(q->body.data ? q->body.data : "", q->body.len));
    char *line = json_dumps(all, JSON_COMPACT);
    auto_buf text = BUF_INIT(2 * MAX_BODY);
    (void)buf_add_format(&text, "%s\n", line ? line : "null");
    (void)pthread_mutex_lock(&host.lock);
    if (text.error || write(host.log, text.data, text.len) != (ssize_t)text.len)
        warn("cannot write a request down");
    (void)pthread_mutex_unlock(&host.lock);
    free(line);
    json_decref(all);
}

static void serve(struct peer *p)
{
    bool more = true;
    while (more) {
        struct request q;
        more = request_take(p, &q);
        if (more) {
            if (host.log >= 0)
                write_down(p, &q);
            more = scene_play(p, &q);
        }
        request_done(&q);
    }
}

static void *peer_main(void *arg)
{
    struct peer *p = arg;
    if (!strcmp(p->door, "tls")) {
        p->ssl = SSL_new(host.tls);
        (void)SSL_set_fd(p->ssl, p->fd);
    }
    if (!p->ssl || SSL_accept(p->ssl) == 1)
        serve(p);
    SSL_free(p->ssl);
    (void)close(p->fd);
    buf_done(&p->left);
    free(p);
    return NULL;
}

/* ---------------------------------------------------------------- doors */

struct door {
    const char *name;
    int fd, port;
};

static void door_open(struct door *d)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    d->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (d->fd < 0 || bind(d->fd, (struct sockaddr *)&at, sizeof at) || getsockname(d->fd, (struct sockaddr *)&at, &len))
        err(1, "cannot open a port");
    d->port = ntohs(at.sin_port);
}

static void *door_main(void *arg)
{
    const struct door *d = arg;
    pthread_attr_t detached;
    (void)pthread_attr_init(&detached);
    (void)pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (;;) {
        pthread_t thread;
        int fd = accept4(d->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 || !strcmp(d->name, "mute"))
            continue;
        /* Three small writes an answer: each waits for the other side's leisure otherwise. */
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        struct peer *p = calloc(1, sizeof *p);
        if (!p)
            errx(1, "out of memory");
        *p = (struct peer){.fd = fd, .door = d->name, .left = BUF_INIT(MAX_BODY)};
        if (pthread_create(&thread, &detached, peer_main, p))
            errx(1, "cannot start a thread");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct door doors[] = {{"http", -1, 0}, {"tls", -1, 0}, {"mute", -1, 0}, {"shut", -1, 0}};
    pthread_t thread;
    char c;
    if (argc < 2 || argc > 3 || chdir(argv[1]))
        errx(2, "usage: askhost FOLDER [quiet]");
    (void)signal(SIGPIPE, SIG_IGN);
    if (!(host.tls = tls_new("ca.pem")))
        errx(1, "cannot make a certificate");
    if (argc == 2 && (host.log = open("requests", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) < 0)
        err(1, "requests");
    for (size_t i = 0; i < COUNT(doors); i++) {
        door_open(&doors[i]);
        /* shut is bound, so that nobody else gets it, and refuses. */
        if (strcmp(doors[i].name, "shut") &&
            (listen(doors[i].fd, 256) || pthread_create(&thread, NULL, door_main, &doors[i])))
            err(1, "cannot listen");
        printf("%s\"%s\":%d", i ? "," : "{", doors[i].name, doors[i].port);
    }
    printf("}\n");
    (void)fflush(stdout);
    while (read(STDIN_FILENO, &c, 1) > 0)
        ;
    _exit(0);
}
