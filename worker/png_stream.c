/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inflated bytes of one image, in pieces that stay in the second-level cache: IDAT chunks, or the fdAT chunks of a
 * frame, each checked by its CRC before a byte of it is used, the whole by Adler-32 at its end. No picture is ever held.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "bytes.h"
#include "png.h"

enum { PIECE = 192 * 1024 };

/* The next chunk's data; false when there is none, or it is not sound: what is wrong is kept then. */
static bool next_chunk(void *of, const uint8_t **ret, size_t *ret_len)
{
    struct png_stream *s = of;
    struct png_chunk k = {0};
    if (!s->status)
        s->status = png_chunk_at(s->info->data, s->info->len, s->at, &k, &s->complaint);
    if (s->status || k.type != s->type)
        return false;
    s->status = png_crc_check(&k, &s->complaint);
    if (s->status)
        return false;
    uint32_t skip = s->type == PNG_TYPE('f', 'd', 'A', 'T') ? MIN(4u, k.len) : 0;
    s->at = k.next;
    *ret = k.data + skip;
    *ret_len = k.len - skip;
    return true;
}

int png_stream_open(struct png_stream *s, const struct png_info *info, size_t at, size_t longest, struct complaint *c)
{
    struct png_chunk k;
    int status = png_chunk_at(info->data, info->len, at, &k, c);
    if (status)
        return status;
    s->info = info;
    s->type = k.type;
    s->at = at;
    s->status = WORK_OK;
    s->room = INFLATE_WINDOW + MAX(2 * longest, (size_t)PIECE);
    s->start = s->end = 0;
    s->ended = false;
    s->buf = malloc(s->room + INFLATE_SLACK + PNG_SLACK);
    if (!s->buf)
        return complain(c, WORK_NO_MEMORY, "out of memory for rows of %zu bytes", longest);
    inflate_begin(&s->z, next_chunk, s);
    return WORK_OK;
}

void png_stream_done(struct png_stream *s)
{
    free(take(s->buf));
}

static int refuse(const struct png_stream *s, enum inflate_result r, const char *cut, struct complaint *c)
{
    if (s->status)
        return complain(c, (enum work_status)s->status, "%s", s->complaint.detail);
    if (r == INFLATE_BAD_SUM)
        return complain(c, WORK_MALFORMED, "the picture data's checksum does not match");
    return complain(c, WORK_MALFORMED, "%s", r == INFLATE_CUT ? cut : "the picture data does not inflate");
}

/* Inflates all that there is room for, the window and what is not yet taken having moved to the front. */
static int inflate_some(struct png_stream *s, const char *cut, struct complaint *c)
{
    size_t from = MIN(s->start, s->end > INFLATE_WINDOW ? s->end - INFLATE_WINDOW : 0);
    memmove(s->buf, s->buf + from, s->end - from);
    s->start -= from;
    s->end -= from;
    uint8_t *out = s->buf + s->end;
    enum inflate_result r = inflate_to(&s->z, s->buf, &out, s->buf + s->room);
    s->end = (size_t)(out - s->buf);
    s->ended = r == INFLATE_END;
    return r == INFLATE_MORE || s->ended ? WORK_OK : refuse(s, r, cut, c);
}

int png_stream_take(struct png_stream *s, size_t n, const uint8_t **ret, struct complaint *c)
{
    static const char early[] = "the picture data ends early";
    while (s->end - s->start < n) {
        int status = s->ended ? complain(c, WORK_MALFORMED, early) : inflate_some(s, early, c);
        if (status)
            return status;
    }
    *ret = s->buf + s->start;
    s->start += n;
    return WORK_OK;
}

int png_stream_end(struct png_stream *s, struct complaint *c)
{
    static const char surplus[] = "there is more picture data than rows";
    int status = s->ended ? WORK_OK : inflate_some(s, "the picture data ends before its checksum", c);
    if (status)
        return status;
    if (s->start != s->end || inflate_left(&s->z))
        return complain(c, WORK_MALFORMED, surplus);
    /* Chunks after the end must be empty, but sound. */
    const uint8_t *data;
    size_t len;
    while (next_chunk(s, &data, &len))
        if (len)
            return complain(c, WORK_MALFORMED, surplus);
    return s->status ? refuse(s, INFLATE_CUT, "", c) : WORK_OK;
}
