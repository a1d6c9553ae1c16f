/* SPDX-License-Identifier: Apache-2.0 */
/* What all worker programs do: see program.h. Started ahead of work, a worker readies what work will need, so that a waiting
 * one answers faster than a fresh one. */
#include "program.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "sandbox/serve.h"
#include "warm.h"

static int write_output(int fd, const struct output *out, const struct work_request *request, struct work_reply *reply)
{
    size_t preview = out->preview.px ? image_stride(&out->preview) * out->preview.size.h : 0;
    uint64_t most = request->flags & WORK_RGBA ? LIMIT_RAW_OUTPUT : LIMIT_WORKER_OUTPUT;
    if (out->len + preview > most)
        return serve_refuse(reply, WORK_TOO_LARGE, "the picture would be larger than a worker may write");
    if (write_all(fd, out->data, out->len) || write_all(fd, out->preview.px, preview) ||
        write_all(fd, out->cells, out->n_cells * sizeof *out->cells))
        return serve_refuse(reply, WORK_NO_MEMORY, "cannot write the output");
    return 0;
}

static int make(const struct worker_program *p, const struct source *s, struct work_reply *reply, struct output *ret)
{
    const struct work_request *q = s->request;
    struct complaint c = {""};
    if (p->other_work && q->flags & p->other_flags) {
        int status = p->other_work(s, reply, ret, &c);
        return status ? serve_refuse(reply, (enum work_status)status, c.detail) : 0;
    }
    const struct decoder_ops *ops = q->media < MEDIA_COUNT ? p->decoder_of((enum media)q->media) : NULL;
    if (!ops)
        return serve_refuse(reply, WORK_UNSUPPORTED, "no decoder for this type");
    return picture_make_with(ops, s, reply, ret) ? -EBADMSG : 0;
}

static void work(const void *program, const struct work_request *request, const int fds[SERVE_FDS], struct work_reply *reply)
{
    const void *data, *other;
    struct output out = {0};
    int e = serve_map(request, fds, &data, reply);
    if (!e)
        e = serve_map_other(request, fds, &other, reply);
    if (e)
        return;
    struct source s = {.data = data, .len = (size_t)request->input_len, .request = request, .other = other};
    if (!make(program, &s, reply, &out))
        (void)write_output(fds[SERVE_OUTPUT], &out, request, reply);
}

/*
 * What libc would do by opening files, which the jail does not forgive: lcms asks for the time (and so for the zone),
 * and freeing in an arena of its own makes a thread ask how the system commits memory. And freed blocks stay with the
 * process, since the next one would only fault the same pages in again.
 */
static void settle_libc(void)
{
    tzset();
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_MMAP_THRESHOLD, KEPT_BLOCK);
    (void)mallopt(M_TRIM_THRESHOLD, 2 * KEPT_BLOCK);
}

static struct jail_limits limits_of(const struct worker_program *p, const char *const *readable)
{
    struct jail_limits l = p->limits.memory ? p->limits : jail_usual;
    l.readable = readable[0] ? readable : NULL;
    return l;
}

/* With a request waiting, this worker was started for it, and warming up would only delay the answer. */
static void warm_in_time(const struct worker_program *p, int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], WORK_AHEAD) != 0 || serve_awaited())
        return;
    warm_up();
    if (p->warm)
        p->warm();
}

int worker_main(const struct worker_program *p, int argc, char **argv)
{
    const char *readable[LIMIT_RENDER_FILES + 1] = {NULL};
    struct jail_report jail = {0};
    char codecs[sizeof ((struct work_hello *)0)->codecs] = "";
    pid_t parent = getppid();
    settle_libc();
    if (p->prepare)
        p->prepare(readable);
    struct jail_limits limits = limits_of(p, readable);
    int failed = jail_enter(parent, WORK_SOCKET, &limits, &jail);
    p->libraries(codecs, sizeof codecs);
    if (serve_hello(&jail, codecs) || failed)
        return SERVE_GONE;
    warm_in_time(p, argc, argv);
    serve_one(work, p);
}
