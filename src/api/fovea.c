/* SPDX-License-Identifier: Apache-2.0 */
/* The context: settings read once, the reach opened and pinned, the pool of workers; and the calls without a session. */
#include <errno.h>
#include <unistd.h>

#include "api/choosing.h"
#include "api/config_value.h"
#include "api/context.h"
#include "api/hosts_yaml.h"
#include "api/personality.h"
#include "api/tools.h"
#include "ask/ask.h"
#include "base/fault.h"
#include "base/limits.h"
#include "transcript/transcript.h"

const char *fovea_version(void)
{
    return FOVEA_VERSION;
}

void fovea_free(fovea *f)
{
    if (!f)
        return;
    ocr_free(f->ocr);
    programs_free(f->programs);
    gate_free(f->gate);
    ledger_free(f->ledger);
    record_close(f->record);
    views_free(f->views);
    tally_unref(f->tally);
    asker_free(f->asker);
    cache_free(f->cache);
    discovery_free(f->discovery);
    seen_free(f->refits);
    config_done(&f->config);
    free(f->beside);
    free(f->models_file);
    free(f->true_cwd);
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
    /* One that is gone can still be spelled. */
    if (!(f->true_cwd = canonicalize_file_name(f->cwd)) && !(f->true_cwd = strdup(f->cwd)))
        return fault_oom(fault);
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

/* A record that lies elsewhere than with our state: its file, or one that SQLite keeps beside it. */
static int add_record_file(const fovea *f, const char *end, struct buf *ret)
{
    static const char sqlite[] = "sqlite:/";
    const char *store = f->config.record_store;
    bool file = !strncmp(store, sqlite, sizeof sqlite - 1);
    return file ? buf_add_format(ret, "%s%s", store + sizeof sqlite - 2, end) : 0;
}

/* Out of memory, or a folder with too long a name, or none. */
static int lost_fault(struct fovea_fault *fault)
{
    if (errno == ENOMEM)
        return fault_oom(fault);
    return fault_set(fault, EINVAL, "cannot tell where our own files are; set XDG_CONFIG_HOME to a short path");
}

/* Who says what is in reach: the config, by its line, or the host. */
static int add_reach_name(const fovea *f, const struct fovea_options *options, struct buf *ret)
{
    const struct config_key *key = config_key_find("fs_reach");
    if (options->reach && !f->config.reach_set)
        return buf_add_str(ret, "--root");
    if (f->config.reach_set && config_origin_add(&f->config, key, ret) == 0)
        (void)buf_add_str(ret, ": ");
    return buf_add_str(ret, "fs_reach");
}

/* Our own config, state and cache hold keys and what others saw: no path leads there. */
static int open_gate(fovea *f, const struct fovea_options *options, struct fovea_fault *fault)
{
    auto_buf config = BUF_INIT(LIMIT_PATH_BYTES), state = BUF_INIT(LIMIT_PATH_BYTES), cache = BUF_INIT(LIMIT_PATH_BYTES);
    auto_buf file = BUF_INIT(2 * LIMIT_PATH_BYTES), personalities = BUF_INIT(3 * LIMIT_PATH_BYTES);
    auto_buf record = BUF_INIT(2 * LIMIT_PATH_BYTES), log = BUF_INIT(2 * LIMIT_PATH_BYTES);
    auto_buf shared = BUF_INIT(2 * LIMIT_PATH_BYTES), called = BUF_INIT(2 * LIMIT_PATH_BYTES);
    const char *floor[9] = {0};
    size_t n = 0;
    errno = 0;
    if (config_folder("XDG_CONFIG_HOME", ".config", &config) < 0 ||
        config_folder("XDG_STATE_HOME", ".local/state", &state) < 0 ||
        config_folder("XDG_CACHE_HOME", ".cache", &cache) < 0 || add_config_file(f, &file) < 0 ||
        (*f->beside && buf_add_format(&personalities, "%s/personalities", f->beside) < 0) ||
        add_record_file(f, "", &record) < 0 || add_record_file(f, "-wal", &log) < 0 ||
        add_record_file(f, "-shm", &shared) < 0 || add_reach_name(f, options, &called) < 0)
        return lost_fault(fault);
    const struct buf *const all[] = {&config, &state, &cache, &file, &personalities, &record, &log, &shared};
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i]->len)
            floor[n++] = all[i]->data;
    struct gate_options g = {.cwd = f->cwd,
                             .home = f->home,
                             .reach = (const char *const *)f->config.fs_reach,
                             .called = called.data,
                             .where = (const char *const *)f->config.reach_true,
                             .floor = floor};
    return gate_new(&g, &f->gate, fault);
}

/* Opens nothing yet. */
static int open_ledger(fovea *f, struct fovea_fault *fault)
{
    auto_buf state = BUF_INIT(LIMIT_PATH_BYTES), cache = BUF_INIT(LIMIT_PATH_BYTES);
    if (config_folder("XDG_STATE_HOME", ".local/state", &state) < 0 || config_folder("XDG_CACHE_HOME", ".cache", &cache) < 0)
        return fault_oom(fault); /* open_gate found them short enough */
    struct ledger_options o = {
        .state_dir = state.data, .cache_dir = cache.data, .cache_bytes = (uint64_t)f->config.cache_bytes};
    return ledger_new(&o, &f->ledger, fault);
}

/* Opens nothing yet either. */
static int open_record(fovea *f, struct fovea_fault *fault)
{
    auto_buf state = BUF_INIT(LIMIT_PATH_BYTES);
    if (config_folder("XDG_STATE_HOME", ".local/state", &state) < 0)
        return fault_oom(fault); /* as above */
    struct record_options o = {
        .where = f->config.record_store, .folder = state.data ? state.data : "", .derive = entry_derive};
    return record_open(&o, &f->record, fault);
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
    int r = programs_new(dir, f->home, MIN(options->ready_workers, (unsigned)LIMIT_READY_WORKERS), &f->programs, fault);
    if (r == 0)
        r = programs_pool(f->programs, PROGRAM_WORKER, &f->pool, fault);
    return r < 0 ? r : ocr_new(dir, NULL, NULL, &f->ocr, fault);
}

/* The config file, the personality over it, and the folders that the host names. */
static int settle(fovea *f, const struct fovea_options *options, struct fovea_fault *fault)
{
    f->tools = UINT32_MAX;
    int r = config_load(options->config_file, f->cwd, f->home, &f->config, fault);
    if (r < 0)
        return r;
    errno = 0;
    if (!(f->beside = config_beside_new(options->config_file)))
        return lost_fault(fault);
    if (options->personality) {
        struct personality_options p = {options->personality, f->beside, f->cwd, f->home};
        r = personality_load(&p, &f->config, &f->tools, fault);
    }
    /* A context that reads no config reads none of its neighbours. */
    if (r == 0 && !(options->config_file && !*options->config_file))
        r = models_load(f->beside, f->config.models, &f->models_file, fault);
    if (r == 0)
        r = choosing_check(f, fault);
    return r < 0 || !options->reach ? r : config_narrow(&f->config, options->reach, fault);
}

int fovea_new(const struct fovea_options *options, fovea **ret, struct fovea_fault *fault)
{
    static const struct fovea_options defaults;
    if (!options)
        options = &defaults;
    cleanup(fovea_free_p) fovea *f = calloc(1, sizeof *f);
    if (!f || !(f->views = views_new()) || !(f->tally = tally_new()) || !(f->discovery = discovery_new()) ||
        !(f->refits = seen_new()) || (!options->no_cache && !(f->cache = cache_new())))
        return fault_oom(fault);
    f->no_webp = options->no_webp;
    f->render = options->render;
    int r = asker_new(&f->asker, fault);
    if (r >= 0)
        r = find_folders(f, options, fault);
    if (r >= 0)
        r = settle(f, options, fault);
    if (r >= 0)
        r = open_gate(f, options, fault);
    if (r >= 0)
        r = open_ledger(f, fault);
    if (r >= 0)
        r = open_record(f, fault);
    if (r >= 0)
        r = open_pool(f, options, fault);
    if (r < 0)
        return r;
    *ret = take(f);
    return 0;
}

void fovea_ready(fovea *f, unsigned workers)
{
    programs_ready(f->programs, MIN(workers, (unsigned)LIMIT_READY_WORKERS));
}

bool fovea_blocked(const fovea *f)
{
    return f->config.block_images;
}

int fovea_call(fovea *f, const char *tool, const char *json, size_t len, fovea_result **ret, struct fovea_fault *fault)
{
    auto_call c;
    int r = call_init(&c, f, NULL, NULL, fault);
    return r < 0 ? r : tool_call(&c, tool, json, len, ret, fault);
}

int fovea_view(fovea *f, const struct fovea_view_request *request, fovea_result **ret, struct fovea_fault *fault)
{
    auto_call c;
    int r = call_init(&c, f, NULL, NULL, fault);
    return r < 0 ? r : tool_ask(&c, "view", request, ret, fault);
}

int fovea_read(fovea *f, const struct fovea_read_request *request, fovea_result **ret, struct fovea_fault *fault)
{
    auto_call c;
    int r = call_init(&c, f, NULL, NULL, fault);
    return r < 0 ? r : tool_ask(&c, "read", request, ret, fault);
}
