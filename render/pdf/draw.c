/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawing a part of a page. cairo draws on memory of ours, white from the start and without alpha, so that nothing has to be
 * laid on a ground afterwards; rows are turned from its order of colours into ours as they are handed out.
 */
#include <stdlib.h>
#include <string.h>

#include "pdf.h"

void paper_done(struct paper *m)
{
    free(m->px);
    *m = (struct paper){0};
}

int paper_init(struct paper *m, struct size size, struct complaint *c)
{
    int status = check_sides(size.w, size.h, c);
    if (!status)
        status = check_pixels(size.w, size.h, (uint64_t)size.w * size.h, c);
    if (status)
        return status;
    size_t len = (size_t)size.w * size.h * sizeof *m->px;
    uint32_t *px = malloc(len);
    if (!px)
        return complain(c, WORK_NO_MEMORY, "no memory for the page");
    memset(px, 0xff, len);
    *m = (struct paper){size, px};
    return WORK_OK;
}

static cairo_status_t draw_on(const struct page *p, struct area part, struct paper *m)
{
    int w = (int)m->size.w, h = (int)m->size.h;
    cairo_surface_t *surface =
        cairo_image_surface_create_for_data((unsigned char *)m->px, CAIRO_FORMAT_RGB24, w, h, w * (int)sizeof *m->px);
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

int page_draw(const struct page *p, struct area part, struct size size, struct paper *ret, struct complaint *c)
{
    struct paper m = {0};
    int status = paper_init(&m, size, c);
    if (status)
        return status;
    /* Other bad news are of the page's own making, a matrix that has no inverse, and end the drawing where a viewer's ends. */
    if (draw_on(p, part, &m) == CAIRO_STATUS_NO_MEMORY) {
        paper_done(&m);
        return complain(c, WORK_NO_MEMORY, "no memory to draw the page");
    }
    *ret = m;
    return WORK_OK;
}

void paper_row(const struct paper *m, uint32_t y, uint8_t *out)
{
    enum { STEP = 8 };
    typedef uint32_t pixels __attribute__((vector_size(STEP * sizeof(uint32_t))));
    const uint32_t *row = m->px + (size_t)y * m->size.w;
    uint32_t x = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; x + STEP <= m->size.w; x += STEP) {
        pixels v;
        memcpy(&v, row + x, sizeof v);
        v = (v >> 16 & 0xff) | (v & 0xff00) | (v & 0xff) << 16 | 0xff000000;
        memcpy(out + (size_t)x * 4, &v, sizeof v);
    }
#endif
    for (; x < m->size.w; x++) {
        const uint8_t rgba[4] = {(uint8_t)(row[x] >> 16), (uint8_t)(row[x] >> 8), (uint8_t)row[x], 255};
        memcpy(out + (size_t)x * 4, rgba, sizeof rgba);
    }
}
