/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte buffer with a ceiling: see buf.h. */
#include "base/buf.h"

#include <stdarg.h>

void buf_done(struct buf *b)
{
    if (!b)
        return;
    free(b->data);
    *b = (struct buf){.ceiling = b->ceiling};
}

static int fail(struct buf *b, int code)
{
    if (!b->error)
        b->error = code;
    return b->error;
}

/* Doubling keeps appends linear; the NUL has a place of its own. */
static int grow(struct buf *b, size_t more)
{
    size_t want;
    if (b->error)
        return b->error;
    if (__builtin_add_overflow(b->len, more, &want) || want > b->ceiling)
        return fail(b, -EFBIG);
    if (want < b->room)
        return 0;
    size_t room = MAX(MIN(b->room * 2, b->ceiling), want) + 1;
    char *data = realloc(b->data, MAX(room, (size_t)64));
    if (!data)
        return fail(b, -ENOMEM);
    b->data = data;
    b->room = MAX(room, (size_t)64);
    return 0;
}

char *buf_reserve(struct buf *b, size_t len)
{
    return grow(b, len) < 0 ? NULL : b->data + b->len;
}

void buf_grew(struct buf *b, size_t len)
{
    b->len += len;
    b->data[b->len] = '\0';
}

int buf_add(struct buf *b, const void *data, size_t len)
{
    char *to = buf_reserve(b, len);
    if (!to)
        return b->error;
    if (len)
        memcpy(to, data, len);
    buf_grew(b, len);
    return 0;
}

int buf_add_piece(const char *data, size_t len, void *b)
{
    return buf_add(b, data, len);
}

int buf_add_str(struct buf *b, const char *s)
{
    return buf_add(b, s, strlen(s));
}

int buf_add_vformat(struct buf *b, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    char *to = len < 0 ? NULL : buf_reserve(b, (size_t)len);
    if (to) {
        (void)vsnprintf(to, (size_t)len + 1, format, again);
        buf_grew(b, (size_t)len);
    } else if (len < 0) {
        (void)fail(b, -EINVAL);
    }
    va_end(again);
    return b->error;
}

int buf_add_format(struct buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = buf_add_vformat(b, format, args);
    va_end(args);
    return r;
}

char *buf_take(struct buf *b)
{
    if (b->error || (!b->data && buf_add(b, "", 0) < 0))
        return NULL;
    char *data = take(b->data);
    b->len = b->room = 0;
    return data;
}
