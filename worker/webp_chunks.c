/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WebP's container by our own walk: the library's demuxer looks a frame up from the start each time, which a file of
 * many small frames turns into minutes.
 */
#include "webp_chunks.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "bytes.h"

enum { CHUNK_HEAD = 8, FRAME_HEAD = 16 };

int webp_chunk_at(const struct webp_info *info, size_t at, struct webp_chunk *ret, bool *ret_found,
                  struct complaint *c)
{
    *ret_found = at < info->len;
    if (at >= info->len)
        return WORK_OK;
    if (info->len - at < CHUNK_HEAD)
        return complain(c, WORK_MALFORMED, "the file ends in the middle of a chunk");
    size_t n = le32(info->data + at + 4);
    if (n > info->len - at - CHUNK_HEAD)
        return complain(c, WORK_MALFORMED, "a chunk is longer than the file");
    *ret = (struct webp_chunk){
        .type = le32(info->data + at),
        .data = info->data + at + CHUNK_HEAD,
        .len = n,
        .at = at,
        .next = MIN(at + CHUNK_HEAD + n + (n & 1), info->len),
    };
    return WORK_OK;
}

static int note(struct webp_info *info, const struct webp_chunk *k, struct complaint *c)
{
    switch (k->type) {
    case WEBP_TYPE('V', 'P', '8', 'X'):
        if (k->len < 10 || k->at != WEBP_HEAD)
            return complain(c, WORK_MALFORMED, "VP8X is out of place or too short");
        info->flags = k->data[0];
        info->canvas = (struct size){le24(k->data + 4) + 1, le24(k->data + 7) + 1};
        break;
    case WEBP_TYPE('A', 'N', 'M', 'F'):
        if (!info->frames++)
            info->first_frame = k->at;
        if (info->frames > LIMIT_FRAMES)
            return complain(c, WORK_TOO_LARGE, "more than %u frames", LIMIT_FRAMES);
        break;
    case WEBP_TYPE('I', 'C', 'C', 'P'): info->icc = *k; break;
    case WEBP_TYPE('E', 'X', 'I', 'F'): info->exif = *k; break;
    default: break;
    }
    return WORK_OK;
}

int webp_read_info(const uint8_t *data, size_t len, struct webp_info *ret, struct complaint *c)
{
    if (len < WEBP_HEAD || memcmp(data, "RIFF", 4) != 0 || memcmp(data + 8, "WEBP", 4) != 0)
        return complain(c, WORK_MALFORMED, "the WebP header is damaged");
    uint64_t size = (uint64_t)le32(data + 4) + 8;
    if (size > len)
        return complain(c, WORK_MALFORMED, "the file is cut off: %zu of %llu bytes", len, (unsigned long long)size);
    *ret = (struct webp_info){.data = data, .len = (size_t)size};
    for (size_t at = WEBP_HEAD;;) {
        struct webp_chunk k = {0};
        bool found;
        int status = webp_chunk_at(ret, at, &k, &found, c);
        if (!status && found)
            status = note(ret, &k, c);
        if (status)
            return status;
        if (!found)
            break;
        at = k.next;
    }
    if (!(ret->flags & WEBP_ANIMATED))
        ret->frames = 0;
    else if (!ret->frames)
        return complain(c, WORK_MALFORMED, "an animation without frames");
    return WORK_OK;
}

int webp_next_frame(const struct webp_info *info, size_t *at, struct webp_frame *ret, struct complaint *c)
{
    struct webp_chunk k = {0};
    bool found = true;
    do {
        int status = webp_chunk_at(info, *at, &k, &found, c);
        if (status)
            return status;
        *at = k.next;
    } while (found && k.type != WEBP_TYPE('A', 'N', 'M', 'F'));
    if (!found || k.len < FRAME_HEAD)
        return complain(c, WORK_MALFORMED, "a frame is missing or too short");
    const uint8_t *d = k.data;
    struct rect box = {le24(d) * 2, le24(d + 3) * 2, le24(d + 6) + 1, le24(d + 9) + 1};
    if ((uint64_t)box.x + box.w > info->canvas.w || (uint64_t)box.y + box.h > info->canvas.h)
        return complain(c, WORK_MALFORMED, "a frame reaches past the canvas");
    *ret = (struct webp_frame){
        .frame = {.box = box, .dispose = d[15] & 1 ? DISPOSE_CLEAR : DISPOSE_KEEP, .over = !(d[15] & 2),
                  .delay_ms = le24(d + 12)},
        .data = d + FRAME_HEAD,
        .len = k.len - FRAME_HEAD,
    };
    return WORK_OK;
}
