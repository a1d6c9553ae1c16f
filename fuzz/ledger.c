/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two files of the ledger, tampered with: bytes of a good SQLite file are overwritten or cut off, or its rows are changed. An answer
 * that is known is the one that was kept under its key, or there is none. What was spent is a number or a fault, the sums that are told
 * have names and amounts that can be written, and what is added counts to the last nano-dollar, for its session and for all, and for
 * no other.
 * about: src/ledger/answers.c src/ledger/usage.c src/ledger/store.c src/ledger/ledger.c
 * max_len: 256
 */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "ledger/ledger.h"
#include "memory.h"
#include "model/money.h"

enum { ANSWERS = 1, ROWS = 2, WRITE = 4, CLEAR = 8 }; /* bits of the first byte */
enum { KEYS = 6, CALLS = 12, NOON = 1700049600, DAY = 86400 };

static struct tree tree;
static char state[96], cache[96];
static struct stored {
    char file[128];
    struct buf original;
} usage = {.original = BUF_INIT(4 * MIB)}, answers = {.original = BUF_INIT(4 * MIB)};
static uint8_t keys[KEYS][SHA256_LEN];
static char texts[KEYS][96]; /* the last is kept after the tampering */
static const char *const sessions[] = {"", "s", "t"};

static void tidy(void)
{
    tree_done(&tree);
    buf_done(&usage.original);
    buf_done(&answers.original);
}

static struct ledger *open_ledger(void)
{
    struct ledger *l = NULL;
    struct ledger_options o = {.state_dir = state, .cache_dir = cache, .cache_bytes = MIB};
    CLAIM(ledger_new(&o, &l, NULL) == 0);
    return l;
}

static int add(struct ledger *l, size_t i, int64_t nano)
{
    struct fovea_fault fault = {0};
    struct ledger_entry e = {.session = sessions[i % COUNT(sessions)], .tool = "vision_analyze", .provider = "p",
                             .model = i % 2 ? "m" : "n", .at = NOON + (int64_t)(i / 4) * DAY, .input = 100, .output = 10, .nano = nano};
    int r = ledger_add(l, &e, &fault);
    CLAIM(r == 0 || (r < 0 && fault.text[0]));
    return r;
}

static void make_answers(struct ledger *l)
{
    for (size_t i = 0; i < KEYS; i++) {
        sha256(&i, sizeof i, keys[i]);
        (void)snprintf(texts[i], sizeof texts[i], "{\"text\":\"answer %zu\",\"at\":1700000000}", i);
        if (i < KEYS - 1)
            answers_keep(l, keys[i], texts[i], strlen(texts[i]));
    }
}

/* All of it in the one file, as bytes. */
static void keep_original(struct stored *s)
{
    sqlite3 *db = NULL;
    ssize_t n;
    CLAIM(sqlite3_open(s->file, &db) == SQLITE_OK && sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL) == SQLITE_OK);
    (void)sqlite3_close(db);
    auto_close int fd = open(s->file, O_RDONLY | O_CLOEXEC);
    do {
        char *to = buf_reserve(&s->original, 64 * KIB);
        CLAIM(fd >= 0 && to);
        n = read(fd, to, 64 * KIB);
        buf_grew(&s->original, n > 0 ? (size_t)n : 0);
    } while (n > 0);
    CLAIM(s->original.len > 4096);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    memory_folder(&tree);
    (void)atexit(tidy);
    (void)snprintf(state, sizeof state, "%sstate", tree.top);
    (void)snprintf(cache, sizeof cache, "%scache", tree.top);
    (void)snprintf(usage.file, sizeof usage.file, "%s/usage.db", state);
    (void)snprintf(answers.file, sizeof answers.file, "%s/answers.db", cache);
    struct ledger *l = open_ledger();
    for (size_t i = 0; i < CALLS; i++)
        CLAIM(add(l, i, i % 5 ? (int64_t)i * 1000 : -1) == 0);
    make_answers(l);
    ledger_free(l);
    keep_original(&usage);
    keep_original(&answers);
    return 0;
}

/* ---------------------------------------------------------------- tampering */

/* ?1 a small number, ?2 any number, ?3 bytes, ?4 the same as text. What breaks a rule of the schema is refused. */
static const char *const changes[] = {
    "UPDATE answer SET text = ?3 WHERE id = ?1",
    "UPDATE answer SET text = (SELECT text FROM answer WHERE id = ?2) WHERE id = ?1",
    "UPDATE answer SET (text, seal) = (SELECT text, seal FROM answer WHERE id = ?2) WHERE id = ?1",
    "UPDATE answer SET text = text || x'00' WHERE id = ?1",
    "UPDATE answer SET seal = ?3 WHERE id = ?1",
    "UPDATE OR REPLACE answer SET key = ?3 WHERE id = ?1",
    "UPDATE OR REPLACE answer SET id = ?2 WHERE id = ?1",
    "UPDATE answer SET used = ?2 WHERE id = ?1",
    "UPDATE answer SET bytes = ?2 WHERE id = ?1",
    "UPDATE held SET bytes = ?2",
    "INSERT INTO held VALUES (?2)",
    "DELETE FROM held",
    "DELETE FROM answer WHERE id = ?1",
    "UPDATE call SET nano = ?2 WHERE id = ?1",
    "UPDATE call SET at = ?2 WHERE id = ?1",
    "UPDATE call SET session = ?4, model = ?4 WHERE id = ?1",
    "UPDATE call SET input = ?2, failed = ?2 WHERE id = ?1",
    "DELETE FROM call WHERE id >= ?1",
    "UPDATE total SET nano = ?2 WHERE kind = ?1 % 3",
    "UPDATE total SET calls = ?2, unpriced = ?2 WHERE kind = ?1 % 3",
    "UPDATE total SET input = ?2, output = ?2, failed = ?2 WHERE kind = ?1 % 3",
    "UPDATE OR REPLACE total SET name = ?4 WHERE kind = ?1 % 3",
    "UPDATE OR REPLACE total SET day = ?2 WHERE kind = ?1 % 3",
    "UPDATE OR REPLACE total SET kind = ?2 WHERE kind = ?1 % 3",
    "UPDATE total SET last = ?2 WHERE kind = ?1 % 3",
    "DELETE FROM total WHERE kind = ?1 % 3",
    "PRAGMA user_version = -1",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = 77",
    "DROP TABLE held",
    "DROP TABLE total",
    "DROP INDEX answer_used",
    "ALTER TABLE answer DROP COLUMN seal",
};

static void change(sqlite3 *db, struct feed *f)
{
    sqlite3_stmt *st = NULL;
    char bytes[SHA256_LEN + 8];
    uint8_t which = feed_u8(f), small = feed_u8(f), len = feed_u8(f) % sizeof bytes;
    int64_t any = (int8_t)len;
    if (small & 0x40)
        feed_take(f, &any, sizeof any);
    feed_take(f, bytes, len);
    const void *data = small & 0x80 ? (const void *)keys[len % KEYS] : bytes;
    int n = small & 0x80 ? SHA256_LEN : len;
    if (sqlite3_prepare_v2(db, changes[which % COUNT(changes)], -1, &st, NULL) != SQLITE_OK)
        return; /* of the other file's tables */
    (void)sqlite3_bind_int(st, 1, small & 15);
    (void)sqlite3_bind_int64(st, 2, any);
    (void)sqlite3_bind_blob(st, 3, data, n, SQLITE_STATIC);
    (void)sqlite3_bind_text(st, 4, bytes, len, SQLITE_STATIC);
    (void)sqlite3_step(st);
    (void)sqlite3_finalize(st);
}

static void change_rows(const struct stored *s, struct feed *f)
{
    sqlite3 *db = NULL;
    CLAIM(sqlite3_open(s->file, &db) == SQLITE_OK);
    CLAIM(sqlite3_exec(db, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF", NULL, NULL, NULL) == SQLITE_OK);
    for (int i = 0; f->left && i < 8; i++)
        change(db, f);
    (void)sqlite3_close(db);
}

static void tamper(const struct stored *s, struct feed *f, bool rows)
{
    char side[140];
    static const char *const sides[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < COUNT(sides); i++) {
        (void)snprintf(side, sizeof side, "%s%s", s->file, sides[i]);
        (void)unlink(side);
    }
    auto_close int fd = open(s->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t len = s->original.len;
    if (!rows && feed_u8(f) == 0xff)
        len = feed_u32(f) % len;
    CLAIM(fd >= 0 && write(fd, s->original.data, len) == (ssize_t)len);
    if (rows)
        change_rows(s, f);
    while (!rows && f->left >= 4) {
        uint8_t bytes[8];
        uint32_t at = feed_u32(f) % (uint32_t)s->original.len;
        size_t n = 1 + (at >> 3) % 4;
        feed_take(f, bytes, n);
        CLAIM(pwrite(fd, bytes, n, at) == (ssize_t)n);
    }
}

/* ---------------------------------------------------------------- answers */

static bool find(struct ledger *l, size_t i)
{
    char *text = NULL;
    int r = answers_find(l, keys[i], &text);
    CLAIM(r == -ENOENT || (r == 0 && !strcmp(text, texts[i])));
    free(text);
    return r == 0;
}

static void try_answers(struct ledger *l, uint8_t what)
{
    struct fovea_fault fault = {0};
    int64_t count = -1;
    for (size_t i = 0; i < KEYS; i++)
        CLAIM(!find(l, i) || i < KEYS - 1);
    if (what & WRITE) {
        answers_keep(l, keys[KEYS - 1], texts[KEYS - 1], strlen(texts[KEYS - 1]));
        answers_keep(l, keys[0], texts[0], strlen(texts[0]));
        for (size_t i = 0; i < KEYS; i++)
            (void)find(l, i);
    }
    if (what & CLEAR) {
        int r = answers_clear(l, &count, &fault);
        CLAIM(r == 0 ? count >= 0 : fault.text[0] != 0);
        for (size_t i = 0; r == 0 && i < KEYS; i++)
            CLAIM(!find(l, i) || !(what & ROWS));
    }
}

/* ---------------------------------------------------------------- money */

static void claim_row(const struct ledger_sum *row, void *arg)
{
    char cost[MONEY_TEXT] = "";
    ++*(size_t *)arg;
    CLAIM(row->name && row->calls >= 0 && row->failed >= 0 && row->input >= 0 && row->output >= 0 && row->unpriced >= 0);
    money_text(row->nano, cost);
    CLAIM(*cost && strlen(cost) < sizeof cost && strspn(cost, "0123456789.") == strlen(cost));
}

static void claim_sums(struct ledger *l, int64_t since)
{
    for (int by = LEDGER_BY_SESSION; by <= LEDGER_BY_TOTAL; by++) {
        struct fovea_fault fault = {0};
        size_t told = 0;
        int r = ledger_each(l, (enum ledger_by)by, since, claim_row, &told, &fault);
        CLAIM(r == 0 || (r < 0 && fault.text[0]));
        CLAIM(r < 0 || by != LEDGER_BY_TOTAL || told <= 1);
    }
}

static int spent(struct ledger *l, const char *session, int64_t since, int64_t *ret)
{
    struct fovea_fault fault = {0};
    int r = ledger_spent(l, session, since, ret, &fault);
    CLAIM(r == 0 ? *ret >= 0 : fault.text[0] != 0);
    return r;
}

static void try_usage(struct ledger *l, uint8_t what, int64_t since)
{
    enum { NANO = 7, WHO = 1 };
    int64_t all, mine, all_now, mine_now, other, other_now;
    bool known = spent(l, NULL, 0, &all) == 0 && spent(l, sessions[WHO], 0, &mine) == 0 && spent(l, sessions[2], 0, &other) == 0;
    (void)spent(l, NULL, since, &all_now);
    claim_sums(l, 0);
    claim_sums(l, since);
    if (!(what & WRITE) || add(l, WHO, NANO) < 0)
        return;
    known = known && spent(l, NULL, 0, &all_now) == 0 && spent(l, sessions[WHO], 0, &mine_now) == 0 &&
            spent(l, sessions[2], 0, &other_now) == 0;
    if (known && what & ROWS) /* a tree that is damaged can lose a row, and find it again */
        CLAIM(all_now == all + NANO && mine_now == mine + NANO && other_now == other);
    claim_sums(l, since);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    uint8_t what = feed_u8(&f), days = feed_u8(&f);
    tamper(what & ANSWERS ? &answers : &usage, &f, what & ROWS);
    struct ledger *l = open_ledger();
    if (what & ANSWERS)
        try_answers(l, what);
    else
        try_usage(l, what, NOON - DAY + days * (DAY / 16));
    ledger_free(l);
    return 0;
}
