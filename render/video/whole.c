/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A demuxer reads what is there and then says that the file is at its end, whether it is or not. So the outermost parts are
 * walked here: each says how long it is. Those that do not know, as a recording that is still being made, say so.
 */
#include "whole.h"

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

bool video_is_torn(enum media media, const uint8_t *data, size_t len)
{
    return (media == MEDIA_WEBM || media == MEDIA_MKV) && webm_torn((struct span){data, len});
}

bool video_is_cut(enum media media, const uint8_t *data, size_t len)
{
    struct span f = {data, len};
    bool iso = media == MEDIA_MP4 || media == MEDIA_MOV, matroska = media == MEDIA_WEBM || media == MEDIA_MKV;
    return iso ? mp4_cut(f) : media == MEDIA_AVI ? avi_cut(f) : matroska && webm_cut(f);
}
