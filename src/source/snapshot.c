/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots: see snapshot.h. The memfd is made here, filled by a reader, and sealed before anybody looks at it. A text
 * comes through the memory that is shared with the reader instead: no descriptor is made for it. */
#include "source/snapshot.h"

#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/limits.h"
#include "source/lines.h"
#include "source/reader.h"

void snapshot_done(struct snapshot *s)
{
    if (!s)
        return;
    close_fd(s->fd);
    s->fd = -1;
}

void snapshot_lines_done(struct snapshot_lines *l)
{
    if (!l)
        return;
    free(l->text);
    l->text = NULL;
}

static int make_fd(int *ret, struct fovea_fault *fault)
{
    int fd = memory_open("fovea-source");
    if (fd < 0)
        return fault_set(fault, fd, "cannot make memory for the file: %s", strerrordesc_np(-fd));
    *ret = fd;
    return 0;
}

static int seal(int fd, struct fovea_fault *fault)
{
    int r = memory_seal(fd);
    return r < 0 ? fault_set(fault, r, "cannot seal the memory of the file: %s", strerrordesc_np(-r)) : 0;
}

static int write_failed(int r, struct fovea_fault *fault)
{
    if (memory_is_full(r))
        return fault_oom(fault);
    return fault_set(fault, r, "cannot keep the bytes in memory: %s", strerrordesc_np(-r));
}

/* ---------------------------------------------------------------- in the child */

/* The first spelling that exists. */
static int open_first(const struct reader_job *job, struct reader_report *report)
{
    for (uint32_t i = 0; i < job->variants->n; i++) {
        struct stat st;
        int fd;
        int v = gate_open(job->gate, job->roots, job->variants->path[i], &fd, &st);
        atomic_fetch_add(&report->progress, 1);
        if (v == GATE_ABSENT)
            continue;
        report->error = MIN(v, 0);
        report->verdict = v == GATE_OPEN ? SNAPSHOT_TAKEN : v < 0 ? SNAPSHOT_ABSENT : SNAPSHOT_NOT_REGULAR;
        if (v != GATE_OPEN)
            return -1;
        report->lines.window = (struct snapshot){.fd = -1,
                                                 .variant = i,
                                                 .file_size = (uint64_t)st.st_size,
                                                 .dev = st.st_dev,
                                                 .ino = st.st_ino,
                                                 .nlink = st.st_nlink};
        (void)fcntl(fd, F_SETFL, 0); /* a regular file: now it may wait for its disk */
        return fd;
    }
    report->verdict = SNAPSHOT_ABSENT;
    return -1;
}

/* Hands the first `most` bytes of fd to `add`, in pieces, until it says no. */
typedef bool (*piece_add)(void *to, const uint8_t *data, size_t len);

static int read_pieces(int fd, uint64_t most, piece_add add, void *to, const struct reader_job *job,
                       struct reader_report *report)
{
    while (most) {
        ssize_t n = read(fd, job->piece, MIN(most, LIMIT_READ_PIECE));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : 0;
        most -= (uint64_t)n;
        atomic_fetch_add(&report->progress, 1);
        if (!add(to, job->piece, (size_t)n))
            return 0;
    }
    return 0;
}

struct copy {
    int fd, error;
    uint64_t cap, len;
};

/* One byte over the cap is enough to know that the file grew past it. */
static bool copy_piece(void *to, const uint8_t *data, size_t len)
{
    struct copy *c = to;
    c->len += len;
    if (c->len > c->cap)
        return false;
    c->error = write_all(c->fd, data, len);
    return !c->error;
}

static void run_copy(const struct reader_job *job, struct reader_report *report)
{
    auto_close int fd = open_first(job, report);
    if (fd < 0)
        return;
    struct copy c = {.fd = job->fd, .cap = job->cap};
    struct snapshot *s = &report->lines.window;
    if (s->file_size <= job->cap) {
        int r = read_pieces(fd, job->cap + (job->cap < UINT64_MAX), copy_piece, &c, job, report);
        report->error = r ? r : c.error;
        s->size = c.len;
    }
    if (MAX(s->file_size, c.len) > job->cap) {
        report->verdict = SNAPSHOT_TOO_LARGE;
        s->file_size = MAX(s->file_size, c.len);
    }
}

static bool head_piece(void *to, const uint8_t *data, size_t len)
{
    struct snapshot_lines *out = to;
    out->head_len = (uint32_t)MIN(len, sizeof out->head);
    memcpy(out->head, data, out->head_len);
    return false;
}

static void run_head(const struct reader_job *job, struct reader_report *report)
{
    auto_close int fd = open_first(job, report);
    if (fd >= 0)
        report->error = read_pieces(fd, sizeof report->lines.head, head_piece, &report->lines, job, report);
}

struct window {
    struct lines lines;
    struct snapshot_lines *out;
};

static bool window_piece(void *to, const uint8_t *data, size_t len)
{
    struct window *w = to;
    size_t n = MIN(len, sizeof w->out->head - w->out->head_len);
    memcpy(w->out->head + w->out->head_len, data, n);
    w->out->head_len += (uint32_t)n;
    return lines_add(&w->lines, data, len);
}

static void run_lines(const struct reader_job *job, struct reader_report *report)
{
    auto_close int fd = open_first(job, report);
    if (fd < 0)
        return;
    struct window w = {.out = &report->lines};
    lines_init(&w.lines, job->text, job->max_text, job->offset, job->limit);
    /* What is appended from now on is not read: a file that grows as fast as we read has no end. */
    report->error = read_pieces(fd, report->lines.window.file_size, window_piece, &w, job, report);
    lines_end(&w.lines, &report->lines);
}

/* ---------------------------------------------------------------- */

static const struct snapshot_scope everything;

static size_t text_room(const struct snapshot_scope *scope)
{
    return scope->max_text ? MIN(scope->max_text, LIMIT_READ_WINDOW) : LIMIT_READ_WINDOW;
}

int snapshot_take(const struct gate *g, const struct ref_variants *variants, const struct snapshot_scope *scope,
                  uint64_t cap, enum snapshot_verdict *ret_verdict, struct snapshot *ret, struct fovea_fault *fault)
{
    scope = scope ? scope : &everything;
    struct reader_report report = {0};
    auto_close int fd = -1;
    int r = make_fd(&fd, fault);
    if (r < 0)
        return r;
    struct reader_job job = {.run = run_copy,
                             .gate = g,
                             .variants = variants,
                             .roots = scope->roots,
                             .cancel = scope->cancel,
                             .total_ms = LIMIT_COPY_TOTAL_MS,
                             .fd = fd,
                             .cap = cap};
    r = reader_run(&job, &report, fault);
    if (r >= 0 && report.verdict == SNAPSHOT_TAKEN)
        r = seal(fd, fault);
    if (r < 0)
        return r;
    *ret_verdict = report.verdict;
    *ret = report.lines.window;
    ret->fd = report.verdict == SNAPSHOT_TAKEN ? take_fd(&fd) : -1;
    return 0;
}

int snapshot_take_head(const struct gate *g, const struct ref_variants *variants, const struct snapshot_scope *scope,
                       struct snapshot_head *ret, struct fovea_fault *fault)
{
    scope = scope ? scope : &everything;
    struct reader_job job = {.run = run_head,
                             .gate = g,
                             .variants = variants,
                             .roots = scope->roots,
                             .cancel = scope->cancel,
                             .total_ms = LIMIT_COPY_TOTAL_MS,
                             .fd = -1};
    struct reader_report report = {0};
    int r = reader_run(&job, &report, fault);
    if (r < 0)
        return r;
    bool taken = report.verdict == SNAPSHOT_TAKEN;
    *ret = (struct snapshot_head){.file_size = report.lines.window.file_size, .len = taken ? report.lines.head_len : 0};
    memcpy(ret->bytes, report.lines.head, ret->len);
    snapshot_lines_done(&report.lines);
    return 0;
}

int snapshot_take_lines(const struct gate *g, const struct ref_variants *variants, const struct snapshot_scope *scope,
                        uint64_t offset, uint64_t limit, enum snapshot_verdict *ret_verdict, struct snapshot_lines *ret,
                        struct fovea_fault *fault)
{
    scope = scope ? scope : &everything;
    struct reader_job job = {.run = run_lines,
                             .gate = g,
                             .variants = variants,
                             .roots = scope->roots,
                             .cancel = scope->cancel,
                             .total_ms = LIMIT_READ_TOTAL_MS,
                             .fd = -1,
                             .offset = offset,
                             .limit = limit,
                             .max_text = text_room(scope)};
    struct reader_report report = {0};
    int r = reader_run(&job, &report, fault);
    if (r < 0)
        return r;
    *ret_verdict = report.verdict;
    *ret = report.lines;
    ret->window.fd = -1;
    return 0;
}

int snapshot_of(const void *data, size_t len, struct snapshot *ret, struct fovea_fault *fault)
{
    auto_close int fd = -1;
    int r = make_fd(&fd, fault);
    if (r < 0)
        return r;
    r = write_all(fd, data, len);
    if (r < 0)
        return write_failed(r, fault);
    r = seal(fd, fault);
    if (r < 0)
        return r;
    *ret = (struct snapshot){.fd = take_fd(&fd), .size = len, .file_size = len};
    return 0;
}

/* Text can grow as UTF-8: two bytes become three at most. */
static int text_size(size_t len, size_t room, size_t *ret)
{
    size_t most;
    if (__builtin_mul_overflow(len, (size_t)2, &most))
        return -ENOMEM;
    *ret = MIN(most, room);
    return 0;
}

int snapshot_lines_of(const void *data, size_t len, const struct snapshot_scope *scope, uint64_t offset,
                      uint64_t limit, struct snapshot_lines *ret, struct fovea_fault *fault)
{
    size_t room;
    auto_free char *text = NULL;
    if (text_size(len, text_room(scope ? scope : &everything), &room) == 0)
        text = malloc(room + 1);
    if (!text)
        return fault_oom(fault);
    struct snapshot_lines out = {.window = {.fd = -1, .file_size = len}};
    struct window w = {.out = &out};
    lines_init(&w.lines, (uint8_t *)text, room, offset, limit);
    if (len)
        (void)window_piece(&w, data, len);
    lines_end(&w.lines, &out);
    text[out.window.size] = '\0';
    out.text = take(text);
    *ret = out;
    return 0;
}
