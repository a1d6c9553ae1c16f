/* SPDX-License-Identifier: Apache-2.0 */
/* Models for the outside: what the config says of them, which can be asked, and what they can do. */
#include "api/choosing.h"

#include <errno.h>
#include <string.h>

#include "base/fault.h"

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

int choosing_check(const fovea *f, struct fovea_fault *fault)
{
    const struct config *c = &f->config;
    const struct provider *p;
    for (size_t i = 0; (p = models_provider_at(c->models, i)); i++) {
        bool top = c->provider && models_provider(c->models, c->provider) == p && c->base_url;
        bool aux = c->vision_provider && models_provider(c->models, c->vision_provider) == p && c->vision_base_url;
        if (p->listed && !p->base_url && !top && !aux)
            return fault_set(fault, EINVAL, "providers.%s has no baseUrl, such as \"http://127.0.0.1:8080/v1\"", p->name);
    }
    return 0;
}

static const char *price_words(int64_t micro, char room[static 32])
{
    int64_t nano;
    if (micro < 0 || __builtin_mul_overflow(micro, 1000, &nano))
        return NULL;
    money_text(nano, room);
    return room;
}

int fovea_model(const fovea *f, size_t index, struct fovea_model *ret)
{
    struct choose_inputs in = choosing_inputs(f);
    const struct model *m = models_at(in.models, index);
    if (!m)
        return -ENOENT;
    const struct provider *p = models_provider(in.models, m->provider);
    *ret = (struct fovea_model){
        .provider = m->provider, .id = m->id,
        .vision = models_can(in.models, m, MODEL_VISION), .pdf = models_can(in.models, m, MODEL_PDF),
        .video = models_can(in.models, m, MODEL_VIDEO), .tool_image = models_can(in.models, m, MODEL_TOOL_IMAGE),
        .available = p && choose_available(&in, p),
        .context = m->context ? m->context : -1, .max_output = m->max_output ? m->max_output : -1,
        .tiers = m->tiers[0].above > 0,
        .price_source = m->price_source, .limits_source = m->limits_source, .modality_source = m->modality_source,
    };
    ret->input = price_words(m->price.input, ret->room[0]);
    ret->output = price_words(m->price.output, ret->room[1]);
    ret->cache_read = price_words(m->price.cache_read, ret->room[2]);
    ret->cache_write = price_words(m->price.cache_write, ret->room[3]);
    return 0;
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
