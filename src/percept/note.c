/* SPDX-License-Identifier: Apache-2.0 */
/* The note: one short sentence for each thing that a reader of the picture has to know. Each kind of source has its own way
 * to say what of it is shown, and what its coordinates are. */
#include "percept/note.h"

#include <math.h>

#include "base/limits.h"
#include "base/text.h"

void note_number(struct buf *b, double v, int places)
{
    long long unit = 1;
    while (places && fabs(v) * pow(10, places) > 1e15) /* no double has these */
        places--;
    for (int i = 0; i < places; i++)
        unit *= 10;
    long long parts = llround(fabs(v) * (double)unit), whole = parts / unit, rest = parts % unit;
    for (; places && rest % 10 == 0; places--)
        rest /= 10;
    (void)buf_add_format(b, "%s%lld", v < 0 && parts ? "-" : "", whole);
    if (places)
        (void)buf_add_format(b, ".%0*lld", places, rest);
}

void note_size(struct buf *b, double w, double h)
{
    int places = scale_places(MIN(w, h) / 1000) - 2; /* a thousandth of it or less */
    note_number(b, w, places);
    (void)buf_add_str(b, "x");
    note_number(b, h, places);
}

static void add_region(struct buf *b, const struct perception *p)
{
    int places = perception_places(p);
    (void)buf_add_str(b, ", region ");
    note_number(b, p->crop.w, places);
    (void)buf_add_str(b, "x");
    note_number(b, p->crop.h, places);
    (void)buf_add_str(b, " at ");
    note_number(b, p->crop.x, places);
    (void)buf_add_str(b, ",");
    note_number(b, p->crop.y, places);
}

void note_time(struct buf *b, int64_t ms)
{
    long long parts = (ms + 9) / 10, s = parts / 100; /* up, so that the time leads back to the frame */
    bool fine = parts % 10;
    if (s >= 3600)
        (void)buf_add_format(b, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    else
        (void)buf_add_format(b, "%lld:%02lld", s / 60, s % 60);
    (void)buf_add_format(b, fine ? ".%02lld" : ".%lld", fine ? parts % 100 : parts % 100 / 10);
}

/* ---------------------------------------------------------------- what of it */

/* Points to a pixel from which on common print is no more than blots. */
#define LONG_SCALE 1.5

static enum media_class class_of(const struct perception *p)
{
    return media_row(p->source.media)->class;
}

static void add_source_size(struct buf *b, const struct perception *p)
{
    (void)buf_add_str(b, " ");
    note_size(b, p->source.extent_w, p->source.extent_h);
}

static bool is_tiled(const struct perception *p)
{
    return p->source.tile.w > 0;
}

static void add_page(struct buf *b, const struct perception *p, const char *before)
{
    if (p->page && !is_tiled(p))
        (void)buf_add_format(b, "%spage %u of %u", before, p->page, p->source.pages);
}

static void add_tile(struct buf *b, const struct perception *p)
{
    /* What its own units look like does not tell: they may be no squares. */
    bool tall = length_less(p->source.tile.h, p->source.extent_h, p->source.extent_h);
    int places = perception_places(p);
    if (!is_tiled(p) || !p->page)
        return;
    (void)buf_add_format(b, ", tile %u of %u, %s ", p->page, p->source.pages, tall ? "y" : "x");
    note_number(b, tall ? p->crop.y : p->crop.x, places);
    (void)buf_add_str(b, " to ");
    note_number(b, tall ? p->crop.y + p->crop.h : p->crop.x + p->crop.w, places);
}

static void add_bitmap(struct buf *b, const struct perception *p)
{
    add_source_size(b, p);
    if (p->source.frames > 1)
        (void)buf_add_format(b, ", frame %u of %u", p->frame ? p->frame : 1, p->source.frames);
    add_page(b, p, ", ");
    add_tile(b, p);
}

static const char *drawing_units(const struct perception *p)
{
    return p->source.css_pixels ? " CSS pixels" : " user units";
}

static void add_vector(struct buf *b, const struct perception *p)
{
    add_source_size(b, p);
    (void)buf_add_str(b, drawing_units(p));
    add_tile(b, p);
}

static void add_document(struct buf *b, const struct perception *p)
{
    add_page(b, p, " ");
    (void)buf_add_str(b, ",");
    add_source_size(b, p);
    (void)buf_add_str(b, " pt");
}

static void add_text(struct buf *b, const struct perception *p)
{
    if (p->first_line)
        (void)buf_add_format(b, " lines %u-%u of %u", p->first_line, p->last_line, p->total_lines);
    if (p->first_line && p->source.pages > 1)
        (void)buf_add_format(b, " (page %u of %u)", p->page, p->source.pages);
    else if (!p->first_line)
        add_page(b, p, " ");
}

static void add_video(struct buf *b, const struct perception *p)
{
    add_source_size(b, p);
    if (p->frame)
        (void)buf_add_format(b, ", frame %u of %s%u", p->frame, p->source.approximate ? "about " : "", p->source.frames);
    else
        (void)buf_add_str(b, ", the frame");
    if (p->time_ms >= 0) {
        (void)buf_add_str(b, " at ");
        note_time(b, p->time_ms);
    }
    if (p->time_ms >= 0 && p->source.duration_ms > 0) {
        (void)buf_add_str(b, " of ");
        note_time(b, p->source.duration_ms);
    }
}

/* What one kind says, and what its coordinates are called. */
static const struct kind {
    void (*add)(struct buf *b, const struct perception *p);
    const char *original, *units;
} kinds[] = {
    [CLASS_BINARY] = {add_bitmap, "the original", ""},
    [CLASS_BITMAP] = {add_bitmap, "the original", ""},
    [CLASS_PICTURE] = {add_bitmap, "the original", ""},
    [CLASS_VECTOR] = {add_vector, "user units", " in user units"},
    [CLASS_DOCUMENT] = {add_document, "points from the top left", " in points"},
    [CLASS_VIDEO] = {add_video, "the original", ""},
    [CLASS_TEXT] = {add_text, "the page's own units", " in pixels of the page"},
};

static const struct kind drawn_in_pixels = {add_vector, "CSS pixels", " in CSS pixels"};

static const struct kind *kind_of(enum media m, bool css_pixels)
{
    return css_pixels ? &drawn_in_pixels : &kinds[media_row(m)->class];
}

const char *note_units(enum media m, bool css_pixels)
{
    return kind_of(m, css_pixels)->units;
}

void note_part(struct buf *b, const struct perception *p)
{
    kinds[class_of(p)].add(b, p);
    if (p->region)
        add_region(b, p);
}

static void add_shown(struct buf *b, const struct perception *p)
{
    bool same = p->size.w == p->crop.w && p->size.h == p->crop.h && !media_drawn(p->source.media);
    if (same)
        (void)buf_add_str(b, ", shown pixel for pixel.");
    else
        (void)buf_add_format(b, ", shown at %ux%u.", p->size.w, p->size.h);
}

/* ---------------------------------------------------------------- how it maps back */

/* The same rounding as in the JSON, so that the two never disagree; from whole numbers, so that no locale has a say. */
static void add_factor(struct buf *b, double v)
{
    note_number(b, v, scale_places(v));
}

struct mapping {
    const char *multiply, *each, *add;
};

/* Behind words that lead to a factor, or to what is added: "Multiply coordinates by 2, then add 100 to x". */
static void add_steps(struct buf *b, const struct perception *p, const double scale[2], bool one, const struct mapping *words)
{
    int places = perception_places(p);
    bool moved = p->crop.x != 0 || p->crop.y != 0, scaled = scale[0] != 1 || (!one && scale[1] != 1);
    if (scaled && one) {
        (void)buf_add_str(b, words->multiply);
        add_factor(b, scale[0]);
    } else if (scaled) {
        (void)buf_add_str(b, words->each);
        add_factor(b, scale[0]);
        (void)buf_add_str(b, " and y by ");
        add_factor(b, scale[1]);
    }
    if (moved) {
        (void)buf_add_str(b, scaled ? ", then add " : words->add);
        note_number(b, p->crop.x, places);
        (void)buf_add_str(b, " to x and ");
        note_number(b, p->crop.y, places);
        (void)buf_add_str(b, " to y");
    }
    (void)buf_add_format(b, " to map to %s.", kind_of(p->source.media, p->source.css_pixels)->original);
}

static void add_mapping(struct buf *b, const struct perception *p)
{
    static const struct mapping words = {" Multiply coordinates by ", " Multiply x by ", " Add "};
    double scale[2];
    bool one = perception_factors(p, scale) == 1;
    if (p->crop.x != 0 || p->crop.y != 0 || scale[0] != 1 || (!one && scale[1] != 1))
        add_steps(b, p, scale, one, &words);
}

/* Each of the three maps in the same way, from its own corner. */
void note_panels(struct buf *b, const struct perception *p)
{
    static const struct mapping words = {", multiply by ", ", multiply x by ", ", add "};
    const struct rect *r = p->difference.panels;
    const double *scale = p->difference.scale;
    bool one = fabs(scale[0] - scale[1]) * MAX(r->w, r->h) < MIN(1, MIN(scale[0], scale[1]));
    (void)buf_add_format(b, " Subtract the corner of one (%u,%u; %u,%u; %u,%u) from coordinates in it", r[0].x, r[0].y, r[1].x, r[1].y,
                         r[2].x, r[2].y);
    add_steps(b, p, scale, one, &words);
}

/* Which line a row is, where that can be told from its place. */
static void add_rows(struct buf *b, const struct perception *p)
{
    if (!p->total_lines)
        return;
    if (!(p->line_height > 0)) {
        (void)buf_add_str(b, p->crop.x < 1 ? " Line numbers are in the margin." : "");
        return;
    }
    (void)buf_add_str(b, " A row is ");
    note_number(b, p->line_height, 2);
    (void)buf_add_str(b, " px tall, the first begins at y ");
    note_number(b, p->line_top, 2);
    (void)buf_add_format(b, ": line = %u + floor((y %c ", p->first_line, p->line_top < 0 ? '+' : '-');
    note_number(b, fabs(p->line_top), 2);
    (void)buf_add_str(b, ") / ");
    note_number(b, p->line_height, 2);
    (void)buf_add_str(b, ").");
}

/* A page that is no tiles: an example of what can be read. Of a strip, as much as is shown at its natural size, where a point is
 * four thirds of a pixel. */
static void add_long_page(struct buf *b, const struct perception *p)
{
    bool tall = p->crop.h > p->crop.w, document = class_of(p) == CLASS_DOCUMENT;
    double across = tall ? p->crop.w : p->crop.h, along = tall ? p->crop.h : p->crop.w;
    double edge = MAX(MAX(p->size.w, p->size.h), (uint32_t)FIT_USUAL_EDGE), natural = document ? edge * 3 / 4 : edge;
    double part = MIN(along, fmax(round(across * 4 / 3), floor(natural)));
    bool paged = document || (class_of(p) == CLASS_PICTURE && !is_tiled(p));
    if (!paged || p->region || along < 2 * across || along / edge < LONG_SCALE)
        return;
    (void)buf_add_str(b, " It is long: at this size small text cannot be read; name a region to read it, such as 0,0,");
    note_number(b, tall ? across : part, 2);
    (void)buf_add_str(b, ",");
    note_number(b, tall ? part : across, 2);
    (void)buf_add_str(b, ".");
}

static void add_long(struct buf *b, const struct perception *p)
{
    add_long_page(b, p);
    if (!is_tiled(p) || p->page || p->region)
        return;
    (void)buf_add_format(b, " It is long: at this size small text cannot be read. page 1 to %u shows it in tiles of ", p->source.pages);
    note_size(b, p->source.tile.w, p->source.tile.h);
    (void)buf_add_format(b, "%s.", class_of(p) == CLASS_VECTOR ? drawing_units(p) : "");
}

/* More was asked for than there is, or less than may be. */
static void add_bounds(struct buf *b, const struct perception *p)
{
    bool drawn = media_drawn(p->source.media);
    uint32_t edge = MAX(p->size.w, p->size.h);
    if (drawn && p->asked.max_edge > LIMIT_DRAWN_SIDE && edge == LIMIT_DRAWN_SIDE)
        (void)buf_add_format(b, " It is drawn no larger than that, whatever max_edge says.");
    if (!drawn && perception_maps(p) && !p->laid.resize && p->asked.max_edge && edge > p->asked.max_edge)
        (void)buf_add_str(b, " max_edge was not looked at: images.autoResize is false in the config.");
}

static void add_remarks(struct buf *b, const struct perception *p, enum note_ground ground)
{
    static const char *const grounds[] = {[NOTE_ON_WHITE] = "white", [NOTE_ON_GREY] = "grey",
                                          [NOTE_ON_BOTH] = "white, or on grey where the content is light"};
    if (class_of(p) == CLASS_PICTURE)
        (void)buf_add_format(b, " Converted from %s.", media_row(p->source.media)->name);
    if (p->source.as_source)
        (void)buf_add_format(b, " Its source is shown: a Markdown %s is not laid out.",
                             p->source.bytes > LIMIT_MARKDOWN_BYTES ? "of more than 512 KiB" : "of so many parts");
    (void)buf_add_format(b, "%s%s%s", p->source.cut ? NOTE_CUT : "", p->source.damaged ? NOTE_DAMAGED : "", p->source.partial ? NOTE_PARTIAL " Name a time to see it." : "");
    if (grounds[ground])
        (void)buf_add_format(b, " Its transparent parts are shown on %s.", grounds[ground]);
    if (p->missing)
        (void)buf_add_format(b, p->missing == 1 ? " %u character has no font here and is shown as a box."
                                                : " %u characters have no font here and are shown as boxes.", p->missing);
    if (p->over_budget)
        (void)buf_add_format(b, " At %zu bytes it is over the budget.", p->len);
    if (!p->model || !perception_seen(p))
        return;
    if (p->tokens)
        (void)buf_add_format(b, " Costs about %u tokens on ", p->tokens);
    else
        (void)buf_add_str(b, " Limits and cost are not known for ");
    (void)buf_add_shown(b, p->model, 100);
    (void)buf_add_str(b, ".");
}

static void add_part(struct buf *b, const struct perception *p)
{
    note_part(b, p);
    add_shown(b, p);
    add_mapping(b, p);
    add_rows(b, p);
    add_bounds(b, p);
    add_long(b, p);
}

char *note_new(const struct perception *p, const char *name, enum note_ground ground)
{
    auto_buf b = BUF_INIT(64 * KIB);
    (void)buf_add_shown(&b, name, 200);
    if (p->difference.made)
        note_difference(&b, p);
    else if (p->sheet)
        note_sheet(&b, p);
    else
        add_part(&b, p);
    add_remarks(&b, p, ground);
    return buf_take(&b);
}
