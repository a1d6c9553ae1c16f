/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawing a part of a page. cairo draws on memory of ours, white from the start and without alpha, so that nothing has to be
 * laid on a ground afterwards.
 */
#include <errno.h>
#include <string.h>

#include "pdf.h"

int page_blank(struct size size, struct image *ret, struct complaint *c)
{
    int e = image_init(ret, size);
    if (e)
        return e == -EFBIG ? complain(c, WORK_TOO_LARGE, "no picture holds a page of %ux%u", size.w, size.h)
                           : complain(c, WORK_NO_MEMORY, "no memory for the page");
    memset(ret->px, 0xff, image_stride(ret) * size.h);
    return WORK_OK;
}

static cairo_status_t draw_on(const struct page *p, struct area part, struct image *m)
{
    int w = (int)m->size.w, h = (int)m->size.h;
    cairo_surface_t *surface =
        cairo_image_surface_create_for_data(m->px, CAIRO_FORMAT_RGB24, w, h, (int)image_stride(m));
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, w / part.w, h / part.h);
    cairo_translate(cr, -part.x, -part.y);
    poppler_page_render(p->page, cr);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    return status;
}

int page_draw(const struct page *p, struct area part, struct size size, struct image *ret, struct complaint *c)
{
    int status = page_blank(size, ret, c);
    if (status)
        return status;
    /* Other bad news are of the page's own making, a matrix that has no inverse, and end the drawing where a viewer's ends. */
    if (draw_on(p, part, ret) == CAIRO_STATUS_NO_MEMORY) {
        image_done(ret);
        return complain(c, WORK_NO_MEMORY, "no memory to draw the page");
    }
    image_from_words(ret, false);
    return WORK_OK;
}
