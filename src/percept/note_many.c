/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of pictures that show more than one: contact sheets, and comparisons. */
#include <inttypes.h>

#include "base/limits.h"
#include "base/text.h"
#include "percept/note.h"

enum { BOXES_NAMED = 8 }; /* the others are in the JSON */

/* Cells come row by row, each in the middle of its place: what lies beneath the first is in the next row. */
static size_t columns_of(const struct perception *p)
{
    size_t n = 1;
    while (n < p->n_cells && p->cells[n].box.y < p->cells[0].box.y + p->cells[0].box.h)
        n++;
    return n;
}

static void add_frames(struct buf *b, const struct perception *p)
{
    const struct cell *first = p->cells, *last = p->n_cells ? &p->cells[p->n_cells - 1] : NULL;
    (void)buf_add_format(b, " %ux%u, %zu", p->source.size.w, p->source.size.h, p->n_cells);
    if (p->source.frames > p->n_cells)
        (void)buf_add_format(b, " of %s%u", p->source.approximate ? "about " : "", p->source.frames);
    (void)buf_add_str(b, p->source.frames > 1 || p->n_cells > 1 ? " frames" : " frame");
    if (!last || first->time_ms < 0 || last->time_ms < 0)
        return;
    (void)buf_add_str(b, p->n_cells > 1 ? " from " : " at ");
    note_time(b, first->time_ms);
    if (p->n_cells == 1)
        return;
    (void)buf_add_str(b, " to ");
    note_time(b, last->time_ms);
}

const char *perception_single(const struct perception *p)
{
    return p->page ? "page" : media_row(p->source.media)->class == CLASS_VIDEO ? "time or frame" : "frame";
}

/* What is written beneath all of the pictures, whose cells may be too narrow for it; NULL: nothing. */
static const char *label_of(const struct perception *p)
{
    bool numbered = true, timed = true, many = p->n_cells != 1;
    for (size_t i = 0; i < p->n_cells; i++) {
        numbered &= p->cells[i].numbered;
        timed &= p->cells[i].timed;
    }
    if (numbered && timed)
        return many ? "numbers and times" : "number and time";
    if (numbered)
        return many ? "numbers" : "number";
    return !timed ? NULL : many ? "times" : "time";
}

void note_sheet(struct buf *b, const struct perception *p)
{
    const char *label = label_of(p);
    size_t columns = columns_of(p);
    bool many = p->n_cells != 1;
    if (p->page)
        (void)buf_add_format(b, " pages %u-%u of %u", p->page, p->last_page ? p->last_page : p->page, p->source.pages);
    else
        add_frames(b, p);
    if (many)
        (void)buf_add_format(b, " in %zu column%s", columns, columns == 1 ? "" : "s");
    if (label)
        (void)buf_add_format(b, many ? ", %s beneath each" : ", its %s beneath it", label);
    (void)buf_add_format(b, many ? "; view it with %s for one of them in full." : "; view it with %s to see it in full.",
                         perception_single(p));
}

static void add_box(struct buf *b, const struct area *box, int places)
{
    note_number(b, box->x, places);
    (void)buf_add_str(b, ",");
    note_number(b, box->y, places);
    (void)buf_add_str(b, " ");
    note_number(b, box->w, places);
    (void)buf_add_str(b, "x");
    note_number(b, box->h, places);
}

static void add_boxes(struct buf *b, const struct perception *p)
{
    const struct difference *d = &p->difference;
    int places = perception_places(p);
    (void)buf_add_format(b, ", in %zu box%s%s: ", d->n_boxes, d->n_boxes == 1 ? "" : "es",
                         note_units(p->source.media, p->source.css_pixels));
    for (size_t i = 0; i < d->n_boxes && i < BOXES_NAMED; i++) {
        (void)buf_add_str(b, i ? "; " : "");
        add_box(b, &d->boxes[i], places);
    }
    if (d->n_boxes > BOXES_NAMED)
        (void)buf_add_format(b, "; and %zu more", d->n_boxes - BOXES_NAMED);
    (void)buf_add_str(b, ".");
}

static void add_other(struct buf *b, const struct difference *d)
{
    (void)buf_add_shown(b, d->name ? d->name : "the other", 200);
}

/* Of the place that is compared, the other one has less, or another part was meant. */
static void add_other_part(struct buf *b, const struct difference *d, bool drawn)
{
    const char *units = drawn ? note_units(d->media, d->css_pixels) : "";
    (void)buf_add_str(b, d->region ? ", region " : ", which has only ");
    note_size(b, d->part.w, d->part.h);
    (void)buf_add_format(b, "%s%s%s", d->region ? "" : " there", units, d->region ? " at " : "");
    if (!d->region)
        return;
    note_number(b, d->part.x, 2);
    (void)buf_add_str(b, ",");
    note_number(b, d->part.y, 2);
}

/* How large the other one is, in its own units, where the two are not alike. */
static void add_other_size(struct buf *b, const struct perception *p)
{
    const struct difference *d = &p->difference;
    bool drawn = media_drawn(d->media) && d->part.w > 0, wider = d->size.w > d->own.w, taller = d->size.h > d->own.h;
    bool narrower = d->size.w < d->own.w, shorter = d->size.h < d->own.h, either = drawn || media_drawn(p->source.media);
    bool moved = d->region && !either && (d->part.x != p->crop.x || d->part.y != p->crop.y);
    bool less = drawn && media_drawn(p->source.media) &&
                (length_less(d->part.w, p->crop.w, p->crop.w) || length_less(d->part.h, p->crop.h, p->crop.h));
    if (!wider && !taller && !narrower && !shorter && !moved)
        return;
    if (!d->size.w) {
        (void)buf_add_str(b, ", which has nothing there");
        return;
    }
    if (p->region && (d->region || !either || less)) {
        add_other_part(b, d, drawn);
        return;
    }
    (void)buf_add_str(b, ", which is ");
    note_size(b, drawn ? d->part.w : d->size.w, drawn ? d->part.h : d->size.h);
    const char *larger = !narrower && !shorter ? "larger" : !wider && !taller ? "smaller" : NULL;
    (void)buf_add_format(b, "%s%s%s", drawn ? note_units(d->media, d->css_pixels) : "", larger ? either ? " and drawn " : " and " : "",
                         larger ? larger : "");
}

/* What only one of them has counts as changed. */
static void add_outside(struct buf *b, const struct perception *p)
{
    const struct difference *d = &p->difference;
    bool outside = false;
    for (size_t i = 0; i < d->n_boxes; i++)
        outside |= length_less(p->crop.x + p->crop.w, d->boxes[i].x + d->boxes[i].w, p->crop.w) ||
                   length_less(p->crop.y + p->crop.h, d->boxes[i].y + d->boxes[i].h, p->crop.h);
    if (!outside)
        return;
    (void)buf_add_str(b, " What lies outside it is of ");
    add_other(b, d);
    (void)buf_add_str(b, " alone.");
}

void note_difference(struct buf *b, const struct perception *p)
{
    const struct difference *d = &p->difference;
    uint64_t all = (uint64_t)MAX(d->size.w, d->own.w) * MAX(d->size.h, d->own.h);
    note_part(b, p);
    (void)buf_add_str(b, p->region || p->page || p->frame || p->time_ms > 0 ? ", against " : " against ");
    add_other(b, d);
    add_other_size(b, p);
    if (!d->changed) {
        (void)buf_add_format(b, ": they are equal%s, so no picture is shown.",
                             d->rounded ? " as shown, at 8 bits a channel" : ", pixel for pixel");
        return;
    }
    (void)buf_add_format(b, ": %" PRIu64 " of %" PRIu64 " pixels differ", d->changed, all);
    add_boxes(b, p);
    add_outside(b, p);
    (void)buf_add_format(b, " It shows before, after and the difference, %s.", d->named ? "named beneath each" : "in this order");
    if (d->panels[0].w)
        note_panels(b, p);
}
