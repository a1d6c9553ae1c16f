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
    tree_remove(l->folder);
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

/* That it is damaged is what is to be said. */
static int do_read_short(struct lab *l, struct fovea_fault *fault)
{
    struct record_point at = {0};
    auto_free char *text = NULL;
    int code = lab_read(l->r, "b", &at, &text, fault);
    return code == -EBADMSG && strstr(fault->text, "missing") ? 0 : code;
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
    {"read a lost end", do_read_short, "DELETE FROM entries WHERE session = 2 AND seq = 3", false},
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
    int every, then;
} ways[] = {
    {.code = -EIO},
    {.code = -EBADMSG},
    {.code = -EBADMSG, .forever = true},
    {.code = -EBADMSG, .forever = true, .every = 2},
    {.code = -EBADMSG, .forever = true, .every = 2, .then = -ENOENT},
    {.code = -EBADMSG, .forever = true, .every = 2, .then = -EBUSY},
    {.code = -ENOENT},
    {.code = -ENOENT, .forever = true},
    {.code = -EFBIG},
    {.code = -EHOSTDOWN},
    {.code = -EHOSTDOWN, .late = true},
    {.code = -EHOSTDOWN, .forever = true},
    {.code = -EROFS, .late = true},
    {.code = -EACCES, .late = true},
};

static long calls_of(const struct work *w)
{
    struct lab l;
    struct fovea_fault fault = {0};
    begin(&l, w->damage);
    fault_store.code = 0;
    fault_store.count = 0;
    left = 0;
    CHECK_MSG(w->ask(&l, &fault) == 0 && (left == 0) == (w->mends || w->ask != do_check), "%s: %s", w->name, fault.text);
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
    fault_store.every = way->every;
    fault_store.then = way->then;
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
    problems_told += !p->repaired;
    if (!p->repaired)
        fprintf(stderr, "%s: session \"%s\" entry %lld: %s\n", (const char *)arg, p->session, (long long)p->seq, p->what);
}

/* At each call to the store while session (NULL: all) is checked. */
static void check_beside(void (*other)(void *l), const char *session, bool repair, const char *damage)
{
    for (long at = 1, n = 1; at <= n; at++) {
        struct lab l;
        struct record_checked got = {0};
        char where[64];
        begin(&l, damage);
        fault_store.at = at;
        fault_store.meanwhile = other;
        fault_store.arg = &l;
        (void)snprintf(where, sizeof where, "beside %s at call %ld", other == append_more ? "who appends" : "who deletes", at);
        int code = record_check(l.r, session, repair, note_problem, where, &got, &l.fault);
        n = fault_store.count;
        CHECK_MSG(code == 0 || (session && code == -ENOENT), "%s: %s", where, l.fault.text);
        fault_store_heal();
        CHECK_MSG(check(&l, NULL, false, &l.fault) == 0 && (left == 0 || damage), "%s", where);
        done(&l);
    }
}

TEST(checking_beside_others_finds_no_damage_where_there_is_none)
{
    for (size_t i = 0; i < COUNT(others); i++) {
        check_beside(others[i], NULL, false, NULL);
        check_beside(others[i], NULL, true, NULL);
        check_beside(others[i], "b", false, NULL);
    }
    check_beside(delete_session, NULL, true, "DELETE FROM heads WHERE session = 2");
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

TEST(of_two_who_delete_each_is_done_or_told_that_it_is_gone)
{
    for (long at = 1, n = 1; at <= n; at++) {
        struct lab l;
        begin(&l, NULL);
        fault_store.at = at;
        fault_store.meanwhile = delete_session;
        fault_store.arg = &l;
        int code = record_delete(l.r, "b", &l.fault);
        n = fault_store.count;
        CHECK_MSG(code == 0 || code == -ENOENT, "call %ld: %d %s", at, code, l.fault.text);
        done(&l);
    }
}

TEST(a_record_that_is_held_for_too_long_is_busy)
{
    fovea_cancel *cancel = NULL;
    struct lab l;
    begin(&l, NULL);
    CHECK(fovea_cancel_new(&cancel, NULL) == 0);
    l.r->held = true;
    for (size_t i = 0; i < COUNT(works); i++) {
        struct fovea_fault fault = {0};
        CHECK_MSG(works[i].ask(&l, &fault) == -EBUSY && fault.code == -EBUSY, "%s: %s", works[i].name, fault.text);
    }
    record_cancel(l.r, cancel);
    fovea_cancel_now(cancel);
    CHECK(do_read(&l, &l.fault) == -ECANCELED);
    record_cancel(l.r, NULL);
    l.r->held = false;
    fovea_cancel_free(cancel);
    done(&l);
}

TEST(a_cancel_ends_the_tries_at_a_store_that_is_lost)
{
    fovea_cancel *cancel = NULL;
    struct lab l;
    CHECK(fovea_cancel_new(&cancel, NULL) == 0);
    begin(&l, NULL);
    l.r->wait.ms = 60000;
    record_cancel(l.r, cancel);
    fault_store.at = 1;
    fault_store.code = -EHOSTDOWN;
    fault_store.forever = true;
    fault_store.meanwhile = strike;
    fault_store.arg = cancel;
    CHECK(do_read(&l, &l.fault) == -EHOSTUNREACH);
    l.r->wait.ms = WAIT_MS;
    record_cancel(l.r, NULL);
    struct record_point last;
    CHECK(record_last(l.r, "a", &last, NULL) == -EHOSTUNREACH); /* who wants no words gets none */
    fovea_cancel_free(cancel);
    done(&l);
}

TEST(a_name_that_is_none_is_refused_by_each_call)
{
    struct lab l;
    struct record_point point = {0};
    auto_free char *text = NULL;
    int64_t seq;
    int n = 0;
    begin(&l, NULL);
    CHECK(record_find(l.r, "a b", "m", &seq, &l.fault) == -EINVAL && record_last(l.r, "", &point, &l.fault) == -EINVAL);
    CHECK(record_sessions(l.r, "a/b", count_session, &n, &l.fault) == -EINVAL && record_delete(l.r, "\n", &l.fault) == -EINVAL);
    CHECK(check(&l, "a b", false, &l.fault) == -EINVAL && lab_read(l.r, "a b", &point, &text, &l.fault) == -EINVAL);
    done(&l);
}

/* ---------------------------------------------------------------- what cannot be read, or understood */

static int refuse(const struct record_entry *e, void *arg)
{
    (void)e, (void)arg;
    return -EBADMSG;
}

TEST(what_a_reader_says_is_what_is_returned)
{
    struct lab l;
    struct record_point at = {0};
    begin(&l, NULL);
    CHECK(record_read(l.r, "a", &at, refuse, NULL, &l.fault) == -EBADMSG);
    done(&l);
}

TEST(reading_goes_on_from_no_entry_that_is_lost)
{
    struct lab l;
    auto_free char *text = NULL, *more = NULL;
    begin(&l, "DELETE FROM entries WHERE session = 2 AND seq = 2");
    struct record_point at = {.seq = 2}, first = {0};
    CHECK(lab_read(l.r, "b", &at, &text, &l.fault) == -ESTALE);
    CHECK(lab_read(l.r, "b", &first, &more, &l.fault) == -EBADMSG && strstr(l.fault.text, "entry 2 is missing"));
    done(&l);
}

enum { LONG = 600, BAD_TO = 500 };

static void say_long(struct lab *l)
{
    static struct record_new entries[LONG];
    struct record_append a = {.session = "long", .entries = entries, .count = LONG, .after = -1};
    struct record_appended got;
    for (size_t i = 0; i < LONG; i++)
        entries[i] = (struct record_new){"hello", 5};
    CHECK(record_append(l->r, &a, &got, &l->fault) == 0);
}

static void first_problem(const struct record_problem *p, void *arg)
{
    if (!*(int64_t *)arg)
        *(int64_t *)arg = p->seq;
}

TEST(past_many_entries_that_cannot_be_read_the_rest_is_checked)
{
    struct record_checked got = {0};
    fovea_cancel *cancel = NULL;
    struct lab l;
    int64_t seq = 0;
    begin(&l, NULL);
    say_long(&l);
    fault_store.bad_to = BAD_TO;
    CHECK(record_check(l.r, "long", false, first_problem, &seq, &got, &l.fault) == 0);
    CHECK_MSG(seq == 1 && got.entries == LONG - BAD_TO + 1, "%lld, %lld entries", (long long)seq, (long long)got.entries);
    fault_store.odd_from = 447; /* on the way back to where it begins */
    CHECK(record_check(l.r, "long", false, NULL, NULL, &got, &l.fault) == -EBUSY);
    fault_store.odd_from = -1;
    CHECK(fovea_cancel_new(&cancel, NULL) == 0);
    record_cancel(l.r, cancel);
    fault_store.count = 0;
    fault_store.at = 20;
    fault_store.meanwhile = strike;
    fault_store.arg = cancel;
    CHECK(record_check(l.r, "long", false, NULL, NULL, &got, &l.fault) == -ECANCELED);
    record_cancel(l.r, NULL);
    fovea_cancel_free(cancel);
    done(&l);
}

static size_t mark_len;

static int derive_marks(const char *body, size_t len, struct record_index *to)
{
    static char name[2 * LIMIT_MARK_BYTES];
    (void)body, (void)len;
    memset(name, 'm', sizeof name);
    return to->mark(to, name, mark_len);
}

TEST(marks_have_their_limits)
{
    struct lab l;
    begin(&l, NULL);
    l.r->derive = derive_marks;
    mark_len = 0;
    CHECK(lab_say(l.r, "marks", NULL, "x") == -EINVAL);
    mark_len = LIMIT_MARK_BYTES + 1;
    CHECK(lab_say(l.r, "marks", NULL, "x") == -EINVAL);
    CHECK(check(&l, NULL, false, &l.fault) == 0 && left > 0); /* what was written cannot be understood any more */
    done(&l);
}

TEST(more_than_is_made_anew_at_once_is_made_in_turns)
{
    static struct record_new entries[1200];
    struct record_append a = {.session = "marks", .entries = entries, .count = COUNT(entries), .after = -1};
    struct record_appended got;
    struct lab l;
    begin(&l, NULL);
    for (size_t i = 0; i < COUNT(entries); i++)
        entries[i] = (struct record_new){"x", 1};
    l.r->derive = derive_marks;
    mark_len = LIMIT_MARK_BYTES;
    CHECK(record_append(l.r, &a, &got, &l.fault) == 0);
    CHECK(sql(&l, "DELETE FROM sessions WHERE id < 3; DELETE FROM entries WHERE session < 3; DELETE FROM heads; DELETE FROM marks;"
                  "DELETE FROM uses; DELETE FROM variants"));
    CHECK(check(&l, NULL, true, &l.fault) == 0);
    CHECK_MSG(check(&l, NULL, false, &l.fault) == 0 && left == 0, "%lld", (long long)left);
    done(&l);
}

TEST(what_a_session_of_no_name_or_no_sense_uses_is_not_guessed)
{
    struct lab l;
    begin(&l, "DELETE FROM heads; UPDATE sessions SET name = 'a b' WHERE name = 'a'; UPDATE entries SET body = CAST('x' AS BLOB) WHERE session = 1");
    CHECK(record_delete(l.r, "b", &l.fault) == -EBADMSG && strstr(l.fault.text, "\"?\""));
    done(&l);
    begin(&l, "DELETE FROM heads WHERE session = 1");
    l.r->derive = derive_marks;
    mark_len = LIMIT_MARK_BYTES + 1;
    CHECK(record_delete(l.r, "b", &l.fault) == -EBADMSG && strstr(l.fault.text, "\"a\""));
    done(&l);
}

/* It once went on past the last entry, from number to number. */
TEST(a_check_ends_where_every_other_read_fails)
{
    struct lab l;
    begin(&l, NULL);
    fault_store.at = 1;
    fault_store.code = -EBADMSG;
    fault_store.forever = true;
    fault_store.every = 2;
    CHECK(check(&l, NULL, false, &l.fault) == 0 && left > 0);
    CHECK(fault_store.count < 1000);
    done(&l);
}
