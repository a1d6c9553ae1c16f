/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: see text.h. */
#include "base/text.h"

#include <string.h>

size_t utf8_decode(const char *s, size_t len, uint32_t *ret_char)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!len)
        return 0;
    const unsigned char *p = (const unsigned char *)s;
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf8 ? 4 : 0;
    if (!n || n > len)
        return 0;
    uint32_t c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *ret_char = c;
    return n;
}

/* Eight ASCII bytes at a time: most text is. */
static size_t ascii_run(const char *s, size_t len)
{
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t word;
        memcpy(&word, s + i, 8);
        if (word & 0x8080808080808080ull)
            break;
    }
    return i;
}

size_t utf8_valid_prefix(const char *s, size_t len)
{
    size_t i = 0;
    uint32_t c;
    while (i < len) {
        size_t run = ascii_run(s + i, len - i);
        if (!run)
            run = utf8_decode(s + i, len - i, &c);
        if (!run)
            break;
        i += run;
    }
    return i;
}

bool utf8_valid(const char *s, size_t len)
{
    return utf8_valid_prefix(s, len) == len;
}

size_t utf8_encode(uint32_t c, char out[4])
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(n == 1 ? c : (0xf00u >> n & 0xff) | c);
    return n;
}

int buf_add_char(struct buf *b, uint32_t c)
{
    char out[4];
    return buf_add(b, out, utf8_encode(c, out));
}

bool char_acts(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

int buf_add_char_shown(struct buf *b, uint32_t c)
{
    if (c == '\n')
        return buf_add_str(b, "\\n");
    if (c == '\t')
        return buf_add_str(b, "\\t");
    return buf_add_format(b, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
}

int buf_add_shown(struct buf *b, const char *s, size_t max)
{
    size_t len = strlen(s), shown = 0;
    while (len) {
        uint32_t c;
        size_t n = utf8_decode(s, len, &c);
        if (shown++ == max)
            return buf_add_str(b, "…");
        if (!n) {
            (void)buf_add_format(b, "\\x%02x", (unsigned char)*s);
            n = 1;
        } else if (char_acts(c)) {
            (void)buf_add_char_shown(b, c);
        } else {
            (void)buf_add(b, s, n);
        }
        s += n;
        len -= n;
    }
    return b->error;
}

char *copy_new(const char *s)
{
    return s ? strdup(s) : NULL;
}
