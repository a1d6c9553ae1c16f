/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Money: see ledger.h. Each call is a row of `call`, which is the truth. `total` is made from it in the same transaction:
 * sums by session, by model and of all, for each day (UTC), so that asking what was spent adds up days, not calls. Only a
 * time within a day makes the calls of that one day be looked at.
 */
#include <assert.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"
#include "ledger/ledger_priv.h"

enum { DAY_S = 86400 };
static const int64_t last_second = 253402300799; /* of the year 9999: the last day that has a name */

/* What a row of `total` sums up; kept in the file. */
enum kind { KIND_SESSION, KIND_MODEL, KIND_ALL };

/* STRICT, so that a sum past 64 bits is an error instead of a fraction. */
static const char *const steps[] = {
    "CREATE TABLE call (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL,"
    " provider TEXT NOT NULL, model TEXT NOT NULL, input INTEGER NOT NULL, cache_read INTEGER NOT NULL,"
    " cache_write INTEGER NOT NULL, output INTEGER NOT NULL, nano INTEGER NOT NULL, failed INTEGER NOT NULL) STRICT;"
    "CREATE INDEX call_at ON call (at);"
    "CREATE TABLE total (kind INTEGER NOT NULL, name TEXT NOT NULL, day INTEGER NOT NULL, calls INTEGER NOT NULL,"
    " failed INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, nano INTEGER NOT NULL,"
    " unpriced INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (kind, name, day)) STRICT, WITHOUT ROWID",
};

/* ?1 a kind, ?2 the first whole day, ?3 and ?4 the part of a day before it. */
#define EACH(of_total, of_call)                                                                                         \
    "SELECT name, sum(calls), sum(failed), sum(input), sum(output), sum(nano), sum(unpriced) FROM (SELECT " of_total    \
    " AS name, calls, failed, input, output, nano, unpriced, last FROM total WHERE kind = ?1 AND day >= ?2 UNION ALL "   \
    "SELECT " of_call ", 1, failed, input + cache_read + cache_write, output, max(nano, 0), nano < 0, at FROM call "     \
    "WHERE at >= ?3 AND at < ?4) GROUP BY name ORDER BY max(last) DESC, name"
#define DAY_NAME(second) "strftime('%Y-%m-%d', " second ", 'unixepoch')"

enum { ADD_CALL, ADD_TOTAL, SPENT, EACH_FIRST };
static const char *const statements[] = {
    [ADD_CALL] = "INSERT INTO call (at, session, tool, provider, model, input, cache_read, cache_write, output, nano,"
                 " failed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [ADD_TOTAL] = "INSERT INTO total VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO UPDATE SET"
                  " calls = calls + 1, failed = failed + excluded.failed, input = input + excluded.input,"
                  " output = output + excluded.output, nano = nano + excluded.nano,"
                  " unpriced = unpriced + excluded.unpriced, last = max(last, excluded.last)",
    [SPENT] = "SELECT coalesce(sum(nano), 0) FROM (SELECT nano FROM total WHERE kind = ?1 AND day >= ?2 AND name = ?5"
              " UNION ALL SELECT max(nano, 0) FROM call WHERE at >= ?3 AND at < ?4 AND (?1 = 2 OR session = ?5))",
    [EACH_FIRST + LEDGER_BY_SESSION] = EACH("name", "session"),
    [EACH_FIRST + LEDGER_BY_MODEL] = EACH("name", "provider || '/' || model"),
    [EACH_FIRST + LEDGER_BY_DAY] = EACH(DAY_NAME("day * 86400"), DAY_NAME("at")),
    [EACH_FIRST + LEDGER_BY_TOTAL] = EACH("'total'", "'total'"),
};
_Static_assert(COUNT(statements) <= STORE_STATEMENTS, "a store has room for its statements");
_Static_assert(KIND_ALL == 2, "SPENT says so");

const struct store_kind usage_kind = {
    .file = "usage.db",
    .where = "XDG_STATE_HOME",
    .busy_ms = LIMIT_LEDGER_BUSY_MS,
    .version = COUNT(steps),
    .steps = steps,
    .statements = statements,
};

/* ---------------------------------------------------------------- adding */

/* One row of `total`: the entry without its names. */
struct addend {
    int64_t at, failed, input, output, nano, unpriced;
};

static int add_total(struct store *s, enum kind kind, const char *name, const struct addend *a)
{
    const struct store_value v[] = {VALUE_INT(kind),      VALUE_TEXT(name),    VALUE_INT(a->at / DAY_S),
                                    VALUE_INT(a->failed), VALUE_INT(a->input), VALUE_INT(a->output),
                                    VALUE_INT(a->nano),   VALUE_INT(a->unpriced), VALUE_INT(a->at)};
    return store_run(s, ADD_TOTAL, v, COUNT(v));
}

static int add_rows(struct store *s, const struct ledger_entry *e, const struct addend *a)
{
    char model[2 * LIMIT_MODEL_ID];
    (void)snprintf(model, sizeof model, "%s/%s", e->provider, e->model);
    const struct store_value v[] = {VALUE_INT(a->at),         VALUE_TEXT(e->session),    VALUE_TEXT(e->tool),
                                    VALUE_TEXT(e->provider),  VALUE_TEXT(e->model),      VALUE_INT(MAX(e->input, 0)),
                                    VALUE_INT(MAX(e->cache_read, 0)), VALUE_INT(MAX(e->cache_write, 0)), VALUE_INT(a->output),
                                    VALUE_INT(MAX(e->nano, -1)), VALUE_INT(e->failed)};
    int code = store_run(s, ADD_CALL, v, COUNT(v));
    if (code == SQLITE_OK)
        code = add_total(s, KIND_SESSION, e->session, a);
    if (code == SQLITE_OK)
        code = add_total(s, KIND_MODEL, model, a);
    return code == SQLITE_OK ? add_total(s, KIND_ALL, "", a) : code;
}

static int fault_overflow(struct fovea_fault *fault)
{
    return fault_set(fault, EOVERFLOW, "what was spent is past what can be counted");
}

int ledger_add(struct ledger *l, const struct ledger_entry *e, struct fovea_fault *fault)
{
    struct store *s = &l->usage;
    struct addend a = {.at = MIN(MAX(e->at, 0), last_second),
                       .failed = e->failed,
                       .output = MAX(e->output, 0),
                       .nano = MAX(e->nano, 0),
                       .unpriced = e->nano < 0};
    assert(e->session && e->tool && e->provider && e->model);
    if (__builtin_add_overflow(MAX(e->input, 0), MAX(e->cache_read, 0), &a.input) ||
        __builtin_add_overflow(a.input, MAX(e->cache_write, 0), &a.input))
        return fault_overflow(fault);
    int r = store_enter(s, true, fault);
    if (r < 0)
        return r;
    int code = store_begin(s);
    if (code == SQLITE_OK)
        code = store_end(s, add_rows(s, e, &a));
    if (code != SQLITE_OK)
        r = (code & 0xff) == SQLITE_CONSTRAINT ? fault_overflow(fault) : store_fault(s, code, fault);
    store_leave(s);
    return r;
}

/* ---------------------------------------------------------------- adding up */

/* Where the whole days begin that lie past a time, and what is left before them. */
struct span {
    int64_t day, from, to;
};

static struct span span_since(int64_t since)
{
    since = MIN(MAX(since, 0), last_second);
    int64_t day = (since + DAY_S - 1) / DAY_S;
    return (struct span){.day = day, .from = since, .to = day * DAY_S};
}

int ledger_spent(struct ledger *l, const char *session, int64_t since, int64_t *ret_nano, struct fovea_fault *fault)
{
    struct store *s = &l->usage;
    struct span span = span_since(since);
    const struct store_value v[] = {VALUE_INT(session ? KIND_SESSION : KIND_ALL), VALUE_INT(span.day), VALUE_INT(span.from),
                                    VALUE_INT(span.to), VALUE_TEXT(session ? session : "")};
    sqlite3_stmt *st;
    int64_t nano = 0;
    int r = store_enter(s, false, fault);
    if (r == -ENOENT)
        *ret_nano = 0;
    if (r < 0)
        return r == -ENOENT ? 0 : r;
    int code = store_bind(s, SPENT, v, COUNT(v), &st);
    if (code != SQLITE_OK) {
        r = store_fault(s, code, fault);
    } else {
        if ((code = sqlite3_step(st)) == SQLITE_ROW)
            nano = sqlite3_column_int64(st, 0);
        if (code == SQLITE_ROW && nano < 0)
            r = store_fault(s, SQLITE_CORRUPT, fault); /* nothing below 0 was ever added, and no budget is made longer by it */
        else if (code != SQLITE_ROW)
            r = (code & 0xff) == SQLITE_ERROR ? fault_overflow(fault) : store_fault(s, code, fault);
        (void)sqlite3_reset(st);
    }
    store_leave(s);
    if (r == 0)
        *ret_nano = nano;
    return r;
}

/* SQLITE_CORRUPT: a sum is below 0, which nothing that was added can make it. */
static int tell_row(sqlite3_stmt *st, void (*tell)(const struct ledger_sum *row, void *arg), void *arg)
{
    const char *name = (const char *)sqlite3_column_text(st, 0);
    struct ledger_sum row = {
        .name = name ? name : "",
        .calls = sqlite3_column_int64(st, 1),
        .failed = sqlite3_column_int64(st, 2),
        .input = sqlite3_column_int64(st, 3),
        .output = sqlite3_column_int64(st, 4),
        .nano = sqlite3_column_int64(st, 5),
        .unpriced = sqlite3_column_int64(st, 6),
    };
    for (int column = 1; column <= 6; column++)
        if (sqlite3_column_int64(st, column) < 0)
            return SQLITE_CORRUPT;
    tell(&row, arg);
    return SQLITE_OK;
}

int ledger_each(struct ledger *l, enum ledger_by by, int64_t since,
                void (*tell)(const struct ledger_sum *row, void *arg), void *arg, struct fovea_fault *fault)
{
    static const enum kind kinds[] = {[LEDGER_BY_SESSION] = KIND_SESSION, [LEDGER_BY_MODEL] = KIND_MODEL,
                                      [LEDGER_BY_DAY] = KIND_ALL, [LEDGER_BY_TOTAL] = KIND_ALL};
    struct store *s = &l->usage;
    struct span span = span_since(since);
    const struct store_value v[] = {VALUE_INT(kinds[by]), VALUE_INT(span.day), VALUE_INT(span.from), VALUE_INT(span.to)};
    sqlite3_stmt *st;
    int r = store_enter(s, false, fault);
    if (r < 0)
        return r == -ENOENT ? 0 : r;
    int code = store_bind(s, EACH_FIRST + by, v, COUNT(v), &st);
    if (code != SQLITE_OK) {
        r = store_fault(s, code, fault);
    } else {
        while ((code = sqlite3_step(st)) == SQLITE_ROW && (code = tell_row(st, tell, arg)) == SQLITE_OK)
            ;
        if (code != SQLITE_DONE)
            r = (code & 0xff) == SQLITE_ERROR ? fault_overflow(fault) : store_fault(s, code, fault);
        (void)sqlite3_reset(st);
    }
    store_leave(s);
    return r;
}
