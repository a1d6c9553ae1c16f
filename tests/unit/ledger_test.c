/* SPDX-License-Identifier: Apache-2.0 */
/* Money and answers on disk: sums, days, many writers, bounds, and files that are damaged, foreign or open to others. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/limits.h"
#include "ledger/ledger.h"
#include "ledger/telemetry.h"
#include "test.h"
#include "tree.h"

enum { DAY = 86400, NOON = 1794830400 }; /* 2026-11-16 12:00 UTC */

/* A folder of its own for each test; both stores in folders that are not there yet. */
struct place {
    struct tree tree;
    char state[128], cache[128];
};

static void place_init(struct place *p)
{
    (void)snprintf(p->tree.top, sizeof p->tree.top, "/tmp/ledger_test.XXXXXX");
    CHECK(mkdtemp(p->tree.top) != NULL);
    (void)snprintf(p->state, sizeof p->state, "%s/a/state/fovea", p->tree.top);
    (void)snprintf(p->cache, sizeof p->cache, "%s/a/cache/fovea", p->tree.top);
}

static void place_done(struct place *p)
{
    tree_done(&p->tree);
}
#define auto_place cleanup(place_done) struct place

static const char *in(const char *folder, const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static struct ledger *open_ledger(const struct place *p, uint64_t cache_bytes)
{
    struct ledger_options o = {p->state, p->cache, cache_bytes};
    struct ledger *l = NULL;
    CHECK(ledger_new(&o, &l, NULL) == 0);
    return l;
}

static void ledger_free_p(struct ledger **l)
{
    ledger_free(*l);
}
#define auto_ledger cleanup(ledger_free_p) struct ledger

static struct ledger_entry entry(const char *session, const char *model, int64_t at, int64_t nano)
{
    return (struct ledger_entry){.session = session,
                                 .tool = "inspect_image",
                                 .provider = "p",
                                 .model = model,
                                 .at = at,
                                 .input = 10,
                                 .cache_read = 5,
                                 .cache_write = 1,
                                 .output = 3,
                                 .nano = nano};
}

static void add(struct ledger *l, const char *session, const char *model, int64_t at, int64_t nano)
{
    struct ledger_entry e = entry(session, model, at, nano);
    struct fovea_fault fault = {0};
    CHECK_MSG(ledger_add(l, &e, &fault) == 0, "%s", fault.text);
}

static int64_t spent(struct ledger *l, const char *session, int64_t since)
{
    int64_t nano = -1;
    struct fovea_fault fault = {0};
    CHECK_MSG(ledger_spent(l, session, since, &nano, &fault) == 0, "%s", fault.text);
    return nano;
}

/* Rows as words: "name:calls:failed:input:output:nano:unpriced " */
static void add_words(const struct ledger_sum *s, void *arg)
{
    (void)buf_add_format(arg, "%s:%lld:%lld:%lld:%lld:%lld:%lld ", s->name, (long long)s->calls, (long long)s->failed,
                         (long long)s->input, (long long)s->output, (long long)s->nano, (long long)s->unpriced);
}

static void check_rows(struct ledger *l, enum ledger_by by, int64_t since, const char *want)
{
    auto_buf b = BUF_INIT(MIB);
    struct fovea_fault fault = {0};
    CHECK_MSG(ledger_each(l, by, since, add_words, &b, &fault) == 0, "%s", fault.text);
    CHECK_STR(b.data ? b.data : "", want);
}

/* Runs words on a store, as another program might. */
static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    CHECK_MSG(code == SQLITE_OK, "%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

static int64_t ask_number(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    CHECK(sqlite3_open(path, &db) == SQLITE_OK && sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
          sqlite3_step(st) == SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return n;
}

/* Spoils all pages but the first. */
static void spoil(const char *path)
{
    char noise[4096];
    struct stat st;
    run_sql(path, "PRAGMA wal_checkpoint(TRUNCATE)");
    auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);
    CHECK(fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 4096);
    memset(noise, 0xa5, sizeof noise);
    for (off_t at = 4096; at < st.st_size; at += 4096)
        CHECK(pwrite(fd, noise, sizeof noise, at) == sizeof noise);
}

static void write_file(const char *path, const char *text)
{
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write_all(fd, text, strlen(text)) == 0);
}

static void key_of(unsigned n, uint8_t key[SHA256_LEN])
{
    sha256(&n, sizeof n, key);
}

static void keep(struct ledger *l, unsigned n, const char *text, size_t len)
{
    uint8_t key[SHA256_LEN];
    key_of(n, key);
    answers_keep(l, key, text, len);
}

/* The text under n, or NULL; good until the next call. */
static const char *found(struct ledger *l, unsigned n)
{
    static char *text;
    uint8_t key[SHA256_LEN];
    key_of(n, key);
    free(take(text));
    return answers_find(l, key, &text) == 0 ? text : NULL;
}

/* ---------------------------------------------------------------- money */

TEST(nothing_is_made_until_something_is_kept)
{
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, MIB);
    int64_t count = -1;
    CHECK(spent(l, NULL, 0) == 0 && spent(l, "s", 0) == 0);
    check_rows(l, LEDGER_BY_MODEL, 0, "");
    CHECK(!found(l, 1));
    CHECK(answers_clear(l, &count, NULL) == 0 && count == 0);
    CHECK(access(in(p.tree.top, "a"), F_OK) < 0);
}

TEST(sums_by_session_model_and_day_latest_first)
{
    static const struct {
        enum ledger_by by;
        int64_t since;
        const char *want;
    } rows[] = {
        {LEDGER_BY_SESSION, 0, "y:2:0:32:6:70:1 x:2:1:32:6:30:0 :1:0:16:3:5:0 "},
        {LEDGER_BY_MODEL, 0, "p/n:2:1:32:6:20:1 p/m:3:0:48:9:85:0 "},
        {LEDGER_BY_DAY, 0, "2026-11-16:3:1:48:9:90:1 2026-11-15:1:0:16:3:10:0 2026-11-14:1:0:16:3:5:0 "},
        {LEDGER_BY_TOTAL, 0, "total:5:1:80:15:105:1 "},
        {LEDGER_BY_DAY, NOON - NOON % DAY, "2026-11-16:3:1:48:9:90:1 "},
        {LEDGER_BY_DAY, NOON - DAY, "2026-11-16:3:1:48:9:90:1 2026-11-15:1:0:16:3:10:0 "},
        {LEDGER_BY_DAY, NOON - DAY + 1, "2026-11-16:3:1:48:9:90:1 "},
        {LEDGER_BY_SESSION, NOON + 1, "y:2:0:32:6:70:1 "},
        {LEDGER_BY_MODEL, NOON + 2, "p/n:1:0:16:3:0:1 "},
        {LEDGER_BY_TOTAL, NOON + 2, "total:1:0:16:3:0:1 "},
        {LEDGER_BY_TOTAL, NOON + 3, ""},
        {LEDGER_BY_TOTAL, INT64_MAX, ""},
    };
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, 0);
    struct ledger_entry failed = entry("x", "n", NOON, 20);
    failed.failed = true;
    add(l, "", "m", NOON - 2 * DAY, 5);
    add(l, "x", "m", NOON - DAY, 10);
    CHECK(ledger_add(l, &failed, NULL) == 0);
    add(l, "y", "m", NOON + 1, 70);
    add(l, "y", "n", NOON + 2, -1);
    for (size_t i = 0; i < COUNT(rows); i++)
        check_rows(l, rows[i].by, rows[i].since, rows[i].want);
}

TEST(spent_is_exact_from_any_second)
{
    static const struct {
        const char *session;
        int64_t since, want;
    } rows[] = {
        {NULL, 0, 1111},         {"x", 0, 1001},         {"", 0, 110},          {"z", 0, 0},
        {NULL, NOON, 1110},      {NULL, NOON + 1, 1100}, {"x", NOON, 1000},     {"x", NOON + 1, 1000},
        {"", NOON + 1, 100},     {NULL, NOON + DAY, 1000}, {NULL, NOON + DAY + 1, 0}, {NULL, -5, 1111},
        {NULL, NOON - NOON % DAY, 1111}, {NULL, NOON - NOON % DAY + DAY, 1000},
    };
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, 0);
    add(l, "x", "m", NOON - 1, 1);
    add(l, "", "m", NOON, 10);
    add(l, "", "m", NOON + 1, 100);
    add(l, "x", "m", NOON + DAY, 1000);
    add(l, "x", "m", NOON + DAY, -7); /* no price: not in it */
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK_MSG(spent(l, rows[i].session, rows[i].since) == rows[i].want, "row %zu", i);
}

TEST(what_was_written_is_there_for_the_next_process)
{
    auto_place p;
    place_init(&p);
    struct ledger *l = open_ledger(&p, MIB);
    add(l, "x", "m", NOON, 5);
    keep(l, 1, "red", 3);
    auto_ledger *other = open_ledger(&p, MIB); /* while the first is open */
    CHECK(spent(other, "x", 0) == 5);
    CHECK_STR(found(other, 1), "red");
    ledger_free(l);
    add(other, "x", "m", NOON, 5);
    auto_ledger *third = open_ledger(&p, MIB);
    CHECK(spent(third, "x", 0) == 10);
}

TEST(a_sum_past_64_bits_is_a_fault_and_adds_nothing)
{
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, 0);
    struct fovea_fault fault = {0};
    struct ledger_entry tokens = entry("x", "m", NOON, 1), money = entry("x", "m", NOON, INT64_MAX - 5);
    int64_t nano = 77;
    add(l, "x", "m", NOON, 6);
    CHECK(ledger_add(l, &money, &fault) == -EOVERFLOW);
    tokens.input = INT64_MAX;
    CHECK(ledger_add(l, &tokens, &fault) == -EOVERFLOW);
    CHECK(spent(l, NULL, 0) == 6);
    check_rows(l, LEDGER_BY_TOTAL, 0, "total:1:0:16:3:6:0 ");
    money.at += DAY; /* each day fits, both together do not */
    money.session = "y";
    money.model = "n";
    CHECK(ledger_add(l, &money, NULL) == 0);
    CHECK(ledger_spent(l, NULL, 0, &nano, &fault) == -EOVERFLOW && nano == 77);
    CHECK(ledger_each(l, LEDGER_BY_TOTAL, 0, add_words, &(struct buf)BUF_INIT(KIB), &fault) == -EOVERFLOW);
    CHECK(spent(l, "x", 0) == 6);
    add(l, "x", "m", NOON, 1); /* and goes on */
}

TEST(odd_figures_are_tamed)
{
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, 0);
    struct ledger_entry e = entry("x", "m", -9, INT64_MIN);
    e.input = e.cache_read = e.cache_write = e.output = -1;
    CHECK(ledger_add(l, &e, NULL) == 0);
    e.at = INT64_MAX;
    CHECK(ledger_add(l, &e, NULL) == 0);
    check_rows(l, LEDGER_BY_DAY, 0, "9999-12-31:1:0:0:0:0:1 1970-01-01:1:0:0:0:0:1 ");
}

TEST(without_a_home_nothing_is_kept_and_adding_says_so)
{
    struct ledger_options o = {.state_dir = "", .cache_bytes = MIB};
    struct ledger_entry e = entry("x", "m", NOON, 5);
    struct fovea_fault fault = {0};
    auto_ledger *l = NULL;
    CHECK(ledger_new(&o, &l, NULL) == 0);
    CHECK(ledger_add(l, &e, &fault) == -ENOENT && strstr(fault.text, "XDG_STATE_HOME"));
    CHECK(spent(l, NULL, 0) == 0);
    keep(l, 1, "red", 3);
    CHECK(!found(l, 1));
}

/* ---------------------------------------------------------------- files */

TEST(files_are_the_users_alone_whatever_the_umask)
{
    static const char *const names[] = {"state/fovea/usage.db", "state/fovea/usage.db-wal", "state/fovea/usage.db-shm",
                                        "cache/fovea/answers.db", "cache/fovea/answers.db-wal", "cache/fovea/answers.db-shm"};
    static const char *const folders[] = {"", "state", "state/fovea", "cache", "cache/fovea"};
    auto_place p;
    place_init(&p);
    mode_t before = umask(0);
    auto_ledger *l = open_ledger(&p, MIB);
    add(l, "x", "m", NOON, 5);
    keep(l, 1, "red", 3);
    (void)umask(before);
    char top[128];
    struct stat st;
    (void)snprintf(top, sizeof top, "%s/a", p.tree.top);
    for (size_t i = 0; i < COUNT(names); i++)
        CHECK_MSG(stat(in(top, names[i]), &st) == 0 && (st.st_mode & 0777) == 0600, "%s", names[i]);
    for (size_t i = 0; i < COUNT(folders); i++)
        CHECK_MSG(stat(in(top, folders[i]), &st) == 0 && (st.st_mode & 0777) == 0700, "%s", folders[i]);
    for (size_t i = 0; i < 3; i++)
        CHECK(chmod(in(top, names[i]), 0644) == 0);
    CHECK(chmod(p.state, 0755) == 0); /* who may look, but not write, is no danger */
    auto_ledger *next = open_ledger(&p, MIB);
    CHECK(spent(next, NULL, 0) == 5);
    for (size_t i = 0; i < 3; i++)
        CHECK_MSG(stat(in(top, names[i]), &st) == 0 && (st.st_mode & 0777) == 0600, "%s", names[i]);
}

TEST(folders_and_files_of_others_are_not_used)
{
    enum { OPEN_FOLDER, SHARED_FOLDER, LINKED_FOLDER, LINKED_FILE, FIFO_FILE, ALL };
    for (int what = 0; what < ALL; what++) {
        auto_place p;
        place_init(&p);
        struct ledger *l = open_ledger(&p, MIB);
        add(l, "x", "m", NOON, 5);
        keep(l, 1, "red", 3);
        ledger_free(l);
        char away[160];
        (void)snprintf(away, sizeof away, "%s/a/away", p.tree.top);
        for (int i = 0; i < 2; i++) {
            const char *folder = i ? p.cache : p.state, *file = in(folder, i ? "answers.db" : "usage.db");
            if (what == OPEN_FOLDER)
                CHECK(chmod(folder, 0777) == 0);
            if (what == SHARED_FOLDER)
                CHECK(chmod(folder, 0770) == 0);
            if (what == LINKED_FOLDER)
                CHECK(rename(folder, away) == 0 && symlink(away, folder) == 0);
            if (what == LINKED_FILE)
                CHECK(rename(file, away) == 0 && symlink(away, file) == 0);
            if (what == FIFO_FILE)
                CHECK(unlink(file) == 0 && mkfifo(file, 0600) == 0);
            away[strlen(away) - 1] = 'Y'; /* another place for the second */
        }
        auto_ledger *again = open_ledger(&p, MIB);
        struct ledger_entry e = entry("x", "m", NOON, 5);
        struct fovea_fault fault = {0};
        int64_t nano = 0;
        int r = ledger_add(again, &e, &fault);
        CHECK_MSG(r == -EPERM || r == -ENOTDIR, "%d: %d %s", what, r, fault.text);
        CHECK(strstr(fault.text, p.state) != NULL);
        CHECK(ledger_spent(again, NULL, 0, &nano, &fault) == r);
        keep(again, 1, "red", 3);
        CHECK(!found(again, 1));
    }
}

/* In a process of its own, as a user whom permissions bind; 0 when all is as it should be. */
static int look_at_what_cannot_be_written(const struct place *p)
{
    enum { FOLDER, FILE_TOO, ALL };
    for (int what = 0; what < ALL; what++) {
        struct ledger_entry e = entry("x", "m", NOON, 5);
        struct fovea_fault fault = {0};
        struct ledger *l = open_ledger(p, MIB);
        add(l, "x", "m", NOON, 5);
        ledger_free(l);
        run_sql(in(p->state, "usage.db"), "SELECT count(*) FROM call"); /* folds the log in, as whoever is last does */
        CHECK(access(in(p->state, "usage.db-wal"), F_OK) < 0 && access(in(p->state, "usage.db-shm"), F_OK) < 0);
        CHECK(what != FILE_TOO || chmod(in(p->state, "usage.db"), 0400) == 0);
        CHECK(chmod(p->state, 0500) == 0);
        l = open_ledger(p, MIB);
        CHECK_MSG(ledger_add(l, &e, &fault) == -EACCES, "%d %s", what, fault.text);
        CHECK_MSG(strstr(fault.text, "/usage.db\" cannot be ") && strstr(fault.text, "see to its permissions"), "%s", fault.text);
        ledger_free(l);
        CHECK(chmod(p->state, 0700) == 0);
        CHECK(chmod(in(p->state, "usage.db"), 0600) == 0);
        l = open_ledger(p, MIB);
        add(l, "x", "m", NOON, 5); /* and it is as good as before */
        CHECK(spent(l, NULL, 0) == 10 * (what + 1));
        ledger_free(l);
    }
    return test_failed;
}

TEST(a_record_that_cannot_be_written_is_a_fault_that_says_so)
{
    auto_place p;
    place_init(&p);
    pid_t child = fork();
    if (child == 0) {
        enum { NOBODY = 65534 };
        if (geteuid() == 0 && (chown(p.tree.top, NOBODY, NOBODY) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
                               setresuid(NOBODY, NOBODY, NOBODY) < 0))
            _exit(2);
        _exit(look_at_what_cannot_be_written(&p));
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_MSG(status == 0, "status %x", status);
}

TEST(a_damaged_record_of_money_is_a_fault_that_names_it)
{
    static const char *const damage[] = {"no database at all", "SQLite format 3", "", NULL};
    for (size_t i = 0; i < COUNT(damage); i++) {
        auto_place p;
        place_init(&p);
        struct ledger *l = open_ledger(&p, MIB);
        add(l, "x", "m", NOON, 5);
        ledger_free(l);
        if (damage[i] && !*damage[i])
            spoil(in(p.state, "usage.db"));
        (void)unlink(in(p.state, "usage.db-wal"));
        if (damage[i] && *damage[i])
            write_file(in(p.state, "usage.db"), damage[i]);
        else if (!damage[i]) /* a database, but none of ours */
            run_sql(in(p.state, "usage.db"), "PRAGMA user_version = 1");
        auto_ledger *again = open_ledger(&p, MIB);
        struct ledger_entry e = entry("x", "m", NOON, 5);
        struct fovea_fault fault = {0};
        int64_t nano = 0;
        CHECK_MSG(ledger_add(again, &e, &fault) == -EUCLEAN, "%zu %s", i, fault.text);
        CHECK(strstr(fault.text, "usage.db\"") && strstr(fault.text, "move it away"));
        CHECK(ledger_spent(again, NULL, 0, &nano, &fault) == -EUCLEAN);
        CHECK(unlink(in(p.state, "usage.db")) == 0); /* as told */
        CHECK(ledger_add(again, &e, &fault) == 0);
        CHECK(spent(again, NULL, 0) == 5);
    }
}

TEST(a_damaged_cache_begins_anew_without_a_word)
{
    static const char *const damage[] = {"no database at all", "SQLite format 3", "", NULL};
    for (size_t i = 0; i < COUNT(damage); i++) {
        auto_place p;
        place_init(&p);
        struct ledger *l = open_ledger(&p, MIB);
        keep(l, 1, "red", 3);
        ledger_free(l);
        if (damage[i] && !*damage[i])
            spoil(in(p.cache, "answers.db"));
        (void)unlink(in(p.cache, "answers.db-wal"));
        if (damage[i] && *damage[i])
            write_file(in(p.cache, "answers.db"), damage[i]);
        else if (!damage[i])
            run_sql(in(p.cache, "answers.db"), "PRAGMA user_version = 1");
        auto_ledger *again = open_ledger(&p, MIB);
        CHECK(!found(again, 1));
        keep(again, 1, "red", 3);
        CHECK_STR(found(again, 1), "red");
    }
}

TEST(a_cache_damaged_while_it_is_open_begins_anew)
{
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, MIB), *other = open_ledger(&p, MIB);
    keep(l, 1, "red", 3);
    CHECK_STR(found(other, 1), "red");
    run_sql(in(p.cache, "answers.db"), "DROP TABLE answer");
    CHECK(!found(l, 1) && !found(other, 1));
    keep(l, 1, "green", 5);
    CHECK_STR(found(other, 1), "green");
    CHECK_STR(found(l, 1), "green");
}

TEST(a_version_below_zero_is_damage)
{
    auto_place p;
    place_init(&p);
    struct ledger *l = open_ledger(&p, MIB);
    add(l, "x", "m", NOON, 5);
    keep(l, 1, "red", 3);
    ledger_free(l);
    run_sql(in(p.state, "usage.db"), "PRAGMA user_version = -1");
    run_sql(in(p.cache, "answers.db"), "PRAGMA user_version = -2000000000");
    struct ledger_entry e = entry("x", "m", NOON, 5);
    struct fovea_fault fault = {0};
    auto_ledger *again = open_ledger(&p, MIB);
    CHECK(ledger_add(again, &e, &fault) == -EUCLEAN && strstr(fault.text, "usage.db"));
    CHECK(!found(again, 1));
    keep(again, 1, "red", 3);
    CHECK_STR(found(again, 1), "red");
}

/* SQLite obeys it, and no try again would ever end well. */
TEST(bug_a_head_that_forbids_writing_is_damage)
{
    auto_place p;
    place_init(&p);
    struct ledger *l = open_ledger(&p, MIB);
    add(l, "x", "m", NOON, 5);
    keep(l, 1, "red", 3);
    ledger_free(l);
    for (int i = 0; i < 2; i++) {
        const char *file = i ? in(p.cache, "answers.db") : in(p.state, "usage.db");
        run_sql(file, "PRAGMA wal_checkpoint(TRUNCATE)");
        auto_close int fd = open(file, O_WRONLY | O_CLOEXEC);
        CHECK(fd >= 0 && pwrite(fd, "\x10", 1, 18) == 1);
    }
    struct ledger_entry e = entry("x", "m", NOON, 5);
    struct fovea_fault fault = {0};
    auto_ledger *again = open_ledger(&p, MIB);
    CHECK(ledger_add(again, &e, &fault) == -EUCLEAN && strstr(fault.text, "usage.db\" is damaged"));
    keep(again, 1, "green", 5); /* finds the damage, and throws it away */
    CHECK(!found(again, 1));
    keep(again, 1, "green", 5);
    CHECK_STR(found(again, 1), "green");
}

static void tell_nobody(const struct ledger_sum *s, void *arg)
{
    (void)s, (void)arg;
}

TEST(a_sum_below_zero_is_damage_and_lengthens_no_budget)
{
    auto_place p;
    place_init(&p);
    struct ledger *l = open_ledger(&p, MIB);
    add(l, "x", "m", NOON, 5);
    ledger_free(l);
    run_sql(in(p.state, "usage.db"), "UPDATE total SET nano = -1000000000");
    auto_ledger *again = open_ledger(&p, MIB);
    struct fovea_fault fault = {0};
    int64_t nano = 0;
    CHECK(ledger_spent(again, "x", 0, &nano, &fault) == -EUCLEAN && ledger_spent(again, NULL, 0, &nano, &fault) == -EUCLEAN);
    CHECK(ledger_each(again, LEDGER_BY_MODEL, 0, tell_nobody, NULL, &fault) == -EUCLEAN);
}

/* Bytes that changed within an answer, an answer under the key of another, and one from before answers were sealed. */
TEST(an_answer_that_was_changed_is_none)
{
    static const char *const changes[] = {
        "UPDATE answer SET text = x'726564' WHERE text = x'626c7565'",
        "UPDATE answer SET (text, seal) = (SELECT text, seal FROM answer WHERE text = x'677265656e') WHERE text = x'626c7565'",
        "UPDATE answer SET seal = x'' WHERE text = x'626c7565'",
        "ALTER TABLE answer DROP COLUMN seal; PRAGMA user_version = 1",
    };
    for (size_t i = 0; i < COUNT(changes); i++) {
        auto_place p;
        place_init(&p);
        struct ledger *l = open_ledger(&p, MIB);
        keep(l, 1, "blue", 4);
        keep(l, 2, "green", 5);
        ledger_free(l);
        run_sql(in(p.cache, "answers.db"), changes[i]);
        auto_ledger *again = open_ledger(&p, MIB);
        CHECK(!found(again, 1));
        CHECK(i == COUNT(changes) - 1 ? !found(again, 2) : !strcmp(found(again, 2), "green"));
        keep(again, 1, "blue", 4);
        CHECK_STR(found(again, 1), "blue");
    }
}

TEST(a_newer_version_is_left_alone)
{
    auto_place p;
    place_init(&p);
    struct ledger *l = open_ledger(&p, MIB);
    add(l, "x", "m", NOON, 5);
    keep(l, 1, "red", 3);
    ledger_free(l);
    run_sql(in(p.state, "usage.db"), "PRAGMA user_version = 99");
    run_sql(in(p.cache, "answers.db"), "PRAGMA user_version = 99");
    struct ledger_entry e = entry("x", "m", NOON, 5);
    struct fovea_fault fault = {0};
    int64_t count = 0;
    l = open_ledger(&p, MIB);
    CHECK(ledger_add(l, &e, &fault) == -ENOTSUP && strstr(fault.text, "usage.db") && strstr(fault.text, "newer"));
    CHECK(!found(l, 1));
    keep(l, 2, "green", 5);
    CHECK(!found(l, 2));
    CHECK(answers_clear(l, &count, &fault) == -ENOTSUP);
    ledger_free(l);
    run_sql(in(p.cache, "answers.db"), "PRAGMA user_version = 2");
    l = open_ledger(&p, MIB);
    CHECK_STR(found(l, 1), "red");
    ledger_free(l);
}

TEST(files_that_are_taken_away_are_made_again)
{
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, MIB);
    add(l, "x", "m", NOON, 5);
    keep(l, 1, "red", 3);
    CHECK(unlink(in(p.state, "usage.db")) == 0);
    CHECK(rename(p.cache, in(p.tree.top, "away")) == 0);
    CHECK(spent(l, NULL, 0) == 0 && !found(l, 1));
    add(l, "x", "m", NOON, 7);
    keep(l, 1, "green", 5);
    auto_ledger *other = open_ledger(&p, MIB);
    CHECK(spent(other, NULL, 0) == 7);
    CHECK_STR(found(other, 1), "green");
}

TEST(a_new_file_does_not_take_over_the_log_of_one_that_is_still_open)
{
    auto_place p;
    place_init(&p);
    auto_ledger *old = open_ledger(&p, MIB), *new = open_ledger(&p, MIB);
    for (int i = 0; i < 50; i++)
        add(old, "x", "m", NOON, 5);
    CHECK(unlink(in(p.state, "usage.db")) == 0);
    add(new, "x", "m", NOON, 7);
    add(new, "y", "n", NOON, 7);
    CHECK(spent(new, NULL, 0) == 14 && spent(old, NULL, 0) == 14);
    add(old, "x", "m", NOON, 1);
    CHECK(spent(new, NULL, 0) == 15);
    CHECK(ask_number(in(p.state, "usage.db"), "SELECT count(*) FROM call") == 3);
}

/* ---------------------------------------------------------------- answers */

TEST(answers_are_found_as_they_were_kept)
{
    static const char *const texts[] = {"", "red", "{\"a\":\"\\u0000\"}", "h\xc3\xa9"};
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, MIB);
    for (unsigned i = 0; i < COUNT(texts); i++)
        keep(l, i, texts[i], strlen(texts[i]));
    for (unsigned i = 0; i < COUNT(texts); i++)
        CHECK_STR(found(l, i), texts[i]);
    keep(l, 1, "blue", 4);
    CHECK_STR(found(l, 1), "blue");
    CHECK(!found(l, 99));
    keep(l, 50, "a\0b", 3);
    CHECK(!found(l, 50));
    int64_t count = 0;
    CHECK(answers_clear(l, &count, NULL) == 0 && count == COUNT(texts));
    CHECK(!found(l, 0));
    keep(l, 0, "again", 5);
    CHECK_STR(found(l, 0), "again");
}

TEST(one_long_answer_is_not_kept)
{
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, 64 * MIB), *small = open_ledger(&p, 1000), *none = open_ledger(&p, 0);
    auto_free char *text = malloc(LIMIT_KEPT_ANSWER + 1);
    memset(text, 'a', LIMIT_KEPT_ANSWER + 1);
    keep(l, 1, text, LIMIT_KEPT_ANSWER + 1);
    CHECK(!found(l, 1));
    keep(l, 1, text, LIMIT_KEPT_ANSWER);
    CHECK(found(l, 1) && strlen(found(l, 1)) == LIMIT_KEPT_ANSWER);
    keep(small, 2, text, 1000);
    CHECK(!found(l, 2));
    keep(none, 3, "red", 3);
    CHECK(!found(l, 3) && !found(none, 1));
}

TEST(the_least_recently_used_go_and_the_bound_holds)
{
    auto_place p;
    place_init(&p);
    enum { ROOM = 20000, TEXT = 1000, EACH = TEXT + 128, FIT = ROOM / EACH };
    auto_ledger *l = open_ledger(&p, ROOM);
    char text[TEXT], sql[128];
    memset(text, 'a', sizeof text);
    for (unsigned i = 0; i < FIT; i++)
        keep(l, i, text, sizeof text);
    for (unsigned i = 0; i < FIT; i++)
        CHECK_MSG(found(l, i) != NULL, "%u", i);
    run_sql(in(p.cache, "answers.db"), "UPDATE answer SET used = used - 1000 + id");
    CHECK(found(l, 0) != NULL); /* refreshes it */
    keep(l, FIT, text, sizeof text);
    keep(l, FIT + 1, text, sizeof text);
    CHECK(found(l, 0) && !found(l, 1) && !found(l, 2) && found(l, 3) && found(l, FIT) && found(l, FIT + 1));
    CHECK(ask_number(in(p.cache, "answers.db"), "SELECT bytes FROM held") == FIT * EACH);
    CHECK(ask_number(in(p.cache, "answers.db"), "SELECT sum(bytes) FROM answer") == FIT * EACH);
    keep(l, 3, "b", 1); /* one that shrinks gives its room back */
    CHECK(ask_number(in(p.cache, "answers.db"), "SELECT bytes FROM held") == (FIT - 1) * EACH + 129);
    auto_ledger *less = open_ledger(&p, 3 * EACH);
    keep(less, 100, text, sizeof text);
    (void)snprintf(sql, sizeof sql, "SELECT bytes <= %d AND bytes = (SELECT sum(bytes) FROM answer) FROM held", 3 * EACH);
    CHECK(ask_number(in(p.cache, "answers.db"), sql) == 1 && found(less, 100));
}

TEST(a_find_writes_only_once_a_minute)
{
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, MIB);
    keep(l, 1, "red", 3);
    static const struct {
        int age;
        bool refreshed;
    } rows[] = {{0, false}, {50, false}, {70, true}, {-500, true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char sql[96];
        (void)snprintf(sql, sizeof sql, "UPDATE answer SET used = %lld", (long long)time(NULL) - rows[i].age);
        run_sql(in(p.cache, "answers.db"), sql);
        int64_t before = ask_number(in(p.cache, "answers.db"), "SELECT used FROM answer");
        CHECK_STR(found(l, 1), "red");
        int64_t after = ask_number(in(p.cache, "answers.db"), "SELECT used FROM answer");
        CHECK_MSG((before != after) == rows[i].refreshed, "row %zu", i);
    }
}

TEST(a_cache_that_others_hold_does_not_hold_us_up)
{
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, MIB);
    sqlite3 *db = NULL;
    keep(l, 1, "red", 3);
    run_sql(in(p.cache, "answers.db"), "UPDATE answer SET used = 0");
    CHECK(sqlite3_open(in(p.cache, "answers.db"), &db) == SQLITE_OK &&
          sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) == SQLITE_OK);
    struct timespec from, to;
    (void)clock_gettime(CLOCK_MONOTONIC, &from);
    CHECK_STR(found(l, 1), "red"); /* readers need not wait, and its refresh does not */
    keep(l, 2, "green", 5);
    (void)clock_gettime(CLOCK_MONOTONIC, &to);
    CHECK(to.tv_sec - from.tv_sec <= 2);
    sqlite3_close(db);
    CHECK(!found(l, 2));
}

static int64_t add_timed(struct ledger *l, int *ret)
{
    struct ledger_entry e = entry("x", "m", NOON, 5);
    int64_t from = clock_ms();
    *ret = ledger_add(l, &e, NULL);
    return clock_ms() - from;
}

struct waiter {
    pthread_t thread;
    struct ledger *l;
    int code;
    int64_t ms;
};

static void *wait_thread(void *arg)
{
    struct waiter *w = arg;
    w->ms = add_timed(w->l, &w->code);
    return NULL;
}

TEST(waits_for_another_program_do_not_add_up)
{
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, MIB);
    struct waiter w[6];
    sqlite3 *db = NULL;
    int code;
    add(l, "x", "m", NOON, 5);
    CHECK(sqlite3_open(in(p.state, "usage.db"), &db) == SQLITE_OK &&
          sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK);
    for (size_t i = 0; i < COUNT(w); i++) {
        w[i] = (struct waiter){.l = l};
        CHECK(pthread_create(&w[i].thread, NULL, wait_thread, &w[i]) == 0);
    }
    for (size_t i = 0; i < COUNT(w); i++) {
        (void)pthread_join(w[i].thread, NULL);
        CHECK_MSG(w[i].code == -EBUSY && w[i].ms < LIMIT_LEDGER_BUSY_MS + 1500, "%d after %lld ms", w[i].code, (long long)w[i].ms);
    }
    int64_t ms = add_timed(l, &code);
    CHECK_MSG(code == -EBUSY && ms < LIMIT_LEDGER_BRIEF_MS + 750, "%d after %lld ms", code, (long long)ms);
    CHECK(spent(l, NULL, 0) == 5); /* who only reads is not held up */
    sqlite3_close(db);
    ms = add_timed(l, &code);
    CHECK_MSG(code == 0, "%d after %lld ms", code, (long long)ms);
    CHECK(spent(l, NULL, 0) == 10);
}

/* ---------------------------------------------------------------- many at once */

enum { THREADS = 8, PROCESSES = 6, ROUNDS = 40 };

static void work(struct ledger *l, unsigned who)
{
    char session[16];
    (void)snprintf(session, sizeof session, "s%u", who);
    for (unsigned i = 0; i < ROUNDS; i++) {
        add(l, session, "m", NOON + (int)i, 3);
        keep(l, i, "red", 3);
        const char *text = NULL;
        uint8_t key[SHA256_LEN];
        char *got = NULL;
        key_of(i, key);
        if (answers_find(l, key, &got) == 0)
            text = got;
        CHECK_MSG(!text || !strcmp(text, "red"), "%s", text);
        free(got);
    }
}

struct worker {
    pthread_t thread;
    struct ledger *l;
    unsigned who;
};

static void *work_thread(void *arg)
{
    struct worker *w = arg;
    work(w->l, w->who);
    return NULL;
}

TEST(many_threads_share_a_ledger_and_lose_nothing)
{
    auto_place p;
    place_init(&p);
    auto_ledger *l = open_ledger(&p, MIB), *own = open_ledger(&p, MIB); /* two of one process, at one file */
    struct worker w[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        w[i] = (struct worker){.l = i % 2 ? l : own, .who = i};
        CHECK(pthread_create(&w[i].thread, NULL, work_thread, &w[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        (void)pthread_join(w[i].thread, NULL);
    CHECK(spent(l, NULL, 0) == THREADS * ROUNDS * 3);
    CHECK(spent(l, "s3", 0) == ROUNDS * 3);
    CHECK_STR(found(l, 1), "red");
}

TEST(many_processes_begin_and_write_the_same_files_and_lose_nothing)
{
    auto_place p;
    place_init(&p);
    pid_t child[PROCESSES];
    for (unsigned i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            struct ledger *l = open_ledger(&p, MIB);
            work(l, i);
            ledger_free(l);
            _exit(test_failed);
        }
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status = -1;
        CHECK(child[i] > 0 && waitpid(child[i], &status, 0) == child[i] && status == 0);
    }
    auto_ledger *l = open_ledger(&p, MIB);
    CHECK(spent(l, NULL, 0) == PROCESSES * ROUNDS * 3);
    CHECK_STR(found(l, ROUNDS - 1), "red");
    CHECK(ask_number(in(p.cache, "answers.db"), "SELECT bytes = (SELECT sum(bytes) FROM answer) FROM held") == 1);
}

/* A process that dies in the middle leaves nothing half done. */
TEST(what_a_killed_process_added_is_whole)
{
    auto_place p;
    place_init(&p);
    struct ledger *l = open_ledger(&p, MIB);
    add(l, "first", "m", NOON, 1);
    ledger_free(l);
    for (int round = 0; round < 5; round++) {
        pid_t child = fork();
        if (child == 0) {
            l = open_ledger(&p, MIB);
            for (;;)
                work(l, 1);
        }
        (void)usleep(20000);
        CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    }
    CHECK(ask_number(in(p.state, "usage.db"),
                     "SELECT (SELECT sum(nano) FROM call) = (SELECT sum(nano) FROM total WHERE kind = 2)"
                     " AND (SELECT count(*) FROM call) = (SELECT sum(calls) FROM total WHERE kind = 0)") == 1);
    auto_ledger *again = open_ledger(&p, MIB);
    add(again, "first", "m", NOON, 1);
    CHECK(spent(again, "first", 0) == 2);
}

/* ---------------------------------------------------------------- telemetry */

TEST(an_event_is_one_line_of_json_and_says_no_more_than_it_should)
{
    auto_place p;
    place_init(&p);
    char file[160], text[4096] = "";
    struct telemetry_event e = {.tool = "inspect_image", .provider = "p", .model = "m\"\n", .outcome = "ok",
                                .duration_ms = 12, .input_tokens = 7, .output_tokens = -1, .nano = 3400000, .calls = 2};
    (void)snprintf(file, sizeof file, "%s/events", p.tree.top);
    telemetry_write(NULL, &e);
    telemetry_write(file, &e);
    e = (struct telemetry_event){.tool = "x", .outcome = "LLM_ERROR", .input_tokens = -1, .output_tokens = 0, .nano = -1,
                                 .cached = true};
    telemetry_write(file, &e);
    struct stat st;
    CHECK(stat(file, &st) == 0 && (st.st_mode & 0777) == 0600);
    auto_close int fd = open(file, O_RDONLY | O_CLOEXEC);
    CHECK(read(fd, text, sizeof text - 1) > 0);
    char *second = strchr(text, '\n') + 1;
    CHECK(strchr(second, '\n') && !strchr(second, '\n')[1]);
    const char *head = "{\"time\":\"20";
    CHECK(!strncmp(text, head, strlen(head)));
    CHECK(strstr(text, "Z\",\"kind\":\"oneshot\",\"tool\":\"inspect_image\",\"provider\":\"p\",\"model\":\"m\\\"\\n\","
                       "\"outcome\":\"ok\",\"duration_ms\":12,\"input_tokens\":7,\"output_tokens\":null,"
                       "\"cost_usd\":0.0034,\"cached\":false,\"calls\":2}\n"));
    CHECK(strstr(second, "\"provider\":null,\"model\":null,\"outcome\":\"LLM_ERROR\",\"duration_ms\":0,"
                         "\"input_tokens\":null,\"output_tokens\":0,\"cost_usd\":null,\"cached\":true,\"calls\":0}\n"));
    json_t *parsed = json_loads(second, JSON_DISABLE_EOF_CHECK, NULL);
    CHECK(json_is_object(parsed) && json_object_size(parsed) == 12);
    json_decref(parsed);
}

TEST(only_a_regular_file_that_is_no_link_takes_events)
{
    auto_place p;
    place_init(&p);
    char file[160], link[160], fifo[160];
    struct telemetry_event e = {.tool = "x", .outcome = "ok"};
    struct stat st;
    (void)snprintf(file, sizeof file, "%s/file", p.tree.top);
    (void)snprintf(link, sizeof link, "%s/link", p.tree.top);
    (void)snprintf(fifo, sizeof fifo, "%s/fifo", p.tree.top);
    write_file(file, "");
    CHECK(symlink(file, link) == 0 && mkfifo(fifo, 0600) == 0);
    auto_close int reader = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    char byte;
    telemetry_write(link, &e);
    telemetry_write(fifo, &e);
    telemetry_write(p.tree.top, &e);
    telemetry_write("/nowhere/at/all", &e);
    CHECK(stat(file, &st) == 0 && st.st_size == 0);
    CHECK(read(reader, &byte, 1) <= 0);
}
