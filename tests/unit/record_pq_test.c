/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record in PostgreSQL when libpq fails: each call of each of its functions that can, in each piece of work. What failed says so,
 * and the same work comes out right afterwards, done once. Needs a server, which tests/record has.
 */
#include "record/postgres_lib.h"
#include "record_lab.h"
#include "test.h"

enum { MOST_CALLS = 60, LARGE = 100000 };

static struct {
    int which, at, calls;
} failing = {.which = -1};

static const struct pq_table *libpq;

static bool fails(int which)
{
    return failing.which == which && ++failing.calls == failing.at;
}

enum { SEND, FLUSH, CONSUME, SYNC, RESULT, FUNCTIONS };

static int send_query(PGconn *conn, const char *sql, int n, const Oid *types, const char *const *values, const int *lens, const int *formats,
                      int format)
{
    return fails(SEND) ? 0 : libpq->PQsendQueryParams(conn, sql, n, types, values, lens, formats, format);
}

static int flush(PGconn *conn)
{
    return fails(FLUSH) ? -1 : libpq->PQflush(conn);
}

static int consume(PGconn *conn)
{
    return fails(CONSUME) ? 0 : libpq->PQconsumeInput(conn);
}

static int sync_pipeline(PGconn *conn)
{
    return fails(SYNC) ? 0 : libpq->PQpipelineSync(conn);
}

/* What it gives when it has no memory for an answer. */
static PGresult *no_result(PGconn *conn)
{
    if (!fails(RESULT))
        return libpq->PQgetResult(conn);
    libpq->PQclear(libpq->PQgetResult(conn));
    return NULL;
}

const struct pq_table *__wrap_pq_load(void);
const struct pq_table *__real_pq_load(void);
const struct pq_table *__wrap_pq_load(void)
{
    static struct pq_table table;
    if (!libpq && (libpq = __real_pq_load())) {
        table = *libpq;
        table.PQsendQueryParams = send_query;
        table.PQflush = flush;
        table.PQconsumeInput = consume;
        table.PQpipelineSync = sync_pipeline;
        table.PQgetResult = no_result;
    }
    return libpq ? &table : NULL;
}

/* ---------------------------------------------------------------- what is asked for */

static const char *session;
static char large[LARGE];

static void blob_of(const void *data, size_t len, struct record_blob *ret, char body[static 80])
{
    *ret = (struct record_blob){.data = data, .len = len};
    sha256(data, len, ret->sha256);
    memcpy(body, "use:", 4);
    sha256_hex(ret->sha256, body + 4);
}

static int do_append(struct record *r, struct fovea_fault *fault)
{
    struct record_blob blobs[2];
    char bodies[2][80];
    struct record_appended got = {0};
    blob_of(large, sizeof large, &blobs[0], bodies[0]);
    blob_of("small", 5, &blobs[1], bodies[1]);
    struct record_new all[] = {{"one mark:m", 10}, {bodies[0], strlen(bodies[0])}, {bodies[1], strlen(bodies[1])}};
    struct record_append a = {.session = session, .key = "k", .entries = all, .count = COUNT(all), .blobs = blobs, .n_blobs = 2, .after = -1};
    int code = record_append(r, &a, &got, fault);
    CHECK(code < 0 || (got.first == 1 && got.last == 3));
    return code;
}

static int do_read(struct record *r, struct fovea_fault *fault)
{
    struct record_point at = {0};
    auto_free char *text = NULL;
    int code = lab_read(r, session, &at, &text, fault);
    CHECK(code < 0 || at.seq == 3);
    return code;
}

static int do_find(struct record *r, struct fovea_fault *fault)
{
    int64_t seq = 0;
    int code = record_find(r, session, "m", &seq, fault);
    CHECK(code < 0 || seq == 1);
    return code;
}

static void count_session(const struct record_session *s, void *arg)
{
    (void)s;
    ++*(int *)arg;
}

static int do_session(struct record *r, struct fovea_fault *fault)
{
    int n = 0, code = record_sessions(r, session, count_session, &n, fault);
    CHECK(code < 0 || n == 1);
    return code;
}

static int do_blob(struct record *r, struct fovea_fault *fault)
{
    auto_free void *data = NULL;
    size_t len = 0;
    uint8_t of[SHA256_LEN];
    sha256(large, sizeof large, of);
    int code = record_blob(r, of, &data, &len, fault);
    CHECK(code < 0 || len == sizeof large);
    return code;
}

static int do_keep(struct record *r, struct fovea_fault *fault)
{
    struct record_variant v = {.media_type = "image/png", .width = 1, .height = 2, .bytes = 4}, got = {0};
    uint8_t of[SHA256_LEN];
    sha256(large, sizeof large, of);
    sha256("tiny", 4, v.sha256);
    int code = record_variant_keep(r, of, "edge=2", &v, "tiny", &got, fault);
    code = code < 0 ? code : record_variant(r, of, "edge=2", &got, fault);
    CHECK(code < 0 || got.width == 1);
    return code;
}

static int do_check(struct record *r, struct fovea_fault *fault)
{
    struct record_checked got = {0};
    int code = record_check(r, session, true, NULL, NULL, &got, fault);
    CHECK_MSG(code < 0 || got.problems == 0, "%jd problems", (intmax_t)got.problems);
    return code;
}

static int do_sync(struct record *r, struct fovea_fault *fault)
{
    return record_sync(r, fault);
}

static int do_delete(struct record *r, struct fovea_fault *fault)
{
    int code = record_delete(r, session, fault);
    return code == -ENOENT ? 0 : code; /* by the try before, whose answer was lost */
}

static const struct work {
    const char *name;
    int (*ask)(struct record *r, struct fovea_fault *fault);
} works[] = {{"append", do_append}, {"read", do_read}, {"find", do_find}, {"session", do_session}, {"blob", do_blob}, {"keep", do_keep},
             {"check", do_check},   {"sync", do_sync}, {"delete", do_delete}};

/* 0 when the work needs fewer calls than that. */
static bool fail_once(struct lab *l, const struct work *w, int which, int at)
{
    struct fovea_fault fault = {0};
    if (w->ask == do_delete)
        CHECK(do_append(l->r, &fault) == 0);
    failing.which = which;
    failing.at = at;
    failing.calls = 0;
    int code = w->ask(l->r, &fault);
    failing.which = -1;
    bool struck = failing.calls >= at;
    CHECK_MSG(code == 0 || (struck && fault.code == code && fault.text[0]), "%s, function %d, call %d: %d %s", w->name, which, at, code, fault.text);
    code = w->ask(l->r, &fault);
    CHECK_MSG(code == 0, "%s afterwards, function %d, call %d: %d %s", w->name, which, at, code, fault.text);
    return struck;
}

TEST(libpq_may_fail_at_each_call_and_nothing_is_lost_or_done_twice)
{
    if (lab_is_sqlite())
        SKIP("no PostgreSQL");
    auto_lab l;
    lab_init(&l);
    session = lab_name(&l, "pq");
    memset(large, 'x', sizeof large);
    memcpy(large, session, strlen(session));
    for (size_t w = 0; w < COUNT(works); w++)
        for (int which = 0; which < FUNCTIONS; which++) {
            int at = 1;
            while (at < MOST_CALLS && fail_once(&l, &works[w], which, at))
                at++;
            CHECK_MSG(at > 1, "%s has no call of function %d", works[w].name, which);
        }
}
