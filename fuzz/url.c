/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a URL, and as a Location: refused, or in a form that is the same when it is read again, and that libcurl, which dials
 * it, reads as the same scheme, host, port and path.
 * about: src/source/url.c src/source/host.c src/source/netaddr.c src/source/net_reason.c
 */
#include "fuzz.h"

#include <curl/curl.h>
#include <strings.h>

#include "base/cleanup.h"
#include "source/url.h"

static char *part(CURLU *c, CURLUPart which, unsigned flags)
{
    char *s = NULL;
    (void)curl_url_get(c, which, &s, flags);
    return s;
}

/* An address goes in brackets there. */
static bool same_host(const struct url_host *h, const char *curl)
{
    size_t n = strlen(h->name), m = strlen(curl);
    if (h->literal && curl[0] == '[')
        return m == n + 2 && !strncasecmp(curl + 1, h->name, n);
    return !strcasecmp(curl, h->name);
}

static void check_curl(const struct url *u, const char *text)
{
    CURLU *c = curl_url();
    CLAIM(c);
    CLAIM(curl_url_set(c, CURLUPART_URL, text, CURLU_PATH_AS_IS) == CURLUE_OK);
    char *scheme = part(c, CURLUPART_SCHEME, 0), *host = part(c, CURLUPART_HOST, 0), *port = part(c, CURLUPART_PORT, CURLU_DEFAULT_PORT);
    char *path = part(c, CURLUPART_PATH, 0), *query = part(c, CURLUPART_QUERY, 0), *user = part(c, CURLUPART_USER, 0);
    CLAIM(scheme && !strcmp(scheme, "https"));
    CLAIM(host && same_host(&u->host, host));
    CLAIM(port && !strcmp(port, "443"));
    CLAIM(!user && !part(c, CURLUPART_FRAGMENT, 0));
    size_t n = strcspn(u->target, "?");
    CLAIM(path && strlen(path) == n && !memcmp(path, u->target, n));
    CLAIM(u->target[n] && u->target[n + 1] ? query && !strcmp(query, u->target + n + 1) : !query || !*query);
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_free(path);
    curl_free(query);
    curl_url_cleanup(c);
}

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
    check_curl(u, text);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct url base;
    struct url u;
    struct feed f = {data, len};
    const char *text = (const char *)data;
    if (!base.target[0])
        CLAIM(url_parse("https://a.example.com/d/e/x?q", 29, &base) == NET_OK);
    enum net_reason r = url_parse(text, len, &u);
    CLAIM(r < NET_REASONS && net_reason_code(r) && net_reason_words(r));
    if (r == NET_OK)
        check_again(&u);
    if (url_join(&base, text, len, &u) == NET_OK)
        check_again(&u);
    check_rule(&f);
    return 0;
}
