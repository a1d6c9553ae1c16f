/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of URIs and IRIs, of references (RFC 3986, RFC 3987), and of URI templates (RFC 6570). */
#include <string.h>

#include "base/text.h"
#include "schema/schema_priv.h"

#define UNRESERVED "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
#define SUB_DELIMS "!$&'()*+,;="

static bool is_hex(char c)
{
    return hex_digit(c) >= 0;
}

/* Characters of a part: unreserved, sub-delims, these others, %xx, and beyond ASCII where it may be. */
static bool part_valid(const char *s, const char *end, const char *others, bool unicode)
{
    while (s < end) {
        if (*s == '%') {
            if (end - s < 3 || !is_hex(s[1]) || !is_hex(s[2]))
                return false;
            s += 3;
        } else if (*s & 0x80 ? unicode : *s && (strchr(UNRESERVED SUB_DELIMS, *s) || strchr(others, *s))) {
            s++;
        } else {
            return false;
        }
    }
    return true;
}

static const char *find(const char *s, const char *end, const char *set)
{
    while (s < end && !(*s && strchr(set, *s)))
        s++;
    return s;
}

/* "[v1.x]" or "[::1]". */
static bool literal_valid(const char *s, const char *end)
{
    const char *dot = find(s, end, ".");
    if (s == end || (*s | 0x20) != 'v')
        return format_ipv6(s, (size_t)(end - s));
    for (const char *p = s + 1; p < dot; p++)
        if (!is_hex(*p))
            return false;
    return dot > s + 1 && end - dot > 1 && part_valid(dot + 1, end, ":", false) && !memchr(dot, '%', (size_t)(end - dot));
}

static bool authority_valid(const char *s, const char *end, bool unicode)
{
    const char *at = find(s, end, "@");
    if (at < end) {
        if (!part_valid(s, at, ":", unicode))
            return false;
        s = at + 1;
    }
    const char *port;
    if (s < end && *s == '[') {
        const char *close = find(s, end, "]");
        if (close == end || !literal_valid(s + 1, close))
            return false;
        port = close + 1;
    } else {
        port = find(s, end, ":");
        if (!part_valid(s, port, "", unicode))
            return false;
    }
    if (port < end && *port++ != ':')
        return false;
    while (port < end && *port >= '0' && *port <= '9')
        port++;
    return port == end;
}

static bool scheme_valid(const char *s, const char *end)
{
    if (s == end || !((*s | 0x20) >= 'a' && (*s | 0x20) <= 'z'))
        return false;
    for (; s < end; s++)
        if (!*s || *s == '_' || *s == '~' || !(strchr(UNRESERVED, *s) || *s == '+'))
            return false;
    return true;
}

bool uri_valid(const char *s, size_t len, bool relative, bool unicode)
{
    const char *end = s + len, *hash = find(s, end, "#"), *query = find(s, hash, "?");
    const char *colon = find(s, query, ":/");
    if (unicode && !utf8_valid(s, len))
        return false;
    bool scheme = colon < query && *colon == ':';
    if (scheme ? !scheme_valid(s, colon) : !relative)
        return false;
    if (scheme)
        s = colon + 1;
    if (query - s >= 2 && s[0] == '/' && s[1] == '/') {
        const char *path = find(s + 2, query, "/");
        if (!authority_valid(s + 2, path, unicode))
            return false;
        s = path;
    }
    return part_valid(s, query, ":@/", unicode) && (query == hash || part_valid(query + 1, hash, ":@/?", unicode)) &&
           (hash == end || part_valid(hash + 1, end, ":@/?", unicode));
}

/* ---------------------------------------------------------------- templates */

/* A variable: names joined by single dots, then "*" or ":" and a length below 10000. */
static bool variable_valid(const char *s, const char *end)
{
    const char *name = s;
    while (s < end && *s && !(*s & 0x80) && (strchr(UNRESERVED "%", *s) && *s != '-' && *s != '~')) {
        if (*s == '.' && (s == name || s[-1] == '.'))
            return false;
        if (*s == '%' && (end - s < 3 || !is_hex(s[1]) || !is_hex(s[2])))
            return false;
        s += *s == '%' ? 3 : 1;
    }
    if (s == name || s[-1] == '.')
        return false;
    if (s < end && *s == '*')
        return s + 1 == end;
    if (s == end)
        return true;
    if (*s++ != ':')
        return false;
    const char *digits = s;
    while (s < end && *s >= '0' && *s <= '9')
        s++;
    return s == end && s > digits && s - digits <= 4 && *digits != '0';
}

static bool expression_valid(const char *s, const char *end)
{
    if (s < end && *s && strchr("+#./;?&=,!@|", *s))
        s++;
    for (;; s++) {
        const char *comma = find(s, end, ",");
        if (!variable_valid(s, comma))
            return false;
        if (comma == end)
            return true;
        s = comma;
    }
}

bool format_uri_template(const char *s, size_t len)
{
    for (const char *end = s + len; s < end; s++) {
        if (*s == '{') {
            const char *close = find(s, end, "}");
            if (close == end || !expression_valid(s + 1, close))
                return false;
            s = close;
        } else if (*s == '%') {
            if (end - s < 3 || !is_hex(s[1]) || !is_hex(s[2]))
                return false;
        } else if (!(*s & 0x80) && (*s <= ' ' || *s == 0x7f || strchr("\"<>\\^`|}", *s))) {
            return false;
        }
    }
    return true;
}
