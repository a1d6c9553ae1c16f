/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record in PostgreSQL, for many machines. A writer holds the row of its session until it commits, so that those who append to
 * one session come one after the other. Begin, and all that is sent after it without need of an answer, goes in few round
 * trips: see postgres_link.h.
 *
 * When the connection is lost, nobody here knows what became of a commit. The record asks again under the same key, with the
 * session's row in hand: by then the server has ended the transaction that was cut off, one way or the other.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"
#include "record/postgres_priv.h"

#define LOCK_STORE 0x666f7665610001LL

/* ---------------------------------------------------------------- results */

void pg_result_done(struct pg_result *r)
{
    if (r->pq)
        r->pq->PQclear(r->res);
}

int pg_select(struct backend *b, const char *sql, const struct pg_value *values, size_t n, struct pg_result *ret,
              struct fovea_fault *fault)
{
    PGresult *res = NULL;
    int r = pg_ask(&b->link, sql, values, n, &res, fault);
    if (r < 0)
        return r;
    *ret = (struct pg_result){.pq = b->link.pq, .res = res};
    return b->link.pq->PQntuples(res);
}

/* ---------------------------------------------------------------- life */

static int pg_open(const struct record_options *options, const struct backend_wait *wait, struct backend **ret,
                   struct fovea_fault *fault)
{
    auto_free struct backend *b = calloc(1, sizeof *b);
    if (!b)
        return fault_oom(fault);
    int r = pg_link_init(&b->link, options->where, wait, fault);
    if (r == 0)
        *ret = take(b);
    return r;
}

static void pg_close(struct backend *b)
{
    pg_link_done(&b->link);
    free(b);
}

/* ---------------------------------------------------------------- a transaction that writes */

/* Undoes what was begun. What cannot be undone in words is by hanging up. */
static void undo(struct backend *b)
{
    struct fovea_fault ignored;
    b->writing = false;
    if (!b->link.conn)
        return;
    (void)pg_answer(&b->link, NULL, &ignored); /* after a fault the server passes over what was sent with it */
    if (pg_ask(&b->link, "ROLLBACK", PG_NONE, NULL, &ignored) < 0)
        pg_hang_up(&b->link);
}

/* Who takes things out is alone with the store, who adds is not: see drop_session. A commit is on disk when it returns, whatever
 * the server does for others. The row is locked first and looked at then: who waited for it sees what the other wrote. */
static int send_begin(struct backend *b, const char *session, bool make, struct fovea_fault *fault)
{
    char held[16];
    bool alone = !make;
    (void)snprintf(held, sizeof held, "%d", LIMIT_PG_HELD_MS);
    int r = pg_send(&b->link, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", PG_NONE, fault);
    if (r == 0)
        r = pg_send(&b->link, "SELECT set_config('idle_in_transaction_session_timeout', $1, true), set_config("
                              "'synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply'"
                              " THEN 'remote_apply' ELSE 'on' END, true)",
                    PG_VALUES(PG_TEXT(held)), fault);
    if (r == 0)
        r = pg_send(&b->link, alone ? "SELECT pg_advisory_xact_lock($1)" : "SELECT pg_advisory_xact_lock_shared($1)",
                    PG_VALUES(PG_NUMBER(LOCK_STORE)), fault);
    if (r == 0 && session && make)
        r = pg_send(&b->link, "INSERT INTO fovea.sessions (name) SELECT $1 WHERE NOT EXISTS"
                              " (SELECT FROM fovea.sessions WHERE name = $1) ON CONFLICT DO NOTHING",
                    PG_VALUES(PG_TEXT(session)), fault);
    if (r == 0 && session)
        r = pg_send(&b->link, "SELECT FROM fovea.sessions WHERE name = $1 FOR UPDATE", PG_VALUES(PG_TEXT(session)), fault);
    return r;
}

static int begun(struct backend *b, const char *session, bool make, struct backend_head *ret, struct fovea_fault *fault)
{
    auto_result got = {0};
    struct backend_head head = {0};
    int n = send_begin(b, session, make, fault);
    if (n == 0)
        n = pg_select(b, "SELECT v.version, s.id, h.seq, h.hash, h.uses FROM fovea.version v LEFT JOIN fovea.sessions s ON s.name = $1"
                         " LEFT JOIN fovea.heads h ON h.session = s.id",
                      PG_VALUES(PG_TEXT(session ? session : "")), &got, fault);
    if (n != 1)
        return n < 0 ? n : fault_set(fault, EBADMSG, "the record in PostgreSQL at \"%s\" has no version", b->link.place);
    n = pg_check_version(b, pg_number(&b->link, got.res, 0, 0), fault);
    if (n < 0)
        return n;
    pg_read_head(b, got.res, 1, &head);
    if (ret)
        *ret = head;
    return 0;
}

static int pg_begin(struct backend *b, const char *session, bool make, struct backend_head *ret, struct fovea_fault *fault)
{
    int r = pg_ready(b, true, fault);
    if (r < 0)
        return r;
    b->n_put = 0;
    b->link.slow = false;
    r = begun(b, session, make, ret, fault);
    b->writing = r == 0;
    if (r < 0)
        undo(b);
    return r;
}

static int commit(struct backend *b, struct fovea_fault *fault)
{
    auto_result done = {0};
    int r = pg_select(b, "COMMIT", PG_NONE, &done, fault);
    if (r < 0)
        return r;
    /* The server says ROLLBACK to a COMMIT of what has failed. */
    return !strcmp(b->link.pq->PQcmdStatus(done.res), "COMMIT")
               ? 0
               : fault_set(fault, EIO, "the record in PostgreSQL at \"%s\": the server did not commit", b->link.place);
}

static int pg_end(struct backend *b, int code, struct fovea_fault *fault)
{
    if (code == 0)
        code = commit(b, fault);
    if (code < 0)
        undo(b);
    b->writing = b->link.slow = false;
    return code;
}

/* ---------------------------------------------------------------- a read of several statements */

int pg_read_enter(struct backend *b, struct fovea_fault *fault)
{
    return b->writing ? 0 : pg_send(&b->link, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", PG_NONE, fault);
}

int pg_read_leave(struct backend *b, int code, struct fovea_fault *fault)
{
    if (b->writing)
        return code;
    if (code >= 0) {
        int r = pg_ask(&b->link, "COMMIT", PG_NONE, NULL, fault);
        return r < 0 ? r : code;
    }
    undo(b);
    return code;
}

const struct backend_kind backend_postgres = {
    .scheme = "postgresql:",
    .open = pg_open,
    .close = pg_close,
    .begin = pg_begin,
    .end = pg_end,
    .find_key = pg_find_key,
    .insert = pg_insert,
    .mark = pg_mark,
    .use = pg_use,
    .put_blob = pg_put_blob,
    .put_variant = pg_put_variant,
    .drop_variant = pg_drop_variant,
    .drop_unused = pg_drop_unused,
    .drop_session = pg_drop_session,
    .drop_made = pg_drop_made,
    .set_head = pg_set_head,
    .head = pg_head,
    .rows = pg_rows,
    .blob = pg_blob,
    .variant = pg_variant,
    .find_mark = pg_find_mark,
    .sessions = pg_sessions,
    .doubtful = pg_doubtful,
    .names = pg_names,
    .made = pg_made,
    .blobs = pg_blobs,
    .variants = pg_variants,
    .integrity = pg_integrity,
};
