/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One job: what it needs is written on the desk that a reader shares with us, a word over its socket says so (with the
 * descriptor for the bytes, when there is one), a word comes back. One that died before it began costs another try.
 */
#include "source/reader.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/io.h"
#include "source/gate_priv.h"
#include "source/reader_priv.h"

/* How a wait ended; a verdict of the reader's own is on its desk. */
enum end { END_DONE, END_DIED, END_LATE, END_CANCELLED };

/* Copies a string to the desk; NULL when there is no room. */
static const char *put_name(struct desk *d, size_t *used, const char *name)
{
    size_t n = strlen(name) + 1;
    if (n > sizeof d->names - *used)
        return NULL;
    char *at = memcpy(d->names + *used, name, n);
    *used += n;
    return at;
}

static bool put_roots(struct desk *d, size_t *used, const char *const *roots)
{
    size_t n = 0;
    for (; roots[n]; n++) {
        if (n == LIMIT_ROOTS || !(d->roots[n] = put_name(d, used, roots[n])))
            return false;
    }
    d->roots[n] = NULL;
    return true;
}

static bool put_job(struct desk *d, const struct reader_job *job)
{
    size_t used = 0;
    d->report = (struct reader_report){0};
    d->job = *job;
    d->variants.n = job->variants->n;
    for (size_t i = 0; i < job->variants->n; i++)
        if (!(d->variants.path[i] = (char *)put_name(d, &used, job->variants->path[i]))) /* never: there is room for all of them */
            return false;
    d->job.variants = &d->variants;
    d->job.text = job->fd < 0 ? d->text : NULL;
    if (!job->roots)
        return true;
    d->job.roots = d->roots;
    return put_roots(d, &used, job->roots);
}

static bool hand_over(const struct reader *r, int fd)
{
    union {
        char bytes[CMSG_SPACE(sizeof fd)];
        struct cmsghdr align;
    } control = {{0}};
    char byte = 0;
    struct iovec word = {.iov_base = &byte, .iov_len = 1};
    struct msghdr m = {.msg_iov = &word, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = control.bytes;
        m.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    return TEMP_FAILURE_RETRY(sendmsg(r->socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT)) == 1;
}

/* END_LATE: no progress for LIMIT_OPEN_MS, or not done within total_ms. */
static enum end wait_for(const struct reader *r, const struct reader_job *job)
{
    const struct reader_report *report = &r->desk->report;
    uint64_t seen = 0;
    int64_t now = clock_ms(), last = now + job->total_ms, deadline = MIN(last, now + LIMIT_OPEN_MS);
    struct pollfd p[] = {{.fd = r->socket, .events = POLLIN},
                         {.fd = r->pidfd, .events = POLLIN},
                         {.fd = cancel_fd(job->cancel), .events = POLLIN}};
    for (;;) {
        char byte;
        int n = poll(p, COUNT(p), MIN(clock_left(deadline), 250));
        if (n > 0 && p[0].revents & POLLIN && TEMP_FAILURE_RETRY(recv(r->socket, &byte, 1, MSG_DONTWAIT)) == 1)
            return END_DONE;
        if (n > 0 && (p[0].revents | p[1].revents))
            return END_DIED;
        if (n > 0)
            return END_CANCELLED;
        uint64_t progress = atomic_load(&report->progress);
        if (progress != seen)
            deadline = MIN(last, clock_ms() + LIMIT_OPEN_MS);
        if (!clock_left(deadline))
            return END_LATE;
        seen = progress;
    }
}

static int copy_text(const struct desk *d, struct reader_report *ret, struct fovea_fault *fault)
{
    uint64_t size = d->report.lines.window.size;
    char *text = malloc(size + 1);
    if (!text)
        return fault_oom(fault);
    memcpy(text, d->text, size);
    text[size] = '\0';
    ret->lines.text = text;
    return 0;
}

static int outcome(const struct desk *d, struct reader_report *ret, struct fovea_fault *fault)
{
    const struct reader_report *report = &d->report;
    if (memory_is_full(report->error))
        return fault_oom(fault);
    if (report->error)
        return fault_set(fault, report->error, "cannot %s: %s",
                         report->verdict == SNAPSHOT_ABSENT ? "open the file or folder" : "read the file",
                         strerrordesc_np(-report->error));
    memcpy(ret, report, sizeof *ret);
    return d->job.text && report->verdict == SNAPSHOT_TAKEN ? copy_text(d, ret, fault) : 0;
}

/* 1 when the reader died before it began. */
static int try(const struct reader_job *job, struct reader *r, struct reader_report *ret, struct fovea_fault *fault)
{
    struct readers *all = job->gate->readers;
    struct desk *d = r->desk;
    if (!put_job(d, job)) {
        readers_give(all, r);
        return fault_set(fault, E2BIG, "too many roots, or too long ones");
    }
    enum end end = hand_over(r, job->fd) ? wait_for(r, job) : END_DIED;
    if (end == END_DONE) {
        int e = outcome(d, ret, fault);
        readers_give(all, r);
        return e;
    }
    bool begun = atomic_load(&d->report.begun);
    readers_end(all, r);
    if (end == END_CANCELLED)
        return fault_cancelled(fault);
    if (end == END_DIED)
        return begun ? fault_set(fault, EIO, "the process that reads the file died") : 1;
    ret->verdict = SNAPSHOT_TIMED_OUT;
    return 0;
}

int reader_run(const struct reader_job *job, struct reader_report *ret, struct fovea_fault *fault)
{
    int e = 1;
    for (unsigned i = 0; e > 0 && i < LIMIT_READER_TRIES; i++) {
        struct reader *r = NULL;
        if (cancel_struck(job->cancel))
            return fault_cancelled(fault);
        e = readers_take(job->gate, job->cancel, &r, fault);
        if (!e)
            e = try(job, r, ret, fault);
    }
    return e > 0 ? fault_set(fault, EIO, "the processes that read files die before they begin") : e;
}
