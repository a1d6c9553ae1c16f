/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A document of our own: one page with a box, a curve and a line of text in a font that it does not bring. While it is open,
 * poppler keeps its tables; drawing it takes a worker that waits through the code and the memory that a page needs.
 */
#include <stdlib.h>
#include <string.h>

#include "pdf.h"
#include "warm.h"

static const char sample[] =
    "%PDF-1.4\n"
    "1 0 obj<</Type/Catalog/Pages 2 0 R>> endobj\n"
    "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n"
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 850]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>> endobj\n"
    "4 0 obj<</Length 137>>stream\n"
    "0.2 0.4 0.6 rg 9 9 80 20 re f 0 G 9 99 m 9 200 90 200 90 99 c S\n"
    "0 g BT /F 12 Tf 9 50 Td (The quick brown fox jumps over 0123456789) Tj ET\n"
    "endstream endobj\n"
    "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>> endobj\n"
    "xref\n"
    "0 6\n"
    "0000000000 65535 f \n"
    "0000000009 00000 n \n"
    "0000000053 00000 n \n"
    "0000000103 00000 n \n"
    "0000000213 00000 n \n"
    "0000000397 00000 n \n"
    "trailer<</Root 1 0 R/Size 6>>\n"
    "startxref\n"
    "484\n"
    "%%EOF\n";

/* What most pages are shown at. */
static const struct size usual = {1110, 1568};

static PopplerDocument *document; /* stays */

static void draw(const struct page *p)
{
    auto_image m = {0};
    if (!page_draw(p, (struct area){0, 0, p->w, p->h}, usual, &m, NULL))
        warm_page(&m);
}

void sample_draw(void)
{
    struct page p;
    if (document_open(sample, sizeof sample - 1, &document, NULL) || page_open(document, 1, &p, NULL))
        return;
    draw(&p);
    page_done(&p);
}
