/* SPDX-License-Identifier: Apache-2.0 */
/* Paper: see paper.h. */
#include "paper.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"

static bool unshrunk(const struct fit_limits *limits, struct size s)
{
    struct size got = fit_target(limits, s);
    return got.w == s.w && got.h == s.h;
}

/* The longest side beside one of that length. */
static uint32_t longest(const struct fit_limits *limits, uint32_t across, bool tall)
{
    struct fit_limits l = fit_limits_drawn(limits);
    l.min_edge = 0;
    uint32_t low = 0, high = l.max_edge;
    while (low < high) {
        uint32_t mid = low + (high - low + 1) / 2;
        if (unshrunk(&l, tall ? (struct size){across, mid} : (struct size){mid, across}))
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

uint32_t paper_height(const struct fit_limits *limits, uint32_t width)
{
    return longest(limits, width, true);
}

uint32_t paper_width(const struct fit_limits *limits, uint32_t height)
{
    return longest(limits, height, false);
}

int paper_init(struct paper *p, const struct want *want, struct complaint *c)
{
    struct image *m = &p->image;
    *p = (struct paper){0};
    if (image_init(m, want->target))
        return complain(c, WORK_NO_MEMORY, "no memory for the page");
    memset(m->px, 0xff, image_stride(m) * m->size.h);
    p->surface = cairo_image_surface_create_for_data(m->px, CAIRO_FORMAT_RGB24, (int)m->size.w, (int)m->size.h,
                                                     (int)image_stride(m));
    p->cairo = cairo_create(p->surface);
    cairo_scale(p->cairo, want->target.w / want->area.w, want->target.h / want->area.h);
    cairo_translate(p->cairo, -want->area.x, -want->area.y);
    if (cairo_status(p->cairo))
        return complain(c, WORK_NO_MEMORY, "no memory for the page");
    return WORK_OK;
}

void paper_done(struct paper *p)
{
    if (p->cairo)
        cairo_destroy(p->cairo);
    if (p->surface)
        cairo_surface_destroy(p->surface);
    image_done(&p->image);
    *p = (struct paper){0};
}

int paper_take(struct paper *p, struct image *ret, struct complaint *c)
{
    cairo_surface_finish(p->surface);
    if (cairo_status(p->cairo) || cairo_surface_status(p->surface))
        return complain(c, WORK_NO_MEMORY, "the page could not be drawn");
    image_from_words(&p->image, false);
    *ret = p->image;
    p->image = (struct image){0};
    return WORK_OK;
}
