/* SPDX-License-Identifier: Apache-2.0 */
/* Other versions of pictures, where a request cannot carry what was shown. Made once, by a worker from the bytes in the record, and
 * kept there: whoever lowers the same session later, here or elsewhere, sends the same bytes. What a worker found impossible is kept as
 * that (no media type), so that nobody tries again; a worker that was killed or too slow found nothing, and the next lowering tries. One
 * that is damaged in the record is made anew. */
#include <errno.h>
#include <string.h>

#include "api/lowering.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"
#include "source/sniff.h"

static struct work_request plan(const fovea *f, const struct refit *refit, const struct sniff *is, size_t len)
{
    struct work_request w = {
        .magic = WORK_MAGIC,
        .media = is->media,
        .input_len = len,
        .flags = (refit->no_webp ? 0u : WORK_WEBP_OK) | (refit->no_gif ? WORK_NO_GIF : 0u),
        .limits = {.max_edge = refit->max_edge,
                   .min_edge = refit->min_edge,
                   .max_bytes = refit->max_bytes ? refit->max_bytes : (uint32_t)LIMIT_BLOB_BYTES,
                   .quality = (uint32_t)f->config.jpeg_quality,
                   .resize = 1},
    };
    return w;
}

struct refitting {
    fovea *f;
    int64_t until; /* all of them together */
    struct fovea_fault *fault;
};

/* What a try came to. */
enum verdict {
    MADE,
    IMPOSSIBLE, /* and will be tomorrow */
    NO_VERDICT, /* the machine's fault */
    NO_TIME,    /* as well, but it had enough of it */
};

static enum verdict judge(enum pool_end end, const struct pool_output *out)
{
    if (end == POOL_TIMED_OUT || (end == POOL_DONE && out->reply.status == WORK_TIMED_OUT))
        return NO_TIME;
    if (end != POOL_DONE || out->reply.status == WORK_NO_MEMORY)
        return NO_VERDICT;
    return out->reply.status == WORK_OK ? MADE : IMPOSSIBLE;
}

/* A worker that gave no verdict is tried once more: mostly the machine was busy. */
static int work(struct pool *pool, const struct work_request *request, int input, int64_t until, enum verdict *ret_verdict,
                struct pool_output *ret, struct fovea_fault *fault)
{
    enum verdict verdict = NO_VERDICT;
    for (int tries = 0; tries < 2 && verdict == NO_VERDICT; tries++) {
        struct pool_job job = {.request = request, .input = input, .limit_ms = MIN(LIMIT_WORKER_MS, clock_left(until))};
        enum pool_end end;
        pool_output_done(ret);
        *ret = (struct pool_output){0};
        int r = pool_run(pool, &job, &end, ret, fault);
        if (r < 0)
            return r;
        verdict = judge(end, ret);
    }
    *ret_verdict = verdict;
    return 0;
}

static int try(const struct refitting *job, const struct refit *refit, const void *data, size_t len, enum verdict *ret_verdict,
               struct pool_output *ret)
{
    struct snapshot snapshot = {.fd = -1};
    struct pool *pool;
    struct sniff is;
    sniff(data, MIN(len, (size_t)LIMIT_SNIFF_BYTES), len, &is);
    *ret_verdict = IMPOSSIBLE;
    const struct media_row *row = media_row(is.media);
    if (!len || (row->class != CLASS_BITMAP && row->class != CLASS_PICTURE))
        return 0;
    int r = programs_pool(job->f->programs, row->program, &pool, job->fault);
    if (r == 0)
        r = snapshot_of(data, len, &snapshot, job->fault);
    if (r < 0)
        return r;
    struct work_request request = plan(job->f, refit, &is, len);
    r = work(pool, &request, snapshot.fd, job->until, ret_verdict, ret, job->fault);
    snapshot_done(&snapshot);
    return r;
}

static void blob_free(void **p)
{
    free(*p);
}

static int make(const struct refitting *job, const uint8_t sha256_of[static SHA256_LEN], const struct refit *refit, const char *spec)
{
    struct record_variant v = {0}, kept;
    cleanup(blob_free) void *data = NULL;
    size_t len = 0;
    enum verdict verdict = NO_VERDICT;
    cleanup(pool_output_done) struct pool_output out = {0};
    if (!clock_left(job->until))
        return 0; /* as without a verdict */
    int r = record_blob(job->f->record, sha256_of, &data, &len, job->fault);
    if (r == -EBADMSG || r == -ENOENT)
        return 0; /* the writer will meet it, and say so */
    r = r == 0 ? try(job, refit, data, len, &verdict, &out) : r;
    if (r < 0 || verdict == NO_VERDICT || verdict == NO_TIME)
        return r; /* without one the writer has words in its place, this time */
    const void *made = "";
    if (verdict == MADE) {
        (void)snprintf(v.media_type, sizeof v.media_type, "%s", media_row(out.reply.media)->mime);
        v.width = out.reply.width;
        v.height = out.reply.height;
        v.bytes = (int64_t)out.reply.image_len;
        made = out.data;
    }
    sha256(made, (size_t)v.bytes, v.sha256);
    r = record_variant_keep(job->f->record, sha256_of, spec, &v, made, &kept, job->fault);
    return r == -EBADMSG ? 0 : r; /* one picture is no reason to lower nothing */
}

/* ---------------------------------------------------------------- what is there */

/* Whether the bytes can be had. Once seen, they are not read again by this context: they are read when they are written. */
static int has_bytes(fovea *f, const uint8_t sha256[static SHA256_LEN], struct fovea_fault *fault)
{
    cleanup(blob_free) void *data = NULL;
    size_t len;
    if (seen_find(f->refits, sha256))
        return 0;
    int r = record_blob(f->record, sha256, &data, &len, fault);
    if (r == 0)
        seen_add(f->refits, sha256);
    return r;
}

static int ensure(void *arg, const uint8_t sha256_of[static SHA256_LEN], const struct refit *refit)
{
    const struct refitting *job = arg;
    struct record_variant there;
    char spec[REFIT_SPEC];
    refit_spec(refit, spec);
    int r = record_variant(job->f->record, sha256_of, spec, &there, job->fault);
    if (r == 0 && there.media_type[0])
        r = has_bytes(job->f, there.sha256, job->fault);
    return r == -ENOENT || r == -EBADMSG ? make(job, sha256_of, refit, spec) : r;
}

int lowering_refit(struct lowering *l, struct fovea_fault *fault)
{
    struct refitting job = {l->f, clock_ms() + l->looks_ms, fault};
    return replay_refits(l->replay, ensure, &job);
}
