/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulation as a picture: two panels over the same requests, what each policy has cost so far and how many pictures were
 * live. Plain SVG without scripts or fonts of its own; whole numbers and fixed decimals, so that the same simulation gives the same
 * bytes.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "lower/simulate.h"

enum {
    WIDTH = 1000, HEIGHT = 640,
    LEFT = 90, RIGHT = 20,
    UPPER_TOP = 98, UPPER_BOTTOM = 380,
    LOWER_TOP = 436, LOWER_BOTTOM = 590,
    TICKS = 5,
    MOST_POINTS = 2000, /* of one line; more would not be seen */
};

static const char *const colours[LIMIT_SIM_POLICIES] = {"#777777", "#0072b2", "#e69f00", "#009e73",
                                                        "#d55e00", "#cc79a7", "#56b4e9", "#000000"};
static const char *const dashes[LIMIT_SIM_POLICIES] = {"2 3", "8 4", "6 2 2 2", "3 3", "none", "10 3", "4 2", "1 2"};

struct panel {
    int top, bottom;
    double most;     /* at its top */
    size_t requests; /* at its right */
    double (*value)(const struct request_figures *f, double so_far);
};

static double cost_of(const struct request_figures *f, double so_far)
{
    return so_far + (f->cost_nano < 0 ? (double)f->units / 1e3 : (double)f->cost_nano / 1e9);
}

static double live_of(const struct request_figures *f, double so_far)
{
    (void)so_far;
    return (double)f->live;
}

static double x_of(const struct panel *p, size_t request)
{
    return LEFT + (double)request / (double)MAX(p->requests, 1) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct panel *p, double value)
{
    return p->bottom - value / p->most * (p->bottom - p->top);
}

static double most_of(const struct simulation *s, const struct panel *p)
{
    double most = 0;
    for (size_t i = 0; i < s->n_runs; i++) {
        double value = 0;
        for (size_t n = 0; n < s->runs[i].n_rows; n++) {
            value = p->value(&s->runs[i].rows[n], value);
            most = MAX(most, value);
        }
    }
    return most;
}

/* The next round number, for one step between two ticks. */
static double round_step(double step)
{
    static const double nice[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    double power = 1;
    while (power * 10 <= step)
        power *= 10;
    while (power > step)
        power /= 10;
    for (size_t i = 0; i < COUNT(nice); i++)
        if (nice[i] * power >= step)
            return nice[i] * power;
    return power * 10;
}

/* What stands before a length, and the length: with a point, whatever the host's locale writes. */
static void at(struct buf *to, const char *before, double length)
{
    (void)buf_add_str(to, before);
    (void)buf_add_fixed(to, length, 1);
}

static void begin_text(struct buf *to, double x, double y, const char *anchor)
{
    at(to, "<text x=\"", x);
    at(to, "\" y=\"", y);
    (void)buf_add_format(to, "\" text-anchor=\"%s\">", anchor);
}

static void end_text(struct buf *to)
{
    (void)buf_add_str(to, "</text>\n");
}

static void text(struct buf *to, double x, double y, const char *anchor, const char *words)
{
    begin_text(to, x, y, anchor);
    (void)buf_add_str(to, words);
    end_text(to);
}

static void number(struct buf *to, double x, double y, const char *anchor, double n, double step)
{
    int decimals = step >= 1 && step - (double)(long long)step < 1e-9 ? 0 : step >= 0.1 ? 2 : step >= 0.001 ? 4 : 6;
    begin_text(to, x, y, anchor);
    (void)buf_add_fixed(to, n, decimals);
    end_text(to);
}

static void add_axes(const struct panel *p, double step, struct buf *to)
{
    for (int i = 0; i <= TICKS; i++) {
        double value = step * i, y = y_of(p, value);
        (void)buf_add_format(to, "<line x1=\"%d", LEFT);
        at(to, "\" y1=\"", y);
        (void)buf_add_format(to, "\" x2=\"%d", WIDTH - RIGHT);
        at(to, "\" y2=\"", y);
        (void)buf_add_str(to, "\" stroke=\"#dddddd\"/>\n");
        number(to, LEFT - 8, y + 4, "end", value, step);
    }
    double across = MAX(round_step((double)p->requests / 8), 1);
    for (size_t i = 0; (double)i * across <= (double)p->requests; i++) {
        double n = (double)i * across;
        double x = x_of(p, (size_t)n);
        at(to, "<line x1=\"", x);
        (void)buf_add_format(to, "\" y1=\"%d", p->bottom);
        at(to, "\" x2=\"", x);
        (void)buf_add_format(to, "\" y2=\"%d\" stroke=\"#333333\"/>\n", p->bottom + 5);
        number(to, x, p->bottom + 19, "middle", (double)(size_t)n, 1);
    }
    (void)buf_add_format(to, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#333333\"/>\n", LEFT, p->top, p->bottom,
                         WIDTH - RIGHT);
}

static void add_line(const struct panel *p, const struct sim_run *run, size_t i, struct buf *to)
{
    size_t every = run->n_rows / MOST_POINTS + 1;
    double value = 0;
    (void)buf_add_format(to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-dasharray=\"%s\" points=\"",
                         colours[i], strcmp(run->policy, "auto") ? "1.6" : "2.6", dashes[i]);
    for (size_t n = 0; n < run->n_rows && !to->error; n++) {
        value = p->value(&run->rows[n], value);
        if (n % every != 0 && n + 1 != run->n_rows)
            continue;
        at(to, "", x_of(p, n + 1));
        at(to, ",", y_of(p, value));
        (void)buf_add_str(to, " ");
    }
    (void)buf_add_str(to, "\"/>\n");
}

static void add_panel(const struct simulation *s, struct panel *p, struct buf *to)
{
    double step = round_step(MAX(most_of(s, p), 1e-6) / TICKS);
    if (p->value == live_of)
        step = MAX(step, 1);
    p->most = step * TICKS;
    add_axes(p, step, to);
    for (size_t i = s->n_runs; i-- > 0;) /* auto comes last and is solid: what lies on top of it shows between dashes */
        add_line(p, &s->runs[i], i, to);
}

static void add_legend(const struct simulation *s, struct buf *to)
{
    for (size_t i = 0; i < s->n_runs; i++) {
        int x = LEFT + (int)(i % 4) * 225, y = 48 + (int)(i / 4) * 18;
        const struct request_figures *sum = &s->runs[i].sum;
        bool priced = sum->cost_nano >= 0;
        (void)buf_add_format(to, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2.6\" "
                                 "stroke-dasharray=\"%s\"/>\n", x, y - 4, x + 34, y - 4, colours[i], dashes[i]);
        begin_text(to, x + 42, y, "start");
        (void)buf_add_format(to, "%.40s  %s", s->runs[i].policy, priced ? "$" : "");
        (void)buf_add_fixed(to, priced ? (double)sum->cost_nano / 1e9 : (double)sum->units / 1e3, priced ? 4 : 0);
        end_text(to);
    }
}

/* Names come from outside: marks of the language are taken out of them. */
static void add_plain(const char *name, struct buf *to)
{
    for (const char *c = name; *c; c++)
        (void)buf_add(to, strchr("<>&\"'", *c) || (unsigned char)*c < ' ' ? "." : c, 1);
}

static void add_title(const struct simulation *s, const char *title, struct buf *to)
{
    (void)buf_add_format(to, "<text x=\"%d\" y=\"24\" font-size=\"16\" font-weight=\"bold\">", LEFT);
    add_plain(title, to);
    (void)buf_add_str(to, ", ");
    add_plain(s->target->provider, to);
    (void)buf_add_str(to, "/");
    add_plain(s->target->model, to);
    (void)buf_add_str(to, "</text>\n");
}

int simulation_plot(const struct simulation *s, const char *title, struct buf *to)
{
    size_t requests = 0;
    for (size_t i = 0; i < s->n_runs; i++)
        requests = MAX(requests, s->runs[i].n_rows);
    bool priced = s->n_runs && s->runs[0].sum.cost_nano >= 0;
    struct panel cost = {.top = UPPER_TOP, .bottom = UPPER_BOTTOM, .requests = requests, .value = cost_of};
    struct panel live = {.top = LOWER_TOP, .bottom = LOWER_BOTTOM, .requests = requests, .value = live_of};
    (void)buf_add_format(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                             "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                         WIDTH, HEIGHT, WIDTH, HEIGHT);
    add_title(s, title, to);
    add_legend(s, to);
    text(to, LEFT, UPPER_TOP - 7, "start", priced ? "input cost so far, US dollars" : "input cost so far, tokens at the full price");
    add_panel(s, &cost, to);
    text(to, LEFT, LOWER_TOP - 7, "start", "pictures and documents that are live");
    add_panel(s, &live, to);
    text(to, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, "middle", "request");
    return buf_add_str(to, "</svg>\n");
}
