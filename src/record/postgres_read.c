/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading. What may be long comes in pages, of so many rows and bytes, on one snapshot: memory is bounded by a page and one row,
 * and who stops early has not made the server send the rest.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"
#include "record/postgres_priv.h"

static int fault_damaged(const struct backend *b, const char *what, struct fovea_fault *fault)
{
    return fault_set(fault, EBADMSG, "the record in PostgreSQL at \"%s\" is damaged: %s", b->link.place, what);
}

/* A statement that finds one row. -ENOENT: none. */
static int one_row(struct backend *b, const char *sql, const struct pg_value *values, size_t n, struct pg_result *ret,
                   struct fovea_fault *fault)
{
    int r = b->writing ? 0 : pg_ready(b, false, fault);
    if (r == 0)
        r = pg_select(b, sql, values, n, ret, fault);
    return r < 0 ? r : r == 0 ? -ENOENT : 0;
}

void pg_read_head(const struct backend *b, const PGresult *res, int column, struct backend_head *ret)
{
    *ret = (struct backend_head){.id = pg_number(&b->link, res, 0, column), .uses = pg_number(&b->link, res, 0, column + 3)};
    int64_t seq = pg_number(&b->link, res, 0, column + 1);
    if (backend_is_seq(seq) && pg_copy(&b->link, res, 0, column + 2, ret->last.hash, SHA256_LEN))
        ret->last.seq = seq;
}

int pg_head(struct backend *b, const char *session, struct backend_head *ret, struct fovea_fault *fault)
{
    auto_result got = {0};
    int r = one_row(b, "SELECT s.id, h.seq, h.hash, h.uses FROM fovea.sessions s LEFT JOIN fovea.heads h ON h.session = s.id"
                       " WHERE s.name = $1",
                    PG_VALUES(PG_TEXT(session)), &got, fault);
    if (r == 0)
        pg_read_head(b, got.res, 0, ret);
    return r;
}

/* ---------------------------------------------------------------- entries */

/* How far a read of entries has come. */
struct walk {
    struct backend *b;
    int64_t id, next;
    int rows;       /* of a page */
    bool unreadable; /* the server could not read a page */
    backend_each *each;
    void *arg;
    struct fovea_fault *fault;
};

static int give_row(struct walk *w, const PGresult *res, int i, size_t *bytes)
{
    const struct pg_link *l = &w->b->link;
    struct backend_row row = {
        .seq = pg_number(l, res, i, 0),
        .at_ms = pg_number(l, res, i, 1),
        .key = l->pq->PQgetisnull(res, i, 3) ? NULL : pg_text(l, res, i, 3),
        .body = pg_text(l, res, i, 4),
        .len = (size_t)l->pq->PQgetlength(res, i, 4),
    };
    (void)pg_copy(l, res, i, 2, row.hash, SHA256_LEN); /* of another length it is no hash, and will not fit */
    if (!backend_is_seq(row.seq) || row.seq < w->next)
        return fault_damaged(w->b, "an entry has a number that is none", w->fault);
    *bytes += row.len;
    w->next = row.seq + 1;
    return w->each(&row, w->arg);
}

/* 0 with *more; or what each said. */
static int page(struct walk *w, bool *more)
{
    auto_result got = {0};
    size_t bytes = 0;
    int n = pg_select(w->b, "SELECT seq, at_ms, hash, key, body FROM (SELECT *, sum(octet_length(body)) OVER (ORDER BY seq)"
                            " - octet_length(body) AS before FROM (SELECT * FROM fovea.entries WHERE session = $1"
                            " AND seq >= $2 ORDER BY seq LIMIT $3) few) p WHERE before < $4 ORDER BY seq",
                      PG_VALUES(PG_NUMBER(w->id), PG_NUMBER(w->next), PG_NUMBER(w->rows), PG_NUMBER(LIMIT_PG_PAGE_BYTES)),
                      &got, w->fault);
    w->unreadable = n == -EBADMSG || n == -EIO;
    if (n < 0)
        return n;
    for (int i = 0; i < n; i++) {
        int r = give_row(w, got.res, i, &bytes);
        if (r)
            return r;
    }
    *more = n == w->rows || bytes >= LIMIT_PG_PAGE_BYTES;
    return 0;
}

static int all_pages(struct walk *w)
{
    bool more = true;
    int r = pg_read_enter(w->b, w->fault);
    if (r < 0)
        return r;
    while (r == 0 && more)
        r = page(w, &more);
    return pg_read_leave(w->b, r, w->fault);
}

/* Of a page that cannot be read, one row after the other: those before the damaged one are given. */
int pg_rows(struct backend *b, int64_t id, int64_t from, backend_each *each, void *arg, struct fovea_fault *fault)
{
    struct walk w = {.b = b, .id = id, .next = from, .rows = LIMIT_PG_PAGE_ROWS, .each = each, .arg = arg, .fault = fault};
    int r = b->writing ? 0 : pg_ready(b, false, fault);
    if (r == 0)
        r = all_pages(&w);
    if (w.unreadable && !b->writing) {
        w.rows = 1;
        r = all_pages(&w);
    }
    return MIN(r, 0);
}

/* ---------------------------------------------------------------- single things */

int pg_find_mark(struct backend *b, int64_t id, const char *mark, int64_t *ret_seq, struct fovea_fault *fault)
{
    auto_result got = {0};
    int r = one_row(b, "SELECT seq FROM fovea.marks WHERE session = $1 AND sha256(name) = sha256($2) ORDER BY seq DESC LIMIT 1",
                    PG_VALUES(PG_NUMBER(id), PG_BYTES(mark, strlen(mark))), &got, fault);
    if (r == 0)
        *ret_seq = pg_number(&b->link, got.res, 0, 0);
    return r;
}

int pg_blob(struct backend *b, const uint8_t *sha256, void **ret, size_t *ret_len, struct fovea_fault *fault)
{
    auto_result got = {0};
    int r = one_row(b, "SELECT data FROM fovea.blobs WHERE sha256 = $1", PG_VALUES(PG_BYTES(sha256, SHA256_LEN)), &got, fault);
    if (r < 0)
        return r;
    size_t len = (size_t)b->link.pq->PQgetlength(got.res, 0, 0);
    void *data = malloc(len + 1);
    if (!data)
        return fault_oom(fault);
    memcpy(data, pg_text(&b->link, got.res, 0, 0), len);
    *ret = data;
    *ret_len = len;
    return 0;
}

int pg_read_variant(struct backend *b, const PGresult *res, int row, int column, struct backend_variant *ret,
                    struct fovea_fault *fault)
{
    struct backend_variant v = {0};
    const struct pg_link *l = &b->link;
    size_t len = (size_t)l->pq->PQgetlength(res, row, column + 1);
    int64_t width = pg_number(l, res, row, column + 2), height = pg_number(l, res, row, column + 3);
    if (!pg_copy(l, res, row, column, v.v.sha256, SHA256_LEN) || !pg_copy(l, res, row, column + 5, v.seal, SHA256_LEN) ||
        len >= sizeof v.v.media_type || width < 0 || width > UINT32_MAX || height < 0 || height > UINT32_MAX)
        return fault_damaged(b, "what it says of a smaller version is not what was written", fault);
    memcpy(v.v.media_type, pg_text(l, res, row, column + 1), len);
    v.v.width = (uint32_t)width;
    v.v.height = (uint32_t)height;
    v.v.bytes = pg_number(l, res, row, column + 4);
    *ret = v;
    return 0;
}

int pg_variant(struct backend *b, const uint8_t *of, const char *spec, struct backend_variant *ret, struct fovea_fault *fault)
{
    auto_result got = {0};
    int r = one_row(b, "SELECT sha256, media_type, width, height, bytes, seal FROM fovea.variants WHERE of = $1 AND spec = $2",
                    PG_VALUES(PG_BYTES(of, SHA256_LEN), PG_BYTES(spec, strlen(spec))), &got, fault);
    return r < 0 ? r : pg_read_variant(b, got.res, 0, 0, ret, fault);
}

/* ---------------------------------------------------------------- sessions */

#define SESSIONS                                                                                                        \
    "SELECT s.name, coalesce(h.seq, 0), coalesce(f.at_ms, 0), coalesce(h.at_ms, 0), coalesce(h.bytes, 0), u.n, u.bytes"  \
    " FROM fovea.sessions s LEFT JOIN fovea.heads h ON h.session = s.id"                                                \
    " LEFT JOIN fovea.entries f ON f.session = s.id AND f.seq = 1"                                                      \
    " CROSS JOIN LATERAL (SELECT count(*) AS n, coalesce(sum(octet_length(b.data)), 0) AS bytes FROM"                   \
    " (SELECT DISTINCT sha256 FROM fovea.uses WHERE session = s.id) d JOIN fovea.blobs b ON b.sha256 = d.sha256) u"

/* All of them are here before the first is told of: who is asked again after a loss would tell them twice. */
int pg_sessions(struct backend *b, const char *name, void (*tell)(const struct record_session *s, void *arg), void *arg,
                struct fovea_fault *fault)
{
    auto_result got = {0};
    const struct pg_link *l = &b->link;
    int r = name ? one_row(b, SESSIONS " WHERE s.name = $1", PG_VALUES(PG_TEXT(name)), &got, fault)
                 : one_row(b, SESSIONS " ORDER BY h.at_ms DESC NULLS LAST, s.id DESC", PG_NONE, &got, fault);
    if (r < 0)
        return r;
    for (int i = 0; i < l->pq->PQntuples(got.res); i++) {
        struct record_session s = {
            .name = pg_text(l, got.res, i, 0),
            .entries = pg_number(l, got.res, i, 1),
            .created_ms = pg_number(l, got.res, i, 2),
            .last_ms = pg_number(l, got.res, i, 3),
            .bytes = pg_number(l, got.res, i, 4),
            .blobs = pg_number(l, got.res, i, 5),
            .blob_bytes = pg_number(l, got.res, i, 6),
        };
        tell(&s, arg);
    }
    return 0;
}
