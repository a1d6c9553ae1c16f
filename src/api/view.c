/* SPDX-License-Identifier: Apache-2.0 */
/* view: a source becomes pixels. The flow is the lists of steps at the end. */
#include "api/view.h"

#include <errno.h>

#include "api/take_url.h"
#include "api/tools.h"
#include "base/cancel.h"
#include "base/limits.h"

static int step_arguments(struct view_job *j)
{
    return tool_check("view", j->request, &j->result, j->fault);
}

static int step_allowed(struct view_job *j)
{
    const char *path = j->request->path;
    if (j->call->f->config.block_images)
        return view_settle(j, result_refused(REASON_BLOCKED,
                                             "showing images is disabled by settings (images.blockImages: true); set "
                                             "it to false to use view"));
    if (!j->request->data && is_url(path) && !j->call->f->config.network_view)
        return view_settle(j, refuse_named(REASON_BLOCKED, path,
                                           "is a URL, and view fetches none unless network.view is true in the config; "
                                           "save it to a file and view that"));
    return 0;
}

/* Whether the file of an earlier view may be opened here; *ret_may is left alone where nothing narrows. */
static int try_open(const struct view_job *j, const struct view_memory *m, bool *ret_may)
{
    const struct call *c = j->call;
    struct ref_variants one = {.n = 1, .path = {m->ref}};
    struct snapshot s = {.fd = -1};
    enum snapshot_verdict verdict;
    if (!c->scope.roots || is_url(m->ref))
        return 0;
    int r = snapshot_take(c->f->gate, &one, &c->scope, 0, &verdict, &s, j->fault); /* none of its bytes */
    if (r < 0)
        return r;
    snapshot_done(&s);
    *ret_may = verdict != SNAPSHOT_ABSENT && verdict != SNAPSHOT_TIMED_OUT;
    return 0;
}

/* An earlier view by its id, or settled with these words: one wording, whether nobody ever saw it, it was forgotten, or
 * it shows what this session may not see. The answer must not tell which. */
static int recall(struct view_job *j, const char *id, struct view_memory *ret, enum reason reason, const char *words)
{
    bool known = views_recall(j->call->f->views, id, ret);
    int r = known ? try_open(j, ret, &known) : 0;
    return r < 0 || known ? r : view_settle(j, refuse_named(reason, id, "%s", words));
}

static const char no_view[] = "is no view that can be shown again; view the file by its path, or its URL again";

static int step_recall(struct view_job *j)
{
    j->ref = j->request->path;
    if (j->request->data || j->given || j->literal)
        return 0;
    if (!strncmp(j->ref, "view:", 5)) {
        int r = recall(j, j->ref, &j->earlier, REASON_ABSENT, no_view);
        if (r)
            return r;
        j->ref = j->earlier.ref;
    }
    j->fetched = is_url(j->ref);
    return 0;
}

/* A box in the pixels of an earlier view, in pixels of its source. */
static struct fit_box from_view(const struct fovea_box *box, const struct view_memory *m)
{
    double sx = (double)m->crop.w / m->size.w, sy = (double)m->crop.h / m->size.h;
    return (struct fit_box){.x = m->crop.x + box->x * sx, .y = m->crop.y + box->y * sy, .w = box->w * sx,
                            .h = box->h * sy, .space = FIT_SOURCE, .set = 1};
}

static int region_in_view(struct view_job *j)
{
    const char *id = j->request->view ? j->request->view : j->earlier.ref ? j->earlier.id : NULL;
    if (!id)
        return view_settle(j, result_refused(REASON_INVALID_INPUT, "space \"view\" needs \"view\": the view:ID that the "
                                                                   "region was measured in"));
    int r = recall(j, id, &j->measured, REASON_INVALID_INPUT,
                   "is no view that a region can be measured in; use space \"source\" or \"unit\"");
    if (r)
        return r;
    j->work.region = from_view(&j->request->region, &j->measured);
    j->work.frame = j->measured.frame;
    return 0;
}

static int step_region(struct view_job *j)
{
    const struct fovea_view_request *q = j->request;
    const struct view_memory *m = &j->earlier;
    int r = 0;
    if (m->ref)
        j->work.frame = m->frame;
    if (q->region.set && (q->space ? !strcmp(q->space, "view") : q->view != NULL))
        r = region_in_view(j);
    else if (q->region.set)
        j->work.region = (struct fit_box){q->region.x, q->region.y, q->region.w, q->region.h,
                                          q->space && !strcmp(q->space, "unit") ? FIT_UNIT : FIT_SOURCE, 1};
    else if (m->ref && m->region)
        j->work.region = (struct fit_box){m->crop.x, m->crop.y, m->crop.w, m->crop.h, FIT_SOURCE, 1};
    if (q->frame)
        j->work.frame = (uint32_t)q->frame;
    return r;
}

static int take_file(struct view_job *j)
{
    int r = call_spellings(j->call, j->ref, &j->variants);
    if (r == -EINVAL)
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, j->request->path,
                                           "is no path; give one such as shots/a.png or /abs/a.png"));
    if (r < 0)
        return fault_oom(j->fault);
    return snapshot_take(j->call->f->gate, &j->variants, &j->call->scope, j->cap, &j->verdict, &j->snapshot, j->fault);
}

static int take_bytes(struct view_job *j)
{
    if (j->request->data_len <= j->cap)
        return snapshot_of(j->request->data, j->request->data_len, &j->snapshot, j->fault);
    j->snapshot.file_size = j->request->data_len;
    j->verdict = SNAPSHOT_TOO_LARGE;
    return 0;
}

static int take_fetched(struct view_job *j)
{
    struct fetch_result got;
    int r = take_url(j->call, j->ref, j->cap, &got, j->fault);
    if (r < 0)
        return r;
    j->snapshot = got.body; /* the job's from now on */
    j->net = got.reason;
    memcpy(j->net_words, got.words, sizeof j->net_words);
    return got.reason ? view_settle(j, refuse_fetch(&got, j->request->path, j->cap)) : 0;
}

static int step_take(struct view_job *j)
{
    j->verdict = SNAPSHOT_TAKEN;
    int r = j->given ? 0 : j->fetched ? take_fetched(j) : j->request->data ? take_bytes(j) : take_file(j);
    if (r || j->verdict == SNAPSHOT_TAKEN)
        return r;
    if (j->verdict == SNAPSHOT_ABSENT && j->earlier.ref)
        return view_settle(j, refuse_named(REASON_ABSENT, j->request->path, no_view));
    return view_settle(j, refuse_source(j->verdict, j->request->path, j->snapshot.file_size, j->cap,
                                        REASON_UNPERCEIVABLE_TYPE));
}

static int step_sniff(struct view_job *j)
{
    size_t len = MIN(j->snapshot.size, (uint64_t)LIMIT_SNIFF_BYTES);
    auto_free uint8_t *head = malloc(MAX(len, (size_t)1));
    if (!head)
        return fault_oom(j->fault);
    if (pread(j->snapshot.fd, head, len, 0) != (ssize_t)len)
        return fault_set(j->fault, EIO, "cannot read back a snapshot");
    sniff(head, len, j->snapshot.size, &j->sniff);
    return 0;
}

static int step_perceivable(struct view_job *j)
{
    static const struct {
        const char *is; /* NULL: the type's name */
        const char *advice;
    } rows[] = {
        [CLASS_BINARY] = {"no picture by its content", "view shows PNG, JPEG, GIF and WebP"},
        [CLASS_TEXT] = {"text by its content, not a picture", "use read"},
        [CLASS_PICTURE] = {NULL, "this version cannot show it, so convert it to PNG first"},
        [CLASS_VECTOR] = {NULL, "this version cannot draw it, so use read for its markup, or convert it to PNG"},
        [CLASS_DOCUMENT] = {NULL, "this version cannot draw it, so convert the page to PNG first"},
        [CLASS_VIDEO] = {NULL, "this version cannot show it, so extract a frame as PNG first"},
    };
    const struct media_row *row = media_row(j->sniff.media);
    const char *path = j->request->path, *is = rows[row->class].is;
    if (row->class == CLASS_BITMAP)
        return 0;
    if (!j->snapshot.size)
        return view_settle(j, refuse_named(REASON_UNPERCEIVABLE_TYPE, path, "is empty; it holds no picture"));
    return view_settle(j, refuse_named(REASON_UNPERCEIVABLE_TYPE, path, "is %s; %s", is ? is : row->name,
                                       rows[row->class].advice));
}

static int step_page(struct view_job *j)
{
    if (j->request->page <= 1)
        return 0;
    return view_settle(j, result_refused(REASON_INVALID_INPUT, "page %lld is past the end: %s has 1 page",
                                         (long long)j->request->page, media_row(j->sniff.media)->name));
}

/* What the config says, then the model, then the session, then the request: each narrows what came before. */
static struct fit_limits limits_of(const struct view_job *j)
{
    const struct config *c = &j->call->f->config;
    const struct fovea_view_request *q = j->request;
    bool full = q->detail && !strcmp(q->detail, "full");
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
    j->work.magic = WORK_MAGIC;
    j->work.media = j->sniff.media;
    j->work.input_len = j->snapshot.size;
    j->work.flags = j->call->no_webp || j->no_webp || !tokens_host_takes_webp(j->model) ? 0 : WORK_WEBP_OK;
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

/* A picture that was made before needs no worker, but the hash first. */
static bool seen_before(struct view_job *j)
{
    if (!cache_expects(j->call->f->cache, &j->work))
        return false;
    hash_snapshot(j);
    return !j->hash_error && cache_find(j->call->f->cache, j->sha256, &j->work, &j->output);
}

int view_hash(struct view_job *j)
{
    hash_snapshot(j);
    if (j->hash_error == -ECANCELED)
        return fault_cancelled(j->fault);
    return j->hash_error < 0 ? fault_set(j->fault, j->hash_error, "cannot read back a snapshot") : 0;
}

static int step_decode(struct view_job *j)
{
    if (seen_before(j))
        return 0;
    struct pool_job job = {.request = &j->work,
                           .input = j->snapshot.fd,
                           .limit_ms = LIMIT_WORKER_MS,
                           .cancel = j->call->scope.cancel,
                           .meanwhile = hash_snapshot,
                           .arg = j};
    int r = pool_run(j->call->f->pool, &job, &j->end, &j->output, j->fault);
    if (r == 0)
        r = view_hash(j);
    if (r < 0)
        return r;
    if (j->end == POOL_DONE)
        cache_keep(j->call->f->cache, j->sha256, &j->work, &j->output);
    return 0;
}

typedef int step(struct view_job *j);

static step *const opening[] = {step_recall, step_region, step_take, step_sniff, NULL};
static step *const planning[] = {step_perceivable, step_page, step_plan, NULL};
static step *const showing[] = {step_decode, view_same_source, view_outcome, view_perceive, NULL};

static int run(struct view_job *j, step *const *steps)
{
    int r = 0;
    for (; !r && *steps; steps++)
        r = cancel_struck(j->call->scope.cancel) ? fault_cancelled(j->fault) : (*steps)(j);
    return r;
}

int view_open(struct view_job *j)
{
    pool_prepare(j->call->f->pool);
    return run(j, opening);
}

int view_plan(struct view_job *j)
{
    return run(j, planning);
}

int view_show(struct view_job *j)
{
    return run(j, showing);
}

void view_job_done(struct view_job *j)
{
    view_memory_done(&j->earlier);
    view_memory_done(&j->measured);
    ref_variants_done(&j->variants);
    snapshot_done(&j->snapshot);
    pool_output_done(&j->output);
}

static step *const whole[] = {step_arguments, step_allowed, view_open, view_plan, view_show, NULL};

int view_run(const struct call *c, const void *request, fovea_result **ret, struct fovea_fault *fault)
{
    cleanup(view_job_done) struct view_job j = {.call = c,
                                                .request = request,
                                                .fault = fault,
                                                .cap = (uint64_t)c->f->config.view_max_bytes,
                                                .snapshot = {.fd = -1}};
    int r = run(&j, whole);
    if (r < 0)
        return r;
    *ret = j.result;
    return 0;
}
