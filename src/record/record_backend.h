/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a store must do for the record. record.c holds the lock around every call (a backend is used by one thread at a
 * time), computes hashes and judges chains; a backend moves rows. Functions return 0 or a negative errno with a sentence in
 * fault; -EHOSTDOWN alone means "the connection was lost; what was asked may or may not have happened", and record.c begins
 * the whole append or read again, for wait_ms in all (-EHOSTUNREACH of such a further try is one more of them).
 */
#ifndef FOVEA_RECORD_BACKEND_H
#define FOVEA_RECORD_BACKEND_H

#include "record/record.h"

struct backend; /* each has its own */

/* How the call that is going on may wait. The record's own; it changes from call to call. */
struct backend_wait {
    const fovea_cancel *cancel; /* may be NULL */
    int ms;
};

struct backend_head {
    int64_t id; /* of the session, never given to another; 0: there is none of that name */
    struct record_point last; /* seq 0 when there is no head, or one with a number that no entry has */
    int64_t uses;             /* how many rows its entries made, as noted with last */
};

/* A number that an entry, or a head, may have. */
static inline bool backend_is_seq(int64_t seq)
{
    return seq >= 0 && seq < INT64_MAX;
}

struct backend_row {
    int64_t seq;
    int64_t at_ms; /* when it was appended, by this machine's clock */
    uint8_t hash[SHA256_LEN];
    const char *key; /* NULL none: only the first entry of an append has one */
    const char *body;
    size_t len;
};
typedef int backend_each(const struct backend_row *row, void *arg); /* as record_each */

struct backend_variant {
    struct record_variant v;
    uint8_t seal[SHA256_LEN]; /* over all of it, blob and spec included: record.c makes and checks it */
};

/* What is made of entries: a mark, or else (mark NULL) a blob that is used, and whether that is stored. As record_each. */
struct backend_made {
    int64_t seq;
    const char *mark;
    size_t len;
    const uint8_t *use;
    bool there;
};
typedef int backend_each_made(const struct backend_made *m, void *arg);

/* As record_each. */
typedef int backend_each_blob(const struct record_blob *blob, void *arg);
typedef int backend_each_name(int64_t id, const char *name, void *arg);
/* there: its bytes are stored. */
typedef int backend_each_variant(const uint8_t *of, const char *spec, const struct backend_variant *v, bool there, void *arg);

struct backend_kind {
    const char *scheme; /* "sqlite:", "postgresql:" */

    /* Looks at options->where and keeps what it needs of options, and wait; touches neither file nor server yet. */
    int (*open)(const struct record_options *options, const struct backend_wait *wait, struct backend **ret,
                struct fovea_fault *fault);
    void (*close)(struct backend *b);

    /* A transaction that writes. begin takes the lease or what stands for it, makes the schema or brings it up to date, and
     * finds the session, locked against other writers; make: a new one is made where there is none (id is then its own).
     * session NULL: none is looked for. Without make nobody else writes meanwhile: what goes is used by no one.
     * end commits (durably) when code is 0, else undoes all; it returns code, or what
     * came of the commit. It is owed after begin returned 0 only. */
    int (*begin)(struct backend *b, const char *session, bool make, struct backend_head *ret, struct fovea_fault *fault);
    int (*end)(struct backend *b, int code, struct fovea_fault *fault);

    /* Within it. What is read within it (below) sees it. */
    int (*find_key)(struct backend *b, int64_t id, const char *key, int64_t *ret_seq, struct fovea_fault *fault); /* -ENOENT */
    int (*insert)(struct backend *b, int64_t id, const struct backend_row *row, struct fovea_fault *fault);
    int (*mark)(struct backend *b, int64_t id, int64_t seq, const char *name, size_t len, struct fovea_fault *fault); /* twice: 0 */
    /* Twice: 0. -ENOENT (without words): there is no such blob; the use is noted all the same. */
    int (*use)(struct backend *b, int64_t id, int64_t seq, const uint8_t *sha256, struct fovea_fault *fault);
    /* There already: 0; when other bytes are there under its name, they are replaced. */
    int (*put_blob)(struct backend *b, const struct record_blob *blob, struct fovea_fault *fault);
    int (*put_variant)(struct backend *b, const uint8_t *of, const char *spec, const struct backend_variant *v,
                       struct fovea_fault *fault); /* there already: 0, and it stays */
    /* The row alone, by spec, or else by v's seal; -ENOENT (without words). And a blob that no use and no variant names. */
    int (*drop_variant)(struct backend *b, const uint8_t *of, const char *spec, const struct backend_variant *v,
                        struct fovea_fault *fault);
    int (*drop_unused)(struct backend *b, const uint8_t *sha256, struct fovea_fault *fault);
    /* The session, and those of its blobs, their variants and the variants' blobs that nobody uses any more. */
    int (*drop_session)(struct backend *b, int64_t id, struct fovea_fault *fault);
    /* Head, marks and uses. id 0: of sessions that are not there; and whatever else the store can make anew (indexes). */
    int (*drop_made)(struct backend *b, int64_t id, struct fovea_fault *fault);
    int (*set_head)(struct backend *b, int64_t id, const struct record_point *last, struct fovea_fault *fault);

    /* Reading needs no lease; rows of one call are of one moment, in order of seq. Session not there: -ENOENT. A callback
     * uses nothing of the backend. */
    int (*head)(struct backend *b, const char *session, struct backend_head *ret, struct fovea_fault *fault);
    int (*rows)(struct backend *b, int64_t id, int64_t from, backend_each *each, void *arg, struct fovea_fault *fault);
    int (*blob)(struct backend *b, const uint8_t *sha256, void **ret, size_t *ret_len, struct fovea_fault *fault);
    int (*variant)(struct backend *b, const uint8_t *of, const char *spec, struct backend_variant *ret,
                   struct fovea_fault *fault);
    int (*find_mark)(struct backend *b, int64_t id, const char *mark, int64_t *ret_seq, struct fovea_fault *fault);
    /* Tells nothing when it returns -EHOSTDOWN: it is asked again. */
    int (*sessions)(struct backend *b, const char *name, void (*tell)(const struct record_session *s, void *arg), void *arg,
                    struct fovea_fault *fault);

    /* Sessions other than id whose uses may not be what their entries say: more or fewer than were noted, or of bytes that are
     * not there. */
    int (*doubtful)(struct backend *b, int64_t id, backend_each_name *each, void *arg, struct fovea_fault *fault);

    /* For checking. blobs, variants: id 0 all, else what that session uses. integrity: the store's own view of its
     * structure, one sentence for each fault. An empty store has none of anything: 0. */
    int (*names)(struct backend *b, backend_each_name *each, void *arg, struct fovea_fault *fault);
    int (*made)(struct backend *b, int64_t id, backend_each_made *each, void *arg, struct fovea_fault *fault);
    int (*blobs)(struct backend *b, int64_t id, backend_each_blob *each, void *arg, struct fovea_fault *fault);
    int (*variants)(struct backend *b, int64_t id, backend_each_variant *each, void *arg, struct fovea_fault *fault);
    int (*integrity)(struct backend *b, void (*tell)(const char *words, void *arg), void *arg, struct fovea_fault *fault);
};

extern const struct backend_kind backend_sqlite, backend_postgres;

#endif
