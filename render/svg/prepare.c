/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the libraries load from files, loaded before the jail closes: the configuration and caches of fonts, the list of
 * image loaders with those that an SVG may need, and the table of media types. Fonts themselves are opened when they are
 * first used, so their folders stay readable. No thread may start here: Pango, which starts one, waits for the jail.
 */
#include "svg.h"

#include <fontconfig/fontconfig.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <gio/gio.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"

/* True when dir is one of them or lies beneath one. */
static bool covered(const char *const *readable, const char *dir)
{
    for (; *readable; readable++) {
        size_t len = strlen(*readable);
        if (!strncmp(dir, *readable, len) && (dir[len] == '/' || !dir[len]))
            return true;
    }
    return false;
}

static void name_fonts(const char **readable)
{
    size_t n = 0;
    FcStrList *dirs = FcConfigGetFontDirs(NULL);
    if (!dirs)
        return;
    for (const char *dir; n < LIMIT_RENDER_FILES && (dir = (const char *)FcStrListNext(dirs));) {
        if (covered(readable, dir) || access(dir, R_OK))
            continue;
        readable[n] = strdup(dir);
        if (!readable[n])
            break;
        n++;
    }
    FcStrListDone(dirs);
}

/* A loader that is no part of the library is code in a file, which the jail lets nobody map: those that pictures in an SVG
 * need are loaded now, the others are never tried. */
static void load_loaders(void)
{
    static const char *const wanted[] = {"png", "jpeg", "gif"};
    GSList *formats = gdk_pixbuf_get_formats();
    for (GSList *at = formats; at; at = at->next) {
        auto_free char *name = gdk_pixbuf_format_get_name(at->data);
        bool keep = false;
        for (size_t i = 0; i < COUNT(wanted); i++)
            keep |= name && !strcmp(name, wanted[i]);
        gdk_pixbuf_format_set_disabled(at->data, !keep);
    }
    g_slist_free(formats);
    for (size_t i = 0; i < COUNT(wanted); i++) {
        GdkPixbufLoader *loader = gdk_pixbuf_loader_new_with_type(wanted[i], NULL);
        if (!loader)
            continue;
        (void)gdk_pixbuf_loader_close(loader, NULL);
        g_object_unref(loader);
    }
}

static void load_types(void)
{
    static const guchar start[] = "\x89PNG\r\n\x1a\n";
    char *type = g_content_type_guess(NULL, start, sizeof start - 1, NULL);
    g_free(type);
}

/* GLib would look where standard error leads, and nobody reads it. */
static GLogWriterOutput say_nothing(GLogLevelFlags level, const GLogField *fields, gsize n, gpointer data)
{
    (void)level, (void)fields, (void)n, (void)data;
    return G_LOG_WRITER_HANDLED;
}

void svg_prepare(const char **readable)
{
    g_log_set_writer_func(say_nothing, NULL, NULL);
    (void)FcInit();
    (void)FcConfigSetRescanInterval(NULL, 0);
    name_fonts(readable);
    load_loaders();
    load_types();
}
