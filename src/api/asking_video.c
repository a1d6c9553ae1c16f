/* SPDX-License-Identifier: Apache-2.0 */
/* A video that goes as it is: one that is broken, or has no pictures, is found here first, where video may be opened. Its program is asked
 * for a frame that no video has: it lists the frames and decodes none. */
#include <errno.h>

#include "api/asking.h"
#include "base/limits.h"

/* What the reply says goes into the view. A fault, also where the program is not there. */
static int glance(struct asking *a, struct fovea_fault *fault)
{
    struct view_job *j = &a->view;
    struct work_request work = {.magic = WORK_MAGIC, .media = j->sniff.media, .input_len = j->snapshot.size, .frame = WORK_NO_FRAME,
                                .limits = {.max_edge = 32, .max_bytes = 64 * KIB, .quality = 50, .resize = 1}};
    struct pool_job job = {.request = &work, .input = j->snapshot.fd, .limit_ms = (int)a->call->f->config.view_timeout_ms,
                           .cancel = a->call->scope.cancel};
    struct pool *pool;
    int r = programs_pool(a->call->f->programs, PROGRAM_VIDEO, &pool, fault);
    return r == 0 ? pool_run(pool, &job, &j->end, &j->output, fault) : r;
}

/* The file is to blame, and not a machine that has no time or memory for it. What it does not decode, the model may. */
static bool is_broken(const struct view_job *j)
{
    uint32_t status = j->output.reply.status;
    return j->end == POOL_DONE && (status == WORK_MALFORMED || status == WORK_UNSUPPORTED);
}

int asking_check_video(struct asking *a, uint32_t *ret_facts)
{
    struct view_job *j = &a->view;
    struct fovea_fault wrong;
    *ret_facts = 0;
    if (!asking_may_draw(a, FOVEA_RENDER_VIDEO))
        return 0;
    int r = glance(a, &wrong);
    if (r == -ECANCELED || r == -ENOMEM)
        return fault_set(a->fault, r, "%s", wrong.text);
    if (r < 0)
        return 0; /* without its program nothing can be said of it */
    if (is_broken(j)) {
        r = view_refuse_end(j);
        return r > 0 ? asking_refused(a) : r;
    }
    *ret_facts = j->end == POOL_DONE ? j->output.reply.facts : 0;
    return 0;
}
