/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that name a provider by a name that nobody has: a slip of the pen, found before anything is asked. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/nearest.h"
#include "model/choose.h"

enum { NEAR = 2 * NEAREST_EDIT }; /* this far from a name, a word is taken for it misspelled */

/* The name of a provider that is nearest to the first letters of a word. */
static const char *nearest_provider(const struct models *m, const char *word, size_t len, unsigned *ret_distance)
{
    char part[LIMIT_MODEL_ID];
    const char *names[LIMIT_PROVIDERS + 2] = {"gemini"}; /* the other name of google */
    const struct provider *p;
    (void)snprintf(part, sizeof part, "%.*s", (int)MIN(len, sizeof part - 1), word);
    for (size_t i = 0; (p = models_provider_at(m, i)); i++)
        names[i + 1] = p->name;
    const char *near = nearest_word(names, part);
    *ret_distance = nearest_distance(part, near, strlen(near));
    return near;
}

/* Gemini's models may be written as the resources that they are. */
static bool is_resource(const char *id, const struct provider *p)
{
    return !strcmp(p->wire, "gemini") && (!strncmp(id, "models/", 7) || !strncmp(id, "tunedModels/", 12));
}

/* Vendors have no slash in their ids, but for that; who stands at another address may have any. */
static bool may_have(const struct choose_inputs *in, const char *id, const struct provider *p)
{
    struct choice reach = {0};
    if (!p->wire || is_resource(id, p))
        return p->wire;
    choose_reach(in, p, &reach);
    return !p->plain_ids || p->own_url || reach.base_url != p->base_url;
}

/* A usual variable may be set tomorrow, so its host counts. */
static bool may_be_asked(const struct choose_inputs *in, const struct provider *p)
{
    return p->listed || choose_named(in, p) || (in->usual_keys && p->usual_env);
}

/* beside: the provider that stands next to the words and settles whose they are; NULL: none does. */
static bool may_be_id(const struct choose_inputs *in, const char *id, const struct provider *beside)
{
    const struct provider *p;
    if (beside)
        return may_have(in, id, beside) || models_find(in->models, beside->name, id);
    for (size_t i = 0; (p = models_provider_at(in->models, i)); i++)
        if (models_find(in->models, p->name, id) || (may_be_asked(in, p) && may_have(in, id, p)))
            return true;
    return false;
}

static bool model_mistaken(const struct choose_inputs *in, const char *words, const char *provider,
                           struct choose_mistake *ret)
{
    const struct provider *beside = provider ? models_provider(in->models, provider) : NULL;
    const char *slash = words ? strchr(words, '/') : NULL, *effort;
    enum choose_from rung;
    struct model_name name;
    unsigned distance;
    if (!slash || choose_names_role(words, &rung, &effort) || model_name_parse(in->models, words, &name) < 0 || *name.provider)
        return false;
    const char *near = nearest_provider(in->models, words, (size_t)(slash - words), &distance);
    bool slip = !beside && distance <= NEAR && models_find(in->models, near, strchr(name.id, '/') + 1);
    if (!slip && may_be_id(in, name.id, beside))
        return false;
    ret->words = words;
    ret->beside = beside ? beside->name : NULL;
    if (distance <= NEAR)
        (void)snprintf(ret->nearest, sizeof ret->nearest, "%s%.*s", near, LIMIT_MODEL_ID, slash);
    return true;
}

static bool provider_mistaken(const struct choose_inputs *in, const char *words, struct choose_mistake *ret)
{
    unsigned distance;
    if (!words || models_provider(in->models, words))
        return false;
    ret->words = words;
    const char *near = nearest_provider(in->models, words, strlen(words), &distance);
    if (distance <= NEAR)
        (void)snprintf(ret->nearest, sizeof ret->nearest, "%s", near);
    return true;
}

bool choose_mistaken(const struct choose_inputs *in, struct choose_mistake *ret)
{
    const struct {
        const char *key, *provider, *model, *beside;
    } rows[] = {
        {"provider", in->top.provider, NULL, NULL},
        {"auxiliary.vision.provider", in->vision.provider, NULL, NULL},
        {"model", NULL, in->top.model, in->top.provider},
        {"auxiliary.vision.model", NULL, in->vision.model, in->vision.provider},
        {"modelRoles.vision", NULL, in->role_vision, NULL},
        {"modelRoles.default", NULL, in->role_default, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        ret->key = rows[i].key;
        if (provider_mistaken(in, rows[i].provider, ret) || model_mistaken(in, rows[i].model, rows[i].beside, ret))
            return true;
    }
    return false;
}
