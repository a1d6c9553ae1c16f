/* SPDX-License-Identifier: Apache-2.0 */
/* The chain and the gate. A rung that is set is the answer, good or bad: a model that was asked for by name is never
 * replaced by another one behind the user's back. */
#include "model/choose.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

const char *const choose_from_names[] = {
    [FROM_CALL] = "the call",
    [FROM_ROLE_VISION] = "modelRoles.vision",
    [FROM_AUXILIARY] = "auxiliary.vision.model",
    [FROM_ROLE_DEFAULT] = "modelRoles.default",
    [FROM_MODEL] = "model",
    [FROM_MAIN] = "the session's main model",
    [FROM_FIRST] = "the first available",
    [FROM_COUNT] = NULL,
};

/* ---------------------------------------------------------------- keys */

static const char *from_env(const struct choose_inputs *in, const char *name)
{
    const char *value = name && in->env ? in->env(name, in->env_arg) : NULL;
    return value && *value ? value : NULL;
}

static const char *first_key(const struct choose_inputs *in, const char *key, const char *env)
{
    return key ? key : from_env(in, env);
}

/* Which host the settings at the top belong to: the one they name, else that of their model. */
static const struct provider *top_provider(const struct choose_inputs *in)
{
    struct model_name name;
    if (in->top.provider)
        return models_provider(in->models, in->top.provider);
    if (!in->top.model || model_name_parse(in->models, in->top.model, &name) < 0)
        return NULL;
    if (*name.provider)
        return models_provider(in->models, name.provider);
    const struct provider *p;
    for (size_t i = 0; (p = models_provider_at(in->models, i)); i++)
        if (models_find(in->models, p->name, name.id))
            return p;
    return NULL;
}

/* Those of auxiliary.vision, which default to the top. */
static const struct provider *vision_provider(const struct choose_inputs *in)
{
    return in->vision.provider ? models_provider(in->models, in->vision.provider) : top_provider(in);
}

/* The key and the address for one host. What was set for another host never comes near it, and a key that was found in
 * a usual variable goes only where that host is known to live. */
static void find_key(const struct choose_inputs *in, const struct provider *p, bool vision, struct choice *ret)
{
    bool top = p == top_provider(in);
    bool aux = p == vision_provider(in) && (vision || !top);
    const char *key = aux ? first_key(in, in->vision.api_key, in->vision.api_key_env) : NULL;
    const char *url = aux ? in->vision.base_url : NULL;
    if (!url && !p->own_url && top)
        url = in->top.base_url;
    if (!key)
        key = first_key(in, p->api_key, p->api_key_env);
    if (!key && top)
        key = first_key(in, in->top.api_key, in->top.api_key_env);
    if (!key && in->usual_keys && !url && !p->own_url)
        key = from_env(in, p->usual_env);
    ret->api_key = key;
    ret->base_url = url ? url : p->base_url;
}

void choose_reach(const struct choose_inputs *in, const struct provider *p, struct choice *ret)
{
    find_key(in, p, true, ret);
    ret->provider = p;
}

bool choose_named(const struct choose_inputs *in, const struct provider *p)
{
    return p == top_provider(in) || p == vision_provider(in);
}

bool choose_available(const struct choose_inputs *in, const struct provider *p)
{
    struct choice found;
    bool named = p->listed || choose_named(in, p);
    if (!p->wire)
        return in->ocr;
    find_key(in, p, true, &found);
    return found.base_url && (found.api_key || (p->auth_none && named));
}

static bool any_available(const struct choose_inputs *in)
{
    const struct provider *p;
    for (size_t i = 0; (p = models_provider_at(in->models, i)); i++)
        if (choose_available(in, p))
            return true;
    return false;
}

/* ---------------------------------------------------------------- names */

/* What is known of a model: by the tables, else by what its host said. */
static const struct model *row_of(const struct choose_inputs *in, const struct provider *p, const char *id)
{
    const struct model *row = models_find(in->models, p->name, id);
    for (size_t i = 0; !row && i < in->n_found; i++)
        if (!strcmp(in->found[i].provider, p->name) && !strcmp(in->found[i].id, id))
            row = &in->found[i];
    return row;
}

static void settle(const struct choose_inputs *in, const struct provider *p, const char *id, struct choice *ret)
{
    ret->provider = p;
    ret->model = row_of(in, p, id);
    (void)snprintf(ret->id, sizeof ret->id, "%.*s", LIMIT_MODEL_ID - 1, ret->model ? ret->model->id : id);
}

/* A bare id: of the host that has exactly that, those that can be asked first; else of the usual one. */
static const struct provider *host_of(const struct choose_inputs *in, const char *id, const struct provider *usual)
{
    const struct provider *p, *known = NULL;
    if (usual && row_of(in, usual, id))
        return usual;
    for (size_t i = 0; (p = models_provider_at(in->models, i)); i++) {
        if (!row_of(in, p, id))
            continue;
        if (choose_available(in, p))
            return p;
        known = known ? known : p;
    }
    return usual ? usual : known;
}

/* beside: a provider stands next to the words, so an id of exactly these words is its own, slashes and all. */
static bool resolve(const struct choose_inputs *in, const char *words, const struct provider *usual, bool beside,
                    struct choice *ret)
{
    struct model_name name;
    char whole[2 * LIMIT_MODEL_ID];
    if (model_name_parse(in->models, words, &name) < 0)
        return false;
    (void)snprintf(whole, sizeof whole, "%s%s%s", name.provider, *name.provider ? "/" : "", name.id);
    const struct provider *p = *name.provider ? models_provider(in->models, name.provider) : NULL;
    if (beside && usual && p != usual && row_of(in, usual, whole))
        settle(in, usual, whole, ret);
    else if (!p && beside && usual)
        settle(in, usual, name.id, ret);
    else if (p || (p = host_of(in, name.id, usual)))
        settle(in, p, name.id, ret);
    else
        return false;
    ret->effort = ret->effort ? ret->effort : name.effort;
    return in->ocr || ret->provider->wire;
}

/* ---------------------------------------------------------------- the chain */

/* What a rung holds; NULL when it is not set. */
static const char *words_of(const struct choose_inputs *in, enum choose_from rung)
{
    const char *const all[] = {
        [FROM_CALL] = in->call,         [FROM_ROLE_VISION] = in->role_vision, [FROM_AUXILIARY] = in->vision.model,
        [FROM_ROLE_DEFAULT] = in->role_default, [FROM_MODEL] = in->top.model, [FROM_MAIN] = in->main_model,
    };
    return rung < FROM_FIRST ? all[rung] : NULL;
}

/* pi/vision and pi/default name the rung where the role begins, with an effort or without. */
bool choose_names_role(const char *words, enum choose_from *ret_rung, const char **ret_effort)
{
    static const struct {
        const char *words, *effort;
    } ends[] = {{"", NULL}, {":low", "low"}, {":medium", "medium"}, {":high", "high"}};
    bool vision = !strncmp(words, "pi/vision", 9), plain = !strncmp(words, "pi/default", 10);
    for (size_t i = 0; (vision || plain) && i < COUNT(ends); i++)
        if (!strcmp(words + (vision ? 9 : 10), ends[i].words)) {
            *ret_rung = vision ? FROM_ROLE_VISION : FROM_ROLE_DEFAULT;
            *ret_effort = ends[i].effort;
            return true;
        }
    return false;
}

static bool take_rung(const struct choose_inputs *in, enum choose_from rung, const char *words, struct choice *ret)
{
    const struct provider *usual = rung == FROM_ROLE_VISION || rung == FROM_AUXILIARY ? vision_provider(in) : top_provider(in);
    bool beside = (rung == FROM_AUXILIARY && in->vision.provider) || (rung == FROM_MODEL && in->top.provider);
    ret->from = rung;
    if (rung == FROM_MAIN && in->main_provider) {
        usual = models_provider(in->models, in->main_provider);
        beside = true;
    }
    if (beside && !usual)
        return false; /* a provider that does not exist */
    return resolve(in, words, usual, beside, ret);
}

/* The host's usual model, else the first of its rows that sees. NULL when there is none. */
static const char *usual_of(const struct choose_inputs *in, const struct provider *p)
{
    const struct model *row;
    if (p->preferred)
        return p->preferred;
    for (size_t i = 0; (row = models_at(in->models, i)); i++)
        if (!strcmp(row->provider, p->name) && models_can(in->models, row, MODEL_VISION))
            return row->id;
    for (size_t i = 0; i < in->n_found; i++)
        if (!strcmp(in->found[i].provider, p->name) && models_can(in->models, &in->found[i], MODEL_VISION))
            return in->found[i].id;
    return NULL;
}

bool choose_knows(const struct choose_inputs *in, const struct provider *p)
{
    return usual_of(in, p);
}

bool choose_host_at(const struct choose_inputs *in, size_t i, const struct provider **ret)
{
    const struct provider *p = i ? models_provider_at(in->models, i - 1) : top_provider(in);
    *ret = p && p->wire ? p : NULL;
    return !i || p;
}

static bool take_of(const struct choose_inputs *in, const struct provider *p, struct choice *ret)
{
    const char *id = choose_available(in, p) ? usual_of(in, p) : NULL;
    if (id)
        settle(in, p, id, ret);
    return id;
}

/* The user's own host, then hosts in the order of the table, those that users add behind them; OCR last of all. */
static bool take_first(const struct choose_inputs *in, struct choice *ret)
{
    const struct provider *p;
    ret->from = FROM_FIRST;
    for (size_t i = 0; choose_host_at(in, i, &p); i++)
        if (p && take_of(in, p, ret))
            return true;
    return take_of(in, models_provider(in->models, "local"), ret);
}

static bool climb(const struct choose_inputs *in, struct choice *ret)
{
    for (enum choose_from rung = FROM_CALL; rung < FROM_FIRST;) {
        const char *words = words_of(in, rung), *effort;
        enum choose_from next;
        if (!words) {
            rung++;
        } else if (!choose_names_role(words, &next, &effort)) {
            return take_rung(in, rung, words, ret);
        } else {
            if (next <= rung)
                return false; /* a role that stands for itself or for an earlier one */
            rung = next;
            ret->effort = ret->effort ? ret->effort : effort;
        }
    }
    return take_first(in, ret);
}

enum choose_verdict choose(const struct choose_inputs *in, unsigned need, struct choice *ret)
{
    struct choice c = {0};
    if (!in->models)
        return CHOOSE_NO_REGISTRY;
    if (!any_available(in))
        return CHOOSE_NO_MODELS;
    if (!climb(in, &c))
        return CHOOSE_UNRESOLVED;
    find_key(in, c.provider, c.from == FROM_ROLE_VISION || c.from == FROM_AUXILIARY || c.from == FROM_FIRST, &c);
    *ret = c;
    if (!models_can(in->models, c.model, need))
        return CHOOSE_CANNOT;
    return c.api_key || c.provider->auth_none ? CHOOSE_OK : CHOOSE_NO_KEY;
}
