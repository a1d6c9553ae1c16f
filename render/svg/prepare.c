/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must be loaded before the jail closes: the list of image loaders with those that an SVG may need, because they are code.
 * No thread may start here: Pango, which starts one, waits for the jail.
 */
#include "svg.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <stdbool.h>
#include <string.h>

#include "fontset.h"

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

/* GLib would look where standard error leads, and nobody reads it. */
static GLogWriterOutput say_nothing(GLogLevelFlags level, const GLogField *fields, gsize n, gpointer data)
{
    (void)level, (void)fields, (void)n, (void)data;
    return G_LOG_WRITER_HANDLED;
}

void svg_prepare(const char **readable)
{
    g_log_set_writer_func(say_nothing, NULL, NULL);
    readable[0] = "/usr/share/mime"; /* the kinds of pictures that an SVG does not name */
    (void)fontset_name(readable, 1);
    load_loaders();
}
