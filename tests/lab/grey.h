/* SPDX-License-Identifier: Apache-2.0 */
/* Grey pictures in files, for the lab: read from PNG, JPEG, WebP and PGM, written as these, GIF, HEIC and AVIF; colour ones are seen as
 * grey by a look, and written as PNG and WebP. Whatever fails ends the program. */
#ifndef LAB_GREY_H
#define LAB_GREY_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <libheif/heif.h>
#include <spng.h>
#include <webp/decode.h>
#include <webp/encode.h>

#include "base/cleanup.h"

enum { MAX_FILE = 256 * 1024 * 1024 };

struct grey {
    uint32_t w, h;
    uint8_t *px;
};

struct rgba {
    uint32_t w, h;
    uint8_t *px; /* not premultiplied */
};

/* How colours are seen as grey: so many thousandths of each channel, over a ground; BARE is as if there were no alpha. */
enum { BARE = -1 };
struct look {
    unsigned red, green, blue;
    int ground;
};
static const struct look look_bare = {299, 587, 114, BARE};

static void *need(void *p)
{
    if (!p) {
        fputs("scaling: no memory, or no such file\n", stderr);
        exit(3);
    }
    return p;
}

static struct grey grey_new(uint32_t w, uint32_t h)
{
    return (struct grey){w, h, need(calloc(w, h))};
}

/* ---------------------------------------------------------------- files */

static uint8_t *slurp(const char *path, size_t *ret_len)
{
    FILE *f = need(fopen(path, "rb"));
    (void)fseek(f, 0, SEEK_END);
    long len = ftell(f);
    rewind(f);
    if (len < 12 || len > MAX_FILE)
        need(NULL);
    uint8_t *data = need(malloc((size_t)len));
    if (fread(data, 1, (size_t)len, f) != (size_t)len)
        need(NULL);
    (void)fclose(f);
    *ret_len = (size_t)len;
    return data;
}

static FILE *create(const char *prefix, const char *suffix)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s%s", prefix, suffix) >= (int)sizeof path)
        need(NULL);
    return need(fopen(path, "wb"));
}

static void spill(const char *prefix, const char *suffix, const void *data, size_t len)
{
    FILE *f = create(prefix, suffix);
    if (fwrite(data, 1, len, f) != len || fclose(f))
        need(NULL);
}

static struct rgba rgba_of(const struct grey *g)
{
    struct rgba m = {g->w, g->h, need(malloc((size_t)4 * g->w * g->h))};
    for (size_t i = 0; i < (size_t)g->w * g->h; i++)
        memcpy(m.px + 4 * i, (uint8_t[4]){g->px[i], g->px[i], g->px[i], 255}, 4);
    return m;
}

/* Blending with a ground is linear in what is premultiplied: the area average of this is the area average as it is shown. */
static struct grey grey_of(const struct rgba *m, const struct look *l)
{
    struct grey g = grey_new(m->w, m->h);
    for (size_t i = 0; i < (size_t)m->w * m->h; i++) {
        const uint8_t *c = m->px + 4 * i;
        unsigned alpha = l->ground == BARE ? 255 : c[3], ground = l->ground == BARE ? 0 : (unsigned)l->ground;
        unsigned own = c[0] * l->red + c[1] * l->green + c[2] * l->blue;
        g.px[i] = (uint8_t)((own * alpha + 1000 * ground * (255 - alpha) + 127500) / 255000);
    }
    return g;
}

static struct rgba read_png(const uint8_t *data, size_t len)
{
    spng_ctx *c = need(spng_ctx_new(0));
    struct spng_ihdr head;
    size_t size = 0;
    if (spng_set_png_buffer(c, data, len) || spng_get_ihdr(c, &head) || spng_decoded_image_size(c, SPNG_FMT_RGBA8, &size))
        need(NULL);
    uint8_t *px = need(malloc(size));
    if (spng_decode_image(c, px, size, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS))
        need(NULL);
    spng_ctx_free(c);
    return (struct rgba){head.width, head.height, px};
}

static struct rgba read_jpeg(const uint8_t *data, size_t len)
{
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct d = {.err = jpeg_std_error(&errors)};
    jpeg_create_decompress(&d);
    jpeg_mem_src(&d, data, len);
    (void)jpeg_read_header(&d, TRUE);
    d.out_color_space = JCS_EXT_RGBA;
    (void)jpeg_start_decompress(&d);
    struct rgba m = {d.output_width, d.output_height, need(calloc(d.output_width, (size_t)4 * d.output_height))};
    while (d.output_scanline < d.output_height) {
        JSAMPROW row = m.px + (size_t)4 * d.output_scanline * m.w;
        (void)jpeg_read_scanlines(&d, &row, 1);
    }
    jpeg_destroy_decompress(&d);
    return m;
}

static struct rgba read_webp(const uint8_t *data, size_t len)
{
    int w, h;
    uint8_t *px = need(WebPDecodeRGBA(data, len, &w, &h));
    struct rgba m = {(uint32_t)w, (uint32_t)h, need(malloc((size_t)4 * (size_t)w * (size_t)h))};
    memcpy(m.px, px, (size_t)4 * m.w * m.h);
    WebPFree(px);
    return m;
}

static struct rgba read_pgm(const uint8_t *data, size_t len)
{
    char head[64] = "";
    uint32_t w, h;
    int at = 0;
    memcpy(head, data, len < 63 ? len : 63);
    if (sscanf(head, "P5 %u %u 255%n", &w, &h, &at) != 2 || !at || len - (size_t)at - 1 != (size_t)w * h)
        need(NULL);
    struct grey g = grey_new(w, h);
    memcpy(g.px, data + at + 1, (size_t)w * h);
    struct rgba m = rgba_of(&g);
    free(g.px);
    return m;
}

static struct rgba rgba_read(const char *path)
{
    static const struct {
        const char *magic;
        struct rgba (*read)(const uint8_t *data, size_t len);
    } kinds[] = {{"\x89PNG", read_png}, {"\xff\xd8", read_jpeg}, {"RIFF", read_webp}, {"P5", read_pgm}};
    size_t len;
    auto_free uint8_t *data = slurp(path, &len);
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (!memcmp(data, kinds[i].magic, strlen(kinds[i].magic)))
            return kinds[i].read(data, len);
    need(NULL);
    return (struct rgba){0};
}

static struct grey grey_seen(const char *path, const struct look *l)
{
    struct rgba m = rgba_read(path);
    struct grey g = grey_of(&m, l);
    free(m.px);
    return g;
}

static struct grey grey_read(const char *path)
{
    return grey_seen(path, &look_bare);
}

static void write_png_rows(FILE *f, struct spng_ihdr head, const uint8_t *px, size_t len)
{
    spng_ctx *c = need(spng_ctx_new(SPNG_CTX_ENCODER));
    head.bit_depth = 8;
    if (spng_set_png_file(c, f) || spng_set_ihdr(c, &head) || spng_set_option(c, SPNG_IMG_COMPRESSION_LEVEL, 1) ||
        spng_encode_image(c, px, len, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE) || fclose(f))
        need(NULL);
    spng_ctx_free(c);
}

static void write_png(const char *prefix, const char *suffix, const struct grey *g)
{
    write_png_rows(create(prefix, suffix), (struct spng_ihdr){.width = g->w, .height = g->h, .color_type = SPNG_COLOR_TYPE_GRAYSCALE},
                   g->px, (size_t)g->w * g->h);
}

static void write_png_rgba(const char *prefix, const struct rgba *m)
{
    write_png_rows(create(prefix, ".png"),
                   (struct spng_ihdr){.width = m->w, .height = m->h, .color_type = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA}, m->px,
                   (size_t)4 * m->w * m->h);
}

static void write_pgm(const char *prefix, const struct grey *g)
{
    FILE *f = create(prefix, ".pgm");
    fprintf(f, "P5 %u %u 255\n", g->w, g->h);
    if (fwrite(g->px, g->w, g->h, f) != g->h || fclose(f))
        need(NULL);
}

static void write_jpeg(const char *prefix, const struct grey *g)
{
    struct jpeg_error_mgr errors;
    struct jpeg_compress_struct c = {.err = jpeg_std_error(&errors)};
    FILE *f = create(prefix, ".jpg");
    jpeg_create_compress(&c);
    jpeg_stdio_dest(&c, f);
    c.image_width = g->w;
    c.image_height = g->h;
    c.input_components = 1;
    c.in_color_space = JCS_GRAYSCALE;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, 95, TRUE);
    jpeg_start_compress(&c, TRUE);
    while (c.next_scanline < g->h) {
        JSAMPROW row = g->px + (size_t)c.next_scanline * g->w;
        (void)jpeg_write_scanlines(&c, &row, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    if (fclose(f))
        need(NULL);
}

/* Without loss, and with the colours of what is not to be seen. */
static void write_webp(const char *prefix, const struct rgba *m)
{
    WebPConfig config;
    WebPPicture p;
    WebPMemoryWriter out;
    WebPMemoryWriterInit(&out);
    if (!WebPConfigInit(&config) || !WebPConfigLosslessPreset(&config, 0) || !WebPPictureInit(&p))
        need(NULL);
    config.exact = 1;
    p.use_argb = 1;
    p.width = (int)m->w;
    p.height = (int)m->h;
    p.writer = WebPMemoryWrite;
    p.custom_ptr = &out;
    if (!WebPPictureImportRGBA(&p, m->px, (int)m->w * 4) || !WebPEncode(&config, &p))
        need(NULL);
    spill(prefix, ".webp", out.mem, out.size);
    WebPMemoryWriterClear(&out);
    WebPPictureFree(&p);
}

static struct heif_image *heif_of(const struct grey *g)
{
    struct heif_image *image = NULL;
    int stride = 0;
    if (heif_image_create((int)g->w, (int)g->h, heif_colorspace_monochrome, heif_chroma_monochrome, &image).code ||
        heif_image_add_plane(image, heif_channel_Y, (int)g->w, (int)g->h, 8).code)
        need(NULL);
    uint8_t *plane = need(heif_image_get_plane(image, heif_channel_Y, &stride));
    for (uint32_t y = 0; y < g->h; y++)
        memcpy(plane + (size_t)y * (size_t)stride, g->px + (size_t)y * g->w, g->w);
    return image;
}

/* Without loss, and as fast as the encoder can: each knows one of the two settings. */
static void write_heif(const char *path, const struct grey *g)
{
    struct heif_context *context = need(heif_context_alloc());
    struct heif_encoder *encoder = NULL;
    struct heif_image *image = heif_of(g);
    struct heif_image_handle *handle = NULL;
    bool av1 = strlen(path) > 5 && !strcmp(path + strlen(path) - 5, ".avif");
    if (heif_context_get_encoder_for_format(context, av1 ? heif_compression_AV1 : heif_compression_HEVC, &encoder).code)
        need(NULL);
    (void)heif_encoder_set_parameter_integer(encoder, "speed", 9);
    (void)heif_encoder_set_parameter_string(encoder, "preset", "ultrafast");
    if (heif_encoder_set_lossless(encoder, 1).code || heif_context_encode_image(context, image, encoder, NULL, &handle).code ||
        heif_context_write_to_file(context, path).code)
        need(NULL);
    heif_image_handle_release(handle);
    heif_image_release(image);
    heif_encoder_release(encoder);
    heif_context_free(context);
}

/* ---------------------------------------------------------------- GIF, nine bits a pixel and a fresh table before it is full */

struct bits {
    FILE *f;
    uint32_t held, n;
    uint8_t block[255];
    uint32_t len;
};

static void put_bits(struct bits *b, uint32_t code)
{
    for (b->held |= code << b->n, b->n += 9; b->n >= 8; b->held >>= 8, b->n -= 8) {
        b->block[b->len++] = (uint8_t)b->held;
        if (b->len == sizeof b->block) {
            fputc((int)b->len, b->f);
            (void)fwrite(b->block, 1, b->len, b->f);
            b->len = 0;
        }
    }
}

static void put_frame(FILE *f, const struct grey *g, int flat)
{
    struct bits b = {.f = f};
    uint8_t head[] = {0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0, (uint8_t)g->w, (uint8_t)(g->w >> 8), (uint8_t)g->h,
                      (uint8_t)(g->h >> 8), 0, 8};
    (void)fwrite(head, 1, sizeof head, f);
    for (size_t i = 0; i < (size_t)g->w * g->h; i++) {
        if (i % 250 == 0)
            put_bits(&b, 256);
        put_bits(&b, flat < 0 ? g->px[i] : (uint32_t)flat);
    }
    put_bits(&b, 257);
    put_bits(&b, 0);
    if (b.len) {
        fputc((int)b.len, f);
        (void)fwrite(b.block, 1, b.len, f);
    }
    fputc(0, f);
}

static void write_gif(const char *prefix, const char *suffix, const struct grey *g, bool film)
{
    FILE *f = create(prefix, suffix);
    uint8_t head[] = {'G', 'I', 'F', '8', '9', 'a', (uint8_t)g->w, (uint8_t)(g->w >> 8), (uint8_t)g->h, (uint8_t)(g->h >> 8), 0xf7, 0, 0};
    (void)fwrite(head, 1, sizeof head, f);
    for (int i = 0; i < 256; i++)
        for (int k = 0; k < 3; k++)
            fputc(i, f);
    put_frame(f, g, -1);
    if (film)
        put_frame(f, g, 250);
    fputc(';', f);
    if (fclose(f))
        need(NULL);
}

#endif
