/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of record/ that no backend sees share. */
#ifndef FOVEA_RECORD_PRIV_H
#define FOVEA_RECORD_PRIV_H

#include <pthread.h>
#include <string.h>

#include "record/record_backend.h"

struct record {
    const struct backend_kind *kind;
    struct backend *backend;
    record_derive *derive;
    struct backend_wait wait; /* its cancel is that of who holds the record */
    pthread_mutex_t lock;     /* of held alone, so that waiting for the rest can end */
    pthread_cond_t left;
    bool held;
};

/* One thread at a time. Waits for wait.ms at most: -EBUSY; -ECANCELED. record_leave is owed after 0. */
int record_enter(struct record *r, struct fovea_fault *fault);
void record_leave(struct record *r);

/* Tries of one call at a store whose connection gets lost. Starts as all zeros. */
struct record_tries {
    int64_t deadline;
    int pause_ms;
};
/* Is it to be tried again? Pauses before it says so. */
bool record_again(struct record *r, struct record_tries *t, int code);
/* What the caller gets of a call that ended with code: its fault says the same. */
int record_end(int code, struct fovea_fault *fault);

/* -EINVAL, with words. */
int record_check_name(const char *session, struct fovea_fault *fault);

/* The hash that an entry of session must have after one with the hash before; row->hash is not looked at. */
void record_hash(const uint8_t before[static SHA256_LEN], const char *session, const struct backend_row *row,
                 uint8_t ret[static SHA256_LEN]);

/* No entry that we write has one, and it would end what others take for a string. */
static inline bool record_has_nul(const char *body, size_t len)
{
    return len && memchr(body, '\0', len);
}

void record_seal(const uint8_t *of, const char *spec, const struct record_variant *v, uint8_t ret[static SHA256_LEN]);

/* Rows that follow one another, each checked. */
struct record_chain {
    const char *session;
    struct record_point *at; /* the last that was right */
    bool known;              /* *at itself was seen, or is before the first */
    struct fovea_fault *fault;
};
/* 0: it fits, and *at is there now. 1: it is the one at *at. -EBADMSG, -ESTALE. */
int record_chain_next(struct record_chain *c, const struct backend_row *row);

/* ---------------------------------------------------------------- what is made of entries */

/* A set of marks and uses as one number, whatever their order. */
struct record_print {
    uint64_t words[SHA256_LEN / sizeof(uint64_t)];
};
void record_print_mark(struct record_print *p, int64_t seq, const char *name, size_t len);
void record_print_use(struct record_print *p, int64_t seq, const uint8_t *sha256);

/* What derive says of an entry, each thing once. What derive returns, or -ENOMEM. */
int record_print_entry(struct record *r, const struct backend_row *row, struct record_print *p);

/* Makes head, marks and uses of a session anew. -EBADMSG when its entries are damaged: then nothing is changed. */
int record_rebuild(struct record *r, const char *session, struct fovea_fault *fault);

/* Within begin and end: makes sure of what the sessions other than id use, so that bytes may go that nobody does. -EBADMSG: one of
 * them is damaged, and it cannot be known. */
int record_settle_uses(struct record *r, int64_t id, struct fovea_fault *fault);

#endif
