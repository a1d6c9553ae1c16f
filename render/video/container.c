/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a video: the demuxer that belongs to the sniffed type and no other, over bytes in memory; every way by which a
 * file could name another one is shut. What comes in is read with an eye on the clock, since a demuxer that is led
 * astray reads on and on.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "movie.h"

enum {
    READ_PIECE = 64 * 1024,
    STREAMS_MOST = 64,
    THREADS = 2,
};

static const struct {
    enum media media;
    const char *name;
} demuxers[] = {{MEDIA_MP4, "mov"}, {MEDIA_MOV, "mov"}, {MEDIA_WEBM, "matroska"}, {MEDIA_MKV, "matroska"}, {MEDIA_AVI, "avi"},
               {MEDIA_MPEG, "mpeg"}, {MEDIA_TS, "mpegts"}, {MEDIA_FLV, "flv"}, {MEDIA_ASF, "asf"}, {MEDIA_OGG, "ogg"}};

/* What is decoded. Where the decoder would pass over damage without a word, it is told to stop at it. */
static const struct coding {
    enum AVCodecID id;
    const char *decoder;
    int detect;
} codings[] = {
    {AV_CODEC_ID_H264, "h264", 0},
    {AV_CODEC_ID_HEVC, "hevc", AV_EF_EXPLODE | AV_EF_CRCCHECK},
    {AV_CODEC_ID_VP8, "vp8", AV_EF_EXPLODE},
    {AV_CODEC_ID_VP9, "vp9", AV_EF_EXPLODE},
    {AV_CODEC_ID_AV1, "libdav1d", AV_EF_EXPLODE},
    {AV_CODEC_ID_MPEG4, "mpeg4", 0},
    {AV_CODEC_ID_MJPEG, "mjpeg", AV_EF_EXPLODE},
    {AV_CODEC_ID_MPEG2VIDEO, "mpeg2video", 0},
    {AV_CODEC_ID_MPEG1VIDEO, "mpeg1video", 0},
    {AV_CODEC_ID_H263, "h263", 0},
    {AV_CODEC_ID_MSMPEG4V3, "msmpeg4", 0},
    {AV_CODEC_ID_PRORES, "prores", AV_EF_EXPLODE},
    {AV_CODEC_ID_FLV1, "flv", 0},
    {AV_CODEC_ID_VP6F, "vp6f", AV_EF_EXPLODE},
    {AV_CODEC_ID_WMV1, "wmv1", 0},
    {AV_CODEC_ID_WMV2, "wmv2", 0},
    {AV_CODEC_ID_WMV3, "wmv3", 0},
    {AV_CODEC_ID_VC1, "vc1", 0},
    {AV_CODEC_ID_MSMPEG4V2, "msmpeg4v2", 0},
    {AV_CODEC_ID_THEORA, "theora", AV_EF_EXPLODE},
};

static int read_bytes(void *opaque, uint8_t *out, int n)
{
    struct movie *m = opaque;
    if (clock_ms() > m->deadline)
        return AVERROR_EXIT;
    size_t left = m->len - m->at, got = MIN(left, (size_t)n);
    if (!got)
        return AVERROR_EOF;
    memcpy(out, m->data + m->at, got);
    m->at += got;
    return (int)got;
}

static int64_t seek_bytes(void *opaque, int64_t to, int whence)
{
    struct movie *m = opaque;
    whence &= ~AVSEEK_FORCE;
    if (whence == AVSEEK_SIZE)
        return (int64_t)m->len;
    int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (int64_t)m->at : (int64_t)m->len;
    if (__builtin_add_overflow(from, to, &to) || to < 0)
        return AVERROR(EINVAL);
    m->at = MIN((size_t)to, m->len);
    return to;
}

static int open_nothing(AVFormatContext *s, AVIOContext **io, const char *url, int flags, AVDictionary **options)
{
    (void)s, (void)io, (void)url, (void)flags, (void)options;
    return AVERROR(EACCES);
}

static int past_deadline(void *opaque)
{
    return clock_ms() > ((struct movie *)opaque)->deadline;
}

static const char *demuxer_of(enum media media)
{
    for (size_t i = 0; i < COUNT(demuxers); i++)
        if (demuxers[i].media == media)
            return demuxers[i].name;
    return "none";
}

static const struct coding *coding_of(enum AVCodecID id)
{
    for (size_t i = 0; i < COUNT(codings); i++)
        if (codings[i].id == id)
            return &codings[i];
    return NULL;
}

/* The list of decoders, as the library wants it. */
static void decoder_names(char *out, size_t room)
{
    size_t at = 0;
    for (size_t i = 0; i < COUNT(codings) && at < room; i++)
        at += (size_t)snprintf(out + at, room - at, "%s%s", i ? "," : "", codings[i].decoder);
}

static int set_options(AVDictionary **ret, const char *demuxer)
{
    char decoders[256];
    decoder_names(decoders, sizeof decoders);
    const char *const options[][2] = {
        {"format_whitelist", demuxer}, {"protocol_whitelist", "none"}, {"codec_whitelist", decoders},
        {"enable_drefs", "0"},         {"use_absolute_path", "0"},
    };
    for (size_t i = 0; i < COUNT(options); i++)
        if (av_dict_set(ret, options[i][0], options[i][1], 0) < 0)
            return AVERROR(ENOMEM);
    return av_dict_set_int(ret, "max_streams", STREAMS_MOST, 0);
}

/* The library frees the format when it cannot open it, and never the bytes. */
static int open_format(struct movie *m)
{
    const char *name = demuxer_of(m->media);
    AVDictionary *options = NULL;
    uint8_t *piece = av_malloc(READ_PIECE);
    m->at = 0;
    /* More than any picture that is allowed needs: one table that claims millions of samples ends here, before the jail's limit. */
    av_max_alloc(LIMIT_VIDEO_MEMORY / 4);
    m->io = piece ? avio_alloc_context(piece, READ_PIECE, 0, m, read_bytes, NULL, seek_bytes) : NULL;
    m->format = avformat_alloc_context();
    m->packet = av_packet_alloc();
    m->next = av_frame_alloc();
    if (!m->io || !m->format || !m->packet || !m->next || set_options(&options, name) < 0)
        return AVERROR(ENOMEM);
    m->format->pb = m->io;
    m->format->io_open = open_nothing;
    m->format->interrupt_callback = (AVIOInterruptCB){past_deadline, m};
    int e = avformat_open_input(&m->format, NULL, av_find_input_format(name), &options);
    av_dict_free(&options);
    return e;
}

static int refuse_format(const struct movie *m, int error, struct complaint *c)
{
    if (error == AVERROR(ENOMEM))
        return complain(c, WORK_NO_MEMORY, "no memory for the video");
    if (clock_ms() > m->deadline)
        return complain(c, WORK_TIMED_OUT, "the video was not read by then");
    return complain(c, WORK_MALFORMED, "the video has no readable index of its frames: it may be cut short");
}

/* The first stream of pictures that move; covers and thumbnails are none. All others are passed over. */
static AVStream *choose_stream(AVFormatContext *f)
{
    AVStream *chosen = NULL;
    for (unsigned i = 0; i < f->nb_streams; i++) {
        AVStream *s = f->streams[i];
        bool picture = s->codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
                       !(s->disposition & (AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS));
        bool better = picture && (!chosen || (s->disposition & ~chosen->disposition & AV_DISPOSITION_DEFAULT));
        chosen = better ? s : chosen;
    }
    for (unsigned i = 0; i < f->nb_streams; i++)
        f->streams[i]->discard = f->streams[i] == chosen ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    return chosen;
}

/* Sound alone is a file that is right, but nothing to see. */
static int refuse_streams(const AVFormatContext *f, struct complaint *c)
{
    for (unsigned i = 0; i < f->nb_streams; i++)
        if (f->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO)
            return complain(c, WORK_UNSUPPORTED, "the file has sound but no pictures");
    return complain(c, WORK_MALFORMED, "the file has no stream of pictures");
}

static int open_decoder(struct movie *m, struct complaint *c)
{
    const AVCodecParameters *p = m->stream->codecpar;
    const struct coding *coding = coding_of(p->codec_id);
    const AVCodec *codec = coding ? avcodec_find_decoder_by_name(coding->decoder) : NULL;
    if (!codec)
        return complain(c, WORK_UNSUPPORTED, "its pictures are coded as %.32s, which is not decoded here",
                        avcodec_get_name(p->codec_id));
    m->codec = avcodec_alloc_context3(codec);
    if (!m->codec || avcodec_parameters_to_context(m->codec, p) < 0)
        return complain(c, WORK_NO_MEMORY, "no memory for the video");
    m->codec->pkt_timebase = m->stream->time_base;
    m->codec->thread_count = THREADS;
    m->codec->max_pixels = (int64_t)LIMIT_PIXELS;
    m->codec->err_recognition = coding->detect;
    int e = avcodec_open2(m->codec, codec, NULL);
    if (e == AVERROR(ENOMEM) || e == AVERROR(EAGAIN)) /* the latter: of its threads */
        return complain(c, WORK_NO_MEMORY, "no memory for the video");
    return e < 0 ? complain(c, WORK_MALFORMED, "its pictures do not decode") : WORK_OK;
}

static int check_size(const AVCodecParameters *p, struct complaint *c)
{
    if (p->width <= 0 || p->height <= 0)
        return WORK_OK; /* the pictures say it themselves */
    uint32_t w = (uint32_t)p->width, h = (uint32_t)p->height;
    int status = check_sides(w, h, c);
    return status ? status : check_pixels(w, h, (uint64_t)w * h, c);
}

static bool is_headless(enum media m)
{
    return m == MEDIA_MPEG || m == MEDIA_TS || m == MEDIA_FLV || m == MEDIA_ASF || m == MEDIA_OGG;
}

static int open_streams(struct movie *m, struct complaint *c)
{
    int e = open_format(m);
    if (e < 0)
        return refuse_format(m, e, c);
    /* What has no head tells its streams only as they come. */
    if (is_headless(m->media) && avformat_find_stream_info(m->format, NULL) < 0)
        return refuse_format(m, 0, c);
    m->stream = choose_stream(m->format);
    if (!m->stream)
        return refuse_streams(m->format, c);
    int status = check_size(m->stream->codecpar, c);
    /* AVI does not say when frames are shown, but whether they change places shows in the first of them. */
    if (!status && m->media == MEDIA_AVI && avformat_find_stream_info(m->format, NULL) < 0)
        status = refuse_format(m, 0, c);
    return status || !m->decodes ? status : open_decoder(m, c);
}

static void close_movie(struct movie **m)
{
    movie_close(*m);
}

int movie_open(const struct source *s, struct movie **ret, struct complaint *c)
{
    cleanup(close_movie) struct movie *m = calloc(1, sizeof *m);
    if (!m)
        return complain(c, WORK_NO_MEMORY, "no memory for the video");
    *m = (struct movie){.data = s->data, .len = s->len, .reached = INT64_MIN,
                        .media = (enum media)s->request->media, .decodes = s->request->frame != WORK_NO_FRAME,
                        .deadline = clock_ms() + LIMIT_VIDEO_MS};
    int status = open_streams(m, c);
    if (!status)
        *ret = take(m);
    return status;
}

void movie_close(struct movie *m)
{
    if (!m)
        return;
    avcodec_free_context(&m->codec);
    avformat_close_input(&m->format);
    if (m->io)
        av_freep(&m->io->buffer);
    avio_context_free(&m->io);
    av_packet_free(&m->packet);
    av_frame_free(&m->next);
    sws_freeContext(m->scaler);
    free(m->frames.shown.at);
    free(m->frames.keys.at);
    free(m->frames.starts.at);
    free(m);
}
