/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVG as a source that is drawn: the part that is asked for is rendered at the size that is shown, so that zooming shows
 * more and never magnifies.
 */
#include "svg.h"

#include <cairo.h>
#include <string.h>

#include "base/limits.h"
#include "fontset.h"
#include "image.h"

struct decoder {
    uint8_t *inflated; /* NULL when the input is markup itself */
    char *spared;      /* NULL when the markup is drawn as it came */
    struct svg_markup markup;
    RsvgHandle *handle;
    struct svg_extent extent;
};

static void close_svg(struct decoder *d)
{
    if (!d)
        return;
    g_clear_object(&d->handle);
    free(d->spared);
    free(d->inflated);
    free(d);
}

static void close_p_svg(struct decoder **d)
{
    close_svg(*d);
}

/* What is broken is told by its own lines. */
static int parse(struct decoder *d, const struct svg_markup *m, struct complaint *c)
{
    d->markup = *m;
    d->spared = svg_spare_layers(&d->markup);
    if (d->spared && !svg_parse(d->markup.data, d->markup.len, &d->handle, NULL))
        return WORK_OK;
    d->markup = *m;
    return svg_parse(m->data, m->len, &d->handle, c);
}

static int open_markup(struct decoder *d, const uint8_t *data, size_t len, struct header *ret_header, struct complaint *c)
{
    fontset_ready();
    int status = parse(d, &(struct svg_markup){data, len}, c);
    if (!status)
        status = svg_extent(&d->markup, d->handle, &d->extent, c);
    if (status)
        return status;
    const RsvgRectangle *u = &d->extent.units;
    *ret_header = (struct header){
        .extent_w = u->width,
        .extent_h = u->height,
        .origin_x = u->x,
        .origin_y = u->y,
        .unit_w = d->extent.unit_w,
        .unit_h = d->extent.unit_h,
        .css_pixels = d->extent.css_pixels,
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
    auto_error GError *error = NULL;
    if (rsvg_handle_render_document(handle, cr, viewport, &error))
        return WORK_OK;
    int status = svg_past_limit(error, c);
    return status ? status : complain(c, WORK_MALFORMED, "it cannot be drawn, or only with more memory than there is");
}

/* One user unit becomes as many pixels as the target has for it, each axis by its own factor. */
static int draw_on(struct decoder *d, cairo_t *cr, const struct want *want, struct complaint *c)
{
    const struct area *area = &want->area;
    RsvgHandle *part = svg_part(&d->markup, d->handle, &d->extent, want);
    if (part) {
        RsvgRectangle all = {0, 0, want->target.w, want->target.h};
        int status = render(part, cr, &all, c);
        g_object_unref(part);
        return status;
    }
    cairo_scale(cr, want->target.w / area->w, want->target.h / area->h);
    const RsvgRectangle *u = &d->extent.units;
    cairo_translate(cr, u->x - area->x, u->y - area->y);
    RsvgRectangle viewport = {0, 0, u->width, u->height};
    return render(d->handle, cr, &viewport, c);
}

/* In memory of the picture itself, which is empty at first. */
static int draw_svg(struct decoder *d, const struct want *want, struct image *ret, struct complaint *c)
{
    auto_image m = {0};
    if (image_init(&m, want->target))
        return complain(c, WORK_NO_MEMORY, "no memory for a picture of %ux%u", want->target.w, want->target.h);
    memset(m.px, 0, image_stride(&m) * m.size.h);
    cairo_surface_t *surface = cairo_image_surface_create_for_data(m.px, CAIRO_FORMAT_ARGB32, (int)m.size.w, (int)m.size.h,
                                                                   (int)image_stride(&m));
    cairo_t *cr = cairo_create(surface);
    int status = draw_on(d, cr, want, c);
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    if (!status && cairo_surface_status(surface))
        status = complain(c, WORK_NO_MEMORY, "no memory for a picture of %ux%u", m.size.w, m.size.h);
    cairo_surface_destroy(surface);
    if (status)
        return status;
    image_from_words(&m, true);
    *ret = m;
    m.px = NULL;
    return WORK_OK;
}

const struct decoder_ops decode_svg = {
    .media = MEDIA_SVG,
    .library = "librsvg",
    .open = open_svg,
    .draw = draw_svg,
    .close = close_svg,
};

const struct decoder_ops decode_svgz = {
    .media = MEDIA_SVGZ,
    .library = "librsvg",
    .open = open_svgz,
    .draw = draw_svg,
    .close = close_svg,
};
