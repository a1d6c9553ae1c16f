/* SPDX-License-Identifier: Apache-2.0 */
/* See bytes.h. */
#include "bytes.h"

#include <string.h>

void add_number(struct buf *b, uint64_t v, unsigned bytes)
{
    for (unsigned i = bytes; i-- > 0;)
        (void)buf_add(b, (uint8_t[]){(uint8_t)(v >> (8 * i))}, 1);
}

void add_number_le(struct buf *b, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        (void)buf_add(b, (uint8_t[]){(uint8_t)(v >> (8 * i))}, 1);
}

void add_text(struct buf *b, const char *s)
{
    (void)buf_add(b, s, strlen(s));
}

void add_zeros(struct buf *b, size_t n)
{
    char *at = buf_reserve(b, n);
    if (!at)
        return;
    memset(at, 0, n);
    buf_grew(b, n);
}

void put_number(struct buf *b, size_t at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes && at + i < b->len; i++)
        b->data[at + i] = (char)(v >> (8 * (bytes - 1 - i)));
}

size_t box_begin(struct buf *b, const char *type)
{
    size_t at = b->len;
    add_number(b, 0, 4);
    add_text(b, type);
    return at;
}

void box_end(struct buf *b, size_t at)
{
    put_number(b, at, b->len - at, 4);
}

size_t chunk_begin(struct buf *b, const char *type)
{
    add_text(b, type);
    add_number(b, 0, 4);
    return b->len;
}

void chunk_end(struct buf *b, size_t at)
{
    size_t len = b->len - at;
    for (unsigned i = 0; i < 4; i++)
        if (!b->error)
            b->data[at - 4 + i] = (char)(len >> (8 * i));
}

size_t find_type(const struct buf *b, const char *type, unsigned n)
{
    for (size_t i = 0; i + 4 <= b->len; i++)
        if (!memcmp(b->data + i, type, 4) && n-- == 0)
            return i;
    return b->len;
}
