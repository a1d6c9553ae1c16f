/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the bytes that a host gives truly are. Each picture is decoded in full by a worker, as for a view, and made as small as can
 * be: what it becomes is thrown away, that it decodes is what we want to know. Several at once, since most of it is waiting. All of
 * one call share one time, however many there are: what is left then is kept as a picture that nobody looked at.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "api/arrival.h"
#include "api/call.h"
#include "api/pdf_count.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/thread.h"
#include "percept/json.h"
#include "source/sniff.h"

enum { SMALL = 32 };

struct look {
    struct incoming_picture picture;
    struct fovea_fault fault;
    int code; /* 0, or a fault */
    bool wanted, done;
};

struct looks {
    fovea *f;
    const struct incoming *in;
    struct look *list; /* by blob */
    _Atomic size_t next;
    int64_t until;
};

/* ---------------------------------------------------------------- one picture */

static const char untimely[] = "it was not looked at, since those before it took all the time";

static const char *trouble(enum pool_end end, const struct work_reply *reply, int64_t until)
{
    if (end == POOL_TIMED_OUT && !clock_left(until))
        return untimely;
    if (end == POOL_DIED)
        return "it broke its decoder, so it is damaged or hostile";
    if (end == POOL_TIMED_OUT || reply->status == WORK_TIMED_OUT)
        return "it took too long to decode";
    if (reply->status == WORK_OK)
        return "";
    if (reply->status == WORK_NO_MEMORY)
        return "it needs more memory than a decoder can have";
    return *reply->detail ? reply->detail : "it does not decode in full";
}

static bool is_verdict(enum pool_end end, const struct work_reply *reply)
{
    return end != POOL_DIED && !(end == POOL_DONE && reply->status == WORK_NO_MEMORY);
}

/* Twice where the machine may be to blame: a busy one kills and has no memory, and what is kept for ever is asked twice. One that took
 * too long had its time. */
static int run(const struct looks *l, const struct incoming_blob *blob, enum media media, enum pool_end *ret_end,
               struct work_reply *ret, struct fovea_fault *fault)
{
    struct snapshot s = {.fd = -1};
    struct pool *pool;
    int r = programs_pool(l->f->programs, media_row(media)->program, &pool, fault);
    if (r == 0)
        r = snapshot_of(blob->data, blob->len, &s, fault);
    if (r < 0)
        return r;
    struct work_request work = {.magic = WORK_MAGIC, .media = media, .input_len = s.size,
                                .limits = {.max_edge = SMALL, .max_bytes = 64 * KIB, .quality = 50, .resize = 1}};
    *ret_end = POOL_DIED;
    for (int tries = 2; r == 0 && tries && !is_verdict(*ret_end, ret); tries--) {
        struct pool_job job = {.request = &work, .input = s.fd, .limit_ms = MIN(LIMIT_WORKER_MS, clock_left(l->until))};
        struct pool_output output = {0};
        r = pool_run(pool, &job, ret_end, &output, fault);
        *ret = output.reply;
        pool_output_done(&output);
    }
    snapshot_done(&s);
    return r;
}

static int decode(const struct looks *l, const struct incoming_blob *blob, enum media media, struct incoming_picture *ret,
                  struct fovea_fault *fault)
{
    struct work_reply reply = {0};
    enum pool_end end = POOL_TIMED_OUT;
    int r = clock_left(l->until) ? run(l, blob, media, &end, &reply, fault) : 0;
    if (r < 0)
        return r;
    (void)snprintf(ret->why, sizeof ret->why, "%s", trouble(end, &reply, l->until));
    ret->width = end == POOL_DONE ? reply.source_w : 0;
    ret->height = end == POOL_DONE ? reply.source_h : 0;
    return 0;
}

static enum media sniff_blob(const struct incoming_blob *blob)
{
    struct sniff s;
    sniff(blob->data, MIN(blob->len, LIMIT_SNIFF_BYTES), blob->len, &s);
    return s.media == MEDIA_SVGZ ? MEDIA_NONE : s.media; /* what a gzip holds, is not looked at here */
}

static int look_at(const struct looks *l, const struct incoming_blob *blob, struct incoming_picture *ret, struct fovea_fault *fault)
{
    enum media media = sniff_blob(blob);
    const struct media_row *row = media_row(media);
    bool picture = row->class == CLASS_BITMAP || row->class == CLASS_PICTURE || row->class == CLASS_VECTOR;
    *ret = (struct incoming_picture){.media_type = picture ? row->mime : NULL};
    if (row->class == CLASS_BITMAP || row->class == CLASS_PICTURE)
        return decode(l, blob, media, ret, fault);
    if (picture)
        (void)snprintf(ret->why, sizeof ret->why, "%s is not shown as an attachment; give it as PNG", row->name);
    else
        (void)snprintf(ret->why, sizeof ret->why, "it is no picture");
    return 0;
}

/* ---------------------------------------------------------------- all of them */

static void *work(void *arg)
{
    struct looks *l = arg;
    for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->in->n_blobs;) {
        struct look *one = &l->list[i];
        if (!one->wanted)
            continue;
        one->code = look_at(l, &l->in->blobs[i], &one->picture, &one->fault);
        one->done = true;
    }
    return NULL;
}

/* This thread is one of them. */
static void work_together(struct looks *l, size_t wanted)
{
    pthread_t others[LIMIT_LOOKERS];
    unsigned n = 0;
    while (n + 1 < LIMIT_LOOKERS && n + 1 < wanted && thread_start(&others[n], NULL, work, l) == 0)
        n++;
    (void)work(l);
    while (n)
        (void)pthread_join(others[--n], NULL);
}

static int tell(void *arg, const struct incoming_blob *blob, struct incoming_picture *ret, struct fovea_fault *fault)
{
    const struct looks *l = arg;
    const struct look *one = &l->list[blob - l->in->blobs];
    if (!one->done)
        return look_at(l, blob, ret, fault);
    if (one->code < 0)
        return fault_set(fault, one->code, "%s", one->fault.text);
    *ret = one->picture;
    return 0;
}

/* ---------------------------------------------------------------- documents */

static const struct incoming_blob *blob_of(const struct incoming *in, const json_t *part)
{
    uint8_t digest[SHA256_LEN];
    return sha256_unhex(json_string_value(json_object_get(part, "sha256")), digest) ? incoming_blob(in, digest) : NULL;
}

/* How many pages it has, for those who must not send too many; where that cannot be told, nothing is. A document need not open
 * to be let in, and is only counted where pages may be drawn. */
static int count_pages(const struct session_place *at, const struct incoming_blob *blob, int64_t until, json_t *part,
                       struct fovea_fault *fault)
{
    struct pdf_count count = {0};
    struct snapshot s = {.fd = -1};
    int most = MIN((int)at->f->config.view_timeout_ms, clock_left(until));
    if (!config_draws(&at->f->config, FOVEA_RENDER_PDF) || !(at->render & FOVEA_RENDER_PDF) || json_object_get(part, "pages") || !most)
        return 0;
    int r = snapshot_of(blob->data, blob->len, &s, fault);
    if (r == 0)
        r = pdf_count(at->f, &s, most, NULL, &count, fault);
    snapshot_done(&s);
    if (r < 0 || !count.pages)
        return r == -ENOMEM ? r : 0;
    return json_object_set_new(part, "pages", json_integer(count.pages)) < 0 ? fault_oom(fault) : 0;
}

/* The bytes of text do not tell which kind of text it is; of all others they tell more than was said. */
static int name_document(json_t *part, enum media media)
{
    const char *is = media_sent_as(media);
    json_t *said = json_object_get(part, "media_type");
    if (media == MEDIA_NONE || (media == MEDIA_TEXT && said) || (said && !strcmp(json_string_value(said), is)))
        return 0;
    if (said && !json_object_get(part, "declared") && json_object_set(part, "declared", said) < 0)
        return -ENOMEM;
    return json_object_set_new(part, "media_type", json_string(is)) < 0 ? -ENOMEM : 0;
}

static int look_at_document(const struct arrival *a, int64_t until, json_t *part, struct fovea_fault *fault)
{
    const char *type = json_string_value(json_object_get(part, "type"));
    const struct incoming_blob *blob = type && !strcmp(type, "document") ? blob_of(&a->in, part) : NULL;
    if (!blob)
        return 0;
    enum media media = sniff_blob(blob);
    if (name_document(part, media) < 0)
        return fault_oom(fault);
    return media == MEDIA_PDF ? count_pages(&a->place, blob, until, part, fault) : 0;
}

static int look_at_documents(const struct arrival *a, int64_t until, struct fovea_fault *fault)
{
    size_t i, k;
    json_t *entry, *part;
    int r = 0;
    json_array_foreach(a->in.entries, i, entry)
        json_array_foreach(json_object_get(entry, "parts"), k, part)
            if (r == 0)
                r = look_at_document(a, until, part, fault);
    return r;
}

int arrival_look(struct arrival *a, struct fovea_fault *fault)
{
    auto_free struct arrival_use *uses = NULL;
    auto_free struct look *list = calloc(MAX(a->in.n_blobs, (size_t)1), sizeof *list);
    size_t wanted = 0;
    int r = list ? arrival_uses(a, &uses, fault) : fault_oom(fault);
    for (size_t i = 0; r == 0 && i < a->in.n_blobs; i++)
        wanted += list[i].wanted = uses[i].as_picture;
    if (r < 0)
        return r;
    struct looks l = {.f = a->place.f, .in = &a->in, .list = list, .until = clock_ms() + a->looks_ms};
    if (wanted)
        work_together(&l, wanted);
    r = incoming_pictures(&a->in, tell, &l, fault);
    if (r == 0 && incoming_views(&a->in) < 0)
        return fault_oom(fault);
    return r < 0 ? r : look_at_documents(a, l.until, fault);
}
