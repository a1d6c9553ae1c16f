/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of fovea-pdf. Functions that return an int give an enum work_status, having written one phrase. */
#ifndef FOVEA_PDF_H
#define FOVEA_PDF_H

#include "base/cleanup.h" /* before GLib, which would have its own MIN */

#include <cairo.h>
#include <poppler.h>

#include "decode.h"
#include "sheet.h"

/* Appends what must stay readable inside the jail, see program.h: fonts, and the tables of poppler. */
void pdf_prepare(const char **readable);

/* A document of our own: opened for good (poppler forgets its tables with its last document) and drawn while nothing else is to
 * be done, so that the first page of somebody else's finds libraries and memory awake. */
void sample_draw(void);

/* The bytes stay the caller's, and must stay. Free the document with g_object_unref. */
int document_open(const void *data, size_t len, PopplerDocument **ret, struct complaint *c);

/* How many pages, at most LIMIT_PAGES; at least one, of a document that was opened. */
uint32_t document_pages(PopplerDocument *d);

struct page {
    PopplerPage *page;
    double w, h; /* points, as it is seen: crop box, upright */
};
/* Number from 1, of those that there are. */
int page_open(PopplerDocument *d, uint32_t number, struct page *ret, struct complaint *c);
void page_done(struct page *p);

/* White, of that size; image_done frees it. */
int page_blank(struct size size, struct image *ret, struct complaint *c);

/* The part of the page on white, at that size, with what stands on it: annotations and form fields. */
int page_draw(const struct page *p, struct area part, struct size size, struct image *ret, struct complaint *c);

/* A sheet of n pages (1..LIMIT_SHEET_CELLS) of the first one's shape; others are fitted in. contact_done frees it. */
int sheet_init(struct contact *s, const struct fit_limits *limits, uint32_t n, const struct page *first, struct complaint *c);
/* Draws them all, from that number on. */
int sheet_draw(struct contact *s, PopplerDocument *d, uint32_t first, struct complaint *c);

extern const struct decoder_ops decode_pdf;

#endif
