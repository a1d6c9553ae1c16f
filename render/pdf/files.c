/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is read before the jail closes, and what stays readable inside it. fontconfig reads its settings and caches here; a
 * font that a page does not bring is opened later, when it is known which. poppler lists its tables of encodings when its
 * first document is opened and forgets them with its last: one of our own is opened here and stays.
 */
#include <fontconfig/fontconfig.h>
#include <string.h>

#include "base/limits.h"
#include "pdf.h"

/* Where poppler has its tables from the package poppler-data; compiled into it, and nothing tells. */
static const char poppler_tables[] = "/usr/share/poppler";

/* GLib would print what poppler has to say, and with it bytes of the file. */
static GLogWriterOutput say_nothing(GLogLevelFlags level, const GLogField *fields, gsize n, gpointer arg)
{
    (void)level;
    (void)fields;
    (void)n;
    (void)arg;
    return G_LOG_WRITER_HANDLED;
}

static bool beneath(const char *folder, const char *above)
{
    size_t n = strlen(above);
    return !strncmp(folder, above, n) && (!folder[n] || folder[n] == '/');
}

/* Folders come before those in them, which need no rule of their own. */
static size_t list_fonts(const char **readable, size_t room)
{
    size_t n = 0;
    FcStrList *folders = FcConfigGetFontDirs(NULL);
    const char *folder;
    while (folders && n < room && (folder = (const char *)FcStrListNext(folders))) {
        bool known = false;
        for (size_t i = 0; i < n && !known; i++)
            known = beneath(folder, readable[i]);
        if (!known)
            readable[n++] = folder;
    }
    if (folders)
        FcStrListDone(folders);
    return n;
}

void pdf_prepare(const char **readable)
{
    size_t n = 0;
    readable[n++] = poppler_tables;
    g_log_set_writer_func(say_nothing, NULL, NULL);
    if (FcInit()) {
        /* The settings would be looked at again every half minute, where they cannot be read. */
        (void)FcConfigSetRescanInterval(NULL, 0);
        n += list_fonts(readable + n, LIMIT_RENDER_FILES - n);
    }
    readable[n] = NULL;
    sample_open();
}
