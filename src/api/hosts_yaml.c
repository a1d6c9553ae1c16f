/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts and models from YAML. Names of both may hold dots, so a dotted key is split at its end, where the known words
 * are, and never at its front. What a key may hold is known to model/user.c; here are the lines and the words of faults.
 */
#include "api/hosts_yaml.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"

static bool is_word(const char *const *words, const char *word)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words;
}

/* The words of a fault around a key and what is said of it. */
struct phrase {
    const char *before, *between, *after;
};
static const struct phrase unknown_key = {"unknown key \"", "\"; did you mean \"", "\"?"};
static const struct phrase must_be = {"", " must be ", ""}, it_is = {"", " is ", ""};
static const struct phrase no_provider = {"\"", "\" names no provider; did you mean \"", "\", or is it missing from providers?"};

static int wrong(struct hosts_reader *r, const char *path, const char *word, const struct phrase *how, const char *what)
{
    auto_buf shown = BUF_INIT(KIB);
    if (buf_add_str(&shown, r->above) < 0 || buf_add_shown(&shown, path, 60) < 0 ||
        (*path && *word && buf_add_str(&shown, ".") < 0) || (*word && buf_add_shown(&shown, word, 40) < 0))
        return fault_oom(r->yaml->at->fault);
    return config_wrong(r->yaml->at, "%s%s%s%s%s", how->before, shown.data ? shown.data : "", how->between, what, how->after);
}

/* Name and word of a value, once in a file. */
static int set_once(struct hosts_reader *r, const char *path, const char *word)
{
    auto_buf line = BUF_INIT(KIB);
    if (buf_add_format(&line, "\n%s\t%s\n", path, word) < 0)
        return fault_oom(r->yaml->at->fault);
    if (r->seen.len && memmem(r->seen.data, r->seen.len, line.data, line.len))
        return wrong(r, path, word, &it_is, "set twice");
    return buf_add(&r->seen, line.data, line.len) < 0 ? fault_oom(r->yaml->at->fault) : 0;
}

/* What a setter of model/ returned, in words. */
static int verdict(struct hosts_reader *r, int code, const char *path, const char *word, const char *const *words,
                   const char *must)
{
    if (code == -EDOM)
        return wrong(r, path, "", &must_be, must);
    if (code == -ENOENT)
        return wrong(r, path, word, &unknown_key, nearest_word(words, word));
    if (code == -EINVAL)
        return wrong(r, path, word, &must_be, must);
    if (code == -ENOSPC)
        return wrong(r, path, "", &it_is, "one too many");
    return code < 0 ? fault_oom(r->yaml->at->fault) : 0;
}

/* The words of a value: false for what is none (a mapping, a list), and for one with a NUL in it. */
static bool scalar(const yaml_event_t *e)
{
    struct config_scalar s = yaml_scalar(e);
    return e->type == YAML_SCALAR_EVENT && strlen(s.text) == s.len;
}

/* Calls entry for each key of a mapping whose start was read. */
static int each(struct hosts_reader *r, const char *path, const char *id,
                int (*entry)(struct hosts_reader *r, const char *path, const char *id, const char *word,
                             const yaml_event_t *value))
{
    for (;;) {
        auto_event key = {0}, value = {0};
        int err = yaml_next(r->yaml, &key);
        if (err < 0 || key.type == YAML_MAPPING_END_EVENT)
            return err;
        if (!scalar(&key))
            return config_wrong(r->yaml->at, "a key must be a word, not a list or a mapping");
        const char *word = yaml_scalar(&key).text;
        r->line = key.start_mark.line + 1;
        if (strlen(word) >= LIMIT_MODEL_ID)
            return wrong(r, word, "", &it_is, "too long for a name");
        if ((err = yaml_next(r->yaml, &value)) < 0 || (err = entry(r, path, id, word, &value)) < 0)
            return err;
    }
}

/* ---------------------------------------------------------------- models */

static int model_value(struct hosts_reader *r, const char *provider, const char *id, const char *word,
                       const yaml_event_t *value)
{
    char path[2 * LIMIT_MODEL_ID + 16], source[96];
    const char *must = "a word or a number";
    (void)snprintf(path, sizeof path, *r->above ? "%s.models.%s" : "%s/%s", provider, id);
    (void)snprintf(source, sizeof source, "%.64s:%zu", r->yaml->at->file, r->yaml->at->line);
    if (!is_word(model_keys, word))
        return verdict(r, -ENOENT, path, word, model_keys, NULL);
    if (!scalar(value))
        return wrong(r, path, word, &must_be, must);
    int err = set_once(r, path, word);
    if (err < 0 || yaml_is_null(value))
        return err;
    err = models_set_model(r->models, provider, id, word, yaml_scalar(value).text, source, &must);
    return verdict(r, err, path, word, model_keys, must);
}

/* word: an id, or an id and a key behind a dot. */
static int model_entry(struct hosts_reader *r, const char *provider, const char *unused, const char *word,
                       const yaml_event_t *value)
{
    char id[LIMIT_MODEL_ID], source[96];
    const char *tail = strrchr(word, '.'), *must = "";
    (void)unused;
    if (value->type == YAML_MAPPING_START_EVENT)
        return each(r, provider, word, model_value);
    if (tail && is_word(model_keys, tail + 1)) {
        (void)snprintf(id, sizeof id, "%.*s", (int)(tail - word), word);
        return model_value(r, provider, id, tail + 1, value);
    }
    if (!yaml_is_null(value))
        return wrong(r, *r->above ? provider : "", word, &must_be, "a mapping, such as {vision: true}");
    (void)snprintf(source, sizeof source, "%.64s:%zu", r->yaml->at->file, r->yaml->at->line);
    int err = models_set_model(r->models, provider, word, "", "", source, &must);
    return verdict(r, err, provider, word, model_keys, must);
}

/* ---------------------------------------------------------------- hosts */

/* The row of a host, with the line that names it first. */
static int host_row(struct hosts_reader *r, const char *name)
{
    char said[96];
    const char *must = "";
    (void)snprintf(said, sizeof said, "%.64s:%zu", r->yaml->at->file, r->line);
    int err = models_set_provider(r->models, name, "", said, &must);
    return verdict(r, err, name, "", provider_keys, must);
}

static int host_value(struct hosts_reader *r, const char *name, const char *unused, const char *word,
                      const yaml_event_t *value)
{
    const char *must = "a word";
    (void)unused;
    r->secret |= !strcmp(word, "apiKey");
    int err = host_row(r, name);
    if (err < 0)
        return err;
    if (!strncmp(word, "models.", 7))
        return model_entry(r, name, NULL, word + 7, value);
    if (!strcmp(word, "models") && value->type == YAML_MAPPING_START_EVENT)
        return each(r, name, NULL, model_entry);
    if (!is_word(provider_keys, word))
        return verdict(r, -ENOENT, name, word, provider_keys, must);
    if (!strcmp(word, "models"))
        return yaml_is_null(value) ? 0 : wrong(r, name, word, &must_be, "a mapping of models");
    if (!scalar(value))
        return wrong(r, name, word, &must_be, must);
    if ((err = set_once(r, name, word)) < 0 || yaml_is_null(value))
        return err;
    err = models_set_provider(r->models, name, word, yaml_scalar(value).text, &must);
    return verdict(r, err, name, word, provider_keys, must);
}

static int host_entry(struct hosts_reader *r, const char *unused, const char *unused_id, const char *word,
                      const yaml_event_t *value)
{
    char name[LIMIT_MODEL_ID];
    const char *models = strstr(word, ".models."), *tail = strrchr(word, '.');
    (void)unused, (void)unused_id;
    if (models)
        tail = models;
    if (models || (tail && is_word(provider_keys, tail + 1))) {
        (void)snprintf(name, sizeof name, "%.*s", (int)(tail - word), word);
        return host_value(r, name, NULL, tail + 1, value);
    }
    if (value->type != YAML_MAPPING_START_EVENT && !yaml_is_null(value))
        return wrong(r, word, "", &must_be, "a mapping, such as {wire: openai-chat, baseUrl: \"http://127.0.0.1:8080/v1\"}");
    int err = host_row(r, word);
    return err < 0 || yaml_is_null(value) ? err : each(r, word, NULL, host_value);
}

int hosts_entry(struct hosts_reader *r, const char *word, const yaml_event_t *first)
{
    return host_entry(r, NULL, NULL, word, first);
}

int hosts_mapping(struct hosts_reader *r)
{
    return each(r, NULL, NULL, host_entry);
}

/* ---------------------------------------------------------------- models.yaml */

/* PROVIDER/ID: of a host that there is. */
static int file_entry(struct hosts_reader *r, const char *unused, const char *unused_id, const char *word,
                      const yaml_event_t *value)
{
    char name[LIMIT_MODEL_ID];
    const char *slash = strchr(word, '/');
    (void)unused, (void)unused_id;
    if (!slash || !slash[1])
        return wrong(r, word, "", &must_be, "PROVIDER/ID, such as anthropic/claude-opus-4-7");
    (void)snprintf(name, sizeof name, "%.*s", (int)(slash - word), word);
    const char *names[LIMIT_PROVIDERS + 1] = {0};
    const struct provider *p = models_provider(r->models, name);
    for (size_t i = 0; !p && models_provider_at(r->models, i); i++)
        names[i] = models_provider_at(r->models, i)->name;
    if (!p)
        return wrong(r, word, "", &no_provider, nearest_word(names, name));
    return model_entry(r, p->name, NULL, slash + 1, value);
}

int models_parse(struct config_place *at, const char *text, size_t len, struct models *m)
{
    struct yaml_reader yaml;
    struct hosts_reader r = {.yaml = &yaml, .models = m, .seen = BUF_INIT(2 * LIMIT_CONFIG_BYTES), .above = ""};
    int err = yaml_reader_init(&yaml, at, text, len);
    while (err == 0) {
        auto_event e = {0};
        if ((err = yaml_next_root(&yaml, &e)) < 0 || e.type == YAML_STREAM_END_EVENT)
            break;
        if (e.type == YAML_MAPPING_START_EVENT)
            err = each(&r, NULL, NULL, file_entry);
        else if (!yaml_is_null(&e))
            err = config_wrong(at, "expected models such as \"anthropic/claude-opus-4-7: {vision: true}\"");
    }
    yaml_reader_done(&yaml);
    buf_done(&r.seen);
    return err;
}

int models_load(const char *folder, struct models *m, char **ret_file, struct fovea_fault *fault)
{
    auto_buf path = BUF_INIT(3 * LIMIT_PATH_BYTES), text = BUF_INIT(LIMIT_CONFIG_BYTES + 32 * KIB);
    struct config_place at = {.file = "models.yaml", .line = 1, .fault = fault};
    struct stat st;
    if (!*folder)
        return 0;
    if (buf_add_format(&path, "%s/models.yaml", folder) < 0)
        return fault_oom(fault);
    int r = config_read(path.data, at.file, true, &text, &st, fault);
    if (r)
        return MIN(r, 0);
    r = models_parse(&at, text.data ? text.data : "", text.len, m);
    if (r == 0 && !(*ret_file = buf_take(&path)))
        r = fault_oom(fault);
    return r;
}
