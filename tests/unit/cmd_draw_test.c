/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing on terminals: what each of them is taken for, how large it is, and that nothing is drawn that has no size. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/limits.h"
#include "cmd/draw.h"

static void set(const char *name, const char *value)
{
    CHECK((value ? setenv(name, value, 1) : unsetenv(name)) == 0);
}

static void set_locale(const char *all, const char *letters, const char *language)
{
    set("LC_ALL", all);
    set("LC_CTYPE", letters);
    set("LANG", language);
}

static bool has_chafa(void)
{
    struct drawing *d = NULL;
    set("TERM", "xterm");
    int r = drawing_new(&d);
    drawing_free(d);
    return r == 0;
}

TEST(a_terminal_is_taken_for_what_the_environment_says)
{
    static const struct {
        const char *term, *colours, *none;
        const char *kind; /* NULL: nothing can be drawn */
    } rows[] = {
        {NULL, NULL, NULL, NULL},
        {"", NULL, NULL, NULL},
        {"dumb", NULL, NULL, NULL},
        {"xterm-256color", NULL, NULL, "256 colours"},
        {"xterm-256color", "truecolor", NULL, "true colour"},
        {"xterm-256color", "24bit", NULL, "true colour"},
        {"xterm-256color", NULL, "", "256 colours"},
        {"xterm-256color", NULL, "1", "no colours"},
    };
    if (!has_chafa())
        SKIP("libchafa is not there");
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_drawing *d = NULL;
        set("TERM", rows[i].term);
        set("COLORTERM", rows[i].colours);
        set("NO_COLOR", rows[i].none);
        int r = drawing_new(&d);
        CHECK_MSG(r == (rows[i].kind ? 0 : -ENOTTY), "%s", rows[i].term);
        if (r == 0)
            CHECK_STR(drawing_kind(d), rows[i].kind);
    }
    drawing_free(NULL);
}

TEST(without_utf_8_a_drawing_is_made_of_ascii)
{
    static const uint8_t rgba[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
    static const struct {
        const char *all, *letters, *language;
        bool ascii;
    } rows[] = {{NULL, NULL, "C", true},    {NULL, NULL, NULL, true},           {"", "", "en_US.UTF-8", false},
                {NULL, "de_DE.utf8", "C", false}, {"POSIX", "de_DE.utf8", "C", true}};
    if (!has_chafa())
        SKIP("libchafa is not there");
    set("TERM", "xterm-256color");
    set("NO_COLOR", NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_drawing *d = NULL;
        auto_buf b = BUF_INIT(LIMIT_DRAW_BYTES), small = BUF_INIT(2);
        set_locale(rows[i].all, rows[i].letters, rows[i].language);
        CHECK(drawing_new(&d) == 0 && drawing_add(d, &(struct fovea_pixels){.rgba = rgba, .width = 2, .height = 2}, &b) == 0);
        bool ascii = b.len > 0;
        for (size_t n = 0; n < b.len; n++)
            ascii &= !(b.data[n] & 0x80);
        CHECK_MSG(ascii || !rows[i].ascii, "%s %s", rows[i].letters, rows[i].language);
        CHECK(drawing_add(d, &(struct fovea_pixels){.rgba = rgba, .width = 2, .height = 2}, &small) == -EFBIG);
    }
}

TEST(what_has_no_size_or_too_much_is_not_drawn)
{
    static const unsigned sides[][2] = {{0, 1}, {1, 0}, {LIMIT_PREVIEW_SIDE + 1, 1}, {1, LIMIT_PREVIEW_SIDE + 1}};
    auto_drawing *d = NULL;
    if (!has_chafa())
        SKIP("libchafa is not there");
    CHECK(drawing_new(&d) == 0);
    for (size_t i = 0; i < COUNT(sides); i++) {
        auto_buf b = BUF_INIT(100);
        CHECK(drawing_add(d, &(struct fovea_pixels){.rgba = (const uint8_t *)"", .width = sides[i][0], .height = sides[i][1]}, &b) == -EINVAL && !b.len);
    }
}

TEST(the_window_says_how_large_a_drawing_may_be)
{
    static const struct {
        struct winsize window;
        unsigned w, h;
    } rows[] = {
        {{.ws_col = 40, .ws_row = 10, .ws_xpixel = 400, .ws_ypixel = 200}, 400, 120},
        {{.ws_col = 40, .ws_row = 10}, 320, 96},
        {{.ws_col = 40, .ws_row = 3, .ws_xpixel = 10, .ws_ypixel = 1}, 40, 1},
        {{.ws_col = 0, .ws_row = 10}, 640, LIMIT_DRAW_ROWS * 16 - 64},
        {{.ws_col = 10, .ws_row = 0}, 640, LIMIT_DRAW_ROWS * 16 - 64},
    };
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (!has_chafa() || master < 0 || grantpt(master) || unlockpt(master))
        SKIP("no terminal can be made, or libchafa is not there");
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_drawing *d = NULL;
        unsigned w = 0, h = 0;
        int kept = dup(1);
        CHECK(ioctl(slave, TIOCSWINSZ, &rows[i].window) == 0 && dup2(slave, 1) == 1);
        int r = drawing_new(&d);
        CHECK(dup2(kept, 1) == 1 && close(kept) == 0 && r == 0);
        drawing_box(d, &w, &h);
        CHECK_MSG(w == MIN(rows[i].w, (unsigned)LIMIT_PREVIEW_SIDE) && h == MIN(rows[i].h, (unsigned)LIMIT_PREVIEW_SIDE), "%zu: %ux%u", i, w, h);
    }
    close_fd(slave);
    close_fd(master);
}
