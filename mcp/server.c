/* SPDX-License-Identifier: Apache-2.0 */
/* The server: which era a message belongs to, whether it may be said, and who answers it. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/json_read.h"
#include "core.h"

/* ---------------------------------------------------------------- life */

void server_lock(struct server *s)
{
    (void)pthread_mutex_lock(&s->lock);
}

void server_unlock(struct server *s)
{
    (void)pthread_mutex_unlock(&s->lock);
}

void server_tell(struct server *s)
{
    if (s->listeners)
        (void)pthread_cond_broadcast(&s->news);
}

bool server_wait(struct server *s, pthread_cond_t *cond, int64_t deadline)
{
    struct timespec until = {.tv_sec = deadline / 1000, .tv_nsec = deadline % 1000 * 1000000};
    s->listeners += cond == &s->news;
    bool told = pthread_cond_timedwait(cond, &s->lock, &until) != ETIMEDOUT;
    s->listeners -= cond == &s->news;
    return told;
}

static void cond_init(pthread_cond_t *c)
{
    pthread_condattr_t monotonic;
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(c, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
}

int server_new(fovea *f, const struct server_options *options, struct server **ret, struct fovea_fault *fault)
{
    struct server *s = calloc(1, sizeof *s);
    if (!s)
        return fault_oom(fault);
    s->f = f;
    s->options = *options;
    s->tools = tools_text_new(s);
    struct fovea_session_options base = {.name = options->session};
    int r = s->tools ? fovea_session_new(f, &base, &s->base, fault) : fault_oom(fault);
    if (r < 0) {
        free(s->tools);
        free(s);
        return r;
    }
    (void)pthread_mutex_init(&s->lock, NULL);
    cond_init(&s->work);
    cond_init(&s->news);
    cond_init(&s->tick);
    TAILQ_INIT(&s->turns);
    calls_start(s);
    *ret = s;
    return 0;
}

/* Until every accepted call was answered. */
static void drain(struct server *s, int drain_ms, bool (*gone)(void *arg), void *arg)
{
    int64_t deadline = clock_ms() + drain_ms;
    server_lock(s);
    while (s->accepted && clock_left(deadline)) {
        (void)server_wait(s, &s->news, MIN(deadline, clock_ms() + 50));
        server_unlock(s);
        bool left = gone && gone(arg);
        server_lock(s);
        if (left)
            break;
    }
    server_unlock(s);
}

static bool any(struct exchange *e, void *arg)
{
    (void)e;
    (void)arg;
    return true;
}

static bool goes_to(struct exchange *e, void *arg)
{
    return e->outlet == arg || e->outlet->to == arg;
}

static void cancel_those(struct server *s, bool (*look)(struct exchange *e, void *arg), void *arg)
{
    struct exchange *e;
    do {
        server_lock(s);
        e = calls_search(s, look, arg);
        if (e)
            (void)exchange_ref(e);
        server_unlock(s);
        if (e)
            calls_cancel(e);
        exchange_unref(e);
    } while (e);
}

bool server_free(struct server *s, int drain_ms, bool (*gone)(void *arg), void *arg)
{
    if (!s)
        return true;
    drain(s, drain_ms, gone, arg);
    if (s->options.extension && s->options.extension->end)
        s->options.extension->end();
    cancel_those(s, any, NULL);
    if (!calls_stop(s))
        return false;
    (void)pthread_cond_destroy(&s->work);
    (void)pthread_cond_destroy(&s->news);
    (void)pthread_cond_destroy(&s->tick);
    (void)pthread_mutex_destroy(&s->lock);
    fovea_session_free(s->base);
    free(s->tools);
    free(s);
    return true;
}

void server_hung_up(struct server *s, struct outlet *o)
{
    cancel_those(s, goes_to, o);
}

/* ---------------------------------------------------------------- which era, and is it well said */

static bool is_modern(struct client *c, const struct message *m, const struct headers *h)
{
    server_lock(c->server);
    bool goes_on = c->modern && c->revision == REVISION_NONE;
    server_unlock(c->server);
    if (goes_on && strcmp(m->method, "initialize") != 0)
        return true;
    if (json_object_get(m->meta, META "protocolVersion"))
        return true;
    if (h && h->version && !h->session && revision_find(h->version) == R2026_07_28)
        return true;
    return !strcmp(m->method, "server/discover");
}

/* Blanks around a header's value are not part of it; the transport takes off only those in front. */
static bool says(const char *header, const char *value)
{
    size_t n = strlen(value);
    return header && !strncmp(header, value, n) && !header[n + strspn(header + n, " \t")];
}

static int check_header(const char *header, const char *name, const char *value, struct rpc_error *error)
{
    if (says(header, value))
        return 0;
    return rpc_error_set(error, RPC_HEADERS, 400, "the header %s must say what the message says, \"%.80s\"", name, value);
}

/* The methods whose Mcp-Name must be there, and the parameter it repeats. */
static const char *named_by(const char *method)
{
    static const char *const rows[][2] = {
        {"tools/call", "name"}, {"prompts/get", "name"}, {"resources/read", "uri"}};
    for (size_t i = 0; i < COUNT(rows); i++)
        if (!strcmp(rows[i][0], method))
            return rows[i][1];
    return NULL;
}

static int check_headers(const struct message *m, const struct headers *h, struct rpc_error *error)
{
    const char *by = named_by(m->method), *name = by ? member_string(m->params, by) : NULL;
    int r = check_header(h->method, "Mcp-Method", m->method, error);
    return r || !name ? r : check_header(h->name, "Mcp-Name", name, error);
}

/* first, last: the revisions that would have done here. */
static int unsupported(const char *version, enum revision first, enum revision last, struct exchange *e, struct rpc_error *error)
{
    auto_json *names = json_array();
    int bad = 0;
    for (enum revision r = first; r <= last; r++)
        bad |= json_array_append_new(names, json_string(revision_name(r)));
    auto_json *data = bad ? NULL : json_pack("{s:O,s:s}", "supported", names, "requested", version);
    char *text = data ? json_text_new(data, JSON_COMPACT) : NULL;
    int r = rpc_error_set(error, RPC_VERSION, 400, "this server speaks %s%s%s here, not \"%.40s\"", revision_name(first),
                          first < last ? " to " : "", first < last ? revision_name(last) : "", version);
    e->error_data = text;
    error->data = text;
    return r;
}

/* Each request of the modern era says for itself what it is. */
static int check_modern(struct exchange *e, const struct headers *h, struct rpc_error *error)
{
    const struct message *m = &e->message;
    const char *version = member_string(m->meta, META "protocolVersion");
    e->revision = R2026_07_28;
    if (!version)
        return rpc_error_set(error, RPC_PARAMS, 400, "\"_meta\" must hold \"" META "protocolVersion\"");
    if (h && check_header(h->version, "MCP-Protocol-Version", version, error))
        return -EINVAL;
    if (revision_find(version) != R2026_07_28)
        return unsupported(version, R2026_07_28, R2026_07_28, e, error);
    if (!member(m->meta, META "clientCapabilities", JSON_OBJECT))
        return rpc_error_set(error, RPC_PARAMS, 400, "\"_meta\" must hold \"" META "clientCapabilities\", an object");
    server_lock(e->server);
    e->client->modern = true;
    server_unlock(e->server);
    return h ? check_headers(m, h, error) : 0;
}

/* Before initialize, stdio is not strict: somebody who tries a line by hand gets an answer. */
static int check_legacy(struct exchange *e, const struct headers *h, struct rpc_error *error)
{
    bool first = !strcmp(e->message.method, "initialize");
    server_lock(e->server);
    e->revision = e->client->revision ? e->client->revision : REVISION_LATEST_LEGACY;
    bool agreed = e->client->revision != REVISION_NONE;
    server_unlock(e->server);
    if (!h || first)
        return 0;
    if (h->version && !revision_find(h->version))
        return unsupported(h->version, R2024_11_05, agreed ? REVISION_LATEST_LEGACY : R2026_07_28, e, error);
    if (!agreed)
        return rpc_error_set(error, RPC_INVALID, 400, "no session: send initialize first and repeat its Mcp-Session-Id, "
                                                      "or name the protocol version in the header and in _meta");
    return 0;
}

/* ---------------------------------------------------------------- one message */

static enum served refuse(struct exchange *e, const struct rpc_error *error)
{
    exchange_error(e, error);
    return SERVED;
}

static int check_id(struct exchange *e, struct rpc_error *error)
{
    auto_exchange *twin = calls_find(e->client, e->message.id);
    return twin ? rpc_error_set(error, RPC_INVALID, 400, "this id belongs to a call that is not answered yet") : 0;
}

static enum served dispatch(struct exchange *e, const struct headers *h)
{
    struct rpc_error error;
    const struct message *m = &e->message;
    e->http = h != NULL;
    e->modern = is_modern(e->client, m, h);
    e->method = method_find(e->server, m->method, e->modern ? ERA_MODERN : ERA_LEGACY);
    if (e->modern ? check_modern(e, h, &error) : e->method && check_legacy(e, h, &error))
        return refuse(e, &error);
    if (!e->method) {
        (void)rpc_error_set(&error, RPC_NO_METHOD, 200, "there is no method \"%.80s\"", m->method);
        return refuse(e, &error);
    }
    if (check_id(e, &error))
        return refuse(e, &error);
    if (e->method->work)
        return exchange_queue(e, LOAD_WAIT, e->method->run);
    e->served = SERVED;
    e->method->run(e);
    return e->served;
}

enum served exchange_queue(struct exchange *e, enum tool_load load, void (*run)(struct exchange *e))
{
    struct rpc_error busy;
    e->served = SERVED;
    int r = calls_add(e, load, run, !e->http);
    if (!r)
        return SERVED;
    (void)rpc_error_set(&busy, RPC_INTERNAL, 503, "%s", r == -EAGAIN ? "too many calls wait already; try again in a moment"
                                                                     : "the server is ending");
    exchange_error(e, &busy);
    return e->served = SERVED_BUSY;
}

static void take_notification(struct client *c, const struct message *m)
{
    if (!strcmp(m->method, "notifications/cancelled")) {
        auto_exchange *e = calls_find(c, json_object_get(m->params, "requestId"));
        if (e)
            calls_cancel(e);
    } else if (!strcmp(m->method, "notifications/roots/list_changed")) {
        roots_changed(c);
    }
}

static enum served take_message(struct client *c, const struct headers *h, struct outlet *o,
                                json_t *root, size_t len)
{
    struct message m;
    struct rpc_error error;
    if (message_read(root, &m, &error)) {
        if (m.kind == MESSAGE_NOTIFICATION)
            return SERVED_NOTHING;
        answer_error(o, m.id, &error);
        return SERVED;
    }
    if (m.kind == MESSAGE_NOTIFICATION)
        take_notification(c, &m);
    else if (m.kind == MESSAGE_RESPONSE)
        asks_answered(c, &m);
    if (m.kind != MESSAGE_REQUEST)
        return SERVED_NOTHING;
    auto_exchange *e = exchange_new(c, o, root, &m);
    if (!e) {
        (void)rpc_error_set(&error, RPC_INTERNAL, 500, "out of memory");
        answer_error(o, m.id, &error);
        return SERVED;
    }
    e->bytes = len;
    return dispatch(e, h);
}

/* ---------------------------------------------------------------- batches */

static bool wants_answer(json_t *root)
{
    struct message m;
    struct rpc_error error;
    return message_read(root, &m, &error) ? m.kind != MESSAGE_NOTIFICATION : m.kind == MESSAGE_REQUEST;
}

static int check_batch(struct client *c, const json_t *root, struct rpc_error *error)
{
    size_t n = json_array_size(root);
    server_lock(c->server);
    enum revision agreed = c->revision;
    server_unlock(c->server);
    if (agreed != R2025_03_26)
        return rpc_error_set(error, RPC_INVALID, 400, "batches are not part of the protocol version in use; send one "
                                                      "message at a time");
    if (!n || n > LIMIT_MCP_BATCH)
        return rpc_error_set(error, RPC_INVALID, 400, "a batch holds 1 to %d messages, not %zu", LIMIT_MCP_BATCH, n);
    return 0;
}

/* One message of a batch. */
static void take_item(struct client *c, const struct headers *h, struct outlet *all, json_t *item, size_t len)
{
    const char *method = member_string(item, "method");
    struct rpc_error error;
    if (!method || strcmp(method, "initialize") != 0 || !wants_answer(item)) {
        (void)take_message(c, h, all, item, len);
        return;
    }
    (void)rpc_error_set(&error, RPC_INVALID, 400, "initialize stands by itself, not in a batch");
    answer_error(all, json_object_get(item, "id"), &error);
}

static enum served take_batch(struct client *c, const struct headers *h, struct outlet *o,
                              json_t *root, size_t len)
{
    struct rpc_error error;
    unsigned answers = 0;
    if (check_batch(c, root, &error)) {
        answer_error(o, NULL, &error);
        return SERVED;
    }
    for (size_t i = 0; i < json_array_size(root); i++)
        answers += wants_answer(json_array_get(root, i));
    struct outlet *all = answers ? batch_outlet_new(o, answers) : outlet_ref(o);
    if (!all) {
        (void)rpc_error_set(&error, RPC_INTERNAL, 500, "out of memory");
        answer_error(o, NULL, &error);
        return SERVED;
    }
    for (size_t i = 0; i < json_array_size(root); i++)
        take_item(c, h, all, json_array_get(root, i), len / json_array_size(root));
    outlet_unref(all);
    return answers ? SERVED : SERVED_NOTHING;
}

enum served server_receive(struct server *s, struct client *c, const struct headers *headers, struct outlet *o,
                           const char *text, size_t len)
{
    struct rpc_error error;
    json_t *broken_id;
    assert(c->server == s);
    auto_json *root = message_load(text, len, &broken_id, &error);
    auto_json *id = broken_id;
    if (!root) {
        answer_error(o, id, &error);
        return SERVED;
    }
    return json_is_array(root) ? take_batch(c, headers, o, root, len) : take_message(c, headers, o, root, len);
}
