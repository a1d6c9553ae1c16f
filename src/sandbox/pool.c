/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One job: a request and two descriptors to a worker, one reply back, and a sealed memfd that is looked at with
 * suspicion. However the job ends, its worker ends too; the next job has another one.
 */
#include "sandbox/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"
#include "sandbox/check.h"
#include "sandbox/crew.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

struct pool {
    struct crew *crew;
};

int pool_new(const char *dir, unsigned ready, struct pool **ret, struct fovea_fault *fault)
{
    auto_free struct pool *p = calloc(1, sizeof *p);
    auto_free char *path = NULL;
    if (!p || asprintf(&path, "%s/fovea-worker", dir) < 0) {
        path = NULL;
        return fault_oom(fault);
    }
    int e = crew_new(path, ready, &p->crew, fault);
    if (!e)
        *ret = take(p);
    return e;
}

void pool_free(struct pool *p)
{
    if (p)
        crew_free(p->crew);
    free(p);
}

void pool_prepare(struct pool *p)
{
    crew_expect(p->crew);
}

void pool_output_done(struct pool_output *o)
{
    if (o->data)
        (void)munmap((void *)o->data, o->len);
    *o = (struct pool_output){0};
}

int pool_hello(struct pool *p, struct work_hello *ret, struct fovea_fault *fault)
{
    struct worker *w;
    int e = crew_take(p->crew, &w, fault);
    if (e)
        return e;
    *ret = w->hello;
    crew_return(p->crew, w);
    return 0;
}

/* Where the worker writes. Kernels before 6.3 do not know the flag that bars execution. */
static int output_open(void)
{
    int fd = memfd_create("fovea-output", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create("fovea-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return fd;
}

static bool hand_over(const struct worker *w, const struct work_request *request, int input_fd, int output_fd)
{
    const int fds[2] = {input_fd, output_fd};
    union {
        char bytes[CMSG_SPACE(sizeof fds)];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec words = {.iov_base = (void *)request, .iov_len = sizeof *request};
    struct msghdr m = {
        .msg_iov = &words, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(c), fds, sizeof fds);
    return sendmsg(w->child.socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof *request;
}

/* A worker that has the job. One that died since it was looked at costs nothing but another try. */
static int start_job(struct pool *p, const struct work_request *request, int input_fd, int output_fd,
                     struct worker **ret, struct fovea_fault *fault)
{
    for (unsigned i = 0; i < LIMIT_WORKER_TRIES; i++) {
        struct worker *w;
        int e = crew_take(p->crew, &w, fault);
        if (e)
            return e;
        if (hand_over(w, request, input_fd, output_fd)) {
            *ret = w;
            return 0;
        }
        e = errno;
        crew_end(p->crew, w);
        if (e != EPIPE && e != ECONNRESET)
            return fault_set(fault, e, "cannot give a worker its job: %s", strerrordesc_np(e));
    }
    return fault_set(fault, EIO, "cannot give a worker its job: each one ends at once");
}

/* No room for descriptors is offered, so the kernel drops any that a worker sends. */
static enum pool_end receive(const struct worker *w, int64_t deadline, struct work_reply *ret)
{
    struct pollfd p = {.fd = w->child.socket, .events = POLLIN};
    int n;
    while ((n = poll(&p, 1, clock_left(deadline))) < 0 && errno == EINTR)
        ;
    if (!n)
        return POOL_TIMED_OUT;
    ssize_t got = recv(w->child.socket, ret, sizeof *ret, MSG_DONTWAIT | MSG_TRUNC);
    return got == sizeof *ret ? POOL_DONE : POOL_DIED;
}

/* Seals and maps the output. A worker that still has it mapped for writing means no good: sealing fails with EBUSY. */
static const uint8_t *map_output(int fd, size_t len)
{
    struct stat st;
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) || fstat(fd, &st) ||
        st.st_size != (off_t)len)
        return NULL;
    void *data = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
    return data == MAP_FAILED ? NULL : data;
}

static bool collect(const struct work_request *request, const struct work_reply *reply, int output_fd,
                    struct pool_output *ret)
{
    struct pool_output o = {.reply = *reply};
    if (reply->status == WORK_OK) {
        if (!check_length(request, reply, &o.len))
            return false;
        o.data = map_output(output_fd, o.len);
        if (!o.data)
            return false;
    }
    if (!check_reply(request, reply, o.data)) {
        pool_output_done(&o);
        return false;
    }
    *ret = o;
    return true;
}

int pool_run(struct pool *p, const struct work_request *request, int input_fd, int limit_ms,
             void (*meanwhile)(void *arg), void *arg, enum pool_end *ret_end, struct pool_output *ret_output,
             struct fovea_fault *fault)
{
    auto_close int output = output_open();
    struct worker *w = NULL;
    struct work_reply reply;
    if (output < 0)
        return fault_set(fault, errno, "cannot make room for a picture: %s", strerrordesc_np(errno));
    int e = start_job(p, request, input_fd, output, &w, fault);
    if (e)
        return e;
    int64_t deadline = clock_ms() + limit_ms;
    if (meanwhile)
        meanwhile(arg);
    enum pool_end end = receive(w, deadline, &reply);
    crew_end(p->crew, w);
    *ret_output = (struct pool_output){0};
    if (end == POOL_DONE && !collect(request, &reply, output, ret_output))
        end = POOL_DIED;
    *ret_end = end;
    return 0;
}
