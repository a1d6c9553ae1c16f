/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large an SVG is, as a browser takes it that shows it as an image: width and height where they are absolute; one of
 * them and the shape of the viewBox; the viewBox alone; and without any of these, all that is drawn right of and below the
 * origin. Told in user units, so that places on the picture are places in the markup; where these are past all measure, in pixels.
 */
#include "svg.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"

/* CSS: what has no size of its own is shown in a box of these sides. Parts in percent are measured by it. */
enum { DEFAULT_W = 300, DEFAULT_H = 150 };

/* A side that does not depend on what is around it, in pixels; 0: it does. */
static double absolute(gboolean given, RsvgLength length)
{
    static const double pixels[] = {
        [RSVG_UNIT_PX] = 1,        [RSVG_UNIT_IN] = 96,     [RSVG_UNIT_CM] = 96 / 2.54, [RSVG_UNIT_MM] = 96 / 25.4,
        [RSVG_UNIT_PT] = 96 / 72., [RSVG_UNIT_PC] = 16,     [RSVG_UNIT_EM] = 16,        [RSVG_UNIT_EX] = 8,
    };
    if (!given || length.unit == RSVG_UNIT_PERCENT || length.unit > RSVG_UNIT_PC)
        return 0;
    return length.length * pixels[length.unit];
}

/* From the origin to the end of what is drawn: coordinates stay what they are in the markup. */
static int of_ink(RsvgHandle *handle, RsvgRectangle *ret, struct complaint *c)
{
    RsvgRectangle box = {0, 0, DEFAULT_W, DEFAULT_H}, ink = {0}, logical;
    if (!rsvg_handle_get_geometry_for_layer(handle, NULL, &box, &ink, &logical, NULL) || !(ink.x + ink.width > 0) ||
        !(ink.y + ink.height > 0))
        return complain(c, WORK_MALFORMED, "it has no size, and draws nothing that has one");
    *ret = (RsvgRectangle){0, 0, ink.x + ink.width, ink.y + ink.height};
    return WORK_OK;
}

static int check(const RsvgRectangle *r, struct complaint *c)
{
    bool plain = r->width < 1e15 && r->height < 1e15; /* longer ones are no easier to read with all their digits */
    if (!(r->width <= LIMIT_DRAWING) || !(r->height <= LIMIT_DRAWING))
        return complain(c, WORK_TOO_LARGE, plain ? "it is %.15gx%.15g, and a side may be %u" : "it is %.3gx%.3g, and a side may be %u",
                        r->width, r->height, LIMIT_DRAWING);
    if (!(r->width > 0) || !(r->height > 0))
        return complain(c, WORK_MALFORMED, "it is %.6gx%.6g, which shows nothing", r->width, r->height);
    return WORK_OK;
}

static bool is_zero(gboolean given, RsvgLength length)
{
    return given && !(length.length > 0);
}

/* Of a viewBox alone: a unit is a pixel. But a browser shows nothing as narrow as a long strip of few units would be. */
static RsvgRectangle of_box(const RsvgRectangle *box)
{
    double f = box->height > 2 * box->width && box->width < DEFAULT_W ? DEFAULT_W / box->width : 1;
    return (RsvgRectangle){0, 0, box->width * f, box->height * f};
}

/* In CSS pixels. */
static int size_of(RsvgHandle *handle, RsvgRectangle *ret, bool *ret_shape, RsvgRectangle *ret_box, struct complaint *c)
{
    gboolean has_w, has_h, has_box;
    RsvgLength width, height;
    RsvgRectangle box, r = {0};
    rsvg_handle_get_intrinsic_dimensions(handle, &has_w, &width, &has_h, &height, &has_box, &box);
    if (is_zero(has_w, width) || is_zero(has_h, height))
        return complain(c, WORK_MALFORMED, "its width or height is 0");
    bool shape = has_box && box.width > 0 && box.height > 0;
    double w = absolute(has_w, width), h = absolute(has_h, height);
    /* Lengths in em depend on the root's font size; librsvg knows it. */
    if (w > 0 && h > 0 && rsvg_handle_get_intrinsic_size_in_pixels(handle, &r.width, &r.height))
        ;
    else if (w > 0)
        r = (RsvgRectangle){0, 0, w, h > 0 ? h : shape ? w * box.height / box.width : DEFAULT_H};
    else if (h > 0)
        r = (RsvgRectangle){0, 0, shape ? h * box.width / box.height : DEFAULT_W, h};
    else if (shape)
        r = of_box(&box);
    else if (of_ink(handle, &r, c))
        return WORK_MALFORMED;
    *ret = r;
    *ret_shape = shape;
    *ret_box = box;
    return WORK_OK;
}

/* How the viewBox lies in the picture, by the root's preserveAspectRatio. */
struct aspect {
    bool none, slice;
    double x, y; /* share of the spare room before it */
};

static struct aspect aspect_of(const struct svg_markup *m)
{
    struct aspect a = {.x = .5, .y = .5};
    char value[64];
    if (!svg_root_attribute(m, "preserveAspectRatio", value, sizeof value))
        return a;
    a.none = strstr(value, "none");
    a.slice = strstr(value, "slice");
    a.x = strstr(value, "xMin") ? 0 : strstr(value, "xMax") ? 1 : .5;
    a.y = strstr(value, "YMin") ? 0 : strstr(value, "YMax") ? 1 : .5;
    return a;
}

/* The same in units of the viewBox, which is what the markup speaks of. */
static RsvgRectangle in_units(const RsvgRectangle *r, const RsvgRectangle *box, struct aspect a)
{
    double sx = r->width / box->width, sy = r->height / box->height;
    if (a.none)
        return *box;
    double s = a.slice ? fmax(sx, sy) : fmin(sx, sy), w = r->width / s, h = r->height / s;
    return (RsvgRectangle){box->x - (w - box->width) * a.x, box->y - (h - box->height) * a.y, w, h};
}

static void measure_unit(struct svg_extent *e)
{
    double x = e->pixels.width / e->units.width, y = e->pixels.height / e->units.height;
    e->unit_w = x;
    e->unit_h = fabs(x - y) > 1e-9 * x ? y : x;
}

/* Whether places can be told in these units: milliseconds since 1970, or a hair's breadth for all of it, are past what is measured. */
static bool measurable(const struct svg_extent *e)
{
    const RsvgRectangle *u = &e->units;
    double stretch = e->unit_h / e->unit_w;
    return u->width > 0 && u->height > 0 && u->width <= LIMIT_DRAWING && u->height <= LIMIT_DRAWING && fabs(u->x) <= LIMIT_DRAWING &&
           fabs(u->y) <= LIMIT_DRAWING && stretch >= 1.0 / LIMIT_SIDE && stretch <= LIMIT_SIDE;
}

int svg_extent(const struct svg_markup *m, RsvgHandle *handle, struct svg_extent *ret, struct complaint *c)
{
    RsvgRectangle box = {0};
    struct svg_extent e = {0};
    bool shape = false;
    int status = size_of(handle, &e.pixels, &shape, &box, c);
    if (!status)
        status = check(&e.pixels, c);
    if (status)
        return status;
    e.units = shape ? in_units(&e.pixels, &box, aspect_of(m)) : e.pixels;
    measure_unit(&e);
    if (!measurable(&e)) {
        e.units = e.pixels;
        e.css_pixels = true;
        measure_unit(&e);
    }
    *ret = e;
    return WORK_OK;
}
