/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema of the SQLite file, and every statement. A newer version is a further step; a step that was released is never
 * changed. The file shrinks again when a session is deleted (auto_vacuum, incremental): pictures are most of it.
 */
#include "record/sqlite_priv.h"

static const char version_1[] =
    /* Facts: what was said. Lost, it is lost. */
    "CREATE TABLE sessions ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT," /* never given again: who reads a deleted one must see that */
    "  name TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE entries ("
    "  session INTEGER NOT NULL REFERENCES sessions, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL,"
    "  hash BLOB NOT NULL, key TEXT, body BLOB NOT NULL, PRIMARY KEY (session, seq)) STRICT, WITHOUT ROWID;"
    "CREATE UNIQUE INDEX entries_key ON entries (session, key) WHERE key IS NOT NULL;"
    "CREATE TABLE blobs (sha256 BLOB NOT NULL PRIMARY KEY, data BLOB NOT NULL) STRICT;"
    "CREATE TABLE variants ("
    "  of BLOB NOT NULL, spec TEXT NOT NULL, sha256 BLOB NOT NULL, media_type TEXT NOT NULL, width INTEGER NOT NULL,"
    "  height INTEGER NOT NULL, bytes INTEGER NOT NULL, seal BLOB NOT NULL, PRIMARY KEY (of, spec)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX variants_blob ON variants (sha256);"
    /* Made from facts, and can be made again: see record_check. */
    "CREATE TABLE heads ("
    "  session INTEGER PRIMARY KEY REFERENCES sessions, seq INTEGER NOT NULL, hash BLOB NOT NULL, uses INTEGER NOT NULL) STRICT;"
    "CREATE TABLE marks ("
    "  session INTEGER NOT NULL REFERENCES sessions, name BLOB NOT NULL, seq INTEGER NOT NULL,"
    "  PRIMARY KEY (session, name, seq)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE uses ("
    "  session INTEGER NOT NULL REFERENCES sessions, seq INTEGER NOT NULL, sha256 BLOB NOT NULL,"
    "  PRIMARY KEY (session, seq, sha256)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX uses_blob ON uses (sha256);";

const char *const sq_steps[SQ_VERSION_NOW] = {version_1};

/* The blobs that serve a session: those that it uses, and versions of them. */
#define SERVES(session) \
    "SELECT sha256 FROM uses WHERE session = " session " UNION " \
    "SELECT v.sha256 FROM uses u JOIN variants v ON v.of = u.sha256 WHERE u.session = " session

const char *const sq_sql[SQ_STATEMENTS] = {
    [SQ_VERSION] = "PRAGMA user_version",
    [SQ_HAS_TABLES] = "SELECT 1 FROM sqlite_master LIMIT 1",
    [SQ_HEAD] = "SELECT s.id, coalesce(h.seq, 0), h.hash, h.uses FROM sessions s LEFT JOIN heads h ON h.session = s.id "
                "WHERE s.name = ?1",
    [SQ_NEW_SESSION] = "INSERT INTO sessions (name) VALUES (?1)",
    [SQ_FIND_KEY] = "SELECT seq FROM entries WHERE session = ?1 AND key = ?2",
    [SQ_INSERT] = "INSERT INTO entries (session, seq, at_ms, hash, key, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [SQ_MARK] = "INSERT OR IGNORE INTO marks (session, name, seq) VALUES (?1, ?2, ?3)",
    [SQ_USE] = "INSERT OR IGNORE INTO uses (session, seq, sha256) VALUES (?1, ?2, ?3)",
    [SQ_HAS_BLOB] = "SELECT 1 FROM blobs WHERE sha256 = ?1",
    [SQ_SAME_BLOB] = "SELECT data = ?2 FROM blobs WHERE sha256 = ?1",
    [SQ_PUT_BLOB] = "INSERT OR REPLACE INTO blobs (sha256, data) VALUES (?1, ?2)",
    [SQ_PUT_VARIANT] = "INSERT OR IGNORE INTO variants (of, spec, sha256, media_type, width, height, bytes, seal) "
                       "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [SQ_NEW_HEAD] = "INSERT OR IGNORE INTO heads (session, seq, hash, uses) VALUES (?1, 0, x'', 0)",
    [SQ_SET_HEAD] = "UPDATE heads SET seq = ?2, hash = ?3, uses = uses + "
                    "(SELECT count(*) FROM uses u WHERE u.session = ?1 AND u.seq > heads.seq AND u.seq <= ?2) WHERE session = ?1",
    [SQ_DROP_VARIANT] = "DELETE FROM variants WHERE of = ?1 AND (spec = ?2 OR seal = ?3)",
    [SQ_DROP_UNUSED] = "DELETE FROM blobs WHERE sha256 = ?1 AND NOT EXISTS (SELECT 1 FROM uses WHERE sha256 = ?1) "
                       "AND NOT EXISTS (SELECT 1 FROM variants WHERE sha256 = ?1)",
    [SQ_DROP_HEAD] = "DELETE FROM heads WHERE session = ?1",
    [SQ_DROP_MARKS] = "DELETE FROM marks WHERE session = ?1",
    [SQ_DROP_USES] = "DELETE FROM uses WHERE session = ?1",
    [SQ_DROP_ENTRIES] = "DELETE FROM entries WHERE session = ?1",
    [SQ_DROP_SESSION] = "DELETE FROM sessions WHERE id = ?1",
    [SQ_GONE] = "INSERT INTO temp.gone " SERVES("?1"),
    [SQ_ROWS] = "SELECT seq, at_ms, hash, key, body FROM entries WHERE session = ?1 AND seq >= ?2 ORDER BY seq",
    [SQ_BLOB] = "SELECT data FROM blobs WHERE sha256 = ?1",
    [SQ_VARIANT] = "SELECT sha256, media_type, width, height, bytes, seal FROM variants WHERE of = ?1 AND spec = ?2",
    [SQ_FIND_MARK] = "SELECT seq FROM marks WHERE session = ?1 AND name = ?2 ORDER BY seq DESC LIMIT 1",
    [SQ_SESSIONS] =
        "SELECT s.name, (SELECT count(*) FROM entries WHERE session = s.id),"
        " (SELECT at_ms FROM entries WHERE session = s.id ORDER BY seq LIMIT 1),"
        " (SELECT at_ms FROM entries WHERE session = s.id ORDER BY seq DESC LIMIT 1) AS last,"
        " (SELECT sum(length(body)) FROM entries WHERE session = s.id),"
        " (SELECT count(DISTINCT sha256) FROM uses WHERE session = s.id),"
        " (SELECT sum(length(data)) FROM blobs WHERE sha256 IN (SELECT sha256 FROM uses WHERE session = s.id)) "
        "FROM sessions s WHERE ?1 IS NULL OR s.name = ?1 ORDER BY last DESC, s.id DESC",
    [SQ_NAMES] = "SELECT id, name FROM sessions ORDER BY id",
    [SQ_DOUBTFUL] = "SELECT s.id, s.name FROM sessions s LEFT JOIN heads h ON h.session = s.id WHERE s.id <> ?1 AND (h.uses IS NULL "
                    "OR h.uses <> (SELECT count(*) FROM uses u WHERE u.session = s.id) OR EXISTS (SELECT 1 FROM uses u "
                    "WHERE u.session = s.id AND NOT EXISTS (SELECT 1 FROM blobs b WHERE b.sha256 = u.sha256)))",
    [SQ_MADE] = "SELECT seq, name, NULL, 0 FROM marks WHERE session = ?1 UNION ALL "
                "SELECT u.seq, NULL, u.sha256, b.sha256 IS NOT NULL FROM uses u LEFT JOIN blobs b ON b.sha256 = u.sha256 "
                "WHERE u.session = ?1",
    [SQ_BLOBS] = "SELECT b.sha256, b.data FROM blobs b WHERE ?1 = 0 OR b.sha256 IN (" SERVES("?1") ")",
    [SQ_VARIANTS] = "SELECT v.sha256, v.media_type, v.width, v.height, v.bytes, v.seal, v.of, v.spec, b.sha256 IS NOT NULL "
                    "FROM variants v LEFT JOIN blobs b ON b.sha256 = v.sha256 "
                    "WHERE ?1 = 0 OR v.of IN (SELECT sha256 FROM uses WHERE session = ?1)",
};

const char sq_strays[] = "DELETE FROM heads WHERE session NOT IN (SELECT id FROM sessions);"
                         "DELETE FROM marks WHERE session NOT IN (SELECT id FROM sessions);"
                         "DELETE FROM uses WHERE session NOT IN (SELECT id FROM sessions);"
                         "REINDEX;";
const char sq_gone_before[] = "CREATE TEMP TABLE IF NOT EXISTS gone (sha256 BLOB NOT NULL PRIMARY KEY) WITHOUT ROWID;"
                              "DELETE FROM temp.gone;";
const char sq_gone_after[] =
    "DELETE FROM variants WHERE of IN (SELECT sha256 FROM temp.gone) AND of NOT IN (SELECT sha256 FROM uses);"
    "DELETE FROM blobs WHERE sha256 IN (SELECT sha256 FROM temp.gone) AND sha256 NOT IN (SELECT sha256 FROM uses)"
    "  AND sha256 NOT IN (SELECT sha256 FROM variants);"
    "DELETE FROM temp.gone;"
    "PRAGMA incremental_vacuum;";
