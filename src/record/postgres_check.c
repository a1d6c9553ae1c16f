/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What checking needs to see of all there is, a page at a time, and what the server can say of the tables themselves. Whether
 * bytes are those that were written is not its to say: the record compares hashes.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"
#include "record/postgres_priv.h"

/* A row of a result, for whom it is. As record_each. */
typedef int each_row(struct backend *b, const PGresult *res, int row, void *to);

struct told {
    union {
        backend_each_name *name;
        backend_each_made *made;
        backend_each_blob *blob;
        backend_each_variant *variant;
        void (*words)(const char *words, void *arg);
    };
    void *arg;
    struct fovea_fault *fault;
    uint8_t last[SHA256_LEN]; /* blobs: the last one seen, if any */
    bool any;
    size_t bytes;
};

/* Rows of a cursor: sql declares it as "c". */
static int fetch_all(struct backend *b, const char *sql, const struct pg_value *values, size_t n, each_row *each,
                     struct told *to)
{
    char fetch[48];
    int rows = 0, r = pg_send(&b->link, sql, values, n, to->fault);
    (void)snprintf(fetch, sizeof fetch, "FETCH %d FROM c", LIMIT_PG_PAGE_ROWS);
    do {
        auto_result got = {0};
        if (r == 0)
            r = rows = pg_select(b, fetch, PG_NONE, &got, to->fault);
        r = MIN(r, 0);
        for (int i = 0; r == 0 && i < rows; i++)
            r = each(b, got.res, i, to);
    } while (r == 0 && rows == LIMIT_PG_PAGE_ROWS);
    if (r >= 0) {
        int closed = pg_send(&b->link, "CLOSE c", PG_NONE, to->fault);
        r = closed < 0 ? closed : r;
    }
    return r;
}

/* An empty store has none of anything. */
static int walk(struct backend *b, const char *sql, const struct pg_value *values, size_t n, each_row *each, struct told *to)
{
    int r = b->writing ? 0 : pg_ready(b, false, to->fault);
    if (r < 0)
        return r == -ENOENT ? 0 : r;
    r = pg_read_enter(b, to->fault);
    if (r < 0)
        return r;
    bool slow = b->link.slow;
    b->link.slow = true;
    r = pg_read_leave(b, fetch_all(b, sql, values, n, each, to), to->fault);
    b->link.slow = slow;
    return MIN(r, 0);
}

/* ---------------------------------------------------------------- sessions and what is made of entries */

static int give_name(struct backend *b, const PGresult *res, int row, void *to)
{
    struct told *t = to;
    return t->name(pg_number(&b->link, res, row, 0), pg_text(&b->link, res, row, 1), t->arg);
}

int pg_names(struct backend *b, backend_each_name *each, void *arg, struct fovea_fault *fault)
{
    struct told to = {.name = each, .arg = arg, .fault = fault};
    return walk(b, "DECLARE c NO SCROLL CURSOR FOR SELECT id, name FROM fovea.sessions ORDER BY name", PG_NONE, give_name, &to);
}

int pg_doubtful(struct backend *b, int64_t id, backend_each_name *each, void *arg, struct fovea_fault *fault)
{
    struct told to = {.name = each, .arg = arg, .fault = fault};
    return walk(b, "DECLARE c NO SCROLL CURSOR FOR SELECT s.id, s.name FROM fovea.sessions s LEFT JOIN fovea.heads h"
                   " ON h.session = s.id WHERE s.id <> $1 AND (h.uses IS NULL OR h.uses <> (SELECT count(*) FROM fovea.uses u"
                   " WHERE u.session = s.id) OR EXISTS (SELECT FROM fovea.uses u WHERE u.session = s.id AND NOT EXISTS"
                   " (SELECT FROM fovea.blobs b WHERE b.sha256 = u.sha256))) ORDER BY s.id",
                PG_VALUES(PG_NUMBER(id)), give_name, &to);
}

static int give_made(struct backend *b, const PGresult *res, int row, void *to)
{
    struct told *t = to;
    const struct pg_link *l = &b->link;
    uint8_t use[SHA256_LEN] = {0};
    bool mark = !l->pq->PQgetisnull(res, row, 1);
    if (!mark)
        (void)pg_copy(l, res, row, 2, use, SHA256_LEN); /* of another length it is no blob's */
    struct backend_made m = {
        .seq = pg_number(l, res, row, 0),
        .mark = mark ? pg_text(l, res, row, 1) : NULL,
        .len = (size_t)l->pq->PQgetlength(res, row, 1),
        .use = mark ? NULL : use,
        .there = pg_number(l, res, row, 3) != 0,
    };
    return t->made(&m, t->arg);
}

int pg_made(struct backend *b, int64_t id, backend_each_made *each, void *arg, struct fovea_fault *fault)
{
    struct told to = {.made = each, .arg = arg, .fault = fault};
    return walk(b, "DECLARE c NO SCROLL CURSOR FOR SELECT seq, name, NULL::bytea AS sha256, 0::bigint FROM fovea.marks"
                   " WHERE session = $1 UNION ALL SELECT u.seq, NULL, u.sha256,"
                   " CASE WHEN b.sha256 IS NULL THEN 0 ELSE 1 END::bigint"
                   " FROM fovea.uses u LEFT JOIN fovea.blobs b ON b.sha256 = u.sha256 WHERE u.session = $1"
                   " ORDER BY seq, name, sha256",
                PG_VALUES(PG_NUMBER(id)), give_made, &to);
}

static int give_variant(struct backend *b, const PGresult *res, int row, void *to)
{
    struct told *t = to;
    struct backend_variant v = {0};
    uint8_t of[SHA256_LEN] = {0};
    (void)pg_copy(&b->link, res, row, 0, of, SHA256_LEN);
    (void)pg_read_variant(b, res, row, 2, &v, NULL); /* one of all zeros has no seal that fits, and is told of */
    return t->variant(of, pg_text(&b->link, res, row, 1), &v, pg_number(&b->link, res, row, 8) != 0, t->arg);
}

int pg_variants(struct backend *b, int64_t id, backend_each_variant *each, void *arg, struct fovea_fault *fault)
{
    struct told to = {.variant = each, .arg = arg, .fault = fault};
    return walk(b, "DECLARE c NO SCROLL CURSOR FOR SELECT v.of, v.spec, v.sha256, v.media_type, v.width, v.height, v.bytes,"
                   " v.seal, CASE WHEN b.sha256 IS NULL THEN 0 ELSE 1 END::bigint FROM fovea.variants v"
                   " LEFT JOIN fovea.blobs b ON b.sha256 = v.sha256 WHERE $1 = 0"
                   " OR EXISTS (SELECT FROM fovea.uses u WHERE u.sha256 = v.of"
                   " AND u.session = $1) ORDER BY v.of, v.spec",
                PG_VALUES(PG_NUMBER(id)), give_variant, &to);
}

/* ---------------------------------------------------------------- blobs */

static int give_blob(struct backend *b, const PGresult *res, int row, struct told *t)
{
    const struct pg_link *l = &b->link;
    struct record_blob blob = {.data = pg_text(l, res, row, 1), .len = (size_t)l->pq->PQgetlength(res, row, 1)};
    (void)pg_copy(l, res, row, 0, blob.sha256, SHA256_LEN); /* of another length it is no hash, and fits no bytes */
    if (t->any && memcmp(blob.sha256, t->last, SHA256_LEN) <= 0)
        return fault_set(t->fault, EBADMSG, "the record in PostgreSQL at \"%s\" is damaged: bytes are out of order", l->place);
    memcpy(t->last, blob.sha256, SHA256_LEN);
    t->any = true;
    t->bytes += blob.len;
    return t->blob(&blob, t->arg);
}

/* Those of a session are what it uses, and the variants made of that. A name that is no hash is for pg_integrity to tell. */
static int page_of_blobs(struct backend *b, int64_t id, struct told *t, bool *more)
{
    auto_result got = {0};
    int n = pg_select(b, "SELECT sha256, data FROM"
                         " (SELECT *, sum(octet_length(data)) OVER (ORDER BY sha256) - octet_length(data) AS before FROM"
                         " (SELECT * FROM fovea.blobs b WHERE sha256 > $1 AND octet_length(sha256) = 32 AND ($2 = 0 OR EXISTS"
                         " (SELECT FROM fovea.uses u WHERE u.sha256 = b.sha256 AND u.session = $2) OR EXISTS"
                         " (SELECT FROM fovea.variants v JOIN fovea.uses u ON u.sha256 = v.of WHERE v.sha256 = b.sha256"
                         " AND u.session = $2)) ORDER BY sha256 LIMIT $3) few) p WHERE before < $4 ORDER BY sha256",
                      PG_VALUES(PG_BYTES(t->last, t->any ? SHA256_LEN : 0), PG_NUMBER(id), PG_NUMBER(LIMIT_PG_PAGE_ROWS),
                                PG_NUMBER(LIMIT_PG_PAGE_BYTES)),
                      &got, t->fault);
    t->bytes = 0;
    for (int i = 0; i < n; i++) {
        int r = give_blob(b, got.res, i, t);
        if (r)
            return r;
    }
    *more = n == LIMIT_PG_PAGE_ROWS || t->bytes >= LIMIT_PG_PAGE_BYTES;
    return MIN(n, 0);
}

int pg_blobs(struct backend *b, int64_t id, backend_each_blob *each, void *arg, struct fovea_fault *fault)
{
    struct told to = {.blob = each, .arg = arg, .fault = fault};
    bool more = true;
    int r = pg_ready(b, false, fault);
    if (r < 0)
        return r == -ENOENT ? 0 : r;
    r = pg_read_enter(b, fault);
    if (r < 0)
        return r;
    b->link.slow = true;
    while (r == 0 && more)
        r = page_of_blobs(b, id, &to, &more);
    r = pg_read_leave(b, r, fault);
    b->link.slow = false;
    return MIN(r, 0);
}

/* ---------------------------------------------------------------- the tables themselves */

static int give_words(struct backend *b, const PGresult *res, int row, void *to)
{
    struct told *t = to;
    const char *words = pg_text(&b->link, res, row, 0);
    t->words(*words ? words : "the server tells of damage, and not of which", t->arg);
    return 0;
}

/* Gaps, hashes and what is made are for the record to see; here is what it would never be shown. */
int pg_integrity(struct backend *b, void (*tell)(const char *words, void *arg), void *arg, struct fovea_fault *fault)
{
    struct told to = {.words = tell, .arg = arg, .fault = fault};
    return walk(b, "DECLARE c NO SCROLL CURSOR FOR"
                   " SELECT 'index ' || i.indexrelid::regclass::text || ' is not valid: REINDEX it' FROM pg_index i"
                   " JOIN pg_class k ON k.oid = i.indrelid JOIN pg_namespace n ON n.oid = k.relnamespace"
                   " WHERE n.nspname = 'fovea' AND NOT (i.indisvalid AND i.indisready)"
                   " UNION ALL SELECT 'table ' || k.relname || ' has lost its ' || CASE c.contype WHEN 'p' THEN 'primary key'"
                   " WHEN 'f' THEN 'foreign key' ELSE 'constraint' END || ' ' || c.conname || ': it is not validated'"
                   " FROM pg_constraint c JOIN pg_class k ON k.oid = c.conrelid JOIN pg_namespace n ON n.oid = k.relnamespace"
                   " WHERE n.nspname = 'fovea' AND NOT c.convalidated"
                   " UNION ALL SELECT 'index fovea.' || want.name || ' is missing' FROM (VALUES ('entries_pkey'), ('entries_key'),"
                   " ('blobs_pkey'), ('variants_pkey'), ('sessions_pkey'), ('sessions_name_key'), ('heads_pkey'), ('marks_name'),"
                   " ('uses_pkey'), ('variants_sha256'), ('uses_sha256')) want (name)"
                   " WHERE to_regclass('fovea.' || want.name) IS NULL"
                   " UNION ALL SELECT 'bytes have a name that is no hash' FROM fovea.blobs WHERE octet_length(sha256) <> 32"
                   " UNION ALL SELECT 'entry ' || e.seq || ' is of a session that is not there (' || e.session || ')'"
                   " FROM fovea.entries e WHERE NOT EXISTS (SELECT FROM fovea.sessions s WHERE s.id = e.session)",
                PG_NONE, give_words, &to);
}
