/* SPDX-License-Identifier: Apache-2.0 */
/* What the SQLite backend reads: rows as they are stored. Whether they are right is for record.c to say. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "record/sqlite_priv.h"

/* What asks SQLite for text or bytes of a row and gets NULL has none, or has no memory to read them: the type tells. */
static bool is_null(sqlite3_stmt *st, int column)
{
    return sqlite3_column_type(st, column) == SQLITE_NULL;
}

/* Text of a row, "" where there is none. NULL: no memory to read it. */
static const char *text_of(sqlite3_stmt *st, int column)
{
    return is_null(st, column) ? "" : (const char *)sqlite3_column_text(st, column);
}

/* Bytes of a row, "" where there are none. NULL: no memory to read them. */
static const void *bytes_of(sqlite3_stmt *st, int column, size_t *ret_len)
{
    const void *data = sqlite3_column_blob(st, column);
    *ret_len = (size_t)sqlite3_column_bytes(st, column);
    return data || *ret_len ? data : "";
}

/* ---------------------------------------------------------------- sessions and rows */

static int take_head(sqlite3_stmt *st, void *arg)
{
    struct backend_head *head = arg;
    head->id = sqlite3_column_int64(st, 0);
    head->last.seq = sqlite3_column_int64(st, 1);
    head->uses = sqlite3_column_int64(st, 3);
    if (!backend_is_seq(head->last.seq))
        head->last.seq = 0;
    else if (sq_hash(st, 2, head->last.hash) < 0)
        return -ENOMEM;
    return 1;
}

/* id 0: there is none. */
int sq_find_head(struct backend *b, const char *session, struct backend_head *ret, struct fovea_fault *fault)
{
    struct backend_head head = {0};
    const struct sq_value values[] = {SQ_WORDS(session)};
    int r = sq_each(b, SQ_HEAD, values, COUNT(values), take_head, &head, fault);
    if (r == 0)
        *ret = head;
    return r;
}

int sq_head(struct backend *b, const char *session, struct backend_head *ret, struct fovea_fault *fault)
{
    struct backend_head head = {0};
    int r = sq_enter_read(b, fault);
    if (r == 0)
        r = sq_find_head(b, session, &head, fault);
    if (r < 0 || !head.id)
        return r < 0 ? r : -ENOENT;
    *ret = head;
    return 0;
}

struct giving {
    union {
        backend_each *row;
        backend_each_name *name;
        backend_each_made *made;
        backend_each_blob *blob;
        backend_each_variant *variant;
        void (*session)(const struct record_session *s, void *arg);
        void (*words)(const char *words, void *arg);
    } to;
    void *arg;
    bool any;
    struct fovea_fault *fault;
};

static int give_row(sqlite3_stmt *st, void *arg)
{
    const struct giving *g = arg;
    bool keyed = !is_null(st, 3);
    struct backend_row row = {.seq = sqlite3_column_int64(st, 0),
                              .at_ms = sqlite3_column_int64(st, 1),
                              .key = keyed ? text_of(st, 3) : NULL};
    if (!backend_is_seq(row.seq))
        return fault_set(g->fault, EBADMSG, "an entry has a number that is none");
    row.body = bytes_of(st, 4, &row.len);
    return sq_hash(st, 2, row.hash) == 0 && row.body && (row.key || !keyed) ? g->to.row(&row, g->arg) : -ENOMEM;
}

int sq_rows(struct backend *b, int64_t id, int64_t from, backend_each *each, void *arg, struct fovea_fault *fault)
{
    struct giving g = {.to.row = each, .arg = arg, .fault = fault};
    const struct sq_value values[] = {SQ_VALUE(id), SQ_VALUE(from)};
    int r = sq_enter_read(b, fault);
    if (r == 0)
        r = sq_each(b, SQ_ROWS, values, COUNT(values), give_row, &g, fault);
    return r;
}

int sq_find_mark(struct backend *b, int64_t id, const char *mark, int64_t *ret_seq, struct fovea_fault *fault)
{
    const struct sq_value values[] = {SQ_VALUE(id), SQ_DATA(mark, strlen(mark))};
    int r = sq_enter_read(b, fault);
    return r < 0 ? r : sq_one(b, SQ_FIND_MARK, values, COUNT(values), ret_seq, fault);
}

static int give_session(sqlite3_stmt *st, void *arg)
{
    struct giving *g = arg;
    struct record_session s = {.name = text_of(st, 0),
                               .entries = sqlite3_column_int64(st, 1),
                               .created_ms = sqlite3_column_int64(st, 2),
                               .last_ms = sqlite3_column_int64(st, 3),
                               .bytes = sqlite3_column_int64(st, 4),
                               .blobs = sqlite3_column_int64(st, 5),
                               .blob_bytes = sqlite3_column_int64(st, 6)};
    if (!s.name)
        return -ENOMEM;
    g->any = true;
    g->to.session(&s, g->arg);
    return 0;
}

int sq_sessions(struct backend *b, const char *name, void (*tell)(const struct record_session *s, void *arg), void *arg,
                struct fovea_fault *fault)
{
    struct giving g = {.to.session = tell, .arg = arg};
    const struct sq_value values[] = {SQ_WORDS(name)};
    int r = sq_enter_read(b, fault);
    if (r == 0)
        r = sq_each(b, SQ_SESSIONS, values, COUNT(values), give_session, &g, fault);
    return r == 0 && name && !g.any ? -ENOENT : r;
}

/* ---------------------------------------------------------------- blobs and variants */

struct bytes {
    void *data;
    size_t len;
};

static int take_bytes(sqlite3_stmt *st, void *arg)
{
    struct bytes *to = arg;
    const void *data = bytes_of(st, 0, &to->len);
    to->data = malloc(to->len + 1);
    if (!to->data || !data)
        return -ENOMEM;
    memcpy(to->data, data, to->len);
    return 1;
}

int sq_blob(struct backend *b, const uint8_t *sha256, void **ret, size_t *ret_len, struct fovea_fault *fault)
{
    struct bytes got = {0};
    const struct sq_value values[] = {SQ_DATA(sha256, SHA256_LEN)};
    int r = sq_enter_read(b, fault);
    if (r == 0)
        r = sq_each(b, SQ_BLOB, values, COUNT(values), take_bytes, &got, fault);
    if (r < 0 || !got.data) {
        free(got.data);
        return r < 0 ? r : -ENOENT;
    }
    *ret = got.data;
    *ret_len = got.len;
    return 0;
}

static int variant_of(sqlite3_stmt *st, struct backend_variant *ret)
{
    const char *type = text_of(st, 1);
    *ret = (struct backend_variant){.v = {.width = (uint32_t)sqlite3_column_int64(st, 2),
                                          .height = (uint32_t)sqlite3_column_int64(st, 3),
                                          .bytes = sqlite3_column_int64(st, 4)}};
    (void)snprintf(ret->v.media_type, sizeof ret->v.media_type, "%s", type ? type : "");
    return type && sq_hash(st, 0, ret->v.sha256) == 0 && sq_hash(st, 5, ret->seal) == 0 ? 0 : -ENOMEM;
}

struct found_variant {
    struct backend_variant v;
    bool found;
};

static int take_variant(sqlite3_stmt *st, void *arg)
{
    struct found_variant *to = arg;
    to->found = variant_of(st, &to->v) == 0;
    return to->found ? 1 : -ENOMEM;
}

int sq_variant(struct backend *b, const uint8_t *of, const char *spec, struct backend_variant *ret, struct fovea_fault *fault)
{
    struct found_variant got = {0};
    const struct sq_value values[] = {SQ_DATA(of, SHA256_LEN), SQ_WORDS(spec)};
    int r = sq_enter_read(b, fault);
    if (r == 0)
        r = sq_each(b, SQ_VARIANT, values, COUNT(values), take_variant, &got, fault);
    if (r < 0 || !got.found)
        return r < 0 ? r : -ENOENT;
    *ret = got.v;
    return 0;
}

/* ---------------------------------------------------------------- for checking */

/* An empty store has none of anything. */
static int give_all(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n, sq_row *each,
                    struct giving *g, struct fovea_fault *fault)
{
    int r = sq_enter_read(b, fault);
    if (r == 0)
        r = sq_each(b, which, values, n, each, g, fault);
    return r == -ENOENT ? 0 : r;
}

static int give_name(sqlite3_stmt *st, void *arg)
{
    const struct giving *g = arg;
    const char *name = text_of(st, 1);
    return name ? g->to.name(sqlite3_column_int64(st, 0), name, g->arg) : -ENOMEM;
}

int sq_names(struct backend *b, backend_each_name *each, void *arg, struct fovea_fault *fault)
{
    struct giving g = {.to.name = each, .arg = arg};
    return give_all(b, SQ_NAMES, NULL, 0, give_name, &g, fault);
}

int sq_doubtful(struct backend *b, int64_t id, backend_each_name *each, void *arg, struct fovea_fault *fault)
{
    struct giving g = {.to.name = each, .arg = arg};
    const struct sq_value values[] = {SQ_VALUE(id)};
    return give_all(b, SQ_DOUBTFUL, values, COUNT(values), give_name, &g, fault);
}

static int give_made(sqlite3_stmt *st, void *arg)
{
    const struct giving *g = arg;
    uint8_t use[SHA256_LEN];
    struct backend_made m = {.seq = sqlite3_column_int64(st, 0), .use = use, .there = sqlite3_column_int(st, 3)};
    bool none = is_null(st, 1);
    m.mark = none ? NULL : bytes_of(st, 1, &m.len);
    if ((!m.mark && !none) || sq_hash(st, 2, use) < 0)
        return -ENOMEM;
    return g->to.made(&m, g->arg);
}

int sq_made(struct backend *b, int64_t id, backend_each_made *each, void *arg, struct fovea_fault *fault)
{
    struct giving g = {.to.made = each, .arg = arg};
    const struct sq_value values[] = {SQ_VALUE(id)};
    return give_all(b, SQ_MADE, values, COUNT(values), give_made, &g, fault);
}

static int give_blob(sqlite3_stmt *st, void *arg)
{
    const struct giving *g = arg;
    struct record_blob blob;
    blob.data = bytes_of(st, 1, &blob.len);
    if (!blob.data || sq_hash(st, 0, blob.sha256) < 0)
        return -ENOMEM;
    return g->to.blob(&blob, g->arg);
}

int sq_blobs(struct backend *b, int64_t id, backend_each_blob *each, void *arg, struct fovea_fault *fault)
{
    struct giving g = {.to.blob = each, .arg = arg};
    const struct sq_value values[] = {SQ_VALUE(id)};
    return give_all(b, SQ_BLOBS, values, COUNT(values), give_blob, &g, fault);
}

static int give_variant(sqlite3_stmt *st, void *arg)
{
    const struct giving *g = arg;
    struct backend_variant v;
    uint8_t of[SHA256_LEN];
    const char *spec = text_of(st, 7);
    if (variant_of(st, &v) < 0 || !spec || sq_hash(st, 6, of) < 0)
        return -ENOMEM;
    return g->to.variant(of, spec, &v, sqlite3_column_int(st, 8), g->arg);
}

int sq_variants(struct backend *b, int64_t id, backend_each_variant *each, void *arg, struct fovea_fault *fault)
{
    struct giving g = {.to.variant = each, .arg = arg};
    const struct sq_value values[] = {SQ_VALUE(id)};
    return give_all(b, SQ_VARIANTS, values, COUNT(values), give_variant, &g, fault);
}

static int tell_integrity(void *arg, int n, char **values, char **names)
{
    const struct giving *g = arg;
    (void)n, (void)names;
    if (strcmp(values[0], "ok"))
        g->to.words(values[0], g->arg);
    return 0;
}

/* A row whose session is not there. */
static int tell_stray(void *arg, int n, char **values, char **names)
{
    const struct giving *g = arg;
    char words[128];
    (void)names;
    (void)snprintf(words, sizeof words, "a row of %s belongs to no session", n > 0 && values[0] ? values[0] : "a table");
    g->to.words(words, g->arg);
    return 0;
}

int sq_integrity(struct backend *b, void (*tell)(const char *words, void *arg), void *arg, struct fovea_fault *fault)
{
    struct giving g = {.to.words = tell, .arg = arg};
    int r = sq_enter_read(b, fault);
    if (r < 0)
        return r == -ENOENT ? 0 : r;
    int code = sqlite3_exec(b->db, "PRAGMA integrity_check", tell_integrity, &g, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(b->db, "PRAGMA foreign_key_check", tell_stray, &g, NULL);
    if (code == SQLITE_OK && sq_forbids_writing(b))
        tell("it " SQ_FORBIDS_WRITING, arg);
    return code == SQLITE_OK ? 0 : sq_fault(b, code, fault);
}
