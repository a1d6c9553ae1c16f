/* SPDX-License-Identifier: Apache-2.0 */
/*
 * picdiff FOLDER < LIST: how far renderings are from a reference. Each line of the list names an SVG, the PNG that it should look
 * like and another program's PNG of it, with tabs between. Prints for each: our distance, theirs, the SVG's name. A distance is
 * the mean difference of all channels (of 255) and the share of pixels (in percent) of which a channel is off by more than
 * FAR, both laid on white; "refused" where there is no picture, "size" where it is of another one. FOLDER holds the worker programs. Two
 * at a time.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/media.h"
#include "sandbox/pool.h"

enum { FAR = 32, THREADS = 2, MAX_LINE = 4096 };

static struct pool *bitmaps, *vectors;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct rows {
    struct pool_output output;
    bool there;
};

static void rows_done(struct rows *r)
{
    pool_output_done(&r->output);
}

/* The pixels of a file; edge: of the longest side, 0 as they are. Not there when it is refused. */
static struct rows load(struct pool *pool, enum media media, const char *path, uint32_t edge)
{
    struct rows r = {0};
    struct stat st;
    struct fovea_fault fault;
    enum pool_end end;
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st))
        return r;
    struct work_request q = {.magic = WORK_MAGIC, .media = media, .input_len = (uint64_t)st.st_size, .flags = WORK_RGBA,
                             .limits = {.max_edge = edge, .max_bytes = UINT32_MAX, .quality = 75, .resize = 1}};
    struct pool_job job = {.request = &q, .input = fd, .other = -1, .limit_ms = LIMIT_WORKER_MS};
    if (pool_run(pool, &job, &end, &r.output, &fault))
        errx(1, "%s: %s", path, fault.text);
    r.there = end == POOL_DONE && r.output.reply.status == WORK_OK;
    if (end == POOL_TIMED_OUT || end == POOL_DIED)
        warnx("%s: %s", path, end == POOL_DIED ? "the worker died" : "timed out");
    return r;
}

static int on_white(const uint8_t *px, int channel)
{
    return (px[channel] * px[3] + 255 * (255 - px[3]) + 127) / 255;
}

static void tell_distance(const struct rows *a, const struct rows *b, char out[64])
{
    const struct work_reply *ra = &a->output.reply, *rb = &b->output.reply;
    uint64_t sum = 0, far = 0, n = (uint64_t)ra->width * ra->height;
    if (!a->there) {
        (void)snprintf(out, 64, "refused\t-");
        return;
    }
    if (ra->width != rb->width || ra->height != rb->height) {
        (void)snprintf(out, 64, "size\t%" PRIu32 "x%" PRIu32, ra->width, ra->height);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        int most = 0;
        for (int k = 0; k < 3; k++) {
            int d = abs(on_white(a->output.data + i * 4, k) - on_white(b->output.data + i * 4, k));
            sum += (uint64_t)d;
            most = MAX(most, d);
        }
        far += most > FAR;
    }
    (void)snprintf(out, 64, "%.3f\t%.3f", (double)sum / (double)(n * 3), 100.0 * (double)far / (double)n);
}

static void compare(const char *svg, const char *png, const char *other)
{
    char ours[64], theirs[64];
    cleanup(rows_done) struct rows ref = load(bitmaps, MEDIA_PNG, png, 0);
    if (!ref.there)
        errx(1, "%s: cannot be decoded", png);
    uint32_t edge = MAX(ref.output.reply.width, ref.output.reply.height);
    cleanup(rows_done) struct rows mine = load(vectors, MEDIA_SVG, svg, edge);
    cleanup(rows_done) struct rows their = load(bitmaps, MEDIA_PNG, other, 0);
    tell_distance(&mine, &ref, ours);
    tell_distance(&their, &ref, theirs);
    (void)pthread_mutex_lock(&lock);
    printf("%s\t%s\t%s\n", ours, theirs, svg);
    (void)pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    char line[MAX_LINE];
    (void)arg;
    for (;;) {
        (void)pthread_mutex_lock(&lock);
        bool got = fgets(line, sizeof line, stdin);
        (void)pthread_mutex_unlock(&lock);
        if (!got)
            return NULL;
        line[strcspn(line, "\n")] = '\0';
        char *png = strchr(line, '\t'), *other = png ? strchr(png + 1, '\t') : NULL;
        if (!other)
            errx(1, "not three names: %s", line);
        *png++ = *other++ = '\0';
        compare(line, png, other);
    }
}

int main(int argc, char **argv)
{
    struct fovea_fault fault;
    auto_free char *bitmap = NULL, *vector = NULL;
    pthread_t threads[THREADS];
    if (argc != 2)
        errx(2, "usage: picdiff FOLDER < LIST");
    if (asprintf(&bitmap, "%s/%s", argv[1], program_name(PROGRAM_WORKER)) < 0 ||
        asprintf(&vector, "%s/%s", argv[1], program_name(PROGRAM_SVG)) < 0)
        errx(1, "out of memory");
    /* None ahead of work: to be ready for everything costs more than most of these files do. */
    if (pool_new_of(&(struct program){.path = bitmap}, 0, &bitmaps, &fault) ||
        pool_new_of(&(struct program){.path = vector}, 0, &vectors, &fault))
        errx(1, "%s", fault.text);
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            err(1, "cannot start a thread");
    for (size_t i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    pool_free(vectors);
    pool_free(bitmaps);
    return 0;
}
