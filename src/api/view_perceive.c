/* SPDX-License-Identifier: Apache-2.0 */
/* The perception: what the worker made, with its facts, its name and its note, remembered under its id. */
#include <assert.h>
#include <math.h>

#include "api/recording.h"
#include "api/view.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/text.h"
#include "fit/plan.h"
#include "percept/note.h"

/* What only some views have, so that the ids of the others stay what they always were. */
static void add_more(const struct view_job *j, const struct work_reply *r, struct buf *b)
{
    const struct fit_limits *l = &j->work.layout;
    int64_t told = r->time_ms; /* of the frame itself, whatever moment of it was named */
    if (j->work.flags & WORK_SHEET)
        (void)buf_add_format(b, " sheet to %u", j->work.last_page);
    if (j->work.flags & WORK_TIME)
        (void)buf_add_format(b, " time %lld", (long long)(told >= 0 ? told : j->work.time_ms));
    if (j->sniff.media == MEDIA_MARKDOWN)
        (void)buf_add_str(b, " markdown");
    if (l->max_bytes)
        (void)buf_add_format(b, " laid %u,%u,%u,%u rule %u,%u,%u", l->max_edge, l->min_edge, l->max_patches, l->resize,
                             l->rule.kind, l->rule.edge, l->rule.budget);
}

/* Everything that decides the pixels of one source, in one fixed spelling. Of a tile, its place says which. */
static void add_spelled(const struct view_job *j, const struct work_reply *r, struct buf *b)
{
    char hex[SHA256_HEX_LEN + 1];
    const struct fit_limits *l = &j->work.limits;
    uint32_t page = r->facts & WORK_TILED ? 1 : MAX(j->work.page, 1u);
    sha256_hex(j->sha256, hex);
    (void)buf_add_format(b, "%s page %u frame %u region ", hex, page, MAX(j->work.frame, 1u));
    (void)buf_add_reals(b, (double[]){r->crop.x, r->crop.y, r->crop.w, r->crop.h}, 4, ",");
    (void)buf_add_format(b, " fit %u,%u,%u,%u,%u,%u webp %u", l->max_edge, l->min_edge, l->max_patches, l->max_bytes, l->quality,
                         l->resize, j->work.flags & WORK_WEBP_OK);
    (void)buf_add_format(b, " rule %u,%u,%u", l->rule.kind, l->rule.edge, l->rule.budget);
    add_more(j, r, b);
}

/* Hashed. A comparison has two sources, and so has a Markdown with its images. */
static int make_id(const struct view_job *j, struct perception *p)
{
    uint8_t digest[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    auto_buf b = BUF_INIT(4 * KIB);
    add_spelled(j, &j->output.reply, &b);
    sha256_hex(j->other_sha256, hex);
    if (j->joined)
        (void)buf_add_format(&b, " with %s", hex);
    sha256_hex(p->difference.digest, hex);
    if (p->difference.made)
        (void)buf_add_format(&b, " against %s", hex);
    if (b.error)
        return fault_oom(j->fault);
    sha256(b.data, b.len, digest);
    sha256_hex(digest, hex);
    (void)snprintf(p->id, sizeof p->id, "view:%.12s", hex);
    return 0;
}

/* The file that it was taken from; NULL: there is none. */
static const char *path_of(const struct view_job *j)
{
    return j->variants.n ? j->variants.path[j->snapshot.variant] : NULL;
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

/* Pages of its own, or tiles; 0: neither. */
static uint32_t pages_of(const struct view_job *j)
{
    const struct work_reply *r = &j->output.reply;
    enum media_class class = media_row(j->sniff.media)->class;
    return class == CLASS_DOCUMENT || class == CLASS_TEXT || r->pages > 1 ? r->pages : 0;
}

/* Which page of them is shown; 0: the whole, or there are none. */
static uint32_t page_of(const struct view_job *j)
{
    bool tiled = j->output.reply.facts & WORK_TILED;
    if (!pages_of(j) || (tiled && j->work.region.set))
        return 0;
    return j->work.page || tiled ? j->work.page : 1;
}

static struct area tile_of(const struct view_job *j)
{
    const struct work_reply *r = &j->output.reply;
    struct fit_drawing d = work_drawing(r);
    return r->facts & WORK_TILED ? fit_tile_area(&j->work.limits, &d, 1) : (struct area){0};
}

/* Lines have a place of their own where no row is wrapped, and then all rows are alike. */
static void add_lines(const struct work_reply *r, struct perception *p)
{
    double scale = r->height / r->crop.h, h = r->line_height;
    uint32_t last = r->last_line - r->first_line;
    bool alike = r->total_lines && h > 0 && r->rows == last + 1;
    double top = alike ? floor((r->crop.y - r->line_top) / h) : 0;
    double end = alike ? ceil((r->crop.y + r->crop.h - r->line_top) / h) - 1 : 0;
    p->total_lines = r->total_lines;
    p->missing = r->missing;
    if (!alike) {
        p->first_line = p->region ? r->part_first : r->first_line;
        p->last_line = p->region ? r->part_last : r->last_line;
        return;
    }
    if (end < 0 || top > last) /* none */
        return;
    uint32_t skipped = top > 0 ? (uint32_t)top : 0;
    p->first_line = r->first_line + skipped;
    p->last_line = r->first_line + (uint32_t)MIN(end, (double)last);
    p->line_top = (r->line_top + skipped * h - r->crop.y) * scale;
    p->line_height = h * scale;
}

/* In pixels as shown: the ladder may have made the sheet smaller than it was laid out. */
static int add_cells(struct view_job *j, struct perception *p)
{
    const struct work_reply *r = &j->output.reply;
    const uint8_t *from = p->data + r->image_len + (size_t)r->preview_w * r->preview_h * 4;
    double sx = r->width / r->crop.w, sy = r->height / r->crop.h;
    p->cells = calloc(MAX(r->cells, 1u), sizeof *p->cells);
    if (!p->cells)
        return fault_oom(j->fault);
    for (p->n_cells = 0; p->n_cells < r->cells; p->n_cells++) {
        struct work_cell c;
        memcpy(&c, from + p->n_cells * sizeof c, sizeof c);
        p->last_page = p->page ? c.number : 0; /* there may be fewer than were asked for */
        p->cells[p->n_cells] = (struct cell){{(uint32_t)(c.x * sx), (uint32_t)(c.y * sy), MAX((uint32_t)(c.w * sx), 1u),
                                              MAX((uint32_t)(c.h * sy), 1u)}, c.number, c.time_ms,
                                             c.labels & WORK_LABEL_NUMBER, c.labels & WORK_LABEL_TIME};
    }
    return 0;
}

/* The facts, and the picture itself: the perception unmaps it from now on. */
static struct perception perception_of(struct view_job *j)
{
    const struct work_reply *r = &j->output.reply;
    bool sheet = j->work.flags & WORK_SHEET && r->cells; /* of a still picture there is none */
    struct area tile = tile_of(j);
    struct perception p = {
        .source = {.media = j->sniff.media, .size = {r->source_w, r->source_h}, .extent_w = r->extent_w,
                   .extent_h = r->extent_h, .css_pixels = r->facts & WORK_CSS_PIXELS, .as_source = r->facts & WORK_SOURCE,
                   .bytes = j->snapshot.size, .frames = r->frames, .approximate = r->facts & WORK_APPROXIMATE, .cut = r->facts & WORK_CUT,
                   .partial = r->facts & WORK_PARTIAL, .damaged = r->facts & WORK_DAMAGED, .pages = pages_of(j),
                   .tile = {tile.w, tile.h}, .duration_ms = r->duration_ms},
        .media = (enum media)r->media,
        .size = {r->width, r->height},
        .crop = r->crop,
        .region = j->work.region.set,
        .page = page_of(j),
        .frame = j->work.frame,
        .time_ms = r->time_ms,
        .asked_ms = j->work.flags & WORK_TIME ? j->work.time_ms : 0,
        .laid = *work_layout(&j->work),
        .asked = {.max_edge = (uint32_t)j->request->max_edge, .full = view_is_full(j->request), .model = j->request->model && !j->nameless},
        .sheet = sheet,
        .difference = j->difference,
        .over_budget = r->facts & WORK_OVER_BUDGET,
        .preview = {r->preview_w, r->preview_h},
        .data = j->output.data,
        .len = r->image_len,
        .map_len = j->output.len,
    };
    memcpy(p.source.sha256, j->sha256, SHA256_LEN);
    add_lines(r, &p);
    j->output.data = NULL;
    j->difference = (struct difference){.made = p.difference.made};
    return p;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* What the note calls the source: the file's own name. A query is no name, and may hold what is nobody's business. */
char *view_name_new(const struct view_job *j, const char *opened)
{
    if (j->nameless)
        return strdup("The picture,");
    const char *path = j->from_record && j->earlier.ref ? j->earlier.ref : j->request->path;
    const char *url = j->fetched ? j->ref : (j->given || j->from_record) && ref_is_url(path) ? path : NULL;
    assert(url || opened || path); /* what was neither opened nor fetched was named */
    if (!url)
        return strdup(base_name(opened ? opened : !strcmp(path, "-") ? "stdin" : path));
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
    if (j->other_from_record && !j->nameless && j->earlier.against_path)
        (void)buf_add_str(&b, " What it is compared with is from the record: that file is gone or has changed since.");
    return buf_take(&b);
}

static enum note_ground ground_of(const struct work_reply *r)
{
    bool white = r->facts & WORK_ON_WHITE, grey = r->facts & WORK_ON_GREY;
    return white && grey ? NOTE_ON_BOTH : white ? NOTE_ON_WHITE : grey ? NOTE_ON_GREY : NOTE_NO_GROUND;
}

static int describe(struct view_job *j, struct perception *p)
{
    const struct fovea_view_request *q = j->request;
    /* Of the main, the provider is the host's own business. */
    const char *model = j->nameless ? NULL : j->model == q->model ? j->model : strchr(j->model, '/') + 1;
    if (!(p->ref = shown_new(q->path)) || (model && !(p->model = shown_new(model))))
        return fault_oom(j->fault);
    const char *path = path_of(j);
    if (path && !(p->path = absolute_new(path)))
        return fault_oom(j->fault);
    if (j->question && !(p->question = strdup(j->question)))
        return fault_oom(j->fault);
    if (model)
        p->tokens = tokens_count(&j->work.limits.rule, p->size);
    auto_free char *name = view_name_new(j, p->path);
    if (!name)
        return fault_oom(j->fault);
    auto_free char *note = note_new(p, name, ground_of(&j->output.reply));
    if (!note || !(p->note = with_origin(j, note)))
        return fault_oom(j->fault);
    return make_id(j, p);
}

/* What to open to see it once more; NULL when nothing can be. */
static const char *again_by(const struct view_job *j)
{
    if (path_of(j))
        return j->from_record ? NULL : path_of(j);
    if (j->fetched)
        return j->ref;
    return j->given && ref_is_url(j->request->path) && j->call->f->config.network_view ? j->request->path : NULL;
}

int view_other(struct view_job *j, const struct view_job *other, const struct work_reply *reply)
{
    struct difference *d = &j->difference;
    const char *path = path_of(other), *ref = other->earlier.ref ? other->earlier.id : again_by(other);
    auto_buf b = BUF_INIT(4 * KIB);
    if (j->earlier.against && memcmp(j->earlier.other_sha256, other->sha256, SHA256_LEN) != 0)
        return view_settle(j, refuse_named(REASON_ABSENT, j->earlier.id, "compares with a file that has changed since; compare "
                                                                         "the two again by their paths"));
    add_spelled(other, reply, &b);
    d->path = path ? absolute_new(path) : NULL;
    d->ref = copy_new(ref);
    if (b.error || (path && !d->path) || (ref && !d->ref))
        return fault_oom(j->fault);
    int r = recording_other(j->call, &other->snapshot, &d->stored, j->fault);
    if (r < 0)
        return r;
    sha256(b.data, b.len, d->digest);
    memcpy(d->sha256, other->sha256, SHA256_LEN);
    d->media = other->sniff.media;
    d->css_pixels = reply->facts & WORK_CSS_PIXELS;
    d->part = reply->crop;
    return 0;
}

/* What the record can show again: it has the source, and of a comparison both. */
static bool is_kept(const struct view_job *j, const struct perception *p)
{
    return j->call->kept && recording_takes(j->call->f, j->snapshot.size) && (!p->difference.made || p->difference.stored);
}

int view_perceive(struct view_job *j)
{
    cleanup(perception_done) struct perception p = perception_of(j);
    int r = p.sheet ? add_cells(j, &p) : 0;
    if (r == 0)
        r = describe(j, &p);
    if (r < 0)
        return r;
    const char *again = p.difference.made && !p.difference.ref ? NULL : again_by(j);
    p.again = again || is_kept(j, &p);
    r = recording_source(j->call, &j->snapshot, j->fault);
    if (r < 0)
        return r;
    if (again)
        views_remember(j->call->f->views, &p, again);
    return view_settle(j, result_of_perception(&p));
}
