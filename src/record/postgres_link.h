/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to a PostgreSQL server on which statements are sent ahead of their answers (a pipeline): an append costs a few
 * round trips however many rows it has. Every wait has its ceiling and ends when the cancel strikes. Whatever goes wrong with
 * the connection itself ends it, as does a cancel: the next use makes a new one.
 */
#ifndef FOVEA_POSTGRES_LINK_H
#define FOVEA_POSTGRES_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "fovea.h"
#include "record/postgres_lib.h"
#include "record/record_backend.h"

struct pg_link {
    const struct pq_table *pq; /* NULL: not loaded yet */
    PGconn *conn;              /* NULL: not connected */
    char *url;
    char *place;               /* "HOST/DATABASE", for words */
    char *secrets[2];          /* passwords in url: never in words */
    const struct backend_wait *wait;
    bool slow;                 /* what is asked goes through a whole record */
    int64_t deadline;          /* of the answer that is waited for */
    size_t received;           /* of it, about */
    size_t queued, queued_bytes;
};

/* A value of a statement; numbers are int8, bytes bytea, texts text. */
struct pg_value {
    Oid type;
    const void *data; /* NULL: the null value, unless a number */
    size_t len;
    int64_t number;
};
enum { PG_TYPE_BYTES = 17, PG_TYPE_NUMBER = 20, PG_TYPE_TEXT = 25 };
#define PG_NUMBER(n) {.type = PG_TYPE_NUMBER, .number = (n)}
#define PG_BYTES(p, n) {.type = PG_TYPE_BYTES, .data = (p), .len = (n)}
#define PG_TEXT(s) {.type = PG_TYPE_TEXT, .data = (s), .len = strlen(s)}
#define PG_VALUES(...) \
    (const struct pg_value[]){__VA_ARGS__}, sizeof((const struct pg_value[]){__VA_ARGS__}) / sizeof(struct pg_value)
#define PG_NONE NULL, 0

/* Only keeps them: the first connection looks at url. */
int pg_link_init(struct pg_link *l, const char *url, const struct backend_wait *wait, struct fovea_fault *fault);
void pg_link_done(struct pg_link *l);

/* Waits a while for a server that is starting. -EINVAL: the address is none; -ENOSYS: no libpq; -EHOSTUNREACH, -EACCES,
 * -ECANCELED. */
int pg_connect(struct pg_link *l, struct fovea_fault *fault);
void pg_hang_up(struct pg_link *l);

/* Queues one statement. Its fault may come from here, from a later one, or from pg_answer. */
int pg_send(struct pg_link *l, const char *sql, const struct pg_value *values, size_t n, struct fovea_fault *fault);
/* Waits for the answers to all that was queued. ret (may be NULL): of the last one; the caller clears it. */
int pg_answer(struct pg_link *l, PGresult **ret, struct fovea_fault *fault);
/* Both. */
int pg_ask(struct pg_link *l, const char *sql, const struct pg_value *values, size_t n, PGresult **ret,
           struct fovea_fault *fault);

/* The fault of an error that the server reported, and that of a connection that failed while it was made. There is one, good or
 * bad, in l->conn. */
int pg_fault(struct pg_link *l, const PGresult *res, struct fovea_fault *fault);
int pg_fault_connect(struct pg_link *l, struct fovea_fault *fault);
int pg_fault_lost(struct pg_link *l, struct fovea_fault *fault);
/* True of a server that said it will be there soon. */
bool pg_soon(const struct pg_link *l);

/* What is in a result. A number must be int8; another length, or null, is 0. */
int64_t pg_number(const struct pg_link *l, const PGresult *res, int row, int column);
/* False when it has not exactly len bytes. */
bool pg_copy(const struct pg_link *l, const PGresult *res, int row, int column, void *to, size_t len);
/* Its bytes, with a NUL after them; "" of null, and of what the server did not send. */
const char *pg_text(const struct pg_link *l, const PGresult *res, int row, int column);

#endif
