/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which file is answered with, see ladder.h. At the first step the candidates are the source's own file, lossless where
 * that can win, and lossy: WebP, and JPEG too where WebP is over the budget or its bytes are so dense that JPEG may be
 * smaller. Where WebP is barred JPEG comes first, being ten times as quick as PNG, and PNG only where it may still be
 * smaller. Further steps are lossy alone. Each encode corrects the forecast of the next; a forecast of lossy bytes says
 * where to look, never what is left out. A page that was drawn just now is PNG or JPEG at once, where that is as good as any.
 */
#include "ladder.h"

#include <errno.h>
#include <math.h>

#include "sandbox/proto.h"

enum {
    QUALITIES = 1 + COUNT(fit_qualities),
    SCALES = 1 + COUNT(fit_scales),
    STEPS = QUALITIES * SCALES,
    SMALL = 64 * 64, /* pixels up to which PNG and JPEG are tried whatever the picture looks like */
};

/* Lossless beats lossy on flat pictures; beyond this many bytes a pixel that is no longer sure. */
static const double flat_enough = 0.6, photo_at_most = 0.3, novel_at_most = 0.005, sure_bytes = 0.1;
/* Bytes a pixel from which JPEG was smaller than WebP at the same quality. */
static const double dense_bytes = 0.2;
/* Bytes a pixel from which a JPEG holds letters and lines rather than a photo. */
static const double lined_bytes = 0.15;
/* Bytes that PNG was seen to spend at least on a sharp pixel (see struct look), less a fifth: in colour, by palette or
 * grey level. */
static const double sharp_colour = 1.6, sharp_few = 0.9;
/* A lossless source may be so much larger than JPEG and is still the better answer: its text reads better. */
static const double lossless_worth = 2;
/* Bytes go down a little slower than pixels. */
static const double scale_power = 1.6;
/* Forecasts within one scale were off by 1.7 at most, on noise. */
static const double sure_factor = 2;

struct step {
    struct size size;
    unsigned quality;
    double scale, share; /* of the target's sides; of the bytes at quality 75 */
    size_t bytes;        /* as made; 0 not tried */
    size_t of_scale;     /* the first step of this scale */
};

struct climb {
    const struct ladder *l;
    const struct encoder *by, *also; /* the steps' formats; also may be NULL */
    struct image *m;
    struct jpeg_writer *jpeg; /* as in l, until it was used */
    struct look look;
    struct image scaled; /* m at the last step's size, when that is smaller */
    struct step steps[STEPS];
    size_t n;
    struct encoded best; /* the best that fits, or the smallest of all */
    bool fits;
    size_t png_bytes; /* of the whole picture; 0 not made */
    bool few;         /* colours, so that PNG can have a palette */
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

/* A glance tells what is quick from what is not. */
static struct look look_at(const struct ladder *l, const struct image *m, bool well)
{
    return image_look(m, well ? LOOK_ROWS : GLANCE_ROWS, well && l->webp);
}

static bool within(const struct climb *c, size_t len)
{
    return len <= c->l->limits->max_bytes;
}

/* Keeps the new one when it is the better of the two, and frees the other. A step above the best one's is better when it
 * fits, though it is larger. */
static void keep(struct climb *c, struct encoded *e, bool above)
{
    if (!e->data)
        return;
    bool fits = within(c, e->len), smaller = e->len < c->best.len;
    bool better = !c->best.data || (fits && !c->fits) || (fits == c->fits && (smaller || (fits && above)));
    struct encoded *worse = better ? &c->best : e;
    if (worse->data != c->l->source.data)
        encoded_done(worse);
    if (better) {
        c->best = *e;
        c->fits = fits;
    }
    e->data = NULL;
}

/* A quality's share of the bytes at 75, between the measured ones along a line. */
static double share_of(const struct encoder *by, unsigned quality)
{
    const uint8_t *at = share_qualities;
    size_t i = 1;
    while (i + 1 < SHARES && at[i] < quality)
        i++;
    double part = ((double)quality - at[i - 1]) / (at[i] - at[i - 1]);
    return fmax(by->shares[i - 1] + part * (by->shares[i] - by->shares[i - 1]), 1) / 100;
}

static void lay_step(struct climb *c, struct size size, double scale, unsigned quality, size_t of_scale)
{
    double share = c->by->lossless ? 1 : share_of(c->by, quality);
    c->steps[c->n++] = (struct step){size, quality, scale, share, 0, of_scale};
}

/* Every step for this encoder, best first. Qualities at or above the first are none; lossless has only scales. */
static void lay_steps(struct climb *c)
{
    unsigned first = c->l->limits->quality;
    c->n = 0;
    for (size_t s = 0; s < SCALES; s++) {
        struct size size = c->m->size;
        double scale = s ? fit_scales[s - 1] : 1;
        if (s && !fit_scaled(c->m->size, scale, &size))
            break;
        size_t start = c->n;
        lay_step(c, size, scale, first, start);
        for (size_t q = 0; q < COUNT(fit_qualities) && !c->by->lossless; q++)
            if (fit_qualities[q] < first)
                lay_step(c, size, scale, fit_qualities[q], start);
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

/* Nothing is made, without an error, when the format cannot hold the picture. */
static int encode_with(struct climb *c, const struct encoder *by, struct size size, unsigned quality,
                       struct encoded *ret)
{
    int e;
    const struct image *m = picture_at(c, size, &e);
    bool begun = by == &encode_jpeg && c->jpeg && m == c->m && quality == c->l->limits->quality;
    if (!e && begun)
        e = jpeg_writer_end(take(c->jpeg), ret);
    /* The one that was begun may be a little larger than need be. */
    if (!e && begun && !within(c, ret->len)) {
        encoded_done(ret);
        begun = false;
    }
    if (!e && !begun)
        e = by->encode(m, quality, ret);
    return e == -EFBIG ? 0 : e;
}

/* Whether the step's second format could be smaller than what the first one made, or fit where that does not. */
static bool second_may_win(const struct climb *c, const struct step *s, const struct encoded *first)
{
    double pixels = (double)s->size.w * s->size.h;
    return c->also && (!first->data || !within(c, first->len) || pixels <= SMALL ||
                       (double)first->len > dense_bytes * pixels);
}

/* JPEG gains on WebP as quality and size fall: where it is smaller once, it is so on every step below. */
static void go_on_with_second(struct climb *c)
{
    c->by = take(c->also);
    for (size_t i = 0; i < c->n; i++)
        c->steps[i].share = share_of(c->by, c->steps[i].quality);
}

static int try_step(struct climb *c, size_t at, bool above)
{
    struct step *s = &c->steps[at];
    auto_encoded made = {0}, second = {0};
    int e = encode_with(c, c->by, s->size, s->quality, &made);
    if (!e && second_may_win(c, s, &made))
        e = encode_with(c, c->also, s->size, s->quality, &second);
    if (e)
        return e;
    bool other = second.data && (!made.data || second.len < made.len);
    struct encoded *smaller = other ? &second : &made;
    s->bytes = smaller->data ? smaller->len : SIZE_MAX;
    keep(c, smaller, above);
    if (other)
        go_on_with_second(c);
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

/* A scale is sure to have no step that fits when its last one did not, or the first was very much too large. */
static bool hopeless(const struct climb *c, size_t last)
{
    const struct step *to = &c->steps[last], *first = &c->steps[to->of_scale];
    if (to->bytes)
        return !within(c, to->bytes);
    return first->bytes && foretell(first, to) > sure_factor * c->l->limits->max_bytes;
}

/* The step above `at` that may still fit: the next quality of its scale, else the least one of the scale before. Within
 * a scale bytes rise with quality, but its last step may be smaller than the first of the next. */
static bool above_of(const struct climb *c, size_t at, size_t *ret)
{
    size_t start = c->steps[at].of_scale;
    bool quality = at > start && !c->steps[at - 1].bytes;
    if (!quality && (!start || hopeless(c, start - 1)))
        return false;
    *ret = quality ? at - 1 : start - 1;
    return true;
}

/* Goes down from a step that was too large until one fits, then back up to the first of all that do. */
static int go_down(struct climb *c, size_t at)
{
    int e = 0;
    while (!e && !within(c, c->steps[at].bytes) && at + 1 < c->n) {
        at = next_step(c, at);
        e = try_step(c, at, false);
    }
    size_t up;
    while (!e && c->fits && above_of(c, at, &up)) {
        e = try_step(c, up, true);
        if (!e && within(c, c->steps[up].bytes))
            at = up;
    }
    return e;
}

/* Which lossless candidates can win at the first step. */
static void choose_lossless(struct climb *c, bool *ret_webp, bool *ret_png)
{
    struct palette p = {0};
    c->few = palette_of(c->m, &p);
    bool small = (size_t)c->m->size.w * c->m->size.h <= SMALL, webp = webp_allowed(c);
    bool flat = c->look.flat > flat_enough;
    /* Many levels after scaling are a grey picture's, and those are better lossy. */
    bool drawn = p.bits <= 2 || (c->look.flat > flat_enough / 2 && (p.bits <= 4 || c->l->pristine));
    *ret_webp = webp && (c->l->pristine || c->l->drawn) && flat && c->look.novel < novel_at_most;
    *ret_png = small || (c->l->drawn && (flat || !c->l->sheet)) || (c->few && !*ret_webp && drawn) || (!webp && !c->m->opaque);
}

static int try_lossless_with(struct climb *c, const struct encoder *by, size_t *ret_len)
{
    struct encoded made = {0};
    int e = encode_with(c, by, c->m->size, 0, &made);
    *ret_len = made.len;
    keep(c, &made, false);
    return e;
}

/*
 * A page of text is drawn in some 6 ms. WebP would take ten times as long for a third of the bytes; JPEG as long as the drawing, for
 * blurred letters. So what is flat is PNG at once, and what has photos on it JPEG. Returns 1 when one has won; where neither fits, or
 * JPEG had to spell out letters and lines, all candidates are worth their time.
 */
static int try_quick(struct climb *c)
{
    struct encoded jpeg = {0};
    double pixels = (double)c->m->size.w * c->m->size.h;
    size_t len = 0;
    int e = c->look.flat > flat_enough ? try_lossless_with(c, &encode_png_quick, &len) : 0;
    if (e || c->fits || c->l->sheet || !c->m->opaque)
        return e ? e : c->fits && (!c->l->sheet || (double)len <= sure_bytes * pixels);
    e = encode_with(c, &encode_jpeg, c->m->size, c->l->limits->quality, &jpeg);
    bool photo = (double)jpeg.len <= lined_bytes * pixels;
    keep(c, &jpeg, false);
    return e ? e : c->fits && photo;
}

/* Lossless candidates at the first step. Returns 1 when one has won without a look at lossy. */
static int try_lossless(struct climb *c)
{
    bool webp, png;
    size_t len;
    int e = 0;
    if (c->l->drawn) {
        e = try_quick(c);
        if (e)
            return e;
        c->look = look_at(c->l, c->m, true);
    }
    choose_lossless(c, &webp, &png);
    if (webp)
        e = try_lossless_with(c, &encode_webp_lossless, &len);
    if (!e && png)
        e = try_lossless_with(c, &encode_png, &c->png_bytes);
    if (e)
        return e;
    double sure = sure_bytes * c->m->size.w * c->m->size.h;
    return c->fits && c->best.by && c->best.by->lossless && (double)c->best.len <= sure;
}

/* Whether PNG, not tried so far, may be smaller than JPEG was, or fit where that does not. */
static bool png_may_win(const struct climb *c)
{
    if (webp_allowed(c) || !c->m->opaque || c->png_bytes || c->look.flat <= flat_enough)
        return false;
    double least = c->look.sharp * c->m->size.w * c->m->size.h * (c->few ? sharp_few : sharp_colour);
    return least < (double)(c->fits ? c->best.len : c->l->limits->max_bytes);
}

/* A picture that did not change may stay as it is, where that costs little. True when it does. */
static bool prefer_source(struct climb *c)
{
    const struct encoded *own = &c->l->source;
    bool lossy = c->best.by && !c->best.by->lossless;
    if (webp_allowed(c) || !c->l->lossless_source || !lossy || !within(c, own->len) ||
        (double)own->len > lossless_worth * (double)c->best.len)
        return false;
    encoded_done(&c->best);
    c->best = *own;
    return true;
}

static int climb_with(struct climb *c, const struct encoder *by, const struct encoder *also)
{
    c->by = by;
    c->also = also;
    lay_steps(c);
    int e = 0;
    if (by == &encode_png && c->png_bytes)
        c->steps[0].bytes = c->png_bytes;
    else
        e = try_step(c, 0, false);
    if (!e && by == &encode_jpeg && !prefer_source(c) && png_may_win(c))
        e = try_lossless_with(c, &encode_png, &c->png_bytes);
    return e || c->fits ? e : go_down(c, 0);
}

/* Nothing that keeps transparency fits: lay it on a ground and let JPEG try. */
static int climb_flattened(struct climb *c, uint32_t *facts)
{
    bool light = image_is_light(c->m);
    image_flatten(c->m, light ? 128 : 255);
    image_done(&c->scaled);
    int e = climb_with(c, &encode_jpeg, NULL);
    if (!e && c->best.by == &encode_jpeg)
        *facts |= light ? WORK_ON_GREY : WORK_ON_WHITE;
    return e;
}

static int climb_lossy(struct climb *c)
{
    const struct encoder *jpeg = c->m->opaque ? &encode_jpeg : NULL;
    const struct encoder *quick = c->look.flat < photo_at_most ? &encode_webp_photo : &encode_webp;
    if (webp_allowed(c))
        return climb_with(c, c->l->thorough ? &encode_webp_thorough : quick, jpeg);
    return climb_with(c, jpeg ? jpeg : &encode_png, NULL);
}

static int climb_all(struct climb *c, uint32_t *facts)
{
    struct encoded source = c->l->source;
    keep(c, &source, false);
    int e = try_lossless(c);
    if (e)
        return e < 0 ? e : 0;
    e = climb_lossy(c);
    if (!e && !c->best.data) /* too large for the lossy formats */
        e = climb_with(c, &encode_png, NULL);
    if (!e && !c->fits && !c->m->opaque)
        e = climb_flattened(c, facts);
    return e || c->best.data ? e : -EFBIG;
}

int ladder_climb(const struct ladder *l, struct image *m, struct encoded *ret, uint32_t *ret_facts)
{
    cleanup(climb_done) struct climb c = {.l = l, .m = m, .jpeg = m->opaque ? l->jpeg : NULL};
    c.look = look_at(l, m, !l->drawn);
    uint32_t facts = 0;
    int e = climb_all(&c, &facts);
    if (e)
        return e;
    *ret = c.best;
    *ret_facts = facts;
    c.best = (struct encoded){0};
    return 0;
}
