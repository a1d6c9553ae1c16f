/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a host, for discovery.h: whether it can be, how near it is, and its words as rows for choose(). */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "api/discovery_priv.h"
#include "base/fault.h"
#include "source/host.h"

bool discovery_can_ask(const struct discovery_question *q)
{
    const char *wire = q->provider->wire;
    return q->base_url && wire && !strncmp(wire, "openai-", 7) && (q->key || q->provider->auth_none);
}

static struct model row_of(const struct provider *p, const struct discovered *said)
{
    static const char source[] = "the host's own word";
    return (struct model){
        .provider = p->name,
        .id = said->id,
        .can = MODEL_TOOL_UNSAID | (said->vision ? MODEL_VISION : 0u) | (said->pdf ? MODEL_PDF : 0u) | (said->video ? MODEL_VIDEO : 0u),
        .context = said->context,
        .price = {-1, -1, -1, -1},
        .price_source = "none",
        .limits_source = source,
        .modality_source = said->told ? source : "none",
    };
}

bool discovery_is_near(const char *base_url)
{
    const char *at = strstr(base_url, "://");
    at = at ? at + 3 : base_url;
    bool bracket = *at == '[';
    at += bracket;
    size_t len = strcspn(at, bracket ? "]" : ":/");
    char name[LIMIT_HOST_BYTES];
    struct netaddr addr;
    if (!len || len >= sizeof name)
        return false;
    if (netaddr_parse4(at, len, &addr) || netaddr_parse6(at, len, &addr))
        return netaddr_judge(&addr) != NET_OK;
    len -= at[len - 1] == '.';
    for (size_t i = 0; i < len; i++)
        name[i] = (char)tolower((unsigned char)at[i]);
    name[len] = '\0';
    return !bracket && len && host_is_near(name);
}

static int ask(struct http *http, const struct discovery_question *q, struct discover_list *ret, struct fovea_fault *fault)
{
    const struct provider *p = q->provider;
    struct host_place place = {.name = p->name, .base_url = q->base_url, .wire = p->wire, .auth = p->auth,
                               .keyless = !q->key};
    struct host host;
    if (host_make(&place, &host) < 0)
        return fault_set(fault, EINVAL, "'%s' is no host that can be asked", p->name);
    struct discover_request request = {.host = &host, .key = q->key, .ca_file = q->ca_file, .id = q->id,
                                       .near = discovery_is_near(q->base_url), .total_ms = q->total_ms, .cancel = q->cancel};
    return discover(http, &request, ret, fault);
}

/* Of the answer to a question for one model, the row of that: made-up names shall not fill the memory. */
static void keep_wanted(struct discover_list *l, const char *id)
{
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->rows[i].id, id)) {
            l->rows[0] = l->rows[i];
            l->n = 1;
            struct discovered *one = reallocarray(l->rows, 1, sizeof *one);
            l->rows = one ? one : l->rows;
            return;
        }
    discover_list_done(l);
}

int answer_fill(struct http *http, const struct discovery_question *q, struct host_answer *a, struct fovea_fault *fault)
{
    int r = ask(http, q, &a->list, fault);
    if (r < 0)
        return r;
    if (q->id)
        keep_wanted(&a->list, q->id);
    if (a->list.n && !(a->rows = calloc(a->list.n, sizeof *a->rows))) {
        discover_list_done(&a->list);
        return fault_oom(fault);
    }
    for (size_t i = 0; i < a->list.n; i++)
        a->rows[i] = row_of(q->provider, &a->list.rows[i]);
    return 0;
}

int discovery_tell(struct discovery *d, const struct discovery_question *q,
                   void (*tell)(const struct model *row, void *arg), void *arg, struct fovea_fault *fault)
{
    cleanup(discover_list_done) struct discover_list l = {0};
    int r = ask(discovery_http(d), q, &l, fault);
    for (size_t i = 0; r == 0 && i < l.n; i++) {
        struct model row = row_of(q->provider, &l.rows[i]);
        tell(&row, arg);
    }
    return r;
}
