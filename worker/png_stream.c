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

int png_stream_open(struct png_stream *s, const struct png_info *info, size_t at, size_t longest, struct complaint *c)
{
    struct png_chunk k;
    int status = png_chunk_at(info->data, info->len, at, &k, c);
    if (status)
        return status;
    s->info = info;
    s->type = k.type;
    s->at = at;
    s->room = MAX(3 * longest, (size_t)PIECE);
    s->start = s->end = 0;
    s->ended = false;
    s->buf = malloc(s->room + PNG_SLACK);
    if (!s->buf)
        return complain(c, WORK_NO_MEMORY, "out of memory for rows of %zu bytes", longest);
    memset(s->buf + s->room, 0, PNG_SLACK);
    isal_inflate_init(&s->z);
    s->z.crc_flag = ISAL_ZLIB;
    return WORK_OK;
}

void png_stream_done(struct png_stream *s)
{
    free(take(s->buf));
}

/* Gives the next chunk to the inflater; *ret_more false when there is none. */
static int next_chunk(struct png_stream *s, bool *ret_more, struct complaint *c)
{
    struct png_chunk k;
    int status = png_chunk_at(s->info->data, s->info->len, s->at, &k, c);
    if (status)
        return status;
    *ret_more = k.type == s->type;
    if (k.type != s->type)
        return WORK_OK;
    status = png_crc_check(&k, c);
    if (status)
        return status;
    uint32_t skip = s->type == PNG_TYPE('f', 'd', 'A', 'T') ? MIN(4u, k.len) : 0;
    s->at = k.next;
    s->z.next_in = (uint8_t *)(uintptr_t)(k.data + skip); /* the library does not write there */
    s->z.avail_in = k.len - skip;
    return WORK_OK;
}

/* Inflates some more behind end; *ret_more false when all chunks are used up and nothing came. */
static int inflate_some(struct png_stream *s, bool *ret_more, struct complaint *c)
{
    *ret_more = true;
    size_t before = s->end;
    while (s->end == before && !s->ended && *ret_more) {
        s->z.next_out = s->buf + s->end;
        s->z.avail_out = (uint32_t)MIN(s->room - s->end, (size_t)UINT32_MAX);
        int e = isal_inflate(&s->z);
        if (e == ISAL_INCORRECT_CHECKSUM)
            return complain(c, WORK_MALFORMED, "the picture data's checksum does not match");
        if (e != ISAL_DECOMP_OK)
            return complain(c, WORK_MALFORMED, "the picture data does not inflate");
        s->end = (size_t)(s->z.next_out - s->buf);
        s->ended = s->z.block_state == ISAL_BLOCK_FINISH;
        if (s->end == before && !s->ended) {
            int status = next_chunk(s, ret_more, c);
            if (status)
                return status;
        }
    }
    return WORK_OK;
}

int png_stream_take(struct png_stream *s, size_t n_before, size_t n, uint8_t **ret, struct complaint *c)
{
    if (s->room - s->start < n) {
        size_t keep = MIN(n_before, s->start);
        memmove(s->buf, s->buf + s->start - keep, keep + (s->end - s->start));
        s->end -= s->start - keep;
        s->start = keep;
    }
    while (s->end - s->start < n) {
        bool more = true;
        int status = s->ended ? WORK_OK : inflate_some(s, &more, c);
        if (status)
            return status;
        if (s->end - s->start < n && (s->ended || !more))
            return complain(c, WORK_MALFORMED, "the picture data ends early");
    }
    *ret = s->buf + s->start;
    s->start += n;
    return WORK_OK;
}

int png_stream_end(struct png_stream *s, struct complaint *c)
{
    if (s->start != s->end)
        return complain(c, WORK_MALFORMED, "there is more picture data than rows");
    s->start = s->end = 0;
    bool more = true;
    int status = s->ended ? WORK_OK : inflate_some(s, &more, c);
    if (status)
        return status;
    if (s->end)
        return complain(c, WORK_MALFORMED, "there is more picture data than rows");
    if (!s->ended)
        return complain(c, WORK_MALFORMED, "the picture data ends before its checksum");
    /* Chunks after the end must be empty, but sound. */
    while (!s->z.avail_in) {
        status = next_chunk(s, &more, c);
        if (status || !more)
            return status;
    }
    return complain(c, WORK_MALFORMED, "there is more picture data than rows");
}
