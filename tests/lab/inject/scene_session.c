/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of sessions with a name: appended, imported, lowered, exported, simulated; and that what was acknowledged stays. */
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "scenes.h"

#define PNG "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="
#define SAID(kind, words) "{\"kind\":\"" kind "\",\"at\":1000,\"parts\":[{\"type\":\"text\",\"text\":\"" words "\"}]}"

static const char entries[] =
    SAID("user", "look") "\n"
    "{\"kind\":\"tool_call\",\"at\":1001,\"id\":\"c1\",\"name\":\"view\",\"arguments\":{\"path\":\"a.png\"}}\n"
    "{\"kind\":\"tool_result\",\"at\":1002,\"call\":\"c1\",\"name\":\"view\",\"parts\":[{\"type\":\"image\",\"data\":\"" PNG "\"}]}\n"
    SAID("assistant", "it is red");
static const char imported[] =
    "{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"image\","
    "\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"" PNG "\"}}]},{\"role\":\"assistant\",\"content\":\"yes\"}]}";

static struct {
    fovea *f;
    fovea_session *s;
    int64_t promised;
} state;

static int open_session(const char *name, fovea **ret_f, fovea_session **ret_s, struct fovea_fault *fault)
{
    const char *reach[] = {build_folder(), NULL};
    struct fovea_options o = {.cwd = build_folder(), .reach = reach, .config_file = "", .worker_dir = build_folder()};
    int r = fovea_new(&o, ret_f, fault);
    return r < 0 ? r : fovea_session_new(*ret_f, &(struct fovea_session_options){.name = name, .main = "anthropic/claude-opus-4-7"}, ret_s, fault);
}

static int setup_home(void)
{
    state.promised = 0;
    return fresh_folder() && !setenv("XDG_STATE_HOME", in_folder("state"), 1) && !setenv("XDG_CACHE_HOME", in_folder("cache"), 1) ? 0 : -1;
}

static int tell_entry(void *arg, int64_t seq, const char *json, size_t len)
{
    (void)json;
    tell_bytes(arg, &seq, sizeof seq);
    tell_bytes(arg, &len, sizeof len);
    return 0;
}

static int lower(fovea_session *s, const char *model, bool full, struct outcome *o, struct fovea_fault *fault)
{
    struct fovea_lowered done;
    struct fovea_lower_request q = {.model = model, .full = full, .retain = "turns:1"};
    return fovea_lower(s, &q, tell_write, o, &done, fault);
}

static int lower_all(fovea_session *s, struct outcome *o, struct fovea_fault *fault)
{
    static const char *const models[] = {"anthropic/claude-opus-4-7", "openai/gpt-5.4", "google/gemini-2.5-pro", "openrouter/qwen/qwen3-vl-235b-a22b-instruct"};
    int r = 0;
    for (size_t i = 0; i < COUNT(models) && r >= 0; i++)
        if ((r = lower(s, models[i], i % 2, o, fault)) == 0)
            tell_answer(o);
    return r;
}

/* Under one key: whatever came of it before, it is there once afterwards. */
static void work_on(fovea_session *s, struct outcome *o)
{
    struct fovea_fault fault = {0};
    struct fovea_appended done = {0};
    int r = fovea_session_append(s, entries, sizeof entries - 1, "k1", &done, &fault);
    state.promised = r == 0 ? done.last : state.promised;
    r = r < 0 ? r : lower_all(s, o, &fault);
    r = r < 0 ? r : fovea_session_entries(s, 0, tell_entry, o, &fault);
    if (r >= 0) {
        auto_free char *report = fovea_session_report_new(s);
        tell_str(o, report);
    }
    tell_fault(o, r, &fault);
}

static void run_session_whole(struct outcome *o)
{
    struct fovea_fault fault = {0};
    fovea *f = NULL;
    fovea_session *s = NULL;
    int r = open_session("s", &f, &s, &fault);
    tell_fault(o, r, &fault);
    if (r == 0)
        work_on(s, o);
    fovea_session_free(s);
    fovea_free(f);
}

/* ---------------------------------------------------------------- one that is kept */

static int setup_session(void)
{
    struct fovea_appended done;
    if (setup_home() < 0 || open_session("s", &state.f, &state.s, NULL) < 0 ||
        fovea_session_append(state.s, SAID("user", "first"), sizeof SAID("user", "first") - 1, "k0", &done, NULL) < 0)
        return -1;
    state.promised = done.last;
    return 0;
}

static void teardown_session(void)
{
    fovea_session_free(state.s);
    fovea_free(state.f);
    state.f = NULL;
    state.s = NULL;
    drop_folder();
}

static void tell_info(const struct fovea_session_info *info, void *arg)
{
    tell_str(arg, info->name);
}

/* A tool called within a session leaves its result there, each time anew: what it gave is told, not what is stored. */
static void run_session_kept(struct outcome *o)
{
    static const char json[] = "{\"path\":\"fixtures/good.tsv\",\"limit\":3}";
    struct fovea_fault fault = {0};
    fovea_result *result = NULL;
    int r = fovea_session_call(state.s, "read", json, sizeof json - 1, NULL, &result, &fault);
    tell_fault(o, r, &fault);
    if (r == 0)
        tell_result(o, result);
    if (r == 0 && !o->refused) {
        r = fovea_session_fresh(state.s, "fixtures/good.tsv", &fault);
        if (r == 0) /* a file that cannot be opened is not fresh */
            tell_refusal(o, "", "not fresh");
        tell_bytes(o, &r, sizeof r);
        if (r >= 0)
            tell_answer(o);
        r = r < 0 ? r : fovea_sessions(state.f, NULL, tell_info, o, &fault);
        tell_fault(o, r, &fault);
        if (r == 0)
            tell_answer(o);
    }
    fovea_result_free(result);
}

static void tell_problem(const struct fovea_problem *p, void *arg)
{
    struct outcome *o = arg;
    o->code = -EBADMSG;
    (void)snprintf(o->words, sizeof o->words, "%s %lld: %s", p->session, (long long)p->entry, p->what);
}

/* As another process finds the record. */
static void settle_session(struct outcome *o)
{
    struct fovea_fault fault = {0};
    struct fovea_checked checked = {0};
    fovea *f = NULL;
    fovea_session *s = NULL;
    int r = open_session("other", &f, &s, &fault);
    r = r < 0 ? r : fovea_record_check(f, NULL, false, tell_problem, o, &checked, &fault);
    tell_fault(o, r, &fault);
    if (r == 0 && checked.entries < state.promised) {
        o->code = -ENOENT;
        (void)snprintf(o->words, sizeof o->words, "%lld entries, %lld promised", (long long)checked.entries, (long long)state.promised);
    }
    fovea_session_free(s);
    fovea_free(f);
}

/* ---------------------------------------------------------------- taken in and given out */

static void run_lower(struct outcome *o)
{
    struct fovea_fault fault = {0};
    struct fovea_appended done = {0};
    struct outcome neutral = {0}; /* has times in it */
    int r = fovea_session_import(state.s, "anthropic", imported, sizeof imported - 1, &done, &fault);
    r = r < 0 ? r : lower_all(state.s, o, &fault);
    r = r < 0 ? r : fovea_session_export(state.s, "anthropic", FOVEA_EXPORT_FULL, tell_write, o, &fault);
    r = r < 0 ? r : fovea_session_export(state.s, "gemini", 0, tell_write, o, &fault);
    r = r < 0 ? r : fovea_session_export(state.s, NULL, FOVEA_JSON_DATA, tell_write, &neutral, &fault);
    tell_fault(o, r, &fault);
}

static int setup_lower(void)
{
    return setup_home() < 0 || open_session("s", &state.f, &state.s, NULL) < 0 ? -1 : 0;
}

static void run_simulate(struct outcome *o)
{
    static const char *const forms[] = {"table", "json", "svg"};
    struct fovea_fault fault = {0};
    int r = 0;
    for (size_t i = 0; i < COUNT(forms) && r >= 0; i++) {
        struct fovea_simulate_request q = {.trace = "short", .model = "anthropic/claude-opus-4-7", .form = forms[i]};
        if ((r = fovea_simulate(state.f, &q, tell_write, o, &fault)) == 0)
            tell_answer(o);
    }
    tell_fault(o, r, &fault);
}

const struct scene scene_session_whole = {"session_whole", setup_home, run_session_whole, settle_session, drop_folder, SCENE_USUAL};
const struct scene scene_session_kept = {"session_kept", setup_session, run_session_kept, settle_session, teardown_session, SCENE_USUAL};
const struct scene scene_lower = {"lower", setup_lower, run_lower, settle_session, teardown_session, SCENE_USUAL};
const struct scene scene_simulate = {"simulate", setup_lower, run_simulate, NULL, teardown_session, SCENE_USUAL};
