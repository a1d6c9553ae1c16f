/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables, in a schema of their own, by version: whoever comes first to a database that has none, or older ones, makes them
 * under a lock, and who waited for it finds them made. Facts are sessions, entries, blobs and variants; heads, marks and uses are
 * made from them.
 *
 * Bodies and names of files are bytea: they may hold any byte, and come back as they were. A mark is found by its hash, as it
 * may be longer than an index takes. Uses have no foreign key to blobs: they are noted also of a blob that was lost, so
 * that checking can say who misses it.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fault.h"
#include "record/postgres_priv.h"

#define VERSION_OURS 1
#define LOCK_SCHEMA 0x666f7665610000LL /* any number that is always the same */

static const char *const version_1[] = {
    /* one that an administrator has made will do, for who may make none */
    "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'fovea') THEN CREATE SCHEMA fovea; END IF; END $$",
    "CREATE TABLE fovea.version (version bigint NOT NULL)",
    "INSERT INTO fovea.version VALUES (0)",
    "CREATE TABLE fovea.sessions (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE \"C\" NOT NULL UNIQUE)",
    "CREATE TABLE fovea.entries (session bigint NOT NULL REFERENCES fovea.sessions, seq bigint NOT NULL CHECK (seq > 0),"
    " at_ms bigint NOT NULL, hash bytea NOT NULL, key bytea, body bytea NOT NULL, PRIMARY KEY (session, seq))",
    PG_INDEX_KEY,
    "CREATE TABLE fovea.blobs (sha256 bytea PRIMARY KEY CHECK (octet_length(sha256) = 32), data bytea NOT NULL)",
    "ALTER TABLE fovea.blobs ALTER data SET STORAGE EXTERNAL", /* pictures do not shrink */
    "CREATE TABLE fovea.variants (of bytea NOT NULL, spec bytea NOT NULL, sha256 bytea NOT NULL, media_type bytea NOT NULL,"
    " width bigint NOT NULL, height bigint NOT NULL, bytes bigint NOT NULL, seal bytea NOT NULL, PRIMARY KEY (of, spec))",
    PG_INDEX_VARIANTS,
    "CREATE TABLE fovea.heads (session bigint PRIMARY KEY REFERENCES fovea.sessions, seq bigint NOT NULL, hash bytea NOT NULL,"
    " at_ms bigint NOT NULL, bytes bigint NOT NULL, uses bigint NOT NULL)",
    "CREATE TABLE fovea.marks (session bigint NOT NULL REFERENCES fovea.sessions, seq bigint NOT NULL, name bytea NOT NULL)",
    PG_INDEX_MARKS,
    "CREATE TABLE fovea.uses (session bigint NOT NULL REFERENCES fovea.sessions, seq bigint NOT NULL, sha256 bytea NOT NULL,"
    " PRIMARY KEY (session, seq, sha256))",
    PG_INDEX_USES,
    NULL,
};

/* Row n leads from version n to the next. */
static const char *const *const steps[VERSION_OURS] = {version_1};

int pg_check_version(const struct backend *b, int64_t version, struct fovea_fault *fault)
{
    if (version > 0 && version <= VERSION_OURS)
        return 0;
    if (version <= 0)
        return fault_set(fault, EBADMSG, "the record in PostgreSQL at \"%s\" is damaged: its version is none that there was",
                         b->link.place);
    return fault_set(fault, EPROTO, "the record in PostgreSQL at \"%s\" was made by a newer fovea: use that one", b->link.place);
}

/* 0: there are no tables. The catalogues are read, not asked by name: the server remembers names that were not there, also
 * when somebody made them while it waited for the lock. */
static int read_version(struct backend *b, int64_t *ret, struct fovea_fault *fault)
{
    auto_result there = {0}, version = {0};
    int n = pg_select(b, "SELECT count(*) FILTER (WHERE c.relname = 'version'), count(*) FILTER (WHERE c.relname = 'sessions')"
                         " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'fovea'",
                      PG_NONE, &there, fault);
    if (n < 0)
        return n;
    int64_t has_version = pg_number(&b->link, there.res, 0, 0), has_tables = pg_number(&b->link, there.res, 0, 1);
    *ret = 0;
    if (!has_version && !has_tables)
        return 0;
    if (has_version && (n = pg_select(b, "SELECT version FROM fovea.version", PG_NONE, &version, fault)) < 0)
        return n;
    if (has_version && n > 0)
        *ret = pg_number(&b->link, version.res, 0, 0);
    return pg_check_version(b, *ret, fault);
}

static int step_up(struct backend *b, struct fovea_fault *fault)
{
    int64_t now = 0;
    int r = read_version(b, &now, fault);
    if (r < 0 || now == VERSION_OURS)
        return r;
    for (int64_t v = now; r == 0 && v < VERSION_OURS; v++)
        for (const char *const *sql = steps[v]; r == 0 && *sql; sql++)
            r = pg_send(&b->link, *sql, PG_NONE, fault);
    return r < 0 ? r : pg_send(&b->link, "UPDATE fovea.version SET version = $1", PG_VALUES(PG_NUMBER(VERSION_OURS)), fault);
}

/* All steps or none; who holds the lock is alone. */
static int migrate(struct backend *b, struct fovea_fault *fault)
{
    int r = pg_send(&b->link, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", PG_NONE, fault);
    if (r == 0)
        r = pg_ask(&b->link, "SELECT pg_advisory_xact_lock($1)", PG_VALUES(PG_NUMBER(LOCK_SCHEMA)), NULL, fault);
    if (r == 0)
        r = step_up(b, fault);
    if (r == 0)
        r = pg_ask(&b->link, "COMMIT", PG_NONE, NULL, fault);
    if (r < 0)
        pg_hang_up(&b->link);
    return r;
}

int pg_ready(struct backend *b, bool make, struct fovea_fault *fault)
{
    int64_t version = 0;
    if (b->link.conn && b->known)
        return 0;
    b->known = false;
    int r = pg_connect(&b->link, fault);
    if (r == 0)
        r = read_version(b, &version, fault);
    if (r == 0 && !version && !make)
        return -ENOENT;
    if (r == 0 && version < VERSION_OURS)
        r = migrate(b, fault);
    b->known = r == 0;
    return r;
}
