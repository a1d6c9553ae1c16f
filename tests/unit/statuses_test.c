/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a worker says of a source, or however it ends, is told in words that say what to do. The workers are those of tests/fault,
 * under the names of all programs. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/arrival.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "built.h"
#include "fovea.h"
#include "handles.h"
#include "percept/json.h"
#include "sandbox/pool.h"
#include "sandbox/proto.h"
#include "test.h"
#include "top.h"

/* Links under the name of each program to the one worker that does as it is told. */
static void link_workers(void)
{
    static const char *const names[] = {"fovea-worker", "fovea-photo", "fovea-svg", "fovea-text", "fovea-pdf", "fovea-video"};
    for (size_t i = 0; i < COUNT(names); i++)
        CHECK(symlink(built("tests/fault/fovea-worker"), in_top(names[i])) == 0);
}

static fovea *context(void)
{
    struct fovea_fault fault = {0};
    fovea *f = NULL;
    if (top_is_home())
        link_workers();
    struct fovea_options o = {.config_file = "", .worker_dir = top, .render = FOVEA_RENDER_ALL};
    CHECK_MSG(fovea_new(&o, &f, &fault) == 0, "%s", fault.text);
    return f;
}

enum kind { PNG, TIFF, MP4, PDF, MARKDOWN, SVGZ };
static const struct {
    const char *name;
    size_t len;
    const char *bytes;
} kinds[] = {
    [PNG] = {"a.png", 33, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x14\0\0\0\x0a\x08\2\0\0\0\0\0\0\0"},
    [TIFF] = {"a.tif", 8, "II*\0\x08\0\0\0"},
    [MP4] = {"a.mp4", 24, "\0\0\0\x18" "ftypisom\0\0\2\0isomiso2"},
    [PDF] = {"a.pdf", 9, "%PDF-1.4\n"},
    [MARKDOWN] = {"a.md", 14, "# title ![a](b"},
    [SVGZ] = {"a.svgz", 10, "\x1f\x8b\x08\0\0\0\0\0\0\3"},
};

/* Bytes of that kind in which it stands what the worker is to do. */
static size_t make_bytes(enum kind kind, const char *fault, char to[256])
{
    memcpy(to, kinds[kind].bytes, kinds[kind].len);
    return kinds[kind].len + (size_t)snprintf(to + kinds[kind].len, 256 - kinds[kind].len, "\nFAULT:%s", fault);
}

#define STATUS(n) "status:" #n
#define BARE(n) "status-bare:" #n

static const struct {
    enum kind kind;
    const char *fault, *reason, *words;
} rows[] = {
    {PNG, STATUS(1), "malformed", "does not decode in full (PNG: so it says); get a good copy of it"},
    {PNG, STATUS(2), "too_large", "is too large to decode: so it says"},
    {PNG, STATUS(3), "invalid_input", "the region is empty or outside the picture, which is 9x7"},
    {PNG, STATUS(4), "invalid_input", "the picture has 2 frames"},
    {PNG, BARE(4), "invalid_input", "the picture has 1 frame"},
    {MP4, STATUS(4), "invalid_input", "the video has 2 frames"},
    {PNG, STATUS(5), "invalid_input", "has 2 pages, so there is no page"},
    {PDF, BARE(5), "invalid_input", "has 1 page, so there is no page"},
    {MP4, STATUS(6), "invalid_input", "is over by then: it lasts 1:05"},
    {MP4, BARE(6), "invalid_input", "is over by then; name an earlier time"},
    {PDF, STATUS(7), "unperceivable_type", "is encrypted; give a copy that needs no password"},
    {PNG, STATUS(8), "unperceivable_type", "so it says; convert it to plain PNG"},
    {PDF, STATUS(8), "unperceivable_type", "so it says; print it to a plain PDF"},
    {MP4, STATUS(8), "unperceivable_type", "so it says; convert it to MP4 with H.264"},
    {SVGZ, STATUS(8), "unperceivable_type", "is compressed (gzip) and holds no SVG"},
    {PNG, STATUS(9), "too_large", "needs more memory than a decoder can have"},
    {PNG, STATUS(10), "timed_out", "took too long: so it says; try a smaller copy of it"},
    {PNG, STATUS(11), "malformed", "broke its decoder"},
    {PNG, "crash", "malformed", "broke its decoder"},
    {MARKDOWN, "crash", "malformed", "broke its decoder"},
    {MARKDOWN, STATUS(1), "malformed", "so it says"},
};

TEST(whatever_a_worker_says_of_a_source_is_told_in_words)
{
    auto_fovea *f = context();
    for (size_t i = 0; i < COUNT(rows); i++) {
        char bytes[256];
        size_t len = make_bytes(rows[i].kind, rows[i].fault, bytes);
        struct fovea_fault fault = {0};
        auto_result *r = NULL;
        struct fovea_view_request q = {.path = kinds[rows[i].kind].name, .data = bytes, .data_len = len, .frame = rows[i].kind == MP4};
        CHECK_MSG(fovea_view(f, &q, &r, &fault) == 0, "row %zu: %s", i, fault.text);
        const char *reason = r ? fovea_result_reason(r) : NULL;
        CHECK_MSG(reason && !strcmp(reason, rows[i].reason) && strstr(fovea_result_text(r), rows[i].words), "row %zu: %s: %s", i, reason,
                  r ? fovea_result_text(r) : "");
    }
}

/* ---------------------------------------------------------------- what is appended */

static int gather(void *arg, int64_t seq, const char *json, size_t len)
{
    (void)seq;
    return buf_add(arg, json, len);
}

/* An entry with a part of that type, whose bytes are to be looked at; what the record says of it then. */
static void append_one(fovea_session *s, const char *type, enum kind kind, const char *fault_name, struct buf *ret)
{
    char bytes[256];
    struct fovea_fault fault = {0};
    struct fovea_appended done = {0};
    auto_buf b = BUF_INIT(64 * KIB);
    size_t len = make_bytes(kind, fault_name, bytes);
    (void)buf_add_format(&b, "{\"kind\":\"user\",\"at\":1000,\"parts\":[{\"type\":\"%s\",\"data\":\"", type);
    (void)buf_add_base64(&b, (const uint8_t *)bytes, len);
    (void)buf_add_str(&b, "\"}]}");
    CHECK_MSG(fovea_session_append(s, b.data, b.len, NULL, &done, &fault) == 0, "%s: %s", fault_name, fault.text);
    buf_done(ret);
    *ret = (struct buf)BUF_INIT(MIB);
    CHECK(fovea_session_entries(s, done.last - 1, gather, ret, &fault) == 0 && ret->len);
}

TEST(a_picture_that_cannot_be_shown_is_kept_with_the_reason)
{
    static const struct {
        enum kind kind;
        const char *fault, *words;
    } pictures[] = {
        {PNG, "crash", "it broke its decoder, so it is damaged or hostile"},
        {PNG, STATUS(1), "so it says"},
        {PNG, BARE(1), "it does not decode in full"},
        {PNG, STATUS(9), "it needs more memory than a decoder can have"},
        {TIFF, STATUS(10), "it took too long to decode"},
        {SVGZ, STATUS(1), "it is no picture"},
        {PDF, STATUS(1), "it is no picture"},
    };
    auto_fovea *f = context();
    auto_session *s = NULL;
    auto_buf told = BUF_INIT(MIB);
    CHECK(fovea_session_new(f, &(struct fovea_session_options){.name = "kept"}, &s, NULL) == 0);
    for (size_t i = 0; i < COUNT(pictures); i++) {
        append_one(s, "image", pictures[i].kind, pictures[i].fault, &told);
        CHECK_MSG(told.data && strstr(told.data, pictures[i].words), "row %zu: %s", i, told.data);
    }
}

/* A document that cannot be counted is let in all the same. */
TEST(a_document_whose_pages_cannot_be_counted_has_no_number_of_them)
{
    static const char *const faults[] = {"crash", STATUS(1)};
    auto_fovea *f = context();
    auto_session *s = NULL;
    auto_buf told = BUF_INIT(MIB);
    CHECK(fovea_session_new(f, &(struct fovea_session_options){.name = "documents"}, &s, NULL) == 0);
    for (size_t i = 0; i < COUNT(faults); i++) {
        append_one(s, "document", PDF, faults[i], &told);
        CHECK_MSG(told.data && strstr(told.data, "application/pdf") && !strstr(told.data, "\"pages\""), "%s", told.data);
    }
}

/* ---------------------------------------------------------------- how long it is looked at */

/* What jobs were asked for; while it is late, each of them is. */
static struct {
    bool late;
    _Atomic int calls, longest, bare; /* bare: on a thread of ours that takes signals */
} pool;
static pthread_t host;

int __real_pool_run(struct pool *p, const struct pool_job *job, enum pool_end *ret_end, struct pool_output *ret_output,
                    struct fovea_fault *fault);
int __wrap_pool_run(struct pool *p, const struct pool_job *job, enum pool_end *ret_end, struct pool_output *ret_output,
                    struct fovea_fault *fault);
int __wrap_pool_run(struct pool *p, const struct pool_job *job, enum pool_end *ret_end, struct pool_output *ret_output,
                    struct fovea_fault *fault)
{
    sigset_t mask;
    pool.calls++;
    pool.longest = MAX(pool.longest, job->limit_ms);
    if (!pool.late)
        return __real_pool_run(p, job, ret_end, ret_output, fault);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask);
    pool.bare += !pthread_equal(pthread_self(), host) && !sigismember(&mask, SIGTERM);
    (void)usleep(20000);
    *ret_end = POOL_TIMED_OUT;
    return 0;
}

/* An entry with so many pictures, each another one, and a document; in that time. */
static char *look_new(fovea_session *s, int pictures, int looks_ms)
{
    char bytes[256], word[16];
    struct fovea_fault fault = {0};
    auto_buf b = BUF_INIT(64 * KIB);
    auto_arrival a;
    CHECK_MSG(arrival_init(&a, s, &fault) == 0, "%s", fault.text);
    (void)buf_add_str(&b, "{\"kind\":\"user\",\"at\":1,\"parts\":[");
    for (int i = 0; i <= pictures; i++) {
        (void)snprintf(word, sizeof word, "none-%d", i);
        size_t len = make_bytes(i < pictures ? PNG : PDF, word, bytes);
        (void)buf_add_format(&b, "%s{\"type\":\"%s\",\"data\":\"", i ? "," : "", i < pictures ? "image" : "document");
        (void)buf_add_base64(&b, bytes, len);
        (void)buf_add_str(&b, "\"}");
    }
    (void)buf_add_str(&b, "]}");
    auto_json *entry = json_read(b.data, b.len, 0, NULL);
    CHECK_MSG(entry && incoming_entry(&a.in, entry, &fault) == 0, "%s", fault.text);
    a.looks_ms = looks_ms;
    pool.calls = pool.longest = pool.bare = 0;
    pool.late = true;
    host = pthread_self();
    CHECK_MSG(arrival_look(&a, &fault) == 0, "%s", fault.text);
    pool.late = false;
    return json_text_new(json_array_get(a.in.entries, 0), 0);
}

static int count_of(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; at && (at = strstr(at, word)); at++)
        n++;
    return n;
}

static fovea_session *late_session(fovea *f)
{
    fovea_session *s = NULL;
    CHECK(fovea_session_new(f, &(struct fovea_session_options){.name = "late", .no_render = 0}, &s, NULL) == 0);
    return s;
}

TEST(a_picture_that_took_too_long_is_not_tried_again)
{
    auto_fovea *f = context();
    auto_session *s = late_session(f);
    auto_free char *told = look_new(s, 4, LIMIT_LOOKS_MS);
    CHECK_MSG(pool.calls == 5 && pool.longest == LIMIT_WORKER_MS, "%d of %d ms", pool.calls, pool.longest);
    CHECK_MSG(count_of(told, "it took too long to decode") == 4, "%s", told);
}

TEST(threads_that_have_pictures_looked_at_take_no_signals)
{
    auto_fovea *f = context();
    auto_session *s = late_session(f);
    auto_free char *told = look_new(s, 8, LIMIT_LOOKS_MS);
    CHECK(told && pool.calls == 9 && pool.bare == 0);
}

/* However many there are. */
TEST(all_that_one_append_brings_is_looked_at_in_one_time)
{
    auto_fovea *f = context();
    auto_session *s = late_session(f);
    auto_free char *none = look_new(s, 3, 0);
    CHECK_MSG(pool.calls == 0 && count_of(none, "it was not looked at, since") == 3, "%s", none);
    CHECK_MSG(count_of(none, "image/png") == 3 && count_of(none, "application/pdf") == 1, "%s", none);
    auto_free char *some = look_new(s, 40, 100);
    CHECK_MSG(pool.calls < 40 && pool.longest <= 100, "%d calls of %d ms", pool.calls, pool.longest);
    CHECK_MSG(count_of(some, "it was not looked at, since") + count_of(some, "it took too long") == 40, "%s", some);
}
