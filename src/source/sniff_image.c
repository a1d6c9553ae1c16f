/* SPDX-License-Identifier: Apache-2.0 */
/* Outlines of PNG, JPEG, BMP, ICO and TIFF: size, alpha, frames, orientation, as far as the headers tell. Loops over
 * chunks move forward at least one byte and end with the head, so 256 KiB bounds them all. */
#include "source/sniff_priv.h"

void sniff_png(const struct head *h, struct sniff *s)
{
    if (!IS(h, 12, "IHDR"))
        return;
    s->width = be32(h, 16);
    s->height = be32(h, 20);
    uint32_t colour = u8(h, 25);
    s->alpha = colour == 4 || colour == 6;
    for (size_t o = 8; has(h, o, 8);) {
        if (IS(h, o + 4, "IDAT")) {
            s->frames = MAX(s->frames, 1u);
            return;
        }
        if (IS(h, o + 4, "tRNS"))
            s->alpha = true;
        if (IS(h, o + 4, "acTL"))
            s->frames = MIN(be32(h, o + 8), LIMIT_FRAMES);
        if (IS(h, o + 4, "eXIf"))
            s->orientation = MAX(sniff_tiff_orientation(h, o + 8), 1);
        size_t step = (size_t)be32(h, o) + 12;
        if (step > h->len - o)
            return;
        o += step;
    }
}

/* Frame headers: C0..CF without DHT, JPG and DAC. */
static bool is_frame(uint32_t marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/* A marker segment; false at the end of what is of interest. Of several EXIF segments the first that is not empty counts, as in the worker. */
static bool jpeg_segment(const struct head *h, size_t o, uint32_t marker, struct sniff *s)
{
    if (marker == 0xe1 && !s->orientation && be16(h, o) > 8 && IS(h, o + 2, "Exif\0\0"))
        s->orientation = MAX(sniff_tiff_orientation(h, o + 2), 1);
    if (!is_frame(marker))
        return marker != 0xda && marker != 0xd9;
    s->height = be16(h, o + 3);
    s->width = be16(h, o + 5);
    return false;
}

static void jpeg_segments(const struct head *h, struct sniff *s)
{
    for (size_t o = 2; has(h, o, 4);) {
        if (u8(h, o) != 0xff || u8(h, o + 1) == 0xff || u8(h, o + 1) == 0) {
            o++; /* fill bytes, or garbage that decoders skip too */
            continue;
        }
        uint32_t marker = u8(h, o + 1);
        o += 2;
        if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8))
            continue;
        if (!jpeg_segment(h, o, marker, s))
            return;
        o += MAX(be16(h, o), 2u);
    }
}

void sniff_jpeg(const struct head *h, struct sniff *s)
{
    s->frames = 1;
    s->orientation = 0; /* none told yet */
    jpeg_segments(h, s);
    s->orientation = MAX(s->orientation, 1);
}

void sniff_bmp(const struct head *h, struct sniff *s)
{
    bool old = le32(h, 14) == 12;
    uint32_t height = old ? le16(h, 20) : le32(h, 22);
    s->width = old ? le16(h, 18) : le32(h, 18);
    s->height = !old && height & 0x80000000u ? 0u - height : height; /* negative: rows from the top */
    s->frames = 1;
    s->alpha = !old && le16(h, 28) == 32;
}

/* The largest entry; 0 means 256. */
void sniff_ico(const struct head *h, struct sniff *s)
{
    uint32_t n = le16(h, 4);
    for (uint32_t i = 0; i < n && has(h, 6 + 16 * (size_t)i, 16); i++) {
        uint32_t w = u8(h, 6 + 16 * (size_t)i), t = u8(h, 7 + 16 * (size_t)i);
        w = w ? w : 256;
        t = t ? t : 256;
        if (w * t > s->width * s->height) {
            s->width = w;
            s->height = t;
        }
    }
    s->frames = n;
    s->alpha = true;
}

/* ---------------------------------------------------------------- TIFF structures, also inside EXIF */

struct tiff {
    const struct head *h;
    size_t base;
    bool little;
};

static uint32_t t16(const struct tiff *t, size_t o)
{
    return t->little ? le16(t->h, t->base + o) : be16(t->h, t->base + o);
}

static uint32_t t32(const struct tiff *t, size_t o)
{
    return t->little ? le32(t->h, t->base + o) : be32(t->h, t->base + o);
}

static bool tiff_open(struct tiff *t, const struct head *h, size_t base)
{
    *t = (struct tiff){h, base, IS(h, base, "II*\0")};
    return t->little || IS(h, base, "MM\0*");
}

/* A SHORT or LONG value of the first directory; 0 when it is not there. */
static uint32_t tiff_value(const struct tiff *t, uint32_t tag)
{
    size_t dir = t32(t, 4);
    uint32_t n = t16(t, dir);
    for (uint32_t i = 0; i < n && has(t->h, t->base + dir + 2 + 12 * (size_t)i, 12); i++) {
        size_t o = dir + 2 + 12 * (size_t)i;
        if (t16(t, o) == tag)
            return t16(t, o + 2) == 3 ? t16(t, o + 8) : t16(t, o + 2) == 4 ? t32(t, o + 8) : 0;
    }
    return 0;
}

uint8_t sniff_tiff_orientation(const struct head *h, size_t base)
{
    struct tiff t;
    base += IS(h, base, "Exif\0\0") ? 6 : 0;
    uint32_t v = tiff_open(&t, h, base) ? tiff_value(&t, 0x112) : 0;
    return v >= 1 && v <= 8 ? (uint8_t)v : 0;
}

void sniff_tiff(const struct head *h, struct sniff *s)
{
    struct tiff t;
    if (!tiff_open(&t, h, 0))
        return;
    s->width = tiff_value(&t, 0x100);
    s->height = tiff_value(&t, 0x101);
    s->alpha = tiff_value(&t, 0x152) != 0;
    s->orientation = (uint8_t)MAX(sniff_tiff_orientation(h, 0), 1);
}
