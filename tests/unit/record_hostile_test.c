/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record and a PostgreSQL that is not what it should be: addresses that are none, servers that say the wrong thing, or nothing,
 * or without end, and tables that say what cannot be. The last need a server, which tests/record has.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "record/postgres_link.h"
#include "record_lab.h"
#include "test.h"

enum { LARGE = 8 << 20 };

/* First: once libpq is there, it stays. */
TEST(without_libpq_that_is_said)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct fovea_fault fault = {0};
        struct record_point last;
        struct record *r = NULL;
        struct record_options o = {.where = "postgresql:///x?host=/nowhere", .folder = "", .derive = lab_derive};
        bool right = record_open(&o, &r, &fault) == 0 && setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3}) == 0 &&
                     record_last(r, "s", &last, &fault) == -ENOSYS && strstr(fault.text, "install libpq5");
        record_close(r);
        _exit(!right);
    }
    int status = -1;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* ---------------------------------------------------------------- addresses */

static const struct {
    const char *url;
    int code;
    const char *words;
} addresses[] = {
    {"postgresql:///?hostaddr=127.0.0.1&port=1", -EHOSTUNREACH, "\"127.0.0.1\""},
    {"postgresql://?port=1&host=/nowhere", -EHOSTUNREACH, "\"/nowhere\""},
    {"postgresql://?port=1", -EHOSTUNREACH, "\"this machine\""},
    {"postgresql:///x?host=/nowhere&password=&sslpassword=", -EHOSTUNREACH, "\"/nowhere/x\""},
    {"postgresql:///secret?host=/nowhere&password=secret", -EHOSTUNREACH, "\"\""},
    {"postgresql:host", -EINVAL, "no address"},
    {"postgres:", -EINVAL, "no address"},
    {"postgresql://u@v@/x", -EINVAL, "no address"},
    {"postgresql://u/v@w", -EINVAL, "no address"},
    {"postgresql://u@/x?host=/nowhere", -EHOSTUNREACH, "/nowhere/x"},
    {"postgresql://u@?host=/nowhere", -EHOSTUNREACH, "/nowhere"},
};

TEST(an_address_is_told_as_what_it_is)
{
    for (size_t i = 0; i < COUNT(addresses); i++) {
        struct fovea_fault fault = {0};
        struct record_point last;
        struct record *r = NULL;
        struct record_options o = {.where = addresses[i].url, .folder = "", .derive = lab_derive, .wait_ms = 200};
        CHECK(record_open(&o, &r, &fault) == 0);
        int code = record_last(r, "s", &last, &fault);
        CHECK_MSG(code == addresses[i].code && fault.code == code && strstr(fault.text, addresses[i].words), "%s: %d %s",
                  addresses[i].url, code, fault.text);
        record_close(r);
    }
}

TEST(an_address_has_its_limit)
{
    static char url[LIMIT_PG_URL + 32] = "postgresql:///";
    struct fovea_fault fault = {0};
    struct record *r = NULL;
    memset(url + strlen(url), 'x', LIMIT_PG_URL);
    struct record_options o = {.where = url, .folder = "", .derive = lab_derive};
    CHECK(record_open(&o, &r, &fault) == -EINVAL && strstr(fault.text, "longer"));
}

/* ---------------------------------------------------------------- a server of our own that lies */

/* What it says, one letter for a message: 'R' welcome; 'Z' ready; 'E', 'F', 'G' an error (with all, without a code, without words);
 * 'S' it starts; 'P' a password, please; 'W' words that have secrets in them; 'A' a whole answer; '.' waits for the client; 'x' hangs
 * up; '!' never ends. */
struct fake {
    int fd;
    char folder[64], url[192];
    const char *script;
    pthread_t thread;
    atomic_bool ended;
};

static void send_message(int fd, char type, const char *body, size_t len)
{
    char m[256] = {type, 0, 0, (char)((len + 4) >> 8), (char)(len + 4)};
    memcpy(m + 5, body, len);
    (void)!send(fd, m, len + 5, MSG_NOSIGNAL);
}
#define SAY(fd, type, words) send_message(fd, type, words, sizeof(words) - 1)

static void send_letter(int fd, char letter)
{
    switch (letter) {
    case 'R': SAY(fd, 'R', "\0\0\0\0"); break;
    case 'P': SAY(fd, 'R', "\0\0\0\3"); break;
    case 'Z': SAY(fd, 'Z', "I"); break;
    case 'E': SAY(fd, 'E', "SERROR\0C58030\0Mthe disk is gone\0\0"); break;
    case 'D': SAY(fd, 'E', "SERROR\0C53100\0Mthe disk is full\0\0"); break;
    case 'F': SAY(fd, 'E', "SERROR\0Mno code\0\0"); break;
    case 'G': SAY(fd, 'E', "SERROR\0C58030\0\0"); break;
    case 'S': SAY(fd, 'E', "SFATAL\0C57P03\0Mthe database system is starting up\0\0"); break;
    case 'W': SAY(fd, 'E', "SFATAL\0C28000\0Ms3cret and l0nger-s3cret and s3cret\0\0"); break;
    case 'A':
        SAY(fd, '1', "");
        SAY(fd, '2', "");
        SAY(fd, 'n', "");
        SAY(fd, 'C', "SELECT 0\0");
        SAY(fd, 'Z', "I");
        break;
    default: break;
    }
}

/* Notices are heard and forgotten. */
static void never_end(int fd)
{
    static char many[1 << 16];
    const char notice[] = "N\0\0\0\15SNOTICE\0"; /* and the NUL of its end */
    for (size_t i = 0; i + 14 <= sizeof many; i += 14)
        memcpy(many + i, notice, 14);
    while (send(fd, many, sizeof many / 14 * 14, MSG_NOSIGNAL) > 0)
        ;
}

static void play(int fd, const char *script)
{
    char heard[4096];
    for (; *script; script++) {
        if (*script == 'x')
            return;
        if (*script == '!')
            never_end(fd);
        else if (*script != '.')
            send_letter(fd, *script);
        else if (recv(fd, heard, sizeof heard, 0) <= 0)
            return;
    }
    while (poll(&(struct pollfd){.fd = fd, .events = POLLRDHUP}, 1, 100) == 0) /* reads nothing more */
        ;
}

static void *serve(void *arg)
{
    struct fake *f = arg;
    for (int fd; !f->ended && (fd = accept4(f->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0; (void)close(fd))
        play(fd, f->script);
    return NULL;
}

static void fake_begin(struct fake *f, const char *script, const char *more)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    *f = (struct fake){.script = script};
    (void)snprintf(f->folder, sizeof f->folder, "/tmp/fovea-fake-XXXXXX");
    CHECK(mkdtemp(f->folder) != NULL);
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s/.s.PGSQL.5432", f->folder);
    (void)snprintf(f->url, sizeof f->url, "postgresql:///x?user=u&host=%s%s", f->folder, more);
    f->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(f->fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(f->fd, 64) == 0);
    CHECK(pthread_create(&f->thread, NULL, serve, f) == 0);
}

static void fake_done(struct fake *f)
{
    char path[128];
    f->ended = true;
    (void)shutdown(f->fd, SHUT_RDWR);
    (void)pthread_join(f->thread, NULL);
    (void)close(f->fd);
    (void)snprintf(path, sizeof path, "%s/.s.PGSQL.5432", f->folder);
    (void)unlink(path);
    (void)rmdir(f->folder);
}

static const struct {
    const char *script, *more;
    int code;
    const char *words;
} lies[] = {
    {".S", "", -EHOSTUNREACH, "starting up"},
    {".W", "&password=s3cret&sslpassword=l0nger-s3cret", -EHOSTUNREACH, "[redacted] and [redacted] and [redacted]"},
    {".W", "&password=l0nger-s3cret&sslpassword=s3cret", -EHOSTUNREACH, "[redacted] and [redacted] and [redacted]"},
    {".W", "&sslpassword=s3cret", -EHOSTUNREACH, "[redacted] and l0nger-[redacted]"},
    {".P", "", -EACCES, "refuses the user"},
    {".P.W", "&password=s3cret", -EACCES, "[redacted] and l0nger-[redacted]"},
    {".x", "", -EHOSTUNREACH, "closed the connection"},
    {".RZx", "", -EHOSTUNREACH, "the connection was lost"},
    {".RZ.x", "", -EHOSTUNREACH, "the connection was lost"},
    {".RZ.EZ", "", -EIO, "cannot read or write: the disk is gone"},
    {".RZ.EDZ", "", -EIO, "cannot read or write: the disk is gone"},
    {".RZ.GZ", "", -EIO, "cannot read or write"},
    {".RZ.FZ", "", -EHOSTUNREACH, "the connection was lost"},
    {".RZ.!", "", -EIO, "says more than it was asked"},
};

TEST(a_server_that_lies_is_told_of_and_no_secret_is)
{
    for (size_t i = 0; i < COUNT(lies); i++) {
        struct fake f;
        struct fovea_fault fault = {0};
        struct record_point last;
        struct record *r = NULL;
        fake_begin(&f, lies[i].script, lies[i].more);
        struct record_options o = {.where = f.url, .folder = "", .derive = lab_derive, .wait_ms = 200};
        CHECK(record_open(&o, &r, &fault) == 0);
        int code = record_last(r, "s", &last, &fault);
        CHECK_MSG(code == lies[i].code && fault.code == code && strstr(fault.text, lies[i].words) && !strstr(fault.text, "s3cret"),
                  "%s %s: %d %s", lies[i].script, lies[i].more, code, fault.text);
        record_close(r);
        fake_done(&f);
    }
}

static void *strike(void *cancel)
{
    (void)usleep(100 * 1000);
    fovea_cancel_now(cancel);
    return NULL;
}

TEST(waiting_for_a_server_that_starts_ends_when_the_cancel_strikes)
{
    struct fake f;
    struct fovea_fault fault = {0};
    struct record_point last;
    struct record *r = NULL;
    fovea_cancel *cancel = NULL;
    pthread_t thread;
    fake_begin(&f, ".S", "");
    struct record_options o = {.where = f.url, .folder = "", .derive = lab_derive};
    CHECK(record_open(&o, &r, &fault) == 0 && fovea_cancel_new(&cancel, &fault) == 0);
    record_cancel(r, cancel);
    CHECK(pthread_create(&thread, NULL, strike, cancel) == 0);
    CHECK_MSG(record_last(r, "s", &last, &fault) == -ECANCELED, "%s", fault.text);
    (void)pthread_join(thread, NULL);
    record_cancel(r, NULL);
    record_close(r);
    fovea_cancel_free(cancel);
    fake_done(&f);
}

/* ---------------------------------------------------------------- one that does not read */

static int send_large(struct pg_link *l, struct fovea_fault *fault)
{
    static char large[LARGE];
    int r = pg_send(l, "SELECT $1", PG_VALUES(PG_BYTES(large, LARGE)), fault);
    return r < 0 ? r : pg_answer(l, NULL, fault);
}

TEST(sending_to_a_server_that_does_not_read_ends_when_the_cancel_strikes)
{
    struct fake f;
    struct pg_link l;
    struct fovea_fault fault = {0};
    fovea_cancel *cancel = NULL;
    pthread_t thread;
    fake_begin(&f, ".RZ.A", "");
    CHECK(fovea_cancel_new(&cancel, &fault) == 0);
    const struct backend_wait wait = {.ms = 200, .cancel = cancel};
    CHECK(pg_link_init(&l, f.url, &wait, &fault) == 0);
    CHECK_MSG(pg_connect(&l, &fault) == 0, "%s", fault.text);
    CHECK(pthread_create(&thread, NULL, strike, cancel) == 0);
    CHECK_MSG(send_large(&l, &fault) == -ECANCELED && !l.conn, "%s", fault.text);
    (void)pthread_join(thread, NULL);
    CHECK(pg_answer(&l, NULL, &fault) == -EHOSTDOWN && pg_send(&l, "SELECT 1", PG_NONE, &fault) == -EHOSTDOWN);
    pg_link_done(&l);
    fovea_cancel_free(cancel);
    fake_done(&f);
}

TEST(a_server_that_goes_while_it_is_sent_to_is_lost)
{
    static const char *const scripts[] = {".RZ.A.x", ".RZ.A..x", ".RZ.A.Ex", ".RZ.Ax"};
    for (size_t i = 0; i < COUNT(scripts); i++) {
        struct fake f;
        struct pg_link l;
        struct fovea_fault fault = {0};
        const struct backend_wait wait = {.ms = 200};
        fake_begin(&f, scripts[i], "");
        CHECK(pg_link_init(&l, f.url, &wait, &fault) == 0);
        CHECK_MSG(pg_connect(&l, &fault) == 0, "%s", fault.text);
        CHECK_MSG(send_large(&l, &fault) == -EHOSTDOWN && !l.conn, "%s: %s", scripts[i], fault.text);
        pg_link_done(&l);
        fake_done(&f);
    }
}

TEST(a_statement_has_its_limits)
{
    struct fake f;
    struct pg_link l;
    struct fovea_fault fault = {0};
    const struct backend_wait wait = {.ms = 200};
    struct pg_value many[11] = {{0}}, large[] = {PG_BYTES("", (size_t)1 << 31)};
    fake_begin(&f, ".RZ.A", "");
    CHECK(pg_link_init(&l, f.url, &wait, &fault) == 0 && pg_connect(&l, &fault) == 0);
    CHECK(pg_send(&l, "SELECT 1", many, COUNT(many), &fault) == -E2BIG);
    CHECK(pg_send(&l, "SELECT 1", large, COUNT(large), &fault) == -EFBIG);
    pg_link_done(&l);
    fake_done(&f);
}

/* ---------------------------------------------------------------- tables that say what cannot be */

static int ask_server(const char *sql)
{
    const struct backend_wait wait = {.ms = 5000};
    struct fovea_fault fault = {0};
    struct pg_link l;
    int code = pg_link_init(&l, lab_store(), &wait, &fault);
    code = code < 0 ? code : pg_connect(&l, &fault);
    code = code < 0 ? code : pg_ask(&l, sql, PG_NONE, NULL, &fault);
    CHECK_MSG(code == 0, "%s: %s", sql, fault.text);
    pg_link_done(&l);
    return code;
}

static const char picture[] = "a picture", small[] = "small";

static void begin(struct lab *l)
{
    struct record_variant v = {.media_type = "image/png", .width = 3, .height = 4, .bytes = 5};
    uint8_t of[SHA256_LEN];
    CHECK(ask_server("DROP SCHEMA IF EXISTS fovea CASCADE") == 0);
    lab_init(l);
    CHECK(lab_say(l->r, "a", "k", "one mark:m") == 1 && lab_show(l->r, "a", picture, 9) == 2 && lab_say(l->r, "a", NULL, "three") == 3);
    sha256(picture, 9, of);
    sha256(small, 5, v.sha256);
    CHECK(record_variant_keep(l->r, of, "edge=1", &v, small, &v, &l->fault) == 0);
}

static int do_append(struct lab *l)
{
    struct record_new e = {"more", 4};
    struct record_append a = {.session = "a", .entries = &e, .count = 1, .after = -1};
    struct record_appended got;
    return record_append(l->r, &a, &got, &l->fault);
}

static int do_read(struct lab *l)
{
    struct record_point at = {0};
    auto_free char *text = NULL;
    return lab_read(l->r, "a", &at, &text, &l->fault);
}

static int do_variant(struct lab *l)
{
    struct record_variant v;
    uint8_t of[SHA256_LEN];
    sha256(picture, 9, of);
    return record_variant(l->r, of, "edge=1", &v, &l->fault);
}

static int do_find(struct lab *l)
{
    int64_t seq;
    return record_find(l->r, "a", "m", &seq, &l->fault);
}

/* Its problems are damage, with the words of the last. */
static int do_check(struct lab *l)
{
    struct lab_problems p = lab_check(l, NULL, false);
    if (p.count <= 0)
        return p.count;
    (void)snprintf(l->fault.text, sizeof l->fault.text, "%s", p.what);
    return l->fault.code = -EBADMSG;
}

#define TORN(state)                                                                                                             \
    "DO $do$ BEGIN ALTER TABLE fovea.entries RENAME TO facts;"                                                                 \
    " CREATE FUNCTION fovea.torn(n bigint, b bytea) RETURNS bytea IMMUTABLE LANGUAGE plpgsql AS $$BEGIN IF n = 3 THEN"         \
    " RAISE 'torn' USING ERRCODE = '" state "'; END IF; RETURN b; END$$; CREATE VIEW fovea.entries AS"                         \
    " SELECT session, seq, at_ms, hash, key, fovea.torn(seq, body) AS body FROM fovea.facts; END $do$"

static const struct {
    const char *sql;
    int (*ask)(struct lab *l);
    int code;
    const char *words;
} tables[] = {
    {"DELETE FROM fovea.version", do_append, -EBADMSG, "has no version"},
    {"UPDATE fovea.version SET version = 99", do_append, -EPROTO, "newer fovea"},
    {"UPDATE fovea.variants SET sha256 = '\\x00'", do_variant, -EBADMSG, "smaller version"},
    {"UPDATE fovea.variants SET seal = '\\x00'", do_variant, -EBADMSG, "smaller version"},
    {"UPDATE fovea.variants SET media_type = repeat('x', 40)::bytea", do_variant, -EBADMSG, "smaller version"},
    {"UPDATE fovea.variants SET width = -1", do_variant, -EBADMSG, "smaller version"},
    {"UPDATE fovea.variants SET width = 4294967296", do_variant, -EBADMSG, "smaller version"},
    {"UPDATE fovea.variants SET height = -1", do_variant, -EBADMSG, "smaller version"},
    {"UPDATE fovea.variants SET height = 4294967296", do_variant, -EBADMSG, "smaller version"},
    {"DO $$ BEGIN ALTER TABLE fovea.entries DROP CONSTRAINT entries_pkey; UPDATE fovea.entries SET seq = 1; END $$", do_read, -EBADMSG,
     "entry 2 cannot be read"},
    {TORN("58030"), do_read, -EIO, "torn"},
    {TORN("XX001"), do_append, -EBADMSG, "torn"},
    {"DROP TABLE fovea.marks", do_find, -EBADMSG, "not those of a record"},
    {"DO $$ BEGIN ALTER TABLE fovea.blobs DROP CONSTRAINT blobs_pkey; INSERT INTO fovea.blobs SELECT * FROM fovea.blobs; END $$", do_check,
     -EBADMSG, ""},
    {"UPDATE fovea.uses SET sha256 = '\\x00'", do_check, -EBADMSG, ""},
    {"UPDATE fovea.heads SET hash = '\\x00'", do_append, -EBADMSG, "damaged at its end"},
    {"DROP TABLE fovea.sessions CASCADE", do_check, -EBADMSG, ""},
};

TEST(tables_that_say_what_cannot_be_are_damage)
{
    if (lab_is_sqlite())
        SKIP("tests/record has a server");
    for (size_t i = 0; i < COUNT(tables); i++) {
        auto_lab l;
        begin(&l);
        (void)ask_server(tables[i].sql);
        l.fault = (struct fovea_fault){0};
        int code = tables[i].ask(&l);
        CHECK_MSG(code == tables[i].code && l.fault.code == code && strstr(l.fault.text, tables[i].words), "%s: %d %s", tables[i].sql, code,
                  l.fault.text);
    }
    (void)ask_server("DROP SCHEMA fovea CASCADE");
}

TEST(what_fills_many_pages_is_checked_whole)
{
    struct record_checked got = {0};
    if (lab_is_sqlite())
        SKIP("tests/record has a server");
    auto_lab l;
    begin(&l);
    (void)ask_server("INSERT INTO fovea.blobs SELECT sha256(i::text::bytea), i::text::bytea FROM generate_series(1, 600) i");
    (void)ask_server("INSERT INTO fovea.sessions (name) SELECT 's' || i FROM generate_series(1, 512) i");
    CHECK(record_check(l.r, NULL, false, NULL, NULL, &got, NULL) == 0);
    CHECK_MSG(got.sessions == 513 && got.blobs == 602 && got.problems == 512, "%lld %lld %lld", (long long)got.sessions,
              (long long)got.blobs, (long long)got.problems);
    (void)ask_server("DROP SCHEMA fovea CASCADE");
}

TEST(checking_a_database_in_which_nothing_is_finds_nothing)
{
    struct record_checked got = {.problems = 9};
    if (lab_is_sqlite())
        SKIP("tests/record has a server");
    auto_lab l;
    CHECK(ask_server("DROP SCHEMA IF EXISTS fovea CASCADE") == 0);
    lab_init(&l);
    CHECK(record_check(l.r, NULL, false, NULL, NULL, &got, &l.fault) == 0 && got.problems == 0 && got.sessions == 0);
    CHECK(record_check(l.r, "a", false, NULL, NULL, &got, &l.fault) == -ENOENT);
    CHECK(record_delete(l.r, "a", &l.fault) == -ENOENT);
}
