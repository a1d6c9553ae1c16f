/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libcurl wrapper: see http.h. Each request runs on a line (a multi handle with one easy handle), so that it can wait
 * for the socket and the cancel descriptor together; idle lines are kept with their open connections.
 */
#include "provider/http.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/curl.h"
#include "base/fault.h"
#include "base/limits.h"
#include "provider/hosts.h"

struct line {
    CURLM *multi;
    CURL *easy;
    struct line *next;
};

struct http {
    const struct curl_table *curl;
    pthread_mutex_t lock;
    struct line *idle;
    size_t idle_count;
};

/* One request on its line. */
struct run {
    const struct curl_table *curl;
    const struct http_request *q;
    struct http_answer *a;
    bool get;
    int64_t deadline; /* INT64_MAX: none */
    int64_t last_ms;  /* when something came */
    int64_t let_go;   /* when what still comes is no longer waited for; 0: all of it is wanted */
    int code;         /* why we ended it ourselves */
    char words[CURL_ERROR_SIZE]; /* libcurl's, of how it failed: to be read, not shown */
};

int http_new(struct http **ret, struct fovea_fault *f)
{
    struct http *h = calloc(1, sizeof *h);
    if (!h)
        return fault_oom(f);
    (void)pthread_mutex_init(&h->lock, NULL);
    *ret = h;
    return 0;
}

static void line_free(const struct curl_table *curl, struct line *l)
{
    if (!l)
        return;
    curl->curl_easy_cleanup(l->easy);
    (void)curl->curl_multi_cleanup(l->multi);
    free(l);
}

void http_free(struct http *h)
{
    if (!h)
        return;
    for (struct line *l = h->idle, *next; l; l = next) {
        next = l->next;
        line_free(h->curl, l);
    }
    (void)pthread_mutex_destroy(&h->lock);
    free(h);
}

static struct line *line_new(const struct curl_table *curl)
{
    struct line *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->multi = curl->curl_multi_init();
    l->easy = curl->curl_easy_init();
    if (!l->multi || !l->easy) {
        line_free(curl, l);
        return NULL;
    }
    (void)curl->curl_multi_setopt(l->multi, CURLMOPT_MAXCONNECTS, (long)LIMIT_PROVIDER_CONNECTIONS);
    return l;
}

static struct line *line_take(struct http *h, const struct curl_table *curl)
{
    (void)pthread_mutex_lock(&h->lock);
    h->curl = curl;
    struct line *l = h->idle;
    if (l) {
        h->idle = l->next;
        h->idle_count--;
    }
    (void)pthread_mutex_unlock(&h->lock);
    return l ? l : line_new(curl);
}

static void line_give(struct http *h, const struct curl_table *curl, struct line *l)
{
    (void)pthread_mutex_lock(&h->lock);
    bool keep = h->idle_count < LIMIT_PROVIDER_LINES;
    if (keep) {
        l->next = h->idle;
        h->idle = l;
        h->idle_count++;
    }
    (void)pthread_mutex_unlock(&h->lock);
    if (!keep)
        line_free(curl, l);
}

void http_warm(struct http *h)
{
    const struct curl_table *curl = curl_load();
    struct line *l = curl ? line_take(h, curl) : NULL;
    if (l)
        line_give(h, curl, l);
}

static size_t on_header(char *bytes, size_t one, size_t len, void *ctx)
{
    struct run *r = ctx;
    r->last_ms = clock_ms();
    /* Each answer starts with its status: those before the last are interim. */
    if (len > 5 && !memcmp(bytes, "HTTP/", 5)) {
        buf_done(&r->a->headers);
        const char *status = memchr(bytes, ' ', len);
        r->a->status = 0;
        for (int i = 1; status && i <= 3 && status + i < bytes + len && status[i] >= '0' && status[i] <= '9'; i++)
            r->a->status = r->a->status * 10 + status[i] - '0';
        return len * one;
    }
    r->code = buf_add(&r->a->headers, bytes, len);
    return r->code ? 0 : len * one;
}

static size_t on_body(char *bytes, size_t one, size_t len, void *ctx)
{
    struct run *r = ctx;
    r->last_ms = clock_ms();
    r->a->bytes += len;
    if (r->a->bytes > LIMIT_PROVIDER_REPLY)
        r->code = -EFBIG;
    int code = r->code || r->let_go ? 0 : r->a->on_bytes(r->a->ctx, bytes, len);
    if (code > 0)
        r->let_go = clock_ms() + LIMIT_PROVIDER_DRAIN_MS;
    if (code < 0)
        r->code = code;
    return r->code ? 0 : len * one;
}

/* libcurl's own idea of a POST's headers is left out: what is not ours is turned off. */
static struct curl_slist *header_list(const struct curl_table *curl, const char *lines)
{
    struct curl_slist *list = curl->curl_slist_append(NULL, "expect:");
    while (list && *lines) {
        size_t len = strcspn(lines, "\n");
        auto_free char *line = strndup(lines, len);
        struct curl_slist *more = line ? curl->curl_slist_append(list, line) : NULL;
        if (!more)
            curl->curl_slist_free_all(list);
        list = more;
        lines += len + (lines[len] == '\n');
    }
    return list;
}

static CURLcode set_up(CURL *easy, struct run *r, struct curl_slist *headers)
{
    const struct http_request *q = r->q;
    const struct curl_table *c = r->curl;
    bool tls = (q->url[4] | 0x20) == 's';
    CURLcode bad = CURLE_OK;
#define SET(option, value) bad = bad ? bad : c->curl_easy_setopt(easy, option, value)
    SET(CURLOPT_URL, q->url);
    SET(CURLOPT_PROTOCOLS_STR, tls ? "https" : "http");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_TCP_KEEPALIVE, 1L);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)LIMIT_PROVIDER_CONNECT_MS);
    SET(CURLOPT_FRESH_CONNECT, (long)q->fresh);
    if (!r->get) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->len);
        SET(CURLOPT_POSTFIELDS, q->body);
    }
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_USERAGENT, "fovea/" FOVEA_VERSION);
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, r);
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, r);
    SET(CURLOPT_ERRORBUFFER, r->words);
#undef SET
    (void)c->curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* an old one waits a little longer for names at its end */
    return bad ? bad : curl_set_tls(c, easy, q->ca_file);
}

/* When to look again: the answer's own pace, or the end of all time for it. */
static int wait_ms(const struct run *r, int64_t idle)
{
    int left = clock_left(r->last_ms + idle);
    if (r->deadline != INT64_MAX)
        left = MIN(left, clock_left(r->deadline));
    if (r->let_go)
        left = MIN(left, clock_left(r->let_go));
    return MIN(left, LIMIT_PROVIDER_LOOK_MS);
}

/* Why to stop now; 0 to go on. A server that takes no bytes is as dead as one that sends none. */
static int over(struct run *r, CURL *easy, curl_off_t *sent, int64_t idle)
{
    curl_off_t now = 0;
    if (!r->curl->curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &now) && now != *sent) {
        *sent = now;
        r->last_ms = clock_ms();
    }
    if (cancel_struck(r->q->cancel))
        return -ECANCELED;
    if (r->let_go && clock_ms() >= r->let_go)
        return 1;
    return clock_ms() >= r->deadline || clock_ms() - r->last_ms >= idle ? -ETIMEDOUT : 0;
}

/* Runs it to its end. *ret_done is libcurl's verdict when it came to one. */
static int drive(struct line *l, struct run *r, CURLcode *ret_done)
{
    int64_t idle = r->q->idle_ms ? r->q->idle_ms : LIMIT_PROVIDER_IDLE_MS;
    struct curl_waitfd cancel = {.fd = cancel_fd(r->q->cancel), .events = CURL_WAIT_POLLIN};
    unsigned extra = cancel.fd >= 0 ? 1 : 0;
    curl_off_t sent = 0;
    for (;;) {
        int running, left;
        if (r->curl->curl_multi_perform(l->multi, &running) != CURLM_OK)
            return -ENOMEM;
        CURLMsg *m = r->curl->curl_multi_info_read(l->multi, &left);
        if (m && m->msg == CURLMSG_DONE) {
            *ret_done = m->data.result;
            return r->code;
        }
        int code = r->code ? r->code : over(r, l->easy, &sent, idle);
        if (code)
            return code;
        (void)r->curl->curl_multi_poll(l->multi, &cancel, extra, wait_ms(r, idle), NULL);
    }
}

/* A connection that ended amid the handshake has libcurl's code of one that was refused there. */
static bool cut_in_handshake(CURLcode done, const char *words)
{
    return done == CURLE_SSL_CONNECT_ERROR &&
           (strstr(words, "SSL_ERROR_SYSCALL") || strstr(words, "unexpected eof") || strstr(words, " failure: "));
}

static int verdict(CURLcode done, const char *words)
{
    static const struct {
        CURLcode curl;
        int code;
    } rows[] = {
        {CURLE_OK, 0},
        {CURLE_COULDNT_RESOLVE_HOST, -EHOSTUNREACH},
        {CURLE_COULDNT_CONNECT, -EHOSTUNREACH},
        {CURLE_OPERATION_TIMEDOUT, -ETIMEDOUT},
        {CURLE_SSL_CONNECT_ERROR, -EPROTO},
        {CURLE_PEER_FAILED_VERIFICATION, -EPROTO},
        {CURLE_SSL_CACERT_BADFILE, -EPROTO},
        {CURLE_OUT_OF_MEMORY, -ENOMEM},
    };
    for (size_t i = 0; i < COUNT(rows) && !cut_in_handshake(done, words); i++)
        if (rows[i].curl == done)
            return rows[i].code;
    return -ECONNRESET;
}

/* Our own words: libcurl's may quote what it was given. */
static int say(int code, struct fovea_fault *f)
{
    static const struct {
        int code;
        const char *words;
    } rows[] = {
        {-ETIMEDOUT, "the provider did not answer in time"},
        {-EHOSTUNREACH, "the provider cannot be reached; check the network, and its baseUrl"},
        {-EPROTO, "no trusted TLS connection to the provider: its certificate or protocol was refused; network.caFile names further authorities"},
        {-ECONNRESET, "the connection to the provider was cut off"},
        {-EFBIG, "the provider's answer is too long"},
        {-ENOSYS, "libcurl is too old to ask a provider: version 7.85 or later is needed, with TLS"},
    };
    if (code == -ECANCELED)
        return fault_cancelled(f);
    if (code == -ENOMEM)
        return fault_oom(f);
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].code == code)
            return fault_set(f, code, "%s", rows[i].words);
    return code;
}

static int run_line(struct line *l, struct run *r, struct curl_slist *headers)
{
    CURLcode done = CURLE_OK;
    r->curl->curl_easy_reset(l->easy);
    CURLcode bad = set_up(l->easy, r, headers);
    if (bad) /* what it does not know, or was not built for, is not done without */
        return bad == CURLE_OUT_OF_MEMORY ? -ENOMEM : -ENOSYS;
    if (r->curl->curl_multi_add_handle(l->multi, l->easy) != CURLM_OK)
        return -ENOMEM;
    curl_off_t up = 0;
    int code = drive(l, r, &done);
    (void)r->curl->curl_easy_getinfo(l->easy, CURLINFO_SIZE_UPLOAD_T, &up);
    r->a->sent = r->a->status || up >= (curl_off_t)r->q->len;
    (void)r->curl->curl_multi_remove_handle(l->multi, l->easy);
    if (r->let_go && code != -ECANCELED)
        return 0;
    return code ? code : verdict(done, r->words);
}

static int request(struct http *h, const struct http_request *q, bool get, struct http_answer *a, struct fovea_fault *f)
{
    const struct curl_table *curl = curl_load();
    auto_free char *base = strndup(q->url, strcspn(q->url, "?"));
    if (!curl)
        return fault_set(f, -ENOSYS, "libcurl is not installed: install libcurl4 to ask a provider");
    if (!base)
        return fault_oom(f);
    const char *bad = host_url_fault(base);
    if (bad)
        return fault_set(f, -EINVAL, "the provider's base URL is refused: %s", bad);
    if (cancel_struck(q->cancel))
        return fault_cancelled(f);
    int64_t now = clock_ms();
    struct run r = {.curl = curl, .q = q, .a = a, .get = get, .last_ms = now, .deadline = INT64_MAX};
    if (q->total_ms)
        r.deadline = now + q->total_ms;
    a->status = 0;
    a->sent = false;
    a->bytes = 0;
    a->headers = (struct buf)BUF_INIT(LIMIT_PROVIDER_HEADERS);
    cleanup(pipe_guard_done) struct pipe_guard guard;
    pipe_guard_init(&guard);
    struct curl_slist *headers = header_list(curl, q->headers);
    struct line *l = headers ? line_take(h, curl) : NULL;
    int code = l ? run_line(l, &r, headers) : -ENOMEM;
    curl->curl_slist_free_all(headers);
    if (l)
        line_give(h, curl, l);
    return say(code, f);
}

int http_post(struct http *h, const struct http_request *q, struct http_answer *a, struct fovea_fault *f)
{
    return request(h, q, false, a, f);
}

int http_get(struct http *h, const struct http_request *q, struct http_answer *a, struct fovea_fault *f)
{
    return request(h, q, true, a, f);
}

void http_answer_done(struct http_answer *a)
{
    buf_done(&a->headers);
}
