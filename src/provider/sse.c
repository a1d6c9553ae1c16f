/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Server-sent events as the HTML standard has them: lines end in CR, LF or both; a blank line ends an event; "data" lines
 * join with a line feed; comments and unknown fields are passed over. Ids and reconnection times mean nothing here.
 */
#include "provider/sse.h"

#include <errno.h>
#include <string.h>

#include "base/limits.h"

void sse_init(struct sse *s)
{
    *s = (struct sse){
        .line = BUF_INIT(LIMIT_SSE_EVENT),
        .name = BUF_INIT(LIMIT_SSE_NAME),
        .data = BUF_INIT(LIMIT_SSE_EVENT),
    };
}

void sse_done(struct sse *s)
{
    if (!s)
        return;
    buf_done(&s->line);
    buf_done(&s->name);
    buf_done(&s->data);
}

/* Empties without giving the memory back: the next line is as long. */
static void rewind_buf(struct buf *b)
{
    b->len = 0;
    if (b->data)
        b->data[0] = '\0';
}

static int dispatch(struct sse *s, sse_handler *on, void *ctx)
{
    int r = 0;
    if (s->has_data)
        r = on(ctx, s->name.len ? s->name.data : "message", s->data.data ? s->data.data : "", s->data.len);
    rewind_buf(&s->name);
    rewind_buf(&s->data);
    s->has_data = false;
    return r;
}

static int take_field(struct sse *s, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len);
    size_t name = colon ? (size_t)(colon - line) : len;
    const char *value = colon ? colon + 1 : line + len;
    size_t left = len - (size_t)(value - line);
    if (left && *value == ' ') {
        value++;
        left--;
    }
    if (name == 5 && !memcmp(line, "event", 5)) {
        rewind_buf(&s->name);
        return buf_add(&s->name, value, left);
    }
    if (name == 4 && !memcmp(line, "data", 4)) {
        if (s->has_data)
            (void)buf_add(&s->data, "\n", 1);
        s->has_data = true;
        return buf_add(&s->data, value, left);
    }
    return 0;
}

static int take_line(struct sse *s, sse_handler *on, void *ctx)
{
    const char *line = s->line.data ? s->line.data : "";
    size_t len = s->line.len;
    if (!s->started && len >= 3 && !memcmp(line, "\xef\xbb\xbf", 3)) {
        line += 3;
        len -= 3;
    }
    s->started = true;
    int r = len ? take_field(s, line, len) : dispatch(s, on, ctx);
    rewind_buf(&s->line);
    return r;
}

int sse_feed(struct sse *s, const char *bytes, size_t len, sse_handler *on, void *ctx)
{
    const char *end = bytes + len;
    while (bytes < end) {
        if (s->after_cr && *bytes == '\n')
            bytes++;
        s->after_cr = false;
        const char *stop = bytes;
        while (stop < end && *stop != '\n' && *stop != '\r')
            stop++;
        if (buf_add(&s->line, bytes, (size_t)(stop - bytes)) < 0)
            return s->line.error;
        if (stop == end)
            return 0;
        s->after_cr = *stop == '\r';
        bytes = stop + 1;
        int r = take_line(s, on, ctx);
        if (r)
            return r;
    }
    return 0;
}

int sse_end(struct sse *s, sse_handler *on, void *ctx)
{
    return s->line.len ? 0 : dispatch(s, on, ctx);
}
