/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of running text: a web page with pictures in it, and a scanned sheet (paper tint, speckles, a slight turn). */
#include <math.h>

#include "gen.h"

static const uint32_t banners[][2] = {{0x2b5876, 0x4e4376}, {0xf7971e, 0xffd200}, {0x11998e, 0x38ef7d}, {0xc33764, 0x1d2671}};

/* A gradient with soft discs over it: stands for a picture in the page. */
static void picture(struct scene *s, double x, double y, double w, double h)
{
    const uint32_t *ends = banners[rng_below(&s->rng, 4)];
    cairo_pattern_t *p = cairo_pattern_create_linear(x, y, x + w, y + h);
    for (int i = 0; i < 2; i++)
        cairo_pattern_add_color_stop_rgb(p, i, (ends[i] >> 16) / 255.0, (ends[i] >> 8 & 255) / 255.0, (ends[i] & 255) / 255.0);
    cairo_save(s->cr);
    cairo_rectangle(s->cr, x, y, w, h);
    cairo_clip(s->cr);
    cairo_set_source(s->cr, p);
    cairo_paint(s->cr);
    for (int i = 0; i < 40; i++) {
        ink_alpha(s, rng_below(&s->rng, 2) ? 0xffffff : 0x000000, .08);
        double cx = x + w * rng_unit(&s->rng), cy = y + h * rng_unit(&s->rng), radius = h * .3 * rng_unit(&s->rng) + 2;
        cairo_new_path(s->cr);
        cairo_arc(s->cr, cx, cy, radius, 0, 2 * M_PI);
        cairo_fill(s->cr);
    }
    cairo_restore(s->cr);
    cairo_pattern_destroy(p);
}

/* Sets words in lines of at most w from y on, at most `lines` of them; gives back the next y. */
static double paragraph(struct scene *s, double x, double y, double w, enum face face, double size, uint32_t rgb,
                        unsigned lines)
{
    char buf[512];
    for (unsigned i = 0; i < lines; i++, y += size * 1.6) {
        size_t len = 0;
        for (;;) {
            size_t old = len;
            len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%s%s", len ? " " : "", rng_word(&s->rng));
            if (len + 20 < sizeof(buf) && text_width(s, face, size, buf) <= w)
                continue;
            buf[old] = 0;
            break;
        }
        if (i + 1 == lines)
            buf[strlen(buf) * 2 / 3] = 0;
        text(s, x, y, face, size, rgb, buf);
    }
    return y;
}

static void top_of_page(struct scene *s, double x, double w)
{
    static const char *const items[] = {"News", "Science", "Culture", "Travel", "Opinion", "Archive"};
    box(s, 0, 0, s->w, 56, 0x14213d);
    text(s, x, 36, SERIF_BOLD, 22, 0xffffff, "The Daily Harbor");
    for (int i = 0; i < 6 && w > 700; i++)
        text(s, x + w - 540 + 92 * i, 35, SANS, 13, 0xe5e5e5, items[i]);
}

void paint_page(struct scene *s)
{
    char buf[128];
    double w = fmin(1080, s->w - 48), x = (s->w - w) / 2, y = 84, column = w > 760 ? w * .66 : w;
    box(s, 0, 0, s->w, s->h, 0xffffff);
    top_of_page(s, x, w);
    while (y < s->h - 40) {
        rng_title(&s->rng, 6, buf, sizeof(buf));
        text(s, x, y + 28, SERIF_BOLD, 24, 0x14213d, buf);
        snprintf(buf, sizeof(buf), "By the editor, %u minutes to read", 2 + rng_below(&s->rng, 9));
        text(s, x, y + 52, SANS, 12, 0x6c757d, buf);
        picture(s, x, y + 66, column, column * .36);
        if (column < w) {
            double side = y + 80;
            box(s, x + column + 24, y + 66, w - column - 24, column * .36, 0xf1f3f5);
            for (int i = 0; i < 3; i++)
                side = paragraph(s, x + column + 40, side + 14, w - column - 56, SANS, 13, 0x495057, 3) + 6;
        }
        y += 66 + column * .36 + 34;
        for (int i = 0; i < 3; i++)
            y = paragraph(s, x, y, column, SERIF, 15, 0x212529, 4 + rng_below(&s->rng, 3)) + 12;
        y += 20;
    }
}

static void speckle(struct scene *s, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        ink_alpha(s, 0x3a3020, .15 + .4 * rng_unit(&s->rng));
        double cx = s->w * rng_unit(&s->rng), cy = s->h * rng_unit(&s->rng), radius = .3 + .5 * rng_unit(&s->rng);
        cairo_new_path(s->cr);
        cairo_arc(s->cr, cx, cy, radius, 0, 2 * M_PI);
        cairo_fill(s->cr);
    }
}

void paint_document(struct scene *s)
{
    char buf[128];
    double margin = s->w * .11, w = s->w - 2 * margin, y = margin + 40;
    box(s, 0, 0, s->w, s->h, 0xf6f2e8);
    cairo_save(s->cr);
    cairo_rotate(s->cr, .004);
    rng_title(&s->rng, 4, buf, sizeof(buf));
    text_middle(s, s->w / 2, y, SERIF_BOLD, 22, 0x1c1a17, buf);
    for (y += 50; y < s->h - margin - 80; y += 14)
        y = paragraph(s, margin, y, w, SERIF, 12.5, 0x1c1a17, 3 + rng_below(&s->rng, 5));
    cairo_restore(s->cr);
    speckle(s, 900);
}
