/* SPDX-License-Identifier: Apache-2.0 */
/* The sessions of the record: which there are, what one holds, taking one out, and looking for damage. */
#include <errno.h>
#include <string.h>

#include "api/session.h"
#include "base/fault.h"
#include "base/grow.h"
#include "base/limits.h"

/* What is known of sessions, taken out of the record before anybody is told: who is told may take his time. */
struct known {
    struct fovea_session_info *list; /* names: owned */
    size_t n, room;
    int error;
};

static void known_done(struct known *k)
{
    for (size_t i = 0; i < k->n; i++)
        free((char *)k->list[i].name);
    free(k->list);
}

static void know(const struct record_session *s, void *arg)
{
    struct known *k = arg;
    k->error = k->error ? k->error : GROW(k->list, k->n, k->room, LIMIT_SESSIONS);
    char *name = k->error ? NULL : strdup(s->name);
    if (!k->error && !name)
        k->error = -ENOMEM;
    if (name)
        k->list[k->n++] = (struct fovea_session_info){.name = name, .entries = s->entries, .created_ms = s->created_ms,
                                                      .last_ms = s->last_ms, .bytes = s->bytes, .blobs = s->blobs,
                                                      .blob_bytes = s->blob_bytes};
}

int fovea_sessions(fovea *f, const char *name, void (*tell)(const struct fovea_session_info *info, void *arg), void *arg,
                   struct fovea_fault *fault)
{
    cleanup(known_done) struct known k = {0};
    int r = record_sessions(f->record, name, know, &k, fault);
    if (r == 0 && k.error == -EFBIG)
        return fault_set(fault, EFBIG, "the record has more than the %zu sessions that are listed at once; name one", LIMIT_SESSIONS);
    if (r < 0 || k.error)
        return r < 0 ? r : fault_oom(fault);
    for (size_t i = 0; i < k.n; i++)
        tell(&k.list[i], arg);
    return 0;
}

int fovea_session_delete(fovea *f, const char *name, struct fovea_fault *fault)
{
    return record_delete(f->record, name, fault);
}

/* ---------------------------------------------------------------- checking */

struct told {
    void (*problem)(const struct fovea_problem *problem, void *arg);
    void *arg;
};

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
    session_entry *each;
    void *arg;
    struct fovea_fault *fault;
};

static int read_one(void *arg, int64_t seq, const char *json, size_t len)
{
    const struct reading *g = arg;
    int r = g->each(g->arg, seq, json, len);
    return r < 0 ? fault_set(g->fault, r, "reading was ended: %s", strerror(-r)) : r;
}

int fovea_session_entries(fovea_session *s, int64_t after, session_entry *each, void *arg, struct fovea_fault *fault)
{
    struct session_place at;
    struct reading g = {each, arg, fault};
    int r = session_place(s, &at, fault);
    return r < 0 ? r : session_each(&at, after, read_one, &g, fault);
}
