/* SPDX-License-Identifier: Apache-2.0 */
/* `fovea mcp`: see mcp.h. Signals become a descriptor that every wait can watch. */
#include "mcp.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"
#include "conformance.h"
#include "exchange.h"
#include "http.h"
#include "http_bind.h"
#include "server.h"
#include "lines.h"

static int fail(struct fovea_fault *fault, int error, const char *what)
{
    return fault_set(fault, error, "%s: %s", what, strerrordesc_np(error));
}

static int watch_signals(struct fovea_fault *fault)
{
    static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < COUNT(ends); i++)
        (void)sigaddset(&set, ends[i]);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? fail(fault, errno, "cannot watch for signals") : fd;
}

static bool stopped(void *arg)
{
    struct pollfd p = {.fd = *(const int *)arg, .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

static int open_server(fovea *f, const struct mcp_options *o, bool (*over)(void *arg), void *arg, struct server **ret,
                       struct fovea_fault *fault)
{
    struct server_options options = {
        .main = o->main,
        .session = o->session,
        .no_webp = o->no_webp,
        .extension = o->conformance ? &conformance_extension : NULL,
        .stopped = over,
        .stopped_arg = arg,
    };
    return server_new(f, &options, ret, fault);
}

/* What was asked before stdin ended is still answered, however long that takes, as long as somebody reads the answers. */
static int serve_stdio(fovea *f, const struct mcp_options *o, int stop, struct fovea_fault *fault)
{
    struct server *s;
    struct stdio io;
    int r = stdio_take(stop, &io);
    if (r < 0)
        return fail(fault, -r, "cannot take stdout");
    r = open_server(f, o, stdio_over, &io, &s, fault);
    if (!r) {
        int ended = stdio_run(s, &io);
        if (!server_free(s, ended > 0 ? LIMIT_MCP_DRAIN_MS : 0, stdio_over, &io))
            _exit(0);
        r = ended < 0 ? fail(fault, -ended, "cannot serve") : 0;
    }
    stdio_done(&io);
    return r;
}

static int serve_http(fovea *f, const struct mcp_options *o, int stop, struct fovea_fault *fault)
{
    struct server *s;
    struct http_options http = {
        .address = o->http,
        .no_token = o->no_token,
        .insecure = o->insecure,
        .tls_cert = o->tls_cert,
        .tls_key = o->tls_key,
        .allowed_hosts = o->hosts,
        .allowed_origins = o->origins,
    };
    int r = open_server(f, o, stopped, &stop, &s, fault);
    if (r < 0)
        return r;
    r = http_run(s, &http, stop, fault);
    if (!server_free(s, 0, NULL, NULL) && !r)
        _exit(0);
    return r;
}

bool mcp_http_valid(const char *address)
{
    return place_valid(address);
}

int mcp_serve(fovea *f, const struct mcp_options *o, struct fovea_fault *fault)
{
    auto_close int stop = watch_signals(fault);
    if (stop < 0)
        return stop;
    return o->http ? serve_http(f, o, stop, fault) : serve_stdio(f, o, stop, fault);
}
