/* SPDX-License-Identifier: Apache-2.0 */
/* read: a source becomes text, by lines. Pixels and other binary content are refused by naming the tool that fits. */
#include <errno.h>

#include "api/tools.h"
#include "base/cancel.h"
#include "base/fault.h"
#include "base/limits.h"
#include "source/sniff.h"

struct job {
    const struct call *call;
    const struct fovea_read_request *request;
    struct fovea_fault *fault;
    uint64_t offset, limit;
    struct ref_variants variants;
    struct snapshot_lines lines;
};

static int settled(struct job *j, fovea_result *result, fovea_result **ret)
{
    if (!result)
        return fault_oom(j->fault);
    *ret = result;
    return 1;
}

static int take_lines(struct job *j, fovea_result **ret)
{
    enum snapshot_verdict verdict = SNAPSHOT_TAKEN;
    const struct fovea_read_request *q = j->request;
    if (q->data)
        return snapshot_lines_of(q->data, q->data_len, &j->call->scope, j->offset, j->limit, &j->lines, j->fault);
    if (ref_is_url(q->path))
        return settled(j, refuse_named(REASON_BLOCKED, q->path,
                                       "is a URL, and read fetches nothing; save it to a file and read that"), ret);
    int r = call_spellings(j->call, q->path, &j->variants);
    if (r == -EINVAL)
        return settled(j, refuse_named(REASON_INVALID_INPUT, q->path, "is no path; give one such as src/main.c or "
                                                                      "/abs/notes.md"), ret);
    if (r < 0)
        return fault_oom(j->fault);
    r = snapshot_take_lines(j->call->f->gate, &j->variants, &j->call->scope, j->offset, j->limit, &verdict, &j->lines,
                            j->fault);
    if (r < 0 || verdict == SNAPSHOT_TAKEN)
        return r;
    return settled(j, refuse_source(verdict, q->path, j->lines.window.file_size, 0, REASON_UNREADABLE_TYPE), ret);
}

/* What the file is if it is not text; markup that draws a picture is text all the same. */
static enum media_class other_class(const struct snapshot_lines *lines, const char **ret_name)
{
    struct sniff s;
    sniff(lines->head, lines->head_len, lines->window.file_size, &s);
    const struct media_row *row = media_row(s.media);
    *ret_name = s.media == MEDIA_SVGZ ? "compressed (gzip)" : row->name; /* what is in it, is not known here */
    return row->class == CLASS_TEXT || s.media == MEDIA_SVG ? CLASS_BINARY : row->class;
}

static int check_text(struct job *j, fovea_result **ret)
{
    static const char *const advice[] = {
        [CLASS_BITMAP] = "use view to see it",
        [CLASS_PICTURE] = "use view to see it",
        [CLASS_DOCUMENT] = "use view to see its pages, or convert it to text first",
        [CLASS_VIDEO] = "use view to see its frames",
        [CLASS_VECTOR] = "uncompress it first to read it; if it holds an SVG, use view to see it",
        [CLASS_BINARY] = "read gives text only, and view shows pictures",
    };
    const char *name;
    enum media_class class = other_class(&j->lines, &name);
    if (class == CLASS_BINARY && !j->lines.bad_at)
        return 0;
    if (class == CLASS_BINARY && !memchr(j->lines.head, 0, j->lines.head_len))
        return settled(j, refuse_named(REASON_UNREADABLE_TYPE, j->request->path,
                                       "is not UTF-8 from byte %llu on; convert it first, for instance with iconv",
                                       (unsigned long long)j->lines.bad_at), ret);
    return settled(j, refuse_named(REASON_UNREADABLE_TYPE, j->request->path, "is %s; %s",
                                   class == CLASS_BINARY ? "binary" : name, advice[class]), ret);
}

static int check_range(struct job *j, fovea_result **ret)
{
    const struct snapshot_lines *l = &j->lines;
    if (j->offset <= MAX(l->total_lines, (uint64_t)1))
        return 0;
    return settled(j, refuse_named(REASON_INVALID_INPUT, j->request->path,
                                   "has %llu line%s; offset %llu is past the end", (unsigned long long)l->total_lines, l->total_lines == 1 ? "" : "s",
                                   (unsigned long long)j->offset), ret);
}

static int make_text(struct job *j, fovea_result **ret)
{
    const struct snapshot *w = &j->lines.window;
    /* Who named no size for the text did not ask for part of a line. */
    if (j->lines.cut && !j->call->scope.max_text && j->lines.text[w->size - 1] != '\n')
        return settled(j, refuse_named(REASON_TOO_LARGE, j->request->path,
                                       "has a line %llu of more than %zu MiB, which read does not give",
                                       (unsigned long long)j->lines.first, LIMIT_READ_WINDOW / MIB), ret);
    struct text t = {.len = w->size,
                     .first = j->lines.first,
                     .last = j->lines.last,
                     .total = j->lines.total_lines,
                     .cut = j->lines.cut_bytes};
    sha256_hex(j->lines.sha256, t.sha256);
    t.path = j->request->data ? NULL : absolute_new(j->variants.path[w->variant]);
    if (!j->request->data && !t.path)
        return fault_oom(j->fault);
    t.text = take(j->lines.text);
    return settled(j, result_of_text(&t), ret);
}

static void job_done(struct job *j)
{
    ref_variants_done(&j->variants);
    snapshot_lines_done(&j->lines);
}

int read_run(const struct call *c, const void *arg, fovea_result **ret, struct fovea_fault *fault)
{
    static int (*const steps[])(struct job *j, fovea_result **ret) = {take_lines, check_text, check_range, make_text};
    const struct fovea_read_request *request = arg;
    cleanup(job_done) struct job j = {
        .call = c,
        .request = request,
        .fault = fault,
        .offset = request->offset ? (uint64_t)request->offset : 1,
        .limit = request->limit ? (uint64_t)request->limit : LIMIT_READ_LINES,
        .lines = {.window = {.fd = -1}},
    };
    int r = tool_check("read", request, ret, fault);
    for (size_t i = 0; !r && i < COUNT(steps); i++)
        r = cancel_struck(c->scope.cancel) ? fault_cancelled(fault) : steps[i](&j, ret);
    return r < 0 ? r : 0;
}
