/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers over HTTP: see http_outlet.h. A message is copied once, into the buffer that the library then sends from. The
 * flag `asleep` is true only while the library holds the connection for us, so that is when the connection may be
 * touched from other threads.
 */
#include "http_outlet.h"

#include <pthread.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"

struct http_outlet {
    struct outlet base;
    pthread_mutex_t lock;
    struct MHD_Connection *connection;
    bool asleep, streaming, over, gone;
    int status;
    struct buf words; /* the body, or events; `said` bytes of them are out */
    size_t said;
};

static struct http_outlet *of(struct outlet *o)
{
    return (struct http_outlet *)o;
}

static void wake(struct http_outlet *o)
{
    if (!o->asleep)
        return;
    o->asleep = false;
    MHD_resume_connection(o->connection);
}

static void sleep_now(struct http_outlet *o)
{
    MHD_suspend_connection(o->connection);
    o->asleep = true;
}

#define EVENT "event: message\ndata: "
#define EVENT_END "\n\n"
enum { FRAME = sizeof EVENT EVENT_END - 1 };

/* Before the last word there must be room; a note for a client that does not read is dropped. */
static void add_event(struct http_outlet *o, const char *text, size_t len, bool last)
{
    if (!last && o->words.len + len > LIMIT_HTTP_EVENTS - LIMIT_MCP_REPLY - 2 * FRAME)
        return;
    (void)buf_add_str(&o->words, EVENT);
    (void)buf_add(&o->words, text, len);
    (void)buf_add_str(&o->words, EVENT_END);
}

static bool send_words(struct outlet *base, const char *text, size_t len, bool last, int http)
{
    struct http_outlet *o = of(base);
    (void)pthread_mutex_lock(&o->lock);
    if (!o->over) {
        if (last && !o->streaming) {
            (void)buf_add(&o->words, text, len);
            o->status = http ? http : 200;
        } else {
            o->streaming = true;
            add_event(o, text, len, last);
        }
        o->gone = o->gone || o->words.error;
        o->over = last || o->gone;
        wake(o);
    }
    (void)pthread_mutex_unlock(&o->lock);
    return true;
}

static void finish(struct http_outlet *o, bool gone)
{
    (void)pthread_mutex_lock(&o->lock);
    if (!o->over)
        o->streaming = true; /* a call without an answer is an empty stream */
    o->over = true;
    o->gone = o->gone || gone;
    wake(o);
    (void)pthread_mutex_unlock(&o->lock);
}

static void end(struct outlet *base)
{
    finish(of(base), false);
}

static void free_outlet(struct outlet *base)
{
    struct http_outlet *o = of(base);
    (void)pthread_mutex_destroy(&o->lock);
    buf_done(&o->words);
    free(o);
}

static const struct outlet_kind kind = {.send = send_words, .end = end, .free = free_outlet};

struct outlet *http_outlet_new(struct MHD_Connection *connection)
{
    struct http_outlet *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->base.kind = &kind;
    atomic_init(&o->base.refs, 1);
    (void)pthread_mutex_init(&o->lock, NULL);
    o->connection = connection;
    o->words.ceiling = LIMIT_HTTP_EVENTS;
    return &o->base;
}

void http_outlet_cut(struct outlet *o, bool gone)
{
    finish(of(o), gone);
}

bool http_outlet_over(struct outlet *base)
{
    struct http_outlet *o = of(base);
    (void)pthread_mutex_lock(&o->lock);
    bool over = o->over;
    (void)pthread_mutex_unlock(&o->lock);
    return over;
}

bool http_outlet_gone(struct outlet *base)
{
    struct http_outlet *o = of(base);
    (void)pthread_mutex_lock(&o->lock);
    bool gone = o->gone;
    (void)pthread_mutex_unlock(&o->lock);
    return gone;
}

/* ---- the library's side */

static ssize_t say_locked(struct http_outlet *o, char *out, size_t max)
{
    size_t n = MIN(o->words.len - o->said, max);
    if (o->gone)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (n) {
        memcpy(out, o->words.data + o->said, n);
        o->said += n;
        if (o->said == o->words.len)
            o->said = o->words.len = 0;
        return (ssize_t)n;
    }
    if (o->over)
        return MHD_CONTENT_READER_END_OF_STREAM;
    sleep_now(o);
    return 0;
}

static ssize_t say(void *arg, uint64_t pos, char *out, size_t max)
{
    struct http_outlet *o = arg;
    (void)pos;
    (void)pthread_mutex_lock(&o->lock);
    ssize_t n = say_locked(o, out, max);
    (void)pthread_mutex_unlock(&o->lock);
    return n;
}

static void drop(void *arg)
{
    outlet_unref(arg);
}

static struct MHD_Response *stream_response(struct http_outlet *o)
{
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4 * KIB, say, o, drop);
    if (!response)
        return NULL;
    (void)outlet_ref(&o->base);
    (void)MHD_add_response_header(response, "Content-Type", "text/event-stream");
    (void)MHD_add_response_header(response, "X-Accel-Buffering", "no");
    return response;
}

static struct MHD_Response *plain_response(struct http_outlet *o)
{
    size_t len = o->words.len;
    char *body = buf_take(&o->words);
    struct MHD_Response *response = body ? MHD_create_response_from_buffer(len, body, MHD_RESPMEM_MUST_FREE) : NULL;
    if (!response) {
        free(body);
        return NULL;
    }
    (void)MHD_add_response_header(response, "Content-Type", "application/json");
    return response;
}

static enum outlet_says ready_locked(struct http_outlet *o, int *ret_status, struct MHD_Response **ret_response)
{
    if (o->gone)
        return OUTLET_GONE;
    if (!o->streaming && !o->over) {
        sleep_now(o);
        return OUTLET_WAITS;
    }
    struct MHD_Response *response = o->streaming ? stream_response(o) : plain_response(o);
    if (!response)
        return OUTLET_GONE;
    *ret_status = o->streaming ? 200 : o->status;
    *ret_response = response;
    return o->streaming ? OUTLET_STREAM : OUTLET_PLAIN;
}

enum outlet_says http_outlet_ready(struct outlet *base, int *ret_status, struct MHD_Response **ret_response)
{
    struct http_outlet *o = of(base);
    (void)pthread_mutex_lock(&o->lock);
    enum outlet_says says = ready_locked(o, ret_status, ret_response);
    (void)pthread_mutex_unlock(&o->lock);
    return says;
}
