/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stays readable inside the jail: fonts, for pages that do not bring theirs, and poppler's tables of encodings.
 */
#include "fontset.h"
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

void pdf_prepare(const char **readable)
{
    readable[0] = poppler_tables;
    (void)fontset_name(readable, 1);
    g_log_set_writer_func(say_nothing, NULL, NULL);
}
