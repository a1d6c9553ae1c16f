/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record whose file was tampered with: bytes of a good SQLite file are overwritten or cut off, or its rows are changed, moved and taken
 * out. Whatever is read, found or listed is what was appended to that session, or a fault says so; checking and repairing end. Where
 * checking finds nothing wrong any more, all of it is there: marks lead to their last entry, bytes to what was stored, smaller versions
 * are the ones that were kept, and what is told of a session is counted right. It can then be added to, and one session goes
 * without taking what is the other's.
 * about: src/record/record_read.c src/record/record_made.c src/record/record_chain.c src/record/record_check.c
 *   src/record/record_check_blobs.c src/record/sqlite_read.c src/record/sqlite.c src/record/sqlite_file.c src/record/record.c
 * max_len: 256
 */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>

#include "memory.h"
#include "record/record_priv.h"
#include "record_lab.h"

enum { SESSIONS = 2, ENTRIES = 12, MARKS = 4, BLOBS = 4, VARIANTS = 2, BODY = 200 };
enum { REPAIR = 1, ROWS = 2, APPEND = 4, DELETE = 8, KEEP = 16 }; /* bits of the first byte */

static const char *const names[SESSIONS] = {"s", "t"};
static struct tree tree;
static char file[128], where[160];
static struct buf original = BUF_INIT(4 * MIB);
static char bodies[SESSIONS][ENTRIES + 1][BODY]; /* the last is added after the tampering */
static uint8_t hashes[BLOBS][SHA256_LEN];
static char blobs[BLOBS][64];
static struct record_variant variants[VARIANTS]; /* of the first blobs */
static char smaller[VARIANTS][64];

static void tidy(void)
{
    tree_done(&tree);
    buf_done(&original);
}

static struct record *open_record(void)
{
    struct record *r = NULL;
    struct fovea_fault fault = {0};
    struct record_options o = {.where = where, .folder = tree.top, .derive = lab_derive, .wait_ms = 50};
    CLAIM(record_open(&o, &r, &fault) == 0);
    return r;
}

/* Each session uses three of four, two of them are shared. */
static size_t blob_of(size_t session, size_t entry)
{
    return session + entry % (BLOBS - 1);
}

static void say(struct record *r, size_t session, size_t i)
{
    char hex[SHA256_HEX_LEN + 1];
    struct record_appended done;
    struct fovea_fault fault = {0};
    size_t b = blob_of(session, i);
    sha256_hex(hashes[b], hex);
    (void)snprintf(bodies[session][i], BODY, "entry %zu of %s mark:m%zu use:%s", i, names[session], i % MARKS, hex);
    struct record_new entry = {bodies[session][i], strlen(bodies[session][i])};
    struct record_blob blob = {.data = blobs[b], .len = strlen(blobs[b])};
    memcpy(blob.sha256, hashes[b], SHA256_LEN);
    struct record_append a = {.session = names[session], .entries = &entry, .count = 1, .blobs = &blob, .n_blobs = 1, .after = -1};
    int code = record_append(r, &a, &done, &fault);
    CLAIM(i == ENTRIES || code == 0);
    CLAIM(code == 0 || (code < 0 && fault.text[0]));
}

static int keep(struct record *r, size_t i, struct record_variant *ret)
{
    struct fovea_fault fault = {0};
    int code = record_variant_keep(r, hashes[i], "edge=9", &variants[i], smaller[i], ret, &fault);
    CLAIM(code == 0 || (code < 0 && fault.text[0]));
    return code;
}

static void fill(struct record *r)
{
    for (size_t i = 0; i < BLOBS; i++) {
        (void)snprintf(blobs[i], sizeof blobs[i], "bytes of blob %zu", i);
        sha256(blobs[i], strlen(blobs[i]), hashes[i]);
    }
    for (size_t i = 0; i < SESSIONS * ENTRIES; i++)
        say(r, i % SESSIONS, i / SESSIONS);
    for (size_t i = 0; i < VARIANTS; i++) {
        struct record_variant got;
        (void)snprintf(smaller[i], sizeof smaller[i], "smaller bytes of blob %zu", i);
        variants[i] = (struct record_variant){.media_type = "image/png", .width = 9, .height = (uint32_t)i + 1};
        variants[i].bytes = (int64_t)strlen(smaller[i]);
        sha256(smaller[i], strlen(smaller[i]), variants[i].sha256);
        CLAIM(keep(r, i, &got) == 0);
    }
}

/* All of it in the one file. */
static void fold_log(void)
{
    sqlite3 *db = NULL;
    CLAIM(sqlite3_open(file, &db) == SQLITE_OK && sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL) == SQLITE_OK);
    (void)sqlite3_close(db);
}

static void keep_original(void)
{
    auto_close int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    do {
        char *to = buf_reserve(&original, 64 * KIB);
        CLAIM(fd >= 0 && to);
        n = read(fd, to, 64 * KIB);
        buf_grew(&original, n > 0 ? (size_t)n : 0);
    } while (n > 0);
    CLAIM(original.len > 4096);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    memory_folder(&tree);
    (void)atexit(tidy);
    (void)snprintf(file, sizeof file, "%sr.db", tree.top);
    (void)snprintf(where, sizeof where, "sqlite:%s", file);
    struct record *r = open_record();
    fill(r);
    record_close(r);
    fold_log();
    keep_original();
    return 0;
}

/* ---------------------------------------------------------------- tampering */

static void overwrite(int fd, struct feed *f)
{
    while (f->left >= 4) {
        uint8_t bytes[8];
        uint32_t at = feed_u32(f) % (uint32_t)original.len;
        size_t n = 1 + (at >> 3) % 4;
        feed_take(f, bytes, n);
        CLAIM(pwrite(fd, bytes, n, at) == (ssize_t)n);
    }
}

/* ?1 a session, ?2 a small number, ?3 any number, ?4 bytes, ?5 the same as text. What breaks a rule of the schema is refused. */
static const char *const changes[] = {
    "UPDATE entries SET body = ?4 WHERE session = ?1 AND seq = ?2",
    "UPDATE entries SET hash = ?4 WHERE session = ?1 AND seq = ?2",
    "UPDATE entries SET hash = (SELECT hash FROM entries WHERE session = ?1 AND seq = ?2 + 1) WHERE session = ?1 AND seq = ?2",
    "UPDATE entries SET seq = ?3 WHERE session = ?1 AND seq = ?2",
    "UPDATE entries SET seq = -seq WHERE session = ?1 AND seq > ?2",
    "UPDATE entries SET at_ms = ?3 WHERE session = ?1 AND seq = ?2",
    "UPDATE entries SET key = ?5 WHERE session = ?1 AND seq = ?2",
    "UPDATE entries SET key = NULL WHERE session = ?1 AND seq = ?2",
    "UPDATE OR REPLACE entries SET session = ?3 WHERE session = ?1 AND seq = ?2",
    "INSERT OR REPLACE INTO entries SELECT 3 - session, seq, at_ms, hash, NULL, body FROM entries WHERE session = ?1 AND seq >= ?2",
    "INSERT OR REPLACE INTO entries SELECT session, seq + ?2, at_ms, hash, NULL, body FROM entries WHERE session = ?1 AND seq < ?3",
    "DELETE FROM entries WHERE session = ?1 AND seq = ?2",
    "DELETE FROM entries WHERE session = ?1 AND seq > ?2",
    "UPDATE sessions SET name = ?5 WHERE id = ?1",
    "UPDATE sessions SET name = CASE id WHEN ?1 THEN 'u' ELSE name END",
    "UPDATE sessions SET name = CASE name WHEN 'u' THEN 't' WHEN 't' THEN 's' ELSE name END WHERE id > ?2",
    "UPDATE sessions SET id = ?3 WHERE id = ?1",
    "INSERT INTO sessions (name) VALUES (?5)",
    "DELETE FROM sessions WHERE id = ?1",
    "UPDATE heads SET seq = ?3 WHERE session = ?1",
    "UPDATE heads SET hash = ?4 WHERE session = ?1",
    "UPDATE heads SET uses = ?3 WHERE session = ?1",
    "UPDATE heads SET seq = ?2, hash = (SELECT hash FROM entries WHERE session = ?1 AND seq = ?2) WHERE session = ?1",
    "UPDATE heads SET seq = seq + ?2 WHERE session = ?1",
    "DELETE FROM heads WHERE session = ?1",
    "UPDATE OR REPLACE heads SET session = ?3 WHERE session = ?1",
    "UPDATE OR REPLACE marks SET seq = ?3 WHERE session = ?1 AND seq = ?2",
    "UPDATE OR REPLACE marks SET name = ?4 WHERE session = ?1 AND seq = ?2",
    "UPDATE OR REPLACE marks SET session = ?3 WHERE session = ?1 AND seq > ?2",
    "INSERT OR REPLACE INTO marks VALUES (?1, ?4, ?3)",
    "DELETE FROM marks WHERE session = ?1 AND seq > ?2",
    "UPDATE OR REPLACE uses SET seq = ?3 WHERE session = ?1 AND seq = ?2",
    "UPDATE OR REPLACE uses SET sha256 = ?4 WHERE session = ?1 AND seq = ?2",
    "UPDATE OR REPLACE uses SET session = 3 - session WHERE seq > ?2",
    "INSERT OR REPLACE INTO uses VALUES (?1, ?3, ?4)",
    "DELETE FROM uses WHERE session = ?1 AND seq > ?2",
    "UPDATE blobs SET data = ?4 WHERE rowid = ?2",
    "UPDATE OR REPLACE blobs SET sha256 = ?4 WHERE rowid = ?2",
    "UPDATE blobs SET data = (SELECT data FROM blobs WHERE rowid = ?1) WHERE rowid = ?2",
    "INSERT INTO blobs VALUES (?4, ?4)",
    "DELETE FROM blobs WHERE rowid = ?2",
    "UPDATE variants SET sha256 = ?4 WHERE height = ?1",
    "UPDATE variants SET sha256 = (SELECT sha256 FROM blobs WHERE rowid = ?2) WHERE height = ?1",
    "UPDATE variants SET media_type = ?5 WHERE height = ?1",
    "UPDATE variants SET width = ?3 WHERE height = ?1",
    "UPDATE variants SET height = ?3 WHERE height = ?1",
    "UPDATE variants SET bytes = ?3 WHERE height = ?1",
    "UPDATE variants SET seal = ?4 WHERE height = ?1",
    "UPDATE variants SET seal = (SELECT seal FROM variants WHERE height = ?1)",
    "UPDATE OR REPLACE variants SET spec = ?5 WHERE height = ?1",
    "UPDATE OR REPLACE variants SET of = ?4 WHERE height = ?1",
    "INSERT OR REPLACE INTO variants SELECT ?4, ?5, sha256, media_type, width, height, bytes, seal FROM variants WHERE height = ?1",
    "DELETE FROM variants WHERE height = ?1",
};

static void change(sqlite3 *db, struct feed *f)
{
    sqlite3_stmt *st = NULL;
    uint8_t which = feed_u8(f), small = feed_u8(f), len = feed_u8(f) % (SHA256_LEN + 8);
    char bytes[SHA256_LEN + 8];
    int64_t any = (int64_t)(int8_t)len;
    if (small & 0x40)
        feed_take(f, &any, sizeof any);
    feed_take(f, bytes, len);
    const void *data = small & 0x80 ? (const void *)hashes[len % BLOBS] : bytes;
    int n = small & 0x80 ? SHA256_LEN : len;
    CLAIM(sqlite3_prepare_v2(db, changes[which % COUNT(changes)], -1, &st, NULL) == SQLITE_OK);
    for (int i = 1; i <= sqlite3_bind_parameter_count(st); i++) {
        if (i < 3)
            (void)sqlite3_bind_int(st, i, i == 1 ? 1 + (small & 1) : small >> 1 & 15);
        else if (i == 3)
            (void)sqlite3_bind_int64(st, i, any);
        else if (i == 4)
            (void)sqlite3_bind_blob(st, i, data, n, SQLITE_STATIC);
        else
            (void)sqlite3_bind_text(st, i, bytes, len, SQLITE_STATIC);
    }
    (void)sqlite3_step(st);
    (void)sqlite3_finalize(st);
}

static void change_rows(struct feed *f)
{
    sqlite3 *db = NULL;
    CLAIM(sqlite3_open(file, &db) == SQLITE_OK);
    CLAIM(sqlite3_exec(db, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; BEGIN", NULL, NULL, NULL) == SQLITE_OK);
    for (int i = 0; f->left && i < 8; i++)
        change(db, f);
    (void)sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    (void)sqlite3_close(db);
}

static void tamper(struct feed *f, bool rows)
{
    char side[140];
    static const char *const sides[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < COUNT(sides); i++) {
        (void)snprintf(side, sizeof side, "%s%s", file, sides[i]);
        (void)unlink(side);
    }
    auto_close int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t len = original.len;
    if (!rows && feed_u8(f) == 0xff)
        len = feed_u32(f) % len;
    CLAIM(fd >= 0 && write(fd, original.data, len) == (ssize_t)len);
    if (rows)
        change_rows(f);
    else
        overwrite(fd, f);
}

/* ---------------------------------------------------------------- what must hold */

struct reading {
    size_t session;
    int64_t last;
};

static int claim_entry(const struct record_entry *e, void *arg)
{
    struct reading *g = arg;
    CLAIM(e->point.seq == g->last + 1 && e->point.seq <= ENTRIES + 1);
    const char *want = bodies[g->session][e->point.seq - 1];
    CLAIM(*want && e->len == strlen(want) && !memcmp(e->body, want, e->len));
    g->last = e->point.seq;
    return 0;
}

/* How many entries there are, or a negative code. */
static int64_t read_session(struct record *r, size_t session)
{
    struct fovea_fault fault = {0};
    struct record_point at = {0};
    struct reading g = {.session = session};
    int code = record_read(r, names[session], &at, claim_entry, &g, &fault);
    CLAIM(code == 0 || (code < 0 && fault.text[0]));
    CLAIM(at.seq == g.last);
    return code < 0 ? code : g.last;
}

static int64_t find(struct record *r, size_t session, size_t mark)
{
    char name[8];
    int64_t seq = -1;
    struct fovea_fault fault = {0};
    (void)snprintf(name, sizeof name, "m%zu", mark);
    int code = record_find(r, names[session], name, &seq, &fault);
    CLAIM(code == 0 || (code < 0 && fault.text[0]));
    return code < 0 ? code : seq;
}

/* From there on, as who found it would read it. */
static void read_found(struct record *r, size_t session, int64_t seq)
{
    struct fovea_fault fault = {0};
    struct record_point at = {.seq = seq};
    struct reading g = {.session = session, .last = seq};
    if (seq <= 0)
        return;
    int code = record_read(r, names[session], &at, claim_entry, &g, &fault);
    CLAIM(code == 0 || (code < 0 && fault.text[0]));
}

static int read_blob(struct record *r, size_t i)
{
    void *data = NULL;
    size_t len = 0;
    struct fovea_fault fault = {0};
    int code = record_blob(r, hashes[i], &data, &len, &fault);
    CLAIM(code == 0 ? len == strlen(blobs[i]) && !memcmp(data, blobs[i], len) : fault.text[0] != 0);
    free(data);
    return code;
}

static void claim_variant(const struct record_variant *got, const struct record_variant *want)
{
    CLAIM(!memcmp(got->sha256, want->sha256, SHA256_LEN) && !strcmp(got->media_type, want->media_type));
    CLAIM(got->width == want->width && got->height == want->height && got->bytes == want->bytes);
}

static int read_variant(struct record *r, size_t i)
{
    struct record_variant got;
    struct fovea_fault fault = {0};
    int code = record_variant(r, hashes[i], "edge=9", &got, &fault);
    if (code == 0)
        claim_variant(&got, &variants[i]);
    else
        CLAIM(fault.text[0]);
    return code;
}

struct listed {
    size_t told[SESSIONS];
    struct record_session of[SESSIONS];
};

static void claim_listed(const struct record_session *s, void *arg)
{
    struct listed *l = arg;
    size_t len = strlen(s->name);
    CLAIM(len >= 1 && len <= 64);
    for (size_t i = 0; i < len; i++)
        CLAIM(strchr("._-0123456789", s->name[i]) || ((s->name[i] | 32) >= 'a' && (s->name[i] | 32) <= 'z'));
    for (size_t i = 0; i < SESSIONS; i++)
        if (!strcmp(s->name, names[i])) {
            l->told[i]++;
            l->of[i] = *s;
        }
}

static void list(struct record *r, struct listed *l)
{
    struct fovea_fault fault = {0};
    int code = record_sessions(r, NULL, claim_listed, l, &fault);
    CLAIM(code == 0 || (code < 0 && fault.text[0]));
}

/* Whatever was done to it. */
static void read_all(struct record *r)
{
    struct listed l = {0};
    for (size_t i = 0; i < SESSIONS; i++) {
        struct record_point last;
        struct fovea_fault fault = {0};
        (void)read_session(r, i);
        for (size_t m = 0; m < MARKS; m++)
            read_found(r, i, find(r, i, m));
        int code = record_last(r, names[i], &last, &fault);
        CLAIM(code == 0 ? last.seq >= 0 : fault.text[0] != 0);
    }
    for (size_t i = 0; i < BLOBS; i++)
        (void)read_blob(r, i);
    for (size_t i = 0; i < VARIANTS; i++)
        (void)read_variant(r, i);
    list(r, &l);
}

/* Nothing is wrong with it, says record_check: then all that a session's entries name is right. They may be fewer than there were: who
 * takes the last ones out, and all that tells of them, leaves no trace. */
static int64_t claim_whole(struct record *r, size_t session)
{
    bool used[BLOBS] = {0};
    struct listed l = {0};
    struct record_point last;
    int64_t n = read_session(r, session), bytes = 0, n_used = 0, used_bytes = 0;
    CLAIM(n >= 0 || n == -ENOENT);
    CLAIM(record_last(r, names[session], &last, NULL) == 0 && last.seq == (n < 0 ? 0 : n));
    for (size_t m = 0; m < MARKS; m++) {
        int64_t want = n - (n - 1 - (int64_t)m % MARKS + MARKS) % MARKS; /* entry i, counted from 0, has mark i % MARKS */
        CLAIM(find(r, session, m) == (n > (int64_t)m ? want : -ENOENT));
    }
    for (int64_t i = 0; i < n; i++) {
        bytes += (int64_t)strlen(bodies[session][i]);
        used[blob_of(session, (size_t)i)] = true;
    }
    for (size_t i = 0; i < BLOBS; i++)
        if (used[i]) {
            CLAIM(read_blob(r, i) == 0);
            n_used++;
            used_bytes += (int64_t)strlen(blobs[i]);
        }
    list(r, &l);
    CLAIM(l.told[session] == (n >= 0));
    if (n >= 0) {
        const struct record_session *s = &l.of[session];
        CLAIM(s->entries == n && s->bytes == bytes && s->blobs == n_used && s->blob_bytes == used_bytes && s->created_ms <= s->last_ms);
    }
    return n;
}

static void nothing(const struct record_problem *p, void *arg)
{
    CLAIM(p->session && p->what && *p->what);
    ++*(size_t *)arg;
}

/* Whether it found that nothing is wrong any more. */
static bool check(struct record *r, bool repair)
{
    struct fovea_fault fault = {0};
    struct record_checked checked = {0};
    size_t told = 0;
    int code = record_check(r, NULL, repair, nothing, &told, &checked, &fault);
    CLAIM(code == 0 || (code < 0 && fault.text[0]));
    CLAIM(code < 0 || checked.problems <= (int64_t)told);
    return code == 0 && checked.problems == 0;
}

static void claim_deleted(struct record *r, bool whole)
{
    struct fovea_fault fault = {0};
    int64_t other = whole ? claim_whole(r, 1) : 0;
    int code = record_delete(r, names[0], &fault);
    CLAIM(code == 0 || (code < 0 && fault.text[0]));
    CLAIM(!whole || code == 0 || code == -ENOENT);
    if (code == 0) {
        int64_t left = read_session(r, 0);
        CLAIM(left == -ENOENT || (!whole && left <= 0));
    }
    if (whole)
        CLAIM(claim_whole(r, 1) == other);
    else
        read_all(r);
}

static void try_record(uint8_t what)
{
    struct record *r = open_record();
    bool whole;
    read_all(r);
    whole = check(r, what & REPAIR);
    for (size_t i = 0; i < SESSIONS; i++)
        if (whole)
            (void)claim_whole(r, i);
    if (!whole && what & REPAIR)
        read_all(r);
    for (size_t i = 0; what & KEEP && i < VARIANTS; i++) {
        struct record_variant got;
        int code = keep(r, i, &got);
        CLAIM(!whole || code == 0);
        if (code == 0)
            claim_variant(&got, &variants[i]);
    }
    if (what & APPEND && read_session(r, 1) == ENTRIES) {
        say(r, 1, ENTRIES);
        CLAIM(!whole || claim_whole(r, 1) == ENTRIES + 1);
    }
    if (what & DELETE)
        claim_deleted(r, whole);
    record_close(r);
    memset(bodies[1][ENTRIES], 0, BODY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    uint8_t what = feed_u8(&f);
    tamper(&f, what & ROWS);
    try_record(what);
    return 0;
}
