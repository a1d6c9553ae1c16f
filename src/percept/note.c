/* SPDX-License-Identifier: Apache-2.0 */
/* The note: one short sentence for each thing that a reader of the picture has to know. */
#include "percept/note.h"

#include <math.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"

static void add_shown(struct buf *b, const struct perception *p)
{
    bool same = p->size.w == p->crop.w && p->size.h == p->crop.h;
    if (p->source.frames > 1)
        (void)buf_add_format(b, ", frame %u of %u", p->frame ? p->frame : 1, p->source.frames);
    if (p->region)
        (void)buf_add_format(b, ", region %gx%g at %g,%g", p->crop.w, p->crop.h, p->crop.x, p->crop.y);
    if (same)
        (void)buf_add_str(b, ", shown pixel for pixel.");
    else
        (void)buf_add_format(b, ", shown at %ux%u.", p->size.w, p->size.h);
}

/* The same rounding as in the JSON, so that the two never disagree; from whole numbers, so that no locale has a say. */
static void add_factor(struct buf *b, double v)
{
    long long parts = llround(v * 1e4), whole = parts / 10000, rest = parts % 10000;
    int places = 4;
    for (; places && rest % 10 == 0; places--)
        rest /= 10;
    (void)buf_add_format(b, "%lld", whole);
    if (places)
        (void)buf_add_format(b, ".%0*lld", places, rest);
}

static void add_mapping(struct buf *b, const struct perception *p)
{
    double scale[2];
    perception_scale(p, scale);
    bool moved = p->crop.x || p->crop.y, scaled = scale[0] != 1 || scale[1] != 1;
    if (!moved && !scaled)
        return;
    if (scaled && fabs(scale[0] - scale[1]) * MAX(p->size.w, p->size.h) < 1) {
        (void)buf_add_str(b, " Multiply coordinates by ");
        add_factor(b, MAX(p->crop.w, p->crop.h) == p->crop.w ? scale[0] : scale[1]);
    } else if (scaled) {
        (void)buf_add_str(b, " Multiply x by ");
        add_factor(b, scale[0]);
        (void)buf_add_str(b, " and y by ");
        add_factor(b, scale[1]);
    }
    if (moved)
        (void)buf_add_format(b, scaled ? ", then add %g to x and %g to y" : " Add %g to x and %g to y", p->crop.x,
                             p->crop.y);
    (void)buf_add_str(b, " to map to the original.");
}

static void add_remarks(struct buf *b, const struct perception *p, enum note_ground ground)
{
    if (ground != NOTE_NO_GROUND)
        (void)buf_add_format(b, " Its transparent parts are shown on %s.", ground == NOTE_ON_WHITE ? "white" : "grey");
    if (p->over_budget)
        (void)buf_add_format(b, " At %zu bytes it is over the budget.", p->len);
    if (!p->model)
        return;
    if (p->tokens)
        (void)buf_add_format(b, " Costs about %u tokens on ", p->tokens);
    else
        (void)buf_add_str(b, " Limits and cost are not known for ");
    (void)buf_add_shown(b, p->model, 100);
    (void)buf_add_str(b, ".");
}

char *note_new(const struct perception *p, const char *name, enum note_ground ground)
{
    auto_buf b = BUF_INIT(64 * KIB);
    (void)buf_add_shown(&b, name, 200);
    (void)buf_add_format(&b, " %ux%u", p->source.size.w, p->source.size.h);
    add_shown(&b, p);
    add_mapping(&b, p);
    add_remarks(&b, p, ground);
    return buf_take(&b);
}
