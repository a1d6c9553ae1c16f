/* SPDX-License-Identifier: Apache-2.0 */
/* Results: making, freeing, and what the public header lets callers see of them. */
#include "percept/result.h"

#include <assert.h>
#include <errno.h>
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

const char *reason_name(enum reason r)
{
    assert(r < REASON_COUNT);
    return reasons[r];
}

void perception_done(struct perception *p)
{
    free(p->ref);
    free(p->path);
    free(p->model);
    free(p->note);
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

void perception_scale(const struct perception *p, double ret_scale[2])
{
    ret_scale[0] = (double)p->crop.w / p->size.w;
    ret_scale[1] = (double)p->crop.h / p->size.h;
}

void fovea_result_free(fovea_result *r)
{
    if (!r)
        return;
    if (r->kind == FOVEA_PERCEPTION)
        perception_done(&r->perception);
    else if (r->kind == FOVEA_TEXT)
        text_done(&r->text);
    else
        free(r->refusal.message);
    free(r);
}

enum fovea_kind fovea_result_kind(const fovea_result *r)
{
    return r->kind;
}

const char *fovea_result_text(const fovea_result *r)
{
    return r->kind == FOVEA_PERCEPTION ? r->perception.note : r->kind == FOVEA_TEXT ? r->text.text : r->refusal.message;
}

const char *fovea_result_reason(const fovea_result *r)
{
    return r->kind == FOVEA_REFUSAL ? reason_name(r->refusal.reason) : NULL;
}

int fovea_result_image(const fovea_result *r, struct fovea_image *ret_image)
{
    if (r->kind != FOVEA_PERCEPTION)
        return -EINVAL;
    const struct perception *p = &r->perception;
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
