/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text window: see lines.h. Bytes are hashed, checked and (for UTF-16) turned into UTF-8, a small block at a time
 * so that each stays in the nearest cache; in the same pass its line ends are counted, which is all that
 * lines_window.c needs to know of most blocks.
 */
#include "source/lines.h"


#include "base/cleanup.h"
#include "base/limits.h"
#include "base/text.h"

enum { UTF8, UTF16LE, UTF16BE };

#define BLOCK ((size_t)4080) /* 255 vectors: as many as one lane can count */

typedef uint8_t vec __attribute__((vector_size(16)));

struct census {
    size_t line_ends;
    bool plain; /* ASCII without NUL */
};

static size_t sum(const vec *v)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof *v; i++)
        n += (*v)[i];
    return n;
}

/* Line ends and special bytes of a block in one pass; len is at most BLOCK, so no lane overflows. */
static struct census take_census(const uint8_t *data, size_t len)
{
    vec ends = {0}, high = {0}, nul = {0};
    size_t i = 0;
    _Static_assert(BLOCK / sizeof(vec) <= 255, "a lane cannot overflow");
    for (; i + sizeof(vec) <= len; i += sizeof(vec)) {
        vec v;
        memcpy(&v, data + i, sizeof v);
        ends -= (vec)(v == '\n');
        high |= v;
        nul |= (vec)(v == 0);
    }
    struct census c = {.line_ends = sum(&ends)};
    uint8_t highs = 0, nuls = 0;
    for (size_t k = 0; k < sizeof(vec); k++) {
        highs |= high[k];
        nuls |= nul[k];
    }
    for (; i < len; i++) {
        c.line_ends += data[i] == '\n';
        highs |= data[i];
        nuls |= (uint8_t)(data[i] == 0);
    }
    c.plain = !(highs & 0x80) && !nuls;
    return c;
}

/* Could these last bytes of a block be the start of a character? With any ending: then with the least one. */
static bool is_begun(const uint8_t *s, size_t len)
{
    uint8_t whole[4] = {0x80, 0x80, 0x80, 0x80};
    uint32_t c;
    memcpy(whole, s, len);
    if (len == 1)
        return *s >= 0xc2 && *s <= 0xf4;
    return len < 4 && *s >= 0xc2 && utf8_decode((const char *)whole, sizeof whole, &c) > len;
}

/* How many bytes of text from here are good; the first bad one, if any, is noted. at: their offset in the file. */
static size_t check_utf8(struct lines *l, const uint8_t *s, size_t len, uint64_t at)
{
    const uint8_t *nul = memchr(s, 0, len);
    size_t until = nul ? (size_t)(nul - s) : len;
    size_t good = utf8_valid_prefix((const char *)s, until);
    if (good < len && (nul || !is_begun(s + good, MIN(len - good, (size_t)4))))
        l->bad_at = at + good + 1;
    return good;
}

static void keep(struct lines *l, const uint8_t *s, size_t len)
{
    memcpy(l->carry, s, len);
    l->carry_len = (uint32_t)len;
}

/* A character split between two pieces is put together and goes first. Returns how many bytes of s it took. */
static size_t finish_carry(struct lines *l, const uint8_t *s, size_t len, uint64_t at)
{
    uint8_t whole[4];
    size_t had = l->carry_len, used = 0;
    if (!had)
        return 0;
    memcpy(whole, l->carry, had);
    while (had + used < 4 && used < len && (s[used] & 0xc0) == 0x80) {
        whole[had + used] = s[used];
        used++;
    }
    l->carry_len = 0;
    size_t good = check_utf8(l, whole, had + used, at - had);
    if (!l->bad_at && good < had + used) {
        if (used < len)
            l->bad_at = at - had + good + 1;
        else
            keep(l, whole, had + used);
        return used;
    }
    lines_add_text(l, whole, good, 0);
    return used;
}

static void add_utf8(struct lines *l, const uint8_t *s, size_t len, uint64_t at)
{
    size_t used = finish_carry(l, s, len, at);
    for (s += used, len -= used, at += used; len && !l->bad_at;) {
        size_t n = MIN(len, BLOCK), good = n;
        struct census c = take_census(s, n);
        if (!c.plain)
            good = check_utf8(l, s, n, at);
        if (l->bad_at)
            return;
        lines_add_text(l, s, good, c.line_ends);
        if (n == len && good < n)
            keep(l, s + good, n - good);
        n = n == len ? n : good; /* a character cut by the block, not by the piece, starts the next block */
        s += n;
        len -= n;
        at += n;
    }
}

static uint32_t unit(const struct lines *l, const uint8_t *s)
{
    return l->encoding == UTF16LE ? s[0] | (uint32_t)s[1] << 8 : s[1] | (uint32_t)s[0] << 8;
}

/* One character of UTF-16: its length, 0 when more bytes are needed; NUL and half surrogates come back as 0. */
static size_t utf16_char(const struct lines *l, const uint8_t *s, size_t len, uint32_t *ret)
{
    if (len < 2)
        return 0;
    uint32_t c = unit(l, s);
    *ret = c >= 0xdc00 && c < 0xe000 ? 0 : c;
    if (c < 0xd800 || c >= 0xdc00)
        return 2;
    if (len < 4)
        return 0;
    uint32_t low = unit(l, s + 2);
    *ret = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0;
    return 4;
}

static void add_utf16(struct lines *l, const uint8_t *s, size_t len, uint64_t at)
{
    char out[BLOCK + 4];
    size_t n = 0, ends = 0;
    while (len && !l->bad_at) {
        uint8_t whole[4];
        size_t had = l->carry_len, more = MIN(sizeof whole - had, len);
        memcpy(whole, l->carry, had);
        memcpy(whole + had, s, more);
        uint32_t c = 0;
        size_t used = utf16_char(l, whole, had + more, &c);
        if (!used) {
            keep(l, whole, had + more);
            break;
        }
        l->carry_len = 0;
        if (!c)
            l->bad_at = at - had + 1;
        n += utf8_encode(c, out + n);
        ends += c == '\n';
        s += used - had;
        len -= used - had;
        at += used - had;
        if (n >= BLOCK || c == '\n') {
            lines_add_text(l, (const uint8_t *)out, n, ends);
            n = ends = 0;
        }
    }
    if (!l->bad_at)
        lines_add_text(l, (const uint8_t *)out, n, ends);
}

/* How many of the first bytes are a byte order mark, and what it says. */
static size_t read_mark(struct lines *l, const uint8_t *s, size_t len)
{
    if (len >= 3 && !memcmp(s, "\xef\xbb\xbf", 3))
        return 3;
    if (len >= 2 && !memcmp(s, "\xff\xfe", 2))
        l->encoding = UTF16LE;
    else if (len >= 2 && !memcmp(s, "\xfe\xff", 2))
        l->encoding = UTF16BE;
    return l->encoding ? 2 : 0;
}

/* ---------------------------------------------------------------- */

void lines_init(struct lines *l, uint8_t *text, size_t room, uint64_t offset, uint64_t limit)
{
    *l = (struct lines){.first = MAX(offset, (uint64_t)1), .text = text, .room = room, .line = 1};
    if (__builtin_add_overflow(l->first, limit, &l->end))
        l->end = UINT64_MAX;
    sha256_init(&l->sha);
}

static void add_bytes(struct lines *l, const uint8_t *data, size_t len, uint64_t at)
{
    if (l->encoding == UTF8)
        add_utf8(l, data, len, at);
    else
        add_utf16(l, data, len, at);
}

/* Before the third byte a mark cannot be told from text, so the first pieces are kept back if they are that short. */
static void add_first(struct lines *l, const uint8_t *data, size_t len)
{
    uint8_t start[4];
    size_t had = l->carry_len, more = MIN(sizeof start - had, len);
    memcpy(start, l->carry, had);
    memcpy(start + had, data, more);
    if (had + len < 3) {
        keep(l, start, had + len);
        return;
    }
    size_t mark = read_mark(l, start, had + more);
    l->started = true;
    l->carry_len = 0;
    if (mark < had)
        add_bytes(l, start + mark, had - mark, mark);
    size_t skip = mark > had ? mark - had : 0;
    add_bytes(l, data + skip, len - skip, had + skip);
}

bool lines_add(struct lines *l, const uint8_t *data, size_t len)
{
    if (l->bad_at)
        return false;
    sha256_add(&l->sha, data, len);
    if (l->started)
        add_bytes(l, data, len, l->fed);
    else
        add_first(l, data, len);
    l->fed += len;
    return !l->bad_at;
}

/* A file of one or two bytes was kept back until now; one that ends inside a character is no text. */
static void finish(struct lines *l)
{
    uint8_t kept[4];
    uint32_t n = l->carry_len;
    memcpy(kept, l->carry, n);
    if (!l->started) {
        l->carry_len = 0;
        size_t mark = read_mark(l, kept, n);
        add_utf8(l, kept + mark, n - mark, mark);
    }
    if (l->carry_len && !l->bad_at)
        l->bad_at = l->fed - l->carry_len + 1;
}

void lines_end(struct lines *l, struct snapshot_lines *ret)
{
    if (!l->bad_at)
        finish(l);
    uint64_t size = l->cut ? lines_trim(l) : l->written;
    sha256_end(&l->sha, ret->sha256);
    ret->total_lines = l->line - 1 + l->open;
    uint64_t last = MIN(l->end - 1, ret->total_lines);
    if (l->cut)
        last = MIN(last, l->first + MAX(l->whole_lines, (uint64_t)1) - 1);
    bool some = l->first <= last;
    ret->first = some ? l->first : 0;
    ret->last = some ? last : 0;
    ret->cut = l->cut;
    ret->cut_bytes = l->cut && !l->whole ? l->written - size + l->beyond : 0;
    ret->bad_at = l->bad_at;
    ret->encoding = l->encoding;
    ret->window.size = size;
}
