/* SPDX-License-Identifier: Apache-2.0 */
/* The stdio transport: see lines.h. Lines come in through one bounded buffer; one that is too long costs an error and is
 * skipped to its end. Answers go out whole, one at a time. */
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/buf.h"
#include "base/limits.h"
#include "core.h"
#include "find_id.h"

/* ---------------------------------------------------------------- out */

struct line_outlet {
    struct outlet outlet;
    const struct stdio *io;
    pthread_mutex_t lock;
    bool is_socket, broken;
};

static ssize_t write_some(const struct line_outlet *l, struct iovec *parts)
{
    const struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
    return l->is_socket ? sendmsg(l->io->out, &m, MSG_DONTWAIT | MSG_NOSIGNAL) : writev(l->io->out, parts, 2);
}

/* Until the other side takes more. -ECANCELED when we are to end. */
static int wait_for_room(const struct line_outlet *l)
{
    struct pollfd fds[] = {{.fd = l->io->out, .events = POLLOUT}, {.fd = l->io->stop, .events = POLLIN}};
    while (poll(fds, COUNT(fds), -1) < 0)
        if (errno != EINTR)
            return -errno;
    return fds[1].revents ? -ECANCELED : 0;
}

static int write_line(const struct line_outlet *l, const char *text, size_t len)
{
    struct iovec parts[2] = {{(void *)text, len}, {(void *)"\n", 1}};
    while (parts[1].iov_len) {
        ssize_t n = write_some(l, parts);
        int r = n >= 0 || errno == EINTR ? 0 : errno == EAGAIN ? wait_for_room(l) : -errno;
        if (r)
            return r;
        for (size_t i = 0, left = n > 0 ? (size_t)n : 0; i < 2; i++) {
            size_t took = MIN(left, parts[i].iov_len);
            parts[i].iov_base = (char *)parts[i].iov_base + took;
            parts[i].iov_len -= took;
            left -= took;
        }
    }
    return 0;
}

static bool line_send(struct outlet *o, const char *text, size_t len, bool last, int http)
{
    struct line_outlet *l = (struct line_outlet *)o;
    (void)last;
    (void)http;
    (void)pthread_mutex_lock(&l->lock);
    if (!l->broken && write_line(l, text, len) < 0) {
        l->broken = true;
        (void)eventfd_write(l->io->broken, 1);
    }
    (void)pthread_mutex_unlock(&l->lock);
    return true;
}

static void line_end(struct outlet *o)
{
    (void)o;
}

static void line_free(struct outlet *o)
{
    struct line_outlet *l = (struct line_outlet *)o;
    (void)pthread_mutex_destroy(&l->lock);
    free(l);
}

static const struct outlet_kind line_kind = {line_send, line_end, line_free};

static struct line_outlet *line_outlet_new(const struct stdio *io)
{
    struct line_outlet *l = calloc(1, sizeof *l);
    struct stat st;
    if (!l)
        return NULL;
    *l = (struct line_outlet){.outlet = {.kind = &line_kind}, .io = io,
                              .is_socket = !fstat(io->out, &st) && S_ISSOCK(st.st_mode)};
    atomic_init(&l->outlet.refs, 1);
    (void)pthread_mutex_init(&l->lock, NULL);
    return l;
}

/* ---------------------------------------------------------------- in */

struct lines_in {
    struct server *server;
    struct client *client;
    struct outlet *outlet;
    struct buf line; /* what came of a line that is not complete */
    int skipping;    /* to the end of a line that cannot be kept, by this error ... */
    struct id_finder finder; /* ... for whose id somebody waits */
};

static bool blank(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (s[i] != ' ' && s[i] != '\t' && s[i] != '\r')
            return false;
    return true;
}

static void renew(struct lines_in *in)
{
    buf_done(&in->line);
    in->line = (struct buf)BUF_INIT(LIMIT_MCP_LINE);
}

/* From here on the line is only looked at. */
static void skip(struct lines_in *in, int error)
{
    in->skipping = error;
    in->finder = (struct id_finder){0};
    id_finder_take(&in->finder, in->line.data ? in->line.data : "", in->line.len);
    renew(in);
}

static void refuse(struct lines_in *in)
{
    struct rpc_error error;
    auto_json *id = id_finder_id(&in->finder);
    if (in->skipping == -ENOMEM)
        (void)rpc_error_set(&error, RPC_INTERNAL, 500, "out of memory");
    else
        (void)rpc_error_set(&error, RPC_INVALID, 400, "a message may have %zu MiB at most; give a file by its path",
                            LIMIT_MCP_LINE / MIB);
    answer_error(in->outlet, id, &error);
}

static void take_line(struct lines_in *in)
{
    if (in->skipping)
        refuse(in);
    else if (in->line.len && !blank(in->line.data, in->line.len))
        (void)server_receive(in->server, in->client, NULL, in->outlet, in->line.data, in->line.len);
    in->skipping = 0;
    in->line.len = 0;
    if (in->line.room > LIMIT_READ_PIECE * 4)
        renew(in);
}

static void take_bytes(struct lines_in *in, const char *bytes, size_t len)
{
    while (len) {
        const char *end = memchr(bytes, '\n', len);
        size_t n = end ? (size_t)(end - bytes) : len;
        int kept = in->skipping || !n ? 0 : buf_add(&in->line, bytes, n);
        if (kept < 0)
            skip(in, kept);
        if (in->skipping)
            id_finder_take(&in->finder, bytes, n);
        if (end)
            take_line(in);
        n += end != NULL;
        bytes += n;
        len -= n;
    }
}

/* More input, the end of it (0), or -ECANCELED: no use in going on. */
static ssize_t more(const struct stdio *io, char *piece, size_t size)
{
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = io->stop, .events = POLLIN},
                           {.fd = io->broken, .events = POLLIN}, {.fd = io->out}};
    for (;;) {
        if (poll(fds, COUNT(fds), -1) < 0 && errno != EINTR)
            return -errno;
        if (fds[1].revents || fds[2].revents || fds[3].revents)
            return -ECANCELED;
        ssize_t n = fds[0].revents ? read(STDIN_FILENO, piece, size) : -1;
        if (n >= 0)
            return n;
        if (fds[0].revents && errno != EINTR && errno != EAGAIN)
            return 0; /* a stdin that cannot be read has ended */
    }
}

int stdio_run(struct server *s, const struct stdio *io)
{
    auto_free char *piece = malloc(LIMIT_READ_PIECE);
    struct outlet *o = (struct outlet *)line_outlet_new(io); /* its first member, or NULL */
    struct lines_in in = {.server = s, .client = client_new(s), .outlet = o, .line = BUF_INIT(LIMIT_MCP_LINE)};
    bool ready = o && in.client && piece;
    ssize_t n = -ENOMEM;
    while (ready && (n = more(io, piece, LIMIT_READ_PIECE)) > 0)
        take_bytes(&in, piece, (size_t)n);
    if (n == 0)
        take_line(&in);
    buf_done(&in.line);
    client_unref(in.client); /* what it asked for may still be answered */
    outlet_unref(o);
    return ready ? n == 0 : -ENOMEM;
}

bool stdio_over(void *arg)
{
    const struct stdio *io = arg;
    struct pollfd fds[] = {{.fd = io->out}, {.fd = io->stop, .events = POLLIN}, {.fd = io->broken, .events = POLLIN}};
    return poll(fds, COUNT(fds), 0) > 0;
}

/*
 * The real stdout, so that a write never blocks: whoever waits in it could not be told to end. Opened anew, because the
 * mode of the one we were given is shared with whoever gave it. (A socket cannot be opened, but sends without waiting.)
 */
static int take_out(void)
{
    char path[32];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", STDOUT_FILENO);
    struct stat st;
    bool pipe = !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode);
    int out = pipe ? open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    return out >= 0 ? out : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
}

int stdio_take(int stop_fd, struct stdio *ret)
{
    auto_close int out = take_out(), broken = -1;
    if (out < 0)
        return -errno;
    broken = eventfd(0, EFD_CLOEXEC);
    if (broken < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return -errno;
    *ret = (struct stdio){.out = take_fd(&out), .stop = stop_fd, .broken = take_fd(&broken)};
    return 0;
}

void stdio_done(struct stdio *io)
{
    close_fd(io->out);
    close_fd(io->broken);
}
