/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines to the MCP server, any bytes: each answer is one JSON-RPC message, every request that can be read is answered once, and nothing
 * else is. The tool here answers at once, so that nothing hangs on clocks or files.
 * about: mcp/server.c mcp/message.c mcp/methods.c mcp/exchange.c mcp/calls.c mcp/batch.c mcp/client.c
 */
#include "fuzz.h"

#include <pthread.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "mcp/core.h"
#include "tree.h"

static bool has(const char *tool)
{
    return !strcmp(tool, "echo");
}

static bool call(struct exchange *e, const char *tool, json_t *arguments)
{
    (void)arguments;
    if (!has(tool))
        return false;
    exchange_result(e, "\"content\":[]");
    return true;
}

static const struct extension echo = {
    .capabilities = {"\"tools\":{}", "\"tools\":{}"}, .tools = "{\"name\":\"echo\"}", .call = call, .has = has};

/* An outlet that checks what it is given. */
struct taken {
    struct outlet outlet;
    pthread_mutex_t lock;
    size_t answers;
};

static void claim_message(struct taken *t, const json_t *m)
{
    const json_t *version = json_object_get(m, "jsonrpc");
    CLAIM(json_is_string(version) && !strcmp(json_string_value(version), "2.0"));
    bool result = json_object_get(m, "result"), error = json_object_get(m, "error");
    if (json_object_get(m, "method"))
        return;
    CLAIM(result != error);
    if (error)
        CLAIM(json_is_integer(json_object_get(json_object_get(m, "error"), "code")) &&
              json_is_string(json_object_get(json_object_get(m, "error"), "message")));
    t->answers++;
}

static bool taken_send(struct outlet *o, const char *text, size_t len, bool last, int http)
{
    struct taken *t = (struct taken *)o;
    (void)last;
    (void)http;
    json_t *m = json_loadb(text, len, JSON_ALLOW_NUL, NULL), *one;
    size_t i;
    CLAIM(m && !memchr(text, '\n', len));
    (void)pthread_mutex_lock(&t->lock);
    if (json_is_array(m))
        json_array_foreach(m, i, one)
            claim_message(t, one);
    else
        claim_message(t, m);
    (void)pthread_mutex_unlock(&t->lock);
    json_decref(m);
    return true;
}

static void taken_end(struct outlet *o)
{
    (void)o;
}

static void taken_free(struct outlet *o)
{
    free(o);
}

static const struct outlet_kind taken_kind = {taken_send, taken_end, taken_free};
static fovea *library;
static struct server *server;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const struct server_options options = {.extension = &echo};
    struct fovea_options quiet = {.config_file = ""};
    struct fovea_fault fault = {0};
    (void)argc;
    (void)argv;
    /* Where a tool would look, there is nothing. */
    static struct tree tree;
    CLAIM(tree_init(&tree, "-") == 0);
    quiet.cwd = tree.top;
    CLAIM(fovea_new(&quiet, &library, &fault) == 0 && server_new(library, &options, &server, &fault) == 0);
    tree_done(&tree);
    return 0;
}

/* Only what the tool here does: the library's own tools would open files and start workers. */
static bool is_own_tool(const char *line)
{
    return strstr(line, "tools/call") && !strstr(line, "\"echo\"");
}

/* Until its calls are off the list and as many answers have come; a call leaves the list just before it is answered. */
static void wait_for(struct client *c, struct taken *t, size_t answers)
{
    for (int64_t deadline = clock_ms() + 15000;;) {
        server_lock(server);
        unsigned n = c->n_flight;
        server_unlock(server);
        (void)pthread_mutex_lock(&t->lock);
        bool all = t->answers >= answers;
        (void)pthread_mutex_unlock(&t->lock);
        if (!n && all)
            return;
        CLAIM(clock_left(deadline) > 0);
        (void)usleep(50);
    }
}

/* Requests in a line that must be answered: 1, or as many as a batch has, or an error. */
static size_t at_most(const json_t *root)
{
    return json_is_array(root) ? json_array_size(root) + 1 : 1;
}

static void give(struct client *c, struct taken *t, const char *line)
{
    size_t before = t->answers;
    struct rpc_error error = {0};
    struct message m = {0};
    auto_json *id = NULL;
    auto_json *root = message_load(line, strlen(line), &id, &error);
    bool single = root && !json_is_array(root) && message_read(root, &m, &error) == 0;
    size_t want = !root || (single && m.kind == MESSAGE_REQUEST) ? 1 : 0;
    enum served s = server_receive(server, c, NULL, &t->outlet, line, strlen(line));
    wait_for(c, t, before + want);
    (void)pthread_mutex_lock(&t->lock);
    size_t answers = t->answers - before;
    (void)pthread_mutex_unlock(&t->lock);
    CLAIM(s == SERVED_NOTHING ? answers == 0 : answers <= at_most(root));
    if (!root || single)
        CLAIM(answers == want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    auto_free char *text = feed_text(&f);
    struct taken *t = calloc(1, sizeof *t);
    struct client *c = client_new(server);
    CLAIM(t && c);
    t->outlet.kind = &taken_kind;
    atomic_init(&t->outlet.refs, 1);
    (void)pthread_mutex_init(&t->lock, NULL);
    for (char *save = NULL, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (!is_own_tool(line))
            give(c, t, line);
    client_free(c);
    outlet_unref(&t->outlet);
    return 0;
}
