/* SPDX-License-Identifier: Apache-2.0 */
/* Clips, encoded by libavcodec and put into containers by libavformat, in memory. */
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/opt.h>
#include <string.h>

#include "base/cleanup.h"
#include "mkvideo.h"

enum { PIECE = 64 * 1024, TICKS = 3, SOUND_RATE = 8000, SOUND_PIECE = 320 };

const struct clip clips[] = {
    {"h264.mp4", "mp4", "libx264", 240, 160, 100, 25, 2, .scenes = SCENES},
    {"h264-open.mp4", "mp4", "libx264", 240, 160, 100, 250, 3, .scenes = SCENES},
    {"h264.mkv", "matroska", "libx264", 240, 160, 100, 40, 2, .scenes = SCENES},
    {"h265.mp4", "mp4", "libx265", 240, 160, 50, 25, 2, .scenes = SCENES},
    {"mpeg4.mp4", "mp4", "mpeg4", 240, 160, 100, 12, 0, .scenes = SCENES},
    {"mpeg4-b.avi", "avi", "mpeg4", 240, 160, 100, 12, 2, .scenes = SCENES},
    {"mjpeg.avi", "avi", "mjpeg", 240, 160, 50, 1, 0, .scenes = SCENES},
    {"vp8.webm", "webm", "libvpx", 240, 160, 100, 30, 0, .scenes = SCENES},
    {"vp9.webm", "webm", "libvpx-vp9", 240, 160, 50, 30, 0, .scenes = SCENES},
    {"av1.mp4", "mp4", "libaom-av1", 240, 160, 50, 25, 0, .scenes = SCENES},
    {"prores.mov", "mov", "prores", 240, 160, 12, 1, 0, .scenes = SCENES},
    {"sound.mov", "mov", "libx264", 240, 160, 50, 25, 2, .scenes = SCENES, .sound = true},
    {"turned-6.mp4", "mp4", "libx264", 240, 160, 25, 25, 0, .scenes = SCENES, .turn = 6},
    {"turned-8.mp4", "mp4", "libx264", 240, 160, 25, 25, 0, .scenes = SCENES, .turn = 8},
    {"turned-3.mp4", "mp4", "libx264", 240, 160, 25, 25, 0, .scenes = SCENES, .turn = 3},
    {"wide-pixels.mp4", "mp4", "libx264", 180, 160, 25, 25, 0, .scenes = SCENES, .shape_num = 16, .shape_den = 11},
    {"tall-pixels.mkv", "matroska", "libx264", 240, 160, 25, 25, 0, .scenes = SCENES, .shape_num = 3, .shape_den = 4},
    {"uneven.mp4", "mp4", "libx264", 240, 160, 50, 25, 2, .scenes = SCENES, .uneven = true},
    {"film.mp4", "mp4", "libx264", 240, 160, 96, 24, 2, .scenes = SCENES, .film = true},
    {"one-frame.mp4", "mp4", "libx264", 240, 160, 1, 25, 0, .scenes = SCENES},
    {"still.mp4", "mp4", "libx264", 240, 160, 100, .gop = 50, .b_frames = 2},
    {"fragments.mp4", "mp4", "libx264", 240, 160, 50, 25, 2, .scenes = SCENES, .stream = true,
     .options = "movflags=frag_keyframe+empty_moov"},
    {"recorded.webm", "webm", "libvpx", 240, 160, 50, 25, 0, .scenes = SCENES, .stream = true, .options = "live=1"},
    {"resized.webm", "webm", "libvpx", 240, 160, 50, 25, 0, .scenes = SCENES, .second_width = 120},
    {"long.mp4", "mp4", "mpeg4", 160, 96, 3000, 50, 0, .scenes = SCENES},
    {"long-intra.avi", "avi", "mjpeg", 160, 96, 1400, 1, 0, .scenes = SCENES},
    {"mpeg2.mpg", "vob", "mpeg2video", 240, 160, 100, 12, 2, .scenes = SCENES},
    {"mpeg1.mpg", "mpeg", "mpeg1video", 240, 160, 50, 12, 0, .scenes = SCENES},
    {"h264.ts", "mpegts", "libx264", 240, 160, 100, 25, 2, .scenes = SCENES},
    {"mpeg2.ts", "mpegts", "mpeg2video", 240, 160, 100, 12, 2, .scenes = SCENES, .sound = true},
    {"flv1.flv", "flv", "flv", 240, 160, 100, 25, 0, .scenes = SCENES},
    {"h264.flv", "flv", "libx264", 240, 160, 100, 25, 2, .scenes = SCENES},
    {"wmv2.wmv", "asf", "wmv2", 240, 160, 100, 25, 0, .scenes = SCENES},
    {"msmpeg4.wmv", "asf", "msmpeg4", 240, 160, 100, 25, 0, .scenes = SCENES},
    {"theora.ogv", "ogg", "libtheora", 240, 160, 100, 25, 0, .scenes = SCENES},
    {"sound-only.avi", "avi", NULL, .frames = 50, .sound = true},
    {.name = NULL},
};

/* One clip while it is made. */
struct making {
    const struct clip *clip;
    AVFormatContext *format;
    AVCodecContext *codec;
    AVStream *pictures, *sound;
    AVFrame *frame;
    AVPacket *packet;
    struct buf *out;
    size_t at;
};

static int write_bytes(void *opaque, uint8_t *data, int n)
{
    struct making *m = opaque;
    size_t end = m->at + (size_t)n, over = MIN(m->out->len, end) - MIN(m->out->len, m->at);
    if (over)
        memcpy(m->out->data + m->at, data, over);
    if (buf_add(m->out, data + over, (size_t)n - over))
        return AVERROR(ENOMEM);
    m->at = end;
    return n;
}

static int64_t seek_bytes(void *opaque, int64_t to, int whence)
{
    struct making *m = opaque;
    if (whence != SEEK_SET || to < 0 || (size_t)to > m->out->len)
        return AVERROR(EINVAL);
    m->at = (size_t)to;
    return to;
}

/* ---------------------------------------------------------------- what a frame shows */

static const uint8_t grounds[SCENES][3] = {{81, 90, 240}, {145, 54, 34}, {41, 240, 110}, {210, 16, 146}};

static void colour_at(const struct clip *c, int n, double x, double y, uint8_t yuv[3])
{
    int scene = c->scenes ? n * c->scenes / c->frames : 0;
    double box = c->scenes ? (n % 25) / 32.0 : 0.5;
    memcpy(yuv, grounds[scene], 3);
    if (x >= box && x < box + 0.2 && y >= 0.3 && y < 0.55)
        memcpy(yuv, (uint8_t[]){235, 128, 128}, 3);
    bool bit = ((c->scenes ? n + 1 : 1) >> (BITS - 1 - (int)(x * BITS))) & 1;
    if (y >= 0.875)
        memcpy(yuv, (uint8_t[]){bit ? 235 : 16, 128, 128}, 3);
}

/* Where a stored pixel is when the picture stands upright, in shares. */
static void upright(int turn, double *x, double *y)
{
    double sx = *x, sy = *y;
    if (turn == 3)
        *x = 1 - sx, *y = 1 - sy;
    else if (turn == 6)
        *x = 1 - sy, *y = sx;
    else if (turn == 8)
        *x = sy, *y = 1 - sx;
}

static void paint(const struct clip *c, int n, AVFrame *f)
{
    bool wide_chroma = f->format == AV_PIX_FMT_YUV422P10;
    for (int p = 0; p < 3; p++) {
        int w = p ? f->width / 2 : f->width, h = p && !wide_chroma ? f->height / 2 : f->height;
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                uint8_t yuv[3];
                double ux = (x + 0.5) / w, uy = (y + 0.5) / h;
                upright(c->turn, &ux, &uy);
                colour_at(c, n, ux, uy, yuv);
                uint8_t *row = f->data[p] + y * f->linesize[p];
                if (wide_chroma)
                    ((uint16_t *)(void *)row)[x] = (uint16_t)(yuv[p] << 2);
                else
                    row[x] = yuv[p];
            }
    }
}

/* ---------------------------------------------------------------- encoding */

static int64_t time_of(const struct clip *c, int n)
{
    int middle = c->frames / 2;
    return c->uneven && n > middle ? TICKS * (middle + 3 * (int64_t)(n - middle)) : TICKS * (int64_t)n;
}

static enum AVPixelFormat format_for(const char *encoder)
{
    if (!strcmp(encoder, "mjpeg"))
        return AV_PIX_FMT_YUVJ420P;
    return !strcmp(encoder, "prores") ? AV_PIX_FMT_YUV422P10 : AV_PIX_FMT_YUV420P;
}

static int open_encoder(struct making *m, int width)
{
    const struct clip *c = m->clip;
    const AVCodec *codec = avcodec_find_encoder_by_name(c->encoder);
    m->codec = codec ? avcodec_alloc_context3(codec) : NULL;
    if (!m->codec)
        return AVERROR_ENCODER_NOT_FOUND;
    AVCodecContext *x = m->codec;
    x->width = width;
    x->height = c->height;
    x->pix_fmt = format_for(c->encoder);
    x->time_base = !strcmp(c->muxer, "avi") || !strncmp(c->encoder, "mpeg", 4) || !strcmp(c->muxer, "ogg") ? (AVRational){1, RATE}
           : c->film                                                       ? (AVRational){1001, TICKS * 24000}
                                                                           : (AVRational){1, TICKS * RATE};
    x->framerate = (AVRational){RATE, 1};
    x->gop_size = c->gop;
    x->max_b_frames = c->b_frames;
    x->bit_rate = 600000;
    x->thread_count = 1;
    x->sample_aspect_ratio = c->shape_num ? (AVRational){c->shape_num, c->shape_den} : (AVRational){1, 1};
    x->flags |= AV_CODEC_FLAG_BITEXACT | (m->format->oformat->flags & AVFMT_GLOBALHEADER ? AV_CODEC_FLAG_GLOBAL_HEADER : 0);
    (void)av_opt_set(x->priv_data, "preset", "veryfast", 0);
    (void)av_opt_set(x->priv_data, "deadline", "realtime", 0);
    (void)av_opt_set(x->priv_data, "cpu-used", "8", 0);
    (void)av_opt_set(x->priv_data, "x265-params", "log-level=none:pools=none:frame-threads=1", 0);
    return avcodec_open2(x, codec, NULL);
}

static int add_pictures(struct making *m)
{
    const struct clip *c = m->clip;
    int e = open_encoder(m, c->width);
    m->pictures = e ? NULL : avformat_new_stream(m->format, NULL);
    if (!m->pictures)
        return e ? e : AVERROR(ENOMEM);
    m->pictures->time_base = m->codec->time_base;
    m->pictures->avg_frame_rate = m->codec->framerate;
    m->pictures->sample_aspect_ratio = m->codec->sample_aspect_ratio;
    e = avcodec_parameters_from_context(m->pictures->codecpar, m->codec);
    if (e >= 0 && c->turn > 1) {
        uint8_t *side = av_stream_new_side_data(m->pictures, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof(int32_t));
        if (!side)
            return AVERROR(ENOMEM);
        /* The library turns the other way round. */
        av_display_rotation_set((int32_t *)(void *)side, c->turn == 6 ? 90 : c->turn == 8 ? -90 : 180);
    }
    return e;
}

static int add_sound(struct making *m)
{
    m->sound = avformat_new_stream(m->format, NULL);
    if (!m->sound)
        return AVERROR(ENOMEM);
    AVCodecParameters *p = m->sound->codecpar;
    p->codec_type = AVMEDIA_TYPE_AUDIO;
    p->codec_id = AV_CODEC_ID_PCM_S16LE;
    p->sample_rate = SOUND_RATE;
    p->format = AV_SAMPLE_FMT_S16;
    p->bits_per_coded_sample = 16;
    p->block_align = 2;
    p->bit_rate = SOUND_RATE * 16;
    av_channel_layout_default(&p->ch_layout, 1);
    m->sound->time_base = (AVRational){1, SOUND_RATE};
    return 0;
}

static int write_packets(struct making *m)
{
    for (;;) {
        int e = avcodec_receive_packet(m->codec, m->packet);
        if (e)
            return e == AVERROR(EAGAIN) || e == AVERROR_EOF ? 0 : e;
        m->packet->stream_index = m->pictures->index;
        m->packet->duration = av_rescale_q(1, (AVRational){1, RATE}, m->codec->time_base);
        av_packet_rescale_ts(m->packet, m->codec->time_base, m->pictures->time_base);
        e = av_interleaved_write_frame(m->format, m->packet);
        if (e < 0)
            return e;
    }
}

static int write_sound(struct making *m, int n)
{
    static uint8_t silence[SOUND_PIECE * 2];
    int e = av_new_packet(m->packet, sizeof silence);
    if (e)
        return e;
    memset(m->packet->data, 0, sizeof silence);
    m->packet->pts = m->packet->dts = (int64_t)n * SOUND_PIECE;
    m->packet->duration = SOUND_PIECE;
    m->packet->stream_index = m->sound->index;
    av_packet_rescale_ts(m->packet, (AVRational){1, SOUND_RATE}, m->sound->time_base);
    return av_interleaved_write_frame(m->format, m->packet);
}

static int new_frame(struct making *m)
{
    av_frame_free(&m->frame);
    m->frame = av_frame_alloc();
    if (!m->frame)
        return AVERROR(ENOMEM);
    m->frame->width = m->codec->width;
    m->frame->height = m->codec->height;
    m->frame->format = m->codec->pix_fmt;
    return av_frame_get_buffer(m->frame, 0);
}

static int encode_frame(struct making *m, int n)
{
    int e = av_frame_make_writable(m->frame);
    if (e)
        return e;
    paint(m->clip, n, m->frame);
    m->frame->pts = m->clip->film ? time_of(m->clip, n) : time_of(m->clip, n) * m->codec->time_base.den / (TICKS * RATE);
    e = avcodec_send_frame(m->codec, m->frame);
    return e ? e : write_packets(m);
}

/* Another encoder, whose packets go on in the same stream. */
static int change_size(struct making *m)
{
    int e = avcodec_send_frame(m->codec, NULL);
    if (!e)
        e = write_packets(m);
    avcodec_free_context(&m->codec);
    if (!e)
        e = open_encoder(m, m->clip->second_width);
    return e ? e : new_frame(m);
}

static int write_all_frames(struct making *m)
{
    const struct clip *c = m->clip;
    int e = m->pictures ? new_frame(m) : 0;
    for (int n = 0; n < c->frames && !e; n++) {
        if (c->second_width && n == c->frames / 2)
            e = change_size(m);
        if (!e && m->pictures)
            e = encode_frame(m, n);
        if (!e && m->sound)
            e = write_sound(m, n);
    }
    if (!e && m->pictures)
        e = avcodec_send_frame(m->codec, NULL);
    return e || !m->pictures ? e : write_packets(m);
}

static int write_file(struct making *m)
{
    AVDictionary *options = NULL;
    int e = m->clip->encoder ? add_pictures(m) : 0;
    if (e >= 0 && m->clip->sound)
        e = add_sound(m);
    if (e >= 0 && m->clip->options)
        e = av_dict_parse_string(&options, m->clip->options, "=", ":", 0);
    if (e >= 0)
        e = avformat_write_header(m->format, &options);
    av_dict_free(&options);
    if (e >= 0)
        e = write_all_frames(m);
    return e < 0 ? e : av_write_trailer(m->format);
}

static void making_done(struct making *m)
{
    avcodec_free_context(&m->codec);
    av_frame_free(&m->frame);
    av_packet_free(&m->packet);
    if (m->format && m->format->pb) {
        av_freep(&m->format->pb->buffer);
        avio_context_free(&m->format->pb);
    }
    avformat_free_context(m->format);
}

int clip_make(const struct clip *clip, struct buf *out)
{
    cleanup(making_done) struct making m = {.clip = clip, .out = out, .packet = av_packet_alloc()};
    uint8_t *piece = av_malloc(PIECE);
    if (!m.packet || !piece || avformat_alloc_output_context2(&m.format, NULL, clip->muxer, NULL) < 0)
        return AVERROR(ENOMEM);
    m.format->flags |= AVFMT_FLAG_BITEXACT;
    m.format->pb = avio_alloc_context(piece, PIECE, 1, &m, NULL, write_bytes, clip->stream ? NULL : seek_bytes);
    return m.format->pb ? write_file(&m) : AVERROR(ENOMEM);
}
