/* SPDX-License-Identifier: Apache-2.0 */
/* The sink: see sink.h. Base64 is encoded where it goes, since a picture is most of what a request has. */
#include "lower/sink.h"

#include <stdio.h>
#include <string.h>

#include "base/b64.h"

int sink_flush(struct sink *s)
{
    if (s->error == 0 && s->len > 0)
        s->error = s->write(s->arg, s->room, s->len);
    s->len = 0;
    return s->error;
}

void sink_add(struct sink *s, const char *piece, size_t len)
{
    s->total += len;
    if (len > 0)
        s->last = piece[len - 1];
    while (len > 0 && s->error == 0) {
        size_t n = MIN(len, sizeof s->room - s->len);
        memcpy(s->room + s->len, piece, n);
        s->len += n;
        piece += n;
        len -= n;
        if (s->len == sizeof s->room)
            (void)sink_flush(s);
    }
}

void sink_str(struct sink *s, const char *text)
{
    sink_add(s, text, strlen(text));
}

void sink_span(struct sink *s, struct span value)
{
    sink_add(s, value.at, value.len);
}

static bool needs_escape(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

static void add_escape(struct sink *s, unsigned char c)
{
    static const char short_forms[128] = {['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'};
    char out[8] = {'\\', short_forms[c]};
    if (!short_forms[c])
        (void)snprintf(out, sizeof out, "\\u%04x", c);
    sink_str(s, out);
}

void sink_escaped(struct sink *s, const char *text, size_t len)
{
    size_t from = 0;
    for (size_t i = 0; i < len; i++) {
        if (!needs_escape((unsigned char)text[i]))
            continue;
        sink_add(s, text + from, i - from);
        add_escape(s, (unsigned char)text[i]);
        from = i + 1;
    }
    sink_add(s, text + from, len - from);
}

void sink_quoted(struct sink *s, const char *text, size_t len)
{
    sink_add(s, "\"", 1);
    sink_escaped(s, text, len);
    sink_add(s, "\"", 1);
}

void sink_base64(struct sink *s, const void *data, size_t len)
{
    const uint8_t *from = data;
    while (len > 0 && s->error == 0) {
        size_t groups = (sizeof s->room - s->len) / 4, n = MIN(len, groups * 3);
        if (groups == 0) {
            (void)sink_flush(s);
            continue;
        }
        b64_encode(from, n, s->room + s->len);
        s->len += B64_LEN(n);
        s->total += B64_LEN(n);
        from += n;
        len -= n;
    }
}
