/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking: every byte of the record is looked at, and damage in one place ends nothing. Others may append meanwhile: what
 * they add is left out of account.
 */
#include <errno.h>
#include <string.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"
#include "record/record_check.h"

void check_problem(struct checking *c, const char *session, int64_t seq, const char *what, bool repaired)
{
    struct record_problem p = {.session = session, .seq = seq, .what = what, .repaired = repaired};
    if (!repaired)
        c->done.problems++;
    if (c->tell)
        c->tell(&p, c->arg);
}

/* What damage, or a disk, keeps from being read. */
static void tell_unread(struct checking *c, const char *session, int64_t seq, const char *what)
{
    char words[sizeof c->fault->text + 64];
    (void)snprintf(words, sizeof words, "%s: %s", what, c->fault->text);
    check_problem(c, session, seq, words, false);
}

int check_passed(struct checking *c, const char *session, const char *what, int code)
{
    if (code != -EBADMSG && code != -EIO)
        return code;
    tell_unread(c, session, 0, what);
    return 0;
}

bool check_next_name(const struct checking *c, size_t *at, int64_t *ret_id, const char **ret)
{
    if (*at >= c->names.len)
        return false;
    memcpy(ret_id, c->names.data + *at, sizeof *ret_id);
    *ret = c->names.data + *at + sizeof *ret_id;
    *at += sizeof *ret_id + strlen(*ret) + 1;
    return true;
}

/* ---------------------------------------------------------------- the chain of a session */

enum { NEAR = 256 }; /* rows that are looked for one by one */

struct walk {
    struct checking *c;
    const char *session;
    struct record_point last;      /* as stored */
    uint8_t computed[SHA256_LEN];  /* what its hash should be: differs when the hash itself was hit */
    struct backend_head before;    /* as noted when it began */
    bool damaged, before_fits;
    bool skipped; /* what came before could not be read */
    struct record_print print;
};

static bool follows(const struct walk *w, const uint8_t *hash, const struct backend_row *row, uint8_t ret[static SHA256_LEN])
{
    record_hash(hash, w->session, row, ret);
    return !memcmp(ret, row->hash, SHA256_LEN);
}

static bool take_flag(bool *flag)
{
    bool was = *flag;
    *flag = false;
    return was;
}

static void look_at(struct walk *w, const struct backend_row *row)
{
    char words[96];
    uint8_t computed[SHA256_LEN];
    if (take_flag(&w->skipped)) {
        memcpy(w->computed, row->hash, SHA256_LEN); /* nothing to judge it by */
        return;
    }
    if (row->seq != w->last.seq + 1) {
        w->damaged = true;
        (void)snprintf(words, sizeof words, "it is missing: entry %lld comes next", (long long)row->seq);
        check_problem(w->c, w->session, w->last.seq + 1, words, false);
        memcpy(w->computed, row->hash, SHA256_LEN);
        return;
    }
    /* Whether it was the one before or its hash that was hit, this one is judged fairly. */
    if (!follows(w, w->last.hash, row, computed) && !follows(w, w->computed, row, computed)) {
        w->damaged = true;
        check_problem(w->c, w->session, row->seq, "its bytes are not those that were written", false);
    } else if (record_has_nul(row->body, row->len)) {
        w->damaged = true;
        check_problem(w->c, w->session, row->seq, "it holds a NUL byte", false);
    }
    memcpy(w->computed, computed, SHA256_LEN);
}

static int walk_row(const struct backend_row *row, void *arg)
{
    struct walk *w = arg;
    if (cancel_struck(w->c->r->wait.cancel))
        return fault_cancelled(w->c->fault);
    look_at(w, row);
    w->last.seq = row->seq;
    memcpy(w->last.hash, row->hash, SHA256_LEN);
    if (row->seq == w->before.last.seq)
        w->before_fits = !memcmp(row->hash, w->before.last.hash, SHA256_LEN);
    w->c->done.entries++;
    w->c->done.bytes += (int64_t)row->len;
    if (w->damaged)
        return 0; /* what is made of the session cannot be judged any more */
    int code = record_print_entry(w->c->r, row, &w->print);
    if (code == -ENOMEM)
        return fault_oom(w->c->fault);
    if (code < 0)
        check_problem(w->c, w->session, row->seq, "it cannot be understood", false);
    return 0;
}

/* Stops at the first row. */
static int note_any(const struct backend_row *row, void *arg)
{
    (void)row;
    *(bool *)arg = true;
    return 1;
}

/* 0: the rows from there on can be read, the first of them at least, if there is any. */
static int probe(struct walk *w, int64_t id, int64_t from, bool *ret_any)
{
    struct record *r = w->c->r;
    *ret_any = false;
    if (cancel_struck(r->wait.cancel))
        return fault_cancelled(w->c->fault);
    int code = r->kind->rows(r->backend, id, from, note_any, ret_any, w->c->fault);
    return code == -EIO ? -EBADMSG : code;
}

/* The next place from which rows can be read, INT64_MAX when there is none, or no row. One by one for as many as a few pages hold;
 * further on in steps that grow, and back to where it begins. */
static int find_readable(struct walk *w, int64_t id, int64_t bad, int64_t *ret)
{
    int64_t good = bad;
    bool any = false, some;
    int code = -EBADMSG;
    for (int64_t step = 1, n = 0; code == -EBADMSG && good < INT64_MAX; n++) {
        step = n < NEAR ? 1 : 2 * step; /* it ends before a step is too large */
        bad = good;
        good = __builtin_add_overflow(good, step, &good) ? INT64_MAX : good;
        code = good < INT64_MAX ? probe(w, id, good, &any) : -EBADMSG;
    }
    while (code == 0 && good - bad > 1) {
        int64_t middle = bad + (good - bad) / 2;
        int there = probe(w, id, middle, &some);
        if (there == 0) {
            good = middle;
            any = some;
        } else if (there == -EBADMSG)
            bad = middle;
        else
            return there;
    }
    *ret = any ? good : INT64_MAX;
    return code == -EBADMSG ? 0 : code;
}

/* All rows that can be read, also past those that cannot. */
static int walk_rows(struct walk *w, int64_t id)
{
    struct record *r = w->c->r;
    int64_t from = 1;
    int code;
    while ((code = r->kind->rows(r->backend, id, from, walk_row, w, w->c->fault)) == -EBADMSG || code == -EIO) {
        if (!w->skipped)
            tell_unread(w->c, w->session, w->last.seq + 1, "it cannot be read");
        w->damaged = w->skipped = true;
        code = find_readable(w, id, MAX(from, w->last.seq + 1), &from);
        if (code < 0 || from == INT64_MAX)
            return code;
    }
    return code;
}

/* Rows that come before the first entry: nobody reads them, but they would be counted. The first row of all is read for that. */
static int look_before(struct walk *w, int64_t id)
{
    struct record *r = w->c->r;
    bool any = false;
    int code = w->damaged ? 0 : r->kind->rows(r->backend, id, INT64_MIN, note_any, &any, w->c->fault);
    return check_passed(w->c, w->session, "what comes before its first entry cannot be read", code);
}

/* ---------------------------------------------------------------- what is made of it */

struct made {
    struct walk *w;
    struct record_print print;
    int64_t uses; /* up to the end that was noted */
    int64_t most; /* the highest of their numbers */
    bool judge; /* tells of bytes that are not there; else only gathers */
};

static int look_made(const struct backend_made *m, void *arg)
{
    struct made *k = arg;
    k->most = MAX(k->most, m->seq);
    if (m->seq > k->w->last.seq)
        return 0;
    if (k->judge && !m->mark && !m->there)
        check_problem(k->w->c, k->w->session, m->seq, "the bytes that it uses are not there", false);
    k->uses += !m->mark && m->seq <= k->w->before.last.seq;
    if (m->mark)
        record_print_mark(&k->print, m->seq, m->mark, m->len);
    else
        record_print_use(&k->print, m->seq, m->use);
    return 0;
}

/* It was deleted while it was looked at; perhaps another of its name is there now. */
static bool is_gone(struct checking *c, int64_t id, const char *name)
{
    struct backend_head now = {0};
    struct fovea_fault ignored;
    bool any = false;
    int found = c->r->kind->head(c->r->backend, name, &now, &ignored);
    if (found != -ENOENT && (found < 0 || now.id == id))
        return false;
    return c->r->kind->rows(c->r->backend, id, 0, note_any, &any, &ignored) == 0 && !any;
}

/* Whether head, marks and uses are as the entries say. The head is read last: what is made of entries that others append meanwhile is not
 * beyond it. */
static int is_made_right(struct walk *w, int64_t id, bool *ret)
{
    struct record *r = w->c->r;
    struct made made = {.w = w};
    struct backend_head after = {0};
    int code = r->kind->made(r->backend, id, look_made, &made, w->c->fault);
    if (code == 0)
        code = r->kind->head(r->backend, w->session, &after, w->c->fault);
    if (code < 0)
        return code;
    *ret = w->before_fits && w->last.seq <= after.last.seq && made.most <= after.last.seq &&
           made.uses == w->before.uses && !memcmp(&made.print, &w->print, sizeof made.print);
    return code;
}

/* Its end was noted further on, with a hash that is not there: entries are lost, not only the note is wrong. */
static bool is_cut(const struct walk *w)
{
    return w->before.last.seq > w->last.seq && memcmp(w->before.last.hash, w->last.hash, SHA256_LEN);
}

static int check_made(struct walk *w, int64_t id)
{
    struct checking *c = w->c;
    struct made made = {.w = w, .judge = true};
    static const char what[] = "what is found by it (end, names, uses) is not what its entries say";
    bool right = false;
    int code = w->damaged ? 0 : is_made_right(w, id, &right);
    if (code == -ENOENT || (code == 0 && !right && is_gone(c, id, w->session)))
        return 0;
    if (!w->skipped && is_cut(w))
        check_problem(c, w->session, w->last.seq + 1, "it is missing, and what followed", false);
    if (code == 0 && !w->damaged && !right) {
        if (c->repair)
            code = record_rebuild(c->r, w->session, c->fault);
        if (code == -ENOENT)
            return 0;
        check_problem(c, w->session, 0, what, c->repair && code == 0);
    }
    return code < 0 ? code : c->r->kind->made(c->r->backend, id, look_made, &made, c->fault);
}

/* ---------------------------------------------------------------- one session */

static int check_session(struct checking *c, int64_t id, const char *name)
{
    struct record *r = c->r;
    struct walk w = {.c = c, .session = name, .before_fits = false};
    int found = r->kind->head(r->backend, name, &w.before, c->fault);
    if (found < 0 && found != -ENOENT)
        return check_passed(c, name, "it cannot be read", found);
    int code = walk_rows(&w, id);
    code = code < 0 ? code : look_before(&w, id);
    if (code < 0)
        return code == -ENOENT ? 0 : code;
    if (!w.last.seq && is_gone(c, id, name))
        return 0;
    c->done.sessions++;
    if (found == -ENOENT || w.before.id != id)
        check_problem(c, name, 0, "it cannot be found by its name", false);
    else if (!w.last.seq && !w.damaged)
        check_problem(c, name, 0, "it has no entries", false);
    else
        return check_passed(c, name, "what is made of its entries cannot be read", check_made(&w, id));
    return 0;
}

/* ---------------------------------------------------------------- all of it */

static void count_words(const char *words, void *arg)
{
    (void)words;
    ++*(int64_t *)arg;
}

static void tell_words(const char *words, void *arg)
{
    check_problem(arg, "", 0, words, false);
}

static int mend_structure(struct checking *c)
{
    const struct backend_kind *kind = c->r->kind;
    int64_t faults = 0, left = 0;
    int code = kind->integrity(c->r->backend, count_words, &faults, c->fault);
    if (code < 0 || !faults)
        return code;
    code = kind->begin(c->r->backend, NULL, false, NULL, c->fault);
    if (code == 0)
        code = kind->end(c->r->backend, kind->drop_made(c->r->backend, 0, c->fault), c->fault);
    if (code == 0)
        code = kind->integrity(c->r->backend, count_words, &left, c->fault);
    if (code == 0 && left < faults)
        check_problem(c, "", 0, "its structure (indexes, rows of no session)", true);
    return code;
}

static int check_structure(struct checking *c)
{
    int code = c->repair ? check_passed(c, "", "its structure cannot be mended", mend_structure(c)) : 0;
    return code < 0 ? code : check_passed(c, "", "its structure cannot be read",
                                    c->r->kind->integrity(c->r->backend, tell_words, c, c->fault));
}

static int add_name(int64_t id, const char *name, void *arg)
{
    struct checking *c = arg;
    if (record_check_name(name, NULL) < 0) {
        check_problem(c, "", 0, "a session has a name that is none", false);
        return 0;
    }
    (void)buf_add(&c->names, &id, sizeof id);
    return buf_add(&c->names, name, strlen(name) + 1);
}

static int check_all(struct checking *c)
{
    const char *name;
    int64_t id;
    int code = check_structure(c);
    if (code == 0)
        code = check_passed(c, "", "not all sessions can be read", c->r->kind->names(c->r->backend, add_name, c, c->fault));
    for (size_t at = 0; code == 0 && check_next_name(c, &at, &id, &name);)
        code = check_session(c, id, name);
    return code < 0 ? code : check_blobs(c, 0);
}

static int check_one(struct checking *c, const char *session)
{
    struct backend_head head;
    int code = c->r->kind->head(c->r->backend, session, &head, c->fault);
    if (code == 0)
        code = add_name(head.id, session, c);
    if (code == 0)
        code = check_session(c, head.id, session);
    return code == 0 ? check_blobs(c, head.id) : code;
}

int record_check(struct record *r, const char *session, bool repair,
                 void (*tell)(const struct record_problem *p, void *arg), void *arg, struct record_checked *ret,
                 struct fovea_fault *fault)
{
    struct fovea_fault unheard = {0};
    struct checking c = {.r = r, .repair = repair, .tell = tell, .arg = arg, .fault = fault ? fault : &unheard,
                         .names = BUF_INIT(LIMIT_RECORD_NAMES)};
    int code = session ? record_check_name(session, fault) : 0;
    if (code < 0 || (code = record_enter(r, fault)) < 0)
        return code;
    code = session ? check_one(&c, session) : check_all(&c);
    record_leave(r);
    buf_done(&c.names);
    if (code == 0)
        *ret = c.done;
    if (code == -EFBIG)
        return fault_set(fault, EFBIG, "the record has too many sessions, or too much damage, to be checked at once");
    return code == -ENOENT ? fault_set(fault, ENOENT, "no session \"%s\"", session) : record_end(code, fault);
}
