/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store that fails: a layer over the SQLite backend. At its n-th call it says an error instead of doing what it was asked (or after
 * it has done it: the answer was lost), that once or from then on; or something else happens just before that call.
 */
#ifndef FOVEA_FAULT_STORE_H
#define FOVEA_FAULT_STORE_H

#include <errno.h>
#include <string.h>

#include "base/fault.h"
#include "record/record_priv.h"

static struct {
    long at, count; /* at 0: it only counts */
    int code, then; /* then: from the second time on; 0: the same */
    bool late, forever;
    long every; /* forever: but only each so many-th call; 0: each */
    int64_t bad_to, odd_from; /* rows before bad_to cannot be read; from odd_from on others write */
    bool writing; /* between begin and end: nobody else can write */
    void (*meanwhile)(void *arg);
    void *arg;
} fault_store;

/* Below 0: what this call is to say. A store says that nothing is there only where it is asked for something
 * (within begin and end a session is there). */
static inline int store_turn(bool asked)
{
    long n = ++fault_store.count;
    if (!fault_store.at || n < fault_store.at || (n > fault_store.at && !fault_store.forever))
        return 0;
    if (fault_store.meanwhile && n == fault_store.at && !fault_store.writing)
        fault_store.meanwhile(fault_store.arg);
    if (fault_store.every && (n - fault_store.at) % fault_store.every)
        return 0;
    int code = fault_store.then && n > fault_store.at ? fault_store.then : fault_store.code;
    return code == -ENOENT && !asked ? 0 : code;
}

static inline int store_say(int code, struct fovea_fault *fault)
{
    return code == -ENOENT ? code : fault_set(fault, code, "the store said %s", strerror(-code));
}

#define STORE_CALL(name, asked, params, ...)                                                \
    static inline int fault_##name params                                                   \
    {                                                                                       \
        int code = store_turn(asked);                                                       \
        int done = code < 0 && !fault_store.late ? 0 : backend_sqlite.name(__VA_ARGS__);    \
        return code < 0 ? store_say(code, fault) : done;                                    \
    }

static inline int fault_begin(struct backend *b, const char *session, bool make, struct backend_head *ret, struct fovea_fault *fault)
{
    int code = store_turn(false);
    if (code < 0)
        return store_say(code, fault);
    int done = backend_sqlite.begin(b, session, make, ret, fault);
    fault_store.writing = done == 0;
    return done;
}

/* Undone, or done and not told. */
static inline int fault_end(struct backend *b, int was, struct fovea_fault *fault)
{
    int code = store_turn(false);
    int done = backend_sqlite.end(b, was == 0 && code < 0 && !fault_store.late ? -EIO : was, fault);
    fault_store.writing = false;
    return code < 0 && was == 0 ? store_say(code, fault) : done;
}

static inline int fault_blob(struct backend *b, const uint8_t *sha256, void **ret, size_t *ret_len, struct fovea_fault *fault)
{
    int code = store_turn(true);
    return code < 0 ? store_say(code, fault) : backend_sqlite.blob(b, sha256, ret, ret_len, fault);
}

#define STORE_IN struct backend *b, int64_t id
STORE_CALL(find_key, true, (STORE_IN, const char *key, int64_t *ret, struct fovea_fault *fault), b, id, key, ret, fault)
STORE_CALL(insert, false, (STORE_IN, const struct backend_row *row, struct fovea_fault *fault), b, id, row, fault)
STORE_CALL(mark, false, (STORE_IN, int64_t seq, const char *name, size_t len, struct fovea_fault *fault), b, id, seq, name, len, fault)
STORE_CALL(use, true, (STORE_IN, int64_t seq, const uint8_t *sha256, struct fovea_fault *fault), b, id, seq, sha256, fault)
STORE_CALL(put_blob, false, (struct backend * b, const struct record_blob *blob, struct fovea_fault *fault), b, blob, fault)
STORE_CALL(put_variant, false,
           (struct backend * b, const uint8_t *of, const char *spec, const struct backend_variant *v, struct fovea_fault *fault), b,
           of, spec, v, fault)
STORE_CALL(drop_variant, true,
           (struct backend * b, const uint8_t *of, const char *spec, const struct backend_variant *v, struct fovea_fault *fault), b,
           of, spec, v, fault)
STORE_CALL(drop_unused, false, (struct backend * b, const uint8_t *sha256, struct fovea_fault *fault), b, sha256, fault)
STORE_CALL(drop_session, false, (STORE_IN, struct fovea_fault *fault), b, id, fault)
STORE_CALL(drop_made, false, (STORE_IN, struct fovea_fault *fault), b, id, fault)
STORE_CALL(set_head, false, (STORE_IN, const struct record_point *last, struct fovea_fault *fault), b, id, last, fault)
STORE_CALL(head, !fault_store.writing, (struct backend * b, const char *session, struct backend_head *ret, struct fovea_fault *fault), b, session, ret,
           fault)
STORE_CALL(variant, true,
           (struct backend * b, const uint8_t *of, const char *spec, struct backend_variant *ret, struct fovea_fault *fault), b, of,
           spec, ret, fault)
STORE_CALL(find_mark, true, (STORE_IN, const char *mark, int64_t *ret, struct fovea_fault *fault), b, id, mark, ret, fault)
STORE_CALL(doubtful, false, (STORE_IN, backend_each_name *each, void *arg, struct fovea_fault *fault), b, id, each, arg, fault)
STORE_CALL(names, false, (struct backend * b, backend_each_name *each, void *arg, struct fovea_fault *fault), b, each, arg, fault)
STORE_CALL(made, false, (STORE_IN, backend_each_made *each, void *arg, struct fovea_fault *fault), b, id, each, arg, fault)
STORE_CALL(blobs, false, (STORE_IN, backend_each_blob *each, void *arg, struct fovea_fault *fault), b, id, each, arg, fault)
STORE_CALL(variants, false, (STORE_IN, backend_each_variant *each, void *arg, struct fovea_fault *fault), b, id, each, arg, fault)
STORE_CALL(integrity, false, (struct backend * b, void (*tell)(const char *words, void *arg), void *arg, struct fovea_fault *fault), b,
           tell, arg, fault)

static inline int fault_rows(STORE_IN, int64_t from, backend_each *each, void *arg, struct fovea_fault *fault)
{
    int code = store_turn(!fault_store.writing);
    if (from == fault_store.odd_from)
        code = -EBUSY;
    else if (from < fault_store.bad_to)
        code = from % 2 ? -EBADMSG : -EIO;
    int done = code < 0 && !fault_store.late ? 0 : backend_sqlite.rows(b, id, from, each, arg, fault);
    return code < 0 ? store_say(code, fault) : done;
}

/* Who is asked again would tell a session twice: a lost connection tells of none. */
static inline int fault_sessions(struct backend *b, const char *name, void (*tell)(const struct record_session *s, void *arg), void *arg,
                                 struct fovea_fault *fault)
{
    int code = store_turn(true);
    return code < 0 ? store_say(code, fault) : backend_sqlite.sessions(b, name, tell, arg, fault);
}

/* From now on r's store is one that fails. */
static inline void fault_store_under(struct record *r)
{
    static struct backend_kind kind;
    kind = backend_sqlite;
#define STORE_TAKE(name) kind.name = fault_##name
    STORE_TAKE(begin), STORE_TAKE(end), STORE_TAKE(find_key), STORE_TAKE(insert), STORE_TAKE(mark), STORE_TAKE(use);
    STORE_TAKE(put_blob), STORE_TAKE(put_variant), STORE_TAKE(drop_variant), STORE_TAKE(drop_unused), STORE_TAKE(drop_session);
    STORE_TAKE(drop_made), STORE_TAKE(set_head), STORE_TAKE(head), STORE_TAKE(rows), STORE_TAKE(blob), STORE_TAKE(variant);
    STORE_TAKE(find_mark), STORE_TAKE(sessions), STORE_TAKE(doubtful), STORE_TAKE(names), STORE_TAKE(made), STORE_TAKE(blobs);
    STORE_TAKE(variants), STORE_TAKE(integrity);
    r->kind = &kind;
}

static inline void fault_store_heal(void)
{
    memset(&fault_store, 0, sizeof fault_store);
    fault_store.odd_from = -1;
    fault_store.bad_to = INT64_MIN;
}

#endif
