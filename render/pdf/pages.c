/* SPDX-License-Identifier: Apache-2.0 */
/* Several pages on one contact sheet. Each is drawn at the size of its cell, so that it is as sharp as it can be there. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "pdf.h"

static int complain_errno(int error, struct complaint *c)
{
    if (error == -EFBIG)
        return complain(c, WORK_TOO_LARGE, "no picture holds these pages");
    return complain(c, WORK_NO_MEMORY, "no memory for the sheet");
}

/* The largest size of that shape within the cell. */
static struct size page_within(double w, double h, struct size cell)
{
    double f = fmin(cell.w / w, cell.h / h);
    struct size s = {(uint32_t)nearbyint(w * f), (uint32_t)nearbyint(h * f)};
    return (struct size){MIN(MAX(s.w, 1u), cell.w), MIN(MAX(s.h, 1u), cell.h)};
}

/* White and empty where the page cannot be read; only where there is no memory, there is no sheet. */
static int draw_small(PopplerDocument *d, uint32_t number, struct size cell, struct image *ret, bool *ret_read,
                      struct complaint *c)
{
    cleanup(page_done) struct page p = {0};
    *ret_read = page_open(d, number, &p, NULL) == WORK_OK;
    return *ret_read ? page_draw(&p, (struct area){0, 0, p.w, p.h}, page_within(p.w, p.h, cell), ret, c)
                     : page_blank(cell, ret, c);
}

/* An empty page is told from one that cannot be read, unless its cell has no room for more than the number. */
static int put_named(struct contact *s, uint32_t k, const struct image *page, uint32_t number, bool read)
{
    char words[48], brief[16], bare[16];
    (void)snprintf(words, sizeof words, "page %" PRIu32 "%s", number, read ? "" : " - cannot be read");
    (void)snprintf(brief, sizeof brief, "%" PRIu32 "%s", number, read ? "" : " ?");
    (void)snprintf(bare, sizeof bare, "%" PRIu32, number);
    return contact_put(s, k, page, number, -1,
                       (struct label[]){{words, WORK_LABEL_NUMBER}, {brief, WORK_LABEL_NUMBER}, {bare, WORK_LABEL_NUMBER}, {NULL, 0}});
}

static int put(PopplerDocument *d, uint32_t number, uint32_t k, struct contact *s, struct complaint *c)
{
    auto_image page = {0};
    bool read;
    int status = draw_small(d, number, s->plan.cell, &page, &read, c);
    if (status)
        return status;
    int e = put_named(s, k, &page, number, read);
    return e ? complain_errno(e, c) : WORK_OK;
}

/* All cells have the shape of the first page, unless it is a strip in which no other could be read. */
int sheet_init(struct contact *s, const struct fit_limits *limits, uint32_t n, const struct page *first, struct complaint *c)
{
    double longest = 4, w = fmax(first->w, first->h / longest), h = fmax(first->h, first->w / longest);
    int e = contact_init(s, limits, n, w, h, (struct size){0, 0});
    return e ? complain_errno(e, c) : WORK_OK;
}

int sheet_draw(struct contact *s, PopplerDocument *d, uint32_t first, struct complaint *c)
{
    int status = WORK_OK;
    for (uint32_t k = 0; !status && k < s->plan.n; k++)
        status = put(d, first + k, k, s, c);
    return status;
}
