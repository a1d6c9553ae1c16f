/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of directories in a TIFF, walked without libtiff: its own way to a page reads every one before it in full. A
 * directory is visited once, and all of them together are no longer than the file, so a list that loops or overlaps itself ends.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "bytes.h"
#include "tiff.h"

enum { TAG_SUBFILE = 254, TAG_OLD_SUBFILE = 255, OLD_REDUCED = 2, REDUCED = 1, MASK = 4, TYPE_SHORT = 3 };

struct walk {
    const uint8_t *data;
    size_t len;
    bool little, big;
    uint8_t *seen; /* a bit for each byte of the file */
    size_t sum;    /* of all directories */
};

static uint16_t u16(const struct walk *w, size_t at)
{
    return w->little ? le16(w->data + at) : be16(w->data + at);
}

static uint32_t u32(const struct walk *w, size_t at)
{
    return w->little ? le32(w->data + at) : be32(w->data + at);
}

static uint64_t u64(const struct walk *w, size_t at)
{
    uint64_t first = u32(w, at), second = u32(w, at + 4);
    return w->little ? second << 32 | first : first << 32 | second;
}

static uint64_t offset_at(const struct walk *w, size_t at)
{
    return w->big ? u64(w, at) : u32(w, at);
}

/* A small copy of another picture, or a mask for one. */
static bool is_aside(const struct walk *w, size_t entries, uint64_t n)
{
    size_t step = w->big ? 20 : 12, value = w->big ? 12 : 8;
    for (size_t at = entries; n--; at += step) {
        unsigned tag = u16(w, at);
        uint32_t v = u16(w, at + 2) == TYPE_SHORT ? u16(w, at + value) : u32(w, at + value);
        if (tag > TAG_OLD_SUBFILE)
            break; /* they are sorted */
        if ((tag == TAG_SUBFILE && v & (REDUCED | MASK)) || (tag == TAG_OLD_SUBFILE && v == OLD_REDUCED))
            return true;
    }
    return false;
}

/* One directory: where the next one is, and whether this is a page. */
static int visit(struct walk *w, uint64_t at, uint64_t *ret_next, bool *ret_page, struct complaint *c)
{
    size_t count = w->big ? 8 : 2, step = w->big ? 20 : 12, link = w->big ? 8 : 4;
    if (at < 8 || at > w->len || w->len - at < count)
        return complain(c, WORK_MALFORMED, "a directory is not in the file");
    if (w->seen[at / 8] >> (at % 8) & 1)
        return complain(c, WORK_MALFORMED, "the list of directories runs in a circle");
    w->seen[at / 8] = (uint8_t)(w->seen[at / 8] | 1 << (at % 8));
    uint64_t n = w->big ? u64(w, at) : u16(w, at);
    size_t entries = (size_t)at + count;
    if (n > (w->len - entries) / step || w->len - entries - n * step < link)
        return complain(c, WORK_MALFORMED, "a directory is cut");
    w->sum += count + n * step + link;
    if (w->sum > w->len)
        return complain(c, WORK_MALFORMED, "directories overlap");
    *ret_next = offset_at(w, entries + n * step);
    *ret_page = !is_aside(w, entries, n);
    return WORK_OK;
}

static int open_walk(struct walk *w, uint64_t *ret_first, struct complaint *c)
{
    if (w->len < 16)
        return complain(c, WORK_MALFORMED, "the header is cut");
    w->little = w->data[0] == 'I';
    w->big = u16(w, 2) == 43;
    *ret_first = offset_at(w, w->big ? 8 : 4);
    w->seen = calloc(w->len / 8 + 1, 1);
    return w->seen ? WORK_OK : complain(c, WORK_NO_MEMORY, "out of memory");
}

int tiff_find_page(const uint8_t *data, size_t len, uint32_t page, uint64_t *ret_at, uint32_t *ret_pages,
                   struct complaint *c)
{
    struct walk w = {.data = data, .len = len};
    uint64_t first = 0, at, next = 0, found = 0;
    uint32_t pages = 0;
    int status = open_walk(&w, &first, c);
    for (at = first; !status && at; at = next) {
        bool is_page = false;
        status = visit(&w, at, &next, &is_page, c);
        pages += is_page;
        if (!status && is_page && (pages == page || pages == 1))
            found = at;
        if (!status && pages > LIMIT_PAGES)
            status = complain(c, WORK_TOO_LARGE, "more than %u pages", LIMIT_PAGES);
    }
    free(w.seen);
    if (status)
        return status;
    if (!first)
        return complain(c, WORK_MALFORMED, "there is no picture in it");
    *ret_at = found ? found : first;
    *ret_pages = MAX(pages, 1u);
    return pages > 1 && page > pages ? complain(c, WORK_BAD_PAGE, "there are %u", pages) : WORK_OK;
}
