/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of what a host does besides looking: a page with images, what was seen once and is gone, a request that was rejected, a
 * session deleted, settings and traces told, and tools called as a model writes their arguments. */
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "scenes.h"

#define PNG "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="

static struct {
    fovea *f;
    fovea_session *s;
    char id[64]; /* of a view */
} state;

static int open_context(const char *config, struct fovea_fault *fault)
{
    const char *reach[] = {build_folder(), in_folder(""), NULL};
    struct fovea_options o = {.cwd = build_folder(), .reach = reach, .config_file = config, .worker_dir = build_folder(),
                              .render = FOVEA_RENDER_ALL};
    return fovea_new(&o, &state.f, fault);
}

static int setup_folder(void)
{
    return fresh_folder() && !setenv("XDG_STATE_HOME", in_folder("state"), 1) && !setenv("XDG_CACHE_HOME", in_folder("cache"), 1) ? 0 : -1;
}

static int setup_session(void)
{
    return setup_folder() < 0 || open_context("", NULL) < 0
               ? -1
               : fovea_session_new(state.f, &(struct fovea_session_options){.name = "s", .main = "anthropic/claude-opus-4-7"}, &state.s, NULL);
}

static void teardown(void)
{
    fovea_session_free(state.s);
    fovea_free(state.f);
    state.s = NULL;
    state.f = NULL;
    drop_folder();
}

static void see(const struct fovea_view_request *q, struct outcome *o)
{
    struct fovea_fault fault = {0};
    fovea_result *r = NULL;
    int code = o->code < 0 || o->refused ? 0
               : state.s                 ? fovea_session_ask(state.s, "view", q, NULL, &r, &fault)
                                         : fovea_view(state.f, q, &r, &fault);
    tell_fault(o, code, &fault);
    if (code == 0 && r)
        tell_result(o, r);
    fovea_result_free(r);
}

/* ---------------------------------------------------------------- a page with images */

static int setup_markdown(void)
{
    char text[2 * LIMIT_PATH_BYTES];
    (void)snprintf(text, sizeof text, "# Page\n\n![one](data:image/png;base64," PNG ")\n\n![two](%s/fixtures/good/png%%2Drgb-8.png)\n\n![none](a.png)\n",
                   build_folder());
    return setup_folder() < 0 || put_file("page.md", text) < 0 ? -1 : open_context("", NULL);
}

/* One of the images may be missing where something failed: that is no refusal, and another picture. */
static void run_markdown(struct outcome *o)
{
    struct outcome page = {0};
    see(&(struct fovea_view_request){.path = in_folder("page.md")}, &page);
    o->code = page.code;
    o->refused = page.refused;
    memcpy(o->words, page.words, sizeof o->words);
    memcpy(o->untrue, page.untrue, sizeof o->untrue);
}

/* ---------------------------------------------------------------- what is gone */

/* A picture that was seen, whose file is taken away, and one that is there still. */
static int setup_again(void)
{
    struct fovea_image m = {0};
    fovea_result *r = NULL;
    if (setup_session() < 0 || put_file("a.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'><rect width='20' height='30'/></svg>") < 0)
        return -1;
    int code = fovea_session_ask(state.s, "view", &(struct fovea_view_request){.path = in_folder("a.svg")}, NULL, &r, NULL);
    code = code == 0 && fovea_result_image(r, &m) == 0 ? 0 : -1;
    (void)snprintf(state.id, sizeof state.id, "%s", m.id ? m.id : "");
    fovea_result_free(r);
    return code == 0 && unlink(in_folder("a.svg")) == 0 ? 0 : -1;
}

static void run_again(struct outcome *o)
{
    see(&(struct fovea_view_request){.path = state.id}, o);
    see(&(struct fovea_view_request){.path = state.id, .region = {0, 0, 10, 10, true}, .space = "view"}, o);
    see(&(struct fovea_view_request){.path = state.id, .against = "fixtures/good/png-rgb-8.png"}, o);
}

/* ---------------------------------------------------------------- rejected, deleted */

static const char picture[] = "{\"kind\":\"user\",\"at\":1000,\"parts\":[{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"image\",\"data\":\"" PNG "\"}]}";

static int append(const char *key, struct fovea_fault *fault)
{
    struct fovea_appended done;
    return fovea_session_append(state.s, picture, sizeof picture - 1, key, &done, fault);
}

static int setup_reject(void)
{
    return setup_session() < 0 ? -1 : append("k0", NULL);
}

/* Each time another one is taken, until none is left: what it was is not told. */
static void run_reject(struct outcome *o)
{
    static const char error[] = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
                                "\"messages.0.content.1.image.source.base64.data: Could not process image\"}}";
    struct fovea_fault fault = {0};
    struct fovea_repair repair;
    struct outcome unheard = {0};
    int r = fovea_session_reject(state.s, &(struct fovea_lower_request){0}, error, sizeof error - 1, &repair, &fault);
    if (r == -ENOENT || r == -EALREADY)
        r = 0;
    r = r < 0 ? r : fovea_lower(state.s, &(struct fovea_lower_request){.full = true}, tell_write, &unheard, NULL, &fault);
    tell_fault(o, r, &fault);
}

static void run_delete(struct outcome *o)
{
    struct fovea_fault fault = {0};
    int r = append("k1", &fault);
    r = r < 0 ? r : fovea_session_delete(state.f, "s", &fault);
    tell_fault(o, r, &fault);
}

/* ---------------------------------------------------------------- told */

static const char config[] = "images.maxDimension: 1000\nretention.policy: turns:3\n"
                             "providers:\n  own: {wire: openai-chat, baseUrl: \"http://127.0.0.1:9/v1\", models: {a: {vision: true, input: 2, output: 10}}}\n";

static int setup_settings(void)
{
    return setup_folder() < 0 || put_file("config.yaml", config) < 0 ? -1 : 0;
}

static void tell_setting(const struct fovea_setting_now *s, void *arg)
{
    tell_str(arg, s->key);
    tell_str(arg, s->value);
}

static void run_settings(struct outcome *o)
{
    struct fovea_fault fault = {0};
    struct outcome entry = {0};
    int64_t cleared;
    int r = open_context(in_folder("config.yaml"), &fault);
    if (r == 0 && fovea_settings(state.f, tell_setting, o) < 0)
        tell_str(o, NULL);
    r = r < 0 ? r : fovea_trace("short", tell_write, o, &fault);
    r = r < 0 ? r : fovea_cache_clear(state.f, &cleared, &fault);
    tell_fault(o, r, &fault);
    auto_free char *shown = fovea_render_entry_new(picture, sizeof picture - 1, true);
    tell_str(r < 0 ? &entry : o, shown);
    fovea_free(state.f);
    state.f = NULL;
}

/* A trace that draws its own documents; each of the others takes seconds. */
static void run_trace_pdf(struct outcome *o)
{
    struct fovea_fault fault = {0};
    tell_fault(o, fovea_trace("pdf", tell_write, o, &fault), &fault);
}

/* ---------------------------------------------------------------- as a model writes */

static void run_tools(struct outcome *o)
{
    static const char *const calls[][2] = {
        {"view", "{\"path\":\"fixtures/good/gif-animated-3-frames.gif\",\"frame\":2,\"region\":[1,1,9,9],\"space\":\"source\",\"max_edge\":40}"},
        {"view", "{\"path\":\"fixtures/good/png-rgb-8.png\",\"page\":\"1\",\"detail\":\"full\",\"model\":\"openai/gpt-5.4\"}"},
        {"read", "{\"path\":\"fixtures/good.tsv\",\"offset\":2,\"limit\":3}"},
    };
    for (size_t i = 0; i < COUNT(calls); i++) {
        struct fovea_fault fault = {0};
        fovea_result *r = NULL;
        int code = o->code < 0 || o->refused ? 0 : fovea_call(state.f, calls[i][0], calls[i][1], strlen(calls[i][1]), &r, &fault);
        tell_fault(o, code, &fault);
        if (code == 0 && r)
            tell_result(o, r);
        fovea_result_free(r);
    }
}

static int setup_tools(void)
{
    return setup_folder() < 0 ? -1 : open_context("", NULL);
}

const struct scene scene_markdown = {"markdown", setup_markdown, run_markdown, NULL, teardown, SCENE_USUAL};
const struct scene scene_again = {"again", setup_again, run_again, NULL, teardown, SCENE_USUAL};
const struct scene scene_reject = {"reject", setup_reject, run_reject, NULL, teardown, SCENE_USUAL};
const struct scene scene_delete = {"delete", setup_session, run_delete, NULL, teardown, SCENE_USUAL};
const struct scene scene_settings = {"settings", setup_settings, run_settings, NULL, teardown, SCENE_USUAL};
const struct scene scene_trace_pdf = {.name = "trace_pdf", .run = run_trace_pdf};
const struct scene scene_tools = {"tools", setup_tools, run_tools, NULL, teardown, SCENE_USUAL};
