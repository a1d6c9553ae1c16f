/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view: a source becomes pixels. The flow is the list `steps` below; a step returns 0 to go on, 1 when the result is
 * settled (a refusal, or at the end the perception), or a fault.
 */
#include <errno.h>
#include <stdarg.h>

#include "api/context.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/text.h"
#include "percept/note.h"
#include "source/sniff.h"

struct job {
    fovea *f;
    const struct fovea_view_request *request;
    struct fovea_fault *fault;
    fovea_result *result;

    const char *ref;           /* what to open: the request's path, or that of an earlier view */
    struct view_memory earlier; /* when the path is view:ID */
    struct ref_variants variants;
    struct snapshot snapshot;
    struct sniff sniff;
    struct work_request work;
    enum pool_end end;
    struct pool_output output;
    uint8_t sha256[SHA256_LEN];
    int hashed; /* what hashing returned; 1 before it ran */
    struct perception seen;
};

__attribute__((format(printf, 3, 4))) static int refuse(struct job *j, enum reason reason, const char *format, ...)
{
    auto_free char *words = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&words, format, args);
    va_end(args);
    if (len < 0)
        words = NULL;
    j->result = words ? result_refused(reason, "%s", words) : NULL;
    return j->result ? 1 : fault_oom(j->fault);
}

/* A refusal that opens with the source's name. */
static int refuse_named(struct job *j, enum reason reason, const char *words)
{
    auto_buf b = BUF_INIT(64 * KIB);
    (void)add_quoted(&b, j->request->path);
    (void)buf_add_str(&b, words);
    return b.error ? fault_oom(j->fault) : refuse(j, reason, "%s", b.data);
}

static bool is_handle(const char *path)
{
    return !strncmp(path, "view:", 5);
}

/* ---------------------------------------------------------------- steps */

static int step_allowed(struct job *j)
{
    if (!j->request->path || !*j->request->path)
        return refuse(j, REASON_INVALID_INPUT, "\"path\" is missing: name the picture to see");
    if (j->f->config.block_images)
        return refuse(j, REASON_BLOCKED,
                      "showing images is disabled by settings (images.blockImages: true); set it to false to use view");
    if (j->request->page > 1)
        return refuse(j, REASON_INVALID_INPUT, "page %lld is past the end: a bitmap has 1 page",
                      (long long)j->request->page);
    return 0;
}

static int step_recall(struct job *j)
{
    j->ref = j->request->path;
    if (j->request->data || !is_handle(j->ref))
        return 0;
    if (!views_recall(j->f->views, j->ref, &j->earlier))
        return refuse_named(j, REASON_ABSENT, " is no view of this session; view the file by its path");
    j->ref = j->earlier.ref;
    return 0;
}

/* A box in the pixels of an earlier view, in pixels of its source. */
static struct fit_box from_view(const struct fovea_box *box, const struct view_memory *m)
{
    double sx = (double)m->crop.w / m->size.w, sy = (double)m->crop.h / m->size.h;
    return (struct fit_box){.x = m->crop.x + box->x * sx, .y = m->crop.y + box->y * sy, .w = box->w * sx,
                            .h = box->h * sy, .space = FIT_SOURCE, .set = 1};
}

static int region_in_view(struct job *j)
{
    const char *id = j->request->view ? j->request->view : j->earlier.ref ? j->earlier.id : NULL;
    struct view_memory m = {0};
    if (!id)
        return refuse(j, REASON_INVALID_INPUT, "space \"view\" needs \"view\": the view:ID that the region was measured in");
    if (!views_recall(j->f->views, id, &m))
        return refuse(j, REASON_INVALID_INPUT, "no view of this session has that id; use space \"source\" or \"unit\"");
    j->work.region = from_view(&j->request->region, &m);
    j->work.frame = m.frame;
    view_memory_done(&m);
    return 0;
}

static int step_region(struct job *j)
{
    const struct fovea_view_request *q = j->request;
    const struct view_memory *m = &j->earlier;
    if (q->region.set && q->space && !strcmp(q->space, "view")) {
        int r = region_in_view(j);
        if (r)
            return r;
    } else if (q->region.set) {
        j->work.region = (struct fit_box){q->region.x, q->region.y, q->region.w, q->region.h,
                                          q->space && !strcmp(q->space, "unit") ? FIT_UNIT : FIT_SOURCE, 1};
    } else if (m->ref && m->region) {
        j->work.region = (struct fit_box){m->crop.x, m->crop.y, m->crop.w, m->crop.h, FIT_SOURCE, 1};
    }
    if (m->ref)
        j->work.frame = m->frame;
    if (q->frame)
        j->work.frame = (uint32_t)q->frame;
    return 0;
}

static int step_take(struct job *j)
{
    uint64_t cap = (uint64_t)j->f->config.view_max_bytes;
    enum snapshot_verdict verdict = SNAPSHOT_TAKEN;
    int r;
    if (j->request->data && j->request->data_len > cap) {
        verdict = SNAPSHOT_TOO_LARGE;
        j->snapshot.file_size = j->request->data_len;
    } else if (j->request->data) {
        r = snapshot_of(j->request->data, j->request->data_len, &j->snapshot, j->fault);
        if (r < 0)
            return r;
    } else {
        r = ref_variants(j->ref, j->f->home, &j->variants);
        if (r == -EINVAL)
            return refuse_named(j, REASON_INVALID_INPUT, " is no path; give one such as shots/a.png or /abs/a.png");
        if (r < 0)
            return fault_oom(j->fault);
        r = snapshot_take(j->f->gate, &j->variants, cap, &verdict, &j->snapshot, j->fault);
        if (r < 0)
            return r;
    }
    if (verdict == SNAPSHOT_TAKEN)
        return 0;
    j->result = refuse_source(verdict, j->request->path, j->snapshot.file_size, cap, REASON_UNPERCEIVABLE_TYPE);
    return j->result ? 1 : fault_oom(j->fault);
}

static int step_sniff(struct job *j)
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

static int step_perceivable(struct job *j)
{
    static const char *const words[] = {
        [CLASS_BINARY] = " is no picture by its content; view shows PNG, JPEG, GIF and WebP",
        [CLASS_PICTURE] = ", which this version cannot show; convert it to PNG first",
        [CLASS_VECTOR] = ", which this version cannot draw; use read for its markup, or convert it to PNG",
        [CLASS_DOCUMENT] = ", which this version cannot draw; convert the page to PNG first",
        [CLASS_VIDEO] = ", which this version cannot show; extract a frame as PNG first",
        [CLASS_TEXT] = " is text by its content, not a picture; use read",
    };
    const struct media_row *row = media_row(j->sniff.media);
    auto_buf b = BUF_INIT(4 * KIB);
    if (row->class == CLASS_BITMAP)
        return 0;
    if (!j->snapshot.size)
        return refuse_named(j, REASON_UNPERCEIVABLE_TYPE, " is empty; it holds no picture");
    if (row->class != CLASS_BINARY && row->class != CLASS_TEXT)
        (void)buf_add_format(&b, " is %s", row->name);
    (void)buf_add_str(&b, words[row->class]);
    return b.error ? fault_oom(j->fault) : refuse_named(j, REASON_UNPERCEIVABLE_TYPE, b.data);
}

static int step_plan(struct job *j)
{
    const struct config *c = &j->f->config;
    const struct fovea_view_request *q = j->request;
    bool full = q->detail && !strcmp(q->detail, "full");
    const struct token_rule *rule = q->model ? tokens_rule(q->model, full) : NULL;
    struct fit_limits l = {
        .max_edge = (uint32_t)c->max_dimension,
        .min_edge = (uint32_t)c->min_dimension,
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
    j->work.limits = l;
    j->work.magic = WORK_MAGIC;
    j->work.media = j->sniff.media;
    j->work.input_len = j->snapshot.size;
    j->work.flags = j->f->no_webp ? 0 : WORK_WEBP_OK;
    j->work.preview_w = MIN(q->preview_columns, LIMIT_PREVIEW_SIDE);
    j->work.preview_h = MIN(q->preview_rows, LIMIT_PREVIEW_SIDE);
    return 0;
}

/* While the worker decodes, this process has nothing to do but hash. */
static void hash_snapshot(void *arg)
{
    struct job *j = arg;
    j->hashed = sha256_fd(j->snapshot.fd, j->snapshot.size, j->sha256);
}

static int step_decode(struct job *j)
{
    j->hashed = 1;
    int r = pool_run(j->f->pool, &j->work, j->snapshot.fd, LIMIT_WORKER_MS, hash_snapshot, j, &j->end, &j->output,
                     j->fault);
    if (r < 0)
        return r;
    if (j->hashed > 0)
        hash_snapshot(j);
    return j->hashed < 0 ? fault_set(j->fault, j->hashed, "cannot read back a snapshot") : 0;
}

static int step_same_source(struct job *j)
{
    if (!j->earlier.ref || !memcmp(j->earlier.sha256, j->sha256, SHA256_LEN))
        return 0;
    return refuse_named(j, REASON_ABSENT, " shows a file that has changed since; view it again by its path");
}

static int step_outcome(struct job *j)
{
    const struct work_reply *r = &j->output.reply;
    auto_buf b = BUF_INIT(4 * KIB);
    if (j->end == POOL_TIMED_OUT)
        return refuse_named(j, REASON_TIMED_OUT, " took too long to decode; try a smaller copy of it");
    if (j->end == POOL_DIED)
        return refuse_named(j, REASON_MALFORMED, " broke its decoder, so it is damaged or hostile; get a good copy of it");
    switch ((enum work_status)r->status) {
    case WORK_OK:
        return 0;
    case WORK_TOO_LARGE:
        (void)buf_add_format(&b, " is too large to decode: %s; show a smaller copy of it", r->detail);
        return refuse_named(j, REASON_TOO_LARGE, b.data ? b.data : "");
    case WORK_BAD_REGION:
        return refuse(j, REASON_INVALID_INPUT, "the region is empty or outside the picture, which is %ux%u",
                      r->source_w, r->source_h);
    case WORK_BAD_FRAME:
        return refuse(j, REASON_INVALID_INPUT, "frame %u is past the end: the picture has %u frame%s", j->work.frame,
                      r->frames, r->frames == 1 ? "" : "s");
    case WORK_NO_MEMORY:
        return refuse_named(j, REASON_TOO_LARGE, " needs more memory than a decoder may use; show a smaller copy of it");
    case WORK_UNSUPPORTED:
        (void)buf_add_format(&b, " is a %s of a kind that this version cannot decode: %s; convert it to plain PNG",
                             media_row(j->sniff.media)->name, r->detail);
        return refuse_named(j, REASON_UNPERCEIVABLE_TYPE, b.data ? b.data : "");
    case WORK_MALFORMED:
    case WORK_STATUS_COUNT:
        break;
    }
    (void)buf_add_format(&b, " does not decode in full (%s: %s); get a good copy of it", media_row(j->sniff.media)->name,
                         r->detail);
    return refuse_named(j, REASON_MALFORMED, b.data ? b.data : "");
}

/* Everything that decides the pixels, in one fixed spelling. */
static int make_id(struct job *j, struct perception *p)
{
    uint8_t digest[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    const struct fit_limits *l = &j->work.limits;
    auto_buf b = BUF_INIT(4 * KIB);
    sha256_hex(p->source.sha256, hex);
    (void)buf_add_format(&b, "%s page 1 frame %u region %u,%u,%u,%u fit %u,%u,%u,%u,%u,%u webp %u", hex,
                         p->frame ? p->frame : 1, p->crop.x, p->crop.y, p->crop.w, p->crop.h, l->max_edge, l->min_edge,
                         l->max_patches, l->max_bytes, l->quality, l->resize, j->work.flags & WORK_WEBP_OK);
    (void)buf_add_format(&b, " rule %u,%u,%u", l->rule.kind, l->rule.edge, l->rule.budget);
    if (b.error)
        return fault_oom(j->fault);
    sha256(b.data, b.len, digest);
    sha256_hex(digest, hex);
    (void)snprintf(p->id, sizeof p->id, "view:%.12s", hex);
    return 0;
}

static char *shown_new(const char *ref)
{
    auto_buf b = BUF_INIT(64 * KIB);
    if (utf8_valid(ref, strlen(ref)))
        return strdup(ref);
    (void)buf_add_shown(&b, ref, strlen(ref));
    return buf_take(&b);
}

static void fill_perception(struct job *j, struct perception *p)
{
    const struct work_reply *r = &j->output.reply;
    p->source.media = j->sniff.media;
    p->source.size = (struct size){r->source_w, r->source_h};
    p->source.bytes = j->snapshot.size;
    memcpy(p->source.sha256, j->sha256, SHA256_LEN);
    p->source.frames = r->frames;
    p->media = (enum media)r->media;
    p->size = (struct size){r->width, r->height};
    p->crop = r->crop;
    p->region = j->work.region.set;
    p->frame = j->work.frame;
    p->over_budget = r->facts & WORK_OVER_BUDGET;
    p->preview = (struct size){r->preview_w, r->preview_h};
    p->len = r->image_len;
    p->data = j->output.data;
    p->map_len = j->output.len;
    j->output.data = NULL; /* the perception unmaps it now */
    if (j->request->model)
        p->tokens = tokens_count(&j->work.limits.rule, p->size);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static int step_perceive(struct job *j)
{
    struct perception *p = &j->seen;
    uint32_t facts = j->output.reply.facts;
    fill_perception(j, p);
    p->ref = shown_new(j->request->path);
    p->model = j->request->model ? shown_new(j->request->model) : NULL;
    p->path = j->request->data ? NULL : absolute_new(j->f, j->variants.path[j->snapshot.variant]);
    if (!p->ref || (j->request->model && !p->model) || (!j->request->data && !p->path))
        return fault_oom(j->fault);
    p->note = note_new(p, base_name(j->ref),
                       facts & WORK_ON_WHITE ? NOTE_ON_WHITE : facts & WORK_ON_GREY ? NOTE_ON_GREY : NOTE_NO_GROUND);
    int r = p->note ? make_id(j, p) : fault_oom(j->fault);
    if (r < 0)
        return r;
    if (!j->request->data)
        views_remember(j->f->views, p, j->ref);
    j->result = result_of_perception(p);
    return j->result ? 1 : fault_oom(j->fault);
}

static int (*const steps[])(struct job *j) = {
    step_allowed, step_recall,      step_region,  step_take,    step_sniff,    step_perceivable,
    step_plan,    step_decode, step_same_source, step_outcome, step_perceive,
};

static void job_done(struct job *j)
{
    view_memory_done(&j->earlier);
    ref_variants_done(&j->variants);
    snapshot_done(&j->snapshot);
    pool_output_done(&j->output);
    perception_done(&j->seen);
}

int fovea_view(fovea *f, const struct fovea_view_request *request, fovea_result **ret, struct fovea_fault *fault)
{
    cleanup(job_done) struct job j = {.f = f, .request = request, .fault = fault, .snapshot = {.fd = -1}};
    int r = 0;
    pool_prepare(f->pool);
    for (size_t i = 0; !r && i < COUNT(steps); i++)
        r = steps[i](&j);
    if (r < 0)
        return r;
    *ret = j.result;
    return 0;
}
