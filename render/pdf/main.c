/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fovea-pdf: pages of PDF documents, drawn by poppler. poppler is under the GPL (2 or 3), and so is this program as a whole; our
 * source stays under Apache-2.0, which version 3 allows. Nothing else is linked with it: the others start it as a program.
 *
 * poppler-glib runs no JavaScript, and drawing a page follows no link, starts nothing, and does not look into attached files.
 */
#include <fontconfig/fontconfig.h>
#include <stdio.h>

#include "pdf.h"
#include "program.h"

static const struct decoder_ops *decoder_for(enum media media)
{
    return media == MEDIA_PDF ? &decode_pdf : NULL;
}

static void name_libraries(char *out, size_t room)
{
    int v = FcGetVersion();
    (void)snprintf(out, room, "poppler %s, cairo %s, fontconfig %d.%d.%d", poppler_get_version(), cairo_version_string(),
                   v / 10000, v / 100 % 100, v % 100);
}

int main(int argc, char **argv)
{
    static const struct worker_program program = {
        .decoder_of = decoder_for, .prepare = pdf_prepare, .warm = sample_draw, .libraries = name_libraries};
    return worker_main(&program, argc, argv);
}
