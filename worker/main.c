/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fovea-worker: decodes and encodes one picture in a jail and exits. Speaks the protocol of src/sandbox/proto.h on
 * descriptor WORK_SOCKET. Started ahead of work, it readies what work will need, so that a waiting worker answers faster
 * than a fresh one.
 */
#include <errno.h>
#include <libdeflate.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "colour.h"
#include "picture.h"
#include "sandbox/serve.h"
#include "warm.h"

enum {
    EXIT_GONE = 1,          /* nobody to talk to */
    KEPT_BLOCK = 32 << 20, /* the largest that libc allows */
};

static void name_codecs(char *out, size_t room)
{
    char name[64];
    size_t at = 0;
    for (size_t i = 0; decoder_at(i) && at < room; i++) {
        decoder_name(i, name, sizeof name);
        at += (size_t)snprintf(out + at, room - at, "%s, ", name);
    }
    colour_library(name, sizeof name);
    if (at < room)
        (void)snprintf(out + at, room - at, "%s, libdeflate " LIBDEFLATE_VERSION_STRING, name);
}

static int write_output(int fd, const struct output *out, struct work_reply *reply)
{
    size_t preview = out->preview.px ? image_stride(&out->preview) * out->preview.size.h : 0;
    if (out->len + preview > LIMIT_WORKER_OUTPUT)
        return serve_refuse(reply, WORK_TOO_LARGE, "the picture would be larger than a worker may write");
    if (write_all(fd, out->data, out->len) || write_all(fd, out->preview.px, preview))
        return serve_refuse(reply, WORK_NO_MEMORY, "cannot write the output");
    return 0;
}

static int work(const struct work_request *request, const int fds[2], struct work_reply *reply)
{
    const void *data;
    struct output out = {0};
    int e = serve_map(request, fds, &data, reply);
    if (!e && picture_make(data, (size_t)request->input_len, request, reply, &out))
        e = -EBADMSG;
    /* Nothing is released: the process ends now, and that is faster. */
    return e ? e : write_output(fds[1], &out, reply);
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

int main(int argc, char **argv)
{
    struct jail_report jail = {0};
    char codecs[sizeof ((struct work_hello *)0)->codecs] = "";
    settle_libc();
    int failed = jail_enter(getppid(), WORK_SOCKET, &jail);
    name_codecs(codecs, sizeof codecs);
    if (serve_hello(&jail, codecs) || failed)
        return EXIT_GONE;
    /* With a request waiting, this worker was started for it, and warming up would only delay the answer. */
    if (argc > 1 && !strcmp(argv[1], WORK_AHEAD) && !serve_awaited())
        warm_up();
    struct work_request request;
    struct work_reply reply = {.magic = WORK_MAGIC};
    int fds[2] = {-1, -1};
    int e = serve_receive(&request, fds);
    if (e == -EPIPE)
        _exit(EXIT_GONE);
    if (e)
        (void)serve_refuse(&reply, WORK_UNSUPPORTED, "not a request of this version");
    else
        (void)work(&request, fds, &reply);
    _exit(serve_reply(&reply) ? EXIT_GONE : 0);
}
