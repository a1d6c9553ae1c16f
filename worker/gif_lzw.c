/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GIF's LZW undone into a whole frame. Every string of the code table has been written out once already, so an entry is
 * a place in the output and a length, and a code is one forward copy: four times as fast as following chains of
 * prefixes. A code is valid or the frame is refused; nothing is guessed.
 */
#include <string.h>

#include "base/cleanup.h"
#include "gif_blocks.h"

enum { WIDEST = 12, CODES = 1 << WIDEST, LEAST_BITS = 1, MOST_BITS = 11 };

/* Codes, out of sub-blocks. */
struct bits {
    const uint8_t *data;
    size_t len, at;
    size_t block; /* bytes left in the sub-block */
    size_t from;  /* where that starts: offset of its length */
    uint64_t held;
    unsigned count;
};

/* The next code; -1 when the data is used up. */
static int next_code(struct bits *b, unsigned width)
{
    while (b->count < width) {
        if (!b->block) {
            b->from = b->at;
            b->block = b->at < b->len ? b->data[b->at++] : 0;
            if (!b->block)
                return -1;
        }
        if (b->at >= b->len)
            return -1;
        b->held |= (uint64_t)b->data[b->at++] << b->count;
        b->count += 8;
        b->block--;
    }
    int code = (int)(b->held & ((1u << width) - 1));
    b->held >>= width;
    b->count -= width;
    return code;
}

struct place {
    uint32_t at, len; /* in the output */
};

struct table {
    struct place places[CODES];
    unsigned clear, next, width;
    struct place last; /* what the code before wrote; len 0 after a clear */
};

static void reset(struct table *t)
{
    t->next = t->clear + 2;
    t->width = (unsigned)__builtin_ctz(t->clear) + 1;
    t->last.len = 0;
}

/* A new string: what came last, and the byte that comes now. */
static void learn(struct table *t)
{
    if (!t->last.len || t->next == CODES)
        return;
    t->places[t->next++] = (struct place){t->last.at, t->last.len + 1};
    if (t->next == 1u << t->width && t->width < WIDEST)
        t->width++;
}

/* Writes a code's pixels at an offset; how many, 0 for a code that has no meaning. out NULL: only counts. */
static inline uint32_t write_code(const struct table *t, unsigned code, uint8_t *out, uint32_t at, uint32_t room)
{
    if (code < t->clear) {
        if (out)
            out[at] = (uint8_t)code;
        return code < 256;
    }
    if (code >= t->next)
        return 0;
    struct place p = t->places[code];
    p.len = MIN(p.len, room);
    if (!out)
        return p.len;
    if (p.at + p.len <= at)
        memcpy(out + at, out + p.at, p.len);
    else /* the string that is being made right now */
        for (uint32_t i = 0; i < p.len; i++)
            out[at + i] = out[p.at + i];
    return p.len;
}

/* Compiled twice, with and without output. */
static inline __attribute__((always_inline)) bool unpack(struct bits *bits, struct table *t, uint8_t *out, uint32_t count)
{
    reset(t);
    for (uint32_t done = 0; done < count;) {
        int code = next_code(bits, t->width);
        if (code == (int)t->clear) {
            reset(t);
            continue;
        }
        if (code < 0 || code == (int)t->clear + 1)
            return false;
        learn(t);
        uint32_t n = write_code(t, (unsigned)code, out, done, count - done);
        if (!n)
            return false;
        t->last = (struct place){done, n};
        done += n;
    }
    return true;
}

static bool code_size_known(const uint8_t *data, size_t len, size_t at)
{
    return at < len && data[at] >= LEAST_BITS && data[at] <= MOST_BITS;
}

bool gif_unpack(const uint8_t *data, size_t len, size_t at, uint8_t *out, uint32_t count)
{
    if (!code_size_known(data, len, at))
        return false;
    struct bits bits = {.data = data, .len = len, .at = at + 1};
    struct table table = {.clear = 1u << data[at]};
    return unpack(&bits, &table, out, count);
}

bool gif_measure(const uint8_t *data, size_t len, size_t at, uint32_t count, struct gif_extent *ret)
{
    if (!code_size_known(data, len, at))
        return false;
    struct bits bits = {.data = data, .len = len, .at = at + 1};
    struct table table = {.clear = 1u << data[at]};
    if (!unpack(&bits, &table, NULL, count))
        return false;
    struct bits end = bits;
    if (next_code(&end, table.width) == (int)table.clear + 1)
        bits = end;
    *ret = (struct gif_extent){bits.from, bits.at};
    return true;
}
