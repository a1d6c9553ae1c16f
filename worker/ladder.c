/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which file is answered with, see ladder.h. At the first step the candidates are the source's own file, lossless where
 * that can win, and the one lossy format that does (WebP against JPEG in all of 53 files measured, else JPEG). Further
 * steps are that format's alone. Each encode corrects the forecast of the next.
 */
#include "ladder.h"

#include <errno.h>
#include <math.h>

#include "sandbox/proto.h"

enum {
    QUALITIES = 1 + COUNT(fit_qualities),
    SCALES = 1 + COUNT(fit_scales),
    STEPS = QUALITIES * SCALES,
    QUICK_COST = 4,
    SMALL = 64 * 64, /* pixels up to which every format is tried */
};

/* Lossless beats lossy on flat pictures; beyond this many bytes a pixel that is no longer sure. */
static const double flat_enough = 0.6, photo_at_most = 0.3, novel_at_most = 0.005, sure_bytes = 0.1;
/* Bytes go down a little slower than pixels. */
static const double scale_power = 1.6;

struct step {
    struct size size;
    unsigned quality;
    double scale, share; /* of the target's sides; of the bytes at the first quality */
    size_t bytes;        /* as made; 0 not tried */
};

struct climb {
    const struct ladder *l;
    const struct encoder *by;
    struct image *m;
    struct look look;
    struct image scaled; /* m at the last step's size, when that is smaller */
    struct step steps[STEPS];
    size_t n;
    struct encoded best; /* smallest that fits, or smallest of all */
    bool fits;
};

static void climb_done(struct climb *c)
{
    if (c->best.data != c->l->source.data)
        encoded_done(&c->best);
    image_done(&c->scaled);
}

static bool webp_allowed(const struct climb *c)
{
    return c->l->webp && MAX(c->m->size.w, c->m->size.h) <= encode_webp.max_side;
}

static bool within(const struct climb *c, size_t len)
{
    return len <= c->l->limits->max_bytes;
}

/* Keeps the new one when it is the better of the two, and frees the other. A later step replaces what did not fit. */
static void keep(struct climb *c, struct encoded *e)
{
    bool fits = within(c, e->len);
    bool better = !c->best.data || (fits && !c->fits) || (fits == c->fits && e->len < c->best.len);
    struct encoded *worse = better ? &c->best : e;
    if (worse->data != c->l->source.data)
        encoded_done(worse);
    if (better) {
        c->best = *e;
        c->fits = fits;
    }
    e->data = NULL;
}

static double share_of(const struct encoder *by, unsigned quality)
{
    for (size_t i = 0; i < COUNT(fit_qualities); i++)
        if (quality == fit_qualities[i])
            return by->shares[i] / 100.0;
    return 1;
}

/* Every step for this encoder, best first. Qualities at or above the first are none; lossless has only scales. */
static void lay_steps(struct climb *c)
{
    c->n = 0;
    for (size_t s = 0; s < SCALES; s++) {
        struct size size = c->m->size;
        double scale = s ? fit_scales[s - 1] : 1;
        if (s && !fit_scaled(c->m->size, scale, &size))
            break;
        unsigned first = c->l->limits->quality;
        c->steps[c->n++] = (struct step){.size = size, .quality = first, .scale = scale, .share = 1};
        for (size_t q = 0; q < COUNT(fit_qualities) && !c->by->lossless; q++)
            if (fit_qualities[q] < first)
                c->steps[c->n++] = (struct step){size, fit_qualities[q], scale, share_of(c->by, fit_qualities[q]), 0};
    }
}

static const struct image *picture_at(struct climb *c, struct size size, int *ret_error)
{
    *ret_error = 0;
    if (size.w == c->m->size.w && size.h == c->m->size.h)
        return c->m;
    if (c->scaled.px && size.w == c->scaled.size.w && size.h == c->scaled.size.h)
        return &c->scaled;
    image_done(&c->scaled);
    *ret_error = image_scale(c->m, size, &c->scaled);
    return &c->scaled;
}

/* The quick lossy method spends up to a tenth more bytes on photos than the thorough one at the same quality. A little
 * less quality takes that back; drawn pictures, where it would show, are not concerned. */
static unsigned quality_for(const struct climb *c, const struct encoder *by, unsigned quality)
{
    return by == &encode_webp && c->look.flat < photo_at_most && quality > QUICK_COST ? quality - QUICK_COST : quality;
}

static int try_with(struct climb *c, const struct encoder *by, struct step *s)
{
    int e;
    const struct image *m = picture_at(c, s->size, &e);
    struct encoded made;
    if (!e)
        e = by->encode(m, quality_for(c, by, s->quality), &made);
    if (e)
        return e;
    s->bytes = made.len;
    keep(c, &made);
    return 0;
}

/* Bytes that a step will take, by what another one took. */
static double foretell(const struct step *from, const struct step *to)
{
    return (double)from->bytes * (to->share / from->share) * pow(to->scale / from->scale, scale_power);
}

/* The first step after `at` that should fit; the last when none should. */
static size_t next_step(const struct climb *c, size_t at)
{
    size_t to = at + 1;
    while (to + 1 < c->n && foretell(&c->steps[at], &c->steps[to]) > c->l->limits->max_bytes)
        to++;
    return to;
}

/* Goes down from a step that was too large until one fits, then back up where the forecast went too far. */
static int go_down(struct climb *c, size_t at)
{
    while (!within(c, c->steps[at].bytes) && at + 1 < c->n) {
        at = next_step(c, at);
        int e = try_with(c, c->by, &c->steps[at]);
        if (e)
            return e;
    }
    while (at > 0 && within(c, c->steps[at].bytes) && !c->steps[at - 1].bytes &&
           foretell(&c->steps[at], &c->steps[at - 1]) <= c->l->limits->max_bytes) {
        struct encoded lower = c->best;
        c->best = (struct encoded){0};
        int e = try_with(c, c->by, &c->steps[--at]);
        if (!e && within(c, c->steps[at].bytes)) {
            encoded_done(&lower);
            continue;
        }
        encoded_done(&c->best);
        c->best = lower;
        c->fits = true;
        return e;
    }
    return 0;
}

/* Which lossless candidates can win at the first step. */
static void choose_lossless(const struct climb *c, bool *ret_webp, bool *ret_png)
{
    struct palette p = {0};
    bool few = palette_of(c->m, &p), small = (size_t)c->m->size.w * c->m->size.h <= SMALL, webp = webp_allowed(c);
    bool flat = c->look.flat > flat_enough;
    /* Many levels after scaling are a grey picture's, and those are better lossy. */
    bool drawn = p.bits <= 2 || (c->look.flat > flat_enough / 2 && (p.bits <= 4 || c->l->pristine));
    *ret_webp = webp && c->l->pristine && flat && c->look.novel < novel_at_most;
    *ret_png = small || (few && !*ret_webp && drawn) || (!webp && (flat || !c->m->opaque));
}

/* Lossless candidates at the first step. Returns 1 when one has won without a look at lossy. */
static int try_lossless(struct climb *c)
{
    bool webp, png;
    int e = 0;
    choose_lossless(c, &webp, &png);
    if (webp)
        e = try_with(c, &encode_webp_lossless, &(struct step){.size = c->m->size});
    if (!e && png)
        e = try_with(c, &encode_png, &(struct step){.size = c->m->size});
    if (e)
        return e;
    double sure = sure_bytes * c->m->size.w * c->m->size.h;
    return c->fits && c->best.by && c->best.by->lossless && (double)c->best.len <= sure;
}

static int climb_with(struct climb *c, const struct encoder *by)
{
    c->by = by;
    lay_steps(c);
    int e = try_with(c, by, &c->steps[0]);
    return e || c->fits ? e : go_down(c, 0);
}

/* Nothing that keeps transparency fits: lay it on a ground and let JPEG try. */
static int climb_flattened(struct climb *c, uint32_t *facts)
{
    bool light = image_is_light(c->m);
    image_flatten(c->m, light ? 128 : 255);
    image_done(&c->scaled);
    int e = climb_with(c, &encode_jpeg);
    if (!e && c->best.by == &encode_jpeg)
        *facts |= light ? WORK_ON_GREY : WORK_ON_WHITE;
    return e;
}

static int climb_all(struct climb *c, uint32_t *facts)
{
    const struct encoder *lossy = webp_allowed(c) ? &encode_webp : c->m->opaque ? &encode_jpeg : &encode_png;
    if (c->l->source.data) {
        struct encoded source = c->l->source;
        keep(c, &source);
    }
    int e = try_lossless(c);
    if (e)
        return e < 0 ? e : 0;
    e = climb_with(c, lossy);
    return e || c->fits || c->m->opaque ? e : climb_flattened(c, facts);
}

int ladder_climb(const struct ladder *l, struct image *m, struct encoded *ret, uint32_t *ret_facts)
{
    cleanup(climb_done) struct climb c = {.l = l, .m = m, .look = image_look(m)};
    uint32_t facts = 0;
    int e = climb_all(&c, &facts);
    if (e)
        return e;
    bool source = c.best.data == l->source.data;
    facts |= (c.fits ? 0 : WORK_OVER_BUDGET) | (source ? WORK_AS_IS : 0);
    if (!source && c.best.by->lossless)
        facts |= WORK_LOSSLESS;
    *ret = c.best;
    *ret_facts = facts;
    c.best = (struct encoded){0};
    return 0;
}
