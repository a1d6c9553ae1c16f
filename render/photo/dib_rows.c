/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a bitmap, from wherever they lie in the file; nothing is copied before it is asked for. */
#include <string.h>

#include "base/cleanup.h"
#include "bytes.h"
#include "dib.h"

/* Whole rows; of the last one in the file the padding may be missing. */
static bool rows_there(size_t at, size_t len, size_t stride, size_t bytes, uint32_t rows)
{
    size_t all;
    return at <= len && times(stride, rows - 1, &all) && all <= len - at && bytes <= len - at - all;
}

static const uint8_t *stored_row(const struct dib *d, uint32_t y)
{
    return d->data + d->pixels + d->stride * (d->top_down ? y : d->height - 1 - y);
}

static uint32_t pixel_at(const struct dib *d, const uint8_t *row, uint32_t x)
{
    return d->bits == 16 ? le16(row + (size_t)x * 2) : le32(row + (size_t)x * 4);
}

/* Programs that know nothing of alpha leave it 0 everywhere, and mean an opaque picture. */
static bool alpha_unwritten(const struct dib *d)
{
    for (uint32_t y = 0; y < d->height; y++)
        for (uint32_t x = 0; x < d->width; x++)
            if (pixel_at(d, stored_row(d, y), x) & d->channel[3].mask)
                return false;
    return true;
}

/* An icon's mask follows its pixels. Where alpha says the same better, it is not looked at and may be missing. */
static int find_mask(struct dib_rows *r, struct complaint *c)
{
    const struct dib *d = r->dib;
    if (!d->icon || (d->channel[3].mask && !r->opaque))
        return WORK_OK;
    size_t at = d->pixels + d->stride * d->height;
    r->mask_stride = ((size_t)d->width + 31) / 32 * 4;
    if (!rows_there(at, d->len, r->mask_stride, ((size_t)d->width + 7) / 8, d->height))
        return complain(c, WORK_MALFORMED, "the mask of the icon is cut");
    r->mask = d->data + at;
    return WORK_OK;
}

static int unpack(struct dib_rows *r, struct complaint *c)
{
    r->canvas = calloc((size_t)r->dib->width * r->dib->height, 4);
    if (!r->canvas)
        return complain(c, WORK_NO_MEMORY, "out of memory for a picture of %ux%u", r->dib->width, r->dib->height);
    return dib_unpack(r->dib, r->canvas, c);
}

int dib_rows_open(struct dib_rows *r, const struct dib *d, uint8_t channels, struct complaint *c)
{
    *r = (struct dib_rows){.dib = d, .channels = channels ? channels : 4};
    int status = check_pixels(d->width, d->height, (uint64_t)d->width * d->height, c);
    if (status)
        return status;
    if (d->packing != DIB_PLAIN)
        return d->icon ? complain(c, WORK_UNSUPPORTED, "an icon of packed pixels") : unpack(r, c);
    if (!rows_there(d->pixels, d->len, d->stride, ((size_t)d->width * d->bits + 7) / 8, d->height))
        return complain(c, WORK_MALFORMED, "the file ends within its pixels");
    r->opaque = d->channel[3].mask && alpha_unwritten(d);
    return find_mask(r, c);
}

void dib_rows_done(struct dib_rows *r)
{
    free(r->canvas);
    r->canvas = NULL;
}

static void put_palette(const struct dib_rows *r, const uint8_t *row, uint8_t *out)
{
    const struct dib *d = r->dib;
    unsigned in_byte = 8u / d->bits, most = (1u << d->bits) - 1;
    for (uint32_t x = 0; x < d->width; x++, out += r->channels) {
        unsigned shift = 8 - d->bits * (x % in_byte + 1);
        memcpy(out, d->palette[row[x / in_byte] >> shift & most], r->channels);
    }
}

static void put_bytes(const struct dib_rows *r, const uint8_t *row, uint8_t *out)
{
    const struct dib *d = r->dib;
    if (r->channels == 1) {
        for (uint32_t x = 0; x < d->width; x++)
            out[x] = d->palette[row[x]][0];
        return;
    }
    for (uint32_t x = 0; x < d->width; x++, out += r->channels)
        memcpy(out, d->palette[row[x]], r->channels);
}

/* Three bytes, or four of which the last is alpha or nothing. */
static void put_bgr(const struct dib_rows *r, const uint8_t *row, uint8_t *out)
{
    uint32_t step = r->dib->bits / 8u;
    bool alpha = r->dib->channel[3].mask && !r->opaque;
    if (r->channels == 3) {
        for (const uint8_t *end = row + (size_t)r->dib->width * step; row < end; row += step, out += 3) {
            out[0] = row[2];
            out[1] = row[1];
            out[2] = row[0];
        }
        return;
    }
    for (uint32_t x = 0; x < r->dib->width; x++, row += step, out += 4)
        memcpy(out, (uint8_t[4]){row[2], row[1], row[0], alpha ? row[3] : 255}, 4);
}

static uint8_t level(const struct dib_channel *ch, uint32_t pixel)
{
    return ch->mask ? ch->level[(pixel & ch->mask) >> ch->shift & 255] : 0;
}

static void put_masked(const struct dib_rows *r, const uint8_t *row, uint8_t *out)
{
    const struct dib *d = r->dib;
    bool alpha = d->channel[3].mask && !r->opaque;
    for (uint32_t x = 0; x < d->width; x++, out += r->channels) {
        uint32_t pixel = pixel_at(d, row, x);
        for (int i = 0; i < 3; i++)
            out[i] = level(&d->channel[i], pixel);
        if (r->channels == 4)
            out[3] = alpha ? level(&d->channel[3], pixel) : 255;
    }
}

static bool in_bytes(const struct dib *d)
{
    const struct dib_channel *ch = d->channel;
    return d->bits == 24 || (d->bits == 32 && ch[0].mask == 0xff0000 && ch[1].mask == 0xff00 && ch[2].mask == 0xff &&
                             (!ch[3].mask || ch[3].mask == 0xff000000u));
}

/* Where the mask has a 1, what is behind shows. (A 1 over a colour that is not black inverts it; nobody's ground is known.) */
static void apply_mask(const struct dib_rows *r, uint8_t *out)
{
    const struct dib *d = r->dib;
    const uint8_t *mask = r->mask + r->mask_stride * (d->top_down ? r->y : d->height - 1 - r->y);
    for (uint32_t x = 0; x < d->width; x++)
        if (mask[x / 8] >> (7 - x % 8) & 1)
            out[(size_t)x * 4 + 3] = 0;
}

void dib_rows_next(struct dib_rows *r, uint8_t *out)
{
    const struct dib *d = r->dib;
    if (r->canvas)
        memcpy(out, r->canvas + (size_t)r->y * d->width * 4, (size_t)d->width * 4);
    else if (d->bits < 8)
        put_palette(r, stored_row(d, r->y), out);
    else if (d->bits == 8)
        put_bytes(r, stored_row(d, r->y), out);
    else if (in_bytes(d))
        put_bgr(r, stored_row(d, r->y), out);
    else
        put_masked(r, stored_row(d, r->y), out);
    if (r->mask)
        apply_mask(r, out);
    r->y++;
}
