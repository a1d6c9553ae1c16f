/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record: what was said and seen in each session, append-only, and bytes by their SHA-256. Two backends hold it, a SQLite
 * file and PostgreSQL; what they mean is written once, here and in record.c, and a backend is a row of functions
 * (record_backend.h). The record knows entries as bytes, none of them NUL. What they say is the business of transcript/.
 *
 * Facts are sessions, entries, blobs and variants. Everything else (heads, marks, uses) is made from them and can be made
 * again (record_check with repair).
 *
 * Entries of a session are numbered from 1 without gaps. Each carries a hash over the one before it, the session's name, its
 * number, the time it was appended at (at_ms), its key and its bytes, so that a change of any of them is seen: an entry that
 * does not fit is never given out.
 *
 * A struct record may be used by many threads. Faults, besides those named: -ENOMEM; -EBUSY another process writes and did
 * not end within wait_ms; -ENOSPC, -EIO and what else the system says; -EHOSTUNREACH, -EACCES of a server;
 * -ECANCELED; -EPROTO a record made by a newer fovea; -EBADMSG what is stored is damaged (the text names session and entry).
 */
#ifndef FOVEA_RECORD_H
#define FOVEA_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "base/sha256.h"
#include "fovea.h"

struct record;

struct record_options {
    const char *where;  /* config record.store: "sqlite:" (the usual file), "sqlite:/abs/file.db", "postgresql://..." */
    const char *folder; /* of the usual file: $XDG_STATE_HOME/fovea; "" where there is no home (a fault, -ENOENT) */
    record_derive *derive; /* never NULL */
    int wait_ms; /* for others that write, and for a server that fell silent; 0: LIMIT_RECORD_WAIT_MS */
};
/* Opens nothing yet: the first use does. -EINVAL: where is none of those; its text says what it may be. */
int record_open(const struct record_options *options, struct record **ret, struct fovea_fault *fault);
void record_close(struct record *r);

/* The cancel of the calls that this thread makes on r from now on: it ends their waits. NULL: none, as at first. It must live
 * until another one, or none, is set. */
void record_cancel(struct record *r, const fovea_cancel *cancel);

/* ---------------------------------------------------------------- appending */

struct record_blob {
    uint8_t sha256[SHA256_LEN]; /* of data; the caller computed it */
    const void *data;
    size_t len;
};

struct record_new {
    const char *body; /* an entry in the transcript's canonical form */
    size_t len;
};

struct record_append {
    const char *session; /* [A-Za-z0-9._-]{1,64}: -EINVAL otherwise; made when it is new */
    const char *key;     /* NULL: one is made. The same key again appends nothing and gives the entries that are there;
                            -EEXIST when they are others than these */
    const struct record_new *entries;
    size_t count; /* at least 1 */
    const struct record_blob *blobs;
    size_t n_blobs; /* one that is stored already, but damaged, is stored anew */
    int64_t after; /* -1: whatever is last; else the number that the last entry must have, 0 for none: -ESTALE otherwise */
};
struct record_appended {
    int64_t first, last;
    bool again; /* the key was known before this call, which appended nothing */
};
/* All of it or nothing, on disk when it returns 0. After -EIO, -ENOSPC and -EHOSTUNREACH it may be either: the same key again
 * says. -EINVAL: also an entry that derive refuses, or that uses bytes which neither the record has nor blobs gives; -EFBIG;
 * -EBADMSG: the session's end is damaged, so that nothing can be chained to it. A server that fell silent is asked again under the same key: exactly
 * once, whatever it did before. */
int record_append(struct record *r, const struct record_append *a, struct record_appended *ret, struct fovea_fault *fault);

/* ---------------------------------------------------------------- reading */

/* A place in a session: an entry and its hash. seq 0: before the first. */
struct record_point {
    int64_t seq;
    uint8_t hash[SHA256_LEN];
};

struct record_entry {
    struct record_point point;
    const char *key;
    const char *body; /* not NUL-terminated; lives until the callback returns */
    size_t len;
};
/* 0 to go on; 1 to stop (record_read then returns 0); below 0 to stop with that. Must not use r. */
typedef int record_each(const struct record_entry *e, void *arg);

/*
 * The entries after *at, in order, each checked against the one before it. *at moves along and is where it stopped, so that
 * the next call goes on from there. -ENOENT: no such session. -ESTALE: the entry at *at is not the one it was.
 * With at->seq > 0 and a hash of all zeros the entry there is believed.
 */
int record_read(struct record *r, const char *session, struct record_point *at, record_each *each, void *arg,
                struct fovea_fault *fault);

/* The bytes (the caller frees), checked. -ENOENT, -EBADMSG. */
int record_blob(struct record *r, const uint8_t sha256[static SHA256_LEN], void **ret, size_t *ret_len,
                struct fovea_fault *fault);

/* The last entry of the session with that mark; -ENOENT when there is none. */
int record_find(struct record *r, const char *session, const char *mark, int64_t *ret_seq, struct fovea_fault *fault);

/* Where the session ends now; seq 0 where there is none of that name. */
int record_last(struct record *r, const char *session, struct record_point *ret, struct fovea_fault *fault);

/* What was read is on disk when it returns 0, also where who wrote it was killed before it was. For those who say so of entries that
 * they found. */
int record_sync(struct record *r, struct fovea_fault *fault);

/* ---------------------------------------------------------------- variants */

/* Another version of a blob, made once to fit what a request needs, and kept: who comes later sends the same bytes. */
struct record_variant {
    uint8_t sha256[SHA256_LEN];
    char media_type[32];
    uint32_t width, height;
    int64_t bytes;
};
/* spec says what it was made for ("edge=2000;bytes=512000;webp=0"). -ENOENT when there is none yet; -EBADMSG: what is said of it
 * is damaged, and record_variant_keep replaces it. */
int record_variant(struct record *r, const uint8_t of[static SHA256_LEN], const char *spec, struct record_variant *ret,
                   struct fovea_fault *fault);
/* Keeps v and its bytes, unless another was kept meanwhile, and is whole; *ret is the one that holds. */
int record_variant_keep(struct record *r, const uint8_t of[static SHA256_LEN], const char *spec,
                        const struct record_variant *v, const void *data, struct record_variant *ret,
                        struct fovea_fault *fault);

/* ---------------------------------------------------------------- sessions */

struct record_session {
    const char *name;
    int64_t entries;
    int64_t created_ms, last_ms; /* when the first and the last entry were appended */
    int64_t bytes;               /* of entries */
    int64_t blobs, blob_bytes;   /* that they use, each counted once */
};
/* By name; name NULL: all, the latest first. -ENOENT: no session of that name (of all: never). */
int record_sessions(struct record *r, const char *name, void (*tell)(const struct record_session *s, void *arg), void *arg,
                    struct fovea_fault *fault);

/* Takes a session out, and the blobs and variants that no other session uses. -ENOENT. -EBADMSG: another session is damaged so
 * that it is not known what it uses. */
int record_delete(struct record *r, const char *session, struct fovea_fault *fault);

/* ---------------------------------------------------------------- checking */

struct record_problem {
    const char *session; /* "" when it is of none */
    int64_t seq;         /* 0 when it is of no entry */
    const char *what;    /* "its bytes are not those that were written", ... */
    bool repaired;
};
struct record_checked {
    int64_t sessions, entries, blobs, bytes;
    int64_t problems; /* that are left */
};
/*
 * Looks at every byte: the store's own structure, the chain of each entry, the hash of each blob, and what is made from them.
 * session NULL: all. repair: makes anew what can be made from facts, and takes out variants that are damaged. Damage in the middle
 * ends nothing: all that can be read is looked at.
 */
int record_check(struct record *r, const char *session, bool repair,
                 void (*tell)(const struct record_problem *p, void *arg), void *arg, struct record_checked *ret,
                 struct fovea_fault *fault);

#endif
