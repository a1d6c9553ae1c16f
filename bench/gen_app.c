/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of ordinary programs: a mail program, a phone's list, and a dialog with a soft shadow on nothing (alpha). */
#include <math.h>

#include "base/cleanup.h"
#include "gen.h"

static const uint32_t tints[] = {0x5b8def, 0xe57373, 0x4db6ac, 0xf6b04b, 0x9575cd, 0x7cb342};

static void avatar(struct scene *s, double x, double y, double radius)
{
    char letter[2] = {(char)('A' + rng_below(&s->rng, 26)), 0};
    ink(s, tints[rng_below(&s->rng, COUNT(tints))]);
    cairo_new_path(s->cr);
    cairo_arc(s->cr, x, y, radius, 0, 2 * M_PI);
    cairo_fill(s->cr);
    FILE *truth = take(s->truth);
    text_middle(s, x, y + radius * .36, SANS_BOLD, radius, 0xffffff, letter);
    s->truth = truth;
}

static void tool_bar(struct scene *s)
{
    static const char *const items[] = {"File", "Edit", "View", "Message", "Tools", "Window", "Help"};
    uint32_t words = s->dark ? 0xe0e0e0 : 0x333333;
    double x = 20;
    box(s, 0, 0, s->w, 32, s->dark ? 0x2b2d31 : 0xe9ebef);
    for (size_t i = 0; i < COUNT(items); i++) {
        text(s, x, 21, SANS, 13, words, items[i]);
        x += text_width(s, SANS, 13, items[i]) + 22;
    }
    box(s, 0, 32, s->w, 48, s->dark ? 0x35373c : 0xf6f7f9);
    for (int i = 0; i < 4; i++) {
        round_box(s, 20 + 110 * i, 41, 100, 30, 6, i ? (s->dark ? 0x44474d : 0xdfe3ea) : 0x2f6fed);
        text_middle(s, 70 + 110 * i, 61, SANS, 13, i ? words : 0xffffff,
                    (const char *const[]){"Compose", "Reply", "Forward", "Archive"}[i]);
    }
}

static void folders(struct scene *s, double w)
{
    char buf[64];
    box(s, 0, 80, w, s->h - 80, s->dark ? 0x26282c : 0xeef0f4);
    for (unsigned i = 0; 110 + 30 * i < s->h - 20; i++) {
        rng_title(&s->rng, 1, buf, sizeof(buf));
        double y = 110 + 30 * i;
        if (i == 2)
            round_box(s, 8, y - 20, w - 16, 28, 6, s->dark ? 0x3d5a99 : 0xcfdefb);
        round_box(s, 20, y - 11, 13, 13, 3, tints[i % COUNT(tints)]);
        text(s, 44, y, SANS, 13, s->dark ? 0xd8d8d8 : 0x3a3f47, buf);
        snprintf(buf, sizeof(buf), "%u", rng_below(&s->rng, 90));
        text_right(s, w - 18, y, SANS, 12, 0x8a909a, buf);
    }
}

static void messages(struct scene *s, double x, double w)
{
    char buf[128];
    uint32_t strong = s->dark ? 0xf0f0f0 : 0x1d2129, soft = s->dark ? 0xa0a4ab : 0x666c76;
    for (unsigned i = 0; 80 + 74 * i < s->h; i++) {
        double y = 80 + 74 * i;
        box(s, x, y, w, 73, i == 1 ? (s->dark ? 0x33415e : 0xe4edfd) : (s->dark ? 0x2b2d31 : 0xffffff));
        avatar(s, x + 30, y + 36, 17);
        rng_title(&s->rng, 2, buf, sizeof(buf));
        text(s, x + 58, y + 22, SANS_BOLD, 13, strong, buf);
        rng_sentence(&s->rng, 4, buf, sizeof(buf));
        text(s, x + 58, y + 42, SANS, 12.5, strong, buf);
        rng_sentence(&s->rng, 5, buf, sizeof(buf));
        text(s, x + 58, y + 60, SANS, 11.5, soft, buf);
    }
}

static void letter(struct scene *s, double x, double w)
{
    char buf[512];
    uint32_t strong = s->dark ? 0xf0f0f0 : 0x1d2129;
    double y = 124;
    box(s, x, 80, w, s->h - 80, s->dark ? 0x202226 : 0xffffff);
    rng_title(&s->rng, 5, buf, sizeof(buf));
    text(s, x + 28, y, SANS_BOLD, 20, strong, buf);
    avatar(s, x + 46, y + 42, 18);
    rng_title(&s->rng, 2, buf, sizeof(buf));
    text(s, x + 76, y + 47, SANS_BOLD, 13, strong, buf);
    unsigned per_line = (unsigned)((w - 56) / 58);
    for (y += 100; y < s->h - 30; y += 22) {
        if (!rng_below(&s->rng, 7))
            continue;
        rng_sentence(&s->rng, per_line > 14 ? 14 : per_line, buf, sizeof(buf));
        text(s, x + 28, y, SANS, 13.5, strong, buf);
    }
}

void paint_app(struct scene *s)
{
    double side = fmin(200, s->w * .2), list = fmin(340, s->w * .35);
    box(s, 0, 0, s->w, s->h, s->dark ? 0x202226 : 0xffffff);
    tool_bar(s);
    folders(s, side);
    messages(s, side, list);
    letter(s, side + list, s->w - side - list);
}

void paint_phone(struct scene *s)
{
    char buf[128];
    box(s, 0, 0, s->w, s->h, 0xf2f2f7);
    text(s, 28, 34, SANS_BOLD, 15, 0x111111, "9:41");
    rng_title(&s->rng, 1, buf, sizeof(buf));
    text(s, 18, 96, SANS_BOLD, 30, 0x111111, buf);
    for (unsigned i = 0; 120 + 66 * i < s->h - 90; i++) {
        double y = 120 + 66 * i;
        round_box(s, 12, y, s->w - 24, 60, 10, 0xffffff);
        avatar(s, 42, y + 30, 16);
        rng_title(&s->rng, 2, buf, sizeof(buf));
        text(s, 70, y + 26, SANS_BOLD, 14, 0x111111, buf);
        rng_sentence(&s->rng, 4, buf, sizeof(buf));
        text(s, 70, y + 46, SANS, 12, 0x77777c, buf);
    }
    box(s, 0, s->h - 72, s->w, 72, 0xfafafa);
    for (int i = 0; i < 4; i++) {
        round_box(s, s->w * (i + .5) / 4 - 11, s->h - 62, 22, 22, 6, i ? 0xb5b5bb : 0x2f6fed);
        rng_title(&s->rng, 1, buf, sizeof(buf));
        text_middle(s, s->w * (i + .5) / 4, s->h - 24, SANS, 10, i ? 0x8a8a90 : 0x2f6fed, buf);
    }
}

void paint_window(struct scene *s)
{
    char buf[256];
    for (int i = 24; i > 0; i--) {
        ink_alpha(s, 0, .012);
        cairo_rectangle(s->cr, 40 - i, 46 - i, s->w - 80 + 2 * i, s->h - 92 + 2 * i);
        cairo_fill(s->cr);
    }
    round_box(s, 40, 40, s->w - 80, s->h - 92, 12, 0xfafbfc);
    rng_title(&s->rng, 3, buf, sizeof(buf));
    text(s, 70, 86, SANS_BOLD, 18, 0x1d2129, buf);
    for (double y = 130; y < s->h - 140; y += 24) {
        rng_sentence(&s->rng, (unsigned)fmin(16, (s->w - 140) / 62), buf, sizeof(buf));
        text(s, 70, y, SANS, 14, 0x3a3f47, buf);
    }
    round_box(s, s->w - 190, s->h - 112, 120, 36, 8, 0x2f6fed);
    text_middle(s, s->w - 130, s->h - 89, SANS_BOLD, 14, 0xffffff, "Continue");
}
