/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG: every depth and colour type, plain, interlaced and animated. Inflating and rows are our own, because those
 * that stream through the cache are two to three times as fast as the usual library and need no memory for the picture.
 */
#include <libdeflate.h>
#include <string.h>

#include "base/cleanup.h"
#include "frames.h"
#include "png.h"

struct decoder {
    struct png_info info;
    struct png_rows rows;
    struct png_player player;
    struct canvas canvas; /* when frames had to be drawn */
    bool started, drawn;
    uint8_t *icc;
    size_t icc_len;
};

static void close_png(struct decoder *d)
{
    if (!d)
        return;
    if (d->started)
        png_rows_done(&d->rows);
    canvas_done(&d->canvas);
    free(d->icc);
    free(d);
}

/* A gray picture of up to 8 bits is a palette of grays. */
static void fill_grays(struct png_info *info)
{
    if (info->colour != PNG_GRAY || info->depth > 8)
        return;
    info->colours = 1u << info->depth;
    for (uint32_t i = 0; i < info->colours; i++) {
        uint8_t v = (uint8_t)(i * 255 / (info->colours - 1));
        uint8_t a = info->keyed && info->key[0] == i ? 0 : 255;
        memcpy(info->palette[i], (uint8_t[4]){v, v, v, a}, 4);
    }
    for (uint32_t byte = 0; info->depth < 8 && byte < 256; byte++)
        for (uint32_t x = 0, in_byte = 8u / info->depth; x < in_byte; x++)
            info->levels[byte][x] = info->palette[byte >> (8 - (x + 1) * info->depth) & (info->colours - 1)][0];
}

static int open_png(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    const uint8_t *data = s->data;
    size_t len = s->len;
    struct decoder *d = calloc(1, sizeof(*d));
    if (!d)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    int status = png_read_info(data, len, &d->info, c);
    if (!status)
        status = png_read_profile(&d->info, &d->icc, &d->icc_len, c);
    if (!status && !d->icc)
        d->icc = png_make_profile(&d->info, &d->icc_len);
    if (status) {
        close_png(d);
        return status;
    }
    fill_grays(&d->info);
    bool gray = d->info.colour == PNG_GRAY || d->info.colour == PNG_GRAY_ALPHA;
    *ret_header = (struct header){
        .width = d->info.width,
        .height = d->info.height,
        .frames = d->info.frames,
        .orientation = d->info.exif.data ? exif_orientation(d->info.exif.data, d->info.exif.len) : 1,
        .alpha = d->info.keyed || d->info.colour & 4 || d->info.first_frame,
        .exact = d->info.depth <= 8,
        .channels = d->info.first_frame || d->info.interlaced ? 4 : png_channels(&d->info),
        .colour = gray ? COLOUR_GRAY : COLOUR_RGBA,
        .icc = d->icc,
        .icc_len = d->icc_len,
    };
    *ret = d;
    return WORK_OK;
}

static int sheet_png(const struct decoder_ops **ops, struct decoder **d, struct header *h, const struct fit_limits *limits,
                     struct complaint *c)
{
    struct animation a = png_animation(&(*d)->player, &(*d)->info);
    return frames_sheet(&a, ops, d, h, limits, c);
}

/* Frames on the canvas, because the wanted one is not the picture that everybody else would show. */
static int play(struct decoder *d, uint32_t frame, struct complaint *c)
{
    struct animation a = png_animation(&d->player, &d->info);
    return canvas_play(&d->canvas, &a, frame, c);
}

static int start_png(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c)
{
    const struct png_info *info = &d->info;
    if (!want->frame || want->frame > info->frames)
        return complain(c, WORK_BAD_FRAME, "frame %u of %u", want->frame, info->frames);
    struct size size = {info->width, info->height};
    int status = check_pixels(size.w, size.h, (uint64_t)size.w * size.h, c);
    if (status)
        return status;
    /* The still picture is the first frame when the animation starts before it. */
    d->drawn = info->first_frame && (want->frame > 1 || info->first_frame > info->idat);
    status = d->drawn ? play(d, want->frame, c)
                      : png_rows_open(&d->rows, info, info->idat, size, want->channels, c);
    if (status)
        return status;
    d->started = !d->drawn;
    *ret_size = size;
    return WORK_OK;
}

static int row_png(struct decoder *d, uint8_t *out, struct complaint *c)
{
    if (!d->drawn)
        return png_rows_next(&d->rows, out, c);
    canvas_row(&d->canvas, out);
    return WORK_OK;
}

static int finish_png(struct decoder *d, struct complaint *c)
{
    return d->drawn ? WORK_OK : png_rows_end(&d->rows, c);
}

const struct decoder_ops decode_png = {
    .media = MEDIA_PNG,
    .library = "PNG built in, libdeflate " LIBDEFLATE_VERSION_STRING,
    .open = open_png,
    .start = start_png,
    .row = row_png,
    .finish = finish_png,
    .close = close_png,
    .sheet = sheet_png,
    .strip = strip,
};
