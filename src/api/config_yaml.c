/* SPDX-License-Identifier: Apache-2.0 */
/* config.yaml: what its keys and values mean, event by event, by the table of keys. */
#include "api/config_yaml.h"

#include <errno.h>
#include <string.h>

#include "api/hosts_yaml.h"
#include "base/buf.h"
#include "base/fault.h"
#include "base/text.h"

struct reader {
    struct yaml_reader yaml;
    struct config_place *at;
    struct config *config;
    bool secret;
    size_t *seen; /* by row of config_keys: the line that set it, or 0 */
    struct hosts_reader hosts;
};

/* Keys named apiKey, at any place, make the file a secret. */
static void note_secret(struct reader *r, const char *key)
{
    const char *tail = strrchr(key, '.');
    if (!strcmp(tail ? tail + 1 : key, "apiKey"))
        r->secret = true;
}

static int read_list(struct reader *r, const struct config_key *key)
{
    int err = config_list_clear(r->at, key, r->config);
    while (err == 0) {
        auto_event e = {0};
        if ((err = yaml_next(&r->yaml, &e)) < 0 || e.type == YAML_SEQUENCE_END_EVENT)
            break;
        if (e.type != YAML_SCALAR_EVENT)
            return config_wrong(r->at, "%s must be a list of strings", key->path);
        struct config_scalar value = yaml_scalar(&e);
        err = config_list_add(r->at, key, &value, r->config);
    }
    return err;
}

static int set_once(struct reader *r, const struct config_key *key, size_t line)
{
    size_t *seen = &r->seen[key - config_keys];
    if (*seen) {
        r->at->line = line;
        return config_wrong(r->at, "%s is set twice, first on line %zu", key->path, *seen);
    }
    *seen = line;
    return 0;
}

static int read_value(struct reader *r, const struct config_key *key, const yaml_event_t *e)
{
    static const char *const words[] = {
        [CONFIG_BOOL] = "true or false", [CONFIG_INT] = "a number", [CONFIG_USD] = "an amount such as 2.50",
        [CONFIG_STRING] = "a string",    [CONFIG_HOSTS] = "a list",  [CONFIG_FOLDERS] = "a list",
    };
    if (e->type == YAML_SEQUENCE_START_EVENT && (key->type == CONFIG_HOSTS || key->type == CONFIG_FOLDERS))
        return read_list(r, key);
    if (e->type != YAML_SCALAR_EVENT)
        return config_wrong(r->at, "%s must be %s", key->path, words[key->type]);
    struct config_scalar value = yaml_scalar(e);
    return config_set(r->at, key, &value, r->config);
}

static int unknown_key(struct reader *r, const char *path)
{
    char near[LIMIT_CONFIG_KEY] = "";
    auto_buf shown = BUF_INIT(KIB);
    config_key_nearest(path, near);
    if (buf_add_shown(&shown, path, 60))
        return fault_oom(r->at->fault);
    return config_wrong(r->at, "unknown key \"%s\"; did you mean \"%s\"?", shown.data ? shown.data : "", near);
}

/* providers, or something under it by a dotted key. */
static int read_hosts(struct reader *r, const struct config_key *key, const char *path, size_t line, const yaml_event_t *e)
{
    r->seen[key - config_keys] = line;
    r->hosts.line = line;
    if (strcmp(key->path, path) != 0)
        return hosts_entry(&r->hosts, path + strlen(key->path) + 1, e);
    if (e->type == YAML_MAPPING_START_EVENT)
        return hosts_mapping(&r->hosts);
    return yaml_is_null(e) ? 0 : config_wrong(r->at, "%s must be a mapping", path);
}

static int read_mapping(struct reader *r, const char *prefix);

/* The value of the key at this path, which stands on that line. */
static int read_entry(struct reader *r, const char *path, size_t line, const yaml_event_t *e)
{
    const struct config_key *key = config_key_find(path);
    if (key && key->type == CONFIG_ANY)
        return read_hosts(r, key, path, line, e);
    if (key) {
        int err = set_once(r, key, line);
        return err < 0 ? err : read_value(r, key, e);
    }
    if (e->type == YAML_MAPPING_START_EVENT)
        return read_mapping(r, path);
    if (yaml_is_null(e))
        return 0; /* a section with nothing in it */
    return config_wrong(r->at, "%s must be a mapping of settings", path);
}

/* prefix.key in path, or a fault. */
static int join(struct reader *r, const char *prefix, const yaml_event_t *key, char path[static LIMIT_CONFIG_KEY])
{
    const char *word = (const char *)key->data.scalar.value;
    if (key->type != YAML_SCALAR_EVENT)
        return config_wrong(r->at, "a key must be a word, not a list or a mapping");
    int len = snprintf(path, LIMIT_CONFIG_KEY, "%s%s%s", prefix, *prefix ? "." : "", word);
    note_secret(r, word);
    bool whole = len < LIMIT_CONFIG_KEY && strlen(word) == key->data.scalar.length;
    if (!whole || (!config_key_find(path) && !config_key_is_section(path)))
        return unknown_key(r, path);
    return 0;
}

/* Depth is bounded by yaml_next(), so this recursion is too. */
static int read_mapping(struct reader *r, const char *prefix)
{
    for (;;) {
        auto_event key = {0}, value = {0};
        char path[LIMIT_CONFIG_KEY];
        int err = yaml_next(&r->yaml, &key);
        if (err < 0 || key.type == YAML_MAPPING_END_EVENT)
            return err;
        if ((err = join(r, prefix, &key, path)) < 0 || (err = yaml_next(&r->yaml, &value)) < 0 ||
            (err = read_entry(r, path, key.start_mark.line + 1, &value)) < 0)
            return err;
    }
}

static int read_root(struct reader *r, const yaml_event_t *e)
{
    if (e->type == YAML_MAPPING_START_EVENT)
        return read_mapping(r, "");
    if (yaml_is_null(e))
        return 0;
    return config_wrong(r->at, "expected settings such as \"images.maxBytes: 512000\"");
}

static bool is_set(const struct reader *r, const char *key)
{
    return r->seen[config_key_find(key) - config_keys] != 0;
}

static void note_origins(const struct reader *r)
{
    for (size_t i = 0; i < config_keys_count; i++)
        if (r->seen[i])
            r->config->origins[i] =
                (struct config_origin){.from = r->at->overlay ? ORIGIN_OVERLAY : ORIGIN_FILE, .line = r->seen[i]};
}

int config_parse(struct config_place *at, const char *text, size_t len, struct config *c, bool *ret_secret)
{
    auto_free size_t *seen = calloc(config_keys_count, sizeof *seen);
    struct reader r = {.at = at, .config = c, .seen = seen};
    if (!seen)
        return fault_oom(at->fault);
    r.hosts = (struct hosts_reader){.yaml = &r.yaml, .models = c->models, .seen = BUF_INIT(2 * LIMIT_CONFIG_BYTES),
                                    .above = "providers."};
    int err = yaml_reader_init(&r.yaml, at, text, len);
    while (err == 0) {
        auto_event e = {0};
        if ((err = yaml_next_root(&r.yaml, &e)) < 0 || e.type == YAML_STREAM_END_EVENT)
            break;
        err = read_root(&r, &e);
    }
    yaml_reader_done(&r.yaml);
    buf_done(&r.hosts.seen);
    note_origins(&r);
    c->reach_set |= is_set(&r, "fs_reach");
    *ret_secret = r.secret || r.hosts.secret;
    return err;
}
