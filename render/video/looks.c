/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking through a video. What is short is decoded in full. Of what is long, key frames are looked at: each costs but
 * itself, and encoders put one where the picture changes. Where they are few, as much as can be afforded of what follows
 * each is decoded too. The bound is a number of pixels, so that the same file always gives the same sheet; the clock only
 * ends what is slower than all expectation.
 */
#include "looks.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "pixels.h"

/* Decoded in full up to so many pixels, or up to so many where there is no other way. */
static const double whole_pixels = 300e6, most_pixels = 900e6;
enum { KEYS_ENOUGH = 24, KEYS_MOST = 48, DAMAGED_MOST = 256 };

void looks_done(struct looks *l)
{
    free(l->at);
    *l = (struct looks){0};
}

/* The frame looks as if every pixel of it had been seen, which takes but a glance. */
static int look(struct movie *m, const AVFrame *f, struct look_at *ret)
{
    cleanup(pixels_done) struct pixels p = {0};
    int e = pixels_make(m, f, (struct size){LOOK_W, LOOK_H}, 3, true, &p);
    if (e)
        return e;
    ret->pts = f->pts;
    ret->ms = movie_ms(m, f->pts);
    for (size_t y = 0; y < LOOK_H; y++)
        memcpy(ret->px + y * LOOK_W * 3, p.px + y * p.stride, (size_t)LOOK_W * 3);
    return 0;
}

/* Which frames: a share of those that follow each `key_step`-th key frame, and of all these each `step`-th. */
struct plan {
    uint32_t key_step, step;
    double share; /* of the frames after a key frame */
};

static struct plan plan_looks(const struct movie *m)
{
    const struct frame_list *l = &m->frames;
    double pixels = fmax((double)m->size.w * m->size.h, 1);
    double frames = l->shown.n, whole = whole_pixels / pixels, most = most_pixels / pixels;
    bool keys_only = frames > whole && l->keys.n >= KEYS_ENOUGH;
    if (keys_only)
        return (struct plan){(l->keys.n + KEYS_MOST - 1) / KEYS_MOST, 1, 0};
    double share = fmin(most / frames, 1), looked = frames * share;
    uint32_t room = LOOKS_MOST - 2 * KEYS_ENOUGH; /* a share is at least one frame, and rounded up */
    return (struct plan){1, (uint32_t)ceil(fmax(looked / room, 1)), share};
}

static int take_look(struct movie *m, int64_t pts, AVFrame *f, struct looks *l)
{
    struct complaint ignored;
    av_frame_unref(f);
    if (clock_ms() > m->deadline - LIMIT_VIDEO_MS + LIMIT_VIDEO_LOOK_MS)
        return WORK_TIMED_OUT;
    if (l->n == LOOKS_MOST || l->damaged > DAMAGED_MOST)
        return WORK_TOO_LARGE;
    int status = movie_frame(m, pts, f, &ignored);
    int e = status == WORK_OK ? look(m, f, &l->at[l->n]) : -EINVAL;
    if (!e)
        l->n++;
    else
        l->damaged += status == WORK_OK || status == WORK_MALFORMED;
    return status == WORK_NO_MEMORY || e == -ENOMEM ? WORK_NO_MEMORY : WORK_OK;
}

/* The frames from the k-th key frame to the next of the plan's, as places in the list. */
static void span_of(const struct movie *m, const struct plan *p, uint32_t k, uint32_t *ret_first, uint32_t *ret_end)
{
    const struct frame_list *l = &m->frames;
    uint32_t next = k + p->key_step;
    *ret_first = l->keys.n ? movie_number(m, l->keys.at[k]) - 1 : 0;
    *ret_end = next < l->keys.n ? movie_number(m, l->keys.at[next]) - 1 : l->shown.n;
    *ret_first = k ? *ret_first : 0;
}

int looks_take(struct movie *m, struct looks *ret, struct complaint *c)
{
    cleanup(looks_done) struct looks l = {.at = malloc(LOOKS_MOST * sizeof *l.at)};
    cleanup(av_frame_free) AVFrame *f = av_frame_alloc();
    if (!l.at || !f)
        return complain(c, WORK_NO_MEMORY, "no memory for looking at the video");
    /* The first tells how large they are, whatever the file's head says. */
    int status = take_look(m, m->frames.shown.at[0], f, &l);
    struct plan p = plan_looks(m);
    l.n = l.damaged = 0;
    uint32_t next = 0; /* steps go on over key frames: in some videos each frame is one */
    for (uint32_t k = 0; !status && k < MAX(m->frames.keys.n, 1u); k += p.key_step) {
        uint32_t first, end;
        span_of(m, &p, k, &first, &end);
        uint32_t some = (uint32_t)fmax(ceil((end - first) * p.share), 1);
        for (next = MAX(next, first); !status && next < MIN(first + some, end); next += p.step)
            status = take_look(m, m->frames.shown.at[next], f, &l);
    }
    if (status == WORK_NO_MEMORY)
        return complain(c, WORK_NO_MEMORY, "no memory for the frames of the video");
    if (!l.n && status == WORK_TIMED_OUT)
        return complain(c, WORK_TIMED_OUT, "no frame of the video was decoded by then");
    if (!l.n)
        return complain(c, WORK_MALFORMED, "no frame of the video decodes without damage");
    l.partial = status || !m->frames.whole;
    *ret = l;
    l.at = NULL;
    return WORK_OK;
}
