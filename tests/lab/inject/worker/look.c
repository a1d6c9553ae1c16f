/* SPDX-License-Identifier: Apache-2.0 */
/* See look.h. What files hold is read once and kept; only the work itself is struck. */
#include "look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "inject.h"
#include "served.h"
#include "worker/program.h"

enum { FILES = 64, ROWS = 1 << 16 };

static const struct worker_program *program;
static struct file {
    const char *name;
    const uint8_t *data;
    size_t len;
} files[FILES];
static const char *readable[LIMIT_RENDER_FILES + 1];

int whole_worker_main(const struct worker_program *p, int argc, char **argv); /* that of worker/program.c */

int worker_main(const struct worker_program *p, int argc, char **argv)
{
    if (served_child)
        return whole_worker_main(p, argc, argv);
    program = p;
    return 0;
}

static void map_file(struct file *f)
{
    char path[LIMIT_PATH_BYTES], exe[LIMIT_PATH_BYTES - 256] = "";
    struct stat st;
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    for (int up = 0; n > 0 && up < 3; up++) { /* build/tests/lab/inject-worker */
        exe[n] = '\0';
        n = strrchr(exe, '/') - exe;
    }
    exe[MAX(n, 0)] = '\0';
    (void)snprintf(path, sizeof path, "%s/%s", exe, f->name);
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *data = fd < 0 || fstat(fd, &st) < 0 || !st.st_size ? MAP_FAILED
                                                            : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return;
    f->data = data;
    f->len = (size_t)st.st_size;
}

static struct source find(const struct glance *l)
{
    static uint8_t rows[ROWS];
    size_t i = 0;
    if (l->raw_w)
        return (struct source){.data = rows, .len = (size_t)l->raw_w * l->raw_h * 4};
    if (!l->file)
        return (struct source){.data = (const uint8_t *)l->text, .len = strlen(l->text)};
    while (i < FILES - 1 && files[i].name && files[i].name != l->file)
        i++;
    if (!files[i].name) {
        files[i].name = l->file;
        map_file(&files[i]);
    }
    return (struct source){.data = files[i].data, .len = files[i].len};
}

static void begin(void)
{
    if (program)
        return;
    (void)program_main(0, NULL);
    if (program->prepare)
        program->prepare(readable);
}

/* As a worker's own: see program.c. */
static void work(const struct source *s, struct work_reply *reply, struct output *out)
{
    const struct work_request *q = s->request;
    struct complaint c = {""};
    if (program->other_work && q->flags & program->other_flags) {
        reply->status = (uint32_t)program->other_work(s, reply, out, &c);
        if (reply->status)
            (void)snprintf(reply->detail, sizeof reply->detail, "%s", c.detail);
    } else {
        (void)picture_make_with(program->decoder_of((enum media)q->media), s, reply, out);
    }
}

static struct work_request request_of(const struct glance *l, size_t len)
{
    struct work_request q = {.magic = WORK_MAGIC, .media = l->media, .input_len = len, .frame = l->frame, .page = l->page,
                             .last_page = l->last_page, .flags = l->flags, .region = l->region, .time_ms = l->time_ms};
    q.limits = (struct fit_limits){.max_edge = l->edge ? l->edge : 200, .max_bytes = l->bytes ? l->bytes : 1 << 20, .quality = 75, .resize = true};
    q.preview_w = q.preview_h = l->small ? 32 : 0;
    q.raw_w = q.other_w = l->raw_w;
    q.raw_h = q.other_h = l->raw_h;
    q.other_len = l->raw_w ? len : 0;
    return q;
}

static void look(const struct glance *l, struct outcome *o)
{
    static uint8_t others[ROWS];
    bool paused = inject_pause();
    begin();
    struct source s = find(l);
    inject_resume(paused);
    struct work_request q = request_of(l, s.len);
    struct work_reply reply = {0};
    struct output out = {0};
    s.request = &q;
    if (q.other_len) {
        memset(others + 200, 0xff, 64);
        s.other = others;
    }
    if (!s.data) {
        o->code = -ENOENT;
        (void)snprintf(o->words, sizeof o->words, "there is no %s", l->file);
        return;
    }
    work(&s, &reply, &out);
    tell_bytes(o, &reply.status, sizeof reply.status);
    if (reply.status != WORK_OK) {
        tell_status(o, reply.status, reply.detail);
    } else {
        tell_bytes(o, out.data, out.len);
        tell_bytes(o, out.cells, out.n_cells * sizeof *out.cells);
        tell_bytes(o, (uint32_t[]){reply.width, reply.height, reply.frames, reply.pages, reply.facts}, 20);
    }
    if (reply.status != WORK_OK && !reply.detail[0]) {
        o->code = -EBADMSG; /* a refusal without words */
        o->words[0] = '\0';
    }
    tell_answer(o);
    output_done(&out);
}

static void serve(const struct glance *l, struct outcome *o)
{
    static const uint8_t others[ROWS];
    bool paused = inject_pause();
    struct source source = find(l);
    inject_resume(paused);
    struct served s = {.request = request_of(l, source.len), .data = source.data, .other = l->raw_w ? others : NULL};
    if (source.data) {
        served_run(&s, o);
        return;
    }
    o->code = -ENOENT;
    (void)snprintf(o->words, sizeof o->words, "there is no %s", l->file);
}

void look_served(const struct glance *looks, size_t n, struct outcome *o)
{
    for (size_t i = 0; i < n && o->code == 0; i++)
        serve(&looks[i], o);
}

void look_all(const struct glance *looks, size_t n, struct outcome *o)
{
    for (size_t i = 0; i < n && o->code == 0; i++)
        look(&looks[i], o);
}
