/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event streams: the same events however the stream is cut into pieces, and the events that a reader of the standard, written
 * from its text over the whole stream at once, finds.
 * about: src/provider/sse.c
 */
#include "fuzz.h"

#include "base/limits.h"
#include "provider/sse.h"

enum { ROOM = 1 << 20 };

static int note(void *ctx, const char *name, const char *data, size_t len)
{
    struct buf *b = ctx;
    CLAIM(name && data && !data[len]);
    (void)buf_add_str(b, name);
    (void)buf_add(b, "", 1);
    (void)buf_add(b, data, len);
    (void)buf_add(b, "\n\0\n", 3);
    return 0;
}

/* In pieces whose lengths the bytes of cuts say, again and again; all at once without. */
static int feed_cut(const char *bytes, size_t len, const uint8_t *cuts, size_t n, struct buf *got)
{
    struct sse s;
    int r = 0;
    sse_init(&s);
    for (size_t at = 0, i = 0; at < len && r == 0; i++) {
        size_t want = n ? 1u + cuts[i % n] % 16 : len, piece = MIN(want, len - at);
        r = sse_feed(&s, bytes + at, piece, note, got);
        at += piece;
    }
    r = r == 0 ? sse_end(&s, note, got) : r;
    sse_done(&s);
    return r;
}

/* ---- the standard's text: lines, then fields */

struct plain {
    struct buf name, data;
    bool has_data;
};

static void dispatch(struct plain *p, struct buf *got)
{
    if (p->has_data) {
        if (p->data.len)
            p->data.len--; /* the last line end */
        if (p->data.data)
            p->data.data[p->data.len] = '\0';
        (void)note(got, p->name.len ? p->name.data : "message", p->data.len ? p->data.data : "", p->data.len);
    }
    p->name.len = p->data.len = 0;
    p->has_data = false;
}

static void field(struct plain *p, const char *line, size_t len, struct buf *got)
{
    const char *colon = memchr(line, ':', len);
    size_t n = colon ? (size_t)(colon - line) : len;
    const char *value = colon ? colon + 1 : line + len;
    value += value < line + len && *value == ' ';
    size_t value_len = (size_t)(line + len - value);
    if (!len) {
        dispatch(p, got);
    } else if (n == 5 && !memcmp(line, "event", 5)) {
        p->name.len = 0;
        (void)buf_add(&p->name, value, value_len);
    } else if (n == 4 && !memcmp(line, "data", 4)) {
        (void)buf_add(&p->data, value, value_len);
        (void)buf_add(&p->data, "\n", 1);
        p->has_data = true;
    }
}

static void plain_read(const char *bytes, size_t len, struct buf *got)
{
    struct plain p = {BUF_INIT(ROOM), BUF_INIT(ROOM), false};
    size_t from = len >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
    bool whole = false; /* what is last is a whole line */
    for (size_t at = from; at < len;) {
        size_t n = 0;
        while (at + n < len && bytes[at + n] != '\n' && bytes[at + n] != '\r')
            n++;
        whole = at + n < len;
        if (whole)
            field(&p, bytes + at, n, got);
        at += n + (whole && bytes[at + n] == '\r' && at + n + 1 < len && bytes[at + n + 1] == '\n' ? 2 : 1);
    }
    if (whole)
        dispatch(&p, got);
    buf_done(&p.name);
    buf_done(&p.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    uint8_t cuts[4];
    feed_take(&f, cuts, sizeof cuts);
    const char *text = (const char *)f.at;
    auto_buf whole = BUF_INIT(ROOM), cut = BUF_INIT(ROOM), plain = BUF_INIT(ROOM);
    if (memchr(data, 0, len)) /* names are C strings: what has a NUL in it is only cut */
        (void)feed_cut(text, f.left, cuts, 1, &cut);
    int a = feed_cut(text, f.left, NULL, 0, &whole);
    cut.len = 0;
    int b = feed_cut(text, f.left, cuts, sizeof cuts, &cut);
    CLAIM(a == b && whole.len == cut.len && (!whole.len || !memcmp(whole.data, cut.data, whole.len)));
    if (a < 0 || memchr(data, 0, len))
        return 0;
    plain_read(text, f.left, &plain);
    CLAIM(plain.len == whole.len && (!plain.len || !memcmp(plain.data, whole.data, plain.len)));
    return 0;
}
