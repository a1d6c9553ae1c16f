/* SPDX-License-Identifier: Apache-2.0 */
/* Pages side by side. Each is made as it would be if it were asked for alone, at the size of its cell, one after the other: only
 * one of them is in memory besides the sheet. */
#include "pages.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "image.h"
#include "picture.h"
#include "sheet.h"

struct pages {
    const struct decoder_ops *ops; /* of one page */
    const struct source *source;
    uint32_t first, pages; /* pages: of all */
    struct contact contact;
};

static struct size upright(const struct header *h)
{
    return size_turned((struct size){h->width, h->height}, h->orientation);
}

/* (A page of the only one would be a tile.) */
static struct work_request request_of(const struct pages *d, uint32_t number)
{
    return (struct work_request){.magic = WORK_MAGIC, .media = (uint32_t)d->ops->media, .input_len = d->source->len,
                                 .page = d->pages > 1 ? number : 0};
}

/* The size of a page; 0x0 of one that does not open, which is told when it is to be drawn. Want of memory is told now: it may have
 * passed by then, and the cells would have a size that the page had no say in. */
static int size_of(const struct pages *d, uint32_t number, struct size *ret, struct complaint *c)
{
    struct work_request q = request_of(d, number);
    struct source s = {.data = d->source->data, .len = d->source->len, .request = &q};
    struct decoder *page = NULL;
    struct header h = {0};
    struct complaint of_page = {0};
    int status = d->ops->open(&s, &page, &h, &of_page);
    *ret = (struct size){0};
    if (!status)
        *ret = upright(&h);
    d->ops->close(page);
    return status == WORK_NO_MEMORY ? complain(c, WORK_NO_MEMORY, "page %u: %.100s", number, of_page.detail) : WORK_OK;
}

/* The first is often a small copy of others: the largest page that is shown decides how large the cells are. */
static int largest(const struct pages *d, uint32_t n, struct size *most, struct complaint *c)
{
    int status = WORK_OK;
    for (uint32_t k = 1; !status && k < n; k++) {
        struct size one;
        status = size_of(d, d->first + k, &one, c);
        if ((uint64_t)one.w * one.h > (uint64_t)most->w * most->h)
            *most = one;
    }
    return status;
}

/* As rows of RGBA within the cell. */
static int make_page(const struct pages *d, uint32_t number, struct work_reply *reply, struct output *ret)
{
    struct size cell = d->contact.plan.cell;
    struct work_request q = request_of(d, number);
    q.flags = WORK_RGBA;
    q.limits = (struct fit_limits){.max_edge = MAX(cell.w, cell.h), .max_bytes = UINT32_MAX, .quality = 75, .resize = 1};
    struct source s = {.data = d->source->data, .len = d->source->len, .request = &q};
    return picture_make_with(d->ops, &s, reply, ret);
}

static int put_page(struct pages *d, uint32_t k, struct complaint *c)
{
    cleanup(output_done) struct output out = {0};
    struct work_reply reply = {0};
    char words[32], number[16];
    int status = make_page(d, d->first + k, &reply, &out);
    if (status)
        return complain(c, (enum work_status)status, "page %u: %.100s", d->first + k, reply.detail);
    /* Only read. */
    struct image page = {.size = {reply.width, reply.height}, .opaque = !(reply.facts & WORK_HAS_ALPHA),
                         .px = (uint8_t *)(uintptr_t)out.data};
    (void)snprintf(words, sizeof words, "page %u", d->first + k);
    (void)snprintf(number, sizeof number, "%u", d->first + k);
    struct label labels[] = {{words, WORK_LABEL_NUMBER}, {number, WORK_LABEL_NUMBER}, {NULL, 0}};
    return contact_complain(contact_put(&d->contact, k, &page, d->first + k, -1, labels), c);
}

static void pages_done(struct pages *d)
{
    contact_done(&d->contact);
}

int pages_sheet(const struct source *source, const struct decoder_ops **ops, struct decoder **d, struct header *h,
                const struct fit_limits *limits, struct complaint *c)
{
    uint32_t pages = MAX(h->pages, 1u), first = MAX(source->request->page, 1u), last = MAX(source->request->last_page, first);
    if (last > pages)
        return complain(c, WORK_BAD_PAGE, "there are %u", pages);
    cleanup(pages_done) struct pages s = {.ops = *ops, .source = source, .first = first, .pages = pages};
    uint32_t n = MIN(last - first + 1, LIMIT_SHEET_CELLS);
    struct size up = upright(h), most = up;
    int status = largest(&s, n, &most, c);
    if (!status)
        status = contact_complain(contact_init(&s.contact, limits, n, most.w, most.h, most), c);
    for (uint32_t k = 0; !status && k < n; k++)
        status = put_page(&s, k, c);
    if (!status)
        status = contact_decoder(&s.contact, up, -1, ops, d, h, c);
    if (!status) {
        h->has_pages = true;
        h->pages = pages;
    }
    return status;
}
