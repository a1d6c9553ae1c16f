/* SPDX-License-Identifier: Apache-2.0 */
/* Finding models and hosts, and taking the names of models apart. What users add is in user.c. */
#include "model/models.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/models_priv.h"

struct models *models_new(void)
{
    auto_free struct models *m = calloc(1, sizeof *m);
    if (!m || provider_table_count > LIMIT_PROVIDERS)
        return NULL;
    memcpy(m->providers, provider_table, provider_table_count * sizeof *m->providers);
    m->n_providers = provider_table_count;
    return take(m);
}

void models_free(struct models *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_strings; i++) { /* keys are among them */
        explicit_bzero(m->strings[i], strlen(m->strings[i]));
        free(m->strings[i]);
    }
    free(m->strings);
    free(m->extra);
    free(m);
}

const char *provider_name(const char *name, size_t len, size_t *ret_len)
{
    if (len == strlen("gemini") && !memcmp(name, "gemini", len))
        name = "google"; /* as long as the other */
    *ret_len = len;
    return name;
}

struct provider *models_provider_n(const struct models *m, const char *name, size_t len)
{
    const char *own = provider_name(name, len, &len);
    for (size_t i = 0; i < m->n_providers; i++)
        if (strlen(m->providers[i].name) == len && !memcmp(m->providers[i].name, own, len))
            return (struct provider *)&m->providers[i];
    return NULL;
}

const struct provider *models_provider(const struct models *m, const char *name)
{
    return models_provider_n(m, name, strlen(name));
}

const struct provider *models_provider_at(const struct models *m, size_t i)
{
    return i < m->n_providers ? &m->providers[i] : NULL;
}

static const struct model *find_in(const struct model *rows, size_t n, const char *provider, const char *id)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(rows[i].id, id) && !strcmp(rows[i].provider, provider))
            return &rows[i];
    return NULL;
}

/* Gemini's ids are also written as the resources that they name. */
static const char *plain_id(const struct models *m, const char *provider, const char *id)
{
    static const char kind[] = "models/";
    const struct provider *p = strncmp(id, kind, sizeof kind - 1) ? NULL : models_provider(m, provider);
    return p && p->wire && !strcmp(p->wire, "gemini") ? id + sizeof kind - 1 : id;
}

const struct model *models_find(const struct models *m, const char *provider, const char *id)
{
    size_t len;
    const char *own = provider_name(provider, strlen(provider), &len), *plain = plain_id(m, own, id);
    const struct model *row = find_in(m->extra, m->n_extra, own, id);
    row = row ? row : find_in(m->extra, m->n_extra, own, plain);
    return row ? row : find_in(model_table, model_table_count, own, plain);
}

const struct model *models_at(const struct models *m, size_t i)
{
    if (i < m->n_extra)
        return &m->extra[i];
    i -= m->n_extra;
    for (size_t row = 0; row < model_table_count; row++) {
        const struct model *at = &model_table[row];
        if (m->n_extra && find_in(m->extra, m->n_extra, at->provider, at->id))
            continue;
        if (!i--)
            return at;
    }
    return NULL;
}

bool models_can(const struct models *m, const struct model *model, unsigned what)
{
    if (!m || !model || !what || (model->can & what) != what)
        return false;
    const struct provider *p = models_provider(m, model->provider);
    bool chat = p && p->wire && !strcmp(p->wire, "openai-chat");
    return !(what & MODEL_TOOL_IMAGE) || !chat || strcmp(model->provider, "openai") != 0;
}

unsigned model_capability(const char *name)
{
    static const struct {
        const char *name;
        unsigned bit;
    } all[] = {{"vision", MODEL_VISION}, {"pdf", MODEL_PDF}, {"video", MODEL_VIDEO}, {"tool_image", MODEL_TOOL_IMAGE}};
    for (size_t i = 0; i < COUNT(all); i++)
        if (!strcmp(all[i].name, name))
            return all[i].bit;
    return 0;
}

/* How long the words are without an effort at their end. */
static size_t before_effort(const char *words, const char **ret_effort)
{
    static const char *const efforts[] = {"low", "medium", "high"};
    const char *colon = strrchr(words, ':');
    for (size_t i = 0; colon && i < COUNT(efforts); i++)
        if (!strcmp(colon + 1, efforts[i])) {
            *ret_effort = efforts[i];
            return (size_t)(colon - words);
        }
    *ret_effort = NULL;
    return strlen(words);
}

int model_name_parse(const struct models *m, const char *words, struct model_name *ret)
{
    struct model_name name = {0};
    size_t len = before_effort(words, &name.effort);
    const char *slash = memchr(words, '/', len);
    const struct provider *p = slash ? models_provider_n(m, words, (size_t)(slash - words)) : NULL;
    const char *id = p ? slash + 1 : words;
    len -= (size_t)(id - words);
    if (!len || len >= sizeof name.id)
        return -EINVAL;
    memcpy(name.id, id, len);
    (void)snprintf(name.provider, sizeof name.provider, "%s", p ? p->name : "");
    *ret = name;
    return 0;
}
