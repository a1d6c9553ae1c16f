/* SPDX-License-Identifier: Apache-2.0 */
/* The record in a SQLite file: damage, versions, the lease, and disks that are full, failing or read-only. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "fault_vfs.h"
#include "record/record_priv.h"
#include "record_lab.h"
#include "test.h"

static struct record *lab_begin(struct lab *l)
{
    lab_init(l);
    record_close(l->r);
    return l->r = lab_open_as(l, "sqlite:", 0);
}

static struct record *lab_again(struct lab *l)
{
    record_close(l->r);
    return l->r = lab_open_as(l, "sqlite:", 0);
}

/* flip(bytes): the same with one bit of its first byte changed. */
static void flip_first(sqlite3_context *context, int n, sqlite3_value **values)
{
    char bytes[256];
    size_t len = (size_t)sqlite3_value_bytes(values[0]);
    (void)n;
    CHECK(len > 0 && len <= sizeof bytes);
    memcpy(bytes, sqlite3_value_blob(values[0]), len);
    bytes[0] ^= 1;
    sqlite3_result_blob64(context, bytes, len, SQLITE_TRANSIENT);
}

/* The hash of the first entry of session b, by its time, key and body. */
static void hash_first(sqlite3_context *context, int n, sqlite3_value **values)
{
    static const uint8_t none[SHA256_LEN];
    (void)n;
    struct backend_row row = {.seq = 1, .at_ms = sqlite3_value_int64(values[0]), .key = (const char *)sqlite3_value_text(values[1]),
                              .body = sqlite3_value_blob(values[2]), .len = (size_t)sqlite3_value_bytes(values[2])};
    record_hash(none, "b", &row, row.hash);
    sqlite3_result_blob64(context, row.hash, SHA256_LEN, SQLITE_TRANSIENT);
}

/* By another connection, as whoever damages it would. */
static int sql(const struct lab *l, const char *words)
{
    sqlite3 *db = NULL;
    int code = sqlite3_open_v2(l->file, &db, SQLITE_OPEN_READWRITE, NULL);
    if (code == SQLITE_OK)
        (void)sqlite3_busy_timeout(db, 1000);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    (void)sqlite3_create_function(db, "flip", 1, SQLITE_UTF8, NULL, flip_first, NULL, NULL);
    (void)sqlite3_create_function(db, "hashed", 3, SQLITE_UTF8, NULL, hash_first, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(db, words, NULL, NULL, NULL);
    int changed = sqlite3_total_changes(db);
    (void)sqlite3_close(db);
    return code == SQLITE_OK ? changed : -1;
}

/* Session a: five entries, the third with a picture, which has a smaller version. */
static void say_all(struct lab *l)
{
    static const char picture[] = "a picture", small[] = "small";
    struct record_variant v = {.media_type = "image/png", .width = 3, .height = 4, .bytes = 5};
    uint8_t of[SHA256_LEN];
    (void)lab_say(l->r, "a", NULL, "first mark:m");
    (void)lab_say(l->r, "a", "key", "second");
    (void)lab_show(l->r, "a", picture, 9);
    (void)lab_say(l->r, "a", NULL, "fourth mark:m mark:n");
    (void)lab_say(l->r, "a", NULL, "fifth");
    (void)lab_say(l->r, "b", NULL, "other");
    sha256(picture, 9, of);
    sha256(small, 5, v.sha256);
    CHECK(record_variant_keep(l->r, of, "edge=1", &v, small, &v, &l->fault) == 0);
}

static const struct flip {
    const char *sql;
    const char *session;
    int64_t seq;     /* that is named */
    bool repairable;
} flips[] = {
    {"UPDATE entries SET body = flip(body) WHERE session = 1 AND seq = 4", "a", 4, false},
    {"UPDATE entries SET body = CAST('fiftg' AS BLOB) WHERE session = 1 AND seq = 5", "a", 5, false},
    {"UPDATE entries SET body = CAST('' AS BLOB) WHERE session = 1 AND seq = 1", "a", 1, false},
    {"UPDATE entries SET hash = flip(hash) WHERE session = 1 AND seq = 2", "a", 2, false},
    {"UPDATE entries SET hash = flip(hash) WHERE session = 1 AND seq = 5", "a", 5, false},
    {"UPDATE entries SET hash = substr(hash, 2) WHERE session = 1 AND seq = 3", "a", 3, false},
    {"UPDATE entries SET key = 'kez' WHERE session = 1 AND seq = 2", "a", 2, false},
    {"UPDATE entries SET key = NULL WHERE session = 1 AND seq = 2", "a", 2, false},
    {"UPDATE entries SET at_ms = at_ms + 1 WHERE session = 1 AND seq = 2", "a", 2, false},
    {"UPDATE entries SET seq = 7 WHERE session = 1 AND seq = 3", "a", 3, false},
    {"UPDATE entries SET seq = 0 WHERE session = 1 AND seq = 1", "a", 1, false},
    {"UPDATE entries SET seq = 6 WHERE session = 1 AND seq = 5", "a", 5, false},
    {"UPDATE entries SET seq = 9223372036854775807 WHERE session = 1 AND seq = 5", "a", 5, false},
    {"UPDATE entries SET seq = -5 WHERE session = 1 AND seq = 5", "a", 5, false},
    {"UPDATE entries SET seq = -seq WHERE session = 1 AND seq > 3; UPDATE heads SET seq = 3, uses = (SELECT count(*) FROM uses WHERE "
     "session = 1 AND seq <= 3), hash = (SELECT hash FROM entries WHERE session = 1 AND seq = 3) WHERE session = 1;"
     "DELETE FROM marks WHERE session = 1 AND seq > 3; DELETE FROM uses WHERE session = 1 AND seq > 3", "a", 0, false},
    {"UPDATE entries SET body = x'610062', hash = hashed(at_ms, key, x'610062') WHERE session = 2;"
     "UPDATE heads SET hash = (SELECT hash FROM entries WHERE session = 2) WHERE session = 2", "b", 1, false},
    {"UPDATE sessions SET name = 'a b' WHERE name = 'b'", "", 0, false},
    {"UPDATE entries SET session = 3 WHERE session = 1 AND seq = 4", "a", 4, false},
    {"DELETE FROM entries WHERE session = 1 AND seq = 2", "a", 2, false},
    {"DELETE FROM entries WHERE session = 1 AND seq = 5", "a", 5, false},
    {"UPDATE sessions SET name = 'c' WHERE name = 'a'", "c", 1, false},
    {"UPDATE sessions SET id = 9 WHERE name = 'a'", "a", 0, false},
    {"UPDATE blobs SET data = CAST('a picturf' AS BLOB) WHERE length(data) = 9", "a", 3, false},
    {"UPDATE blobs SET data = CAST('smalm' AS BLOB) WHERE length(data) = 5", "", 0, true},
    {"UPDATE blobs SET sha256 = flip(sha256) WHERE length(data) = 9", "a", 3, false},
    {"UPDATE blobs SET sha256 = flip(sha256) WHERE length(data) = 5", "", 0, false},
    {"DELETE FROM blobs WHERE length(data) = 9", "a", 3, false},
    {"DELETE FROM blobs WHERE length(data) = 5", "", 0, true},
    {"UPDATE variants SET width = 4", "", 0, true},
    {"UPDATE variants SET media_type = 'image/gif'", "", 0, true},
    {"UPDATE variants SET spec = 'edge=2'", "", 0, true},
    {"UPDATE variants SET of = sha256", "", 0, true},
    {"UPDATE heads SET seq = 4 WHERE session = 1", "a", 0, true},
    {"UPDATE heads SET seq = 6 WHERE session = 1", "a", 0, true},
    {"UPDATE heads SET hash = flip(hash) WHERE session = 1", "a", 0, true},
    {"UPDATE heads SET seq = -1 WHERE session = 1", "a", 0, true},
    {"UPDATE heads SET seq = 9223372036854775807 WHERE session = 1", "a", 0, true},
    {"UPDATE heads SET uses = 0 WHERE session = 1", "a", 0, true},
    {"DELETE FROM heads WHERE session = 1", "a", 0, true},
    {"UPDATE heads SET session = 12 WHERE session = 1", "a", 0, true},
    {"UPDATE marks SET name = CAST('o' AS BLOB) WHERE name = CAST('n' AS BLOB)", "a", 0, true},
    {"UPDATE marks SET seq = 5 WHERE seq = 4", "a", 0, true},
    {"DELETE FROM marks", "a", 0, true},
    {"INSERT INTO marks VALUES (2, CAST('x' AS BLOB), 1)", "b", 0, true},
    {"INSERT INTO marks VALUES (77, CAST('x' AS BLOB), 1)", "", 0, true},
    {"DELETE FROM uses", "a", 0, true},
    {"UPDATE uses SET seq = 4", "a", 0, true},
    {"UPDATE uses SET sha256 = flip(sha256)", "a", 3, true},
    {"INSERT INTO marks VALUES (1, CAST('x' AS BLOB), 6)", "a", 0, true}, /* bug: beyond the end nobody looked */
    {"INSERT INTO uses VALUES (1, 6, zeroblob(32))", "a", 0, true},
};

static bool is_named(const struct lab_problems *p, const struct flip *f)
{
    return p->count > 0 && p->seq == f->seq && (f->repairable || !strcmp(p->session, f->session));
}

TEST(each_kind_of_flip_is_found_and_named)
{
    for (size_t i = 0; i < COUNT(flips); i++) {
        auto_lab l;
        lab_begin(&l);
        say_all(&l);
        CHECK(lab_check(&l, NULL, false).count == 0);
        CHECK_MSG(sql(&l, flips[i].sql) > 0, "%s", flips[i].sql);
        struct lab_problems p = lab_check(&l, NULL, false);
        CHECK_MSG(is_named(&p, &flips[i]), "%s: %d, '%s' %lld %s", flips[i].sql, p.count, p.session, (long long)p.seq, p.what);
        p = lab_check(&l, NULL, true);
        CHECK_MSG((p.count == 0) == flips[i].repairable, "%s: %d left, %s", flips[i].sql, p.count, p.what);
        if (flips[i].repairable) {
            int64_t seq = 0;
            CHECK_MSG(p.repaired > 0 && lab_check(&l, NULL, false).count == 0, "%s", flips[i].sql);
            CHECK(record_find(l.r, "a", "m", &seq, &l.fault) == 0 && seq == 4);
            CHECK(lab_say(l.r, "a", NULL, "sixth") == 6 && lab_check(&l, NULL, false).count == 0);
        }
    }
}

TEST(a_damaged_entry_is_never_given_out)
{
    auto_lab l;
    lab_begin(&l);
    say_all(&l);
    struct record_point at = {0};
    auto_free char *text = NULL, *rest = NULL;
    CHECK(sql(&l, flips[0].sql) == 1);
    CHECK(lab_read(l.r, "a", &at, &text, &l.fault) == -EBADMSG);
    CHECK(at.seq == 3 && !strstr(text, "ourth"));
    CHECK_MSG(strstr(l.fault.text, "\"a\"") && strstr(l.fault.text, "entry 4"), "%s", l.fault.text);
    at = (struct record_point){.seq = 4};
    CHECK(lab_read(l.r, "a", &at, &rest, &l.fault) == 0);
    CHECK_STR(rest, "fifth\n");
}

TEST(nothing_is_chained_to_a_damaged_end)
{
    static const char *const ends[] = {
        "UPDATE entries SET hash = flip(hash) WHERE session = 1 AND seq = 5",
        "DELETE FROM entries WHERE session = 1 AND seq = 5",
        "UPDATE entries SET body = CAST('fiftg' AS BLOB) WHERE session = 1 AND seq = 5",
        "DELETE FROM heads",
        "UPDATE heads SET seq = 4 WHERE session = 1",
        "UPDATE heads SET seq = 4, hash = (SELECT hash FROM entries WHERE session = 1 AND seq = 4) WHERE session = 1",
        "DELETE FROM entries WHERE session = 1 AND seq = 4",
    };
    for (size_t i = 0; i < COUNT(ends); i++) {
        auto_lab l;
        lab_begin(&l);
        say_all(&l);
        CHECK(sql(&l, ends[i]) > 0);
        CHECK_MSG(lab_say(l.r, "a", NULL, "x") == -EBADMSG, "%s", ends[i]);
    }
}

TEST(lost_entries_at_the_end_are_told_by_reading)
{
    auto_lab l;
    lab_begin(&l);
    say_all(&l);
    struct record_point at = {0};
    auto_free char *text = NULL;
    CHECK(sql(&l, "DELETE FROM entries WHERE session = 1 AND seq = 5") == 1);
    CHECK(lab_read(l.r, "a", &at, &text, &l.fault) == -EBADMSG && strstr(l.fault.text, "entry 5"));
}

TEST(a_damaged_variant_or_blob_is_never_given_out)
{
    auto_lab l;
    lab_begin(&l);
    say_all(&l);
    uint8_t of[SHA256_LEN];
    struct record_variant v;
    void *data;
    size_t len;
    sha256("a picture", 9, of);
    CHECK(sql(&l, "UPDATE variants SET height = 5; UPDATE blobs SET data = CAST('x' AS BLOB) WHERE length(data) = 9") == 2);
    CHECK(record_variant(l.r, of, "edge=1", &v, &l.fault) == -EBADMSG);
    CHECK(record_blob(l.r, of, &data, &len, &l.fault) == -EBADMSG);
}

/* Any byte of the file: each either is told of, or changes nothing that the record gives out. */
static bool flip_bit(const char *file, off_t at, int bit)
{
    auto_close int fd = open(file, O_RDWR | O_CLOEXEC);
    uint8_t byte;
    if (fd < 0 || pread(fd, &byte, 1, at) != 1)
        return false;
    byte ^= (uint8_t)(1 << bit);
    return pwrite(fd, &byte, 1, at) == 1;
}

/* What it gives out, in words. */
static void read_all(struct lab *l, char ret[static 256])
{
    struct record_point a = {0}, b = {0};
    auto_free char *first = NULL, *second = NULL;
    auto_free void *data = NULL;
    struct record_variant v = {0};
    uint8_t of[SHA256_LEN];
    size_t len = 0;
    int64_t seq = 0;
    sha256("a picture", 9, of);
    int codes[] = {lab_read(l->r, "a", &a, &first, NULL), lab_read(l->r, "b", &b, &second, NULL),
                   record_blob(l->r, of, &data, &len, NULL), record_variant(l->r, of, "edge=1", &v, NULL),
                   record_find(l->r, "a", "m", &seq, NULL)};
    (void)snprintf(ret, 256, "%d%d%d%d%d %s%s%.*s %s %ux%u %lld", codes[0], codes[1], codes[2], codes[3], codes[4], first, second,
                   (int)len, data ? (const char *)data : "", v.media_type, v.width, v.height, (long long)seq);
}

TEST(flipped_bytes_of_the_file_are_found_or_harmless)
{
    auto_lab l;
    lab_begin(&l);
    say_all(&l);
    CHECK(sql(&l, "PRAGMA wal_checkpoint(TRUNCATE)") >= 0);
    record_close(take(l.r));
    struct stat st;
    CHECK(stat(l.file, &st) == 0);
    int told = 0, changed = 0;
    char right[256];
    (void)lab_again(&l);
    read_all(&l, right);
    record_close(take(l.r));
    for (off_t at = 0; at < st.st_size; at += 37) {
        char now[sizeof right];
        CHECK(flip_bit(l.file, at, 4));
        (void)lab_again(&l);
        struct lab_problems p = lab_check(&l, NULL, false);
        read_all(&l, now);
        told += p.count != 0;
        changed += p.count == 0 && strcmp(now, right);
        record_close(take(l.r));
        CHECK(flip_bit(l.file, at, 4));
    }
    CHECK_MSG(told > 10 && changed == 0, "%d told, %d changed unseen", told, changed);
    (void)lab_again(&l);
    CHECK(lab_check(&l, NULL, false).count == 0);
}

TEST(every_flipped_bit_of_the_file_header_is_told_or_harmless)
{
    enum { FIRST = 16, LAST = 99 };
    auto_lab l;
    lab_begin(&l);
    say_all(&l);
    CHECK(sql(&l, "PRAGMA wal_checkpoint(TRUNCATE)") >= 0);
    char right[256], now[256];
    int told = 0;
    (void)lab_again(&l);
    read_all(&l, right);
    record_close(take(l.r));
    for (int i = FIRST * 8; i < (LAST + 1) * 8; i++) {
        CHECK(flip_bit(l.file, i / 8, i % 8));
        (void)lab_again(&l);
        struct lab_problems p = lab_check(&l, NULL, false);
        read_all(&l, now);
        CHECK_MSG(p.count != 0 || !strcmp(now, right), "byte %d bit %d: %s", i / 8, i % 8, now);
        told += p.count != 0;
        record_close(take(l.r));
        CHECK(flip_bit(l.file, i / 8, i % 8));
    }
    CHECK_MSG(told > 32, "%d", told);
    (void)lab_again(&l);
    CHECK(lab_check(&l, NULL, false).count == 0);
}

/* SQLite obeys it: reading works, and nothing can be written. */
TEST(bug_a_file_whose_head_forbids_writing_is_damaged_and_still_read)
{
    auto_lab l;
    lab_begin(&l);
    say_all(&l);
    char right[256], now[256];
    read_all(&l, right);
    CHECK(sql(&l, "PRAGMA wal_checkpoint(TRUNCATE)") >= 0);
    record_close(take(l.r));
    CHECK(flip_bit(l.file, 18, 4));
    (void)lab_again(&l);
    for (int repair = 0; repair < 2; repair++) {
        struct lab_problems p = lab_check(&l, NULL, repair);
        CHECK_MSG(p.count > 0 && strstr(p.what, "forbids writing"), "%d %s", p.count, p.what);
    }
    CHECK(record_delete(l.r, "a", &l.fault) == -EBADMSG && strstr(l.fault.text, "forbids writing; export"));
    read_all(&l, now);
    CHECK_STR(now, right);
}

/* Destroys the page that holds the words. */
static bool break_page(const char *file, const char *words)
{
    enum { PAGE = 4096 };
    auto_close int fd = open(file, O_RDWR | O_CLOEXEC);
    char page[PAGE];
    for (off_t at = 0; fd >= 0 && pread(fd, page, PAGE, at) == PAGE; at += PAGE)
        if (memmem(page, PAGE, words, strlen(words)))
            return pwrite(fd, "\xff\xff\xff\xff", 4, at) == 4;
    return false;
}

TEST(past_a_page_that_cannot_be_read_it_goes_on)
{
    enum { ENTRIES = 400 };
    auto_lab l;
    lab_begin(&l);
    char bodies[ENTRIES][200];
    struct record_new e[ENTRIES];
    for (int i = 0; i < ENTRIES; i++) {
        int n = snprintf(bodies[i], sizeof bodies[i], "entry-%d-%0150d", i + 1, i);
        e[i] = (struct record_new){bodies[i], (size_t)n};
    }
    struct record_append a = {.session = "a", .entries = e, .count = ENTRIES, .after = -1};
    struct record_appended done;
    struct record_checked checked = {0};
    struct lab_problems p = {0};
    struct record_point at = {0};
    auto_free char *text = NULL;
    CHECK(record_append(l.r, &a, &done, &l.fault) == 0 && lab_say(l.r, "b", NULL, "x") == 1);
    CHECK(sql(&l, "PRAGMA wal_checkpoint(TRUNCATE)") >= 0);
    record_close(take(l.r));
    CHECK(break_page(l.file, "entry-200-"));
    (void)lab_again(&l);
    CHECK(record_check(l.r, NULL, true, lab_note, &p, &checked, &l.fault) == 0);
    CHECK_MSG(p.count > 0 && p.seq > 150 && p.seq <= 200 && !strcmp(p.session, "a"), "%d '%s' %lld %s", p.count, p.session,
              (long long)p.seq, p.what);
    CHECK_MSG(checked.entries > ENTRIES - 100 && checked.sessions == 2, "%lld", (long long)checked.entries);
    CHECK(lab_read(l.r, "a", &at, &text, &l.fault) == -EBADMSG && at.seq == p.seq - 1);
    CHECK(lab_say(l.r, "b", NULL, "goes on") == 2);
}

TEST(a_page_of_bytes_that_cannot_be_read_ends_no_check)
{
    auto_lab l;
    lab_begin(&l);
    char picture[6000];
    struct record_checked checked = {0};
    struct lab_problems p = {0};
    for (int i = 0; i < 40; i++) {
        int n = snprintf(picture, sizeof picture, "picture-%d-%02500d", i, i);
        CHECK(lab_show(l.r, "a", picture, (size_t)n) == i + 1);
    }
    CHECK(lab_show(l.r, "a", "tiny", 4) == 41);
    CHECK(sql(&l, "PRAGMA wal_checkpoint(TRUNCATE)") >= 0);
    record_close(take(l.r));
    CHECK(break_page(l.file, "picture-7-"));
    (void)lab_again(&l);
    CHECK_MSG(record_check(l.r, NULL, false, lab_note, &p, &checked, &l.fault) == 0, "%s", l.fault.text);
    CHECK_MSG(p.count > 0 && p.seq == 8 && !strcmp(p.session, "a"), "%d '%s' %lld %s", p.count, p.session, (long long)p.seq, p.what);
    CHECK_MSG(checked.blobs >= 39 && checked.entries == 41, "%lld", (long long)checked.blobs);
}

struct told {
    char text[512];
};
static void tell_all(const struct record_problem *p, void *arg)
{
    struct told *t = arg;
    size_t n = strlen(t->text);
    (void)snprintf(t->text + n, sizeof t->text - n, "%s:%lld ", p->session, (long long)p->seq);
}

TEST(each_session_is_told_of_damaged_bytes_that_it_uses)
{
    auto_lab l;
    lab_begin(&l);
    struct told t = {0};
    struct record_checked checked;
    say_all(&l);
    CHECK(lab_show(l.r, "b", "a picture", 9) == 2 && lab_show(l.r, "b", "a picture", 9) == 3);
    CHECK(sql(&l, "UPDATE blobs SET data = CAST('a picturf' AS BLOB) WHERE length(data) = 9") == 1);
    CHECK(record_check(l.r, NULL, false, tell_all, &t, &checked, &l.fault) == 0);
    CHECK_STR(t.text, "a:3 b:2 ");
}

TEST(bytes_that_are_given_again_heal_what_was_stored)
{
    auto_lab l;
    lab_begin(&l);
    say_all(&l);
    CHECK(sql(&l, "UPDATE blobs SET data = CAST('a picturf' AS BLOB) WHERE length(data) = 9") == 1);
    CHECK(lab_check(&l, NULL, false).count == 1);
    CHECK(lab_show(l.r, "b", "a picture", 9) == 2);
    CHECK(lab_check(&l, NULL, false).count == 0);
}

TEST(a_damaged_variant_is_replaced_by_the_next)
{
    static const char *const damage[] = {
        "UPDATE variants SET width = 7",
        "UPDATE variants SET seal = flip(seal)",
        "UPDATE blobs SET data = CAST('smalm' AS BLOB) WHERE length(data) = 5",
        "DELETE FROM blobs WHERE length(data) = 5",
    };
    for (size_t i = 0; i < COUNT(damage); i++) {
        auto_lab l;
        lab_begin(&l);
        say_all(&l);
        struct record_variant v = {.media_type = "image/png", .width = 3, .height = 4, .bytes = 5}, got = {0};
        uint8_t of[SHA256_LEN];
        auto_free void *data = NULL;
        size_t len = 0;
        sha256("a picture", 9, of);
        sha256("small", 5, v.sha256);
        CHECK(sql(&l, damage[i]) == 1);
        CHECK(lab_check(&l, NULL, false).count == 1);
        CHECK(record_variant(l.r, of, "edge=1", &got, &l.fault) == (i < 2 ? -EBADMSG : 0));
        CHECK_MSG(record_variant_keep(l.r, of, "edge=1", &v, "small", &got, &l.fault) == 0, "%s", l.fault.text);
        CHECK(!memcmp(&got, &v, sizeof v) && record_blob(l.r, v.sha256, &data, &len, &l.fault) == 0);
        CHECK_MSG(lab_check(&l, NULL, false).count == 0, "%s", damage[i]);
    }
}

TEST(deleting_takes_nothing_that_damaged_uses_hide)
{
    static const char *const damage[] = {
        "DELETE FROM uses WHERE session = 2",
        "UPDATE uses SET sha256 = flip(sha256) WHERE session = 2",
        "DELETE FROM heads WHERE session = 2; DELETE FROM uses WHERE session = 2",
    };
    uint8_t of[SHA256_LEN];
    sha256("a picture", 9, of);
    for (size_t i = 0; i < COUNT(damage); i++) {
        auto_lab l;
        lab_begin(&l);
        auto_free void *data = NULL;
        size_t len = 0;
        say_all(&l);
        CHECK(lab_show(l.r, "b", "a picture", 9) == 2);
        CHECK(sql(&l, damage[i]) > 0);
        CHECK_MSG(record_delete(l.r, "a", &l.fault) == 0, "%s", l.fault.text);
        CHECK_MSG(record_blob(l.r, of, &data, &len, &l.fault) == 0, "%s: %s", damage[i], l.fault.text);
        CHECK(lab_check(&l, NULL, false).count == 0); /* and they are made anew */
        CHECK(record_delete(l.r, "b", &l.fault) == 0);
    }
}

TEST(what_a_damaged_session_uses_is_not_guessed)
{
    auto_lab l;
    lab_begin(&l);
    say_all(&l);
    CHECK(lab_show(l.r, "b", "a picture", 9) == 2);
    CHECK(sql(&l, "DELETE FROM uses WHERE session = 2; UPDATE entries SET body = flip(body) WHERE session = 2 AND seq = 1") == 2);
    CHECK(record_delete(l.r, "a", &l.fault) == -EBADMSG && strstr(l.fault.text, "\"b\""));
    CHECK(record_delete(l.r, "b", &l.fault) == 0 && lab_check(&l, NULL, false).count == 0);
    CHECK(record_delete(l.r, "a", &l.fault) == 0);
}

static void count_named(const struct record_session *s, void *arg)
{
    (void)s;
    ++*(int *)arg;
}

TEST(a_name_that_is_none_is_shown_nowhere)
{
    auto_lab l;
    lab_begin(&l);
    int named = 0;
    say_all(&l);
    CHECK(sql(&l, "UPDATE sessions SET name = 'b' || char(27) || '[2J' WHERE name = 'b'") == 1);
    CHECK(record_sessions(l.r, NULL, count_named, &named, &l.fault) == 0 && named == 1);
    struct lab_problems p = lab_check(&l, NULL, false);
    CHECK(p.count == 1 && !strchr(p.what, 27) && !*p.session);
}

/* ---------------------------------------------------------------- files and versions */

TEST(a_version_that_never_was_is_damage)
{
    static const char *const versions[] = {"PRAGMA user_version = -5", "PRAGMA user_version = 0"};
    for (size_t i = 0; i < COUNT(versions); i++) {
        auto_lab l;
        lab_begin(&l);
        struct record_point at = {0};
        auto_free char *text = NULL;
        int named = 0;
        say_all(&l);
        CHECK(sql(&l, versions[i]) >= 0);
        (void)lab_again(&l);
        CHECK(lab_read(l.r, "a", &at, &text, &l.fault) == -EBADMSG && strstr(l.fault.text, "version"));
        CHECK(lab_say(l.r, "a", NULL, "x") == -EBADMSG);
        CHECK(record_sessions(l.r, NULL, count_named, &named, &l.fault) == -EBADMSG);
        struct lab_problems p = lab_check(&l, NULL, false);
        CHECK_MSG(p.count > 0 && strstr(p.what, "version"), "%d %s", p.count, p.what);
        CHECK(sql(&l, "PRAGMA user_version = 1") >= 0 && lab_say(l.r, "a", NULL, "x") == 6);
    }
}

TEST(a_long_file_name_takes_nothing_of_another)
{
    auto_lab l;
    lab_begin(&l);
    char where[400], other[400], name[260];
    memset(name, 'n', sizeof name);
    name[63] = '\0';
    (void)snprintf(other, sizeof other, "%selse", l.tree.top);
    CHECK(mkdir(other, 0700) == 0);
    (void)snprintf(other, sizeof other, "%selse/%s", l.tree.top, name); /* what 64 bytes hold of the log's name */
    CHECK(mknod(other, S_IFREG | 0600, 0) == 0);
    static const struct {
        size_t len;
        int64_t said;
    } rows[] = {{100, 1}, {240, 1}, {252, -ENAMETOOLONG}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        memset(name, 'n', sizeof name);
        name[rows[i].len] = '\0';
        (void)snprintf(where, sizeof where, "sqlite:%selse/%s", l.tree.top, name);
        struct record *r = lab_open_as(&l, where, 0);
        CHECK_MSG(lab_say(r, "a", NULL, "x") == rows[i].said, "%zu", rows[i].len);
        CHECK(access(other, F_OK) == 0);
        record_close(r);
    }
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    return stat(path, &st) < 0 ? 0 : st.st_mode & 0777;
}

TEST(its_files_are_the_owners_alone)
{
    auto_lab l;
    lab_begin(&l);
    char wal[160], lease[160];
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
    (void)snprintf(wal, sizeof wal, "%s-wal", l.file);
    (void)snprintf(lease, sizeof lease, "%s.lease", l.file);
    CHECK(mode_of(l.folder) == 0700 && mode_of(l.file) == 0600 && mode_of(wal) == 0600 && mode_of(lease) == 0600);
}

TEST(a_file_may_lie_elsewhere)
{
    auto_lab l;
    lab_begin(&l);
    char where[160];
    (void)snprintf(where, sizeof where, "sqlite:%selse/where.db", l.tree.top);
    struct record *r = lab_open_as(&l, where, 0);
    CHECK(lab_say(r, "a", NULL, "x") == 1);
    CHECK(access(where + strlen("sqlite:"), F_OK) == 0 && access(l.folder, F_OK) < 0);
    record_close(r);
}

TEST(links_and_files_of_others_are_refused)
{
    auto_lab l;
    lab_begin(&l);
    char target[160];
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
    (void)snprintf(target, sizeof target, "%sR/other.db", l.tree.top);
    record_close(take(l.r));
    CHECK(rename(l.file, target) == 0 && symlink(target, l.file) == 0);
    (void)lab_again(&l);
    CHECK(lab_say(l.r, "a", NULL, "x") == -EPERM);
    CHECK(chmod(l.folder, 0777) == 0);
    CHECK(lab_say(l.r, "a", NULL, "x") == -EPERM);
}

TEST(no_home_is_a_fault)
{
    struct record_options o = {.where = "sqlite:", .folder = ""};
    struct record *r = NULL;
    CHECK(record_open(&o, &r, NULL) == 0 && lab_say(r, "a", NULL, "x") == -ENOENT);
    record_close(r);
}

TEST(a_newer_version_is_refused_and_left_alone)
{
    auto_lab l;
    lab_begin(&l);
    struct record_point at = {0};
    auto_free char *text = NULL;
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
    CHECK(sql(&l, "PRAGMA user_version = 99") >= 0); /* while it is open */
    CHECK(lab_say(l.r, "a", NULL, "x") == -EPROTO);
    CHECK(lab_read(l.r, "a", &at, &text, &l.fault) == -EPROTO && strstr(l.fault.text, "newer"));
    (void)lab_again(&l);
    CHECK(lab_check(&l, NULL, true).count == -EPROTO);
    CHECK(sql(&l, "PRAGMA user_version = 1") >= 0);
    CHECK(lab_say(l.r, "a", NULL, "x") == 2);
}

/* As the first release wrote it; every later one must read it. */
static const char version_1[] =
    "PRAGMA journal_mode = WAL;"
    "CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE entries (session INTEGER NOT NULL REFERENCES sessions, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL,"
    "  hash BLOB NOT NULL, key TEXT, body BLOB NOT NULL, PRIMARY KEY (session, seq)) STRICT, WITHOUT ROWID;"
    "CREATE UNIQUE INDEX entries_key ON entries (session, key) WHERE key IS NOT NULL;"
    "CREATE TABLE blobs (sha256 BLOB NOT NULL PRIMARY KEY, data BLOB NOT NULL) STRICT;"
    "CREATE TABLE variants (of BLOB NOT NULL, spec TEXT NOT NULL, sha256 BLOB NOT NULL, media_type TEXT NOT NULL,"
    "  width INTEGER NOT NULL, height INTEGER NOT NULL, bytes INTEGER NOT NULL, seal BLOB NOT NULL,"
    "  PRIMARY KEY (of, spec)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX variants_blob ON variants (sha256);"
    "CREATE TABLE heads (session INTEGER PRIMARY KEY REFERENCES sessions, seq INTEGER NOT NULL, hash BLOB NOT NULL,"
    "  uses INTEGER NOT NULL) STRICT;"
    "CREATE TABLE marks (session INTEGER NOT NULL REFERENCES sessions, name BLOB NOT NULL, seq INTEGER NOT NULL,"
    "  PRIMARY KEY (session, name, seq)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE uses (session INTEGER NOT NULL REFERENCES sessions, seq INTEGER NOT NULL, sha256 BLOB NOT NULL,"
    "  PRIMARY KEY (session, seq, sha256)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX uses_blob ON uses (sha256);"
    "INSERT INTO sessions VALUES (1, 'old');"
    "INSERT INTO entries VALUES (1, 1, 1700000000000,"
    "  x'HASH1', 'k', CAST('said long ago mark:m' AS BLOB));"
    "INSERT INTO marks VALUES (1, CAST('m' AS BLOB), 1);"
    "INSERT INTO heads SELECT session, seq, hash, 0 FROM entries;"
    "PRAGMA user_version = 1;";

/* Its one entry's hash, computed here from what record.h says and nothing else. */
static void old_hash(char hex[SHA256_HEX_LEN + 1])
{
    static const uint8_t bytes[] = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* before: none */
        3, 0, 0, 0, 0, 0, 0, 0, 'o', 'l', 'd', 1, 0, 0, 0, 0, 0, 0, 0,                                   /* session, number */
        0x00, 0x68, 0xe5, 0xcf, 0x8b, 0x01, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 'k',                           /* time, key */
        's', 'a', 'i', 'd', ' ', 'l', 'o', 'n', 'g', ' ', 'a', 'g', 'o', ' ', 'm', 'a', 'r', 'k', ':', 'm'};
    uint8_t hash[SHA256_LEN];
    sha256(bytes, sizeof bytes, hash);
    sha256_hex(hash, hex);
}

TEST(a_file_of_version_1_is_read_and_written)
{
    auto_lab l;
    lab_begin(&l);
    auto_buf words = BUF_INIT(64 * KIB);
    char hex[SHA256_HEX_LEN + 1];
    const char *gap = strstr(version_1, "HASH1");
    auto_free char *text = NULL;
    struct record_point at = {0};
    int64_t seq = 0;
    old_hash(hex);
    (void)buf_add(&words, version_1, (size_t)(gap - version_1));
    (void)buf_add_str(&words, hex);
    (void)buf_add_str(&words, gap + 5);
    char parent[96];
    (void)snprintf(parent, sizeof parent, "%sstate", l.tree.top);
    CHECK(mkdir(parent, 0700) == 0 && mkdir(l.folder, 0700) == 0);
    CHECK(mknod(l.file, S_IFREG | 0600, 0) == 0 && sql(&l, words.data) > 0);
    CHECK_MSG(lab_read(l.r, "old", &at, &text, &l.fault) == 0, "%s", l.fault.text);
    CHECK_STR(text, "said long ago mark:m\n");
    CHECK(record_find(l.r, "old", "m", &seq, &l.fault) == 0 && seq == 1);
    CHECK(lab_say(l.r, "old", "k", "said long ago mark:m") == 1 && lab_say(l.r, "old", NULL, "and now") == 2);
    CHECK(lab_check(&l, NULL, false).count == 0);
}

/* These stand before the C library's, for SQLite too: to see what was synced, and to be killed before it is. */
static struct stat synced[64];
static size_t n_synced;
static bool die_at_sync;

__attribute__((visibility("default"))) int fdatasync(int fd)
{
    if (die_at_sync)
        (void)raise(SIGKILL);
    if (n_synced < COUNT(synced) && fstat(fd, &synced[n_synced]) == 0)
        n_synced++;
    return (int)syscall(SYS_fdatasync, fd);
}

__attribute__((visibility("default"))) int fsync(int fd)
{
    return fdatasync(fd);
}

static bool was_synced(const char *path)
{
    struct stat st;
    CHECK(stat(path, &st) == 0);
    for (size_t i = 0; i < n_synced; i++)
        if (synced[i].st_ino == st.st_ino && synced[i].st_dev == st.st_dev)
            return true;
    return false;
}

/* A record whose folder was made for it was lost with the power: the folder's own name was not on disk. */
TEST(folders_that_were_made_for_the_record_are_on_disk_before_its_first_entry)
{
    auto_lab l;
    char above[96];
    (void)lab_begin(&l);
    (void)snprintf(above, sizeof above, "%sstate", l.tree.top);
    n_synced = 0;
    CHECK(lab_say(l.r, "a", NULL, "first") == 1);
    CHECK(was_synced(l.folder));
    CHECK(was_synced(above));
    CHECK(was_synced(l.tree.top));
}

/* Whoever made them may have been killed before it came to syncing. */
TEST(folders_that_another_made_for_the_record_are_synced_too)
{
    auto_lab l;
    char above[96];
    (void)lab_begin(&l);
    (void)snprintf(above, sizeof above, "%sstate", l.tree.top);
    CHECK(mkdir(above, 0700) == 0 && mkdir(l.folder, 0700) == 0);
    n_synced = 0;
    CHECK(lab_say(l.r, "a", NULL, "first") == 1);
    CHECK(was_synced(above) && was_synced(l.tree.top));
}

/* An entry under "key" that is in the log and not on disk: its writer was killed in between. */
static void say_and_die(struct lab *l)
{
    int status = 0;
    CHECK(lab_say(l->r, "a", NULL, "first") == 1);
    record_close(take(l->r));
    pid_t pid = fork();
    if (pid == 0) {
        l->r = lab_open_as(l, "sqlite:", 0);
        die_at_sync = true;
        (void)lab_say(l->r, "a", "key", "second");
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
    l->r = lab_open_as(l, "sqlite:", 0);
    n_synced = 0;
}

static bool log_was_synced(const struct lab *l)
{
    char log[140];
    (void)snprintf(log, sizeof log, "%s-wal", l->file);
    return was_synced(log);
}

/* It was acknowledged, and lost with the power. */
TEST(an_append_that_is_there_already_is_on_disk_when_that_is_said)
{
    auto_lab l;
    (void)lab_begin(&l);
    say_and_die(&l);
    struct record_new e = {"second", 6};
    struct record_append a = {.session = "a", .key = "key", .entries = &e, .count = 1, .after = -1};
    struct record_appended done = {0};
    CHECK(record_append(l.r, &a, &done, &l.fault) == 0 && done.again && done.last == 2);
    CHECK(log_was_synced(&l));
    n_synced = 0;
    CHECK(record_append(l.r, &a, &done, &l.fault) == 0 && done.again);
    CHECK(!log_was_synced(&l)); /* known by now */
}

TEST(entries_that_were_found_are_on_disk_when_that_is_asked_for)
{
    auto_lab l;
    struct record_point last;
    (void)lab_begin(&l);
    say_and_die(&l);
    CHECK(record_last(l.r, "a", &last, &l.fault) == 0 && last.seq == 2);
    CHECK(!log_was_synced(&l)); /* who only reads waits for no disk */
    CHECK(record_sync(l.r, &l.fault) == 0);
    CHECK(log_was_synced(&l));
}

TEST(a_file_that_was_replaced_is_left_for_the_one_that_is_there)
{
    auto_lab l;
    lab_begin(&l);
    char aside[160];
    (void)snprintf(aside, sizeof aside, "%sR/aside.db", l.tree.top);
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
    CHECK(rename(l.file, aside) == 0);
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
    (void)snprintf(aside, sizeof aside, "%sR/folder", l.tree.top); /* and with its folder, lease and all */
    CHECK(rename(l.folder, aside) == 0);
    CHECK(lab_say(l.r, "a", NULL, "x") == 1 && lab_say(l.r, "a", NULL, "x") == 2);
    CHECK(access(l.file, F_OK) == 0);
}

TEST(a_file_shrinks_when_a_session_is_deleted)
{
    auto_lab l;
    lab_begin(&l);
    size_t len = 4 * MIB;
    auto_free char *big = calloc(1, len);
    struct stat full, less;
    (void)lab_show(l.r, "a", big, len);
    (void)lab_say(l.r, "b", NULL, "x");
    CHECK(stat(l.file, &full) == 0 && full.st_size > (off_t)len);
    CHECK(record_delete(l.r, "a", &l.fault) == 0);
    (void)lab_say(l.r, "b", NULL, "x");
    CHECK(sql(&l, "PRAGMA wal_checkpoint(TRUNCATE)") >= 0);
    CHECK_MSG(stat(l.file, &less) == 0 && less.st_size < full.st_size / 8, "%lld", (long long)less.st_size);
    CHECK(lab_check(&l, NULL, false).count == 0);
}

/* ---------------------------------------------------------------- the lease */

/* Holds it in another process until the pipe is closed, or for good when it is killed. */
static pid_t hold_lease(const struct lab *l, int *ret_pipe)
{
    int ends[2];
    char ready;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        char path[160];
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
        (void)snprintf(path, sizeof path, "%s.lease", l->file);
        int fd = open(path, O_RDWR | O_CLOEXEC);
        _exit(fd < 0 || fcntl(fd, F_OFD_SETLK, &lock) < 0 || write(ends[1], "x", 1) != 1 || pause());
    }
    (void)close(ends[1]);
    CHECK(read(ends[0], &ready, 1) == 1);
    *ret_pipe = ends[0];
    return pid;
}

static void *strike_soon(void *arg)
{
    static const struct timespec nap = {.tv_nsec = 100 * 1000000};
    (void)nanosleep(&nap, NULL);
    fovea_cancel_now(arg);
    return NULL;
}

TEST(a_writer_waits_for_the_lease_and_readers_do_not)
{
    auto_lab l;
    lab_begin(&l);
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
    auto_close int end = -1;
    fovea_cancel *cancel = NULL;
    pthread_t thread;
    struct record_point at = {0};
    auto_free char *text = NULL;
    pid_t holder = hold_lease(&l, &end);
    CHECK(fovea_cancel_new(&cancel, NULL) == 0);
    struct record *r = lab_open_as(&l, "sqlite:", 0);
    record_cancel(r, cancel);
    CHECK(lab_read(r, "a", &at, &text, &l.fault) == 0 && at.seq == 1);
    int64_t begun = clock_ms();
    CHECK(pthread_create(&thread, NULL, strike_soon, cancel) == 0);
    CHECK(lab_say(r, "a", NULL, "x") == -ECANCELED); /* a wait that the cancel ends */
    CHECK(clock_ms() - begun >= 90 && clock_ms() - begun < LIMIT_RECORD_WAIT_MS / 2);
    (void)pthread_join(thread, NULL);
    fovea_cancel_reset(cancel);
    CHECK(kill(holder, SIGKILL) == 0 && waitpid(holder, NULL, 0) == holder); /* it ends with its process */
    CHECK(lab_say(r, "a", NULL, "x") == 2);
    record_cancel(r, NULL);
    record_close(r);
    fovea_cancel_free(cancel);
}

TEST(a_lease_that_is_never_given_back_is_a_fault)
{
    auto_lab l;
    lab_begin(&l);
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
    auto_close int end = -1;
    pid_t holder = hold_lease(&l, &end);
    struct record *brief = lab_open_as(&l, "sqlite:", 300);
    int64_t begun = clock_ms();
    CHECK(lab_say(brief, "a", NULL, "x") == -EBUSY);
    CHECK(clock_ms() - begun >= 300 && clock_ms() - begun < LIMIT_RECORD_WAIT_MS / 2);
    CHECK(kill(holder, SIGKILL) == 0 && waitpid(holder, NULL, 0) == holder);
    CHECK(lab_say(brief, "a", NULL, "x") == 2);
    record_close(brief);
}

/* One that knows nothing of leases: a copy that somebody makes with SQLite's own tools. */
TEST(another_program_that_holds_the_file_is_waited_for_and_told_of)
{
    auto_lab l;
    lab_begin(&l);
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
    sqlite3 *other = NULL;
    fovea_cancel *cancel = NULL;
    CHECK(sqlite3_open(l.file, &other) == SQLITE_OK && sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL) == SQLITE_OK);
    struct record *brief = lab_open_as(&l, "sqlite:", 50);
    struct record_new e = {"y", 1};
    struct record_append a = {.session = "a", .entries = &e, .count = 1, .after = -1};
    struct record_appended done;
    CHECK(record_append(brief, &a, &done, &l.fault) == -EBUSY && l.fault.text[0]);
    CHECK(fovea_cancel_new(&cancel, NULL) == 0);
    fovea_cancel_now(cancel);
    record_cancel(brief, cancel);
    CHECK(record_append(brief, &a, &done, &l.fault) == -ECANCELED);
    record_cancel(brief, NULL);
    CHECK(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK && sqlite3_close(other) == SQLITE_OK);
    CHECK(lab_say(brief, "a", NULL, "y") == 2);
    record_close(brief);
    fovea_cancel_free(cancel);
}

TEST(waiting_for_another_program_ends_when_the_cancel_strikes)
{
    auto_lab l;
    lab_begin(&l);
    sqlite3 *other = NULL;
    fovea_cancel *cancel = NULL;
    pthread_t thread;
    CHECK(lab_say(l.r, "a", NULL, "x") == 1 && fovea_cancel_new(&cancel, NULL) == 0);
    CHECK(sqlite3_open(l.file, &other) == SQLITE_OK && sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK);
    record_cancel(l.r, cancel);
    int64_t begun = clock_ms();
    CHECK(pthread_create(&thread, NULL, strike_soon, cancel) == 0);
    CHECK(lab_say(l.r, "a", NULL, "x") == -ECANCELED);
    CHECK(clock_ms() - begun >= 90 && clock_ms() - begun < LIMIT_RECORD_WAIT_MS / 2);
    (void)pthread_join(thread, NULL);
    record_cancel(l.r, NULL);
    CHECK(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK && sqlite3_close(other) == SQLITE_OK);
    CHECK(lab_say(l.r, "a", NULL, "x") == 2);
    fovea_cancel_free(cancel);
}

static void hear_nothing(const char *words, void *arg)
{
    (void)words, (void)arg;
}

/* One statement may go through all of a large file. */
TEST(a_look_through_the_whole_file_ends_when_the_cancel_strikes)
{
    enum { ENTRIES = 20000 };
    auto_lab l;
    lab_begin(&l);
    auto_free struct record_new *entries = calloc(ENTRIES, sizeof *entries);
    for (int i = 0; i < ENTRIES; i++)
        entries[i] = (struct record_new){"words", 5};
    struct record_append a = {.session = "a", .entries = entries, .count = ENTRIES, .after = -1};
    struct record_appended done;
    CHECK_MSG(record_append(l.r, &a, &done, &l.fault) == 0, "%s", l.fault.text);
    fovea_cancel *cancel = NULL;
    struct backend *b = NULL;
    CHECK(fovea_cancel_new(&cancel, NULL) == 0);
    struct record_options o = {.where = "sqlite:", .folder = l.folder, .derive = lab_derive};
    struct backend_wait wait = {.cancel = cancel, .ms = LIMIT_RECORD_WAIT_MS};
    CHECK(backend_sqlite.open(&o, &wait, &b, &l.fault) == 0);
    CHECK_MSG(backend_sqlite.integrity(b, hear_nothing, NULL, &l.fault) == 0, "%s", l.fault.text);
    fovea_cancel_now(cancel);
    CHECK(backend_sqlite.integrity(b, hear_nothing, NULL, &l.fault) == -ECANCELED);
    fovea_cancel_reset(cancel);
    CHECK_MSG(backend_sqlite.integrity(b, hear_nothing, NULL, &l.fault) == 0, "%s", l.fault.text);
    backend_sqlite.close(b);
    fovea_cancel_free(cancel);
}

TEST(who_writes_all_the_time_lets_others_in)
{
    auto_lab l;
    lab_begin(&l);
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
    record_close(take(l.r));
    pid_t pid = fork();
    if (pid == 0) {
        struct record *r = lab_open_as(&l, "sqlite:", 0);
        while (lab_say(r, "b", NULL, "x") > 0)
            ;
        _exit(1);
    }
    int64_t longest = 0;
    (void)lab_again(&l);
    for (int i = 0; i < 30; i++) {
        int64_t begun = clock_ms();
        CHECK(lab_say(l.r, "a", NULL, "x") == i + 2);
        longest = MAX(longest, clock_ms() - begun);
    }
    CHECK_MSG(longest < LIMIT_RECORD_WAIT_MS / 4, "%lld ms", (long long)longest);
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
    CHECK(lab_check(&l, NULL, false).count == 0);
}

/* ---------------------------------------------------------------- disks */

/* Entries that were said yes to are there, the rest is whole, and it goes on. */
static void check_survived(struct lab *l, int64_t said)
{
    struct record_point at = {0};
    auto_free char *text = NULL;
    (void)lab_again(l);
    int code = lab_read(l->r, "a", &at, &text, &l->fault);
    CHECK_MSG(said ? code == 0 && at.seq >= said : code == 0 || code == -ENOENT, "%lld of %lld: %s", (long long)at.seq,
              (long long)said, l->fault.text);
    struct lab_problems p = lab_check(l, NULL, false);
    CHECK_MSG(p.count == 0, "%d %s", p.count, p.what);
    CHECK_MSG(lab_say(l->r, "a", NULL, "again") == at.seq + 1, "%lld", (long long)at.seq);
}

TEST(every_write_and_sync_may_fail)
{
    static const struct {
        int code, error;
    } ways[] = {{SQLITE_IOERR_WRITE, -EIO}, {SQLITE_FULL, -ENOSPC}};
    char body[6000];
    memset(body, 'b', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    fault_vfs_install();
    for (size_t way = 0; way < COUNT(ways); way++) {
        bool failed = true;
        for (long n = 1; failed; n++) {
            auto_lab l;
            lab_begin(&l);
            int64_t said = 0, got = 0;
            fault_disk.left = -1;
            if (n % 2) /* in half of them from the very first write on */
                said = lab_say(l.r, "a", NULL, "early");
            fault_vfs_arm(n, ways[way].code);
            for (int i = 0; i < 4 && got >= 0; i++) {
                got = lab_say(l.r, "a", NULL, body);
                said = got > 0 ? got : said;
            }
            failed = got < 0;
            CHECK_MSG(!failed || got == ways[way].error || got == -EIO, "write %ld: %lld", n, (long long)got);
            struct record_point at = {0};
            auto_free char *text = NULL;
            if (failed && said) /* what is there can be read while the disk still fails */
                CHECK_MSG(lab_read(l.r, "a", &at, &text, &l.fault) == 0 && at.seq >= said, "write %ld: %s", n, l.fault.text);
            fault_vfs_heal();
            check_survived(&l, said);
        }
    }
}

TEST(a_failing_checkpoint_loses_nothing)
{
    auto_free char *big = calloc(1, 600 * KIB);
    fault_vfs_install();
    for (long n = 1; n < 2000; n = n * 3 / 2 + 1) {
        auto_lab l;
        lab_begin(&l);
        int64_t said = 0;
        fault_vfs_heal();
        for (int i = 0; i < 12; i++) {
            big[0] = (char)i;
            if (i == 5)
                fault_vfs_arm(n, SQLITE_IOERR_WRITE);
            int64_t got = lab_show(l.r, "a", big, 600 * KIB);
            said = got > 0 ? got : said;
        }
        fault_vfs_heal();
        check_survived(&l, said);
    }
}

/* Pictures until there is no room: the number of the last entry that was kept; 0: it was not that which ended it, or at once. */
static int64_t show_until_full(struct record *r)
{
    auto_free char *big = calloc(1, 64 * KIB);
    int64_t said = 0, got = 0;
    for (int i = 0; i < 100 && got >= 0; i++) {
        big[0] = (char)i;
        got = lab_show(r, "a", big, 64 * KIB);
        said = got > 0 ? got : said;
    }
    return got == -ENOSPC && said >= 2 ? said : 0;
}

/* In a process of its own, where files cannot grow beyond a limit. */
static int fill_up(struct lab *l, rlim_t limit)
{
    struct rlimit was, now = {.rlim_cur = limit, .rlim_max = RLIM_INFINITY};
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)getrlimit(RLIMIT_FSIZE, &was);
    now.rlim_max = was.rlim_max;
    if (setrlimit(RLIMIT_FSIZE, &now) < 0)
        return 2;
    struct record *r = lab_open_as(l, "sqlite:", 0);
    int64_t said = show_until_full(r);
    if (!said)
        return 3;
    (void)setrlimit(RLIMIT_FSIZE, &was);
    if (lab_say(r, "a", NULL, "there is room again") != said + 1)
        return 4;
    record_close(r);
    check_survived(l, said + 1);
    return test_failed ? 5 : 0;
}

TEST(a_full_disk_is_a_fault_that_passes)
{
    auto_lab l;
    lab_begin(&l);
    record_close(take(l.r));
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(fill_up(&l, 512 * KIB));
    (void)waitpid(pid, &status, 0);
    CHECK_MSG(status == 0, "%d", WEXITSTATUS(status));
}

static int write_bytes(const char *path, const char *words)
{
    auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && write(fd, words, strlen(words)) == (ssize_t)strlen(words) ? 0 : -1;
}

/* A mount of its own: as root, or as who may have a user namespace. */
static bool mount_alone(void)
{
    uid_t uid = geteuid();
    char map[64];
    if (unshare(CLONE_NEWNS) < 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
            return false;
        (void)snprintf(map, sizeof map, "%u %u 1", uid, uid);
        if (write_bytes("/proc/self/uid_map", map) < 0)
            return false;
    }
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

enum { NO_MOUNT = 77 };

static int read_only(struct lab *l)
{
    struct record_point at = {0};
    auto_free char *text = NULL;
    if (!mount_alone() || mount(l->folder, l->folder, NULL, MS_BIND, NULL) < 0 ||
        mount("none", l->folder, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) < 0)
        return NO_MOUNT;
    struct record *r = lab_open_as(l, "sqlite:", 0);
    if (lab_read(r, "a", &at, &text, &l->fault) < 0 || at.seq != 1) {
        fprintf(stderr, "%s\n", l->fault.text);
        return 1;
    }
    int64_t said = lab_say(r, "a", NULL, "x");
    record_close(r);
    return said == -EROFS || said == -EACCES ? 0 : 2;
}

/* A whole file system that is full, and then is larger. */
static int small_disk(struct lab *l)
{
    struct record_point at = {0};
    auto_free char *text = NULL;
    if (!mount_alone() || mount("tmpfs", l->folder, "tmpfs", 0, "size=1m,mode=0700") < 0)
        return NO_MOUNT;
    struct record *r = lab_open_as(l, "sqlite:", 0);
    int64_t said = show_until_full(r);
    if (!said)
        return 3;
    if (lab_read(r, "a", &at, &text, &l->fault) < 0 || at.seq < said)
        return 4;
    if (mount("tmpfs", l->folder, "tmpfs", MS_REMOUNT, "size=8m,mode=0700") < 0 || lab_say(r, "a", NULL, "room") <= said)
        return 5;
    record_close(r);
    check_survived(l, said + 1);
    return test_failed ? 6 : 0;
}

static void check_alone(struct lab *l, int (*run)(struct lab *l))
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(run(l));
    (void)waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_MOUNT)
        SKIP("mounting needs root");
    CHECK_MSG(status == 0, "%d", WEXITSTATUS(status));
}

TEST(a_read_only_disk_is_read_with_its_log)
{
    auto_lab l;
    lab_begin(&l);
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
    record_close(take(l.r));
    check_alone(&l, read_only);
}

TEST(a_read_only_disk_is_read_without_a_log)
{
    auto_lab l;
    lab_begin(&l);
    char wal[160], shm[160];
    CHECK(lab_say(l.r, "a", NULL, "x") == 1);
    record_close(take(l.r));
    (void)snprintf(wal, sizeof wal, "%s-wal", l.file);
    (void)snprintf(shm, sizeof shm, "%s-shm", l.file);
    CHECK(sql(&l, "PRAGMA wal_checkpoint(TRUNCATE)") >= 0 && unlink(wal) == 0 && unlink(shm) == 0);
    check_alone(&l, read_only);
}

TEST(a_full_file_system_is_a_fault_that_passes)
{
    auto_lab l;
    lab_begin(&l);
    CHECK(lab_say(l.r, "a", NULL, "x") == 1); /* makes the folder to be covered */
    record_close(take(l.r));
    check_alone(&l, small_disk);
}
