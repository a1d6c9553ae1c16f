/* SPDX-License-Identifier: Apache-2.0 */
/* fovea-pdf: pages of a document, one and several. */
#include "look.h"

static const char document[] =
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>endobj\n"
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 5 0 R>>endobj\n"
    "4 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 200]/Contents 5 0 R>>endobj\n"
    "5 0 obj<</Length 29>>stream\n1 0 0 rg 10 10 50 50 re f    \nendstream endobj\ntrailer<</Root 1 0 R/Size 6>>\n%%EOF\n";

SCENE(pdf, {.text = document, .media = MEDIA_PDF, .page = 2, .small = true},
      {.text = document, .media = MEDIA_PDF, .flags = WORK_SHEET, .page = 1, .last_page = 2})
SERVED({.text = document, .media = MEDIA_PDF, .page = 2, .small = true})
WHOLE({.text = document, .media = MEDIA_PDF, .flags = WORK_SHEET, .page = 1, .last_page = 2})

const struct scene *const scenes[] = {&drawn_pdf, &drawn_served, &drawn_whole, NULL};
