/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: what each narrows and fits, that one cannot see what is another's, and which tools a personality leaves. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "built.h"
#include "fovea.h"
#include "handles.h"
#include "silence.h"
#include "test.h"
#include "top.h"

/* The environment leads into the folder of this run. */
static void made_tree(void)
{
    static const char *const folders[] = {"home", "home/config", "home/config/fovea", "home/state", "home/state/fovea",
                                          "a", "b", "b/deep", "home/config/fovea/personalities",
                                          "home/config/fovea/personalities/reader"};
    if (!top_make())
        return;
    for (size_t i = 0; i < COUNT(folders); i++)
        CHECK(mkdir(in_top(folders[i]), 0700) == 0);
    put("a/t.txt", "in a\n");
    put("b/t.txt", "in b\n");
    put("b/deep/only.txt", "deep\n");
    put("home/state/fovea/token", "secret\n");
    put("home/config/fovea/personalities/reader/toolset.yaml", "- read\n- vision\n");
    CHECK(symlink("b", in_top("link")) == 0);
    CHECK(setenv("HOME", in_top("home"), 1) == 0 && setenv("XDG_CONFIG_HOME", in_top("home/config"), 1) == 0 &&
          setenv("XDG_STATE_HOME", in_top("home/state"), 1) == 0);
}

/* A context that reaches the tree and the fixtures, where no other reach is given. */
static fovea *context(struct fovea_options options)
{
    fovea *f = NULL;
    struct fovea_fault fault = {0};
    made_tree();
    const char *reach[] = {top, build_folder(), NULL};
    options.cwd = options.cwd ? options.cwd : in_top("a");
    options.reach = options.reach ? options.reach : reach;
    options.worker_dir = build_folder();
    CHECK_MSG(fovea_new(&options, &f, &fault) == 0, "%s", fault.text);
    return f;
}

static fovea_session *session(fovea *f, struct fovea_session_options options)
{
    fovea_session *s = NULL;
    struct fovea_fault fault = {0};
    CHECK_MSG(fovea_session_new(f, &options, &s, &fault) == 0, "%s", fault.text);
    return s;
}

/* The result of a call, whose arguments are a format; NULL for a fault. */
__attribute__((format(printf, 3, 4))) static fovea_result *call(fovea_session *s, const char *tool, const char *format, ...)
{
    char json[2 * LIMIT_PATH_BYTES];
    fovea_result *r = NULL;
    struct fovea_fault fault = {0};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(json, sizeof json, format, args);
    va_end(args);
    CHECK_MSG(fovea_session_call(s, tool, json, strlen(json), NULL, &r, &fault) == 0, "%s: %s", json, fault.text);
    return r;
}

TEST(session_options_that_make_no_sense_are_faults)
{
    static const char *const relative[] = {"sub", NULL};
    static const struct {
        struct fovea_session_options options;
        const char *want;
    } rows[] = {
        {{.cwd = "sub"}, "is not an absolute path"},
        {{.roots = relative}, "is not an absolute path"},
        {{.main = "claude"}, "is not PROVIDER/MODEL"},
        {{.main = "/claude"}, "is not PROVIDER/MODEL"},
        {{.main = "anthropic/"}, "is not PROVIDER/MODEL"},
        {{.main = ""}, "is not PROVIDER/MODEL"},
    };
    auto_fovea *f = context((struct fovea_options){0});
    for (size_t i = 0; f && i < COUNT(rows); i++) {
        fovea_session *s = NULL;
        struct fovea_fault fault = {0};
        CHECK(fovea_session_new(f, &rows[i].options, &s, &fault) == -EINVAL && !s);
        CHECK_MSG(strstr(fault.text, rows[i].want), "row %zu: %s", i, fault.text);
    }
}

TEST(session_paths_start_from_its_own_folder)
{
    static const struct {
        const char *cwd, *path, *want; /* want NULL: absent */
    } rows[] = {
        {NULL, "t.txt", "in a\n"},       {"b", "t.txt", "in b\n"},          {"b", "./t.txt", "in b\n"},
        {"b", "../a/t.txt", "in a\n"},   {"b", ".././a/t.txt", "in a\n"},   {"b/deep", "../t.txt", "in b\n"},
        {"link", "t.txt", "in b\n"},     {"link", "../a/t.txt", "in a\n"},  {"link/deep", "../../a/t.txt", "in a\n"},
        {"b", "deep/../t.txt", "in b\n"}, {"gone", "t.txt", NULL},          {"b", "only.txt", NULL},
        {"b", "deep/only.txt", "deep\n"}, {"b", "a/t.txt", NULL},
    };
    auto_fovea *f = context((struct fovea_options){0});
    for (size_t i = 0; f && i < COUNT(rows); i++) {
        auto_session *s = session(f, (struct fovea_session_options){.cwd = rows[i].cwd ? in_top(rows[i].cwd) : NULL});
        auto_result *r = s ? call(s, "read", "{\"path\":\"%s\"}", rows[i].path) : NULL;
        if (!r)
            continue;
        if (rows[i].want)
            CHECK_STR(fovea_result_text(r), rows[i].want);
        else
            CHECK_STR(fovea_result_reason(r), "absent");
    }
}

/* Joined to the folder it is longer than any path may be: as absent as one that fits. */
TEST(session_path_of_any_length_is_answered)
{
    char name[LIMIT_PATH_BYTES];
    auto_fovea *f = context((struct fovea_options){0});
    auto_session *s = f ? session(f, (struct fovea_session_options){0}) : NULL;
    for (size_t len = LIMIT_PATH_BYTES - 64; s && len < LIMIT_PATH_BYTES; len++) {
        memset(name, 'x', len);
        name[len] = '\0';
        auto_result *r = call(s, "read", "{\"path\":\"%s\"}", name);
        CHECK_MSG(r && fovea_result_kind(r) == FOVEA_REFUSAL, "%zu", len);
    }
}

/* Where the reach is elsewhere, a relative path that leads there is as good as an absolute one. */
TEST(session_folder_may_lie_outside_the_reach)
{
    const char *reach[] = {NULL, NULL};
    made_tree();
    reach[0] = in_top("a");
    auto_fovea *f = context((struct fovea_options){.reach = reach});
    auto_session *s = f ? session(f, (struct fovea_session_options){.cwd = in_top("link/deep")}) : NULL;
    auto_result *in = s ? call(s, "read", "{\"path\":\"../../a/t.txt\"}") : NULL;
    auto_result *out = s ? call(s, "read", "{\"path\":\"only.txt\"}") : NULL;
    if (!in || !out)
        return;
    CHECK_STR(fovea_result_text(in), "in a\n");
    CHECK_STR(fovea_result_reason(out), "absent");
}

TEST(view_id_means_the_same_file_in_every_session)
{
    auto_fovea *f = context((struct fovea_options){0});
    if (!f)
        return;
    char fixtures[LIMIT_PATH_BYTES + 32];
    struct fovea_image one, two;
    (void)snprintf(fixtures, sizeof fixtures, "%s/fixtures/good", build_folder());
    auto_session *s = session(f, (struct fovea_session_options){.cwd = fixtures});
    auto_session *other = session(f, (struct fovea_session_options){.cwd = in_top("b")});
    auto_result *first = call(s, "view", "{\"path\":\"png-rgb-8.png\"}");
    if (!first || fovea_result_image(first, &one) < 0) {
        CHECK(false);
        return;
    }
    auto_result *again = call(other, "view", "{\"path\":\"%s\"}", one.id);
    CHECK(again && fovea_result_image(again, &two) == 0 && two.len == one.len && !memcmp(one.data, two.data, one.len));
}

static unsigned patches(const struct fovea_image *i)
{
    return ((i->width + 27) / 28) * ((i->height + 27) / 28);
}

TEST(session_fits_pictures_to_its_host)
{
    static const struct {
        const char *what;
        struct fovea_session_options options;
        const char *arguments;
        const char *has, *hasnt; /* in the result's JSON */
        unsigned width;          /* 0: not looked at */
        unsigned patches;        /* at most; 0: not looked at */
    } rows[] = {
        {"nothing known", {0}, "", "\"tokens\":null", "\"model\"", 1568, 0},
        {"model unknown", {.model_unknown = true}, "", "\"tokens\":null", "\"model\"", 0, 1568},
        {"a model given", {.model_unknown = true}, ",\"model\":\"gpt-4o\"", "\"model\":\"gpt-4o\"", NULL, 0, 0},
        {"main known", {.main = "anthropic/claude-opus-4-7", .model_unknown = true}, "",
         "\"model\":\"claude-opus-4-7\"", "anthropic/", 1568, 0},
        {"main of small patches", {.main = "anthropic/claude-sonnet-4-5"}, "", "\"model\":\"claude-sonnet-4-5\"", NULL, 0,
         1568},
        {"model before main", {.main = "anthropic/claude-opus-4-7"}, ",\"model\":\"gpt-4o\"", "\"model\":\"gpt-4o\"",
         "claude", 0, 0},
        {"main of many names", {.main = "openrouter/anthropic/claude-opus-4-7"}, "",
         "\"model\":\"anthropic/claude-opus-4-7\"", "openrouter", 0, 0},
        {"webp by default", {0}, "", "image/webp", NULL, 0, 0},
        {"no webp", {.no_webp = true}, "", "\"ok\":true", "image/webp", 0, 0},
        {"main without webp", {.main = "ollama/llava"}, "", "\"model\":\"llava\"", "image/webp", 0, 0},
        {"small pictures", {.max_image = 20000}, "", "\"over_budget\":false", "over_budget\":true", 0, 0},
        {"max_image above the budget", {.max_image = 100000000}, "", "\"over_budget\":false", NULL, 1568, 0},
    };
    auto_fovea *f = context((struct fovea_options){0});
    for (size_t i = 0; f && i < COUNT(rows); i++) {
        auto_session *s = session(f, rows[i].options);
        auto_result *r = s ? call(s, "view", "{\"path\":\"%s/fixtures/good/png-photo-2000x1500.png\"%s}", build_folder(),
                                  rows[i].arguments) : NULL;
        auto_free char *json = r ? fovea_result_json_new(r, 0) : NULL;
        struct fovea_image image;
        if (!json || fovea_result_image(r, &image) < 0) {
            CHECK_MSG(false, "%s: %s", rows[i].what, json ? json : "");
            continue;
        }
        CHECK_MSG(strstr(json, rows[i].has), "%s: %s", rows[i].what, json);
        CHECK_MSG(!rows[i].hasnt || !strstr(json, rows[i].hasnt), "%s: %s", rows[i].what, json);
        CHECK_MSG(!rows[i].width || image.width == rows[i].width, "%s: %u", rows[i].what, image.width);
        CHECK_MSG(!rows[i].patches || patches(&image) <= rows[i].patches, "%s: %u", rows[i].what, patches(&image));
        CHECK_MSG(!rows[i].options.max_image || image.len <= rows[i].options.max_image, "%s: %zu", rows[i].what, image.len);
    }
}

TEST(session_refuses_a_picture_larger_than_its_host_takes)
{
    static const struct {
        const char *config;
        const char *want;
    } rows[] = {
        {"images: {autoResize: true}\n", "ask for less of it with region, or for a smaller max_edge"},
        {"images: {autoResize: false}\n", "set images.autoResize to true"},
    };
    made_tree();
    for (size_t i = 0; i < COUNT(rows); i++) {
        put("max.yaml", rows[i].config);
        auto_fovea *f = context((struct fovea_options){.config_file = in_top("max.yaml")});
        auto_session *s = f ? session(f, (struct fovea_session_options){.max_image = 300}) : NULL;
        auto_result *r =
            s ? call(s, "view", "{\"path\":\"%s/fixtures/good/png-photo-2000x1500.png\"}", build_folder()) : NULL;
        if (!r)
            continue;
        CHECK_STR(fovea_result_reason(r), "too_large");
        CHECK_MSG(strstr(fovea_result_text(r), rows[i].want), "%s", fovea_result_text(r));
    }
}

TEST(set_main_takes_both_names_or_none)
{
    static const struct {
        const char *provider, *model;
        int want;
    } rows[] = {
        {"anthropic", "claude-opus-4-7", 0}, {NULL, NULL, 0},       {"anthropic", NULL, -EINVAL}, {NULL, "m", -EINVAL},
        {"", "m", -EINVAL},                  {"p", "", -EINVAL},    {"a/b", "m", -EINVAL},        {"p", "a/b:c", 0},
    };
    auto_fovea *f = context((struct fovea_options){0});
    auto_session *s = f ? session(f, (struct fovea_session_options){0}) : NULL;
    for (size_t i = 0; s && i < COUNT(rows); i++)
        CHECK_MSG(fovea_session_set_main(s, rows[i].provider, rows[i].model) == rows[i].want, "row %zu", i);
}

static void *change_main(void *arg)
{
    for (int i = 0; i < 2000; i++)
        (void)fovea_session_set_main(arg, i % 3 ? "ollama" : NULL, i % 3 ? "llava" : NULL);
    return NULL;
}

TEST(set_main_may_come_from_any_thread)
{
    auto_fovea *f = context((struct fovea_options){0});
    auto_session *s = f ? session(f, (struct fovea_session_options){0}) : NULL;
    pthread_t thread;
    if (!s || pthread_create(&thread, NULL, change_main, s) != 0)
        return;
    for (int i = 0; i < 20; i++) {
        auto_result *r = call(s, "read", "{\"path\":\"t.txt\"}");
        CHECK(r && fovea_result_kind(r) == FOVEA_TEXT);
    }
    (void)pthread_join(thread, NULL);
}

TEST(cancelled_call_is_a_fault_and_a_reset_one_works)
{
    static const char json[] = "{\"path\":\"t.txt\"}";
    auto_fovea *f = context((struct fovea_options){0});
    auto_session *s = f ? session(f, (struct fovea_session_options){0}) : NULL;
    fovea_cancel *cancel = NULL;
    struct fovea_fault fault = {0};
    if (!s || fovea_cancel_new(&cancel, &fault) < 0)
        return;
    static const char *const tools[] = {"view", "read"};
    fovea_cancel_now(cancel);
    for (size_t i = 0; i < COUNT(tools); i++) {
        auto_result *r = NULL;
        CHECK(fovea_session_call(s, tools[i], json, strlen(json), cancel, &r, &fault) == -ECANCELED && !r);
    }
    fovea_cancel_reset(cancel);
    auto_result *r = NULL;
    CHECK(fovea_session_call(s, "read", json, strlen(json), cancel, &r, &fault) == 0 && r);
    fovea_cancel_free(cancel);
}

TEST(tool_that_a_personality_leaves_out_is_unknown)
{
    auto_fovea *f = context((struct fovea_options){.personality = "reader"});
    auto_session *s = f ? session(f, (struct fovea_session_options){0}) : NULL;
    auto_result *r = NULL;
    struct fovea_fault fault = {0};
    if (!s)
        return;
    CHECK(fovea_tool_allowed(f, "read") && !fovea_tool_allowed(f, "view") && !fovea_tool_allowed(f, "paint"));
    CHECK(fovea_session_call(s, "view", "{}", 2, NULL, &r, &fault) == -ENOENT);
    CHECK_STR(fault.text, "no tool is called \"view\"; there is read, inspect_image, vision_analyze, video_analyze");
    CHECK(fovea_call(f, "view", "{}", 2, &r, &fault) == -ENOENT);
    struct fovea_view_request request = {.path = "t.txt"};
    CHECK(fovea_view(f, &request, &r, &fault) == -ENOENT && !r);
    r = call(s, "read", "{\"path\":\"t.txt\"}");
    CHECK(r && fovea_result_kind(r) == FOVEA_TEXT);
}

/* MUST of the contract: our own config and state are on the deny floor, wherever the config is. */
TEST(own_files_are_never_shown)
{
    static const char *const files[] = {
        "home/state/fovea/token", "home/config/fovea/personalities/reader/toolset.yaml", "conf/fovea.yaml",
        "conf/personalities/x/config.yaml", "conf/personalities/later.yaml"};
    made_tree();
    CHECK(mkdir(in_top("conf"), 0700) == 0 && mkdir(in_top("conf/personalities"), 0700) == 0 &&
          mkdir(in_top("conf/personalities/x"), 0700) == 0);
    put("conf/fovea.yaml", "images: {maxBytes: 400000}\n");
    put("conf/personalities/x/config.yaml", "images: {maxBytes: 300000}\n");
    put("conf/shown.txt", "shown\n");
    auto_fovea *f = context((struct fovea_options){.config_file = in_top("conf/fovea.yaml")});
    auto_session *s = f ? session(f, (struct fovea_session_options){.cwd = top}) : NULL;
    put("conf/personalities/later.yaml", "- read\n");
    for (size_t i = 0; s && i < COUNT(files); i++) {
        auto_result *r = call(s, "read", "{\"path\":\"%s\"}", files[i]);
        CHECK_MSG(r && fovea_result_kind(r) == FOVEA_REFUSAL && !strcmp(fovea_result_reason(r), "absent"), "%s", files[i]);
    }
    auto_result *r = s ? call(s, "read", "{\"path\":\"conf/shown.txt\"}") : NULL;
    CHECK(r && fovea_result_kind(r) == FOVEA_TEXT);
}

TEST(session_roots_narrow_the_reach_and_never_widen_it)
{
    static const struct {
        const char *roots[3]; /* of the tree; all NULL: an empty list */
        const char *path;
        bool seen;
    } rows[] = {
        {{"a"}, "a/t.txt", true},          {{"a"}, "b/t.txt", false},        {{"b/deep"}, "b/deep/only.txt", true},
        {{"b/deep"}, "b/t.txt", false},    {{"link"}, "b/t.txt", true},      {{"b"}, "link/t.txt", true},
        {{"a"}, "link/t.txt", false},      {{"a"}, "a/../b/t.txt", false},   {{NULL}, "a/t.txt", false},
        {{"gone"}, "a/t.txt", false},      {{"gone", "a"}, "a/t.txt", true}, {{"a", "b"}, "b/t.txt", true},
        {{"../.."}, "a/t.txt", true},      {{"../.."}, "../../etc/passwd", false},
        {{"home"}, "home/state/fovea/token", false}, {{"a/t.txt"}, "a/t.txt", true},
    };
    auto_fovea *f = context((struct fovea_options){0});
    for (size_t i = 0; f && i < COUNT(rows); i++) {
        const char *roots[3] = {0};
        for (size_t k = 0; k < 2 && rows[i].roots[k]; k++)
            roots[k] = in_top(rows[i].roots[k]);
        auto_session *s = session(f, (struct fovea_session_options){.cwd = top, .roots = roots});
        auto_result *r = s ? call(s, "read", "{\"path\":\"%s\"}", rows[i].path) : NULL;
        auto_result *v = s ? call(s, "view", "{\"path\":\"%s\"}", rows[i].path) : NULL;
        if (!r || !v)
            continue;
        CHECK_MSG((fovea_result_kind(r) == FOVEA_TEXT) == rows[i].seen, "row %zu: %s", i, fovea_result_text(r));
        CHECK_MSG(!strcmp(fovea_result_reason(v), rows[i].seen ? "render_not_allowed" : "absent"), "row %zu: %s", i,
                  fovea_result_text(v));
    }
}

/* A root that comes to be later counts from then on; sessions like another one look no further than it. */
TEST(session_like_another_has_its_folders_or_its_own)
{
    auto_fovea *f = context((struct fovea_options){0});
    if (!f)
        return;
    const char *roots[] = {in_top("a"), in_top("later"), NULL};
    fovea_session *first = session(f, (struct fovea_session_options){.cwd = top, .roots = roots});
    auto_session *s = session(f, (struct fovea_session_options){.like = first, .main = "anthropic/claude-opus-4-8"});
    const char *others[] = {in_top("b"), NULL};
    auto_session *named = session(f, (struct fovea_session_options){.like = first, .cwd = top, .roots = others});
    fovea_session_free(first);
    auto_result *mine = call(named, "read", "{\"path\":\"b/t.txt\"}"), *its = call(named, "read", "{\"path\":\"a/t.txt\"}");
    CHECK(mine && fovea_result_kind(mine) == FOVEA_TEXT && its && fovea_result_kind(its) == FOVEA_REFUSAL);
    auto_result *in = call(s, "read", "{\"path\":\"a/t.txt\"}"), *out = call(s, "read", "{\"path\":\"b/t.txt\"}");
    CHECK(in && fovea_result_kind(in) == FOVEA_TEXT && out && fovea_result_kind(out) == FOVEA_REFUSAL);
    CHECK(mkdir(in_top("later"), 0700) == 0);
    put("later/t.txt", "late\n");
    auto_result *late = call(s, "read", "{\"path\":\"later/t.txt\"}");
    CHECK(late && fovea_result_kind(late) == FOVEA_TEXT);
}

static int64_t time_of_read(fovea_session *s, const char *path, enum fovea_kind want)
{
    int64_t start = clock_ms();
    auto_result *r = call(s, "read", "{\"path\":\"%s\"}", path);
    CHECK_MSG(r && fovea_result_kind(r) == want, "%s", r ? fovea_result_text(r) : "");
    return clock_ms() - start;
}

static void *read_a(void *s)
{
    (void)time_of_read(s, "a/t.txt", FOVEA_TEXT);
    return NULL;
}

static void *strike_later(void *cancel)
{
    (void)usleep(200 * 1000);
    fovea_cancel_now(cancel);
    return NULL;
}

/* Not the host's process, and not for longer than two seconds once; then the other roots are as good as ever. */
static void check_silent_root(fovea *f)
{
    const char *roots[] = {in_top("silent"), in_top("a"), NULL};
    auto_session *s = session(f, (struct fovea_session_options){.cwd = top, .roots = roots});
    auto_session *like = session(f, (struct fovea_session_options){.like = s});
    fovea_cancel *cancel = NULL;
    fovea_result *none = NULL;
    struct fovea_fault fault;
    pthread_t other;
    CHECK(fovea_cancel_new(&cancel, &fault) == 0);
    CHECK(!pthread_create(&other, NULL, strike_later, cancel));
    int64_t start = clock_ms();
    CHECK(fovea_session_call(s, "read", "{\"path\":\"x\"}", 12, cancel, &none, &fault) == -ECANCELED);
    CHECK_MSG(clock_ms() - start < 1000, "%ld ms", (long)(clock_ms() - start));
    CHECK(!pthread_join(other, NULL));
    fovea_cancel_free(cancel);
    CHECK(!pthread_create(&other, NULL, read_a, like));
    int64_t took = time_of_read(s, "a/t.txt", FOVEA_TEXT);
    CHECK(!pthread_join(other, NULL));
    CHECK_MSG(took < LIMIT_FOLDER_MS + 1000, "%ld ms", (long)took);
    took = time_of_read(like, "a/t.txt", FOVEA_TEXT);
    CHECK_MSG(took < 500, "%ld ms", (long)took);
}

TEST(root_that_never_answers_costs_two_seconds_once)
{
    auto_fovea *f = context((struct fovea_options){0});
    if (!f)
        return;
    CHECK(mkdir(in_top("silent"), 0700) == 0);
    auto_close int silence = mount_silence(in_top("silent"));
    if (silence < 0)
        SKIP("no FUSE mounts here");
    check_silent_root(f);
    CHECK(umount2(in_top("silent"), MNT_DETACH) == 0);
}

/* What another session saw must not be seen through its id. */
TEST(view_id_opens_nothing_outside_the_roots)
{
    auto_fovea *f = context((struct fovea_options){0});
    if (!f)
        return;
    const char *roots[] = {in_top("a"), NULL};
    auto_session *s = session(f, (struct fovea_session_options){0});
    auto_session *narrow = session(f, (struct fovea_session_options){.roots = roots});
    auto_result *first = call(s, "view", "{\"path\":\"%s/fixtures/good/png-rgb-8.png\"}", build_folder());
    struct fovea_image image;
    if (!first || fovea_result_image(first, &image) < 0) {
        CHECK(false);
        return;
    }
    auto_result *again = call(narrow, "view", "{\"path\":\"%s\"}", image.id);
    CHECK(again && fovea_result_kind(again) == FOVEA_REFUSAL && !strcmp(fovea_result_reason(again), "absent"));
}

/* The refusal of a call, "ID" put for the id in it: a call is what stands before and behind the id. */
static char *refusal_of(fovea_session *s, const char *id, const char *const arguments[2])
{
    auto_result *r = call(s, "view", "%s%s%s", arguments[0], id, arguments[1]);
    const char *text = r ? fovea_result_text(r) : "", *at = strstr(text, id);
    char *shown = NULL;
    CHECK_MSG(at && asprintf(&shown, "%.*sID%s", (int)(at - text), text, at + strlen(id)) > 0, "%s", text);
    return shown;
}

TEST(view_id_outside_the_roots_is_as_unknown_as_any)
{
    static const char *const calls[][2] = {
        {"{\"path\":\"", "\"}"},
        {"{\"path\":\"", "\",\"region\":[0,0,2,2]}"},
        {"{\"path\":\"", "\",\"region\":[0,0,2,2],\"space\":\"view\"}"},
        {"{\"path\":\"own.png\",\"region\":[0,0,2,2],\"space\":\"view\",\"view\":\"", "\"}"},
        {"{\"path\":\"gone.png\",\"region\":[0,0,2,2],\"view\":\"", "\"}"},
    };
    auto_fovea *f = context((struct fovea_options){0});
    if (!f)
        return;
    const char *roots[] = {in_top("a"), NULL};
    auto_session *s = session(f, (struct fovea_session_options){0});
    auto_session *narrow = session(f, (struct fovea_session_options){.roots = roots});
    auto_result *first = call(s, "view", "{\"path\":\"%s/fixtures/good/png-rgb-8.png\"}", build_folder());
    struct fovea_image image;
    CHECK(first && fovea_result_image(first, &image) == 0);
    copy_file(fixture("png-gray-1.png"), "a/own.png");
    for (size_t i = 0; i < COUNT(calls); i++) {
        auto_free char *others = refusal_of(narrow, image.id, calls[i]);
        auto_free char *unknown = refusal_of(narrow, "view:0000000000000000", calls[i]);
        if (others && unknown)
            CHECK_STR(others, unknown);
    }
}

TEST(session_gives_text_in_pieces_that_its_host_takes)
{
    static const struct {
        size_t max_text;
        int offset;
        const char *want;
        uint64_t first, last, cut;
    } rows[] = {
        {0, 1, "one\ntwo\nthree is long\nfour", 1, 4, 0}, {9, 1, "one\ntwo\n", 1, 2, 0}, {8, 1, "one\ntwo\n", 1, 2, 0},
        {7, 1, "one\n", 1, 1, 0},                         {5, 3, "three", 3, 3, 8},      {100, 3, "three is long\nfour", 3, 4, 0},
        {4, 4, "four", 4, 4, 0},                          {3, 4, "fou", 4, 4, 1},
    };
    auto_fovea *f = context((struct fovea_options){0});
    if (!f)
        return;
    put("a/pieces.txt", "one\ntwo\nthree is long\nfour");
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_session *s = session(f, (struct fovea_session_options){.max_text = rows[i].max_text});
        auto_result *r = s ? call(s, "read", "{\"path\":\"pieces.txt\",\"offset\":%d}", rows[i].offset) : NULL;
        struct fovea_text t;
        if (!r || fovea_result_lines(r, &t) < 0) {
            CHECK_MSG(false, "row %zu: %s", i, r ? fovea_result_text(r) : "");
            continue;
        }
        CHECK_STR(t.text, rows[i].want);
        CHECK_MSG(t.first == rows[i].first && t.last == rows[i].last && t.cut == rows[i].cut && t.total == 4,
                  "row %zu: %d-%d, %d", i, (int)t.first, (int)t.last, (int)t.cut);
    }
}

TEST(host_may_ask_for_workers_at_any_time)
{
    auto_fovea *f = context((struct fovea_options){0});
    auto_session *s = f ? session(f, (struct fovea_session_options){0}) : NULL;
    static const unsigned counts[] = {2, 1000000, 0, 1};
    for (size_t i = 0; s && i < COUNT(counts); i++) {
        fovea_ready(f, counts[i]);
        auto_result *r = call(s, "view", "{\"path\":\"%s/fixtures/good/png-rgb-8.png\"}", build_folder());
        CHECK(r && fovea_result_kind(r) == FOVEA_PERCEPTION);
    }
}

struct striker {
    fovea_cancel *cancel;
    struct timespec struck;
};

static void *strike_soon(void *arg)
{
    struct striker *k = arg;
    (void)nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    (void)clock_gettime(CLOCK_MONOTONIC, &k->struck);
    fovea_cancel_now(k->cancel);
    return NULL;
}

/* MUST of the contract: cancel stops the work within 100 ms (twice that here: the machine may be busy). */
TEST(cancel_ends_a_view_that_is_under_way)
{
    auto_fovea *f = context((struct fovea_options){0});
    auto_session *s = f ? session(f, (struct fovea_session_options){0}) : NULL;
    struct striker k = {0};
    struct fovea_fault fault = {0};
    pthread_t thread;
    char json[LIMIT_PATH_BYTES + 64];
    fovea_result *r = NULL;
    struct timespec now;
    if (!s || fovea_cancel_new(&k.cancel, &fault) < 0)
        return;
    (void)snprintf(json, sizeof json, "{\"path\":\"%s/fixtures/good/jpeg-photo-3000x2000.jpg\"}", build_folder());
    CHECK(pthread_create(&thread, NULL, strike_soon, &k) == 0);
    int code = fovea_session_call(s, "view", json, strlen(json), k.cancel, &r, &fault);
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)pthread_join(thread, NULL);
    /* A machine that is done within 30 ms proves nothing. */
    CHECK_MSG(code == -ECANCELED || (code == 0 && r), "%s", fault.text);
    int64_t ms = (now.tv_sec - k.struck.tv_sec) * 1000 + (now.tv_nsec - k.struck.tv_nsec) / 1000000;
    CHECK_MSG(code == 0 || ms < 200, "%lld ms", (long long)ms);
    fovea_result_free(r);
    fovea_cancel_free(k.cancel);
}
