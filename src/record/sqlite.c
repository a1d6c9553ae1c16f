/* SPDX-License-Identifier: Apache-2.0 */
/* The record in a SQLite file: what is written, and the row of its functions. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "record/sqlite_priv.h"

/* ---------------------------------------------------------------- life */

static void sq_close(struct backend *b)
{
    sq_hang_up(b);
    close_fd(b->lease);
    free(b->folder);
    free(b->name);
    free(b);
}

/* Where it lies: the usual file in options->folder, or the one that is named. */
static int find_place(struct backend *b, const struct record_options *options, struct fovea_fault *fault)
{
    const char *file = options->where + strlen(backend_sqlite.scheme);
    const char *slash = strrchr(file, '/');
    if (*file && (*file != '/' || !slash[1]))
        return fault_set(fault, EINVAL, "record.store: \"sqlite:\" takes the absolute path of a file, as sqlite:/home/me/record.db");
    b->name = strdup(*file ? slash + 1 : "record.db");
    b->folder = *file ? strndup(file, (size_t)MAX(slash - file, 1)) : strdup(options->folder);
    return b->name && b->folder ? 0 : fault_oom(fault);
}

static int sq_open(const struct record_options *options, const struct backend_wait *wait, struct backend **ret,
                   struct fovea_fault *fault)
{
    struct backend *b = calloc(1, sizeof *b);
    if (!b)
        return fault_oom(fault);
    b->lease = -1;
    b->wait = wait;
    int r = find_place(b, options, fault);
    if (r < 0) {
        sq_close(b);
        return r;
    }
    *ret = b;
    return 0;
}

/* ---------------------------------------------------------------- writing */

static int run(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n, struct fovea_fault *fault)
{
    int code = sq_run(b, which, values, n);
    return code == SQLITE_OK ? 0 : sq_fault(b, code, fault);
}

static int sq_begin(struct backend *b, const char *session, bool make, struct backend_head *ret, struct fovea_fault *fault)
{
    struct backend_head head = {0};
    const struct sq_value values[] = {SQ_WORDS(session)};
    int r = sq_enter_write(b, fault);
    if (r < 0 || !session)
        return r;
    r = sq_find_head(b, session, &head, fault);
    if (r == 0 && !head.id && make) {
        r = run(b, SQ_NEW_SESSION, values, COUNT(values), fault);
        head.id = sqlite3_last_insert_rowid(b->db);
    }
    if (r < 0)
        return sq_leave_write(b, r, fault);
    *ret = head;
    return 0;
}

static int sq_find_key(struct backend *b, int64_t id, const char *key, int64_t *ret_seq, struct fovea_fault *fault)
{
    const struct sq_value values[] = {SQ_VALUE(id), SQ_WORDS(key)};
    return sq_one(b, SQ_FIND_KEY, values, COUNT(values), ret_seq, fault);
}

static int sq_insert(struct backend *b, int64_t id, const struct backend_row *row, struct fovea_fault *fault)
{
    const struct sq_value values[] = {SQ_VALUE(id),      SQ_VALUE(row->seq), SQ_VALUE(row->at_ms), SQ_DATA(row->hash, SHA256_LEN),
                                      SQ_WORDS(row->key), SQ_DATA(row->body, row->len)};
    return run(b, SQ_INSERT, values, COUNT(values), fault);
}

static int sq_mark(struct backend *b, int64_t id, int64_t seq, const char *name, size_t len, struct fovea_fault *fault)
{
    const struct sq_value values[] = {SQ_VALUE(id), SQ_DATA(name, len), SQ_VALUE(seq)};
    return run(b, SQ_MARK, values, COUNT(values), fault);
}

static int sq_use(struct backend *b, int64_t id, int64_t seq, const uint8_t *sha256, struct fovea_fault *fault)
{
    int64_t there;
    const struct sq_value values[] = {SQ_VALUE(id), SQ_VALUE(seq), SQ_DATA(sha256, SHA256_LEN)};
    int r = run(b, SQ_USE, values, COUNT(values), fault);
    return r < 0 ? r : sq_one(b, SQ_HAS_BLOB, &values[2], 1, &there, fault);
}

/* Looked at first: bytes that are there already, and right, are most. */
static int sq_put_blob(struct backend *b, const struct record_blob *blob, struct fovea_fault *fault)
{
    int64_t same = 0;
    const struct sq_value values[] = {SQ_DATA(blob->sha256, SHA256_LEN), SQ_DATA(blob->data, blob->len)};
    int r = sq_one(b, SQ_SAME_BLOB, values, COUNT(values), &same, fault);
    if (r == -EBADMSG)
        return sq_one(b, SQ_HAS_BLOB, values, 1, &same, fault); /* on pages that cannot be read: nothing here mends those */
    return r == -ENOENT || (r == 0 && !same) ? run(b, SQ_PUT_BLOB, values, COUNT(values), fault) : r;
}

static int sq_put_variant(struct backend *b, const uint8_t *of, const char *spec, const struct backend_variant *v,
                          struct fovea_fault *fault)
{
    const struct sq_value values[] = {SQ_DATA(of, SHA256_LEN),    SQ_WORDS(spec),        SQ_DATA(v->v.sha256, SHA256_LEN),
                                      SQ_WORDS(v->v.media_type), SQ_VALUE(v->v.width), SQ_VALUE(v->v.height),
                                      SQ_VALUE(v->v.bytes),      SQ_DATA(v->seal, SHA256_LEN)};
    return run(b, SQ_PUT_VARIANT, values, COUNT(values), fault);
}

static int sq_set_head(struct backend *b, int64_t id, const struct record_point *last, struct fovea_fault *fault)
{
    const struct sq_value values[] = {SQ_VALUE(id), SQ_VALUE(last->seq), SQ_DATA(last->hash, SHA256_LEN)};
    int r = run(b, SQ_NEW_HEAD, values, 1, fault);
    return r < 0 ? r : run(b, SQ_SET_HEAD, values, COUNT(values), fault);
}

/* ---------------------------------------------------------------- taking out */

static int run_all(struct backend *b, const enum sq_statement *which, size_t n, int64_t id, struct fovea_fault *fault)
{
    const struct sq_value values[] = {SQ_VALUE(id)};
    int r = 0;
    for (size_t i = 0; r == 0 && i < n; i++)
        r = run(b, which[i], values, COUNT(values), fault);
    return r;
}

static int sq_drop_made(struct backend *b, int64_t id, struct fovea_fault *fault)
{
    static const enum sq_statement which[] = {SQ_DROP_HEAD, SQ_DROP_MARKS, SQ_DROP_USES};
    if (id)
        return run_all(b, which, COUNT(which), id, fault);
    int code = sqlite3_exec(b->db, sq_strays, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : sq_fault(b, code, fault);
}

static int sq_drop_variant(struct backend *b, const uint8_t *of, const char *spec, const struct backend_variant *v,
                           struct fovea_fault *fault)
{
    const struct sq_value values[] = {SQ_DATA(of, SHA256_LEN), SQ_WORDS(spec), SQ_DATA(v->seal, SHA256_LEN)};
    int r = run(b, SQ_DROP_VARIANT, values, COUNT(values), fault);
    return r == 0 && !sqlite3_changes(b->db) ? -ENOENT : r;
}

static int sq_drop_unused(struct backend *b, const uint8_t *sha256, struct fovea_fault *fault)
{
    const struct sq_value values[] = {SQ_DATA(sha256, SHA256_LEN)};
    return run(b, SQ_DROP_UNUSED, values, COUNT(values), fault);
}

static int sq_drop_session(struct backend *b, int64_t id, struct fovea_fault *fault)
{
    static const enum sq_statement which[] = {SQ_GONE,      SQ_DROP_HEAD,    SQ_DROP_MARKS,
                                              SQ_DROP_USES, SQ_DROP_ENTRIES, SQ_DROP_SESSION};
    int code = sqlite3_exec(b->db, sq_gone_before, NULL, NULL, NULL);
    if (code != SQLITE_OK)
        return sq_fault(b, code, fault);
    int r = run_all(b, which, COUNT(which), id, fault);
    if (r < 0)
        return r;
    code = sqlite3_exec(b->db, sq_gone_after, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : sq_fault(b, code, fault);
}

const struct backend_kind backend_sqlite = {
    .scheme = "sqlite:",
    .open = sq_open,
    .close = sq_close,
    .begin = sq_begin,
    .end = sq_leave_write,
    .find_key = sq_find_key,
    .insert = sq_insert,
    .mark = sq_mark,
    .use = sq_use,
    .put_blob = sq_put_blob,
    .put_variant = sq_put_variant,
    .drop_variant = sq_drop_variant,
    .drop_unused = sq_drop_unused,
    .drop_session = sq_drop_session,
    .drop_made = sq_drop_made,
    .set_head = sq_set_head,
    .head = sq_head,
    .rows = sq_rows,
    .blob = sq_blob,
    .variant = sq_variant,
    .find_mark = sq_find_mark,
    .sessions = sq_sessions,
    .doubtful = sq_doubtful,
    .names = sq_names,
    .made = sq_made,
    .blobs = sq_blobs,
    .variants = sq_variants,
    .integrity = sq_integrity,
};
