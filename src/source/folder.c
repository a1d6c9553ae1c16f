/* SPDX-License-Identifier: Apache-2.0 */
/* Where a folder truly is: a job for a reader, whose answer is a text. See folder.h. */
#include "source/folder.h"

#include <errno.h>

#include "base/cleanup.h"
#include "source/gate_priv.h"
#include "source/reader.h"

/* In the reader. The top of the tree is "" to the walk. */
static void run_resolve(const struct reader_job *job, struct reader_report *report)
{
    cleanup(walk_done) struct walk w;
    int r = walk_anywhere(&w, job->variants->path[0]);
    report->verdict = SNAPSHOT_ABSENT;
    if (r < 0 || w.slash) {
        report->error = r == -ENOENT ? 0 : r;
        return;
    }
    const char *path = *w.path ? w.path : "/";
    size_t len = strlen(path);
    memcpy(job->text, path, len);
    report->lines.window.size = len;
    report->verdict = SNAPSHOT_TAKEN;
}

int folder_resolve(const struct gate *g, const char *path, int total_ms, const fovea_cancel *cancel,
                   enum snapshot_verdict *ret_verdict, char **ret, struct fovea_fault *fault)
{
    struct ref_variants one = {.n = 1, .path = {(char *)path}};
    struct reader_job job = {
        .run = run_resolve, .gate = g, .variants = &one, .cancel = cancel, .total_ms = total_ms, .fd = -1};
    struct reader_report report = {0};
    if (strlen(path) >= LIMIT_PATH_BYTES) {
        *ret_verdict = SNAPSHOT_ABSENT; /* the kernel opens nothing of that length */
        return 0;
    }
    int r = reader_run(&job, &report, fault);
    if (r < 0)
        return r;
    *ret_verdict = report.verdict;
    if (report.verdict == SNAPSHOT_TAKEN)
        *ret = report.lines.text;
    return 0;
}
