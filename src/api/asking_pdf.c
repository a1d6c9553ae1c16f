/* SPDX-License-Identifier: Apache-2.0 */
/* A PDF that goes as it is: what its provider would refuse, perhaps for money, is found here first, where PDF may be opened. */
#include <errno.h>

#include "api/asking.h"
#include "api/pdf_count.h"
#include "lower/target.h"

/* How many pages its provider takes, by the provider's own word; 0: not known. */
static int64_t most_pages(const struct asking *a)
{
    struct target_ask who = {.provider = a->choice.provider->name, .model = a->choice.id, .wire = a->choice.provider->wire};
    struct fovea_fault fault;
    struct target t;
    int r = target_make(a->call->f->config.models, &who, &t, &fault);
    return r == 0 && t.limits.pages_said ? t.limits.pdf_pages : 0;
}

/* The file is to blame, and not a machine that has no time or memory for it. */
static bool is_broken(const struct pdf_count *c)
{
    return c->end == POOL_DONE && (c->reply.status == WORK_MALFORMED || c->reply.status == WORK_LOCKED);
}

int asking_count_pages(struct asking *a)
{
    struct view_job *j = &a->view;
    struct pdf_count count;
    struct fovea_fault wrong;
    if (!asking_may_draw(a, FOVEA_RENDER_PDF))
        return 0;
    int r = pdf_count(a->call->f, &j->snapshot, (int)a->call->f->config.view_timeout_ms, a->call->scope.cancel, &count, &wrong);
    if (r == -ECANCELED || r == -ENOMEM)
        return fault_set(a->fault, r, "%s", wrong.text);
    if (r < 0)
        return 0; /* without its program nothing can be said of it */
    if (!count.pages) {
        if (!is_broken(&count))
            return 0;
        j->end = count.end;
        j->output.reply = count.reply;
        r = view_refuse_end(j);
        return r > 0 ? asking_refused(a) : r;
    }
    int64_t most = most_pages(a);
    if (!most || count.pages <= most)
        return 0;
    return asking_fail(a, FAIL_PDF_TOO_MANY_PAGES, "the PDF has %u pages, and %s takes at most %lld; ask about some of them with "
                       "page, or split it", count.pages, a->who, (long long)most);
}
