/* SPDX-License-Identifier: Apache-2.0 */
/* The record: what it promises of any store. FOVEA_TEST_STORE names another one than SQLite. */
#include "record/record.h"

#include <pthread.h>
#include <sys/wait.h>

#include "base/cancel.h"
#include "record/record_priv.h"
#include "record_lab.h"
#include "test.h"

TEST(appended_entries_are_read_in_order)
{
    auto_lab l;
    lab_init(&l);
    const char *s = lab_name(&l, "a");
    auto_free char *text = NULL;
    struct record_point at = {0};
    CHECK(lab_say(l.r, s, NULL, "one") == 1);
    struct record_new many[] = {{"two", 3}, {"", 0}, {"f\xff\1r", 4}};
    struct record_append a = {.session = s, .entries = many, .count = 3, .after = -1};
    struct record_appended done;
    CHECK(record_append(l.r, &a, &done, &l.fault) == 0);
    CHECK(done.first == 2 && done.last == 4 && !done.again);
    lab_reopen(&l);
    CHECK_MSG(lab_read(l.r, s, &at, &text, &l.fault) == 0, "%s", l.fault.text);
    CHECK(!memcmp(text, "one\ntwo\n\nf\xff\1r\n", 15) && at.seq == 4);
}

TEST(what_is_not_there_is_not_found)
{
    auto_lab l;
    lab_init(&l);
    const char *s = lab_name(&l, "none");
    auto_free char *text = NULL;
    struct record_point at = {0};
    uint8_t hash[SHA256_LEN] = {1};
    void *data;
    size_t len;
    int64_t seq;
    struct record_variant v;
    CHECK(lab_read(l.r, s, &at, &text, &l.fault) == -ENOENT && strstr(l.fault.text, s));
    CHECK(record_blob(l.r, hash, &data, &len, &l.fault) == -ENOENT);
    CHECK(record_find(l.r, s, "x", &seq, &l.fault) == -ENOENT);
    CHECK(record_variant(l.r, hash, "x", &v, &l.fault) == -ENOENT);
    CHECK(record_delete(l.r, s, &l.fault) == -ENOENT);
    CHECK(lab_check(&l, s, false).count == -ENOENT);
    if (lab_is_sqlite()) {
        CHECK(lab_check(&l, NULL, false).count == 0);
        CHECK(access(l.folder, F_OK) < 0); /* and nothing was made */
    }
}

TEST(reading_goes_on_from_a_point)
{
    auto_lab l;
    lab_init(&l);
    const char *s = lab_name(&l, "a");
    struct record_point at = {0}, was, other;
    auto_free char *first = NULL, *second = NULL, *third = NULL, *none = NULL;
    for (int i = 0; i < 3; i++)
        (void)lab_say(l.r, s, NULL, "early");
    CHECK(lab_read(l.r, s, &at, &first, &l.fault) == 0 && at.seq == 3);
    was = at;
    CHECK(lab_read(l.r, s, &at, &none, &l.fault) == 0 && !*none && at.seq == 3);
    (void)lab_say(l.r, s, NULL, "late");
    CHECK(lab_read(l.r, s, &at, &second, &l.fault) == 0);
    CHECK_STR(second, "late\n");
    other = (struct record_point){.seq = 3}; /* believed */
    CHECK(lab_read(l.r, s, &other, &third, &l.fault) == 0 && !memcmp(&other, &at, sizeof at));
    CHECK_STR(third, "late\n");
    was.hash[0] ^= 1;
    free(take(none));
    CHECK(lab_read(l.r, s, &was, &none, &l.fault) == -ESTALE && !*none);
    free(take(none));
    other = (struct record_point){.seq = 9};
    CHECK(lab_read(l.r, s, &other, &none, &l.fault) == -ESTALE);
}

TEST(the_last_point_is_where_reading_ends)
{
    auto_lab l;
    lab_init(&l);
    const char *s = lab_name(&l, "a");
    struct record_point at = {0}, last = {.seq = 7};
    auto_free char *text = NULL;
    CHECK(record_last(l.r, s, &last, &l.fault) == 0 && last.seq == 0);
    for (int i = 0; i < 3; i++)
        (void)lab_say(l.r, s, NULL, "said");
    CHECK(record_last(l.r, s, &last, &l.fault) == 0 && last.seq == 3);
    CHECK(lab_read(l.r, s, &at, &text, &l.fault) == 0 && !memcmp(&at, &last, sizeof at));
    CHECK(record_last(l.r, "no name", &last, &l.fault) == -EINVAL);
}

TEST(a_session_begun_anew_is_not_the_one_it_was)
{
    auto_lab l;
    lab_init(&l);
    const char *s = lab_name(&l, "a");
    struct record_point at = {0};
    auto_free char *text = NULL, *none = NULL;
    (void)lab_say(l.r, s, NULL, "same");
    CHECK(lab_read(l.r, s, &at, &text, &l.fault) == 0);
    CHECK(record_delete(l.r, s, &l.fault) == 0);
    (void)lab_say(l.r, s, NULL, "other");
    CHECK(lab_read(l.r, s, &at, &none, &l.fault) == -ESTALE);
}

struct stop {
    int64_t at;
    int code;
};
static int stop_at(const struct record_entry *e, void *arg)
{
    const struct stop *s = arg;
    return e->point.seq == s->at ? s->code : 0;
}

TEST(a_reader_may_stop)
{
    auto_lab l;
    lab_init(&l);
    const char *s = lab_name(&l, "a");
    struct record_point at = {0};
    struct stop stop = {2, 1};
    for (int i = 0; i < 4; i++)
        (void)lab_say(l.r, s, NULL, "x");
    CHECK(record_read(l.r, s, &at, stop_at, &stop, &l.fault) == 0 && at.seq == 2);
    stop = (struct stop){4, -EPIPE};
    CHECK(record_read(l.r, s, &at, stop_at, &stop, &l.fault) == -EPIPE && at.seq == 4);
}

TEST(a_key_appends_once)
{
    auto_lab l;
    lab_init(&l);
    const char *s = lab_name(&l, "a");
    struct record_new e[] = {{"one", 3}, {"two", 3}, {"three", 5}};
    struct record_append a = {.session = s, .key = "k", .entries = e, .count = 2, .after = -1};
    struct record_appended done;
    CHECK(record_append(l.r, &a, &done, &l.fault) == 0 && done.first == 1 && done.last == 2 && !done.again);
    a.after = 0; /* as it was asked for the first time */
    CHECK(record_append(l.r, &a, &done, &l.fault) == 0 && done.first == 1 && done.last == 2 && done.again);
    a.count = 1;
    CHECK(record_append(l.r, &a, &done, &l.fault) == -EEXIST);
    a.count = 3;
    CHECK(record_append(l.r, &a, &done, &l.fault) == -EEXIST);
    a.count = 2;
    CHECK(lab_say(l.r, s, NULL, "after") == 3);
    CHECK(record_append(l.r, &a, &done, &l.fault) == 0 && done.again && done.last == 2);
    e[1].body = "owt";
    CHECK(record_append(l.r, &a, &done, &l.fault) == -EEXIST && strstr(l.fault.text, "\"k\""));
    e[1] = (struct record_new){"twofold", 7};
    CHECK(record_append(l.r, &a, &done, &l.fault) == -EEXIST);
    e[1] = (struct record_new){"", 0};
    a.key = "empty";
    a.after = -1;
    CHECK(record_append(l.r, &a, &done, &l.fault) == 0 && record_append(l.r, &a, &done, &l.fault) == 0 && done.again);
    CHECK(lab_say(l.r, lab_name(&l, "b"), "k", "one") == 1); /* a key is the session's own */
    CHECK(lab_check(&l, s, false).count == 0);
}

TEST(the_last_entry_must_be_the_one_that_is_named)
{
    auto_lab l;
    lab_init(&l);
    const char *s = lab_name(&l, "a");
    struct record_new e = {"x", 1};
    struct record_append a = {.session = s, .entries = &e, .count = 1, .after = 1};
    struct record_appended done;
    struct record_point at = {0};
    auto_free char *text = NULL;
    CHECK(record_append(l.r, &a, &done, &l.fault) == -ESTALE);
    CHECK(lab_read(l.r, s, &at, &text, &l.fault) == -ENOENT); /* nothing is left of the try */
    a.after = 0;
    CHECK(record_append(l.r, &a, &done, &l.fault) == 0 && done.last == 1);
    CHECK(record_append(l.r, &a, &done, &l.fault) == -ESTALE);
    a.after = 1;
    CHECK(record_append(l.r, &a, &done, &l.fault) == 0 && done.last == 2);
}

TEST(names_keys_and_sizes_have_their_limits)
{
    auto_lab l;
    lab_init(&l);
    char longest[66], key[LIMIT_KEY_BYTES + 2];
    memset(longest, 'n', 65);
    longest[65] = '\0';
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    static const char *const names[] = {"", "a b", "a/b", "\xc3\xa4", "a\n"};
    for (size_t i = 0; i < COUNT(names); i++)
        CHECK_MSG(lab_say(l.r, names[i], NULL, "x") == -EINVAL, "%s", names[i]);
    CHECK(lab_say(l.r, longest, NULL, "x") == -EINVAL);
    CHECK(lab_say(l.r, lab_name(&l, "a"), key, "x") == -EINVAL);
    CHECK(lab_say(l.r, lab_name(&l, "a"), "", "x") == -EINVAL);
    CHECK(lab_say(l.r, lab_name(&l, "a"), "a\nb", "x") == -EINVAL && lab_say(l.r, lab_name(&l, "a"), "a\177", "x") == -EINVAL);
    key[LIMIT_KEY_BYTES] = '\0';
    CHECK(lab_say(l.r, lab_name(&l, "a"), key, "x") == 1);
    struct record_append none = {.session = lab_name(&l, "a"), .after = -1};
    struct record_appended done;
    CHECK(record_append(l.r, &none, &done, &l.fault) == -EINVAL);
    struct record_new huge = {"", LIMIT_ENTRY_BYTES + 1};
    struct record_append a = {.session = lab_name(&l, "a"), .entries = &huge, .count = 1, .after = -1};
    CHECK(record_append(l.r, &a, &done, &l.fault) == -EFBIG);
    huge = (struct record_new){"a\0b", 3};
    CHECK(record_append(l.r, &a, &done, &l.fault) == -EINVAL && strstr(l.fault.text, "NUL"));
    struct record_blob large = {.data = "", .len = LIMIT_BLOB_BYTES + 1};
    struct record_new one = {"", 0};
    a = (struct record_append){.session = lab_name(&l, "a"), .entries = &one, .count = 1, .blobs = &large, .n_blobs = 1, .after = -1};
    CHECK(record_append(l.r, &a, &done, &l.fault) == -EFBIG);
    a.n_blobs = 0;
    a.count = LIMIT_APPEND_ENTRIES + 1;
    CHECK(record_append(l.r, &a, &done, &l.fault) == -EINVAL);
    struct record_variant v = {.bytes = -1};
    CHECK(record_variant_keep(l.r, large.sha256, "x", &v, "", &v, &l.fault) == -EFBIG);
    v.bytes = (int64_t)LIMIT_BLOB_BYTES + 1;
    CHECK(record_variant_keep(l.r, large.sha256, "x", &v, "", &v, &l.fault) == -EFBIG);
    struct record_options o = {.where = "mysql://x", .folder = l.folder};
    struct record *r;
    CHECK(record_open(&o, &r, &l.fault) == -EINVAL && strstr(l.fault.text, "sqlite:"));
    o.where = "sqlite:relative.db";
    CHECK(record_open(&o, &r, &l.fault) == -EINVAL);
    o.where = "sqlite:/folder/";
    CHECK(record_open(&o, &r, &l.fault) == -EINVAL);
}

/* What was never written by us, but has the hash that it should have. */
TEST(an_entry_with_a_nul_in_it_is_damage)
{
    static const char body[] = "{\"kind\":\0\"user\"}";
    struct record_point at = {0};
    struct fovea_fault fault = {0};
    struct record_chain c = {.session = "s", .at = &at, .known = true, .fault = &fault};
    struct backend_row row = {.seq = 1, .body = body, .len = sizeof body - 1};
    record_hash(at.hash, "s", &row, row.hash);
    CHECK(record_chain_next(&c, &row) == -EBADMSG && at.seq == 0);
    CHECK_STR(fault.text, "session \"s\" is damaged: entry 1 holds a NUL byte");
    row.len = strlen(body);
    record_hash(at.hash, "s", &row, row.hash);
    CHECK(record_chain_next(&c, &row) == 0 && at.seq == 1);
}

TEST(large_entries_and_blobs_come_back_whole)
{
    auto_lab l;
    lab_init(&l);
    const char *s = lab_name(&l, "a");
    size_t len = 3 * MIB + 17, got;
    auto_free char *big = malloc(len + 1);
    auto_free void *blob = NULL;
    auto_free char *text = NULL;
    uint8_t hash[SHA256_LEN];
    struct record_point at = {0};
    for (size_t i = 0; i < len; i++)
        big[i] = (char)('a' + i * 7919 % 23);
    big[len] = '\0';
    CHECK(lab_say(l.r, s, NULL, big) == 1);
    CHECK(lab_show(l.r, s, big, len) == 2);
    CHECK(lab_show(l.r, s, "", 0) == 3);
    sha256(big, len, hash);
    CHECK(record_blob(l.r, hash, &blob, &got, &l.fault) == 0 && got == len && !memcmp(blob, big, len));
    CHECK(lab_read(l.r, s, &at, &text, &l.fault) == 0 && !strncmp(text, big, len));
    free(take(blob));
    sha256("", 0, hash);
    CHECK(record_blob(l.r, hash, &blob, &got, &l.fault) == 0 && got == 0);
    CHECK(lab_check(&l, s, false).count == 0);
}

TEST(marks_find_the_last_entry)
{
    auto_lab l;
    lab_init(&l);
    const char *s = lab_name(&l, "a");
    int64_t seq = 0;
    (void)lab_say(l.r, s, NULL, "mark:view:1 mark:read:/a/b");
    (void)lab_say(l.r, s, NULL, "mark:view:2 mark:view:2");
    (void)lab_say(l.r, s, NULL, "mark:read:/a/b");
    CHECK(record_find(l.r, s, "view:1", &seq, &l.fault) == 0 && seq == 1);
    CHECK(record_find(l.r, s, "view:2", &seq, &l.fault) == 0 && seq == 2);
    CHECK(record_find(l.r, s, "read:/a/b", &seq, &l.fault) == 0 && seq == 3);
    CHECK(record_find(l.r, s, "view:", &seq, &l.fault) == -ENOENT);
    CHECK(record_find(l.r, lab_name(&l, "b"), "view:1", &seq, &l.fault) == -ENOENT);
    CHECK(lab_check(&l, s, false).count == 0);
}

TEST(what_cannot_be_indexed_is_not_appended)
{
    auto_lab l;
    lab_init(&l);
    const char *s = lab_name(&l, "a");
    struct record_point at = {0};
    auto_free char *text = NULL;
    char lost[128] = "use:";
    memset(lost + 4, 'a', SHA256_HEX_LEN);
    struct record_new e[] = {{"mark:x", 6}, {"bad", 3}};
    struct record_append a = {.session = s, .entries = e, .count = 2, .after = -1};
    struct record_appended done;
    CHECK(record_append(l.r, &a, &done, &l.fault) == -EINVAL && strstr(l.fault.text, "entry 2"));
    CHECK(lab_say(l.r, s, NULL, lost) == -EINVAL); /* it uses bytes that nobody gave */
    CHECK(lab_read(l.r, s, &at, &text, &l.fault) == -ENOENT);
    CHECK(lab_say(l.r, s, NULL, "good") == 1);
}

static void sum_up(const struct record_session *s, void *arg)
{
    *(struct record_session *)arg = *s;
}

TEST(a_blob_is_stored_once)
{
    auto_lab l;
    lab_init(&l);
    const char *a = lab_name(&l, "a");
    struct record_session s = {0};
    CHECK(lab_show(l.r, a, a, strlen(a)) == 1 && lab_show(l.r, a, a, strlen(a)) == 2);
    CHECK(lab_show(l.r, lab_name(&l, "b"), a, strlen(a)) == 1);
    CHECK(record_sessions(l.r, a, sum_up, &s, &l.fault) == 0);
    CHECK(s.entries == 2 && s.blobs == 1 && s.blob_bytes == (int64_t)strlen(a));
    CHECK(s.bytes == 2 * (12 + SHA256_HEX_LEN));
}

TEST(of_two_variants_the_first_holds)
{
    auto_lab l;
    lab_init(&l);
    const char *s = lab_name(&l, "a"), *small = lab_name(&l, "small"), *other = lab_name(&l, "other");
    uint8_t of[SHA256_LEN];
    struct record_variant v = {.media_type = "image/png", .width = 3, .height = 4, .bytes = (int64_t)strlen(small)}, w = v, got;
    auto_free void *data = NULL;
    size_t len;
    (void)lab_show(l.r, s, s, strlen(s));
    sha256(s, strlen(s), of);
    sha256(small, strlen(small), v.sha256);
    sha256(other, strlen(other), w.sha256);
    w.bytes = (int64_t)strlen(other);
    CHECK(record_variant(l.r, of, "edge=8", &got, &l.fault) == -ENOENT);
    CHECK(record_variant_keep(l.r, of, "edge=8", &v, small, &got, &l.fault) == 0 && !memcmp(&got, &v, sizeof v));
    CHECK(record_variant_keep(l.r, of, "edge=8", &w, other, &got, &l.fault) == 0 && !memcmp(&got, &v, sizeof v));
    CHECK(record_variant_keep(l.r, of, "edge=9", &w, other, &got, &l.fault) == 0 && !memcmp(&got, &w, sizeof w));
    CHECK(record_variant(l.r, of, "edge=8", &got, &l.fault) == 0 && !memcmp(&got, &v, sizeof v));
    CHECK(record_blob(l.r, v.sha256, &data, &len, &l.fault) == 0 && len == strlen(small));
    CHECK(lab_check(&l, s, false).count == 0);
    CHECK(record_delete(l.r, s, &l.fault) == 0);
    CHECK(record_variant(l.r, of, "edge=8", &got, &l.fault) == -ENOENT);
    free(take(data));
    CHECK(record_blob(l.r, v.sha256, &data, &len, &l.fault) == -ENOENT);
}

struct listing {
    const struct lab *l;
    char names[512];
};
static void list_ours(const struct record_session *s, void *arg)
{
    struct listing *to = arg;
    size_t n = strlen(to->l->prefix), used = strlen(to->names);
    if (!strncmp(s->name, to->l->prefix, n))
        (void)snprintf(to->names + used, sizeof to->names - used, "%s:%lld ", s->name + n, (long long)s->entries);
}

TEST(sessions_are_listed_the_latest_first)
{
    auto_lab l;
    lab_init(&l);
    struct listing got = {.l = &l};
    static const struct timespec nap = {.tv_nsec = 3000000};
    static const char *const said[] = {"a", "b", "c", "a"};
    for (size_t i = 0; i < COUNT(said); i++) {
        (void)lab_say(l.r, lab_name(&l, said[i]), NULL, "x");
        (void)nanosleep(&nap, NULL);
    }
    CHECK(record_sessions(l.r, NULL, list_ours, &got, &l.fault) == 0);
    CHECK_STR(got.names, "a:2 c:1 b:1 ");
    struct record_session s = {0};
    CHECK(record_sessions(l.r, lab_name(&l, "a"), sum_up, &s, &l.fault) == 0);
    CHECK(s.created_ms > 1500000000000 && s.last_ms >= s.created_ms + 9 && s.last_ms < s.created_ms + 60000);
    CHECK(record_sessions(l.r, lab_name(&l, "d"), sum_up, &s, &l.fault) == -ENOENT);
}

TEST(deleting_takes_out_what_no_other_session_uses)
{
    auto_lab l;
    lab_init(&l);
    const char *a = lab_name(&l, "a"), *b = lab_name(&l, "b"), *own = lab_name(&l, "own"), *shared = lab_name(&l, "shared");
    uint8_t own_hash[SHA256_LEN], shared_hash[SHA256_LEN];
    struct record_point at = {0};
    auto_free char *text = NULL;
    auto_free void *data = NULL;
    size_t len;
    int64_t seq;
    (void)lab_show(l.r, a, own, strlen(own));
    (void)lab_show(l.r, a, shared, strlen(shared));
    (void)lab_show(l.r, b, shared, strlen(shared));
    (void)lab_say(l.r, a, NULL, "mark:m");
    sha256(own, strlen(own), own_hash);
    sha256(shared, strlen(shared), shared_hash);
    CHECK(record_delete(l.r, a, &l.fault) == 0);
    CHECK(lab_read(l.r, a, &at, &text, &l.fault) == -ENOENT);
    CHECK(record_find(l.r, a, "m", &seq, &l.fault) == -ENOENT);
    CHECK(record_blob(l.r, own_hash, &data, &len, &l.fault) == -ENOENT);
    CHECK(record_blob(l.r, shared_hash, &data, &len, &l.fault) == 0);
    CHECK(lab_check(&l, b, false).count == 0);
    CHECK(lab_say(l.r, a, NULL, "anew") == 1);
}

struct deleter {
    struct record *r;
    const char *session;
    int code;
};

static void *delete_it(void *arg)
{
    struct deleter *d = arg;
    d->code = record_delete(d->r, d->session, NULL);
    return NULL;
}

/* The second finds it, waits for the first, and then there is none. */
TEST(of_two_who_delete_a_session_the_later_is_told_that_there_is_none)
{
    static const struct timespec nap = {.tv_nsec = 100 * 1000000};
    auto_lab l;
    lab_init(&l);
    const char *a = lab_name(&l, "a");
    struct deleter later = {.r = l.r, .session = a};
    struct backend_head head;
    pthread_t thread;
    CHECK(lab_say(l.r, a, NULL, "x") == 1);
    struct record *first = lab_open(&l);
    CHECK_MSG(first->kind->begin(first->backend, a, false, &head, &l.fault) == 0, "%s", l.fault.text);
    CHECK(pthread_create(&thread, NULL, delete_it, &later) == 0);
    (void)nanosleep(&nap, NULL);
    CHECK_MSG(first->kind->drop_session(first->backend, head.id, &l.fault) == 0, "%s", l.fault.text);
    CHECK_MSG(first->kind->end(first->backend, 0, &l.fault) == 0, "%s", l.fault.text);
    (void)pthread_join(thread, NULL);
    CHECK_MSG(later.code == -ENOENT, "%d", later.code);
    CHECK(lab_say(l.r, a, NULL, "anew") == 1);
    record_close(first);
}

/* ---------------------------------------------------------------- many at once */

enum { WRITERS = 4, SAYS = 50 };

struct teller {
    struct record *r;
    const char *session;
    int id, failed;
};

static void *tell_much(void *arg)
{
    struct teller *t = arg;
    char body[32];
    for (int i = 0; i < SAYS; i++) {
        (void)snprintf(body, sizeof body, "mark:w%d-%d", t->id, i);
        t->failed += lab_say(t->r, t->session, NULL, body) < 1;
        if (i % 10 == 0) {
            struct record_point at = {0};
            auto_free char *text = NULL;
            t->failed += lab_read(t->r, t->session, &at, &text, NULL) < 0 || at.seq < 1;
        }
    }
    return NULL;
}

static void check_all_told(struct lab *l, const char *session)
{
    struct record_point at = {0};
    auto_free char *text = NULL;
    int64_t seq;
    CHECK_MSG(lab_read(l->r, session, &at, &text, &l->fault) == 0, "%s", l->fault.text);
    CHECK_MSG(at.seq == WRITERS * SAYS, "%lld", (long long)at.seq);
    CHECK(record_find(l->r, session, "w3-49", &seq, &l->fault) == 0);
    CHECK(lab_check(l, session, false).count == 0);
}

TEST(threads_append_to_one_session)
{
    auto_lab l;
    lab_init(&l);
    pthread_t threads[WRITERS];
    struct teller tellers[WRITERS];
    const char *s = lab_name(&l, "a");
    for (int i = 0; i < WRITERS; i++) {
        tellers[i] = (struct teller){i < 2 ? l.r : lab_open(&l), s, i, 0}; /* some share one, some have their own */
        CHECK(pthread_create(&threads[i], NULL, tell_much, &tellers[i]) == 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        (void)pthread_join(threads[i], NULL);
        CHECK(tellers[i].failed == 0);
        if (i >= 2)
            record_close(tellers[i].r);
    }
    check_all_told(&l, s);
}

TEST(processes_append_to_one_session)
{
    auto_lab l;
    lab_init(&l);
    pid_t children[WRITERS];
    const char *s = lab_name(&l, "a");
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct teller t = {lab_open(&l), s, i, 0};
            (void)tell_much(&t);
            record_close(t.r);
            _exit(t.failed != 0);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;
        (void)waitpid(children[i], &status, 0);
        CHECK(status == 0);
    }
    check_all_told(&l, s);
}

TEST(a_cancel_ends_every_call)
{
    auto_lab l;
    lab_init(&l);
    fovea_cancel *cancel = NULL;
    CHECK(fovea_cancel_new(&cancel, &l.fault) == 0);
    struct record *r = lab_open(&l);
    record_cancel(r, cancel);
    struct record_point at = {0};
    auto_free char *text = NULL, *more = NULL;
    const char *s = lab_name(&l, "a");
    CHECK(lab_say(r, s, NULL, "x") == 1);
    fovea_cancel_now(cancel);
    CHECK(lab_say(r, s, NULL, "x") == -ECANCELED);
    CHECK(lab_read(r, s, &at, &text, &l.fault) == -ECANCELED);
    CHECK(lab_say(l.r, s, NULL, "y") == 2); /* another record is not meant */
    record_cancel(r, NULL);
    CHECK(lab_read(r, s, &at, &more, &l.fault) == 0 && at.seq == 2);
    record_close(r);
    fovea_cancel_free(cancel);
}

TEST(closing_nothing_is_fine)
{
    record_close(NULL);
}
