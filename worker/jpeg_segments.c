/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JPEG segments by our own bounded code: the orientation and the colour profile are all that is wanted of the metadata,
 * and neither needs the codec.
 */
#include "jpeg_segments.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "bytes.h"

static const char icc_name[12] = "ICC_PROFILE";
enum { ICC_HEAD = 14, ICC_PIECES = 255 };

static bool stands_alone(uint8_t marker)
{
    return marker == 0x01 || (marker >= 0xd0 && marker <= MARK_EOI); /* the restarts, start and end */
}

bool jpeg_segment_at(const uint8_t *data, size_t len, size_t at, struct jpeg_segment *ret)
{
    if (at >= len || data[at] != 0xff)
        return false;
    size_t p = at + 1;
    while (p < len && data[p] == 0xff)
        p++;
    if (p >= len || !data[p])
        return false;
    struct jpeg_segment s = {.marker = data[p], .at = at, .next = p + 1};
    if (!stands_alone(s.marker)) {
        if (len - s.next < 2 || be16(data + s.next) < 2 || be16(data + s.next) > len - s.next)
            return false;
        s.data = data + s.next + 2;
        s.len = be16(data + s.next) - 2u;
        s.next += be16(data + s.next);
    }
    *ret = s;
    return true;
}

static bool is_restart(uint8_t marker)
{
    return marker >= 0xd0 && marker <= 0xd7;
}

/* Offset of the marker that ends the coded data from an offset on. */
static size_t skip_scan(const uint8_t *data, size_t len, size_t at)
{
    while (at + 1 < len) {
        const uint8_t *p = memchr(data + at, 0xff, len - at - 1);
        if (!p)
            break;
        at = (size_t)(p - data);
        bool coded = !p[1] || is_restart(p[1]);
        if (!coded && p[1] != 0xff)
            return at;
        at += coded ? 2 : 1;
    }
    return len;
}

size_t jpeg_scan_at(const uint8_t *data, size_t len, size_t at, size_t *ret_next)
{
    size_t to = skip_scan(data, len, at);
    *ret_next = to;
    for (;;) {
        if (to > at && data[to - 1] == 0xff)
            to--;
        else if (to > at + 1 && data[to - 2] == 0xff && is_restart(data[to - 1]))
            to -= 2;
        else
            return to - at;
    }
}

/* The pieces of the profile, by their numbers from 1; those missing stay NULL. */
struct pieces {
    struct {
        const uint8_t *data;
        size_t len;
    } at[ICC_PIECES + 1];
    unsigned count;
    bool broken;
};

static void note_piece(struct pieces *p, const struct jpeg_segment *s)
{
    if (s->marker != MARK_APP + 2 || s->len < ICC_HEAD || memcmp(s->data, icc_name, sizeof(icc_name)) != 0)
        return;
    unsigned number = s->data[12], count = s->data[13];
    if (!number || number > count || (p->count && count != p->count) || p->at[number].data) {
        p->broken = true;
        return;
    }
    p->count = count;
    p->at[number].data = s->data + ICC_HEAD;
    p->at[number].len = s->len - ICC_HEAD;
}

static int join(const struct pieces *p, struct jpeg_extras *ret, struct complaint *c)
{
    size_t total = 0;
    for (unsigned i = 1; i <= p->count; i++) {
        if (!p->at[i].data)
            return WORK_OK;
        total += p->at[i].len;
    }
    if (p->broken || !total || total > LIMIT_ICC_BYTES)
        return WORK_OK;
    auto_free uint8_t *icc = malloc(total);
    if (!icc)
        return complain(c, WORK_NO_MEMORY, "out of memory for the colour profile");
    size_t at = 0;
    for (unsigned i = 1; i <= p->count; i++) {
        memcpy(icc + at, p->at[i].data, p->at[i].len);
        at += p->at[i].len;
    }
    if (profile_is_srgb(icc, total))
        return WORK_OK;
    ret->icc = take(icc);
    ret->icc_len = total;
    return WORK_OK;
}

int jpeg_read_extras(const uint8_t *data, size_t len, struct jpeg_extras *ret, struct complaint *c)
{
    struct pieces pieces = {0};
    struct jpeg_segment s;
    bool oriented = false;
    *ret = (struct jpeg_extras){.orientation = 1};
    for (size_t at = 0; jpeg_segment_at(data, len, at, &s) && s.marker != MARK_SOS && s.marker != MARK_EOI; at = s.next) {
        if (s.marker == MARK_APP + 1 && !oriented && s.len > 6 && !memcmp(s.data, "Exif\0", 6)) {
            ret->orientation = exif_orientation(s.data, s.len);
            oriented = true;
        }
        note_piece(&pieces, &s);
    }
    return join(&pieces, ret, c);
}
