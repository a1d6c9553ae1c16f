/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a provider sends, over each of the four wires: an answer in one piece, a stream, or an error with its headers. A stream is
 * the same answer however it is cut into pieces; counts are never below zero; words never show the key; what is shown as it
 * comes is what the masked whole is. The first byte says which wire, the next four where it is cut.
 * about: src/provider/anthropic.c src/provider/openai_chat.c src/provider/openai_responses.c src/provider/gemini.c
 *   src/provider/openai.c src/provider/sse.c src/provider/wire_read.c src/provider/wire_error.c src/provider/wire_mask.c
 */
#include "fuzz.h"

#include <errno.h>

#include "base/limits.h"
#include "provider/sse.h"
#include "provider/wire_priv.h"

static const struct wire *const wires[] = {&wire_anthropic, &wire_openai_chat, &wire_openai_responses, &wire_gemini};
static const char key[] = "sk-secret-key";

struct stream {
    const struct wire *wire;
    struct wire_reply *reply;
    struct buf *shown;
    size_t from;
};

static void on_shown(void *ctx, const char *piece, size_t len)
{
    (void)buf_add(ctx, piece, len);
}

/* As provider.c does it. */
static int on_event(void *ctx, const char *name, const char *data, size_t len)
{
    struct stream *s = ctx;
    int r = s->wire->event(s->reply, name, data, len);
    CLAIM(r == 0 || r == 1 || r == -EBADMSG || r == -EFBIG || r == -ENOMEM);
    s->from = wire_show(&s->reply->text, s->from, key, false, on_shown, s->shown);
    return r;
}

static int stream(const struct wire *w, const char *bytes, size_t len, const uint8_t *cuts, size_t n, struct wire_reply *r,
                  struct buf *shown)
{
    struct stream ctx = {w, r, shown, 0};
    struct sse s;
    int code = 0;
    sse_init(&s);
    for (size_t at = 0, i = 0; at < len && code == 0; i++) {
        size_t piece = MIN(n ? 1u + cuts[i % n] : len, len - at);
        code = sse_feed(&s, bytes + at, piece, on_event, &ctx);
        at += piece;
    }
    code = code == 0 ? sse_end(&s, on_event, &ctx) : code;
    (void)wire_show(&r->text, ctx.from, key, true, on_shown, shown);
    sse_done(&s);
    return code;
}

static bool same_words(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static bool same_buf(const struct buf *a, const struct buf *b)
{
    return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

static bool same(const struct wire_reply *a, const struct wire_reply *b)
{
    const struct wire_usage *u = &a->usage, *v = &b->usage;
    return same_buf(&a->text, &b->text) && a->stop == b->stop && same_words(a->why, b->why) &&
           same_words(a->model, b->model) && u->told == v->told && u->whole == v->whole && u->input == v->input &&
           u->cache_read == v->cache_read && u->cache_write == v->cache_write && u->output == v->output &&
           u->reasoning == v->reasoning && u->cost_nano == v->cost_nano && a->error.retry == b->error.retry &&
           same_words(a->error.message, b->error.message) && !strcmp(a->error.kind, b->error.kind) &&
           !strcmp(a->error.code, b->error.code);
}

static bool shows(const char *words)
{
    return words && strstr(words, key);
}

static void check_error(const struct wire_error *e)
{
    CLAIM(!shows(e->message) && !shows(e->kind) && !shows(e->code));
    CLAIM(e->retry_after_ms >= -1);
    CLAIM(memchr(e->kind, 0, WIRE_WORD) && memchr(e->code, 0, WIRE_WORD));
}

static void check_reply(struct wire_reply *r)
{
    const struct wire_usage *u = &r->usage;
    CLAIM(r->stop < WIRE_STOPS);
    CLAIM(u->input >= 0 && u->cache_read >= 0 && u->cache_write >= 0 && u->output >= 0 && u->reasoning >= 0 && u->cost_nano >= -1);
    CLAIM(u->told || (!u->input && !u->output));
    CLAIM(!shows(r->why) && !shows(r->model));
    CLAIM(r->stop != WIRE_STOP_ERROR || r->error.message);
    check_error(&r->error);
}

static void check_stream(const struct wire *w, const char *text, size_t len, const uint8_t cuts[4])
{
    auto_reply whole, cut;
    auto_buf a = BUF_INIT(2 * LIMIT_ANSWER_BYTES), b = BUF_INIT(2 * LIMIT_ANSWER_BYTES);
    wire_reply_init(&whole, key);
    wire_reply_init(&cut, key);
    int r = stream(w, text, len, NULL, 0, &whole, &a);
    CLAIM(stream(w, text, len, cuts, 4, &cut, &b) == r);
    CLAIM(same(&whole, &cut));
    check_reply(&whole);
    /* A NUL would end what is masked at once, and not the pieces: there is none. */
    CLAIM(!whole.text.len || strlen(whole.text.data) == whole.text.len);
    CLAIM(wire_mask_text(&whole.text, key) == 0);
    CLAIM(same_buf(&a, &b) && same_buf(&a, &whole.text));
    CLAIM(!a.len || !memmem(a.data, a.len, key, strlen(key)));
}

static void check_whole(const struct wire *w, const char *text, size_t len)
{
    auto_reply one, two;
    wire_reply_init(&one, key);
    wire_reply_init(&two, key);
    int r = w->whole(&one, text, len);
    CLAIM(r == 1 || r == 0 || r == -EBADMSG || r == -EFBIG || r == -ENOMEM);
    CLAIM(w->whole(&two, text, len) == r && same(&one, &two));
    CLAIM(!one.text.len || strlen(one.text.data) == one.text.len);
    CLAIM(wire_mask_text(&one.text, key) == 0 && !(one.text.len && shows(one.text.data)));
    check_reply(&one);
}

/* Headers up to a blank line, then the body. */
static void check_refusal(const struct wire *w, const char *text, int status)
{
    const char *blank = strstr(text, "\n\n"), *body = blank ? blank + 2 : "";
    auto_free char *headers = strndup(text, blank ? (size_t)(blank - text + 1) : strlen(text));
    struct wire_answer a = {status, headers, body, strlen(body)};
    struct wire_error e = {.retry_after_ms = -1, .secret = key};
    wire_error_read(w, &a, &e);
    CLAIM(e.status == status && e.message && *e.message);
    check_error(&e);
    wire_error_done(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    uint8_t which = feed_u8(&f), cuts[4];
    feed_take(&f, cuts, sizeof cuts);
    const struct wire *w = wires[which % COUNT(wires)];
    auto_free char *text = feed_text(&f);
    check_stream(w, text, f.left, cuts);
    check_whole(w, text, f.left);
    check_refusal(w, text, 200 + which * 2);
    return 0;
}
