/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that are known already: see ledger.h. How much they take together is kept beside them and changes in the same
 * transaction; a find writes only when its last note is old. Whatever goes wrong, a cache only has less to give: each answer has a
 * seal over its key and its text, so that one that the disk or anybody changed is none.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "ledger/ledger_priv.h"

enum { PAGE = 4096, ROW_BYTES = 128 }; /* of SQLite's file; what an answer takes besides its text, about */

static const char *const steps[] = {
    "CREATE TABLE answer (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, used INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    " text BLOB NOT NULL) STRICT;"
    "CREATE INDEX answer_used ON answer (used);"
    "CREATE TABLE held (bytes INTEGER NOT NULL) STRICT;"
    "INSERT INTO held VALUES (0)",
    /* Those without a seal are forgotten. */
    "DELETE FROM answer; UPDATE held SET bytes = 0; ALTER TABLE answer ADD COLUMN seal BLOB NOT NULL DEFAULT x''",
};

enum { FIND, TOUCH, DROP, OLDEST, KEEP, HELD, GROW };
static const char *const statements[] = {
    [FIND] = "SELECT text, used, seal FROM answer WHERE key = ?1",
    [TOUCH] = "UPDATE answer SET used = ?2 WHERE key = ?1",
    [DROP] = "DELETE FROM answer WHERE key = ?1 RETURNING bytes",
    [OLDEST] = "DELETE FROM answer WHERE id = (SELECT id FROM answer ORDER BY used, id LIMIT 1) RETURNING bytes",
    [KEEP] = "INSERT INTO answer (key, used, bytes, text, seal) VALUES (?1, ?2, ?3, ?4, ?5)",
    [HELD] = "SELECT bytes FROM held",
    [GROW] = "UPDATE held SET bytes = ?1",
};
_Static_assert(COUNT(statements) <= STORE_STATEMENTS, "a store has room for its statements");

const struct store_kind answers_kind = {
    .file = "answers.db",
    .where = "XDG_CACHE_HOME",
    .busy_ms = LIMIT_ANSWERS_BUSY_MS,
    .rebuildable = true,
    .version = COUNT(steps),
    .steps = steps,
    .statements = statements,
};

/* Runs to its end a statement whose rows have one number, and gives the last of them; ret is left alone without a row. */
static int run_number(struct store *s, unsigned statement, const struct store_value *v, size_t n, int64_t *ret)
{
    sqlite3_stmt *st;
    int code = store_bind(s, statement, v, n, &st);
    if (code != SQLITE_OK)
        return code;
    while ((code = sqlite3_step(st)) == SQLITE_ROW)
        *ret = sqlite3_column_int64(st, 0);
    (void)sqlite3_reset(st);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static void make_seal(const uint8_t key[SHA256_LEN], const void *text, size_t len, uint8_t ret[SHA256_LEN])
{
    struct sha256_state s;
    sha256_init(&s);
    sha256_add(&s, key, SHA256_LEN);
    sha256_add(&s, text, len);
    sha256_end(&s, ret);
}

/* ---------------------------------------------------------------- finding */

/* The text of the row that was found; NULL: it is not what was kept, or memory is out. */
static char *sealed_text_new(sqlite3_stmt *st, const uint8_t key[SHA256_LEN])
{
    const void *blob = sqlite3_column_blob(st, 0), *seal = sqlite3_column_blob(st, 2); /* NULL of an empty one */
    const char *text = blob ? blob : "";
    size_t len = (size_t)sqlite3_column_bytes(st, 0);
    uint8_t want[SHA256_LEN];
    make_seal(key, text, len, want);
    if (!seal || sqlite3_column_bytes(st, 2) != SHA256_LEN || memcmp(seal, want, SHA256_LEN) != 0)
        return NULL;
    return strndup(text, len);
}

/* Nobody waits to note that an answer was of use. */
static void touch(struct store *s, const uint8_t key[SHA256_LEN], int64_t used)
{
    int64_t now = time(NULL), age = now - used;
    const struct store_value v[] = {VALUE_BLOB(key, SHA256_LEN), VALUE_INT(now)};
    if (age >= 0 && age < LIMIT_KEPT_TOUCH_S)
        return;
    s->deadline = 0;
    (void)store_run(s, TOUCH, v, COUNT(v));
}

static int find(struct store *s, const uint8_t key[SHA256_LEN], char **ret)
{
    const struct store_value v[] = {VALUE_BLOB(key, SHA256_LEN)};
    sqlite3_stmt *st;
    int code = store_bind(s, FIND, v, COUNT(v), &st);
    if (code != SQLITE_OK)
        return code;
    char *text = NULL;
    int64_t used = 0;
    if ((code = sqlite3_step(st)) == SQLITE_ROW) {
        used = sqlite3_column_int64(st, 1);
        text = sealed_text_new(st, key);
    }
    (void)sqlite3_reset(st);
    if (text)
        touch(s, key, used);
    *ret = text;
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

int answers_find(struct ledger *l, const uint8_t key[SHA256_LEN], char **ret)
{
    struct store *s = &l->answers;
    char *text = NULL;
    if (!l->cache_bytes || store_enter(s, false, NULL) < 0)
        return -ENOENT;
    int code = find(s, key, &text);
    if (code != SQLITE_OK && code != SQLITE_DONE)
        (void)store_fault(s, code, NULL);
    store_leave(s);
    if (!text)
        return -ENOENT;
    *ret = text;
    return 0;
}

/* ---------------------------------------------------------------- keeping */

/* What an answer takes on disk: no page holds two that are longer than half of it. */
static int64_t room_for(size_t len)
{
    int64_t bytes = (int64_t)len + ROW_BYTES;
    return bytes * 2 <= PAGE ? bytes : (bytes + PAGE - 1) / PAGE * PAGE;
}

/* The least recently used go until `held` is no more than there is room for. */
static int evict(struct store *s, uint64_t room, int64_t *held)
{
    int code = SQLITE_OK;
    while (code == SQLITE_OK && *held > 0 && (uint64_t)*held > room) {
        int64_t bytes = 0;
        code = run_number(s, OLDEST, NULL, 0, &bytes);
        *held = bytes > 0 ? *held - bytes : 0; /* none is left */
    }
    return code;
}

static int keep(struct store *s, uint64_t room, const uint8_t key[SHA256_LEN], const char *text, size_t len)
{
    int64_t held = 0, before = 0, bytes = room_for(len);
    uint8_t seal[SHA256_LEN];
    const struct store_value v[] = {VALUE_BLOB(key, SHA256_LEN), VALUE_INT(time(NULL)), VALUE_INT(bytes),
                                    VALUE_BLOB(text, (int64_t)len), VALUE_BLOB(seal, SHA256_LEN)};
    make_seal(key, text, len, seal);
    int code = run_number(s, HELD, NULL, 0, &held);
    if (code == SQLITE_OK)
        code = run_number(s, DROP, v, 1, &before);
    held -= before;
    if (code == SQLITE_OK)
        code = evict(s, room - (uint64_t)bytes, &held);
    if (code == SQLITE_OK)
        code = store_run(s, KEEP, v, COUNT(v));
    const struct store_value sum[] = {VALUE_INT(held + bytes)};
    return code == SQLITE_OK ? store_run(s, GROW, sum, COUNT(sum)) : code;
}

void answers_keep(struct ledger *l, const uint8_t key[SHA256_LEN], const char *text, size_t len)
{
    struct store *s = &l->answers;
    if (len > LIMIT_KEPT_ANSWER || (uint64_t)room_for(len) > l->cache_bytes || memchr(text, '\0', len) ||
        store_enter(s, true, NULL) < 0)
        return;
    int code = store_begin(s);
    if (code == SQLITE_OK)
        code = store_end(s, keep(s, l->cache_bytes, key, text, len));
    if (code != SQLITE_OK)
        (void)store_fault(s, code, NULL);
    store_leave(s);
}

/* ---------------------------------------------------------------- forgetting */

static int clear(struct store *s, int64_t *ret_count)
{
    int code = store_begin(s);
    if (code != SQLITE_OK)
        return code;
    code = sqlite3_exec(s->db, "DELETE FROM answer", NULL, NULL, NULL);
    *ret_count = sqlite3_changes64(s->db);
    if (code == SQLITE_OK)
        code = sqlite3_exec(s->db, "UPDATE held SET bytes = 0", NULL, NULL, NULL);
    return store_end(s, code);
}

int answers_clear(struct ledger *l, int64_t *ret_count, struct fovea_fault *fault)
{
    struct store *s = &l->answers;
    int64_t count = 0;
    int r = store_enter(s, false, fault);
    if (r == -ENOENT)
        *ret_count = 0;
    if (r < 0)
        return r == -ENOENT ? 0 : r;
    int code = clear(s, &count);
    if (code != SQLITE_OK)
        r = store_fault(s, code, fault);
    else /* What was said leaves the disk too, unless others are reading it just now. */
        (void)sqlite3_exec(s->db, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
    store_leave(s);
    if (r == 0)
        *ret_count = count;
    return r;
}
