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

static const char *or_empty(const char *s)
{
    return s ? s : "";
}

/* Queues and drops the response; MHD_NO (which closes the connection) when there is none. */
static enum MHD_Result queue(struct MHD_Connection *connection, int status, struct MHD_Response *response)
{
    if (!response)
        return MHD_NO;
    (void)MHD_add_response_header(response, "Cache-Control", "no-store");
    (void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (status == 503)
        (void)MHD_add_response_header(response, "Retry-After", "1");
    enum MHD_Result r = MHD_queue_response(connection, (unsigned)status, response);
    MHD_destroy_response(response);
    return r;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, const struct refusal *no)
{
    char text[320];
    int n = snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"%s\"}}", no->text);
    struct MHD_Response *response = MHD_create_response_from_buffer((size_t)n, text, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    (void)MHD_add_response_header(response, "Content-Type", "application/json");
    if (no->header && no->status != 503)
        (void)MHD_add_response_header(response, no->header, no->value);
    return queue(connection, no->status, response);
}

static enum MHD_Result answer_empty(struct MHD_Connection *connection, int status)
{
    return queue(connection, status, MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT));
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
    r->conn = conn;
    r->body.ceiling = LIMIT_MCP_LINE + 1;
    headers_read(connection, &r->headers);
    r->refusal = request_admit(h, r, url, method);
    if (r->refusal && (r->refusal->now || !worth_reading(&r->headers)))
        return refuse(connection, r->refusal);
    conn_body(conn, 0);
    return MHD_YES;
}

static void drop_body(struct http *h, struct request *r)
{
    h->bodies -= r->body.len;
    buf_done(&r->body);
    r->body = (struct buf){0};
}

/* Pieces of a request that was cut are swallowed, so that its sender reads why. */
static enum MHD_Result take_body(struct http *h, struct request *r, const char *data, size_t *size)
{
    size_t len = *size;
    *size = 0;
    conn_body(r->conn, len);
    if (r->refusal || r->ends_session)
        return MHD_YES;
    if (conn_is_cut(r->conn)) {
        drop_body(h, r);
        return MHD_YES;
    }
    if (r->body.len + len > LIMIT_MCP_LINE)
        conn_cut(r->conn, 413);
    else if (h->bodies + len > LIMIT_HTTP_BODIES || buf_add(&r->body, data, len) < 0)
        conn_cut(r->conn, 503);
    else
        h->bodies += len;
    return MHD_YES;
}

/* After initialize the client is a session's; otherwise it is gone with this request. */
static void keep_client(struct http *h, struct request *r)
{
    if (r->session || !client_initialized(r->client))
        return;
    r->session = sessions_add(&h->sessions, r->client);
    if (!r->session)
        return;
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
    if (!heard && !http_outlet_over(r->outlet)) {
        http_outlet_cut(r->outlet, true);
        server_hung_up(h->server, r->outlet);
    }
    return served != SERVED_NOTHING;
}

/* What the outlet has by now, or sleep. */
static enum MHD_Result answer(struct request *r, struct MHD_Connection *connection)
{
    struct MHD_Response *response = NULL;
    int status = 0;
    enum outlet_says says = http_outlet_ready(r->outlet, &status, &response);
    if (says == OUTLET_WAITS)
        return MHD_YES;
    if (response && r->new_session)
        (void)MHD_add_response_header(response, "Mcp-Session-Id", r->session->id);
    return queue(connection, status, response);
}

static enum MHD_Result complete(struct http *h, struct request *r, struct MHD_Connection *connection)
{
    if (conn_is_cut(r->conn))
        return MHD_NO;
    if (r->refusal)
        return refuse(connection, r->refusal);
    if (r->ends_session) {
        sessions_end(&h->sessions, r->session);
        return answer_empty(connection, MHD_HTTP_NO_CONTENT);
    }
    if (r->session && !r->session->client) /* ended while the body came in */
        return MHD_NO;
    if (!make_ready(h, r, connection))
        return refuse(connection, &refused_server);
    if (!hand_over(h, r))
        return answer_empty(connection, MHD_HTTP_ACCEPTED);
    return answer(r, connection);
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
    return r->outlet ? answer(r, connection) : complete(h, r, connection);
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
    conn_wait(r->conn);
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
