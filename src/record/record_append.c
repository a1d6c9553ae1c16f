/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appending: all of it or nothing, and once, however often it is asked for under the same key. Entries, blobs and what is made
 * of them go in one transaction.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"
#include "record/record_priv.h"

enum { KEY_RANDOM = 16 };

static int check_key(const char *key, struct fovea_fault *fault)
{
    size_t n = strnlen(key, LIMIT_KEY_BYTES + 1);
    if (n < 1 || n > LIMIT_KEY_BYTES)
        return fault_set(fault, EINVAL, "an append key has 1 to %d bytes", LIMIT_KEY_BYTES);
    for (size_t i = 0; i < n; i++)
        if (key[i] < ' ' || key[i] > '~')
            return fault_set(fault, EINVAL, "an append key is made of letters, digits and signs of ASCII");
    return 0;
}

static int check_append(const struct record_append *a, struct fovea_fault *fault)
{
    int code = record_check_name(a->session, fault);
    if (code == 0 && a->key)
        code = check_key(a->key, fault);
    if (code < 0)
        return code;
    if (a->count < 1 || a->count > LIMIT_APPEND_ENTRIES)
        return fault_set(fault, EINVAL, "1 to %d entries are appended at once", LIMIT_APPEND_ENTRIES);
    for (size_t i = 0; i < a->count; i++) {
        if (a->entries[i].len > LIMIT_ENTRY_BYTES)
            return fault_set(fault, EFBIG, "entry %zu is larger than %llu bytes", i + 1, (unsigned long long)LIMIT_ENTRY_BYTES);
        if (record_has_nul(a->entries[i].body, a->entries[i].len))
            return fault_set(fault, EINVAL, "entry %zu holds a NUL byte", i + 1);
    }
    for (size_t i = 0; i < a->n_blobs; i++)
        if (a->blobs[i].len > LIMIT_BLOB_BYTES)
            return fault_set(fault, EFBIG, "blob %zu is larger than %llu bytes", i + 1, (unsigned long long)LIMIT_BLOB_BYTES);
    return 0;
}

static int make_key(char ret[static 2 * KEY_RANDOM + 1], struct fovea_fault *fault)
{
    uint8_t random[KEY_RANDOM];
    if (getrandom(random, sizeof random, 0) != sizeof random) /* never: the kernel gives so few whole */
        return fault_set(fault, EIO, "no random bytes to be had");
    for (size_t i = 0; i < sizeof random; i++)
        (void)snprintf(ret + 2 * i, 3, "%02x", random[i]);
    return 0;
}

/* ---------------------------------------------------------------- under a key that is there already */

struct same {
    const struct record_append *a;
    size_t seen;
    bool other;
};

/* An append ends where the next one, which has a key, begins. */
static int look_same(const struct backend_row *row, void *arg)
{
    struct same *s = arg;
    if (s->seen && row->key)
        return 1;
    if (s->seen == s->a->count) {
        s->other = true;
        return 1;
    }
    const struct record_new *e = &s->a->entries[s->seen++];
    s->other = e->len != row->len || (e->len && memcmp(e->body, row->body, e->len));
    return s->other;
}

static int give_again(struct record *r, const struct record_append *a, const char *key, int64_t id, int64_t first,
                      struct record_appended *ret, struct fovea_fault *fault)
{
    struct same s = {.a = a};
    int code = r->kind->rows(r->backend, id, first, look_same, &s, fault);
    if (code < 0)
        return code;
    if (s.other || s.seen != a->count)
        return fault_set(fault, EEXIST, "the key \"%s\" was used for other entries of session \"%s\"", key, a->session);
    *ret = (struct record_appended){.first = first, .last = first + (int64_t)a->count - 1, .again = true};
    return 0;
}

/* ---------------------------------------------------------------- new entries */

struct note {
    struct record_index index;
    struct record *r;
    int64_t id, seq;
    const char *session;
    struct fovea_fault *fault;
};

static int note_mark(struct record_index *i, const char *name, size_t len)
{
    struct note *n = (struct note *)i;
    if (len < 1 || len > LIMIT_MARK_BYTES)
        return fault_set(n->fault, EINVAL, "a mark has 1 to %d bytes", LIMIT_MARK_BYTES);
    return n->r->kind->mark(n->r->backend, n->id, n->seq, name, len, n->fault);
}

static int note_use(struct record_index *i, const uint8_t sha256[static SHA256_LEN])
{
    struct note *n = (struct note *)i;
    int code = n->r->kind->use(n->r->backend, n->id, n->seq, sha256, n->fault);
    char hex[SHA256_HEX_LEN + 1];
    sha256_hex(sha256, hex);
    return code == -ENOENT ? fault_set(n->fault, EINVAL, "entry %lld of session \"%s\" needs the bytes %.16s..., which were not given",
                                       (long long)n->seq, n->session, hex)
                           : code;
}

static int append_one(struct record *r, const struct record_append *a, size_t i, struct backend_head *head, int64_t now_ms,
                      const char *key, struct fovea_fault *fault)
{
    const struct record_new *e = &a->entries[i];
    struct backend_row row = {.seq = head->last.seq + 1, .at_ms = now_ms, .key = i ? NULL : key, .body = e->body, .len = e->len};
    struct note note = {{note_mark, note_use}, r, head->id, row.seq, a->session, fault};
    record_hash(head->last.hash, a->session, &row, row.hash);
    int code = r->kind->insert(r->backend, head->id, &row, fault);
    if (code == 0) {
        if (fault)
            fault->code = 0;
        code = r->derive(e->body, e->len, &note.index);
        if (code < 0 && fault && !fault->code)
            return fault_set(fault, code, "entry %zu cannot be indexed: %s", i + 1, strerror(-code));
    }
    head->last.seq = row.seq;
    memcpy(head->last.hash, row.hash, SHA256_LEN);
    return code;
}

/* Nothing is chained to a last entry that is not the one it should be: what follows would be lost with it. */
struct tail {
    const char *session;
    const struct record_point *last;
    struct record_point before; /* the one that the last was chained to */
    size_t seen;
    bool fits;
};

static int look_tail(const struct backend_row *row, void *arg)
{
    struct tail *t = arg;
    uint8_t hash[SHA256_LEN];
    if (row->seq == t->last->seq - 1) {
        t->before.seq = row->seq;
        memcpy(t->before.hash, row->hash, SHA256_LEN);
        return 0;
    }
    record_hash(t->before.hash, t->session, row, hash);
    t->fits = !t->seen++ && row->seq == t->last->seq && t->before.seq == row->seq - 1 &&
              !memcmp(hash, row->hash, SHA256_LEN) && !memcmp(hash, t->last->hash, SHA256_LEN);
    return !t->fits;
}

static int check_tail(struct record *r, const char *session, const struct backend_head *head, struct fovea_fault *fault)
{
    struct tail t = {.session = session, .last = &head->last, .fits = head->last.seq == 0};
    int code = r->kind->rows(r->backend, head->id, MAX(head->last.seq - 1, 1), look_tail, &t, fault);
    if (code == 0 && !t.fits)
        return fault_set(fault, EBADMSG, "session \"%s\" is damaged at its end, at entry %lld: fsck says how", session,
                         (long long)head->last.seq);
    return code;
}

static int by_hash(const void *a, const void *b)
{
    const struct record_blob *const *x = a, *const *y = b;
    return memcmp((*x)->sha256, (*y)->sha256, SHA256_LEN);
}

/* In one order everywhere: two writers with the same new bytes wait for each other in a row, and not in a ring. */
static int put_blobs(struct record *r, const struct record_append *a, struct fovea_fault *fault)
{
    auto_free const struct record_blob **sorted = calloc(a->n_blobs + 1, sizeof *sorted);
    if (!sorted)
        return fault_oom(fault);
    for (size_t i = 0; i < a->n_blobs; i++)
        sorted[i] = &a->blobs[i];
    qsort(sorted, a->n_blobs, sizeof *sorted, by_hash);
    int code = 0;
    for (size_t i = 0; code == 0 && i < a->n_blobs; i++)
        code = r->kind->put_blob(r->backend, sorted[i], fault);
    return code;
}

static int append_new(struct record *r, const struct record_append *a, const char *key, struct backend_head *head,
                      struct record_appended *ret, struct fovea_fault *fault)
{
    int64_t first = head->last.seq + 1, now_ms = clock_wall_ms();
    int code = check_tail(r, a->session, head, fault);
    if (code < 0)
        return code;
    if (a->after >= 0 && a->after != head->last.seq)
        return fault_set(fault, ESTALE, "the last entry of session \"%s\" is %lld, not %lld", a->session,
                         (long long)head->last.seq, (long long)a->after);
    code = put_blobs(r, a, fault);
    for (size_t i = 0; code == 0 && i < a->count; i++)
        code = append_one(r, a, i, head, now_ms, key, fault);
    if (code == 0)
        code = r->kind->set_head(r->backend, head->id, &head->last, fault);
    if (code == 0)
        *ret = (struct record_appended){.first = first, .last = head->last.seq};
    return code;
}

/* was_new: set when the key was not there. */
static int append_once(struct record *r, const struct record_append *a, const char *key, bool *was_new,
                       struct record_appended *ret, struct fovea_fault *fault)
{
    struct backend_head head = {0};
    struct record_appended done;
    int64_t first;
    int code = r->kind->begin(r->backend, a->session, true, &head, fault);
    if (code < 0)
        return code;
    code = r->kind->find_key(r->backend, head.id, key, &first, fault);
    *was_new |= code == -ENOENT;
    if (code == 0)
        code = give_again(r, a, key, head.id, first, &done, fault);
    else if (code == -ENOENT)
        code = append_new(r, a, key, &head, &done, fault);
    code = r->kind->end(r->backend, code, fault);
    if (code == 0)
        *ret = done;
    return code;
}

/* Where it may not be written, nobody was killed while writing it. */
int record_sync(struct record *r, struct fovea_fault *fault)
{
    struct record_tries tries = {0};
    int code = record_enter(r, fault);
    if (code < 0)
        return code;
    do {
        code = r->kind->begin(r->backend, NULL, true, NULL, fault);
        if (code == 0)
            code = r->kind->end(r->backend, 0, fault);
    } while (record_again(r, &tries, code));
    record_leave(r);
    return code == -EROFS || code == -EACCES ? 0 : record_end(code, fault);
}

int record_append(struct record *r, const struct record_append *a, struct record_appended *ret, struct fovea_fault *fault)
{
    char made[2 * KEY_RANDOM + 1];
    struct record_tries tries = {0};
    int code = check_append(a, fault);
    if (code == 0 && !a->key)
        code = make_key(made, fault);
    if (code < 0 || (code = record_enter(r, fault)) < 0)
        return code;
    bool was_new = false;
    do {
        code = append_once(r, a, a->key ? a->key : made, &was_new, ret, fault);
    } while (record_again(r, &tries, code));
    record_leave(r);
    if (code == 0 && was_new)
        ret->again = false; /* by nobody but ourselves, in a try whose answer was lost */
    return record_end(code, fault);
}
