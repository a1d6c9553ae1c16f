/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record: see record.h. Here is its life: which backend, one thread at a time, and asking again when a server fell silent.
 * Nothing below a public function waits for longer than wait.ms without looking at the cancel.
 */
#include "record/record.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"
#include "record/record_priv.h"

static const struct {
    const char *scheme;
    const struct backend_kind *kind;
} kinds[] = {
    {"sqlite:", &backend_sqlite},
    {"postgresql:", &backend_postgres},
    {"postgres:", &backend_postgres}, /* libpq takes both */
};

static const struct backend_kind *find_kind(const char *where)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (!strncmp(where, kinds[i].scheme, strlen(kinds[i].scheme)))
            return kinds[i].kind;
    return NULL;
}

int record_open(const struct record_options *options, struct record **ret, struct fovea_fault *fault)
{
    const struct backend_kind *kind = find_kind(options->where);
    if (!kind)
        return fault_set(fault, EINVAL, "record.store must be \"sqlite:\", \"sqlite:/abs/file.db\" or \"postgresql://...\"");
    struct record *r = calloc(1, sizeof *r);
    if (!r)
        return fault_oom(fault);
    *r = (struct record){.kind = kind, .derive = options->derive};
    r->wait.ms = options->wait_ms > 0 ? options->wait_ms : LIMIT_RECORD_WAIT_MS;
    int code = kind->open(options, &r->wait, &r->backend, fault);
    if (code < 0) {
        free(r);
        return code;
    }
    (void)pthread_mutex_init(&r->lock, NULL);
    (void)pthread_cond_init(&r->left, NULL);
    *ret = r;
    return 0;
}

void record_close(struct record *r)
{
    if (!r)
        return;
    r->kind->close(r->backend);
    (void)pthread_cond_destroy(&r->left);
    (void)pthread_mutex_destroy(&r->lock);
    free(r);
}

/* ---------------------------------------------------------------- one at a time, again and again */

/* Of this thread: what it does on another record is not ended by it. */
static _Thread_local struct {
    const struct record *of;
    const fovea_cancel *cancel;
} mine;

void record_cancel(struct record *r, const fovea_cancel *cancel)
{
    mine.of = cancel ? r : NULL;
    mine.cancel = cancel;
}

int record_enter(struct record *r, struct fovea_fault *fault)
{
    const fovea_cancel *cancel = mine.of == r ? mine.cancel : NULL;
    int64_t deadline = clock_ms() + r->wait.ms;
    (void)pthread_mutex_lock(&r->lock);
    while (r->held && clock_left(deadline) && !cancel_struck(cancel)) {
        int64_t tick = MIN(deadline, clock_ms() + LIMIT_RECORD_TICK_MS);
        struct timespec until = {.tv_sec = tick / 1000, .tv_nsec = tick % 1000 * 1000000};
        (void)pthread_cond_clockwait(&r->left, &r->lock, CLOCK_MONOTONIC, &until);
    }
    bool free_now = !r->held && !cancel_struck(cancel);
    if (free_now) {
        r->held = true;
        r->wait.cancel = cancel;
    }
    (void)pthread_mutex_unlock(&r->lock);
    if (free_now)
        return 0;
    return cancel_struck(cancel) ? fault_cancelled(fault)
                                 : fault_set(fault, EBUSY, "the record is in use for too long: try again");
}

void record_leave(struct record *r)
{
    (void)pthread_mutex_lock(&r->lock);
    r->held = false;
    r->wait.cancel = NULL;
    (void)pthread_cond_signal(&r->left);
    (void)pthread_mutex_unlock(&r->lock);
}

bool record_again(struct record *r, struct record_tries *t, int code)
{
    if (code != -EHOSTDOWN && !(code == -EHOSTUNREACH && t->deadline))
        return false;
    if (!t->deadline)
        t->deadline = clock_ms() + r->wait.ms;
    struct pollfd p = {.fd = cancel_fd(r->wait.cancel), .events = POLLIN};
    (void)poll(&p, 1, MIN(t->pause_ms, clock_left(t->deadline)));
    t->pause_ms = t->pause_ms ? MIN(2 * t->pause_ms, LIMIT_RECORD_PAUSE_MS) : LIMIT_RECORD_PAUSE_MS / 16;
    return clock_left(t->deadline) && !cancel_struck(r->wait.cancel);
}

int record_end(int code, struct fovea_fault *fault)
{
    if (code == -ENOMEM)
        return fault_oom(fault); /* a callback had no place for words */
    if (code != -EHOSTDOWN)
        return code;
    if (fault)
        fault->code = -EHOSTUNREACH;
    return -EHOSTUNREACH;
}

/* ---------------------------------------------------------------- names */

int record_check_name(const char *session, struct fovea_fault *fault)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t n = strspn(session, letters);
    if (n < 1 || n > LIMIT_SESSION_NAME || session[n])
        return fault_set(fault, EINVAL, "a session's name is 1 to %d of A-Z a-z 0-9 . _ -", LIMIT_SESSION_NAME);
    return 0;
}

/* ---------------------------------------------------------------- sessions and what is found by name */

int record_find(struct record *r, const char *session, const char *mark, int64_t *ret_seq, struct fovea_fault *fault)
{
    struct record_tries tries = {0};
    struct backend_head head;
    int code = record_check_name(session, fault);
    if (code < 0 || (code = record_enter(r, fault)) < 0)
        return code;
    do {
        code = r->kind->head(r->backend, session, &head, fault);
        if (code == 0)
            code = r->kind->find_mark(r->backend, head.id, mark, ret_seq, fault);
    } while (record_again(r, &tries, code));
    record_leave(r);
    return code == -ENOENT ? fault_set(fault, ENOENT, "nothing of that name in session \"%s\"", session) : record_end(code, fault);
}

int record_last(struct record *r, const char *session, struct record_point *ret, struct fovea_fault *fault)
{
    struct record_tries tries = {0};
    struct backend_head head = {0};
    int code = record_check_name(session, fault);
    if (code < 0 || (code = record_enter(r, fault)) < 0)
        return code;
    do {
        code = r->kind->head(r->backend, session, &head, fault);
    } while (record_again(r, &tries, code));
    record_leave(r);
    if (code < 0 && code != -ENOENT)
        return record_end(code, fault);
    *ret = code == 0 ? head.last : (struct record_point){0};
    return 0;
}

struct listing {
    void (*tell)(const struct record_session *s, void *arg);
    void *arg;
};

/* A name that no session can have is damage: record_check tells of it, and nobody is shown it. */
static void list(const struct record_session *s, void *arg)
{
    const struct listing *l = arg;
    if (record_check_name(s->name, NULL) == 0)
        l->tell(s, l->arg);
}

int record_sessions(struct record *r, const char *name, void (*tell)(const struct record_session *s, void *arg), void *arg,
                    struct fovea_fault *fault)
{
    struct record_tries tries = {0};
    struct listing listing = {tell, arg};
    int code = name ? record_check_name(name, fault) : 0;
    if (code < 0 || (code = record_enter(r, fault)) < 0)
        return code;
    do {
        code = r->kind->sessions(r->backend, name, list, &listing, fault);
    } while (record_again(r, &tries, code));
    record_leave(r);
    if (code == -ENOENT)
        return name ? fault_set(fault, ENOENT, "no session \"%s\"", name) : 0;
    return record_end(code, fault);
}

/* sent: it may be done, although the answer was lost. */
static int delete_once(struct record *r, const char *session, bool *sent, struct fovea_fault *fault)
{
    struct backend_head head;
    int code = r->kind->head(r->backend, session, &head, fault); /* what is not there needs no file made */
    if (code < 0 || (code = r->kind->begin(r->backend, session, false, &head, fault)) < 0)
        return code;
    code = head.id ? record_settle_uses(r, head.id, fault) : -ENOENT;
    if (code == 0)
        code = r->kind->drop_session(r->backend, head.id, fault);
    *sent |= code == 0;
    return r->kind->end(r->backend, code, fault);
}

int record_delete(struct record *r, const char *session, struct fovea_fault *fault)
{
    struct record_tries tries = {0};
    int code = record_check_name(session, fault);
    if (code < 0 || (code = record_enter(r, fault)) < 0)
        return code;
    bool sent = false;
    do {
        code = delete_once(r, session, &sent, fault);
    } while (record_again(r, &tries, code));
    record_leave(r);
    if (code == -ENOENT && sent)
        return 0; /* the try before had done it */
    return code == -ENOENT ? fault_set(fault, ENOENT, "no session \"%s\"", session) : record_end(code, fault);
}
