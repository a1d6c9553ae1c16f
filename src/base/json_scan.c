/* SPDX-License-Identifier: Apache-2.0 */
/* Scanning JSON in place. A record of a thousand turns is lowered by copying spans of it, so a value is found by its brackets
 * and quotes alone, and only what is asked for is looked at more closely. */
#include <errno.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/json_size.h"
#include "base/limits.h"
#include "base/text.h"

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* Behind a string, or NULL where it does not end. */
static const char *string_end(const char *at, const char *end)
{
    size_t len = (size_t)(end - at), stop = json_string_end(at, len, 1), slashes = 0;
    if (stop < 2 || at[stop - 1] != '"')
        return NULL;
    while (at[stop - 2 - slashes] == '\\')
        slashes++;
    return slashes % 2 == 0 ? at + stop : NULL;
}

/* Behind an array or object, by its brackets: what is in between is judged when it is entered. */
static const char *nest_end(const char *at, const char *end)
{
    unsigned depth = 0;
    while (at && at < end) {
        if (*at == '"') {
            at = string_end(at, end);
            continue;
        }
        if ((*at == '{' || *at == '[') && ++depth > LIMIT_JSON_SCAN_DEPTH)
            return NULL;
        if ((*at == '}' || *at == ']') && --depth == 0)
            return at + 1;
        at++;
    }
    return NULL;
}

static const char *word_end(const char *at, const char *end)
{
    const char *from = at;
    while (at < end && *at > ' ' && *at != ',' && *at != ']' && *at != '}')
        at++;
    return at > from ? at : NULL;
}

static const char *value_end(const char *at, const char *end)
{
    if (at >= end)
        return NULL;
    return *at == '"' ? string_end(at, end) : *at == '{' || *at == '[' ? nest_end(at, end) : word_end(at, end);
}

bool span_value(const char *text, size_t len, struct span *ret)
{
    const char *end = text + len, *at = skip_blanks(text, end), *stop = value_end(at, end);
    if (!stop)
        return false;
    *ret = (struct span){at, (size_t)(stop - at)};
    return true;
}

static struct span_walk walk(const char *at, const char *end)
{
    if (at >= end || (*at != '{' && *at != '['))
        return (struct span_walk){.bad = true};
    return (struct span_walk){.at = at + 1, .end = end, .close = *at == '{' ? '}' : ']'};
}

struct span_walk span_enter(struct span value)
{
    return value.len ? walk(value.at, value.at + value.len) : (struct span_walk){0};
}

struct span_walk span_inner(const struct span_walk *w)
{
    return walk(w->at, w->end);
}

static bool walk_bad(struct span_walk *w)
{
    w->bad = true;
    return false;
}

static bool next_name(struct span_walk *w)
{
    const char *stop = w->at < w->end && *w->at == '"' ? string_end(w->at, w->end) : NULL;
    if (!stop)
        return false;
    w->key = (struct span){w->at + 1, (size_t)(stop - w->at) - 2};
    w->at = skip_blanks(stop, w->end);
    if (w->at >= w->end || *w->at != ':')
        return false;
    w->at = skip_blanks(w->at + 1, w->end);
    return true;
}

bool span_key(struct span_walk *w)
{
    if (w->bad || !w->at)
        return false;
    w->at = skip_blanks(w->at, w->end);
    if (w->at >= w->end)
        return walk_bad(w);
    if (*w->at == w->close)
        return false;
    if (w->begun) {
        if (*w->at != ',')
            return walk_bad(w);
        w->at = skip_blanks(w->at + 1, w->end);
    }
    w->begun = true;
    return w->close != '}' || next_name(w) || walk_bad(w);
}

bool span_take(struct span_walk *w)
{
    const char *stop = value_end(w->at, w->end);
    if (!stop)
        return walk_bad(w);
    w->value = (struct span){w->at, (size_t)(stop - w->at)};
    w->at = stop;
    return true;
}

bool span_outer(struct span_walk *w, const struct span_walk *inner)
{
    if (inner->bad || inner->at >= inner->end || *inner->at != inner->close)
        return walk_bad(w);
    w->at = inner->at + 1;
    return true;
}

bool span_next(struct span_walk *w)
{
    return span_key(w) && span_take(w);
}

bool span_is_any(struct span s, const char *const *words)
{
    for (; words && *words; words++)
        if (span_is(s, *words))
            return true;
    return false;
}

struct span span_member(struct span object, const char *name)
{
    struct span_walk w = span_enter(object);
    while (span_next(&w))
        if (span_is_object(&w) && span_is(w.key, name))
            return w.value;
    return (struct span){0};
}

uint64_t span_hash(struct span s)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < s.len; i++)
        hash = (hash ^ (uint8_t)s.at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

bool span_is_string(struct span value)
{
    return value.len >= 2 && value.at[0] == '"' && value.at[value.len - 1] == '"';
}

struct span span_inside(struct span value)
{
    return span_is_string(value) ? (struct span){value.at + 1, value.len - 2} : (struct span){0};
}

bool span_int(struct span value, int64_t *ret)
{
    int64_t n = 0;
    size_t i = value.len && value.at[0] == '-';
    if (i >= value.len)
        return false;
    for (; i < value.len; i++) {
        int digit = value.at[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(n, 10, &n) || __builtin_sub_overflow(n, digit, &n))
            return false;
    }
    if (value.at[0] != '-' && n == INT64_MIN)
        return false;
    *ret = value.at[0] == '-' ? n : -n;
    return true;
}

bool span_true(struct span value)
{
    return span_is(value, "true");
}

/* ---------------------------------------------------------------- strings */

static bool hex4(const char *at, const char *end, uint32_t *ret)
{
    uint32_t n = 0;
    if (end - at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef", *found = at[i] ? strchr(digits, at[i] | 0x20) : NULL;
        if (!found)
            return false;
        n = n << 4 | (uint32_t)(found - digits);
    }
    *ret = n;
    return true;
}

static int add_utf8(struct buf *to, uint32_t c)
{
    char out[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(c | lead[n]);
    return buf_add(to, out, n);
}

/* \uXXXX, or two of them that are one letter; half of such a pair becomes U+FFFD. Returns behind it, NULL when it is none. */
static const char *add_escaped(const char *at, const char *end, struct buf *to)
{
    uint32_t c, low;
    if (!hex4(at, end, &c))
        return NULL;
    at += 4;
    if (c >= 0xd800 && c < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u' && hex4(at + 2, end, &low) &&
        low >= 0xdc00 && low < 0xe000) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
    }
    (void)add_utf8(to, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
    return at;
}

int span_text(struct span value, struct buf *to)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    struct span in = span_inside(value);
    if (!span_is_string(value))
        return -EINVAL;
    for (const char *at = in.at, *end = in.at + in.len; at < end;) {
        const char *slash = memchr(at, '\\', (size_t)(end - at));
        (void)buf_add(to, at, (size_t)((slash ? slash : end) - at));
        if (!slash)
            break;
        at = slash + 1;
        const char *name = at < end && *at ? strchr(names, *at) : NULL;
        if (name) {
            (void)buf_add(to, &meant[name - names], 1);
            at++;
        } else if (at >= end || *at != 'u' || !(at = add_escaped(at + 1, end, to))) {
            return -EINVAL;
        }
    }
    return to->error;
}

char *span_text_new(struct span value)
{
    auto_buf b = BUF_INIT(value.len + 1);
    return span_text(value, &b) == 0 ? buf_take(&b) : NULL;
}
