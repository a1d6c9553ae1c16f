/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: which file, reading it whole and safely, and the defaults under it. See config.h. */
#include "api/config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "api/config_yaml.h"
#include "base/buf.h"
#include "base/fault.h"
#include "base/text.h"
#include "model/models.h"

int config_folder(const char *variable, const char *usual, struct buf *ret)
{
    const char *xdg = getenv(variable), *home = getenv("HOME");
    if (xdg && *xdg == '/') /* a relative one is to be ignored, by its specification */
        return buf_add_format(ret, "%s/fovea", xdg);
    return home && *home == '/' ? buf_add_format(ret, "%s/%s/fovea", home, usual) : 0;
}

char *config_path_new(void)
{
    auto_buf path = BUF_INIT(LIMIT_PATH_BYTES);
    if (config_folder("XDG_CONFIG_HOME", ".config", &path) < 0 || !path.len)
        return NULL;
    (void)buf_add_str(&path, "/config.yaml");
    return buf_take(&path);
}

char *config_beside_new(const char *path)
{
    auto_buf folder = BUF_INIT(2 * LIMIT_PATH_BYTES);
    if (!path || !*path)
        return config_folder("XDG_CONFIG_HOME", ".config", &folder) < 0 ? NULL : buf_take(&folder);
    const char *slash = strrchr(path, '/');
    if (*path != '/') { /* open(2) takes it from the process's folder */
        auto_free char *here = getcwd(NULL, 0);
        if (!here || buf_add_format(&folder, "%s/", here) < 0)
            return NULL;
    }
    (void)buf_add(&folder, path, slash ? (size_t)(slash - path) : 0);
    return buf_take(&folder);
}

void config_done(struct config *c)
{
    if (!c)
        return;
    if (c->api_key)
        explicit_bzero(c->api_key, strlen(c->api_key));
    if (c->vision_api_key)
        explicit_bzero(c->vision_api_key, strlen(c->vision_api_key));
    for (size_t i = 0; i < config_keys_count; i++) {
        void *member = (char *)c + config_keys[i].offset;
        if (config_keys[i].type == CONFIG_STRING)
            free(*(char **)member);
        else if (config_keys[i].type == CONFIG_HOSTS || config_keys[i].type == CONFIG_FOLDERS)
            config_list_free(*(char ***)member);
    }
    free(c->file);
    free(c->overlay);
    free(c->reach_file);
    config_list_free(c->reach_true);
    free(c->origins);
    models_free(c->models);
    *c = (struct config){0};
}

static int set_default(const struct config_place *at, const struct config_key *key, struct config *c)
{
    void *member = (char *)c + key->offset;
    struct config_scalar value = {.text = key->text, .len = key->text ? strlen(key->text) : 0};
    int r = 0;
    if (key->type == CONFIG_BOOL)
        *(bool *)member = key->number != 0;
    else if (key->type == CONFIG_INT || key->type == CONFIG_USD)
        *(int64_t *)member = key->number;
    else if (key->type == CONFIG_STRING)
        r = key->text ? config_set(at, key, &value, c) : 0;
    else if (key->type != CONFIG_ANY && (r = config_list_clear(at, key, c)) == 0 && key->text)
        r = config_list_add(at, key, &value, c);
    return r;
}

int config_defaults(const char *cwd, struct config *ret, struct fovea_fault *fault)
{
    cleanup(config_done) struct config c = {0};
    struct config_place at = {.file = "defaults", .cwd = cwd, .fault = fault};
    if (!(c.models = models_new()) || !(c.origins = calloc(config_keys_count, sizeof *c.origins)))
        return fault_oom(fault);
    for (size_t i = 0; i < config_keys_count; i++) {
        int r = set_default(&at, &config_keys[i], &c);
        if (r < 0)
            return r;
    }
    *ret = c;
    c = (struct config){0};
    return 0;
}

/* The name of a file as faults show it. */
static int shown_name(const char *path, struct buf *ret)
{
    const char *slash = strrchr(path, '/');
    return buf_add_shown(ret, slash && slash[1] ? slash + 1 : path, 60);
}

static int read_all(int fd, struct buf *text)
{
    for (;;) {
        char *room = buf_reserve(text, 16 * KIB);
        if (!room)
            return text->error;
        ssize_t n = read(fd, room, 16 * KIB);
        if (n > 0)
            buf_grew(text, (size_t)n);
        else if (n == 0)
            return text->len > LIMIT_CONFIG_BYTES ? -EFBIG : 0;
        else if (errno != EINTR)
            return -errno;
    }
}

int config_read(const char *path, const char *name, bool optional, struct buf *text, struct stat *ret_stat,
                struct fovea_fault *fault)
{
    /* A FIFO must not make us wait, a terminal not become ours. */
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && optional && (errno == ENOENT || errno == ENOTDIR))
        return 1;
    if (fd < 0)
        return fault_set(fault, errno, "cannot open \"%s\": %s", name, strerrordesc_np(errno));
    int r = fstat(fd, ret_stat) < 0 ? -errno : 0;
    if (r == 0 && !S_ISREG(ret_stat->st_mode))
        return fault_set(fault, EINVAL, "\"%s\" is not a regular file", name);
    if (r == 0)
        r = read_all(fd, text);
    if (r == -EFBIG)
        return fault_set(fault, EFBIG, "\"%s\" is larger than %zu bytes", name, LIMIT_CONFIG_BYTES);
    return r < 0 ? fault_set(fault, r, "cannot read \"%s\": %s", name, strerrordesc_np(-r)) : 0;
}

static void wipe(struct buf *text)
{
    if (text->data)
        explicit_bzero(text->data, text->len);
    buf_done(text);
}

static int open_to_others(const char *path, const struct config_place *at)
{
    auto_buf shown = BUF_INIT(KIB);
    if (buf_add_shown(&shown, path, 150) < 0)
        return fault_oom(at->fault);
    return fault_set(at->fault, EINVAL, "%s holds apiKey but others may open it; run: chmod 600 %s", at->file,
                     shown.data);
}

/* Which file a setting came from: both names, as copies. */
static int note_file(const char *path, bool sets_reach, char **file, struct config *c)
{
    free(*file);
    if (!(*file = strdup(path)))
        return -ENOMEM;
    if (!sets_reach)
        return 0;
    free(c->reach_file);
    return (c->reach_file = strdup(path)) ? 0 : -ENOMEM;
}

/* The file over what is in c. */
static int parse_over(const char *path, struct config_place *at, const struct buf *text, struct config *c,
                      bool *ret_secret)
{
    char **before = NULL;
    int r = c->reach_set ? config_list_set(&before, (const char *const *)c->fs_reach, at->fault) : 0;
    if (r < 0)
        return r;
    c->reach_set = false;
    r = config_parse(at, text->data ? text->data : "", text->len, c, ret_secret);
    if (r == 0 && before && c->reach_set)
        r = config_narrow_to_file(c, path, take(before), at->fault);
    config_list_free(before);
    return r;
}

/* May the file be missing? Then a missing one changes nothing. file: which member of c takes its path. */
static int load_file(const char *path, bool optional, struct config_place *at, struct config *c, char **file)
{
    cleanup(wipe) struct buf text = BUF_INIT(LIMIT_CONFIG_BYTES + 32 * KIB);
    struct stat st = {0};
    bool secret = false, before = c->reach_set;
    at->overlay = file == &c->overlay;
    int r = config_read(path, at->file, optional, &text, &st, at->fault);
    if (r)
        return r < 0 ? r : 0;
    r = parse_over(path, at, &text, c, &secret);
    if (r == 0 && secret && st.st_mode & (S_IRWXG | S_IRWXO))
        r = open_to_others(path, at);
    if (r == 0 && note_file(path, c->reach_set, file, c) < 0)
        r = fault_oom(at->fault);
    c->reach_set |= before;
    return r;
}

int config_load(const char *path, const char *cwd, const char *home, struct config *ret, struct fovea_fault *fault)
{
    cleanup(config_done) struct config c = {0};
    auto_free char *usual = path ? NULL : config_path_new();
    auto_buf name = BUF_INIT(KIB);
    const char *file = path ? path : usual;
    struct config_place at = {.cwd = cwd, .home = home, .fault = fault};
    int r = config_defaults(cwd, &c, fault);
    if (r == 0 && file && *file) {
        if (shown_name(file, &name) < 0)
            return fault_oom(fault);
        at.file = name.data;
        r = load_file(file, !path, &at, &c, &c.file);
    }
    if (r < 0)
        return r;
    *ret = c;
    c = (struct config){0};
    return 0;
}

int config_overlay(const char *path, const char *name, const char *cwd, const char *home, struct config *c,
                   struct fovea_fault *fault)
{
    struct config_place at = {.file = name, .cwd = cwd, .home = home, .fault = fault};
    return load_file(path, true, &at, c, &c->overlay);
}
