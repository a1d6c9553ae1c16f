/* SPDX-License-Identifier: Apache-2.0 */
/* Settings for people: what holds now and who said so. A key is shown as its last four letters at most. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "api/choosing.h"
#include "api/config_keys.h"
#include "api/config_value.h"
#include "base/text.h"

struct teller {
    void (*tell)(const struct fovea_setting_now *setting, void *arg);
    void *arg;
    int error;
};

static void tell(struct teller *t, const char *key, const struct buf *value, const char *from)
{
    if (value->error)
        t->error = -ENOMEM;
    else
        t->tell(&(struct fovea_setting_now){key, value->data ? value->data : "", from}, t->arg);
}

/* Short keys show nothing: four letters of them would be most of it. */
static void add_masked(struct buf *b, const char *secret)
{
    size_t len = strlen(secret);
    (void)buf_add_str(b, "****");
    if (len >= 20)
        (void)buf_add_shown(b, secret + len - 4, 4);
}

/* An address may hold a password before its @, and one of a database also behind its question mark. */
static void add_words(struct buf *b, const char *text)
{
    const char *query = strstr(text, "://") && strstr(text, "password=") ? strchr(text, '?') : NULL;
    if (query) {
        auto_free char *before = strndup(text, (size_t)(query - text));
        add_words(b, before ? before : "");
        (void)buf_add_str(b, "?****");
        return;
    }
    const char *scheme = strstr(text, "://"), *at = scheme ? strrchr(scheme, '@') : NULL;
    if (!at) {
        (void)buf_add_shown(b, text, LIMIT_CONFIG_VALUE);
        return;
    }
    (void)buf_add_format(b, "%.*s****", (int)(scheme + 3 - text), text);
    (void)buf_add_shown(b, at, LIMIT_CONFIG_VALUE);
}

static void add_list(struct buf *b, char **list)
{
    (void)buf_add_str(b, "[");
    for (char **entry = list; entry && *entry; entry++) {
        (void)buf_add_str(b, entry == list ? "" : ", ");
        add_words(b, *entry);
    }
    (void)buf_add_str(b, "]");
}

static void add_value(struct buf *b, const struct config_key *k, const struct config *c)
{
    const void *member = (const char *)c + k->offset;
    const char *tail = strrchr(k->path, '.'), *name = tail ? tail + 1 : k->path;
    char amount[MONEY_TEXT];
    if (k->type == CONFIG_BOOL) {
        (void)buf_add_str(b, *(const bool *)member ? "true" : "false");
    } else if (k->type == CONFIG_INT) {
        (void)buf_add_format(b, "%lld", (long long)*(const int64_t *)member);
    } else if (k->type == CONFIG_USD) {
        money_text(*(const int64_t *)member, amount);
        (void)buf_add_str(b, amount);
    } else if (k->type == CONFIG_STRING) {
        const char *text = *(char *const *)member;
        if (text && !strcmp(name, "apiKey"))
            add_masked(b, text);
        else
            add_words(b, text ? text : "null");
    } else {
        add_list(b, *(char **const *)member);
    }
}

static void tell_key(struct teller *t, size_t i, const struct config *c)
{
    auto_buf value = BUF_INIT(LIMIT_CONFIG_BYTES * 8);
    auto_buf from = BUF_INIT(2 * LIMIT_PATH_BYTES);
    add_value(&value, &config_keys[i], c);
    if (config_origin_add(c, &config_keys[i], &from) < 0)
        t->error = -ENOMEM;
    else
        tell(t, config_keys[i].path, &value, from.data);
}

/* A host that can be asked: where it is, and whose key opens it. */
static void tell_host(struct teller *t, const struct choose_inputs *in, const struct provider *p)
{
    auto_buf value = BUF_INIT(16 * KIB), key = BUF_INIT(KIB);
    bool usual = in->usual_keys && p->usual_env && !p->auth_none;
    (void)buf_add_format(&key, "(host %s)", p->name);
    (void)buf_add_format(&value, "%s, ", p->wire ? p->wire : "on this machine");
    (void)buf_add_str(&value, p->auth_none ? "no key needed" : usual ? "key in " : "key configured");
    if (usual)
        (void)buf_add_str(&value, p->usual_env);
    if (key.error)
        t->error = -ENOMEM;
    else
        tell(t, key.data, &value, usual ? "environment" : p->listed ? "providers" : p->auth_none ? "default" : "apiKey");
}

static void tell_choice(struct teller *t, const struct choose_inputs *in)
{
    static const char *const words[] = {
        [CHOOSE_OK] = "",
        [CHOOSE_NO_REGISTRY] = "no models are known",
        [CHOOSE_NO_MODELS] = "none: no key is configured, and models.ocr is false",
        [CHOOSE_UNRESOLVED] = "none: what is set names no model",
        [CHOOSE_CANNOT] = " is not known to see; choose another, or say vision: true in models.yaml",
        [CHOOSE_NO_KEY] = " has no key; set apiKeyEnv or apiKey",
    };
    auto_buf value = BUF_INIT(2 * KIB);
    struct choice c = {0};
    enum choose_verdict v = choose(in, MODEL_VISION, &c);
    if (c.provider) {
        (void)buf_add_format(&value, "%s/", c.provider->name);
        (void)buf_add_shown(&value, c.id, LIMIT_MODEL_ID);
        (void)buf_add_format(&value, "%s%s", c.effort ? ":" : "", c.effort ? c.effort : "");
    }
    (void)buf_add_str(&value, words[v]);
    tell(t, "(model for asking)", &value, c.provider ? choose_from_names[c.from] : "config");
}

int fovea_settings(const fovea *f, void (*to)(const struct fovea_setting_now *setting, void *arg), void *arg)
{
    struct teller t = {to, arg, 0};
    struct choose_inputs in = choosing_inputs(f);
    const struct provider *p;
    for (size_t i = 0; i < config_keys_count; i++)
        if (config_keys[i].type != CONFIG_ANY)
            tell_key(&t, i, &f->config);
    for (size_t i = 0; (p = models_provider_at(in.models, i)); i++)
        if (choose_available(&in, p))
            tell_host(&t, &in, p);
    tell_choice(&t, &in);
    return t.error;
}
