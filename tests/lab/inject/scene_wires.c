/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of three wires, without a connection: every request of tests/cases/wire is written, and every answer read, streamed or
 * whole or an error. */
#include <errno.h>
#include <glob.h>

#include "base/limits.h"
#include "inject.h"
#include "provider/sse.h"
#include "scenes.h"
#include "wire_case.h"

static glob_t found;

static int setup_wire(const char *pattern)
{
    return glob(pattern, 0, NULL, &found) ? -1 : 0;
}

static void teardown_wire(void)
{
    globfree(&found);
}

/* No other failure is expected of a case than the one that it names. */
static void tell_code(struct outcome *o, int code)
{
    if (code == -ENOMEM)
        tell_str(o, NULL);
    else
        tell_bytes(o, &code, sizeof code);
}

static void write_request(const struct wire_case *c, struct outcome *o)
{
    auto_buf url = BUF_INIT(4096), headers = BUF_INIT(4096), body = BUF_INIT(1 << 20);
    int code = wire_body(&c->request, &body);
    tell_code(o, code);
    if (code < 0)
        return;
    code = wire_url(&c->request, &url);
    code = code < 0 ? code : wire_headers(&c->request, CASE_KEY, &headers);
    tell_code(o, code);
    if (code == 0) {
        tell_bytes(o, body.data, body.len);
        tell_bytes(o, url.data, url.len);
        tell_bytes(o, headers.data, headers.len);
    }
}

struct taking {
    const struct wire *wire;
    struct wire_reply *reply;
};

static int on_event(void *ctx, const char *name, const char *data, size_t len)
{
    struct taking *t = ctx;
    return t->wire->event(t->reply, name, data, len);
}

static int read_stream(const struct wire_case *c, struct wire_reply *r)
{
    struct taking t = {c->request.host->wire, r};
    struct sse s;
    sse_init(&s);
    int code = sse_feed(&s, c->reply, strlen(c->reply), on_event, &t);
    if (!code)
        code = sse_end(&s, on_event, &t);
    sse_done(&s);
    return code;
}

static void read_answer(const struct wire_case *c, struct outcome *o)
{
    auto_reply r;
    wire_reply_init(&r, CASE_KEY);
    int code = c->request.stream ? read_stream(c, &r) : c->request.host->wire->whole(&r, c->reply, strlen(c->reply));
    tell_code(o, code);
    if (code >= 0 && wire_mask_text(&r.text, CASE_KEY) < 0)
        tell_str(o, NULL);
    if (o->code < 0)
        return;
    tell_bytes(o, r.text.data ? r.text.data : "", r.text.len);
    tell_bytes(o, &r.stop, sizeof r.stop);
    tell_str(o, r.why ? r.why : "");
    tell_str(o, r.model ? r.model : "");
}

/* Never fails; without memory it has other words. */
static void read_error(const struct wire_case *c, struct outcome *o)
{
    struct wire_error e = {.secret = CASE_KEY};
    wire_error_read(c->request.host->wire, &(struct wire_answer){c->status, c->reply_headers, c->reply, strlen(c->reply)}, &e);
    tell_bytes(o, &e.status, sizeof e.status);
    if (inject_struck() && inject_kind() == INJECT_ALLOC && o->code == 0)
        tell_refusal(o, "", e.message ? e.message : "no words");
    wire_error_done(&e);
}

static void run_wire(struct outcome *o)
{
    for (size_t i = 0; i < found.gl_pathc && o->code == 0 && !o->refused; i++) {
        struct wire_case c;
        bool paused = inject_pause(), read = case_read(&c, found.gl_pathv[i]);
        inject_resume(paused);
        if (read && c.request.count)
            write_request(&c, o);
        if (read && c.reply && o->code == 0)
            (c.status == 200 ? read_answer : read_error)(&c, o);
        if (o->code == 0)
            tell_answer(o);
        case_done(&c);
    }
}

#define WIRE(id, wire)                                               \
    static int setup_##id(void)                                      \
    {                                                                \
        return setup_wire("tests/cases/wire/" wire "/*.case");       \
    }                                                                \
    const struct scene scene_##id = {"wire_" #id, setup_##id, run_wire, NULL, teardown_wire, SCENE_USUAL};
WIRE(anthropic, "anthropic")
WIRE(chat, "openai-chat")
WIRE(responses, "openai-responses")
WIRE(gemini, "gemini")
