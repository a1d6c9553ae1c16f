/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record in PostgreSQL whose server lies: a libpq of our own answers each statement as an honest server would, and then changes cells,
 * rows, columns or the status as the input says. What is read is still what was appended, bytes are still those of their hash, or a
 * fault says so in words that only show; and without a lie all of it is there.
 * about: src/record/postgres_read.c src/record/postgres_check.c src/record/postgres_link.c src/record/postgres_fault.c src/record/postgres_schema.c
 *   src/record/postgres.c
 * max_len: 512
 */
#include "fuzz.h"

#include <endian.h>
#include <errno.h>
#include <sys/eventfd.h>

#include "record/postgres_lib.h"
#include "record/record_priv.h"
#include "record_lab.h"

enum { ENTRIES = 6, BLOBS = 2, ROWS = 12, COLUMNS = 9, CELL = 200, QUEUE = 4096 };

/* ---------------------------------------------------------------- what is there */

static struct {
    int64_t at_ms;
    uint8_t hash[SHA256_LEN];
    char body[CELL];
} entries[ENTRIES];
static uint8_t hashes[BLOBS][SHA256_LEN];
static char blobs[BLOBS][64];

static void fill(void)
{
    uint8_t before[SHA256_LEN] = {0};
    for (size_t i = 0; i < BLOBS; i++) {
        (void)snprintf(blobs[i], sizeof blobs[i], "bytes of blob %zu", i);
        sha256(blobs[i], strlen(blobs[i]), hashes[i]);
    }
    for (size_t i = 0; i < ENTRIES; i++) {
        char hex[SHA256_HEX_LEN + 1];
        sha256_hex(hashes[i % BLOBS], hex);
        entries[i].at_ms = 1000 + (int64_t)i;
        (void)snprintf(entries[i].body, CELL, "entry %zu mark:m%zu use:%s", i, i % 4, hex);
        struct backend_row row = {.seq = (int64_t)i + 1, .at_ms = entries[i].at_ms, .body = entries[i].body, .len = strlen(entries[i].body)};
        record_hash(before, "s", &row, entries[i].hash);
        memcpy(before, entries[i].hash, SHA256_LEN);
    }
}

/* ---------------------------------------------------------------- the server */

struct pg_result {
    ExecStatusType status;
    int rows, columns;
    char state[6], words[40];
    struct {
        bool null;
        int len;
        char data[CELL + 1];
    } cell[ROWS][COLUMNS];
};
struct pg_conn {
    PGresult *queue[QUEUE];
    size_t from, to;
    char cursor[400];
};
static struct pg_conn connection;
static struct feed *lies_from;
static unsigned lies;
static int ready;

static void put(PGresult *r, const void *data, size_t len)
{
    int row = r->rows - 1, column = r->columns++;
    CLAIM(row >= 0 && column < COLUMNS && len <= CELL);
    r->cell[row][column].len = (int)len;
    memcpy(r->cell[row][column].data, data, len);
}

static void put_number(PGresult *r, int64_t n)
{
    uint64_t wire = htobe64((uint64_t)n);
    put(r, &wire, sizeof wire);
}

static void next_row(PGresult *r)
{
    CLAIM(r->rows < ROWS);
    r->rows++;
    r->columns = 0;
}

static int64_t number_of(const char *value)
{
    uint64_t n;
    memcpy(&n, value, sizeof n);
    return (int64_t)be64toh(n);
}

static void add_entries(PGresult *r, int64_t from, int64_t most)
{
    for (int64_t seq = MAX(from, (int64_t)1); seq <= ENTRIES && most > 0; seq++, most--) {
        next_row(r);
        put_number(r, seq);
        put_number(r, entries[seq - 1].at_ms);
        put(r, entries[seq - 1].hash, SHA256_LEN);
        put(r, "", 0);
        r->cell[r->rows - 1][3].null = true;
        put(r, entries[seq - 1].body, strlen(entries[seq - 1].body));
    }
}

static void add_made(PGresult *r)
{
    for (int64_t i = 0; i < ENTRIES; i++) {
        char mark[8];
        next_row(r);
        put_number(r, i + 1);
        put(r, mark, (size_t)snprintf(mark, sizeof mark, "m%d", (int)(i % 4)));
        put(r, "", 0);
        r->cell[r->rows - 1][2].null = true;
        put_number(r, 0);
        next_row(r);
        put_number(r, i + 1);
        put(r, "", 0);
        r->cell[r->rows - 1][1].null = true;
        put(r, hashes[i % BLOBS], SHA256_LEN);
        put_number(r, 1);
    }
}

static void add_head(PGresult *r)
{
    put_number(r, 7);
    put_number(r, ENTRIES);
    put(r, entries[ENTRIES - 1].hash, SHA256_LEN);
    put_number(r, ENTRIES);
}

/* What a cursor over that has. */
static void add_fetched(PGresult *r, const char *sql)
{
    if (strstr(sql, "SELECT id, name FROM fovea.sessions")) {
        next_row(r);
        put_number(r, 7);
        put(r, "s", 1);
    } else if (strstr(sql, "FROM fovea.marks")) {
        add_made(r);
    } else if (lies_from->left && strstr(sql, "SELECT v.of, v.spec")) {
        next_row(r); /* there are none: this one is a lie */
        lies++;
        put(r, hashes[0], SHA256_LEN);
        put(r, "spec", 4);
        put(r, hashes[1], SHA256_LEN);
        put(r, "image/png", 9);
        for (int i = 0; i < 3; i++)
            put_number(r, i + 5);
        put(r, entries[0].hash, SHA256_LEN);
        put_number(r, 1);
    }
}

static void add_blobs(PGresult *r, const char *behind)
{
    for (size_t i = 0; i < BLOBS; i++) {
        size_t k = memcmp(hashes[0], hashes[1], SHA256_LEN) < 0 ? i : BLOBS - 1 - i;
        if (memcmp(hashes[k], behind, SHA256_LEN) <= 0)
            continue;
        next_row(r);
        put(r, hashes[k], SHA256_LEN);
        put(r, blobs[k], strlen(blobs[k]));
    }
}

static void answer(struct pg_conn *c, PGresult *r, const char *sql, const char *const *values)
{
    r->status = PGRES_TUPLES_OK;
    if (strstr(sql, "count(*) FILTER") == sql + 7) {
        next_row(r);
        put_number(r, 1);
        put_number(r, 1);
    } else if (!strcmp(sql, "SELECT version FROM fovea.version")) {
        next_row(r);
        put_number(r, 1);
    } else if (strstr(sql, "SELECT v.version, s.id") == sql) {
        next_row(r);
        put_number(r, 1);
        add_head(r);
    } else if (strstr(sql, "SELECT s.id, h.seq") == sql) {
        next_row(r);
        add_head(r);
    } else if (strstr(sql, "SELECT seq, at_ms, hash, key, body") == sql) {
        add_entries(r, number_of(values[1]), number_of(values[2]));
    } else if (strstr(sql, "SELECT data FROM fovea.blobs") == sql) {
        for (size_t i = 0; i < BLOBS; i++)
            if (!memcmp(values[0], hashes[i], SHA256_LEN)) {
                next_row(r);
                put(r, blobs[i], strlen(blobs[i]));
            }
    } else if (strstr(sql, "SELECT sha256, data FROM") == sql) {
        add_blobs(r, values[0]);
    } else if (strstr(sql, "SELECT seq FROM fovea.marks") == sql) {
        next_row(r);
        put_number(r, 1);
    } else if (strstr(sql, "SELECT s.name, coalesce") == sql) {
        next_row(r);
        put(r, "s", 1);
        for (int i = 0; i < 6; i++)
            put_number(r, i ? 5 : ENTRIES);
    } else if (strstr(sql, "DECLARE") == sql) {
        (void)snprintf(c->cursor, sizeof c->cursor, "%s", sql);
        r->status = PGRES_COMMAND_OK;
    } else if (strstr(sql, "FETCH") == sql) {
        add_fetched(r, c->cursor);
        c->cursor[0] = '\0';
    } else {
        r->status = PGRES_COMMAND_OK;
    }
}

static void lie(PGresult *r)
{
    static const char *const states[] = {"XX001", "42P01", "22021", "53200", "57014", "23505", "", "P0001"};
    for (int i = 0; i < 3; i++) {
        unsigned how = feed_u8(lies_from), row = feed_u8(lies_from) % ROWS, column = feed_u8(lies_from) % COLUMNS, n = feed_u8(lies_from);
        if (how < 8)
            return;
        lies++;
        switch (how % 6) {
        case 0:
            r->cell[row][column].null = n & 1;
            break;
        case 1:
            r->cell[row][column].len = (int)(n % (CELL + 1));
            break;
        case 2:
            feed_take(lies_from, r->cell[row][column].data + n % 190, 1 + how % 10);
            break;
        case 3:
            r->rows = (int)(n % (ROWS + 1));
            break;
        case 4:
            r->columns = (int)(n % (COLUMNS + 1));
            break;
        default:
            r->status = n & 1 ? PGRES_FATAL_ERROR : n & 2 ? PGRES_EMPTY_QUERY : PGRES_COMMAND_OK;
            (void)snprintf(r->state, sizeof r->state, "%s", states[row % COUNT(states)]);
            feed_take(lies_from, r->words, sizeof r->words - 1);
        }
    }
}

static int fake_send(PGconn *c, const char *sql, int n, const Oid *types, const char *const *values, const int *lens, const int *formats, int format)
{
    PGresult *r = calloc(1, sizeof *r);
    (void)n, (void)types, (void)lens, (void)formats, (void)format;
    CLAIM(r && c->to + 3 < QUEUE);
    answer(c, r, sql, values);
    lie(r);
    c->queue[c->to++] = r;
    c->queue[c->to++] = NULL;
    return 1;
}

static int fake_sync(PGconn *c)
{
    PGresult *r = calloc(1, sizeof *r);
    CLAIM(r && c->to + 1 < QUEUE);
    r->status = PGRES_PIPELINE_SYNC;
    c->queue[c->to++] = r;
    return 1;
}

static PGresult *fake_result(PGconn *c)
{
    PGresult *r = c->from < c->to ? c->queue[c->from++] : NULL;
    if (c->from == c->to)
        c->from = c->to = 0;
    return r;
}

static void fake_clear(PGresult *r)
{
    free(r);
}

static void fake_finish(PGconn *c)
{
    while (c->from < c->to)
        free(c->queue[c->from++]);
    c->from = c->to = 0;
}

static PQconninfoOption *fake_parse(const char *url, char **words)
{
    static char host[] = "host", fake[] = "fake", password[] = "password", secret[] = "secret-word";
    static PQconninfoOption options[] = {{.keyword = host, .val = fake}, {.keyword = password, .val = secret}, {.keyword = NULL}};
    (void)url;
    *words = NULL;
    return options;
}

static void fake_parsed(PQconninfoOption *options)
{
    (void)options;
}

static void fake_freemem(void *p)
{
    free(p);
}

static PGconn *fake_start(const char *const *names, const char *const *values, int expand)
{
    (void)names, (void)values, (void)expand;
    return &connection;
}

static PostgresPollingStatusType fake_poll(PGconn *c)
{
    (void)c;
    return PGRES_POLLING_OK;
}

static ConnStatusType fake_status(const PGconn *c)
{
    (void)c;
    return CONNECTION_OK;
}

static int fake_socket(const PGconn *c)
{
    (void)c;
    return ready;
}

static char *fake_words(const PGconn *c)
{
    static char none[1];
    (void)c;
    return none;
}

static int fake_no(const PGconn *c)
{
    (void)c;
    return 0;
}

static int fake_yes(PGconn *c)
{
    (void)c;
    return 1;
}

static int fake_done(PGconn *c)
{
    (void)c;
    return 0;
}

static int fake_nonblocking(PGconn *c, int on)
{
    (void)c, (void)on;
    return 0;
}

static PQnoticeProcessor fake_notice(PGconn *c, PQnoticeProcessor p, void *arg)
{
    (void)c, (void)arg;
    return p;
}

static ExecStatusType fake_result_status(const PGresult *r)
{
    return r->status;
}

static char *fake_field(const PGresult *r, int which)
{
    PGresult *all = (PGresult *)(uintptr_t)r;
    return which == PG_DIAG_SQLSTATE ? (*all->state ? all->state : NULL) : all->words;
}

static char *fake_command(PGresult *r)
{
    static char committed[] = "COMMIT", undone[] = "ROLLBACK";
    return *r->state ? undone : committed;
}

static char *fake_count(PGresult *r)
{
    static char one[] = "1";
    (void)r;
    return one;
}

static int fake_rows(const PGresult *r)
{
    return r->rows;
}

/* As libpq has it: beyond its rows and columns there is nothing. */
static bool inside(const PGresult *r, int row, int column)
{
    return row >= 0 && row < r->rows && column >= 0 && column < r->columns;
}

static char *fake_value(const PGresult *r, int row, int column)
{
    PGresult *all = (PGresult *)(uintptr_t)r;
    if (!inside(r, row, column))
        return NULL;
    all->cell[row][column].data[all->cell[row][column].null ? 0 : all->cell[row][column].len] = '\0';
    return all->cell[row][column].data;
}

static int fake_null(const PGresult *r, int row, int column)
{
    return !inside(r, row, column) || r->cell[row][column].null;
}

static int fake_length(const PGresult *r, int row, int column)
{
    return fake_null(r, row, column) ? 0 : r->cell[row][column].len;
}

const struct pq_table *__wrap_pq_load(void);
const struct pq_table *__wrap_pq_load(void)
{
    static const struct pq_table table = {
        .PQconninfoParse = fake_parse, .PQconninfoFree = fake_parsed, .PQconnectStartParams = fake_start, .PQconnectPoll = fake_poll,
        .PQfinish = fake_finish, .PQstatus = fake_status, .PQsocket = fake_socket, .PQerrorMessage = fake_words, .PQpass = fake_words,
        .PQconnectionNeedsPassword = fake_no, .PQconnectionUsedPassword = fake_no, .PQsetNoticeProcessor = fake_notice,
        .PQsetnonblocking = fake_nonblocking, .PQenterPipelineMode = fake_yes, .PQpipelineSync = fake_sync, .PQsendQueryParams = fake_send,
        .PQflush = fake_done, .PQconsumeInput = fake_yes, .PQisBusy = fake_done, .PQgetResult = fake_result,
        .PQresultStatus = fake_result_status, .PQresultErrorField = fake_field, .PQclear = fake_clear, .PQcmdStatus = fake_command,
        .PQcmdTuples = fake_count, .PQntuples = fake_rows, .PQgetvalue = fake_value, .PQgetlength = fake_length, .PQgetisnull = fake_null,
        .PQfreemem = fake_freemem};
    return &table;
}

/* ---------------------------------------------------------------- */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    ready = eventfd(1, EFD_CLOEXEC);
    CLAIM(ready >= 0);
    fill();
    return 0;
}

static void claim_fault(int code, const struct fovea_fault *fault)
{
    CLAIM(code >= 0 || (fault->text[0] && !strstr(fault->text, "secret-word")) || code == -ENOENT);
    for (const char *c = fault->text; *c; c++)
        CLAIM((unsigned char)*c >= ' ' && *c != 0x7f);
}

static int claim_entry(const struct record_entry *e, void *arg)
{
    int64_t *last = arg;
    CLAIM(e->point.seq == *last + 1 && e->point.seq <= ENTRIES);
    const char *want = entries[e->point.seq - 1].body;
    CLAIM(e->len == strlen(want) && !memcmp(e->body, want, e->len));
    *last = e->point.seq;
    return 0;
}

static void hear(const struct record_session *s, void *arg)
{
    CLAIM(s->name);
    *(size_t *)arg += strlen(s->name);
}

static void problem(const struct record_problem *p, void *arg)
{
    CLAIM(p->session && p->what && *p->what);
    ++*(size_t *)arg;
}

static void check_read(struct record *r)
{
    struct fovea_fault fault = {0};
    struct record_point at = {0};
    struct record_variant variant;
    int64_t last = 0, seq = 0;
    size_t heard = 0;
    int code = record_read(r, "s", &at, claim_entry, &last, &fault);
    claim_fault(code, &fault);
    CLAIM(lies || (code == 0 && last == ENTRIES));
    for (size_t i = 0; i < BLOBS; i++) {
        void *data = NULL;
        size_t len = 0;
        code = record_blob(r, hashes[i], &data, &len, &fault);
        claim_fault(code, &fault);
        CLAIM(lies || code == 0);
        if (code == 0)
            CLAIM(len == strlen(blobs[i]) && !memcmp(data, blobs[i], len));
        free(data);
    }
    claim_fault(record_find(r, "s", "m1", &seq, &fault), &fault);
    claim_fault(record_last(r, "s", &at, &fault), &fault);
    claim_fault(record_sessions(r, NULL, hear, &heard, &fault), &fault);
    claim_fault(record_variant(r, hashes[0], "spec", &variant, &fault), &fault);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct feed f = {data, len};
    struct fovea_fault fault = {0};
    struct record_options o = {.where = "postgresql://ann@fake/x", .folder = "", .derive = lab_derive, .wait_ms = 1};
    struct record_checked checked = {0};
    struct record *r = NULL;
    size_t told = 0;
    bool repair = feed_u8(&f) & 1;
    lies_from = &f;
    lies = 0;
    CLAIM(record_open(&o, &r, &fault) == 0);
    check_read(r);
    int code = record_check(r, NULL, repair, problem, &told, &checked, &fault);
    claim_fault(code, &fault);
    CLAIM(lies || (code == 0 && !told));
    record_close(r);
    return 0;
}
