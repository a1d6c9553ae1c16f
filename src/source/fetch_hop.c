/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One hop over libcurl: see fetch_hop.h. libcurl gets a handle of its own for each hop, so that nothing is reused, and is
 * given the addresses instead of a name to look up. The callbacks here decide: which socket may be opened, which head is
 * acceptable, how much body; the clocks are ours.
 */
#include "source/fetch_hop.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/curl.h"

#define STALL_SLOTS 20
#define STALL_SLOT_MS (LIMIT_FETCH_STALL_MS / STALL_SLOTS)

struct transfer {
    struct hop *hop;
    const struct curl_table *api;
    CURL *easy;
    CURLM *multi;
    bool added;
    struct curl_slist *pins, *headers;
    char words[CURL_ERROR_SIZE];
    int64_t started, connected, answered; /* 0: not yet */
    int64_t slot_at;                      /* how much body there was at the last STALL_SLOTS points in time */
    uint64_t slot[STALL_SLOTS];
    size_t slots;
    enum net_reason reason; /* a callback's verdict; it has ended the transfer */
    bool stopped;           /* with nothing wrong: the rest is not wanted */
    int error;              /* of the memfd */
};

static void transfer_done(struct transfer *t)
{
    if (t->added)
        (void)t->api->curl_multi_remove_handle(t->multi, t->easy);
    if (t->easy)
        t->api->curl_easy_cleanup(t->easy);
    if (t->multi)
        (void)t->api->curl_multi_cleanup(t->multi);
    if (t->api) {
        t->api->curl_slist_free_all(t->pins);
        t->api->curl_slist_free_all(t->headers);
    }
}

/* ---------------------------------------------------------------- what libcurl asks */

static bool may_dial(const struct hop *h, const struct netaddr *a)
{
    if (h->url->host.literal ? netaddr_judge(a) : netaddr_judge_answer(a))
        return false;
    for (size_t i = 0; i < h->answers->n; i++)
        if (netaddr_equal(&h->answers->addr[i], a))
            return true;
    return false;
}

static unsigned port_of(const struct sockaddr *sa)
{
    struct sockaddr_in in; /* the port stands at the same place in both families */
    memcpy(&in, sa, sizeof in);
    return ntohs(in.sin_port);
}

/* The last word on where a packet goes: the address as it will be dialled. */
static curl_socket_t on_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *where)
{
    struct transfer *t = arg;
    struct netaddr a;
    if (purpose != CURLSOCKTYPE_IPCXN || !netaddr_of(&where->addr, where->addrlen, &a) || port_of(&where->addr) != 443 ||
        !may_dial(t->hop, &a)) {
        t->reason = NET_DNS_PRIVATE;
        return CURL_SOCKET_BAD;
    }
    return socket(where->family, where->socktype | SOCK_CLOEXEC, where->protocol);
}

/* Connected and verified, before the request is sent. */
static int on_connected(void *arg, char *peer, char *own, int peer_port, int own_port)
{
    struct transfer *t = arg;
    struct netaddr a;
    (void)own;
    (void)own_port;
    bool known = netaddr_parse4(peer, strlen(peer), &a) || netaddr_parse6(peer, strlen(peer), &a);
    if (!known || peer_port != 443 || !may_dial(t->hop, &a)) {
        t->reason = NET_DNS_PRIVATE;
        return CURL_PREREQFUNC_ABORT;
    }
    t->connected = clock_ms();
    return CURL_PREREQFUNC_OK;
}

/* Anything but len ends the transfer. */
static size_t on_header(char *line, size_t one, size_t len, void *arg)
{
    struct transfer *t = arg;
    struct hop *h = t->hop;
    bool before = h->answer.ended;
    len *= one;
    t->reason = answer_add(&h->answer, line, len);
    if (!t->reason && h->answer.ended && !before) {
        t->answered = t->slot_at = clock_ms();
        t->reason = answer_judge(&h->answer, h->cap);
        t->stopped = !t->reason && answer_is_redirect(&h->answer);
    }
    return t->reason || t->stopped ? 0 : len;
}

static size_t on_body(char *data, size_t one, size_t len, void *arg)
{
    struct transfer *t = arg;
    struct hop *h = t->hop;
    len *= one;
    if (!h->answer.ended) /* a body before its head: HTTP/0.9 */
        t->reason = NET_HTTP_STATUS;
    else if (len > h->cap - h->got)
        t->reason = NET_TOO_LARGE;
    else
        t->error = write_all(h->fd, data, len);
    if (t->reason || t->error)
        return 0;
    h->got += len;
    return len;
}

/* ---------------------------------------------------------------- what libcurl is told */

/* "host:443:address,address": then it looks nothing up. */
static int add_pins(struct transfer *t)
{
    const struct hop *h = t->hop;
    char text[LIMIT_HOST_BYTES + LIMIT_DNS_ANSWERS * (NETADDR_TEXT + 3) + 8], one[NETADDR_TEXT];
    if (h->url->host.literal)
        return 0;
    size_t n = (size_t)snprintf(text, sizeof text, "%s:443:", h->url->host.name);
    for (size_t i = 0; i < h->answers->n; i++) {
        const struct netaddr *a = &h->answers->addr[i];
        netaddr_format(a, one);
        n += (size_t)snprintf(text + n, sizeof text - n, a->v6 ? "%s[%s]" : "%s%s", i ? "," : "", one);
    }
    t->pins = t->api->curl_slist_append(NULL, text);
    return t->pins ? 0 : -ENOMEM;
}

#define SET(option, value) (t->api->curl_easy_setopt(t->easy, (option), (value)) == CURLE_OK)

static bool set_callbacks(struct transfer *t)
{
    return SET(CURLOPT_OPENSOCKETFUNCTION, on_socket) && SET(CURLOPT_OPENSOCKETDATA, t) &&
           SET(CURLOPT_PREREQFUNCTION, on_connected) && SET(CURLOPT_PREREQDATA, t) &&
           SET(CURLOPT_HEADERFUNCTION, on_header) && SET(CURLOPT_HEADERDATA, t) &&
           SET(CURLOPT_WRITEFUNCTION, on_body) && SET(CURLOPT_WRITEDATA, t) && SET(CURLOPT_ERRORBUFFER, t->words);
}

/* Nothing of the user's or the environment's goes out, nothing is followed, decoded, kept or guessed. */
static bool set_manners(struct transfer *t)
{
    return SET(CURLOPT_PROTOCOLS_STR, "https") && SET(CURLOPT_REDIR_PROTOCOLS_STR, "https") &&
           SET(CURLOPT_FOLLOWLOCATION, 0L) && SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) &&
           SET(CURLOPT_HTTP09_ALLOWED, 0L) && SET(CURLOPT_PROXY, "") && SET(CURLOPT_NOPROXY, "*") &&
           SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) && SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L) &&
           SET(CURLOPT_HTTP_CONTENT_DECODING, 0L) && SET(CURLOPT_FRESH_CONNECT, 1L) && SET(CURLOPT_FORBID_REUSE, 1L) &&
           SET(CURLOPT_PATH_AS_IS, 1L) && SET(CURLOPT_NOSIGNAL, 1L) && SET(CURLOPT_NOPROGRESS, 1L) &&
           SET(CURLOPT_USERAGENT, "fovea/" FOVEA_VERSION) && SET(CURLOPT_BUFFERSIZE, (long)LIMIT_READ_PIECE);
}

static int prepare(struct transfer *t)
{
    char text[URL_TEXT];
    (void)url_format(t->hop->url, text);
    t->easy = t->api->curl_easy_init();
    t->multi = t->api->curl_multi_init();
    t->headers = t->api->curl_slist_append(NULL, "Accept-Encoding: identity");
    if (!t->easy || !t->multi || !t->headers || add_pins(t) < 0)
        return -ENOMEM;
    if (!set_callbacks(t) || !set_manners(t) || curl_set_tls(t->api, t->easy, t->hop->ca_file) != CURLE_OK || !SET(CURLOPT_URL, text) ||
        !SET(CURLOPT_HTTPHEADER, t->headers) || !SET(CURLOPT_RESOLVE, t->pins))
        return -ENOSYS;
    t->added = t->api->curl_multi_add_handle(t->multi, t->easy) == CURLM_OK;
    return t->added ? 0 : -ENOMEM;
}

/* ---------------------------------------------------------------- the clocks */

/* Whether the last LIMIT_FETCH_STALL_MS brought too little. */
static bool is_stalled(struct transfer *t, int64_t now)
{
    for (; now - t->slot_at >= STALL_SLOT_MS; t->slot_at += STALL_SLOT_MS) {
        uint64_t *then = &t->slot[t->slots % STALL_SLOTS];
        if (t->slots >= STALL_SLOTS && t->hop->got - *then < LIMIT_FETCH_STALL_BYTES)
            return true;
        *then = t->hop->got;
        t->slots++;
    }
    return false;
}

static enum net_reason check_clocks(struct transfer *t)
{
    int64_t now = clock_ms();
    if (now >= t->hop->deadline)
        return NET_TIMEOUT_TOTAL;
    if (!t->connected)
        return now - t->started >= LIMIT_FETCH_CONNECT_MS ? NET_TIMEOUT_CONNECT : NET_OK;
    if (!t->answered)
        return now - t->connected >= LIMIT_FETCH_HEADER_MS ? NET_TIMEOUT_SLOW : NET_OK;
    return is_stalled(t, now) ? NET_TIMEOUT_SLOW : NET_OK;
}

/* ---------------------------------------------------------------- how it ended */

/* A row without words fits every message. */
static const struct {
    CURLcode code;
    const char *words;
    enum net_reason reason;
} endings[] = {
    {CURLE_COULDNT_CONNECT, NULL, NET_CONNECT},
    {CURLE_COULDNT_RESOLVE_HOST, NULL, NET_DNS_FAIL},
    {CURLE_OPERATION_TIMEDOUT, NULL, NET_TIMEOUT_CONNECT},
    {CURLE_SSL_CONNECT_ERROR, NULL, NET_TLS},
    {CURLE_PEER_FAILED_VERIFICATION, NULL, NET_TLS},
    {CURLE_SSL_CACERT_BADFILE, NULL, NET_TLS},
    {CURLE_SSL_CERTPROBLEM, NULL, NET_TLS},
    {CURLE_SSL_CIPHER, NULL, NET_TLS},
    {CURLE_SSL_ISSUER_ERROR, NULL, NET_TLS},
    {CURLE_SSL_CRL_BADFILE, NULL, NET_TLS},
    {CURLE_SSL_INVALIDCERTSTATUS, NULL, NET_TLS},
    {CURLE_USE_SSL_FAILED, NULL, NET_TLS},
    {CURLE_UNSUPPORTED_PROTOCOL, NULL, NET_HTTP_STATUS}, /* HTTP/0.9 */
    {CURLE_WEIRD_SERVER_REPLY, NULL, NET_HTTP_STATUS},
    {CURLE_BAD_FUNCTION_ARGUMENT, NULL, NET_HTTP_STATUS}, /* a trailer that is no header; the arguments are the server's */
    {CURLE_HTTP2, NULL, NET_HTTP_STATUS},
    {CURLE_BAD_CONTENT_ENCODING, NULL, NET_ENCODING},
    {(CURLcode)100, NULL, NET_HEADER_TOO_LARGE}, /* CURLE_TOO_LARGE, from 8.6 on */
    {CURLE_RECV_ERROR, "chunk", NET_HTTP_STATUS},
    {CURLE_RECV_ERROR, "header", NET_HEADER_TOO_LARGE},
    {CURLE_RECV_ERROR, NULL, NET_TRUNCATED},
    {CURLE_SEND_ERROR, NULL, NET_TRUNCATED},
    {CURLE_PARTIAL_FILE, NULL, NET_TRUNCATED},
    {CURLE_GOT_NOTHING, NULL, NET_TRUNCATED},
};

static int judge_end(const struct transfer *t, CURLcode code, enum net_reason *ret_reason, struct fovea_fault *fault)
{
    if (t->error)
        return memory_is_full(t->error)
                   ? fault_oom(fault)
                   : fault_set(fault, t->error, "cannot keep the bytes in memory: %s", strerrordesc_np(-t->error));
    if (t->reason || t->stopped || code == CURLE_OK) {
        *ret_reason = t->reason ? t->reason : t->hop->answer.ended ? NET_OK : NET_TRUNCATED;
        return 0;
    }
    for (size_t i = 0; i < COUNT(endings); i++)
        if (endings[i].code == code && (!endings[i].words || strcasestr(t->words, endings[i].words))) {
            *ret_reason = endings[i].reason;
            return 0;
        }
    /* It says so also of a line that does not fit into its own limit. */
    if (code == CURLE_OUT_OF_MEMORY && !t->answered && t->connected) {
        *ret_reason = NET_HEADER_TOO_LARGE;
        return 0;
    }
    return code == CURLE_OUT_OF_MEMORY ? fault_oom(fault)
                                       : fault_set(fault, EIO, "libcurl failed: code %d, %s", (int)code, t->words);
}

static bool has_ended(struct transfer *t, CURLcode *ret_code)
{
    int left;
    CURLMsg *m;
    while ((m = t->api->curl_multi_info_read(t->multi, &left)))
        if (m->msg == CURLMSG_DONE) {
            *ret_code = m->data.result;
            return true;
        }
    return false;
}

static int run(struct transfer *t, enum net_reason *ret_reason, struct fovea_fault *fault)
{
    struct curl_waitfd cancel = {.fd = cancel_fd(t->hop->cancel), .events = CURL_WAIT_POLLIN};
    CURLcode code = CURLE_OK;
    for (;;) {
        int running;
        if (t->api->curl_multi_perform(t->multi, &running) != CURLM_OK)
            return fault_set(fault, EIO, "libcurl cannot go on");
        if (cancel_struck(t->hop->cancel))
            return fault_cancelled(fault);
        if (has_ended(t, &code))
            return judge_end(t, code, ret_reason, fault);
        enum net_reason r = check_clocks(t);
        if (r) {
            *ret_reason = r;
            return 0;
        }
        if (t->api->curl_multi_poll(t->multi, &cancel, cancel.fd >= 0, LIMIT_FETCH_TICK_MS, NULL) != CURLM_OK)
            return fault_set(fault, EIO, "libcurl cannot wait");
    }
}

int hop_run(struct hop *h, enum net_reason *ret_reason, struct fovea_fault *fault)
{
    cleanup(pipe_guard_done) struct pipe_guard guard;
    cleanup(transfer_done) struct transfer t = {.hop = h, .started = clock_ms()};
    pipe_guard_init(&guard);
    t.api = curl_load();
    if (!t.api)
        return fault_set(fault, ENOENT, "libcurl.so.4 cannot be loaded: install libcurl4 to fetch URLs");
    int r = prepare(&t);
    if (r < 0)
        return r == -ENOMEM ? fault_oom(fault) : fault_set(fault, r, "this libcurl is too old to fetch URLs safely");
    return run(&t, ret_reason, fault);
}
