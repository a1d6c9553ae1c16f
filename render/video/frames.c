/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of a video's frames, by reading its packets without decoding them: what containers say of their number and
 * length is often missing and sometimes wrong. Frames are counted in the order in which they are shown; time begins with
 * the first of them.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "movie.h"
#include "whole.h"

enum { ROOM_FIRST = 1024, LOOK_EVERY = 256, MISCOUNT_SHARE = 50 };

static int times_add(struct times *t, int64_t at)
{
    if (t->n == t->room) {
        uint32_t room = t->room ? 2 * t->room : ROOM_FIRST;
        int64_t *grown = reallocarray(t->at, room, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        t->at = grown;
        t->room = room;
    }
    t->at[t->n++] = at;
    return 0;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Most are in order already, or nearly. */
static void times_sort(struct times *t)
{
    bool sorted = true;
    for (uint32_t i = 1; i < t->n && sorted; i++)
        sorted = t->at[i - 1] <= t->at[i];
    if (!sorted)
        qsort(t->at, t->n, sizeof *t->at, compare);
}

/* The last one not after `at`; 0 when all are. */
static uint32_t times_find(const struct times *t, int64_t at)
{
    uint32_t low = 0, high = t->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (t->at[mid] <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? low - 1 : 0;
}

/* Some packets bring nothing to be seen: what an edit list cuts off, and what VP8 keeps for later frames. */
static bool is_shown(const struct movie *m, const AVPacket *p)
{
    bool hidden = m->stream->codecpar->codec_id == AV_CODEC_ID_VP8 && p->size > 0 && !(p->data[0] & 0x10);
    return p->size > 0 && !hidden && !(p->flags & AV_PKT_FLAG_DISCARD);
}

static bool timed(int64_t pts)
{
    return pts > -LIMIT_VIDEO_TIME && pts < LIMIT_VIDEO_TIME;
}

static int list_packet(struct movie *m, const AVPacket *p)
{
    struct frame_list *l = &m->frames;
    int64_t pts = p->pts;
    if (pts == AV_NOPTS_VALUE)
        l->by_order = true;
    if (l->by_order && p->dts != AV_NOPTS_VALUE)
        pts = p->dts;
    if (!is_shown(m, p) || !timed(pts))
        return 0;
    int64_t end = pts + (p->duration > 0 && timed(p->duration) ? p->duration : 0);
    l->end = l->shown.n ? MAX(l->end, end) : end;
    if (times_add(&l->shown, pts))
        return AVERROR(ENOMEM);
    if (!(p->flags & AV_PKT_FLAG_KEY))
        return 0;
    int e = times_add(&l->keys, pts);
    if (!e && m->media == MEDIA_TS)
        e = times_add(&l->starts, p->dts != AV_NOPTS_VALUE ? p->dts : pts);
    return e ? AVERROR(ENOMEM) : 0;
}

/* Adds up what is found, to be compared with what the file says it has. */
struct found {
    int64_t packets; /* of the stream, with something in them */
    bool corrupt;    /* one of them, by the demuxer's own words */
};

static int read_packets(struct movie *m, int64_t until, struct found *ret)
{
    int e = 0;
    for (uint32_t n = 0; !e && m->frames.shown.n < LIMIT_FRAMES; n++) {
        e = av_read_frame(m->format, m->packet);
        if (!e && m->packet->stream_index == m->stream->index) {
            ret->packets += m->packet->size > 0;
            ret->corrupt |= m->packet->flags & AV_PKT_FLAG_CORRUPT;
            e = list_packet(m, m->packet);
        }
        av_packet_unref(m->packet);
        if (!e && n % LOOK_EVERY == 0 && clock_ms() > until)
            e = AVERROR(ETIMEDOUT);
    }
    return e;
}

/* How long the last is shown, files tell of the last packet, which may be another frame, or not at all. It is taken to last as
 * long as the one before it, or as they do on average. */
static void find_end(struct frame_list *l)
{
    uint32_t n = l->shown.n;
    int64_t first = l->shown.at[0], last = l->shown.at[n - 1];
    int64_t usual = n > 1 ? MIN((last - first) / (n - 1), last - l->shown.at[n - 2]) : 0;
    l->end = MAX(l->end, last + usual);
}

/* The demuxer of AVI goes on behind what it cannot read, and counts on from there as if nothing had been in between. So frames are
 * missing that the index has; or, where that is gone too, that the head tells of, if those are more than its makers miscount. */
static bool avi_misses(const struct movie *m, int64_t indexed, const struct found *found)
{
    const struct frame_list *l = &m->frames;
    int64_t told = m->stream->nb_frames, off = MAX(told / MISCOUNT_SHARE, 2);
    bool sought = told > 0 && timed(told) && l->shown.n && l->end - l->shown.at[0] < told - off && found->packets < told - off;
    return m->media == MEDIA_AVI && l->whole && (found->packets < indexed || sought);
}

int movie_list(struct movie *m, struct complaint *c)
{
    struct frame_list *l = &m->frames;
    struct found found = {0};
    int64_t indexed = avformat_index_get_entries_count(m->stream);
    l->by_order = m->media == MEDIA_MPEG; /* only some of its frames have a time */
    int e = read_packets(m, clock_ms() + LIMIT_VIDEO_LIST_MS, &found);
    if (e == AVERROR(ENOMEM))
        return complain(c, WORK_NO_MEMORY, "no memory for the list of frames");
    bool late = e == AVERROR(ETIMEDOUT) || clock_ms() >= m->deadline;
    l->whole = e && !late;
    l->cut = (l->whole && e != AVERROR_EOF) || video_is_cut(m->media, m->data, m->len);
    /* Of a file that is cut the last frame is no worse than those that are not there. */
    l->damaged = (!l->cut && (found.corrupt || avi_misses(m, indexed, &found))) || video_is_torn(m->media, m->data, m->len);
    if (!l->shown.n && late)
        return complain(c, WORK_TIMED_OUT, "no frame of the video was found by then");
    if (!l->shown.n)
        return complain(c, WORK_MALFORMED, "the video has no frames");
    times_sort(&l->shown);
    times_sort(&l->keys);
    times_sort(&l->starts);
    find_end(l);
    return WORK_OK;
}

static int64_t to_ms(const struct movie *m, int64_t span)
{
    return av_rescale_q_rnd(span, m->stream->time_base, (AVRational){1, 1000}, AV_ROUND_UP);
}

int64_t movie_ms(const struct movie *m, int64_t pts)
{
    int64_t most = LIMIT_VIDEO_SECONDS * INT64_C(1000), ms = to_ms(m, pts - m->frames.shown.at[0]);
    return MIN(MAX(ms, 0), most);
}

/* The last moment of that millisecond, so that a time that was told leads back to its frame. */
int64_t movie_pts(const struct movie *m, int64_t ms)
{
    int64_t most = LIMIT_VIDEO_TIME / 2, past = MIN(ms, most) + 1;
    int64_t span = av_rescale_q_rnd(past, (AVRational){1, 1000}, m->stream->time_base, AV_ROUND_UP);
    return m->frames.shown.at[0] + MIN(MAX(span, 1), LIMIT_VIDEO_TIME) - 1;
}

/* Of a file that could not be read to its end, what its head says, if it says more than was seen. */
static int64_t told_end(const struct movie *m)
{
    const struct frame_list *l = &m->frames;
    int64_t told = m->stream->duration;
    if (told == AV_NOPTS_VALUE && m->format->duration != AV_NOPTS_VALUE)
        told = av_rescale_q(m->format->duration, AV_TIME_BASE_Q, m->stream->time_base);
    if (l->whole || told == AV_NOPTS_VALUE || !timed(told))
        return l->end;
    return MAX(l->end, l->shown.at[0] + told);
}

int64_t movie_length(const struct movie *m)
{
    return movie_ms(m, told_end(m));
}

uint32_t movie_count(const struct movie *m, bool *ret_estimate)
{
    const struct frame_list *l = &m->frames;
    int64_t seen = l->end - l->shown.at[0], all = told_end(m) - l->shown.at[0];
    double n = l->shown.n;
    *ret_estimate = !l->whole;
    if (!l->whole && m->stream->nb_frames > l->shown.n)
        n = (double)m->stream->nb_frames;
    else if (!l->whole && seen > 0)
        n = n * (double)all / (double)seen;
    return n > LIMIT_FRAMES ? LIMIT_FRAMES : (uint32_t)n;
}

uint32_t movie_number(const struct movie *m, int64_t pts)
{
    const struct frame_list *l = &m->frames;
    bool estimate;
    uint32_t n = movie_count(m, &estimate);
    if (!estimate || pts <= l->shown.at[l->shown.n - 1])
        return times_find(&l->shown, pts) + 1;
    double share = (double)(pts - l->shown.at[0]) / (double)(told_end(m) - l->shown.at[0] + 1);
    return MIN((uint32_t)(share * n) + 1, n);
}

int64_t movie_nth(const struct movie *m, uint32_t n)
{
    const struct frame_list *l = &m->frames;
    bool estimate;
    if (n <= l->shown.n)
        return l->shown.at[n - 1];
    return l->shown.at[0] + av_rescale(told_end(m) - l->shown.at[0], n - 1, movie_count(m, &estimate));
}

int64_t movie_at(const struct movie *m, int64_t pts)
{
    const struct frame_list *l = &m->frames;
    return l->whole || pts <= l->shown.at[l->shown.n - 1] ? l->shown.at[times_find(&l->shown, pts)] : pts;
}

/* The decoder holds frames back to put them in order: what comes out when a packet goes in is so many frames older. */
int64_t movie_time(const struct movie *m, const AVFrame *f)
{
    const struct times *t = &m->frames.shown;
    int64_t next = m->reached == INT64_MIN ? t->at[0] : m->reached + 1;
    if (!m->frames.by_order)
        return timed(f->best_effort_timestamp) ? f->best_effort_timestamp : next;
    uint32_t late = (uint32_t)MAX(m->codec->has_b_frames, 0), at = times_find(t, f->pkt_dts);
    if (f->pkt_dts == AV_NOPTS_VALUE)
        at = MIN(times_find(t, next - 1) + 1, t->n - 1), late = 0;
    return t->at[at - MIN(at, late)];
}

uint32_t movie_key(const struct movie *m, int64_t pts)
{
    return m->frames.keys.n ? times_find(&m->frames.keys, pts) : 0;
}
