/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heads: see fetch_answer.h. libcurl reads them too, more kindly; these checks come first, so that two readings of one
 * head never lead to two bodies. Only the headers that decide about the body or the next hop are looked at.
 */
#include "source/fetch_answer.h"

#include <string.h>

#include "base/cleanup.h"

struct field {
    const char *at;
    size_t len;
};

static bool is(struct field f, const char *word)
{
    return f.len == strlen(word) && !strncasecmp(f.at, word, f.len);
}

static enum net_reason take_length(struct answer *a, struct field v)
{
    uint64_t n = 0;
    if (!v.len)
        return NET_HTTP_STATUS;
    for (size_t i = 0; i < v.len; i++) {
        if (v.at[i] < '0' || v.at[i] > '9')
            return NET_HTTP_STATUS;
        if (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, (unsigned)(v.at[i] - '0'), &n))
            return NET_HTTP_STATUS;
    }
    if (n > INT64_MAX || (a->has_length && n != a->length))
        return NET_HTTP_STATUS;
    a->has_length = true;
    a->length = n;
    return NET_OK;
}

static enum net_reason take_transfer(struct answer *a, struct field v)
{
    if (a->chunked)
        return NET_HTTP_STATUS;
    if (!is(v, "chunked"))
        return NET_ENCODING;
    a->chunked = true;
    return NET_OK;
}

static enum net_reason take_encoding(struct answer *a, struct field v)
{
    if (v.len && !is(v, "identity"))
        a->coded = true;
    return NET_OK;
}

static enum net_reason take_location(struct answer *a, struct field v)
{
    if (memchr(v.at, '\r', v.len))
        return NET_URL_SYNTAX;
    a->locations++;
    a->location_len = MIN(v.len, sizeof a->location - 1);
    memcpy(a->location, v.at, a->location_len);
    a->location[a->location_len] = '\0';
    return NET_OK;
}

static const struct {
    const char *name;
    enum net_reason (*read)(struct answer *a, struct field v);
    enum net_reason folded; /* when its value goes on in the next line */
} fields[] = {
    {"content-length", take_length, NET_HTTP_STATUS},
    {"transfer-encoding", take_transfer, NET_HTTP_STATUS},
    {"content-encoding", take_encoding, NET_HTTP_STATUS},
    {"location", take_location, NET_URL_SYNTAX},
};

static enum net_reason judge_fold(const struct answer *a)
{
    if (!a->last)
        return NET_HTTP_STATUS;
    for (size_t i = 0; i < COUNT(fields); i++)
        if (a->last == fields[i].name)
            return fields[i].folded;
    return NET_OK;
}

static bool is_token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           memchr("!#$%&'*+-.^_`|~", c, sizeof "!#$%&'*+-.^_`|~" - 1);
}

static enum net_reason take_field(struct answer *a, struct field line)
{
    struct field name = {line.at, 0};
    while (name.len < line.len && is_token_char(line.at[name.len]))
        name.len++;
    if (!name.len || name.len == line.len || line.at[name.len] != ':')
        return NET_HTTP_STATUS;
    struct field v = {line.at + name.len + 1, line.len - name.len - 1};
    for (; v.len && (*v.at == ' ' || *v.at == '\t'); v.len--)
        v.at++;
    while (v.len && (v.at[v.len - 1] == ' ' || v.at[v.len - 1] == '\t'))
        v.len--;
    a->last = "";
    for (size_t i = 0; i < COUNT(fields); i++)
        if (is(name, fields[i].name)) {
            a->last = fields[i].name;
            return fields[i].read(a, v);
        }
    return memchr(v.at, '\r', v.len) ? NET_HTTP_STATUS : NET_OK;
}

/* "HTTP/1.1 200 words": a new head begins, and what an interim one said is forgotten. */
static enum net_reason take_status(struct answer *a, struct field line)
{
    const char *s = line.at;
    bool fine = line.len >= 12 && !memcmp(s, "HTTP/1.", 7) && (s[7] == '0' || s[7] == '1') && s[8] == ' ' &&
                (line.len == 12 || s[12] == ' ');
    unsigned status = 0;
    for (size_t i = 9; fine && i < 12; i++) {
        fine = s[i] >= '0' && s[i] <= '9';
        status = status * 10 + (unsigned)(s[i] - '0');
    }
    if (!fine || status < 100 || status > 599)
        return NET_HTTP_STATUS;
    *a = (struct answer){.status = status, .lines = a->lines, .bytes = a->bytes};
    return NET_OK;
}

enum net_reason answer_add(struct answer *a, const char *line, size_t len)
{
    struct field l = {line, len};
    a->lines++;
    if (len > LIMIT_FETCH_HEADER_BYTES - a->bytes || a->lines > LIMIT_FETCH_HEADERS)
        return NET_HEADER_TOO_LARGE;
    a->bytes += len;
    if (a->ended)
        return NET_OK; /* a trailer: nothing in it matters */
    if (memchr(line, '\0', len))
        return NET_HTTP_STATUS;
    if (l.len && l.at[l.len - 1] == '\n')
        l.len--;
    if (l.len && l.at[l.len - 1] == '\r')
        l.len--;
    if (!a->status)
        return take_status(a, l);
    if (l.len && (*l.at == ' ' || *l.at == '\t'))
        return judge_fold(a);
    if (l.len)
        return l.len > 5 && !memcmp(l.at, "HTTP/", 5) ? NET_HTTP_STATUS : take_field(a, l);
    if (a->status == 101)
        return NET_HTTP_STATUS;
    if (a->status < 200)
        a->status = 0; /* the next line is a status line again */
    else
        a->ended = true;
    return NET_OK;
}

bool answer_is_redirect(const struct answer *a)
{
    static const unsigned followed[] = {301, 302, 303, 307, 308};
    for (size_t i = 0; i < COUNT(followed); i++)
        if (a->status == followed[i])
            return true;
    return false;
}

enum net_reason answer_judge(const struct answer *a, uint64_t cap)
{
    if (a->has_length && a->chunked)
        return NET_HTTP_STATUS;
    if (answer_is_redirect(a))
        return a->locations == 1 && a->location_len ? NET_OK : NET_HTTP_STATUS;
    if (a->status != 200)
        return NET_HTTP_STATUS;
    if (a->coded)
        return NET_ENCODING;
    return a->has_length && a->length > cap ? NET_TOO_LARGE : NET_OK;
}
