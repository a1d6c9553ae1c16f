/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures for the tests of the worker: made here, encoded at test time, decoded through the list of decoders. */
#ifndef FOVEA_TEST_PICTURES_H
#define FOVEA_TEST_PICTURES_H

#include <gif_lib.h>
#include <libdeflate.h>
#include <jpeglib.h>
#include <libdeflate.h>
#include <webp/encode.h>

#include "base/buf.h"
#include "base/limits.h"
#include "worker/bytes.h"
#include "worker/decode.h"

#define MAYBE __attribute__((unused)) static
#define FILE_MAX (256 * MIB)

/* ---- decoding */

/* What a decoder opens. */
#define SOURCE(file) (&(struct source){.data = (const uint8_t *)(file)->data, .len = (file)->len})

struct picture {
    int status;
    struct complaint c;
    struct header h;
    struct size size;
    uint8_t *rgba;
};

MAYBE void picture_done(struct picture *p)
{
    free(p->rgba);
    p->rgba = NULL;
}
#define auto_picture cleanup(picture_done) struct picture

static int decode_rows(const struct decoder_ops *ops, struct decoder *d, struct picture *p)
{
    p->rgba = malloc((size_t)p->size.w * p->size.h * 4 + 1);
    for (uint32_t y = 0; y < p->size.h; y++) {
        int status = ops->row(d, p->rgba + (size_t)y * p->size.w * 4, &p->c);
        if (status)
            return status;
    }
    return ops->finish(d, &p->c);
}

/* least 0: the whole size. */
MAYBE struct picture decode_with(enum media media, const void *data, size_t len, uint32_t frame, uint32_t least)
{
    struct picture p = {0};
    const struct decoder_ops *ops = decoder_of(media);
    struct decoder *d = NULL;
    /* A copy of exactly that length, so that a sanitizer sees a read behind it. */
    auto_free uint8_t *exact = malloc(len ? len : 1);
    memcpy(exact, data, len);
    p.status = ops->open(&(struct source){.data = exact, .len = len}, &d, &p.h, &p.c);
    if (p.status)
        return p;
    struct size size = {least ? least : p.h.width, least ? least : p.h.height};
    struct want want = {.frame = frame, .least = size, .channels = 4};
    p.status = ops->start(d, &want, &p.size, &p.c);
    if (!p.status)
        p.status = decode_rows(ops, d, &p);
    p.h.icc = NULL; /* it was borrowed */
    ops->close(d);
    return p;
}

MAYBE struct picture decode(enum media media, const struct buf *file)
{
    return decode_with(media, file->data, file->len, 1, 0);
}

MAYBE const uint8_t *pixel(const struct picture *p, uint32_t x, uint32_t y)
{
    return p->rgba + ((size_t)y * p->size.w + x) * 4;
}

/* ---- noise that is the same on every run */

MAYBE uint32_t noise(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* A smooth RGBA picture; alpha varies when asked for. The caller frees. */
MAYBE uint8_t *make_rgba(uint32_t w, uint32_t h, bool alpha)
{
    uint8_t *out = malloc((size_t)w * h * 4);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
            uint8_t *p = out + ((size_t)y * w + x) * 4;
            p[0] = (uint8_t)(x * 255 / w);
            p[1] = (uint8_t)(y * 255 / h);
            p[2] = (uint8_t)((x + y) * 2);
            p[3] = (uint8_t)(alpha ? 255 - x * 200 / w : 255);
        }
    return out;
}

/* ---- PNG */

MAYBE void add_be32(struct buf *b, uint32_t v)
{
    uint8_t p[4] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};
    buf_add(b, p, 4);
}

MAYBE void add_chunk_of(struct buf *b, const char *type, const void *data, size_t len)
{
    add_be32(b, (uint32_t)len);
    size_t at = b->len;
    buf_add(b, type, 4);
    if (len)
        buf_add(b, data, len);
    add_be32(b, libdeflate_crc32(0, b->data + at, len + 4));
}

MAYBE void add_png_head(struct buf *b, uint32_t w, uint32_t h, uint8_t depth, uint8_t colour, uint8_t interlace)
{
    buf_add(b, "\x89PNG\r\n\x1a\n", 8);
    auto_buf d = BUF_INIT(64);
    add_be32(&d, w);
    add_be32(&d, h);
    buf_add(&d, (uint8_t[5]){depth, colour, 0, 0, interlace}, 5);
    add_chunk_of(b, "IHDR", d.data, d.len);
}

/* zlib of rows that have their filter bytes already. */
MAYBE void deflate_to(struct buf *out, const void *data, size_t len)
{
    struct libdeflate_compressor *z = libdeflate_alloc_compressor(6);
    size_t room = libdeflate_zlib_compress_bound(z, len);
    char *to = buf_reserve(out, room);
    buf_grew(out, libdeflate_zlib_compress(z, data, len, to, room));
    libdeflate_free_compressor(z);
}

/* Any bytes are a valid image of any kind once each row begins with a filter type: random rows under all five. */
MAYBE void random_rows(struct buf *out, size_t row_bytes, uint32_t h, uint32_t seed)
{
    for (uint32_t y = 0; y < h; y++) {
        uint8_t filter = (uint8_t)(noise(&seed) % 5);
        buf_add(out, &filter, 1);
        for (size_t i = 0; i < row_bytes; i++) {
            uint8_t v = (uint8_t)(noise(&seed) >> 8);
            buf_add(out, &v, 1);
        }
    }
}

/* A plain RGBA PNG of pixels. */
MAYBE void make_png(struct buf *b, const uint8_t *rgba, uint32_t w, uint32_t h)
{
    auto_buf raw = BUF_INIT(FILE_MAX);
    auto_buf z = BUF_INIT(FILE_MAX);
    for (uint32_t y = 0; y < h; y++) {
        buf_add(&raw, "\0", 1);
        buf_add(&raw, rgba + (size_t)y * w * 4, (size_t)w * 4);
    }
    deflate_to(&z, raw.data, raw.len);
    add_png_head(b, w, h, 8, 6, 0);
    for (size_t at = 0; at < z.len; at += 1000)
        add_chunk_of(b, "IDAT", z.data + at, MIN((size_t)1000, z.len - at));
    add_chunk_of(b, "IEND", NULL, 0);
}

/* ---- JPEG */

enum { JPEG_PLAIN, JPEG_PROGRESSIVE, JPEG_GRAY, JPEG_INKS };

/* extra: segments to stand right behind SOI's APP0. pixels: RGBA, or CMYK for JPEG_INKS. */
MAYBE void make_jpeg(struct buf *b, const uint8_t *pixels, uint32_t w, uint32_t h, int kind)
{
    struct jpeg_compress_struct j;
    struct jpeg_error_mgr errors;
    unsigned char *mem = NULL;
    unsigned long len = 0;
    j.err = jpeg_std_error(&errors);
    jpeg_create_compress(&j);
    jpeg_mem_dest(&j, &mem, &len);
    j.image_width = w;
    j.image_height = h;
    j.input_components = kind == JPEG_GRAY ? 1 : 4;
    j.in_color_space = kind == JPEG_GRAY ? JCS_GRAYSCALE : kind == JPEG_INKS ? JCS_CMYK : JCS_EXT_RGBX;
    jpeg_set_defaults(&j);
    jpeg_set_quality(&j, 95, TRUE);
    if (kind == JPEG_PROGRESSIVE)
        jpeg_simple_progression(&j);
    jpeg_start_compress(&j, TRUE);
    for (uint32_t y = 0; y < h; y++) {
        JSAMPROW row[1] = {(uint8_t *)(uintptr_t)pixels + (size_t)y * w * (size_t)j.input_components};
        jpeg_write_scanlines(&j, row, 1);
    }
    jpeg_finish_compress(&j);
    jpeg_destroy_compress(&j);
    buf_add(b, mem, len);
    free(mem);
}

/* The file with a segment put behind SOI. */
MAYBE void with_segment(struct buf *out, const struct buf *jpeg, uint8_t marker, const void *data, size_t len)
{
    buf_add(out, jpeg->data, 2);
    buf_add(out, (uint8_t[4]){0xff, marker, (uint8_t)((len + 2) >> 8), (uint8_t)(len + 2)}, 4);
    buf_add(out, data, len);
    buf_add(out, jpeg->data + 2, jpeg->len - 2);
}

/* ---- WebP */

MAYBE void make_webp(struct buf *b, const uint8_t *rgba, uint32_t w, uint32_t h, bool lossless)
{
    uint8_t *mem = NULL;
    size_t len = lossless ? WebPEncodeLosslessRGBA(rgba, (int)w, (int)h, (int)w * 4, &mem)
                          : WebPEncodeRGBA(rgba, (int)w, (int)h, (int)w * 4, 90, &mem);
    buf_add(b, mem, len);
    WebPFree(mem);
}

/* ---- GIF */

MAYBE int write_gif(GifFileType *gif, const GifByteType *data, int len)
{
    return buf_add(gif->UserData, data, (size_t)len) ? 0 : len;
}

struct gif_part {
    struct rect box;
    uint8_t index; /* colour of all its pixels */
    int dispose, transparent;
    bool interlaced;
};

/* Colours: 0 black, 1 red, 2 green, 3 blue. */
MAYBE void make_gif(struct buf *b, uint16_t w, uint16_t h, const struct gif_part *parts, size_t n)
{
    int error = 0;
    GifFileType *gif = EGifOpen(b, write_gif, &error);
    EGifSetGifVersion(gif, true);
    static const GifColorType colours[4] = {{0, 0, 0}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}};
    ColorMapObject *map = GifMakeMapObject(4, colours);
    EGifPutScreenDesc(gif, w, h, 2, 0, map);
    GifFreeMapObject(map);
    for (size_t i = 0; i < n; i++) {
        const struct gif_part *p = &parts[i];
        GraphicsControlBlock g = {p->dispose, false, 10, p->transparent};
        GifByteType ext[4];
        EGifGCBToExtension(&g, ext);
        EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, 4, ext);
        EGifPutImageDesc(gif, (int)p->box.x, (int)p->box.y, (int)p->box.w, (int)p->box.h, p->interlaced, NULL);
        auto_free uint8_t *line = malloc(p->box.w);
        memset(line, p->index, p->box.w);
        for (uint32_t y = 0; y < p->box.h; y++)
            EGifPutLine(gif, line, (int)p->box.w);
    }
    EGifCloseFile(gif, &error);
}

#endif
