/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing rows, within begin and end. What gives no answer that is needed is sent and not waited for: its fault comes with a
 * later answer, at the latest with that of the commit.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"
#include "record/postgres_priv.h"

int pg_find_key(struct backend *b, int64_t id, const char *key, int64_t *ret_seq, struct fovea_fault *fault)
{
    auto_result got = {0};
    int n = pg_select(b, "SELECT seq FROM fovea.entries WHERE session = $1 AND key = $2",
                      PG_VALUES(PG_NUMBER(id), PG_BYTES(key, strlen(key))), &got, fault);
    if (n <= 0)
        return n < 0 ? n : -ENOENT;
    *ret_seq = pg_number(&b->link, got.res, 0, 0);
    return 0;
}

int pg_insert(struct backend *b, int64_t id, const struct backend_row *row, struct fovea_fault *fault)
{
    return pg_send(&b->link, "INSERT INTO fovea.entries (session, seq, at_ms, hash, key, body) VALUES ($1, $2, $3, $4, $5, $6)",
                   PG_VALUES(PG_NUMBER(id), PG_NUMBER(row->seq), PG_NUMBER(row->at_ms), PG_BYTES(row->hash, SHA256_LEN),
                             PG_BYTES(row->key, row->key ? strlen(row->key) : 0), PG_BYTES(row->len ? row->body : "", row->len)),
                   fault);
}

int pg_mark(struct backend *b, int64_t id, int64_t seq, const char *name, size_t len, struct fovea_fault *fault)
{
    return pg_send(&b->link, "INSERT INTO fovea.marks (session, seq, name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                   PG_VALUES(PG_NUMBER(id), PG_NUMBER(seq), PG_BYTES(name, len)), fault);
}

/* ---------------------------------------------------------------- blobs */

static bool known_put(const struct backend *b, const uint8_t *sha256)
{
    for (size_t i = 0; i < MIN(b->n_put, (size_t)PG_PUT); i++)
        if (!memcmp(b->put[i], sha256, SHA256_LEN))
            return true;
    return false;
}

static void note_put(struct backend *b, const uint8_t *sha256)
{
    memcpy(b->put[b->n_put++ % PG_PUT], sha256, SHA256_LEN);
}

/* Of a blob that this transaction has put there is nothing to ask. Any other that is there stays: see drop_session. */
int pg_use(struct backend *b, int64_t id, int64_t seq, const uint8_t *sha256, struct fovea_fault *fault)
{
    auto_result there = {0};
    int r = pg_send(&b->link, "INSERT INTO fovea.uses (session, seq, sha256) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                    PG_VALUES(PG_NUMBER(id), PG_NUMBER(seq), PG_BYTES(sha256, SHA256_LEN)), fault);
    if (r < 0 || known_put(b, sha256))
        return r;
    r = pg_select(b, "SELECT 1 FROM fovea.blobs WHERE sha256 = $1", PG_VALUES(PG_BYTES(sha256, SHA256_LEN)), &there, fault);
    if (r > 0)
        note_put(b, sha256);
    return r < 0 ? r : r ? 0 : -ENOENT;
}

/* Two writers that put the same blobs in another order may wait for each other: the server undoes one, which begins again.
 * Large ones are asked about first: that costs less than sending them in vain. What is there and right is not locked. */
int pg_put_blob(struct backend *b, const struct record_blob *blob, struct fovea_fault *fault)
{
    auto_result there = {0};
    int r = 0;
    if (blob->len > LIMIT_PG_UNASKED)
        r = pg_select(b, "SELECT 1 FROM fovea.blobs WHERE sha256 = $1 AND sha256(data) = $1",
                      PG_VALUES(PG_BYTES(blob->sha256, SHA256_LEN)), &there, fault);
    if (r == 0)
        r = pg_send(&b->link, "WITH put AS (INSERT INTO fovea.blobs (sha256, data) VALUES ($1, $2) ON CONFLICT DO NOTHING)"
                              " UPDATE fovea.blobs SET data = $2 WHERE sha256 = $1 AND data <> $2",
                    PG_VALUES(PG_BYTES(blob->sha256, SHA256_LEN), PG_BYTES(blob->len ? blob->data : "", blob->len)), fault);
    if (r >= 0)
        note_put(b, blob->sha256);
    return MIN(r, 0);
}

int pg_put_variant(struct backend *b, const uint8_t *of, const char *spec, const struct backend_variant *v,
                   struct fovea_fault *fault)
{
    return pg_send(&b->link,
                   "INSERT INTO fovea.variants (of, spec, sha256, media_type, width, height, bytes, seal)"
                   " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
                   PG_VALUES(PG_BYTES(of, SHA256_LEN), PG_BYTES(spec, strlen(spec)), PG_BYTES(v->v.sha256, SHA256_LEN),
                             PG_BYTES(v->v.media_type, strnlen(v->v.media_type, sizeof v->v.media_type)),
                             PG_NUMBER(v->v.width), PG_NUMBER(v->v.height), PG_NUMBER(v->v.bytes),
                             PG_BYTES(v->seal, SHA256_LEN)),
                   fault);
}

/* ---------------------------------------------------------------- what is made, and what goes */

/* Bytes and uses of what came since; of all when there was no head. */
int pg_set_head(struct backend *b, int64_t id, const struct record_point *last, struct fovea_fault *fault)
{
    int r = pg_send(&b->link, "INSERT INTO fovea.heads (session, seq, hash, at_ms, bytes, uses) VALUES ($1, 0, '', 0, 0, 0)"
                              " ON CONFLICT DO NOTHING",
                    PG_VALUES(PG_NUMBER(id)), fault);
    if (r < 0)
        return r;
    return pg_send(&b->link,
                   "UPDATE fovea.heads h SET seq = $2, hash = $3,"
                   " at_ms = coalesce((SELECT at_ms FROM fovea.entries WHERE session = $1 AND seq = $2), 0),"
                   " bytes = h.bytes + coalesce((SELECT sum(octet_length(body)) FROM fovea.entries"
                   " WHERE session = $1 AND seq > h.seq AND seq <= $2), 0), uses = h.uses + (SELECT count(*) FROM fovea.uses"
                   " WHERE session = $1 AND seq > h.seq AND seq <= $2) WHERE session = $1",
                   PG_VALUES(PG_NUMBER(id), PG_NUMBER(last->seq), PG_BYTES(last->hash, SHA256_LEN)), fault);
}

static int send_all(struct backend *b, const char *const *sql, size_t n, const struct pg_value *values, size_t n_values,
                    struct fovea_fault *fault)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < n; i++)
        r = pg_send(&b->link, sql[i], values, n_values, fault);
    return r;
}

int pg_drop_made(struct backend *b, int64_t id, struct fovea_fault *fault)
{
    static const char *const of_one[] = {
        "DELETE FROM fovea.heads WHERE session = $1",
        "DELETE FROM fovea.marks WHERE session = $1",
        "DELETE FROM fovea.uses WHERE session = $1",
    };
    static const char *const of_none[] = {
        "DELETE FROM fovea.heads m WHERE NOT EXISTS (SELECT FROM fovea.sessions s WHERE s.id = m.session)",
        "DELETE FROM fovea.marks m WHERE NOT EXISTS (SELECT FROM fovea.sessions s WHERE s.id = m.session)",
        "DELETE FROM fovea.uses m WHERE NOT EXISTS (SELECT FROM fovea.sessions s WHERE s.id = m.session)",
        /* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one statement over three lines */
        "DO $$ DECLARE i regclass; BEGIN FOR i IN SELECT x.indexrelid FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid"
        " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'fovea' AND NOT (x.indisvalid AND x.indisready)"
        " LOOP EXECUTE 'REINDEX INDEX ' || i; END LOOP; END $$",
        PG_INDEX_KEY,
        PG_INDEX_VARIANTS,
        PG_INDEX_MARKS,
        PG_INDEX_USES,
    };
    b->link.slow = true; /* until it ends: what is made anew goes through all entries */
    return id ? send_all(b, of_one, COUNT(of_one), PG_VALUES(PG_NUMBER(id)), fault)
              : send_all(b, of_none, COUNT(of_none), PG_NONE, fault);
}

int pg_drop_variant(struct backend *b, const uint8_t *of, const char *spec, const struct backend_variant *v,
                    struct fovea_fault *fault)
{
    auto_result gone = {0};
    int n = pg_select(b, "DELETE FROM fovea.variants WHERE of = $1 AND (spec = $2 OR seal = $3) RETURNING 1",
                      PG_VALUES(PG_BYTES(of, SHA256_LEN), PG_BYTES(spec, strlen(spec)), PG_BYTES(v->seal, SHA256_LEN)), &gone,
                      fault);
    return n < 0 ? n : n ? 0 : -ENOENT;
}

int pg_drop_unused(struct backend *b, const uint8_t *sha256, struct fovea_fault *fault)
{
    return pg_send(&b->link,
                   "DELETE FROM fovea.blobs WHERE sha256 = $1 AND NOT EXISTS (SELECT FROM fovea.uses WHERE sha256 = $1)"
                   " AND NOT EXISTS (SELECT FROM fovea.variants WHERE sha256 = $1)",
                   PG_VALUES(PG_BYTES(sha256, SHA256_LEN)), fault);
}

/*
 * Only what this session used is looked at, and who else uses it is what uses say: the record has made sure of those. Nobody
 * can begin to use one of the
 * blobs meanwhile: every writer holds the store's lock shared, and begin without make, which we came by, holds it alone. So a
 * blob that a writer found there stays there until its use is committed, and no writer finds one that is about to go.
 */
int pg_drop_session(struct backend *b, int64_t id, struct fovea_fault *fault)
{
    static const char *const sql[] = {
        "WITH mine AS (SELECT DISTINCT sha256 FROM fovea.uses u WHERE session = $1 AND NOT EXISTS"
        " (SELECT FROM fovea.uses o WHERE o.sha256 = u.sha256 AND o.session <> $1)),"
        " dropped AS (DELETE FROM fovea.variants v USING mine m WHERE v.of = m.sha256 RETURNING v.sha256)"
        " DELETE FROM fovea.blobs b USING (SELECT sha256 FROM mine UNION SELECT sha256 FROM dropped) c"
        " WHERE b.sha256 = c.sha256"
        " AND NOT EXISTS (SELECT FROM fovea.uses u WHERE u.sha256 = b.sha256 AND u.session <> $1)"
        " AND NOT EXISTS (SELECT FROM fovea.variants v WHERE v.sha256 = b.sha256"
        " AND NOT EXISTS (SELECT FROM mine m WHERE m.sha256 = v.of))",
        "DELETE FROM fovea.heads WHERE session = $1",
        "DELETE FROM fovea.marks WHERE session = $1",
        "DELETE FROM fovea.uses WHERE session = $1",
        "DELETE FROM fovea.entries WHERE session = $1",
        "DELETE FROM fovea.sessions WHERE id = $1",
    };
    b->link.slow = true; /* until it ends */
    return send_all(b, sql, COUNT(sql), PG_VALUES(PG_NUMBER(id)), fault);
}
