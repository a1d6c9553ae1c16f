/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking about a PDF. A model that takes documents gets it as it is. For any other, for a page or a region of it, and where it
 * is too large for one request, its pages are drawn, as a view draws them: one picture each and not a sheet of them, since they
 * are to be read. What the model was given is said in the answer's note.
 */
#include <errno.h>
#include <stdatomic.h>

#include "api/asking.h"
#include "base/limits.h"
#include "base/thread.h"

/* ---------------------------------------------------------------- two at a time */

struct round {
    const struct asking_each *each;
    _Atomic size_t next;
    _Atomic bool over;
};

struct hand {
    struct round *round;
    struct fovea_fault fault;
    int code;
};

static void *work(void *arg)
{
    struct hand *h = arg;
    const struct asking_each *e = h->round->each;
    for (size_t k; !h->round->over && (k = atomic_fetch_add(&h->round->next, 1)) < e->n;) {
        int code = e->work(e->arg, k, &h->fault);
        if (!code)
            continue;
        h->code = code;
        h->round->over = true;
        break;
    }
    return NULL;
}

/* This thread is one of them. */
int asking_each(const struct asking_each *e, struct fovea_fault *fault)
{
    struct round round = {.each = e};
    struct hand mine = {.round = &round}, other = {.round = &round};
    pthread_t thread;
    bool two = e->n > 1 && thread_start(&thread, NULL, work, &other) == 0;
    (void)work(&mine);
    if (two)
        (void)pthread_join(thread, NULL);
    const struct hand *bad = mine.code < 0 ? &mine : other.code < 0 ? &other : NULL;
    if (bad)
        return fault_set(fault, bad->code, "%s", bad->fault.text);
    return mine.code ? mine.code : other.code;
}

/* ---------------------------------------------------------------- which way */

static int not_drawn(struct asking *a, uint64_t most)
{
    if (a->drawn == DRAWN_LARGE)
        return asking_too_large(a, a->view.snapshot.size, most, " that its provider takes; split it, or set render.pdf to true");
    if (a->drawn == DRAWN_PART)
        return asking_fail(a, FAIL_PDF_NOT_SUPPORTED,
                           "a page or region of a PDF has to be drawn, and render.pdf is off here; set it to true, or ask "
                           "about the whole PDF and name the page in the prompt");
    bool host = a->drawn == DRAWN_HOST;
    return asking_fail(a, FAIL_PDF_NOT_SUPPORTED,
                       "%s %s, and render.pdf, which would show it the pages as pictures, is off here; set it to true, or name "
                       "a model that takes PDF", host ? a->choice.provider->name : a->who,
                       host ? "is not known to carry PDF" : "takes no PDF");
}

static int plan_drawing(struct asking *a)
{
    struct view_job *j = &a->view;
    a->page = (struct fovea_pages){j->work.page, j->work.last_page};
    if (a->page.last > a->page.first && j->work.region.set)
        return asking_fail(a, FAIL_INVALID_INPUT, "a region lies on one page; give \"page\" as one number");
    j->work.page = j->work.last_page = 0; /* how each is to be drawn; which it is comes later */
    j->sheet = false;
    int r = view_plan(j);
    return r > 0 ? asking_refused(a) : r;
}

int asking_plan_pdf(struct asking *a)
{
    const struct work_request *w = &a->view.work;
    uint64_t most = a->local ? 0 : ask_inline_limit(&a->choice, WIRE_PDF);
    bool takes = !a->local && models_can(a->call->f->config.models, a->choice.model, MODEL_PDF);
    if (w->page || w->region.set)
        a->drawn = DRAWN_PART;
    else if (!takes)
        a->drawn = DRAWN_NEEDED;
    else if (!ask_takes(&a->choice, WIRE_PDF))
        a->drawn = DRAWN_HOST;
    else if (most && a->view.snapshot.size > most)
        a->drawn = DRAWN_LARGE;
    if (a->drawn)
        return asking_may_draw(a, FOVEA_RENDER_PDF) ? plan_drawing(a) : not_drawn(a, most);
    a->part = (struct wire_part){.kind = WIRE_PDF, .name = "document.pdf"};
    return asking_map(a);
}

bool asking_page_alone(const struct asking *a, enum pool_end end, const struct work_reply *first)
{
    const struct fovea_pages *p = &a->page;
    return end != POOL_DONE || first->status == WORK_BAD_PAGE || first->pages <= MAX(p->first, 1) ||
           (p->first && p->last <= p->first) || a->view.work.region.set;
}

int asking_last_page(struct asking *a, int64_t pages, int64_t *ret)
{
    int64_t last = a->page.first ? MAX(a->page.first, a->page.last) : a->view.work.region.set ? 1 : pages;
    if (last > pages)
        return asking_fail(a, FAIL_INVALID_INPUT, "page %lld is past the end: the %s has %lld page%s", (long long)last,
                           media_row(a->view.sniff.media)->name, (long long)pages, pages == 1 ? "" : "s");
    *ret = last;
    return 0;
}

/* ---------------------------------------------------------------- drawing */

struct drawing {
    struct asking *a;
    struct pool *pool;
    struct work_request work; /* of the pages after the first */
    uint32_t first;
    int64_t last; /* that was wanted */
    enum pool_end ends[LIMIT_ASK_PAGES];
    bool bad[LIMIT_ASK_PAGES]; /* it cannot be drawn */
    size_t n, n_bad;
};

/* Pages that were drawn for an earlier question are still there. */
static int draw(struct drawing *d, struct work_request *work, size_t k, struct fovea_fault *fault)
{
    struct view_job *j = &d->a->view;
    struct pool_output *out = &d->a->outputs[k];
    work->page = d->first + (uint32_t)k;
    if (cache_find(j->call->f->cache, j->sha256, work, out))
        return 0;
    struct pool_job job = {.request = work, .input = j->snapshot.fd, .limit_ms = (int)j->call->f->config.view_timeout_ms,
                           .cancel = j->call->scope.cancel};
    int r = pool_run(d->pool, &job, &d->ends[k], out, fault);
    if (r == 0 && d->ends[k] == POOL_DONE)
        cache_keep(j->call->f->cache, j->sha256, work, out);
    return r;
}

static int draw_other(void *arg, size_t k, struct fovea_fault *fault)
{
    struct drawing *d = arg;
    struct work_request work = d->work;
    return draw(d, &work, k + 1, fault);
}

/* 1 with the view's own bad news of a page. */
static int judge(struct drawing *d, size_t k)
{
    struct view_job *j = &d->a->view;
    j->end = d->ends[k];
    j->output.reply = d->a->outputs[k].reply;
    j->work.page = d->first + (uint32_t)k;
    return view_outcome(j);
}

/* A page that cannot be drawn is left out, so that the others are still of use. */
static int judge_one_of_many(struct drawing *d, size_t k)
{
    int r = judge(d, k);
    if (r <= 0)
        return r;
    fovea_result_free(take(d->a->view.result));
    d->bad[k] = true;
    d->n_bad++;
    return 0;
}

static int judge_first(struct drawing *d)
{
    if (!asking_page_alone(d->a, d->ends[0], &d->a->outputs[0].reply))
        return judge_one_of_many(d, 0);
    int r = judge(d, 0);
    return r > 0 ? asking_refused(d->a) : r;
}

/* How many pages go, of those that there are. */
static int count_pages(struct drawing *d)
{
    struct asking *a = d->a;
    int64_t images = a->choice.model ? a->choice.model->images : 0;
    int r = asking_last_page(a, MIN(a->outputs[0].reply.pages, (uint32_t)LIMIT_PAGES), &d->last);
    if (r)
        return r;
    d->n = (size_t)MIN(d->last - d->first + 1, images ? MIN((int64_t)LIMIT_ASK_PAGES, images) : LIMIT_ASK_PAGES);
    return 0;
}

/* All of them go in one request. */
static uint32_t share(const struct asking *a, size_t others)
{
    uint64_t whole = MAX(ask_inline_limit(&a->choice, WIRE_IMAGE), ask_inline_limit(&a->choice, WIRE_PDF));
    uint64_t used = a->outputs[0].reply.image_len, most = a->view.work.limits.max_bytes;
    uint64_t each = !whole ? most : whole > used ? (whole - used) / others : 1;
    return (uint32_t)MIN(MAX(each, (uint64_t)1), most);
}

static int draw_others(struct drawing *d)
{
    struct asking_each each = {.work = draw_other, .arg = d, .n = d->n - 1};
    d->work = d->a->view.work;
    if (each.n)
        d->work.limits.max_bytes = share(d->a, each.n);
    int r = each.n ? asking_each(&each, d->a->fault) : 0;
    for (size_t k = 1; !r && k < d->n; k++)
        r = judge_one_of_many(d, k);
    if (!r && d->n_bad == d->n)
        r = judge(d, 0);
    return r > 0 ? asking_refused(d->a) : r;
}

/* ---------------------------------------------------------------- what is said of it */

static const char *because(const struct asking *a)
{
    static const char *const words[] = {
        [DRAWN_NEEDED] = ", since it takes no PDF",
        [DRAWN_HOST] = ", since its host is not known to carry PDF",
        [DRAWN_LARGE] = ", since the PDF is larger than its provider takes",
    };
    return words[a->drawn] ? words[a->drawn] : "";
}

/* "; page 3 cannot be drawn and was left out", or nothing. */
static void add_left_out(const struct drawing *d, struct buf *b)
{
    if (!d->n_bad)
        return;
    (void)buf_add_str(b, d->n_bad == 1 ? "; page " : "; pages ");
    for (size_t k = 0, said = 0; k < d->n; k++)
        if (d->bad[k])
            (void)buf_add_format(b, "%s%u", said++ ? ", " : "", d->first + (uint32_t)k);
    (void)buf_add_str(b, d->n_bad == 1 ? " cannot be drawn and was left out" : " cannot be drawn and were left out");
}

static int say(struct drawing *d)
{
    struct asking *a = d->a;
    auto_buf b = BUF_INIT(4 * KIB), without = BUF_INIT(KIB);
    char which[64];
    bool one = d->n == 1;
    uint32_t pages = a->outputs[0].reply.pages, last = d->first + (uint32_t)d->n - 1;
    const char *part = a->view.work.region.set ? "a region of " : "";
    if (one)
        (void)snprintf(which, sizeof which, "page %u of %u", last, pages);
    else
        (void)snprintf(which, sizeof which, "pages %u-%u of %u", d->first, last, pages);
    (void)buf_add_format(&b, "The model was given %s%s as %s%s", part, which, one ? "a picture" : "pictures", because(a));
    add_left_out(d, &without);
    (void)buf_add_str(&b, d->n_bad ? without.data : "");
    (void)buf_add_str(&b, last < d->last ? "; ask again with page for others." : ".");
    a->shown = without.error ? NULL : buf_take(&b);
    if (!a->shown)
        return fault_oom(a->fault);
    return one ? asking_tell(a, "The picture shows %s%s of a PDF.", part, which)
               : asking_tell(a, "The pictures show %s of a PDF, one each, in order%s.", which, d->n_bad ? without.data : "");
}

static int put(struct drawing *d)
{
    struct asking *a = d->a;
    size_t n = 0;
    a->parts = calloc(d->n, sizeof *a->parts);
    if (!a->parts)
        return fault_oom(a->fault);
    for (size_t k = 0; k < d->n; k++) {
        const struct pool_output *o = &a->outputs[k];
        if (!d->bad[k])
            a->parts[n++] = (struct wire_part){.kind = WIRE_IMAGE, .media_type = media_row((enum media)o->reply.media)->mime,
                                               .data = o->data, .len = o->reply.image_len};
    }
    a->n_parts = n;
    a->part = a->parts[0];
    return 0;
}

int asking_pages(struct asking *a)
{
    struct drawing d = {.a = a, .first = (uint32_t)MAX(a->page.first, 1)};
    a->outputs = calloc(LIMIT_ASK_PAGES, sizeof *a->outputs);
    if (!a->outputs)
        return fault_oom(a->fault);
    int r = programs_pool(a->call->f->programs, PROGRAM_PDF, &d.pool, a->fault);
    if (r == 0)
        r = draw(&d, &a->view.work, 0, a->fault);
    if (r == 0)
        r = judge_first(&d);
    if (r == 0)
        r = count_pages(&d);
    if (r == 0)
        r = draw_others(&d);
    if (r == 0)
        r = put(&d);
    return r ? r : say(&d);
}
