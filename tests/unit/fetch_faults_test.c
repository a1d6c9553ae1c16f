/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fetch with a libcurl, a resolver, interfaces, a clock and memory that do what no server can make them do: each is the last lock of
 * something, or a failure that must be told. They stand in for the real ones by --wrap; see the Makefile.
 */
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <resolv.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>

#undef MIN
#undef MAX

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/curl.h"
#include "base/io.h"
#include "source/fetch.h"
#include "source/fetch_dns.h"
#include "source/fetch_hop.h"
#include "source/fetch_places.h"

#define PUBLIC "93.184.216.34"

static atomic_long skew; /* ms that the monotonic clock is ahead */
static int write_error, seal_error, place;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    int r = __real_clock_gettime(id, t);
    long ns = t->tv_nsec + (id == CLOCK_MONOTONIC ? skew % 1000 * 1000000 : 0);
    t->tv_sec += ns / 1000000000 + (id == CLOCK_MONOTONIC ? skew / 1000 : 0);
    t->tv_nsec = ns % 1000000000;
    return r;
}

int __real_write_all(int fd, const void *data, size_t len);
int __wrap_write_all(int fd, const void *data, size_t len);
int __wrap_write_all(int fd, const void *data, size_t len)
{
    return write_error ? write_error : __real_write_all(fd, data, len);
}

int __real_memory_seal(int fd);
int __wrap_memory_seal(int fd);
int __wrap_memory_seal(int fd)
{
    return seal_error ? seal_error : __real_memory_seal(fd);
}

int __real_place_take(const char *host, int64_t deadline, const fovea_cancel *cancel);
int __wrap_place_take(const char *host, int64_t deadline, const fovea_cancel *cancel);
int __wrap_place_take(const char *host, int64_t deadline, const fovea_cancel *cancel)
{
    return place ? place : __real_place_take(host, deadline, cancel);
}

/* ---------------------------------------------------------------- a libcurl */

static struct fake {
    bool missing, no_easy, no_multi, no_list, not_added, cannot_go_on, cannot_wait, chatters;
    int lists;         /* how many can be made, with no_list */
    CURLoption refuses;
    CURLcode (*play)(void); /* what the transfer does, and how it ends */
    bool played;
    CURLcode result;
    curl_opensocket_callback open_socket;
    curl_prereq_callback connected;
    curl_write_callback header, body;
    void *arg;
} fake;

static CURL *easy_init(void)
{
    return fake.no_easy ? NULL : (CURL *)&fake;
}

static void easy_cleanup(CURL *easy)
{
    CHECK(easy == (CURL *)&fake);
}

static CURLcode easy_setopt(CURL *easy, CURLoption option, ...)
{
    va_list args;
    (void)easy;
    va_start(args, option);
    switch ((int)option) {
    case CURLOPT_OPENSOCKETFUNCTION: fake.open_socket = va_arg(args, curl_opensocket_callback); break;
    case CURLOPT_PREREQFUNCTION: fake.connected = va_arg(args, curl_prereq_callback); break;
    case CURLOPT_HEADERFUNCTION: fake.header = va_arg(args, curl_write_callback); break;
    case CURLOPT_WRITEFUNCTION: fake.body = va_arg(args, curl_write_callback); break;
    case CURLOPT_WRITEDATA: fake.arg = va_arg(args, void *); break;
    }
    va_end(args);
    return option == fake.refuses ? CURLE_UNKNOWN_OPTION : CURLE_OK;
}

static CURLM *multi_init(void)
{
    return fake.no_multi ? NULL : (CURLM *)&fake;
}

static CURLMcode multi_one(CURLM *multi)
{
    CHECK(multi == (CURLM *)&fake);
    return CURLM_OK;
}

static CURLMcode multi_add(CURLM *multi, CURL *easy)
{
    (void)multi, (void)easy;
    return fake.not_added ? CURLM_OUT_OF_MEMORY : CURLM_OK;
}

static CURLMcode multi_remove(CURLM *multi, CURL *easy)
{
    CHECK(multi && easy && !fake.not_added);
    return CURLM_OK;
}

static CURLMcode multi_perform(CURLM *multi, int *running)
{
    (void)multi;
    *running = 0;
    if (fake.cannot_go_on)
        return CURLM_INTERNAL_ERROR;
    if (fake.play && !fake.played)
        fake.result = fake.play();
    fake.played = fake.play != NULL;
    return CURLM_OK;
}

static CURLMcode multi_poll(CURLM *multi, struct curl_waitfd *more, unsigned n, int ms, int *ret)
{
    (void)multi, (void)more, (void)n, (void)ms, (void)ret;
    return fake.cannot_wait ? CURLM_INTERNAL_ERROR : CURLM_OK;
}

static CURLMsg *multi_info_read(CURLM *multi, int *left)
{
    static CURLMsg m;
    (void)multi;
    *left = 0;
    if (!fake.played)
        return NULL;
    m = (CURLMsg){.msg = fake.chatters ? CURLMSG_NONE : CURLMSG_DONE, .data.result = fake.result};
    fake.chatters = false;
    return &m;
}

static struct curl_slist *slist_append(struct curl_slist *list, const char *text)
{
    static struct curl_slist one;
    (void)list, (void)text;
    return fake.no_list && fake.lists-- <= 0 ? NULL : &one;
}

static void slist_free_all(struct curl_slist *list)
{
    (void)list;
}

const struct curl_table *__wrap_curl_load(void);
const struct curl_table *__wrap_curl_load(void)
{
    static const struct curl_table table = {.curl_easy_init = easy_init,
                                            .curl_easy_cleanup = easy_cleanup,
                                            .curl_easy_setopt = easy_setopt,
                                            .curl_multi_init = multi_init,
                                            .curl_multi_cleanup = multi_one,
                                            .curl_multi_add_handle = multi_add,
                                            .curl_multi_remove_handle = multi_remove,
                                            .curl_multi_perform = multi_perform,
                                            .curl_multi_poll = multi_poll,
                                            .curl_multi_info_read = multi_info_read,
                                            .curl_slist_append = slist_append,
                                            .curl_slist_free_all = slist_free_all};
    return fake.missing ? NULL : &table;
}

/* ---------------------------------------------------------------- what it does */

static CURLcode dial(curlsocktype purpose, int family, const char *address, unsigned port)
{
    struct curl_sockaddr where = {.family = AF_INET, .socktype = SOCK_STREAM, .addrlen = sizeof(struct sockaddr_in)};
    struct sockaddr_in a = {.sin_family = (sa_family_t)family, .sin_port = htons((uint16_t)port)};
    CHECK(inet_pton(AF_INET, address, &a.sin_addr) == 1);
    memcpy(&where.addr, &a, sizeof a);
    auto_close int fd = fake.open_socket(fake.arg, purpose, &where);
    return fd < 0 ? CURLE_COULDNT_CONNECT : CURLE_OK;
}

static CURLcode connected(const char *peer, int port)
{
    return fake.connected(fake.arg, (char *)peer, (char *)"10.0.0.2", port, 50000) == CURL_PREREQFUNC_OK ? CURLE_OK : CURLE_ABORTED_BY_CALLBACK;
}

static CURLcode head(const char *text)
{
    for (size_t n; *text; text += n) {
        n = strcspn(text, "\n") + 1;
        if (fake.header((char *)text, 1, n, fake.arg) != n)
            return CURLE_WRITE_ERROR;
    }
    return CURLE_OK;
}

static CURLcode body(const char *text)
{
    return fake.body((char *)text, 1, strlen(text), fake.arg) == strlen(text) ? CURLE_OK : CURLE_WRITE_ERROR;
}

#define HEAD "HTTP/1.1 200 OK\r\n\r\n"
static CURLcode works(void)
{
    CHECK(dial(CURLSOCKTYPE_IPCXN, AF_INET, PUBLIC, 443) == CURLE_OK && connected(PUBLIC, 443) == CURLE_OK && head(HEAD) == CURLE_OK);
    return body("body");
}
static CURLcode dials_elsewhere(void) { return dial(CURLSOCKTYPE_IPCXN, AF_INET, "93.184.216.35", 443); }
static CURLcode dials_a_private_one(void) { return dial(CURLSOCKTYPE_IPCXN, AF_INET, "10.0.0.1", 443); }
static CURLcode dials_another_port(void) { return dial(CURLSOCKTYPE_IPCXN, AF_INET, PUBLIC, 80); }
static CURLcode listens(void) { return dial(CURLSOCKTYPE_ACCEPT, AF_INET, PUBLIC, 443); }
static CURLcode dials_another_family(void) { return dial(CURLSOCKTYPE_IPCXN, AF_UNIX, PUBLIC, 443); }
static CURLcode reaches_no_address(void) { return connected("localhost", 443); }
static CURLcode reaches_elsewhere(void) { return connected("2606:4700:4700::1111", 443); }
static CURLcode reaches_another_port(void) { return connected(PUBLIC, 8443); }
static CURLcode sends_a_body_first(void) { return body("no head"); }
static CURLcode has_no_memory(void) { return CURLE_OUT_OF_MEMORY; }
static CURLcode has_no_room_for_a_line(void) { return connected(PUBLIC, 443) == CURLE_OK ? CURLE_OUT_OF_MEMORY : CURLE_OK; }
static CURLcode loses_memory_in_the_body(void)
{
    return connected(PUBLIC, 443) == CURLE_OK && head(HEAD) == CURLE_OK ? CURLE_OUT_OF_MEMORY : CURLE_OK;
}
static CURLcode fails_oddly(void) { return CURLE_FAILED_INIT; }

/* One hop to PUBLIC, by the name a.test. */
static int run_hop(enum net_reason *ret, struct fovea_fault *fault)
{
    struct url url;
    struct answers answers = {.n = 1};
    CHECK(url_parse("https://a.test/", 15, &url) == NET_OK && netaddr_parse4(PUBLIC, strlen(PUBLIC), &answers.addr[0]));
    auto_close int fd = memory_open("test");
    struct hop h = {.url = &url, .answers = &answers, .cap = 100, .deadline = clock_ms() + 5000, .fd = fd};
    *ret = NET_OK;
    *fault = (struct fovea_fault){0};
    return hop_run(&h, ret, fault);
}

TEST(what_libcurl_may_dial_is_judged_once_more_where_it_is_dialled)
{
    static const struct {
        CURLcode (*play)(void);
        enum net_reason want;
    } rows[] = {
        {works, NET_OK},
        {dials_elsewhere, NET_DNS_PRIVATE},
        {dials_a_private_one, NET_DNS_PRIVATE},
        {dials_another_port, NET_DNS_PRIVATE},
        {listens, NET_DNS_PRIVATE},
        {dials_another_family, NET_DNS_PRIVATE},
        {reaches_no_address, NET_DNS_PRIVATE},
        {reaches_elsewhere, NET_DNS_PRIVATE},
        {reaches_another_port, NET_DNS_PRIVATE},
        {sends_a_body_first, NET_HTTP_STATUS},
        {has_no_room_for_a_line, NET_HEADER_TOO_LARGE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        enum net_reason got;
        struct fovea_fault fault;
        fake = (struct fake){.play = rows[i].play, .chatters = i == 0};
        CHECK_MSG(run_hop(&got, &fault) == 0 && got == rows[i].want, "row %zu: %s %s", i, net_reason_code(got), fault.text);
    }
}

TEST(a_libcurl_that_fails_is_a_fault_with_words)
{
    static const struct {
        struct fake fake;
        int write_error, code;
        const char *words;
    } rows[] = {
        {{.missing = true}, 0, -ENOENT, "libcurl4"},
        {{.no_easy = true}, 0, -ENOMEM, "out of memory"},
        {{.no_multi = true}, 0, -ENOMEM, "out of memory"},
        {{.no_list = true}, 0, -ENOMEM, "out of memory"},
        {{.no_list = true, .lists = 1}, 0, -ENOMEM, "out of memory"},
        {{.not_added = true}, 0, -ENOMEM, "out of memory"},
        {{.refuses = CURLOPT_PREREQFUNCTION}, 0, -ENOSYS, "too old"},
        {{.refuses = CURLOPT_PROTOCOLS_STR}, 0, -ENOSYS, "too old"},
        {{.refuses = CURLOPT_SSL_VERIFYHOST}, 0, -ENOSYS, "too old"},
        {{.refuses = CURLOPT_URL}, 0, -ENOSYS, "too old"},
        {{.refuses = CURLOPT_HTTPHEADER}, 0, -ENOSYS, "too old"},
        {{.refuses = CURLOPT_RESOLVE}, 0, -ENOSYS, "too old"},
        {{.cannot_go_on = true}, 0, -EIO, "cannot go on"},
        {{.cannot_wait = true}, 0, -EIO, "cannot wait"},
        {{.play = has_no_memory}, 0, -ENOMEM, "out of memory"},
        {{.play = loses_memory_in_the_body}, 0, -ENOMEM, "out of memory"},
        {{.play = fails_oddly}, 0, -EIO, "code 2"},
        {{.play = works}, -ENOMEM, -ENOMEM, "out of memory"},
        {{.play = works}, -ENOSPC, -ENOMEM, "out of memory"},
        {{.play = works}, -EIO, -EIO, "cannot keep the bytes"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        enum net_reason got;
        struct fovea_fault fault;
        fake = rows[i].fake;
        write_error = rows[i].write_error;
        int code = run_hop(&got, &fault);
        write_error = 0;
        CHECK_MSG(code == rows[i].code && strstr(fault.text, rows[i].words), "row %zu: %d %s", i, code, fault.text);
    }
}

/* ---------------------------------------------------------------- a resolver */

static struct {
    const char *address, *canonical;
    int family, code;
    bool nothing;
    atomic_bool stuck; /* answers when that ends */
    atomic_int asked, no_resolver;
} names = {.address = PUBLIC, .family = AF_INET};

int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **ret);
int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **ret)
{
    static struct sockaddr_in to;
    static struct addrinfo one;
    (void)name, (void)service, (void)hints;
    names.asked++;
    while (names.stuck)
        (void)usleep(1000);
    to = (struct sockaddr_in){.sin_family = (sa_family_t)names.family};
    (void)inet_pton(AF_INET, names.address, &to.sin_addr);
    one = (struct addrinfo){.ai_addr = (struct sockaddr *)&to, .ai_addrlen = sizeof to, .ai_canonname = (char *)names.canonical};
    *ret = names.nothing ? NULL : &one;
    return names.code;
}

void __wrap_freeaddrinfo(struct addrinfo *list);
void __wrap_freeaddrinfo(struct addrinfo *list)
{
    (void)list;
}

int __wrap___res_init(void);
int __wrap___res_init(void)
{
    return names.no_resolver ? -1 : 0;
}

static enum net_reason look_up(void)
{
    enum net_reason reason = NET_OK;
    struct answers answers = {0};
    CHECK(dns_look_up("a.test", clock_ms() + 5000, NULL, &reason, &answers) == 0);
    return reason;
}

TEST(answers_of_a_resolver_are_taken_only_as_addresses_of_a_public_name)
{
    static const struct {
        const char *canonical;
        int family, code;
        bool nothing;
        enum net_reason want;
    } rows[] = {
        {NULL, AF_INET, 0, false, NET_OK},
        {"", AF_INET, 0, false, NET_OK},
        {"b.test", AF_INET, 0, false, NET_OK},
        {"printer.local", AF_INET, 0, false, NET_DNS_PRIVATE},
        {NULL, AF_UNIX, 0, false, NET_DNS_FAIL},
        {NULL, AF_INET, EAI_AGAIN, true, NET_DNS_FAIL},
        {NULL, AF_INET, 0, true, NET_DNS_FAIL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        names.canonical = rows[i].canonical;
        names.family = rows[i].family;
        names.code = rows[i].code;
        names.nothing = rows[i].nothing;
        names.no_resolver = i % 2;
        CHECK_MSG(look_up() == rows[i].want, "row %zu", i);
    }
    names.canonical = NULL;
    names.code = 0;
    names.nothing = false;
}

TEST(lookups_that_never_end_are_counted_and_more_are_refused)
{
    enum { MOST = LIMIT_FETCHES + LIMIT_STRAY_LOOKUPS };
    struct answers answers;
    enum net_reason reason = NET_OK;
    int before = names.asked, begun = 0;
    names.stuck = true;
    for (int tries = 0; begun < MOST && tries < 5000; tries++) {
        CHECK(dns_look_up("a.test", clock_ms(), NULL, &reason, &answers) == 0);
        begun += reason == NET_TIMEOUT_DNS;
        if (reason == NET_DNS_FAIL) /* the thread of an earlier one is still on its way out */
            (void)usleep(1000);
    }
    CHECK(begun == MOST);
    CHECK(dns_look_up("a.test", clock_ms() + 5000, NULL, &reason, &answers) == 0 && reason == NET_DNS_FAIL);
    for (int i = 0; names.asked < before + MOST && i < 10000; i++)
        (void)usleep(1000);
    CHECK(names.asked == before + MOST);
    names.stuck = false;
    for (int i = 0; i < 2000 && look_up() != NET_OK; i++)
        (void)usleep(1000);
    CHECK(look_up() == NET_OK);
}

/* ---------------------------------------------------------------- interfaces */

static struct ifaddrs *interfaces;

int __wrap_getifaddrs(struct ifaddrs **ret);
int __wrap_getifaddrs(struct ifaddrs **ret)
{
    *ret = interfaces;
    errno = ENOMEM;
    return interfaces ? 0 : -1;
}

void __wrap_freeifaddrs(struct ifaddrs *all);
void __wrap_freeifaddrs(struct ifaddrs *all)
{
    CHECK(all == interfaces);
}

TEST(an_address_of_ours_is_known_by_its_interface)
{
    struct sockaddr_in here = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    CHECK(inet_pton(AF_INET, PUBLIC, &here.sin_addr) == 1 && inet_pton(AF_INET6, "2606:4700::1", &six.sin6_addr) == 1);
    struct ifaddrs last = {.ifa_addr = (struct sockaddr *)&six}, third = {.ifa_next = &last, .ifa_addr = (struct sockaddr *)&here},
                   loop = {.ifa_next = &third, .ifa_addr = (struct sockaddr *)&six, .ifa_flags = IFF_LOOPBACK}, bare = {.ifa_next = &loop};
    struct netaddr four, v6, other;
    CHECK(netaddr_parse4(PUBLIC, strlen(PUBLIC), &four) && netaddr_parse6("2606:4700::1", 12, &v6) && netaddr_parse4("8.8.8.8", 7, &other));
    interfaces = &bare;
    CHECK(dns_is_own_address(&four) && dns_is_own_address(&v6) && !dns_is_own_address(&other));
    last.ifa_flags = IFF_LOOPBACK;
    CHECK(!dns_is_own_address(&v6));
    interfaces = NULL; /* they cannot be listed */
    CHECK(!dns_is_own_address(&four));
}

/* ---------------------------------------------------------------- the whole */

static CURLcode redirects_late(void)
{
    skew += LIMIT_FETCH_TOTAL_MS - 300;
    names.stuck = true;
    (void)connected(PUBLIC, 443);
    return head("HTTP/1.1 302 Found\r\nLocation: https://b.test/\r\n\r\n");
}

TEST(a_fetch_that_cannot_go_on_says_why)
{
    struct netaddr self[2];
    struct fetch_policy p = {.self = self, .n_self = 1};
    struct fetch_result r = {.body = {.fd = -1}};
    struct fovea_fault fault = {0};
    CHECK(netaddr_parse4("8.8.8.8", 7, &self[0]) && netaddr_parse4(PUBLIC, strlen(PUBLIC), &self[1]));
    fake = (struct fake){.play = works};
    CHECK_MSG(fetch_url(&p, "https://a.test/", 0, NULL, &r, &fault) == 0 && r.reason == NET_OK && r.body.size == 4, "%s", r.words);
    fetch_result_done(&r);
    fetch_result_done(NULL);
    p.n_self = 2;
    CHECK(fetch_url(&p, "https://a.test/", 0, NULL, &r, &fault) == 0 && r.reason == NET_SELF);
    p.n_self = 0;
    static const struct {
        int place, seal, code;
        enum net_reason reason;
        const char *words;
    } rows[] = {
        {-EBUSY, 0, 0, NET_BUSY, ""},
        {-ETIMEDOUT, 0, 0, NET_TIMEOUT_TOTAL, ""},
        {-ECANCELED, 0, -ECANCELED, NET_OK, "cancelled"},
        {0, -EINVAL, -EINVAL, NET_OK, "cannot seal"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        place = rows[i].place;
        seal_error = rows[i].seal;
        fake = (struct fake){.play = works};
        int code = fetch_url(&p, "https://a.test/", 0, NULL, &r, &fault);
        CHECK_MSG(code == rows[i].code && (code ? strstr(fault.text, rows[i].words) != NULL : r.reason == rows[i].reason), "row %zu: %d", i, code);
    }
    place = seal_error = 0;
}

/* Not by that of the lookup, which would have had its five seconds. */
TEST(a_lookup_that_meets_the_end_of_the_whole_fetch_is_late_by_that_clock)
{
    struct fetch_policy p = {0};
    struct fetch_result r = {.body = {.fd = -1}};
    fake = (struct fake){.play = redirects_late};
    CHECK(fetch_url(&p, "https://" PUBLIC "/", 0, NULL, &r, NULL) == 0);
    CHECK_MSG(r.reason == NET_TIMEOUT_TOTAL && r.redirects == 1, "%s", r.words);
    names.stuck = false;
}
