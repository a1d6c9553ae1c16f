/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of a long picture is a tile of it. Which one, depends on whom it is shown to: tiles are those that a view here names,
 * not those that the model asked would get, which nobody was told of. So a tile becomes a region before the question is asked.
 */
#include "api/asking.h"
#include "base/limits.h"

/* Those whose pages can be nothing else. */
static bool without_pages(enum media m)
{
    return media_row(m)->class == CLASS_BITMAP || m == MEDIA_BMP;
}

static void take_tile(struct asking *a, const struct area *crop)
{
    a->view.work.region = (struct fit_box){crop->x, crop->y, crop->w, crop->h, FIT_SOURCE, 1};
    a->view.work.page = 0;
    a->look.page = (struct fovea_pages){0, 0};
}

/* Makes the picture as a view for the host would. */
static int show_host(struct asking *a, struct view_job *j)
{
    struct pool *pool;
    int r = view_plan(j);
    if (r)
        return r;
    if (cache_find(j->call->f->cache, a->view.sha256, &j->work, &j->output))
        return view_outcome(j);
    struct pool_job job = {.request = &j->work, .input = j->snapshot.fd, .limit_ms = (int)j->call->f->config.view_timeout_ms,
                           .cancel = j->call->scope.cancel};
    r = programs_pool(j->call->f->programs, media_row(j->sniff.media)->program, &pool, j->fault);
    if (r == 0)
        r = pool_run(pool, &job, &j->end, &j->output, j->fault);
    return r < 0 ? r : view_outcome(j);
}

int asking_tile(struct asking *a)
{
    struct view_job *v = &a->view;
    bool named = a->look.page.first, range = v->work.last_page;
    if (a->native || !v->work.page || (range && view_has_parts(v, PART_PAGE)) || v->work.region.set)
        return 0;
    if (v->earlier.ref && !named && without_pages(v->sniff.media)) {
        take_tile(a, &v->earlier.crop);
        return 0;
    }
    struct fovea_view_request look = a->look;
    look.model = NULL;
    struct view_job host = {.call = a->call, .request = &look, .fault = a->fault, .snapshot = v->snapshot, .sniff = v->sniff,
                            .work = {.page = v->work.page, .last_page = v->work.last_page, .frame = v->work.frame}};
    int r = view_hash(v);
    if (r == 0)
        r = show_host(a, &host);
    if (r == 0 && host.output.reply.facts & WORK_TILED)
        take_tile(a, &host.output.reply.crop);
    v->result = host.result; /* the refusal, if there is one */
    v->end = host.end;
    v->output.reply = host.output.reply;
    pool_output_done(&host.output);
    return r;
}
