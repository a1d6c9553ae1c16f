/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record in SQLite with single calls failing: each inner question, each statement, what the system says of a file. Whatever
 * fails, it is a fault or the right answer, and the next try does all of it.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fault.h"
#include "record/sqlite_priv.h"
#include "record_lab.h"
#include "test.h"

/* Which call fails: the n-th from now, 0 for none. */
enum call { ONE, ENTER_READ, EXEC, CONTROL, CONTROL_NO_LOG, BLOB, TEXT, CALLS };
static int fails_at[CALLS], fails_with, exec_code = SQLITE_IOERR, system_error;

static bool strikes(enum call c)
{
    return fails_at[c] > 0 && --fails_at[c] == 0;
}

int __real_sq_one(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n, int64_t *ret, struct fovea_fault *fault);
int __wrap_sq_one(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n, int64_t *ret, struct fovea_fault *fault);
int __wrap_sq_one(struct backend *b, enum sq_statement which, const struct sq_value *values, size_t n, int64_t *ret, struct fovea_fault *fault)
{
    return strikes(ONE) ? fault_set(fault, fails_with, "told so") : __real_sq_one(b, which, values, n, ret, fault);
}

int __real_sq_enter_read(struct backend *b, struct fovea_fault *fault);
int __wrap_sq_enter_read(struct backend *b, struct fovea_fault *fault);
int __wrap_sq_enter_read(struct backend *b, struct fovea_fault *fault)
{
    return strikes(ENTER_READ) ? fault_set(fault, fails_with, "told so") : __real_sq_enter_read(b, fault);
}

int __real_sqlite3_exec(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **), void *arg, char **error);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **), void *arg, char **error);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **), void *arg, char **error)
{
    return strikes(EXEC) ? exec_code : __real_sqlite3_exec(db, sql, each, arg, error);
}

int __real_sqlite3_system_errno(sqlite3 *db);
int __wrap_sqlite3_system_errno(sqlite3 *db);
int __wrap_sqlite3_system_errno(sqlite3 *db)
{
    return system_error ? system_error : __real_sqlite3_system_errno(db);
}

/* Of all file controls only the one for the log is ours. */
int __real_sqlite3_file_control(sqlite3 *db, const char *name, int op, void *arg);
int __wrap_sqlite3_file_control(sqlite3 *db, const char *name, int op, void *arg);
int __wrap_sqlite3_file_control(sqlite3 *db, const char *name, int op, void *arg)
{
    static struct sqlite3_file unopened;
    if (strikes(CONTROL))
        return SQLITE_IOERR;
    if (fails_at[CONTROL_NO_LOG]) {
        *(sqlite3_file **)arg = fails_at[CONTROL_NO_LOG]-- % 2 ? NULL : &unopened;
        return SQLITE_OK;
    }
    return __real_sqlite3_file_control(db, name, op, arg);
}

const void *__real_sqlite3_column_blob(sqlite3_stmt *st, int i);
const void *__wrap_sqlite3_column_blob(sqlite3_stmt *st, int i);
const void *__wrap_sqlite3_column_blob(sqlite3_stmt *st, int i)
{
    return strikes(BLOB) ? NULL : __real_sqlite3_column_blob(st, i);
}

const unsigned char *__real_sqlite3_column_text(sqlite3_stmt *st, int i);
const unsigned char *__wrap_sqlite3_column_text(sqlite3_stmt *st, int i);
const unsigned char *__wrap_sqlite3_column_text(sqlite3_stmt *st, int i)
{
    return strikes(TEXT) ? NULL : __real_sqlite3_column_text(st, i);
}

/* These stand before the C library's, for SQLite too: nothing here is about power, and a disk takes its time. */
__attribute__((visibility("default"))) int fdatasync(int fd)
{
    (void)fd;
    return 0;
}

__attribute__((visibility("default"))) int fsync(int fd)
{
    (void)fd;
    return 0;
}

/* What the system says of files. */
static int place_error, lock_error, lease_error;
static dev_t other_device;

char *__real_canonicalize_file_name(const char *name);
char *__wrap_canonicalize_file_name(const char *name);
char *__wrap_canonicalize_file_name(const char *name)
{
    errno = place_error;
    return place_error ? NULL : __real_canonicalize_file_name(name);
}

int __real_lstat(const char *name, struct stat *st);
int __wrap_lstat(const char *name, struct stat *st);
int __wrap_lstat(const char *name, struct stat *st)
{
    int r = __real_lstat(name, st);
    st->st_dev += other_device;
    return r;
}

int __real_fstatat(int folder, const char *name, struct stat *st, int flags);
int __wrap_fstatat(int folder, const char *name, struct stat *st, int flags);
int __wrap_fstatat(int folder, const char *name, struct stat *st, int flags)
{
    size_t len = strlen(name);
    bool lease = len > 6 && !strcmp(name + len - 6, ".lease");
    if (lease && lease_error) {
        errno = lease_error;
        return -1;
    }
    int r = __real_fstatat(folder, name, st, flags);
    if (lease && other_device) {
        st->st_dev += other_device;
        other_device = 0; /* or it would never be the one */
    }
    return r;
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *arg = va_arg(args, void *);
    va_end(args);
    if (command == F_OFD_SETLK && lock_error) {
        errno = lock_error;
        return -1;
    }
    return __real_fcntl(fd, command, arg);
}

/* What came of some of everything. */
struct outcome {
    bool good;  /* all calls ended well */
    bool wrong; /* one did and gave what is not there */
    bool damage; /* the check told of damage, and there is none; that it cannot read is no damage */
};

static struct outcome work(struct lab *l)
{
    struct outcome o = {0};
    struct record_point at = {0};
    auto_free char *text = NULL;
    int64_t seq = 0, said = lab_say(l->r, "a", "k", "x mark:m");
    o.good = said > 0 && lab_show(l->r, "a", "bytes", 5) > 0 && lab_show(l->r, "b", "bytes", 5) > 0;
    int read = lab_read(l->r, "a", &at, &text, NULL), found = record_find(l->r, "a", "m", &seq, NULL);
    o.good = o.good && read == 0 && found == 0;
    o.wrong = said > 0 && ((read == 0 && !strstr(text, "x mark:m\n")) || (found == 0 && seq != said) || found == -ENOENT);
    lab_reopen(l);
    int64_t again = lab_say(l->r, "a", "k", "x mark:m"); /* it is there already, and has to be on disk */
    o.wrong = o.wrong || (said > 0 && again > 0 && again != said);
    struct lab_problems p = lab_check(l, NULL, true);
    o.damage = p.count > 0 && !strstr(p.what, " cannot be ") && !strstr(p.what, " can be ");
    o.good = o.good && again > 0 && p.count == 0 && record_sync(l->r, NULL) == 0;
    o.good = record_delete(l->r, "b", NULL) == 0 && o.good;
    return o;
}

TEST(each_inner_call_may_fail_and_the_next_try_does_all_of_it)
{
    static const int errors[] = {EBADMSG, EIO};
    for (int call = 0; call < CALLS; call++)
        for (size_t e = 0; e < (call <= ENTER_READ ? COUNT(errors) : 1); e++) { /* the others have one of their own */
            bool struck = true;
            for (int n = 1; struck; n++) {
                auto_lab l;
                lab_init(&l);
                bool before = n % 2; /* in a file that is there, or a new one */
                CHECK(!before || lab_say(l.r, "old", NULL, "y") == 1);
                if (n % 3 == 0)
                    lab_reopen(&l);
                fails_at[call] = n;
                fails_with = errors[e];
                struct outcome o = work(&l);
                CHECK_MSG(!o.wrong && !o.damage, "call %d, the %d-th: wrong %d, damage %d", call, n, o.wrong, o.damage);
                struck = fails_at[call] == 0;
                CHECK_MSG(struck || o.good, "call %d, none failed", call);
                memset(fails_at, 0, sizeof fails_at);
                lab_reopen(&l);
                CHECK_MSG(work(&l).good, "call %d, the %d-th, %s", call, n, strerror(errors[e]));
            }
        }
}

/* Only the check meets the failure, at each of its calls. */
static void check_without(enum call call)
{
    for (int n = 1, struck = 1; struck; n++) {
        auto_lab l;
        lab_init(&l);
        CHECK(lab_say(l.r, "a", "k", "x mark:m") == 1 && lab_show(l.r, "a", "bytes", 5) > 0 && lab_show(l.r, "b", "bytes", 5) > 0);
        lab_reopen(&l);
        fails_at[call] = n;
        struct lab_problems p = lab_check(&l, NULL, false);
        struck = fails_at[call] == 0;
        memset(fails_at, 0, sizeof fails_at);
        bool unread = strstr(p.what, " cannot be ") || strstr(p.what, " can be ");
        CHECK_MSG(p.count <= 0 || unread, "call %d, the %d-th: %s", call, n, p.what);
        CHECK(struck || n > 1);
    }
}

TEST(fsck_without_memory_for_bytes_or_hashes_reads_nothing_from_nowhere_and_calls_nothing_damaged)
{
    check_without(BLOB);
}

TEST(fsck_without_memory_for_names_calls_nothing_damaged)
{
    check_without(TEXT);
}

TEST(what_the_system_said_or_the_host_wants_is_told_of_a_statement_that_failed)
{
    static const struct {
        int code, error, told;
    } rows[] = {{SQLITE_IOERR, EDQUOT, -ENOSPC},    {SQLITE_IOERR, EFBIG, -ENOSPC},      {SQLITE_IOERR, EPERM, -EIO},
                {SQLITE_CANTOPEN, ENFILE, -ENFILE}, {SQLITE_CANTOPEN, EMFILE, -EMFILE}, {SQLITE_CORRUPT, EIO, -EIO},
                {SQLITE_BUSY, 0, -ECANCELED},       {SQLITE_INTERRUPT, 0, -ECANCELED}};
    fovea_cancel *cancel = NULL;
    CHECK(fovea_cancel_new(&cancel, NULL) == 0);
    fovea_cancel_now(cancel);
    for (size_t i = 0; i < COUNT(rows); i++) {
        auto_lab l;
        lab_init(&l);
        CHECK(lab_say(l.r, "a", NULL, "x") == 1);
        record_cancel(l.r, rows[i].told == -ECANCELED ? cancel : NULL);
        exec_code = rows[i].code;
        system_error = rows[i].error;
        fails_at[EXEC] = 1;
        int64_t got = lab_say(l.r, "a", NULL, "x");
        CHECK_MSG(got == rows[i].told, "row %zu: %lld", i, (long long)got);
        exec_code = SQLITE_IOERR;
        system_error = fails_at[EXEC] = 0;
        record_cancel(l.r, NULL);
        CHECK(lab_say(l.r, "a", NULL, "x") == 2);
    }
    fovea_cancel_free(cancel);
}

TEST(a_place_that_the_system_does_not_name_is_a_fault)
{
    static const int errors[] = {EACCES, ENOMEM};
    for (size_t i = 0; i < COUNT(errors); i++) {
        auto_lab l;
        lab_init(&l);
        place_error = errors[i];
        CHECK(lab_say(l.r, "a", NULL, "x") == -errors[i]);
        place_error = 0;
        CHECK(lab_say(l.r, "a", NULL, "x") == 1);
    }
}

TEST(without_a_home_there_is_nothing_to_read)
{
    struct record_options o = {.where = "sqlite:", .folder = "", .derive = lab_derive};
    struct record *r = NULL;
    struct record_point at = {0};
    auto_free char *text = NULL;
    CHECK(record_open(&o, &r, NULL) == 0 && lab_read(r, "a", &at, &text, NULL) == -ENOENT);
    record_close(r);
}

TEST(another_file_of_that_name_is_opened_anew)
{
    auto_lab l, other;
    lab_init(&l);
    lab_init(&other);
    CHECK(lab_say(l.r, "a", NULL, "x") == 1 && lab_say(other.r, "a", NULL, "x") == 1 && lab_say(other.r, "a", NULL, "x") == 2);
    record_close(take(other.r));
    CHECK(rename(other.file, l.file) == 0);
    char log[160], lease[160], aside[160];
    (void)snprintf(log, sizeof log, "%s-wal", other.file);
    (void)snprintf(aside, sizeof aside, "%s-wal", l.file);
    CHECK(rename(log, aside) == 0);
    CHECK(lab_say(l.r, "a", NULL, "x") == 3);
    /* And another lease. */
    (void)snprintf(lease, sizeof lease, "%s.lease", l.file);
    (void)snprintf(aside, sizeof aside, "%s.lease", other.file);
    CHECK(rename(aside, lease) == 0 && lab_say(l.r, "a", NULL, "x") == 4);
    /* The same number on another disk is another file. */
    other_device = 1;
    CHECK(lab_say(l.r, "a", NULL, "x") == 5);
    other_device = 0;
    CHECK(lab_say(l.r, "a", NULL, "x") == 6);
}

/* It was taken for one that was moved, and looked for again until the time was over. */
TEST(a_lease_that_cannot_be_looked_at_is_a_fault_at_once)
{
    auto_lab l;
    lab_init(&l);
    int64_t began = clock_ms();
    lease_error = EIO;
    CHECK(lab_say(l.r, "a", NULL, "x") == -EIO && clock_ms() - began < LIMIT_RECORD_WAIT_MS / 2);
    lease_error = 0;
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
}

TEST(a_lock_that_the_file_system_does_not_give_is_a_fault)
{
    auto_lab l;
    lab_init(&l);
    lock_error = ENOLCK;
    CHECK(lab_say(l.r, "a", NULL, "x") == -ENOLCK);
    lock_error = 0;
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
}
