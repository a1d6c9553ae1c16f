/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One SQLite file: see store.h. The log (WAL) stays between runs and is folded in only when it has grown: so neither a
 * start nor an end waits for the disk, and no program that ends removes, by name, a log that others have begun anew.
 */
#include "ledger/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/home.h"
#include "base/limits.h"
#include "base/text.h"

int store_init(struct store *s, const struct store_kind *kind, const char *folder)
{
    *s = (struct store){.kind = kind};
    if (folder && *folder && !(s->folder = strdup(folder)))
        return -ENOMEM;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->left, NULL);
    return 0;
}

static void hang_up(struct store *s)
{
    for (size_t i = 0; i < STORE_STATEMENTS; i++)
        (void)sqlite3_finalize(take(s->prepared[i]));
    (void)sqlite3_close(take(s->db));
    free(take(s->path));
}

void store_done(struct store *s)
{
    if (!s->kind)
        return;
    hang_up(s);
    free(s->folder);
    (void)pthread_cond_destroy(&s->left);
    (void)pthread_mutex_destroy(&s->lock);
}

/* ---------------------------------------------------------------- faults */

static const struct {
    int code, error;
    const char *words;
} faults[] = {
    {SQLITE_BUSY, EBUSY, "is in use by another program for too long: try again"},
    {SQLITE_LOCKED, EBUSY, "is in use for too long: try again"},
    {SQLITE_FULL, ENOSPC, "cannot grow: the disk is full"},
    {SQLITE_PERM, EACCES, "cannot be written: see to its permissions"},
    {SQLITE_READONLY, EACCES, "cannot be written: see to its permissions"},
    {SQLITE_CANTOPEN, EACCES, "cannot be opened: see to its permissions"},
    {SQLITE_CORRUPT, EUCLEAN, "is damaged: move it away, and a new one is begun"},
    {SQLITE_NOTADB, EUCLEAN, "is damaged: move it away, and a new one is begun"},
    {SQLITE_ERROR, EUCLEAN, "does not hold what it should: move it away, and a new one is begun"},
};

static void discard(struct store *s)
{
    auto_close int folder = -1;
    hang_up(s);
    if (home_open(s->folder, false, &folder, NULL) == 0)
        home_remove(folder, s->kind->file, s->deadline, &s->file);
}

static int fault_named(struct store *s, int error, const char *words, struct fovea_fault *fault)
{
    auto_buf shown = BUF_INIT(KIB);
    (void)buf_add_shown(&shown, s->folder, 120);
    return fault_set(fault, error, "\"%s/%s\" %s", shown.data ? shown.data : "", s->kind->file, words);
}

int store_fault(struct store *s, int code, struct fovea_fault *fault)
{
    code &= 0xff;
    if (code == SQLITE_NOMEM)
        return fault_oom(fault);
    /* SQLite calls a file damaged that the disk would not read, and one forbidden that no descriptor was left for; it is not thrown
     * away for that. */
    int why = s->db && (code == SQLITE_CORRUPT || code == SQLITE_CANTOPEN) ? sqlite3_system_errno(s->db) : 0;
    if (why == EMFILE || why == ENFILE)
        return fault_named(s, why, "cannot be opened: too many files are open; close some and try again", fault);
    if (why == EIO)
        code = SQLITE_IOERR;
    if (code == SQLITE_READONLY && s->db && s->opened_to_write && sqlite3_db_readonly(s->db, "main") == 1)
        code = SQLITE_CORRUPT; /* the file's own head forbids writing: no SQLite that there is writes that */
    /* Where an open fails for a moment it takes the file for one that may only be read, or not be opened, and does not say why. */
    if ((code == SQLITE_READONLY || code == SQLITE_CANTOPEN) && home_permits(s->folder, s->kind->file))
        return fault_named(s, EIO, "cannot be opened for writing, though its permissions allow it: try again", fault);
    for (size_t i = 0; i < COUNT(faults); i++) {
        if (faults[i].code != code)
            continue;
        int r = fault_named(s, faults[i].error, faults[i].words, fault);
        if (r == -EBUSY)
            s->brief_until = clock_ms() + LIMIT_LEDGER_SHUN_MS;
        if (r == -EUCLEAN && s->kind->rebuildable)
            discard(s);
        return r;
    }
    return fault_named(s, EIO, "cannot be read or written", fault);
}

/* ---------------------------------------------------------------- statements */

int store_bind(struct store *s, unsigned statement, const struct store_value *values, size_t n, sqlite3_stmt **ret)
{
    sqlite3_stmt **st = &s->prepared[statement];
    int code = *st ? SQLITE_OK
                   : sqlite3_prepare_v3(s->db, s->kind->statements[statement], -1, SQLITE_PREPARE_PERSISTENT, st, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < n; i++) {
        const struct store_value *v = &values[i];
        int at = (int)i + 1;
        if (v->type == STORE_TEXT)
            code = sqlite3_bind_text(*st, at, v->data, -1, SQLITE_STATIC);
        else if (v->type == STORE_BLOB)
            code = sqlite3_bind_blob64(*st, at, v->data, (sqlite3_uint64)v->n, SQLITE_STATIC);
        else
            code = sqlite3_bind_int64(*st, at, v->n);
    }
    if (code == SQLITE_OK)
        *ret = *st;
    return code;
}

int store_run(struct store *s, unsigned statement, const struct store_value *values, size_t n)
{
    sqlite3_stmt *st;
    int code = store_bind(s, statement, values, n, &st);
    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(st);
    (void)sqlite3_reset(st);
    return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

int store_begin(struct store *s)
{
    return sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
}

int store_end(struct store *s, int code)
{
    if (code == SQLITE_OK)
        code = sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        s->brief_until = 0;
    else
        (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

/* ---------------------------------------------------------------- opening */

/* One below zero is none that there was. */
static int read_version(struct store *s, int *ret)
{
    sqlite3_stmt *st = NULL;
    int code = sqlite3_prepare_v2(s->db, "PRAGMA user_version", -1, &st, NULL);
    if (code == SQLITE_OK && (code = sqlite3_step(st)) == SQLITE_ROW) {
        *ret = sqlite3_column_int(st, 0);
        code = *ret < 0 ? SQLITE_CORRUPT : SQLITE_OK;
    }
    (void)sqlite3_finalize(st);
    return code;
}

/* From whatever version it has to ours. Others may have been faster. */
static int raise_version(struct store *s)
{
    char words[48];
    int now = 0, code = store_begin(s);
    if (code != SQLITE_OK)
        return code;
    code = read_version(s, &now);
    for (; code == SQLITE_OK && now < s->kind->version; now++)
        code = sqlite3_exec(s->db, s->kind->steps[now], NULL, NULL, NULL);
    (void)snprintf(words, sizeof words, "PRAGMA user_version = %d", now);
    if (code == SQLITE_OK)
        code = sqlite3_exec(s->db, words, NULL, NULL, NULL);
    return store_end(s, code);
}

/* The first to come sets the log up, which others must not disturb. */
static int begin_file(struct store *s, int folder)
{
    home_lock(folder, s->deadline);
    int code = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = raise_version(s);
    home_unlock(folder);
    return code;
}

/* SQLite's own waits would add up, one for each statement. */
static int wait_for_others(void *arg, int times)
{
    static const struct timespec nap = {.tv_nsec = LIMIT_LEDGER_NAP_MS * 1000000};
    const struct store *s = arg;
    (void)times;
    if (!clock_left(s->deadline))
        return 0;
    (void)nanosleep(&nap, NULL);
    return 1;
}

static int connect_file(struct store *s)
{
    int code = sqlite3_open_v2(s->path, &s->db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE,
                               NULL);
    if (code != SQLITE_OK)
        return code;
    s->opened_to_write = !sqlite3_db_readonly(s->db, "main"); /* nothing of it is read yet */
    (void)sqlite3_busy_handler(s->db, wait_for_others, s);
    (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    (void)sqlite3_wal_autocheckpoint(s->db, LIMIT_LEDGER_PAGES);
    char settings[128];
    (void)snprintf(settings, sizeof settings, "PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -%d",
                   LIMIT_LEDGER_CACHE_KIB);
    return sqlite3_exec(s->db, settings, NULL, NULL, NULL);
}

static int open_version(struct store *s, int folder, struct fovea_fault *fault)
{
    int version = 0, code = connect_file(s);
    if (code == SQLITE_OK)
        code = read_version(s, &version);
    if (code == SQLITE_OK && version > s->kind->version)
        return fault_named(s, ENOTSUP, "was made by a newer fovea: use that one", fault);
    if (code == SQLITE_OK && version < s->kind->version)
        code = begin_file(s, folder);
    return code == SQLITE_OK ? 0 : store_fault(s, code, fault);
}

static int open_file(struct store *s, bool make, struct fovea_fault *fault)
{
    auto_close int folder = -1;
    auto_buf path = BUF_INIT(2 * LIMIT_PATH_BYTES);
    int r = home_open(s->folder, make, &folder, fault);
    if (r < 0)
        return r;
    r = home_file(folder, s->kind->file, make, s->deadline, &s->file);
    if (r == -ENOENT && !make)
        return r;
    if (r < 0)
        return fault_named(s, r, r == -EPERM ? "is no file of yours: move it away" : strerror(-r), fault);
    auto_free char *where = canonicalize_file_name(s->folder);
    if (!where || buf_add_format(&path, "%s/%s", where, s->kind->file) < 0 || !(s->path = buf_take(&path)))
        return fault_oom(fault);
    r = open_version(s, folder, fault);
    if (r < 0)
        hang_up(s);
    return r;
}

static bool is_current(const struct store *s)
{
    struct stat now;
    return s->db && lstat(s->path, &now) == 0 && now.st_ino == s->file.st_ino && now.st_dev == s->file.st_dev;
}

static int open_now(struct store *s, bool make, struct fovea_fault *fault)
{
    if (is_current(s))
        return 0;
    hang_up(s);
    int r = open_file(s, make, fault);
    return r == -EUCLEAN && s->kind->rebuildable ? open_file(s, make, fault) : r;
}

/* The thread that holds it may itself be waiting for another program. */
static bool take_until(struct store *s, int64_t deadline)
{
    struct timespec until = {.tv_sec = deadline / 1000, .tv_nsec = deadline % 1000 * 1000000};
    int r = 0;
    (void)pthread_mutex_lock(&s->lock);
    while (s->held && r == 0)
        r = pthread_cond_clockwait(&s->left, &s->lock, CLOCK_MONOTONIC, &until);
    bool mine = !s->held;
    s->held = true;
    (void)pthread_mutex_unlock(&s->lock);
    return mine;
}

int store_enter(struct store *s, bool make, struct fovea_fault *fault)
{
    int64_t now = clock_ms();
    int64_t deadline = now + (now < s->brief_until ? MIN(s->kind->busy_ms, LIMIT_LEDGER_BRIEF_MS) : s->kind->busy_ms);
    if (!s->folder)
        return make ? fault_set(fault, ENOENT, "no place for %s: set HOME or %s", s->kind->file, s->kind->where) : -ENOENT;
    if (!take_until(s, deadline))
        return fault_named(s, EBUSY, "is in use for too long: try again", fault);
    s->deadline = deadline;
    int r = open_now(s, make, fault);
    if (r < 0)
        store_leave(s);
    return r;
}

void store_leave(struct store *s)
{
    /* Without memory even ROLLBACK fails, and what stays open would keep every other writer out. */
    if (s->db && !sqlite3_get_autocommit(s->db))
        hang_up(s);
    (void)pthread_mutex_lock(&s->lock);
    s->held = false;
    (void)pthread_cond_signal(&s->left);
    (void)pthread_mutex_unlock(&s->lock);
}
