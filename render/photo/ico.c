/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ICO and CUR: the same icon in several sizes, each a bitmap with a mask or a whole PNG. Page 1 is the largest of them, among
 * equals the deepest; the others follow in this order, as pages of their own. What an image is, its own header says: the
 * directory is often wrong, and in a cursor says other things.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "bytes.h"
#include "dib.h"
#include "pages.h"
#include "photo.h"

enum { DIRECTORY = 6, ENTRY = 16, PNG_LEAST = 33, PNG_DEPTH = 32 };

static const uint8_t png_signature[8] = "\x89PNG\r\n\x1a\n";

struct entry {
    const uint8_t *data;
    size_t len;
    uint64_t pixels; /* 0: it cannot be read */
    unsigned depth;
    bool png;
};

struct decoder {
    const struct source *source;
    struct entry entries[LIMIT_ICONS];
    uint32_t count;
    struct decoder *png; /* the PNG decoder's own; NULL: it is a bitmap */
    struct dib dib;
    struct dib_rows rows;
};

static void close_ico(struct decoder *d)
{
    if (!d)
        return;
    if (d->png)
        decode_png.close(d->png);
    dib_rows_done(&d->rows);
    free(d);
}

static void measure(struct entry *e)
{
    struct dib dib;
    e->png = e->len >= PNG_LEAST && !memcmp(e->data, png_signature, sizeof png_signature);
    if (e->png) {
        e->pixels = (uint64_t)be32(e->data + 16) * be32(e->data + 20);
        e->depth = PNG_DEPTH;
    } else if (!dib_read(e->data, e->len, 0, true, &dib, NULL)) {
        e->pixels = (uint64_t)dib.width * dib.height;
        e->depth = dib.bits;
    }
}

static int larger_first(const void *a, const void *b)
{
    const struct entry *l = a, *r = b;
    if (l->pixels != r->pixels)
        return l->pixels > r->pixels ? -1 : 1;
    if (l->depth != r->depth)
        return l->depth > r->depth ? -1 : 1;
    return l->data < r->data ? -1 : l->data > r->data;
}

static int read_entries(const struct source *s, struct decoder *d, struct complaint *c)
{
    uint32_t n = s->len >= DIRECTORY ? le16(s->data + 4) : 0;
    if (!n || n > LIMIT_ICONS || s->len < DIRECTORY + (size_t)n * ENTRY)
        return complain(c, WORK_MALFORMED, "an icon of %u images", n);
    d->count = n;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *at = s->data + DIRECTORY + (size_t)i * ENTRY;
        size_t len = le32(at + 8), offset = le32(at + 12);
        if (offset > s->len || len > s->len - offset)
            return complain(c, WORK_MALFORMED, "image %u of %u is not in the file", i + 1, n);
        d->entries[i] = (struct entry){.data = s->data + offset, .len = len};
        measure(&d->entries[i]);
    }
    qsort(d->entries, n, sizeof d->entries[0], larger_first);
    return WORK_OK;
}

static int open_entry(struct decoder *d, const struct entry *e, struct header *ret_header, struct complaint *c)
{
    struct source png = {.data = e->data, .len = e->len};
    if (e->png)
        return decode_png.open(&png, &d->png, ret_header, c);
    int status = dib_read(e->data, e->len, 0, true, &d->dib, c);
    if (!status)
        dib_header(&d->dib, ret_header);
    return status;
}

static int open_ico(const struct source *s, struct decoder **ret, struct header *ret_header, struct complaint *c)
{
    uint32_t page = s->request && s->request->page ? s->request->page : 1;
    struct decoder *d = calloc(1, sizeof *d);
    if (!d)
        return complain(c, WORK_NO_MEMORY, "out of memory");
    int status = read_entries(s, d, c);
    uint32_t count = d->count;
    /* With one image only, pages are tiles, and the shared step counts these. */
    if (!status && count > 1 && page > count) {
        *ret_header = (struct header){.pages = count, .frames = 1};
        status = complain(c, WORK_BAD_PAGE, "there are %u", count);
    } else if (!status) {
        status = open_entry(d, &d->entries[count > 1 ? page - 1 : 0], ret_header, c);
    }
    if (status) {
        close_ico(d);
        return status;
    }
    ret_header->has_pages = count > 1;
    ret_header->pages = count;
    d->source = s;
    *ret = d;
    return WORK_OK;
}

static int sheet_ico(const struct decoder_ops **ops, struct decoder **d, struct header *h, const struct fit_limits *limits,
                      struct complaint *c)
{
    return pages_sheet((*d)->source, ops, d, h, limits, c);
}

static int start_ico(struct decoder *d, const struct want *want, struct size *ret_size, struct complaint *c)
{
    if (d->png)
        return decode_png.start(d->png, want, ret_size, c);
    int status = dib_rows_open(&d->rows, &d->dib, want->channels, c);
    if (!status)
        *ret_size = (struct size){d->dib.width, d->dib.height};
    return status;
}

static int row_ico(struct decoder *d, uint8_t *out, struct complaint *c)
{
    if (d->png)
        return decode_png.row(d->png, out, c);
    dib_rows_next(&d->rows, out);
    return WORK_OK;
}

static int finish_ico(struct decoder *d, struct complaint *c)
{
    return d->png ? decode_png.finish(d->png, c) : WORK_OK;
}

const struct decoder_ops decode_ico = {
    .media = MEDIA_ICO,
    .library = "ICO built in",
    .open = open_ico,
    .start = start_ico,
    .row = row_ico,
    .finish = finish_ico,
    .close = close_ico,
    .sheet = sheet_ico,
};
