/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of the SQLite backend: prepared once, bound, stepped, reset; and what SQLite's codes mean. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/fault.h"
#include "base/home.h"
#include "base/limits.h"
#include "base/text.h"
#include "record/sqlite_priv.h"

static const struct {
    int code, error;
    const char *words;
} faults[] = {
    {SQLITE_BUSY, EBUSY, "is in use by another program for too long: try again"},
    {SQLITE_LOCKED, EBUSY, "is in use for too long: try again"},
    {SQLITE_INTERRUPT, EBUSY, "is in use for too long: try again"},
    {SQLITE_FULL, ENOSPC, "cannot grow: the disk is full; make room and try again"},
    {SQLITE_PERM, EACCES, "cannot be written: see to its permissions"},
    {SQLITE_READONLY, EACCES, "cannot be written: see to its permissions"},
    {SQLITE_CANTOPEN, EACCES, "cannot be opened: see to its permissions, and to its folder's"},
    {SQLITE_CORRUPT, EBADMSG, "is damaged: fsck says where"},
    {SQLITE_NOTADB, EBADMSG, "is damaged, or no record: move it away"},
    {SQLITE_ERROR, EBADMSG, "does not hold what it should: move it away"},
    {SQLITE_CONSTRAINT, EBADMSG, "is damaged: what is to be written is there already"},
    {SQLITE_TOOBIG, EFBIG, "cannot hold anything that large"},
};

int sq_fault_named(struct backend *b, int error, const char *words, struct fovea_fault *fault)
{
    auto_buf shown = BUF_INIT(KIB);
    (void)buf_add_shown(&shown, b->folder, 120);
    return fault_set(fault, error, "\"%s/%s\" %s", shown.data ? shown.data : "", b->name, words);
}

bool sq_forbids_writing(const struct backend *b)
{
    return b->db && b->opened_to_write && sqlite3_db_readonly(b->db, "main") == 1;
}

/* What the system said of the file, where SQLite only says that it failed. */
static int io_fault(struct backend *b, struct fovea_fault *fault)
{
    int now = errno, e = sqlite3_system_errno(b->db);
    if (!e)
        e = now; /* of a commit SQLite notes none; sq_leave_write saw to it that an older one is not taken for it */
    if (e == ENOSPC || e == EDQUOT || e == EFBIG)
        return sq_fault_named(b, ENOSPC, "cannot grow: the disk is full; make room and try again", fault);
    return sq_fault_named(b, EIO, "cannot be read or written: the disk or its driver failed", fault);
}

/* 0: that says nothing more. */
static int system_fault(struct backend *b, int error, struct fovea_fault *fault)
{
    if (error == EMFILE || error == ENFILE)
        return sq_fault_named(b, error, "cannot be opened: too many files are open; close some and try again", fault);
    return error == EIO ? io_fault(b, fault) : 0;
}

int sq_fault(struct backend *b, int code, struct fovea_fault *fault)
{
    int plain = code & 0xff, r = 0;
    if (plain == SQLITE_NOMEM)
        return fault_oom(fault);
    /* SQLite calls a file damaged that the disk would not read, and one forbidden that no descriptor was left for. */
    if ((plain == SQLITE_CORRUPT || plain == SQLITE_CANTOPEN) && b->db)
        r = system_fault(b, sqlite3_system_errno(b->db), fault);
    if (plain == SQLITE_READONLY && sq_forbids_writing(b))
        r = sq_fault_named(b, EBADMSG, SQ_FORBIDS_WRITING, fault);
    /* Where an open fails for a moment SQLite takes the file for one that may only be read, or not be opened, and does not say why. */
    if (r == 0 && (plain == SQLITE_READONLY || plain == SQLITE_CANTOPEN) && home_permits(b->folder, b->name))
        r = sq_fault_named(b, EIO, "cannot be opened for writing, though its permissions allow it: try again", fault);
    if ((plain == SQLITE_BUSY || plain == SQLITE_INTERRUPT) && cancel_struck(b->wait->cancel))
        return fault_cancelled(fault);
    for (size_t i = 0; r == 0 && i < COUNT(faults); i++)
        if (faults[i].code == plain)
            r = sq_fault_named(b, faults[i].error, faults[i].words, fault);
    if (r == 0)
        r = io_fault(b, fault);
    if (r != -EBUSY && !b->writing)
        sq_hang_up(b); /* what it holds in memory may not be what the disk holds */
    return r;
}

int sq_bind(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n, sqlite3_stmt **ret)
{
    sqlite3_stmt **st = &b->prepared[which];
    int code = *st ? SQLITE_OK : sqlite3_prepare_v3(b->db, sq_sql[which], -1, SQLITE_PREPARE_PERSISTENT, st, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < n; i++) {
        const struct sq_value *v = &values[i];
        int at = (int)i + 1;
        if (v->type == SQ_INT)
            code = sqlite3_bind_int64(*st, at, v->n);
        else if (v->type == SQ_TEXT)
            code = sqlite3_bind_text(*st, at, v->data, -1, SQLITE_STATIC);
        else
            code = sqlite3_bind_blob64(*st, at, v->n ? v->data : "", (sqlite3_uint64)v->n, SQLITE_STATIC);
    }
    if (code == SQLITE_OK)
        *ret = *st;
    return code;
}

int sq_run(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n)
{
    sqlite3_stmt *st;
    int code = sq_bind(b, which, values, n, &st);
    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(st);
    (void)sqlite3_reset(st);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int sq_each(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n, sq_row *each, void *arg,
            struct fovea_fault *fault)
{
    sqlite3_stmt *st;
    int r = 0, code = sq_bind(b, which, values, n, &st);
    if (code != SQLITE_OK)
        return sq_fault(b, code, fault);
    while (r == 0 && (code = sqlite3_step(st)) == SQLITE_ROW)
        r = each(st, arg);
    (void)sqlite3_reset(st);
    if (r == -ENOMEM)
        return fault_oom(fault);
    if (r)
        return r == 1 ? 0 : r;
    return code == SQLITE_DONE ? 0 : sq_fault(b, code, fault);
}

static int take_one(sqlite3_stmt *st, void *arg)
{
    *(int64_t *)arg = sqlite3_column_int64(st, 0);
    return 1;
}

int sq_one(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n, int64_t *ret,
           struct fovea_fault *fault)
{
    int64_t got = INT64_MIN;
    int r = sq_each(b, which, values, n, take_one, &got, fault);
    if (r < 0)
        return r;
    if (got == INT64_MIN)
        return -ENOENT;
    *ret = got;
    return 0;
}

int sq_hash(sqlite3_stmt *st, int column, uint8_t ret[static SHA256_LEN])
{
    const void *data = sqlite3_column_blob(st, column);
    int len = sqlite3_column_bytes(st, column);
    memset(ret, 0, SHA256_LEN);
    if (data && len == SHA256_LEN)
        memcpy(ret, data, SHA256_LEN);
    return data || !len ? 0 : -ENOMEM;
}
