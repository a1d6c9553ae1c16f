/* SPDX-License-Identifier: Apache-2.0 */
/* One SQLite file: opened when first needed, one connection behind one lock, statements prepared once. What the file holds
 * is a row of a table: struct store_kind. */
#ifndef FOVEA_STORE_H
#define FOVEA_STORE_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "fovea.h"

enum { STORE_STATEMENTS = 12 };

struct store_kind {
    const char *file;              /* "usage.db" */
    const char *where;             /* what the user is to set where there is no home */
    int busy_ms;                   /* waited for others, in other programs or threads, from store_enter to store_leave */
    bool rebuildable;              /* a damaged one is thrown away; otherwise it is a fault */
    int version;                   /* of what follows; kept in the file */
    const char *const *steps;      /* steps[v] makes version v + 1 of version v */
    const char *const *statements; /* at most STORE_STATEMENTS */
};

struct store {
    const struct store_kind *kind;
    pthread_mutex_t lock; /* of held alone, so that waiting for the rest can end */
    pthread_cond_t left;
    bool held;
    int64_t deadline;            /* of waiting, for whoever holds it */
    _Atomic int64_t brief_until; /* another program had it for too long just now: nobody waits long again */
    char *folder; /* NULL: no home */
    char *path;   /* of the open file, free of links */
    struct stat file;
    sqlite3 *db; /* NULL while not open */
    bool opened_to_write; /* by the system, when the file was opened */
    sqlite3_stmt *prepared[STORE_STATEMENTS];
};

/* -ENOMEM */
int store_init(struct store *s, const struct store_kind *kind, const char *folder);
void store_done(struct store *s);

/*
 * Locks and opens, and lets what follows wait for others for busy_ms in all: past that it is -EBUSY, here as later, and for
 * LIMIT_LEDGER_SHUN_MS from then on waits are brief. With make, a file that is not there is made; otherwise it is -ENOENT
 * without a word. store_leave is owed after 0 only. A file that was moved or removed meanwhile is left for the one that is
 * there now.
 */
int store_enter(struct store *s, bool make, struct fovea_fault *fault);
void store_leave(struct store *s);

/* What goes into a statement. */
struct store_value {
    enum { STORE_INT, STORE_TEXT, STORE_BLOB } type;
    int64_t n; /* the number, or the length of a blob */
    const void *data;
};
#define VALUE_INT(v) {STORE_INT, (v), NULL}
#define VALUE_TEXT(v) {STORE_TEXT, 0, (v)}
#define VALUE_BLOB(v, len) {STORE_BLOB, (len), (v)}

/* These return SQLite's codes. A prepared statement with its values, to be stepped and reset by the caller; the values must
 * live until then. */
int store_bind(struct store *s, unsigned statement, const struct store_value *values, size_t n, sqlite3_stmt **ret);
/* One that has no rows. */
int store_run(struct store *s, unsigned statement, const struct store_value *values, size_t n);
/* A transaction that writes; store_end commits when code is SQLITE_OK, else undoes all, and returns what came of it. */
int store_begin(struct store *s);
int store_end(struct store *s, int code);

/* The fault of a code of SQLite's. When it says that the file is damaged, one that can be rebuilt is removed. */
int store_fault(struct store *s, int code, struct fovea_fault *fault);

#endif
