/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenes of the MCP server: handed messages from inside, over stdin and stdout, and over HTTP. Every request gets one answer, the right
 * one or an error, unless the connection itself is gone.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "inject.h"
#include "mcp/mcp.h"
#include "mcp/server.h"
#include "scenes.h"

/* A machine may be busy. Who is to be silent because something fails is waited for shortly: many plays do. */
enum { ANSWER_MS = 20000, SILENCE_MS = 2000, TEXT_ROOM = 1 << 18 };

#define CALL(id, tool, arguments) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool "\",\"arguments\":" arguments ",\"_meta\":{\"progressToken\":1}}}"
static const struct {
    const char *text;
    const char *headers; /* over HTTP; NULL: those of the session */
} talk[] = {
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"clientInfo\":{\"name\":\"lab\",\"version\":\"1\"},\"capabilities\":{}}}", NULL},
    {"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}", NULL},
    {CALL("3", "read", "{\"path\":\"fixtures/good.tsv\",\"limit\":3}"), NULL},
    {CALL("4", "view", "{\"path\":\"fixtures/good/png-rgb-8.png\"}"), NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"five\",\"method\":\"ping\"}", NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"server/discover\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
     "\"io.modelcontextprotocol/clientCapabilities\":{}}}}", "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n"},
};

static fovea *context;

static int setup_context(void)
{
    const char *reach[] = {build_folder(), NULL};
    struct fovea_options o = {.cwd = build_folder(), .reach = reach, .config_file = "", .worker_dir = build_folder()};
    return fovea_new(&o, &context, NULL);
}

static void teardown_context(void)
{
    fovea_free(context);
    context = NULL;
}

/* ---------------------------------------------------------------- answers, whatever their order */

/* Whether the initialize of this run was answered: without that, all that follows is as wrong as is said of it. */
static bool greeted;

/* Which request an answer is of; ANSWERS: it does not say. */
static size_t place_of(const char *line)
{
    const char *id = strstr(line, "\"id\":");
    if (!id)
        return ANSWERS;
    id += strlen("\"id\":");
    return *id == '"' ? 5 : *id >= '0' && *id <= '9' ? (size_t)strtol(id, NULL, 10) : ANSWERS;
}

/* Of the codes of JSON-RPC one alone does not blame the request. */
static void tell_error(struct outcome *o, const char *line, size_t place)
{
    const char *text = strstr(line, "\"text\":\"");
    bool blames = strstr(line, "\"error\":") && !strstr(line, "\"code\":-32603") && (greeted || place == 1);
    if (text)
        tell_reasoned(o, text + strlen("\"text\":\""));
    else
        tell_refusal(o, blames ? "invalid_input" : "", line);
}

/* Ids of views are made anew each time, and signs of life come when they come. Without memory to read a message its id may not be
 * known: the error then goes without. */
static void tell_line(struct outcome *o, char *line, int *answers)
{
    struct outcome one = {0};
    size_t place = place_of(line);
    if ((!strstr(line, "\"id\":") && !strstr(line, "\"error\":")) || strstr(line, "\"method\":"))
        return;
    for (char *p = line; (p = strstr(p, "view:"));)
        for (p += 5; *p && strchr("0123456789abcdef", *p); p++)
            *p = '.';
    one.now.refused = strstr(line, "\"error\":") || strstr(line, "\"isError\":true");
    if (one.now.refused)
        tell_error(o, line, place);
    greeted = greeted || (place == 1 && !one.now.refused);
    tell_bytes(&one, line, strlen(line));
    o->hash += one.hash;
    o->bytes += one.bytes;
    tell_answer_at(o, place, &one.now);
    ++*answers;
}

static void tell_lines(struct outcome *o, char *text, int *answers)
{
    for (char *save = NULL, *line = strtok_r(text, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save))
        tell_line(o, line, answers);
}

static void lost(struct outcome *o, int answers)
{
    fprintf(stderr, "%d answers\n", answers);
    o->code = -ETIMEDOUT;
    o->words[0] = '\0';
}

/* ---------------------------------------------------------------- from inside */

static struct heard {
    struct outlet outlet;
    atomic_int answers, ends;
    size_t len;
    char text[TEXT_ROOM];
} heard[COUNT(talk)];

static bool hear(struct outlet *o, const char *text, size_t len, bool last, int http)
{
    struct heard *h = (struct heard *)o;
    (void)http;
    if (last && len < sizeof h->text - 1) {
        memcpy(h->text, text, len);
        h->text[len] = '\0';
        h->answers++;
    }
    return true;
}

static void hear_end(struct outlet *o)
{
    ((struct heard *)o)->ends++;
}

static void hear_free(struct outlet *o)
{
    (void)o;
}

static const struct outlet_kind hearing = {hear, hear_end, hear_free};

static void say(struct server *s, struct client *c, size_t i, struct outcome *o, int *answers)
{
    struct heard *h = &heard[i];
    int64_t deadline = clock_ms() + ANSWER_MS;
    h->outlet = (struct outlet){.kind = &hearing, .refs = 1};
    h->answers = h->ends = 0;
    bool wants = server_receive(s, c, NULL, &h->outlet, talk[i].text, strlen(talk[i].text)) != SERVED_NOTHING;
    while (wants && !h->answers && !h->ends && clock_left(deadline))
        (void)usleep(200);
    if (wants && !h->answers)
        lost(o, *answers);
    else if (wants)
        tell_line(o, h->text, answers);
}

static void run_mcp(struct outcome *o)
{
    static const struct server_options options = {0};
    struct fovea_fault fault = {0};
    struct server *s = NULL;
    greeted = false;
    int answers = 0, r = server_new(context, &options, &s, &fault);
    tell_fault(o, r, &fault);
    if (r < 0)
        return;
    struct client *c = client_new(s);
    if (!c)
        tell_str(o, NULL);
    for (size_t i = 0; c && i < COUNT(talk) && o->code == 0; i++)
        say(s, c, i, o, &answers);
    client_free(c);
    if (!server_free(s, ANSWER_MS, NULL, NULL))
        lost(o, answers);
}

const struct scene scene_mcp = {"mcp", setup_context, run_mcp, NULL, teardown_context, SCENE_USUAL};

/* ---------------------------------------------------------------- stdin and stdout */

static int old_in = -1, old_out = -1;

static int setup_stdio(void)
{
    char text[4096] = "";
    size_t len = 0;
    for (size_t i = 0; i < COUNT(talk); i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s\n", talk[i].text);
    old_in = dup(0);
    old_out = dup(1);
    return !fresh_folder() || put_file("in", text) < 0 ? -1 : setup_context();
}

static void teardown_stdio(void)
{
    teardown_context();
    close_fd(old_in);
    close_fd(old_out);
    drop_folder();
}

static void swap(const char *name, int flags, int to)
{
    auto_close int fd = open(in_folder(name), flags | O_CLOEXEC, 0600);
    (void)dup2(fd, to);
}

/* A file at stdin ends by itself; only where nothing of the system failed must every answer be there. */
static void run_stdio(struct outcome *o)
{
    static char text[TEXT_ROOM];
    struct fovea_fault fault = {0};
    sigset_t before;
    int answers = 0;
    greeted = false;
    (void)pthread_sigmask(SIG_BLOCK, NULL, &before);
    bool ready = inject_pause();
    swap("in", O_RDONLY, 0);
    swap("out", O_RDWR | O_CREAT | O_TRUNC, 1);
    inject_resume(ready);
    int r = mcp_serve(context, &(struct mcp_options){0}, &fault);
    (void)inject_pause();
    ssize_t n = -1;
    auto_close int fd = open(in_folder("out"), O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    text[MAX(n, 0)] = '\0';
    (void)dup2(old_in, 0);
    (void)dup2(old_out, 1);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    tell_lines(o, text, &answers);
    tell_fault(o, r, &fault);
    if (r == 0 && answers < (int)COUNT(talk) - 1 && inject_kind() != INJECT_ALLOC && inject_kind() != INJECT_NONE) {
        o->code = -EPIPE;
        (void)snprintf(o->words, sizeof o->words, "the connection ended after %d answers", answers);
    } else if (r == 0 && answers < (int)COUNT(talk) - 1) {
        lost(o, answers);
    }
}

const struct scene scene_mcp_stdio = {"mcp_stdio", setup_stdio, run_stdio, NULL, teardown_stdio, SCENE_USUAL};

/* ---------------------------------------------------------------- HTTP */

static struct {
    int port;
    int patience; /* in ms */
    pthread_t thread;
    atomic_int turn;  /* how many conversations were asked for */
    atomic_int heard; /* and had */
    atomic_bool over, down;
    struct outcome told;
    int answers;
} web;

static int dial(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)web.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int64_t deadline = clock_ms() + web.patience;
    while (!web.down && clock_left(deadline)) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
            return fd;
        close_fd(fd);
        (void)usleep(2000);
    }
    return -1;
}

/* One request over a connection of its own; the answer's bytes, up to where the other side closes. */
static size_t post(const char *body, const char *session, char *to, size_t room)
{
    char head[512];
    size_t len = 0;
    auto_close int fd = dial();
    if (fd < 0)
        return 0;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){web.patience / 1000, 0}, sizeof(struct timeval));
    int n = snprintf(head, sizeof head, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nAccept: application/json, "
                     "text/event-stream\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n", web.port, session, strlen(body));
    if (send(fd, head, (size_t)n, MSG_NOSIGNAL) != n || send(fd, body, strlen(body), MSG_NOSIGNAL) < 0)
        return 0;
    for (ssize_t got; len < room - 1 && (got = recv(fd, to + len, room - 1 - len, 0)) > 0;)
        len += (size_t)got;
    to[len] = '\0';
    return len;
}

static void converse(void)
{
    static char text[TEXT_ROOM];
    char session[256] = "";
    for (size_t i = 0, silent = 0; i < COUNT(talk) && !web.down && silent < 3; i++) { /* each silence lasts for seconds */
        if (!post(talk[i].text, talk[i].headers ? talk[i].headers : session, text, sizeof text)) {
            silent++;
            continue;
        }
        const char *id = strcasestr(text, "\nmcp-session-id:");
        if (i == 0 && id)
            (void)snprintf(session, sizeof session, "%.*s\r\n", (int)strcspn(id + 1, "\r"), id + 1);
        int status = strlen(text) > 12 ? (int)strtol(text + 9, NULL, 10) : 0;
        if (status >= 400)
            tell_refusal(&web.told, status < 500 && (greeted || i == 0) ? "invalid_input" : "", text);
        tell_lines(&web.told, text, &web.answers);
    }
}

static void *browse(void *arg)
{
    inject_exempt(true);
    for (int had = 0; !web.over;) {
        if (web.turn == had) {
            (void)usleep(500);
            continue;
        }
        web.told = (struct outcome){0};
        web.answers = 0;
        greeted = false;
        converse();
        (void)kill(getpid(), SIGTERM); /* before it is heard: run_http takes it away then */
        web.heard = ++had;
    }
    return arg;
}

static int free_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    auto_close int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return bind(fd, (struct sockaddr *)&a, len) || getsockname(fd, (struct sockaddr *)&a, &len) ? -1 : ntohs(a.sin_port);
}

static void block_term(int how)
{
    sigset_t term;
    (void)sigemptyset(&term);
    (void)sigaddset(&term, SIGTERM);
    (void)pthread_sigmask(how, &term, NULL);
}

static int setup_http(void)
{
    block_term(SIG_BLOCK);
    web.turn = web.heard = 0;
    web.over = false;
    return pthread_create(&web.thread, NULL, browse, NULL) ? -1 : setup_context();
}

static void teardown_http(void)
{
    web.over = true;
    (void)pthread_join(web.thread, NULL);
    teardown_context();
    block_term(SIG_UNBLOCK);
}

static void run_http(struct outcome *o)
{
    char address[32];
    struct fovea_fault fault = {0};
    sigset_t term;
    (void)sigemptyset(&term);
    (void)sigaddset(&term, SIGTERM);
    bool paused = inject_pause();
    web.port = free_port(); /* connections of the last one may linger at its port */
    inject_resume(paused);
    (void)snprintf(address, sizeof address, "127.0.0.1:%d", web.port);
    web.down = false;
    web.patience = inject_kind() == INJECT_NONE ? ANSWER_MS : SILENCE_MS;
    int turn = ++web.turn;
    int r = mcp_serve(context, &(struct mcp_options){.http = address, .no_token = true}, &fault);
    web.down = true;
    (void)inject_pause();
    while (web.heard < turn)
        (void)usleep(500);
    (void)sigtimedwait(&term, NULL, &(struct timespec){1, 0});
    *o = web.told;
    tell_fault(o, r, &fault);
    if (r == 0 && web.answers < (int)COUNT(talk) - 1) {
        o->code = -EPIPE;
        (void)snprintf(o->words, sizeof o->words, "connections ended; %d answers", web.answers);
    }
}

const struct scene scene_mcp_http = {"mcp_http", setup_http, run_http, NULL, teardown_http, SCENE_USUAL};
