/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a URL, and as a Location: refused, or in a form that is the same when it is read again. libcurl, which dials it, reads
 * scheme, host, port and path of that form as ours are, and of the bytes that were given too, so that a host that is misread and then
 * cleanly written is seen. And nothing plain is refused but for what it leads to: an https URL of letters, digits, '-' and '.' as host
 * and what RFC 3986 lets stand behind it is taken, and a plain address gets the verdict on that address.
 * about: src/source/url.c src/source/host.c src/source/netaddr.c src/source/net_reason.c
 */
#include "fuzz.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <locale.h>
#include <strings.h>

#include "base/cleanup.h"
#include "source/url.h"

#define BASE_FOLDER "https://a.example.com/d/e/"
#define BASE BASE_FOLDER "x?q"

/* ---------------------------------------------------------------- what curl reads */

struct seen {
    CURLU *c;
    char *scheme, *host, *port, *path, *query, *user, *password, *options, *zone;
};

static char *part(CURLU *c, CURLUPart which, unsigned flags)
{
    char *s = NULL;
    (void)curl_url_get(c, which, &s, flags);
    return s;
}

static void seen_done(struct seen *s)
{
    char *all[] = {s->scheme, s->host, s->port, s->path, s->query, s->user, s->password, s->options, s->zone};
    for (size_t i = 0; i < COUNT(all); i++)
        curl_free(all[i]);
    curl_url_cleanup(s->c);
}

/* A text by itself or, where there is a base, as a Location. False where curl does not take it. */
static bool curl_reads(const char *base, const char *text, unsigned flags, struct seen *s)
{
    *s = (struct seen){.c = curl_url()};
    CLAIM(s->c && (!base || curl_url_set(s->c, CURLUPART_URL, base, 0) == CURLUE_OK));
    if (curl_url_set(s->c, CURLUPART_URL, text, flags) != CURLUE_OK)
        return false;
    s->scheme = part(s->c, CURLUPART_SCHEME, 0);
    s->host = part(s->c, CURLUPART_HOST, CURLU_PUNYCODE);
    s->port = part(s->c, CURLUPART_PORT, CURLU_DEFAULT_PORT);
    s->path = part(s->c, CURLUPART_PATH, 0);
    s->query = part(s->c, CURLUPART_QUERY, 0);
    s->user = part(s->c, CURLUPART_USER, 0);
    s->password = part(s->c, CURLUPART_PASSWORD, 0);
    s->options = part(s->c, CURLUPART_OPTIONS, 0);
    s->zone = part(s->c, CURLUPART_ZONEID, 0);
    return true;
}

/* There an address of IPv6 has brackets, and any of its spellings; a name keeps its case and its last dot. */
static bool same_host(const struct url_host *h, const char *curl)
{
    size_t n = strlen(curl);
    char inner[INET6_ADDRSTRLEN] = "";
    struct in6_addr theirs;
    if (h->literal && h->addr.v6) {
        if (curl[0] == '[' && n - 2 < sizeof inner)
            memcpy(inner, curl + 1, n - 2);
        return inet_pton(AF_INET6, inner, &theirs) == 1 && !memcmp(&theirs, h->addr.bytes, sizeof theirs);
    }
    n -= n && curl[n - 1] == '.' && !h->literal;
    return n == strlen(h->name) && !strncasecmp(curl, h->name, n);
}

/* The same bytes, but that ours writes some as escapes that curl sends as they are, and curl has small letters in escapes of its own. */
static bool same_bytes(const char *ours, size_t len, const char *curl)
{
    unsigned hex = 0;
    char one[4];
    for (const char *end = ours + len; *curl || ours < end; curl++) {
        bool bare = (unsigned char)*curl >= 0x80 || strchr("[]|", *curl);
        (void)snprintf(one, sizeof one, bare ? "%%%02X" : "%c", (unsigned char)*curl);
        size_t n = strlen(one);
        if (!*curl || (size_t)(end - ours) < n || (hex ? strncasecmp(ours, one, n) : memcmp(ours, one, n)) != 0)
            return false;
        hex = *curl == '%' ? 2 : hex ? hex - 1 : 0;
        ours += n;
    }
    return true;
}

static void check_curl(const struct url *u, const char *base, const char *text, unsigned flags)
{
    struct seen s;
    CLAIM(curl_reads(base, text, flags, &s));
    CLAIM(s.scheme && !strcmp(s.scheme, "https"));
    CLAIM(s.host && same_host(&u->host, s.host));
    CLAIM(s.port && !strcmp(s.port, "443"));
    CLAIM(!s.user && !s.password && !s.options && !s.zone);
    size_t n = strcspn(u->target, "?");
    CLAIM(s.path && same_bytes(u->target, n, s.path));
    n += u->target[n] == '?';
    CLAIM(same_bytes(u->target + n, strlen(u->target + n), s.query ? s.query : ""));
    seen_done(&s);
}

/*
 * A Location, against BASE. curl's own merging (7.88) is not that of RFC 3986, 5.2, at two places: it drops a slash behind a leading "./"
 * or "../", and takes a lone fragment for a path. There it is given both already merged.
 */
static void check_location(const struct url *u, const char *text, bool whole)
{
    char merged[LIMIT_URL_BYTES + sizeof BASE];
    const char *before = text[0] == '.' ? BASE_FOLDER : text[0] == '#' ? BASE : NULL;
    if (!before) {
        check_curl(u, BASE, text, whole || !strncmp(text, "//", 2) ? CURLU_PATH_AS_IS : 0);
        return;
    }
    (void)snprintf(merged, sizeof merged, "%s%s", before, text);
    check_curl(u, NULL, merged, 0);
}

/* ---------------------------------------------------------------- what must be taken */

/* Labels of letters, digits and inner hyphens, of which the last begins with a letter; two at least. A-labels are another matter. */
static bool plain_name(const char *name, size_t len)
{
    size_t labels = 0, n;
    if (len > 253)
        return false;
    for (const char *at = name, *end = name + len;; at += n + 1, labels++) {
        for (n = 0; at + n < end && at[n] != '.'; n++)
            if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", at[n]))
                return false;
        if (!n || n > 63 || at[0] == '-' || at[n - 1] == '-' || (n >= 4 && !strncasecmp(at, "xn--", 4)))
            return false;
        if (at + n == end)
            return labels && (at[0] < '0' || at[0] > '9');
    }
}

/* A port that goes without saying, then path, query and fragment by the letters of RFC 3986. */
static bool plain_rest(const char *s)
{
    bool fragment = false;
    s += !strncmp(s, ":443", 4) ? 4 : *s == ':';
    if (*s && !strchr("/?#", *s))
        return false;
    for (; *s; s++) {
        if (*s == '%' && strspn(s + 1, "0123456789abcdefABCDEF") < 2)
            return false;
        if (*s == '#' && fragment)
            return false;
        fragment = fragment || *s == '#';
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?#%", *s))
            return false;
    }
    return true;
}

/* The verdict on a host that is a name or an address as everybody writes them; NET_REASONS: it is another one. */
static enum net_reason verdict(const char *host, size_t len)
{
    char text[LIMIT_HOST_BYTES + 1] = "";
    struct netaddr a = {.v6 = host[0] == '['};
    size_t cut = a.v6 ? 1 : 0;
    if (len < 3 || len > LIMIT_HOST_BYTES)
        return NET_REASONS;
    memcpy(text, host + cut, len - 2 * cut);
    if (inet_pton(a.v6 ? AF_INET6 : AF_INET, text, a.bytes) == 1)
        return netaddr_judge(&a);
    text[len - 1] = text[len - 1] == '.' ? '\0' : text[len - 1];
    if (a.v6 || !plain_name(text, strlen(text)))
        return NET_REASONS;
    for (char *c = text; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    const char *last = strrchr(text, '.');
    bool far = !strcmp(last, ".com") || !strcmp(last, ".org") || !strcmp(last, ".net") || !strcmp(last, ".test");
    CLAIM(!far || strstr(text, "metadata.") || !host_is_near(text));
    return host_is_near(text) ? NET_HOST_NAME : NET_OK;
}

/* Refused is only what there is a reason for. It is curl that says where the host ends. */
static void check_taken(const char *text, size_t len, enum net_reason r)
{
    struct seen s;
    enum net_reason want = NET_REASONS;
    if (len > LIMIT_URL_BYTES || strlen(text) != len || strncasecmp(text, "https://", 8) != 0)
        return;
    if (curl_reads(NULL, text, CURLU_PATH_AS_IS, &s) && s.host) {
        size_t n = text[8] == '[' ? strcspn(text + 8, "]") + 1 : strlen(s.host);
        if (8 + n <= len && (text[8] == '[' || !strncasecmp(text + 8, s.host, n)) && plain_rest(text + 8 + n))
            want = verdict(text + 8, n);
    }
    seen_done(&s);
    CLAIM(want == NET_REASONS || r == want);
}

/* A plain path or query on the same host is taken too; escapes of what ends a line are not plain (%00, %0a, %0d). */
static void check_location_taken(const char *text, size_t len, enum net_reason r)
{
    bool path = text[0] == '/' && text[1] != '/', query = text[0] == '?';
    if ((path || query) && strlen(text) == len && len + strlen(BASE) <= LIMIT_URL_BYTES && plain_rest(text) && !strstr(text, "%0"))
        CLAIM(r == NET_OK);
}

/* ---------------------------------------------------------------- what must hold */

/* What was let in is canonical, and let in again as the same. */
static void check_again(const struct url *u)
{
    char text[URL_TEXT], twice[URL_TEXT];
    struct url again;
    struct url_host host;
    int n = url_format(u, text);
    CLAIM(n > 0 && n < URL_TEXT && u->target[0] == '/');
    for (int i = 0; i < n; i++)
        CLAIM(text[i] > 0x20 && text[i] < 0x7f);
    CLAIM(u->host.literal || (!host_is_near(u->host.name) && host_parse(u->host.name, strlen(u->host.name), &host) == 0));
    check_curl(u, NULL, text, CURLU_PATH_AS_IS);
    enum net_reason r = url_parse(text, (size_t)n, &again);
    if (r == NET_URL_TOO_LONG)
        return;
    CLAIM(r == NET_OK);
    (void)url_format(&again, twice);
    CLAIM(!strcmp(text, twice));
}

/* Bytes as a rule of the user's lists: what cannot be read allows nothing and denies everything. */
static void check_rule(const struct feed *f)
{
    auto_free char *text = feed_text(f);
    struct url_host h;
    const char *const one[] = {text, NULL};
    CLAIM(host_parse("a.example.com", 13, &h) == NET_OK);
    bool valid = host_rule_valid(text);
    enum net_reason allowed = host_rules(&h, one, NULL), denied = host_rules(&h, NULL, one);
    CLAIM(valid || (allowed != NET_OK && denied != NET_OK));
    CLAIM(!valid || (allowed == NET_OK) == (denied != NET_OK));
}

/* curl maps names of other scripts by the locale's letters. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    CLAIM(setlocale(LC_CTYPE, "C.UTF-8"));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct url base;
    struct url u;
    struct feed f = {data, len};
    auto_free char *text = feed_text(&f);
    if (!base.target[0])
        CLAIM(url_parse(BASE, strlen(BASE), &base) == NET_OK);
    enum net_reason r = url_parse((const char *)data, len, &u);
    CLAIM(r < NET_REASONS && net_reason_code(r) && net_reason_words(r));
    check_taken(text, len, r);
    if (r == NET_OK) {
        check_again(&u);
        check_curl(&u, NULL, text, CURLU_PATH_AS_IS);
    }
    enum net_reason next = url_join(&base, (const char *)data, len, &u);
    check_location_taken(text, len, next);
    if (next == NET_OK) {
        check_again(&u);
        check_location(&u, text, r == NET_OK);
    }
    check_rule(&f);
    return 0;
}
