/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVG as a source that is drawn: the part that is asked for is rendered at the size that is shown, so that zooming shows
 * more and never magnifies. Cairo's pixels are premultiplied; rows leave here without that.
 */
#include "svg.h"

#include <cairo.h>
#include <endian.h>
#include <string.h>

#include "base/limits.h"
#include "fontset.h"

struct decoder {
    uint8_t *inflated; /* NULL when the input is markup itself */
    struct svg_markup markup;
    RsvgHandle *handle;
    RsvgRectangle extent;
    cairo_surface_t *surface;
    const uint8_t *pixels;
    size_t stride;
    struct size size;
    uint32_t row;
};

static void close_svg(struct decoder *d)
{
    if (!d)
        return;
    if (d->surface)
        cairo_surface_destroy(d->surface);
    g_clear_object(&d->handle);
    free(d->inflated);
    free(d);
}

static void close_p_svg(struct decoder **d)
{
    close_svg(*d);
}

static int open_markup(struct decoder *d, const uint8_t *data, size_t len, struct header *ret_header, struct complaint *c)
{
    d->markup = (struct svg_markup){data, len};
    fontset_ready();
    int status = svg_parse(data, len, &d->handle, c);
    if (!status)
        status = svg_extent(&d->markup, d->handle, &d->extent, c);
    if (status)
        return status;
    *ret_header = (struct header){
        .extent_w = d->extent.width,
        .extent_h = d->extent.height,
        .origin_x = d->extent.x,
        .origin_y = d->extent.y,
        .frames = 1,
        .orientation = 1,
        .alpha = true,
        .exact = true,
        .channels = 4,
        .colour = COLOUR_RGBA,
    };
    return WORK_OK;
}

static int open_svg(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    cleanup(close_p_svg) struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    int status = open_markup(d, s->data, s->len, ret_header, c);
    if (!status)
        *ret = take(d);
    return status;
}

static int open_svgz(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    size_t len = 0;
    cleanup(close_p_svg) struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    int status = svg_inflate(s->data, s->len, &d->inflated, &len, c);
    if (!status && !svg_looks_like(d->inflated, len))
        status = complain(c, WORK_UNSUPPORTED, "gzip data that holds no SVG");
    if (!status)
        status = open_markup(d, d->inflated, len, ret_header, c);
    if (!status)
        *ret = take(d);
    return status;
}

static int render(RsvgHandle *handle, cairo_t *cr, const RsvgRectangle *viewport, struct complaint *c)
{
    if (!rsvg_handle_render_document(handle, cr, viewport, NULL))
        return complain(c, WORK_MALFORMED, "it cannot be drawn, or only with more memory than there is");
    return WORK_OK;
}

/* One user unit becomes as many pixels as the target has for it, each axis by its own factor. */
static int draw(struct decoder *d, cairo_t *cr, const struct want *want, struct complaint *c)
{
    const struct area *area = &want->area;
    RsvgHandle *part = svg_part(&d->markup, d->handle, &d->extent, want);
    if (part) {
        int status = render(part, cr, &(RsvgRectangle){0, 0, d->size.w, d->size.h}, c);
        g_object_unref(part);
        return status;
    }
    cairo_scale(cr, d->size.w / area->w, d->size.h / area->h);
    cairo_translate(cr, d->extent.x - area->x, d->extent.y - area->y);
    RsvgRectangle viewport = {0, 0, d->extent.width, d->extent.height};
    return render(d->handle, cr, &viewport, c);
}

static int start_svg(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c)
{
    int status = check_pixels(want->target.w, want->target.h, (uint64_t)want->target.w * want->target.h, c);
    if (status)
        return status;
    d->size = want->target;
    d->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)d->size.w, (int)d->size.h);
    cairo_t *cr = cairo_create(d->surface);
    status = draw(d, cr, want, c);
    cairo_destroy(cr);
    cairo_surface_flush(d->surface);
    if (!status && cairo_surface_status(d->surface))
        status = complain(c, WORK_NO_MEMORY, "no memory for a picture of %ux%u", d->size.w, d->size.h);
    if (status)
        return status;
    d->pixels = cairo_image_surface_get_data(d->surface);
    d->stride = (size_t)cairo_image_surface_get_stride(d->surface);
    *ret_size = d->size;
    return WORK_OK;
}

enum { PIECE = 64 }; /* pixels that are looked at together */

static uint32_t straight(uint32_t value, uint32_t alpha)
{
    return MIN((value * 255 + alpha / 2) / alpha, 255u);
}

/* Cairo's pixel is a word with alpha on top; ours are bytes, red first. */
static void pixel_out(uint32_t p, uint8_t *out)
{
    uint32_t a = p >> 24;
    if (!a)
        p = 0;
    else if (a < 255)
        p = a << 24 | straight(p >> 16 & 255, a) << 16 | straight(p >> 8 & 255, a) << 8 | straight(p & 255, a);
    out[0] = (uint8_t)(p >> 16);
    out[1] = (uint8_t)(p >> 8);
    out[2] = (uint8_t)p;
    out[3] = (uint8_t)a;
}

/* Most pieces are opaque from end to end, and then all there is to do is to turn the bytes round; or there is nothing on them. */
static void piece_out(const uint32_t in[PIECE], uint8_t *out)
{
    uint32_t all = UINT32_MAX, any = 0, word[PIECE];
    for (size_t i = 0; i < PIECE; i++) {
        all &= in[i];
        any |= in[i];
    }
    if (!any) {
        memset(out, 0, sizeof word);
        return;
    }
    if (all >> 24 != 255) {
        for (size_t i = 0; i < PIECE; i++)
            pixel_out(in[i], out + i * 4);
        return;
    }
    for (size_t i = 0; i < PIECE; i++)
        word[i] = htole32((in[i] & 0xff00ff00) | (in[i] >> 16 & 255) | (in[i] & 255) << 16);
    memcpy(out, word, sizeof word);
}

static int row_svg(struct decoder *d, uint8_t *out, struct complaint *c)
{
    const uint32_t *from = (const uint32_t *)(const void *)(d->pixels + d->row++ * d->stride);
    uint32_t x = 0;
    (void)c;
    for (; x + PIECE <= d->size.w; x += PIECE)
        piece_out(from + x, out + (size_t)x * 4);
    for (; x < d->size.w; x++)
        pixel_out(from[x], out + (size_t)x * 4);
    return WORK_OK;
}

static int finish_svg(struct decoder *d, struct complaint *c)
{
    (void)d;
    (void)c;
    return WORK_OK;
}

const struct decoder_ops decode_svg = {
    .media = MEDIA_SVG,
    .library = "librsvg",
    .open = open_svg,
    .start = start_svg,
    .row = row_svg,
    .finish = finish_svg,
    .close = close_svg,
};

const struct decoder_ops decode_svgz = {
    .media = MEDIA_SVGZ,
    .library = "librsvg",
    .open = open_svgz,
    .start = start_svg,
    .row = row_svg,
    .finish = finish_svg,
    .close = close_svg,
};
