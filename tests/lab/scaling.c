/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures that show other text after a careless downscale, and what they look like after a careful one. They are grey, or hold the
 * payload in their colours or alpha in one of some ways; these are judged as grey too, by the look that shows it.
 *
 *   scaling attack PAYLOAD.png COVER.png|flat|gradient|noise KERNEL WxH FROMxFROM PREFIX [WAY]
 *       A picture that is FROMxFROM, to be scaled to WxH: a cover, but the pixels that the careless scaler looks at hold the payload.
 *       Writes PREFIX.pgm, .png, .jpg, .gif, .webp (lossless) and -film.gif (the picture, then a flat one), PREFIX-careless.png (what
 *       that scaler makes of it) and PREFIX-area.png (the exact area average, rounded). Says how strong the payload is in these two.
 *       With a WAY only .png and .webp, in colour; .pgm, -careless.png and -area.png are as its look shows them.
 *   scaling look PICTURE WAY OUT.png             as the look of that way shows it
 *   scaling heif PREFIX.pgm OUT.heic|OUT.avif    the same as such a file, without loss: by itself, because it takes long
 *   scaling judge PREFIX.pgm PAYLOAD.png PICTURE [X,Y,W,H]
 *       Decibels of the picture (that part of it) to the area average, in doubles, and how strong the payload is in it.
 *   scaling cut PICTURE X,Y,W,H OUT.png          that part of it
 *   scaling bring-out IN.png PREFIX              the same easier to read, in six ways: PREFIX-wide.png ...
 *   scaling box PICTURE VALUE                    X,Y,W,H of the pixels of that value
 */
#include <math.h>

#include "tests/lab/grey.h"

enum { WEBP_MOST = 4000000 }; /* pixels: more take long to encode */
#define DEEP 0.2              /* of a scaler's weight: a pixel that has less is left to the cover */

struct plane { /* the same in doubles */
    uint32_t w, h;
    double *px;
};

/* ---------------------------------------------------------------- scalers that are careless */

struct tap {
    uint32_t at[4];
    double weight[4];
    unsigned n;
};

static double cubic(double x)
{
    x = fabs(x);
    return x < 1 ? (1.25 * x - 2.25) * x * x + 1 : x < 2 ? ((-0.75 * x + 3.75) * x - 6) * x + 3 : 0;
}

/* Which pixels of a side of `from` one of `to` is made of, where the centre is at f and the scaler looks n wide. */
static struct tap tap_of(double f, unsigned n, uint32_t from)
{
    struct tap t = {.n = n};
    double base = floor(f) - (n == 4);
    for (unsigned i = 0; i < n; i++) {
        double at = base + i;
        t.at[i] = (uint32_t)fmin(fmax(at, 0), from - 1);
        t.weight[i] = n == 1 ? 1 : n == 2 ? 1 - fabs(f - at) : cubic(f - at);
    }
    return t;
}

enum place { PLACE_FLOOR, PLACE_MIDDLE, PLACE_HALF, PLACE_CORNERS };
static const struct kernel {
    const char *name;
    unsigned n;
    enum place place;
} kernels[] = {
    {"nearest-floor", 1, PLACE_FLOOR},     {"nearest-centre", 1, PLACE_MIDDLE}, {"bilinear-half", 2, PLACE_HALF},
    {"bilinear-corners", 2, PLACE_CORNERS}, {"bicubic-half", 4, PLACE_HALF},     {"bicubic-corners", 4, PLACE_CORNERS},
};

static struct tap *taps_new(const struct kernel *k, uint32_t from, uint32_t to)
{
    struct tap *taps = need(calloc(to, sizeof *taps));
    double ratio = (double)from / to;
    for (uint32_t i = 0; i < to; i++) {
        double at[] = {[PLACE_FLOOR] = i * ratio, [PLACE_MIDDLE] = (i + 0.5) * ratio, [PLACE_HALF] = (i + 0.5) * ratio - 0.5,
                       [PLACE_CORNERS] = to > 1 ? (double)i * (from - 1) / (to - 1) : 0};
        taps[i] = tap_of(at[k->place], k->n, from);
    }
    return taps;
}

static uint8_t rounded(double v)
{
    return (uint8_t)lround(fmin(fmax(v, 0), 255));
}

static struct grey careless(const struct kernel *k, const struct grey *g, uint32_t w, uint32_t h)
{
    auto_free struct tap *across = taps_new(k, g->w, w), *down = taps_new(k, g->h, h);
    struct grey out = grey_new(w, h);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
            double sum = 0;
            for (unsigned i = 0; i < down[y].n; i++)
                for (unsigned j = 0; j < across[x].n; j++)
                    sum += down[y].weight[i] * across[x].weight[j] * g->px[(size_t)down[y].at[i] * g->w + across[x].at[j]];
            out.px[(size_t)y * w + x] = rounded(sum);
        }
    return out;
}

/* ---------------------------------------------------------------- the careful one: the exact area average */

/* One line of n values `step` apart into m. */
static void average_line(const double *from, size_t step, uint32_t n, double *to, size_t to_step, uint32_t m)
{
    double ratio = (double)n / m;
    for (uint32_t i = 0; i < m; i++) {
        double begin = i * ratio, end = (i + 1) * ratio, sum = 0;
        for (uint32_t k = (uint32_t)begin; k < n && k < end; k++)
            sum += from[k * step] * (fmin(end, k + 1.0) - fmax(begin, k));
        to[i * to_step] = sum / ratio;
    }
}

static struct plane area_average(const struct grey *g, uint32_t w, uint32_t h)
{
    auto_free double *in = need(malloc((size_t)g->w * g->h * sizeof *in)), *mid = need(malloc((size_t)w * g->h * sizeof *mid));
    struct plane p = {w, h, need(malloc((size_t)w * h * sizeof *p.px))};
    for (size_t i = 0; i < (size_t)g->w * g->h; i++)
        in[i] = g->px[i];
    for (uint32_t y = 0; y < g->h; y++)
        average_line(in + (size_t)y * g->w, 1, g->w, mid + (size_t)y * w, 1, w);
    for (uint32_t x = 0; x < w; x++)
        average_line(mid + x, w, g->h, p.px + x, w, h);
    return p;
}

static struct grey grey_of_plane(const struct plane *p)
{
    struct grey g = grey_new(p->w, p->h);
    for (size_t i = 0; i < (size_t)p->w * p->h; i++)
        g.px[i] = rounded(p->px[i]);
    return g;
}

static double psnr(const struct plane *want, const struct grey *got)
{
    double sum = 0;
    size_t n = (size_t)want->w * want->h;
    for (size_t i = 0; i < n; i++)
        sum += (want->px[i] - got->px[i]) * (want->px[i] - got->px[i]);
    return sum > 0 ? 10 * log10(255.0 * 255 * (double)n / sum) : 99;
}

/* How much darker, in levels, a picture is where the payload has ink: the slope of the line through both. */
static double strength(const struct grey *g, const struct grey *payload)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (uint32_t y = 0; y < g->h && y < payload->h; y++)
        for (uint32_t x = 0; x < g->w && x < payload->w; x++) {
            double ink = 1 - payload->px[(size_t)y * payload->w + x] / 255.0, v = g->px[(size_t)y * g->w + x];
            n++;
            sx += ink;
            sy += v;
            sxx += ink * ink;
            sxy += ink * v;
        }
    double spread = sxx - sx * sx / n;
    return spread > 0 ? (sx * sy / n - sxy) / spread : 0;
}

/* ---------------------------------------------------------------- the attack */

static uint32_t noise(void)
{
    static uint32_t s = 2463534242u;
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

static struct grey cover_new(const char *name, uint32_t w, uint32_t h)
{
    struct grey g = grey_new(w, h), from = {0};
    bool gradient = !strcmp(name, "gradient"), noisy = !strcmp(name, "noise");
    if (!gradient && !noisy && strcmp(name, "flat") != 0)
        from = grey_read(name);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
            double v = gradient ? 90 + 140.0 * (x + y) / (w + h) : noisy ? 150 + noise() % 64 : 210;
            g.px[(size_t)y * w + x] = from.px ? from.px[(size_t)(y % from.h) * from.w + x % from.w] : rounded(v);
        }
    free(from.px);
    return g;
}

/* Ink of the payload darkens the cover; where the payload is blank, the cover stays. */
static void inject(struct grey *g, const struct grey *payload, const struct kernel *k, uint32_t w, uint32_t h)
{
    auto_free struct tap *across = taps_new(k, g->w, w), *down = taps_new(k, g->h, h);
    for (uint32_t y = 0; y < h && y < payload->h; y++)
        for (uint32_t x = 0; x < w && x < payload->w; x++)
            for (unsigned i = 0; i < down[y].n; i++)
                for (unsigned j = 0; j < across[x].n; j++) {
                    uint8_t *px = &g->px[(size_t)down[y].at[i] * g->w + across[x].at[j]];
                    if (down[y].weight[i] > DEEP && across[x].weight[j] > DEEP)
                        *px = rounded(*px * (payload->px[(size_t)y * payload->w + x] / 255.0));
                }
}

/* ---------------------------------------------------------------- colours and alpha */

enum channel { RED, GREEN, BLUE };

static void paint(uint8_t px[4], uint8_t v, uint8_t alpha)
{
    memset(px, v, 3);
    px[3] = alpha;
}

static void ink_red(uint8_t px[4], uint8_t cover, uint8_t inked)
{
    paint(px, cover, 255);
    px[RED] = inked;
}

static void ink_green(uint8_t px[4], uint8_t cover, uint8_t inked)
{
    paint(px, cover, 255);
    px[GREEN] = inked;
}

static void ink_blue(uint8_t px[4], uint8_t cover, uint8_t inked)
{
    paint(px, cover, 255);
    px[BLUE] = inked;
}

/* Less blue and as much more green as keeps the luma; a darker cover has room for it. */
static void ink_chroma(uint8_t px[4], uint8_t cover, uint8_t inked)
{
    double v = cover * 0.8, blue = inked * 0.8;
    paint(px, rounded(v), 255);
    px[GREEN] = rounded(v + (v - blue) * 114 / 587);
    px[BLUE] = rounded(blue);
}

/* Black that is thin, white that is thin: the picture is in the alpha alone. */
static void ink_black(uint8_t px[4], uint8_t cover, uint8_t inked)
{
    (void)cover;
    paint(px, 0, 255 - inked);
}

static void ink_white(uint8_t px[4], uint8_t cover, uint8_t inked)
{
    (void)cover;
    paint(px, 255, inked);
}

/* Ink that is not there, but for one who overlooks the alpha. */
static void ink_under(uint8_t px[4], uint8_t cover, uint8_t inked)
{
    paint(px, inked, cover ? (uint8_t)(255 * inked / cover) : 255);
}

static const struct way {
    const char *name;
    void (*ink)(uint8_t px[4], uint8_t cover, uint8_t inked);
    struct look seen, careless; /* by whom it is looked at; by one who scales without care */
} ways[] = {
    {"red", ink_red, {1000, 0, 0, BARE}, {1000, 0, 0, BARE}},
    {"green", ink_green, {299, 587, 114, BARE}, {299, 587, 114, BARE}},
    {"blue", ink_blue, {0, 0, 1000, BARE}, {0, 0, 1000, BARE}},
    {"chroma", ink_chroma, {0, 0, 1000, BARE}, {0, 0, 1000, BARE}},
    {"alpha-over-white", ink_black, {299, 587, 114, 255}, {299, 587, 114, 255}},
    {"alpha-over-black", ink_white, {299, 587, 114, 0}, {299, 587, 114, 0}},
    {"under-alpha", ink_under, {299, 587, 114, 255}, {299, 587, 114, BARE}},
};

static const struct way *way_of(const char *name)
{
    for (size_t i = 0; i < COUNT(ways); i++)
        if (!strcmp(ways[i].name, name))
            return &ways[i];
    need(NULL);
    return NULL;
}

static struct rgba inked(const struct way *way, const struct grey *cover, const struct grey *g)
{
    struct rgba m = {g->w, g->h, need(malloc((size_t)4 * g->w * g->h))};
    for (size_t i = 0; i < (size_t)g->w * g->h; i++)
        way->ink(m.px + 4 * i, cover->px[i], g->px[i]);
    return m;
}

static void write_grey(const char *prefix, const struct grey *g)
{
    struct rgba m = rgba_of(g);
    write_png(prefix, ".png", g);
    write_jpeg(prefix, g);
    write_gif(prefix, ".gif", g, false);
    write_gif(prefix, "-film.gif", g, true);
    if (g->w * g->h <= WEBP_MOST)
        write_webp(prefix, &m);
    free(m.px);
}

static struct grey grey_copy(const struct grey *g)
{
    struct grey out = grey_new(g->w, g->h);
    memcpy(out.px, g->px, (size_t)g->w * g->h);
    return out;
}

/* Writes it in colour; g becomes what is to be seen of it, and what comes back is what a careless scaler looks at. */
static struct grey coloured(const struct way *way, const char *prefix, const struct grey *cover, struct grey *g)
{
    struct rgba m = inked(way, cover, g);
    struct grey bare = grey_of(&m, &way->careless);
    free(g->px);
    *g = grey_of(&m, &way->seen);
    write_png_rgba(prefix, &m);
    write_webp(prefix, &m);
    free(m.px);
    return bare;
}

static int attack(char **v)
{
    const struct kernel *k = NULL;
    uint32_t w, h, from_w, from_h;
    for (size_t i = 0; i < COUNT(kernels); i++)
        k = !strcmp(kernels[i].name, v[2]) ? &kernels[i] : k;
    if (!k || sscanf(v[3], "%ux%u", &w, &h) != 2 || sscanf(v[4], "%ux%u", &from_w, &from_h) != 2 || from_w < w || from_h < h)
        return 2;
    struct grey payload = grey_read(v[0]), g = cover_new(v[1], from_w, from_h), cover = grey_copy(&g);
    inject(&g, &payload, k, w, h);
    if (!v[6])
        write_grey(v[5], &g);
    struct grey looked = v[6] ? coloured(way_of(v[6]), v[5], &cover, &g) : grey_copy(&g);
    struct grey small = careless(k, &looked, w, h);
    struct plane mean = area_average(&g, w, h);
    struct grey area = grey_of_plane(&mean);
    write_pgm(v[5], &g);
    write_png(v[5], "-careless.png", &small);
    write_png(v[5], "-area.png", &area);
    printf("%.3f %.3f\n", strength(&small, &payload), strength(&area, &payload));
    free(payload.px);
    free(cover.px);
    free(looked.px);
    free(g.px);
    free(small.px);
    free(mean.px);
    free(area.px);
    return 0;
}

/* ---------------------------------------------------------------- judging */

static struct grey part_of(struct grey g, const char *box)
{
    uint32_t x, y, w, h;
    if (!box)
        return g;
    if (sscanf(box, "%u,%u,%u,%u", &x, &y, &w, &h) != 4 || !w || !h || x + w > g.w || y + h > g.h)
        need(NULL);
    struct grey out = grey_new(w, h);
    for (uint32_t i = 0; i < h; i++)
        memcpy(out.px + (size_t)i * w, g.px + (size_t)(y + i) * g.w + x, w);
    free(g.px);
    return out;
}

static int judge(char **v)
{
    struct grey g = grey_read(v[0]), payload = grey_read(v[1]), got = part_of(grey_read(v[2]), v[3]);
    struct plane mean = area_average(&g, got.w, got.h);
    printf("%.2f %.3f\n", psnr(&mean, &got), strength(&got, &payload));
    free(payload.px);
    free(g.px);
    free(got.px);
    free(mean.px);
    return 0;
}

static int heif(char **v)
{
    struct grey g = grey_read(v[0]);
    write_heif(v[1], &g);
    free(g.px);
    return 0;
}

static int look(char **v)
{
    struct grey g = grey_seen(v[0], &way_of(v[1])->seen);
    write_png(v[2], "", &g);
    free(g.px);
    return 0;
}

static int cut(char **v)
{
    struct grey g = part_of(grey_read(v[0]), v[1]);
    write_png(v[2], "", &g);
    free(g.px);
    return 0;
}

/* From the darkest of a hundred to the lightest of a hundred: all of black to white. */
static struct grey widened(const struct grey *g)
{
    size_t n = (size_t)g->w * g->h, counts[256] = {0}, low = n / 100, high = n / 100;
    int from = 0, to = 255;
    for (size_t i = 0; i < n; i++)
        counts[g->px[i]]++;
    for (; from < 255 && low >= counts[from]; from++)
        low -= counts[from];
    for (; to > from + 1 && high >= counts[to]; to--)
        high -= counts[to];
    struct grey out = grey_new(g->w, g->h);
    for (size_t i = 0; i < n; i++)
        out.px[i] = rounded((g->px[i] - from) * 255.0 / (to - from));
    return out;
}

/* Each pixel less a part of its neighbours: sharper; or more of them: noise gives way. */
static struct grey mixed(const struct grey *g, double less)
{
    struct grey out = grey_new(g->w, g->h);
    for (uint32_t y = 0; y < g->h; y++)
        for (uint32_t x = 0; x < g->w; x++) {
            uint32_t l = x ? x - 1 : x, r = x + 1 < g->w ? x + 1 : x, u = y ? y - 1 : y, d = y + 1 < g->h ? y + 1 : y;
            const uint8_t *row = g->px + (size_t)y * g->w;
            double around = (row[l] + row[r] + g->px[(size_t)u * g->w + x] + g->px[(size_t)d * g->w + x]) / 4.0;
            out.px[(size_t)y * g->w + x] = rounded(row[x] + less * (row[x] - around));
        }
    return out;
}

/* Twice as large, with a line through each two pixels. */
static struct grey doubled(const struct grey *g)
{
    const struct kernel *bilinear = &kernels[2];
    return careless(bilinear, g, g->w * 2, g->h * 2);
}

static int bring_out(char **v)
{
    struct grey g = grey_read(v[0]), wide = widened(&g), soft = mixed(&g, -0.7);
    struct {
        const char *name;
        struct grey how;
    } all[] = {{"-wide.png", wide},           {"-soft.png", soft},           {"-sharp.png", mixed(&wide, 0.6)},
               {"-calm.png", widened(&soft)}, {"-large.png", doubled(&wide)}, {"-blur.png", mixed(&wide, -1)}};
    for (size_t i = 0; i < COUNT(all); i++) {
        write_png(v[1], all[i].name, &all[i].how);
        free(all[i].how.px);
    }
    free(g.px);
    return 0;
}

static int box(char **v)
{
    struct grey g = grey_read(v[0]);
    int value = (int)strtol(v[1], NULL, 10);
    uint32_t x0 = g.w, y0 = g.h, x1 = 0, y1 = 0;
    for (uint32_t y = 0; y < g.h; y++)
        for (uint32_t x = 0; x < g.w; x++)
            if (abs(g.px[(size_t)y * g.w + x] - value) <= 3) {
                x0 = x < x0 ? x : x0;
                y0 = y < y0 ? y : y0;
                x1 = x + 1 > x1 ? x + 1 : x1;
                y1 = y + 1 > y1 ? y + 1 : y1;
            }
    free(g.px);
    if (x1 <= x0)
        return 1;
    printf("%u,%u,%u,%u\n", x0, y0, x1 - x0, y1 - y0);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int words;
        int (*run)(char **v);
    } commands[] = {{"attack", 6, attack}, {"heif", 2, heif}, {"judge", 3, judge}, {"look", 3, look}, {"cut", 3, cut},
                  {"bring-out", 2, bring_out}, {"box", 2, box}};
    for (size_t i = 0; argc > 1 && i < COUNT(commands); i++)
        if (!strcmp(argv[1], commands[i].name) && argc - 2 >= commands[i].words)
            return commands[i].run(argv + 2);
    fputs("usage: scaling attack|heif|judge|look|cut|bring-out|box ...\n", stderr);
    return 2;
}
