/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SQLite file of the record: opened when first needed, and the transactions on it. The log (WAL) stays between runs and is
 * folded in only by who holds the lease (sqlite_lease.c): a connection that only reads never checkpoints, not even when it is
 * the last to close. A connection that met an I/O error is closed, so that the next call begins with what the disk holds.
 *
 * Where the folder cannot be written, reading works from a log and its index that are there already, and on a read-only file
 * system also without them. It does not work where SQLite would have to make them.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/buf.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/home.h"
#include "base/limits.h"
#include "record/sqlite_priv.h"

enum { STEPS_A_LOOK = 100000 }; /* of SQLite's machine, between two looks at the cancel: some milliseconds */

void sq_hang_up(struct backend *b)
{
    for (size_t i = 0; i < SQ_STATEMENTS; i++)
        (void)sqlite3_finalize(take(b->prepared[i]));
    (void)sqlite3_close(take(b->db));
    free(take(b->path));
}

/* SQLite's own waits would add up, one for each statement. */
static int wait_for_others(void *arg, int times)
{
    static const struct timespec nap = {.tv_nsec = LIMIT_RECORD_NAP_US * 1000};
    const struct backend *b = arg;
    (void)times;
    if (!clock_left(b->deadline) || cancel_struck(b->wait->cancel))
        return 0;
    (void)nanosleep(&nap, NULL);
    return 1;
}

/* What goes through a whole file looks at the cancel now and then. */
static int is_struck(void *arg)
{
    const struct backend *b = arg;
    return cancel_struck(b->wait->cancel);
}

static int note_pages(void *arg, sqlite3 *db, const char *name, int pages)
{
    struct backend *b = arg;
    (void)db, (void)name;
    b->log_pages = pages;
    b->unsure = false; /* a commit syncs all of the log */
    return SQLITE_OK;
}

/* ---------------------------------------------------------------- opening */

/* On a read-only file system nobody changes the file: SQLite may then read it without a log. */
static int immutable_uri(const char *path, struct buf *ret)
{
    (void)buf_add_str(ret, "file:");
    for (const char *p = path; *p; p++)
        (void)(isalnum((unsigned char)*p) || *p == '/' ? buf_add(ret, p, 1)
                                                       : buf_add_format(ret, "%%%02x", (unsigned char)*p));
    return buf_add_str(ret, "?immutable=1");
}

static bool log_is_there(int folder, const char *name)
{
    auto_free char *log = NULL;
    struct stat st;
    return asprintf(&log, "%s-wal", name) >= 0 && fstatat(folder, log, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int connect_file(struct backend *b, int folder)
{
    auto_buf uri = BUF_INIT(4 * LIMIT_PATH_BYTES);
    int denied = faccessat(folder, ".", W_OK, AT_EACCESS) < 0 ? errno : 0;
    bool fixed = denied == EROFS && !log_is_there(folder, b->name);
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE | (fixed ? SQLITE_OPEN_URI : 0);
    b->read_only = denied != 0;
    if (fixed && immutable_uri(b->path, &uri) < 0)
        return SQLITE_NOMEM;
    int code = sqlite3_open_v2(fixed ? uri.data : b->path, &b->db,
                               flags | (b->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE), NULL);
    if (code != SQLITE_OK)
        return code;
    b->opened_to_write = !sqlite3_db_readonly(b->db, "main"); /* nothing of it is read yet */
    (void)sqlite3_busy_handler(b->db, wait_for_others, b);
    sqlite3_progress_handler(b->db, STEPS_A_LOOK, is_struck, b);
    (void)sqlite3_db_config(b->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(b->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(b->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    (void)sqlite3_wal_hook(b->db, note_pages, b); /* instead of SQLite's own, which checkpoints */
    return sqlite3_exec(b->db, "PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
}

static bool is_current(const struct backend *b)
{
    struct stat now;
    return b->db && lstat(b->path, &now) == 0 && now.st_ino == b->file.st_ino && now.st_dev == b->file.st_dev;
}

static int open_file(struct backend *b, int folder, bool make, struct fovea_fault *fault)
{
    auto_buf path = BUF_INIT(2 * LIMIT_PATH_BYTES);
    sq_hang_up(b);
    int r = home_file(folder, b->name, make, b->deadline, &b->file);
    if (r == -ENOENT && !make)
        return r;
    if (r < 0)
        return sq_fault_named(b, r, r == -EPERM ? "is no file of yours: move it away" : strerror(-r), fault);
    auto_free char *where = canonicalize_file_name(b->folder);
    if (!where && errno != ENOMEM)
        return sq_fault_named(b, errno, strerror(errno), fault);
    if (!where || buf_add_format(&path, "%s/%s", where, b->name) < 0 || !(b->path = buf_take(&path)))
        return fault_oom(fault);
    int code = connect_file(b, folder);
    b->unsure = true;
    return code == SQLITE_OK ? 0 : sq_fault(b, code, fault);
}

static int open_folder(struct backend *b, bool make, int *ret, struct fovea_fault *fault)
{
    b->deadline = clock_ms() + b->wait->ms;
    if (!*b->folder)
        return make ? fault_set(fault, ENOENT, "no place for the record: set HOME or XDG_STATE_HOME") : -ENOENT;
    return home_open(b->folder, make, ret, fault);
}

/* ---------------------------------------------------------------- versions */

/* 0 is that of a file in which nothing is yet, and of no other. */
static int read_version(struct backend *b, int64_t *ret, struct fovea_fault *fault)
{
    int64_t version, tables;
    int r = sq_one(b, SQ_VERSION, NULL, 0, &version, fault);
    if (r < 0)
        return r;
    if (version > SQ_VERSION_NOW)
        return sq_fault_named(b, EPROTO, "was made by a newer fovea: use that one", fault);
    if (version == 0 && (r = sq_one(b, SQ_HAS_TABLES, NULL, 0, &tables, fault)) < 0 && r != -ENOENT)
        return r;
    /* Another process may have made them between the two looks. */
    if (version == 0 && r == 0 && (r = sq_one(b, SQ_VERSION, NULL, 0, &version, fault)) < 0)
        return r;
    if (version < 0 || (version == 0 && r == 0))
        return sq_fault_named(b, EBADMSG, "is damaged: its version is none that there was", fault);
    *ret = version;
    return 0;
}

/* From whatever version it has to ours, within a transaction. */
static int raise_version(struct backend *b, struct fovea_fault *fault)
{
    char words[48];
    int64_t now = 0;
    int r = read_version(b, &now, fault), code = SQLITE_OK;
    if (r < 0 || now == SQ_VERSION_NOW)
        return r;
    for (; code == SQLITE_OK && now < SQ_VERSION_NOW; now++)
        code = sqlite3_exec(b->db, sq_steps[now], NULL, NULL, NULL);
    (void)snprintf(words, sizeof words, "PRAGMA user_version = %d", SQ_VERSION_NOW);
    if (code == SQLITE_OK)
        code = sqlite3_exec(b->db, words, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : sq_fault(b, code, fault);
}

/* What must be set before the first table, and outside of any transaction. The file's name, and those of its folders, must be on disk
 * before its first entry is. */
static int begin_file(struct backend *b, int folder, struct fovea_fault *fault)
{
    int64_t now = 0;
    int r = read_version(b, &now, fault);
    if (r < 0 || now > 0)
        return r;
    if ((r = home_sync(folder)) < 0)
        return sq_fault_named(b, r, "cannot be made: its folder cannot be written", fault);
    int code = sqlite3_exec(b->db, "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : sq_fault(b, code, fault);
}

/* ---------------------------------------------------------------- entering and leaving */

static int begin_write(struct backend *b, int folder, struct fovea_fault *fault)
{
    int r = is_current(b) && !b->read_only ? 0 : open_file(b, folder, true, fault);
    if (r < 0)
        return r;
    if (b->read_only)
        return sq_fault_named(b, EROFS, "cannot be written: see to its folder", fault);
    r = begin_file(b, folder, fault);
    if (r < 0)
        return r;
    int code = sqlite3_exec(b->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (code != SQLITE_OK)
        return sq_fault(b, code, fault);
    b->writing = true;
    r = raise_version(b, fault);
    return r < 0 ? sq_leave_write(b, r, fault) : 0;
}

int sq_enter_write(struct backend *b, struct fovea_fault *fault)
{
    auto_close int folder = -1;
    int r = open_folder(b, true, &folder, fault);
    if (r == 0)
        r = sq_lease_take(b, folder, fault);
    if (r < 0)
        return r;
    r = begin_write(b, folder, fault);
    if (r < 0)
        sq_lease_drop(b);
    return r;
}

/* Folds a long log in and empties it, as far as readers let it without waiting for them. That it fails takes nothing back:
 * what was committed is in the log. */
static void fold_log(struct backend *b)
{
    if (b->log_pages < LIMIT_RECORD_PAGES)
        return;
    (void)sqlite3_busy_handler(b->db, NULL, NULL);
    (void)sqlite3_wal_checkpoint_v2(b->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    (void)sqlite3_busy_handler(b->db, wait_for_others, b);
}

/* A log that was found may hold commits that are there only for as long as the power is: who wrote them was killed before they were
 * on disk. Something may be said of them only after this: that they are there already, under that key. */
static int sync_log(struct backend *b)
{
    sqlite3_file *log = NULL;
    int code = sqlite3_file_control(b->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code == SQLITE_OK && log && log->pMethods)
        code = log->pMethods->xSync(log, SQLITE_SYNC_FULL);
    b->unsure = code != SQLITE_OK;
    return code;
}

int sq_leave_write(struct backend *b, int r, struct fovea_fault *fault)
{
    assert(b->db); /* it is not closed while it is written */
    if (r == 0) {
        errno = 0;
        int code = sqlite3_exec(b->db, "COMMIT", NULL, NULL, NULL);
        if (code == SQLITE_OK && b->unsure)
            code = sync_log(b); /* nothing was written: it was all there */
        if (code == SQLITE_OK)
            fold_log(b);
        else
            r = sq_fault(b, code, fault); /* before what follows has the system say something else */
    }
    if (r < 0 && !sqlite3_get_autocommit(b->db))
        (void)sqlite3_exec(b->db, "ROLLBACK", NULL, NULL, NULL);
    b->writing = false;
    /* Without memory even ROLLBACK fails, and what stays open would keep every other writer out. */
    if (r == -EIO || r == -ENOSPC || r == -EBADMSG || !sqlite3_get_autocommit(b->db))
        sq_hang_up(b);
    sq_lease_drop(b);
    return r;
}

int sq_enter_read(struct backend *b, struct fovea_fault *fault)
{
    auto_close int folder = -1;
    int64_t now = 0;
    if (b->writing)
        return 0;
    int r = 0;
    b->deadline = clock_ms() + b->wait->ms;
    if (!is_current(b)) {
        r = open_folder(b, false, &folder, fault);
        if (r == 0)
            r = open_file(b, folder, false, fault);
    }
    if (r < 0 || (r = read_version(b, &now, fault)) < 0 || now == SQ_VERSION_NOW)
        return r;
    if (now == 0)
        return -ENOENT;
    r = sq_enter_write(b, fault); /* an older one is brought up to date first */
    return r < 0 ? r : sq_leave_write(b, 0, fault);
}
