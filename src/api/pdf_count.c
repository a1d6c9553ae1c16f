/* SPDX-License-Identifier: Apache-2.0 */
/* Counting the pages of a PDF: its program is asked for one that no document has. It opens the file, says how many there are,
 * and has nothing to draw, so that a page that is hard to draw costs nothing. */
#include "api/pdf_count.h"

#include "base/limits.h"

int pdf_count(fovea *f, const struct snapshot *s, int limit_ms, const fovea_cancel *cancel, struct pdf_count *ret,
              struct fovea_fault *fault)
{
    struct work_request work = {.magic = WORK_MAGIC, .media = MEDIA_PDF, .input_len = s->size, .page = LIMIT_PAGES + 1,
                                .limits = {.max_edge = 32, .max_bytes = 64 * KIB, .quality = 50, .resize = 1}};
    struct pool_job job = {.request = &work, .input = s->fd, .limit_ms = limit_ms, .cancel = cancel};
    struct pool_output output = {0};
    struct pool *pool;
    enum pool_end end;
    int r = programs_pool(f->programs, PROGRAM_PDF, &pool, fault);
    if (r == 0)
        r = pool_run(pool, &job, &end, &output, fault);
    if (r)
        return r;
    *ret = (struct pdf_count){.end = end, .reply = output.reply};
    if (end == POOL_DONE && output.reply.status == WORK_BAD_PAGE)
        ret->pages = output.reply.pages;
    pool_output_done(&output);
    return 0;
}
