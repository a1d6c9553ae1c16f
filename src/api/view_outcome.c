/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a view, where it is no picture: the worker's answer, already checked by the pool, as a refusal. */
#include "api/view.h"

#include "base/buf.h"
#include "base/limits.h"
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

/* Past the end: the message names how much there is. */
static fovea_result *refuse_past(const struct view_job *j)
{
    const struct work_reply *r = &j->output.reply;
    const char *path = j->request->path;
    auto_buf last = BUF_INIT(KIB);
    if (r->status == WORK_BAD_PAGE)
        return refuse_named(REASON_INVALID_INPUT, path, "has %u page%s, so there is no page %lld", r->pages,
                            r->pages == 1 ? "" : "s",
                            (long long)MAX(MAX(j->work.page, j->work.last_page), MAX(j->request->page.first, j->request->page.last)));
    if (r->status == WORK_BAD_FRAME)
        return result_refused(REASON_INVALID_INPUT, "frame %lld is past the end: the %s has %u frame%s",
                              (long long)MAX(j->work.frame, j->request->frame),
                              media_row(j->sniff.media)->class == CLASS_VIDEO ? "video" : "picture", r->frames,
                              r->frames == 1 ? "" : "s");
    if (r->duration_ms <= 0)
        return refuse_named(REASON_INVALID_INPUT, path, "is over by then%s%s; name an earlier time", *r->detail ? ": " : "",
                            r->detail);
    note_time(&last, r->duration_ms);
    if (r->frames)
        (void)buf_add_format(&last, " and has %s%u frame%s", r->facts & WORK_APPROXIMATE ? "about " : "", r->frames,
                             r->frames == 1 ? "" : "s");
    return last.error ? NULL : refuse_named(REASON_INVALID_INPUT, path, r->facts & WORK_CUT ? "is over by then: the file is cut short, and "
                                            "what is there of it lasts %s" : "is over by then: it lasts %s", last.data);
}

/* What a region is measured in, where that is not stored pixels. */
static const char *units_of(const struct view_job *j)
{
    enum media_class class = media_row(j->sniff.media)->class;
    if (j->output.reply.facts & WORK_CSS_PIXELS)
        return " CSS pixels";
    return class == CLASS_DOCUMENT ? " pt" : class == CLASS_VECTOR ? " user units" : class == CLASS_TEXT ? " units" : "";
}

/* How large it is in its units, and where these begin. */
static fovea_result *refuse_region(const struct view_job *j)
{
    const struct work_reply *r = &j->output.reply;
    auto_buf b = BUF_INIT(KIB);
    note_size(&b, r->extent_w, r->extent_h);
    (void)buf_add_str(&b, units_of(j));
    if (r->origin_x != 0 || r->origin_y != 0) {
        (void)buf_add_str(&b, " and begins at ");
        note_number(&b, r->origin_x, 2);
        (void)buf_add_str(&b, ",");
        note_number(&b, r->origin_y, 2);
    }
    return b.error ? NULL : result_refused(REASON_INVALID_INPUT, "the region is empty or outside the picture, which is %s", b.data);
}

static fovea_result *refuse_kind(const struct view_job *j)
{
    const struct media_row *row = media_row(j->sniff.media);
    if (j->sniff.media == MEDIA_SVGZ)
        return refuse_named(REASON_UNPERCEIVABLE_TYPE, j->request->path, "is compressed (gzip) and holds no SVG; uncompress it first");
    const char *instead = row->class == CLASS_VIDEO ? "convert it to MP4 with H.264, if it has pictures at all" :
                          row->class == CLASS_DOCUMENT ? "print it to a plain PDF" : "convert it to plain PNG";
    return refuse_named(REASON_UNPERCEIVABLE_TYPE, j->request->path, "is %s of a kind that this version cannot show: %s; %s",
                        row->name, j->output.reply.detail, instead);
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
                            "needs more memory than a decoder can have; show a smaller copy of it");
    case WORK_BAD_REGION:
        return refuse_region(j);
    case WORK_BAD_FRAME:
    case WORK_BAD_PAGE:
    case WORK_BAD_TIME:
        return refuse_past(j);
    case WORK_UNSUPPORTED:
        return refuse_kind(j);
    case WORK_LOCKED:
        return refuse_named(REASON_UNPERCEIVABLE_TYPE, path, "is encrypted; give a copy that needs no password");
    case WORK_TIMED_OUT:
        return refuse_named(REASON_TIMED_OUT, path, "took too long: %s; try a smaller copy of it", r->detail);
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

int view_refuse_end(struct view_job *j)
{
    const char *path = j->request->path;
    if (j->end == POOL_TIMED_OUT)
        return view_settle(j, refuse_named(REASON_TIMED_OUT, path, "took too long to decode; try a smaller copy of it"));
    if (j->end == POOL_DIED)
        return view_settle(j, refuse_named(REASON_MALFORMED, path,
                                           "broke its decoder, so it is damaged or hostile; get a good copy of it"));
    return j->output.reply.status == WORK_OK ? 0 : view_settle(j, refuse_reply(j));
}

int view_outcome(struct view_job *j)
{
    int r = view_refuse_end(j);
    if (r == 0)
        r = view_shown_right(j);
    if (r)
        return r;
    return j->call->max_image && j->output.reply.image_len > j->call->max_image ? view_settle(j, refuse_size(j)) : 0;
}
