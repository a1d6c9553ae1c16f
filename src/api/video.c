/* SPDX-License-Identifier: Apache-2.0 */
/*
 * video_analyze: a question about a video, for models that take one. A YouTube address goes to the model as it is, since
 * only its vendor can open it; any other URL is fetched here, behind the gate, and its bytes are sent: a host that fetches
 * for us might stand where our gate does not reach.
 */
#include <errno.h>

#include "api/asking.h"
#include "api/take_url.h"
#include "api/tools.h"
#include "base/limits.h"

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
    a->view.cap = (uint64_t)a->call->f->config.view_max_video_bytes;
    return r;
}

static int step_choose(struct asking *a)
{
    char trouble[CHOOSING_TROUBLE] = "";
    enum choose_verdict v = asking_choose(a, MODEL_VIDEO);
    if (v == CHOOSE_NO_KEY)
        return asking_fail(a, FAIL_VISION_NOT_SUPPORTED,
                           "there is no key for %s; configure one for this provider or choose another model", a->who);
    if (v == CHOOSE_OK && ask_takes(&a->choice, WIRE_VIDEO))
        return 0;
    if (v == CHOOSE_CANNOT)
        choosing_trouble(a->call, &a->choice, trouble);
    if (v == CHOOSE_OK || v == CHOOSE_CANNOT)
        return asking_fail(a, FAIL_VIDEO_NOT_SUPPORTED,
                           "%s takes no video; name a model that does, such as google/gemini-2.5-flash%s", a->who, trouble);
    return asking_fail(a, FAIL_VISION_NOT_SUPPORTED,
                       "no model can be asked; set a provider and its key, such as GEMINI_API_KEY");
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
    if (!is_youtube(&u) || !ask_takes(&a->choice, WIRE_VIDEO_URL))
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

static int refused(struct asking *a)
{
    const struct view_job *j = &a->view;
    if (j->verdict == SNAPSHOT_TOO_LARGE)
        return too_large(a, j->snapshot.file_size, j->cap);
    if (j->verdict == SNAPSHOT_NOT_REGULAR)
        return asking_fail(a, FAIL_UNSUPPORTED_FILE_TYPE, "%s", fovea_result_text(j->result));
    return asking_fail(a, j->result->refusal.reason == REASON_INVALID_INPUT ? FAIL_INVALID_INPUT : FAIL_FILE_NOT_FOUND, "%s",
                       fovea_result_text(j->result));
}

static int step_open(struct asking *a)
{
    const struct fovea_video_request *q = a->request;
    uint64_t most = ask_inline_limit(&a->choice, WIRE_VIDEO), whole = LIMIT_PROVIDER_BODY / 4 * 3 - MIB; /* as base64 */
    asking_look(a);
    a->view.cap = MIN(a->view.cap, most ? MIN(most, whole) : whole);
    int r = q->file_url ? take_url_of_video(a, q->file_url) : 0;
    if (r || a->part.kind == WIRE_VIDEO_URL)
        return r;
    r = view_open(&a->view);
    if (r)
        return r > 0 ? refused(a) : r;
    if (media_row(a->view.sniff.media)->class != CLASS_VIDEO)
        return asking_fail(a, FAIL_UNSUPPORTED_FILE_TYPE, "by its content the file is %s and no video; for a picture use "
                           "vision_analyze", media_row(a->view.sniff.media)->name);
    a->part = (struct wire_part){.kind = WIRE_VIDEO};
    return asking_map(a);
}

static int step_say(struct asking *a)
{
    a->shown = strdup(a->part.kind == WIRE_VIDEO_URL ? "The model was given the video's address."
                                                     : "The model was given the video itself.");
    return a->shown ? 0 : fault_oom(a->fault);
}

static asking_step *const steps[] = {step_arguments, asking_allowed, step_choose, step_open,     asking_recall,
                                     asking_budget,  step_say,       asking_ask,  asking_settle, NULL};

int video_run(const struct call *c, const void *request, fovea_result **ret, struct fovea_fault *fault)
{
    struct asking a = {.tool = "video_analyze", .most = LIMIT_ASK_VIDEO_TEXT, .call = c, .request = request,
                       .fault = fault};
    return asking_run(&a, steps, ret);
}
