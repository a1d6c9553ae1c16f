/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a view: the worker's answer, already checked by the pool, as a refusal or a perception. */
#include "api/view.h"

#include "api/recording.h"
#include "base/limits.h"
#include "base/text.h"
#include "percept/note.h"

int view_same_source(struct view_job *j)
{
    if (j->earlier.ref && memcmp(j->earlier.sha256, j->sha256, SHA256_LEN) != 0)
        return view_settle(j, refuse_named(REASON_ABSENT, j->earlier.id,
                                           "shows a file that has changed since; view it again by its path"));
    if (j->measured.ref && memcmp(j->measured.sha256, j->sha256, SHA256_LEN) != 0)
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, j->measured.id,
                                           "shows another picture, or this one before it changed; view it again and "
                                           "measure the region there"));
    return 0;
}

static fovea_result *refuse_reply(const struct view_job *j)
{
    const struct work_reply *r = &j->output.reply;
    const char *path = j->request->path, *name = media_row(j->sniff.media)->name;
    switch ((enum work_status)r->status) {
    case WORK_TOO_LARGE:
        return refuse_named(REASON_TOO_LARGE, path, "is too large to decode: %s; show a smaller copy of it", r->detail);
    case WORK_NO_MEMORY:
        return refuse_named(REASON_TOO_LARGE, path,
                            "needs more memory than a decoder may use; show a smaller copy of it");
    case WORK_BAD_REGION:
        return result_refused(REASON_INVALID_INPUT, "the region is empty or outside the picture, which is %ux%u",
                              r->source_w, r->source_h);
    case WORK_BAD_FRAME:
        return result_refused(REASON_INVALID_INPUT, "frame %u is past the end: the picture has %u frame%s",
                              j->work.frame, r->frames, r->frames == 1 ? "" : "s");
    case WORK_UNSUPPORTED:
        return refuse_named(REASON_UNPERCEIVABLE_TYPE, path,
                            "is a %s of a kind that this version cannot decode: %s; convert it to plain PNG", name,
                            r->detail);
    case WORK_BAD_PAGE:
        return result_refused(REASON_INVALID_INPUT, "page %u is past the end: %s has %u page%s", j->work.page, name, r->pages,
                              r->pages == 1 ? "" : "s");
    case WORK_BAD_TIME:
        return result_refused(REASON_INVALID_INPUT, "that time is past the end: %s", r->detail);
    case WORK_LOCKED:
        return refuse_named(REASON_UNPERCEIVABLE_TYPE, path, "is encrypted; give a copy that needs no password");
    case WORK_OK:
    case WORK_MALFORMED:
    case WORK_STATUS_COUNT:
        break;
    }
    return refuse_named(REASON_MALFORMED, path, "does not decode in full (%s: %s); get a good copy of it", name,
                        r->detail);
}

/* More than the host takes: sent all the same, it would break there without a word of why. */
static fovea_result *refuse_size(const struct view_job *j)
{
    char has[32], may[32];
    show_over(j->output.reply.image_len, j->call->max_image, has, may);
    if (!j->work.limits.resize)
        return refuse_named(REASON_TOO_LARGE, j->request->path,
                            "has %s as it is, and this host takes %s; set images.autoResize to true, or show a smaller "
                            "copy of it", has, may);
    return refuse_named(REASON_TOO_LARGE, j->request->path,
                        "cannot be shown in less than %s, and this host takes %s; ask for less of it with region, or "
                        "for a smaller max_edge", has, may);
}

int view_outcome(struct view_job *j)
{
    const char *path = j->request->path;
    if (j->end == POOL_TIMED_OUT)
        return view_settle(j, refuse_named(REASON_TIMED_OUT, path, "took too long to decode; try a smaller copy of it"));
    if (j->end == POOL_DIED)
        return view_settle(j, refuse_named(REASON_MALFORMED, path,
                                           "broke its decoder, so it is damaged or hostile; get a good copy of it"));
    if (j->output.reply.status != WORK_OK)
        return view_settle(j, refuse_reply(j));
    return j->call->max_image && j->output.reply.image_len > j->call->max_image ? view_settle(j, refuse_size(j)) : 0;
}

/* Everything that decides the pixels, in one fixed spelling, hashed. */
static int make_id(const struct view_job *j, struct perception *p)
{
    uint8_t digest[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    const struct fit_limits *l = &j->work.limits;
    auto_buf b = BUF_INIT(4 * KIB);
    sha256_hex(p->source.sha256, hex);
    (void)buf_add_format(&b, "%s page 1 frame %u region %.17g,%.17g,%.17g,%.17g fit %u,%u,%u,%u,%u,%u webp %u", hex,
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

/* As JSON can hold it. */
static char *shown_new(const char *s)
{
    auto_buf b = BUF_INIT(64 * KIB);
    if (utf8_valid(s, strlen(s)))
        return strdup(s);
    (void)buf_add_shown(&b, s, strlen(s));
    return buf_take(&b);
}

/* The facts, and the picture itself: the perception unmaps it from now on. */
static struct perception perception_of(struct view_job *j)
{
    const struct work_reply *r = &j->output.reply;
    struct perception p = {
        .source = {.media = j->sniff.media, .size = {r->source_w, r->source_h}, .bytes = j->snapshot.size,
                   .frames = r->frames},
        .media = (enum media)r->media,
        .size = {r->width, r->height},
        .crop = r->crop,
        .region = j->work.region.set,
        .frame = j->work.frame,
        .over_budget = r->facts & WORK_OVER_BUDGET,
        .preview = {r->preview_w, r->preview_h},
        .data = j->output.data,
        .len = r->image_len,
        .map_len = j->output.len,
    };
    memcpy(p.source.sha256, j->sha256, SHA256_LEN);
    j->output.data = NULL;
    return p;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* What the note calls the source: the file's own name. A query is no name, and may hold what is nobody's business. */
static char *name_new(const struct view_job *j, const struct perception *p)
{
    if (j->nameless)
        return strdup("The picture,");
    const char *path = j->from_record ? j->earlier.ref : j->request->path;
    const char *url = j->fetched ? j->ref : (j->given || j->from_record) && ref_is_url(path) ? path : NULL;
    if (!url)
        return strdup(base_name(p->path ? p->path : !strcmp(path, "-") ? "stdin" : path));
    auto_free char *plain = strndup(url, strcspn(url, "?#"));
    return plain ? shown_new(base_name(plain)) : NULL;
}

/* The reader must know that the file has something else by now, or nothing. */
static char *with_origin(const struct view_job *j, const char *note)
{
    auto_buf b = BUF_INIT(128 * KIB);
    (void)buf_add_str(&b, note);
    if (j->from_record && !j->nameless && *j->earlier.ref == '/')
        (void)buf_add_str(&b, " Shown from the record: the file is gone or has changed since.");
    return buf_take(&b);
}

static int describe(struct view_job *j, struct perception *p)
{
    const struct fovea_view_request *q = j->request;
    uint32_t facts = j->output.reply.facts;
    /* Of the main, the provider is the host's own business. */
    const char *model = j->nameless ? NULL : j->model == q->model ? j->model : strchr(j->model, '/') + 1;
    if (!(p->ref = shown_new(q->path)) || (model && !(p->model = shown_new(model))))
        return fault_oom(j->fault);
    const char *opened = j->variants.n ? j->variants.path[j->snapshot.variant] : NULL;
    const char *path = opened || !j->from_record || *j->earlier.ref != '/' ? opened : j->earlier.ref;
    if (path && !(p->path = absolute_new(path)))
        return fault_oom(j->fault);
    if (j->question && !(p->question = strdup(j->question)))
        return fault_oom(j->fault);
    if (model)
        p->tokens = tokens_count(&j->work.limits.rule, p->size);
    auto_free char *name = name_new(j, p);
    if (!name)
        return fault_oom(j->fault);
    auto_free char *note = note_new(
        p, name, facts & WORK_ON_WHITE ? NOTE_ON_WHITE : facts & WORK_ON_GREY ? NOTE_ON_GREY : NOTE_NO_GROUND);
    if (!note || !(p->note = with_origin(j, note)))
        return fault_oom(j->fault);
    return make_id(j, p);
}

/* What to open to see it once more; NULL when nothing can be. */
static const char *again_by(const struct view_job *j)
{
    if (j->variants.n)
        return j->variants.path[j->snapshot.variant];
    if (j->fetched)
        return j->ref;
    return j->given && ref_is_url(j->request->path) && j->call->f->config.network_view ? j->request->path : NULL;
}

int view_perceive(struct view_job *j)
{
    cleanup(perception_done) struct perception p = perception_of(j);
    int r = describe(j, &p);
    if (r < 0)
        return r;
    const char *again = again_by(j);
    p.again = again || (j->call->kept && recording_takes(j->call->f, j->snapshot.size));
    r = recording_source(j->call, &j->snapshot, j->fault);
    if (r < 0)
        return r;
    if (again)
        views_remember(j->call->f->views, &p, again);
    return view_settle(j, result_of_perception(&p));
}
