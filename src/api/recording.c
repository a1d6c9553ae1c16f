/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording: a call of a tool within a session that has a name appends what it gave, with the bytes of a picture as shown and as
 * found. What was done and cannot be recorded is a fault: a host that builds its next request from the record must not find that the
 * model saw something that never happened.
 */
#include "api/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"
#include "percept/json.h"
#include "transcript/transcript.h"

void kept_done(struct kept *k)
{
    close_fd(k->source);
    close_fd(k->other);
    k->source = k->other = -1;
}

bool recording_takes(const fovea *f, uint64_t bytes)
{
    return bytes <= (uint64_t)f->config.record_max_attachment_bytes && bytes <= LIMIT_BLOB_BYTES;
}

static int keep(const struct snapshot *s, int *fd, uint64_t *size, struct fovea_fault *fault)
{
    close_fd(*fd);
    *fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
    *size = s->size;
    return *fd < 0 ? fault_set(fault, errno, "cannot keep a snapshot: %m") : 0;
}

int recording_source(const struct call *c, const struct snapshot *source, struct fovea_fault *fault)
{
    struct kept *k = c->kept;
    return k && recording_takes(c->f, source->size) ? keep(source, &k->source, &k->size, fault) : 0;
}

int recording_other(const struct call *c, const struct snapshot *other, bool *ret_stored, struct fovea_fault *fault)
{
    struct kept *k = c->kept;
    *ret_stored = k && recording_takes(c->f, other->size);
    return *ret_stored ? keep(other, &k->other, &k->other_size, fault) : 0;
}

/* ---------------------------------------------------------------- bytes */

struct blobs {
    struct record_blob list[3];
    size_t n;
    struct {
        void *map;
        size_t len;
    } maps[2];
    size_t n_maps;
};

static void blobs_done(struct blobs *b)
{
    for (size_t i = 0; i < b->n_maps; i++)
        (void)munmap(b->maps[i].map, b->maps[i].len);
}

/* What is there already is not taken twice. */
static int take_source(int fd, uint64_t size, const uint8_t sha256[SHA256_LEN], struct blobs *to, struct fovea_fault *fault)
{
    if (fd < 0)
        return 0;
    for (size_t i = 0; i < to->n; i++)
        if (!memcmp(to->list[i].sha256, sha256, SHA256_LEN))
            return 0;
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return fault_set(fault, errno, "cannot map a snapshot");
    to->maps[to->n_maps].map = map;
    to->maps[to->n_maps++].len = size;
    to->list[to->n] = (struct record_blob){.data = map, .len = size};
    memcpy(to->list[to->n++].sha256, sha256, SHA256_LEN);
    return 0;
}

/* The picture as shown, if there is one, and the source as found; of a comparison both. */
static int take_blobs(const struct recording *g, struct blobs *ret, struct fovea_fault *fault)
{
    const struct perception *p = &g->result->perception;
    if (g->result->kind != FOVEA_PERCEPTION)
        return 0;
    if (perception_seen(p)) {
        ret->list[0] = (struct record_blob){.data = p->data, .len = p->len};
        sha256(p->data, p->len, ret->list[0].sha256);
        ret->n = 1;
    }
    int r = take_source(g->kept->source, g->kept->size, p->source.sha256, ret, fault);
    return r < 0 || !p->difference.made ? r : take_source(g->kept->other, g->kept->other_size, p->difference.sha256, ret, fault);
}

/* ---------------------------------------------------------------- entries */

struct texts {
    struct record_new list[2];
    char *owned[2];
    size_t n;
};

static void texts_done(struct texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->owned[i]);
}

/* Takes entry over. */
static int add_text(struct texts *to, json_t *entry, struct fovea_fault *fault)
{
    auto_json *owned = entry;
    size_t len;
    char *text = owned ? entry_text_new(owned, &len) : NULL;
    if (!text)
        return fault_oom(fault);
    to->owned[to->n] = text;
    to->list[to->n++] = (struct record_new){text, len};
    return 0;
}

/* Arguments that nobody could have meant, and that were refused, are not worth the entry. */
static int add_result(const struct recording *g, const char *call, int64_t at, struct texts *to, struct fovea_fault *fault)
{
    struct recording bare = *g;
    bool stored = g->kept->source >= 0;
    int r = add_text(to, recording_entry(g, call, stored, at), fault);
    if (r < 0 || to->list[0].len <= LIMIT_ENTRY_BYTES || !g->arguments)
        return r;
    free(take(to->owned[0]));
    to->n = 0;
    bare.arguments = NULL;
    return add_text(to, recording_entry(&bare, call, stored, at), fault);
}

static int append_as(const struct recording *g, const struct blobs *blobs, const char *call, int64_t after,
                     struct fovea_fault *fault)
{
    cleanup(texts_done) struct texts texts = {0};
    struct record_appended done;
    int64_t at = clock_wall_ms();
    int r = add_result(g, call, at, &texts, fault);
    if (r == 0 && g->kept->asked)
        r = add_text(&texts, recording_usage(g->kept, at), fault);
    if (r < 0)
        return r;
    struct record_append a = {.session = g->call->session, .entries = texts.list, .count = texts.n, .blobs = blobs->list,
                              .n_blobs = blobs->n, .after = after};
    return record_append(g->call->f->record, &a, &done, fault);
}

/* A call that was found open is answered only if nobody answered it meanwhile. */
static int append_once(const struct recording *g, const struct blobs *blobs, bool last_try, struct fovea_fault *fault)
{
    auto_free char *found = NULL;
    int64_t last = -1;
    int r = g->answers ? 0 : open_call(g, &found, &last, fault);
    if (r < 0)
        return r;
    return append_as(g, blobs, g->answers ? g->answers : found, found && !last_try ? last : -1, fault);
}

int recording_add(const struct recording *g, struct fovea_fault *fault)
{
    cleanup(blobs_done) struct blobs blobs = {0};
    struct fovea_fault wrong = {0};
    int r = take_blobs(g, &blobs, &wrong);
    for (int tries = 1; r == 0; tries++) {
        r = append_once(g, &blobs, tries == LIMIT_APPEND_TRIES, &wrong);
        if (r != -ESTALE || tries == LIMIT_APPEND_TRIES)
            break;
        r = 0;
    }
    return r < 0 ? fault_set(fault, r, "%s was done, but not recorded: %s", g->tool, wrong.text) : 0;
}
