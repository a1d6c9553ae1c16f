/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking: see provider.h. A try is repeated only while nothing of an answer has been shown, and only for what passes: a
 * connection that failed, or an error whose kind, status or header says so. The server's own wait is kept; without one
 * it is half a second, doubled, a quarter of it left to chance so that many callers do not come back at once.
 */
#include "provider/provider.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"
#include "provider/sse.h"

/* One try. */
struct attempt {
    const struct provider_call *c;
    const struct wire *wire;
    struct wire_reply *reply;
    struct http_answer answer;
    struct sse sse;
    struct buf whole; /* of an error, or an answer that is no stream */
    const char *secret; /* in its text; may be NULL */
    size_t shown;       /* of its text */
};

static bool good(const struct attempt *t)
{
    return t->answer.status >= 200 && t->answer.status < 300;
}

/* A host may answer in one piece although a stream was asked for. */
static bool streamed(const struct attempt *t)
{
    static const char stream[] = "text/event-stream";
    size_t len;
    const char *type = wire_header(t->answer.headers.data, "content-type", &len);
    return good(t) && len >= sizeof stream - 1 && !strncasecmp(type, stream, sizeof stream - 1);
}

static void show(struct attempt *t, bool last)
{
    if (t->c->on_text)
        t->shown = wire_show(&t->reply->text, t->shown, t->secret, last, t->c->on_text, t->c->ctx);
}

static int on_event(void *ctx, const char *name, const char *data, size_t len)
{
    struct attempt *t = ctx;
    int r = t->wire->event(t->reply, name, data, len);
    show(t, false);
    return r;
}

static int on_bytes(void *ctx, const char *bytes, size_t len)
{
    struct attempt *t = ctx;
    if (streamed(t))
        return sse_feed(&t->sse, bytes, len, on_event, t);
    if (good(t))
        return buf_add(&t->whole, bytes, len);
    /* An error says what it has to say at its start. */
    size_t room = LIMIT_PROVIDER_ERROR - t->whole.len;
    int r = buf_add(&t->whole, bytes, MIN(len, room));
    return r < 0 ? r : len >= room;
}

static void read_error(struct attempt *t)
{
    struct wire_answer a = {t->answer.status, t->answer.headers.data, t->whole.data, t->whole.len};
    wire_error_read(t->wire, &a, &t->reply->error);
    t->reply->stop = WIRE_STOP_ERROR;
}

/* The bytes are all there: what do they come to? */
static int finish(struct attempt *t, struct fovea_fault *f)
{
    int r = 0;
    if (!good(t)) {
        read_error(t);
        return 0;
    }
    if (streamed(t))
        r = t->reply->stop == WIRE_STOP_ERROR ? 0 : sse_end(&t->sse, on_event, t);
    else if (t->whole.len)
        r = t->wire->whole(t->reply, t->whole.data, t->whole.len);
    if (r < 0)
        return r;
    return t->reply->stop == WIRE_STOP_NONE ? fault_set(f, -ECONNRESET, "the provider's answer stopped short") : 0;
}

static int try_once(struct http *http, const struct provider_call *c, const struct http_request *q,
                    struct wire_reply *reply, int *ret_status, struct fovea_fault *f)
{
    struct attempt t = {.c = c, .wire = c->request->host->wire, .reply = reply, .whole = BUF_INIT(LIMIT_SSE_EVENT),
                        .secret = wire_text_secret(c->request->host, c->key)};
    t.answer.on_bytes = on_bytes;
    t.answer.ctx = &t;
    sse_init(&t.sse);
    int r = http_post(http, q, &t.answer, f);
    /* An error whose body was cut is still that error; an answer that said all it had is one. */
    if (r == -ECONNRESET && ((t.answer.status >= 200 && !good(&t)) || (streamed(&t) && reply->stop != WIRE_STOP_NONE)))
        r = 0;
    if (!r)
        r = finish(&t, f);
    show(&t, true);
    if (wire_mask_text(&reply->text, t.secret) < 0)
        r = fault_oom(f);
    *ret_status = t.answer.status;
    reply->sent = t.answer.sent;
    if (r == -EBADMSG)
        (void)fault_set(f, r, "the provider's answer cannot be read: it is no answer of the %s wire", t.wire->name);
    if (r == -EFBIG)
        (void)fault_set(f, r, "the provider's answer is too long");
    sse_done(&t.sse);
    buf_done(&t.whole);
    http_answer_done(&t.answer);
    return r;
}

/* How long to wait before the next try; -1 when there is none. */
static int64_t pause_ms(const struct wire_reply *reply, int code, int status, int tries)
{
    const struct wire_error *e = &reply->error;
    /* An answer that began is an answer, empty or not; 1xx is none yet. */
    bool lost = (code == -EHOSTUNREACH || code == -ECONNRESET) && status < 200;
    bool passing = !code && reply->stop == WIRE_STOP_ERROR && e->retry && !reply->text.len;
    if (tries >= LIMIT_PROVIDER_RETRIES || (!lost && !passing))
        return -1;
    if (passing && e->retry_after_ms >= 0)
        return e->retry_after_ms <= LIMIT_PROVIDER_RETRY_AFTER_MS ? e->retry_after_ms : -1;
    unsigned char chance;
    if (getrandom(&chance, 1, GRND_NONBLOCK) != 1)
        chance = 0;
    int64_t ms = MIN((int64_t)LIMIT_PROVIDER_PAUSE_MS << tries, LIMIT_PROVIDER_PAUSE_MAX_MS);
    return ms - ms * chance / 1024;
}

/* false when the cancel struck meanwhile. */
static bool rest(const fovea_cancel *cancel, int64_t ms)
{
    int64_t until = clock_ms() + ms;
    struct pollfd p = {.fd = cancel_fd(cancel), .events = POLLIN};
    for (int left; (left = clock_left(until)) > 0 && !cancel_struck(cancel);)
        (void)poll(&p, 1, left);
    return !cancel_struck(cancel);
}

static int ask(struct http *http, const struct provider_call *c, struct http_request *q, struct wire_reply *reply,
               struct fovea_fault *f)
{
    int64_t deadline = c->total_ms ? clock_ms() + c->total_ms : INT64_MAX;
    for (int tries = 0;; tries++) {
        int status;
        if (c->total_ms)
            q->total_ms = MAX(deadline - clock_ms(), 1);
        q->fresh = tries > 0;
        int code = try_once(http, c, q, reply, &status, f);
        int64_t wait = pause_ms(reply, code, status, tries);
        if (wait < 0 || clock_ms() + wait >= deadline)
            return code;
        if (!rest(c->cancel, wait))
            return fault_cancelled(f);
        if (c->on_lost)
            c->on_lost(c->lost_arg, code, reply);
        wire_reply_done(reply);
        wire_reply_init(reply, c->key);
    }
}

int provider_ask(struct http *http, const struct provider_call *c, struct wire_reply *reply, struct fovea_fault *f)
{
    auto_buf url = BUF_INIT(LIMIT_PROVIDER_URL), headers = BUF_INIT(LIMIT_PROVIDER_HEADERS);
    auto_buf body = BUF_INIT(LIMIT_PROVIDER_BODY);
    const char *bad = host_url_fault(c->request->host->base_url);
    wire_reply_init(reply, c->key);
    if (bad)
        return fault_set(f, -EINVAL, "the base URL of '%s' is refused: %s", c->request->host->name, bad);
    int r = wire_headers(c->request, c->key, &headers);
    if (r == -EINVAL)
        return fault_set(f, r, "the key for '%s' is missing or has characters that no key has", c->request->host->name);
    if (!r)
        r = wire_url(c->request, &url);
    if (!r)
        r = wire_body(c->request, &body);
    if (r == -ENOTSUP)
        return fault_set(f, r, "'%s' cannot be sent this kind of file", c->request->host->name);
    if (r == -EFBIG)
        return fault_set(f, r, "the request is too large to be sent");
    if (r < 0)
        return r == -ENOMEM ? fault_oom(f) : fault_set(f, r, "the request cannot be written");
    struct http_request q = {.url = url.data, .headers = headers.data, .body = body.data, .len = body.len,
                             .ca_file = c->ca_file, .idle_ms = c->idle_ms, .cancel = c->cancel};
    r = ask(http, c, &q, reply, f);
    /* The key was in here. */
    explicit_bzero(headers.data, headers.len);
    return r;
}
