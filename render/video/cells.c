/* SPDX-License-Identifier: Apache-2.0 */
/* The contact sheet of a video: looks through it, chooses, and decodes the chosen ones again for what they show. */
#include "base/cleanup.h"
#include "base/limits.h"
#include "choose.h"
#include "looks.h"
#include "pixels.h"
#include "video.h"

/* The chosen frames, small; those that could not be decoded in time are not among them. */
struct strip {
    struct image pictures[CHOSEN_MOST];
    int64_t pts[CHOSEN_MOST];
    uint32_t n;
    struct size shape; /* of the first, upright: everyone's */
    bool partial;      /* the last of them were not decoded in time */
};

static int complain_of(int e, struct complaint *c)
{
    if (e == -EINVAL)
        return complain(c, WORK_UNSUPPORTED, "its colours cannot be converted");
    return e == -EFBIG ? complain(c, WORK_TOO_LARGE, "no contact sheet of this size can be made")
                       : complain(c, WORK_NO_MEMORY, "no memory for the contact sheet");
}

static void strip_done(struct strip *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        image_done(&s->pictures[i]);
}

/* None is larger than its cell will be, if all of them come. */
static int strip_add(struct strip *s, struct movie *m, const AVFrame *f, const struct fit_limits *limits, uint32_t n)
{
    struct sheet plan;
    if (!s->n)
        s->shape = size_turned(pixels_size(m, f), pixels_orientation(m));
    sheet_plan(limits, n, s->shape.w, s->shape.h, s->shape, &plan);
    int e = pixels_image(m, f, plan.cell, &s->pictures[s->n]);
    if (!e)
        s->pts[s->n++] = f->pts;
    return e;
}

static int strip_fill(struct strip *s, struct movie *m, const struct looks *looks, const struct fit_limits *limits,
                      struct complaint *c)
{
    cleanup(av_frame_free) AVFrame *f = av_frame_alloc();
    if (!f)
        return complain(c, WORK_NO_MEMORY, "no memory for the frame");
    uint32_t chosen[CHOSEN_MOST], n = choose(looks->at, looks->n, movie_length(m), 0, chosen);
    int status = WORK_OK;
    for (uint32_t k = 0; k < n && (!status || status == WORK_MALFORMED); k++) {
        av_frame_unref(f);
        status = movie_frame(m, looks->at[chosen[k]].pts, f, c);
        int e = status ? 0 : strip_add(s, m, f, limits, n);
        if (e)
            status = complain_of(e, c);
    }
    s->partial = status && status != WORK_MALFORMED;
    return s->n && status != WORK_NO_MEMORY ? WORK_OK : status;
}

static int strip_lay(const struct strip *s, const struct movie *m, const struct fit_limits *limits, struct contact *ret)
{
    int e = contact_init(ret, limits, s->n, s->shape.w, s->shape.h, s->shape);
    for (uint32_t k = 0; k < s->n && !e; k++) {
        char words[24];
        int64_t ms = movie_ms(m, s->pts[k]);
        contact_time(ms, words);
        e = contact_put(ret, k, &s->pictures[k], movie_number(m, s->pts[k]), ms,
                        (struct label[]){{words, WORK_LABEL_TIME}, {NULL, 0}});
    }
    return e;
}

int sheet_make(struct movie *m, const struct fit_limits *limits, struct contact *ret, struct header *h, struct complaint *c)
{
    cleanup(looks_done) struct looks looks = {0};
    cleanup(strip_done) struct strip s = {0};
    movie_hurry(m, true);
    int status = looks_take(m, &looks, c);
    movie_hurry(m, false);
    if (!status)
        status = strip_fill(&s, m, &looks, limits, c);
    if (!status)
        status = check_sides(s.shape.w, s.shape.h, c);
    int e = status ? 0 : strip_lay(&s, m, limits, ret);
    if (e)
        status = complain_of(e, c);
    h->sheet = true;
    h->partial = looks.partial || s.partial;
    h->damaged = h->damaged || (looks.damaged > 0 && !h->cut);
    h->extent_w = s.shape.w;
    h->extent_h = s.shape.h;
    return status;
}
