/* SPDX-License-Identifier: Apache-2.0 */
/* A page of a PDF as a drawn source, in points from its upper left corner; or several as a sheet. */
#include <stdlib.h>

#include "base/limits.h"
#include "pdf.h"

struct decoder {
    PopplerDocument *document;
    uint32_t number;  /* of the page, or of a sheet's first */
    struct page page;
    bool sheet;
    struct contact contact; /* the sheet */
};

static void decoder_close(struct decoder *d)
{
    if (!d)
        return;
    contact_done(&d->contact);
    page_done(&d->page);
    g_clear_object(&d->document);
    free(d);
}

static void close_decoder(struct decoder **d)
{
    decoder_close(*d);
}

/* How many pages a sheet shows: up to the last that was asked for (or that there is), as far as there is room. */
static uint32_t sheet_pages(const struct work_request *q, uint32_t first, uint32_t pages)
{
    uint32_t last = q->last_page ? MAX(q->last_page, first) : pages;
    return MIN(last - first + 1, LIMIT_SHEET_CELLS);
}

static int open_sheet(struct decoder *d, const struct work_request *q, struct header *h, struct complaint *c)
{
    int status = sheet_init(&d->contact, &q->limits, sheet_pages(q, d->number, h->pages), &d->page, c);
    if (status)
        return status;
    d->sheet = h->sheet = true;
    h->width = d->contact.plan.size.w;
    h->height = d->contact.plan.size.h;
    return WORK_OK;
}

static int open_page(struct decoder *d, const struct work_request *q, struct header *h, struct complaint *c)
{
    d->number = q && q->page ? q->page : 1;
    if (d->number > h->pages || (q && q->last_page > h->pages))
        return complain(c, WORK_BAD_PAGE, "there are %u", h->pages);
    int status = page_open(d->document, d->number, &d->page, c);
    if (status)
        return status;
    h->extent_w = d->page.w;
    h->extent_h = d->page.h;
    return q && q->flags & WORK_SHEET ? open_sheet(d, q, h, c) : WORK_OK;
}

static int open(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    cleanup(close_decoder) struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return complain(c, WORK_NO_MEMORY, "no memory for a document");
    int status = document_open(s->data, s->len, &d->document, c);
    if (status)
        return status;
    struct header h = {.has_pages = true, .frames = 1, .orientation = 1, .exact = true, .channels = 4};
    h.pages = document_pages(d->document);
    status = open_page(d, s->request, &h, c);
    *ret_header = h;
    if (!status)
        *ret = take(d);
    return status;
}

/* poppler reads the page as it draws; what it cannot read, it leaves out. */
static int draw(struct decoder *d, const struct want *want, struct image *ret, struct complaint *c)
{
    if (!d->sheet)
        return page_draw(&d->page, want->area, want->target, ret, c);
    int status = sheet_draw(&d->contact, d->document, d->number, c);
    if (!status)
        *ret = contact_take(&d->contact);
    return status;
}

static void tell(const struct decoder *d, struct told *ret)
{
    ret->cells = d->contact.cells;
    ret->n_cells = d->sheet ? d->contact.plan.n : 0;
}

const struct decoder_ops decode_pdf = {
    .media = MEDIA_PDF,
    .library = "poppler",
    .open = open,
    .draw = draw,
    .close = decoder_close,
    .tell = tell,
};
