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
        else if (config_keys[i].type == CONFIG_LIST || config_keys[i].type == CONFIG_FOLDERS)
            config_list_free(*(char ***)member);
    }
    free(c->file);
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

static int read_config(int fd, const char *name, struct buf *text, struct stat *st, struct fovea_fault *fault)
{
    int r = fstat(fd, st) < 0 ? -errno : 0;
    if (r == 0 && !S_ISREG(st->st_mode))
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

static int load(int fd, const char *path, struct config_place *at, struct config *c)
{
    cleanup(wipe) struct buf text = BUF_INIT(LIMIT_CONFIG_BYTES + 32 * KIB);
    struct stat st;
    bool secret = false;
    int r = read_config(fd, at->file, &text, &st, at->fault);
    if (r == 0)
        r = config_parse(at, text.data ? text.data : "", text.len, c, &secret);
    if (r == 0 && secret && st.st_mode & (S_IRWXG | S_IRWXO))
        r = open_to_others(path, at);
    if (r == 0 && !(c->file = strdup(path)))
        r = fault_oom(at->fault);
    return r;
}

/* May the file be missing? Then a missing one changes nothing. */
static int load_file(const char *path, bool optional, struct config_place *at, struct config *c)
{
    auto_buf name = BUF_INIT(KIB);
    if (shown_name(path, &name) < 0)
        return fault_oom(at->fault);
    /* A FIFO must not make us wait, a terminal not become ours. */
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && optional && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    if (fd < 0)
        return fault_set(at->fault, errno, "cannot open \"%s\": %s", name.data, strerrordesc_np(errno));
    at->file = name.data;
    return load(fd, path, at, c);
}

int config_load(const char *path, const char *cwd, const char *home, struct config *ret, struct fovea_fault *fault)
{
    cleanup(config_done) struct config c = {0};
    auto_free char *usual = path ? NULL : config_path_new();
    const char *file = path ? path : usual;
    struct config_place at = {.cwd = cwd, .home = home, .fault = fault};
    int r = config_defaults(cwd, &c, fault);
    if (r == 0 && file && *file)
        r = load_file(file, !path, &at, &c);
    if (r < 0)
        return r;
    *ret = c;
    c = (struct config){0};
    return 0;
}
