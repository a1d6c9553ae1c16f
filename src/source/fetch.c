/* SPDX-License-Identifier: Apache-2.0 */
/* A fetch, hop by hop: see fetch.h. What one hop must pass is the list in try_hop; a redirect starts it over. */
#include "source/fetch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/io.h"
#include "source/fetch_hop.h"
#include "source/fetch_places.h"

struct fetch {
    const struct fetch_policy *policy;
    const fovea_cancel *cancel;
    uint64_t cap;
    int64_t deadline;
    int fd; /* takes the body */
    struct url url; /* where we are */
    struct answers answers;
    struct hop hop;
    unsigned redirects;
};

void fetch_result_done(struct fetch_result *r)
{
    if (r)
        snapshot_done(&r->body);
}

enum net_reason fetch_gate(const struct fetch_policy *p, const char *text, size_t len, struct url *ret)
{
    struct url u;
    enum net_reason r = url_parse(text, len, &u);
    r = r ? r : host_rules(&u.host, p->allow, p->deny);
    if (!r && ret)
        *ret = u;
    return r;
}

static bool is_self(const struct fetch *f, const struct netaddr *a)
{
    for (size_t i = 0; i < f->policy->n_self; i++)
        if (netaddr_equal(&f->policy->self[i], a))
            return true;
    return dns_is_own_address(a);
}

/* The addresses of the host: its own, or those of one lookup. */
static int resolve(struct fetch *f, enum net_reason *reason)
{
    int64_t deadline = MIN(f->deadline, clock_ms() + LIMIT_FETCH_DNS_MS);
    *reason = NET_OK;
    if (f->url.host.literal)
        f->answers = (struct answers){.n = 1, .addr = {f->url.host.addr}};
    else {
        int r = dns_look_up(f->url.host.name, deadline, f->cancel, reason, &f->answers);
        if (r < 0)
            return r;
    }
    if (*reason == NET_TIMEOUT_DNS && !clock_left(f->deadline))
        *reason = NET_TIMEOUT_TOTAL;
    for (size_t i = 0; !*reason && i < f->answers.n; i++)
        if (is_self(f, &f->answers.addr[i]))
            *reason = NET_SELF;
    return 0;
}

/* The whole gate for the URL we are at, and the request. */
static int try_hop(struct fetch *f, enum net_reason *reason, struct fovea_fault *fault)
{
    *reason = host_rules(&f->url.host, f->policy->allow, f->policy->deny);
    if (*reason)
        return 0;
    int r = resolve(f, reason);
    if (r == -ECANCELED)
        return fault_set(fault, r, "the call was cancelled");
    if (r < 0)
        return fault_oom(fault);
    if (*reason)
        return 0;
    f->hop = (struct hop){.url = &f->url,
                          .answers = &f->answers,
                          .ca_file = f->policy->ca_file,
                          .cap = f->cap,
                          .deadline = f->deadline,
                          .cancel = f->cancel,
                          .fd = f->fd};
    return hop_run(&f->hop, reason, fault);
}

/* Where the answer leads; false when it is the last one. */
static bool follow(struct fetch *f, enum net_reason *reason)
{
    if (!answer_is_redirect(&f->hop.answer))
        return false;
    if (f->redirects == LIMIT_FETCH_REDIRECTS) {
        *reason = NET_REDIRECT_LIMIT;
        return false;
    }
    *reason = net_reason_redirected(url_join(&f->url, f->hop.answer.location, f->hop.answer.location_len, &f->url));
    f->redirects += !*reason;
    return !*reason;
}

static int run(struct fetch *f, enum net_reason *reason, struct fovea_fault *fault)
{
    do {
        int r = try_hop(f, reason, fault);
        if (r < 0)
            return r;
        if (f->redirects)
            *reason = net_reason_redirected(*reason);
        if (*reason)
            return 0;
    } while (follow(f, reason));
    if (!*reason && !f->hop.got)
        *reason = NET_TYPE;
    return 0;
}

static void say(struct fetch_result *r)
{
    if (r->reason == NET_HTTP_STATUS && r->status && r->status != 200)
        (void)snprintf(r->words, sizeof r->words, "the server answered with status %u", r->status);
    else
        (void)snprintf(r->words, sizeof r->words, "%s", net_reason_words(r->reason));
}

static void settle(struct fetch_result *out, enum net_reason reason)
{
    *out = (struct fetch_result){.reason = reason, .body = {.fd = -1}};
    say(out);
}

static int settle_run(struct fetch *f, enum net_reason reason, struct fetch_result *ret, struct fovea_fault *fault)
{
    int r = reason ? 0 : memory_seal(f->fd);
    if (r < 0)
        return fault_set(fault, r, "cannot seal the memory of the body: %s", strerrordesc_np(-r));
    *ret = (struct fetch_result){
        .reason = reason, .status = f->hop.answer.status, .redirects = f->redirects, .body = {.fd = -1}};
    if (!reason)
        ret->body = (struct snapshot){.fd = take_fd(&f->fd), .size = f->hop.got, .file_size = f->hop.got};
    say(ret);
    return 0;
}

static void place_leave_p(int *place)
{
    place_leave(*place);
}

static void fetch_free(struct fetch **f)
{
    if (*f)
        close_fd((*f)->fd);
    free(*f);
}

/* With a place in the queue. */
static int fetch_placed(struct fetch *f, struct fetch_result *ret, struct fovea_fault *fault)
{
    enum net_reason reason = NET_OK;
    cleanup(place_leave_p) int place = place_take(f->url.host.name, f->deadline, f->cancel);
    if (place == -ECANCELED)
        return fault_set(fault, place, "the call was cancelled");
    if (place < 0) {
        settle(ret, place == -EBUSY ? NET_BUSY : NET_TIMEOUT_TOTAL);
        return 0;
    }
    f->fd = memory_open("fovea-source");
    if (f->fd < 0)
        return fault_set(fault, f->fd, "cannot make memory for the body: %s", strerrordesc_np(-f->fd));
    int r = run(f, &reason, fault);
    return r < 0 ? r : settle_run(f, reason, ret, fault);
}

int fetch_url(const struct fetch_policy *p, const char *url, uint64_t cap, const fovea_cancel *cancel,
              struct fetch_result *ret, struct fovea_fault *fault)
{
    cleanup(fetch_free) struct fetch *f = calloc(1, sizeof *f);
    if (!f)
        return fault_oom(fault);
    *f = (struct fetch){.policy = p,
                        .cancel = cancel,
                        .cap = cap ? MIN(cap, LIMIT_FETCH_BYTES) : LIMIT_FETCH_BYTES,
                        .deadline = clock_ms() + LIMIT_FETCH_TOTAL_MS,
                        .fd = -1};
    enum net_reason reason = fetch_gate(p, url, strnlen(url, LIMIT_URL_BYTES + 1), &f->url);
    if (reason) {
        settle(ret, reason);
        return 0;
    }
    return fetch_placed(f, ret, fault);
}
