/* SPDX-License-Identifier: Apache-2.0 */
/* The context: settings read once, the reach opened and pinned, the pool of workers; and the door by tool name. */
#include <errno.h>
#include <unistd.h>

#include "api/context.h"
#include "api/tools.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/text.h"
#include "percept/json.h"

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
    cache_free(f->cache);
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

/* The config file that was read, as an absolute path: open(2) took a relative one from the process's folder. */
static int add_config_file(const fovea *f, struct buf *ret)
{
    const char *file = f->config.file;
    if (!file)
        return 0;
    if (*file == '/')
        return buf_add_str(ret, file);
    auto_free char *here = getcwd(NULL, 0);
    return here ? buf_add_format(ret, "%s/%s", here, file) : -errno;
}

/* Our own config and state hold keys and what others saw: no path leads there. */
static int open_gate(fovea *f, struct fovea_fault *fault)
{
    auto_buf config = BUF_INIT(LIMIT_PATH_BYTES), state = BUF_INIT(LIMIT_PATH_BYTES);
    auto_buf file = BUF_INIT(2 * LIMIT_PATH_BYTES);
    const char *floor[4] = {0};
    size_t n = 0;
    if (config_folder("XDG_CONFIG_HOME", ".config", &config) < 0 ||
        config_folder("XDG_STATE_HOME", ".local/state", &state) < 0 || add_config_file(f, &file) < 0)
        return fault_set(fault, EINVAL, "cannot tell where our own files are; set XDG_CONFIG_HOME to a short path");
    const struct buf *const all[] = {&config, &state, &file};
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i]->len)
            floor[n++] = all[i]->data;
    struct gate_options g = {.cwd = f->cwd, .home = f->home, .reach = (const char *const *)f->config.fs_reach,
                             .floor = floor};
    return gate_new(&g, &f->gate, fault);
}

/* Beside the program where it was built, else in the tree it was installed in, else where it was to be installed. */
static char *worker_dir_new(void)
{
    static const char *const places[] = {"", "/../libexec/fovea"};
    char path[LIMIT_PATH_BYTES], worker[LIMIT_PATH_BYTES + 64];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
    if (!slash)
        return strdup(FOVEA_EXECDIR);
    for (size_t i = 0; i < COUNT(places); i++) {
        int folder = snprintf(worker, sizeof worker, "%.*s%s/fovea-worker", (int)(slash - path), path, places[i]);
        if (access(worker, X_OK) == 0)
            return strndup(worker, (size_t)folder - strlen("/fovea-worker"));
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
    if (!f || !(f->views = views_new()) || (!options->no_cache && !(f->cache = cache_new())))
        return fault_oom(fault);
    f->no_webp = options->no_webp;
    int r = find_folders(f, options, fault);
    if (r >= 0)
        r = config_load(options->config_file, f->cwd, f->home, &f->config, fault);
    if (r >= 0 && options->reach)
        r = config_list_set(&f->config.fs_reach, options->reach, fault);
    if (r >= 0)
        r = open_gate(f, fault);
    if (r >= 0)
        r = open_pool(f, options, fault);
    if (r < 0)
        return r;
    *ret = take(f);
    return 0;
}

/* Well-formed text whose numbers are too large for us is an argument to refuse, not broken JSON. */
static int refuse_numbers(fovea_result **ret, struct fovea_fault *fault)
{
    *ret = result_refused(REASON_INVALID_INPUT, "a number in the arguments is out of range");
    return *ret ? 0 : fault_oom(fault);
}

static int unknown_tool(const char *name, struct fovea_fault *fault)
{
    size_t n;
    const struct fovea_tool *tools = fovea_tools(&n);
    auto_buf b = BUF_INIT(KIB);
    (void)buf_add_str(&b, "no tool is called \"");
    (void)buf_add_shown(&b, name, 64);
    (void)buf_add_str(&b, "\"; there is");
    for (size_t i = 0; i < n; i++)
        (void)buf_add_format(&b, "%s %s", i ? "," : "", tools[i].name);
    return b.error ? fault_oom(fault) : fault_set(fault, ENOENT, "%s", b.data);
}

int fovea_call(fovea *f, const char *tool, const char *json, size_t len, fovea_result **ret, struct fovea_fault *fault)
{
    tool_run *run;
    json_error_t where;
    const struct fovea_tool *t = tool_find(tool, &run);
    if (!t)
        return unknown_tool(tool, fault);
    if (len > LIMIT_JSON_BYTES)
        return fault_set(fault, EBADMSG, "arguments of %zu bytes are over the limit", len);
    auto_json *arguments = json_loadb(json, len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
    if (!arguments && json_error_code(&where) == json_error_numeric_overflow)
        return refuse_numbers(ret, fault);
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
