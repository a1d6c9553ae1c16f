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

/* ---------------------------------------------------------------- out */

struct line_outlet {
    struct outlet outlet;
    pthread_mutex_t lock;
    int fd;
    bool is_socket;
    int stop_fd;   /* readable: give up */
    int broken_fd; /* eventfd: a write failed, nobody is there */
    bool broken;
};

static ssize_t write_some(const struct line_outlet *l, struct iovec *parts)
{
    const struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
    return l->is_socket ? sendmsg(l->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) : writev(l->fd, parts, 2);
}

/* Until the other side takes more. -ECANCELED when we are to end. */
static int wait_for_room(const struct line_outlet *l)
{
    struct pollfd fds[] = {{.fd = l->fd, .events = POLLOUT}, {.fd = l->stop_fd, .events = POLLIN}};
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
        (void)eventfd_write(l->broken_fd, 1);
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
    close_fd(l->broken_fd);
    (void)pthread_mutex_destroy(&l->lock);
    free(l);
}

static const struct outlet_kind line_kind = {line_send, line_end, line_free};

static struct line_outlet *line_outlet_new(int fd, int stop_fd)
{
    struct line_outlet *l = calloc(1, sizeof *l);
    struct stat st;
    if (!l)
        return NULL;
    *l = (struct line_outlet){.outlet = {.kind = &line_kind}, .fd = fd, .stop_fd = stop_fd,
                              .is_socket = !fstat(fd, &st) && S_ISSOCK(st.st_mode),
                              .broken_fd = eventfd(0, EFD_CLOEXEC)};
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
    bool skipping;   /* to the end of a line that was too long */
};

static bool blank(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (s[i] != ' ' && s[i] != '\t' && s[i] != '\r')
            return false;
    return true;
}

static void too_long(struct lines_in *in)
{
    struct rpc_error error;
    (void)rpc_error_set(&error, RPC_INVALID, 400, "a message may have %zu MiB at most", LIMIT_MCP_LINE / MIB);
    answer_error(in->outlet, NULL, &error);
    in->skipping = true;
    buf_done(&in->line);
    in->line = (struct buf)BUF_INIT(LIMIT_MCP_LINE);
}

static void take_line(struct lines_in *in)
{
    if (!in->skipping && in->line.len && !blank(in->line.data, in->line.len))
        (void)server_receive(in->server, in->client, NULL, in->outlet, in->line.data, in->line.len);
    in->skipping = false;
    in->line.len = 0;
    if (in->line.room > LIMIT_READ_PIECE * 4) {
        buf_done(&in->line);
        in->line = (struct buf)BUF_INIT(LIMIT_MCP_LINE);
    }
}

static void take_bytes(struct lines_in *in, const char *bytes, size_t len)
{
    while (len) {
        const char *end = memchr(bytes, '\n', len);
        size_t n = end ? (size_t)(end - bytes) : len;
        if (!in->skipping && n && buf_add(&in->line, bytes, n))
            too_long(in);
        if (end)
            take_line(in);
        n += end != NULL;
        bytes += n;
        len -= n;
    }
}

/* More input, the end of it (0), or -ECANCELED: no use in going on. */
static ssize_t more(int stop_fd, int broken_fd, char *piece, size_t size)
{
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = stop_fd, .events = POLLIN},
                           {.fd = broken_fd, .events = POLLIN}};
    for (;;) {
        if (poll(fds, COUNT(fds), -1) < 0 && errno != EINTR)
            return -errno;
        if (fds[1].revents || fds[2].revents)
            return -ECANCELED;
        ssize_t n = fds[0].revents ? read(STDIN_FILENO, piece, size) : -1;
        if (n >= 0)
            return n;
        if (fds[0].revents && errno != EINTR && errno != EAGAIN)
            return 0; /* a stdin that cannot be read has ended */
    }
}

bool stdio_run(struct server *s, int out, int stop_fd)
{
    auto_free char *piece = malloc(LIMIT_READ_PIECE);
    struct line_outlet *o = line_outlet_new(out, stop_fd);
    struct lines_in in = {.server = s, .client = client_new(s), .outlet = &o->outlet, .line = BUF_INIT(LIMIT_MCP_LINE)};
    ssize_t n = -ENOMEM;
    while (o && in.client && piece && (n = more(stop_fd, o->broken_fd, piece, LIMIT_READ_PIECE)) > 0)
        take_bytes(&in, piece, (size_t)n);
    if (n == 0)
        take_line(&in);
    buf_done(&in.line);
    client_unref(in.client); /* what it asked for may still be answered */
    outlet_unref(o ? &o->outlet : NULL);
    return n == 0;
}

bool stdio_gone(int out)
{
    struct pollfd p = {.fd = out};
    return poll(&p, 1, 0) > 0 && p.revents & (POLLERR | POLLHUP | POLLNVAL);
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

int stdio_take(void)
{
    int out = take_out();
    if (out < 0)
        return -errno;
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        int e = errno;
        close_fd(out);
        return -e;
    }
    return out;
}
