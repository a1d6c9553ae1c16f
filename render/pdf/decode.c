/* SPDX-License-Identifier: Apache-2.0 */
/* A page of a PDF as a drawn source, in points from its upper left corner. */
#include <stdlib.h>

#include "base/limits.h"
#include "pdf.h"

struct decoder {
    PopplerDocument *document;
    struct page page;
    struct canvas canvas;
    uint32_t row; /* the next */
};

static void decoder_close(struct decoder *d)
{
    if (!d)
        return;
    canvas_done(&d->canvas);
    page_done(&d->page);
    g_clear_object(&d->document);
    free(d);
}

static void close_p_decoder(struct decoder **d)
{
    decoder_close(*d);
}

static int open_page(struct decoder *d, const struct work_request *q, struct header *h, struct complaint *c)
{
    uint32_t number = q && q->page ? q->page : 1;
    if (number > h->pages)
        return complain(c, WORK_BAD_PAGE, "there are %u", h->pages);
    int status = page_open(d->document, number, &d->page, c);
    h->extent_w = d->page.w;
    h->extent_h = d->page.h;
    return status;
}

static int open(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    cleanup(close_p_decoder) struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return complain(c, WORK_NO_MEMORY, "no memory for a document");
    int status = document_open(s->data, s->len, &d->document, c);
    if (status)
        return status;
    struct header h = {.has_pages = true, .pages = document_pages(d->document), .frames = 1, .orientation = 1, .channels = 4};
    h.exact = true;
    status = open_page(d, s->request, &h, c);
    *ret_header = h;
    if (!status)
        *ret = take(d);
    return status;
}

static int start(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c)
{
    int status = page_draw(&d->page, want->area, want->target, &d->canvas, c);
    if (!status)
        *ret_size = want->target;
    return status;
}

static int row(struct decoder *d, uint8_t *out, struct complaint *c)
{
    (void)c;
    canvas_row(&d->canvas, d->row++, out);
    return WORK_OK;
}

static int finish(struct decoder *d, struct complaint *c)
{
    (void)d;
    (void)c;
    return WORK_OK;
}

const struct decoder_ops decode_pdf = {
    .media = MEDIA_PDF,
    .library = "poppler",
    .open = open,
    .start = start,
    .row = row,
    .finish = finish,
    .close = decoder_close,
};
