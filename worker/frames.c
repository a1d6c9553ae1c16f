/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of an animation side by side. A walk over the frames' heads adds up times and pixels; a second one says which are looked
 * at: all, or as many as LIMIT_PIXELS allows, even in time. They are drawn for a look, by which those that show most are
 * chosen, and these are drawn once more to be shown: that costs no more than the look did. In both a frame that hides those
 * before it saves drawing them.
 */
#include "frames.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "choose.h"
#include "colour.h"
#include "sheet.h"

enum {
    HASTE_MS = 10,   /* a delay up to this is shown ... */
    HASTY_MS = 100,  /* ... as this, as browsers do */
    SAMPLES = 8,     /* a side, of each place of a look */
};
static const int64_t time_most = LIMIT_VIDEO_SECONDS * INT64_C(1000); /* that is told */

/* A frame that is looked at, or on the sheet. */
struct chosen {
    uint32_t number, from; /* itself, and the first that is drawn for it, after those of the one before */
    size_t at;             /* offset of that one */
    bool afresh;           /* on an empty canvas */
    int64_t time_ms;
};

struct decoder {
    const struct decoder_ops *ops; /* of the animation */
    struct decoder *inner;
    struct header header;
    struct animation animation;
    uint32_t frames;   /* that could be drawn, of all */
    int64_t last_ms;   /* when the last of these begins */
    int64_t length_ms; /* of all */
    struct chosen chosen[LOOKS_MOST];
    uint32_t n;
    uint64_t pixels; /* to draw for them */
    uint32_t shown[LIMIT_SHEET_FRAMES]; /* numbers of those on the sheet, once they are known */
    uint32_t n_shown;
    struct contact contact;
};

static uint32_t shown_ms(const struct frame *f)
{
    return f->delay_ms <= HASTE_MS ? HASTY_MS : f->delay_ms;
}

static uint64_t area_of(const struct frame *f)
{
    return (uint64_t)f->box.w * f->box.h;
}

/* Times, and how far LIMIT_PIXELS reaches when every frame is drawn. */
static int measure(struct decoder *d, uint32_t frames, uint32_t *ret_reach, int64_t *ret_reach_ms, struct complaint *c)
{
    size_t at = d->animation.first;
    uint64_t pixels = 0;
    *ret_reach = 0;
    for (uint32_t i = 1; i <= frames; i++) {
        struct frame f;
        int status = d->animation.next(d->animation.of, &at, &f, c);
        if (status)
            return status;
        pixels += area_of(&f);
        if (pixels <= LIMIT_PIXELS || i == 1) {
            *ret_reach = i;
            *ret_reach_ms = d->length_ms;
        }
        d->last_ms = d->length_ms;
        d->length_ms += shown_ms(&f);
    }
    d->frames = frames;
    return WORK_OK;
}

/* The k-th of n comes at its share of the time; each is another, and enough are left for those to come. */
static bool is_chosen(const struct decoder *d, uint32_t n, uint32_t i, int64_t end_ms)
{
    uint32_t k = d->n, left = n - k;
    if (!left)
        return false;
    if (d->n_shown)
        return d->shown[k] == i;
    if (!k || d->frames - i + 1 <= left)
        return true;
    return left > 1 && d->last_ms * k / (n - 1) < end_ms;
}

/* Where drawing of the next chosen frame begins: see replay_add. Here the pass goes on, so a frame that will be undone never
 * is a beginning. */
static void note_start(struct chosen *next, const struct frame *f, uint32_t i, size_t at, struct size size, uint64_t *pixels)
{
    if (!next->from || (frame_hides(f, size) && f->dispose != DISPOSE_RESTORE)) {
        next->afresh = next->afresh || i == 1 || next->from;
        next->from = i;
        next->at = at;
        *pixels = 0;
    }
    *pixels += area_of(f);
}

/* Chooses n of the first d->frames. */
static int walk(struct decoder *d, uint32_t n, struct complaint *c)
{
    struct chosen next = {0};
    size_t at = d->animation.first;
    uint64_t pixels = 0;
    int64_t now = 0;
    d->n = 0;
    d->pixels = 0;
    for (uint32_t i = 1; i <= d->frames; i++) {
        size_t before = at;
        struct frame f;
        int status = d->animation.next(d->animation.of, &at, &f, c);
        if (status)
            return status;
        note_start(&next, &f, i, before, d->animation.size, &pixels);
        if (is_chosen(d, n, i, now + shown_ms(&f))) {
            next.number = i;
            next.time_ms = MIN(now, time_most);
            d->chosen[d->n++] = next;
            d->pixels += pixels;
            next = (struct chosen){0};
        }
        now += shown_ms(&f);
    }
    return WORK_OK;
}

/* As many as can be drawn, of all when that can be, else of the beginning. */
static int plan(struct decoder *d, struct complaint *c)
{
    uint32_t reach = 0, frames = d->header.frames, n = MIN(frames, (uint32_t)LOOKS_MOST);
    int64_t reach_ms = 0;
    int status = measure(d, frames, &reach, &reach_ms, c);
    if (!status)
        status = walk(d, n, c);
    while (!status && d->pixels > LIMIT_PIXELS && n > LIMIT_SHEET_FRAMES) {
        uint32_t fewer = (uint32_t)(n * LIMIT_PIXELS / d->pixels), less = n - MAX(n / 8, 1u);
        n = MAX(MIN(fewer, less), LIMIT_SHEET_FRAMES);
        status = walk(d, n, c);
    }
    if (!status && d->pixels > LIMIT_PIXELS) {
        d->frames = reach;
        d->last_ms = reach_ms;
        status = walk(d, MIN(reach, (uint32_t)LOOKS_MOST), c);
    }
    struct size s = d->animation.size;
    return status ? status : check_pixels(s.w, s.h, MAX(d->pixels, (uint64_t)s.w * s.h), c);
}

/* ---------------------------------------------------------------- looking */

static int draw(struct decoder *d, const struct chosen *k, struct canvas *v, struct complaint *c)
{
    const struct animation *a = &d->animation;
    size_t at = k->at;
    int status = WORK_OK;
    if (k->afresh)
        canvas_clear(v);
    for (uint32_t i = k->from; i <= k->number && !status; i++) {
        struct frame f;
        status = a->next(a->of, &at, &f, c);
        if (!status)
            status = canvas_begin(v, &f, c);
        if (!status)
            status = a->draw(a->of, v, c);
    }
    return status;
}

/* The mean of some pixels of one place, on white. Few enough that a large canvas is looked at as fast as a small one. */
static void look_place(const struct canvas *v, uint32_t x, uint32_t y, uint8_t out[3])
{
    uint32_t sum[3] = {0}, n = 0;
    for (uint32_t j = 0; j < SAMPLES; j++)
        for (uint32_t i = 0; i < SAMPLES; i++, n++) {
            uint64_t px = ((uint64_t)x * SAMPLES + i) * v->size.w / (LOOK_W * SAMPLES);
            uint64_t py = ((uint64_t)y * SAMPLES + j) * v->size.h / (LOOK_H * SAMPLES);
            const uint8_t *p = v->pixels + (py * v->size.w + px) * 4;
            for (int k = 0; k < 3; k++)
                sum[k] += (p[k] * p[3] + 255u * (255u - p[3])) / 255;
        }
    for (int k = 0; k < 3; k++)
        out[k] = (uint8_t)(sum[k] / n);
}

static void look(const struct canvas *v, struct look_at *ret)
{
    for (uint32_t y = 0; y < LOOK_H; y++)
        for (uint32_t x = 0; x < LOOK_W; x++)
            look_place(v, x, y, ret->px + ((size_t)y * LOOK_W + x) * 3);
}

/* Of all that are looked at, those that show most: the first, the last, and others that are least like them. */
static int pick(struct decoder *d, struct complaint *c)
{
    cleanup(canvas_done) struct canvas v = {0};
    auto_free struct look_at *looks = calloc(MAX(d->n, 1u), sizeof *looks);
    uint32_t places[CHOSEN_MOST];
    int status = looks ? canvas_init(&v, d->animation.size, c) : complain(c, WORK_NO_MEMORY, "out of memory for the sheet");
    for (uint32_t k = 0; k < d->n && !status; k++) {
        status = draw(d, &d->chosen[k], &v, c);
        if (status)
            break;
        looks[k].ms = d->chosen[k].time_ms;
        look(&v, &looks[k]);
    }
    if (status)
        return status;
    uint32_t n = choose(looks, d->n, d->length_ms, LIMIT_SHEET_FRAMES, places);
    for (uint32_t k = 0; k < n; k++)
        d->shown[k] = d->chosen[places[k]].number;
    d->n_shown = n;
    return walk(d, n, c);
}

/* ---------------------------------------------------------------- showing */

static int complain_of(int e, struct complaint *c)
{
    return e == -EFBIG ? complain(c, WORK_TOO_LARGE, "no sheet of this size can be made")
                       : complain(c, WORK_NO_MEMORY, "out of memory for the sheet");
}

/* As much as fits beneath the picture: a number says more than half a word. */
static int put_named(struct contact *s, uint32_t k, const struct image *picture, const struct chosen *c)
{
    char time[24], full[48], brief[40], number[16];
    enum { BOTH = WORK_LABEL_NUMBER | WORK_LABEL_TIME };
    contact_time(c->time_ms, time);
    (void)snprintf(full, sizeof full, "frame %u  %s", c->number, time);
    (void)snprintf(brief, sizeof brief, "%u  %s", c->number, time);
    (void)snprintf(number, sizeof number, "%u", c->number);
    return contact_put(s, k, picture, c->number, c->time_ms,
                       (struct label[]){{full, BOTH}, {brief, BOTH}, {number, WORK_LABEL_NUMBER}, {NULL, 0}});
}

/* The canvas as it is now: made small, then its colours and its way up. */
static int put(struct decoder *d, uint32_t k, const struct canvas *v)
{
    uint8_t turn = d->header.orientation;
    struct image all = {v->size, row_opaque(v->pixels, v->size.w * v->size.h), v->pixels};
    auto_image small = {0};
    int e = image_scale(&all, size_within(v->size, size_turned(d->contact.plan.cell, turn)), &small);
    if (!e && colour_needed(&d->header))
        (void)colour_to_srgb(&small, &d->header);
    if (!e)
        e = image_orient(&small, turn);
    return e ? e : put_named(&d->contact, k, &small, &d->chosen[k]);
}

static int draw_frames(struct decoder *d, const struct want *want, struct image *ret, struct complaint *c)
{
    (void)want;
    cleanup(canvas_done) struct canvas v = {0};
    int status = canvas_init(&v, d->animation.size, c);
    for (uint32_t k = 0; k < d->n && !status; k++) {
        status = draw(d, &d->chosen[k], &v, c);
        int e = status ? 0 : put(d, k, &v);
        if (e)
            status = complain_of(e, c);
    }
    if (!status)
        *ret = contact_take(&d->contact);
    return status;
}

static void close_frames(struct decoder *d)
{
    if (!d)
        return;
    if (d->inner)
        d->ops->close(d->inner);
    contact_done(&d->contact);
    free(d);
}

static void tell_frames(const struct decoder *d, struct told *ret)
{
    ret->cells = d->contact.cells;
    ret->n_cells = d->n;
    ret->duration_ms = MIN(d->length_ms, time_most);
}

/* Only ever put in place of another one. */
static const struct decoder_ops sheet_of_frames = {
    .media = MEDIA_NONE,
    .library = "",
    .draw = draw_frames,
    .close = close_frames,
    .tell = tell_frames,
};

int frames_sheet(const struct animation *a, const struct decoder_ops **ops, struct decoder **d, struct header *h,
                 const struct fit_limits *limits, struct complaint *c)
{
    if (h->frames < 2)
        return WORK_OK;
    struct decoder *s = calloc(1, sizeof *s);
    if (!s)
        return complain_of(-ENOMEM, c);
    *s = (struct decoder){.ops = *ops, .header = *h, .animation = *a};
    struct size up = size_turned(a->size, h->orientation);
    int status = plan(s, c);
    if (!status)
        status = pick(s, c);
    int e = status ? 0 : contact_init(&s->contact, limits, s->n, up.w, up.h, up);
    if (e)
        status = complain_of(e, c);
    if (status) {
        close_frames(s);
        return status;
    }
    s->inner = *d;
    *ops = &sheet_of_frames;
    *d = s;
    *h = (struct header){.width = s->contact.plan.size.w, .height = s->contact.plan.size.h, .extent_w = up.w,
                         .extent_h = up.h, .sheet = true, .frames = h->frames, .orientation = 1, .channels = 4};
    return WORK_OK;
}
