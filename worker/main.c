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
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "colour.h"
#include "picture.h"
#include "sandbox/jail.h"
#include "sandbox/proto.h"
#include "warm.h"

enum {
    EXIT_GONE = 1,          /* nobody to talk to */
    KEPT_BLOCK = 32 << 20, /* the largest that libc allows */
};

static int send_all(const void *message, size_t len)
{
    ssize_t n;
    do
        n = send(WORK_SOCKET, message, len, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)len ? 0 : -EPIPE;
}

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

static int say_hello(const struct jail_report *jail)
{
    struct work_hello hello = {.magic = WORK_MAGIC, .error = jail->error, .landlock_abi = (uint32_t)jail->landlock_abi};
    if (jail->layer)
        (void)snprintf(hello.layer, sizeof hello.layer, "%s", jail->layer);
    name_codecs(hello.codecs, sizeof hello.codecs);
    return send_all(&hello, sizeof hello);
}

/* The two descriptors of a message; -1 where there is none. More than two would not fit and are dropped. */
static void take_fds(struct msghdr *m, int fds[2])
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            memcpy(fds, CMSG_DATA(c), MIN(c->cmsg_len - CMSG_LEN(0), 2 * sizeof(int)));
}

static int receive(struct work_request *ret, int fds[2])
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = {0};
    struct iovec part = {ret, sizeof *ret};
    struct msghdr m = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t n;
    do
        n = recvmsg(WORK_SOCKET, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return -EPIPE;
    take_fds(&m, fds);
    return n == (ssize_t)sizeof *ret && !(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ? 0 : -EBADMSG;
}

/* A request is there already: this worker was started for it, and warming up would only delay the answer. */
static bool work_waits(void)
{
    char first;
    return recv(WORK_SOCKET, &first, sizeof first, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

static int refuse(struct work_reply *reply, enum work_status status, const char *why)
{
    reply->status = status;
    (void)snprintf(reply->detail, sizeof reply->detail, "%s", why);
    return -EBADMSG;
}

static int write_output(int fd, const struct output *out, struct work_reply *reply)
{
    size_t preview = out->preview.px ? image_stride(&out->preview) * out->preview.size.h : 0;
    if (out->len + preview > LIMIT_WORKER_OUTPUT)
        return refuse(reply, WORK_TOO_LARGE, "the picture would be larger than a worker may write");
    if (write_all(fd, out->data, out->len) || write_all(fd, out->preview.px, preview))
        return refuse(reply, WORK_NO_MEMORY, "cannot write the output");
    return 0;
}

static int work(const struct work_request *request, const int fds[2], struct work_reply *reply)
{
    off_t size = lseek(fds[0], 0, SEEK_END);
    if (request->magic != WORK_MAGIC || fds[0] < 0 || fds[1] < 0)
        return refuse(reply, WORK_UNSUPPORTED, "not a request of this version");
    if (!request->input_len || size < 0 || (uint64_t)size < request->input_len)
        return refuse(reply, WORK_MALFORMED, "the input is shorter than it was");
    size_t len = (size_t)request->input_len;
    void *data = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fds[0], 0);
    if (data == MAP_FAILED)
        return refuse(reply, WORK_NO_MEMORY, "cannot map the input");
    struct output out = {0};
    int status = picture_make(data, len, request, reply, &out);
    int e = status ? -EBADMSG : write_output(fds[1], &out, reply);
    /* Nothing is released: the process ends now, and that is faster. */
    return e;
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
    settle_libc();
    int failed = jail_enter(getppid(), WORK_SOCKET, &jail);
    if (say_hello(&jail) || failed)
        return EXIT_GONE;
    if (argc > 1 && !strcmp(argv[1], WORK_AHEAD) && !work_waits())
        warm_up();
    struct work_request request;
    struct work_reply reply = {.magic = WORK_MAGIC};
    int fds[2] = {-1, -1};
    int e = receive(&request, fds);
    if (e == -EPIPE)
        _exit(EXIT_GONE);
    if (e)
        (void)refuse(&reply, WORK_UNSUPPORTED, "not a request of this version");
    else
        (void)work(&request, fds, &reply);
    _exit(send_all(&reply, sizeof reply) ? EXIT_GONE : 0);
}
