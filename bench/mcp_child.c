/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pipes to an MCP server. Client and server share the machine's cores, so whatever is spent here is taken from the
 * server that is measured: large reads, memchr for the newline, nothing copied but the two ends of a line. These hold
 * the id (at the head or at the end, as the server likes) and the word that makes an answer an error; a quote inside a
 * text is escaped, so `,"id":` cannot come from one.
 */
#include "mcp_child.h"

#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"

enum { READ_BYTES = 1 << 18, SILENCE_MS = 60000, END_MS = 3000 };

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static _Noreturn void become(char **argv, int in, int out)
{
    (void)signal(SIGPIPE, SIG_DFL);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0)
        execvp(argv[0], argv);
    _exit(127);
}

struct child child_start(char **argv)
{
    int to[2], from[2];
    (void)signal(SIGPIPE, SIG_IGN); /* a server that is gone shows as a failed write */
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        err(1, "pipe2");
    pid_t pid = vfork();
    if (!pid)
        become(argv, to[0], from[1]);
    if (pid < 0)
        err(1, "cannot start '%s'", argv[0]);
    close(to[0]);
    close(from[1]);
    if (fcntl(to[1], F_SETFL, O_NONBLOCK))
        err(1, "fcntl");
    return (struct child){.pid = pid, .in = to[1], .out = from[0]};
}

void child_end(struct child *c)
{
    close(c->in);
    double until = now_ms() + END_MS;
    while (!waitpid(c->pid, NULL, WNOHANG)) {
        if (now_ms() > until)
            (void)kill(c->pid, SIGKILL);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    close(c->out);
}

size_t child_write(struct child *c, const char *text, size_t len)
{
    ssize_t n = write(c->in, text, len);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        err(1, "the server takes no more");
    return n > 0 ? (size_t)n : 0;
}

static long id_in(const char *edge)
{
    const char *id = strstr(edge, ",\"id\":");
    return id ? strtol(id + 6, NULL, 10) : -1;
}

static bool says_error(const char *edge)
{
    return strstr(edge, "\"error\":{\"code\"") || strstr(edge, ",\"isError\":true");
}

static struct reply reply_of(const struct child *c)
{
    struct reply r = {.id = id_in(c->head), .bytes = c->line + 1};
    if (r.id < 0)
        r.id = id_in(c->tail);
    if (strstr(c->head, ",\"method\":"))
        r.id = -1;
    r.error = says_error(c->head) || says_error(c->tail);
    return r;
}

/* Takes a stretch of the current line: what belongs to its head, and what may be its tail. */
static void take_stretch(struct child *c, const char *text, size_t len)
{
    if (c->line < EDGE)
        memcpy(c->head + c->line, text, MIN(len, EDGE - c->line));
    size_t keep = len < EDGE ? MIN(c->tail_len, EDGE - len) : 0, fresh = MIN(len, EDGE);
    memmove(c->tail, c->tail + c->tail_len - keep, keep);
    memcpy(c->tail + keep, text + len - fresh, fresh);
    c->tail_len = keep + fresh;
    c->line += len;
}

void child_read(struct child *c, void (*got)(void *arg, struct reply r), void *arg)
{
    static char buffer[READ_BYTES];
    ssize_t n = read(c->out, buffer, sizeof(buffer));
    if (n <= 0)
        errx(1, "the server ended");
    for (const char *p = buffer, *end = buffer + n, *newline; p < end; p = newline + 1) {
        newline = memchr(p, '\n', (size_t)(end - p));
        take_stretch(c, p, (size_t)((newline ? newline : end) - p));
        if (!newline)
            break;
        c->head[MIN(c->line, EDGE)] = c->tail[c->tail_len] = 0;
        got(arg, reply_of(c));
        c->line = c->tail_len = 0;
    }
}

bool child_wait(const struct child *c, bool writes)
{
    struct pollfd fds[] = {{.fd = c->out, .events = POLLIN}, {.fd = writes ? c->in : -1, .events = POLLOUT}};
    if (poll(fds, COUNT(fds), SILENCE_MS) <= 0)
        errx(1, "the server says nothing");
    return fds[0].revents;
}
