/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One HTTP request: see http_request.h. The library calls request_answer first with the headers alone, then with each
 * piece of the body, then once more, and again whenever the connection was woken; what was reached is in struct request.
 */
#include "http_request.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "http_outlet.h"
#include "message.h"

static const char *or_empty(const char *s)
{
    return s ? s : "";
}

/* What lets a page of another origin read the answer; nobody else gets it. */
static void allow_foreign(const struct request *r, struct MHD_Response *response)
{
    if (!r->foreign)
        return;
    (void)MHD_add_response_header(response, "Access-Control-Allow-Origin", r->foreign);
    (void)MHD_add_response_header(response, "Vary", "Origin");
    if (!r->preflight) {
        (void)MHD_add_response_header(response, "Access-Control-Expose-Headers", "Mcp-Session-Id");
        return;
    }
    (void)MHD_add_response_header(response, "Access-Control-Allow-Methods", "POST, DELETE");
    (void)MHD_add_response_header(response, "Access-Control-Allow-Headers",
                                  "content-type, authorization, mcp-session-id, mcp-protocol-version, mcp-method, "
                                  "mcp-name, last-event-id");
    (void)MHD_add_response_header(response, "Access-Control-Max-Age", "600");
}

/* Queues and drops the response; MHD_NO (which closes the connection) when there is none. */
static enum MHD_Result queue(const struct request *r, struct MHD_Connection *connection, int status,
                             struct MHD_Response *response)
{
    if (!response)
        return MHD_NO;
    allow_foreign(r, response);
    (void)MHD_add_response_header(response, "Cache-Control", "no-store");
    (void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (status == 503)
        (void)MHD_add_response_header(response, "Retry-After", "1");
    enum MHD_Result queued = MHD_queue_response(connection, (unsigned)status, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result refuse(const struct request *r, struct MHD_Connection *connection, const struct refusal *no)
{
    char text[320];
    int code = no->status == 503 ? RPC_INTERNAL : RPC_INVALID;
    int n = snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":%d,\"message\":\"%s\"}}", code, no->text);
    struct MHD_Response *response = MHD_create_response_from_buffer((size_t)n, text, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    (void)MHD_add_response_header(response, "Content-Type", "application/json");
    if (no->header)
        (void)MHD_add_response_header(response, no->header, no->value);
    return queue(r, connection, no->status, response);
}

static enum MHD_Result answer_empty(const struct request *r, struct MHD_Connection *connection, int status)
{
    return queue(r, connection, status, MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT));
}

static struct conn *conn_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* A small body is read although it is refused: closing on it would cost the client its connection, and maybe the
 * answer. */
static bool worth_reading(const struct seen_headers *h)
{
    char *end;
    return !h->encoding && (!h->length || strtoull(h->length, &end, 10) <= LIMIT_HTTP_SKIP);
}

static size_t header_size(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

static enum MHD_Result begin(struct http *h, struct MHD_Connection *connection, const char *url, const char *method,
                             void **ret)
{
    struct conn *conn = conn_of(connection);
    if (!conn || conn_is_cut(conn))
        return MHD_NO;
    struct request *r = calloc(1, sizeof *r);
    if (!r)
        return MHD_NO;
    *ret = r;
    TAILQ_INSERT_TAIL(&h->requests, r, all);
    r->conn = conn;
    r->body.ceiling = LIMIT_MCP_LINE + 1;
    headers_read(connection, &r->headers);
    r->used = r->headers.encoding ? 0 : header_size(connection);
    r->refusal = request_admit(h, r, url, method);
    if (r->refusal && (r->refusal->now || !worth_reading(&r->headers)))
        return refuse(r, connection, r->refusal);
    if (r->preflight)
        return answer_empty(r, connection, MHD_HTTP_NO_CONTENT);
    conn_begin(conn, !r->refusal);
    return MHD_YES;
}

static void drop_body(struct http *h, struct request *r)
{
    h->bodies -= r->body.len;
    buf_done(&r->body);
    r->body = (struct buf){0};
}

/* Room for more of r's body. When there is none, the body that has been coming in for longest goes, of those that have
 * more than an equal share: whoever fills the room and trickles keeps nobody out. */
static bool make_room(struct http *h, const struct request *r, size_t len)
{
    struct request *other = TAILQ_FIRST(&h->requests);
    for (; other && h->bodies + len > LIMIT_HTTP_BODIES; other = TAILQ_NEXT(other, all))
        if (other != r && other->body.len >= LIMIT_HTTP_BODIES / LIMIT_HTTP_CONNECTIONS) {
            conn_cut(other->conn, 503);
            drop_body(h, other);
        }
    return h->bodies + len <= LIMIT_HTTP_BODIES;
}

/* Pieces of a request that was cut are swallowed, so that its sender reads why. */
static enum MHD_Result take_body(struct http *h, struct request *r, const char *data, size_t *size)
{
    size_t len = *size;
    *size = 0;
    conn_body(r->conn, len);
    r->used += r->used ? len : 0;
    if (r->refusal || r->ends_session)
        return MHD_YES;
    if (conn_is_cut(r->conn)) {
        drop_body(h, r);
        return MHD_YES;
    }
    if (r->body.len + len > LIMIT_MCP_LINE)
        conn_cut(r->conn, 413);
    else if (!make_room(h, r, len) || buf_add(&r->body, data, len) < 0)
        conn_cut(r->conn, 503);
    else
        h->bodies += len;
    return MHD_YES;
}

/* After initialize the client is a session's; otherwise it is gone with this request. An answer without the session that
 * it promises would be a lie, so then there is another. */
static void keep_client(struct http *h, struct request *r)
{
    if (r->session || !client_initialized(r->client))
        return;
    r->session = sessions_add(&h->sessions, r->client);
    if (!r->session) {
        r->refusal = &refused_server;
        return;
    }
    r->client = NULL;
    r->new_session = true;
}

static bool make_ready(struct http *h, struct request *r, struct MHD_Connection *connection)
{
    if (!r->session && !(r->client = client_new(h->server)))
        return false;
    r->outlet = http_outlet_new(connection);
    return r->outlet != NULL;
}

/* True when there will be an answer. */
static bool hand_over(struct http *h, struct request *r)
{
    const struct seen_headers *s = &r->headers;
    struct headers headers = {.version = s->version, .method = s->method, .name = s->name, .session = r->session};
    bool heard = conn_busy(r->conn, r->outlet);
    struct client *client = r->session ? r->session->client : r->client;
    enum served served = server_receive(h->server, client, &headers, r->outlet, or_empty(r->body.data), r->body.len);
    drop_body(h, r);
    keep_client(h, r);
    if (!heard)
        http_outlet_cut(r->outlet, true);
    if (http_outlet_gone(r->outlet)) /* maybe before there was a call to cancel */
        server_hung_up(h->server, r->outlet);
    return served != SERVED_NOTHING;
}

/* What the outlet has by now, or sleep. */
static enum MHD_Result answer(struct http *h, struct request *r, struct MHD_Connection *connection)
{
    struct MHD_Response *response = NULL;
    int status = 0;
    enum outlet_says says = http_outlet_ready(r->outlet, &status, &response);
    if (says == OUTLET_WAITS)
        return MHD_YES;
    if (!r->new_session || (response && MHD_add_response_header(response, "Mcp-Session-Id", r->session->id) == MHD_YES))
        return queue(r, connection, status, response);
    sessions_end(&h->sessions, r->session); /* nobody was told its id */
    if (!response)
        return MHD_NO;
    MHD_destroy_response(response);
    return refuse(r, connection, &refused_server);
}

static enum MHD_Result complete(struct http *h, struct request *r, struct MHD_Connection *connection)
{
    if (conn_is_cut(r->conn))
        return MHD_NO;
    if (r->refusal)
        return refuse(r, connection, r->refusal);
    if (r->ends_session) {
        sessions_end(&h->sessions, r->session);
        return answer_empty(r, connection, MHD_HTTP_NO_CONTENT);
    }
    if (r->session && !r->session->client) /* ended while the body came in */
        return refuse(r, connection, &refused_session);
    if (!make_ready(h, r, connection))
        return refuse(r, connection, &refused_server);
    bool answers = hand_over(h, r);
    if (r->refusal)
        return refuse(r, connection, r->refusal);
    return answers ? answer(h, r, connection) : answer_empty(r, connection, MHD_HTTP_ACCEPTED);
}

enum MHD_Result request_answer(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
                               const char *version, const char *data, size_t *size, void **request)
{
    struct http *h = arg;
    struct request *r = *request;
    (void)version;
    if (!r)
        return begin(h, connection, url, method, request);
    if (*size)
        return take_body(h, r, data, size);
    return r->outlet ? answer(h, r, connection) : complete(h, r, connection);
}

void request_completed(void *arg, struct MHD_Connection *connection, void **request, enum MHD_RequestTerminationCode why)
{
    struct http *h = arg;
    struct request *r = *request;
    (void)connection;
    (void)why;
    if (!r)
        return;
    *request = NULL;
    TAILQ_REMOVE(&h->requests, r, all);
    conn_wait(r->conn, r->used);
    if (r->outlet && !http_outlet_over(r->outlet)) {
        http_outlet_cut(r->outlet, true);
        server_hung_up(h->server, r->outlet);
    }
    client_free(r->client);
    session_release(r->session);
    outlet_unref(r->outlet);
    drop_body(h, r);
    free(r);
}
