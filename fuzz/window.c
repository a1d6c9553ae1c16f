/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window of lines that `read` shows, out of any bytes: what is no text is said to be none, at the byte where it stops being; else the
 * lines, their count and what did not fit are what a reader says that has the whole text at once; and it makes no difference where
 * the bytes are cut. The first bytes say which lines, how much room there is, the pieces, and how often the rest is repeated.
 * about: src/source/lines.c src/source/lines_window.c
 * max_len: 16384
 */
#include "fuzz.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "base/text.h"
#include "source/lines.h"

enum { LITTLE = 1, BIG = 2, MOST = 64 * KIB };

/* The whole text as UTF-8. Returns 0, or the place of the first byte that is none, counted from 1. */
static uint64_t whole_text(const uint8_t *s, size_t len, struct buf *to, uint32_t *ret_encoding)
{
    size_t at = len >= 3 && !memcmp(s, "\xef\xbb\xbf", 3) ? 3 : 0;
    *ret_encoding = len >= 2 && s[0] == 0xff && s[1] == 0xfe ? LITTLE : len >= 2 && s[0] == 0xfe && s[1] == 0xff ? BIG : 0;
    for (at += *ret_encoding ? 2 : 0; at < len;) {
        uint32_t c = s[at], low;
        size_t n = 1;
        if (!*ret_encoding) {
            static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
            n = c < 0x80 ? 1 : c >= 0xc0 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf8 ? 4 : 0;
            c = n > 1 ? c & (0xffu >> (n + 1)) : c;
            for (size_t i = 1; n && i < n; i++) {
                if (at + i >= len || (s[at + i] & 0xc0) != 0x80)
                    return at + 1;
                c = c << 6 | (s[at + i] & 0x3f);
            }
            if (!n || c < least[n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
                return at + 1;
        } else {
            unsigned lo = *ret_encoding == BIG;
            n = 2;
            if (at + 2 > len)
                return at + 1;
            c = s[at + lo] | (uint32_t)s[at + !lo] << 8;
            if (c >= 0xdc00 && c < 0xe000)
                return at + 1;
            if (c >= 0xd800 && c < 0xdc00) {
                n = 4;
                if (at + 4 > len)
                    return at + 1;
                low = s[at + 2 + lo] | (uint32_t)s[at + 2 + !lo] << 8;
                if (low < 0xdc00 || low >= 0xe000)
                    return at + 1;
                c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
            }
        }
        if (!c)
            return at + 1;
        char out[4];
        (void)buf_add(to, out, utf8_encode(c, out));
        at += n;
    }
    CLAIM(!to->error);
    return 0;
}

static uint64_t count(const char *s, size_t len)
{
    uint64_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += s[i] == '\n';
    return n;
}

/* Where the line of that number begins, or the end. */
static size_t start_of(const struct buf *text, uint64_t line)
{
    size_t at = 0;
    for (; line > 1 && at < text->len; line--) {
        const char *end = memchr(text->data + at, '\n', text->len - at);
        at = end ? (size_t)(end - text->data) + 1 : text->len;
    }
    return at;
}

static void claim_window(const struct buf *text, uint64_t first, uint64_t limit, size_t room, const uint8_t *shown, const struct snapshot_lines *r)
{
    uint64_t total = count(text->data, text->len) + (text->len && text->data[text->len - 1] != '\n');
    size_t from = start_of(text, first), to = MAX(start_of(text, first + limit), from);
    const char *window = text->data + from;
    uint64_t size = to - from, last = MIN(first + limit - 1, total), lost = 0;
    bool cut = size > room;
    if (cut) {
        const char *end = room ? memrchr(window, '\n', room) : NULL;
        size = end ? (uint64_t)(end - window) + 1 : room;
        last = end ? first + count(window, size) - 1 : first;
        while (!end && size && ((unsigned char)window[size] & 0xc0) == 0x80)
            size--;
        lost = end ? 0 : strcspn(window, "\n") - size;
    }
    bool some = limit && first <= total;
    CLAIM(r->total_lines == total && r->first == (some ? first : 0) && r->last == (some ? last : 0));
    CLAIM(r->cut == cut && r->cut_bytes == lost);
    CLAIM(r->window.size == size && !memcmp(shown, window, size));
}

struct ask {
    uint64_t first, limit;
    size_t room;
};

static bool run(const struct ask *a, const uint8_t *data, size_t len, const uint8_t cuts[4], uint8_t *shown, struct snapshot_lines *ret)
{
    struct lines l;
    bool fine = true;
    lines_init(&l, shown, a->room, a->first, a->limit);
    for (size_t at = 0, n, i = 0; at < len && fine; at += n, i++) {
        n = MIN(cuts ? 1u + cuts[i % 4] * cuts[i % 4] / 16u : len, len - at);
        uint8_t *piece = malloc(n);
        CLAIM(piece);
        memcpy(piece, data + at, n);
        fine = lines_add(&l, piece, n);
        free(piece);
    }
    *ret = (struct snapshot_lines){0};
    lines_end(&l, ret);
    CLAIM(fine || ret->bad_at);
    return !ret->bad_at;
}

static void check(const struct ask *a, const struct buf *bytes, const uint8_t cuts[4])
{
    auto_buf text = BUF_INIT(MIB);
    struct snapshot_lines whole, cut;
    uint32_t encoding;
    uint8_t hash[SHA256_LEN];
    const uint8_t *data = bytes->len ? (const uint8_t *)bytes->data : (const uint8_t *)"";
    auto_free uint8_t *one = malloc(a->room + 1), *two = malloc(a->room + 1);
    CLAIM(one && two);
    uint64_t bad = whole_text(data, bytes->len, &text, &encoding);
    bool fine = run(a, data, bytes->len, NULL, one, &whole);
    CLAIM(run(a, data, bytes->len, cuts, two, &cut) == fine);
    CLAIM(whole.bad_at == bad && cut.bad_at == bad);
    if (bad)
        return;
    CLAIM(buf_add(&text, "", 1) == 0);
    text.len--;
    sha256(data, bytes->len, hash);
    CLAIM(whole.encoding == encoding && !memcmp(whole.sha256, hash, sizeof hash));
    CLAIM(cut.encoding == encoding && !memcmp(cut.sha256, hash, sizeof hash));
    claim_window(&text, a->first, a->limit, a->room, one, &whole);
    claim_window(&text, a->first, a->limit, a->room, two, &cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    struct ask a = {.first = 1u + feed_u8(&f), .limit = feed_u8(&f)};
    uint8_t cuts[4];
    auto_buf bytes = BUF_INIT(MOST);
    a.room = (size_t)feed_u8(&f) * 16u;
    feed_take(&f, cuts, sizeof cuts);
    unsigned times = 1u + feed_u8(&f) % 64;
    a.room += times > 32 ? feed_u8(&f) * 64u : 0;
    for (unsigned i = 0; i < times && bytes.len + f.left < MOST; i++)
        (void)buf_add(&bytes, f.at, f.left);
    check(&a, &bytes, cuts);
    return 0;
}
