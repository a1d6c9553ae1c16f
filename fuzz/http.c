/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to the port that MCP over HTTP listens on: what comes back is HTTP with a status that we know,
 * and nothing but a preflight is let in without the token.
 * about: mcp/http_admit.c mcp/http_request.c mcp/http_gate.c mcp/http_conn.c mcp/http_outlet.c mcp/http_sessions.c
 */
#include "fuzz.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "mcp/http.h"
#include "tree.h"

#define TOKEN "token-of-the-fuzzer-0123456789abcdef"
enum { QUIET_MS = 20 };
static struct tree tree;
static struct sockaddr_in at = {.sin_family = AF_INET};
static fovea *library;
static struct server *server;
static char address[32];
static int stop[2];

static void tidy(void)
{
    tree_done(&tree);
}

static void *serve(void *arg)
{
    static const char *const origins[] = {"https://page.example", NULL};
    struct http_options o = {.address = address, .allowed_origins = origins};
    struct fovea_fault fault = {0};
    (void)arg;
    if (http_run(server, &o, stop[0], &fault) < 0)
        (void)fprintf(stderr, "%s\n", fault.text);
    return NULL;
}

/* A port that was free a moment ago. */
static void find_port(void)
{
    socklen_t len = sizeof at;
    auto_close int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CLAIM(bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && getsockname(fd, (struct sockaddr *)&at, &len) == 0);
    (void)snprintf(address, sizeof address, "127.0.0.1:%u", ntohs(at.sin_port));
}

/* From one of many addresses: a port of one that was used is not free again for a minute. */
static int reach(void)
{
    static uint32_t n;
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + n++ % 250)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)bind(fd, (struct sockaddr *)&from, sizeof from);
    if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const struct server_options options = {0};
    struct fovea_options o = {.config_file = ""};
    struct fovea_fault fault = {0};
    pthread_t thread;
    char token[160];
    (void)argc;
    (void)argv;
    (void)signal(SIGPIPE, SIG_IGN);
    CLAIM(tree_init(&tree, "fovea/") == 0);
    (void)atexit(tidy);
    (void)snprintf(token, sizeof token, "%sfovea/token", tree.top);
    CLAIM(tree_file(token, TOKEN "\n") == 0 && chmod(token, 0600) == 0);
    *strrchr(token, '/') = '\0';
    CLAIM(chmod(token, 0700) == 0 && setenv("XDG_STATE_HOME", tree.top, 1) == 0);
    o.cwd = tree.top;
    CLAIM(fovea_new(&o, &library, &fault) == 0 && server_new(library, &options, &server, &fault) == 0 && pipe2(stop, O_CLOEXEC) == 0);
    find_port();
    CLAIM(pthread_create(&thread, NULL, serve, NULL) == 0);
    for (int tries = 0, fd; (fd = reach()) < 0; tries++) {
        CLAIM(tries < 500);
        (void)usleep(10000);
    }
    return 0;
}

/* The port stands for itself in the bytes, so that what is kept holds whichever it is. */
static size_t with_port(const uint8_t *data, size_t len, char *out, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < len && n + 16 < room; i++) {
        if (data[i] == '@')
            n += (size_t)snprintf(out + n, room - n, "%u", ntohs(at.sin_port));
        else
            out[n++] = (char)data[i];
    }
    return n;
}

/* What comes back until it is quiet. */
static size_t talk(const char *bytes, size_t len, char *back, size_t room)
{
    auto_close int fd = reach();
    size_t n = 0;
    ssize_t got = 1;
    CLAIM(fd >= 0);
    (void)send(fd, bytes, len, MSG_NOSIGNAL);
    (void)shutdown(fd, SHUT_WR);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (n < room && got > 0 && poll(&p, 1, n ? QUIET_MS / 4 : QUIET_MS) > 0) {
        got = recv(fd, back + n, room - n, 0);
        n += got > 0 ? (size_t)got : 0;
    }
    return n;
}

static void claim_answers(const char *back, size_t len, bool has_token)
{
    static const int known[] = {100, 200, 202, 204, 400, 401, 403, 404, 405, 406, 408, 411, 413, 414, 415, 417, 429, 431, 500, 501, 503, 505};
    const char *line = back;
    while ((line = memmem(line, len - (size_t)(line - back), "HTTP/1.", 7))) {
        int status = len - (size_t)(line - back) > 12 ? (int)strtol(line + 9, NULL, 10) : 0;
        bool found = false;
        for (size_t i = 0; i < COUNT(known); i++)
            found |= known[i] == status;
        CLAIM(found || !status);
        CLAIM(has_token || (status != 200 && status != 202));
        line += 7;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static char bytes[32 * 1024], back[256 * 1024];
    size_t n = with_port(data, len, bytes, sizeof bytes);
    size_t got = talk(bytes, n, back, sizeof back - 1);
    back[got] = '\0';
    CLAIM(!got || !strncmp(back, "HTTP/1.", 7));
    claim_answers(back, got, memmem(bytes, n, TOKEN, strlen(TOKEN)));
    CLAIM(!memmem(back, got, TOKEN, strlen(TOKEN)) || memmem(bytes, n, TOKEN, strlen(TOKEN)));
    return 0;
}
