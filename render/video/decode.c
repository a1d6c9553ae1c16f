/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a time to its frame: seek to the key frame before it, decode up to it. A frame counts only when everything from the
 * key frame on decoded without a word of complaint, for what is damaged lives on in the frames that build on it.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "movie.h"

/* Packets in a row of which nothing comes: then there is nothing in them. */
enum { VAIN_MOST = 256 };

static bool frame_whole(const AVFrame *f)
{
    return !f->decode_error_flags && !(f->flags & AV_FRAME_FLAG_CORRUPT);
}

/* Gives the decoder the next packet of the stream, or its end. What it does not like is remembered. */
static int feed(struct movie *m)
{
    int e;
    do {
        av_packet_unref(m->packet);
        e = clock_ms() > m->deadline ? AVERROR_EXIT : av_read_frame(m->format, m->packet);
    } while (!e && m->packet->stream_index != m->stream->index);
    if (e == AVERROR_EXIT)
        return e;
    m->ended = e < 0;
    if (!m->ended && m->packet->flags & AV_PKT_FLAG_CORRUPT)
        m->hurt = true;
    int sent = avcodec_send_packet(m->codec, m->ended ? NULL : m->packet);
    av_packet_unref(m->packet);
    if (sent == AVERROR(ENOMEM))
        return sent;
    m->hurt |= sent < 0 && sent != AVERROR_EOF;
    return ++m->vain > VAIN_MOST ? AVERROR_INVALIDDATA : 0;
}

/* The next frame that is shown, into m->next. AVERROR_EOF behind the last. */
static int decode_next(struct movie *m)
{
    for (;;) {
        int e = avcodec_receive_frame(m->codec, m->next);
        if (!e)
            break;
        if (e == AVERROR(ENOMEM) || (e == AVERROR_EOF && m->ended))
            return e;
        if (e != AVERROR(EAGAIN))
            m->hurt = true;
        e = m->ended ? (e == AVERROR(EAGAIN) ? AVERROR_EOF : 0) : feed(m);
        if (e)
            return e;
    }
    AVFrame *f = m->next;
    m->vain = 0;
    m->size = (struct size){(uint32_t)f->width, (uint32_t)f->height};
    m->hurt = (m->hurt && !f->key_frame) || !frame_whole(f);
    f->pts = movie_time(m, f);
    return 0;
}

/* A transport stream is searched by the times of decoding, which come before those of showing; its beginning is just that. */
static int seek_format(struct movie *m, int64_t to)
{
    uint32_t key = movie_key(m, to);
    if (m->media != MEDIA_TS)
        return av_seek_frame(m->format, m->stream->index, to, AVSEEK_FLAG_BACKWARD);
    return key ? av_seek_frame(m->format, m->stream->index, m->frames.starts.at[key], AVSEEK_FLAG_BACKWARD)
               : av_seek_frame(m->format, -1, 0, AVSEEK_FLAG_BYTE);
}

static int seek(struct movie *m, int64_t to)
{
    av_frame_unref(m->next);
    avcodec_flush_buffers(m->codec);
    m->reached = INT64_MIN;
    m->ended = m->hurt = false;
    m->vain = 0;
    return seek_format(m, to);
}

/* Whether decoding on gets there no later than decoding from the key frame before it. */
static bool on_the_way(const struct movie *m, int64_t pts)
{
    const struct times *keys = &m->frames.keys;
    if (m->reached == INT64_MIN || m->reached > pts)
        return false;
    return !keys->n || m->reached >= keys->at[movie_key(m, pts)];
}

/* Decodes up to `pts`; the last frame not after it stays in `ret`. */
static int decode_to(struct movie *m, int64_t pts, AVFrame *ret, bool *ret_hurt)
{
    for (int e = 0;;) {
        if (!m->next->buf[0])
            e = decode_next(m);
        if (e)
            return e == AVERROR_EOF && ret->buf[0] ? 0 : e;
        if (m->next->pts > pts)
            return ret->buf[0] ? 0 : AVERROR(ERANGE);
        av_frame_unref(ret);
        av_frame_move_ref(ret, m->next);
        m->reached = ret->pts;
        *ret_hurt = m->hurt;
        if (ret->pts == pts)
            return 0;
    }
}

static int refuse(const struct movie *m, int error, int64_t pts, struct complaint *c)
{
    int64_t ms = movie_ms(m, pts);
    if (error == AVERROR(ENOMEM))
        return complain(c, WORK_NO_MEMORY, "no memory for the frames of the video");
    if (error == AVERROR_EXIT)
        return complain(c, WORK_TIMED_OUT, "the video was not decoded up to this frame by then");
    return complain(c, WORK_MALFORMED, "the frame at %.3f s is damaged", (double)ms / 1000);
}

/* A seek that led past the frame, or into frames that cannot stand alone, is made again further back; at last the file is
 * decoded from its start. */
static int seek_and_decode(struct movie *m, int64_t pts, AVFrame *ret, bool *ret_hurt)
{
    const struct times *keys = &m->frames.keys;
    uint32_t key = movie_key(m, pts);
    const int64_t from[] = {keys->n ? keys->at[key] : pts, keys->n && key ? keys->at[key - 1] : INT64_MIN,
                            m->frames.shown.at[0]};
    int e = AVERROR(ERANGE);
    for (size_t i = 0; i < COUNT(from); i++) {
        if (from[i] == INT64_MIN || (i && from[i] == from[i - 1]))
            continue;
        av_frame_unref(ret);
        *ret_hurt = false;
        e = seek(m, MIN(from[i], pts)) < 0 ? AVERROR(ERANGE) : decode_to(m, pts, ret, ret_hurt);
        bool exact = !e && (ret->pts == pts || !m->frames.whole);
        if (exact || e == AVERROR(ENOMEM) || e == AVERROR_EXIT || e == AVERROR_INVALIDDATA)
            return e;
    }
    return e;
}

int movie_frame(struct movie *m, int64_t pts, AVFrame *ret, struct complaint *c)
{
    bool hurt = false;
    int e = on_the_way(m, pts) ? decode_to(m, pts, ret, &hurt) : AVERROR(ERANGE);
    if (e == AVERROR(ERANGE) || e == AVERROR_EOF)
        e = seek_and_decode(m, pts, ret, &hurt);
    if (e || hurt || (m->frames.whole && ret->pts != pts)) {
        av_frame_unref(ret);
        return refuse(m, e, pts, c);
    }
    return WORK_OK;
}

/* Frames that build on coarse ones are coarse too: decoding begins anew. */
void movie_hurry(struct movie *m, bool hurry)
{
    m->codec->skip_loop_filter = hurry ? AVDISCARD_ALL : AVDISCARD_DEFAULT;
    m->reached = INT64_MIN;
    av_frame_unref(m->next);
}
