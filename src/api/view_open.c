/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source of a view: from a file, a URL, bytes, or an earlier view. A view:ID is what this process remembers; within a session that
 * has a name, also what its record knows, with the bytes as they were where the file is gone or has changed.
 */
#include <errno.h>
#include <math.h>

#include "api/recorded.h"
#include "api/take_url.h"
#include "api/view.h"
#include "base/limits.h"

/* Whether a file of an earlier view may be opened here; *ret_may is left alone where nothing narrows. */
static int try_open(const struct view_job *j, char *path, bool *ret_may)
{
    const struct call *c = j->call;
    struct ref_variants one = {.n = 1, .path = {path}};
    struct snapshot s = {.fd = -1};
    enum snapshot_verdict verdict;
    if (!c->scope.roots || !path || ref_is_url(path))
        return 0;
    int r = snapshot_take(c->f->gate, &one, &c->scope, 0, &verdict, &s, j->fault); /* none of its bytes */
    if (r < 0)
        return r;
    snapshot_done(&s);
    *ret_may = verdict != SNAPSHOT_ABSENT && verdict != SNAPSHOT_TIMED_OUT;
    return 0;
}

/* A file that is gone, or cannot be told from one that is out of reach, is taken from the record if it lay where this session may
 * look. */
static int judge_recorded(struct view_job *j, char *path, bool stored, bool *ret_nowhere, bool *ret_known)
{
    bool may = true;
    int r = try_open(j, path, &may);
    if (r == 0 && !may)
        *ret_nowhere = *ret_known = stored && recorded_in_reach(j->call, path);
    return r;
}

/* One that the record tells of, where the process knows none that may be shown. */
static int recall_recorded(struct view_job *j, const char *id, struct view_memory *ret, bool *ret_known)
{
    view_memory_done(ret);
    int r = recorded_view(j->call, id, ret_known, ret, j->fault);
    if (r == 0 && *ret_known && !ret->nowhere && !ref_is_url(ret->ref))
        r = judge_recorded(j, ret->ref, ret->stored, &ret->nowhere, ret_known);
    if (r == 0 && *ret_known && ret->against_path)
        r = judge_recorded(j, ret->against_path, ret->other_stored, &ret->other_nowhere, ret_known);
    if (r == 0 && *ret_known && ret->against && !strncmp(ret->against, "view:", 5))
        ret->other_nowhere = false; /* that view tells what part of it was meant */
    return r;
}

/* One that this process remembers. A comparison is two files. */
static int recall_here(struct view_job *j, const char *id, struct view_memory *ret, bool *ret_known)
{
    *ret_known = views_recall(j->call->f->views, id, ret);
    int r = *ret_known ? try_open(j, ret->ref, ret_known) : 0;
    return r == 0 && *ret_known ? try_open(j, ret->against_path, ret_known) : r;
}

/* An earlier view by its id, or settled with these words: one wording, whether nobody ever saw it, it was forgotten, or
 * it shows what this session may not see. The answer must not tell which. */
static int recall(struct view_job *j, const char *id, struct view_memory *ret, enum reason reason, const char *words)
{
    bool known = false;
    int r = recall_here(j, id, ret, &known);
    if (r == 0 && !known && *j->call->session)
        r = recall_recorded(j, id, ret, &known);
    return r < 0 || known ? r : view_settle(j, refuse_named(reason, id, "%s", words));
}

static const char no_view[] = "is no view that can be shown again; view the file by its path, or its URL again";

/* A comparison is made again; what is named anew holds for both. */
static int redo(struct view_job *j)
{
    if (j->request->against || !j->compares)
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, j->earlier.id,
                                           "shows two pictures that were compared; name the one that is meant by its path"));
    j->redo.against = j->earlier.against;
    j->request = &j->redo;
    return view_combines(j);
}

/* Whether the request names a part itself. */
static bool names_part(const struct fovea_view_request *q)
{
    return q->page.first || q->frame || q->time.set || q->sheet;
}

/* What was said of the size of an earlier view holds for it, but not for what is seen closer, or held against another. */
static void take_fit(struct view_job *j)
{
    const struct view_memory *m = &j->earlier;
    struct fovea_view_request *q = &j->redo;
    if (names_part(q) || q->region.set || q->against)
        return;
    q->max_edge = q->max_edge ? q->max_edge : m->max_edge;
    q->detail = q->detail ? q->detail : m->full ? "full" : NULL;
    q->model = q->model ? q->model : m->model;
}

static int step_recall(struct view_job *j)
{
    j->ref = j->request->path;
    if (j->request->data || j->given || j->literal || (j->pair && j->pair->other_nowhere))
        return 0;
    if (!strncmp(j->ref, "view:", 5)) {
        int r = recall(j, j->ref, &j->earlier, REASON_ABSENT, no_view);
        if (r)
            return r;
        j->ref = j->earlier.ref;
        j->redo = *j->request;
        if (j->renews) {
            take_fit(j);
            j->request = &j->redo;
        }
    }
    j->fetched = ref_is_url(j->ref) && !j->earlier.nowhere;
    return j->earlier.against ? redo(j) : 0;
}

/* A box in the pixels of an earlier view, in pixels of its source. */
static struct fit_box from_view(const struct fovea_box *box, const struct view_memory *m)
{
    double sx = (double)m->crop.w / m->size.w, sy = (double)m->crop.h / m->size.h;
    return (struct fit_box){.x = m->crop.x + box->x * sx, .y = m->crop.y + box->y * sy, .w = box->w * sx,
                            .h = box->h * sy, .space = FIT_SOURCE, .set = 1};
}

static bool overlap(const struct fovea_box *box, const struct rect *r)
{
    return box->x < (double)r->x + r->w && box->x + box->w > r->x && box->y < (double)r->y + r->h && box->y + box->h > r->y;
}

/* The same of a comparison: in which of its three pictures the box lies says nothing but where it begins. False: it lies in none, or
 * in several. */
static bool from_panel(const struct fovea_box *box, const struct view_memory *m, struct fit_box *ret)
{
    const struct rect *in = NULL;
    for (int i = 0; i < PANELS; i++) {
        if (!overlap(box, &m->panels[i]))
            continue;
        if (in)
            return false;
        in = &m->panels[i];
    }
    if (!in)
        return false;
    double x0 = fmax(box->x - in->x, 0), y0 = fmax(box->y - in->y, 0);
    double x1 = fmin(box->x + box->w - in->x, in->w), y1 = fmin(box->y + box->h - in->y, in->h);
    *ret = (struct fit_box){.x = m->crop.x + x0 * m->panel_scale[0], .y = m->crop.y + y0 * m->panel_scale[1],
                            .w = (x1 - x0) * m->panel_scale[0], .h = (y1 - y0) * m->panel_scale[1], .space = FIT_SOURCE, .set = 1};
    return true;
}

/* What of the source an earlier view showed. */
static void take_part(struct view_job *j, const struct view_memory *m)
{
    j->work.page = m->tile ? 0 : m->page;
    j->work.last_page = m->last_page;
    j->work.frame = m->frame;
    j->work.time_ms = m->time_ms;
    j->timed = m->timed;
    j->sheet = m->sheet;
}

/* The request names another part than the one that was measured. */
static bool names_another(const struct fovea_view_request *q, const struct view_memory *m)
{
    int64_t ms = q->time.set ? llround(q->time.seconds * 1000) : 0;
    return (q->page.first && q->page.first != MAX(m->page, 1u)) || (q->frame && (m->timed || q->frame != MAX(m->frame, 1u))) ||
           (q->time.set && (!m->timed || (ms != m->time_ms && ms != m->asked_ms)));
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
    if (j->measured.sheet)
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, id, "shows several pictures; view the one that is meant by "
                                                                     "its page, frame or time, and measure the region there"));
    if (names_another(j->request, &j->measured))
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, id, "shows another page, frame or time than the one that is "
                                                                     "named; leave that out, or measure the region there"));
    if (!j->measured.against)
        j->work.region = from_view(&j->request->region, &j->measured);
    else if (!from_panel(&j->request->region, &j->measured, &j->work.region))
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, id, "compares two pictures, and the region lies in none of the three that "
                                                                     "it shows, or in more than one; measure it within one of them"));
    take_part(j, &j->measured);
    return 0;
}

/* However large, past the end is past the end. */
static uint32_t bounded(int64_t number)
{
    return (uint32_t)MIN(number, (int64_t)UINT32_MAX);
}

/* What the request names itself, in place of what an earlier view showed. */
static void take_named(struct view_job *j)
{
    const struct fovea_view_request *q = j->request;
    if (!names_part(q))
        return;
    j->work.page = bounded(q->page.first);
    j->work.last_page = q->page.last > q->page.first ? bounded(q->page.last) : 0;
    j->work.frame = bounded(q->frame);
    j->work.time_ms = q->time.set ? llround(q->time.seconds * 1000) : 0;
    j->timed = q->time.set;
    j->sheet = q->sheet;
}

static int step_region(struct view_job *j)
{
    const struct fovea_view_request *q = j->request;
    const struct view_memory *m = &j->earlier;
    int r = 0;
    if (m->ref)
        take_part(j, m);
    if (q->region.set && (q->space ? !strcmp(q->space, "view") : q->view != NULL))
        r = region_in_view(j);
    else if (q->region.set)
        j->work.region = (struct fit_box){q->region.x, q->region.y, q->region.w, q->region.h,
                                          q->space && !strcmp(q->space, "unit") ? FIT_UNIT : FIT_SOURCE, 1};
    else if (m->ref && (m->region || m->tile) && !names_part(q))
        j->work.region = (struct fit_box){m->crop.x, m->crop.y, m->crop.w, m->crop.h, FIT_SOURCE, 1};
    if (!r)
        take_named(j);
    return r;
}

/* A file over the cap may be a video, which has a cap of its own. Only its bytes tell, so a few of them are looked at. */
static int take_video(struct view_job *j)
{
    struct snapshot_head head;
    struct sniff s;
    if (j->verdict != SNAPSHOT_TOO_LARGE || j->video_cap <= j->cap)
        return 0;
    int r = snapshot_take_head(j->call->f->gate, &j->variants, &j->call->scope, &head, j->fault);
    if (r < 0)
        return r;
    sniff(head.bytes, head.len, head.file_size, &s);
    j->is_video = media_row(s.media)->class == CLASS_VIDEO;
    if (!j->is_video)
        return 0;
    return snapshot_take(j->call->f->gate, &j->variants, &j->call->scope, j->video_cap, &j->verdict, &j->snapshot, j->fault);
}

static int take_file(struct view_job *j)
{
    int r = call_spellings(j->call, j->ref, &j->variants);
    if (r == -EINVAL)
        return view_settle(j, refuse_named(REASON_INVALID_INPUT, j->request->path,
                                           "is no path; give one such as shots/a.png or /abs/a.png"));
    if (r < 0)
        return fault_oom(j->fault);
    r = snapshot_take(j->call->f->gate, &j->variants, &j->call->scope, j->cap, &j->verdict, &j->snapshot, j->fault);
    return r < 0 ? r : take_video(j);
}

static int take_bytes(struct view_job *j)
{
    size_t len = j->request->data_len;
    struct sniff s;
    sniff(j->request->data, MIN(len, (size_t)LIMIT_SNIFF_BYTES), len, &s);
    j->is_video = media_row(s.media)->class == CLASS_VIDEO;
    if (len <= j->cap || (len <= j->video_cap && j->is_video))
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

/* The bytes of that hash, which a file of that name had. */
static int take_recorded(struct view_job *j, const uint8_t digest[SHA256_LEN], const char *path)
{
    snapshot_done(&j->snapshot);
    ref_variants_done(&j->variants);
    int r = recorded_source(j->call, digest, &j->snapshot, j->fault);
    if (r < 0)
        return r;
    memcpy(j->sha256, digest, SHA256_LEN); /* the record checked it */
    j->hashed = j->from_record = true;
    j->hash_error = 0;
    j->verdict = j->snapshot.size <= MAX(j->cap, j->video_cap) ? SNAPSHOT_TAKEN : SNAPSHOT_TOO_LARGE; /* the sniff tells */
    j->snapshot.file_size = j->snapshot.size;
    if (!path || *path != '/')
        return 0;
    j->variants = (struct ref_variants){.n = 1, .path = {strdup(path)}}; /* what a Markdown shows lies beside it */
    return j->variants.path[0] ? 0 : fault_oom(j->fault);
}

/* Whether the file is gone, or another than the one that had this hash. */
static int is_another(struct view_job *j, const uint8_t digest[SHA256_LEN], bool *ret)
{
    int r = j->verdict == SNAPSHOT_TAKEN ? view_hash(j) : 0;
    *ret = r == 0 && (j->verdict == SNAPSHOT_TAKEN ? memcmp(j->sha256, digest, SHA256_LEN) != 0 : j->verdict == SNAPSHOT_ABSENT);
    return r;
}

/* Within a session that has a name, what was seen once can be seen again, also what it was compared with (other). */
static int take_again(struct view_job *j, const struct view_memory *seen, bool other)
{
    const uint8_t *digest = other ? seen->other_sha256 : seen->sha256;
    struct view_memory m = {0};
    bool known = false, lost = false;
    int r = take_file(j);
    if (r || !*j->call->session)
        return r;
    r = is_another(j, digest, &lost);
    if (r == 0 && lost)
        r = recorded_view(j->call, seen->id, &known, &m, j->fault);
    bool stored = known && (other ? m.other_stored && !memcmp(m.other_sha256, digest, SHA256_LEN)
                                  : m.stored && !memcmp(m.sha256, digest, SHA256_LEN));
    view_memory_done(&m);
    return r < 0 || !stored || !recorded_in_reach(j->call, j->ref) ? r : take_recorded(j, digest, j->ref);
}

static int take_source(struct view_job *j)
{
    if (j->given)
        return 0;
    if (j->pair && j->pair->other_nowhere)
        return take_recorded(j, j->pair->other_sha256, j->pair->against_path);
    if (j->earlier.nowhere)
        return take_recorded(j, j->earlier.sha256, j->earlier.ref);
    if (j->fetched)
        return take_fetched(j);
    if (j->request->data)
        return take_bytes(j);
    if (j->earlier.ref)
        return take_again(j, &j->earlier, false);
    return j->pair ? take_again(j, j->pair, true) : take_file(j);
}

/* Which of the two limits it is over. */
static fovea_result *refuse_video(const struct view_job *j, uint64_t size)
{
    char has[32], may[32];
    show_over(size, j->video_cap, has, may);
    return refuse_named(REASON_TOO_LARGE, j->request->path,
                        "has %s, more than the limit of %s for a video; cut it first%s", has, may,
                        j->video_cap < LIMIT_VIDEO_BYTES_MOST ? ", or raise view.maxVideoBytes" : "");
}

static int step_take(struct view_job *j)
{
    j->verdict = SNAPSHOT_TAKEN;
    int r = take_source(j);
    if (r || j->verdict == SNAPSHOT_TAKEN)
        return r;
    if (j->verdict == SNAPSHOT_ABSENT && j->earlier.ref)
        return view_settle(j, refuse_named(REASON_ABSENT, j->request->path, no_view));
    if (j->verdict == SNAPSHOT_TOO_LARGE && j->is_video && j->video_cap > j->cap)
        return view_settle(j, refuse_video(j, j->snapshot.file_size));
    return view_settle(j, refuse_source(j->verdict, j->request->path, j->snapshot.file_size, j->cap,
                                        REASON_UNPERCEIVABLE_TYPE));
}

/* The name that tells Markdown from other text. */
static const char *name_of(const struct view_job *j)
{
    return j->variants.n ? j->variants.path[j->snapshot.variant] : j->ref;
}

int view_sniff(const struct snapshot *s, struct sniff *ret, struct fovea_fault *fault)
{
    size_t len = MIN(s->size, (uint64_t)LIMIT_SNIFF_BYTES);
    auto_free uint8_t *head = malloc(MAX(len, (size_t)1));
    if (!head)
        return fault_oom(fault);
    if (pread(s->fd, head, len, 0) != (ssize_t)len)
        return fault_set(fault, EIO, "cannot read back a snapshot");
    sniff(head, len, s->size, ret);
    return 0;
}

static int step_sniff(struct view_job *j)
{
    int r = view_sniff(&j->snapshot, &j->sniff, j->fault);
    if (r < 0)
        return r;
    if (j->sniff.media == MEDIA_TEXT && view_is_markdown_name(name_of(j)))
        j->sniff.media = MEDIA_MARKDOWN;
    bool video = media_row(j->sniff.media)->class == CLASS_VIDEO;
    if (video && j->video_cap && j->snapshot.size > j->video_cap)
        return view_settle(j, refuse_video(j, j->snapshot.size));
    if (!video && j->snapshot.size > j->cap) /* it was one, a moment ago */
        return view_settle(j, refuse_source(SNAPSHOT_TOO_LARGE, j->request->path, j->snapshot.size, j->cap,
                                            REASON_UNPERCEIVABLE_TYPE));
    return 0;
}

/* But for bytes: no page is longer or shorter for them. */
static bool same_limits(struct fit_limits a, const struct fit_limits *b)
{
    a.max_bytes = b->max_bytes;
    a.quality = b->quality;
    return !memcmp(&a, b, sizeof a);
}

void view_layout(struct view_job *j)
{
    const struct view_memory *m = j->measured.ref ? &j->measured : &j->earlier;
    if (!m->ref || !m->limits.max_bytes)
        return;
    bool same = same_limits(j->work.limits, &m->limits);
    if (!same && media_row(j->sniff.media)->class == CLASS_TEXT)
        j->work.layout = m->limits;
    if (same && m->tile && j->renews && j->work.region.set && !j->request->region.set) { /* it is cut as it was */
        j->work.region.set = 0;
        j->work.page = m->page;
    }
}

static view_step *const opening[] = {step_recall, step_region, step_take, step_sniff, NULL};

int view_open(struct view_job *j)
{
    view_prepare(j);
    return view_steps(j, opening);
}
