/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who comes in: a request is judged by its headers alone, in a fixed order, before anything of its body is read. Every
 * way to say no is a row.
 */
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "http_request.h"

#define ALLOW "Allow", "POST, DELETE"
/* Where the request ends is a matter of opinion: nothing after it is read. */
#define CLOSE "Connection", "close"

static const struct refusal no_headers = {400, true, CLOSE, "a header that must come once came twice or is broken"};
static const struct refusal no_encoding = {501, true, CLOSE, "Transfer-Encoding must be chunked, and nothing else"};
static const struct refusal no_host = {403, true, NULL, NULL, "this server does not go by that Host"};
static const struct refusal no_origin = {403, true, NULL, NULL, "pages of that Origin may not call this server"};
static const struct refusal no_token = {401, true, "WWW-Authenticate", "Bearer realm=\"fovea\"",
                                        "send the header 'Authorization: Bearer TOKEN'; fovea said at its start where the token is"};
static const struct refusal no_path = {404, false, NULL, NULL, "there is nothing but /mcp here"};
static const struct refusal no_method = {405, false, ALLOW, "only POST and DELETE are served"};
const struct refusal refused_session = {404, false, NULL, NULL, "the session is not known: initialize again"};
static const struct refusal no_session_named = {400, false, NULL, NULL, "Mcp-Session-Id is missing"};
static const struct refusal no_type = {415, false, NULL, NULL, "Content-Type must be application/json"};
static const struct refusal no_accept = {406, false, NULL, NULL,
                                         "Accept must allow application/json and text/event-stream"};
static const struct refusal too_long = {413, true, NULL, NULL, "the message is too long"};
const struct refusal refused_server = {503, false, NULL, NULL, "out of memory"};

/* ---- reading the headers */

#define FIELD(name_, field_) {name_, offsetof(struct seen_headers, field_)}
static const struct {
    const char *name;
    size_t at;
} fields[] = {
    FIELD("Host", host),
    FIELD("Origin", origin),
    FIELD("Authorization", authorization),
    FIELD("Content-Type", type),
    FIELD("Accept", accept),
    FIELD("Content-Length", length),
    FIELD("Transfer-Encoding", encoding),
    FIELD("Mcp-Session-Id", session),
    FIELD("MCP-Protocol-Version", version),
    FIELD("Mcp-Method", method),
    FIELD("Mcp-Name", name),
    FIELD("Access-Control-Request-Method", asks),
};

/* Several Accept headers are one list. */
static bool may_repeat(const char *name)
{
    return !strcmp(name, "Accept");
}

/* What the name of a header is made of. The library takes "Content-Length " for another name than "Content-Length"; a
 * proxy in front may not. */
static bool is_token(const char *s, size_t len)
{
    static const char marks[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < len; i++)
        if (!(s[i] >= '0' && s[i] <= '9') && !(s[i] >= 'A' && s[i] <= 'Z') && !(s[i] >= 'a' && s[i] <= 'z') &&
            (!s[i] || !strchr(marks, s[i])))
            return false;
    return len > 0;
}

/* Lenient about event streams, which are sent only where they are of use. But most answers are JSON, so whoever names neither
 * that nor a range around it would be sent what they do not take. */
static bool accepts(const char *accept)
{
    static const char *const fine[] = {"*/*", "application/json", "application/*"};
    for (size_t i = 0; i < COUNT(fine); i++)
        if (strcasestr(accept, fine[i]))
            return true;
    return !*accept;
}

static enum MHD_Result see(void *arg, enum MHD_ValueKind kind, const char *key, size_t key_len, const char *value,
                           size_t len)
{
    struct seen_headers *h = arg;
    (void)kind;
    if (!is_token(key, key_len))
        h->bad = true;
    for (size_t i = 0; i < COUNT(fields); i++) {
        const char **slot = (const char **)(void *)((char *)h + fields[i].at);
        if (strcasecmp(key, fields[i].name) != 0)
            continue;
        if ((*slot && !may_repeat(fields[i].name)) || (value && strlen(value) != len))
            h->bad = true;
        if (!*slot)
            *slot = value ? value : "";
        if (slot == &h->accept)
            h->takes_json |= accepts(value ? value : "");
    }
    return MHD_YES;
}

void headers_read(struct MHD_Connection *connection, struct seen_headers *ret)
{
    *ret = (struct seen_headers){0};
    (void)MHD_get_connection_values_n(connection, MHD_HEADER_KIND, see, ret);
    /* Two ways to tell the length of a body are a way to smuggle one. */
    if (ret->length && ret->encoding)
        ret->bad = true;
}

/* ---- judging them */

static bool is_json(const char *type)
{
    static const char want[] = "application/json";
    if (!type || strncasecmp(type, want, strlen(want)) != 0)
        return false;
    type += strlen(want);
    type += strspn(type, " \t");
    return !*type || *type == ';';
}

static bool is_too_long(const char *length)
{
    char *end;
    return length && strtoull(length, &end, 10) > LIMIT_MCP_LINE;
}

/* Before this is passed nobody learns what there is here, but a page of an origin that was let in: its browser asks
 * without a token what it may send. */
static const struct refusal *admit_caller(const struct http *h, struct request *r, const char *url, const char *method)
{
    const struct seen_headers *s = &r->headers;
    if (s->bad || !s->host)
        return &no_headers;
    if (s->encoding && strcasecmp(s->encoding, "chunked") != 0)
        return &no_encoding;
    if (!gate_host(&h->gate, s->host))
        return &no_host;
    if (s->origin && !gate_origin(&h->gate, s->origin))
        return &no_origin;
    r->foreign = s->origin ? gate_foreign(&h->gate, s->origin) : NULL;
    r->preflight = r->foreign && s->asks && !strcmp(url, "/mcp") && !strcmp(method, MHD_HTTP_METHOD_OPTIONS);
    if (h->token && !r->preflight && !(s->authorization && gate_bearer(s->authorization, h->token)))
        return &no_token;
    return NULL;
}

static const struct refusal *admit_session(struct http *h, struct request *r)
{
    if (!r->headers.session)
        return r->ends_session ? &no_session_named : NULL;
    r->session = sessions_take(&h->sessions, r->headers.session);
    return r->session ? NULL : &refused_session;
}

const struct refusal *request_admit(struct http *h, struct request *r, const char *url, const char *method)
{
    const struct seen_headers *s = &r->headers;
    const struct refusal *no = admit_caller(h, r, url, method);
    if (no || r->preflight)
        return no;
    if (strcmp(url, "/mcp") != 0)
        return &no_path;
    r->ends_session = !strcmp(method, MHD_HTTP_METHOD_DELETE);
    if (!r->ends_session && strcmp(method, MHD_HTTP_METHOD_POST) != 0)
        return &no_method;
    no = admit_session(h, r);
    if (no)
        return no;
    if (!r->ends_session && !is_json(s->type))
        return &no_type;
    if (!r->ends_session && s->accept && !s->takes_json)
        return &no_accept;
    return is_too_long(s->length) ? &too_long : NULL;
}
