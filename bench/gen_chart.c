/* SPDX-License-Identifier: Apache-2.0 */
/* A dashboard, a plain chart and an icon. The dashboard is also the sample picture of the project. */
#include <math.h>

#include "base/cleanup.h"
#include "gen.h"

enum { POINTS = 30, MONTHS = 12 };

static const uint32_t accents[] = {0x4f6df5, 0x16b39a, 0xf2994a, 0xe0557b, 0x8b5cf6, 0x94a3b8};
static const char *const months[MONTHS] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* The colours of the dashboard, light and dark. */
struct theme {
    uint32_t ground, card, edge, strong, soft, side, side_text, side_on;
};
static const struct theme themes[2] = {
    {0xf4f6fb, 0xffffff, 0xe3e8f2, 0x1b2540, 0x6b7690, 0x17203a, 0xaab4cf, 0x2a3760},
    {0x0f1420, 0x182032, 0x273249, 0xe8edf8, 0x8c98b3, 0x0b0f19, 0x93a0be, 0x22304f},
};

/* A walk with a trend, 0..1: what a measurement over a month looks like. */
static void walk(struct rng *r, double from, double to, double *values, unsigned n)
{
    double drift = 0;
    for (unsigned i = 0; i < n; i++) {
        drift = .75 * drift + .16 * (rng_unit(r) - .5);
        double trend = from + (to - from) * i / (n - 1);
        values[i] = fmin(.97, fmax(.04, trend + drift + .05 * sin(i * .9)));
    }
}

static void card(struct scene *s, double x, double y, double w, double h)
{
    const struct theme *t = &themes[s->dark];
    round_box(s, x, y, w, h, 12, t->edge);
    round_box(s, x + 1, y + 1, w - 2, h - 2, 11, t->card);
}

static void trace(struct scene *s, double x, double y, double w, double h, const double *values, unsigned n)
{
    cairo_new_path(s->cr);
    for (unsigned i = 0; i < n; i++) {
        double px = x + w * i / (n - 1), py = y + h * (1 - values[i]), step = w / (n - 1) / 2;
        double before = i ? y + h * (1 - values[i - 1]) : py;
        if (i)
            cairo_curve_to(s->cr, px - step, before, px - step, py, px, py);
        else
            cairo_move_to(s->cr, px, py);
    }
}

static void series(struct scene *s, double x, double y, double w, double h, const double *values, unsigned n,
                   uint32_t rgb, double width)
{
    trace(s, x, y, w, h, values, n);
    cairo_line_to(s->cr, x + w, y + h);
    cairo_line_to(s->cr, x, y + h);
    cairo_close_path(s->cr);
    ink_alpha(s, rgb, .10);
    cairo_fill(s->cr);
    trace(s, x, y, w, h, values, n);
    ink(s, rgb);
    cairo_set_line_width(s->cr, width);
    cairo_set_line_join(s->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(s->cr);
}

static void side_bar(struct scene *s, double w)
{
    static const char *const items[] = {"Overview", "Orders",   "Customers", "Inventory",
                                        "Reports",  "Payments", "Shipping",  "Settings"};
    const struct theme *t = &themes[s->dark];
    box(s, 0, 0, w, s->h, t->side);
    round_box(s, 24, 26, 30, 30, 8, accents[0]);
    ink(s, 0xffffff);
    cairo_arc(s->cr, 39, 41, 7, 0, 2 * M_PI);
    cairo_fill(s->cr);
    text(s, 66, 48, SANS_BOLD, 18, 0xffffff, "Lanternhill");
    for (size_t i = 0; i < COUNT(items); i++) {
        double y = 112 + 46 * (double)i;
        if (!i)
            round_box(s, 14, y - 24, w - 28, 38, 9, t->side_on);
        round_box(s, 30, y - 12, 14, 14, 4, i ? 0x3c4a75 : accents[0]);
        text(s, 58, y, i ? SANS : SANS_BOLD, 14, i ? t->side_text : 0xffffff, items[i]);
    }
    round_box(s, 14, s->h - 116, w - 28, 92, 10, t->side_on);
    text(s, 30, s->h - 86, SANS_BOLD, 13, 0xffffff, "Storage");
    text(s, 30, s->h - 64, SANS, 12, t->side_text, "68 GB of 100 GB used");
    round_box(s, 30, s->h - 48, w - 60, 8, 4, 0x3c4a75);
    round_box(s, 30, s->h - 48, (w - 60) * .68, 8, 4, accents[1]);
}

static void head(struct scene *s, double x, double w)
{
    const struct theme *t = &themes[s->dark];
    text(s, x, 50, SANS_BOLD, 24, t->strong, "Sales overview");
    text(s, x, 74, SANS, 13, t->soft, "1 to 30 September, compared with August");
    card(s, x + w - 392, 30, 236, 40);
    text(s, x + w - 374, 55, SANS, 13, t->soft, "Search orders");
    round_box(s, x + w - 140, 30, 140, 40, 10, accents[0]);
    text_middle(s, x + w - 70, 55, SANS_BOLD, 13, 0xffffff, "Export report");
}

static void figures(struct scene *s, double x, double y, double w)
{
    static const struct {
        const char *name, *value, *change;
        bool good;
    } rows[] = {
        {"Revenue", "$482,190", "+12.4%", true},
        {"Orders", "6,318", "+8.1%", true},
        {"Average order", "$76.32", "+3.9%", true},
        {"Returns", "2.7%", "+0.4%", false},
    };
    const struct theme *t = &themes[s->dark];
    double step = (w + 20) / 4;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double cx = x + step * (double)i, values[POINTS];
        card(s, cx, y, step - 20, 128);
        text(s, cx + 20, y + 32, SANS, 13, t->soft, rows[i].name);
        text(s, cx + 20, y + 70, SANS_BOLD, 27, t->strong, rows[i].value);
        text(s, cx + 20, y + 104, SANS_BOLD, 13, rows[i].good ? 0x0f9d6c : 0xd64550, rows[i].change);
        text(s, cx + 24 + text_width(s, SANS_BOLD, 13, rows[i].change), y + 104, SANS, 12, t->soft, "vs August");
        walk(&s->rng, .25, rows[i].good ? .8 : .5, values, POINTS);
        series(s, cx + step - 132, y + 22, 92, 36, values, POINTS, accents[i], 2);
    }
}

static void legend(struct scene *s, double x, double y, uint32_t rgb, const char *name)
{
    round_box(s, x, y - 9, 10, 10, 3, rgb);
    text(s, x + 16, y, SANS, 12, themes[s->dark].soft, name);
}

static void revenue(struct scene *s, double x, double y, double w, double h)
{
    const struct theme *t = &themes[s->dark];
    double now[POINTS], before[POINTS], left = x + 62, top = y + 66, cw = w - 86, ch = h - 108;
    char label[32];
    card(s, x, y, w, h);
    text(s, x + 22, y + 36, SANS_BOLD, 16, t->strong, "Revenue by day");
    legend(s, x + w - 250, y + 34, accents[0], "September");
    legend(s, x + w - 140, y + 34, accents[5], "August");
    for (int i = 0; i <= 4; i++) {
        double gy = top + ch * i / 4;
        line(s, left, gy, left + cw, gy, 1, t->edge);
        snprintf(label, sizeof(label), "$%dk", 24 - 6 * i);
        text_right(s, left - 12, gy + 4, SANS, 12, t->soft, label);
    }
    for (int i = 0; i < 6; i++) {
        snprintf(label, sizeof(label), "%d Sep", 1 + i * 29 / 5);
        text_middle(s, left + cw * i / 5 - (i == 5 ? 14 : 0) + (i ? 0 : 14), y + h - 18, SANS, 12, t->soft, label);
    }
    walk(&s->rng, .35, .55, before, POINTS);
    walk(&s->rng, .40, .85, now, POINTS);
    series(s, left, top, cw, ch, before, POINTS, accents[5], 2);
    series(s, left, top, cw, ch, now, POINTS, accents[0], 3);
    double px = left + cw * 21 / (POINTS - 1), py = top + ch * (1 - now[21]);
    ink(s, t->card);
    cairo_arc(s->cr, px, py, 7, 0, 2 * M_PI);
    cairo_fill(s->cr);
    ink(s, accents[0]);
    cairo_arc(s->cr, px, py, 5, 0, 2 * M_PI);
    cairo_fill(s->cr);
    round_box(s, px - 128, py - 60, 112, 44, 8, t->strong);
    text(s, px - 116, py - 42, SANS, 11, s->dark ? 0x4a556e : 0xb8c1d9, "22 September");
    unsigned dollars = (unsigned)(now[21] * 24000);
    snprintf(label, sizeof(label), "$%u,%03u", dollars / 1000, dollars % 1000);
    text(s, px - 116, py - 25, SANS_BOLD, 13, t->card, label);
}

static void ring(struct scene *s, double x, double y, double w, double h)
{
    static const struct {
        const char *name, *share;
        double part;
    } rows[] = {{"Online store", "46%", .46}, {"Retail", "27%", .27}, {"Partners", "18%", .18}, {"Phone", "9%", .09}};
    const struct theme *t = &themes[s->dark];
    double at = -M_PI / 2, cx = x + w / 2, cy = y + 156, radius = 74;
    card(s, x, y, w, h);
    text(s, x + 22, y + 36, SANS_BOLD, 16, t->strong, "Orders by channel");
    cairo_set_line_width(s->cr, 26);
    for (size_t i = 0; i < COUNT(rows); i++) {
        ink(s, accents[i]);
        cairo_new_path(s->cr);
        cairo_arc(s->cr, cx, cy, radius, at + .02, at + rows[i].part * 2 * M_PI - .02);
        cairo_stroke(s->cr);
        at += rows[i].part * 2 * M_PI;
    }
    text_middle(s, cx, cy + 2, SANS_BOLD, 22, t->strong, "6,318");
    text_middle(s, cx, cy + 22, SANS, 12, t->soft, "orders");
    for (size_t i = 0; i < COUNT(rows); i++) {
        double ly = y + h - 94 + 26 * (double)i;
        legend(s, x + 24, ly, accents[i], rows[i].name);
        text_right(s, x + w - 24, ly, SANS_BOLD, 12, t->strong, rows[i].share);
    }
}

static void orders(struct scene *s, double x, double y, double w, double h)
{
    static const char *const names[] = {"Amelia Hart", "Daniel Osei", "Priya Raman", "Lukas Brandt", "Sofia Marino",
                                        "Owen Clarke", "Hana Suzuki", "Mateo Silva", "Ingrid Lund",  "Noah Fischer"};
    static const char *const products[] = {"Walnut desk lamp",   "Linen notebook",   "Travel mug",   "Desk organizer",
                                           "Wireless keyboard", "Ceramic planter", "Reading chair", "Wall clock"};
    static const char *const states[] = {"Paid", "Shipped", "Pending"};
    static const uint32_t state_ink[] = {0x0f9d6c, 0x4f6df5, 0xc27a1b};
    const struct theme *t = &themes[s->dark];
    char buf[64];
    card(s, x, y, w, h);
    text(s, x + 22, y + 36, SANS_BOLD, 16, t->strong, "Latest orders");
    const char *const heads[] = {"Order", "Customer", "Product", "Amount", "Status"};
    const double at[] = {22, w * .16, w * .42, w * .72, w * .86};
    for (size_t i = 0; i < COUNT(heads); i++)
        text(s, x + at[i], y + 66, SANS, 12, t->soft, heads[i]);
    for (unsigned i = 0; y + 96 + 30 * i < y + h - 8; i++) {
        double ly = y + 96 + 30 * i;
        unsigned state = rng_below(&s->rng, COUNT(states));
        line(s, x + 22, ly - 20, x + w - 22, ly - 20, 1, t->edge);
        snprintf(buf, sizeof(buf), "#%u", 20418 - i * 3);
        text(s, x + at[0], ly, SANS_BOLD, 13, t->strong, buf);
        text(s, x + at[1], ly, SANS, 13, t->strong, names[i % COUNT(names)]);
        text(s, x + at[2], ly, SANS, 13, t->soft, products[rng_below(&s->rng, COUNT(products))]);
        unsigned cents = 1800 + rng_below(&s->rng, 40000);
        snprintf(buf, sizeof(buf), "$%u.%02u", cents / 100, cents % 100);
        text(s, x + at[3], ly, SANS, 13, t->strong, buf);
        text(s, x + at[4], ly, SANS_BOLD, 12, state_ink[state], states[state]);
    }
}

static void bars(struct scene *s, double x, double y, double w, double h)
{
    const struct theme *t = &themes[s->dark];
    double step = (w - 48) / MONTHS, low = y + h - 42;
    card(s, x, y, w, h);
    text(s, x + 22, y + 36, SANS_BOLD, 16, t->strong, "New customers");
    for (int i = 0; i < MONTHS; i++) {
        double tall = (h - 110) * (.3 + .045 * i + .2 * rng_unit(&s->rng)), bx = x + 24 + step * i;
        round_box(s, bx + step * .2, low - tall, step * .6, tall, 3, i == MONTHS - 1 ? accents[1] : s->dark ? 0x2f4a55 : 0xbfe6de);
        text_middle(s, bx + step / 2, low + 20, SANS, step > 26 ? 11 : 9, t->soft, months[(i + 9) % MONTHS]);
    }
}

void paint_dashboard(struct scene *s)
{
    double side = s->w > 1000 ? 216 : 0, x = side + 32, w = s->w - x - 32;
    box(s, 0, 0, s->w, s->h, themes[s->dark].ground);
    if (side > 0)
        side_bar(s, side);
    double right = fmin(360, w * .3), y = 254, tall = (s->h - y - 52) * .54;
    head(s, x, w);
    figures(s, x, 104, w);
    revenue(s, x, y, w - right - 20, tall);
    ring(s, x + w - right, y, right, fmax(tall, 360));
    orders(s, x, y + tall + 20, w - right - 20, s->h - y - tall - 52);
    bars(s, x + w - right, y + fmax(tall, 360) + 20, right, s->h - y - fmax(tall, 360) - 52);
}

void paint_chart(struct scene *s)
{
    double values[POINTS], left = 90, top = 90, w = s->w - 130, h = s->h - 170;
    char buf[64];
    box(s, 0, 0, s->w, s->h, 0xffffff);
    rng_title(&s->rng, 4, buf, sizeof(buf));
    text_middle(s, s->w / 2, 50, SANS_BOLD, 22, 0x222222, buf);
    for (int i = 0; i <= 5; i++) {
        line(s, left, top + h * i / 5, left + w, top + h * i / 5, 1, 0xdddddd);
        snprintf(buf, sizeof(buf), "%d", 500 - 100 * i);
        text_right(s, left - 12, top + h * i / 5 + 5, SANS, 14, 0x444444, buf);
    }
    for (int i = 0; i < MONTHS; i++)
        text_middle(s, left + w * (i + .5) / MONTHS, top + h + 28, SANS, 14, 0x444444, months[i]);
    for (int i = 0; i < MONTHS; i++) {
        double tall = h * (.15 + .5 * rng_unit(&s->rng));
        box(s, left + w * (i + .25) / MONTHS, top + h - tall, w * .5 / MONTHS, tall, 0xc9d6f2);
    }
    for (size_t i = 0; i < 4; i++) {
        walk(&s->rng, .2 + .15 * (double)i, .3 + .15 * (double)i, values, POINTS);
        trace(s, left, top, w, h, values, POINTS);
        ink(s, accents[i]);
        cairo_set_line_width(s->cr, 3);
        cairo_stroke(s->cr);
        legend(s, left + 160 * (double)i, s->h - 20, accents[i], rng_word(&s->rng));
    }
}

void paint_icon(struct scene *s)
{
    double n = s->w;
    cairo_pattern_t *shade = cairo_pattern_create_linear(0, 0, n, n);
    cairo_pattern_add_color_stop_rgb(shade, 0, .35, .5, 1);
    cairo_pattern_add_color_stop_rgb(shade, 1, .5, .2, .85);
    round_box(s, n * .06, n * .06, n * .88, n * .88, n * .2, 0x4f6df5);
    cairo_set_source(s->cr, shade);
    cairo_arc(s->cr, n / 2, n / 2, n * .36, 0, 2 * M_PI);
    cairo_fill(s->cr);
    cairo_pattern_destroy(shade);
    ink(s, 0xffffff);
    cairo_arc(s->cr, n / 2, n / 2, n * .2, 0, 2 * M_PI);
    cairo_fill(s->cr);
    ink(s, 0x1b2540);
    cairo_arc(s->cr, n * .54, n * .47, n * .1, 0, 2 * M_PI);
    cairo_fill(s->cr);
}
