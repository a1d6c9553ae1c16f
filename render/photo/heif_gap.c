/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaps in HEIC and AVIF. Neither codec has a checksum: libde265 and dav1d make a picture of whatever bits they find, and say
 * nothing when half of them are zeros, as a broken download or disk leaves them. So the coded data itself is looked at. HEVC
 * may not hold three zero bytes in a row, and in the output of AV1's range coder sixty-four are no accident.
 */
#include <string.h>

#include "base/cleanup.h"
#include "heif_gap.h"

enum { GAP = 64, IDS = 65536, LEAST_BOX = 8 };

/* Bytes that are read from front to back; what is asked for past the end is 0, and bad. */
struct span {
    const uint8_t *at;
    size_t len;
    bool bad;
};

static uint64_t number(struct span *s, size_t bytes)
{
    uint64_t v = 0;
    if (bytes > s->len) {
        s->bad = true;
        s->len = 0;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++)
        v = v << 8 | s->at[i];
    s->at += bytes;
    s->len -= bytes;
    return v;
}

/* The next box, whose type is left in the span; false at the end. */
static bool next_box(struct span *in, struct span *ret, char type[4])
{
    if (in->len < LEAST_BOX)
        return false;
    struct span all = *in;
    uint64_t len = number(in, 4);
    memcpy(type, in->at, 4);
    (void)number(in, 4);
    if (len == 1)
        len = number(in, 8);
    size_t head = all.len - in->len;
    if (len == 0 || len > all.len)
        len = all.len; /* to the end, or cut: libheif has its word on that */
    if (in->bad || len < head)
        return false;
    *ret = (struct span){all.at + head, (size_t)len - head, false};
    *in = (struct span){all.at + len, all.len - (size_t)len, false};
    return true;
}

static bool find_box(struct span in, const char *name, struct span *ret)
{
    char type[4];
    while (next_box(&in, ret, type))
        if (!memcmp(type, name, 4))
            return true;
    return false;
}

/* Which items are pictures of a codec. */
static void mark_coded(struct span list, uint8_t *coded)
{
    char type[4];
    struct span item;
    (void)number(&list, number(&list, 4) >> 24 ? 4 : 2);
    while (next_box(&list, &item, type)) {
        uint64_t version = number(&item, 4) >> 24, id = number(&item, version > 2 ? 4 : 2);
        (void)number(&item, 2);
        bool picture = item.len >= 4 && (!memcmp(item.at, "hvc1", 4) || !memcmp(item.at, "av01", 4));
        if (version >= 2 && picture && id < IDS)
            coded[id / 8] = (uint8_t)(coded[id / 8] | 1 << (id % 8));
    }
}

static bool has_gap(const uint8_t *data, size_t len)
{
    for (size_t at = 0; at + GAP <= len;) {
        size_t zeros = 0;
        while (zeros < GAP && !data[at + GAP - 1 - zeros])
            zeros++;
        if (zeros == GAP)
            return true;
        at += GAP - zeros;
    }
    return false;
}

struct layout {
    struct span list;
    uint64_t version;
    size_t offset, length, base, index; /* bytes of each number */
};

/* One item: whether its data, where that lies in the file, has a gap. */
static bool item_has_gap(struct layout *l, const uint8_t *coded, const uint8_t *data, size_t len)
{
    struct span *s = &l->list;
    bool gap = false;
    uint64_t id = number(s, l->version < 2 ? 2 : 4), method = l->version ? number(s, 2) & 15 : 0;
    (void)number(s, 2);
    uint64_t base = number(s, l->base), extents = number(s, 2);
    bool look = !method && id < IDS && coded[id / 8] >> (id % 8) & 1;
    for (; extents && !s->bad && !gap; extents--) {
        (void)number(s, l->index);
        uint64_t at = base + number(s, l->offset), n = number(s, l->length);
        gap = look && !s->bad && at <= len && n <= len - at && has_gap(data + at, (size_t)n);
    }
    return gap;
}

bool heif_has_gap(const uint8_t *data, size_t len)
{
    struct span meta, items, list;
    if (!find_box((struct span){data, len, false}, "meta", &meta))
        return false;
    (void)number(&meta, 4);
    if (!find_box(meta, "iinf", &items) || !find_box(meta, "iloc", &list))
        return false;
    auto_free uint8_t *coded = calloc(IDS / 8, 1);
    if (!coded)
        return false;
    mark_coded(items, coded);
    struct layout l = {.list = list};
    l.version = number(&l.list, 4) >> 24;
    uint64_t sizes = number(&l.list, 2), n = number(&l.list, l.version < 2 ? 2 : 4);
    l.offset = sizes >> 12 & 15;
    l.length = sizes >> 8 & 15;
    l.base = sizes >> 4 & 15;
    l.index = l.version ? sizes & 15 : 0;
    for (; n && !l.list.bad; n--)
        if (item_has_gap(&l, coded, data, len))
            return true;
    return false;
}
