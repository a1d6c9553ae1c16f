/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the corpus of the benchmark: `corpus FOLDER` writes every picture of the table below, the words that are in it
 * (FOLDER/truth/NAME.txt) and FOLDER/list.tsv; `corpus --sample FILE` writes the sample picture of the repo. The mix
 * is what agents are handed: mostly screenshots and photos, and one of each odd kind of file.
 */
#include <err.h>
#include <math.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "gen.h"

/* What a picture is there for: text ones are also read by OCR, series ones show how cost grows and stay out of totals. */
#define TEXT "text"
#define PLAIN "plain"
#define SERIES "series"

struct row {
    const char *file, *use;
    uint32_t w, h;
    double scale; /* of screens: device pixels a unit */
    paint_fn *fn; /* NULL: a photo of this look */
    enum photo_look look;
    write_fn *write;
    struct how how;
    bool dark;
};

#define SCREEN(f, u, w, h, s, fn, wr, ...) {f, u, w, h, s, fn, 0, wr, {__VA_ARGS__}, false}
#define DARK(f, u, w, h, s, fn, wr, ...) {f, u, w, h, s, fn, 0, wr, {__VA_ARGS__}, true}
#define PHOTO(f, u, w, h, look, wr, ...) {f, u, w, h, 1, NULL, look, wr, {__VA_ARGS__}, false}

static const struct row rows[] = {
    SCREEN("ui-1280x800.png", TEXT, 1280, 800, 1, paint_app, write_png, 0),
    SCREEN("ui-1440x900.png", TEXT, 1440, 900, 1, paint_app, write_png, 0),
    SCREEN("ui-1920x1080.png", TEXT, 1920, 1080, 1, paint_app, write_png, 0),
    SCREEN("ui-2560x1600.png", TEXT, 2560, 1600, 2, paint_app, write_png, 0),
    SCREEN("ui-2880x1800.png", TEXT, 2880, 1800, 2, paint_app, write_png, 0),
    SCREEN("ui-3840x2160.png", TEXT, 3840, 2160, 3, paint_app, write_png, 0),
    DARK("ui-dark-2560x1440.png", TEXT, 2560, 1440, 1.5, paint_app, write_png, 0),
    SCREEN("ui-alpha-1700x1100.png", PLAIN, 1700, 1100, 1.5, paint_window, write_png, .png = PNG_RGBA),
    SCREEN("phone-1170x2532.png", TEXT, 1170, 2532, 3, paint_phone, write_png, 0),
    DARK("code-1280x800.png", TEXT, 1280, 800, 1, paint_code, write_png, 0),
    DARK("code-1920x1080.png", TEXT, 1920, 1080, 1, paint_code, write_png, 0),
    DARK("code-2560x1440.png", TEXT, 2560, 1440, 1.5, paint_code, write_png, 0),
    SCREEN("code-light-2880x1800.png", TEXT, 2880, 1800, 2, paint_code, write_png, 0),
    DARK("code-3456x2234.png", TEXT, 3456, 2234, 2, paint_code, write_png, 0),
    DARK("terminal-1200x750.png", TEXT, 1200, 750, 1, paint_terminal, write_png, 0),
    DARK("terminal-2400x1500.png", TEXT, 2400, 1500, 2, paint_terminal, write_png, 0),
    SCREEN("web-1366x768.png", TEXT, 1366, 768, 1, paint_page, write_png, 0),
    SCREEN("web-1280x4000.png", PLAIN, 1280, 4000, 1, paint_page, write_png, 0),
    SCREEN("web-2560x1440.webp", TEXT, 2560, 1440, 2, paint_page, write_webp, .lossless = true, .quality = 50),
    SCREEN("web-1440x900.jpg", TEXT, 1440, 900, 1, paint_page, write_jpeg, .quality = 90),
    SCREEN("dashboard-1600x1000.png", TEXT, 1600, 1000, 1, paint_dashboard, write_png, 0),
    DARK("dashboard-2880x1800.png", TEXT, 2880, 1800, 1.8, paint_dashboard, write_png, 0),
    SCREEN("chart-1200x800.png", PLAIN, 1200, 800, 1, paint_chart, write_png, .png = PNG_PALETTE),
    SCREEN("chart-2400x1400.png", PLAIN, 2400, 1400, 2, paint_chart, write_png, 0),
    SCREEN("chart-1800x1000.gif", PLAIN, 1800, 1000, 1.5, paint_chart, write_gif, 0),
    SCREEN("palette-1920x1080.png", PLAIN, 1920, 1080, 1, paint_dashboard, write_png, .png = PNG_PALETTE),
    SCREEN("interlaced-1920x1200.png", PLAIN, 1920, 1200, 1.5, paint_app, write_png, .interlaced = true),
    SCREEN("scan-bilevel-2480x3508.png", PLAIN, 2480, 3508, 3, paint_document, write_png, .png = PNG_BILEVEL),
    SCREEN("scan-gray-1654x2339.png", TEXT, 1654, 2339, 2, paint_document, write_png, .png = PNG_GRAY),
    SCREEN("scan-2480x3508.jpg", PLAIN, 2480, 3508, 3, paint_document, write_jpeg, .quality = 80),
    SCREEN("icon-32.png", PLAIN, 32, 32, 1, paint_icon, write_png, .png = PNG_RGBA),
    SCREEN("icon-128.png", PLAIN, 128, 128, 1, paint_icon, write_png, .png = PNG_RGBA),
    SCREEN("icon-512.png", PLAIN, 512, 512, 1, paint_icon, write_png, .png = PNG_RGBA),
    SCREEN("icon-2048.png", PLAIN, 2048, 2048, 1, paint_icon, write_png, .png = PNG_RGBA),
    SCREEN("icon-256.webp", PLAIN, 256, 256, 1, paint_icon, write_webp, .png = PNG_RGBA, .lossless = true),
    SCREEN("animated-800x500.gif", PLAIN, 800, 500, 1, paint_terminal, write_gif, .frames = 12),
    PHOTO("photo-800x600.jpg", PLAIN, 800, 600, PHOTO_DAY, write_jpeg, .quality = 85),
    PHOTO("photo-1600x1200.jpg", PLAIN, 1600, 1200, PHOTO_DUSK, write_jpeg, .quality = 85),
    PHOTO("photo-1400x1050.jpg", PLAIN, 1400, 1050, PHOTO_DAY, write_jpeg, .quality = 92),
    PHOTO("photo-progressive-2048x1536.jpg", PLAIN, 2048, 1536, PHOTO_SNOW, write_jpeg, .quality = 85, .progressive = true),
    PHOTO("photo-3000x2000.jpg", PLAIN, 3000, 2000, PHOTO_DAY, write_jpeg, .quality = 90),
    PHOTO("photo-4032x3024.jpg", PLAIN, 4032, 3024, PHOTO_DAY, write_jpeg, .quality = 90, .orientation = 1),
    PHOTO("photo-6000x4000.jpg", PLAIN, 6000, 4000, PHOTO_DUSK, write_jpeg, .quality = 90, .orientation = 1),
    PHOTO("photo-8000x6000.jpg", PLAIN, 8000, 6000, PHOTO_DAY, write_jpeg, .quality = 88),
    PHOTO("photo-forest-3264x2448.jpg", PLAIN, 3264, 2448, PHOTO_FOREST, write_jpeg, .quality = 90),
    PHOTO("photo-exif3-3264x2448.jpg", PLAIN, 3264, 2448, PHOTO_DUSK, write_jpeg, .quality = 90, .orientation = 3),
    PHOTO("photo-exif6-4000x3000.jpg", PLAIN, 4000, 3000, PHOTO_DAY, write_jpeg, .quality = 90, .orientation = 6),
    PHOTO("photo-exif6-1500x1000.jpg", PLAIN, 1500, 1000, PHOTO_SNOW, write_jpeg, .quality = 90, .orientation = 6),
    PHOTO("photo-gray-2400x1600.jpg", PLAIN, 2400, 1600, PHOTO_DUSK, write_jpeg, .quality = 88, .gray = true),
    PHOTO("photo-cmyk-2000x1500.jpg", PLAIN, 2000, 1500, PHOTO_DAY, write_jpeg, .quality = 90, .cmyk = true),
    PHOTO("photo-1920x1280.png", PLAIN, 1920, 1280, PHOTO_DAY, write_png, 0),
    PHOTO("photo-16bit-1600x1200.png", PLAIN, 1600, 1200, PHOTO_DUSK, write_png, .png = PNG_RGB16),
    PHOTO("photo-1200x800.webp", PLAIN, 1200, 800, PHOTO_DAY, write_webp, .quality = 85),
    PHOTO("photo-3000x2000.webp", PLAIN, 3000, 2000, PHOTO_DUSK, write_webp, .quality = 80),
    PHOTO("photo-4000x3000.webp", PLAIN, 4000, 3000, PHOTO_SNOW, write_webp, .quality = 80),
    PHOTO("photo-lossless-1600x1067.webp", PLAIN, 1600, 1067, PHOTO_DAY, write_webp, .lossless = true, .quality = 20),

    SCREEN("series-000.1-screen.png", SERIES, 400, 250, 1, paint_dashboard, write_png, 0),
    SCREEN("series-001-screen.png", SERIES, 1265, 790, 1, paint_dashboard, write_png, 0),
    SCREEN("series-004-screen.png", SERIES, 2530, 1580, 2, paint_dashboard, write_png, 0),
    SCREEN("series-012-screen.png", SERIES, 4380, 2740, 3, paint_dashboard, write_png, 0),
    SCREEN("series-048-screen.png", SERIES, 8760, 5475, 6, paint_dashboard, write_png, 0),
    PHOTO("series-000.1-photo.jpg", SERIES, 365, 274, PHOTO_DAY, write_jpeg, .quality = 90),
    PHOTO("series-001-photo.jpg", SERIES, 1155, 866, PHOTO_DAY, write_jpeg, .quality = 90),
    PHOTO("series-004-photo.jpg", SERIES, 2310, 1732, PHOTO_DAY, write_jpeg, .quality = 90),
    PHOTO("series-012-photo.jpg", SERIES, 4000, 3000, PHOTO_DAY, write_jpeg, .quality = 90),
    PHOTO("series-048-photo.jpg", SERIES, 8000, 6000, PHOTO_DAY, write_jpeg, .quality = 90),
};

static const struct row sample =
    SCREEN("sample.png", PLAIN, 1600, 1000, 1, paint_dashboard, write_png, .unfiltered = true, .quality = 9);

/* A picture's seed comes from its name, so that adding a row changes no other; a series is one picture. */
static uint32_t seed_of(const struct row *row)
{
    uint32_t v = 2166136261u;
    for (const char *c = strcmp(row->use, SERIES) ? row->file : "series"; *c; c++)
        v = (v ^ (uint8_t)*c) * 16777619u;
    return v;
}

static void make(const struct row *row, const char *path, FILE *truth)
{
    struct raster r;
    if (row->fn) {
        struct scene s = {.rng = {seed_of(row)}, .dark = row->dark, .truth = truth};
        paint(row->fn, &s, row->w, row->h, row->scale, MAX(row->how.frames, 1), row->how.png == PNG_RGBA, &r);
    } else {
        photo(row->look, seed_of(row), row->w, row->h, &r);
    }
    if (row->write(path, &r, &row->how))
        err(1, "cannot write '%s'", path);
    raster_done(&r);
}

static FILE *create(const char *folder, const char *sub, const char *name, const char *end)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s%s%s", folder, sub, name, end);
    FILE *file = fopen(path, "we");
    if (!file)
        err(1, "cannot write '%s'", path);
    return file;
}

static void make_all(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/truth", folder);
    if ((mkdir(folder, 0777) && errno != EEXIST) || (mkdir(path, 0777) && errno != EEXIST))
        err(1, "cannot make '%s'", folder);
    FILE *list = create(folder, "", "list", ".tsv.new");
    for (size_t i = 0; i < COUNT(rows); i++) {
        FILE *truth = strcmp(rows[i].use, TEXT) ? NULL : create(folder, "truth/", rows[i].file, ".txt");
        snprintf(path, sizeof(path), "%s/%s", folder, rows[i].file);
        make(&rows[i], path, truth);
        if (truth)
            fclose(truth);
        fprintf(list, "%s\t%s\t%u\t%u\n", rows[i].file, rows[i].use, rows[i].w, rows[i].h);
    }
    fclose(list);
    /* The list comes last: a folder that has it is whole. */
    char done[4096];
    snprintf(path, sizeof(path), "%s/list.tsv.new", folder);
    snprintf(done, sizeof(done), "%s/list.tsv", folder);
    if (rename(path, done))
        err(1, "cannot write '%s'", done);
}

int main(int argc, char **argv)
{
    if (!fonts_present())
        errx(1, "the DejaVu fonts are missing; install fonts-dejavu-core");
    if (argc == 3 && !strcmp(argv[1], "--sample"))
        make(&sample, argv[2], NULL);
    else if (argc == 2 && argv[1][0] != '-')
        make_all(argv[1]);
    else
        errx(2, "usage: corpus FOLDER | corpus --sample FILE");
    return 0;
}
