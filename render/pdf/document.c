/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents and their pages. poppler mends what it can, and what it then shows is shown; only what it gives up on is refused.
 * It also has words about every fault, with bytes of the file in them: none of these leaves here.
 */
#include <math.h>

#include "base/limits.h"
#include "fontset.h"
#include "pdf.h"

static void free_error(GError **e)
{
    g_clear_error(e);
}

static const struct {
    int code;
    enum work_status status;
    const char *phrase;
} failures[] = {
    {POPPLER_ERROR_ENCRYPTED, WORK_LOCKED, "it opens with a password only"},
    {POPPLER_ERROR_DAMAGED, WORK_MALFORMED, "its structure is damaged beyond repair"},
    {POPPLER_ERROR_BAD_CATALOG, WORK_MALFORMED, "it has no catalog of pages that can be read"},
};

static int complain_open(const GError *e, struct complaint *c)
{
    for (size_t i = 0; e && e->domain == POPPLER_ERROR && i < COUNT(failures); i++)
        if (failures[i].code == e->code)
            return complain(c, failures[i].status, "%s", failures[i].phrase);
    return complain(c, WORK_MALFORMED, "it cannot be read as a PDF");
}

int document_open(const void *data, size_t len, PopplerDocument **ret, struct complaint *c)
{
    cleanup(free_error) GError *error = NULL;
    fontset_ready();
    GBytes *bytes = g_bytes_new_static(data, len);
    PopplerDocument *d = poppler_document_new_from_bytes(bytes, NULL, &error);
    g_bytes_unref(bytes);
    if (!d)
        return complain_open(error, c);
    if (poppler_document_get_n_pages(d) < 1) {
        g_object_unref(d);
        return complain(c, WORK_MALFORMED, "it has no pages");
    }
    *ret = d;
    return WORK_OK;
}

uint32_t document_pages(PopplerDocument *d)
{
    int n = poppler_document_get_n_pages(d);
    return n < 1 ? 1 : MIN((uint32_t)n, LIMIT_PAGES);
}

int page_open(PopplerDocument *d, uint32_t number, struct page *ret, struct complaint *c)
{
    struct page p = {.page = poppler_document_get_page(d, (int)number - 1)};
    if (!p.page)
        return complain(c, WORK_MALFORMED, "page %u cannot be read", number);
    poppler_page_get_size(p.page, &p.w, &p.h);
    if (p.w > 0 && p.h > 0 && p.w <= LIMIT_SIDE && p.h <= LIMIT_SIDE) {
        *ret = p;
        return WORK_OK;
    }
    page_done(&p);
    if (p.w > LIMIT_SIDE || p.h > LIMIT_SIDE)
        return complain(c, WORK_TOO_LARGE, "page %u is %.0fx%.0f points; the limit is %u on a side", number, p.w, p.h, LIMIT_SIDE);
    return complain(c, WORK_MALFORMED, "page %u has no area", number);
}

void page_done(struct page *p)
{
    g_clear_object(&p->page);
}
