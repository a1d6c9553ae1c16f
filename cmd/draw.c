/* SPDX-License-Identifier: Apache-2.0 */
/* libchafa by dlopen: see draw.h. The functions' types come from its header, so a wrong call does not compile. */
#include "draw.h"

#include <chafa.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/limits.h"
#include "base/symbol.h"

#define CHAFA_FUNCTIONS(X)                                                                                         \
    X(chafa_term_db_get_default) X(chafa_term_db_detect) X(chafa_term_db_get_fallback_info)                         \
    X(chafa_term_info_have_seq) X(chafa_term_info_supplement) X(chafa_term_info_unref)                             \
    X(chafa_calc_canvas_geometry) X(chafa_symbol_map_new) X(chafa_symbol_map_add_by_tags)                          \
    X(chafa_symbol_map_unref) X(chafa_canvas_config_new) X(chafa_canvas_config_unref)                              \
    X(chafa_canvas_config_set_geometry) X(chafa_canvas_config_set_cell_geometry)                                   \
    X(chafa_canvas_config_set_canvas_mode) X(chafa_canvas_config_set_pixel_mode)                                   \
    X(chafa_canvas_config_set_symbol_map) X(chafa_canvas_new) X(chafa_canvas_unref)                                \
    X(chafa_canvas_draw_all_pixels) X(chafa_canvas_print) X(g_string_free)

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared cannot stand in parentheses */
#define DECLARE(name) __typeof__(name) *name;
struct api {
    CHAFA_FUNCTIONS(DECLARE)
};

struct drawing {
    void *library;
    struct api api;
    ChafaTermInfo *terminal;
    ChafaCanvasMode colours;
    ChafaPixelMode pixels;
    const char *kind;
    int columns, rows; /* of the drawing, at most */
    int cell_width, cell_height;
};

static int load(struct drawing *d)
{
    d->library = dlopen("libchafa.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!d->library)
        return -ENOENT;
    bool all = true;
#define FIND(name) all = all && symbol_find(d->library, #name, &d->api.name);
    CHAFA_FUNCTIONS(FIND)
    return all ? 0 : -ENOENT;
}

static bool env_has(const char *name, const char *part)
{
    const char *value = getenv(name);
    return value && strstr(value, part);
}

/* The best first. NO_COLOR (no-color.org) leaves shapes only. */
static void choose_mode(struct drawing *d)
{
    static const struct {
        ChafaTermSeq needs;
        ChafaPixelMode pixels;
        ChafaCanvasMode colours;
        const char *kind;
    } modes[] = {
        {CHAFA_TERM_SEQ_BEGIN_KITTY_IMMEDIATE_IMAGE_V1, CHAFA_PIXEL_MODE_KITTY, CHAFA_CANVAS_MODE_TRUECOLOR, "kitty"},
        {CHAFA_TERM_SEQ_BEGIN_ITERM2_IMAGE, CHAFA_PIXEL_MODE_ITERM2, CHAFA_CANVAS_MODE_TRUECOLOR, "iterm2"},
        {CHAFA_TERM_SEQ_BEGIN_SIXELS, CHAFA_PIXEL_MODE_SIXELS, CHAFA_CANVAS_MODE_TRUECOLOR, "sixel"},
        {CHAFA_TERM_SEQ_SET_COLOR_FGBG_DIRECT, CHAFA_PIXEL_MODE_SYMBOLS, CHAFA_CANVAS_MODE_TRUECOLOR, "true colour"},
        {CHAFA_TERM_SEQ_SET_COLOR_FGBG_256, CHAFA_PIXEL_MODE_SYMBOLS, CHAFA_CANVAS_MODE_INDEXED_240, "256 colours"},
        {CHAFA_TERM_SEQ_SET_COLOR_FGBG_16, CHAFA_PIXEL_MODE_SYMBOLS, CHAFA_CANVAS_MODE_INDEXED_16, "16 colours"},
    };
    const char *no_color = getenv("NO_COLOR");
    d->pixels = CHAFA_PIXEL_MODE_SYMBOLS;
    d->colours = CHAFA_CANVAS_MODE_FGBG;
    d->kind = "no colours";
    for (size_t i = 0; !(no_color && *no_color) && i < COUNT(modes); i++) {
        if (!d->api.chafa_term_info_have_seq(d->terminal, modes[i].needs))
            continue;
        d->pixels = modes[i].pixels;
        d->colours = modes[i].colours;
        d->kind = modes[i].kind;
        break;
    }
}

/* How many colours symbols may have: COLORTERM is the terminal's own word. A TERM of xterm-256color is said by so many
 * that only 256 can be counted on, whatever the database hopes. */
static void choose_colours(struct drawing *d)
{
    if (d->pixels != CHAFA_PIXEL_MODE_SYMBOLS || d->colours == CHAFA_CANVAS_MODE_FGBG)
        return;
    if (env_has("COLORTERM", "truecolor") || env_has("COLORTERM", "24bit")) {
        d->colours = CHAFA_CANVAS_MODE_TRUECOLOR;
        d->kind = "true colour";
    } else if (env_has("TERM", "256color")) {
        d->colours = CHAFA_CANVAS_MODE_INDEXED_240;
        d->kind = "256 colours";
    }
}

/* Room for the note and the prompt stays below the picture. */
static void measure(struct drawing *d)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col || !size.ws_row)
        size = (struct winsize){.ws_col = 80, .ws_row = LIMIT_DRAW_ROWS};
    d->columns = MIN(size.ws_col, 400);
    d->rows = MAX(1, MIN(LIMIT_DRAW_ROWS, size.ws_row - 4));
    d->cell_width = size.ws_xpixel ? MAX(1, size.ws_xpixel / size.ws_col) : 8;
    d->cell_height = size.ws_ypixel ? MAX(1, size.ws_ypixel / size.ws_row) : 16;
}

/* What the database does not know of a terminal, the environment may: the fallback says how to spell it. */
static int look(struct drawing *d)
{
    ChafaTermDb *known = d->api.chafa_term_db_get_default();
    d->terminal = d->api.chafa_term_db_detect(known, environ);
    ChafaTermInfo *fallback = d->api.chafa_term_db_get_fallback_info(known);
    if (!d->terminal || !fallback)
        return -ENOMEM;
    choose_mode(d);
    choose_colours(d);
    d->api.chafa_term_info_supplement(d->terminal, fallback);
    d->api.chafa_term_info_unref(fallback);
    return 0;
}

int drawing_new(struct drawing **ret)
{
    const char *term = getenv("TERM");
    if (!term || !*term || !strcmp(term, "dumb"))
        return -ENOTTY;
    auto_drawing *d = calloc(1, sizeof *d);
    if (!d)
        return -ENOMEM;
    int r = load(d);
    if (r < 0)
        return r;
    r = look(d);
    if (r < 0)
        return r;
    measure(d);
    *ret = take(d);
    return 0;
}

/* The library stays loaded: GLib does not like to be taken away. */
void drawing_free(struct drawing *d)
{
    if (d && d->terminal)
        d->api.chafa_term_info_unref(d->terminal);
    free(d);
}

const char *drawing_kind(const struct drawing *d)
{
    return d->kind;
}

void drawing_box(const struct drawing *d, unsigned *ret_width, unsigned *ret_height)
{
    *ret_width = MIN((unsigned)(d->columns * d->cell_width), LIMIT_PREVIEW_SIDE);
    *ret_height = MIN((unsigned)(d->rows * d->cell_height), LIMIT_PREVIEW_SIDE);
}

static bool speaks_utf8(void)
{
    const char *value = NULL;
    for (size_t i = 0; i < 3 && !(value && *value); i++)
        value = getenv((const char *[]){"LC_ALL", "LC_CTYPE", "LANG"}[i]);
    return value && (strcasestr(value, "utf-8") || strcasestr(value, "utf8"));
}

static ChafaCanvasConfig *configure(struct drawing *d, const struct fovea_pixels *pixels)
{
    int columns = d->columns, rows = d->rows;
    ChafaSymbolMap *symbols = d->api.chafa_symbol_map_new();
    ChafaCanvasConfig *config = d->api.chafa_canvas_config_new();
    d->api.chafa_symbol_map_add_by_tags(symbols, speaks_utf8()
                                                     ? CHAFA_SYMBOL_TAG_SPACE | CHAFA_SYMBOL_TAG_BLOCK |
                                                           CHAFA_SYMBOL_TAG_BORDER
                                                     : CHAFA_SYMBOL_TAG_ASCII);
    d->api.chafa_calc_canvas_geometry((gint)pixels->width, (gint)pixels->height, &columns, &rows,
                                      (gfloat)d->cell_width / (gfloat)d->cell_height, FALSE, FALSE);
    d->api.chafa_canvas_config_set_geometry(config, MAX(columns, 1), MAX(rows, 1));
    d->api.chafa_canvas_config_set_cell_geometry(config, d->cell_width, d->cell_height);
    d->api.chafa_canvas_config_set_canvas_mode(config, d->colours);
    d->api.chafa_canvas_config_set_pixel_mode(config, d->pixels);
    d->api.chafa_canvas_config_set_symbol_map(config, symbols);
    d->api.chafa_symbol_map_unref(symbols);
    return config;
}

int drawing_add(struct drawing *d, const struct fovea_pixels *pixels, struct buf *b)
{
    if (!pixels->width || !pixels->height || pixels->width > LIMIT_PREVIEW_SIDE || pixels->height > LIMIT_PREVIEW_SIDE)
        return -EINVAL;
    ChafaCanvasConfig *config = configure(d, pixels);
    ChafaCanvas *canvas = d->api.chafa_canvas_new(config);
    d->api.chafa_canvas_draw_all_pixels(canvas, CHAFA_PIXEL_RGBA8_UNASSOCIATED, pixels->rgba, (gint)pixels->width,
                                        (gint)pixels->height, (gint)pixels->width * 4);
    GString *drawn = d->api.chafa_canvas_print(canvas, d->terminal);
    int r = buf_add(b, drawn->str, drawn->len);
    r = r < 0 ? r : buf_add_str(b, "\n");
    d->api.g_string_free(drawn, TRUE);
    d->api.chafa_canvas_unref(canvas);
    d->api.chafa_canvas_config_unref(config);
    return r;
}
