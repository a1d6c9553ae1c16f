/* SPDX-License-Identifier: Apache-2.0 */
/* Outlines of GIF and WebP, whose frames are counted by stepping over them, when all of the file is in the head. */
#include "source/sniff_priv.h"

/* Behind a GIF's chain of sub-blocks; past the end when it does not end. */
static size_t skip_blocks(const struct head *h, size_t o)
{
    while (has(h, o, 1) && u8(h, o))
        o += 1 + u8(h, o);
    return o + 1;
}

static size_t colour_table(uint32_t flags)
{
    return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

void sniff_gif(const struct head *h, struct sniff *s)
{
    uint32_t frames = 0;
    s->width = le16(h, 6);
    s->height = le16(h, 8);
    size_t o = 13 + colour_table(u8(h, 10));
    while (has(h, o, 1) && u8(h, o) != 0x3b) {
        if (IS(h, o, "\x21\xf9") && u8(h, o + 3) & 1)
            s->alpha = true;
        if (u8(h, o) == 0x21) {
            o = skip_blocks(h, o + 2);
        } else if (u8(h, o) == 0x2c) {
            frames++;
            o = skip_blocks(h, o + 11 + colour_table(u8(h, o + 9)));
        } else {
            break;
        }
    }
    s->frames = h->whole ? frames : 0;
}

/* Chunks of the extended form: animation frames, and whether any part of it may be transparent. */
static void webp_chunks(const struct head *h, struct sniff *s)
{
    uint32_t frames = 0;
    for (size_t o = 30; has(h, o, 8);) {
        frames += IS(h, o, "ANMF");
        if (IS(h, o, "EXIF"))
            s->orientation = (uint8_t)MAX(sniff_tiff_orientation(h, o + 8), 1);
        size_t size = le32(h, o + 4);
        size_t step = 8 + size + (size & 1);
        if (step > h->len - o)
            break;
        o += step;
    }
    s->frames = u8(h, 20) & 2 ? (h->whole ? frames : 0) : 1;
}

void sniff_webp(const struct head *h, struct sniff *s)
{
    if (IS(h, 12, "VP8X")) {
        s->width = le24(h, 24) + 1;
        s->height = le24(h, 27) + 1;
        s->alpha = u8(h, 20) & 0x10;
        webp_chunks(h, s);
        if (!has(h, 24, 6))
            s->width = s->height = 0;
    } else if (IS(h, 12, "VP8L") && u8(h, 20) == 0x2f && has(h, 21, 4)) {
        uint32_t bits = le32(h, 21);
        s->width = (bits & 0x3fff) + 1;
        s->height = (bits >> 14 & 0x3fff) + 1;
        s->alpha = bits >> 28 & 1;
        s->frames = 1;
    } else if (IS(h, 12, "VP8 ") && IS(h, 23, "\x9d\x01\x2a")) {
        s->width = le16(h, 26) & 0x3fff;
        s->height = le16(h, 28) & 0x3fff;
        s->frames = 1;
    }
}
