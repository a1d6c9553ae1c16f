/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Re-validation of what a worker answered: in range, explained by the plan, and true to the bytes. A reply that fails
 * any of it is treated as a crash.
 */
#include "sandbox/check.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "fit/plan.h"
#include "source/sniff.h"

static const uint32_t all_facts =
    WORK_AS_IS | WORK_OVER_BUDGET | WORK_ON_WHITE | WORK_ON_GREY | WORK_HAS_ALPHA | WORK_LOSSLESS |
    WORK_TILED | WORK_APPROXIMATE | WORK_CUT | WORK_PARTIAL | WORK_ROUNDED | WORK_DAMAGED |
    WORK_CSS_PIXELS | WORK_SOURCE;

static bool printable(const char *s, size_t room)
{
    for (size_t i = 0; i < room; i++) {
        if (!s[i])
            return true;
        if (s[i] < ' ' || s[i] > '~')
            return false;
    }
    return false;
}

bool check_hello(const struct work_hello *hello)
{
    return hello->magic == WORK_MAGIC && printable(hello->layer, sizeof hello->layer) &&
           printable(hello->codecs, sizeof hello->codecs) && hello->error >= 0 && !hello->error == !hello->layer[0];
}

static bool preview_fits(const struct work_request *request, const struct work_reply *reply)
{
    uint32_t w = reply->preview_w, h = reply->preview_h;
    return !w == !h && w <= MIN(request->preview_w, LIMIT_PREVIEW_SIDE) &&
           h <= MIN(request->preview_h, LIMIT_PREVIEW_SIDE);
}

static bool cells_fit(const struct work_request *request, const struct work_reply *reply)
{
    uint32_t most = request->flags & WORK_DIFF ? LIMIT_DIFF_BOXES : request->flags & WORK_SHEET ? LIMIT_SHEET_CELLS : 0;
    return reply->cells <= most;
}

bool check_length(const struct work_request *request, const struct work_reply *reply, size_t *ret_len)
{
    uint64_t most = request->flags & WORK_RGBA ? LIMIT_RAW_OUTPUT : LIMIT_WORKER_OUTPUT;
    /* Equal pictures are shown by no picture, and a Markdown may name none. */
    uint64_t least = request->flags & (WORK_DIFF | WORK_REFS) ? 0 : 1;
    if (reply->image_len < least || reply->image_len > most || !preview_fits(request, reply) || !cells_fit(request, reply))
        return false;
    size_t len = (size_t)reply->image_len + (size_t)reply->preview_w * reply->preview_h * 4;
    if (len > most)
        return false;
    *ret_len = len + reply->cells * sizeof(struct work_cell);
    return true;
}

static bool frames_plausible(const struct work_reply *r)
{
    return r->frames >= 1 && r->frames <= LIMIT_FRAMES;
}

/* Below 0, which says that it is not known, is -1. */
static bool time_plausible(int64_t ms)
{
    return ms >= -1 && ms <= LIMIT_VIDEO_SECONDS * INT64_C(1000);
}

static bool pages_plausible(const struct work_reply *r)
{
    return r->pages >= 1 && r->pages <= LIMIT_PAGES;
}

static enum media_class class_of(const struct work_request *request)
{
    return media_row((enum media)request->media)->class;
}

/* A drawing has no pixels that would take room. */
static bool size_plausible(const struct work_request *request, const struct work_reply *r)
{
    uint32_t most = class_of(request) == CLASS_VECTOR ? LIMIT_DRAWING : LIMIT_SIDE;
    return r->source_w >= 1 && r->source_w <= most && r->source_h >= 1 && r->source_h <= most;
}

static bool natural_plausible(double extent, double unit)
{
    return isfinite(unit) && unit > 0 && extent * unit <= LIMIT_DRAWING + 1.0; /* but for rounding */
}

/* Units that are no pixels are a drawing's. So are CSS pixels, which begin at the upper left. */
static bool units_plausible(const struct work_request *request, const struct work_reply *r)
{
    bool pixels = r->facts & WORK_CSS_PIXELS, plain = r->unit_w == 1 && r->unit_h == 1;
    double stretch = r->unit_h / r->unit_w;
    if (class_of(request) != CLASS_VECTOR)
        return plain && !pixels;
    if (pixels && !(plain && r->origin_x == 0 && r->origin_y == 0))
        return false;
    return natural_plausible(r->extent_w, r->unit_w) && natural_plausible(r->extent_h, r->unit_h) && stretch >= 1.0 / LIMIT_SIDE &&
           stretch <= LIMIT_SIDE;
}

static bool extent_plausible(const struct work_request *request, const struct work_reply *r)
{
    return isfinite(r->extent_w) && isfinite(r->extent_h) && r->extent_w > 0 && r->extent_h > 0 &&
           r->source_w == fmax(nearbyint(r->extent_w), 1) && r->source_h == fmax(nearbyint(r->extent_h), 1) &&
           fabs(r->origin_x) <= LIMIT_DRAWING && fabs(r->origin_y) <= LIMIT_DRAWING && units_plausible(request, r);
}

static bool part_plausible(const struct work_reply *r)
{
    if (!r->part_last)
        return !r->part_first;
    return r->first_line >= 1 && r->part_first >= r->first_line && r->part_first <= r->part_last && r->part_last <= r->last_line;
}

/* Of all but text there are no lines. */
static bool lines_plausible(const struct work_request *request, const struct work_reply *r)
{
    if (class_of(request) != CLASS_TEXT && (r->total_lines || r->part_last))
        return false;
    return part_plausible(r) && r->first_line <= r->last_line && r->last_line <= r->total_lines && isfinite(r->line_top) &&
           isfinite(r->line_height) && r->line_top >= 0 && r->line_height >= 0 && r->line_top <= (float)LIMIT_SIDE &&
           r->line_height <= (float)LIMIT_SIDE && r->missing <= LIMIT_GLYPHS;
}

static bool same_area(const struct area *a, const struct area *b)
{
    return a->x == b->x && a->y == b->y && a->w == b->w && a->h == b->h;
}

/* The size is what the plan makes of the crop, or its ladder: no ladder stands behind rows. */
static bool explained(const struct work_request *request, const struct fit_limits *limits, struct size crop,
                      const struct work_reply *r)
{
    struct size target = fit_target(limits, crop), got = {r->width, r->height};
    if (request->flags & (WORK_RAW | WORK_RGBA))
        return got.w == target.w && got.h == target.h;
    return fit_explains(limits, crop, got);
}

/* Tiles are as many as the plan counts, whether one of them was asked for or not; what is cut from the source relies on it. */
static bool tiles_counted(const struct work_request *request, const struct work_reply *r)
{
    enum media_class class = class_of(request);
    bool paged = class == CLASS_DOCUMENT || class == CLASS_TEXT;
    if (!(r->facts & WORK_TILED))
        return r->pages == 1 || paged || class == CLASS_PICTURE;
    struct fit_drawing d = work_drawing(r);
    struct size natural = class == CLASS_VECTOR ? fit_natural(&d) : (struct size){r->source_w, r->source_h};
    return !paged && !r->cells && r->pages > 1 && r->pages == fit_tiles(&request->limits, natural);
}

/* Of what is drawn, the area is the one asked for, and the size that too, or the plan's. */
static bool drawn_planned(const struct work_request *request, const struct work_reply *r)
{
    struct fit_drawing d = work_drawing(r);
    struct area area;
    if (r->facts & WORK_TILED && request->page && !request->region.set)
        area = fit_tile_area(&request->limits, &d, request->page);
    else if (!fit_area(&request->region, &d.whole, &area))
        return false;
    if (work_sized(request))
        return same_area(&area, &r->crop) && r->width == request->drawn_w && r->height == request->drawn_h;
    bool page = class_of(request) == CLASS_TEXT && !request->region.set;
    struct size target = page ? fit_page(&request->limits, (struct size){r->source_w, r->source_h})
                              : fit_drawn(&request->limits, area.w, area.h * (r->unit_h / r->unit_w));
    struct fit_limits as_is = request->limits;
    as_is.resize = 1;
    return same_area(&area, &r->crop) && explained(request, &as_is, target, r);
}

/* Of what is laid out, the crop is the layout's size. */
static bool layout_sane(const struct work_reply *r)
{
    const struct area *a = &r->crop;
    return a->x == 0 && a->y == 0 && a->w >= 1 && a->h >= 1 && a->w <= LIMIT_SIDE && a->h <= LIMIT_SIDE &&
           a->w == floor(a->w) && a->h == floor(a->h);
}

/* A grid is no larger than the limits; what is in it, the cells say. */
static bool sheet_planned(const struct work_request *request, const struct work_reply *r)
{
    return layout_sane(r) &&
           explained(request, &request->limits, (struct size){(uint32_t)r->crop.w, (uint32_t)r->crop.h}, r);
}

/* The crop is the one asked for, and the size what the plan (or its ladder) makes of it. */
static bool planned(const struct work_request *request, const struct work_reply *r)
{
    struct size source = {r->source_w, r->source_h};
    struct rect crop;
    if (request->flags & WORK_SHEET && r->cells) /* of a still picture there is none: it is shown as it would be without */
        return sheet_planned(request, r);
    if (request->flags & WORK_SHEET && request->last_page) /* but pages that were named are on one */
        return false;
    if (media_drawn((enum media)request->media))
        return drawn_planned(request, r);
    if (r->facts & WORK_TILED && request->page && !request->region.set)
        crop = fit_tile(&request->limits, source, request->page);
    else if (!fit_crop(&request->region, source, &crop))
        return false;
    struct area area = {crop.x, crop.y, crop.w, crop.h};
    return same_area(&area, &r->crop) && explained(request, &request->limits, (struct size){crop.w, crop.h}, r);
}

static bool media_allowed(const struct work_request *request, uint32_t media)
{
    return media == MEDIA_PNG || media == MEDIA_JPEG ||
           (media == MEDIA_GIF && !(request->flags & WORK_NO_GIF)) ||
           (media == MEDIA_WEBP && (request->flags & WORK_WEBP_OK));
}

/* Type, size and upright orientation as the picture's own header has them. */
static bool true_to_bytes(const struct work_reply *r, const uint8_t *data)
{
    struct sniff s;
    sniff(data, (size_t)MIN(r->image_len, LIMIT_SNIFF_BYTES), r->image_len, &s);
    return s.media == (enum media)r->media && s.width == r->width && s.height == r->height && s.orientation == 1;
}

/* Rows have no header; their number of bytes and the plan say all there is to know. */
static bool rows_true(const struct work_request *request, const struct work_reply *r)
{
    uint64_t pixel = request->flags & WORK_RGBA ? 4 : 1;
    return r->media == MEDIA_NONE && r->image_len == (uint64_t)r->width * r->height * pixel;
}

/* Pages and frames come in their order; of what is estimated, two may seem to be the same. */
static bool cell_follows(const struct work_cell *before, const struct work_cell *c)
{
    return c->number >= 1 && c->number <= LIMIT_FRAMES && time_plausible(c->time_ms) && c->number >= before->number &&
           (c->time_ms < 0 || c->time_ms >= before->time_ms);
}

/* A time that is not known stands beneath no picture; of a difference, the names stand beneath all or none. */
static bool labels_plausible(bool diff, const struct work_cell *first, const struct work_cell *c)
{
    if (c->labels & ~(uint32_t)(WORK_LABEL_NUMBER | WORK_LABEL_TIME))
        return false;
    return diff ? !(c->labels & WORK_LABEL_TIME) && c->labels == first->labels : !(c->labels & WORK_LABEL_TIME) || c->time_ms >= 0;
}

/* Boxes lie in the larger of both pictures; equal ones have none, and no picture. */
static bool cells_true(const struct work_request *request, const struct work_reply *r, const uint8_t *cells)
{
    bool diff = request->flags & WORK_DIFF;
    double w = diff ? MAX(request->raw_w, request->other_w) : r->crop.w;
    double h = diff ? MAX(request->raw_h, request->other_h) : r->crop.h;
    struct work_cell before = {.time_ms = -1}, first = {0}, c;
    for (uint32_t i = 0; i < r->cells; i++, before = c) {
        memcpy(&c, cells + i * sizeof c, sizeof c);
        first = i ? first : c;
        if (!c.w || !c.h || (double)c.x + c.w > w || (double)c.y + c.h > h || !cell_follows(&before, &c) ||
            !labels_plausible(diff, &first, &c))
            return false;
    }
    return true;
}

/* How two pictures differ: its own layout, within the limits. */
static bool diff_true(const struct work_request *request, const struct work_reply *r, const uint8_t *data)
{
    uint64_t most = (uint64_t)MAX(request->raw_w, request->other_w) * MAX(request->raw_h, request->other_h);
    if (r->changed > most || !r->changed != !r->image_len || !r->changed != !r->cells)
        return false;
    if (!r->changed)
        return !r->preview_w;
    return sheet_planned(request, r) && media_allowed(request, r->media) && true_to_bytes(r, data);
}

static bool refs_true(const struct work_reply *r, const uint8_t *data)
{
    return r->image_len <= LIMIT_REFS_BYTES && (!r->image_len || !data[r->image_len - 1]);
}

static const uint8_t *cells_of(const struct work_reply *r, const uint8_t *data)
{
    return r->cells ? data + r->image_len + (size_t)r->preview_w * r->preview_h * 4 : NULL;
}

static bool shown_true(const struct work_request *request, const struct work_reply *r, const uint8_t *data)
{
    return size_plausible(request, r) && extent_plausible(request, r) && frames_plausible(r) && pages_plausible(r) &&
           lines_plausible(request, r) && time_plausible(r->time_ms) && time_plausible(r->duration_ms) && request->page <= r->pages &&
           r->orientation >= 1 && r->orientation <= 8 && tiles_counted(request, r) && planned(request, r) &&
           (request->flags & (WORK_RAW | WORK_RGBA) ? rows_true(request, r)
                                                    : media_allowed(request, r->media) && true_to_bytes(r, data));
}

/* Only stored pixels are rounded, and what is laid out has none; of a sheet of a video it can be that not all was looked at, of a
 * video that frames are missing, of a drawing that its units are pixels, and of a Markdown that it is its source. */
static bool facts_plausible(const struct work_request *request, const struct work_reply *r)
{
    enum media_class class = class_of(request);
    bool film = class == CLASS_VIDEO, laid_out = r->cells || request->flags & WORK_DIFF;
    bool stored = !laid_out && (film || class == CLASS_BITMAP || class == CLASS_PICTURE);
    uint32_t may = all_facts & ~(uint32_t)(WORK_ROUNDED | WORK_PARTIAL | WORK_DAMAGED | WORK_CSS_PIXELS | WORK_SOURCE);
    may |= (stored ? WORK_ROUNDED : 0u) | (request->media == MEDIA_MARKDOWN ? WORK_SOURCE : 0u) |
           (class == CLASS_VECTOR ? WORK_CSS_PIXELS : 0u) | (film ? WORK_DAMAGED : 0u) |
           (film && r->cells && request->flags & WORK_SHEET ? WORK_PARTIAL : 0u);
    return !(r->facts & ~may);
}

static bool picture_true(const struct work_request *request, const struct work_reply *r, const uint8_t *data)
{
    if (request->flags & WORK_TEXT)
        return check_text(data, (size_t)r->image_len);
    if (request->flags & WORK_REFS)
        return refs_true(r, data);
    if (!facts_plausible(request, r) || !cells_true(request, r, cells_of(r, data)))
        return false;
    return request->flags & WORK_DIFF ? diff_true(request, r, data) : shown_true(request, r, data);
}

/* Statuses whose numbers reach a message. */
static bool refusal_plausible(const struct work_request *request, const struct work_reply *r)
{
    switch ((enum work_status)r->status) {
    case WORK_BAD_REGION:
        return size_plausible(request, r) && extent_plausible(request, r);
    case WORK_BAD_FRAME:
        return frames_plausible(r);
    case WORK_BAD_PAGE:
        return pages_plausible(r);
    case WORK_BAD_TIME:
        return time_plausible(r->duration_ms) && r->frames <= LIMIT_FRAMES;
    default:
        return true;
    }
}

bool check_reply(const struct work_request *request, const struct work_reply *reply, const uint8_t *data)
{
    if (reply->magic != WORK_MAGIC || reply->status >= WORK_STATUS_COUNT ||
        !printable(reply->detail, sizeof reply->detail))
        return false;
    return reply->status == WORK_OK ? picture_true(request, reply, data) : refusal_plausible(request, reply);
}
