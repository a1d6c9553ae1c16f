/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Differences: the source and the one that `against` names are each decoded (or drawn) by their own program into plain pixels,
 * bitmaps at full size, and one more worker, which sees nothing but those pixels, compares them and shows what changed. What is
 * drawn has no size of its own: against a bitmap it is drawn as large as that is, against another drawing with as many pixels to a
 * unit where a region is compared.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "api/view.h"
#include "base/io.h"
#include "base/limits.h"
#include "fit/sheet.h"
#include "percept/note.h"

/* One side of the comparison. */
struct side {
    int fd; /* rows of RGBA, sealed */
    uint32_t page;         /* a true one, no tile; 0: not said */
    struct fit_box region; /* the tile's, where one is named */
    uint32_t edge;         /* draw it so large; 0: as a view would */
    struct size exact;     /* draw it at just this size; 0x0: in its own shape */
    bool follows;          /* the region is the other's: there may be nothing of this one there */
    struct work_reply reply;
};

static void side_done(struct side *s)
{
    close_fd(s->fd);
    s->fd = -1;
}

static void hash_side(void *arg)
{
    (void)view_hash(arg); /* which remembers what went wrong */
}

/* The pixels themselves, before anything is fitted to a model; what is drawn has none until it is. */
static struct work_request rows_request(const struct view_job *j, const struct side *s)
{
    struct work_request w = j->work;
    w.flags = (w.flags & WORK_TIME) | WORK_RGBA;
    w.preview_w = w.preview_h = 0;
    w.page = s->page;
    w.region = s->region;
    w.drawn_w = s->exact.w;
    w.drawn_h = s->exact.h;
    if (s->edge || !media_drawn(j->sniff.media))
        w.limits = (struct fit_limits){.max_bytes = w.limits.max_bytes, .quality = w.limits.quality, .max_edge = s->edge,
                                       .resize = s->edge != 0};
    return w;
}

static bool has_nothing_there(const struct view_job *j, const struct side *s)
{
    return s->follows && j->end == POOL_DONE && j->output.reply.status == WORK_BAD_REGION;
}

/* 0 (without pixels where there is nothing of it), 1 with a refusal that names this side, or a fault. */
static int make_rows(struct view_job *j, struct side *s)
{
    struct work_request request = rows_request(j, s);
    struct pool_job job = {.request = &request,
                           .input = j->snapshot.fd,
                           .other = request.other_len ? j->other : -1,
                           .limit_ms = view_time_left(j),
                           .cancel = j->call->scope.cancel,
                           .meanwhile = hash_side,
                           .arg = j};
    struct pool *pool;
    side_done(s);
    s->fd = memory_open("fovea-rows");
    if (s->fd < 0)
        return fault_set(j->fault, s->fd, "cannot make memory for a picture: %s", strerrordesc_np(-s->fd));
    int r = programs_pool(j->call->f->programs, media_row(j->sniff.media)->program, &pool, j->fault);
    if (r == 0)
        r = pool_run_into(pool, &job, s->fd, &j->end, &j->output, j->fault);
    if (r == 0)
        r = view_hash(j);
    if (r == 0)
        r = view_same_source(j);
    bool nothing = r == 0 && has_nothing_there(j, s);
    if (r == 0 && !nothing)
        r = view_refuse_end(j);
    s->reply = j->output.reply;
    if (nothing)
        s->reply = (struct work_reply){0};
    pool_output_done(&j->output);
    return r;
}

/* ---------------------------------------------------------------- one side */

/* How many tiles a view would tell of; 1: it has none, or pages of its own. */
static uint32_t tiles_of(const struct view_job *j, const struct work_reply *r)
{
    enum media_class class = media_row(j->sniff.media)->class;
    bool paged = class == CLASS_DOCUMENT || class == CLASS_TEXT || (r->pages > 1 && !(r->facts & WORK_TILED));
    struct fit_drawing d = work_drawing(r);
    return paged ? 1 : fit_tiles(&j->work.limits, fit_natural(&d));
}

/* The page that is named may be a tile, which depends on the size: it is then a region like any other. */
static int make_page(struct view_job *j, struct side *s)
{
    uint32_t page = j->work.page, n = tiles_of(j, &s->reply);
    if (s->reply.pages > 1 && !(s->reply.facts & WORK_TILED)) {
        s->page = page;
        return make_rows(j, s);
    }
    if (page > n) {
        j->output.reply = (struct work_reply){.status = WORK_BAD_PAGE, .pages = n};
        return view_refuse_end(j);
    }
    if (n == 1)
        return 0;
    struct fit_drawing d = work_drawing(&s->reply);
    struct area t = fit_tile_area(&j->work.limits, &d, page);
    s->region = (struct fit_box){t.x, t.y, t.w, t.h, FIT_SOURCE, 1};
    return make_rows(j, s);
}

/* 0, 1 with a refusal that names it, or a fault. */
static int make_side(struct view_job *j, struct side *s)
{
    enum media_class class = media_row(j->sniff.media)->class;
    bool perhaps_tile = j->work.page && !j->work.region.set && class != CLASS_DOCUMENT && class != CLASS_TEXT;
    if (j->work.flags & WORK_SHEET)
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, j->request->path,
                                           "shows several pictures; compare one of them: view it by its page, frame or time, and "
                                           "name its view:ID"));
    s->region = j->work.region;
    s->page = perhaps_tile ? 0 : j->work.page;
    int r = view_insets(j);
    if (r == 0)
        r = make_rows(j, s);
    return r || !perhaps_tile ? r : make_page(j, s);
}

/* ---------------------------------------------------------------- the other source */

static bool one_is_drawn(const struct view_job *j, const struct view_job *other)
{
    return media_drawn(j->sniff.media) != media_drawn(other->sniff.media);
}

static bool both_are_drawn(const struct view_job *j, const struct view_job *other)
{
    return media_drawn(j->sniff.media) && media_drawn(other->sniff.media);
}

/* Units of what is drawn are no pixels, so between the two a part is told by its share of the whole. */
static struct fit_box share_of(const struct work_reply *r)
{
    const struct area *a = &r->crop;
    return (struct fit_box){(a->x - r->origin_x) * 1000 / r->extent_w, (a->y - r->origin_y) * 1000 / r->extent_h,
                            a->w * 1000 / r->extent_w, a->h * 1000 / r->extent_h, FIT_UNIT, 1};
}

/* The same place, as far as the source reaches. */
static struct fit_box place_of(const struct work_reply *r)
{
    return (struct fit_box){r->crop.x, r->crop.y, r->crop.w, r->crop.h, FIT_SOURCE, 1};
}

/* An earlier view of a part is compared with the same part of the source, which bounds it, unless the request names one. */
static int take_region(struct view_job *j, struct view_job *other)
{
    bool tile = j->work.page && !view_has_parts(j, PART_PAGE);
    if (!other->work.region.set || j->work.region.set || tile)
        return 0;
    if (one_is_drawn(j, other))
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, other->request->path,
                                           "shows a part, measured in units that the source does not have; name the same part of "
                                           "the source with \"region\""));
    j->work.region = other->work.region;
    other->work.region.set = 0;
    return 0;
}

/* What the request says of one holds for both, where the other has such a part; an earlier view that is compared with keeps what
 * it showed. */
static void same_part(const struct view_job *j, const struct side *own, struct view_job *other, struct side *ret)
{
    struct work_request *w = &other->work;
    bool alike = media_row(j->sniff.media)->class == media_row(other->sniff.media)->class;
    bool chosen = w->frame || other->timed;
    ret->follows = own->region.set && !w->region.set;
    if (ret->follows)
        w->region = one_is_drawn(j, other) ? share_of(&own->reply) : place_of(&own->reply);
    if (own->page && !w->page && alike && view_has_parts(other, PART_PAGE))
        w->page = own->page;
    if (!chosen && j->work.frame && view_has_parts(other, PART_FRAME))
        w->frame = j->work.frame;
    if (!chosen && j->timed && view_has_parts(other, PART_TIME)) {
        w->time_ms = j->work.time_ms;
        other->timed = true;
    }
}

static uint32_t long_edge(const struct side *s)
{
    return MAX(s->reply.width, s->reply.height);
}

/* As many whole pixels as there are of it, one at least and no more than the source has. What lacks a hundredth of one is whole. */
static uint32_t whole_pixels(double n, uint32_t most)
{
    return (uint32_t)fmin(fmax(floor(n + 0.01), 1), most);
}

/* Of two drawings the other may have only a part of what is compared, or units of another shape: it is drawn once more with as many
 * pixels to a unit as the source has along each axis, so that what it lacks is seen. 0, 1 with a refusal that names it, or a fault. */
static int draw_there(const struct work_reply *own, struct view_job *other, struct side *s)
{
    const struct area wanted = own->crop, got = s->reply.crop;
    if (!s->follows || !s->reply.width)
        return 0;
    if (length_less(wanted.x, got.x, wanted.w) || length_less(wanted.y, got.y, wanted.h))
        return view_settle(other, refuse_named(REASON_INVALID_INPUT, other->request->path,
                                               "begins only within the region; name one that begins where both have something"));
    double sx = own->width / wanted.w, sy = own->height / wanted.h;
    s->exact = (struct size){whole_pixels(got.w * sx, own->width), whole_pixels(got.h * sy, own->height)};
    bool less = length_less(got.w, wanted.w, wanted.w) || length_less(got.h, wanted.h, wanted.h);
    if (!less && s->exact.w == s->reply.width && s->exact.h == s->reply.height)
        return 0;
    s->region = (struct fit_box){got.x, got.y, s->exact.w / sx, s->exact.h / sy, FIT_SOURCE, 1};
    other->until = 0;
    int r = make_rows(other, s);
    s->reply.crop = got; /* to the pixel it is a little less */
    return r;
}

/* 0, 1 with a refusal that names it, or a fault. */
static int other_side(const struct view_job *j, const struct side *own, struct view_job *other, struct side *ret)
{
    same_part(j, own, other, ret);
    int r = view_plan(other);
    if (!other->work.layout.max_bytes) /* page by page, or nothing is where it was */
        other->work.layout = j->work.layout;
    if (one_is_drawn(j, other) && media_drawn(other->sniff.media))
        ret->edge = long_edge(own);
    if (r == 0)
        r = make_side(other, ret);
    return r || !both_are_drawn(j, other) ? r : draw_there(&own->reply, other, ret);
}

/* Named with the one of its parts that was compared. */
static int name_other(struct view_job *j, const struct view_job *other, const struct work_reply *r)
{
    const char *opened = other->variants.n ? other->variants.path[other->snapshot.variant] : NULL;
    auto_free char *name = view_name_new(other, opened);
    auto_buf b = BUF_INIT(64 * KIB);
    (void)buf_add_str(&b, name ? name : "");
    if (view_has_parts(other, PART_PAGE) && r->pages > 1)
        (void)buf_add_format(&b, " page %u", MAX(other->work.page, 1u));
    if (other->work.frame && view_has_parts(other, PART_FRAME))
        (void)buf_add_format(&b, " frame %u", other->work.frame);
    if (other->timed)
        (void)buf_add_str(&b, " at ");
    if (other->timed)
        note_time(&b, r->time_ms >= 0 ? r->time_ms : other->work.time_ms);
    j->difference.name = name ? buf_take(&b) : NULL;
    return j->difference.name ? 0 : fault_oom(j->fault);
}

/* Drawn once more, now that the size of the bitmap is known. */
static int draw_alike(struct view_job *j, struct side *own, const struct view_job *other, const struct side *before)
{
    if (!one_is_drawn(j, other) || media_drawn(other->sniff.media) || long_edge(own) == long_edge(before))
        return 0;
    own->edge = long_edge(before);
    j->until = 0; /* the other one took its time */
    return make_rows(j, own);
}

/* ---------------------------------------------------------------- the comparison */

/* From pixels that were compared to the source's: a region begins somewhere, and what is drawn was drawn at some size. */
static int take_boxes(struct view_job *j, const struct work_reply *own)
{
    const struct work_reply *r = &j->output.reply;
    const uint8_t *from = j->output.data ? j->output.data + r->image_len + (size_t)r->preview_w * r->preview_h * 4 : NULL;
    double sx = own->crop.w / own->width, sy = own->crop.h / own->height;
    struct difference *d = &j->difference;
    d->boxes = calloc(MAX(r->cells, 1u), sizeof *d->boxes);
    if (!d->boxes)
        return fault_oom(j->fault);
    for (uint32_t i = 0; from && i < r->cells; i++) {
        struct work_cell c;
        memcpy(&c, from + i * sizeof c, sizeof c);
        d->named = c.labels & WORK_LABEL_NUMBER;
        d->boxes[d->n_boxes++] = (struct area){own->crop.x + c.x * sx, own->crop.y + c.y * sy, c.w * sx, c.h * sy};
    }
    return 0;
}

/* Where the three pictures lie: planned as the worker planned it. */
static void take_panels(struct view_job *j, const struct fit_limits *limits, const struct work_reply *own)
{
    const struct work_reply *r = &j->output.reply;
    struct difference *d = &j->difference;
    struct size all = {MAX(d->own.w, d->size.w), MAX(d->own.h, d->size.h)};
    struct sheet plan;
    if (!d->changed)
        return;
    sheet_plan(limits, PANELS, all.w, all.h, all, &plan);
    double fx = (double)r->width / plan.size.w, fy = (double)r->height / plan.size.h; /* it may have been made smaller */
    for (uint32_t i = 0; i < PANELS; i++) {
        struct rect c = sheet_cell(&plan, i);
        d->panels[i] = (struct rect){(uint32_t)(c.x * fx), (uint32_t)(c.y * fy), MAX((uint32_t)(c.w * fx), 1u),
                                     MAX((uint32_t)(c.h * fy), 1u)};
    }
    d->scale[0] = all.w * (own->crop.w / own->width) / d->panels[0].w;
    d->scale[1] = all.h * (own->crop.h / own->height) / d->panels[0].h;
}

/* The picture is of both; all that is said of the source stays what it was. */
static void keep_source(struct view_job *j, const struct work_reply *own)
{
    struct work_reply *r = &j->output.reply, made = *r;
    *r = *own;
    r->facts = made.facts | (own->facts & (WORK_APPROXIMATE | WORK_CSS_PIXELS | WORK_SOURCE));
    r->media = made.media;
    r->width = made.width;
    r->height = made.height;
    r->image_len = made.image_len;
    r->preview_w = made.preview_w;
    r->preview_h = made.preview_h;
    r->cells = made.cells;
    r->changed = made.changed;
    uint32_t tiles = tiles_of(j, own);
    if (tiles > 1) {
        r->pages = tiles;
        r->facts |= WORK_TILED;
    }
}

static int compare(struct view_job *j, const struct side *before, const struct side *after, uint32_t flags)
{
    const struct side *input = before->reply.width ? before : after; /* of nothing, any bytes will do */
    struct work_request request = {
        .magic = WORK_MAGIC,
        .input_len = input->reply.image_len,
        .flags = (j->work.flags & (WORK_WEBP_OK | WORK_NO_GIF)) | WORK_DIFF | flags,
        .preview_w = j->work.preview_w,
        .preview_h = j->work.preview_h,
        .raw_w = before->reply.width,
        .raw_h = before->reply.height,
        .other_w = after->reply.width,
        .other_h = after->reply.height,
        .other_len = after->reply.image_len,
        .limits = j->work.limits,
    };
    request.limits.resize = 1;
    struct pool_job job = {.request = &request,
                           .input = input->fd,
                           .other = after->fd,
                           .limit_ms = (int)j->call->f->config.view_timeout_ms,
                           .cancel = j->call->scope.cancel};
    int r = pool_run(j->call->f->pool, &job, &j->end, &j->output, j->fault);
    if (r < 0 || j->end != POOL_DONE || j->output.reply.status != WORK_OK)
        return r;
    j->difference.changed = j->output.reply.changed;
    j->difference.size = (struct size){before->reply.width, before->reply.height};
    j->difference.own = (struct size){after->reply.width, after->reply.height};
    j->difference.rounded = (before->reply.facts | after->reply.facts) & WORK_ROUNDED;
    take_panels(j, &request.limits, &after->reply);
    r = take_boxes(j, &after->reply);
    if (r == 0)
        keep_source(j, &after->reply);
    return r;
}

/* The images of a Markdown are part of what was compared. */
static void join(struct view_job *j, const struct view_job *other)
{
    uint8_t all[3 * SHA256_LEN] = {0};
    bool more = j->joined || other->joined;
    memcpy(all, other->sha256, SHA256_LEN);
    if (j->joined)
        memcpy(all + SHA256_LEN, j->other_sha256, SHA256_LEN);
    if (other->joined)
        memcpy(all + sizeof all - SHA256_LEN, other->other_sha256, SHA256_LEN);
    if (more)
        sha256(all, sizeof all, j->other_sha256);
    else
        memcpy(j->other_sha256, all, SHA256_LEN);
    j->difference.made = j->joined = true;
}

/* Both sides, at sizes that can be held against each other. 0, 1 with a refusal that names one of them, or a fault. */
static int make_sides(struct view_job *j, struct view_job *other, struct side *before, struct side *after)
{
    int r = take_region(j, other);
    j->difference.region = other->work.region.set;
    if (r == 0)
        r = make_side(j, after);
    if (r)
        return r;
    r = other_side(j, after, other, before);
    if (r > 0)
        j->result = other->result;
    return r ? r : draw_alike(j, after, other, before);
}

static int open_other(struct view_job *j, struct view_job *other)
{
    int r = view_allowed(other);
    if (r == 0)
        r = view_open(other);
    if (r > 0)
        j->result = other->result;
    return r;
}

int view_against(struct view_job *j)
{
    const struct fovea_view_request *q = j->request;
    const struct fovea_view_request second = {.path = q->against, .data = q->against_data, .data_len = q->against_len,
                                              .max_edge = q->max_edge, .detail = q->detail, .model = q->model};
    cleanup(view_job_done) struct view_job other = {.call = j->call, .request = &second, .fault = j->fault, .cap = j->cap,
                                                    .video_cap = j->video_cap, .pair = j->earlier.against ? &j->earlier : NULL,
                                                    .snapshot = {.fd = -1}};
    cleanup(side_done) struct side before = {.fd = -1};
    cleanup(side_done) struct side after = {.fd = -1};
    int r = open_other(j, &other);
    if (r == 0)
        r = make_sides(j, &other, &before, &after);
    if (r)
        return r;
    join(j, &other);
    j->other_from_record = other.from_record;
    r = name_other(j, &other, &before.reply);
    if (r == 0)
        r = view_other(j, &other, &before.reply);
    return r ? r : compare(j, &before, &after, one_is_drawn(j, &other) ? WORK_FLAT : 0);
}
