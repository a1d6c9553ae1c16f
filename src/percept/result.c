/* SPDX-License-Identifier: Apache-2.0 */
/* Results: making, freeing, and what the public header lets callers see of them. */
#include "percept/result.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "base/limits.h"

static const char *const reasons[REASON_COUNT] = {
    [REASON_ABSENT] = "absent",
    [REASON_UNPERCEIVABLE_TYPE] = "unperceivable_type",
    [REASON_UNREADABLE_TYPE] = "unreadable_type",
    [REASON_TOO_LARGE] = "too_large",
    [REASON_MALFORMED] = "malformed",
    [REASON_INVALID_INPUT] = "invalid_input",
    [REASON_BLOCKED] = "blocked",
    [REASON_RENDER_NOT_ALLOWED] = "render_not_allowed",
    [REASON_TIMED_OUT] = "timed_out",
};

static const struct {
    const char *prefix, *code;
} fails[FAIL_COUNT] = {
    [FAIL_INVALID_INPUT] = {"INVALID_INPUT", "input_invalid"},
    [FAIL_FILE_NOT_FOUND] = {"FILE_NOT_FOUND", "input_invalid"},
    [FAIL_URL_BLOCKED] = {"URL_BLOCKED", "input_invalid"},
    [FAIL_FILE_TOO_LARGE] = {"FILE_TOO_LARGE", "input_invalid"},
    [FAIL_UNSUPPORTED_FILE_TYPE] = {"UNSUPPORTED_FILE_TYPE", "input_invalid"},
    [FAIL_FILE_MALFORMED] = {"FILE_MALFORMED", "input_invalid"},
    [FAIL_IMAGES_BLOCKED] = {"IMAGES_BLOCKED", "not_available"},
    [FAIL_VISION_NOT_SUPPORTED] = {"VISION_NOT_SUPPORTED", "not_available"},
    [FAIL_PDF_NOT_SUPPORTED] = {"PDF_NOT_SUPPORTED", "not_available"},
    [FAIL_VIDEO_NOT_SUPPORTED] = {"VIDEO_NOT_SUPPORTED", "not_available"},
    [FAIL_BUDGET_REACHED] = {"BUDGET_REACHED", "not_available"},
    [FAIL_TOO_MANY_CALLS] = {"TOO_MANY_CALLS", "not_available"},
    [FAIL_PDF_TOO_MANY_PAGES] = {"PDF_TOO_MANY_PAGES", "execution_failed"},
    [FAIL_RESPONSE_NOT_JSON] = {"RESPONSE_NOT_JSON", "execution_failed"},
    [FAIL_LLM_ERROR] = {"LLM_ERROR", "execution_failed"},
};

const char *fail_prefix(enum fail f)
{
    assert(f < FAIL_COUNT);
    return fails[f].prefix;
}

const char *fail_code(enum fail f)
{
    assert(f < FAIL_COUNT);
    return fails[f].code;
}

const char *reason_name(enum reason r)
{
    assert(r < REASON_COUNT);
    return reasons[r];
}

void difference_done(struct difference *d)
{
    free(d->name);
    free(d->boxes);
    free(d->ref);
    free(d->path);
    *d = (struct difference){0};
}

void perception_done(struct perception *p)
{
    free(p->ref);
    free(p->path);
    free(p->model);
    free(p->note);
    free(p->question);
    free(p->cells);
    difference_done(&p->difference);
    if (p->data)
        (void)munmap((void *)(uintptr_t)p->data, p->map_len);
    *p = (struct perception){0};
}

void text_done(struct text *t)
{
    free(t->path);
    free(t->text);
    *t = (struct text){0};
}

void answer_done(struct answer *a)
{
    free(a->text);
    json_decref(a->parsed);
    free(a->parsed_text);
    free(a->provider);
    free(a->model);
    free(a->note);
    free(a->path);
    *a = (struct answer){0};
}

fovea_result *result_of_perception(struct perception *p)
{
    fovea_result *r = calloc(1, sizeof *r);
    if (!r) {
        perception_done(p);
        return NULL;
    }
    r->kind = FOVEA_PERCEPTION;
    r->perception = *p;
    *p = (struct perception){0};
    return r;
}

fovea_result *result_of_text(struct text *t)
{
    fovea_result *r = calloc(1, sizeof *r);
    if (!r) {
        text_done(t);
        return NULL;
    }
    r->kind = FOVEA_TEXT;
    r->text = *t;
    *t = (struct text){0};
    return r;
}

fovea_result *result_of_answer(struct answer *a)
{
    fovea_result *r = calloc(1, sizeof *r);
    if (!r) {
        answer_done(a);
        return NULL;
    }
    r->kind = FOVEA_ANSWER;
    r->answer = *a;
    *a = (struct answer){0};
    return r;
}

/* Takes the message over. */
static fovea_result *failed(const struct failure *f)
{
    fovea_result *r = f->message ? calloc(1, sizeof *r) : NULL;
    if (!r) {
        free(f->message);
        return NULL;
    }
    r->kind = FOVEA_ERROR;
    r->failure = *f;
    return r;
}

fovea_result *result_failed(enum fail kind, const char *words, const struct cost *cost)
{
    char *message;
    if (asprintf(&message, "%s: %s", fail_prefix(kind), words) < 0)
        return NULL;
    return failed(&(struct failure){.kind = kind, .message = message, .cost = *cost});
}

fovea_result *result_failed_plain(const char *words)
{
    return failed(&(struct failure){.plain = true, .message = strdup(words)});
}

fovea_result *result_refused(enum reason reason, const char *format, ...)
{
    auto_free char *message = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&message, format, args);
    va_end(args);
    if (len < 0) {
        message = NULL;
        return NULL;
    }
    fovea_result *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->kind = FOVEA_REFUSAL;
    r->refusal = (struct refusal){reason, take(message)};
    return r;
}

int scale_places(double scale)
{
    int places = 4;
    double least = 0.1;
    while (scale < least && places < 9) {
        places++;
        least /= 10;
    }
    return places;
}

bool perception_maps(const struct perception *p)
{
    return !p->sheet && !p->difference.made && p->size.w && p->size.h;
}

void perception_scale(const struct perception *p, double ret_scale[2])
{
    bool maps = perception_maps(p);
    ret_scale[0] = maps ? p->crop.w / p->size.w : 1;
    ret_scale[1] = maps ? p->crop.h / p->size.h : 1;
}

bool perception_resized(const struct perception *p)
{
    const struct difference *d = &p->difference;
    if (media_drawn(p->source.media) || !perception_seen(p))
        return false;
    if (d->made) /* the panels are as large as the larger of both */
        return d->panels[0].w != MAX(d->own.w, d->size.w) || d->panels[0].h != MAX(d->own.h, d->size.h);
    if (p->sheet) /* of pages, the first is the one whose size is known */
        return p->n_cells && (p->cells[0].box.w != p->source.size.w || p->cells[0].box.h != p->source.size.h);
    return p->size.w != p->crop.w || p->size.h != p->crop.h;
}

unsigned perception_factors(const struct perception *p, double ret[2])
{
    perception_scale(p, ret);
    if (fabs(ret[0] - ret[1]) * MAX(p->size.w, p->size.h) >= MIN(1, MIN(ret[0], ret[1])))
        return 2;
    ret[0] = p->crop.w >= p->crop.h ? ret[0] : ret[1];
    return 1;
}

/* What was compared maps back as well, though the picture of both does not. */
int perception_places(const struct perception *p)
{
    double scale[2];
    struct size own = p->difference.own;
    perception_scale(p, scale);
    if (own.w && own.h) {
        scale[0] = p->crop.w / own.w;
        scale[1] = p->crop.h / own.h;
    }
    return scale_places(MIN(scale[0], scale[1])) - 2;
}

void fovea_result_free(fovea_result *r)
{
    if (!r)
        return;
    if (r->kind == FOVEA_PERCEPTION)
        perception_done(&r->perception);
    else if (r->kind == FOVEA_TEXT)
        text_done(&r->text);
    else if (r->kind == FOVEA_ANSWER)
        answer_done(&r->answer);
    else
        free(r->kind == FOVEA_ERROR ? r->failure.message : r->refusal.message);
    free(r);
}

enum fovea_kind fovea_result_kind(const fovea_result *r)
{
    return r->kind;
}

const char *fovea_result_text(const fovea_result *r)
{
    switch (r->kind) {
    case FOVEA_PERCEPTION:
        return r->perception.note;
    case FOVEA_TEXT:
        return r->text.text;
    case FOVEA_ANSWER:
        return r->answer.text;
    case FOVEA_ERROR:
        return r->failure.message;
    case FOVEA_REFUSAL:
        break;
    }
    return r->refusal.message;
}

const char *fovea_result_reason(const fovea_result *r)
{
    return r->kind == FOVEA_REFUSAL ? reason_name(r->refusal.reason) : NULL;
}

const char *fovea_result_code(const fovea_result *r)
{
    return r->kind == FOVEA_ERROR && !r->failure.plain ? fail_code(r->failure.kind) : NULL;
}

bool fovea_result_untrusted(const fovea_result *r)
{
    return r->kind == FOVEA_ANSWER || (r->kind == FOVEA_ERROR && r->failure.quoted);
}

int fovea_result_answer(const fovea_result *r, struct fovea_answer *ret)
{
    if (r->kind != FOVEA_ANSWER)
        return -EINVAL;
    const struct answer *a = &r->answer;
    *ret = (struct fovea_answer){
        .text = a->text,
        .parsed = a->parsed_text,
        .provider = a->provider,
        .model = a->model,
        .cost_usd = a->cost.nano < 0 ? NULL : a->cost.words,
        .input_tokens = a->input_tokens,
        .output_tokens = a->output_tokens,
        .cached = a->cached,
        .inspected = a->inspected,
        .path = a->path,
        .media_type = a->mime,
        .note = a->note,
    };
    return 0;
}

int fovea_result_image(const fovea_result *r, struct fovea_image *ret_image)
{
    if (r->kind != FOVEA_PERCEPTION)
        return -EINVAL;
    const struct perception *p = &r->perception;
    if (!perception_seen(p))
        return -ENOENT;
    struct fovea_image image = {
        .id = p->id,
        .media_type = media_row(p->media)->mime,
        .data = p->data,
        .len = p->len,
        .width = p->size.w,
        .height = p->size.h,
        .source_width = p->source.size.w,
        .source_height = p->source.size.h,
        .offset = {p->crop.x, p->crop.y},
        .maps = perception_maps(p),
        .sheet = p->sheet,
        .question = p->question,
        .again = p->again,
    };
    perception_scale(p, image.scale);
    *ret_image = image;
    return 0;
}

int fovea_result_preview(const fovea_result *r, struct fovea_pixels *ret_pixels)
{
    if (r->kind != FOVEA_PERCEPTION)
        return -EINVAL;
    const struct perception *p = &r->perception;
    if (!p->preview.w)
        return -ENOENT;
    *ret_pixels = (struct fovea_pixels){p->data + p->len, p->preview.w, p->preview.h};
    return 0;
}

int fovea_result_lines(const fovea_result *r, struct fovea_text *ret_text)
{
    if (r->kind != FOVEA_TEXT)
        return -EINVAL;
    const struct text *t = &r->text;
    *ret_text = (struct fovea_text){t->text, t->len, t->first, t->last, t->total, t->cut, t->sha256};
    return 0;
}
