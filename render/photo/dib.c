/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers of bitmaps: OS/2's of 12 and of 16 to 64 bytes, Windows' of 40, 52, 56, 108 and 124. Our own, because the usual loader
 * (gdk-pixbuf) shows 68 of 87 sample files also when their last quarter is cut off, gives one image of an icon only, and
 * reads neither its PNG images nor profiles.
 */
#include "dib.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "bytes.h"

enum { CORE = 12, INFO = 40, WITH_ALPHA = 56, V5 = 124 };
enum compression { BI_RGB, BI_RLE8, BI_RLE4, BI_BITFIELDS, BI_JPEG, BI_PNG, BI_ALPHABITFIELDS };
#define PROFILE_EMBEDDED 0x4d424544u /* 'MBED' */

/* A number of the header; 0 behind its end. */
static uint32_t field(const struct dib *d, size_t at)
{
    return at + 4 <= d->header ? le32(d->data + at) : 0;
}

static bool is_os2(const struct dib *d)
{
    return d->header < INFO || d->header == 64;
}

static int read_size(struct dib *d, struct complaint *c)
{
    if (d->header == CORE) {
        d->width = le16(d->data + 4);
        d->height = le16(d->data + 6);
        d->bits = le16(d->data + 10);
    } else {
        uint32_t height = le32(d->data + 8);
        d->width = le32(d->data + 4);
        d->top_down = height & 0x80000000u;
        d->height = d->top_down ? 0u - height : height;
        d->bits = le16(d->data + 14);
    }
    if (d->width & 0x80000000u)
        return complain(c, WORK_MALFORMED, "the width is negative");
    if (d->icon)
        d->height /= 2;
    return check_sides(d->width, d->height, c);
}

/* What may be packed how. OS/2 has other names for two numbers. */
static int read_packing(struct dib *d, uint32_t *ret_compression, struct complaint *c)
{
    static const struct {
        uint32_t compression;
        enum dib_packing packing;
        uint64_t bits; /* a bit for each depth */
        bool os2, windows;
    } rows[] = {
        {BI_RGB, DIB_PLAIN, 1ull << 1 | 1ull << 2 | 1ull << 4 | 1ull << 8 | 1ull << 16 | 1ull << 24 | 1ull << 32, true, true},
        {BI_RLE8, DIB_RLE8, 1ull << 8, true, true},
        {BI_RLE4, DIB_RLE4, 1ull << 4, true, true},
        {BI_BITFIELDS, DIB_PLAIN, 1ull << 16 | 1ull << 32, false, true},
        {BI_ALPHABITFIELDS, DIB_PLAIN, 1ull << 16 | 1ull << 32, false, true},
        {4, DIB_RLE24, 1ull << 24, true, false},
    };
    uint32_t compression = field(d, 16);
    bool os2 = is_os2(d);
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].compression == compression && (os2 ? rows[i].os2 : rows[i].windows)) {
            d->packing = rows[i].packing;
            *ret_compression = compression;
            if (d->bits <= 32 && rows[i].bits >> d->bits & 1)
                return WORK_OK;
            return complain(c, WORK_MALFORMED, "a BMP of %u bits per pixel in packing %u", d->bits, compression);
        }
    return complain(c, compression <= BI_PNG ? WORK_UNSUPPORTED : WORK_MALFORMED, "a BMP in packing %u", compression);
}

static void set_channel(struct dib_channel *ch, uint32_t mask)
{
    ch->mask = mask;
    if (!mask)
        return;
    unsigned shift = (unsigned)__builtin_ctz(mask);
    while (mask >> shift > 255)
        shift++;
    ch->shift = (uint8_t)shift;
    uint32_t most = mask >> shift;
    for (uint32_t i = 0; i < 256; i++)
        ch->level[i] = (uint8_t)((MIN(i, most) * 255 + most / 2) / most);
}

/* The masks stand where a longer header has them, also behind a short one. ret_end: of them and the header. */
static int read_masks(struct dib *d, uint32_t compression, size_t *ret_end, struct complaint *c)
{
    static const uint32_t usual[2][3] = {{0x7c00, 0x3e0, 0x1f}, {0xff0000, 0xff00, 0xff}};
    uint32_t mask[4] = {0};
    size_t end = d->header;
    bool given = compression == BI_BITFIELDS || compression == BI_ALPHABITFIELDS;
    if (given && d->header == INFO)
        end += compression == BI_BITFIELDS ? 12 : 16;
    if (end > d->len)
        return complain(c, WORK_MALFORMED, "the header is cut");
    if (given) {
        bool alpha = compression == BI_ALPHABITFIELDS || d->header >= WITH_ALPHA;
        for (size_t i = 0; i < (alpha ? 4u : 3u) && INFO + i * 4 + 4 <= end; i++)
            mask[i] = le32(d->data + INFO + i * 4);
    } else if (d->bits == 16 || d->bits == 32) {
        memcpy(mask, usual[d->bits == 32], sizeof usual[0]);
        mask[3] = d->icon && d->bits == 32 ? 0xff000000u : 0;
    }
    for (int i = 0; i < 4; i++)
        set_channel(&d->channel[i], d->bits == 16 ? mask[i] & 0xffff : mask[i]);
    *ret_end = end;
    return WORK_OK;
}

/* More colours than the depth can name are passed over; fewer leave black. */
static int read_palette(struct dib *d, size_t at, size_t pixels, struct complaint *c)
{
    size_t entry = d->header == CORE ? 3 : 4, used = field(d, 32), most = d->bits <= 8 ? (size_t)1 << d->bits : 0;
    used = used ? used : most;
    size_t room = ((pixels ? MIN(pixels, d->len) : d->len) - at) / entry;
    if (!pixels && used > room)
        return complain(c, WORK_MALFORMED, "the palette is cut");
    d->pixels = pixels ? pixels : at + used * entry;
    d->colours = (uint32_t)MIN(MIN(used, most), room);
    for (size_t i = 0; i < COUNT(d->palette); i++)
        d->palette[i][3] = 255;
    for (size_t i = 0; i < d->colours; i++) {
        const uint8_t *bgr = d->data + at + i * entry;
        memcpy(d->palette[i], (uint8_t[3]){bgr[2], bgr[1], bgr[0]}, 3);
    }
    return WORK_OK;
}

/* One that is not in the file changes nothing, as with other formats. */
static void read_profile(struct dib *d)
{
    uint32_t at = field(d, 112), len = field(d, 116);
    if (d->header < V5 || field(d, 56) != PROFILE_EMBEDDED || !len || len > LIMIT_ICC_BYTES)
        return;
    if (at > d->len || len > d->len - at || profile_is_srgb(d->data + at, len))
        return;
    d->icc = d->data + at;
    d->icc_len = len;
}

int dib_read(const uint8_t *data, size_t len, size_t pixels, bool icon, struct dib *ret, struct complaint *c)
{
    struct dib d = {.data = data, .len = len, .icon = icon};
    uint32_t compression = BI_RGB;
    size_t end = 0;
    if (len < CORE || (d.header = le32(data)) > len)
        return complain(c, WORK_MALFORMED, "the header is cut");
    if (d.header != CORE && (d.header < 16 || d.header > V5))
        return complain(c, WORK_MALFORMED, "a BMP header of %u bytes", d.header);
    int status = read_size(&d, c);
    if (!status)
        status = read_packing(&d, &compression, c);
    if (!status)
        status = read_masks(&d, compression, &end, c);
    if (!status && pixels && pixels < end)
        status = complain(c, WORK_MALFORMED, "the pixels are said to begin inside of the header");
    if (!status)
        status = read_palette(&d, end, pixels, c);
    if (status)
        return status;
    read_profile(&d);
    d.stride = ((size_t)d.width * d.bits + 31) / 32 * 4;
    *ret = d;
    return WORK_OK;
}

static bool palette_is_gray(const struct dib *d)
{
    for (uint32_t i = 0; i < d->colours; i++)
        if (d->palette[i][0] != d->palette[i][1] || d->palette[i][0] != d->palette[i][2])
            return false;
    return d->bits <= 8;
}

static bool levels_fit_a_byte(const struct dib *d)
{
    for (int i = 0; i < 4; i++)
        if (__builtin_popcount(d->channel[i].mask) > 8)
            return false;
    return true;
}

void dib_header(const struct dib *d, struct header *ret)
{
    bool alpha = d->channel[3].mask || d->packing != DIB_PLAIN || d->icon;
    *ret = (struct header){
        .width = d->width,
        .height = d->height,
        .frames = 1,
        .orientation = 1,
        .alpha = alpha,
        .exact = levels_fit_a_byte(d),
        .channels = alpha ? 4 : palette_is_gray(d) ? 1 : 3,
        .colour = COLOUR_RGBA,
        .icc = d->icc,
        .icc_len = d->icc_len,
    };
}
