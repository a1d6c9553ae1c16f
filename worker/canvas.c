/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawing of animations. Frames are clipped to the canvas. Colours are blended as they are stored (not premultiplied,
 * not linear), because that is what browsers show.
 */
#include "canvas.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "bytes.h"
#include "resample.h"

int canvas_init(struct canvas *v, struct size size, struct complaint *c)
{
    size_t bytes;
    if (!times((size_t)size.w * size.h, 4, &bytes) || bytes > SIZE_MAX - RESAMPLE_PAD)
        return complain(c, WORK_TOO_LARGE, "the canvas is %ux%u pixels", size.w, size.h);
    uint8_t *pixels = calloc(1, bytes + RESAMPLE_PAD); /* it may be scaled */
    if (!pixels)
        return complain(c, WORK_NO_MEMORY, "out of memory for a canvas of %ux%u pixels", size.w, size.h);
    *v = (struct canvas){.size = size, .pixels = pixels};
    return WORK_OK;
}

void canvas_done(struct canvas *v)
{
    if (!v)
        return;
    free(v->pixels);
    free(v->saved);
    *v = (struct canvas){0};
}

void canvas_clear(struct canvas *v)
{
    memset(v->pixels, 0, (size_t)v->size.w * v->size.h * 4);
    v->drawn = false;
}

/* What of the box lies on the canvas. */
static struct rect clipped(const struct canvas *v, const struct rect *box)
{
    struct rect r = {MIN(box->x, v->size.w), MIN(box->y, v->size.h), 0, 0};
    r.w = MIN(box->w, v->size.w - r.x);
    r.h = MIN(box->h, v->size.h - r.y);
    return r;
}

static uint8_t *at(const struct canvas *v, uint8_t *pixels, uint32_t x, uint32_t y)
{
    return pixels + ((size_t)y * v->size.w + x) * 4;
}

/* Puts back what the frame before covered: from the saved canvas, or transparent when there is none. */
static void undo(struct canvas *v)
{
    struct rect r = clipped(v, &v->last.box);
    for (uint32_t y = r.y; y < r.y + r.h; y++) {
        uint8_t *to = at(v, v->pixels, r.x, y);
        if (v->last.dispose == DISPOSE_RESTORE)
            memcpy(to, at(v, v->saved, r.x, y), (size_t)r.w * 4);
        else
            memset(to, 0, (size_t)r.w * 4);
    }
}

static int save(struct canvas *v, const struct rect *box, struct complaint *c)
{
    if (!v->saved)
        v->saved = malloc((size_t)v->size.w * v->size.h * 4);
    if (!v->saved)
        return complain(c, WORK_NO_MEMORY, "out of memory for a second canvas of %ux%u pixels", v->size.w, v->size.h);
    struct rect r = clipped(v, box);
    for (uint32_t y = r.y; y < r.y + r.h; y++)
        memcpy(at(v, v->saved, r.x, y), at(v, v->pixels, r.x, y), (size_t)r.w * 4);
    return WORK_OK;
}

int canvas_begin(struct canvas *v, const struct frame *f, struct complaint *c)
{
    if (v->drawn && v->last.dispose != DISPOSE_KEEP)
        undo(v);
    v->last = *f;
    v->drawn = true;
    return f->dispose == DISPOSE_RESTORE ? save(v, &f->box, c) : WORK_OK;
}

/* One pixel over another, both with plain alpha. */
static void blend(uint8_t *to, const uint8_t *from)
{
    unsigned a = from[3];
    if (a == 255 || !to[3]) {
        memcpy(to, from, 4);
        return;
    }
    if (!a)
        return;
    unsigned under = (to[3] * (255 - a) + 127) / 255;
    unsigned whole = a + under;
    for (int i = 0; i < 3; i++)
        to[i] = (uint8_t)((from[i] * a + to[i] * under + whole / 2) / whole);
    to[3] = (uint8_t)whole;
}

void canvas_draw(struct canvas *v, uint32_t y, const uint8_t *rgba)
{
    struct rect r = clipped(v, &v->last.box);
    if (y >= r.h)
        return;
    uint8_t *to = at(v, v->pixels, r.x, r.y + y);
    if (!v->last.over) {
        memcpy(to, rgba, (size_t)r.w * 4);
        return;
    }
    for (uint32_t x = 0; x < r.w; x++)
        blend(to + (size_t)x * 4, rgba + (size_t)x * 4);
}

void canvas_row(struct canvas *v, uint8_t *out)
{
    if (v->next_row >= v->size.h)
        return;
    memcpy(out, at(v, v->pixels, 0, v->next_row++), (size_t)v->size.w * 4);
}

bool frame_covers(const struct frame *f, struct size size)
{
    return !f->box.x && !f->box.y && f->box.w >= size.w && f->box.h >= size.h;
}

bool frame_hides(const struct frame *f, struct size size)
{
    return frame_covers(f, size) && !(f->over && f->transparent);
}

void replay_add(struct replay *r, const struct frame *f)
{
    r->seen++;
    bool covers = frame_covers(f, r->size), hides = frame_hides(f, r->size);
    /* A frame that hides all before it is a fresh start, unless what was before comes back after it. */
    if (!r->first || (hides && (f->dispose != DISPOSE_RESTORE || r->seen == r->want))) {
        r->first = r->seen;
        r->pixels = 0;
    }
    r->pixels += (uint64_t)f->box.w * f->box.h;
    /* One that wipes the whole canvas afterwards leaves nothing for the next. */
    if (covers && f->dispose == DISPOSE_CLEAR && r->seen < r->want) {
        r->first = 0;
        r->pixels = 0;
    }
}

/* Finds where drawing starts: *ret_at is the offset to read on from. */
static int plan(const struct animation *a, uint32_t want, size_t *ret_at, uint32_t *ret_first, struct complaint *c)
{
    struct replay r = {.size = a->size, .want = want};
    size_t at = a->first;
    for (uint32_t i = 1; i <= want; i++) {
        size_t before = at;
        struct frame f;
        int status = a->next(a->of, &at, &f, c);
        if (status)
            return status;
        replay_add(&r, &f);
        if (r.first == i)
            *ret_at = before;
    }
    *ret_first = r.first;
    return check_pixels(r.size.w, r.size.h, MAX(r.pixels, (uint64_t)r.size.w * r.size.h), c);
}

int canvas_play(struct canvas *ret, const struct animation *a, uint32_t want, struct complaint *c)
{
    size_t at = 0;
    uint32_t first = 0;
    int status = plan(a, want, &at, &first, c);
    if (!status)
        status = canvas_init(ret, a->size, c);
    if (status)
        return status;
    for (uint32_t i = first; i <= want && !status; i++) {
        struct frame f;
        status = a->next(a->of, &at, &f, c);
        if (!status)
            status = canvas_begin(ret, &f, c);
        if (!status)
            status = a->draw(a->of, ret, c);
    }
    if (status)
        canvas_done(ret);
    return status;
}
