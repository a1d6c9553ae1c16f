/* SPDX-License-Identifier: Apache-2.0 */
/* One job of the lab of faults, through the pool or through the public view: how it ended, and when. Also who strikes the
 * cancels, and small things that are counted. */
#ifndef TESTS_LAB_FAULTS_JOB_H
#define TESTS_LAB_FAULTS_JOB_H

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <sys/mman.h>

#include "base/limits.h"
#include "base/media.h"
#include "base/sha256.h"
#include "faults_rows.h"
#include "fovea.h"
#include "sandbox/pool.h"
#include "tests/fault/notes.h"
#include "tests/fault/picture.h"
#include "watch.h"

struct run {
    unsigned number; /* of the job, and of its picture */
    int limit_ms;
    int strike_ms; /* cancelled so long after its start; 0 not at all */
    struct note *notes;
    unsigned how;
    int64_t begun, handed, ready, struck, ended; /* microseconds */
    int64_t starved; /* of which its thread had no processor, since it was handed over (of a view: since it was begun) */
    struct fovea_fault fault;
};

static inline unsigned dice(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* ---------------------------------------------------------------- cancels */

enum { STRIKE_SLOTS = 16 };

struct striker {
    pthread_t thread;
    atomic_bool over;
    struct {
        pthread_mutex_t lock;
        fovea_cancel *cancel; /* NULL: nobody waits */
        int64_t at, struck;
    } slots[STRIKE_SLOTS];
};

static inline void *striker_main(void *arg)
{
    struct striker *s = arg;
    for (; !s->over; (void)poll(NULL, 0, 1))
        for (size_t i = 0; i < STRIKE_SLOTS; i++) {
            (void)pthread_mutex_lock(&s->slots[i].lock);
            if (s->slots[i].cancel && !s->slots[i].struck && watch_us() >= s->slots[i].at) {
                s->slots[i].struck = watch_us();
                fovea_cancel_now(s->slots[i].cancel);
            }
            (void)pthread_mutex_unlock(&s->slots[i].lock);
        }
    return NULL;
}

static inline bool striker_start(struct striker *s)
{
    for (size_t i = 0; i < STRIKE_SLOTS; i++)
        (void)pthread_mutex_init(&s->slots[i].lock, NULL);
    return !pthread_create(&s->thread, NULL, striker_main, s);
}

static inline void striker_end(struct striker *s)
{
    s->over = true;
    (void)pthread_join(s->thread, NULL);
}

/* Sets the cancel of a slot, or (NULL) takes it back; returns when the one before struck. */
static inline int64_t striker_set(struct striker *s, size_t slot, fovea_cancel *c, int64_t at)
{
    (void)pthread_mutex_lock(&s->slots[slot].lock);
    int64_t struck = s->slots[slot].struck;
    s->slots[slot].cancel = c;
    s->slots[slot].at = at;
    s->slots[slot].struck = 0;
    (void)pthread_mutex_unlock(&s->slots[slot].lock);
    return struck;
}

/* ---------------------------------------------------------------- through the pool */

static inline void note_handed(void *arg)
{
    struct run *r = arg;
    r->handed = watch_us();
    r->starved = watch_starved();
}

static inline bool picture_right(const uint8_t *data, size_t len, unsigned number)
{
    uint8_t want[PICTURE_ROOM];
    return data && len == picture_make(want, PICTURE_SIDE, number) && !memcmp(data, want, len);
}

static inline unsigned how_it_ended(const struct run *r, int code, enum pool_end end, const struct pool_output *out)
{
    static const struct {
        int code;
        unsigned how;
    } codes[] = {{-EPIPE, NO_START}, {-EPROTO, STRANGER}, {-ENOSYS, NO_JAIL}, {-ETIMEDOUT, LATE}, {-ECANCELED, CANCELLED}};
    for (size_t i = 0; i < COUNT(codes); i++)
        if (code == codes[i].code)
            return codes[i].how;
    if (code)
        return OTHER_FAULT;
    if (end != POOL_DONE)
        return end == POOL_DIED ? DIED : TIMED_OUT;
    if (out->reply.status != WORK_OK)
        return REFUSED;
    return picture_right(out->data, out->len, r->number) ? RIGHT : WRONG;
}

/* The clock of a limit runs from when the job was with a worker that had greeted. */
static inline void find_ready(struct run *r, bool handed)
{
    const struct note *own = &r->notes[r->number], *last = &r->notes[0];
    int64_t greeted = own->greeted ? own->greeted : last->greeted;
    r->ready = MAX(greeted, handed ? r->handed : own->received);
    r->ready = MAX(r->ready, r->begun);
}

static inline void run_in_pool(struct run *r, struct pool *p, const char *fault, struct striker *s, size_t slot)
{
    char text[64];
    fovea_cancel *cancel = NULL;
    enum pool_end end = POOL_DIED;
    struct pool_output out = {0};
    int len = snprintf(text, sizeof text, "FAULT:%s:%u", fault, r->number);
    auto_close int input = memfd_create("input", MFD_CLOEXEC);
    (void)!write(input, text, (size_t)len);
    struct work_request request = {.magic = WORK_MAGIC, .media = MEDIA_PNG, .input_len = (uint64_t)len,
                                   .limits = {.max_edge = 1568, .max_bytes = 500 * 1024, .quality = 75}};
    r->notes[r->number] = r->notes[0] = (struct note){0};
    r->starved = watch_starved();
    r->begun = watch_us();
    if (r->strike_ms && !fovea_cancel_new(&cancel, NULL))
        (void)striker_set(s, slot, cancel, r->begun + r->strike_ms * INT64_C(1000));
    struct pool_job job = {.request = &request, .input = input, .other = -1, .limit_ms = r->limit_ms, .cancel = cancel,
                           .meanwhile = note_handed, .arg = r};
    int code = pool_run(p, &job, &end, &out, &r->fault);
    r->ended = watch_us();
    r->starved = watch_starved() - r->starved;
    if (cancel)
        r->struck = striker_set(s, slot, NULL, 0);
    r->how = how_it_ended(r, code, end, &out);
    find_ready(r, true);
    pool_output_done(&out);
    fovea_cancel_free(cancel);
}

/* ---------------------------------------------------------------- through the view */

static inline unsigned how_it_shows(const struct run *r, const fovea_result *result)
{
    struct fovea_image image;
    const char *reason = fovea_result_reason(result);
    if (!fovea_result_image(result, &image))
        return picture_right(image.data, image.len, r->number) ? RIGHT : WRONG;
    if (reason && !strcmp(reason, "timed_out"))
        return strstr(fovea_result_text(result), "took too long to decode") ? TIMED_OUT : REFUSED;
    return reason && !strcmp(reason, "malformed") && strstr(fovea_result_text(result), "broke its decoder") ? DIED : REFUSED;
}

static inline void run_in_view(struct run *r, fovea *f, const char *fault)
{
    char bytes[96] = "GIF89a\40\0\40\0\0\0";
    fovea_result *result = NULL;
    int len = 13 + snprintf(bytes + 13, sizeof bytes - 13, "FAULT:%s:%u", fault, r->number);
    struct fovea_view_request request = {.path = "fault.gif", .data = bytes, .data_len = (size_t)len};
    r->notes[r->number] = (struct note){0};
    r->starved = watch_starved();
    r->begun = watch_us();
    int code = fovea_view(f, &request, &result, &r->fault);
    r->ended = watch_us();
    r->starved = watch_starved() - r->starved;
    r->how = code ? OTHER_FAULT : how_it_shows(r, result);
    find_ready(r, false);
    fovea_result_free(result);
}

/* A file of the fixtures, as it is shown. */
struct shown {
    uint8_t sha256[SHA256_LEN];
    uint32_t width, height;
};

static inline bool show_file(fovea *f, const char *build, const char *name, struct shown *ret)
{
    char path[LIMIT_PATH_BYTES + 64];
    fovea_result *result = NULL;
    struct fovea_image image;
    (void)snprintf(path, sizeof path, "%s/fixtures/good/%s", build, name);
    bool good = !fovea_view(f, &(struct fovea_view_request){.path = path}, &result, NULL) && !fovea_result_image(result, &image);
    if (good) {
        sha256(image.data, image.len, ret->sha256);
        ret->width = image.width;
        ret->height = image.height;
    }
    fovea_result_free(result);
    return good;
}

static inline bool shown_same(const struct shown *a, const struct shown *b)
{
    return !memcmp(a->sha256, b->sha256, sizeof a->sha256) && a->width == b->width && a->height == b->height;
}

/* ---------------------------------------------------------------- counted */

struct census {
    int fds, threads, children, zombies;
};

static inline bool census_same(const struct census *a, const struct census *b)
{
    return a->fds == b->fds && a->threads == b->threads && a->children == b->children && !b->zombies;
}

static inline const char *census_words(const struct census *a, const struct census *b)
{
    static char words[160];
    (void)snprintf(words, sizeof words, "%d descriptors, %d threads, %d children; then %d, %d, %d and %d zombies", a->fds, a->threads,
                   a->children, b->fds, b->threads, b->children, b->zombies);
    return words;
}

static inline int longs_ordered(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

/* The median of one third of the samples, the first being 0. They are put in order for it. */
static inline long third_median(long *samples, int n, int third)
{
    int each = n / 3;
    if (!each)
        return 0;
    qsort(samples + third * each, (size_t)each, sizeof *samples, longs_ordered);
    return samples[third * each + each / 2];
}

/* ---------------------------------------------------------------- folders */

/* The folder of the build: this is its tests/lab/faults. */
static inline bool find_build(char *build, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", build, size - 1);
    for (int up = 0; n > 0 && up < 3; up++) {
        build[n] = 0;
        char *slash = strrchr(build, '/');
        *slash = 0;
        n = slash - build;
    }
    return n > 0;
}

static inline int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static inline void remove_tree(const char *dir)
{
    (void)nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
