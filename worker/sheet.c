/* SPDX-License-Identifier: Apache-2.0 */
/* Contact sheets: see sheet.h. Pictures come one by one and leave nothing behind but their cell. The decoder of a sheet is the sheet. */
#include "sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    GROUND = 232,      /* grey: white pictures are seen to end */
    WORDS_HEIGHT = 14, /* of SHEET_LABEL, with tails of 4 below */
    WORDS_SMALL = 7,   /* where a cell is too narrow for them */
    WORDS_TOP = 5,
};

int contact_init(struct contact *s, const struct fit_limits *limits, uint32_t n, double width, double height,
                 struct size most)
{
    struct contact made = {0};
    if (!n || n > LIMIT_SHEET_CELLS)
        return -EFBIG;
    sheet_plan(limits, n, width, height, most, &made.plan);
    int e = image_init(&made.image, made.plan.size);
    if (e)
        return e;
    uint8_t *p = made.image.px;
    for (size_t i = (size_t)made.plan.size.w * made.plan.size.h; i--; p += 4)
        memcpy(p, (uint8_t[4]){GROUND, GROUND, GROUND, 255}, 4);
    for (uint32_t k = 0; k < n; k++) {
        struct rect r = sheet_cell(&made.plan, k);
        made.cells[k] = (struct work_cell){r.x, r.y, r.w, r.h, k + 1, 0, -1};
    }
    *s = made;
    return 0;
}

void contact_done(struct contact *s)
{
    image_done(&s->image);
    *s = (struct contact){0};
}

struct image contact_take(struct contact *s)
{
    struct image m = s->image;
    s->image = (struct image){0};
    return m;
}

/* Into the middle of the cell, which is as large as what was put. */
static struct rect lay(struct contact *s, struct rect cell, const struct image *picture)
{
    struct rect r = {cell.x + (cell.w - picture->size.w) / 2, cell.y + (cell.h - picture->size.h) / 2, picture->size.w,
                     picture->size.h};
    for (uint32_t y = 0; y < r.h; y++)
        memcpy(s->image.px + (r.y + y) * image_stride(&s->image) + (size_t)r.x * 4, image_row(picture, y),
               image_stride(picture));
    return r;
}

static bool fits(const struct contact *s, uint32_t height, const char *words)
{
    return letters_draw(NULL, 0, 0, height, words) <= s->plan.cell.w;
}

bool contact_fits(const struct contact *s, const char *words)
{
    return fits(s, WORDS_HEIGHT, words);
}

/* Rather small letters than less of what there is to tell. What it tells; 0 where nothing fits. */
static uint32_t write_label(struct contact *s, struct rect cell, const struct label *l)
{
    for (; l && l->words; l++) {
        bool last = !l[1].words || l[1].tells != l->tells, large = !s->small && contact_fits(s, l->words);
        if (!large && !(last && fits(s, WORDS_SMALL, l->words)))
            continue;
        (void)letters_draw(&s->image, cell.x, cell.y + cell.h + WORDS_TOP, large ? WORDS_HEIGHT : WORDS_SMALL, l->words);
        return l->tells;
    }
    return 0;
}

int contact_put(struct contact *s, uint32_t k, const struct image *picture, uint32_t number, int64_t time_ms,
                const struct label *labels)
{
    struct rect cell = sheet_cell(&s->plan, k);
    auto_image fitted = {0};
    int e = image_scale(picture, size_within(picture->size, s->plan.cell), &fitted);
    if (e)
        return e;
    if (!fitted.opaque)
        image_flatten(&fitted, s->ground ? s->ground : image_ground(&fitted));
    s->image.on_white |= fitted.on_white;
    s->image.on_grey |= fitted.on_grey;
    struct rect r = lay(s, cell, &fitted);
    s->cells[k] = (struct work_cell){r.x, r.y, r.w, r.h, number, write_label(s, cell, labels), time_ms};
    return 0;
}

void contact_time(int64_t ms, char out[24])
{
    int64_t past = MAX(ms, 0), hundredths = past / 10 + (past % 10 > 0), seconds = hundredths / 100, minutes = seconds / 60;
    if (minutes < 60)
        (void)snprintf(out, 24, "%" PRId64 ":%02d.%02d", minutes, (int)(seconds % 60), (int)(hundredths % 100));
    else
        (void)snprintf(out, 24, "%" PRId64 ":%02d:%02d.%02d", minutes / 60, (int)(minutes % 60), (int)(seconds % 60),
                       (int)(hundredths % 100));
}

int contact_complain(int error, struct complaint *c)
{
    if (!error)
        return WORK_OK;
    return error == -EFBIG ? complain(c, WORK_TOO_LARGE, "no sheet of this size can be made")
                           : complain(c, WORK_NO_MEMORY, "out of memory for the sheet");
}

/* ---------------------------------------------------------------- as a decoder */

struct decoder {
    struct contact contact;
    int64_t duration_ms;
};

static int draw_sheet(struct decoder *d, const struct want *want, struct image *ret, struct complaint *c)
{
    (void)want, (void)c;
    *ret = contact_take(&d->contact);
    return WORK_OK;
}

static void close_sheet(struct decoder *d)
{
    if (!d)
        return;
    contact_done(&d->contact);
    free(d);
}

static void tell_sheet(const struct decoder *d, struct told *ret)
{
    ret->cells = d->contact.cells;
    ret->n_cells = d->contact.plan.n;
    ret->duration_ms = d->duration_ms;
}

/* Only ever put in place of another one. */
static const struct decoder_ops sheet_ops = {
    .media = MEDIA_NONE,
    .library = "",
    .draw = draw_sheet,
    .close = close_sheet,
    .tell = tell_sheet,
};

int contact_decoder(struct contact *s, struct size one, int64_t duration_ms, const struct decoder_ops **ops, struct decoder **d,
                    struct header *h, struct complaint *c)
{
    struct decoder *made = calloc(1, sizeof *made);
    if (!made)
        return contact_complain(-ENOMEM, c);
    *made = (struct decoder){*s, duration_ms};
    *s = (struct contact){0};
    (*ops)->close(*d);
    *ops = &sheet_ops;
    *d = made;
    *h = (struct header){.width = made->contact.plan.size.w, .height = made->contact.plan.size.h, .extent_w = one.w,
                         .extent_h = one.h, .sheet = true, .has_pages = h->has_pages, .pages = h->pages, .frames = h->frames,
                         .orientation = 1, .channels = 4};
    return WORK_OK;
}
