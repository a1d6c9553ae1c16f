/* SPDX-License-Identifier: Apache-2.0 */
/* One greeting, one request, one reply, over the socket that a worker is born with: see serve.h and proto.h. */
#include "sandbox/serve.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Only the main thread takes the request. */
enum stage { STARTING, GREETED, AT_WORK };
static _Atomic(enum stage) stage;
static atomic_bool was_short;

static int send_all(const void *message, size_t len)
{
    ssize_t n;
    do
        n = send(WORK_SOCKET, message, len, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)len ? 0 : -EPIPE;
}

int serve_hello(const struct jail_report *jail, const char *codecs)
{
    if (atomic_load(&was_short))
        return -ENOMEM; /* what was made ready may lack something */
    struct work_hello hello = {.magic = WORK_MAGIC, .error = jail->error, .landlock_abi = (uint32_t)jail->landlock_abi};
    if (jail->layer)
        (void)snprintf(hello.layer, sizeof hello.layer, "%s", jail->layer);
    (void)snprintf(hello.codecs, sizeof hello.codecs, "%s", codecs);
    int e = send_all(&hello, sizeof hello);
    if (e == 0)
        atomic_store(&stage, GREETED);
    return e;
}

/* The descriptors of a message; -1 where there is none. More would not fit and are dropped. On a local socket every header is
 * of the level of sockets. */
static void take_fds(struct msghdr *m, int fds[SERVE_FDS])
{
    for (size_t i = 0; i < SERVE_FDS; i++)
        fds[i] = -1;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
        if (c->cmsg_type == SCM_RIGHTS)
            memcpy(fds, CMSG_DATA(c), MIN(c->cmsg_len - CMSG_LEN(0), SERVE_FDS * sizeof(int)));
}

int serve_receive(struct work_request *ret, int ret_fds[SERVE_FDS])
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(SERVE_FDS * sizeof(int))];
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
    take_fds(&m, ret_fds);
    return n == (ssize_t)sizeof *ret && !(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ? 0 : -EBADMSG;
}

bool serve_awaited(void)
{
    char first;
    return recv(WORK_SOCKET, &first, sizeof first, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

int serve_reply(const struct work_reply *reply)
{
    return send_all(reply, sizeof *reply);
}

int serve_refuse(struct work_reply *reply, enum work_status status, const char *why)
{
    reply->status = status;
    (void)snprintf(reply->detail, sizeof reply->detail, "%s", why);
    return -EBADMSG;
}

static int map(int fd, uint64_t len, const void **ret, struct work_reply *reply)
{
    off_t size = lseek(fd, 0, SEEK_END);
    if (!len || size < 0 || (uint64_t)size < len)
        return serve_refuse(reply, WORK_MALFORMED, "the input is shorter than it was");
    void *data = mmap(NULL, (size_t)len, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return serve_refuse(reply, WORK_NO_MEMORY, "cannot map the input");
    *ret = data;
    return 0;
}

int serve_map(const struct work_request *request, const int fds[SERVE_FDS], const void **ret, struct work_reply *reply)
{
    if (request->magic != WORK_MAGIC || fds[SERVE_INPUT] < 0 || fds[SERVE_OUTPUT] < 0)
        return serve_refuse(reply, WORK_UNSUPPORTED, "not a request of this version");
    return map(fds[SERVE_INPUT], request->input_len, ret, reply);
}

int serve_map_other(const struct work_request *request, const int fds[SERVE_FDS], const void **ret,
                    struct work_reply *reply)
{
    *ret = NULL;
    return request->other_len ? map(fds[SERVE_OTHER], request->other_len, ret, reply) : 0;
}

/* ---------------------------------------------------------------- the one request */

/* Never unlocked: a thread that comes second waits for the end. */
static pthread_mutex_t answering = PTHREAD_MUTEX_INITIALIZER;

_Noreturn static void answer(const struct work_reply *reply)
{
    (void)pthread_mutex_lock(&answering);
    _exit(serve_reply(reply) ? SERVE_GONE : 0);
}

void serve_no_memory(void)
{
    static const struct work_reply reply = {.magic = WORK_MAGIC, .status = WORK_NO_MEMORY, .detail = "out of memory"};
    struct work_request unread = {0};
    int fds[SERVE_FDS];
    atomic_store(&was_short, true);
    if (atomic_load(&stage) == STARTING)
        return;
    if (atomic_load(&stage) == GREETED && serve_receive(&unread, fds) == -EPIPE)
        _exit(SERVE_GONE);
    answer(&reply);
}

void serve_one(serve_work *work, const void *arg)
{
    struct work_request request = {0};
    struct work_reply reply = {.magic = WORK_MAGIC};
    int fds[SERVE_FDS] = {-1, -1, -1};
    int e = serve_receive(&request, fds);
    if (e == -EPIPE)
        _exit(SERVE_GONE);
    atomic_store(&stage, AT_WORK);
    if (atomic_load(&was_short))
        serve_no_memory(); /* what was made ready may lack something */
    if (e)
        (void)serve_refuse(&reply, WORK_UNSUPPORTED, "not a request of this version");
    else
        work(arg, &request, fds, &reply);
    answer(&reply);
}
