/* SPDX-License-Identifier: Apache-2.0 */
/* Paper: see paper.h. */
#include "paper.h"

#include <endian.h>
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
    struct fit_limits l = *limits;
    l.resize = 1;
    l.min_edge = 0;
    l.max_edge = l.max_edge && l.max_edge <= LIMIT_DRAWN_SIDE ? l.max_edge : LIMIT_DRAWN_SIDE;
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
    int status = check_pixels(want->target.w, want->target.h, (uint64_t)want->target.w * want->target.h, c);
    if (status)
        return status;
    *p = (struct paper){.size = want->target, .channels = want->channels ? want->channels : 4};
    p->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)want->target.w, (int)want->target.h);
    p->cairo = cairo_create(p->surface);
    cairo_set_source_rgb(p->cairo, 1, 1, 1);
    cairo_paint(p->cairo);
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
    *p = (struct paper){0};
}

int paper_ready(struct paper *p, struct complaint *c)
{
    cairo_surface_flush(p->surface);
    if (cairo_status(p->cairo) || cairo_surface_status(p->surface))
        return complain(c, WORK_NO_MEMORY, "the page could not be drawn");
    return WORK_OK;
}

typedef uint32_t vec __attribute__((vector_size(16)));

/* 0xRRGGBB as the bytes R, G, B, 255; where words begin with their highest byte, as 0xRRGGBBff. */
#define RGBA(px) (htole32(1) == 1 ? 0xff000000 | ((px) & 0xff) << 16 | ((px) & 0xff00) | ((px) >> 16 & 0xff) : (px) << 8 | 0xff)

/* Four pixels at once: all of a page goes through here. */
static void copy_rgba(const unsigned char *row, size_t len, uint8_t *out)
{
    size_t i = 0;
    for (; i + sizeof(vec) <= len; i += sizeof(vec)) {
        vec v;
        memcpy(&v, row + i, sizeof v);
        v = RGBA(v);
        memcpy(out + i, &v, sizeof v);
    }
    for (; i < len; i += 4) {
        uint32_t px;
        memcpy(&px, row + i, sizeof px);
        px = RGBA(px);
        memcpy(out + i, &px, sizeof px);
    }
}

void paper_row(struct paper *p, uint8_t *out)
{
    const unsigned char *row = cairo_image_surface_get_data(p->surface) +
                               (size_t)cairo_image_surface_get_stride(p->surface) * p->row++;
    if (p->channels == 4) {
        copy_rgba(row, (size_t)p->size.w * 4, out);
        return;
    }
    for (uint32_t x = 0; x < p->size.w; x++) {
        uint32_t px;
        memcpy(&px, row + x * 4, sizeof px);
        *out++ = (uint8_t)(px >> 16);
        *out++ = (uint8_t)(px >> 8);
        *out++ = (uint8_t)px;
    }
}
