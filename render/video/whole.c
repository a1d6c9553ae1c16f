/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A demuxer reads what is there and then says that the file is at its end, whether it is or not. So the outermost parts are
 * walked here: each says how long it is. Those that do not know, as a recording that is still being made, say so.
 */
#include "whole.h"

#include "base/cleanup.h"

/* Parts in a row: a file of more is taken for whole. */
enum { PARTS_MOST = 1000000 };

struct span {
    const uint8_t *at;
    size_t len;
};

static uint64_t number(struct span f, uint64_t at, unsigned n, bool little)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v = v << 8 | f.at[at + (little ? n - 1 - i : i)];
    return v;
}

static bool has(struct span f, uint64_t at, uint64_t n)
{
    return at <= f.len && n <= f.len - at;
}

/* Boxes: a size and a name. 0: up to the end; 1: the size follows in 64 bits. */
static bool mp4_cut(struct span f)
{
    uint64_t at = 0;
    for (uint32_t n = 0; n < PARTS_MOST && has(f, at, 8); n++) {
        uint64_t size = number(f, at, 4, false);
        if (size == 1)
            size = has(f, at, 16) ? number(f, at + 8, 8, false) : UINT64_MAX;
        if (size < 8)
            return false; /* up to the end, or nonsense that the demuxer judges */
        if (!has(f, at, size))
            return true;
        at += size;
    }
    return at < f.len && f.len - at < 8 && number(f, at, 1, false) == 0; /* the head of a box is cut */
}

/* RIFF chunks, one behind another. Recorders write the size at the end, and 0 until then. */
static bool avi_cut(struct span f)
{
    uint64_t at = 0;
    for (uint32_t n = 0; n < PARTS_MOST && has(f, at, 8) && number(f, at, 4, false) == 0x52494646; n++) {
        uint64_t size = number(f, at + 4, 4, true);
        if (!size || size >= UINT32_MAX - 16)
            return false;
        if (!has(f, at + 8, size))
            return true;
        at += 8 + size + (size & 1);
    }
    return false;
}

/* An EBML number: as many bytes as the first has leading zeros, and one. keep: the marking bit belongs to it, as in names. */
static bool ebml_number(struct span f, uint64_t *at, bool keep, uint64_t *ret, bool *ret_unknown)
{
    unsigned n = 1;
    if (!has(f, *at, 1) || !f.at[*at])
        return false;
    while (!(f.at[*at] & (0x100 >> n)))
        n++;
    if (!has(f, *at, n))
        return false;
    uint64_t v = number(f, *at, n, false), mark = UINT64_C(1) << (7 * n);
    *at += n;
    *ret_unknown = (v & (mark - 1)) == mark - 1;
    *ret = keep ? v : v & (mark - 1);
    return true;
}

/* Elements: a name and a size. Of a segment that does not know its own, those within it are walked. */
static bool webm_cut(struct span f)
{
    uint64_t at = 0, name, size;
    bool unknown, ignored;
    for (uint32_t n = 0; n < PARTS_MOST && at < f.len; n++) {
        if (!ebml_number(f, &at, true, &name, &ignored) || !ebml_number(f, &at, false, &size, &unknown))
            return false;
        if (unknown && name != 0x18538067)
            return false;
        if (!unknown && !has(f, at, size))
            return true;
        at += unknown ? 0 : size;
    }
    return false;
}

enum { EBML_SEGMENT = 0x18538067, EBML_CLUSTER = 0x1f43b675 };

/* Segments and clusters are gone into, all else is passed over. Nonsense is damage only within one that knows its size and is
 * all there. */
static bool webm_torn(struct span f)
{
    uint64_t at = 0, segment = 0, cluster = 0, name, size;
    bool unknown, ignored;
    for (uint32_t n = 0; n < PARTS_MOST && at < f.len; n++) {
        uint64_t end = at < cluster ? cluster : at < segment ? segment : f.len;
        bool known = (at < cluster || at < segment) && end <= f.len;
        if (!ebml_number(f, &at, true, &name, &ignored) || name > UINT32_MAX || !ebml_number(f, &at, false, &size, &unknown))
            return known;
        bool enters = name == EBML_SEGMENT || name == EBML_CLUSTER;
        if (unknown ? !enters : at > end || size > end - at)
            return known;
        if (!unknown && enters)
            *(name == EBML_SEGMENT ? &segment : &cluster) = at + size;
        at += enters ? 0 : size;
    }
    return false;
}

/* Packets of one length, or of that and a time before each. */
static bool ts_cut(struct span f)
{
    return f.len % (f.len && f.at[0] == 0x47 ? 188 : 192) != 0;
}

/* Tags: a kind, a size in 24 bits, a time; behind each its length once more. */
static bool flv_cut(struct span f)
{
    enum { HEAD = 13, TAG = 11 };
    uint64_t at = HEAD;
    for (uint32_t n = 0; n < PARTS_MOST && at < f.len; n++) {
        if (!has(f, at, TAG) || !has(f, at + TAG, number(f, at + 1, 3, false) + 4))
            return true;
        at += TAG + number(f, at + 1, 3, false) + 4;
    }
    return f.len < HEAD;
}

/* A head, and behind it the data; recorders that cannot go back leave the size at 0. */
static bool asf_cut(struct span f)
{
    uint64_t head = has(f, 16, 8) ? number(f, 16, 8, true) : UINT64_MAX;
    if (head > f.len || !has(f, head, 24))
        return true;
    return !has(f, head, number(f, head + 16, 8, true));
}

/* Pages: a head of 27 bytes that ends with how many pieces follow, their lengths, the pieces. */
static bool ogg_cut(struct span f)
{
    enum { HEAD = 27 };
    uint64_t at = 0;
    for (uint32_t n = 0; n < PARTS_MOST && at < f.len; n++) {
        if (!has(f, at, HEAD) || !has(f, at + HEAD, f.at[at + HEAD - 1]))
            return true;
        if (number(f, at, 4, false) != 0x4f676753)
            return false; /* the demuxer looks for the next */
        uint64_t pieces = f.at[at + HEAD - 1], body = at + HEAD + pieces, len = 0;
        for (uint64_t i = 0; i < pieces; i++)
            len += f.at[at + HEAD + i];
        if (!has(f, body, len))
            return true;
        at = body + len;
    }
    return false;
}

bool video_is_torn(enum media media, const uint8_t *data, size_t len)
{
    return (media == MEDIA_WEBM || media == MEDIA_MKV) && webm_torn((struct span){data, len});
}

bool video_is_cut(enum media media, const uint8_t *data, size_t len)
{
    static const struct {
        enum media media;
        bool (*cut)(struct span f);
    } rows[] = {{MEDIA_MP4, mp4_cut}, {MEDIA_MOV, mp4_cut}, {MEDIA_AVI, avi_cut}, {MEDIA_WEBM, webm_cut}, {MEDIA_MKV, webm_cut},
                {MEDIA_TS, ts_cut},   {MEDIA_FLV, flv_cut}, {MEDIA_ASF, asf_cut}, {MEDIA_OGG, ogg_cut}};
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].media == media)
            return rows[i].cut((struct span){data, len});
    return false;
}
