/* SPDX-License-Identifier: Apache-2.0 */
/*
 * videolook DIR FILE frame N | time MS | sheet: has fovea-video of DIR show that, and prints on one line what came of it; for
 * each picture its number as the file tells it, its time, the number that is painted into it, and its scene (see
 * tests/video/mkvideo.h). The last words are how long it took.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "sandbox/programs.h"
#include "source/sniff.h"

enum { BITS = 12, SCENES = 4, SHEET_SIDE = 1568 };

static void close_programs(struct programs **p)
{
    programs_free(*p);
}

struct view {
    const uint8_t *rgba;
    uint32_t stride; /* in pixels */
    uint32_t x, y, w, h;
};

static const uint8_t *pixel(const struct view *v, double x, double y)
{
    uint32_t px = v->x + (uint32_t)(x * v->w), py = v->y + (uint32_t)(y * v->h);
    return v->rgba + ((size_t)py * v->stride + px) * 4;
}

static int painted_number(const struct view *v)
{
    int n = 0;
    for (int i = 0; i < BITS; i++)
        n = 2 * n + (pixel(v, (i + 0.5) / BITS, 0.9375)[1] > 127);
    return n;
}

/* Which ground it is: red, green, blue, yellow. */
static int scene_of(const struct view *v)
{
    static const int grounds[SCENES][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 0}};
    const uint8_t *p = pixel(v, 0.5, 0.75);
    int best = 0, least = 1 << 30;
    for (int s = 0; s < SCENES; s++) {
        int d = abs(p[0] - grounds[s][0]) + abs(p[1] - grounds[s][1]) + abs(p[2] - grounds[s][2]);
        best = d < least ? s : best;
        least = MIN(d, least);
    }
    return best + 1;
}

static void print_picture(const struct view *v, uint32_t number, int64_t time_ms)
{
    const uint8_t *p = pixel(v, 0.5, 0.75);
    printf(" [%u at %lld shows %d of scene %d %ux%u #%02x%02x%02x]", number, (long long)time_ms, painted_number(v), scene_of(v),
           v->w, v->h, p[0], p[1], p[2]);
}

static void print_pictures(const struct work_request *q, const struct pool_output *o)
{
    const struct work_reply *r = &o->reply;
    printf("ok %ux%u of %ux%u turn %u frames %u%s%s%s%s length %lld", r->width, r->height, r->source_w, r->source_h, r->orientation,
           r->frames, r->facts & WORK_APPROXIMATE ? " or so" : "", r->facts & WORK_CUT ? " cut" : "",
           r->facts & WORK_DAMAGED ? " damaged" : "", r->facts & WORK_PARTIAL ? " partial" : "", (long long)r->duration_ms);
    struct view v = {o->data, r->width, 0, 0, r->width, r->height};
    if (!r->cells)
        print_picture(&v, q->frame, r->time_ms);
    for (uint32_t i = 0; i < r->cells; i++) {
        struct work_cell c;
        memcpy(&c, o->data + r->image_len + i * sizeof c, sizeof c);
        v = (struct view){o->data, r->width, c.x, c.y, c.w, c.h};
        print_picture(&v, c.number, c.time_ms);
    }
}

static int show(const char *dir, int fd, const struct work_request *q)
{
    static const char *const statuses[] = {"ok", "malformed", "too-large", "bad-region", "bad-frame", "bad-page", "bad-time",
                                           "locked", "unsupported", "no-memory", "late"};
    cleanup(close_programs) struct programs *programs = NULL;
    struct pool *pool;
    struct fovea_fault fault;
    struct pool_output out = {0};
    enum pool_end end;
    struct pool_job job = {.request = q, .input = fd, .other = -1, .limit_ms = LIMIT_WORKER_MS};
    if (programs_new(dir, NULL, 0, &programs, &fault) || programs_pool(programs, PROGRAM_VIDEO, &pool, &fault) ||
        pool_run(pool, &job, &end, &out, &fault)) {
        printf("fault %s\n", fault.text);
        return 1;
    }
    if (end != POOL_DONE)
        printf("%s", end == POOL_TIMED_OUT ? "timed-out" : "died");
    else if (out.reply.status)
        printf("%s frames %u: %s", statuses[out.reply.status], out.reply.frames, out.reply.detail);
    else
        print_pictures(q, &out);
    pool_output_done(&out);
    return end == POOL_DIED;
}

static int request_of(int fd, char **words, struct work_request *ret)
{
    static uint8_t head[LIMIT_SNIFF_BYTES];
    struct stat st;
    struct sniff s;
    ssize_t n = pread(fd, head, sizeof head, 0);
    if (n < 0 || fstat(fd, &st))
        return -1;
    sniff(head, (size_t)n, (uint64_t)st.st_size, &s);
    *ret = (struct work_request){.magic = WORK_MAGIC, .media = s.media, .input_len = (uint64_t)st.st_size, .flags = WORK_RGBA,
                                 .limits = {.resize = 1, .max_edge = SHEET_SIDE, .max_bytes = 1 << 20, .quality = 75}};
    long long value = words[1] ? strtoll(words[1], NULL, 10) : 0;
    if (!strcmp(words[0], "sheet"))
        ret->flags |= WORK_SHEET;
    else if (!strcmp(words[0], "time"))
        ret->flags |= WORK_TIME, ret->time_ms = value;
    else
        ret->frame = (uint32_t)value;
    return 0;
}

int main(int argc, char **argv)
{
    struct work_request q;
    if (argc < 4) {
        fputs("usage: videolook DIR FILE frame N | time MS | sheet\n", stderr);
        return 2;
    }
    auto_close int fd = open(argv[2], O_RDONLY | O_CLOEXEC);
    if (fd < 0 || request_of(fd, argv + 3, &q)) {
        perror(argv[2]);
        return 2;
    }
    int64_t start = clock_ms();
    int status = show(argv[1], fd, &q);
    printf(" in %lld ms\n", (long long)(clock_ms() - start));
    return status;
}
