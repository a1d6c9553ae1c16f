/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record above a store that fails: each thing it is asked for is asked with each call to the store failing, in each way that a
 * store may fail; and with somebody else at work, or a cancel, at each moment.
 */
#include <sqlite3.h>

#include "base/clock.h"
#include "fault_store.h"
#include "record_lab.h"
#include "test.h"

enum { WAIT_MS = 10 };

static const char picture[] = "a picture", small[] = "small";

/* Session a with a picture, which has a smaller version; b uses the same picture, and another. */
static void say_all(struct lab *l)
{
    struct record_variant v = {.media_type = "image/png", .width = 3, .height = 4, .bytes = 5};
    uint8_t of[SHA256_LEN];
    CHECK(lab_say(l->r, "a", "first", "one mark:m") == 1);
    CHECK(lab_show(l->r, "a", picture, 9) == 2);
    CHECK(lab_say(l->r, "b", NULL, "one") == 1);
    CHECK(lab_show(l->r, "b", picture, 9) == 2 && lab_show(l->r, "b", "other", 5) == 3);
    sha256(picture, 9, of);
    sha256(small, 5, v.sha256);
    CHECK(record_variant_keep(l->r, of, "edge=1", &v, small, &v, &l->fault) == 0);
}

static bool sql(const struct lab *l, const char *words)
{
    sqlite3 *db = NULL;
    int code = sqlite3_open_v2(l->file, &db, SQLITE_OPEN_READWRITE, NULL);
    (void)sqlite3_busy_timeout(db, 1000);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(db, words, NULL, NULL, NULL);
    (void)sqlite3_close(db);
    return code == SQLITE_OK;
}

/* A record as it is after damage was done to it: made once, then copied. */
static struct {
    const char *damage;
    char *data;
    size_t len;
} made;

static void make(struct lab *l, const char *damage)
{
    struct stat st = {0};
    l->r = lab_open_as(l, "sqlite:", 0);
    say_all(l);
    record_close(take(l->r));
    CHECK_MSG(!damage || sql(l, damage), "%s", damage);
    CHECK(sql(l, "PRAGMA wal_checkpoint(TRUNCATE)"));
    auto_close int fd = open(l->file, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && fstat(fd, &st) == 0);
    free(made.data);
    made.damage = damage;
    made.len = (size_t)st.st_size;
    made.data = malloc(made.len + 1);
    CHECK(made.data && read(fd, made.data, made.len) == st.st_size);
}

static void copy(const struct lab *l)
{
    CHECK(mkdir(l->folder, 0700) == 0);
    auto_close int fd = open(l->file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write(fd, made.data, made.len) == (ssize_t)made.len);
}

/* In memory where that is to be had: nothing here is about disks. */
static void begin(struct lab *l, const char *damage)
{
    lab_init(l);
    record_close(take(l->r));
    (void)snprintf(l->folder, sizeof l->folder, "%s/fovea-%s", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", l->prefix);
    (void)snprintf(l->file, sizeof l->file, "%s/record.db", l->folder);
    fault_store_heal();
    if (made.data && made.damage == damage)
        copy(l);
    else
        make(l, damage);
    l->r = lab_open_as(l, "sqlite:", WAIT_MS);
    fault_store_under(l->r);
}

static void done(struct lab *l)
{
    record_close(take(l->r));
    (void)nftw(l->folder, tree_remove_one, 8, FTW_DEPTH | FTW_PHYS);
    tree_done(&l->tree);
}

/* ---------------------------------------------------------------- what is asked for */

static int64_t left; /* problems that the last check left */

static int do_append(struct lab *l, struct fovea_fault *fault)
{
    static const struct record_new entries[] = {{"two mark:m mark:n", 17}, {"three", 5}};
    struct record_blob blob = {.data = "more", .len = 4};
    struct record_appended got = {0};
    char body[128] = "use:";
    sha256("more", 4, blob.sha256);
    sha256_hex(blob.sha256, body + 4);
    struct record_new all[] = {entries[0], {body, strlen(body)}, entries[1]};
    struct record_append a = {.session = "a", .key = "k", .entries = all, .count = 3, .blobs = &blob, .n_blobs = 1, .after = -1};
    int code = record_append(l->r, &a, &got, fault);
    CHECK(code < 0 || (got.first == 3 && got.last == 5));
    return code;
}

static int do_append_known(struct lab *l, struct fovea_fault *fault)
{
    struct record_new e = {"one mark:m", 10};
    struct record_append a = {.session = "a", .key = "first", .entries = &e, .count = 1, .after = -1};
    struct record_appended got = {0};
    int code = record_append(l->r, &a, &got, fault);
    CHECK(code < 0 || (got.first == 1 && got.again));
    return code;
}

static int do_read(struct lab *l, struct fovea_fault *fault)
{
    struct record_point at = {0};
    auto_free char *text = NULL;
    int code = lab_read(l->r, "b", &at, &text, fault);
    CHECK(code < 0 || at.seq == 3);
    return code;
}

static int do_find(struct lab *l, struct fovea_fault *fault)
{
    int64_t seq = 0;
    int code = record_find(l->r, "a", "m", &seq, fault);
    CHECK(code < 0 || seq == 1);
    return code;
}

/* A session that is not there ends at 0: that is no lie of a store that says so. */
static int do_last(struct lab *l, struct fovea_fault *fault)
{
    struct record_point p = {0};
    int code = record_last(l->r, "b", &p, fault);
    CHECK(code < 0 || p.seq == 3 || fault_store.code == -ENOENT);
    return code;
}

static void count_session(const struct record_session *s, void *arg)
{
    (void)s;
    ++*(int *)arg;
}

static int do_sessions(struct lab *l, struct fovea_fault *fault)
{
    int n = 0, code = record_sessions(l->r, NULL, count_session, &n, fault);
    CHECK(code < 0 || n == 2 || fault_store.code == -ENOENT);
    return code;
}

static int do_session(struct lab *l, struct fovea_fault *fault)
{
    int n = 0, code = record_sessions(l->r, "a", count_session, &n, fault);
    CHECK(code < 0 || n == 1);
    return code;
}

static int do_blob(struct lab *l, struct fovea_fault *fault)
{
    auto_free void *data = NULL;
    size_t len = 0;
    uint8_t of[SHA256_LEN];
    sha256(picture, 9, of);
    int code = record_blob(l->r, of, &data, &len, fault);
    CHECK(code < 0 || len == 9);
    return code;
}

static int do_variant(struct lab *l, struct fovea_fault *fault)
{
    struct record_variant v = {0};
    uint8_t of[SHA256_LEN];
    sha256(picture, 9, of);
    int code = record_variant(l->r, of, "edge=1", &v, fault);
    CHECK(code < 0 || v.width == 3);
    return code;
}

static int do_keep(struct lab *l, struct fovea_fault *fault)
{
    struct record_variant v = {.media_type = "image/png", .width = 1, .height = 2, .bytes = 4}, got = {0};
    uint8_t of[SHA256_LEN];
    sha256(picture, 9, of);
    sha256("tiny", 4, v.sha256);
    int code = record_variant_keep(l->r, of, "edge=2", &v, "tiny", &got, fault);
    CHECK(code < 0 || got.width == 1);
    return code;
}

static int do_sync(struct lab *l, struct fovea_fault *fault)
{
    return record_sync(l->r, fault);
}

static int check(struct lab *l, const char *session, bool repair, struct fovea_fault *fault)
{
    struct record_checked got = {0};
    int code = record_check(l->r, session, repair, NULL, NULL, &got, fault);
    left = code < 0 ? -1 : got.problems;
    return code;
}

static int do_check(struct lab *l, struct fovea_fault *fault)
{
    return check(l, NULL, false, fault);
}

static int do_check_one(struct lab *l, struct fovea_fault *fault)
{
    return check(l, "b", false, fault);
}

static int do_repair(struct lab *l, struct fovea_fault *fault)
{
    return check(l, NULL, true, fault);
}

/* It was there, or it is gone already. */
static int do_delete(struct lab *l, struct fovea_fault *fault)
{
    int code = record_delete(l->r, "b", fault);
    return code == -ENOENT && fault_store.code != -ENOENT ? 0 : code;
}

#define FLIP_PICTURE "UPDATE blobs SET data = CAST('a picturf' AS BLOB) WHERE length(data) = 9;"
#define FLIP_SMALL "UPDATE blobs SET data = CAST('smalm' AS BLOB) WHERE data = CAST('small' AS BLOB);"

static const struct work {
    const char *name;
    int (*ask)(struct lab *l, struct fovea_fault *fault);
    const char *damage; /* done to the record before */
    bool mends;         /* all of it */
} works[] = {
    {"append", do_append, NULL, true},
    {"append what is there", do_append_known, NULL, true},
    {"read", do_read, NULL, true},
    {"find", do_find, NULL, true},
    {"last", do_last, NULL, true},
    {"sessions", do_sessions, NULL, true},
    {"session", do_session, NULL, true},
    {"blob", do_blob, NULL, true},
    {"variant", do_variant, NULL, true},
    {"keep", do_keep, NULL, true},
    {"sync", do_sync, NULL, true},
    {"check", do_check, NULL, true},
    {"check one", do_check_one, NULL, true},
    {"check damaged bytes", do_check, FLIP_PICTURE FLIP_SMALL, false},
    {"check a lost end", do_check, "DELETE FROM entries WHERE session = 2 AND seq = 3", false},
    {"repair heads and uses", do_repair, "DELETE FROM heads; DELETE FROM uses; DELETE FROM marks", true},
    {"repair structure", do_repair, "INSERT INTO marks VALUES (77, CAST('x' AS BLOB), 1)", true},
    {"repair a version", do_repair, FLIP_SMALL, true},
    {"repair a version's row", do_repair, "UPDATE variants SET width = 9", true},
    {"repair a version beside lost uses", do_repair, "UPDATE variants SET width = 9; DELETE FROM heads", true},
    {"delete", do_delete, NULL, true},
    {"delete beside lost uses", do_delete, "DELETE FROM uses WHERE session = 1", true},
    {"delete beside lost bytes", do_delete, "DELETE FROM blobs WHERE length(data) = 9", false},
};

/* ---------------------------------------------------------------- each call fails */

static const struct way {
    int code;
    bool late, forever;
} ways[] = {
    {-EIO, false, false},    {-EBADMSG, false, false},   {-EBADMSG, false, true},   {-ENOENT, false, false},   {-ENOENT, false, true},
    {-EFBIG, false, false},  {-EHOSTDOWN, false, false}, {-EHOSTDOWN, true, false}, {-EHOSTDOWN, false, true}, {-EROFS, true, false},
    {-EACCES, true, false},
};

static long calls_of(const struct work *w)
{
    struct lab l;
    struct fovea_fault fault = {0};
    begin(&l, w->damage);
    fault_store.code = 0;
    fault_store.count = 0;
    left = 0;
    CHECK_MSG(w->ask(&l, &fault) == 0 && (left == 0) == (w->mends || !w->damage || w->ask == do_delete), "%s: %s", w->name, fault.text);
    long n = fault_store.count;
    done(&l);
    return n;
}

static void fail_at(const struct work *w, long at, const struct way *way)
{
    struct lab l;
    struct fovea_fault fault = {0};
    begin(&l, w->damage);
    fault_store.at = at;
    fault_store.code = way->code;
    fault_store.late = way->late;
    fault_store.forever = way->forever;
    int code = w->ask(&l, &fault);
    CHECK_MSG(code == 0 || (fault.code == code && fault.text[0]), "%s, call %ld, %d: %d %d \"%s\"", w->name, at, way->code, code,
              fault.code, fault.text);
    CHECK_MSG(code != -EHOSTDOWN, "%s, call %ld: a word that is not the record's", w->name, at);
    fault_store_heal();
    fault_store.code = 0;
    CHECK_MSG(w->ask(&l, &fault) == 0, "%s again, call %ld, %d: %s", w->name, at, way->code, fault.text);
    /* Of who is told that nothing is there no more can be asked; nor to take out bytes that a damaged session may use. */
    if (w->mends && way->code != -ENOENT && (way->code != -EBADMSG || w->ask != do_repair))
        CHECK_MSG(check(&l, NULL, false, &fault) == 0 && left == 0, "%s, call %ld, %d late %d forever %d: %lld left", w->name, at, way->code,
                  way->late, way->forever, (long long)left);
    done(&l);
}

TEST(a_store_may_fail_at_each_call_and_nothing_is_lost)
{
    for (size_t i = 0; i < COUNT(works); i++)
        for (long n = calls_of(&works[i]), at = 1; at <= n; at++)
            for (size_t k = 0; k < COUNT(ways); k++)
                if (works[i].ask == do_sync || (ways[k].code != -EROFS && ways[k].code != -EACCES))
                    fail_at(&works[i], at, &ways[k]);
}

/* ---------------------------------------------------------------- somebody else, at each moment */

static void strike(void *arg)
{
    fovea_cancel_now(arg);
}

TEST(a_cancel_at_any_moment_ends_the_call_or_comes_too_late)
{
    fovea_cancel *cancel = NULL;
    CHECK(fovea_cancel_new(&cancel, NULL) == 0);
    for (size_t i = 0; i < COUNT(works); i++)
        for (long n = calls_of(&works[i]), at = 1; at <= n; at++) {
            struct lab l;
            struct fovea_fault fault = {0};
            begin(&l, works[i].damage);
            fovea_cancel_reset(cancel);
            record_cancel(l.r, cancel);
            fault_store.at = at;
            fault_store.code = 0;
            fault_store.meanwhile = strike;
            fault_store.arg = cancel;
            int code = works[i].ask(&l, &fault);
            CHECK_MSG(code == 0 || (code == -ECANCELED && fault.code == code), "%s, call %ld: %d %s", works[i].name, at, code, fault.text);
            record_cancel(l.r, NULL);
            fault_store_heal();
            CHECK_MSG(works[i].ask(&l, &fault) == 0, "%s again, call %ld: %s", works[i].name, at, fault.text);
            done(&l);
        }
    fovea_cancel_free(cancel);
}

/* What another process does. */
static void delete_session(void *arg)
{
    struct lab *l = arg;
    struct record *other = lab_open_as(l, "sqlite:", 0);
    CHECK(record_delete(other, "b", NULL) == 0);
    record_close(other);
}

static void begin_anew(void *arg)
{
    struct lab *l = arg;
    struct record *other = lab_open_as(l, "sqlite:", 0);
    CHECK(record_delete(other, "b", NULL) == 0);
    CHECK(lab_say(other, "b", NULL, "anew mark:m") == 1);
    record_close(other);
}

static void append_more(void *arg)
{
    struct lab *l = arg;
    struct record *other = lab_open_as(l, "sqlite:", 0);
    CHECK(lab_say(other, "b", NULL, "more mark:m") == 4 && lab_show(other, "b", "new", 3) == 5);
    record_close(other);
}

static void (*const others[])(void *l) = {delete_session, begin_anew, append_more};

static int problems_told;

static void note_problem(const struct record_problem *p, void *arg)
{
    problems_told++;
    fprintf(stderr, "%s: session \"%s\" entry %lld: %s\n", (const char *)arg, p->session, (long long)p->seq, p->what);
}

/* At each call to the store while session (NULL: all) is checked. */
static void check_beside(void (*other)(void *l), const char *session, bool repair)
{
    for (long at = 1, n = 1; at <= n; at++) {
        struct lab l;
        struct record_checked got = {0};
        char where[64];
        begin(&l, NULL);
        fault_store.code = 0;
        fault_store.at = at;
        fault_store.meanwhile = other;
        fault_store.arg = &l;
        (void)snprintf(where, sizeof where, "beside %s at call %ld", other == append_more ? "who appends" : "who deletes", at);
        int code = record_check(l.r, session, repair, note_problem, where, &got, &l.fault);
        n = fault_store.count;
        CHECK_MSG(code == 0 || (session && code == -ENOENT), "%s: %s", where, l.fault.text);
        fault_store_heal();
        CHECK_MSG(check(&l, NULL, false, &l.fault) == 0 && left == 0, "%s", where);
        done(&l);
    }
}

TEST(checking_beside_others_finds_no_damage_where_there_is_none)
{
    for (size_t i = 0; i < COUNT(others); i++) {
        check_beside(others[i], NULL, false);
        check_beside(others[i], NULL, true);
        check_beside(others[i], "b", false);
    }
    CHECK_MSG(problems_told == 0, "%d", problems_told);
}

TEST(who_reads_a_session_that_goes_is_told_so_and_of_no_damage)
{
    for (size_t i = 0; i < COUNT(others); i++)
        for (long at = 1, n = 1; at <= n; at++) {
            struct lab l;
            struct record_point point = {0};
            auto_free char *text = NULL;
            begin(&l, NULL);
            fault_store.code = 0;
            fault_store.at = at;
            fault_store.meanwhile = others[i];
            fault_store.arg = &l;
            int code = lab_read(l.r, "b", &point, &text, &l.fault);
            n = fault_store.count;
            CHECK_MSG(code == 0 || code == -ESTALE || code == -ENOENT, "call %ld: %d %s", at, code, l.fault.text);
            done(&l);
        }
}
