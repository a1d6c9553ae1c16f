/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that agents and users write, each beside a reading of its own: names of models and roles, the chain of settings in which they
 * stand, policies of retention, addresses of hosts (beside libcurl's reader of URLs, which dials them), prices, names of sessions. The first
 * byte says which.
 * about: src/model/choose.c src/model/models.c src/model/money.c src/provider/hosts.c src/lower/policy.c
 * max_len: 512
 */
#include "fuzz.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "lower/replay.h"
#include "model/choose.h"
#include "model/money.h"
#include "provider/hosts.h"
#include "record/record_priv.h"

static struct models *models;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    models = models_new();
    CLAIM(models);
    return 0;
}

/* ---------------------------------------------------------------- models and roles */

struct reading {
    const char *effort, *provider; /* NULL: none */
    char words[600];               /* without the effort */
    const char *id;                /* in words, behind the provider */
};

static const char *effort_of(const char *words)
{
    static const char *const all[] = {":low", ":medium", ":high"};
    size_t len = strlen(words);
    for (size_t i = 0; i < COUNT(all); i++)
        if (len >= strlen(all[i]) && !strcmp(words + len - strlen(all[i]), all[i]))
            return all[i] + 1;
    return NULL;
}

static void read_words(const char *words, struct reading *ret)
{
    size_t i = 0;
    const struct provider *p;
    *ret = (struct reading){.effort = effort_of(words), .id = ret->words};
    size_t len = strlen(words) - (ret->effort ? strlen(ret->effort) + 1 : 0);
    CLAIM(len < sizeof ret->words);
    memcpy(ret->words, words, len);
    for (; (p = models_provider_at(models, i)); i++) {
        size_t n = strlen(p->name);
        bool named = !strncmp(ret->words, p->name, n) && ret->words[n] == '/';
        named |= !strcmp(p->name, "google") && !strncmp(ret->words, "gemini/", 7);
        if (named)
            ret->provider = p->name, ret->id = ret->words + n + 1;
    }
}

static enum choose_from role_of(const struct reading *r)
{
    return !strcmp(r->words, "pi/vision") ? FROM_ROLE_VISION : !strcmp(r->words, "pi/default") ? FROM_ROLE_DEFAULT : FROM_COUNT;
}

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static void claim_name(const char *words)
{
    struct reading want;
    struct model_name got = {.effort = "untouched"};
    enum choose_from rung = FROM_COUNT;
    const char *effort = "untouched";
    read_words(words, &want);
    bool good = *want.id && strlen(want.id) < LIMIT_MODEL_ID;
    CLAIM(model_name_parse(models, words, &got) == (good ? 0 : -EINVAL));
    if (good)
        CLAIM(!strcmp(got.id, want.id) && same(got.effort, want.effort) && !strcmp(got.provider, want.provider ? want.provider : ""));
    else
        CLAIM(same(got.effort, "untouched"));
    CLAIM(choose_names_role(words, &rung, &effort) == (role_of(&want) != FROM_COUNT));
    CLAIM(rung == role_of(&want) && same(effort, rung == FROM_COUNT ? "untouched" : want.effort));
}

/* ---------------------------------------------------------------- the chain of settings */

static const char *env_key(const char *name, void *arg)
{
    (void)arg;
    return name;
}

/* Which setting counts: the first that is set, or the one that its role leads to. FROM_COUNT: none can. */
static enum choose_from counts(const char *const *rungs, const char **ret_effort, struct reading *ret)
{
    *ret_effort = NULL;
    for (unsigned at = FROM_CALL; at < FROM_FIRST; at++) {
        if (!rungs[at])
            continue;
        read_words(rungs[at], ret);
        *ret_effort = *ret_effort ? *ret_effort : ret->effort;
        enum choose_from role = role_of(ret);
        if (role == FROM_COUNT)
            return at;
        if (role <= at)
            return FROM_COUNT;
        at = role - 1;
    }
    return FROM_FIRST;
}

/* Settings, one a line: the host that the top names, then the rungs in their order; an empty one is not set. */
static void claim_choice(char *text)
{
    const char *line[1 + FROM_FIRST] = {0}, *effort;
    struct reading want;
    struct choice c = {.from = FROM_COUNT};
    for (size_t i = 0; i < COUNT(line) && text; i++) {
        char *at = strsep(&text, "\n");
        line[i] = *at ? at : NULL;
    }
    struct choose_inputs in = {
        .models = models, .call = line[1 + FROM_CALL], .role_vision = line[1 + FROM_ROLE_VISION],
        .vision.model = line[1 + FROM_AUXILIARY], .role_default = line[1 + FROM_ROLE_DEFAULT],
        .top = {.provider = line[0], .model = line[1 + FROM_MODEL], .api_key = "key of the top"}, .main_model = line[1 + FROM_MAIN],
        .ocr = true, .usual_keys = true, .env = env_key,
    };
    enum choose_verdict v = choose(&in, MODEL_VISION, &c);
    enum choose_from from = counts(line + 1, &effort, &want);
    if (v == CHOOSE_UNRESOLVED || v == CHOOSE_NO_MODELS) {
        CLAIM(c.from == FROM_COUNT && !c.provider);
        CLAIM(from != FROM_FIRST);
        return;
    }
    CLAIM(c.from == from && same(c.effort, effort) && c.provider && *c.id);
    CLAIM(!c.model || (!strcmp(c.model->id, c.id) && !strcmp(c.model->provider, c.provider->name)));
    if (from != FROM_FIRST) { /* what was asked for by name is what is asked */
        size_t whole = strlen(want.words), n = strlen(c.id);
        CLAIM(n <= whole && !strcmp(want.words + whole - n, c.id) && (n == whole || want.words[whole - n - 1] == '/'));
        CLAIM(n >= strlen(want.id) || (!strncmp(want.id, "models/", 7) && !strcmp(want.id + 7, c.id)));
    }
    /* Keys go to their own host alone. */
    bool top = in.top.provider && models_provider(models, in.top.provider) == c.provider;
    CLAIM(!c.api_key || !in.top.provider || top == !strcmp(c.api_key, "key of the top"));
    CLAIM(!c.api_key || !strcmp(c.api_key, "key of the top") || same(c.api_key, c.provider->usual_env));
}

/* ---------------------------------------------------------------- retention */

/* ":N" of digits to a million. */
static bool read_count(const char **at, uint32_t *ret)
{
    char *end;
    if (**at != ':' || !isdigit((unsigned char)(*at)[1]))
        return false;
    unsigned long long n = strtoull(*at + 1, &end, 10);
    *ret = (uint32_t)n;
    *at = end;
    return n <= 1000000;
}

static bool read_policy(const char *s, struct policy *ret)
{
    *ret = (struct policy){.kind = !strcmp(s, "auto") ? POLICY_AUTO : POLICY_ALL};
    if (!strcmp(s, "auto") || !strcmp(s, "all"))
        return true;
    ret->kind = *s == 't' ? POLICY_TURNS : *s == 'n' ? POLICY_NEWEST : POLICY_BATCH;
    const char *name = *s == 't' ? "turns" : *s == 'n' ? "newest" : "batch", *at = s + strlen(name);
    if (strncmp(s, name, strlen(name)) != 0 || !read_count(&at, &ret->n) || !ret->n)
        return false;
    if (ret->kind == POLICY_BATCH && (!read_count(&at, &ret->m) || ret->m > ret->n))
        return false;
    return !*at;
}

static void claim_policy(const char *words)
{
    struct policy want, got = {.n = 77};
    bool good = read_policy(words, &want);
    CLAIM(policy_parse(words, &got) == (good ? 0 : -EINVAL));
    CLAIM(good ? got.kind == want.kind && got.n == want.n && got.m == want.m : got.n == 77);
}

/* ---------------------------------------------------------------- hosts */

static char *part(CURLU *u, CURLUPart which)
{
    char *s = NULL;
    (void)curl_url_get(u, which, &s, 0);
    return s;
}

static bool is_this_machine(const char *host)
{
    struct in_addr v4;
    return !strcasecmp(host, "localhost") || !strcmp(host, "[::1]") ||
           (inet_pton(AF_INET, host, &v4) == 1 && *(const uint8_t *)&v4 == 127);
}

/* What is let in has no more in it than a place, and without TLS that place is here: to whom dials it. */
static void claim_host(const char *url)
{
    const char *fault = host_url_fault(url);
    if (fault) {
        CLAIM(*fault);
        return;
    }
    CLAIM(!strncasecmp(url, "https://", 8) || !strncasecmp(url, "http://", 7));
    for (const char *c = url; *c; c++)
        CLAIM(isgraph((unsigned char)*c) && *c != '\\' && *c != '"');
    CURLU *u = curl_url();
    CLAIM(u);
    if (curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK) { /* else nobody is asked */
        char *scheme = part(u, CURLUPART_SCHEME), *host = part(u, CURLUPART_HOST), *user = part(u, CURLUPART_USER);
        char *password = part(u, CURLUPART_PASSWORD), *query = part(u, CURLUPART_QUERY), *fragment = part(u, CURLUPART_FRAGMENT);
        CLAIM(scheme && host && !user && !password && !query && !fragment);
        CLAIM(!strcmp(scheme, "https") || (!strcmp(scheme, "http") && is_this_machine(host)));
        char *all[] = {scheme, host, user, password, query, fragment};
        for (size_t i = 0; i < COUNT(all); i++)
            curl_free(all[i]);
    }
    curl_url_cleanup(u);
    /* The system's resolver is given the name as it stands: what is no address would be looked up. */
    const char *name = url + 7;
    size_t n = strcspn(name, *name == '[' ? "/" : ":/");
    char host[512];
    (void)snprintf(host, sizeof host, "%.*s", (int)n, name);
    if (*host == '[' && strchr(host, ']'))
        strchr(host, ']')[1] = '\0';
    CLAIM(!strncasecmp(url, "https://", 8) || is_this_machine(host));
}

/* ---------------------------------------------------------------- prices and sessions */

static void claim_price(const char *text)
{
    char padded[520];
    size_t whole = strspn(text, "0123456789"), dot = text[whole] == '.', part = dot ? strspn(text + whole + 1, "0123456789") : 0;
    bool good = whole && (!dot || (part >= 1 && part <= 6)) && !text[whole + dot + part];
    int64_t got = -77;
    __int128 want = 0;
    (void)snprintf(padded, sizeof padded, "%.*s%.*s%s", (int)whole, text, (int)part, text + whole + dot, &"000000"[part < 6 ? part : 6]);
    for (const char *c = padded; good && *c && want <= INT64_MAX; c++)
        want = want * 10 + (*c - '0');
    good &= want <= INT64_MAX;
    CLAIM(money_parse_micro(text, &got) == (good ? 0 : -EINVAL) && got == (good ? (int64_t)want : -77));
}

static void claim_session(const char *name)
{
    struct fovea_fault fault = {0};
    size_t len = strlen(name);
    bool good = len >= 1 && len <= LIMIT_SESSION_NAME;
    for (size_t i = 0; i < len; i++)
        good &= isascii(name[i]) && (isalnum((unsigned char)name[i]) || name[i] == '.' || name[i] == '_' || name[i] == '-');
    CLAIM(record_check_name(name, &fault) == (good ? 0 : -EINVAL) && good == !*fault.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    uint8_t which = feed_u8(&f);
    auto_free char *text = feed_text(&f);
    switch (which % 6) {
    case 0:
        claim_name(text);
        break;
    case 1:
        claim_policy(text);
        break;
    case 2:
        claim_host(text);
        break;
    case 3:
        claim_price(text);
        break;
    case 4:
        claim_session(text);
        break;
    default:
        claim_choice(text);
    }
    return 0;
}
