/* SPDX-License-Identifier: Apache-2.0 */
/* The sessions of the record: which there are, what one holds, taking one out, and looking for damage. */
#include <errno.h>

#include "api/session.h"

struct told {
    void (*session)(const struct fovea_session_info *info, void *arg);
    void (*problem)(const struct fovea_problem *problem, void *arg);
    void *arg;
};

static void tell_session(const struct record_session *s, void *arg)
{
    const struct told *t = arg;
    struct fovea_session_info info = {.name = s->name, .entries = s->entries, .created_ms = s->created_ms, .last_ms = s->last_ms,
                                      .bytes = s->bytes, .blobs = s->blobs, .blob_bytes = s->blob_bytes};
    t->session(&info, t->arg);
}

int fovea_sessions(fovea *f, const char *name, void (*tell)(const struct fovea_session_info *info, void *arg), void *arg,
                   struct fovea_fault *fault)
{
    struct told t = {.session = tell, .arg = arg};
    return record_sessions(f->record, name, tell_session, &t, fault);
}

int fovea_session_delete(fovea *f, const char *name, struct fovea_fault *fault)
{
    return record_delete(f->record, name, fault);
}

static void tell_problem(const struct record_problem *p, void *arg)
{
    const struct told *t = arg;
    struct fovea_problem problem = {.session = p->session, .entry = p->seq, .what = p->what, .repaired = p->repaired};
    if (t->problem)
        t->problem(&problem, t->arg);
}

int fovea_record_check(fovea *f, const char *session, bool repair, void (*tell)(const struct fovea_problem *problem, void *arg),
                       void *arg, struct fovea_checked *ret, struct fovea_fault *fault)
{
    struct told t = {.problem = tell, .arg = arg};
    struct record_checked got;
    int r = record_check(f->record, session, repair, tell_problem, &t, &got, fault);
    if (r == 0)
        *ret = (struct fovea_checked){got.sessions, got.entries, got.blobs, got.bytes, got.problems};
    return r;
}

/* ---------------------------------------------------------------- entries of one */

struct reading {
    int (*each)(void *arg, int64_t seq, const char *json, size_t len);
    void *arg;
};

static int read_one(const struct record_entry *e, void *arg)
{
    const struct reading *g = arg;
    int r = g->each(g->arg, e->point.seq, e->body, e->len);
    return r > 0 ? 1 : r;
}

int fovea_session_entries(fovea_session *s, int64_t after, int (*each)(void *arg, int64_t seq, const char *json, size_t len),
                          void *arg, struct fovea_fault *fault)
{
    struct session_place at;
    struct reading g = {each, arg};
    struct record_point from = {.seq = after > 0 ? after : 0};
    int r = session_place(s, &at, fault);
    return r < 0 ? r : record_read(at.record, at.name, &from, read_one, &g, fault);
}
