/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_image: one question about one picture file. Its errors are sentences that are part of the contract. Whatever can
 * be refused without the file is refused before it is touched. */
#include <errno.h>

#include "api/asking.h"
#include "api/tools.h"
#include "base/limits.h"

static int step_arguments(struct asking *a)
{
    const struct fovea_inspect_request *q = a->request;
    fovea_result *refusal = NULL;
    int r = tool_check(a->tool, q, &refusal, a->fault);
    if (r > 0)
        r = tool_reject(a->tool, refusal, &a->result, a->fault) < 0 ? -ENOMEM : 1;
    if (!r && !q->question[strspn(q->question, " \t\r\n")])
        return asking_fail(a, FAIL_INVALID_INPUT, "\"question\" is empty: say what you want to know");
    a->question = q->question;
    a->look = (struct fovea_view_request){.path = q->path};
    a->view.literal = true;
    a->view.cap = LIMIT_ASK_IMAGE;
    return r;
}

static int step_choose(struct asking *a)
{
    switch (asking_choose(a, MODEL_VISION)) {
    case CHOOSE_OK:
        return 0;
    case CHOOSE_NO_REGISTRY:
        return asking_fail(a, FAIL_VISION_NOT_SUPPORTED, "Model registry is unavailable for inspect_image.");
    case CHOOSE_NO_MODELS:
        return asking_fail(a, FAIL_VISION_NOT_SUPPORTED, "No models available for inspect_image.");
    case CHOOSE_CANNOT:
        return asking_fail(a, FAIL_VISION_NOT_SUPPORTED,
                           "Resolved model %s does not support image input. Configure a vision-capable model for "
                           "modelRoles.vision.", a->who);
    case CHOOSE_NO_KEY:
        return asking_fail(a, FAIL_VISION_NOT_SUPPORTED,
                           "No API key available for %s. Configure credentials for this provider or choose another "
                           "vision-capable model.", a->who);
    case CHOOSE_UNRESOLVED:
        break;
    }
    return asking_fail(a, FAIL_VISION_NOT_SUPPORTED, "Unable to resolve a model for inspect_image.");
}

static int wrong_type(struct asking *a)
{
    return asking_fail(a, FAIL_UNSUPPORTED_FILE_TYPE,
                       "inspect_image only supports PNG, JPEG, GIF, and WEBP files detected by file content.");
}

/* The view's refusal in this tool's words. */
static int refused(struct asking *a)
{
    char has[32], may[32];
    switch (a->view.verdict) {
    case SNAPSHOT_ABSENT:
        return asking_fail(a, FAIL_FILE_NOT_FOUND, "Image file not found: %s.", a->look.path);
    case SNAPSHOT_NOT_REGULAR:
        return wrong_type(a);
    case SNAPSHOT_TOO_LARGE:
        show_over(a->view.snapshot.file_size, a->view.cap, has, may);
        return asking_fail(a, FAIL_FILE_TOO_LARGE, "Image file too large: %s exceeds %s limit.", has, may);
    case SNAPSHOT_TAKEN:
    case SNAPSHOT_TIMED_OUT:
        break;
    }
    return asking_fail(a, FAIL_FILE_MALFORMED, "%s", fovea_result_text(a->view.result));
}

static int step_open(struct asking *a)
{
    asking_look(a);
    a->view.bitmaps_only = true;
    int r = view_open(&a->view);
    return r > 0 ? refused(a) : r;
}

static int step_plan(struct asking *a)
{
    if (media_row(a->view.sniff.media)->class != CLASS_BITMAP)
        return wrong_type(a);
    int r = view_plan(&a->view);
    return r > 0 ? refused(a) : r;
}

static int step_fit(struct asking *a)
{
    int r = a->local ? asking_read(a) : asking_picture(a);
    return r > 0 && !a->result ? refused(a) : r;
}

static asking_step *const steps[] = {step_arguments, asking_allowed, step_choose, step_open,  step_plan, asking_recall,
                                     asking_budget,  step_fit,       asking_ask,  asking_settle, NULL};

int inspect_run(const struct call *c, const void *request, fovea_result **ret, struct fovea_fault *fault)
{
    struct asking a = {.tool = "inspect_image", .plain = true, .call = c, .request = request, .fault = fault};
    return asking_run(&a, steps, ret);
}
