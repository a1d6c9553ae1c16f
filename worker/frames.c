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
    PLACES = LOOK_W * LOOK_H,
};
static const int64_t time_most = LIMIT_VIDEO_SECONDS * INT64_C(1000); /* that is told */

/* A frame that is looked at, or on the sheet. */
struct chosen {
    uint32_t number, from; /* itself, and the first that is drawn for it, after those of the one before */
    size_t at;             /* offset of that one */
    bool afresh;           /* on an empty canvas */
    int64_t time_ms;
};

struct reel {
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
    uint8_t ground; /* of all of them: one that is light decides, so that none is lost on white */
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
static int measure(struct reel *d, uint32_t frames, uint32_t *ret_reach, int64_t *ret_reach_ms, struct complaint *c)
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
static bool is_chosen(const struct reel *d, uint32_t n, uint32_t i, int64_t end_ms)
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
static int walk(struct reel *d, uint32_t n, struct complaint *c)
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
static int plan(struct reel *d, struct complaint *c)
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

static int draw(struct reel *d, const struct chosen *k, struct canvas *v, struct complaint *c)
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

/* Some pixels of each place of a look. Few enough that a large canvas is looked at as fast as a small one. */
static void sample(const struct canvas *v, struct image *m)
{
    uint8_t *to = m->px;
    for (uint32_t y = 0; y < m->size.h; y++)
        for (uint32_t x = 0; x < m->size.w; x++, to += 4) {
            uint64_t px = (uint64_t)x * v->size.w / m->size.w, py = (uint64_t)y * v->size.h / m->size.h;
            memcpy(to, v->pixels + (py * v->size.w + px) * 4, 4);
        }
}

/* The mean of one place on black, and how much of it is covered. */
static void look_place(const struct image *m, uint32_t x, uint32_t y, uint8_t out[3], uint8_t *cover)
{
    uint32_t sum[3] = {0}, all = 0;
    for (uint32_t j = 0; j < SAMPLES; j++) {
        const uint8_t *p = image_row(m, y * SAMPLES + j) + (size_t)x * SAMPLES * 4;
        for (uint32_t i = 0; i < SAMPLES; i++, p += 4) {
            for (int k = 0; k < 3; k++)
                sum[k] += p[k] * p[3] / 255u;
            all += p[3];
        }
    }
    for (int k = 0; k < 3; k++)
        out[k] = (uint8_t)(sum[k] / (SAMPLES * SAMPLES));
    *cover = (uint8_t)((all + SAMPLES * SAMPLES - 1) / (SAMPLES * SAMPLES));
}

/* Returns whether it needs a dark ground. */
static bool look(const struct canvas *v, struct image *samples, struct look_at *ret, uint8_t *ret_cover)
{
    sample(v, samples);
    for (uint32_t y = 0; y < LOOK_H; y++)
        for (uint32_t x = 0; x < LOOK_W; x++) {
            size_t i = (size_t)y * LOOK_W + x;
            look_place(samples, x, y, ret->px + i * 3, &ret_cover[i]);
        }
    return !row_opaque(samples->px, samples->size.w * samples->size.h) && image_is_light(samples);
}

/* Dark content is looked at on white; what is light stays on black, so that it counts as much. */
static void lay_on_white(struct look_at *l, const uint8_t *cover)
{
    for (size_t i = 0; i < LOOK_BYTES; i++)
        l->px[i] = (uint8_t)(l->px[i] + 255 - cover[i / 3]);
}

/* Of all that are looked at, those that show most: the first, the last, and others that are least like them. */
static int pick(struct reel *d, struct complaint *c)
{
    cleanup(canvas_done) struct canvas v = {0};
    auto_image samples = {0};
    auto_free struct look_at *looks = calloc(MAX(d->n, 1u), sizeof *looks);
    auto_free uint8_t *covers = calloc(MAX(d->n, 1u), PLACES);
    uint32_t places[CHOSEN_MOST];
    bool made = looks && covers && !image_init(&samples, (struct size){LOOK_W * SAMPLES, LOOK_H * SAMPLES});
    int status = made ? canvas_init(&v, d->animation.size, c) : complain(c, WORK_NO_MEMORY, "out of memory for the sheet");
    d->ground = LEVEL_WHITE;
    for (uint32_t k = 0; k < d->n && !status; k++) {
        status = draw(d, &d->chosen[k], &v, c);
        if (status)
            break;
        looks[k].ms = d->chosen[k].time_ms;
        if (look(&v, &samples, &looks[k], covers + (size_t)k * PLACES))
            d->ground = LEVEL_GREY;
    }
    if (status)
        return status;
    for (uint32_t k = 0; k < d->n && d->ground == LEVEL_WHITE; k++)
        lay_on_white(&looks[k], covers + (size_t)k * PLACES);
    uint32_t n = choose(looks, d->n, d->length_ms, LIMIT_SHEET_FRAMES, places);
    for (uint32_t k = 0; k < n; k++)
        d->shown[k] = d->chosen[places[k]].number;
    d->n_shown = n;
    return walk(d, n, c);
}

/* ---------------------------------------------------------------- showing */

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
static int put(struct reel *d, uint32_t k, const struct canvas *v)
{
    uint8_t turn = d->header.orientation;
    struct image all = {.size = v->size, .opaque = row_opaque(v->pixels, v->size.w * v->size.h), .px = v->pixels};
    auto_image small = {0};
    int e = image_scale(&all, size_within(v->size, size_turned(d->contact.plan.cell, turn)), &small);
    if (!e && colour_needed(&d->header))
        (void)colour_to_srgb(&small, &d->header);
    if (!e)
        e = image_orient(&small, turn);
    return e ? e : put_named(&d->contact, k, &small, &d->chosen[k]);
}

static int put_all(struct reel *d, struct complaint *c)
{
    cleanup(canvas_done) struct canvas v = {0};
    int status = canvas_init(&v, d->animation.size, c);
    for (uint32_t k = 0; k < d->n && !status; k++) {
        status = draw(d, &d->chosen[k], &v, c);
        if (!status)
            status = contact_complain(put(d, k, &v), c);
    }
    return status;
}

static void reel_free(struct reel **d)
{
    if (*d)
        contact_done(&(*d)->contact);
    free(*d);
}

int frames_sheet(const struct animation *a, const struct decoder_ops **ops, struct decoder **d, struct header *h,
                 const struct fit_limits *limits, struct complaint *c)
{
    if (h->frames < 2)
        return WORK_OK;
    cleanup(reel_free) struct reel *s = calloc(1, sizeof *s);
    if (!s)
        return contact_complain(-ENOMEM, c);
    *s = (struct reel){.header = *h, .animation = *a};
    struct size up = size_turned(a->size, h->orientation);
    int status = plan(s, c);
    if (!status)
        status = pick(s, c);
    if (!status)
        status = contact_complain(contact_init(&s->contact, limits, s->n, up.w, up.h, up), c);
    s->contact.ground = s->ground;
    if (!status)
        status = put_all(s, c);
    return status ? status : contact_decoder(&s->contact, up, MIN(s->length_ms, time_most), ops, d, h, c);
}
