/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key in what comes back: see wire.h for the rule. Only the host knows the key, so it is in an answer only if the host
 * put it there; what people use for a key where none is needed may be in any answer.
 */
#include <strings.h>

#include "provider/wire_priv.h"

#define MASK "[redacted]"

void wire_add_cut(struct buf *b, const char *s, size_t len)
{
    (void)buf_add(b, s, MIN(len, b->ceiling - b->len));
}

static void add_masked(struct buf *b, const char *secret, const char *words)
{
    size_t len = secret ? strlen(secret) : 0;
    for (const char *hit; len && (hit = strstr(words, secret)); words = hit + len) {
        wire_add_cut(b, words, (size_t)(hit - words));
        wire_add_cut(b, MASK, strlen(MASK));
    }
    wire_add_cut(b, words, strlen(words));
}

bool wire_shows(const char *secret, const char *words)
{
    return secret && strlen(secret) >= WIRE_SECRET_WORDS && strstr(words, secret);
}

char *wire_masked(const char *secret, const char *words)
{
    auto_buf b = BUF_INIT(LIMIT_PROVIDER_WORDS);
    add_masked(&b, wire_shows(secret, words) ? secret : NULL, words);
    return buf_take(&b);
}

/* Plain http leads to this machine and nowhere else: see host_url_fault. */
const char *wire_text_secret(const struct host *h, const char *key)
{
    size_t least = strncasecmp(h->base_url, "http:", 5) ? WIRE_SECRET_TEXT : WIRE_SECRET_LOCAL;
    return key && strlen(key) >= least ? key : NULL;
}

int wire_mask_text(struct buf *text, const char *secret)
{
    if (!secret || !text->len || !strstr(text->data, secret))
        return 0;
    auto_buf b = BUF_INIT(2 * LIMIT_ANSWER_BYTES); /* the mask may be longer than the key */
    add_masked(&b, secret, text->data);
    if (b.error)
        return b.error;
    buf_done(text);
    *text = b;
    b = (struct buf)BUF_INIT(0);
    return 0;
}

/* How many bytes at the end may be the start of the secret. */
static size_t secret_begun(const char *secret, const char *text, size_t len)
{
    size_t n = MIN(len, strlen(secret) - 1);
    while (n && memcmp(text + len - n, secret, n))
        n--;
    return n;
}

size_t wire_show(const struct buf *text, size_t from, const char *secret, bool last, wire_shown *on, void *ctx)
{
    size_t len = secret ? strlen(secret) : 0;
    if (from == text->len)
        return from;
    const char *at = text->data + from, *end = text->data + text->len;
    for (const char *hit; len && at < end && (hit = memmem(at, (size_t)(end - at), secret, len)); at = hit + len) {
        if (hit > at)
            on(ctx, at, (size_t)(hit - at));
        on(ctx, MASK, strlen(MASK));
    }
    size_t left = (size_t)(end - at);
    left -= len && !last ? secret_begun(secret, at, left) : 0;
    if (left)
        on(ctx, at, left);
    return (size_t)(at - text->data) + left;
}
