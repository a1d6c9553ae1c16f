/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One job: a request and two descriptors to a worker, one reply back, and a sealed memfd that is looked at with
 * suspicion. However the job ends, its worker ends too; the next job has another one.
 */
#include "sandbox/pool.h"

#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/limits.h"
#include "sandbox/check.h"
#include "sandbox/crew.h"

struct pool {
    struct crew *crew;
};

int pool_new_of(const struct program *program, unsigned ready, struct pool **ret, struct fovea_fault *fault)
{
    auto_free struct pool *p = calloc(1, sizeof *p);
    if (!p)
        return fault_oom(fault);
    int e = crew_new(program, ready, &p->crew, fault);
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

void pool_ready(struct pool *p, unsigned ready)
{
    crew_ready(p->crew, ready);
}

void pool_output_done(struct pool_output *o)
{
    if (o->data)
        (void)munmap((void *)o->data, o->len);
    *o = (struct pool_output){0};
}

int pool_hello(struct pool *p, struct work_hello *ret, struct fovea_fault *fault)
{
    struct worker *w = NULL;
    int e = crew_take(p->crew, NULL, &w, fault);
    if (e)
        return e;
    e = crew_greet(w, NULL);
    if (e) {
        e = crew_fault(p->crew, w, e, fault);
        crew_end(p->crew, w);
        return e;
    }
    *ret = w->hello;
    crew_return(p->crew, w);
    return 0;
}

/* One under way. */
struct job {
    const struct pool_job *is;
    int output;
    bool meanwhile_done;
    int64_t started;
};

static bool hand_over(const struct job *j, const struct worker *w)
{
    const int fds[3] = {j->is->input, j->output, j->is->other};
    size_t len = (j->is->request->other_len ? 3 : 2) * sizeof *fds;
    union {
        char bytes[CMSG_SPACE(sizeof fds)];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec words = {.iov_base = (void *)j->is->request, .iov_len = sizeof *j->is->request};
    struct msghdr m = {
        .msg_iov = &words, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(len);
    m.msg_controllen = CMSG_SPACE(len);
    memcpy(CMSG_DATA(c), fds, len);
    return TEMP_FAILURE_RETRY(sendmsg(w->child.socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT)) == sizeof *j->is->request;
}

/* The job is with the worker: the caller's own work happens now, and the clock runs from when the worker was ready. */
static int see_started(struct job *j, struct worker *w)
{
    j->started = clock_ms();
    if (j->is->meanwhile && !j->meanwhile_done)
        j->is->meanwhile(j->is->arg);
    j->meanwhile_done = true;
    if (w->greeted)
        return 0;
    int e = crew_greet(w, j->is->cancel);
    j->started = clock_ms();
    return e;
}

/* A worker that has the job. One that died before it could begin costs nothing but another try. */
static int start_job(struct pool *p, struct job *j, struct worker **ret, struct fovea_fault *fault)
{
    for (unsigned i = 0; i < LIMIT_WORKER_TRIES; i++) {
        struct worker *w = NULL;
        int e = crew_take(p->crew, j->is->cancel, &w, fault);
        if (e)
            return e;
        if (hand_over(j, w)) {
            crew_refill(p->crew);
            e = see_started(j, w);
        } else {
            int failed = errno == ECONNRESET ? -EPIPE : -errno;
            e = crew_greet(w, j->is->cancel); /* it may have said why it left */
            e = e ? e : failed;
        }
        if (!e) {
            *ret = w;
            return 0;
        }
        if (e != -EPIPE)
            e = crew_fault(p->crew, w, e, fault);
        crew_end(p->crew, w);
        if (e != -EPIPE)
            return e;
    }
    return crew_fault(p->crew, NULL, -EPIPE, fault);
}

/* No room for descriptors is offered, so the kernel drops any that a worker sends. */
static int receive(const struct worker *w, int64_t deadline, const fovea_cancel *cancel, enum pool_end *ret_end,
                   struct work_reply *ret)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): start_job gives a worker or a fault, and a fault is never 0 */
    struct pollfd p[] = {{.fd = w->child.socket, .events = POLLIN}, {.fd = cancel_fd(cancel), .events = POLLIN}};
    int n;
    while ((n = poll(p, COUNT(p), clock_left(deadline))) < 0 && errno == EINTR)
        ;
    if (n < 0)
        return -errno;
    if (p[1].revents)
        return -ECANCELED;
    *ret_end = POOL_TIMED_OUT;
    if (!n)
        return 0;
    ssize_t got = TEMP_FAILURE_RETRY(recv(w->child.socket, ret, sizeof *ret, MSG_DONTWAIT | MSG_TRUNC));
    if (got < 0 && errno != ECONNRESET)
        return -errno; /* the kernel's failure, not the worker's */
    *ret_end = got == sizeof *ret ? POOL_DONE : POOL_DIED;
    return 0;
}

/*
 * Seals and maps the output; what is wrong with it (-EBADMSG) is the worker's doing. One that still has it mapped for
 * writing means no good: then it cannot be sealed.
 */
static int map_output(int fd, size_t len, const uint8_t **ret)
{
    if (memory_seal(fd) || lseek(fd, 0, SEEK_END) != (off_t)len)
        return -EBADMSG;
    void *data = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return -errno;
    *ret = data;
    return 0;
}

/* -EBADMSG: not as a worker answers that means well. */
static int collect(const struct work_request *request, const struct work_reply *reply, int output_fd,
                   struct pool_output *ret)
{
    struct pool_output o = {.reply = *reply};
    if (reply->status == WORK_OK) {
        if (!check_length(request, reply, &o.len))
            return -EBADMSG;
        int e = o.len ? map_output(output_fd, o.len, &o.data) : 0;
        if (e)
            return e;
    }
    if (!check_reply(request, reply, o.data)) {
        pool_output_done(&o);
        return -EBADMSG;
    }
    *ret = o;
    return 0;
}

int pool_run_into(struct pool *p, const struct pool_job *job, int output, enum pool_end *ret_end,
                  struct pool_output *ret_output, struct fovea_fault *fault)
{
    struct worker *w = NULL;
    struct work_reply reply;
    if (cancel_struck(job->cancel))
        return fault_cancelled(fault);
    struct job under_way = {.is = job, .output = output};
    int e = start_job(p, &under_way, &w, fault);
    if (e)
        return e;
    enum pool_end end = POOL_DIED;
    e = receive(w, under_way.started + job->limit_ms, job->cancel, &end, &reply);
    crew_end(p->crew, w);
    if (e == -ECANCELED)
        return fault_cancelled(fault);
    if (e)
        return fault_set(fault, e, "cannot wait for a picture: %s", strerrordesc_np(-e));
    *ret_output = (struct pool_output){0};
    e = end == POOL_DONE ? collect(job->request, &reply, output, ret_output) : 0;
    if (e && e != -EBADMSG)
        return fault_set(fault, e, "cannot map the picture: %s", strerrordesc_np(-e));
    *ret_end = e ? POOL_DIED : end;
    return 0;
}

int pool_run(struct pool *p, const struct pool_job *job, enum pool_end *ret_end, struct pool_output *ret_output,
             struct fovea_fault *fault)
{
    auto_close int output = memory_open("fovea-output");
    if (output < 0)
        return fault_set(fault, output, "cannot make room for a picture: %s", strerrordesc_np(-output));
    return pool_run_into(p, job, output, ret_end, ret_output, fault);
}
