/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the PostgreSQL backend share. */
#ifndef FOVEA_POSTGRES_PRIV_H
#define FOVEA_POSTGRES_PRIV_H

#include "record/postgres_link.h"
#include "record/record_backend.h"

enum { PG_PUT = 64 };

struct backend {
    struct pg_link link;
    bool known;    /* this connection has found the tables */
    bool writing;  /* between begin and end */
    size_t n_put;  /* blobs that this transaction knows to be there: the last of them */
    uint8_t put[PG_PUT][SHA256_LEN];
};

/* Indexes that are made with the tables, and again where one was lost. */
#define PG_INDEX_KEY \
    "CREATE UNIQUE INDEX IF NOT EXISTS entries_key ON fovea.entries (session, key) WHERE key IS NOT NULL"
#define PG_INDEX_VARIANTS "CREATE INDEX IF NOT EXISTS variants_sha256 ON fovea.variants (sha256)"
#define PG_INDEX_MARKS "CREATE UNIQUE INDEX IF NOT EXISTS marks_name ON fovea.marks (session, sha256(name), seq)"
#define PG_INDEX_USES "CREATE INDEX IF NOT EXISTS uses_sha256 ON fovea.uses (sha256, session, seq)"

/* Connects where needed. 0 with tables of our version; -ENOENT without words: there are none yet, and make is false.
 * -EPROTO: they are of a newer fovea. */
int pg_ready(struct backend *b, bool make, struct fovea_fault *fault);
int pg_check_version(const struct backend *b, int64_t version, struct fovea_fault *fault);

/* A read of more than one statement, on one snapshot. Within begin and end it is a part of that. leave returns code, or what
 * came of it. */
int pg_read_enter(struct backend *b, struct fovea_fault *fault);
int pg_read_leave(struct backend *b, int code, struct fovea_fault *fault);

/* Released when it goes out of sight. */
struct pg_result {
    const struct pq_table *pq;
    PGresult *res;
};
void pg_result_done(struct pg_result *r);
#define auto_result cleanup(pg_result_done) struct pg_result
/* pg_ask that counts the rows: how many, or below 0. */
int pg_select(struct backend *b, const char *sql, const struct pg_value *values, size_t n, struct pg_result *ret,
              struct fovea_fault *fault);

/* postgres_write.c */
int pg_find_key(struct backend *b, int64_t id, const char *key, int64_t *ret_seq, struct fovea_fault *fault);
int pg_insert(struct backend *b, int64_t id, const struct backend_row *row, struct fovea_fault *fault);
int pg_mark(struct backend *b, int64_t id, int64_t seq, const char *name, size_t len, struct fovea_fault *fault);
int pg_use(struct backend *b, int64_t id, int64_t seq, const uint8_t *sha256, struct fovea_fault *fault);
int pg_put_blob(struct backend *b, const struct record_blob *blob, struct fovea_fault *fault);
int pg_put_variant(struct backend *b, const uint8_t *of, const char *spec, const struct backend_variant *v,
                   struct fovea_fault *fault);
int pg_drop_variant(struct backend *b, const uint8_t *of, const char *spec, const struct backend_variant *v,
                    struct fovea_fault *fault);
int pg_drop_unused(struct backend *b, const uint8_t *sha256, struct fovea_fault *fault);
int pg_drop_session(struct backend *b, int64_t id, struct fovea_fault *fault);
int pg_drop_made(struct backend *b, int64_t id, struct fovea_fault *fault);
int pg_set_head(struct backend *b, int64_t id, const struct record_point *last, struct fovea_fault *fault);

/* postgres_read.c */
int pg_head(struct backend *b, const char *session, struct backend_head *ret, struct fovea_fault *fault);
int pg_rows(struct backend *b, int64_t id, int64_t from, backend_each *each, void *arg, struct fovea_fault *fault);
int pg_blob(struct backend *b, const uint8_t *sha256, void **ret, size_t *ret_len, struct fovea_fault *fault);
int pg_variant(struct backend *b, const uint8_t *of, const char *spec, struct backend_variant *ret,
               struct fovea_fault *fault);
int pg_find_mark(struct backend *b, int64_t id, const char *mark, int64_t *ret_seq, struct fovea_fault *fault);
int pg_sessions(struct backend *b, const char *name, void (*tell)(const struct record_session *s, void *arg), void *arg,
                struct fovea_fault *fault);
/* A head from four columns of the one row: id, seq, hash, uses. */
void pg_read_head(const struct backend *b, const PGresult *res, int column, struct backend_head *ret);
/* A variant from six columns of a row. */
int pg_read_variant(struct backend *b, const PGresult *res, int row, int column, struct backend_variant *ret,
                    struct fovea_fault *fault);

/* postgres_check.c */
int pg_names(struct backend *b, backend_each_name *each, void *arg, struct fovea_fault *fault);
int pg_doubtful(struct backend *b, int64_t id, backend_each_name *each, void *arg, struct fovea_fault *fault);
int pg_made(struct backend *b, int64_t id, backend_each_made *each, void *arg, struct fovea_fault *fault);
int pg_blobs(struct backend *b, int64_t id, backend_each_blob *each, void *arg, struct fovea_fault *fault);
int pg_variants(struct backend *b, int64_t id, backend_each_variant *each, void *arg, struct fovea_fault *fault);
int pg_integrity(struct backend *b, void (*tell)(const char *words, void *arg), void *arg, struct fovea_fault *fault);

#endif
