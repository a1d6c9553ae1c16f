/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the SQLite backend share. */
#ifndef FOVEA_RECORD_SQLITE_PRIV_H
#define FOVEA_RECORD_SQLITE_PRIV_H

#include <sqlite3.h>
#include <sys/stat.h>

#include "record/record_backend.h"

enum sq_statement {
    SQ_VERSION,
    SQ_HAS_TABLES,
    SQ_HEAD,
    SQ_NEW_SESSION,
    SQ_FIND_KEY,
    SQ_INSERT,
    SQ_MARK,
    SQ_USE,
    SQ_HAS_BLOB,
    SQ_SAME_BLOB,
    SQ_PUT_BLOB,
    SQ_PUT_VARIANT,
    SQ_NEW_HEAD,
    SQ_SET_HEAD,
    SQ_DROP_HEAD,
    SQ_DROP_VARIANT,
    SQ_DROP_UNUSED,
    SQ_DROP_MARKS,
    SQ_DROP_USES,
    SQ_DROP_ENTRIES,
    SQ_DROP_SESSION,
    SQ_GONE,
    SQ_ROWS,
    SQ_BLOB,
    SQ_VARIANT,
    SQ_FIND_MARK,
    SQ_SESSIONS,
    SQ_NAMES,
    SQ_DOUBTFUL,
    SQ_MADE,
    SQ_BLOBS,
    SQ_VARIANTS,
    SQ_STATEMENTS
};
extern const char *const sq_sql[SQ_STATEMENTS];

/* sq_steps[v] makes version v + 1 of version v. */
enum { SQ_VERSION_NOW = 1 };
extern const char *const sq_steps[SQ_VERSION_NOW];

/* Drops what is made of sessions that are not there, and makes all indexes anew. */
extern const char sq_strays[];
/* What nobody uses after a session is gone. */
extern const char sq_gone_before[], sq_gone_after[];

struct backend {
    char *folder; /* NULL: no home */
    char *name;   /* of the file in it */
    char *path;   /* of the open file, free of links */
    const struct backend_wait *wait;
    sqlite3 *db; /* NULL while not open */
    struct stat file;
    bool read_only;
    bool opened_to_write; /* by the system, when the file was opened */
    bool writing;
    bool unsure;      /* the log may hold what its writer did not live to sync */
    int lease;        /* its descriptor, or -1 */
    int64_t deadline; /* of waiting, for this call */
    int log_pages;    /* of the log after the last commit */
    sqlite3_stmt *prepared[SQ_STATEMENTS];
};

/* The open file, with its version known. For reading, -ENOENT (without words) when there is none, or nothing in it yet. */
int sq_enter_read(struct backend *b, struct fovea_fault *fault);
/* For writing: makes what is missing, waits for the lease, and begins a transaction with the schema up to date. */
int sq_enter_write(struct backend *b, struct fovea_fault *fault);
/* Commits when code is 0, else undoes; lets go of the lease. */
int sq_leave_write(struct backend *b, int code, struct fovea_fault *fault);
void sq_hang_up(struct backend *b);

/* One writer, of all processes and all connections: see sqlite_lease.c. */
int sq_lease_take(struct backend *b, int folder, struct fovea_fault *fault);
void sq_lease_drop(struct backend *b);

/* Faults of SQLite's codes, and of errno values. */
int sq_fault(struct backend *b, int code, struct fovea_fault *fault);
int sq_fault_named(struct backend *b, int error, const char *words, struct fovea_fault *fault);
/* The file's own head says that it may only be read: no SQLite that there is writes that. Seen where the system lets it be written. */
#define SQ_FORBIDS_WRITING "is damaged: its own head forbids writing; export what is in it, and move it away"
bool sq_forbids_writing(const struct backend *b);

/* What goes into a statement. */
struct sq_value {
    enum { SQ_INT, SQ_TEXT, SQ_BYTES } type;
    int64_t n; /* the number, or the length of bytes */
    const void *data;
};
#define SQ_VALUE(v) {SQ_INT, (v), NULL}
#define SQ_WORDS(v) {SQ_TEXT, 0, (v)} /* NULL: null */
#define SQ_DATA(v, len) {SQ_BYTES, (int64_t)(len), (v)}

/* A prepared statement with its values, which must live until it is reset. SQLite's codes. */
int sq_bind(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n, sqlite3_stmt **ret);
/* One that gives no rows. */
int sq_run(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n);

/* For each row; what each returns is as with record_each. 0 or a negative errno. */
typedef int sq_row(sqlite3_stmt *st, void *arg);
int sq_each(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n, sq_row *each, void *arg,
            struct fovea_fault *fault);
/* One number: -ENOENT (without words) when there is no row. */
int sq_one(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n, int64_t *ret,
           struct fovea_fault *fault);

/* A hash as stored; all zeros when it is none. -ENOMEM when there is no memory to read it. */
int sq_hash(sqlite3_stmt *st, int column, uint8_t ret[static SHA256_LEN]);

/* The functions of the backend that only read. */
int sq_head(struct backend *b, const char *session, struct backend_head *ret, struct fovea_fault *fault);
int sq_find_head(struct backend *b, const char *session, struct backend_head *ret, struct fovea_fault *fault);
int sq_rows(struct backend *b, int64_t id, int64_t from, backend_each *each, void *arg, struct fovea_fault *fault);
int sq_blob(struct backend *b, const uint8_t *sha256, void **ret, size_t *ret_len, struct fovea_fault *fault);
int sq_variant(struct backend *b, const uint8_t *of, const char *spec, struct backend_variant *ret, struct fovea_fault *fault);
int sq_find_mark(struct backend *b, int64_t id, const char *mark, int64_t *ret_seq, struct fovea_fault *fault);
int sq_sessions(struct backend *b, const char *name, void (*tell)(const struct record_session *s, void *arg), void *arg,
                struct fovea_fault *fault);
int sq_names(struct backend *b, backend_each_name *each, void *arg, struct fovea_fault *fault);
int sq_doubtful(struct backend *b, int64_t id, backend_each_name *each, void *arg, struct fovea_fault *fault);
int sq_made(struct backend *b, int64_t id, backend_each_made *each, void *arg, struct fovea_fault *fault);
int sq_blobs(struct backend *b, int64_t id, backend_each_blob *each, void *arg, struct fovea_fault *fault);
int sq_variants(struct backend *b, int64_t id, backend_each_variant *each, void *arg, struct fovea_fault *fault);
int sq_integrity(struct backend *b, void (*tell)(const char *words, void *arg), void *arg, struct fovea_fault *fault);

#endif
