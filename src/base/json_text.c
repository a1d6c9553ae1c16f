/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text: see json_text.h. Runs of plain characters are copied at once. */
#include "base/json_text.h"

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/b64.h"
#include "base/text.h"

static int add_escaped(struct buf *b, unsigned char c)
{
    static const char short_forms[128] = {['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'};
    if (short_forms[c])
        return buf_add(b, (char[]){'\\', short_forms[c]}, 2);
    return buf_add_format(b, "\\u%04x", c);
}

/* How many bytes stand for themselves: ASCII that needs no escape, and whole characters beyond it. */
static size_t plain_run(const char *s, size_t len)
{
    size_t n = 0;
    uint32_t c;
    while (n < len) {
        unsigned char u = (unsigned char)s[n];
        size_t step = u < 0x80 ? u >= 0x20 && u != '"' && u != '\\' && u != 0x7f : utf8_decode(s + n, len - n, &c);
        if (!step)
            break;
        n += step;
    }
    return n;
}

int buf_add_json(struct buf *b, const char *s, size_t len)
{
    (void)buf_add(b, "\"", 1);
    while (len && !b->error) {
        size_t n = plain_run(s, len);
        (void)buf_add(b, s, n);
        s += n;
        len -= n;
        if (!len)
            break;
        if ((unsigned char)*s < 0x80)
            (void)add_escaped(b, (unsigned char)*s);
        else
            (void)buf_add_str(b, "\xef\xbf\xbd");
        s++;
        len--;
    }
    return buf_add(b, "\"", 1);
}

int buf_add_json_str(struct buf *b, const char *s)
{
    return buf_add_json(b, s, strlen(s));
}

/* What stands between the digits of a number is the locale's point, of one byte or more. */
static void plain_point(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        size_t n = strcspn(from, "+-0123456789e");
        if (n)
            *to++ = '.';
        else
            *to++ = *from;
        from += n ? n : 1;
    }
    *to = '\0';
}

int buf_add_rounded(struct buf *b, double v, int digits)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.*g", digits, v);
    plain_point(text);
    return buf_add_str(b, text);
}

int buf_add_fixed(struct buf *b, double v, int decimals)
{
    char text[384]; /* 309 digits before the point at most */
    (void)snprintf(text, sizeof text, "%.*f", MIN(decimals, 32), v);
    plain_point(text);
    return buf_add_str(b, text);
}

int buf_add_reals(struct buf *b, const double *v, size_t n, const char *between)
{
    for (size_t i = 0; i < n; i++) {
        (void)buf_add_str(b, i ? between : "");
        (void)buf_add_rounded(b, v[i], REAL_MOST_DIGITS);
    }
    return b->error;
}

/* libc has this locale ready, and gives it without asking for memory. */
double real_read(const char *text, char **ret_end)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) {
        if (ret_end)
            *ret_end = (char *)(uintptr_t)text; /* as where there is no number */
        return 0;
    }
    double v = strtod_l(text, ret_end, plain);
    freelocale(plain);
    return v;
}

int buf_add_real(struct buf *b, double v)
{
    char text[40];
    int digits = REAL_SURE_DIGITS;
    do
        (void)snprintf(text, sizeof text, "%.*g", digits, v);
    while (strtod(text, NULL) != v && ++digits <= REAL_MOST_DIGITS); /* in the locale that wrote it */
    plain_point(text);
    (void)buf_add_str(b, text);
    return strpbrk(text, ".e") ? b->error : buf_add_str(b, ".0");
}

int buf_add_base64(struct buf *b, const void *data, size_t len)
{
    char *to = buf_reserve(b, B64_LEN(len));
    if (!to)
        return b->error;
    b64_encode(data, len, to);
    buf_grew(b, B64_LEN(len));
    return 0;
}
