/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking a GIF: a hop over the sub-blocks costs nothing beside decoding them, so all frames are counted and placed
 * before one is decoded, and a file that is cut off is known as such.
 */
#include "gif_blocks.h"

#include <string.h>

#include "base/cleanup.h"
#include "bytes.h"

enum { DESCRIPTOR = 10, CONTROL_LABEL = 0xf9 };

static size_t table_bytes(uint8_t flags)
{
    return flags & 0x80 ? 3u << ((flags & 7) + 1) : 0;
}

int gif_read_screen(const uint8_t *data, size_t len, struct gif_screen *ret, struct complaint *c)
{
    if (len < GIF_HEAD || (memcmp(data, "GIF87a", 6) != 0 && memcmp(data, "GIF89a", 6) != 0))
        return complain(c, WORK_MALFORMED, "the GIF header is damaged");
    struct size size = {le16(data + 6), le16(data + 8)};
    *ret = (struct gif_screen){size, GIF_HEAD + table_bytes(data[10])};
    return WORK_OK;
}

/* Offset behind the sub-blocks that start at an offset; 0 when they run past the end. */
static size_t skip_data(const uint8_t *data, size_t len, size_t at)
{
    while (at < len) {
        size_t n = data[at];
        if (!n)
            return at + 1;
        at += n + 1;
    }
    return 0;
}

int gif_block_at(const uint8_t *data, size_t len, size_t at, struct gif_block *ret, struct complaint *c)
{
    struct gif_block b = {.kind = GIF_END, .at = at, .next = at + 1};
    uint8_t start = at < len ? data[at] : 0;
    size_t body = 0;
    if (start == ';') {
        *ret = b;
        return WORK_OK;
    }
    if (start == ',' && len - at > DESCRIPTOR) {
        b.kind = GIF_IMAGE;
        body = at + DESCRIPTOR + table_bytes(data[at + DESCRIPTOR - 1]) + 1;
    } else if (start == '!' && len - at > 2) {
        b.label = data[at + 1];
        b.kind = b.label == CONTROL_LABEL && data[at + 2] == 4 ? GIF_CONTROL : GIF_EXTENSION;
        body = at + 2;
    } else if (at < len && start != ',' && start != '!') {
        return complain(c, WORK_MALFORMED, "no block where one should start, at byte %zu", at);
    }
    b.next = body ? skip_data(data, len, body) : 0;
    if (!b.next)
        return complain(c, WORK_MALFORMED, "the file ends in the middle of a block");
    *ret = b;
    return WORK_OK;
}

static struct gif_frame read_frame(const uint8_t *image, const uint8_t *control)
{
    static const enum dispose disposes[8] = {[2] = DISPOSE_CLEAR, [3] = DISPOSE_RESTORE};
    struct gif_frame f = {.transparent = -1};
    f.frame.box = (struct rect){le16(image + 1), le16(image + 3), le16(image + 5), le16(image + 7)};
    if (control) {
        f.frame.dispose = disposes[control[3] >> 2 & 7];
        f.frame.delay_ms = le16(control + 4) * 10u;
        f.frame.transparent = f.frame.over = control[3] & 1;
        f.transparent = control[3] & 1 ? control[6] : -1;
    }
    return f;
}

int gif_next_frame(const uint8_t *data, size_t len, size_t *at, struct gif_frame *ret, bool *ret_found,
                   struct complaint *c)
{
    const uint8_t *control = NULL;
    for (;;) {
        struct gif_block b = {0};
        int status = gif_block_at(data, len, *at, &b, c);
        if (status)
            return status;
        *ret_found = b.kind == GIF_IMAGE;
        if (b.kind == GIF_END)
            return WORK_OK;
        *at = b.next;
        if (b.kind == GIF_CONTROL)
            control = data + b.at;
        if (b.kind != GIF_IMAGE)
            continue;
        *ret = read_frame(data + b.at, control);
        ret->at = b.at;
        ret->control = control ? (size_t)(control - data) : 0;
        ret->codes = b.at + DESCRIPTOR + table_bytes(data[b.at + DESCRIPTOR - 1]);
        ret->interlaced = data[b.at + DESCRIPTOR - 1] & 0x40;
        return WORK_OK;
    }
}

void gif_colours(const uint8_t *data, size_t len, const struct gif_frame *f, uint8_t out[256][4])
{
    size_t own = table_bytes(data[f->at + DESCRIPTOR - 1]);
    size_t at = own ? f->at + DESCRIPTOR : GIF_HEAD, bytes = own ? own : table_bytes(data[10]);
    for (int i = 0; i < 256; i++, at += 3, bytes -= MIN(bytes, 3u)) {
        static const uint8_t black[3];
        memcpy(out[i], bytes && at + 3 <= len ? data + at : black, 3);
        out[i][3] = i == f->transparent ? 0 : 255;
    }
}
