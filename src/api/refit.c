/* SPDX-License-Identifier: Apache-2.0 */
/* Other versions of pictures, where a request cannot carry what was shown. Made once, by a worker from the bytes in the record, and
 * kept there: whoever lowers the same session later, here or elsewhere, sends the same bytes. What cannot be made is kept as that
 * (no media type), so that nobody tries again. */
#include <errno.h>
#include <string.h>

#include "api/lowering.h"
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

static int work(fovea *f, const struct refit *refit, const void *data, size_t len, enum pool_end *ret_end,
                struct pool_output *ret, struct fovea_fault *fault)
{
    struct snapshot snapshot = {.fd = -1};
    struct sniff is;
    int r = snapshot_of(data, len, &snapshot, fault);
    if (r < 0)
        return r;
    sniff(data, MIN(len, (size_t)LIMIT_SNIFF_BYTES), len, &is);
    *ret_end = POOL_DIED;
    if (len && media_row(is.media)->class == CLASS_BITMAP) {
        struct work_request request = plan(f, refit, &is, len);
        struct pool_job job = {.request = &request, .input = snapshot.fd, .limit_ms = LIMIT_WORKER_MS};
        r = pool_run(f->pool, &job, ret_end, ret, fault);
    }
    snapshot_done(&snapshot);
    return r;
}

static void blob_free(void **p)
{
    free(*p);
}

static int make(fovea *f, const uint8_t sha256_of[static SHA256_LEN], const struct refit *refit, const char *spec,
                struct fovea_fault *fault)
{
    struct record_variant v = {0}, kept;
    cleanup(blob_free) void *data = NULL;
    size_t len = 0;
    enum pool_end end = POOL_DIED;
    cleanup(pool_output_done) struct pool_output out = {0};
    int r = record_blob(f->record, sha256_of, &data, &len, fault);
    if (r == -EBADMSG || r == -ENOENT)
        return 0; /* the writer will meet it, and say so */
    r = r == 0 ? work(f, refit, data, len, &end, &out, fault) : r;
    if (r < 0)
        return r;
    const void *made = "";
    if (end == POOL_DONE && out.reply.status == WORK_OK) {
        (void)snprintf(v.media_type, sizeof v.media_type, "%s", media_row(out.reply.media)->mime);
        v.width = out.reply.width;
        v.height = out.reply.height;
        v.bytes = (int64_t)out.reply.image_len;
        made = out.data;
    }
    sha256(made, (size_t)v.bytes, v.sha256);
    return record_variant_keep(f->record, sha256_of, spec, &v, made, &kept, fault);
}

struct refitting {
    fovea *f;
    struct fovea_fault *fault;
};

static int ensure(void *arg, const uint8_t sha256_of[static SHA256_LEN], const struct refit *refit)
{
    const struct refitting *job = arg;
    struct record_variant there;
    char spec[REFIT_SPEC];
    refit_spec(refit, spec);
    int r = record_variant(job->f->record, sha256_of, spec, &there, job->fault);
    return r == -ENOENT ? make(job->f, sha256_of, refit, spec, job->fault) : r;
}

int lowering_refit(struct lowering *l, struct fovea_fault *fault)
{
    struct refitting job = {l->f, fault};
    return replay_refits(l->replay, ensure, &job);
}
