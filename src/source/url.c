/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of a URL: see url.h. The text is cut from left to right (scheme, authority, port, path) and each part has
 * its own reason. Nothing is trimmed, guessed or repaired, with two exceptions that every browser makes and that change
 * no meaning: letters beyond ASCII and the characters [ ] | are percent-encoded in path and query.
 */
#include "source/url.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

struct span {
    const char *at;
    size_t len;
};

static bool is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* UTF-8 without control characters. */
static bool is_clean(struct span s)
{
    uint32_t c;
    for (size_t i = 0, n; i < s.len; i += n) {
        n = utf8_decode(s.at + i, s.len - i, &c);
        if (!n || c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029)
            return false;
    }
    return true;
}

static void skip(struct span *s, size_t n)
{
    s->at += n;
    s->len -= n;
}

/* The bytes up to the first of these, or all. */
static struct span cut_before(struct span *s, const char *any)
{
    struct span head = {s->at, 0};
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): it looks for a byte, and '\0' is none of them */
    while (head.len < s->len && !memchr(any, s->at[head.len], strlen(any)))
        head.len++;
    skip(s, head.len);
    return head;
}

/* Length of a scheme before its colon (RFC 3986), 0 when there is none. */
static size_t scheme_length(struct span s)
{
    size_t n = 0;
    if (!s.len || !is_alpha(s.at[0]))
        return 0;
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): as above */
    while (n < s.len && (is_alpha(s.at[n]) || is_digit(s.at[n]) || memchr("+-.", s.at[n], 3)))
        n++;
    return n < s.len && s.at[n] == ':' ? n : 0;
}

static enum net_reason cut_scheme(struct span *s)
{
    size_t n = scheme_length(*s);
    if (!n)
        return NET_URL_SYNTAX;
    if (n != 5 || strncasecmp(s->at, "https", 5))
        return NET_SCHEME;
    skip(s, 6);
    if (s->len < 2 || memcmp(s->at, "//", 2))
        return NET_URL_SYNTAX;
    skip(s, 2);
    return NET_OK;
}

/* What follows the colon. Nothing means 443. */
static enum net_reason check_port(struct span s)
{
    unsigned port = 0;
    if (!s.len)
        return NET_OK;
    if (s.len > 5 || (s.at[0] == '0' && s.len > 1))
        return NET_PORT_SYNTAX;
    for (size_t i = 0; i < s.len; i++) {
        if (!is_digit(s.at[i]))
            return NET_PORT_SYNTAX;
        port = port * 10 + (unsigned)(s.at[i] - '0');
    }
    return port > 65535 ? NET_PORT_SYNTAX : port == 443 ? NET_OK : NET_PORT;
}

/* Host and port of the authority. A bracketed host ends with its bracket, another one at its first colon. */
static enum net_reason split_authority(struct span all, struct span *ret_host, struct span *ret_port)
{
    struct span host = {all.at, 0}, port;
    struct netaddr bare;
    if (all.at[0] == '[') {
        const char *end = memchr(all.at, ']', all.len);
        if (!end)
            return NET_HOST_SYNTAX;
        host.len = (size_t)(end - all.at) + 1;
        if (host.len < all.len && end[1] != ':')
            return NET_HOST_SYNTAX;
    } else {
        const char *colon = memchr(all.at, ':', all.len);
        host.len = colon ? (size_t)(colon - all.at) : all.len;
        if (netaddr_parse6(all.at, all.len, &bare))
            return NET_HOST_SYNTAX;
    }
    port = (struct span){all.at + host.len, all.len - host.len};
    if (port.len)
        skip(&port, 1);
    *ret_host = host;
    *ret_port = port;
    return host.len ? NET_OK : NET_URL_SYNTAX;
}

static enum net_reason check_authority(struct span all, struct url *out)
{
    struct span host, port;
    if (!all.len)
        return NET_URL_SYNTAX;
    if (memchr(all.at, '@', all.len))
        return NET_USERINFO;
    enum net_reason r = split_authority(all, &host, &port);
    r = r ? r : host_parse(host.at, host.len, &out->host);
    return r ? r : check_port(port);
}

/* One byte of path, query or fragment: 1 as it is, 3 escaped, 0 not at all. */
static unsigned width_of(char c)
{
    static const char plain[] = "-._~!$&'()*+,;=:@/?";
    if (is_alpha(c) || is_digit(c) || memchr(plain, c, sizeof plain - 1))
        return 1;
    return (unsigned char)c >= 0x80 || c == '[' || c == ']' || c == '|' ? 3 : 0;
}

/* Path, query or fragment, with its escapes well formed. out has room for three times as much. */
static bool add_escaped(struct span s, char *out, size_t *len)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned width = width_of(s.at[i]);
        if (s.at[i] == '%' && i + 2 < s.len && is_hex(s.at[i + 1]) && is_hex(s.at[i + 2]))
            width = 1;
        if (!width)
            return false;
        if (width == 1)
            out[(*len)++] = s.at[i];
        else
            *len += (size_t)snprintf(out + *len, 4, "%%%02X", (unsigned char)s.at[i]);
    }
    return true;
}

/* What is not sent, or not as it is. */
static bool is_spelt_well(struct span s)
{
    size_t len = 0;
    char ignored[LIMIT_URL_TARGET];
    return add_escaped(s, ignored, &len);
}

/* What begins with '#', or nothing; it is sent to nobody. */
static bool is_fragment(struct span s)
{
    if (s.len)
        skip(&s, 1);
    return is_spelt_well(s);
}

/* From the end of the authority to the end. */
static enum net_reason check_rest(struct span s, struct url *out)
{
    size_t len = 0;
    if (!s.len || s.at[0] != '/')
        out->target[len++] = '/';
    struct span sent = cut_before(&s, "#");
    if (!add_escaped(sent, out->target, &len))
        return NET_URL_SYNTAX;
    out->target[len] = '\0';
    return is_fragment(s) ? NET_OK : NET_URL_SYNTAX;
}

enum net_reason url_parse(const char *text, size_t len, struct url *ret)
{
    struct span s = {text, len};
    struct url u = {.target = ""};
    if (len > LIMIT_URL_BYTES)
        return NET_URL_TOO_LONG;
    if (!is_clean(s))
        return NET_URL_SYNTAX;
    enum net_reason r = cut_scheme(&s);
    if (r)
        return r;
    r = check_authority(cut_before(&s, "/?#"), &u);
    r = r ? r : check_rest(s, &u);
    if (!r)
        *ret = u;
    return r;
}

int url_format(const struct url *u, char out[URL_TEXT])
{
    bool brackets = u->host.literal && u->host.addr.v6;
    return snprintf(out, URL_TEXT, "https://%s%s%s%s", brackets ? "[" : "", u->host.name, brackets ? "]" : "", u->target);
}

/* ---------------------------------------------------------------- redirects */

/* Escapes that end a header line or a string, from a server that chooses where we go next. */
static bool has_smuggling_escape(struct span s)
{
    static const char *const bad[] = {"%00", "%0a", "%0d"};
    for (size_t i = 0; i + 2 < s.len; i++)
        for (size_t k = 0; k < COUNT(bad); k++)
            if (!strncasecmp(s.at + i, bad[k], 3))
                return true;
    return false;
}

/* Takes "." and ".." out of a path (RFC 3986, 5.2.4), in place; the query stays as it is. */
static void fold_dots(char *path)
{
    size_t end = strcspn(path, "?"), to = 0;
    for (size_t from = 0; from < end;) {
        size_t n = 1; /* a slash and what follows it */
        while (from + n < end && path[from + n] != '/')
            n++;
        bool last = from + n == end;
        bool up = n == 3 && !memcmp(path + from, "/..", 3), here = n == 2 && path[from + 1] == '.';
        if (up)
            while (to && path[--to] != '/')
                ;
        if (!up && !here) {
            memmove(path + to, path + from, n);
            to += n;
        } else if (last) {
            path[to++] = '/';
        }
        from += n;
    }
    memmove(path + to, path + end, strlen(path + end) + 1);
}

/* The target that a Location without an authority means. */
static bool merge(const struct url *base, struct span s, char *out, size_t room)
{
    size_t path = strcspn(base->target, "?"), keep = path;
    if (s.at[0] == '#')
        keep = strlen(base->target);
    else if (s.at[0] == '/')
        keep = 0;
    else if (s.at[0] != '?')
        while (base->target[keep - 1] != '/') /* a target begins with one */
            keep--;
    struct span sent = cut_before(&s, "#");
    if (keep + sent.len >= room)
        return false;
    memcpy(out, base->target, keep);
    memcpy(out + keep, sent.at, sent.len);
    out[keep + sent.len] = '\0';
    fold_dots(out);
    return true;
}

/* A path with a colon in its first part is none (RFC 3986, 4.2): where one reads a path, another reads a scheme. */
static bool has_doubtful_colon(struct span s)
{
    (void)cut_before(&s, ":/?#");
    return s.len && s.at[0] == ':';
}

/* A Location without a scheme, as it was sent: of what is merged, the fragment and what ".." takes away are no longer seen. */
static bool is_relative(struct span s)
{
    if (has_doubtful_colon(s))
        return false;
    struct span sent = cut_before(&s, "#");
    return is_spelt_well(sent) && is_fragment(s);
}

enum net_reason url_join(const struct url *base, const char *location, size_t len, struct url *ret)
{
    struct span s = {location, len};
    struct url next = *base;
    char text[URL_TEXT];
    int n;
    if (len > LIMIT_URL_BYTES)
        return NET_URL_TOO_LONG;
    if (!len || !is_clean(s) || has_smuggling_escape(s))
        return NET_URL_SYNTAX;
    if (scheme_length(s))
        return url_parse(location, len, ret);
    if (!is_relative(s))
        return NET_URL_SYNTAX;
    if (len > 1 && !memcmp(location, "//", 2)) {
        n = snprintf(text, sizeof text, "https:%.*s", (int)len, location);
    } else {
        if (!merge(base, s, next.target, sizeof next.target))
            return NET_URL_TOO_LONG;
        n = url_format(&next, text);
    }
    return url_parse(text, (size_t)n, ret);
}
