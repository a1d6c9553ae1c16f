/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is read before the jail closes, and what stays readable inside it. fontconfig reads its settings and caches here; a
 * font that a page does not bring is opened later, when it is known which. poppler lists its tables of Asian encodings when
 * its first document is opened, and goes on using that list as long as one is open: ours is, always.
 */
#include <fontconfig/fontconfig.h>

#include "base/limits.h"
#include "pdf.h"

/* Where poppler has its tables from the package poppler-data; compiled into it, and nothing tells. */
static const char poppler_tables[] = "/usr/share/poppler";

static GLogWriterOutput say_nothing(GLogLevelFlags level, const GLogField *fields, gsize n, gpointer arg)
{
    (void)level;
    (void)fields;
    (void)n;
    (void)arg;
    return G_LOG_WRITER_HANDLED;
}

/* The folders as the settings name them; what is beneath goes with them. */
static size_t list_fonts(const char **readable, size_t room)
{
    size_t n = 0;
    FcStrList *folders = FcConfigGetConfigDirs(NULL); /* of fonts, despite the name */
    FcChar8 *folder;
    while (folders && n < room && (folder = FcStrListNext(folders)))
        readable[n++] = (const char *)folder;
    if (folders)
        FcStrListDone(folders);
    return n;
}

void pdf_prepare(const char **readable)
{
    g_log_set_writer_func(say_nothing, NULL, NULL);
    size_t n = 0;
    readable[n++] = poppler_tables;
    if (FcInit()) {
        /* The settings would be looked at again every half minute, where nobody can read them. */
        (void)FcConfigSetRescanInterval(NULL, 0);
        n += list_fonts(readable + n, LIMIT_RENDER_FILES - n);
    }
    readable[n] = NULL;
}
