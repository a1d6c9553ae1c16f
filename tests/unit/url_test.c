/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate of URLs, by tables: tests/cases/url.tsv (ours) and ../shared/cases/ssrf.tsv where it is. What needs a network
 * (DNS, TLS, bodies) runs in tests/net; here the addresses of its DNS rows and the Locations of its redirects.
 */
#include "source/url.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "test.h"

#define SHARED "../shared/cases/ssrf.tsv"

/* \\ and \xHH as in C; {N*text} repeats; <N bytes in total> and <1 MiB> fill up to that length. */
static void unescape(const char *s, struct buf *out)
{
    for (; *s; s++) {
        unsigned long n = s[0] == '{' || s[0] == '<' ? strtoul(s + 1, NULL, 10) : 0;
        const char *star = s[0] == '{' && n ? strchr(s, '*') : NULL, *end = star ? strchr(s, '}') : NULL;
        if (s[0] == '\\' && s[1] == '\\') {
            (void)buf_add(out, s++, 1);
        } else if (s[0] == '\\' && s[1] == 'x') {
            char hex[3] = {s[2], s[3], '\0'}, c = (char)strtoul(hex, NULL, 16);
            (void)buf_add(out, &c, 1);
            s += 3;
        } else if (end) {
            for (; n; n--)
                (void)buf_add(out, star + 1, (size_t)(end - star - 1));
            s = end;
        } else if (s[0] == '<' && n && strchr(s, '>')) {
            n = strstr(s, "MiB") ? n << 20 : n;
            while (out->len < n && !out->error)
                (void)buf_add(out, "a", 1);
            s = strchr(s, '>');
        } else {
            (void)buf_add(out, s, 1);
        }
    }
}

/* "ALLOW" and "DENY:code". */
static void verdict_text(enum net_reason r, char out[64])
{
    (void)snprintf(out, 64, "%s%s", r ? "DENY:" : "ALLOW", r ? net_reason_code(r) : "");
}

static void check_url(const char *id, const char *input, const char *want)
{
    auto_buf text = BUF_INIT(2 << 20);
    struct url u;
    char got[64];
    unescape(input, &text);
    enum net_reason r = url_parse(text.data ? text.data : "", text.len, &u);
    verdict_text(r, got);
    CHECK_MSG(!strcmp(got, want), "%s %.80s: got %s, want %s", id, input, got, want);
}

/* Each address that DNS gave, in any order: "a.test: A 1.2.3.4 + AAAA ::1". False when the row is no plain list. */
static bool check_answers(const char *id, const char *input, const char *want)
{
    enum net_reason worst = NET_OK;
    char got[64], words[256], *at = words, *word;
    const char *list = strstr(input, ": A");
    if (!list || strlen(list) >= sizeof words)
        return false;
    (void)snprintf(words, sizeof words, "%s", list + 2);
    while ((word = strsep(&at, " "))) {
        struct netaddr a;
        if (!strcmp(word, "A") || !strcmp(word, "AAAA") || !strcmp(word, "+"))
            continue;
        if (word[0] == '(')
            break;
        if (!netaddr_parse4(word, strlen(word), &a) && !netaddr_parse6(word, strlen(word), &a))
            return false;
        worst = netaddr_judge_answer(&a) ? NET_DNS_PRIVATE : worst;
    }
    verdict_text(worst, got);
    CHECK_MSG(!strcmp(got, want), "%s %s: got %s, want %s", id, input, got, want);
    return true;
}

/* "302 -> URL": where one hop leads. */
static bool check_redirect(const char *id, const char *input, const char *want)
{
    struct url base, next;
    char got[64];
    if (strncmp(input, "302 -> ", 7) || strchr(input + 7, ' ') || strstr(input, "itself"))
        return false;
    CHECK(url_parse("https://a.test/d/x?q", 20, &base) == NET_OK);
    verdict_text(net_reason_redirected(url_join(&base, input + 7, strlen(input + 7), &next)), got);
    CHECK_MSG(!strcmp(got, want), "%s %s: got %s, want %s", id, input, got, want);
    return true;
}

static const char *const url_kinds[] = {"ip",       "ipform", "v6embed", "parse", "host", "idn",
                                        "userinfo", "scheme", "port",    "url"};

static bool check_row(char *line)
{
    const char *id = strsep(&line, "\t"), *kind = strsep(&line, "\t"), *input = strsep(&line, "\t"),
               *want = strsep(&line, "\t");
    if (!want)
        return false;
    for (size_t i = 0; i < COUNT(url_kinds); i++)
        if (!strcmp(kind, url_kinds[i])) {
            check_url(id, input, want);
            return true;
        }
    return !strcmp(kind, "dns") ? check_answers(id, input, want)
                                : !strcmp(kind, "redirect") && check_redirect(id, input, want);
}

static int check_table(FILE *f)
{
    char *line = NULL;
    size_t room = 0;
    int rows = 0;
    while (getline(&line, &room, f) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (*line && *line != '#')
            rows += check_row(line);
    }
    free(line);
    fclose(f);
    return rows;
}

TEST(every_spelling_of_our_table_has_its_exact_reason)
{
    FILE *f = fopen("tests/cases/url.tsv", "re");
    CHECK(f != NULL);
    int rows = f ? check_table(f) : 0;
    CHECK_MSG(rows >= 150, "%d rows", rows);
}

TEST(every_spelling_of_the_shared_table_has_its_exact_reason)
{
    FILE *f = fopen(SHARED, "re");
    if (!f)
        SKIP(SHARED " is not here");
    int rows = check_table(f);
    CHECK_MSG(rows >= 180, "%d rows", rows);
}

static void want_parts(const char *text, const char *host, const char *target)
{
    struct url u = {.target = ""};
    enum net_reason r = url_parse(text, strlen(text), &u);
    CHECK_MSG(r == NET_OK, "%s: %s", text, net_reason_code(r));
    CHECK_STR(u.host.name, host);
    CHECK_STR(u.target, target);
}

TEST(a_url_is_taken_apart_into_what_is_dialled_and_sent)
{
    want_parts("HTTPS://Example.COM.:443/a/../b?c=%20d#e", "example.com", "/a/../b?c=%20d");
    want_parts("https://example.com", "example.com", "/");
    want_parts("https://example.com?q=/x", "example.com", "/?q=/x");
    want_parts("https://example.com#f", "example.com", "/");
    want_parts("https://b\xc3\xbc\x63her.example.com/\xc3\xbc[1]", "xn--bcher-kva.example.com", "/%C3%BC%5B1%5D");
    want_parts("https://fa\xc3\x9f.example.com/", "xn--fa-hia.example.com", "/");
    want_parts("https://[2606:4700:4700:0::1111]/", "2606:4700:4700::1111", "/");
}

TEST(an_a_label_begins_with_xn_and_no_other_does)
{
    struct url_host h;
    want_parts("https://exxn--e.com/", "exxn--e.com", "/");
    want_parts("https://a.bxn--c.d.test/", "a.bxn--c.d.test", "/");
    CHECK(host_parse("a.xn--bcher-kv.test", 19, &h) == NET_HOST_SYNTAX);
    CHECK(host_parse("xn--bcher-kv.test", 17, &h) == NET_HOST_SYNTAX);
}

static void want_join(const char *location, const char *want)
{
    struct url base, next = {.target = ""};
    char got[URL_TEXT] = "";
    CHECK(url_parse("https://a.test/d/e/x?q", 22, &base) == NET_OK);
    enum net_reason r = url_join(&base, location, strlen(location), &next);
    if (!r)
        (void)url_format(&next, got);
    CHECK_MSG(!strcmp(r ? net_reason_code(r) : got, want), "%s: got %s, want %s", location, r ? net_reason_code(r) : got,
              want);
}

TEST(a_location_is_resolved_against_the_url_that_sent_it)
{
    static const char *const rows[][2] = {
        {"/y", "https://a.test/y"},
        {"y", "https://a.test/d/e/y"},
        {"./y?z", "https://a.test/d/e/y?z"},
        {"../y", "https://a.test/d/y"},
        {"../../../../y", "https://a.test/y"},
        {"..", "https://a.test/d/"},
        {".", "https://a.test/d/e/"},
        {"?z=../..", "https://a.test/d/e/x?z=../.."},
        {"#f", "https://a.test/d/e/x?q"},
        {"//b.test/y", "https://b.test/y"},
        {"https://b.test", "https://b.test/"},
        {"/a//b/./c", "https://a.test/a//b/c"},
        {"y/1:2", "https://a.test/d/e/y/1:2"},
        {"?1:2", "https://a.test/d/e/x?1:2"},
        {"#1:2", "https://a.test/d/e/x?q"},
        {"/1:2", "https://a.test/1:2"},
        {"./1:2", "https://a.test/d/e/1:2"},
        {"", "url_syntax"},
        {"/a b", "url_syntax"},
        {"/%0d%0aHost:%20b", "url_syntax"},
        {"/x%00", "url_syntax"},
        {"//", "url_syntax"},
        {"///b.test/", "url_syntax"},
        {"\\\\b.test\\", "url_syntax"},
        {"https:/b.test/", "url_syntax"},
        {"http://b.test/", "scheme"},
        {"//u@b.test/", "userinfo"},
        {"//b.test:80/", "port"},
        {"//127.0.0.1/", "ip_loopback"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        want_join(rows[i][0], rows[i][1]);
}

TEST(a_location_with_a_colon_in_its_first_part_is_no_path)
{
    want_join("1.2.3.4:443/p", "url_syntax");
    want_join("1:2", "url_syntax");
    want_join(":443/p", "url_syntax");
    want_join("1%3A2", "https://a.test/d/e/1%3A2");
}

TEST(what_is_dropped_of_a_relative_location_is_judged_too)
{
    want_join("/y#a b", "url_syntax");
    want_join("y#a\\b", "url_syntax");
    want_join("#%4", "url_syntax");
    want_join("#a#b", "url_syntax");
    want_join("a b/../y", "url_syntax");
    want_join("/%4/../y", "url_syntax");
    want_join("./?/../a b", "url_syntax");
    want_join("//b.test/y#a b", "url_syntax");
    want_join("y#%41|", "https://a.test/d/e/y");
}

TEST(a_redirect_has_its_own_reasons_for_what_is_private_or_not_https)
{
    CHECK_STR(net_reason_code(net_reason_redirected(NET_IP_METADATA)), "redirect_private");
    CHECK_STR(net_reason_code(net_reason_redirected(NET_DNS_PRIVATE)), "redirect_private");
    CHECK_STR(net_reason_code(net_reason_redirected(NET_HOST_NAME)), "redirect_private");
    CHECK_STR(net_reason_code(net_reason_redirected(NET_SCHEME)), "redirect_scheme");
    CHECK_STR(net_reason_code(net_reason_redirected(NET_PORT)), "port");
    CHECK_STR(net_reason_code(net_reason_redirected(NET_OK)), "ok");
}

static const char *ruled(const char *host, const char *const *allow, const char *const *deny)
{
    struct url_host h;
    enum net_reason r = host_parse(host, strlen(host), &h);
    return net_reason_code(r ? r : host_rules(&h, allow, deny));
}
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(the_lists_restrict_and_deny_wins)
{
    CHECK_STR(ruled("example.com", NULL, NULL), "ok");
    CHECK_STR(ruled("example.com", LIST("example.com"), NULL), "ok");
    CHECK_STR(ruled("www.example.com", LIST("example.com"), NULL), "host_not_allowed");
    CHECK_STR(ruled("notexample.com", LIST("*.example.com", ".example.com"), NULL), "host_not_allowed");
    CHECK_STR(ruled("www.example.com", LIST("*.example.com"), NULL), "ok");
    CHECK_STR(ruled("example.com", LIST("*.example.com"), NULL), "host_not_allowed");
    CHECK_STR(ruled("example.com", LIST(".EXAMPLE.com."), NULL), "ok");
    CHECK_STR(ruled("a.b.example.com", LIST(".example.com"), NULL), "ok");
    CHECK_STR(ruled("example.com", LIST("*"), LIST("*.com")), "host_denied");
    CHECK_STR(ruled("example.com", LIST("example.com"), LIST("example.com")), "host_denied");
    CHECK_STR(ruled("xn--bcher-kva.example.com", LIST("b\xc3\xbc\x63her.example.com"), NULL), "ok");
    CHECK_STR(ruled("8.8.8.8", LIST("8.8.8.8"), NULL), "ok");
    CHECK_STR(ruled("8.8.8.8", NULL, LIST("*.example.com", ".example.org")), "ok");
    CHECK_STR(ruled("[2606:4700::1]", LIST("2606:4700:0::1"), NULL), "ok");
    CHECK_STR(ruled("[2606:4700::1]", NULL, LIST("[2606:4700::1]")), "host_denied");
}

TEST(a_host_of_any_length_and_bytes_is_read_or_refused)
{
    static char longer[LIMIT_URL_BYTES + 2];
    struct url_host h;
    memset(longer, 'a', sizeof longer - 1);
    CHECK(host_parse(longer, sizeof longer - 1, &h) == NET_HOST_SYNTAX);
    CHECK(host_parse(longer, LIMIT_URL_BYTES, &h) == NET_HOST_SYNTAX);
    CHECK(host_parse("a.test\0b", 8, &h) == NET_HOST_SYNTAX);
    CHECK(host_parse("", 0, &h) == NET_HOST_SYNTAX);
    CHECK(!host_rule_valid(longer));
}

TEST(a_location_that_does_not_fit_behind_its_base_is_too_long)
{
    static char text[LIMIT_URL_BYTES], location[LIMIT_URL_BYTES];
    struct url base, next;
    memset(text, '|', sizeof text); /* each is sent as three bytes */
    memcpy(text, "https://a.test/", 15);
    text[sizeof text - 1] = '/';
    memset(location, 'x', sizeof location);
    CHECK(url_parse(text, sizeof text, &base) == NET_OK);
    CHECK(url_join(&base, location, sizeof location, &next) == NET_URL_TOO_LONG);
    CHECK(url_join(&base, location, 1, &next) == NET_URL_TOO_LONG);
}

TEST(no_list_permits_a_private_host)
{
    CHECK_STR(ruled("localhost", LIST("localhost", "*"), NULL), "host_name");
    CHECK_STR(ruled("10.0.0.1", LIST("10.0.0.1", "*"), NULL), "ip_private");
    CHECK_STR(ruled("169.254.169.254", LIST("*"), NULL), "ip_metadata");
}

TEST(a_broken_pattern_closes_the_gate)
{
    CHECK(!host_rule_valid("exa mple.com") && !host_rule_valid("*") == false && !host_rule_valid(""));
    CHECK(!host_rule_valid("https://example.com") && !host_rule_valid("*.8.8.8.8") && !host_rule_valid("a.*.com"));
    CHECK(host_rule_valid("*.com") && host_rule_valid("10.0.0.1") && host_rule_valid("localhost"));
    CHECK_STR(ruled("example.com", NULL, LIST("exa mple.com")), "host_denied");
    CHECK_STR(ruled("example.com", LIST("exa mple.com"), NULL), "host_not_allowed");
}

TEST(every_reason_has_a_code_and_words)
{
    for (int i = 0; i < NET_REASONS; i++) {
        CHECK(net_reason_code((enum net_reason)i) && net_reason_words((enum net_reason)i));
        for (int k = 0; k < i; k++)
            CHECK(strcmp(net_reason_code((enum net_reason)i), net_reason_code((enum net_reason)k)) != 0);
    }
}

/* Edges of every prefix: the last address before, the first and last inside, the first after. */
static void check_edge(const char *text, const char *want)
{
    struct netaddr a;
    CHECK_MSG(netaddr_parse4(text, strlen(text), &a) || netaddr_parse6(text, strlen(text), &a), "%s", text);
    CHECK_MSG(!strcmp(net_reason_code(netaddr_judge(&a)), want), "%s: got %s, want %s", text,
              net_reason_code(netaddr_judge(&a)), want);
}

TEST(prefixes_begin_and_end_where_the_registries_say)
{
    static const char *const rows[][2] = {
        {"0.255.255.255", "ip_unspecified"},  {"1.0.0.0", "ok"},
        {"9.255.255.255", "ok"},              {"11.0.0.0", "ok"},
        {"100.63.255.255", "ok"},             {"100.127.255.255", "ip_cgnat"},
        {"126.255.255.255", "ok"},            {"128.0.0.0", "ok"},
        {"169.253.255.255", "ok"},            {"169.255.0.0", "ok"},
        {"172.31.255.255", "ip_private"},     {"191.255.255.255", "ok"},
        {"192.0.0.255", "ip_reserved"},       {"192.0.1.0", "ok"},
        {"192.0.3.0", "ok"},                  {"192.88.98.255", "ok"},
        {"192.88.99.1", "ip_reserved"},       {"192.169.0.0", "ok"},
        {"198.20.0.0", "ok"},                 {"203.0.112.255", "ok"},
        {"203.0.114.0", "ok"},                {"239.255.255.255", "ip_multicast"},
        {"255.255.255.254", "ip_reserved"},   {"::", "ip_unspecified"},
        {"::2", "ip_embedded"},               {"0:0:0:1::", "ip_reserved"},
        {"1fff:ffff::", "ip_reserved"},       {"2000::", "ok"},
        {"2001:1ff:ffff::", "ip_reserved"},   {"2001:200::", "ok"},
        {"2001:db7:ffff::", "ok"},            {"2001:db9::", "ok"},
        {"2003::", "ok"},                     {"3fff:fff::", "ip_reserved"},
        {"3fff:1000::", "ok"},                {"64:ff9b:0:0:0:1::", "ip_reserved"},
        {"64:ff9b:1:ffff::", "ip_embedded"},  {"64:ff9b:2::", "ip_reserved"},
        {"fbff::", "ip_reserved"},            {"fdff::", "ip_private"},
        {"fe00::", "ip_reserved"},            {"fe7f::", "ip_reserved"},
        {"fec0::1", "ip_private"},            {"fd20:ce::254", "ip_metadata"},
        {"2606:4700::5efe:808:808", "ip_embedded"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        check_edge(rows[i][0], rows[i][1]);
}
