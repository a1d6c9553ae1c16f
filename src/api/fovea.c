/* SPDX-License-Identifier: Apache-2.0 */
/* The context: settings read once, the reach opened and pinned, the pool of workers; and the door by tool name. */
#include <errno.h>
#include <unistd.h>

#include "api/context.h"
#include "api/tools.h"
#include "base/fault.h"
#include "base/limits.h"

const char *fovea_version(void)
{
    return FOVEA_VERSION;
}

void fovea_free(fovea *f)
{
    if (!f)
        return;
    pool_free(f->pool);
    gate_free(f->gate);
    views_free(f->views);
    config_done(&f->config);
    free(f->cwd);
    free(f->home);
    free(f);
}

static void fovea_free_p(fovea **f)
{
    fovea_free(*f);
}

static int find_folders(fovea *f, const struct fovea_options *options, struct fovea_fault *fault)
{
    const char *home = getenv("HOME");
    f->cwd = options->cwd ? strdup(options->cwd) : getcwd(NULL, 0);
    if (!f->cwd)
        return errno == ENOMEM ? fault_oom(fault) : fault_set(fault, errno, "cannot tell the working folder: %m");
    if (*f->cwd != '/')
        return fault_set(fault, EINVAL, "the working folder \"%s\" is not an absolute path", f->cwd);
    if (home && *home == '/' && !(f->home = strdup(home)))
        return fault_oom(fault);
    return 0;
}

/* $VARIABLE/fovea, else home and the usual folder. NULL when there is neither, or no memory. */
static char *own_folder_new(const fovea *f, const char *variable, const char *usual)
{
    auto_buf b = BUF_INIT(LIMIT_PATH_BYTES);
    const char *base = getenv(variable);
    if (base && *base == '/')
        (void)buf_add_format(&b, "%s/fovea", base);
    else if (f->home)
        (void)buf_add_format(&b, "%s/%s/fovea", f->home, usual);
    return b.data ? buf_take(&b) : NULL;
}

/* The config file that was read, as an absolute path: open(2) took a relative one from the process's folder. */
static char *config_file_new(const fovea *f)
{
    auto_free char *here = NULL;
    auto_buf b = BUF_INIT(2 * LIMIT_PATH_BYTES);
    if (!f->config.file || *f->config.file == '/')
        return f->config.file ? strdup(f->config.file) : NULL;
    here = getcwd(NULL, 0);
    (void)buf_add_format(&b, "%s/%s", here ? here : "", f->config.file);
    return buf_take(&b);
}

/* Our own config and state hold keys and what others saw: no path leads there. */
static int open_gate(fovea *f, const struct fovea_options *options, struct fovea_fault *fault)
{
    auto_free char *config = own_folder_new(f, "XDG_CONFIG_HOME", ".config");
    auto_free char *state = own_folder_new(f, "XDG_STATE_HOME", ".local/state");
    auto_free char *file = config_file_new(f);
    const char *floor[4] = {0};
    size_t n = 0;
    if (config)
        floor[n++] = config;
    if (state)
        floor[n++] = state;
    if (file)
        floor[n++] = file;
    struct gate_options g = {
        .cwd = f->cwd,
        .home = f->home,
        .reach = options->reach ? options->reach : (const char *const *)f->config.fs_reach,
        .floor = floor,
    };
    return gate_new(&g, &f->gate, fault);
}

/* Beside the program while it runs from where it was built, else where it was installed. */
static char *worker_dir_new(void)
{
    char path[LIMIT_PATH_BYTES];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof "/fovea-worker");
    char *slash = NULL;
    if (n > 0) {
        path[n] = '\0';
        slash = strrchr(path, '/');
    }
    if (slash) {
        memcpy(slash, "/fovea-worker", sizeof "/fovea-worker");
        if (access(path, X_OK) == 0) {
            *slash = '\0';
            return strdup(path);
        }
    }
    return strdup(FOVEA_EXECDIR);
}

static int open_pool(fovea *f, const struct fovea_options *options, struct fovea_fault *fault)
{
    auto_free char *dir = options->worker_dir ? strdup(options->worker_dir) : worker_dir_new();
    if (!dir)
        return fault_oom(fault);
    return pool_new(dir, MIN(options->ready_workers, (unsigned)LIMIT_READY_WORKERS), &f->pool, fault);
}

int fovea_new(const struct fovea_options *options, fovea **ret, struct fovea_fault *fault)
{
    static const struct fovea_options defaults;
    if (!options)
        options = &defaults;
    cleanup(fovea_free_p) fovea *f = calloc(1, sizeof *f);
    if (!f || !(f->views = views_new()))
        return fault_oom(fault);
    f->no_webp = options->no_webp;
    int r = find_folders(f, options, fault);
    if (r >= 0)
        r = config_load(options->config_file, f->cwd, f->home, &f->config, fault);
    if (r >= 0)
        r = open_gate(f, options, fault);
    if (r >= 0)
        r = open_pool(f, options, fault);
    if (r < 0)
        return r;
    *ret = take(f);
    return 0;
}

static void json_decref_p(json_t **j)
{
    json_decref(*j);
}

int fovea_call(fovea *f, const char *tool, const char *json, size_t len, fovea_result **ret, struct fovea_fault *fault)
{
    tool_run *run;
    json_error_t where;
    const struct fovea_tool *t = tool_find(tool, &run);
    if (!t)
        return fault_set(fault, ENOENT, "no tool is called \"%.64s\"", tool);
    if (len > LIMIT_JSON_BYTES)
        return fault_set(fault, EBADMSG, "arguments of %zu bytes are over the limit", len);
    cleanup(json_decref_p) json_t *arguments =
        json_loadb(json, len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
    if (!arguments)
        return fault_set(fault, EBADMSG, "the arguments are not JSON: %s, at byte %d", where.text, where.position);
    auto_free void *request = calloc(1, t->request_size);
    fovea_result *refusal = NULL;
    int r = request ? tool_arguments(t, arguments, request, &refusal, fault) : fault_oom(fault);
    if (r < 0)
        return r;
    if (!refusal)
        return run(f, request, ret, fault);
    *ret = refusal;
    return 0;
}
