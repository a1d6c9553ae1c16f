/* SPDX-License-Identifier: Apache-2.0 */
/* Models for the outside: what the config says of them, which can be asked, and what they can do. */
#include "api/choosing.h"

#include <errno.h>
#include <string.h>

#include "api/config_value.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/text.h"

static const char *from_environment(const char *name, void *arg)
{
    (void)arg;
    return secure_getenv(name);
}

/* Whoever says one key means to say all: the usual variables hold only where no key is configured. */
static bool any_key(const struct config *c)
{
    const struct provider *p;
    for (size_t i = 0; (p = models_provider_at(c->models, i)); i++)
        if (p->api_key || p->api_key_env)
            return true;
    return c->api_key || c->api_key_env || c->vision_api_key || c->vision_api_key_env;
}

struct choose_inputs choosing_inputs(const fovea *f)
{
    const struct config *c = &f->config;
    return (struct choose_inputs){
        .models = c->models,
        .role_vision = c->role_vision,
        .role_default = c->role_default,
        .vision = {c->vision_provider, c->vision_model, c->vision_api_key, c->vision_api_key_env, c->vision_base_url},
        .top = {c->provider, c->model, c->api_key, c->api_key_env, c->base_url},
        .ocr = c->ocr,
        .usual_keys = !any_key(c),
        .env = from_environment,
    };
}

static int add_nearest(struct buf *why, const char *name)
{
    (void)buf_add_str(why, "names no provider; did you mean \"");
    (void)buf_add_shown(why, name, 60);
    return buf_add_str(why, "\", or is it missing from providers?");
}

/* Those of the config first, as many as the room holds. */
static int add_providers(struct buf *why, const struct models *models, size_t room)
{
    static const char more[] = " and more";
    const struct provider *p;
    size_t left = 0, named = 0;
    (void)buf_add_str(why, "names no provider; add it to providers, or take one of these: ");
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; (p = models_provider_at(models, i)); i++) {
            auto_buf name = BUF_INIT(KIB);
            if (p->listed != (pass == 0))
                continue;
            if (buf_add_shown(&name, p->name, 60) < 0)
                return -ENOMEM;
            if (left || (named && why->len + name.len + sizeof more + 2 > room)) {
                left++;
                continue;
            }
            (void)buf_add_str(why, named++ ? ", " : "");
            (void)buf_add(why, name.data, name.len);
        }
    return buf_add_str(why, left ? more : "");
}

static int add_reason(struct buf *why, const struct choose_mistake *m, const struct models *models, size_t room)
{
    if (*m->nearest)
        return add_nearest(why, m->nearest);
    if (m->beside)
        return buf_add_format(why, "is no model of %s; write PROVIDER/ID for one of another's", m->beside);
    return add_providers(why, models, room);
}

static int check_names(const fovea *f, struct fovea_fault *fault)
{
    struct choose_inputs in = choosing_inputs(f);
    struct choose_mistake m = {0};
    struct fovea_fault head = {0};
    auto_buf why = BUF_INIT(4 * KIB);
    if (!choose_mistaken(&in, &m))
        return 0;
    (void)config_mistaken(&f->config, m.key, m.words, "", &head);
    if (add_reason(&why, &m, in.models, sizeof head.text - strlen(head.text)) < 0)
        return fault_oom(fault);
    return config_mistaken(&f->config, m.key, m.words, why.data, fault);
}

int choosing_check(const fovea *f, struct fovea_fault *fault)
{
    const struct config *c = &f->config;
    const struct provider *p;
    int r = check_names(f, fault);
    if (r < 0)
        return r;
    for (size_t i = 0; (p = models_provider_at(c->models, i)); i++) {
        bool top = c->provider && models_provider(c->models, c->provider) == p && c->base_url;
        bool aux = c->vision_provider && models_provider(c->models, c->vision_provider) == p && c->vision_base_url;
        if (p->listed && !p->base_url && !top && !aux)
            return fault_set(fault, EINVAL, "%s: providers.%s has no baseUrl, such as \"http://127.0.0.1:8080/v1\"",
                             p->said, p->name);
    }
    return 0;
}

/* ---------------------------------------------------------------- what hosts say of themselves */

/* One choice under way. */
struct choosing {
    const struct call *call;
    struct choose_inputs in;
    unsigned need;
    int64_t deadline; /* of all questions together */
    const struct provider *asked; /* the host that was named */
    struct host_answer *answer; /* the rows that count now */
};

static void choosing_done(struct choosing *g)
{
    discovery_let_go(g->call->f->discovery, g->answer);
}

/* A row of an answer, which goes with it, is replaced by one that stays. */
static enum choose_verdict choose_now(const struct choosing *g, struct choice *ret)
{
    enum choose_verdict v = choose(&g->in, g->need, ret);
    for (size_t i = 0; i < g->in.n_found; i++)
        if (ret->model == &g->in.found[i])
            ret->model = discovery_keep(g->call->f->discovery, ret->model);
    return v;
}

/* The vendor's own address is in the tables; what is not there is not asked of it. */
static bool at_its_vendor(const struct choice *c)
{
    const struct provider *p = c->provider;
    return p->usual_env && !p->own_url && c->base_url == p->base_url;
}

/* Whether the host said something new, which then counts. id NULL: of any model. */
static bool ask_host(struct choosing *g, const struct choice *c, const char *id)
{
    struct discovery_question q = {.provider = c->provider, .base_url = c->base_url, .key = c->api_key,
                                   .ca_file = g->call->f->config.network_ca_file, .id = id,
                                   .total_ms = MIN((int64_t)LIMIT_DISCOVER_MS, clock_left(g->deadline)),
                                   .cancel = g->call->scope.cancel};
    if (g->call->f->config.block_images || !discovery_can_ask(&q) || at_its_vendor(c) || !q.total_ms)
        return false;
    discovery_let_go(g->call->f->discovery, g->answer);
    g->in.found = NULL;
    g->in.n_found = 0;
    g->answer = discovery_ask(g->call->f->discovery, &q);
    if (g->answer)
        g->in.found = answer_rows(g->answer, &g->in.n_found);
    return g->answer;
}

/* Asks the hosts that can be asked, in their order, until one leads to a choice; stop: only those before it, of which
 * nothing is known. */
static enum choose_verdict ask_around(struct choosing *g, enum choose_verdict before, const struct provider *stop,
                                      struct choice *ret)
{
    const struct provider *p;
    for (size_t i = 0; choose_host_at(&g->in, i, &p) && !(stop && p == stop); i++) {
        struct choice reach;
        if (!p || p == g->asked || !choose_available(&g->in, p) || (stop && choose_knows(&g->in, p)))
            continue;
        choose_reach(&g->in, p, &reach);
        if (!ask_host(g, &reach, NULL))
            continue;
        struct choice now = {0};
        enum choose_verdict v = choose_now(g, &now);
        if (now.provider == p) {
            *ret = now;
            return v;
        }
    }
    return before;
}

/* Whoever names the host means that one. */
static bool names_host(const struct models *m, const char *words)
{
    struct model_name name;
    return words && model_name_parse(m, words, &name) == 0 && *name.provider;
}

enum choose_verdict choosing_for(const struct call *c, const char *model, unsigned need, struct choice *ret)
{
    cleanup(choosing_done) struct choosing g = {.call = c, .in = choosing_inputs(c->f), .need = need,
                         .deadline = clock_ms() + LIMIT_DISCOVER_ALL_MS};
    const char *slash = c->main ? strchr(c->main, '/') : NULL;
    char provider[LIMIT_CONFIG_VALUE];
    struct choice first = {0};
    g.in.call = model;
    if (slash) {
        (void)snprintf(provider, sizeof provider, "%.*s", (int)(slash - c->main), c->main);
        g.in.main_provider = provider;
        g.in.main_model = slash + 1;
    }
    enum choose_verdict v = choose_now(&g, &first);
    if (v == CHOOSE_CANNOT && !first.model) {
        g.asked = first.provider;
        v = ask_host(&g, &first, first.id) ? choose_now(&g, &first) : v;
    }
    if (v == CHOOSE_UNRESOLVED || (v == CHOOSE_CANNOT && !first.model && !names_host(g.in.models, model)))
        v = ask_around(&g, v, NULL, &first);
    else if (first.provider && first.from == FROM_FIRST)
        v = ask_around(&g, v, first.provider, &first);
    if (first.provider)
        *ret = first;
    return v;
}

void choosing_trouble(const struct call *c, const struct choice *choice, char words[CHOOSING_TROUBLE])
{
    struct fovea_fault fault = {0};
    *words = '\0';
    if (!choice->model && choice->provider)
        discovery_trouble(c->f->discovery, choice->provider, choice->base_url, &fault);
    if (*fault.text)
        (void)snprintf(words, CHOOSING_TROUBLE, "; '%s' did not say what it offers: %s", choice->provider->name, fault.text);
}

/* ---------------------------------------------------------------- for the outside */

static const char *price_words(int64_t micro, char room[static 32])
{
    int64_t nano;
    if (micro < 0 || __builtin_mul_overflow(micro, 1000, &nano))
        return NULL;
    money_text(nano, room);
    return room;
}

static void describe(const struct choose_inputs *in, const struct model *m, struct fovea_model *ret)
{
    const struct provider *p = models_provider(in->models, m->provider);
    *ret = (struct fovea_model){
        .provider = m->provider, .id = m->id,
        .vision = models_can(in->models, m, MODEL_VISION), .pdf = models_can(in->models, m, MODEL_PDF),
        .video = models_can(in->models, m, MODEL_VIDEO), .tool_image = models_can(in->models, m, MODEL_TOOL_IMAGE),
        .available = p && choose_available(in, p),
        .context = m->context ? m->context : -1, .max_output = m->max_output ? m->max_output : -1,
        .tiers = m->tiers[0].above > 0,
        .price_source = m->price_source, .limits_source = m->limits_source, .modality_source = m->modality_source,
    };
    ret->input = price_words(m->price.input, ret->room[0]);
    ret->output = price_words(m->price.output, ret->room[1]);
    ret->cache_read = price_words(m->price.cache_read, ret->room[2]);
    ret->cache_write = price_words(m->price.cache_write, ret->room[3]);
}

int fovea_model(const fovea *f, size_t index, struct fovea_model *ret)
{
    struct choose_inputs in = choosing_inputs(f);
    const struct model *m = models_at(in.models, index);
    if (!m)
        return -ENOENT;
    describe(&in, m, ret);
    return 0;
}

struct telling {
    const struct choose_inputs *in;
    void (*tell)(const struct fovea_model *model, void *arg);
    void *arg;
};

/* What the tables know of it counts before its host's word, as it does for a choice. */
static void tell_one(const struct model *row, void *arg)
{
    const struct telling *t = arg;
    const struct model *known = models_find(t->in->models, row->provider, row->id);
    struct fovea_model m;
    describe(t->in, known ? known : row, &m);
    t->tell(&m, t->arg);
}

int fovea_host_models(fovea *f, const char *host, void (*tell)(const struct fovea_model *model, void *arg), void *arg,
                      struct fovea_fault *fault)
{
    struct choose_inputs in = choosing_inputs(f);
    struct telling t = {&in, tell, arg};
    struct choice reach;
    const struct provider *p = models_provider(in.models, host);
    if (!p)
        return fault_set(fault, EINVAL, "there is no host of that name; 'fovea config show' lists those that can be asked");
    choose_reach(&in, p, &reach);
    struct discovery_question q = {.provider = p, .base_url = reach.base_url, .key = reach.api_key,
                                   .ca_file = f->config.network_ca_file, .total_ms = LIMIT_DISCOVER_LONG_MS};
    if (!p->wire || strncmp(p->wire, "openai-", 7) != 0)
        return fault_set(fault, ENOTSUP, "'%s' has no list that could be asked for; 'fovea models %s/' shows what is known",
                         p->name, p->name);
    if (f->config.block_images)
        return fault_set(fault, EPERM, "images.blockImages is true, so '%s' is not asked; disable it to ask", p->name);
    if (!discovery_can_ask(&q))
        return fault_set(fault, EACCES, "there is no %s for '%s'; see providers in the config", q.base_url ? "key" : "address",
                         p->name);
    return discovery_tell(f->discovery, &q, tell_one, &t, fault);
}

bool fovea_model_supports(const fovea *f, const char *model, const char *capability)
{
    const struct models *m = f->config.models;
    struct model_name name;
    if (!model || !capability || model_name_parse(m, model, &name) < 0 || !*name.provider)
        return false;
    const struct model *row = models_find(m, name.provider, name.id);
    if (row && !strcmp(row->provider, "local") && !f->config.ocr)
        return false;
    return models_can(m, row, model_capability(capability));
}
