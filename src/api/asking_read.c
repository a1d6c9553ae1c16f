/* SPDX-License-Identifier: Apache-2.0 */
/* local/ocr as the model: the text of a picture, or of a document's pages, is the answer. */
#include <errno.h>

#include "api/asking.h"
#include "base/limits.h"

/* A reader that gives up is as much the model's failure as a provider that does. */
static int unread(struct asking *a, int code, const struct fovea_fault *wrong)
{
    if (code == -ECANCELED && a->plain)
        return asking_fail(a, FAIL_LLM_ERROR, "%s request aborted.", a->tool);
    if (code == -ETIMEDOUT || code == -EIO || code == -EBUSY || code == -ENODATA || code == -ENOEXEC)
        return asking_fail(a, FAIL_LLM_ERROR, "local/ocr: %s", wrong->text);
    return fault_set(a->fault, code, "%s", wrong->text);
}

static int recognize(struct asking *a, uint32_t page, struct ocr_result *ret, struct fovea_fault *fault)
{
    const struct view_job *j = &a->view;
    struct pool *pixels;
    struct ocr_request q = {.media = j->sniff.media, .fd = j->snapshot.fd, .len = j->snapshot.size, .frame = j->work.frame,
                            .page = page, .region = j->work.region};
    int r = programs_pool(a->call->f->programs, media_row(q.media)->program, &pixels, fault);
    return r < 0 ? r : ocr_run(a->call->f->ocr, pixels, &q, a->call->scope.cancel, ret, fault);
}

/* 1 with the view's refusal where the picture gave no rows to read. */
static int outcome(struct asking *a, const struct ocr_result *got, uint32_t page)
{
    struct view_job *j = &a->view;
    j->end = got->end;
    j->output.reply = got->picture;
    j->work.page = page;
    return got->end != POOL_DONE || got->picture.status != WORK_OK ? view_outcome(j) : 0;
}

/* What local/ocr is, and how well it went. confidence: the mean over the words. */
static void say_read(struct asking *a, uint32_t words, double confidence, bool cut)
{
    asking_note(a, "Read by local/ocr on this machine: text recognition only, the question itself was not answered.");
    if (words)
        asking_note(a, "%u word%s, mean confidence %.0f %%.", words, words == 1 ? "" : "s", confidence);
    if (cut)
        asking_note(a, "There was more text than is given here.");
    asking_note(a, "For an answer set a provider and its key.");
    a->part.media_type = media_row(a->view.sniff.media)->mime;
    a->answer.usage.told = true;
}

int asking_read(struct asking *a)
{
    const struct work_request *w = &a->view.work;
    cleanup(ocr_result_done) struct ocr_result got = {0};
    struct fovea_fault wrong = {0};
    a->page = (struct fovea_pages){w->page, w->last_page};
    if (w->last_page > w->page)
        return asking_read_pages(a);
    int r = recognize(a, a->view.work.page, &got, &wrong);
    if (r < 0)
        return unread(a, r, &wrong);
    r = outcome(a, &got, a->view.work.page);
    if (r)
        return r;
    a->answer.text = got.words ? take(got.text) : strdup("No text was found in the picture.");
    say_read(a, got.words, (double)got.confidence, got.cut);
    return a->answer.text ? 0 : fault_oom(a->fault);
}

/* ---------------------------------------------------------------- documents */

struct reading {
    struct asking *a;
    uint32_t first;
    size_t n;
    struct ocr_result got[LIMIT_OCR_PAGES];
    bool bad[LIMIT_OCR_PAGES]; /* it cannot be drawn */
    size_t n_bad;
};

static void reading_done(struct reading *r)
{
    for (size_t k = 0; k < LIMIT_OCR_PAGES; k++)
        ocr_result_done(&r->got[k]);
}

static int read_other(void *arg, size_t k, struct fovea_fault *fault)
{
    struct reading *r = arg;
    return recognize(r->a, r->first + (uint32_t)k + 1, &r->got[k + 1], fault);
}

static int put_together(struct reading *r)
{
    struct asking *a = r->a;
    auto_buf b = BUF_INIT(LIMIT_ANSWER_BYTES);
    uint32_t words = 0;
    double sum = 0;
    bool cut = false;
    for (size_t k = 0; k < r->n; k++) {
        const struct ocr_result *one = &r->got[k];
        if (r->bad[k])
            continue;
        if (r->n > 1)
            (void)buf_add_format(&b, "%s[page %zu]\n\n", b.len ? "\n\n" : "", r->first + k);
        (void)buf_add_str(&b, one->text);
        words += one->words;
        sum += (double)one->confidence * one->words;
        cut = cut || one->cut;
    }
    a->answer.text = words ? buf_take(&b) : strdup("No text was found there.");
    say_read(a, words, words ? sum / words : 0, cut);
    return a->answer.text ? 0 : fault_oom(a->fault);
}

static void say_pages(struct reading *r, int64_t wanted)
{
    uint32_t pages = r->got[0].picture.pages, last = r->first + (uint32_t)r->n - 1;
    const char *more = last < wanted ? "; ask again with page for others" : "";
    if (r->n > 1)
        asking_note(r->a, "Pages %u-%u of %u were read%s.", r->first, last, pages, more);
    else
        asking_note(r->a, "Page %u of %u was read%s.", last, pages, more);
    for (size_t k = 0; k < r->n; k++)
        if (r->bad[k])
            asking_note(r->a, "Page %zu cannot be drawn and was left out.", r->first + k);
}

/* A page that cannot be drawn is left out, so that the others are still of use. */
static int judge(struct reading *r, size_t k)
{
    int code = outcome(r->a, &r->got[k], r->first + (uint32_t)k);
    if (code <= 0)
        return code;
    fovea_result_free(take(r->a->view.result));
    r->bad[k] = true;
    r->n_bad++;
    return 0;
}

static int judge_first(struct reading *r)
{
    const struct ocr_result *got = &r->got[0];
    if (!asking_page_alone(r->a, got->end, &got->picture))
        return judge(r, 0);
    int code = outcome(r->a, got, r->first);
    return code > 0 ? asking_refused(r->a) : code;
}

/* The pages after the first. */
static int read_others(struct reading *r)
{
    struct asking *a = r->a;
    struct asking_each each = {.work = read_other, .arg = r, .n = r->n - 1};
    struct fovea_fault wrong = {0};
    int code = each.n ? asking_each(&each, &wrong) : 0;
    if (code < 0)
        return unread(a, code, &wrong);
    for (size_t k = 1; !code && k < r->n; k++)
        code = judge(r, k);
    if (!code && r->n_bad == r->n)
        code = outcome(a, &r->got[0], r->first);
    return code > 0 ? asking_refused(a) : code;
}

int asking_read_pages(struct asking *a)
{
    cleanup(reading_done) struct reading r = {.a = a, .first = (uint32_t)MAX(a->page.first, 1)};
    struct fovea_fault wrong = {0};
    int64_t last;
    int code = recognize(a, r.first, &r.got[0], &wrong);
    if (code < 0)
        return unread(a, code, &wrong);
    code = judge_first(&r);
    if (!code)
        code = asking_last_page(a, MIN(r.got[0].picture.pages, (uint32_t)LIMIT_PAGES), &last);
    if (code)
        return code;
    r.n = (size_t)MIN(last - r.first + 1, LIMIT_OCR_PAGES);
    code = read_others(&r);
    if (!code)
        code = put_together(&r);
    if (!code)
        say_pages(&r, last);
    return code;
}
