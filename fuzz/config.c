/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config.yaml and models.yaml from any bytes: taken, with every number in its row's range, or refused in words that name file and
 * line; and the same the second time.
 * about: src/api/config_yaml.c src/api/config_value.c src/api/config_keys.c src/api/config_list.c src/api/yaml_reader.c src/api/hosts_yaml.c
 */
#include "fuzz.h"

#include <errno.h>

#include "api/config_yaml.h"
#include "api/hosts_yaml.h"
#include "base/cleanup.h"
#include "model/models.h"

static void check_fault(const struct fovea_fault *f, const char *file)
{
    CLAIM(f->code < 0 && f->text[0]);
    CLAIM(f->code == -ENOMEM || !strncmp(f->text, file, strlen(file)));
    for (const char *c = f->text; *c; c++)
        CLAIM((unsigned char)*c >= ' ' && *c != 0x7f);
}

static void check_values(const struct config *c)
{
    for (size_t i = 0; i < config_keys_count; i++) {
        const struct config_key *k = &config_keys[i];
        const void *member = (const char *)c + k->offset;
        if (k->type == CONFIG_INT)
            CLAIM(*(const int64_t *)member == k->number || (*(const int64_t *)member >= k->min && *(const int64_t *)member <= k->max));
        if (k->type == CONFIG_STRING && *(char *const *)member)
            CLAIM(**(char *const *)member);
        if (k->type != CONFIG_HOSTS && k->type != CONFIG_FOLDERS)
            continue;
        char **list = *(char ***)(uintptr_t)member;
        CLAIM(list);
        for (; *list; list++)
            CLAIM(**list && (k->type == CONFIG_HOSTS || **list == '/'));
    }
}

static int parse(const char *text, size_t len, struct config *c, struct fovea_fault *fault, bool *secret)
{
    struct config_place at = {.file = "config.yaml", .cwd = "/cwd", .home = "/home/ann", .fault = fault};
    CLAIM(config_defaults("/cwd", c, fault) == 0);
    return config_parse(&at, text, len, c, secret);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static void check_config(const char *text, size_t len)
{
    struct config one = {0}, two = {0};
    struct fovea_fault a = {0}, b = {0};
    bool hides = false, again = false;
    int r = parse(text, len, &one, &a, &hides);
    CLAIM(parse(text, len, &two, &b, &again) == r && hides == again && !strcmp(a.text, b.text));
    if (r < 0) {
        check_fault(&a, "config.yaml:");
    } else {
        check_values(&one);
        CLAIM(one.max_bytes == two.max_bytes && same_text(one.model, two.model) && same_text(one.record_store, two.record_store));
        CLAIM(hides || (!one.api_key && !one.vision_api_key));
    }
    config_done(&one);
    config_done(&two);
}

static void check_models(const char *text, size_t len)
{
    struct fovea_fault fault = {0};
    struct config_place at = {.file = "models.yaml", .cwd = "/cwd", .fault = &fault};
    struct models *m = models_new();
    CLAIM(m);
    if (models_parse(&at, text, len, m) < 0)
        check_fault(&fault, "models.yaml:");
    models_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    uint8_t which = feed_u8(&f);
    auto_free char *text = feed_text(&f);
    if (which & 1)
        check_models(text, f.left);
    else
        check_config(text, f.left);
    return 0;
}
