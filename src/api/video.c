/* SPDX-License-Identifier: Apache-2.0 */
/*
 * video_analyze: a question about a video. A model that takes videos gets it; any other that sees gets the contact sheet that a
 * view would show, of frames chosen by change with their times, and the answer says so. A YouTube address goes to the model as
 * it is, since only its vendor can open it; any other URL is fetched here, behind the gate, and its bytes are used: a host that
 * fetches for us might stand where our gate does not reach.
 */
#include <errno.h>

#include "api/asking.h"
#include "api/take_url.h"
#include "api/tools.h"
#include "base/limits.h"
#include "percept/note.h"

static int step_arguments(struct asking *a)
{
    const struct fovea_video_request *q = a->request;
    fovea_result *refusal = NULL;
    if (!q->file_path == !q->file_url)
        return asking_fail(a, FAIL_INVALID_INPUT, "give exactly one of file_path, file_url; %s",
                           q->file_path ? "both are there" : "none is there");
    int r = tool_check(a->tool, q, &refusal, a->fault);
    if (refusal)
        return tool_reject(a->tool, refusal, &a->result, a->fault) < 0 ? -ENOMEM : 1;
    if (q->file_path && ref_is_url(q->file_path))
        return asking_fail(a, FAIL_INVALID_INPUT, "file_path is a URL; give it as file_url");
    bool asked = q->prompt && q->prompt[strspn(q->prompt, " \t\r\n")];
    a->question = asked ? q->prompt : "Describe this video in detail.";
    a->model = q->model && *q->model ? q->model : NULL;
    a->no_cache = q->no_cache;
    a->look = (struct fovea_view_request){.path = q->file_path ? q->file_path : q->file_url};
    a->view.literal = true;
    a->view.video_cap = (uint64_t)a->call->f->config.view_max_video_bytes;
    a->view.cap = MIN((uint64_t)a->call->f->config.view_max_bytes, a->view.video_cap);
    return r;
}

static int takes_none(struct asking *a, const char *but)
{
    char trouble[CHOOSING_TROUBLE];
    choosing_trouble(a->call, &a->choice, trouble);
    return asking_fail(a, FAIL_VIDEO_NOT_SUPPORTED,
                       "%s takes no video%s; name a model that does, such as google/gemini-2.5-flash%s", a->who, but, trouble);
}

/* Whoever sees can be shown frames. */
static int choose_frames(struct asking *a)
{
    enum choose_verdict v = asking_choose(a, MODEL_VISION);
    if (v != CHOOSE_OK)
        return asking_blind(a, v);
    if (a->local)
        return asking_fail(a, FAIL_VIDEO_NOT_SUPPORTED,
                           "local/ocr reads the text of pictures and takes no video; set a provider and its key, such as "
                           "GEMINI_API_KEY");
    if (!asking_may_draw(a, FOVEA_RENDER_VIDEO))
        return takes_none(a, ", and render.video, which would show it frames, is off here");
    bool takes = models_can(a->call->f->config.models, a->choice.model, MODEL_VIDEO);
    a->drawn = takes ? DRAWN_HOST : DRAWN_NEEDED;
    return 0;
}

static int step_choose(struct asking *a)
{
    enum choose_verdict v = asking_choose(a, MODEL_VIDEO);
    return v == CHOOSE_OK && ask_takes(&a->choice, WIRE_VIDEO) ? 0 : choose_frames(a);
}

/* The vendor's own site, by exact name. */
static bool is_youtube(const struct url *u)
{
    static const char *const names[] = {"www.youtube.com", "youtube.com", "m.youtube.com", "youtu.be"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (!strcmp(u->host.name, names[i]))
            return true;
    return false;
}

static int take_url_of_video(struct asking *a, const char *text)
{
    struct fetch_policy policy;
    struct url u;
    take_policy(a->call, &policy);
    enum net_reason reason = fetch_gate(&policy, text, strlen(text), &u);
    if (reason != NET_OK)
        return asking_net(a, reason, net_reason_words(reason));
    if (!is_youtube(&u))
        return asking_fetch(a, text);
    if (a->drawn)
        return takes_none(a, ", and frames of a video there cannot be had");
    if (!ask_takes(&a->choice, WIRE_VIDEO_URL))
        return asking_fetch(a, text);
    a->part = (struct wire_part){.kind = WIRE_VIDEO_URL, .url = text};
    return 0;
}

static int too_large(struct asking *a, uint64_t size, uint64_t cap)
{
    char has[32], may[32];
    show_over(size, cap, has, may);
    return asking_fail(a, FAIL_FILE_TOO_LARGE, "the video has %s, more than the %s that can be sent to %s; cut or shrink it",
                       has, may, a->who);
}

static int no_video(struct asking *a, const char *what)
{
    return asking_fail(a, FAIL_UNSUPPORTED_FILE_TYPE, "by its content the file is %s and no video; for a picture use "
                       "vision_analyze", what);
}


/* How much of a video one request carries, as base64. */
static uint64_t carried(const struct asking *a)
{
    uint64_t most = ask_inline_limit(&a->choice, WIRE_VIDEO), whole = LIMIT_PROVIDER_BODY / 4 * 3 - MIB;
    return most ? MIN(most, whole) : whole;
}

/* Too large a video is shown by frames too, to a model that sees. */
static bool may_show(const struct asking *a)
{
    return a->drawn || (asking_may_draw(a, FOVEA_RENDER_VIDEO) &&
                        models_can(a->call->f->config.models, a->choice.model, MODEL_VISION));
}

/* What is larger than any other source may be, was looked at: within the bound of videos, it is none. */
static int refused(struct asking *a)
{
    const struct view_job *j = &a->view;
    char has[32], may[32];
    if (j->verdict != SNAPSHOT_TOO_LARGE)
        return asking_refused(a);
    if (j->snapshot.file_size <= j->video_cap)
        return no_video(a, "something else");
    if (!may_show(a))
        return too_large(a, j->snapshot.file_size, j->video_cap);
    show_over(j->snapshot.file_size, j->video_cap, has, may);
    return asking_fail(a, FAIL_FILE_TOO_LARGE, "the file has %s, more than the %s that view.maxVideoBytes allows; cut or "
                       "shrink it", has, may);
}

static int step_open(struct asking *a)
{
    const struct fovea_video_request *q = a->request;
    asking_look(a);
    a->view.video_cap = may_show(a) ? a->view.video_cap : MIN(a->view.video_cap, carried(a));
    a->view.cap = MIN(a->view.cap, a->view.video_cap);
    int r = q->file_url ? take_url_of_video(a, q->file_url) : 0;
    if (r || a->part.kind == WIRE_VIDEO_URL)
        return r;
    r = view_open(&a->view);
    if (r)
        return r > 0 ? refused(a) : r;
    const struct media_row *row = media_row(a->view.sniff.media);
    if (row->class != CLASS_VIDEO)
        return no_video(a, asking_kind(a));
    return 0;
}

static int give_video(struct asking *a)
{
    a->part = (struct wire_part){.kind = WIRE_VIDEO};
    int r = asking_map(a);
    a->part.media_type = media_sent_as(a->view.sniff.media);
    return r;
}

/* Kinds that no vendor names among those that it takes; NULL: one does. */
static const char *kind_unlisted(enum media m)
{
    return m == MEDIA_MKV ? "a Matroska video" : m == MEDIA_TS ? "an MPEG-TS video" : m == MEDIA_OGG ? "an Ogg video" : NULL;
}

/* By its bytes, or by its frames. */
static int step_plan(struct asking *a)
{
    struct view_job *j = &a->view;
    if (a->part.kind == WIRE_VIDEO_URL)
        return 0;
    if (!a->drawn && j->snapshot.size > carried(a))
        a->drawn = DRAWN_LARGE;
    if (!a->drawn && kind_unlisted(j->sniff.media) && may_show(a))
        a->drawn = DRAWN_KIND;
    if (!a->drawn)
        return give_video(a);
    int r = view_plan(j);
    return r > 0 ? asking_refused(a) : r;
}

static int show_frames(struct asking *a)
{
    static const char *const because[] = {[DRAWN_NEEDED] = "takes no video", [DRAWN_HOST] = "is at a host that is not known to carry video",
                                          [DRAWN_LARGE] = "takes no video of this size",
                                          [DRAWN_KIND] = "may not take "};
    const char *kind = a->drawn == DRAWN_KIND ? kind_unlisted(a->view.sniff.media) : "";
    int r = asking_picture(a);
    if (r)
        return r > 0 ? asking_refused(a) : r;
    uint32_t n = a->view.output.reply.cells;
    uint32_t facts = a->view.output.reply.facts;
    free(a->shown);
    if (asprintf(&a->shown, "The model %s%s and was given %u frame%s as a contact sheet, chosen by change, with %s.%s%s%s",
                 because[a->drawn], kind, n, n == 1 ? "" : "s", n == 1 ? "its time" : "their times", facts & WORK_CUT ? NOTE_CUT : "",
                 facts & WORK_DAMAGED ? NOTE_DAMAGED : "", facts & WORK_PARTIAL ? NOTE_PARTIAL : "") < 0) {
        a->shown = NULL;
        return fault_oom(a->fault);
    }
    return asking_tell(a, "The picture shows %u frame%s of one video, in reading order, each with its time beneath it. The "
                       "question is about the video.", n, n == 1 ? "" : "s");
}

/* Nobody pays for one that is broken, and one that is cut says so. */
static int say_itself(struct asking *a)
{
    uint32_t facts;
    int r = asking_check_video(a, &facts);
    if (r)
        return r;
    if (asprintf(&a->shown, "The model was given the video itself.%s%s", facts & WORK_CUT ? NOTE_CUT : "",
                 facts & WORK_DAMAGED ? NOTE_DAMAGED : "") < 0) {
        a->shown = NULL;
        return fault_oom(a->fault);
    }
    return 0;
}

static int step_say(struct asking *a)
{
    if (a->drawn)
        return show_frames(a);
    if (a->part.kind != WIRE_VIDEO_URL)
        return say_itself(a);
    a->shown = strdup("The model was given the video's address.");
    return a->shown ? 0 : fault_oom(a->fault);
}

static asking_step *const steps[] = {step_arguments, asking_allowed, step_choose, step_open,  step_plan,     asking_recall,
                                     asking_budget,  step_say,       asking_ask,  asking_settle, NULL};

int video_run(const struct call *c, const void *request, fovea_result **ret, struct fovea_fault *fault)
{
    struct asking a = {.tool = "video_analyze", .most = LIMIT_ASK_VIDEO_TEXT, .call = c, .request = request,
                       .fault = fault};
    return asking_run(&a, steps, ret);
}
