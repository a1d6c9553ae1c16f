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

struct decoder {
    const struct decoder_ops *ops; /* of one page */
    struct decoder *inner;
    const struct source *source;
    uint32_t first, pages; /* pages: of all */
    struct contact contact;
};

static int complain_of(int e, struct complaint *c)
{
    return e == -EFBIG ? complain(c, WORK_TOO_LARGE, "no sheet of this size can be made")
                       : complain(c, WORK_NO_MEMORY, "out of memory for the sheet");
}

/* As rows of RGBA within the cell. (A page of the only one would be a tile.) */
static int make_page(const struct decoder *d, uint32_t number, struct work_reply *reply, struct output *ret)
{
    struct size cell = d->contact.plan.cell;
    struct work_request q = {.magic = WORK_MAGIC, .media = (uint32_t)d->ops->media, .input_len = d->source->len};
    q.page = d->pages > 1 ? number : 0;
    q.flags = WORK_RGBA;
    q.limits = (struct fit_limits){.max_edge = MAX(cell.w, cell.h), .max_bytes = UINT32_MAX, .quality = 75, .resize = 1};
    struct source s = {.data = d->source->data, .len = d->source->len, .request = &q};
    return picture_make_with(d->ops, &s, reply, ret);
}

static int put_page(struct decoder *d, uint32_t k, struct complaint *c)
{
    cleanup(output_done) struct output out = {0};
    struct work_reply reply = {0};
    char words[32], number[16];
    int status = make_page(d, d->first + k, &reply, &out);
    if (status)
        return complain(c, (enum work_status)status, "page %u: %.100s", d->first + k, reply.detail);
    /* Only read. */
    struct image page = {.size = {reply.width, reply.height}, .opaque = !(reply.facts & WORK_HAS_ALPHA), .px = (uint8_t *)(uintptr_t)out.data};
    (void)snprintf(words, sizeof words, "page %u", d->first + k);
    (void)snprintf(number, sizeof number, "%u", d->first + k);
    int e = contact_put(&d->contact, k, &page, d->first + k, -1,
                        (struct label[]){{words, WORK_LABEL_NUMBER}, {number, WORK_LABEL_NUMBER}, {NULL, 0}});
    return e ? complain_of(e, c) : WORK_OK;
}

static int draw_pages(struct decoder *d, const struct want *want, struct image *ret, struct complaint *c)
{
    int status = WORK_OK;
    (void)want;
    for (uint32_t k = 0; !status && k < d->contact.plan.n; k++)
        status = put_page(d, k, c);
    if (!status)
        *ret = contact_take(&d->contact);
    return status;
}

static void close_pages(struct decoder *d)
{
    if (!d)
        return;
    if (d->inner)
        d->ops->close(d->inner);
    contact_done(&d->contact);
    free(d);
}

static void tell_pages(const struct decoder *d, struct told *ret)
{
    ret->cells = d->contact.cells;
    ret->n_cells = d->contact.plan.n;
}

/* Only ever put in place of another one. */
static const struct decoder_ops sheet_of_pages = {
    .media = MEDIA_NONE,
    .library = "",
    .draw = draw_pages,
    .close = close_pages,
    .tell = tell_pages,
};

int pages_sheet(const struct source *source, const struct decoder_ops **ops, struct decoder **d, struct header *h,
                const struct fit_limits *limits, struct complaint *c)
{
    uint32_t pages = MAX(h->pages, 1u), first = MAX(source->request->page, 1u), last = MAX(source->request->last_page, first);
    if (last > pages)
        return complain(c, WORK_BAD_PAGE, "there are %u", pages);
    struct decoder *s = calloc(1, sizeof *s);
    if (!s)
        return complain_of(-ENOMEM, c);
    *s = (struct decoder){.ops = *ops, .source = source, .first = first, .pages = pages};
    struct size up = size_turned((struct size){h->width, h->height}, h->orientation);
    uint32_t n = MIN(last - first + 1, LIMIT_SHEET_CELLS);
    int e = contact_init(&s->contact, limits, n, up.w, up.h, up);
    if (e) {
        close_pages(s);
        return complain_of(e, c);
    }
    s->inner = *d;
    *ops = &sheet_of_pages;
    *d = s;
    *h = (struct header){.width = s->contact.plan.size.w, .height = s->contact.plan.size.h, .extent_w = up.w, .extent_h = up.h,
                         .sheet = true, .has_pages = true, .pages = pages, .frames = 1, .orientation = 1, .channels = 4};
    return WORK_OK;
}
