/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host of a URL: see host.h. A name in another script is mapped to A-labels once, here, and that form is what is
 * judged, looked up, dialled and verified. A mapping that does more than lower-case (full-width digits, circled
 * letters, invisible characters) is a disguise and refused.
 */
#include "source/host.h"

#include <idn2.h>
#include <string.h>
#include <unicase.h>
#include <uninorm.h>

#include "base/cleanup.h"

/* Names that mean something near: each stands for itself and all beneath it. .test and .example are left to DNS. */
static const char *const near_names[] = {
    "localhost", "localdomain", "localdomain6", "local",      "internal", "intranet",      "private",
    "corp",      "home",        "lan",          "mail",       "svc",      "arpa",          "onion",
    "invalid",   "alt",         "consul",       "workgroup",  "domain",   "metadata.goog", "metadata.tencentyun.com",
    "fritz.box", "metadata.packet.net",         "metadata.platformequinix.com",
};

static bool is_under(const char *host, const char *name)
{
    size_t n = strlen(host), m = strlen(name);
    return n >= m && !strcmp(host + n - m, name) && (n == m || host[n - m - 1] == '.');
}

bool host_is_near(const char *name)
{
    if (!strchr(name, '.'))
        return true;
    for (size_t i = 0; i < COUNT(near_names); i++)
        if (is_under(name, near_names[i]))
            return true;
    return false;
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

static bool is_label(const char *s, size_t len)
{
    if (!len || len > 63 || s[0] == '-' || s[len - 1] == '-')
        return false;
    for (size_t i = 0; i < len; i++)
        if (!is_plain(s[i]))
            return false;
    return true;
}

static void drop_text(char **p)
{
    if (*p)
        idn2_free(*p);
}

/* "xn--" within a label says nothing. */
static bool has_a_label(const char *host)
{
    return !strncmp(host, "xn--", 4) || strstr(host, ".xn--");
}

/* A-labels that stand for what they decode to, and for nothing that needs no A-label. */
static bool honest_labels(const char *host)
{
    cleanup(drop_text) char *unicode = NULL, *again = NULL;
    if (!has_a_label(host))
        return true;
    return idn2_to_unicode_8z8z(host, &unicode, 0) == IDN2_OK &&
           idn2_lookup_u8((const uint8_t *)unicode, (uint8_t **)&again, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL) ==
               IDN2_OK &&
           !strcmp(again, host) && strcmp(unicode, host) != 0;
}

/* A name of letters, digits and hyphens in lower case. Its last label starts with a letter: whatever ends in a number
 * is an address to some parser. */
static bool is_name(const char *host)
{
    const char *label = host;
    if (strlen(host) >= LIMIT_HOST_BYTES)
        return false;
    for (;;) {
        size_t n = strcspn(label, ".");
        if (!is_label(label, n))
            return false;
        if (!label[n])
            break;
        label += n + 1;
    }
    return *label >= 'a' && honest_labels(host); /* what is_label lets pass is a letter then */
}

/* Lower case, without the one final dot of a fully qualified name. */
static void fold(char *host)
{
    size_t n = strlen(host);
    for (size_t i = 0; i < n; i++)
        if (host[i] >= 'A' && host[i] <= 'Z')
            host[i] = (char)(host[i] - 'A' + 'a');
    if (n && host[n - 1] == '.')
        host[n - 1] = '\0';
}

static bool take_name(const char *name, struct url_host *out)
{
    if (!is_name(name))
        return false;
    memcpy(out->name, name, strlen(name) + 1);
    return true;
}

static void take_address(const struct netaddr *a, struct url_host *out)
{
    out->literal = true;
    out->addr = *a;
    netaddr_format(a, out->name);
}

/* That decoding the A-labels gives what was written, but for case and normal form. */
static bool only_lower_cased(const char *written, const char *mapped)
{
    cleanup(drop_text) char *unicode = NULL;
    size_t n;
    auto_free uint8_t *lower =
        u8_tolower((const uint8_t *)written, strlen(written) + 1, NULL, UNINORM_NFC, NULL, &n);
    return lower && idn2_to_unicode_8z8z(mapped, &unicode, 0) == IDN2_OK && !strcmp(unicode, (const char *)lower);
}

static bool take_international(char *name, struct url_host *out, bool *disguised)
{
    cleanup(drop_text) char *mapped = NULL;
    if (idn2_lookup_u8((const uint8_t *)name, (uint8_t **)&mapped, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL) != IDN2_OK)
        return false;
    fold(mapped);
    fold(name);
    *disguised = !only_lower_cased(name, mapped);
    return take_name(mapped, out);
}

static bool is_ascii(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)s[i] >= 0x80)
            return false;
    return true;
}

/* The canonical form, without a verdict; false when there is none. */
static bool read_host(const char *text, size_t len, struct url_host *out, bool *disguised)
{
    struct netaddr a;
    char name[LIMIT_URL_BYTES + 1];
    if (!len || len > LIMIT_URL_BYTES || memchr(text, '\0', len))
        return false;
    bool v6 = text[0] == '[' && text[len - 1] == ']' && len > 2 && netaddr_parse6(text + 1, len - 2, &a);
    if (v6 || netaddr_parse4(text, len, &a)) {
        take_address(&a, out);
        return true;
    }
    memcpy(name, text, len);
    name[len] = '\0';
    if (!is_ascii(name, len))
        return take_international(name, out, disguised);
    fold(name);
    return take_name(name, out);
}

enum net_reason host_parse(const char *text, size_t len, struct url_host *ret)
{
    struct url_host h = {.literal = false};
    bool disguised = false;
    if (!read_host(text, len, &h, &disguised))
        return NET_HOST_SYNTAX;
    enum net_reason r = h.literal ? netaddr_judge(&h.addr) : host_is_near(h.name) ? NET_HOST_NAME : NET_OK;
    if (!r && disguised)
        r = NET_HOST_SYNTAX;
    if (!r)
        *ret = h;
    return r;
}

/* ---------------------------------------------------------------- the user's lists */

struct pattern {
    bool all, itself, beneath; /* which hosts are meant: every one, this one, those beneath it */
    struct url_host host;
};

static bool read_pattern(const char *text, struct pattern *ret)
{
    bool star = !strncmp(text, "*.", 2), dot = text[0] == '.', disguised = false;
    *ret = (struct pattern){.all = !strcmp(text, "*"), .itself = !star, .beneath = star || dot};
    if (ret->all)
        return true;
    text += star ? 2 : dot ? 1 : 0;
    if (netaddr_parse6(text, strlen(text), &ret->host.addr))
        take_address(&ret->host.addr, &ret->host);
    else if (!read_host(text, strlen(text), &ret->host, &disguised))
        return false;
    return !disguised && !(ret->beneath && ret->host.literal);
}

static bool matches(const struct pattern *p, const struct url_host *h)
{
    if (p->all)
        return true;
    if (!strcmp(h->name, p->host.name))
        return p->itself;
    return p->beneath && !h->literal && is_under(h->name, p->host.name);
}

static bool listed(const struct url_host *h, const char *const *list, bool when_broken)
{
    struct pattern p;
    for (; list && *list; list++)
        if (read_pattern(*list, &p) ? matches(&p, h) : when_broken)
            return true;
    return false;
}

enum net_reason host_rules(const struct url_host *h, const char *const *allow, const char *const *deny)
{
    if (listed(h, deny, true))
        return NET_HOST_DENIED;
    if (allow && *allow && !listed(h, allow, false))
        return NET_HOST_NOT_ALLOWED;
    return NET_OK;
}

bool host_rule_valid(const char *pattern)
{
    struct pattern p;
    return read_pattern(pattern, &p);
}
