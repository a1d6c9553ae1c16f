/* SPDX-License-Identifier: Apache-2.0 */
/* What fovea-pdf does while it waits: a page with a line of text in a font that it does not bring, drawn once. */
#include "warm.h"

#include "pdf.h"

static const char sample[] =
    "%PDF-1.4\n"
    "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n"
    "4 0 obj<</Length 67>>stream\n"
    "0.2 0.4 0.6 rg 9 9 80 20 re f 0 g BT /F 12 Tf 10 50 Td (Page 1) Tj ET\n"
    "endstream endobj\n"
    "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>endobj\n"
    "trailer<</Root 1 0 R/Size 6>>\n"
    "%%EOF\n";

static void draw_sample(PopplerDocument *d)
{
    struct page p;
    struct canvas m;
    if (page_open(d, 1, &p, NULL))
        return;
    if (!page_draw(&p, (struct area){0, 0, p.w, p.h}, (struct size){400, 200}, &m, NULL))
        canvas_done(&m);
    page_done(&p);
}

void pdf_warm(void)
{
    PopplerDocument *d;
    warm_up();
    if (document_open(sample, sizeof sample - 1, &d, NULL))
        return;
    draw_sample(d);
    g_object_unref(d);
}
