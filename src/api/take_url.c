/* SPDX-License-Identifier: Apache-2.0 */
/* URLs for a call: see take_url.h. One table says what a reason of the network is to a model that asked to see. */
#include "api/take_url.h"

#include "base/limits.h"

void take_policy(const struct call *c, struct fetch_policy *ret)
{
    const struct config *s = &c->f->config;
    *ret = (struct fetch_policy){.allow = (const char *const *)s->network_allow,
                                 .deny = (const char *const *)s->network_deny,
                                 .ca_file = s->network_ca_file};
}

int take_url(const struct call *c, const char *url, uint64_t cap, struct fetch_result *ret, struct fovea_fault *fault)
{
    struct fetch_policy policy;
    take_policy(c, &policy);
    return fetch_url(&policy, url, cap, c->scope.cancel, ret, fault);
}

static const char elsewhere[] = "give a public https URL, or save it to a file and view that";
static const char later[] = "try again later, or save it to a file and view that";
static const char other_copy[] = "try again, or get a good copy of it";

/* Every other reason is the gate's: blocked, and the advice is to go elsewhere. */
static const struct {
    enum net_reason net;
    enum reason reason;
    const char *advice;
} rows[] = {
    {NET_HOST_DENIED, REASON_BLOCKED, "take it from another host, or change network.deny"},
    {NET_HOST_NOT_ALLOWED, REASON_BLOCKED, "take it from a host that is listed, or change network.allow"},
    {NET_DNS_FAIL, REASON_BLOCKED, "check the spelling of the host"},
    {NET_CONNECT, REASON_ABSENT, later},
    {NET_TLS, REASON_BLOCKED, "take it from another host, or name its authority in network.caFile"},
    {NET_HTTP_STATUS, REASON_ABSENT, "check the URL, which must give the picture itself without a login"},
    {NET_TYPE, REASON_UNPERCEIVABLE_TYPE, "check the URL, which must give the picture itself"},
    {NET_HEADER_TOO_LARGE, REASON_MALFORMED, elsewhere},
    {NET_ENCODING, REASON_MALFORMED, elsewhere},
    {NET_TRUNCATED, REASON_MALFORMED, other_copy},
    {NET_TIMEOUT_DNS, REASON_TIMED_OUT, later},
    {NET_TIMEOUT_CONNECT, REASON_TIMED_OUT, later},
    {NET_TIMEOUT_SLOW, REASON_TIMED_OUT, later},
    {NET_TIMEOUT_TOTAL, REASON_TIMED_OUT, later},
    {NET_BUSY, REASON_TIMED_OUT, later},
};

static fovea_result *refuse_length(const struct fetch_result *r, const char *url, uint64_t cap)
{
    char may[32];
    uint64_t limit = cap ? MIN(cap, LIMIT_FETCH_BYTES) : LIMIT_FETCH_BYTES;
    show_bytes(limit, may);
    return refuse_named(REASON_TOO_LARGE, url, "has more than the limit of %s (%s); get a smaller copy of it%s", may,
                        net_reason_code(r->reason), limit < LIMIT_FETCH_BYTES ? ", or raise view.maxBytes" : "");
}

fovea_result *refuse_fetch(const struct fetch_result *r, const char *url, uint64_t cap)
{
    enum reason reason = REASON_BLOCKED;
    const char *advice = elsewhere;
    if (r->reason == NET_TOO_LARGE)
        return refuse_length(r, url, cap);
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].net == r->reason) {
            reason = rows[i].reason;
            advice = rows[i].advice;
        }
    return refuse_named(reason, url, "%s (%s: %s); %s",
                        net_reason_of_gate(r->reason) ? "is not fetched" : "could not be fetched",
                        net_reason_code(r->reason), r->words, advice);
}
