/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames to pixels by libswscale, with the matrix and the range that the stream names. Where it names none, size decides, as
 * in players: BT.601 for standard definition, BT.709 above.
 */
#include "pixels.h"

#include <libavutil/display.h>
#include <libavutil/pixdesc.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"

enum {
    ALIGN = 64,    /* of rows; swscale writes whole vectors */
    HD_W = 1280,   /* from here on BT.709 */
    HD_H = 577,
    LOOK_LINES = 8,  /* of the source for one of a look: the others are passed over */
    SHAPE_MOST = 16, /* a pixel that is longer than so many times its width is a mistake */
};

struct size pixels_size(const struct movie *m, const AVFrame *f)
{
    AVFrame *borrowed = (AVFrame *)(uintptr_t)f; /* only looked at */
    AVRational shape = av_guess_sample_aspect_ratio(m->format, m->stream, borrowed);
    double w = f->width, h = f->height, q = shape.num > 0 && shape.den > 0 ? av_q2d(shape) : 1;
    if (q > SHAPE_MOST || q < 1.0 / SHAPE_MOST)
        q = 1;
    w = q > 1 ? fmin(nearbyint(w * q), LIMIT_SIDE) : w;
    h = q < 1 ? fmin(nearbyint(h / q), LIMIT_SIDE) : h;
    return (struct size){(uint32_t)w, (uint32_t)h};
}

/* Where the right and the lower edge go, by the signs of the matrix; a turn by other than quarters is none. */
uint8_t pixels_orientation(const struct movie *m)
{
    static const int8_t turns[9][4] = {{0}, {1, 0, 0, 1}, {-1, 0, 0, 1}, {-1, 0, 0, -1}, {1, 0, 0, -1},
                                       {0, 1, 1, 0}, {0, 1, -1, 0}, {0, -1, -1, 0}, {0, -1, 1, 0}};
    size_t len = 0;
    const uint8_t *side = av_stream_get_side_data(m->stream, AV_PKT_DATA_DISPLAYMATRIX, &len);
    int32_t matrix[9];
    if (!side || len < sizeof matrix)
        return 1;
    memcpy(matrix, side, sizeof matrix);
    const int32_t at[4] = {matrix[0], matrix[1], matrix[3], matrix[4]};
    for (uint8_t turn = 1; turn <= 8; turn++) {
        bool same = true;
        for (size_t i = 0; i < 4; i++)
            same = same && (at[i] > 0) - (at[i] < 0) == turns[turn][i];
        if (same)
            return turn;
    }
    return 1;
}

bool pixels_alpha(const AVFrame *f)
{
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(f->format);
    return d && d->flags & AV_PIX_FMT_FLAG_ALPHA;
}

void pixels_done(struct pixels *p)
{
    free(p->px);
    *p = (struct pixels){0};
}

static int matrix_of(const AVFrame *f)
{
    bool known = f->colorspace != AVCOL_SPC_UNSPECIFIED && f->colorspace != AVCOL_SPC_RGB;
    if (known)
        return (int)f->colorspace; /* the numbers are the same, and sws_getCoefficients takes any */
    return f->width >= HD_W || f->height >= HD_H ? SWS_CS_ITU709 : SWS_CS_ITU601;
}

/* Formats with full range in their name, from before it had a place of its own; and grey JPEG, of which the decoder names none. */
static bool full_range(const struct movie *m, const AVFrame *f)
{
    static const enum AVPixelFormat old[] = {AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P,
                                             AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P};
    bool full = f->color_range == AVCOL_RANGE_JPEG ||
                (f->format == AV_PIX_FMT_GRAY8 && f->color_range == AVCOL_RANGE_UNSPECIFIED && m->codec->codec_id == AV_CODEC_ID_MJPEG);
    for (size_t i = 0; i < COUNT(old); i++)
        full = full || f->format == (int)old[i];
    return full;
}

/* The lines of a frame that are converted. */
struct lines {
    int n, stride[4];
};

/* For a look most of them are left out. */
static struct lines lines_of(const AVFrame *f, uint32_t height, bool quick)
{
    int step = quick ? (int)MAX((uint32_t)f->height / (height * LOOK_LINES), 1u) : 1;
    struct lines l = {.n = f->height / step};
    for (size_t i = 0; i < COUNT(l.stride); i++)
        l.stride[i] = f->linesize[i] * step;
    return l;
}

/* The scaler is kept for frames like this one: setting it up takes longer than a small frame. */
static struct SwsContext *scaler_for(struct movie *m, const AVFrame *f, int lines, struct size size, enum AVPixelFormat to,
                                     bool quick)
{
    int flags = quick ? SWS_AREA : SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP;
    m->scaler = sws_getCachedContext(m->scaler, f->width, lines, f->format, (int)size.w, (int)size.h, to, flags, NULL, NULL,
                                     NULL);
    const int *matrix = sws_getCoefficients(matrix_of(f)), *plain = sws_getCoefficients(SWS_CS_DEFAULT);
    if (m->scaler)
        (void)sws_setColorspaceDetails(m->scaler, matrix, full_range(m, f), plain, 1, 0, 1 << 16, 1 << 16);
    return m->scaler;
}

int pixels_make(struct movie *m, const AVFrame *f, struct size size, uint8_t channels, bool quick, struct pixels *ret)
{
    struct lines from = lines_of(f, size.h, quick);
    struct SwsContext *s = scaler_for(m, f, from.n, size, channels == 4 ? AV_PIX_FMT_RGBA : AV_PIX_FMT_RGB24, quick);
    if (!s)
        return -EINVAL;
    size_t stride = ((size_t)size.w * channels + 2 * ALIGN - 1) / ALIGN * ALIGN;
    uint8_t *px = aligned_alloc(ALIGN, stride * (size.h + 1));
    if (!px)
        return -ENOMEM;
    int lines = sws_scale(s, (const uint8_t *const *)f->data, from.stride, 0, from.n, (uint8_t *const[4]){px},
                          (const int[4]){(int)stride});
    if (lines != (int)size.h) {
        free(px);
        return -EINVAL;
    }
    *ret = (struct pixels){px, stride};
    return 0;
}

/* The largest of the frame's shape within the box, before it is turned. */
static struct size within(struct size s, struct size box)
{
    double q = fmin(fmin((double)box.w / s.w, (double)box.h / s.h), 1);
    return (struct size){(uint32_t)fmax(nearbyint(s.w * q), 1), (uint32_t)fmax(nearbyint(s.h * q), 1)};
}

int pixels_image(struct movie *m, const AVFrame *f, struct size box, struct image *ret)
{
    uint8_t turn = pixels_orientation(m);
    cleanup(pixels_done) struct pixels p = {0};
    auto_image made = {0};
    struct size size = within(pixels_size(m, f), size_turned(box, turn));
    int e = pixels_make(m, f, size, 4, false, &p);
    if (!e)
        e = image_init(&made, size);
    if (e)
        return e;
    for (uint32_t y = 0; y < size.h; y++)
        memcpy(made.px + y * image_stride(&made), p.px + y * p.stride, image_stride(&made));
    made.opaque = !pixels_alpha(f);
    e = image_orient(&made, turn);
    if (e)
        return e;
    *ret = made;
    made = (struct image){0};
    return 0;
}
