/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of pictures that show more than one: contact sheets, and comparisons. */
#include <inttypes.h>

#include "base/limits.h"
#include "base/text.h"
#include "percept/note.h"

enum { BOXES_NAMED = 8 }; /* the others are in the JSON */

/* Cells come row by row. */
static size_t columns_of(const struct perception *p)
{
    size_t n = 1;
    while (n < p->n_cells && p->cells[n].box.x > p->cells[n - 1].box.x)
        n++;
    return n;
}

static void add_frames(struct buf *b, const struct perception *p)
{
    const struct cell *first = p->cells, *last = p->n_cells ? &p->cells[p->n_cells - 1] : NULL;
    (void)buf_add_format(b, " %ux%u, %zu", p->source.size.w, p->source.size.h, p->n_cells);
    if (p->source.frames > p->n_cells)
        (void)buf_add_format(b, " of %s%u", p->source.approximate ? "about " : "", p->source.frames);
    (void)buf_add_str(b, p->source.frames > 1 ? " frames" : " frame");
    if (!last || first->time_ms < 0 || last->time_ms < 0)
        return;
    (void)buf_add_str(b, " from ");
    note_time(b, first->time_ms);
    (void)buf_add_str(b, " to ");
    note_time(b, last->time_ms);
}

void note_sheet(struct buf *b, const struct perception *p)
{
    bool timed = p->n_cells && p->cells[0].time_ms >= 0;
    size_t columns = columns_of(p);
    bool video = media_row(p->source.media)->class == CLASS_VIDEO;
    if (p->page)
        (void)buf_add_format(b, " pages %u-%u of %u", p->page, p->last_page ? p->last_page : p->page, p->source.pages);
    else
        add_frames(b, p);
    (void)buf_add_format(b, " in %zu column%s, %s beneath each; view it with %s for one of them in full.", columns,
                         columns == 1 ? "" : "s", timed ? "times" : "numbers",
                         p->page ? "page" : video ? "time or frame" : "frame");
}

static void add_box(struct buf *b, const struct area *box)
{
    note_number(b, box->x, 2);
    (void)buf_add_str(b, ",");
    note_number(b, box->y, 2);
    (void)buf_add_str(b, " ");
    note_number(b, box->w, 2);
    (void)buf_add_str(b, "x");
    note_number(b, box->h, 2);
}

static void add_boxes(struct buf *b, const struct difference *d)
{
    (void)buf_add_format(b, ", in %zu box%s: ", d->n_boxes, d->n_boxes == 1 ? "" : "es");
    for (size_t i = 0; i < d->n_boxes && i < BOXES_NAMED; i++) {
        (void)buf_add_str(b, i ? "; " : "");
        add_box(b, &d->boxes[i]);
    }
    if (d->n_boxes > BOXES_NAMED)
        (void)buf_add_format(b, "; and %zu more", d->n_boxes - BOXES_NAMED);
    (void)buf_add_str(b, ".");
}

void note_difference(struct buf *b, const struct perception *p)
{
    const struct difference *d = &p->difference;
    uint64_t all = (uint64_t)MAX(d->size.w, d->own.w) * MAX(d->size.h, d->own.h);
    bool sized = d->size.w != d->own.w || d->size.h != d->own.h;
    (void)buf_add_format(b, " %ux%u against ", d->own.w, d->own.h);
    (void)buf_add_shown(b, d->name ? d->name : "the other", 200);
    if (sized)
        (void)buf_add_format(b, ", which is %ux%u", d->size.w, d->size.h);
    if (!d->changed) {
        (void)buf_add_str(b, ": they are equal, pixel for pixel, so no picture is shown.");
        return;
    }
    (void)buf_add_format(b, ": %" PRIu64 " of %" PRIu64 " pixels differ", d->changed, all);
    add_boxes(b, d);
    (void)buf_add_str(b, " It shows before, after and the difference, named beneath each.");
}
