/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A video as a decoder: one frame of it, by number or by time, or a sheet of several. The frame is decoded when the file is
 * opened, since its size is its own: streams may change theirs midway.
 */
#include "video.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "pixels.h"
#include "sheet.h"

struct decoder {
    struct movie *movie;
    AVFrame *frame;
    struct pixels pixels; /* of the frame */
    struct contact sheet; /* or these are shown */
    bool is_sheet;
    struct size size;
    uint8_t channels;
    uint32_t row;
};

static void video_close(struct decoder *d)
{
    if (!d)
        return;
    movie_close(d->movie);
    av_frame_free(&d->frame);
    pixels_done(&d->pixels);
    if (d->is_sheet)
        contact_done(&d->sheet);
    free(d);
}

static void close_decoder(struct decoder **d)
{
    video_close(*d);
}

/* Which frame is asked for, as a time of the stream. */
static int find_wanted(const struct movie *m, const struct work_request *q, struct header *h, int64_t *ret_pts,
                       struct complaint *c)
{
    int64_t length = movie_length(m);
    char words[24];
    if (q->flags & WORK_TIME) {
        contact_time(length, words);
        if (q->time_ms < 0 || q->time_ms > (length + 9) / 10 * 10) /* as the words have it */
            return complain(c, WORK_BAD_TIME, "the video is %s long", words);
        *ret_pts = movie_at(m, movie_pts(m, q->time_ms));
        return WORK_OK;
    }
    if (q->frame > h->frames)
        return complain(c, WORK_BAD_FRAME, "there are %u frames", h->frames);
    *ret_pts = movie_nth(m, MAX(q->frame, 1));
    return WORK_OK;
}

static int open_frame(struct decoder *d, const struct work_request *q, struct header *h, struct complaint *c)
{
    int64_t pts = 0;
    int status = find_wanted(d->movie, q, h, &pts, c);
    d->frame = av_frame_alloc();
    if (!status && !d->frame)
        status = complain(c, WORK_NO_MEMORY, "no memory for the frame");
    if (!status)
        status = movie_frame(d->movie, pts, d->frame, c);
    if (status)
        return status;
    d->size = pixels_size(d->movie, d->frame);
    h->alpha = pixels_alpha(d->frame);
    h->channels = h->alpha ? 4 : 3;
    h->orientation = pixels_orientation(d->movie);
    return check_sides(d->size.w, d->size.h, c);
}

static int video_open(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    cleanup(close_decoder) struct decoder *d = calloc(1, sizeof *d);
    struct header h = {.orientation = 1, .channels = 3, .lossy = true};
    if (!d)
        return complain(c, WORK_NO_MEMORY, "no memory for the video");
    if (!s->request)
        return complain(c, WORK_UNSUPPORTED, "nothing is asked of the video");
    int status = movie_open(s, &d->movie, c);
    if (!status)
        status = movie_list(d->movie, c);
    if (status)
        return status;
    h.frames = movie_count(d->movie, &h.approximate);
    h.cut = d->movie->frames.cut;
    h.damaged = d->movie->frames.damaged;
    h.duration_ms = movie_length(d->movie);
    d->is_sheet = s->request->flags & WORK_SHEET;
    status = d->is_sheet ? sheet_make(d->movie, &s->request->limits, &d->sheet, &h, c) : open_frame(d, s->request, &h, c);
    if (d->is_sheet && !status)
        d->size = d->sheet.image.size;
    h.width = d->size.w;
    h.height = d->size.h;
    *ret_header = h;
    if (!status)
        *ret = take(d);
    return status;
}

static int video_start(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c)
{
    d->channels = want->channels ? want->channels : 4;
    *ret_size = d->size;
    int status = check_pixels(d->size.w, d->size.h, (uint64_t)d->size.w * d->size.h, c);
    if (status)
        return status;
    int e = pixels_make(d->movie, d->frame, d->size, d->channels, false, &d->pixels);
    if (e)
        return e == -ENOMEM ? complain(c, WORK_NO_MEMORY, "no memory for the frame")
                            : complain(c, WORK_UNSUPPORTED, "its colours cannot be converted");
    return WORK_OK;
}

static int video_row(struct decoder *d, uint8_t *out, struct complaint *c)
{
    (void)c;
    memcpy(out, d->pixels.px + d->row++ * d->pixels.stride, (size_t)d->size.w * d->channels);
    return WORK_OK;
}

static int video_finish(struct decoder *d, struct complaint *c)
{
    (void)d, (void)c;
    return WORK_OK;
}

static int video_draw(struct decoder *d, const struct want *want, struct image *ret, struct complaint *c)
{
    (void)want, (void)c;
    *ret = contact_take(&d->sheet);
    return WORK_OK;
}

static void video_tell(const struct decoder *d, struct told *ret)
{
    ret->duration_ms = movie_length(d->movie);
    if (d->is_sheet) {
        ret->cells = d->sheet.cells;
        ret->n_cells = d->sheet.plan.n;
    } else {
        ret->time_ms = movie_ms(d->movie, d->frame->pts);
    }
}

#define VIDEO(of)                                                                                                          \
    {.media = (of), .library = "libavcodec", .open = video_open, .start = video_start, .row = video_row,                  \
     .finish = video_finish, .draw = video_draw, .close = video_close, .tell = video_tell}

const struct decoder_ops *video_decoder(enum media media)
{
    static const struct decoder_ops rows[] = {VIDEO(MEDIA_MP4), VIDEO(MEDIA_MOV), VIDEO(MEDIA_WEBM), VIDEO(MEDIA_MKV), VIDEO(MEDIA_AVI),
                                              VIDEO(MEDIA_MPEG), VIDEO(MEDIA_TS), VIDEO(MEDIA_FLV), VIDEO(MEDIA_ASF), VIDEO(MEDIA_OGG)};
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].media == media)
            return &rows[i];
    return NULL;
}
