/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request as a list of steps: open, plan, decode (or draw) through the scaler, turn, convert colours, preview, encode.
 * Every pixel of the input is decoded, also where only a region is shown or the source's own bytes are the answer: a
 * cut or holed file must never be shown. What is kept has the size of the target from the start.
 */
#include "picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "colour.h"
#include "ladder.h"
#include "rows.h"

/* Where pixels must be encoded again although nothing should change: next to nothing is lost. */
enum { SAME_FORMAT_QUALITY = 95 };
/* Qualities at which the codes for drawn pictures were seen to suit. */
enum { DRAWN_LEAST = 65, DRAWN_MOST = 85 };

struct job {
    const struct source *source;
    const struct work_request *request;
    struct work_reply *reply;
    struct output *out;
    struct fit_limits limits;

    const struct decoder_ops *ops;
    struct decoder *decoder;
    struct header header;
    struct complaint complaint;

    struct size upright; /* the source */
    bool drawn;          /* it has no pixels of its own */
    struct area area;    /* what is shown, upright; in whole pixels, unless it is drawn */
    struct rect crop;    /* the same, of pixels */
    struct size target;  /* upright */
    bool whole;          /* the shown pixels are the source's, all of them, as they are */

    struct encoded own; /* the source's file without metadata; data NULL when it cannot answer */
    uint8_t *own_copy;
    bool answered;      /* and it is the answer */
    struct image image;
    struct jpeg_writer *jpeg; /* of the image, begun while it was decoded; NULL: not */
    bool shrunk;    /* by the decoder, while it decoded */
    bool scaled;    /* by the decoder or by us */
    bool converted; /* colours were */
};

void output_done(struct output *o)
{
    free(o->copy);
    free(o->cells);
    image_done(&o->preview);
    *o = (struct output){0};
}

static void job_done(struct job *j)
{
    if (j->decoder)
        j->ops->close(j->decoder);
    jpeg_writer_free(j->jpeg);
    image_done(&j->image);
    free(j->own_copy);
}

static int complain_errno(struct job *j, int error)
{
    if (error == -EFBIG)
        return complain(&j->complaint, WORK_TOO_LARGE, "no encoder holds a picture of this size");
    return complain(&j->complaint, WORK_NO_MEMORY, "no memory for the picture");
}

static uint32_t whole_units(double extent)
{
    double rounded = nearbyint(extent);
    return rounded < 1 ? 1 : rounded > LIMIT_DRAWING ? LIMIT_DRAWING : (uint32_t)rounded;
}

/* What the reply says of a source, also of one whose page or frame is not there. */
static void tell_source(struct job *j)
{
    const struct header *h = &j->header;
    j->reply->source_w = j->upright.w;
    j->reply->source_h = j->upright.h;
    j->reply->extent_w = h->extent_w > 0 ? h->extent_w : j->upright.w;
    j->reply->extent_h = h->extent_h > 0 ? h->extent_h : j->upright.h;
    j->reply->origin_x = h->origin_x;
    j->reply->origin_y = h->origin_y;
    j->reply->unit_w = h->unit_w;
    j->reply->unit_h = h->unit_h;
    j->reply->frames = h->frames;
    j->reply->pages = MAX(h->pages, 1u);
    j->reply->orientation = h->orientation;
    j->reply->facts |= (h->approximate ? WORK_APPROXIMATE : 0u) | (h->cut ? WORK_CUT : 0u) | (h->partial ? WORK_PARTIAL : 0u) |
                       (h->exact || h->sheet ? 0u : WORK_ROUNDED) | (h->damaged ? WORK_DAMAGED : 0u) |
                       (h->css_pixels ? WORK_CSS_PIXELS : 0u) | (h->as_source ? WORK_SOURCE : 0u);
}

static bool extent_usable(double v)
{
    return isfinite(v) && v > 0 && v <= LIMIT_DRAWING;
}

/* And no NaN. */
static bool is_measured(const struct header *h)
{
    double stretch = h->unit_h / h->unit_w;
    return extent_usable(h->extent_w) && extent_usable(h->extent_h) && fabs(h->origin_x) <= LIMIT_DRAWING &&
           fabs(h->origin_y) <= LIMIT_DRAWING && stretch >= 1.0 / LIMIT_SIDE && stretch <= LIMIT_SIDE;
}

static int open_source(struct job *j)
{
    int status = j->ops->open(j->source, &j->decoder, &j->header, &j->complaint);
    struct header *h = &j->header;
    if (!status && j->request->flags & WORK_SHEET && j->ops->sheet)
        status = j->ops->sheet(&j->ops, &j->decoder, h, &j->limits, &j->complaint);
    if (status) {
        j->reply->frames = h->frames;
        j->reply->pages = MAX(h->pages, 1u);
        j->reply->duration_ms = h->duration_ms;
        j->reply->facts = (h->approximate ? WORK_APPROXIMATE : 0u) | (h->cut ? WORK_CUT : 0u) | (h->damaged ? WORK_DAMAGED : 0u);
        return status;
    }
    bool extent = h->extent_w > 0 || h->extent_h > 0;
    j->drawn = extent && !h->sheet;
    h->unit_w = h->unit_w == 0 ? 1 : h->unit_w;
    h->unit_h = h->unit_h == 0 ? 1 : h->unit_h;
    if (extent && !is_measured(h))
        return complain(&j->complaint, WORK_TOO_LARGE, "its size is not one that can be shown");
    if ((!j->drawn && (!h->width || !h->height)) || !h->frames)
        return complain(&j->complaint, WORK_MALFORMED, "no pixels");
    if (h->orientation < 1 || h->orientation > 8)
        h->orientation = 1;
    j->upright = extent ? (struct size){whole_units(h->extent_w), whole_units(h->extent_h)}
                        : size_turned((struct size){h->width, h->height}, h->orientation);
    tell_source(j);
    return WORK_OK;
}

static bool same_size(struct size a, struct size b)
{
    return a.w == b.w && a.h == b.h;
}

static struct area area_of(struct rect r)
{
    return (struct area){r.x, r.y, r.w, r.h};
}

/* A page of something that has none is a tile of it, if it is long. 0, or which one. */
static int plan_tile(struct job *j, uint32_t *ret_tile)
{
    struct fit_drawing d = work_drawing(j->reply);
    bool never = j->header.has_pages || j->header.sheet;
    uint32_t page = j->request->page, n = never ? 1 : fit_tiles(&j->limits, fit_natural(&d));
    *ret_tile = 0;
    if (j->header.has_pages)
        return WORK_OK;
    j->reply->pages = n;
    j->reply->facts |= n > 1 ? WORK_TILED : 0;
    if (page > n)
        return complain(&j->complaint, WORK_BAD_PAGE, "there are %u", n);
    if (n > 1 && page && !j->request->region.set)
        *ret_tile = page;
    return WORK_OK;
}

static int bad_region(struct job *j)
{
    return complain(&j->complaint, WORK_BAD_REGION, "nothing of the region lies in %ux%u", j->upright.w, j->upright.h);
}

static int plan_drawn(struct job *j, uint32_t tile)
{
    struct fit_drawing d = work_drawing(j->reply);
    if (tile)
        j->area = fit_tile_area(&j->limits, &d, tile);
    else if (!fit_area(&j->request->region, &d.whole, &j->area))
        return bad_region(j);
    bool page = media_row(j->ops->media)->class == CLASS_TEXT && !j->request->region.set;
    j->target = work_sized(j->request) ? (struct size){j->request->drawn_w, j->request->drawn_h} :
                page ? fit_page(&j->limits, j->upright) : fit_drawn(&j->limits, j->area.w, j->area.h * (d.unit_h / d.unit_w));
    return WORK_OK;
}

/* A sheet was laid out within the limits already, and has no regions. */
static int plan_pixels(struct job *j, uint32_t tile)
{
    struct size whole = j->header.sheet ? (struct size){j->header.width, j->header.height} : j->upright;
    if (j->header.sheet || tile)
        j->crop = tile ? fit_tile(&j->limits, whole, tile) : (struct rect){0, 0, whole.w, whole.h};
    else if (!fit_crop(&j->request->region, whole, &j->crop))
        return bad_region(j);
    struct size crop = {j->crop.w, j->crop.h};
    j->area = area_of(j->crop);
    j->target = fit_target(&j->limits, crop);
    j->whole = same_size(crop, whole) && same_size(crop, j->target) && j->header.orientation == 1 &&
               j->header.frames == 1 && !j->header.sheet && !j->header.has_pages;
    return WORK_OK;
}

static int plan(struct job *j)
{
    uint32_t tile;
    if (j->request->frame > j->header.frames)
        return complain(&j->complaint, WORK_BAD_FRAME, "there are %u frames", j->header.frames);
    int status = plan_tile(j, &tile);
    if (!status)
        status = j->drawn ? plan_drawn(j, tile) : plan_pixels(j, tile);
    j->reply->crop = j->area;
    return status;
}

static bool webp_allowed(const struct job *j)
{
    return j->request->flags & WORK_WEBP_OK;
}

static bool raw_wanted(const struct job *j)
{
    return j->request->flags & (WORK_RAW | WORK_RGBA);
}

/* The source's own bytes, where they show just what is to be shown. */
static int strip_source(struct job *j)
{
    /* Not every viewer takes inks, but what is not to be touched is not. */
    bool inks = j->header.colour == COLOUR_CMYK && j->limits.resize;
    bool barred = (j->ops->media == MEDIA_WEBP && !webp_allowed(j)) ||
                  (j->ops->media == MEDIA_GIF && j->request->flags & WORK_NO_GIF);
    if (!j->whole || inks || raw_wanted(j) || barred || !j->ops->strip)
        return WORK_OK;
    const uint8_t *bytes;
    size_t len;
    int status = j->ops->strip(j->ops->media, j->source->data, j->source->len, &j->header, &bytes, &len, &j->own_copy, NULL);
    if (status)
        return status == WORK_NO_MEMORY ? complain_errno(j, -ENOMEM) : WORK_OK;
    /* Only compared and passed on, never written through. */
    j->own = (struct encoded){(uint8_t *)(uintptr_t)bytes, len, NULL, j->upright};
    j->answered = !j->limits.resize || len <= j->limits.max_bytes / 4;
    return WORK_OK;
}

/* The least size to decode at, so that the crop has no fewer pixels than the target. No margin is needed: JPEG's own
 * scaling to just above it stays 42 to 49 dB from a full decode, far nearer than the encoder will. */
static struct size least_size(const struct job *j, struct rect crop, struct size target)
{
    struct size full = {j->header.width, j->header.height};
    if (target.w >= crop.w || target.h >= crop.h)
        return full;
    return (struct size){(uint32_t)fmin(ceil((double)full.w * target.w / crop.w), full.w),
                         (uint32_t)fmin(ceil((double)full.h * target.h / crop.h), full.h)};
}

static void free_resampler(struct resampler **r)
{
    resample_free(*r);
}

/* Decoded pixels for one of the stored picture. JPEG's are an exact share of eighths, the size is that rounded up; by
 * the sizes' ratio the far border would be up to a pixel off. */
static void decoded_scale(const struct job *j, struct size decoded, double *ret_x, double *ret_y)
{
    struct size full = {j->header.width, j->header.height};
    *ret_x = (double)decoded.w / full.w;
    *ret_y = (double)decoded.h / full.h;
    for (uint64_t eighths = 1; eighths <= 8 && j->ops->media == MEDIA_JPEG; eighths *= 2)
        if ((full.w * eighths + 7) / 8 == decoded.w && (full.h * eighths + 7) / 8 == decoded.h)
            *ret_x = *ret_y = (double)eighths / 8;
}

/* Without WebP an opaque picture's first candidate is JPEG; where its rows are final as they come, it begins with them. Only memory
 * that is not there is an error: the same picture must not come out as other bytes then. */
static int begin_jpeg(struct job *j)
{
    bool final = j->header.orientation == 1 && !colour_needed(&j->header);
    bool drawn = !j->header.lossy && j->limits.quality >= DRAWN_LEAST && j->limits.quality <= DRAWN_MOST;
    int e = 0;
    if (final && !raw_wanted(j) && !webp_allowed(j) && j->limits.resize && !j->answered)
        e = jpeg_writer_new(&j->image, j->limits.quality, drawn, &j->jpeg);
    return e == -ENOMEM ? e : 0;
}

static int scale_rows(struct job *j, struct size decoded, struct rect crop, struct size target, bool *opaque)
{
    cleanup(free_resampler) struct resampler *r = NULL;
    double sx, sy;
    decoded_scale(j, decoded, &sx, &sy);
    struct part part = {crop.x * sx, crop.y * sy, crop.w * sx, crop.h * sy};
    int e = image_init(&j->image, target);
    if (!e)
        e = resample_new(decoded, j->header.channels, part, j->header.alpha, &j->image, &r);
    if (!e)
        e = begin_jpeg(j);
    if (e)
        return complain_errno(j, e);
    return rows_run(j->ops, j->decoder, &j->header, decoded, r, j->jpeg, opaque, &j->complaint);
}

static uint32_t ground_facts(const struct image *m)
{
    return (m->on_white ? WORK_ON_WHITE : 0u) | (m->on_grey ? WORK_ON_GREY : 0u);
}

/* A sheet was laid out for the cells' sake; very narrow limits may still be less than that. */
static int shrink_sheet(struct job *j)
{
    auto_image all = j->image;
    j->image = (struct image){0};
    j->scaled = true;
    int e = image_scale(&all, j->target, &j->image);
    return e ? complain_errno(j, e) : WORK_OK;
}

/* What is drawn, and a sheet, comes as it is shown. */
static int draw_whole(struct job *j)
{
    struct size size = j->header.sheet ? (struct size){j->header.width, j->header.height} : j->target;
    struct want want = {.frame = 1, .channels = 4, .area = j->area, .target = size};
    int status = check_pixels(size.w, size.h, (uint64_t)size.w * size.h, &j->complaint);
    if (!status)
        status = j->ops->draw(j->decoder, &want, &j->image, &j->complaint);
    if (!status && !same_size(j->image.size, size))
        status = complain(&j->complaint, WORK_MALFORMED, "drawn at another size than asked for");
    j->reply->facts |= status ? 0 : ground_facts(&j->image);
    return status || same_size(size, j->target) ? status : shrink_sheet(j);
}

static int decode_rows(struct job *j)
{
    uint8_t turn = j->header.orientation;
    struct size target = size_turned(j->target, turn), decoded, full = {j->header.width, j->header.height};
    struct rect crop = rect_stored(j->crop, size_turned(full, turn), turn);
    struct want want = {.frame = MAX(j->request->frame, 1), .channels = j->header.channels,
                        .least = least_size(j, crop, target)};
    int status = j->ops->start(j->decoder, &want, &decoded, &j->complaint);
    if (status)
        return status;
    bool opaque = true;
    j->shrunk = !same_size(decoded, full);
    j->scaled = j->shrunk || !same_size(target, (struct size){crop.w, crop.h});
    if (j->answered && !j->request->preview_w)
        status = rows_run(j->ops, j->decoder, &j->header, decoded, NULL, NULL, &opaque, &j->complaint);
    else
        status = scale_rows(j, decoded, crop, target, &opaque);
    j->image.opaque = opaque;
    return status;
}

static int decode(struct job *j)
{
    int status = j->drawn || j->header.sheet ? draw_whole(j) : decode_rows(j);
    j->reply->facts |= status || j->image.opaque ? 0 : WORK_HAS_ALPHA;
    return status;
}

/* Lines, times, and where on a sheet the pictures are: told before the decoder goes. */
static int tell(struct job *j)
{
    struct told t = {.time_ms = -1, .duration_ms = -1};
    struct work_reply *r = j->reply;
    if (j->ops->tell)
        j->ops->tell(j->decoder, &t);
    r->first_line = t.first_line;
    r->last_line = t.last_line;
    r->total_lines = t.total_lines;
    r->part_first = t.part_first;
    r->part_last = t.part_last;
    r->line_top = t.line_top;
    r->line_height = t.line_height;
    r->rows = t.rows;
    r->missing = t.missing;
    r->time_ms = t.time_ms;
    r->duration_ms = t.duration_ms;
    if (!t.n_cells || !j->header.sheet)
        return WORK_OK;
    r->cells = j->out->n_cells = MIN(t.n_cells, LIMIT_SHEET_CELLS);
    j->out->cells = malloc(r->cells * sizeof *t.cells);
    if (!j->out->cells)
        return complain_errno(j, -ENOMEM);
    memcpy(j->out->cells, t.cells, r->cells * sizeof *t.cells);
    return WORK_OK;
}

/* A drawing without a ground of its own is shown on paper: who gets it might lay it on black. */
static int lay_on_ground(struct job *j)
{
    struct image *m = &j->image;
    if (!j->drawn || !m->px || m->opaque || j->request->flags & WORK_RGBA)
        return WORK_OK;
    image_flatten(m, image_ground(m));
    j->reply->facts |= ground_facts(m);
    return WORK_OK;
}

static int turn_upright(struct job *j)
{
    int e = j->image.px ? image_orient(&j->image, j->header.orientation) : 0;
    return e ? complain_errno(j, e) : WORK_OK;
}

static int convert_colours(struct job *j)
{
    if (j->image.px && colour_needed(&j->header))
        j->converted = colour_to_srgb(&j->image, &j->header);
    /* The decoder holds the profile; from here on it only takes room. */
    j->ops->close(take(j->decoder));
    return WORK_OK;
}

/* The largest size of the same shape within the box. */
static struct size within(struct size s, struct size box)
{
    double f = fmin(fmin((double)box.w / s.w, (double)box.h / s.h), 1);
    return (struct size){(uint32_t)fmax(s.w * f + 1e-6, 1), (uint32_t)fmax(s.h * f + 1e-6, 1)};
}

static int make_preview(struct job *j)
{
    struct size box = {MIN(j->request->preview_w, LIMIT_PREVIEW_SIDE), MIN(j->request->preview_h, LIMIT_PREVIEW_SIDE)};
    if (!box.w || !box.h || !j->image.px)
        return WORK_OK;
    int e = image_scale(&j->image, within(j->image.size, box), &j->out->preview);
    if (e)
        return complain_errno(j, e);
    j->reply->preview_w = j->out->preview.size.w;
    j->reply->preview_h = j->out->preview.size.h;
    return WORK_OK;
}

/* The row that stays nearest to the source's own encoding, for pictures that should not change but must be encoded. */
static const struct encoder *same_format(const struct job *j)
{
    bool lossy = j->header.lossy;
    if (j->ops->media == MEDIA_WEBP && webp_allowed(j))
        return lossy ? &encode_webp_thorough : &encode_webp_lossless;
    return lossy && j->image.opaque ? &encode_jpeg_fine : &encode_png;
}

/* Without resizing: a turned, cut or converted picture, or one frame of several, cannot keep its encoding. Its reply has
 * no WORK_AS_IS, which is how that is told. PNG holds what the source's own format cannot. */
static int encode_same(struct job *j, struct encoded *ret, uint32_t *ret_facts)
{
    *ret_facts = 0;
    int e = same_format(j)->encode(&j->image, SAME_FORMAT_QUALITY, ret);
    return e == -EFBIG ? encode_png.encode(&j->image, 0, ret) : e;
}

/* The shown pixels are the source's own, bit for bit. */
static bool pristine(const struct job *j)
{
    return j->header.exact && !j->scaled && !j->converted;
}

static int encode_fitting(struct job *j, struct encoded *ret, uint32_t *ret_facts)
{
    /* Where the quick method was seen to spend too many bytes, on kinds that are rare, and where pixels were not scaled
     * and so are few. */
    bool drawn_webp = j->ops->media == MEDIA_WEBP && !j->shrunk;
    bool thorough = (!j->scaled && !j->drawn && !j->header.sheet) || j->header.colour == COLOUR_CMYK || drawn_webp;
    struct ladder l = {.limits = &j->limits, .webp = webp_allowed(j), .source = j->own, .pristine = pristine(j),
                       .thorough = thorough, .lossless_source = j->own.data && !j->header.lossy, .jpeg = j->jpeg,
                       .drawn = j->drawn || j->header.sheet, .sheet = j->header.sheet};
    return ladder_climb(&l, &j->image, ret, ret_facts);
}

/* What the reply says of the file itself. */
static uint32_t facts_of(const struct job *j, const struct encoded *made)
{
    bool exact = made->by && made->by->lossless && pristine(j) && same_size(made->size, j->target);
    return (made->by ? 0 : WORK_AS_IS) | (exact ? WORK_LOSSLESS : 0) |
           (made->len > j->limits.max_bytes ? WORK_OVER_BUDGET : 0);
}

static int give_pixels(struct job *j)
{
    struct image *m = &j->image;
    j->out->len = image_stride(m) * m->size.h;
    j->out->data = j->out->copy = take(m->px);
    j->reply->media = MEDIA_NONE;
    j->reply->width = m->size.w;
    j->reply->height = m->size.h;
    j->reply->image_len = j->out->len;
    return WORK_OK;
}

/* Rows instead of a file, on the ground that the ladder would choose. */
static int give_rows(struct job *j)
{
    struct image *m = &j->image;
    if (!m->opaque)
        image_flatten(m, image_ground(m));
    j->reply->facts |= ground_facts(m);
    j->out->len = (size_t)m->size.w * m->size.h;
    j->out->copy = malloc(j->out->len);
    if (!j->out->copy)
        return complain_errno(j, -ENOMEM);
    image_gray(m, j->out->copy);
    j->out->data = j->out->copy;
    j->reply->media = MEDIA_NONE;
    j->reply->width = m->size.w;
    j->reply->height = m->size.h;
    j->reply->image_len = j->out->len;
    return WORK_OK;
}

static int encode(struct job *j)
{
    if (raw_wanted(j))
        return j->request->flags & WORK_RGBA ? give_pixels(j) : give_rows(j);
    struct encoded made = j->own;
    uint32_t ground = 0;
    int e = 0;
    if (!j->answered)
        e = j->limits.resize ? encode_fitting(j, &made, &ground) : encode_same(j, &made, &ground);
    if (e)
        return complain_errno(j, e);
    bool own = !made.by;
    j->out->data = made.data;
    j->out->len = made.len;
    j->out->copy = own ? take(j->own_copy) : made.data;
    j->reply->facts |= ground | facts_of(j, &made);
    j->reply->media = own ? j->ops->media : made.by->media;
    j->reply->width = made.size.w;
    j->reply->height = made.size.h;
    j->reply->image_len = made.len;
    return WORK_OK;
}

static int (*const steps[])(struct job *) = {
    open_source,  plan,         strip_source, decode,      turn_upright, tell,
    convert_colours, lay_on_ground, make_preview, encode,
};

/* Numbers that make no sense are brought to the nearest that does. */
static struct fit_limits sane(struct fit_limits l)
{
    l.quality = MIN(MAX(l.quality, 1), 100);
    l.max_edge = l.max_edge && l.max_edge <= LIMIT_SIDE ? l.max_edge : LIMIT_SIDE;
    return l;
}

int picture_make_with(const struct decoder_ops *ops, const struct source *source, struct work_reply *reply,
                      struct output *ret)
{
    struct output out = {0};
    *reply = (struct work_reply){.magic = WORK_MAGIC};
    cleanup(job_done) struct job j = {
        .source = source, .request = source->request, .reply = reply, .out = &out, .ops = ops};
    j.limits = sane(source->request->limits);
    int status = WORK_OK;
    for (size_t i = 0; !status && i < COUNT(steps); i++)
        status = steps[i](&j);
    reply->status = (uint32_t)status;
    if (status) {
        (void)snprintf(reply->detail, sizeof reply->detail, "%s", j.complaint.detail);
        output_done(&out);
    } else {
        *ret = out;
    }
    return status;
}
