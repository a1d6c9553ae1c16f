/* SPDX-License-Identifier: Apache-2.0 */
/* vision_analyze: a question about a picture or a PDF, from a file, a URL or base64; or, where the host's own model can
 * see, the picture itself. */
#include <errno.h>

#include "api/asking.h"
#include "api/take_url.h"
#include "api/tools.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "percept/json.h"
#include "source/data_url.h"

/* ---------------------------------------------------------------- what is asked */

static int wrong_format(struct asking *a, const char *why)
{
    return asking_fail(a, FAIL_INVALID_INPUT,
                       "format %s; give {\"type\":\"json_schema\",\"schema\":{\"type\":\"object\",...}}", why);
}

static int take_format(struct asking *a)
{
    struct schema_options options = {.formats = true};
    struct fovea_fault wrong;
    auto_json *format = json_read(a->format, strlen(a->format), JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    const char *type = json_string_value(json_object_get(format, "type"));
    json_t *schema = json_object_get(format, "schema");
    if (!format && errno == ENOMEM)
        return fault_oom(a->fault);
    if (!format)
        return wrong_format(a, "is no JSON, or has a number that is out of range");
    if (!type || strcmp(type, "json_schema") != 0)
        return wrong_format(a, "has another \"type\" than json_schema");
    if (!json_is_object(schema) || json_object_size(format) != 2)
        return wrong_format(a, "needs \"schema\", an object, and nothing else");
    const char *top = json_string_value(json_object_get(schema, "type"));
    if (!top || strcmp(top, "object") != 0)
        return wrong_format(a, "has a schema whose top-level \"type\" is not object");
    a->schema_json = json_incref(schema);
    int r = schema_new(schema, &options, &a->schema, &wrong);
    if (r == -ENOMEM)
        return fault_oom(a->fault);
    return r < 0 ? asking_fail(a, FAIL_INVALID_INPUT, "format has a schema that cannot be used: %s", wrong.text) : 0;
}

static int take_keys(struct asking *a)
{
    const struct fovea_analyze_request *q = a->request;
    int given = (q->file_path || q->data) + (q->file_url != NULL) + (q->file_base64 != NULL);
    if (given != 1)
        return asking_fail(a, FAIL_INVALID_INPUT, "give exactly one of file_path, file_url, file_base64; %s",
                           given ? "several are there" : "none is there");
    if (!q->prompt || !q->prompt[strspn(q->prompt, " \t\r\n")])
        return asking_fail(a, FAIL_INVALID_INPUT, "\"prompt\" is missing: the question, in full");
    if (q->file_path && !q->data && ref_is_url(q->file_path))
        return asking_fail(a, FAIL_INVALID_INPUT, "file_path is a URL; give it as file_url");
    return 0;
}

static int step_arguments(struct asking *a)
{
    const struct fovea_analyze_request *q = a->request;
    fovea_result *refusal = NULL;
    int r = take_keys(a);
    if (!r)
        r = tool_check(a->tool, q, &refusal, a->fault);
    if (refusal)
        return tool_reject(a->tool, refusal, &a->result, a->fault) < 0 ? -ENOMEM : 1;
    a->question = q->prompt;
    a->model = q->model && *q->model ? q->model : NULL;
    a->format = q->format;
    a->no_cache = q->no_cache;
    a->look = (struct fovea_view_request){
        .path = q->file_path ? q->file_path : q->file_url ? q->file_url : q->data ? "-" : "file_base64",
        .data = q->data, .data_len = q->data_len, .region = q->region, .page = q->page,
    };
    a->view.cap = LIMIT_ASK_PDF;
    a->view.compares = true;
    if (q->file_path && !strncmp(q->file_path, "view:", 5)) /* a frame was seen: the video need not be sent */
        a->view.video_cap = (uint64_t)a->call->f->config.view_max_video_bytes;
    return r || !a->format ? r : take_format(a);
}

/* ---------------------------------------------------------------- who answers */

static int step_route(struct asking *a)
{
    const fovea *f = a->call->f;
    const char *main = a->call->main, *mode = f->config.vision_mode;
    bool sees = main && fovea_model_supports(f, main, "vision") && fovea_model_supports(f, main, "tool_image");
    const struct fovea_analyze_request *q = a->request;
    a->native = !q->no_native && !a->format && !a->model && (!strcmp(mode, "native") || (!strcmp(mode, "auto") && sees));
    return 0;
}

static int step_choose(struct asking *a)
{
    if (a->native)
        return 0;
    enum choose_verdict v = asking_choose(a, MODEL_VISION);
    if (v != CHOOSE_OK)
        return asking_blind(a, v);
    if (a->local && a->format)
        return asking_fail(a, FAIL_VISION_NOT_SUPPORTED,
                           "local/ocr only reads text and cannot answer in a format; set a provider and its key");
    return 0;
}

/* ---------------------------------------------------------------- the source */

static int take_base64(struct asking *a, const char *text)
{
    enum data_verdict verdict;
    int r = data_url_take(text, strlen(text), a->view.cap, &verdict, &a->view.snapshot, a->fault);
    if (r < 0)
        return r;
    a->view.given = true;
    if (verdict == DATA_TOO_LARGE)
        return asking_fail(a, FAIL_FILE_TOO_LARGE, "%s", data_verdict_words(verdict));
    return verdict == DATA_TAKEN ? 0 : asking_fail(a, FAIL_INVALID_INPUT, "file_base64: %s", data_verdict_words(verdict));
}

static int step_open(struct asking *a)
{
    const struct fovea_analyze_request *q = a->request;
    int r = 0;
    asking_look(a);
    if (q->file_url)
        r = asking_fetch(a, q->file_url);
    else if (q->file_base64)
        r = take_base64(a, q->file_base64);
    if (!r)
        r = view_open(&a->view);
    if (r > 0 && !a->result && a->view.verdict == SNAPSHOT_TOO_LARGE)
        return asking_too_large(a, a->view.snapshot.file_size, a->view.cap, " for a PDF (20 MiB for a picture)");
    return r > 0 && !a->result ? asking_refused(a) : r;
}

/* No host's own model gets a document from a tool. */
static int plan_pdf(struct asking *a)
{
    bool was = a->native;
    a->native = false;
    int r = was ? step_choose(a) : 0;
    if (was && !r)
        asking_look(a);
    return r ? r : asking_plan_pdf(a);
}

/* What had to be drawn to be seen is drawn again: by naming an earlier view, its picture is meant and not the file. Which images a
 * Markdown shows is known only when it is drawn, so no answer about one is taken for another. */
static int plan_seen(struct asking *a, const struct media_row *row)
{
    if (a->local && row->class != CLASS_VECTOR)
        return asking_fail(a, FAIL_UNSUPPORTED_FILE_TYPE, "local/ocr reads no view of %s; %s", row->name,
                           row->class == CLASS_TEXT ? "use read for its text" : "set a provider and its key");
    a->no_cache |= a->view.sniff.media == MEDIA_MARKDOWN;
    int r = view_plan(&a->view);
    return r > 0 ? asking_refused(a) : r;
}

/* The picture of a comparison is made again from its two sources, and an answer about it is of both. */
static int plan_compared(struct asking *a)
{
    if (a->local)
        return asking_fail(a, FAIL_UNSUPPORTED_FILE_TYPE, "local/ocr reads no comparison; ask about one of the two files, or set a "
                                                          "provider and its key");
    a->no_cache = true;
    int r = view_plan(&a->view);
    return r > 0 ? asking_refused(a) : r;
}

static int step_plan(struct asking *a)
{
    const struct config *c = &a->call->f->config;
    uint64_t size = a->view.snapshot.size;
    const struct media_row *row = media_row(a->view.sniff.media);
    if (a->view.earlier.against)
        return plan_compared(a);
    if (a->view.sniff.media == MEDIA_PDF)
        return plan_pdf(a);
    bool drawn = row->class != CLASS_BITMAP && row->class != CLASS_PICTURE;
    if (drawn && a->view.earlier.ref)
        return plan_seen(a, row);
    if (drawn)
        return asking_fail(a, FAIL_UNSUPPORTED_FILE_TYPE,
                           "by its content the file is %s; vision_analyze takes PNG, JPEG, GIF, WebP, BMP, "
                           "TIFF, HEIC, AVIF, ICO and PDF",
                           asking_kind(a));
    if (size > LIMIT_ASK_IMAGE)
        return asking_too_large(a, size, LIMIT_ASK_IMAGE, " for a picture; make it smaller first");
    if (!c->auto_resize && size > LIMIT_ASK_IMAGE_ASIS)
        return asking_too_large(a, size, LIMIT_ASK_IMAGE_ASIS, " while images.autoResize is false; set it to true");
    int r = asking_tile(a);
    if (!r)
        r = view_plan(&a->view);
    return r > 0 ? asking_refused(a) : r;
}

/* ---------------------------------------------------------------- the answer */

static int step_native(struct asking *a)
{
    if (!a->native)
        return 0;
    a->view.question = a->question;
    int r = view_show(&a->view);
    if (r < 0)
        return r;
    if (a->view.result->kind != FOVEA_PERCEPTION)
        return asking_refused(a);
    a->result = a->view.result;
    return 1;
}

static int step_fit(struct asking *a)
{
    if (a->part.kind == WIRE_PDF)
        return asking_count_pages(a);
    if (a->drawn)
        return a->local ? asking_read_pages(a) : asking_pages(a);
    int r = a->local ? asking_read(a) : asking_picture(a);
    return r > 0 && !a->result ? asking_refused(a) : r;
}

static asking_step *const steps[] = {step_arguments, asking_allowed, step_route,    step_choose, step_open,  step_plan,
                                     step_native,    asking_recall,  asking_budget, step_fit,    asking_ask, asking_settle,
                                     NULL};

int analyze_run(const struct call *c, const void *request, fovea_result **ret, struct fovea_fault *fault)
{
    struct asking a = {.tool = "vision_analyze", .most = LIMIT_ASK_TEXT, .call = c, .request = request, .fault = fault};
    return asking_run(&a, steps, ret);
}
