/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: see stream.h. Pieces may end anywhere, also within a character. */
#include "stream.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "out.h"

/* More bytes may make a character of these. */
static bool is_beginning(const char *s, size_t len)
{
    unsigned char c = (unsigned char)*s;
    size_t want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 1;
    if (c == '\r')
        return len == 1;
    for (size_t i = 1; i < len && i < want; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return false;
    return c < 0xf5 && len < want;
}

static bool stays(uint32_t c)
{
    return c == '\n' || c == '\t' || c == 0x200c || c == 0x200d || !char_acts(c);
}

size_t buf_add_visible(struct buf *b, const char *s, size_t len, bool last)
{
    size_t at = 0;
    while (at < len) {
        uint32_t c;
        size_t n = utf8_decode(s + at, len - at, &c);
        if (!last && is_beginning(s + at, len - at))
            break;
        if (!n)
            (void)buf_add_format(b, "\\x%02x", (unsigned char)s[at]);
        else if (stays(c))
            (void)buf_add(b, s + at, n);
        else if (c != '\r' || at + 1 == len || s[at + 1] != '\n')
            (void)buf_add_char_shown(b, c);
        at += n ? n : 1;
    }
    return at;
}

static void show(struct stream *s, const char *text, size_t len, bool last)
{
    auto_buf all = BUF_INIT(LIMIT_CLI_ANSWER), b = BUF_INIT(LIMIT_CLI_ANSWER);
    (void)buf_add(&all, s->rest, s->n_rest);
    (void)buf_add(&all, text, len);
    s->n_rest = 0;
    if (all.error || !all.len)
        return;
    size_t taken = buf_add_visible(&b, all.data, all.len, last);
    s->n_rest = MIN(all.len - taken, sizeof s->rest);
    memcpy(s->rest, all.data + taken, s->n_rest);
    if (b.error || !b.len)
        return;
    waiting_hush(s->waiting, true);
    s->any = true;
    s->open = b.data[b.len - 1] != '\n';
    (void)out(b.data, b.len);
}

void stream_end(struct stream *s)
{
    show(s, "", 0, true);
    if (s->open)
        (void)out("\n", 1);
    s->open = false;
}

void stream_text(void *arg, const char *piece, size_t len)
{
    show(arg, piece, len, false);
}
