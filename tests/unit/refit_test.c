/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of pictures that are made for a request: what a worker said is kept, what befell it is not, and a damaged one is made anew. */
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/context.h"
#include "base/b64.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/limits.h"
#include "built.h"
#include "fovea.h"
#include "handles.h"
#include "test.h"
#include "top.h"

/* A context with the workers of a folder of the build; its record is that of the others here. */
static fovea *context(const char *folder)
{
    char workers[LIMIT_PATH_BYTES + 32];
    struct fovea_fault fault = {0};
    fovea *f = NULL;
    (void)top_is_home();
    (void)snprintf(workers, sizeof workers, "%s%s", build_folder(), folder);
    CHECK_MSG(fovea_new(&(struct fovea_options){.config_file = "", .worker_dir = workers}, &f, &fault) == 0, "%s", fault.text);
    return f;
}

/* A session with one picture that says it is larger than any request may carry. */
static fovea_session *session_with(fovea *f, const char *name, const char *bytes, size_t len)
{
    struct fovea_fault fault = {0};
    fovea_session *s = NULL;
    struct record_appended done;
    struct record_blob blob = {.data = bytes, .len = len};
    char hex[SHA256_HEX_LEN + 1], body[512];
    sha256(bytes, len, blob.sha256);
    sha256_hex(blob.sha256, hex);
    int n = snprintf(body, sizeof body, "{\"kind\":\"user\",\"at\":1700000000000,\"parts\":[{\"type\":\"image\",\"media_type\":\"image/png\","
                                        "\"sha256\":\"%s\",\"bytes\":%zu,\"width\":9000,\"height\":9000}]}", hex, len);
    struct record_new entry = {body, (size_t)n};
    int r = record_append(f->record, &(struct record_append){.session = name, .entries = &entry, .count = 1, .blobs = &blob,
                                                             .n_blobs = 1, .after = -1}, &done, &fault);
    CHECK_MSG(r == 0, "%s", fault.text);
    CHECK_MSG(fovea_session_new(f, &(struct fovea_session_options){.name = name}, &s, &fault) == 0, "%s", fault.text);
    return s;
}

static int to_buf(void *arg, const char *piece, size_t len)
{
    return buf_add(arg, piece, len);
}

static char *lower_new(fovea_session *s)
{
    auto_buf b = BUF_INIT(16 * MIB);
    struct fovea_fault fault = {0};
    int r = fovea_lower(s, &(struct fovea_lower_request){.model = "anthropic/claude-opus-4-7"}, to_buf, &b, NULL, &fault);
    CHECK_MSG(r == 0, "%s", fault.text);
    return buf_take(&b);
}

/* Runs a statement on the record; gives the number in its first column, or how many rows it changed. */
static int sql(const char *words)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    CHECK(sqlite3_open(in_top("state/fovea/record.db"), &db) == SQLITE_OK && sqlite3_prepare_v2(db, words, -1, &st, NULL) == SQLITE_OK);
    int n = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int(st, 0) : sqlite3_changes(db);
    (void)sqlite3_finalize(st);
    (void)sqlite3_close(db);
    return n;
}

TEST(a_worker_that_died_is_no_verdict_and_nothing_is_kept)
{
    static const char bytes[] = "GIF89aFAULT:crash";
    auto_fovea *f = context("/tests/fault");
    auto_session *s = session_with(f, "crash", bytes, sizeof bytes);
    auto_free char *first = lower_new(s), *again = lower_new(s);
    CHECK(first && again && !strcmp(first, again) && !strstr(first, "base64"));
    CHECK(sql("SELECT count(*) FROM variants") == 0);
}

TEST(what_a_worker_found_impossible_is_kept_as_that)
{
    static const char bytes[] = "GIF89aFAULT:refuse";
    auto_fovea *f = context("/tests/fault");
    auto_session *s = session_with(f, "refuse", bytes, sizeof bytes);
    auto_free char *text = lower_new(s);
    CHECK(text && !strstr(text, "base64"));
    CHECK(sql("SELECT count(*) FROM variants WHERE media_type = ''") == 1);
    CHECK(sql("DELETE FROM variants") == 1);
}

/* Lowers it, harms what was made for it, and lowers it again as another process would. */
static void harm_and_lower(const char *name, const char *harm)
{
    auto_fovea *f = context("");
    size_t len;
    auto_free char *bytes = bytes_of(fixture("png-with-exif-gps-and-text.png"), &len);
    auto_session *s = session_with(f, name, bytes, len);
    auto_free char *first = lower_new(s);
    CHECK(first && strstr(first, "base64"));
    CHECK_MSG(sql(harm) == 1, "%s", harm);
    auto_fovea *later = context("");
    auto_session *same = NULL;
    struct fovea_fault fault = {0};
    CHECK(fovea_session_new(later, &(struct fovea_session_options){.name = name}, &same, &fault) == 0);
    auto_free char *again = lower_new(same);
    CHECK_MSG(again && !strcmp(first, again), "%s", again);
    (void)fovea_session_delete(later, name, &fault);
}

TEST(a_version_whose_row_is_damaged_is_made_anew)
{
    harm_and_lower("row", "UPDATE variants SET width = width + 1");
}

TEST(a_version_whose_bytes_are_damaged_or_gone_is_made_anew)
{
    harm_and_lower("gone", "DELETE FROM blobs WHERE sha256 IN (SELECT sha256 FROM variants)");
    harm_and_lower("harmed", "UPDATE blobs SET data = zeroblob(length(data)) WHERE sha256 IN (SELECT sha256 FROM variants)");
}

/* 40x30 of one colour, as BMP: no wire takes one. */
TEST(a_picture_of_a_kind_that_nobody_takes_is_converted)
{
    uint8_t bmp[54 + 40 * 30 * 3] = {'B', 'M', 0x46, 0x0e, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 40, 0, 0, 0, 30, 0, 0, 0, 1, 0, 24};
    for (size_t i = 54; i < sizeof bmp; i++)
        bmp[i] = i % 3 ? 0x20 : 0xd0;
    char text[B64_LEN(sizeof bmp) + 1] = "";
    auto_buf entry = BUF_INIT(64 * KIB);
    struct fovea_appended done;
    struct fovea_fault fault = {0};
    auto_fovea *f = context("");
    auto_session *s = NULL;
    CHECK(fovea_session_new(f, &(struct fovea_session_options){.name = "bmp"}, &s, &fault) == 0);
    b64_encode(bmp, sizeof bmp, text);
    (void)buf_add_format(&entry, "{\"kind\":\"user\",\"parts\":[{\"type\":\"image\",\"data\":\"%s\"}]}", text);
    int r = fovea_session_append(s, entry.data, entry.len, NULL, &done, &fault);
    CHECK_MSG(r == 0, "%s", fault.text);
    auto_free char *lowered = lower_new(s);
    CHECK_MSG(lowered && strstr(lowered, "base64") && strstr(lowered, "\"media_type\":\"image/") && !strstr(lowered, "image/bmp"), "%.300s", lowered);
    CHECK(sql("SELECT count(*) FROM variants WHERE media_type LIKE 'image/%' AND width = 40 AND height = 30") > 0);
}
