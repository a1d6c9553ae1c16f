/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What "format" means where it is asserted: one row each. Formats without a row (idn-hostname, anybody's own) are
 * annotations only.
 */
#include <string.h>

#include "base/text.h"
#include "schema/schema_priv.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
    return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool is_hex(char c)
{
    return hex_digit(c) >= 0;
}

/* A label: letters, digits and inner hyphens. "--" in third place is for encoded names, which must begin with "xn". */
static bool label_valid(const char *s, size_t len)
{
    if (!len || len > 63 || s[0] == '-' || s[len - 1] == '-')
        return false;
    for (size_t i = 0; i < len; i++)
        if (!is_alnum(s[i]) && s[i] != '-')
            return false;
    bool coded = len >= 4 && s[2] == '-' && s[3] == '-';
    return !coded || (len > 4 && (s[0] | 0x20) == 'x' && (s[1] | 0x20) == 'n');
}

static bool format_hostname(const char *s, size_t len)
{
    if (!len || len > 253)
        return false;
    for (const char *end = s + len;; s++) {
        const char *dot = memchr(s, '.', (size_t)(end - s));
        if (!label_valid(s, (size_t)((dot ? dot : end) - s)))
            return false;
        if (!dot)
            return true;
        s = dot;
    }
}

static bool local_valid(const char *s, size_t len, bool unicode)
{
    if (len >= 2 && s[0] == '"' && s[len - 1] == '"') {
        for (size_t i = 1; i < len - 1; i++) {
            if (s[i] == '\\' && i + 1 < len - 1)
                i++;
            else if (s[i] == '"' || s[i] == '\\' || (s[i] & 0x80 ? !unicode : s[i] < ' '))
                return false;
        }
        return true;
    }
    if (!len || s[0] == '.' || s[len - 1] == '.' || memmem(s, len, "..", 2))
        return false;
    for (size_t i = 0; i < len; i++)
        if (s[i] & 0x80 ? !unicode : !is_alnum(s[i]) && (!s[i] || !strchr("!#$%&'*+-/=?^_`{|}~.", s[i])))
            return false;
    return true;
}

static bool address_literal(const char *s, size_t len)
{
    if (len < 2 || s[0] != '[' || s[len - 1] != ']')
        return false;
    if (len > 7 && !strncasecmp(s + 1, "IPv6:", 5))
        return format_ipv6(s + 6, len - 7);
    return format_ipv4(s + 1, len - 2);
}

static bool format_email(const char *s, size_t len)
{
    const char *at = memrchr(s, '@', len);
    if (!at || at - s > 64)
        return false;
    size_t host = len - (size_t)(at + 1 - s);
    return local_valid(s, (size_t)(at - s), false) && (format_hostname(at + 1, host) || address_literal(at + 1, host));
}

/* Labels beyond ASCII are only told apart, not judged. */
static bool format_idn_email(const char *s, size_t len)
{
    const char *at = memrchr(s, '@', len), *dot;
    if (!at || at - s > 64 || !utf8_valid(s, len) || !local_valid(s, (size_t)(at - s), true))
        return false;
    for (const char *label = at + 1, *end = s + len;; label = dot + 1) {
        dot = memchr(label, '.', (size_t)(end - label));
        size_t n = (size_t)((dot ? dot : end) - label);
        bool ascii = true;
        for (size_t i = 0; i < n; i++)
            ascii &= !(label[i] & 0x80);
        if (!n || (ascii && !label_valid(label, n)))
            return false;
        if (!dot)
            return true;
    }
}

bool format_ipv4(const char *s, size_t len)
{
    unsigned parts = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned value = 0, digits = 0;
        for (; i < len && is_digit(s[i]) && digits < 4; i++, digits++)
            value = 10 * value + (unsigned)(s[i] - '0');
        if (!digits || digits > 3 || value > 255 || (digits > 1 && s[i - digits] == '0'))
            return false;
        parts++;
        if (i < len && (s[i] != '.' || i + 1 == len))
            return false;
    }
    return parts == 4;
}

/* Groups of up to four digits; "::" once; an IPv4 address may stand for the last two. */
bool format_ipv6(const char *s, size_t len)
{
    unsigned groups = 0;
    bool gap = false;
    size_t i = 0;
    if (len >= 2 && s[0] == ':' && s[1] == ':') {
        gap = true;
        i = 2;
    }
    while (i < len) {
        size_t n = 0;
        while (i + n < len && is_hex(s[i + n]))
            n++;
        if (i + n < len && s[i + n] == '.')
            return format_ipv4(s + i, len - i) && (gap ? groups <= 5 : groups == 6);
        if (!n || n > 4 || ++groups > 8)
            return false;
        i += n;
        if (i == len)
            break;
        if (s[i++] != ':' || i == len)
            return false;
        if (s[i] == ':') {
            if (gap)
                return false;
            gap = true;
            i++;
        }
    }
    return gap ? groups <= 7 : groups == 8;
}

static bool format_uuid(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (i == 8 || i == 13 || i == 18 || i == 23 ? s[i] != '-' : !is_hex(s[i]))
            return false;
    return len == 36;
}

static bool format_json_pointer(const char *s, size_t len)
{
    if (len && s[0] != '/')
        return false;
    for (size_t i = 0; i < len; i++)
        if (s[i] == '~' && (i + 1 == len || (s[i + 1] != '0' && s[i + 1] != '1')))
            return false;
    return true;
}

static bool format_relative_json_pointer(const char *s, size_t len)
{
    size_t n = 0;
    while (n < len && is_digit(s[n]))
        n++;
    if (!n || (n > 1 && s[0] == '0'))
        return false;
    return (len - n == 1 && s[n] == '#') || format_json_pointer(s + n, len - n);
}

static bool format_regex(const char *s, size_t len)
{
    char words[128];
    struct pattern *p = NULL;
    int r = pattern_new(s, len, &p, words);
    pattern_free(p);
    return !r;
}

static bool format_uri(const char *s, size_t len)
{
    return uri_valid(s, len, false, false);
}

static bool format_uri_reference(const char *s, size_t len)
{
    return uri_valid(s, len, true, false);
}

static bool format_iri(const char *s, size_t len)
{
    return uri_valid(s, len, false, true);
}

static bool format_iri_reference(const char *s, size_t len)
{
    return uri_valid(s, len, true, true);
}

static const struct {
    const char *name;
    format_fn *valid;
    uint64_t cost;
} formats[] = {
    {"date-time", format_date_time, 1},
    {"date", format_date, 1},
    {"time", format_time, 1},
    {"duration", format_duration, 1},
    {"email", format_email, 1},
    {"idn-email", format_idn_email, 1},
    {"hostname", format_hostname, 1},
    {"ipv4", format_ipv4, 1},
    {"ipv6", format_ipv6, 1},
    {"uri", format_uri, 1},
    {"uri-reference", format_uri_reference, 1},
    {"iri", format_iri, 1},
    {"iri-reference", format_iri_reference, 1},
    {"uri-template", format_uri_template, 1},
    {"uuid", format_uuid, 1},
    {"json-pointer", format_json_pointer, 1},
    {"relative-json-pointer", format_relative_json_pointer, 1},
    {"regex", format_regex, 4000},
};

format_fn *format_find(const char *name, uint64_t *ret_cost)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        if (!strcmp(name, formats[i].name)) {
            *ret_cost = formats[i].cost;
            return formats[i].valid;
        }
    }
    return NULL;
}
