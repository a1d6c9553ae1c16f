/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GIF: a walk over the blocks finds and counts the frames; only those that the wanted one is made of are decoded, so
 * frames in between cost nothing.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "frames.h"
#include "gif_blocks.h"

struct decoder {
    const uint8_t *data;
    size_t len;
    struct gif_screen screen;
    uint32_t frames;
    struct gif_frame frame; /* read last */
    struct canvas canvas;
};

static void close_gif(struct decoder *d)
{
    if (!d)
        return;
    canvas_done(&d->canvas);
    free(d);
}

/* Counts the frames; alpha: some pixel of some frame may be left transparent. */
static int count(struct decoder *d, bool *ret_alpha, struct complaint *c)
{
    size_t at = d->screen.first;
    struct gif_frame f;
    bool found = true, alpha = false;
    struct size *screen = &d->screen.size;
    for (;;) {
        int status = gif_next_frame(d->data, d->len, &at, &f, &found, c);
        if (status)
            return status;
        if (!found)
            break;
        if (++d->frames > LIMIT_FRAMES)
            return complain(c, WORK_TOO_LARGE, "more than %u frames", LIMIT_FRAMES);
        const struct rect *b = &f.frame.box;
        if (d->frames == 1) { /* some writers leave the screen too small; the first image says how large it is */
            screen->w = MAX(screen->w, b->x + b->w);
            screen->h = MAX(screen->h, b->y + b->h);
        }
        bool covers = !b->x && !b->y && b->w == screen->w && b->h == screen->h;
        alpha |= f.transparent >= 0 || f.frame.dispose != DISPOSE_KEEP || (d->frames == 1 && !covers);
    }
    *ret_alpha = alpha;
    if (!d->frames)
        return complain(c, WORK_MALFORMED, "there is no image in it");
    return check_sides(screen->w, screen->h, c);
}

static int open_gif(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    const uint8_t *data = s->data;
    size_t len = s->len;
    struct decoder *d = calloc(1, sizeof(*d));
    if (!d)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    d->data = data;
    d->len = len;
    bool alpha = false;
    int status = gif_read_screen(data, len, &d->screen, c);
    if (!status)
        status = count(d, &alpha, c);
    if (status) {
        close_gif(d);
        return status;
    }
    *ret_header = (struct header){
        .width = d->screen.size.w,
        .height = d->screen.size.h,
        .frames = d->frames,
        .orientation = 1,
        .alpha = alpha,
        .exact = true,
        .channels = 4,
        .colour = COLOUR_RGBA,
    };
    *ret = d;
    return WORK_OK;
}

/* The row that comes n-th in an interlaced frame of that height. */
static uint32_t interlaced_row(uint32_t n, uint32_t height)
{
    static const uint8_t from[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    for (int pass = 0; pass < 4; pass++) {
        uint32_t rows = height > from[pass] ? (height - from[pass] + step[pass] - 1) / step[pass] : 0;
        if (n < rows)
            return from[pass] + n * step[pass];
        n -= rows;
    }
    return height;
}

/* Apart, so that the compiler does not check each pixel's copy against the buffer's size. */
static __attribute__((noinline)) void colour_row(const uint8_t *row, uint32_t width, const uint8_t (*colours)[4],
                                                 uint8_t *out)
{
    for (uint32_t x = 0; x < width; x++)
        memcpy(out + (size_t)x * 4, colours[row[x]], 4);
}

static int next_frame(void *of, size_t *at, struct frame *ret, struct complaint *c)
{
    struct decoder *d = of;
    bool found = false;
    int status = gif_next_frame(d->data, d->len, at, &d->frame, &found, c);
    if (status)
        return status;
    if (!found)
        return complain(c, WORK_MALFORMED, "a frame is missing");
    *ret = d->frame.frame;
    return WORK_OK;
}

static int draw_frame(void *of, struct canvas *v, struct complaint *c)
{
    struct decoder *d = of;
    const struct gif_frame *f = &d->frame;
    const struct rect *box = &f->frame.box;
    if (!box->w || !box->h)
        return WORK_OK;
    auto_free uint8_t *indices = malloc((size_t)box->w * box->h);
    auto_free uint8_t *line = malloc((size_t)box->w * 4);
    if (!indices || !line)
        return complain(c, WORK_NO_MEMORY, "out of memory for a frame of %ux%u", box->w, box->h);
    if (!gif_unpack(d->data, d->len, f->codes, indices, box->w * box->h))
        return complain(c, WORK_MALFORMED, "image data ends early or is damaged");
    uint8_t colours[256][4];
    gif_colours(d->data, d->len, f, colours);
    for (uint32_t n = 0; n < box->h; n++) {
        colour_row(indices + (size_t)n * box->w, box->w, (const uint8_t(*)[4])colours, line);
        canvas_draw(v, f->interlaced ? interlaced_row(n, box->h) : n, line);
    }
    return WORK_OK;
}

static struct animation animation_of(struct decoder *d)
{
    return (struct animation){d, d->screen.size, d->screen.first, next_frame, draw_frame};
}

static int sheet_gif(const struct decoder_ops **ops, struct decoder **d, struct header *h, const struct fit_limits *limits,
                     struct complaint *c)
{
    struct animation a = animation_of(*d);
    return frames_sheet(&a, ops, d, h, limits, c);
}

static int start_gif(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c)
{
    if (!want->frame || want->frame > d->frames)
        return complain(c, WORK_BAD_FRAME, "frame %u of %u", want->frame, d->frames);
    struct animation a = animation_of(d);
    int status = canvas_play(&d->canvas, &a, want->frame, c);
    if (!status)
        *ret_size = d->screen.size;
    return status;
}

static int row_gif(struct decoder *d, uint8_t *out, struct complaint *c)
{
    (void)c;
    canvas_row(&d->canvas, out);
    return WORK_OK;
}

/* The walk has seen the trailer and start has decoded every pixel. */
static int finish_gif(struct decoder *d, struct complaint *c)
{
    (void)d, (void)c;
    return WORK_OK;
}

const struct decoder_ops decode_gif = {
    .media = MEDIA_GIF,
    .library = "GIF built in",
    .open = open_gif,
    .start = start_gif,
    .row = row_gif,
    .finish = finish_gif,
    .close = close_gif,
    .sheet = sheet_gif,
    .strip = strip,
};
