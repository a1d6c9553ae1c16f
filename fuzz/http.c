/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to the port that MCP over HTTP listens on: what comes back is HTTP with a status that we know, and no request is served, or
 * learns what there is to be served, without the token in its own head: one in a body, in another header or in another request's head
 * counts for nothing. The same without one Host in its own head that is ours, or with an Origin there that is not.
 * about: mcp/http_admit.c mcp/http_request.c mcp/http_gate.c mcp/http_conn.c mcp/http_outlet.c mcp/http_sessions.c
 */
#include "fuzz.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "mcp/http.h"
#include "tree.h"

#define TOKEN "token-of-the-fuzzer-0123456789abcdef"
#define PAGE "https://page.example"
enum { PAUSE_MS = 1, QUIET_MS = 20, SERVED_MS = 200 };
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
    static const char *const origins[] = {PAGE, NULL};
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

/* ---------------------------------------------------------------- which requests may be served */

/* One line; *ret what is behind its end. As the library has it: the end is LF or CR LF, and what is behind a NUL is not seen. */
static size_t line_len(const char *s, const char *end, const char **ret)
{
    const char *lf = memchr(s, '\n', (size_t)(end - s));
    size_t n = (size_t)((lf ? lf : end) - s);
    *ret = lf ? lf + 1 : end;
    return strnlen(s, n - (lf && n && s[n - 1] == '\r'));
}

/* What comes before a request. */
static const char *skip_empty(const char *s, const char *end)
{
    for (const char *next; s < end && !line_len(s, end, &next); s = next)
        ;
    return s;
}

static const char *skip_blanks(const char *s, const char *end)
{
    while (s < end && (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n'))
        s++;
    return s;
}

/* The value of a header line of that name, else NULL. */
static const char *value_of(const char *line, size_t len, const char *name)
{
    size_t n = strlen(name);
    return len > n && !strncasecmp(line, name, n) && line[n] == ':' ? line + n + 1 : NULL;
}

/* "Bearer", blanks and the token, and nothing else; a line that begins with a blank goes on with the one before it. */
static bool is_bearer(const char *value, const char *end)
{
    const char *s = skip_blanks(value, end), *next;
    if (end - s < 7 || strncasecmp(s, "bearer", 6) != 0 || (s[6] != ' ' && s[6] != '\t' && s[6] != '\r' && s[6] != '\n'))
        return false;
    s = skip_blanks(s + 6, end);
    size_t n = line_len(s, end, &next);
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
        n--;
    return n == strlen(TOKEN) && !memcmp(s, TOKEN, n);
}

/* Whether the value that ends there is, but for blanks around it, scheme, one of our names in any case, and our port. */
static bool is_here(const char *value, const char *end, const char *scheme)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    char want[64];
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (value < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    size_t len = (size_t)(end - value), kind = strlen(scheme);
    for (size_t i = 0; i < COUNT(names); i++) {
        size_t n = (size_t)snprintf(want, sizeof want, "%s%s:%u", scheme, names[i], ntohs(at.sin_port));
        if (len == n && !memcmp(value, want, kind) && !strncasecmp(value + kind, want + kind, n - kind))
            return true;
    }
    return len == strlen(PAGE) && *scheme && !memcmp(value, PAGE, len);
}

/* What a head's lines say of whom it was sent to and where the page is from that sent it. */
struct parties {
    unsigned hosts, origins;
    bool foreign, folded; /* folded: some line goes on with another, so what its name and value are is the library's to say */
};

static void read_parties(struct parties *p, const char *line, size_t len)
{
    const char *host = value_of(line, len, "Host"), *origin = value_of(line, len, "Origin");
    p->hosts += host != NULL;
    p->origins += origin != NULL;
    p->foreign |= (host && !is_here(host, line + len, "")) || (origin && !is_here(origin, line + len, "http://"));
    p->folded |= *line == ' ' || *line == '\t';
}

static bool may_call(const struct parties *p)
{
    return p->folded || (p->hosts == 1 && p->origins <= 1 && !p->foreign);
}

struct head {
    bool token, sure; /* sure: where the next request begins is known */
    struct parties parties;
    const char *next;
};

/* To the library a line without a name in front of its colon ends the head too, if it is not the first header. */
static struct head read_head(const char *s, const char *end)
{
    struct head h = {.sure = true};
    size_t body = 0, lengths = 0, lines = 0;
    for (const char *next; s < end; s = next, lines++) {
        size_t n = line_len(s, end, &next);
        const char *value;
        if (!n || (*s == ':' && lines > 1)) { /* it was there whole */
            h.sure = h.sure && lengths < 2 && body <= (size_t)(end - next);
            h.next = h.sure ? next + body : next;
            return h;
        }
        if (lines) /* the first is the request's */
            read_parties(&h.parties, s, n);
        if ((value = value_of(s, n, "Authorization")))
            h.token |= is_bearer(value, end);
        if ((value = value_of(s, n, "Content-Length"))) {
            lengths++;
            char *behind = NULL;
            value += strspn(value, " \t");
            body = *value >= '0' && *value <= '9' ? strtoul(value, &behind, 10) : 0;
            h.sure = h.sure && body < 1 << 20 && *value >= '0' && *value <= '9' && behind == s + n;
        }
        h.sure = h.sure && !value_of(s, n, "Transfer-Encoding") && *s != ' ' && *s != '\t';
    }
    return (struct head){.token = h.token, .parties = h.parties, .next = end};
}

/* Where it is not known which line is a head's, each may be; so one Host has to be ours, and an Origin may be in another head. */
static struct head any_head(const char *s, const char *end)
{
    struct head h = {.parties.foreign = true, .next = s};
    for (const char *next; s < end; s = next) {
        size_t n = line_len(s, end, &next);
        const char *token = value_of(s, n, "Authorization"), *host = value_of(s, n, "Host");
        h.token |= token && is_bearer(token, end);
        h.parties.folded |= (host && is_here(host, s + n, "")) || *s == ' ' || *s == '\t';
    }
    return h;
}

/* ---------------------------------------------------------------- what comes back */

/* How many requests there are, if they end where the last one ends and one has the token; else 0. */
static int whole_requests(const char *s, const char *end)
{
    struct head h = {.sure = true};
    bool token = false;
    int n = 0;
    for (; s < end && h.sure && (s = skip_empty(s, end)) < end; s = h.next) {
        h = read_head(s, end);
        token |= h.token;
        n++;
    }
    return token && h.sure && s == end ? n : 0;
}

/* Milliseconds for the next piece of an answer, of which n bytes are here, to so many whole requests. */
static int patience(int whole, size_t n)
{
    return whole && !n ? SERVED_MS : whole > 1 ? QUIET_MS / 4 : PAUSE_MS;
}

/* What comes back until it is quiet, or closed: who has nothing more to say is gone, to the library. It is told so last, and only once it
 * has read what there was: both at once it would not notice, and every cut request would be waited for. */
static size_t talk(const char *bytes, size_t len, char *back, size_t room)
{
    auto_close int fd = reach();
    size_t n = 0;
    ssize_t got = 1;
    int whole = whole_requests(bytes, bytes + len);
    bool told = false;
    for (int tries = 0; fd < 0 && tries < 200; tries++, fd = reach())
        (void)usleep(10000); /* so many connections wait for their end that none is to be had just now */
    CLAIM(fd >= 0);
    (void)send(fd, bytes, len, MSG_NOSIGNAL);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (n < room && got > 0) {
        if (poll(&p, 1, told ? QUIET_MS : patience(whole, n)) > 0) {
            got = recv(fd, back + n, room - n, 0);
            n += got > 0 ? (size_t)got : 0;
            continue;
        }
        if (told)
            break;
        (void)shutdown(fd, SHUT_WR);
        told = true;
    }
    return n;
}

static int claim_status(const char *line, const char *end)
{
    static const int known[] = {100, 200, 202, 204, 400, 401, 403, 404, 405, 406, 408, 411, 413, 414, 415, 417, 429, 431, 500, 501, 503, 505};
    int status = end - line > 12 ? (int)strtol(line + 9, NULL, 10) : 0;
    bool found = false;
    for (size_t i = 0; i < COUNT(known); i++)
        found |= known[i] == status;
    CLAIM(found || !status);
    return status;
}

/* Behind one answer, or NULL where its length is not told. */
static const char *skip_answer(const char *s, const char *end, int status)
{
    bool bare = status == 100 || status == 204;
    size_t body = 0, told = bare;
    for (const char *next; s < end; s = next) {
        size_t n = line_len(s, end, &next);
        const char *value = value_of(s, n, "Content-Length");
        if (!n)
            return told && body <= (size_t)(end - next) ? next + body : NULL;
        if (value && !bare) {
            body = strtoul(value, NULL, 10);
            told = 1;
        }
    }
    return NULL;
}

/* What only those are told who were let in. (204 is for pages without a token too, which ask what they may send.) */
static bool is_for_callers(int status)
{
    return status == 200 || status == 202 || status == 404 || status == 405 || status == 406 || status == 415;
}

/* Requests are answered in their order: what is served is one whose own head says who asks. */
static void claim_answers(const char *back, size_t len, const char *asked, size_t n)
{
    const char *end = back + len, *request = asked, *last = asked + n;
    bool sure = true;
    for (const char *line = back; line && line < end && !strncmp(line, "HTTP/1.", 7);) {
        int status = claim_status(line, end);
        struct head h = {0};
        if (!sure)
            h = any_head(request, last);
        else if (status != 100)
            h = read_head(skip_empty(request, last), last);
        if (sure && status != 100) {
            sure = h.sure;
            request = h.next;
        }
        CLAIM(h.token || !is_for_callers(status));
        CLAIM(may_call(&h.parties) || !(is_for_callers(status) || status == 204));
        line = skip_answer(line, end, status);
    }
}

/* That a request with the token is served at all: else nothing here would be proved. */
static bool is_served(void)
{
    static const char asks[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
                               "\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}}";
    char request[1024], back[4096];
    int fd = reach();
    if (fd < 0)
        return false;
    (void)close(fd);
    int n = snprintf(request, sizeof request, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer " TOKEN "\r\nContent-Type: application/json\r\n"
                     "Accept: application/json, text/event-stream\r\nContent-Length: %zu\r\n\r\n%s", address, sizeof asks - 1, asks);
    size_t got = talk(request, (size_t)n, back, sizeof back);
    return got > 12 && !memcmp(back, "HTTP/1.1 200", 12);
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
    for (int tries = 0; !is_served(); tries++) {
        CLAIM(tries < 500);
        (void)usleep(10000);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static char bytes[32 * 1024], back[256 * 1024];
    size_t n = with_port(data, len, bytes, sizeof bytes - 1);
    size_t got = talk(bytes, n, back, sizeof back - 1);
    back[got] = '\0';
    CLAIM(!got || !strncmp(back, "HTTP/1.", 7));
    bytes[n] = '\0';
    claim_answers(back, got, bytes, n);
    CLAIM(!memmem(back, got, TOKEN, strlen(TOKEN)) || memmem(bytes, n, TOKEN, strlen(TOKEN)));
    return 0;
}
