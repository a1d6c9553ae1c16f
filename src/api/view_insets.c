/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures within a Markdown. The program that draws it reads no file, so it first says which images the text names; each is
 * opened here through the gate like any other source, decoded by its own program, and handed over as plain pixels. One that is
 * absent, out of reach, on the network, no picture or not to be decoded is drawn as missing, all in the same way: the drawing
 * must not tell which. Nothing in here refuses the Markdown itself. They take half of its time at most.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

#include "api/view.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/limits.h"
#include "source/data_url.h"

enum { INSET_EDGE = 1100 }; /* about as wide as a page of text is drawn */

struct gathering {
    struct view_job *job;
    char *folder;    /* of the Markdown; NULL: it has none */
    int64_t until;   /* clock_ms() by which all are had */
    int fd;          /* table, then rows */
    uint64_t len;
    uint32_t n;
    struct work_inset table[LIMIT_REFS];
};

static void gathering_done(struct gathering *g)
{
    free(g->folder);
    close_fd(g->fd);
}

/* ---------------------------------------------------------------- which images */

static bool may_show_images(const struct view_job *j)
{
    static const char *const marks[] = {"![", "<img", "<IMG"};
    bool found = false;
    if (j->sniff.media != MEDIA_MARKDOWN)
        return false;
    void *map = mmap(NULL, j->snapshot.size, PROT_READ, MAP_PRIVATE, j->snapshot.fd, 0);
    if (map == MAP_FAILED)
        return false;
    for (size_t i = 0; i < COUNT(marks) && !found; i++)
        found = memmem(map, j->snapshot.size, marks[i], strlen(marks[i]));
    (void)munmap(map, j->snapshot.size);
    return found;
}

static int time_left(const struct gathering *g)
{
    int64_t left = g->until - clock_ms();
    return left > 0 ? (int)left : 0;
}

static int run(struct gathering *g, enum media media, const struct work_request *request, int input, enum pool_end *ret_end,
               struct pool_output *ret)
{
    struct view_job *j = g->job;
    struct pool_job job = {.request = request, .input = input, .other = -1, .limit_ms = time_left(g),
                           .cancel = j->call->scope.cancel};
    struct pool *pool;
    int r = programs_pool(j->call->f->programs, media_row(media)->program, &pool, j->fault);
    return r < 0 ? r : pool_run(pool, &job, ret_end, ret, j->fault);
}

/* ---------------------------------------------------------------- one of them */

static int hex_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A destination with its escapes undone. NULL when out of memory, or what is left can be no path. */
static char *decoded_new(const char *ref)
{
    char *to = malloc(strlen(ref) + 1), *out = to;
    if (!to)
        return NULL;
    for (const char *c = ref; *c; c++) {
        int high = *c == '%' ? hex_of(c[1]) : -1, low = high >= 0 ? hex_of(c[2]) : -1;
        *out = low >= 0 ? (char)(high * 16 + low) : *c;
        if (!*out++) {
            free(to);
            return NULL;
        }
        c += low >= 0 ? 2 : 0;
    }
    *out = '\0';
    return to;
}

static void add_spelling(struct ref_variants *v, const char *folder, const char *path)
{
    char *absolute = *path ? absolute_from_new(folder, path) : NULL;
    if (absolute && strlen(absolute) < LIMIT_PATH_BYTES)
        v->path[v->n++] = absolute;
    else
        free(absolute);
}

/* As it is written, with its escapes undone, and without what only a web server understands. */
static void spell(const struct gathering *g, const char *ref, struct ref_variants *ret)
{
    if (!strncasecmp(ref, "file:", 5)) {
        (void)call_spellings(g->job->call, ref, ret);
        return;
    }
    add_spelling(ret, g->folder, ref);
    auto_free char *plain = decoded_new(ref);
    if (plain && strcmp(plain, ref) != 0)
        add_spelling(ret, g->folder, plain);
    size_t end = plain ? strcspn(plain, "?#") : 0;
    if (!plain || !plain[end])
        return;
    plain[end] = '\0';
    add_spelling(ret, g->folder, plain);
}

/* 0 with bytes, 0 without (fd -1), or a fault. */
static int take_bytes(const struct gathering *g, const char *ref, struct snapshot *ret)
{
    const struct call *c = g->job->call;
    uint64_t cap = g->job->cap;
    struct ref_variants v = {0};
    enum snapshot_verdict verdict;
    enum data_verdict data;
    ret->fd = -1;
    if (!strncasecmp(ref, "data:", 5))
        return data_url_take(ref, strlen(ref), cap, &data, ret, g->job->fault);
    if (ref_is_url(ref) || !g->folder || !strncmp(ref, "//", 2))
        return 0;
    spell(g, ref, &v);
    int r = v.n ? snapshot_take(c->f->gate, &v, &c->scope, cap, &verdict, ret, g->job->fault) : 0;
    ref_variants_done(&v);
    return r;
}

/* MEDIA_NONE: it is not for showing here. */
static int media_of(const struct gathering *g, const struct snapshot *s, enum media *ret)
{
    struct sniff found;
    int r = view_sniff(s, &found, g->job->fault);
    if (r < 0)
        return r;
    enum media_class class = media_row(found.media)->class;
    bool vector = class == CLASS_VECTOR && call_may_draw(g->job->call, FOVEA_RENDER_SVG);
    *ret = class == CLASS_BITMAP || class == CLASS_PICTURE || vector ? found.media : MEDIA_NONE;
    return 0;
}

static struct size natural_of(const struct work_reply *r)
{
    struct fit_drawing d = work_drawing(r);
    return fit_natural(&d);
}

static int keep_rows(struct gathering *g, const struct pool_output *o, struct work_inset *to)
{
    const struct work_reply *r = &o->reply;
    if (r->image_len > LIMIT_INSET_BYTES || g->len > LIMIT_INSET_BYTES - r->image_len)
        return 0;
    int e = write_all(g->fd, o->data, r->image_len);
    if (e < 0)
        return fault_set(g->job->fault, e, "cannot keep a picture in memory: %s", strerrordesc_np(-e));
    struct size natural = natural_of(r);
    *to = (struct work_inset){r->width, r->height, g->len, natural.w, natural.h};
    g->len += r->image_len;
    return 0;
}

/* 0, whether it can be shown or not, or a fault. */
static int try_one(struct gathering *g, const char *ref, struct work_inset *to)
{
    cleanup(snapshot_done) struct snapshot s = {.fd = -1};
    cleanup(pool_output_done) struct pool_output o = {0};
    enum pool_end end;
    enum media media = MEDIA_NONE;
    int r = time_left(g) ? take_bytes(g, ref, &s) : 0;
    if (r == 0 && s.fd >= 0)
        r = media_of(g, &s, &media);
    if (r < 0 || media == MEDIA_NONE || !time_left(g))
        return r;
    struct work_request request = {.magic = WORK_MAGIC, .media = media, .input_len = s.size, .flags = WORK_RGBA,
                                   .limits = {.max_edge = INSET_EDGE, .quality = 75, .resize = 1,
                                              .max_bytes = g->job->work.limits.max_bytes}};
    r = run(g, media, &request, s.fd, &end, &o);
    bool drawn = r == 0 && end == POOL_DONE && o.reply.status == WORK_OK && media_drawn(media);
    struct size natural = drawn ? natural_of(&o.reply) : (struct size){INSET_EDGE, INSET_EDGE};
    uint32_t enough = 2 * MAX(natural.w, natural.h); /* for what is small */
    if (enough < INSET_EDGE && time_left(g)) {
        pool_output_done(&o);
        o = (struct pool_output){0};
        request.limits.max_edge = enough;
        r = run(g, media, &request, s.fd, &end, &o);
    }
    return r < 0 || end != POOL_DONE || o.reply.status != WORK_OK ? r : keep_rows(g, &o, to);
}

/* A program that is not there, or a file system that fails, is no reason to show nothing. */
static int gather_one(struct gathering *g, const char *ref, struct work_inset *to)
{
    int r = try_one(g, ref, to);
    return r == -ENOMEM || r == -ECANCELED ? r : 0;
}

/* ---------------------------------------------------------------- all of them */

static int gather_all(struct gathering *g, const struct pool_output *names)
{
    const char *at = (const char *)names->data, *end = at ? at + names->reply.image_len : at;
    for (; at < end && g->n < LIMIT_REFS; at += strlen(at) + 1)
        g->n++;
    if (!g->n)
        return 0;
    g->len = g->n * sizeof *g->table;
    int e = write_all(g->fd, g->table, g->len);
    if (e < 0)
        return fault_set(g->job->fault, e, "cannot keep pictures in memory: %s", strerrordesc_np(-e));
    int r = 0;
    at = (const char *)names->data;
    for (uint32_t i = 0; r == 0 && i < g->n; i++, at += strlen(at) + 1)
        r = gather_one(g, at, &g->table[i]);
    if (r == 0 && pwrite(g->fd, g->table, g->n * sizeof *g->table, 0) < 0)
        return fault_set(g->job->fault, errno, "cannot keep pictures in memory");
    return r;
}

/* The images are part of what is drawn, so they are part of what it is known by. */
static int hand_over(struct gathering *g)
{
    struct view_job *j = g->job;
    int r = memory_seal(g->fd);
    if (r == 0)
        r = sha256_fd(g->fd, g->len, j->call->scope.cancel, j->other_sha256);
    if (r < 0)
        return r == -ECANCELED ? fault_cancelled(j->fault) : fault_set(j->fault, r, "cannot keep pictures in memory");
    j->other = take_fd(&g->fd);
    j->work.other_len = g->len;
    j->joined = true;
    return 0;
}

static char *folder_new(const struct view_job *j)
{
    const char *path = j->variants.n ? j->variants.path[j->snapshot.variant] : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;
}

int view_insets(struct view_job *j)
{
    cleanup(pool_output_done) struct pool_output names = {0};
    enum pool_end end;
    if (!may_show_images(j))
        return 0;
    cleanup(gathering_done) struct gathering g = {.job = j, .fd = memory_open("fovea-insets"), .folder = folder_new(j),
                                                  .until = clock_ms() + j->call->f->config.view_timeout_ms / 2};
    j->until = clock_ms() + j->call->f->config.view_timeout_ms;
    if (g.fd < 0)
        return fault_set(j->fault, g.fd, "cannot make memory for pictures: %s", strerrordesc_np(-g.fd));
    struct work_request request = j->work;
    request.flags = WORK_REFS;
    request.preview_w = request.preview_h = 0;
    int r = run(&g, MEDIA_MARKDOWN, &request, j->snapshot.fd, &end, &names);
    if (r < 0 || end != POOL_DONE || names.reply.status != WORK_OK)
        return r; /* why it cannot be drawn, drawing it will say */
    r = gather_all(&g, &names);
    return r < 0 || !g.n ? r : hand_over(&g);
}
