/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of looking: a context and its workers, from nothing and kept, pictures and text; and the doctor. */
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "scenes.h"

static fovea *context;

static int new_context(fovea **ret, struct fovea_fault *fault)
{
    const char *reach[] = {build_folder(), NULL};
    struct fovea_options o = {.cwd = build_folder(), .reach = reach, .config_file = "", .worker_dir = build_folder(),
                              .render = FOVEA_RENDER_ALL};
    return fovea_new(&o, ret, fault);
}

static int setup_context(void)
{
    return new_context(&context, NULL);
}

static void teardown_context(void)
{
    fovea_free(context);
    context = NULL;
}

static void see(fovea *f, const struct fovea_view_request *q, struct outcome *o)
{
    struct fovea_fault fault = {0};
    fovea_result *r = NULL;
    int code = o->code < 0 || o->refused ? 0 : fovea_view(f, q, &r, &fault);
    tell_fault(o, code, &fault);
    if (code == 0 && r)
        tell_result(o, r);
    fovea_result_free(r);
}

/* All that a result can be made into. */
static void call(fovea *f, const char *tool, const char *json, struct outcome *o)
{
    struct fovea_fault fault = {0};
    fovea_result *r = NULL;
    int code = o->code < 0 || o->refused ? 0 : fovea_call(f, tool, json, strlen(json), &r, &fault);
    tell_fault(o, code, &fault);
    if (code == 0 && r) {
        tell_result(o, r);
        auto_free char *text = fovea_result_json_new(r, FOVEA_JSON_DATA), *words = fovea_result_words_new(r);
        auto_free char *shown = fovea_render_result_new(r, true), *said = fovea_render_call_new(tool, json, strlen(json));
        if (!text || !words || !shown || !said)
            tell_str(o, NULL);
    }
    fovea_result_free(r);
}

static const struct fovea_view_request picture = {.path = "fixtures/good/png-rgb-8.png"};

static void run_view_whole(struct outcome *o)
{
    struct fovea_fault fault = {0};
    fovea *f = NULL;
    int code = new_context(&f, &fault);
    tell_fault(o, code, &fault);
    if (code == 0)
        see(f, &picture, o);
    fovea_free(f);
}

static void run_view_kept(struct outcome *o)
{
    see(context, &picture, o);
    see(context, &(struct fovea_view_request){.path = picture.path, .region = {1, 1, 20, 20, true}, .max_edge = 64}, o);
    call(context, "view", "{\"path\":\"fixtures/good/jpeg-rgb.jpg\",\"model\":\"anthropic/claude-opus-4-7\"}", o);
}

static void run_view_kinds(struct outcome *o)
{
    static const char svg[] = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'><rect width='20' height='30' fill='red'/></svg>";
    see(context, &(struct fovea_view_request){.path = "a.svg", .data = svg, .data_len = sizeof svg - 1}, o);
    see(context, &(struct fovea_view_request){.path = picture.path, .against = "fixtures/good/png-gray-8.png"}, o);
    see(context, &(struct fovea_view_request){.path = "fixtures/good/gif-animated-3-frames.gif", .sheet = true}, o);
}

static void run_read(struct outcome *o)
{
    call(context, "read", "{\"path\":\"fixtures/good.tsv\",\"offset\":2,\"limit\":5}", o);
}

const struct scene scene_view_whole = {.name = "view_whole", .run = run_view_whole};
const struct scene scene_view_kept = {"view_kept", setup_context, run_view_kept, NULL, teardown_context, SCENE_USUAL};
const struct scene scene_view_kinds = {"view_kinds", setup_context, run_view_kinds, NULL, teardown_context, SCENE_USUAL};
const struct scene scene_read = {"read", setup_context, run_read, NULL, teardown_context, SCENE_USUAL};

/* ---------------------------------------------------------------- the doctor */

/* A check of the worker has a second line only where the first is well. */
static size_t place_of(const char *check)
{
    static char names[ANSWERS][32];
    size_t i = 0;
    while (i < ANSWERS - 1 && names[i][0] && strcmp(names[i], check) != 0)
        i++;
    (void)snprintf(names[i], sizeof names[i], "%s", check);
    return i;
}

static void tell_check(const struct fovea_check *c, void *arg)
{
    struct outcome *o = arg;
    tell_str(o, c->name);
    tell_bytes(o, &c->health, sizeof c->health);
    if (c->health != FOVEA_HEALTH_OK) { /* it is ill, and says so; but there are folders in reach */
        char words[256];
        (void)snprintf(words, sizeof words, "%s: %s", c->name, c->detail);
        tell_refusal(o, strncmp(c->detail, "empty", 5) ? "" : "absent", words);
    }
    tell_answer_at(o, place_of(c->name), &o->now);
    o->now = (struct answer){0};
}

static void run_doctor(struct outcome *o)
{
    (void)fovea_doctor(context, tell_check, o);
}

/* Without a home of somebody's. */
static int setup_doctor(void)
{
    return fresh_folder() && !setenv("XDG_STATE_HOME", in_folder("state"), 1) && !setenv("XDG_CACHE_HOME", in_folder("cache"), 1)
               ? setup_context()
               : -1;
}

static void teardown_doctor(void)
{
    teardown_context();
    drop_folder();
}

const struct scene scene_doctor = {"doctor", setup_doctor, run_doctor, NULL, teardown_doctor, SCENE_USUAL};
