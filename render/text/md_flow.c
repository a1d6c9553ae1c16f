/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of slices: see md_flow.h. */
#include "md_flow.h"

size_t page_end(const struct slice *slices, size_t n, size_t first, double room)
{
    double y = 0;
    size_t end = first;
    while (end < n) {
        double more = slices[end].height + (end > first ? slices[end].space : 0);
        if (end > first && y + more > room)
            break;
        y += more;
        end++;
    }
    size_t kept = end;
    while (kept < n && kept > first && slices[kept - 1].keep)
        kept--;
    return kept > first ? kept : end;
}

double page_height(const struct slice *slices, size_t first, size_t end)
{
    double y = 0;
    for (size_t i = first; i < end; i++)
        y += slices[i].height + (i > first ? slices[i].space : 0);
    return y;
}

uint32_t pages_cut(const struct slice *slices, size_t n, double room, uint32_t wanted, size_t *ret_first, size_t *ret_end)
{
    uint32_t pages = 0;
    *ret_first = *ret_end = n;
    for (size_t first = 0; first < n || !pages;) {
        size_t end = page_end(slices, n, first, room);
        if (++pages == wanted) {
            *ret_first = first;
            *ret_end = end;
        }
        first = end;
    }
    return pages;
}
