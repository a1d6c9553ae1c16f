/* SPDX-License-Identifier: Apache-2.0 */
/* view: a source becomes pixels. The flow is the lists of steps at the end; how the source is had is view_open.c. */
#include "api/view.h"

#include <errno.h>

#include "api/tools.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/text.h"

static int step_arguments(struct view_job *j)
{
    return tool_check("view", j->request, &j->result, j->fault);
}

int view_allowed(struct view_job *j)
{
    const char *path = j->request->path;
    if (j->call->f->config.block_images)
        return view_settle(j, result_refused(REASON_BLOCKED,
                                             "showing images is disabled by settings (images.blockImages: true); set "
                                             "it to false to use view"));
    if (!j->request->data && ref_is_url(path) && !j->call->f->config.network_view)
        return view_settle(j, refuse_named(REASON_BLOCKED, path,
                                           "is a URL, and view fetches none unless network.view is true in the config; "
                                           "save it to a file and view that"));
    return 0;
}

/* Bytes that some editor may have written. */
struct near_text {
    size_t len, high, controls; /* of them, from 0x80 on; and those that text has none of */
    size_t control, foreign;    /* which is the first of these, and the first that is not UTF-8; from 1 on, 0 none */
    bool zeros;
};

static struct near_text look_for_text(const struct view_job *j)
{
    auto_free uint8_t *head = malloc(LIMIT_SNIFF_BYTES);
    ssize_t n = head ? pread(j->snapshot.fd, head, LIMIT_SNIFF_BYTES, 0) : 0;
    struct near_text t = {.len = n > 0 ? (size_t)n : 0};
    for (size_t i = 0; i < t.len; i++) {
        bool control = head[i] == 0x7f || (head[i] < 0x20 && (head[i] < 7 || head[i] > 13) && head[i] != 27);
        t.control = control && !t.control ? i + 1 : t.control;
        t.controls += control;
        t.zeros |= !head[i];
        t.high += head[i] >= 0x80;
    }
    size_t good = t.len ? utf8_valid_prefix((const char *)head, t.len) : 0;
    t.foreign = t.len - good < 4 && t.len == LIMIT_SNIFF_BYTES ? 0 : good < t.len ? good + 1 : 0;
    return t;
}

/* Most of a text in another encoding is ASCII; a control character or two are a slip. */
static int refuse_unknown(struct view_job *j)
{
    struct near_text t = look_for_text(j);
    if (t.foreign && !t.control && t.high <= t.len / 2)
        return view_settle(j, refuse_named(REASON_UNPERCEIVABLE_TYPE, j->request->path,
                                           "is not UTF-8 from byte %zu on; if it is text in another encoding, convert it first, "
                                           "for instance with iconv", t.foreign));
    if (!t.foreign && !t.zeros && t.controls && t.controls <= t.len / 2)
        return view_settle(j, refuse_named(REASON_UNPERCEIVABLE_TYPE, j->request->path,
                                           "has a control character at byte %zu and is not taken for text; use read for what it "
                                           "says", t.control));
    return view_settle(j, refuse_named(REASON_UNPERCEIVABLE_TYPE, j->request->path,
                                       "is nothing that can be shown, by its content; view shows pictures, SVG, PDF, text "
                                       "and videos"));
}

static int step_perceivable(struct view_job *j)
{
    const char *path = j->request->path;
    if (!j->snapshot.size)
        return view_settle(j, refuse_named(REASON_UNPERCEIVABLE_TYPE, path, "is empty; it holds no picture"));
    if (j->sniff.media == MEDIA_TEXT && view_promises_pixels(path))
        return view_settle(j, refuse_named(REASON_UNPERCEIVABLE_TYPE, path,
                                           "is text by its content, not what its name says; use read to see what it holds"));
    if (media_row(j->sniff.media)->program != PROGRAM_NONE)
        return 0;
    return refuse_unknown(j);
}

/* What the config says, then the model, then the session, then the request: each narrows what came before. */
static struct fit_limits limits_of(const struct view_job *j)
{
    const struct config *c = &j->call->f->config;
    const struct fovea_view_request *q = j->request;
    bool full = view_is_full(q);
    const struct token_rule *rule = j->model ? tokens_rule(j->model, full) : NULL;
    struct fit_limits l = {
        .max_edge = (uint32_t)c->max_dimension,
        .min_edge = (uint32_t)c->min_dimension,
        .max_patches = rule ? 0 : j->call->max_patches,
        .max_bytes = (uint32_t)c->max_bytes,
        .quality = (uint32_t)c->jpeg_quality,
        .resize = c->auto_resize,
    };
    if (rule)
        l.rule = *rule;
    if (full && rule)
        l.max_edge = rule->edge ? rule->edge : LIMIT_SIDE;
    if (q->max_edge)
        l.max_edge = (uint32_t)q->max_edge;
    if (j->call->max_image && j->call->max_image < l.max_bytes)
        l.max_bytes = (uint32_t)j->call->max_image;
    return l;
}

static int step_plan(struct view_job *j)
{
    const struct fovea_view_request *q = j->request;
    j->model = q->model ? q->model : j->call->main;
    j->work.limits = limits_of(j);
    view_layout(j);
    j->work.magic = WORK_MAGIC;
    j->work.media = j->sniff.media;
    j->work.input_len = j->snapshot.size;
    j->work.flags = j->call->no_webp || j->no_webp || !tokens_host_takes_webp(j->model) ? 0 : WORK_WEBP_OK;
    j->work.flags |= j->no_gif ? WORK_NO_GIF : 0;
    j->work.preview_w = MIN(q->preview_width, LIMIT_PREVIEW_SIDE);
    j->work.preview_h = MIN(q->preview_height, LIMIT_PREVIEW_SIDE);
    return 0;
}

/* While the worker decodes, this process has nothing to do but hash. */
static void hash_snapshot(void *arg)
{
    struct view_job *j = arg;
    if (j->hashed)
        return;
    j->hash_error = sha256_fd(j->snapshot.fd, j->snapshot.size, j->call->scope.cancel, j->sha256);
    j->hashed = true;
}

/* What the pixels are made from: the source, and what else went to the worker. */
static void cache_key(const struct view_job *j, uint8_t ret[SHA256_LEN])
{
    uint8_t both[2 * SHA256_LEN];
    memcpy(ret, j->sha256, SHA256_LEN);
    if (!j->joined)
        return;
    memcpy(both, j->sha256, SHA256_LEN);
    memcpy(both + SHA256_LEN, j->other_sha256, SHA256_LEN);
    sha256(both, sizeof both, ret);
}

/* A picture that was made before needs no worker, but the hash first. */
static bool seen_before(struct view_job *j)
{
    uint8_t key[SHA256_LEN];
    if (!cache_expects(j->call->f->cache, &j->work))
        return false;
    hash_snapshot(j);
    cache_key(j, key);
    return !j->hash_error && cache_find(j->call->f->cache, key, &j->work, &j->output);
}

int view_hash(struct view_job *j)
{
    hash_snapshot(j);
    if (j->hash_error == -ECANCELED)
        return fault_cancelled(j->fault);
    return j->hash_error < 0 ? fault_set(j->fault, j->hash_error, "cannot read back a snapshot") : 0;
}

int view_time_left(const struct view_job *j)
{
    int64_t most = j->call->f->config.view_timeout_ms, left = j->until - clock_ms();
    return j->until ? (int)MAX(MIN(left, most), 1) : (int)most;
}

static int step_decode(struct view_job *j)
{
    if (seen_before(j))
        return 0;
    struct pool_job job = {.request = &j->work,
                           .input = j->snapshot.fd,
                           .other = j->other,
                           .limit_ms = view_time_left(j),
                           .cancel = j->call->scope.cancel,
                           .meanwhile = hash_snapshot,
                           .arg = j};
    struct pool *pool;
    int r = programs_pool(j->call->f->programs, media_row(j->sniff.media)->program, &pool, j->fault);
    if (r == 0)
        r = pool_run(pool, &job, &j->end, &j->output, j->fault);
    if (r == 0)
        r = view_hash(j);
    if (r < 0)
        return r;
    uint8_t key[SHA256_LEN];
    cache_key(j, key);
    if (j->end == POOL_DONE)
        cache_keep(j->call->f->cache, key, &j->work, &j->output);
    return 0;
}

static view_step *const planning[] = {step_perceivable, view_may_draw, step_plan, view_choose, NULL};
static view_step *const showing[] = {view_insets, step_decode, view_same_source, view_outcome, view_perceive, NULL};
static view_step *const comparing[] = {view_against, view_outcome, view_perceive, NULL};

int view_steps(struct view_job *j, view_step *const *steps)
{
    int r = 0;
    for (; !r && *steps; steps++)
        r = cancel_struck(j->call->scope.cancel) ? fault_cancelled(j->fault) : (*steps)(j);
    return r;
}

int view_plan(struct view_job *j)
{
    return view_steps(j, planning);
}

int view_show(struct view_job *j)
{
    return view_steps(j, j->request->against ? comparing : showing);
}

void view_job_done(struct view_job *j)
{
    view_memory_done(&j->earlier);
    view_memory_done(&j->measured);
    ref_variants_done(&j->variants);
    snapshot_done(&j->snapshot);
    if (j->work.other_len)
        close_fd(j->other);
    difference_done(&j->difference);
    pool_output_done(&j->output);
}

static view_step *const whole[] = {step_arguments, view_combines, view_allowed, view_open, view_plan, view_show, NULL};

int view_run(const struct call *c, const void *request, fovea_result **ret, struct fovea_fault *fault)
{
    cleanup(view_job_done) struct view_job j = {.call = c,
                                                .request = request,
                                                .fault = fault,
                                                .renews = true,
                                                .compares = true,
                                                .cap = (uint64_t)c->f->config.view_max_bytes,
                                                .video_cap = (uint64_t)c->f->config.view_max_video_bytes,
                                                .snapshot = {.fd = -1}};
    int r = view_steps(&j, whole);
    if (r < 0)
        return r;
    *ret = j.result;
    return 0;
}
