/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP server: see http.h. The library's one thread reads requests and writes answers; calls run on the server's
 * threads; the thread that called http_run watches. All of a request but its answer happens on the library's thread, so
 * sessions and bodies need no lock.
 */
#include "http.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/fault.h"
#include "base/limits.h"
#include "http_bind.h"
#include "http_request.h"
#include "http_token.h"

/* PEM texts; the library reads them where they are. */
struct pem {
    struct buf cert, key;
};

static void pem_done(struct pem *p)
{
    if (p->key.data)
        explicit_bzero(p->key.data, p->key.len);
    buf_done(&p->key);
    buf_done(&p->cert);
}

static int read_pem(const char *path, struct buf *ret, struct fovea_fault *fault)
{
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return fault_set(fault, errno, "cannot open '%s': %s", path, strerror(errno));
    for (;;) {
        char *to = buf_reserve(ret, 4 * KIB);
        if (!to)
            return fault_set(fault, ret->error, "'%s' is too large for a certificate or key", path);
        ssize_t n = read(fd, to, 4 * KIB);
        if (n < 0)
            return fault_set(fault, errno, "cannot read '%s': %s", path, strerror(errno));
        if (!n)
            return ret->len ? 0 : fault_set(fault, EINVAL, "'%s' is empty: it must hold a certificate or key", path);
        buf_grew(ret, (size_t)n);
    }
}

static int load_pem(const struct http_options *o, struct pem *ret, struct fovea_fault *fault)
{
    if (!o->tls_cert && !o->tls_key)
        return 0;
    if (!o->tls_cert || !o->tls_key)
        return fault_set(fault, EINVAL, "TLS needs both: --tls-cert and --tls-key");
    if (MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
        return fault_set(fault, ENOTSUP, "this libmicrohttpd was built without TLS");
    int r = read_pem(o->tls_cert, &ret->cert, fault);
    return r < 0 ? r : read_pem(o->tls_key, &ret->key, fault);
}

/* Descriptors for all connections, and some for the work. */
static void raise_files(void)
{
    struct rlimit l;
    rlim_t want = 2 * LIMIT_HTTP_CONNECTIONS + 1024;
    if (getrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur >= want)
        return;
    l.rlim_cur = MIN(want, l.rlim_max);
    (void)setrlimit(RLIMIT_NOFILE, &l);
}

static void connection_changed(void *arg, struct MHD_Connection *connection, void **context,
                               enum MHD_ConnectionNotificationCode code)
{
    struct http *h = arg;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        conn_free(take(*context));
        return;
    }
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *context = info ? conn_new(&h->watch, info->connect_fd) : NULL;
}

/* The first line of a request was read. What is returned would be the request, which begins with its headers. */
static void *request_heard(void *arg, const char *uri, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    (void)arg;
    (void)uri;
    if (info && info->socket_context)
        conn_heard(info->socket_context);
    return NULL;
}

/* The library's own words, about the faults of clients mostly, are nobody's business. */
static void say_nothing(void *arg, const char *format, va_list list)
{
    (void)arg;
    (void)format;
    (void)list;
}

/* No room for nonces: digests are not used here, and without memory for it the library would leave a descriptor open. */
static struct MHD_Daemon *start(struct http *h, int fd, const struct pem *pem)
{
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, pem->cert.data},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, pem->key.data},
        {MHD_OPTION_END, 0, NULL},
    };
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG |
                     (h->gate.tls ? MHD_USE_TLS : 0);
    return MHD_start_daemon(flags, 0, NULL, NULL, request_answer, h, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
                            MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED, request_completed, h,
                            MHD_OPTION_NOTIFY_CONNECTION, connection_changed, h, MHD_OPTION_URI_LOG_CALLBACK,
                            request_heard, h, MHD_OPTION_CONNECTION_LIMIT,
                            (unsigned)(LIMIT_HTTP_CONNECTIONS + LIMIT_HTTP_SPARE), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                            LIMIT_HTTP_POOL, MHD_OPTION_CONNECTION_TIMEOUT, LIMIT_HTTP_IDLE_S, MHD_OPTION_NONCE_NC_SIZE,
                            0u, MHD_OPTION_ARRAY, h->gate.tls ? tls : tls + 2, MHD_OPTION_END);
}

/* A daemon that does not start has closed its socket, or not got that far. */
static void close_left(int fd, const struct stat *was)
{
    struct stat now;
    if (fstat(fd, &now) == 0 && now.st_ino == was->st_ino && now.st_dev == was->st_dev)
        close_fd(fd);
}

/* The socket is the daemon's while it lives. */
static int serve(struct http *h, struct place *place, const struct pem *pem, struct fovea_fault *fault)
{
    struct stat was = {0};
    int given = take_fd(&place->fd);
    (void)fstat(given, &was);
    struct MHD_Daemon *daemon = start(h, given, pem);
    if (!daemon)
        close_left(given, &was);
    if (!daemon)
        return fault_set(fault, EIO, "the HTTP server does not start%s",
                         h->gate.tls ? ": check that the certificate and the key are PEM and belong together" : "");
    (void)fprintf(stderr, "fovea: listening on http%s://%s:%u/mcp\n", h->gate.tls ? "s" : "", place->host, place->port);
    watch_run(&h->watch);
    MHD_socket fd = MHD_quiesce_daemon(daemon);
    watch_end(&h->watch);
    MHD_stop_daemon(daemon);
    place->fd = fd;
    return 0;
}

static void place_close(struct place *p)
{
    close_fd(p->fd);
}

static void http_done(struct http *h)
{
    sessions_done(&h->sessions);
    watch_done(&h->watch);
    if (h->token)
        explicit_bzero(h->token, strlen(h->token));
    free(h->token);
}

int http_run(struct server *s, const struct http_options *o, int stop_fd, struct fovea_fault *fault)
{
    cleanup(pem_done) struct pem pem = {BUF_INIT(LIMIT_HTTP_PEM), BUF_INIT(LIMIT_HTTP_PEM)};
    cleanup(place_close) struct place place = {.fd = -1};
    cleanup(http_done) struct http h = {.server = s, .watch.epoll = -1, .watch.poke = -1};
    bool tls = o->tls_cert != NULL; /* as asked for, whatever the file holds */
    TAILQ_INIT(&h.requests);
    int r = load_pem(o, &pem, fault);
    r = r < 0 ? r : place_open(o->address, o->insecure || (tls && !o->no_token), &place, fault);
    if (r < 0 || (!o->no_token && (r = token_load(&h.token, fault)) < 0))
        return r;
    h.gate = (struct gate){.port = place.port, .tls = tls, .bound = place.wildcard ? NULL : place.host,
                           .hosts = o->allowed_hosts, .origins = o->allowed_origins};
    raise_files();
    r = watch_init(&h.watch, s, h.gate.tls, stop_fd);
    if (r < 0)
        return fault_set(fault, r, "cannot watch connections: %s", strerror(-r));
    return serve(&h, &place, &pem, fault);
}
