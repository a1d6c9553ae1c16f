/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two pictures held against each other, pixel by pixel: rows that are the same are passed over by memcmp, of the others the
 * runs that differ are counted, marked on the small map that will be shown, and gathered in boxes. Neither picture is ever
 * copied at its full size.
 */
#include "diff.h"

#include <stdio.h>
#include <string.h>

#include "resample.h"
#include "sheet.h"

enum {
    BEFORE, AFTER, DIFFERENCE, PANELS,
    OUTSIDE = 232,    /* grey, where only the other picture is; as the sheet's ground */
    FADED = 180,      /* the least level of what is the same */
    FRAME = 2,        /* pixels around a box, and as many between */
    NUMBER_HEIGHT = 14,
};

/* Colours as they lie in memory. */
static const uint8_t changed_colour[4] = {230, 0, 40, 255}, frame_colour[4] = {0, 90, 255, 255};

struct picture {
    struct size size;
    const uint8_t *rgba;
};

struct decoder {
    struct picture of[2]; /* before, after */
    struct size all;      /* as large as both */
    bool flat;            /* transparency is its ground */
    bool clear;           /* one of them has some */
    uint8_t ground;       /* level beneath it */
    struct changes changes;
    uint64_t changed;
    struct work_cell cells[LIMIT_DIFF_BOXES];
    uint32_t n;
    struct contact contact;
    uint8_t *map; /* of the third cell: 1 where something changed */
};

static void diff_done(struct decoder *d)
{
    changes_done(&d->changes);
    contact_done(&d->contact);
    free(d->map);
}

/* ---------------------------------------------------------------- comparing */

static uint32_t scaled(uint32_t at, uint32_t cell, uint32_t all)
{
    return (uint32_t)((uint64_t)at * cell / all);
}

/* Of row y the pixels from x0 to before x1. However small the map is, no change vanishes on it. */
static void mark(struct decoder *d, uint32_t y, uint32_t x0, uint32_t x1)
{
    struct size cell = d->contact.plan.cell;
    uint32_t row = scaled(y, cell.h, d->all.h), below = MAX(scaled(y + 1, cell.h, d->all.h), row + 1);
    uint32_t left = scaled(x0, cell.w, d->all.w), right = MAX(scaled(x1, cell.w, d->all.w), left + 1);
    for (; row < below; row++)
        memset(d->map + (size_t)row * cell.w + left, 1, right - left);
    d->changed += x1 - x0;
}

/* One is drawn on nothing, the other on paper: they are the same where they look the same. */
static bool looks_differ(uint32_t a, uint32_t b, uint8_t ground)
{
    struct image one = {.size = {1, 1}, .px = (uint8_t *)&a}, two = {.size = {1, 1}, .px = (uint8_t *)&b};
    image_flatten(&one, ground);
    image_flatten(&two, ground);
    return a != b;
}

/* flat: the level that both lie on; 0: on none. */
static inline bool differ(uint32_t a, uint32_t b, uint8_t flat)
{
    static const uint8_t alpha_bytes[4] = {0, 0, 0, 255};
    uint32_t alpha;
    memcpy(&alpha, alpha_bytes, sizeof alpha);
    return a != b && (a | b) & alpha && (!flat || (a & b & alpha) == alpha || looks_differ(a, b, flat));
}

/* The first of w pixels from x on that is the same, or not. */
static uint32_t run_end(const uint32_t *a, const uint32_t *b, uint32_t x, uint32_t w, uint8_t flat, bool different)
{
    while (x < w && differ(a[x], b[x], flat) == different)
        x++;
    return x;
}

static void compare_row(struct decoder *d, uint32_t y, uint32_t w)
{
    const struct picture *before = &d->of[BEFORE], *after = &d->of[AFTER];
    const uint32_t *a = (const uint32_t *)(const void *)(before->rgba + (size_t)y * before->size.w * 4);
    const uint32_t *b = (const uint32_t *)(const void *)(after->rgba + (size_t)y * after->size.w * 4);
    uint8_t flat = d->flat ? d->ground : 0;
    if (!memcmp(a, b, (size_t)w * 4))
        return;
    for (uint32_t x = run_end(a, b, 0, w, flat, false), end; x < w; x = run_end(a, b, end, w, flat, false)) {
        end = run_end(a, b, x, w, flat, true);
        mark(d, y, x, end);
        changes_add(&d->changes, y, x, end);
    }
}

/* Light content needs grey beneath it to be seen; but where the other one is all paper, paper is white. */
static void choose_ground(struct decoder *d)
{
    bool light = false, paper = false;
    d->ground = LEVEL_WHITE;
    for (int i = BEFORE; i <= AFTER; i++) {
        const struct picture *p = &d->of[i];
        struct image m = {.size = p->size, .px = (uint8_t *)(uintptr_t)p->rgba}; /* only read */
        bool opaque = row_opaque(m.px, m.size.w * m.size.h);
        d->clear |= !opaque;
        paper |= opaque && m.px;
        light |= !opaque && image_is_light(&m);
    }
    if (light && !(d->flat && paper))
        d->ground = LEVEL_GREY;
}

/* What only one of them has, to the right of what both have and beneath it: boxes of their own, or the frame that they make would
 * swallow all that lies within. */
static void keep_margins(struct changes *g, struct size a, struct size b)
{
    struct size both = {MIN(a.w, b.w), MIN(a.h, b.h)};
    struct size wider = a.w > b.w ? a : b, taller = a.h > b.h ? a : b;
    bool corner = wider.h > both.h && taller.w > both.w; /* of one and the same */
    changes_keep_apart(g, (struct rect){both.w, 0, wider.w - both.w, corner ? wider.h : both.h});
    changes_keep_apart(g, (struct rect){0, both.h, both.w, taller.h - both.h});
}

/* In each row first what both have, then what only one of them has. */
static void compare(struct decoder *d)
{
    keep_margins(&d->changes, d->of[BEFORE].size, d->of[AFTER].size);
    struct size a = d->of[BEFORE].size, b = d->of[AFTER].size;
    for (uint32_t y = 0; y < d->all.h; y++) {
        uint32_t wa = y < a.h ? a.w : 0, wb = y < b.h ? b.w : 0, both = MIN(wa, wb), any = MAX(wa, wb);
        if (both)
            compare_row(d, y, both);
        if (any > both)
            mark(d, y, both, any);
    }
}

/* ---------------------------------------------------------------- showing */

/* Scaled by the factors of the cell; the scaler may look behind the end of a row, so the last ones are moved: of narrow pictures
 * more than one is that near to the end. */
static int scale_picture(const struct picture *p, struct size to, uint8_t ground, struct image *ret)
{
    auto_image out = {0};
    struct resampler *r;
    size_t stride = (size_t)p->size.w * 4;
    uint32_t moved = MIN(p->size.h, (uint32_t)((RESAMPLE_PAD + stride - 1) / stride)), kept = p->size.h - moved;
    auto_free uint8_t *last = malloc(moved * stride + RESAMPLE_PAD);
    int e = last ? image_init(&out, to) : -ENOMEM;
    if (!e)
        e = resample_new(p->size, 4, (struct part){0, 0, p->size.w, p->size.h}, true, &out, &r);
    if (e)
        return e;
    memcpy(last, p->rgba + kept * stride, moved * stride);
    for (uint32_t y = 0; y < p->size.h; y++)
        resample_push(r, y < kept ? p->rgba + y * stride : last + (y - kept) * stride);
    out.opaque = resample_opaque(r);
    resample_free(r);
    if (!out.opaque)
        image_flatten(&out, ground);
    *ret = out;
    out.px = NULL;
    return 0;
}

/* In the corner of a cell, where the other one is too. */
static int make_panel(const struct decoder *d, const struct picture *p, struct image *ret)
{
    struct size cell = d->contact.plan.cell, none = {0};
    struct size to = {MAX(scaled(p->size.w, cell.w, d->all.w), 1u), MAX(scaled(p->size.h, cell.h, d->all.h), 1u)};
    auto_image small = {0}, panel = {0};
    int e = p->rgba ? scale_picture(p, to, d->ground, &small) : 0;
    to = p->rgba ? to : none;
    if (!e)
        e = image_init(&panel, cell);
    if (e)
        return e;
    memset(panel.px, OUTSIDE, image_stride(&panel) * cell.h);
    for (uint32_t y = 0; y < to.h; y++)
        memcpy(panel.px + y * image_stride(&panel), image_row(&small, y), image_stride(&small));
    for (size_t i = 0, n = (size_t)cell.w * cell.h; i < n; i++)
        panel.px[i * 4 + 3] = 255;
    *ret = panel;
    panel.px = NULL;
    return 0;
}

/* What is the same becomes pale and grey, what is not stands out. */
static void paint_changes(const struct decoder *d, struct image *m)
{
    for (size_t i = 0, n = (size_t)m->size.w * m->size.h; i < n; i++) {
        uint8_t *p = m->px + i * 4;
        uint32_t level = (p[0] * 77u + p[1] * 150u + p[2] * 29u + 128) >> 8;
        level = FADED + level * (255 - FADED) / 255;
        memset(p, (int)level, 3);
        if (d->map[i])
            memcpy(p, changed_colour, 4);
    }
}

static void fill(struct image *m, int64_t x, int64_t y, int64_t w, int64_t h)
{
    for (int64_t j = MAX(y, 0); j < MIN(y + h, (int64_t)m->size.h); j++)
        for (int64_t i = MAX(x, 0); i < MIN(x + w, (int64_t)m->size.w); i++)
            memcpy(m->px + ((size_t)j * m->size.w + (size_t)i) * 4, frame_colour, 4);
}

/* Above the box, else below it, else in its corner; wherever it is, all of it. */
static void number_box(struct image *m, uint32_t number, struct rect box)
{
    char words[16];
    (void)snprintf(words, sizeof words, "%u", number);
    uint32_t width = letters_draw(NULL, 0, 0, NUMBER_HEIGHT, words), room = NUMBER_HEIGHT + FRAME;
    uint32_t x = MIN(box.x, m->size.w - MIN(width, m->size.w)), y = box.y + 2 * FRAME;
    if (box.y >= room)
        y = box.y - room;
    else if (box.y + box.h + FRAME + room <= m->size.h)
        y = box.y + box.h + FRAME;
    else
        x = MIN(x + 2 * FRAME, m->size.w - MIN(width, m->size.w));
    (void)letters_draw(m, x, y, NUMBER_HEIGHT, words);
}

/* Around what changed with a little air, or along the edge where there is none. */
static void frame_box(const struct decoder *d, struct image *m, const struct work_cell *box)
{
    struct size cell = m->size;
    int64_t x0 = scaled(box->x, cell.w, d->all.w), y0 = scaled(box->y, cell.h, d->all.h);
    int64_t x1 = MAX((int64_t)scaled(box->x + box->w, cell.w, d->all.w), x0 + 1) + 2 * FRAME;
    int64_t y1 = MAX((int64_t)scaled(box->y + box->h, cell.h, d->all.h), y0 + 1) + 2 * FRAME;
    x0 = MAX(x0 - 2 * FRAME, 0);
    y0 = MAX(y0 - 2 * FRAME, 0);
    x1 = MIN(x1, (int64_t)cell.w);
    y1 = MIN(y1, (int64_t)cell.h);
    fill(m, x0, y0, x1 - x0, FRAME);
    fill(m, x0, y1 - FRAME, x1 - x0, FRAME);
    fill(m, x0, y0, FRAME, y1 - y0);
    fill(m, x1 - FRAME, y0, FRAME, y1 - y0);
    if (d->n > 1)
        number_box(m, box->number, (struct rect){(uint32_t)x0, (uint32_t)y0, (uint32_t)(x1 - x0), (uint32_t)(y1 - y0)});
}

static const char *const names[PANELS] = {"before", "after", "difference"};

static int put_panel(struct decoder *d, uint32_t which, const struct image *panel)
{
    return contact_put(&d->contact, which, panel, which + 1, -1, (struct label[]){{names[which], WORK_LABEL_NUMBER}, {NULL, 0}});
}

static int put_panels(struct decoder *d)
{
    auto_image before = {0}, after = {0};
    d->contact.small = !contact_fits(&d->contact, names[DIFFERENCE]);
    int e = make_panel(d, &d->of[BEFORE], &before);
    if (!e)
        e = make_panel(d, &d->of[AFTER], &after);
    if (!e)
        e = put_panel(d, BEFORE, &before);
    if (!e)
        e = put_panel(d, AFTER, &after);
    if (e)
        return e;
    paint_changes(d, &after);
    for (uint32_t i = 0; i < d->n; i++)
        frame_box(d, &after, &d->cells[i]);
    return put_panel(d, DIFFERENCE, &after);
}

/* ---------------------------------------------------------------- the sheet as a decoder */

static int open_diff(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    (void)c;
    struct decoder *d = *ret = (struct decoder *)(uintptr_t)s->data;
    *ret_header = (struct header){.width = d->contact.plan.size.w, .height = d->contact.plan.size.h, .extent_w = d->all.w,
                                  .extent_h = d->all.h, .sheet = true, .frames = 1, .orientation = 1, .channels = 4};
    return WORK_OK;
}

static int draw_diff(struct decoder *d, const struct want *want, struct image *ret, struct complaint *c)
{
    (void)want, (void)c;
    *ret = contact_take(&d->contact);
    return WORK_OK;
}

static void close_diff(struct decoder *d)
{
    (void)d; /* its maker has it */
}

static void tell_diff(const struct decoder *d, struct told *ret)
{
    ret->cells = d->cells;
    ret->n_cells = d->n;
}

static const struct decoder_ops difference = {
    .media = MEDIA_NONE,
    .library = "",
    .open = open_diff,
    .draw = draw_diff,
    .close = close_diff,
    .tell = tell_diff,
};

/* ---------------------------------------------------------------- the request */

static bool is_picture(const void *data, uint32_t w, uint32_t h, uint64_t len)
{
    return data && w && h && w <= LIMIT_SIDE && h <= LIMIT_SIDE && (uint64_t)w * h <= LIMIT_PIXELS &&
           len == (uint64_t)w * h * 4;
}

static int make_ready(struct decoder *d, const struct work_request *q)
{
    sheet_plan(&q->limits, PANELS, d->all.w, d->all.h, d->all, &d->contact.plan);
    int e = changes_init(&d->changes, d->all);
    if (e)
        return e;
    d->map = calloc((size_t)d->contact.plan.cell.w, d->contact.plan.cell.h);
    return d->map ? 0 : -ENOMEM;
}

static int lay_out(struct decoder *d, const struct work_request *q)
{
    struct rect boxes[LIMIT_DIFF_BOXES];
    int e = changes_boxes(&d->changes, boxes, &d->n);
    if (!e)
        e = contact_init(&d->contact, &q->limits, PANELS, d->all.w, d->all.h, d->all);
    for (uint32_t i = 0; !e && i < d->n; i++)
        d->cells[i] = (struct work_cell){boxes[i].x, boxes[i].y, boxes[i].w, boxes[i].h, i + 1, 0, -1};
    if (!e)
        e = put_panels(d);
    for (uint32_t i = 0; !e && i < d->n; i++) /* the longest word is there, so all are */
        d->cells[i].labels = d->contact.cells[DIFFERENCE].labels;
    return e;
}

static int complain_of(int e, struct complaint *c)
{
    return e == -EFBIG ? complain(c, WORK_TOO_LARGE, "no picture of the difference can be made so large")
                       : complain(c, WORK_NO_MEMORY, "out of memory for the difference");
}

int diff_make(const struct source *s, struct work_reply *reply, struct output *ret, struct complaint *c)
{
    struct work_request q = *s->request;
    bool nothing = !q.raw_w && !q.raw_h; /* was there before */
    if ((!nothing && !is_picture(s->data, q.raw_w, q.raw_h, s->len)) || !is_picture(s->other, q.other_w, q.other_h, q.other_len))
        return complain(c, WORK_MALFORMED, "not two pictures");
    cleanup(diff_done) struct decoder d = {
        .of = {{{q.raw_w, q.raw_h}, nothing ? NULL : s->data}, {{q.other_w, q.other_h}, s->other}},
        .all = {MAX(q.raw_w, q.other_w), MAX(q.raw_h, q.other_h)},
        .flat = q.flags & WORK_FLAT,
    };
    int e = make_ready(&d, &q);
    choose_ground(&d);
    if (!e)
        compare(&d);
    if (!e && d.changed)
        e = lay_out(&d, &q);
    if (e)
        return complain_of(e, c);
    *reply = (struct work_reply){.magic = WORK_MAGIC};
    if (!d.changed)
        return WORK_OK;
    q.flags &= WORK_WEBP_OK | WORK_NO_GIF;
    q.page = q.frame = q.region.set = 0;
    struct source shown = {.data = (const uint8_t *)&d, .len = sizeof d, .request = &q};
    int status = picture_make_with(&difference, &shown, reply, ret);
    reply->changed = d.changed;
    if (d.clear)
        reply->facts |= d.ground == LEVEL_WHITE ? WORK_ON_WHITE : WORK_ON_GREY;
    return status ? complain(c, (enum work_status)status, "%s", reply->detail) : WORK_OK;
}
