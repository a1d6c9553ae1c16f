/* SPDX-License-Identifier: Apache-2.0 */
/* What users say of hosts and models, laid over the rows that ship: one table of keys each. Who reads the files (api/)
 * knows lines and spelling; what a key may hold is known here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "model/models_priv.h"

/* A copy that lives as long as m. */
static const char *keep(struct models *m, const char *text)
{
    char **grown = reallocarray(m->strings, m->n_strings + 1, sizeof *grown);
    if (!grown)
        return NULL;
    m->strings = grown;
    char *copy = strdup(text);
    if (copy)
        m->strings[m->n_strings++] = copy;
    return copy;
}

static int parse_bool(const char *value, bool *ret)
{
    if (strcasecmp(value, "true") != 0 && strcasecmp(value, "false") != 0)
        return -EINVAL;
    *ret = !strcasecmp(value, "true");
    return 0;
}

static int parse_count(const char *value, int64_t *ret)
{
    int64_t n = 0;
    for (const char *c = value; *c; c++)
        if (*c < '0' || *c > '9' || __builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *c - '0', &n))
            return -EINVAL;
    if (!*value)
        return -EINVAL;
    *ret = n;
    return 0;
}

/* ---------------------------------------------------------------- hosts */

/* Words are kept as the list has them. */
static int set_word(const char *const *words, const char *value, const char **ret)
{
    while (*words && strcmp(*words, value) != 0)
        words++;
    if (!*words)
        return -EINVAL;
    *ret = *words;
    return 0;
}

static int set_wire(struct models *m, struct provider *p, const char *value)
{
    (void)m;
    return set_word(provider_wires, value, &p->wire);
}

static int set_base_url(struct models *m, struct provider *p, const char *value)
{
    if (strncmp(value, "https://", 8) != 0 && strncmp(value, "http://", 7) != 0)
        return -EINVAL;
    p->own_url = true;
    return (p->base_url = keep(m, value)) ? 0 : -ENOMEM;
}

static int set_auth(struct models *m, struct provider *p, const char *value)
{
    static const char *const styles[] = {"bearer", "x-api-key", "x-goog-api-key", NULL};
    const char *style = NULL;
    (void)m;
    if (strcmp(value, "none") != 0 && strcmp(value, "key") != 0 && set_word(styles, value, &style) < 0)
        return -EINVAL;
    p->auth_none = !strcmp(value, "none");
    p->auth = style;
    return 0;
}

static int set_webp(struct models *m, struct provider *p, const char *value)
{
    bool webp;
    (void)m;
    if (parse_bool(value, &webp) < 0)
        return -EINVAL;
    p->no_webp = !webp;
    return 0;
}

/* A host that takes a key is asked with it, whatever it did without. */
static int set_key(struct models *m, struct provider *p, const char *value)
{
    if (!*value || strlen(value) >= LIMIT_API_KEY)
        return -EINVAL;
    return (p->api_key = keep(m, value)) ? 0 : -ENOMEM;
}

static int set_key_env(struct models *m, struct provider *p, const char *value)
{
    if (!*value || strchr(value, '=') || strlen(value) >= LIMIT_MODEL_ID)
        return -EINVAL;
    return (p->api_key_env = keep(m, value)) ? 0 : -ENOMEM;
}

const char *const provider_keys[] = {"wire", "baseUrl", "auth", "webp", "apiKey", "apiKeyEnv", "models", NULL};
static const struct {
    int (*set)(struct models *m, struct provider *p, const char *value);
    const char *must;
} provider_setters[] = {
    {set_wire, "anthropic, openai-chat, openai-responses or gemini"},
    {set_base_url, "an address that starts with https:// or http://"},
    {set_auth, "none, key, bearer, x-api-key or x-goog-api-key"},
    {set_webp, "true or false"},
    {set_key, "a key of 1 to 4095 bytes"},
    {set_key_env, "the name of a variable"},
};

static size_t find_key(const char *const *keys, const char *key)
{
    size_t i = 0;
    while (keys[i] && strcmp(keys[i], key) != 0)
        i++;
    return i;
}

/* The row of the host, made when it is new: then it speaks chat completions until told otherwise. */
static int provider_row(struct models *m, const char *name, struct provider **ret)
{
    struct provider *p = models_provider_n(m, name, strlen(name));
    if (!p && m->n_providers == LIMIT_PROVIDERS)
        return -ENOSPC;
    if (!p) {
        const char *own = keep(m, name);
        if (!own)
            return -ENOMEM;
        p = &m->providers[m->n_providers++];
        *p = (struct provider){.name = own, .wire = "openai-chat"};
    }
    p->listed = true;
    *ret = p;
    return 0;
}

int models_set_provider(struct models *m, const char *name, const char *key, const char *value, const char **ret_must)
{
    struct provider *p;
    size_t i = find_key(provider_keys, key);
    if (!*name || strchr(name, '/') || strlen(name) >= LIMIT_MODEL_ID || !strcmp(name, "local")) {
        *ret_must = "a name without a slash, and not local";
        return -EDOM;
    }
    if (*key && i >= COUNT(provider_setters))
        return -ENOENT;
    int r = provider_row(m, name, &p);
    if (r == 0 && !*key && !p->said && !(p->said = keep(m, value)))
        r = -ENOMEM;
    if (r < 0 || !*key)
        return r;
    r = provider_setters[i].set(m, p, value);
    if (r == -EINVAL)
        *ret_must = provider_setters[i].must;
    return r;
}

/* ---------------------------------------------------------------- models */

struct model_key {
    enum { CAN, COUNTED, PRICE } kind;
    size_t offset;
    unsigned bit;
};
#define LIMIT_OF(member) {COUNTED, offsetof(struct model, member), 0}
#define PRICE_OF(member) {PRICE, offsetof(struct model, price.member), 0}

const char *const model_keys[] = {"vision", "pdf", "video", "tool_image", "context", "max_output", "request_bytes",
                                  "images", "input", "output", "cache_read", "cache_write", NULL};
static const struct model_key model_setters[] = {
    {CAN, 0, MODEL_VISION}, {CAN, 0, MODEL_PDF},     {CAN, 0, MODEL_VIDEO},   {CAN, 0, MODEL_TOOL_IMAGE},
    LIMIT_OF(context),      LIMIT_OF(max_output),    LIMIT_OF(request_bytes), LIMIT_OF(images),
    PRICE_OF(input),        PRICE_OF(output),        PRICE_OF(cache_read),    PRICE_OF(cache_write),
};

static int set_can(const struct model_key *k, struct model *row, const char *value, const char *source)
{
    bool yes;
    if (parse_bool(value, &yes) < 0)
        return -EINVAL;
    row->can = yes ? row->can | k->bit : row->can & ~k->bit;
    if (k->bit == MODEL_TOOL_IMAGE)
        row->can &= ~(unsigned)MODEL_TOOL_UNSAID;
    row->modality_source = source;
    return 0;
}

static int set_count(const struct model_key *k, struct model *row, const char *value, const char *source)
{
    int r = parse_count(value, (int64_t *)((char *)row + k->offset));
    if (r == 0)
        row->limits_source = source;
    return r;
}

/* Steps of a price that was replaced are worth nothing. */
static int set_price(const struct model_key *k, struct model *row, const char *value, const char *source)
{
    int64_t price;
    if (money_parse_micro(value, &price) < 0)
        return -EINVAL;
    *(int64_t *)((char *)row + k->offset) = price;
    memset(row->tiers, 0, sizeof row->tiers);
    row->price_source = source;
    return 0;
}

static const struct {
    int (*set)(const struct model_key *k, struct model *row, const char *value, const char *source);
    const char *must;
} model_kinds[] = {
    [CAN] = {set_can, "true or false"},
    [COUNTED] = {set_count, "a whole number"},
    [PRICE] = {set_price, "dollars a million tokens, such as 2.50"},
};

static struct model *own_row(struct models *m, const char *provider, const char *id)
{
    for (size_t i = 0; i < m->n_extra; i++)
        if (!strcmp(m->extra[i].id, id) && !strcmp(m->extra[i].provider, provider))
            return &m->extra[i];
    return NULL;
}

/* The user's row of the model, begun as ours where we have one. */
static int model_row(struct models *m, const struct provider *p, const char *id, const char *source, struct model **ret)
{
    if ((*ret = own_row(m, p->name, id)))
        return 0;
    if (m->n_extra == LIMIT_MODELS)
        return -ENOSPC;
    const struct model *ours = models_find(m, p->name, id);
    struct model *grown = reallocarray(m->extra, m->n_extra + 1, sizeof *grown);
    if (!grown)
        return -ENOMEM;
    m->extra = grown;
    struct model row = {.can = MODEL_TOOL_UNSAID, .price = {-1, -1, -1, -1}, .price_source = "none", .limits_source = source,
                        .modality_source = source};
    if (ours)
        row = *ours;
    row.provider = p->name;
    if (!(row.id = keep(m, id)))
        return -ENOMEM;
    *(*ret = &m->extra[m->n_extra++]) = row;
    return 0;
}

int models_set_model(struct models *m, const char *provider, const char *id, const char *key, const char *value,
                     const char *source, const char **ret_must)
{
    struct model *row;
    size_t i = *key ? find_key(model_keys, key) : 0;
    const struct provider *p = models_provider(m, provider);
    const char *kept = keep(m, source);
    if (!p || !*id || strlen(id) >= LIMIT_MODEL_ID || i >= COUNT(model_setters))
        return -ENOENT;
    int r = kept ? model_row(m, p, id, kept, &row) : -ENOMEM;
    if (r < 0 || !*key)
        return r;
    r = model_kinds[model_setters[i].kind].set(&model_setters[i], row, value, kept);
    if (r == -EINVAL)
        *ret_must = model_kinds[model_setters[i].kind].must;
    return r;
}
