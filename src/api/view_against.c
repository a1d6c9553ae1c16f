/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Differences: the source and the one that `against` names are each decoded (or drawn) by their own program into plain pixels,
 * bitmaps at full size, and one more worker, which sees nothing but those pixels, compares them and shows what changed.
 */
#include <errno.h>
#include <string.h>

#include "api/view.h"
#include "base/io.h"
#include "base/limits.h"

/* One side of the comparison. */
struct side {
    int fd; /* rows of RGBA, sealed */
    struct work_reply reply;
};

static void side_done(struct side *s)
{
    close_fd(s->fd);
}

static void hash_side(void *arg)
{
    (void)view_hash(arg); /* which remembers what went wrong */
}

/* The pixels themselves, before anything is fitted to a model; what is drawn has none until it is. */
static struct work_request rows_request(const struct view_job *j)
{
    struct work_request w = j->work;
    w.flags = (w.flags & WORK_TIME) | WORK_RGBA;
    w.preview_w = w.preview_h = 0;
    if (!media_drawn(j->sniff.media))
        w.limits = (struct fit_limits){.max_bytes = w.limits.max_bytes, .quality = w.limits.quality};
    return w;
}

/* 0, 1 with a refusal that names this side, or a fault. */
static int make_rows(struct view_job *j, struct side *ret)
{
    struct work_request request = rows_request(j);
    struct pool_job job = {.request = &request,
                           .input = j->snapshot.fd,
                           .other = -1,
                           .limit_ms = (int)j->call->f->config.view_timeout_ms,
                           .cancel = j->call->scope.cancel,
                           .meanwhile = hash_side,
                           .arg = j};
    struct pool *pool;
    ret->fd = memory_open("fovea-rows");
    if (ret->fd < 0)
        return fault_set(j->fault, ret->fd, "cannot make memory for a picture: %s", strerrordesc_np(-ret->fd));
    int r = programs_pool(j->call->f->programs, media_row(j->sniff.media)->program, &pool, j->fault);
    if (r == 0)
        r = pool_run_into(pool, &job, ret->fd, &j->end, &j->output, j->fault);
    if (r == 0)
        r = view_hash(j);
    if (r == 0)
        r = view_same_source(j);
    if (r == 0)
        r = view_refuse_end(j);
    ret->reply = j->output.reply;
    pool_output_done(&j->output);
    return r;
}

/* ---------------------------------------------------------------- the other source */

/* What the request says of one holds for both; an earlier view that is compared with keeps what it showed otherwise. */
static void same_part(const struct view_job *j, struct view_job *other)
{
    if (j->work.region.set)
        other->work.region = j->work.region;
    if (j->work.page)
        other->work.page = j->work.page;
    if (j->work.frame || j->timed) {
        other->work.frame = j->work.frame;
        other->work.time_ms = j->work.time_ms;
        other->timed = j->timed;
    }
}

/* 0, 1 with a refusal that names it, or a fault. */
static int other_rows(const struct view_job *j, struct view_job *other, struct side *ret)
{
    int r = view_allowed(other);
    if (r == 0)
        r = view_open(other);
    if (r)
        return r;
    same_part(j, other);
    if (other->sheet || other->work.last_page)
        return view_settle(other, refuse_named(REASON_INVALID_INPUT, other->request->path,
                                               "shows several pictures; compare with one of them"));
    r = view_plan(other);
    if (!other->work.layout.max_bytes) /* page by page, or nothing is where it was */
        other->work.layout = j->work.layout;
    return r ? r : make_rows(other, ret);
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
        d->boxes[d->n_boxes++] = (struct area){own->crop.x + c.x * sx, own->crop.y + c.y * sy, c.w * sx, c.h * sy};
    }
    return 0;
}

/* The picture is of both; all that is said of the source stays what it was. */
static void keep_source(struct view_job *j, const struct work_reply *own)
{
    struct work_reply *r = &j->output.reply;
    r->source_w = own->source_w;
    r->source_h = own->source_h;
    r->frames = own->frames;
    r->pages = own->pages;
    r->crop = own->crop;
    r->time_ms = own->time_ms;
    r->duration_ms = own->duration_ms;
    r->facts |= own->facts & (WORK_TILED | WORK_APPROXIMATE);
}

static int compare(struct view_job *j, const struct side *before, const struct side *after)
{
    struct work_request request = {
        .magic = WORK_MAGIC,
        .input_len = before->reply.image_len,
        .flags = (j->work.flags & (WORK_WEBP_OK | WORK_NO_GIF)) | WORK_DIFF,
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
                           .input = before->fd,
                           .other = after->fd,
                           .limit_ms = (int)j->call->f->config.view_timeout_ms,
                           .cancel = j->call->scope.cancel};
    int r = pool_run(j->call->f->pool, &job, &j->end, &j->output, j->fault);
    if (r < 0 || j->end != POOL_DONE || j->output.reply.status != WORK_OK)
        return r;
    j->difference.changed = j->output.reply.changed;
    j->difference.size = (struct size){before->reply.width, before->reply.height};
    j->difference.own = (struct size){after->reply.width, after->reply.height};
    r = take_boxes(j, &after->reply);
    if (r == 0)
        keep_source(j, &after->reply);
    return r;
}

int view_against(struct view_job *j)
{
    const struct fovea_view_request *q = j->request;
    const struct fovea_view_request second = {.path = q->against, .max_edge = q->max_edge, .detail = q->detail,
                                              .model = q->model};
    cleanup(view_job_done) struct view_job other = {.call = j->call, .request = &second, .fault = j->fault, .cap = j->cap,
                                                    .video_cap = j->video_cap, .snapshot = {.fd = -1}};
    cleanup(side_done) struct side before = {.fd = -1};
    cleanup(side_done) struct side after = {.fd = -1};
    int r = make_rows(j, &after);
    if (r)
        return r;
    r = other_rows(j, &other, &before);
    if (r > 0)
        j->result = other.result;
    if (r)
        return r;
    j->difference.made = j->joined = true;
    memcpy(j->other_sha256, other.sha256, SHA256_LEN);
    const char *opened = other.variants.n ? other.variants.path[other.snapshot.variant] : NULL;
    if (!(j->difference.name = view_name_new(&other, opened)))
        return fault_oom(j->fault);
    r = view_other(j, &other, &before.reply);
    return r ? r : compare(j, &before, &after);
}
