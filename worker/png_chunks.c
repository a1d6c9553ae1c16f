/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chunks of a PNG: one walk over the whole file before any pixel is decoded, so that a cut or holed file is known at
 * once. Chunks that decide what the pixels look like are checked by CRC; others only have to be framed well, and text
 * is never inflated. The pixels' own chunks are checked when they are read.
 */
#include <libdeflate.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "bytes.h"
#include "png.h"

const uint8_t png_signature[PNG_SIGNATURE] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

struct walk {
    struct png_info *info;
    struct complaint *c;
    bool header, palette, pixels, pixels_over, end;
    bool animated;      /* acTL was there in time */
    bool sound;         /* and nothing spoke against it yet */
    uint32_t announced; /* frames by acTL */
    uint32_t frames;    /* fcTL chunks */
    uint32_t sequence;  /* next number expected */
    bool frame_filled;  /* the last fcTL has data */
};

static bool letters(const uint8_t *type)
{
    for (int i = 0; i < 4; i++)
        if (!((type[i] >= 'A' && type[i] <= 'Z') || (type[i] >= 'a' && type[i] <= 'z')))
            return false;
    return true;
}

int png_chunk_at(const uint8_t *data, size_t len, size_t at, struct png_chunk *ret, struct complaint *c)
{
    if (at > len || len - at < PNG_FRAMING)
        return complain(c, WORK_MALFORMED, "the file ends before its IEND chunk");
    uint32_t n = be32(data + at);
    if (!letters(data + at + 4))
        return complain(c, WORK_MALFORMED, "no chunk where one should start, at byte %zu", at);
    if (n > INT32_MAX || n > len - at - PNG_FRAMING)
        return complain(c, WORK_MALFORMED, "chunk %.4s is longer than the file", (const char *)data + at + 4);
    *ret = (struct png_chunk){be32(data + at + 4), n, data + at + 8, at + PNG_FRAMING + n};
    return WORK_OK;
}

int png_crc_check(const struct png_chunk *k, struct complaint *c)
{
    if (libdeflate_crc32(0, k->data - 4, (size_t)k->len + 4) == be32(k->data + k->len))
        return WORK_OK;
    return complain(c, WORK_MALFORMED, "%.4s CRC does not match", (const char *)k->data - 4);
}

/* Bits of one pixel, 0 for a pair that PNG does not have. */
static unsigned pixel_bits(uint8_t colour, uint8_t depth)
{
    static const struct {
        uint8_t colour, samples, depths; /* depths: bit mask, since each is a power of two */
    } kinds[] = {
        {PNG_GRAY, 1, 1 | 2 | 4 | 8 | 16}, {PNG_RGB, 3, 8 | 16},  {PNG_PALETTE, 1, 1 | 2 | 4 | 8},
        {PNG_GRAY_ALPHA, 2, 8 | 16},       {PNG_RGBA, 4, 8 | 16},
    };
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (kinds[i].colour == colour && depth && !(depth & (depth - 1)) && (kinds[i].depths & depth))
            return kinds[i].samples * depth;
    return 0;
}

static int on_ihdr(struct walk *w, const struct png_chunk *k)
{
    struct png_info *info = w->info;
    const uint8_t *d = k->data;
    if (w->header || k->len != 13)
        return complain(w->c, WORK_MALFORMED, "IHDR is not 13 bytes once");
    w->header = true;
    info->width = be32(d);
    info->height = be32(d + 4);
    info->depth = d[8];
    info->colour = d[9];
    info->bits = (uint8_t)pixel_bits(d[9], d[8]);
    info->interlaced = d[12] == 1;
    if (!info->bits)
        return complain(w->c, WORK_MALFORMED, "colour type %u does not come with %u bits", d[9], d[8]);
    if (d[10] || d[11] || d[12] > 1)
        return complain(w->c, WORK_MALFORMED, "unknown compression, filter or interlace method");
    return check_sides(info->width, info->height, w->c);
}

static size_t offset_of(const struct png_chunk *k)
{
    return k->next - PNG_FRAMING - k->len;
}

static int on_plte(struct walk *w, const struct png_chunk *k)
{
    struct png_info *info = w->info;
    if (w->palette || w->pixels)
        return complain(w->c, WORK_MALFORMED, "PLTE is out of place");
    w->palette = true;
    if (info->colour != PNG_PALETTE)
        return WORK_OK; /* a hint, or nonsense; no pixel needs it */
    if (!k->len || k->len % 3 || k->len > 768)
        return complain(w->c, WORK_MALFORMED, "PLTE is not a palette");
    info->plte = offset_of(k);
    info->colours = k->len / 3;
    for (uint32_t i = 0; i < info->colours; i++) {
        memcpy(info->palette[i], k->data + i * 3, 3);
        info->palette[i][3] = 255;
    }
    return WORK_OK;
}

/* One that is late, a second one, or does not fit is passed over, as everybody does. */
static int on_trns(struct walk *w, const struct png_chunk *k)
{
    struct png_info *info = w->info;
    uint32_t samples = info->colour == PNG_GRAY ? 1 : info->colour == PNG_RGB ? 3 : 0;
    bool fits = info->colour == PNG_PALETTE ? k->len && k->len <= info->colours : samples && k->len == samples * 2;
    if (w->pixels || info->keyed || !fits)
        return WORK_OK;
    info->keyed = true;
    info->trns = offset_of(k);
    /* Of two bytes those bits count that a sample has; writers leave others in them. */
    for (uint32_t i = 0; i < samples; i++)
        info->key[i] = (uint16_t)(be16(k->data + i * 2) & ((1u << info->depth) - 1));
    for (uint32_t i = 0; !samples && i < k->len; i++)
        info->palette[i][3] = k->data[i];
    return WORK_OK;
}

static int on_idat(struct walk *w, const struct png_chunk *k)
{
    if (w->pixels_over)
        return complain(w->c, WORK_MALFORMED, "IDAT chunks are not together");
    if (w->info->colour == PNG_PALETTE && !w->palette)
        return complain(w->c, WORK_MALFORMED, "the palette is missing");
    if (!w->pixels)
        w->info->idat = offset_of(k);
    w->pixels = true;
    w->frame_filled = true;
    return WORK_OK;
}

static int on_iend(struct walk *w, const struct png_chunk *k)
{
    (void)k;
    w->end = true;
    return w->pixels ? WORK_OK : complain(w->c, WORK_MALFORMED, "there is no IDAT chunk");
}

static int on_iccp(struct walk *w, const struct png_chunk *k)
{
    if (!w->pixels)
        w->info->icc = *k;
    return WORK_OK;
}

static int on_srgb(struct walk *w, const struct png_chunk *k)
{
    if (!w->pixels && !w->info->srgb && k->len == 1 && png_crc_check(k, NULL) == WORK_OK)
        w->info->srgb = offset_of(k);
    return WORK_OK;
}

static int on_gama(struct walk *w, const struct png_chunk *k)
{
    if (!w->pixels && !w->info->gamma.data && k->len == 4 && png_crc_check(k, NULL) == WORK_OK)
        w->info->gamma = *k;
    return WORK_OK;
}

static int on_chrm(struct walk *w, const struct png_chunk *k)
{
    if (!w->pixels && !w->info->primaries.data && k->len == 32 && png_crc_check(k, NULL) == WORK_OK)
        w->info->primaries = *k;
    return WORK_OK;
}

static int on_exif(struct walk *w, const struct png_chunk *k)
{
    w->info->exif = *k;
    return WORK_OK;
}

/* An animation with anything wrong is shown as the still picture that every PNG is, as its specification asks. */
static int on_actl(struct walk *w, const struct png_chunk *k)
{
    w->sound = !w->animated && !w->pixels && k->len == 8 && png_crc_check(k, NULL) == WORK_OK;
    w->animated = true;
    w->announced = w->sound ? be32(k->data) : 0;
    return WORK_OK;
}

static int on_fctl(struct walk *w, const struct png_chunk *k)
{
    if (!w->animated || k->len != 26 || be32(k->data) != w->sequence++ || (w->frames && !w->frame_filled) ||
        png_crc_check(k, NULL) != WORK_OK) {
        w->sound = false;
        return WORK_OK;
    }
    if (!w->frames++)
        w->info->first_frame = offset_of(k);
    w->frame_filled = false;
    return WORK_OK;
}

static int on_fdat(struct walk *w, const struct png_chunk *k)
{
    if (!w->frames || !w->pixels || k->len < 4 || be32(k->data) != w->sequence++)
        w->sound = false;
    w->frame_filled = true;
    return WORK_OK;
}

static const struct handler {
    uint32_t type;
    bool checked; /* a wrong CRC refuses the file */
    int (*on)(struct walk *w, const struct png_chunk *k);
} handlers[] = {
    {PNG_TYPE('I', 'D', 'A', 'T'), false, on_idat}, {PNG_TYPE('f', 'd', 'A', 'T'), false, on_fdat},
    {PNG_TYPE('f', 'c', 'T', 'L'), false, on_fctl}, {PNG_TYPE('I', 'H', 'D', 'R'), true, on_ihdr},
    {PNG_TYPE('P', 'L', 'T', 'E'), true, on_plte},  {PNG_TYPE('t', 'R', 'N', 'S'), true, on_trns},
    {PNG_TYPE('I', 'E', 'N', 'D'), true, on_iend},  {PNG_TYPE('i', 'C', 'C', 'P'), false, on_iccp},
    {PNG_TYPE('e', 'X', 'I', 'f'), false, on_exif}, {PNG_TYPE('a', 'c', 'T', 'L'), false, on_actl},
    {PNG_TYPE('s', 'R', 'G', 'B'), false, on_srgb}, {PNG_TYPE('g', 'A', 'M', 'A'), false, on_gama},
    {PNG_TYPE('c', 'H', 'R', 'M'), false, on_chrm},
};

static int on_chunk(struct walk *w, const struct png_chunk *k)
{
    const struct handler *h = handlers;
    while (h < handlers + COUNT(handlers) && h->type != k->type)
        h++;
    if (k->type == PNG_TYPE('C', 'g', 'B', 'I'))
        return complain(w->c, WORK_UNSUPPORTED, "Apple's own variety of PNG (CgBI)");
    if (!w->header && k->type != PNG_TYPE('I', 'H', 'D', 'R'))
        return complain(w->c, WORK_MALFORMED, "the first chunk is not IHDR");
    if (w->pixels && k->type != PNG_TYPE('I', 'D', 'A', 'T'))
        w->pixels_over = true;
    if (h == handlers + COUNT(handlers)) {
        if (k->type & 0x20000000)
            return WORK_OK; /* ancillary: not needed to show the picture */
        return complain(w->c, WORK_MALFORMED, "unknown critical chunk %.4s", (const char *)k->data - 4);
    }
    int status = h->checked ? png_crc_check(k, w->c) : WORK_OK;
    return status ? status : h->on(w, k);
}

int png_read_info(const uint8_t *data, size_t len, struct png_info *ret, struct complaint *c)
{
    *ret = (struct png_info){.data = data, .len = len};
    struct walk w = {.info = ret, .c = c};
    if (len < PNG_SIGNATURE || memcmp(data, png_signature, PNG_SIGNATURE) != 0)
        return complain(c, WORK_MALFORMED, "the PNG signature is damaged");
    for (size_t at = PNG_SIGNATURE; !w.end;) {
        struct png_chunk k;
        int status = png_chunk_at(data, len, at, &k, c);
        if (!status)
            status = on_chunk(&w, &k);
        if (status)
            return status;
        at = k.next;
    }
    bool sound = w.sound && w.frames && w.frame_filled && w.frames == w.announced && w.frames <= LIMIT_FRAMES;
    ret->frames = sound ? w.frames : 1;
    if (!sound)
        ret->first_frame = 0;
    return WORK_OK;
}

int png_read_profile(const struct png_info *info, uint8_t **ret, size_t *ret_len, struct complaint *c)
{
    const struct png_chunk *k = &info->icc;
    const uint8_t *name_end = k->data ? memchr(k->data, 0, MIN(k->len, 80)) : NULL;
    *ret = NULL;
    *ret_len = 0;
    if (!name_end || name_end + 2 > k->data + k->len || name_end[1] || png_crc_check(k, NULL) != WORK_OK)
        return WORK_OK;
    struct libdeflate_decompressor *z = libdeflate_alloc_decompressor();
    auto_free uint8_t *icc = malloc(LIMIT_ICC_BYTES);
    size_t len = 0;
    if (!z || !icc) {
        libdeflate_free_decompressor(z);
        return complain(c, WORK_NO_MEMORY, "out of memory for the colour profile");
    }
    enum libdeflate_result r = libdeflate_zlib_decompress(z, name_end + 2, (size_t)(k->data + k->len - (name_end + 2)), icc,
                                                          LIMIT_ICC_BYTES, &len);
    libdeflate_free_decompressor(z);
    if (r != LIBDEFLATE_SUCCESS || profile_is_srgb(icc, len))
        return WORK_OK;
    *ret_len = len;
    *ret = take(icc);
    return WORK_OK;
}
