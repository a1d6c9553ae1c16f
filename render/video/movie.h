/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A video file as fovea-video sees it: bytes in memory, one stream of pictures, a list of the frames it shows. Nothing is
 * opened by name, no other format or codec than those listed is tried, and whatever is not whole is not shown.
 *
 * Functions return an enum work_status, having written the phrase, unless they say otherwise.
 */
#ifndef FOVEA_VIDEO_MOVIE_H
#define FOVEA_VIDEO_MOVIE_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>

#include "decode.h"

/* Times, in units of the stream, rising. */
struct times {
    int64_t *at;
    uint32_t n, room;
};

/* The frames that are shown, and those of them where decoding can begin. */
struct frame_list {
    struct times shown, keys;
    struct times starts; /* of a transport stream: when the keys are decoded, by which it is searched */
    int64_t end;  /* of the last */
    bool whole;   /* every frame that the file has is in it */
    bool cut;     /* the file ends before its end */
    bool damaged; /* it has, or once had, frames that are not in the list */
    bool by_order; /* the file does not say when they are shown, only in which order they come: these are the times of that */
};

struct movie {
    const uint8_t *data;
    size_t len, at;     /* of the file; where the demuxer reads */
    int64_t deadline;   /* clock_ms after which nothing more is read */
    enum media media;
    bool decodes;       /* frames are wanted, not only their list: codec is there */
    AVIOContext *io;
    AVFormatContext *format;
    AVStream *stream;
    AVCodecContext *codec;
    AVPacket *packet;
    AVFrame *next;      /* decoded, and not taken yet */
    struct SwsContext *scaler; /* as it was used last */
    struct frame_list frames;
    int64_t reached;    /* the time of the last frame that was decoded; INT64_MIN: none since the seek */
    struct size size;   /* of the last frame that was decoded, as stored */
    uint32_t vain;      /* packets since a frame came */
    bool ended;         /* the decoder was told so */
    bool hurt;          /* something since the last key frame did not decode */
};

int movie_open(const struct source *s, struct movie **ret, struct complaint *c);
void movie_close(struct movie *m);

/* Reads through the file for its frames. Time bounds it: then the list is not whole. */
int movie_list(struct movie *m, struct complaint *c);

/* How many frames there are, and whether that is an estimate. */
uint32_t movie_count(const struct movie *m, bool *ret_estimate);
/* Milliseconds from the first frame to the end of the last; below 0: not known. */
int64_t movie_length(const struct movie *m);
/* Of a time of the stream, in milliseconds from the first frame, rounded up: that moment is within what it is the beginning
 * of. And back. */
int64_t movie_ms(const struct movie *m, int64_t pts);
int64_t movie_pts(const struct movie *m, int64_t ms);
/* When the n-th frame begins (from 1), and the frame that is shown at a time: those of frames that are not in the list are
 * estimates. */
int64_t movie_nth(const struct movie *m, uint32_t n);
int64_t movie_at(const struct movie *m, int64_t pts);
/* The number, from 1, of the frame that is shown at that time of the stream. */
uint32_t movie_number(const struct movie *m, int64_t pts);
/* The last key frame not after it; the first where there is none. */
uint32_t movie_key(const struct movie *m, int64_t pts);

/* When a frame is shown that the decoder gave, from what it says of it. */
int64_t movie_time(const struct movie *m, const AVFrame *f);

/* The last frame not after that time, into `ret`, which must be empty. Cheap where it lies a little after the one before. */
int movie_frame(struct movie *m, int64_t pts, AVFrame *ret, struct complaint *c);

/* From here on frames are for a look only, and may be a little coarse; or no longer. */
void movie_hurry(struct movie *m, bool hurry);

#endif
