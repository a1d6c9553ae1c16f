/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenes of the record below its public face, in a SQLite file and in the PostgreSQL that FOVEA_TEST_STORE names (without it they are
 * skipped): it is begun, worked on, and mended.
 */
#include <errno.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/postgres_link.h"
#include "record/record.h"
#include "scenes.h"

static struct record *record;
static char where[512] = "sqlite:";
static int64_t promised; /* entries that were acknowledged */

static int derive(const char *body, size_t len, struct record_index *to)
{
    static const uint8_t used[SHA256_LEN] = {0x9f, 0x86, 0xd0, 0x81, 0x88, 0x4c, 0x7d, 0x65, 0x9a, 0x2f, 0xea, 0xa0, 0xc5, 0x5a, 0xd0, 0x15,
                                             0xa3, 0xbf, 0x4f, 0x1b, 0x2b, 0x0b, 0x82, 0x2c, 0xd1, 0x5d, 0x6c, 0x15, 0xb0, 0xf0, 0x0a, 0x08};
    int r = to->mark(to, body, len);
    return r < 0 ? r : to->use(to, used);
}

static int open_record(struct record **ret, struct fovea_fault *fault)
{
    struct record_options o = {.where = where, .folder = in_folder("state"), .derive = derive, .wait_ms = 200};
    return record_open(&o, ret, fault);
}

static int say(struct record *r, const char *key, struct record_appended *ret, struct fovea_fault *fault)
{
    static const struct record_new entries[] = {{"hello", 5}, {"world", 5}};
    struct record_blob blob = {.data = "test", .len = 4};
    sha256("test", 4, blob.sha256);
    struct record_append a = {.session = "s", .key = key, .entries = entries, .count = 2, .blobs = &blob, .n_blobs = 1, .after = -1};
    return record_append(r, &a, ret, fault);
}

static int each(const struct record_entry *e, void *arg)
{
    tell_bytes(arg, e->body, e->len);
    return 0;
}

static int variants(struct record *r, struct fovea_fault *fault)
{
    uint8_t of[SHA256_LEN];
    sha256("test", 4, of);
    struct record_variant v = {.media_type = "image/png", .width = 2, .height = 3, .bytes = 5}, got;
    sha256("other", 5, v.sha256);
    int code = record_variant_keep(r, of, "edge=1", &v, "other", &got, fault);
    return code < 0 ? code : record_variant(r, of, "edge=1", &got, fault);
}

static void tell_record_session(const struct record_session *s, void *arg)
{
    tell_str(arg, s->name);
    tell_bytes(arg, &s->entries, sizeof s->entries);
}

/* Under one key, so that it can be tried again and is there once. */
static void work_on(struct record *r, struct outcome *o)
{
    struct fovea_fault fault = {0};
    struct record_appended done = {0};
    struct record_point at = {0}, last;
    uint8_t of[SHA256_LEN];
    void *bytes = NULL;
    size_t len = 0;
    int64_t seq = 0;
    sha256("test", 4, of);
    int code = say(r, "k1", &done, &fault);
    promised = code == 0 ? done.last : promised;
    code = code < 0 ? code : record_read(r, "s", &at, each, o, &fault);
    code = code < 0 ? code : record_blob(r, of, &bytes, &len, &fault);
    code = code < 0 ? code : record_find(r, "s", "world", &seq, &fault);
    code = code < 0 ? code : record_last(r, "s", &last, &fault);
    code = code < 0 ? code : variants(r, &fault);
    code = code < 0 ? code : record_sessions(r, NULL, tell_record_session, o, &fault);
    if (code == 0) {
        tell_bytes(o, bytes, len);
        tell_bytes(o, (int64_t[]){done.first, done.last, seq, last.seq}, 32);
    }
    free(bytes);
    tell_fault(o, code, &fault);
}

static void run_record(struct outcome *o)
{
    struct record *r = NULL;
    struct fovea_fault fault = {0};
    int code = open_record(&r, &fault);
    tell_fault(o, code, &fault);
    if (code == 0)
        work_on(r, o);
    record_close(r);
}

/* Nothing is damaged; but there may be something that cannot be read now, and then it is said why. */
static void tell_lie(const struct record_problem *p, void *arg)
{
    tell_refusal(arg, strstr(p->what, ": ") ? "" : "malformed", p->what);
}

static void run_record_kept(struct outcome *o)
{
    struct record_checked checked = {0};
    struct fovea_fault fault = {0};
    work_on(record, o);
    int code = o->code < 0 ? 0 : record_check(record, NULL, false, tell_lie, o, &checked, &fault);
    tell_fault(o, code, &fault);
    tell_bytes(o, &checked.entries, sizeof checked.entries);
}

static int setup_record(void)
{
    promised = 0;
    (void)snprintf(where, sizeof where, "sqlite:");
    return fresh_folder() ? 0 : -1;
}

static int begin_record(void)
{
    struct record_appended done;
    if (open_record(&record, NULL) < 0 || say(record, "k0", &done, NULL) < 0)
        return -1;
    promised = done.last;
    return 0;
}

static int setup_record_kept(void)
{
    return setup_record() < 0 ? -1 : begin_record();
}

static void tell_problem(const struct record_problem *p, void *arg)
{
    struct outcome *o = arg;
    o->code = -EBADMSG;
    (void)snprintf(o->words, sizeof o->words, "%s", p->what);
}

/* As another process finds it. */
static void settle_record(struct outcome *o)
{
    struct record *r = NULL;
    struct record_checked checked = {0};
    struct fovea_fault fault = {0};
    int code = open_record(&r, &fault);
    code = code < 0 ? code : record_check(r, NULL, false, tell_problem, o, &checked, &fault);
    tell_fault(o, code, &fault);
    if (code == 0 && (checked.entries < promised || checked.entries % 2)) {
        o->code = -ENOENT;
        (void)snprintf(o->words, sizeof o->words, "%lld entries, %lld promised", (long long)checked.entries, (long long)promised);
    }
    record_close(r);
}

static void teardown_record(void)
{
    record_close(record);
    record = NULL;
    drop_folder();
}

/* ---------------------------------------------------------------- in PostgreSQL */

/* One statement, as whoever looks after the server would. */
static int ask_server(const char *sql)
{
    const struct backend_wait wait = {.ms = 5000};
    struct fovea_fault fault = {0};
    struct pg_link link;
    int code = pg_link_init(&link, where, &wait, &fault);
    code = code < 0 ? code : pg_connect(&link, &fault);
    code = code < 0 ? code : pg_ask(&link, sql, PG_NONE, NULL, &fault);
    if (code < 0)
        fprintf(stderr, "%s\n", fault.text);
    pg_link_done(&link);
    return code;
}

/* Passwords that the server does not ask for: they are kept all the same. */
static int setup_pg(void)
{
    const char *store = getenv("FOVEA_TEST_STORE");
    promised = 0;
    if (!store || !*store || (size_t)snprintf(where, sizeof where, "%s&password=secret&sslpassword=longer", store) >= sizeof where)
        return -1;
    return ask_server("DROP SCHEMA IF EXISTS fovea CASCADE");
}

static int setup_pg_kept(void)
{
    return setup_pg() < 0 ? -1 : begin_record();
}

static void close_record(void)
{
    record_close(take(record));
}

/* More statements than are sent ahead. */
static void run_pg_long(struct outcome *o)
{
    struct record_new entries[90];
    struct record_append a = {.session = "long", .key = "k", .entries = entries, .count = COUNT(entries), .after = -1};
    struct record_appended done = {0};
    struct fovea_fault fault = {0};
    for (size_t i = 0; i < COUNT(entries); i++)
        entries[i] = (struct record_new){"hello", 5};
    int code = record_append(record, &a, &done, &fault);
    tell_fault(o, code, &fault);
    tell_bytes(o, &done.last, sizeof done.last);
}

/* There is no such database: that is said, with the server's words where there is memory for them. */
static void run_pg_refused(struct outcome *o)
{
    struct record *r = NULL;
    struct record_point last;
    struct fovea_fault fault = {0};
    int code = open_record(&r, &fault);
    code = code < 0 ? code : record_last(r, "s", &last, &fault);
    record_close(r);
    if (code == -EHOSTUNREACH && fault.code == code)
        tell_str(o, "refused");
    else
        tell_fault(o, code ? code : -EBADMSG, &fault);
}

static int setup_pg_refused(void)
{
    const char *store = getenv("FOVEA_TEST_STORE");
    return store && *store && (size_t)snprintf(where, sizeof where, "%s&dbname=none&password=x&sslpassword=yz", store) < sizeof where ? 0 : -1;
}

/* ---------------------------------------------------------------- mended */

static int damage_file(const char *sql)
{
    sqlite3 *db = NULL;
    int code = sqlite3_open_v2(in_folder("state/record.db"), &db, SQLITE_OPEN_READWRITE, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    (void)sqlite3_close(db);
    return code == SQLITE_OK ? 0 : -1;
}

static int begin_damaged(void)
{
    static const struct record_new entry = {"gone", 4};
    struct record_append a = {.session = "gone", .key = "g", .entries = &entry, .count = 1, .after = -1};
    struct record_appended done;
    return begin_record() < 0 || variants(record, NULL) < 0 || record_append(record, &a, &done, NULL) < 0 ? -1 : 0;
}

static int setup_mend(void)
{
    if (setup_record() < 0 || begin_damaged() < 0)
        return -1;
    return damage_file("DELETE FROM heads; DELETE FROM marks; DELETE FROM uses; INSERT INTO marks VALUES (77, CAST('x' AS BLOB), 1);"
                       "UPDATE blobs SET data = CAST('otheq' AS BLOB) WHERE data = CAST('other' AS BLOB)");
}

static int setup_pg_mend(void)
{
    if (setup_pg() < 0 || begin_damaged() < 0)
        return -1;
    return ask_server("DO $$ BEGIN DELETE FROM fovea.heads; DELETE FROM fovea.marks; DELETE FROM fovea.uses; DROP INDEX fovea.marks_name;"
                      " UPDATE fovea.blobs SET data = 'otheq' WHERE data = 'other'; END $$");
}

static void note_problem(const struct record_problem *p, void *arg)
{
    struct outcome *o = arg;
    if (p->repaired)
        return;
    tell_refusal(o, "", p->what); /* what could not be read is told of as that */
}

/* Made anew of its entries, and one of its sessions taken out. */
static void run_mend(struct outcome *o)
{
    struct record_checked checked = {0};
    struct fovea_fault fault = {0};
    int code = record_check(record, NULL, true, note_problem, o, &checked, &fault);
    tell_bytes(o, &checked.problems, sizeof checked.problems);
    code = code < 0 ? code : record_delete(record, "gone", &fault);
    if (code == -ENOENT)
        code = 0; /* by the run before */
    code = code < 0 ? code : record_sync(record, &fault);
    code = code < 0 ? code : record_sessions(record, NULL, tell_record_session, o, &fault);
    tell_fault(o, code, &fault);
}

const struct scene scene_record = {"record", setup_record, run_record, settle_record, teardown_record, SCENE_THOROUGH};
const struct scene scene_record_kept = {"record_kept", setup_record_kept, run_record_kept, settle_record, teardown_record, SCENE_THOROUGH};
const struct scene scene_record_mend = {"record_mend", setup_mend, run_mend, NULL, teardown_record, SCENE_THOROUGH};
const struct scene scene_pg = {"pg", setup_pg, run_record, settle_record, NULL, SCENE_THOROUGH};
const struct scene scene_pg_kept = {"pg_kept", setup_pg_kept, run_record_kept, settle_record, close_record, SCENE_THOROUGH};
const struct scene scene_pg_long = {"pg_long", setup_pg_kept, run_pg_long, settle_record, close_record, SCENE_THOROUGH};
const struct scene scene_pg_mend = {"pg_mend", setup_pg_mend, run_mend, NULL, close_record, SCENE_THOROUGH};
const struct scene scene_pg_refused = {"pg_refused", setup_pg_refused, run_pg_refused, NULL, NULL, SCENE_THOROUGH};
