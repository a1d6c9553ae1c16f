/* SPDX-License-Identifier: Apache-2.0 */
/* One request and its answer: see exchange.h. Everything that goes out passes send_message, under the exchange's lock,
 * so that nothing follows the answer and a cancelled call stays silent. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/json_text.h"
#include "core.h"

static const char *const revisions[] = {
    [R2024_11_05] = "2024-11-05", [R2025_03_26] = "2025-03-26",   [R2025_06_18] = "2025-06-18",
    [R2025_11_25] = "2025-11-25", [R2026_07_28] = REVISION_MODERN,
};

const char *revision_name(enum revision r)
{
    return revisions[r];
}

enum revision revision_find(const char *name)
{
    for (size_t i = R2024_11_05; name && i < COUNT(revisions); i++)
        if (!strcmp(revisions[i], name))
            return (enum revision)i;
    return REVISION_NONE;
}

/* ---------------------------------------------------------------- life */

struct exchange *exchange_new(struct client *c, struct outlet *o, json_t *root, const struct message *m)
{
    struct exchange *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    atomic_init(&e->refs, 1);
    (void)pthread_mutex_init(&e->lock, NULL);
    e->progress = -1;
    e->server = c->server;
    e->client = client_ref(c);
    e->outlet = outlet_ref(o);
    e->root = json_incref(root);
    server_lock(c->server);
    e->capabilities = json_incref(c->capabilities);
    server_unlock(c->server);
    e->message = *m;
    return e;
}

struct exchange *exchange_ref(struct exchange *e)
{
    atomic_fetch_add(&e->refs, 1);
    return e;
}

void exchange_unref(struct exchange *e)
{
    if (!e || atomic_fetch_sub(&e->refs, 1) != 1)
        return;
    exchange_close(e);
    outlet_unref(e->outlet);
    client_unref(e->client);
    json_decref(e->root);
    json_decref(e->capabilities);
    free(e->error_data);
    (void)pthread_mutex_destroy(&e->lock);
    free(e);
}

void exchange_close(struct exchange *e)
{
    if (atomic_exchange(&e->closed, true))
        return;
    e->outlet->kind->end(e->outlet);
    calls_leave(e);
}

bool exchange_cancelled(struct exchange *e)
{
    return atomic_load(&e->cancelled);
}

/* ---------------------------------------------------------------- sending */

enum { LAST_WORDS = 6 * LIMIT_MCP_ID + 128 }; /* an error without memory, around an id all of whose bytes are escaped */

int buf_add_id(struct buf *b, const json_t *id)
{
    if (json_is_integer(id))
        return buf_add_format(b, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
    return buf_add_json(b, json_string_value(id), json_string_length(id));
}

static void add_head(struct buf *b, const json_t *id)
{
    (void)buf_add_str(b, "{\"jsonrpc\":\"2.0\"");
    if (!id)
        return;
    (void)buf_add_str(b, ",\"id\":");
    (void)buf_add_id(b, id);
}

static void add_error(struct buf *b, const json_t *id, const struct rpc_error *error)
{
    add_head(b, id);
    (void)buf_add_format(b, ",\"error\":{\"code\":%d,\"message\":", error->code);
    (void)buf_add_json_str(b, error->text);
    if (error->data)
        (void)buf_add_format(b, ",\"data\":%s", error->data);
    (void)buf_add_str(b, "}}");
}

/* The same without memory: whoever waits is owed an answer. An id fits, whatever its characters. */
static const struct buf *last_words(char *room, size_t size, const json_t *id, struct buf *ret)
{
    static const char head[] = "{\"jsonrpc\":\"2.0\"", tail[] = ",\"error\":{\"code\":-32603,\"message\":\"out of memory\"}}";
    size_t at = (size_t)snprintf(room, size, "%s", head);
    if (json_is_integer(id))
        at += (size_t)snprintf(room + at, size - at, ",\"id\":%" JSON_INTEGER_FORMAT, json_integer_value(id));
    else if (id)
        at += (size_t)snprintf(room + at, size - at, ",\"id\":\"");
    for (size_t i = 0; json_is_string(id) && i < json_string_length(id); i++) {
        unsigned char c = (unsigned char)json_string_value(id)[i];
        bool plain = c >= 0x20 && c != '"' && c != '\\';
        at += (size_t)snprintf(room + at, size - at, plain ? "%c" : "\\u%04x", c);
    }
    at += (size_t)snprintf(room + at, size - at, "%s%s", json_is_string(id) ? "\"" : "", tail);
    *ret = (struct buf){.data = room, .len = at};
    return ret;
}

/* With the exchange's lock held. */
static void send_locked(struct exchange *e, const char *text, size_t len, bool last, int http)
{
    static const struct rpc_error full = {.code = RPC_INTERNAL, .text = "the answers of the batch are too long for one "
                                                                        "message; send this call by itself"};
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    bool silent = e->done || exchange_cancelled(e);
    e->done |= last;
    if (silent || e->outlet->kind->send(e->outlet, text, len, last, http) || !last)
        return;
    add_error(&b, e->message.id, &full);
    if (!b.error)
        (void)e->outlet->kind->send(e->outlet, b.data, b.len, last, http);
}

/* An answer that did not fit its buffer still has to be one; it goes the same way, because an outlet ends once. */
static void send_message(struct exchange *e, const struct buf *b, bool last, int http)
{
    static const struct rpc_error error = {.code = RPC_INTERNAL, .text = "out of memory, or the answer is too long"};
    auto_buf lost = BUF_INIT(LIMIT_MCP_REPLY);
    struct buf least;
    char room[LAST_WORDS];
    if (b->error && last) {
        add_error(&lost, e->message.id, &error);
        b = lost.error ? last_words(room, sizeof room, e->message.id, &least) : &lost;
        http = 500;
    }
    if (last)
        calls_leave(e); /* whoever has the answer may use the id again */
    (void)pthread_mutex_lock(&e->lock);
    if (!b->error)
        send_locked(e, b->data, b->len, last, http);
    (void)pthread_mutex_unlock(&e->lock);
    if (last)
        exchange_close(e);
}

void exchange_send(struct exchange *e, const struct buf *message)
{
    send_message(e, message, false, 200);
}

/* Who we are, in every modern result. */
#define SERVER_META                                                                                                   \
    "\"_meta\":{\"" META "serverInfo\":{\"name\":\"fovea\",\"version\":\"" FOVEA_VERSION "\"}}"

static void begin(const struct exchange *e, struct buf *b, const char *type)
{
    add_head(b, e->message.id);
    (void)buf_add_str(b, ",\"result\":{");
    if (e->modern)
        (void)buf_add_format(b, "\"resultType\":\"%s\"," SERVER_META, type);
}

void exchange_begin(const struct exchange *e, struct buf *b)
{
    begin(e, b, "complete");
    if (e->modern)
        (void)buf_add_str(b, ",");
}

void exchange_finish(struct exchange *e, struct buf *b)
{
    (void)buf_add_str(b, "}}");
    send_message(e, b, true, 200);
}

void exchange_result_of(struct exchange *e, const char *type, const char *members)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    begin(e, &b, type ? type : "complete");
    (void)buf_add_format(&b, "%s%s", e->modern && *members ? "," : "", members);
    exchange_finish(e, &b);
}

void exchange_result(struct exchange *e, const char *members)
{
    exchange_result_of(e, NULL, members);
}

void exchange_error(struct exchange *e, const struct rpc_error *error)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    int http = error->http ? error->http : 200;
    add_error(&b, e->message.id, error);
    send_message(e, &b, true, e->modern && error->code == RPC_NO_METHOD ? 404 : http);
}

void exchange_fail(struct exchange *e, enum rpc_code code, const char *format, ...)
{
    struct rpc_error error = {.code = code};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(error.text, sizeof error.text, format, args);
    va_end(args);
    exchange_error(e, &error);
}

void exchange_note(struct exchange *e, const char *method, const char *params)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    (void)buf_add_format(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":%s}", method, params);
    send_message(e, &b, false, 200);
}

/* Judged and sent in one go, so that values come out in the order in which they grow. below 0: one more than before. */
static void send_progress(struct exchange *e, double progress, double total)
{
    const json_t *token = json_object_get(e->message.meta, "progressToken");
    auto_buf b = BUF_INIT(KIB * 64);
    if (!json_is_string(token) && !json_is_integer(token))
        return;
    (void)pthread_mutex_lock(&e->lock);
    if (progress < 0)
        progress = e->progress + 1;
    (void)buf_add_str(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":");
    (void)buf_add_id(&b, token);
    (void)buf_add_str(&b, ",\"progress\":");
    (void)buf_add_rounded(&b, progress, REAL_SURE_DIGITS);
    if (total >= 0) {
        (void)buf_add_str(&b, ",\"total\":");
        (void)buf_add_rounded(&b, total, REAL_SURE_DIGITS);
    }
    if (e->doing && e->revision >= R2025_03_26)
        (void)buf_add_format(&b, ",\"message\":\"%s\"", e->doing);
    (void)buf_add_str(&b, "}}");
    if (!b.error && progress > e->progress) {
        e->progress = progress;
        send_locked(e, b.data, b.len, false, 200);
    }
    (void)pthread_mutex_unlock(&e->lock);
}

void exchange_progress(struct exchange *e, double progress, double total)
{
    send_progress(e, MAX(progress, 0), total);
}

void exchange_tick(struct exchange *e)
{
    send_progress(e, -1, -1);
}

void answer_error(struct outlet *o, const json_t *id, const struct rpc_error *error)
{
    auto_buf b = BUF_INIT(LIMIT_MCP_REPLY);
    struct buf least;
    char room[LAST_WORDS];
    add_error(&b, id, error);
    const struct buf *words = b.error ? last_words(room, sizeof room, id, &least) : &b;
    (void)o->kind->send(o, words->data, words->len, true, b.error ? 500 : error->http ? error->http : 200);
    o->kind->end(o);
}

json_t *exchange_capability(const struct exchange *e, const char *name)
{
    const json_t *all = e->capabilities;
    if (e->modern)
        all = json_object_get(e->message.meta, META "clientCapabilities");
    return json_object_get(all, name);
}
