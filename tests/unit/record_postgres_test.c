/* SPDX-License-Identifier: Apache-2.0 */
/* The PostgreSQL backend of the record where there is no server, or one that is slow; tests/record has the rest. */
#include "record/postgres_priv.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "test.h"

static const struct backend_wait patient = {.ms = LIMIT_RECORD_WAIT_MS};

/* Strikes after a while, from another thread. */
static void *strike(void *cancel)
{
    (void)usleep(100 * 1000);
    fovea_cancel_now(cancel);
    return NULL;
}

static int derive(const char *body, size_t len, struct record_index *to)
{
    (void)body, (void)len, (void)to;
    return 0;
}

static int append(struct record *r, const char *session, const char *body, size_t len, struct fovea_fault *fault)
{
    struct record_new e = {body, len};
    struct record_append a = {.session = session, .entries = &e, .count = 1, .after = -1};
    struct record_appended got;
    return record_append(r, &a, &got, fault);
}

/* A folder with a socket that takes connections and says nothing. */
static int silent_server(char folder[static 64], int *ret_fd)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(folder, 64, "/tmp/fovea-silent-XXXXXX");
    if (!mkdtemp(folder))
        return -errno;
    snprintf(at.sun_path, sizeof at.sun_path, "%s/.s.PGSQL.5432", folder);
    *ret_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return bind(*ret_fd, (struct sockaddr *)&at, sizeof at) || listen(*ret_fd, 8) ? -errno : 0;
}

static void remove_server(const char *folder, int fd)
{
    char path[128];
    (void)close(fd);
    snprintf(path, sizeof path, "%s/.s.PGSQL.5432", folder);
    (void)unlink(path);
    (void)rmdir(folder);
}

TEST(opening_reaches_for_nothing)
{
    struct record *r = NULL;
    struct fovea_fault fault = {0};
    struct record_options o = {.where = "postgresql://u:secret@/x?host=/nowhere", .folder = "", .derive = derive};
    CHECK(record_open(&o, &r, &fault) == 0);
    record_close(r);
}

TEST(a_server_that_is_not_there_is_told_of_at_once)
{
    struct record *r = NULL;
    struct fovea_fault fault = {0};
    struct record_options o = {.where = "postgresql://u:secret@/x?host=/nowhere", .folder = "", .derive = derive};
    int64_t start = clock_ms();
    CHECK(record_open(&o, &r, &fault) == 0);
    CHECK_MSG(append(r, "s", "x", 1, &fault) == -EHOSTUNREACH, "%s", fault.text);
    CHECK_MSG(strstr(fault.text, "/nowhere") && !strstr(fault.text, "secret"), "%s", fault.text);
    CHECK(clock_ms() - start < 2000);
    record_close(r);
}

static int each_row(const struct backend_row *row, void *arg)
{
    (void)row, (void)arg;
    return 0;
}

TEST(each_reading_call_tells_of_a_server_that_is_not_there)
{
    struct backend *b = NULL;
    struct backend_head head;
    struct backend_variant variant;
    const uint8_t hash[SHA256_LEN] = {0};
    void *data = NULL;
    size_t len;
    int64_t seq;
    struct record_options o = {.where = "postgresql:///x?host=/nowhere", .folder = "", .derive = derive};
    CHECK(backend_postgres.open(&o, &patient, &b, NULL) == 0);
    CHECK(backend_postgres.head(b, "s", &head, NULL) == -EHOSTUNREACH);
    CHECK(backend_postgres.rows(b, 1, 1, each_row, NULL, NULL) == -EHOSTUNREACH);
    CHECK(backend_postgres.blob(b, hash, &data, &len, NULL) == -EHOSTUNREACH);
    CHECK(backend_postgres.variant(b, hash, "spec", &variant, NULL) == -EHOSTUNREACH);
    CHECK(backend_postgres.find_mark(b, 1, "m", &seq, NULL) == -EHOSTUNREACH);
    backend_postgres.close(b);
}

TEST(a_silent_server_is_left_when_the_cancel_strikes)
{
    char folder[64], where[128];
    int fd = -1;
    struct record *r = NULL;
    struct fovea_fault fault = {0};
    fovea_cancel *cancel = NULL;
    pthread_t thread;
    CHECK(silent_server(folder, &fd) == 0 && fovea_cancel_new(&cancel, &fault) == 0);
    snprintf(where, sizeof where, "postgresql:///x?host=%s", folder);
    struct record_options o = {.where = where, .folder = "", .derive = derive};
    CHECK(record_open(&o, &r, &fault) == 0);
    record_cancel(r, cancel);
    CHECK(pthread_create(&thread, NULL, strike, cancel) == 0);
    int64_t start = clock_ms();
    CHECK_MSG(append(r, "s", "x", 1, &fault) == -ECANCELED, "%s", fault.text);
    CHECK(clock_ms() - start < 2000);
    (void)pthread_join(thread, NULL);
    record_cancel(r, NULL);
    record_close(r);
    fovea_cancel_free(cancel);
    remove_server(folder, fd);
}

/* ---------------------------------------------------------------- with a server */

static const char *store(void)
{
    const char *where = getenv("FOVEA_TEST_STORE");
    return where && !strncmp(where, "postgresql:", 11) ? where : NULL;
}

TEST(waiting_for_another_writer_ends_when_the_cancel_strikes)
{
    struct record *r = NULL;
    struct backend *other = NULL;
    struct backend_head head;
    struct fovea_fault fault = {0};
    fovea_cancel *cancel = NULL;
    pthread_t thread;
    if (!store())
        SKIP("tests/record has a server");
    CHECK(fovea_cancel_new(&cancel, &fault) == 0);
    struct record_options o = {.where = store(), .folder = "", .derive = derive};
    CHECK(record_open(&o, &r, &fault) == 0);
    record_cancel(r, cancel);
    CHECK_MSG(append(r, "held", "x", 1, &fault) == 0, "%s", fault.text);
    CHECK(backend_postgres.open(&o, &patient, &other, &fault) == 0);
    CHECK_MSG(backend_postgres.begin(other, "held", true, &head, &fault) == 0, "%s", fault.text);
    CHECK(pthread_create(&thread, NULL, strike, cancel) == 0);
    int64_t start = clock_ms();
    CHECK_MSG(append(r, "held", "y", 1, &fault) == -ECANCELED, "%s", fault.text);
    CHECK(clock_ms() - start < 2000);
    (void)pthread_join(thread, NULL);
    CHECK(backend_postgres.end(other, -ECANCELED, &fault) == -ECANCELED);
    fovea_cancel_reset(cancel);
    CHECK_MSG(append(r, "held", "z", 1, &fault) == 0, "%s", fault.text);
    backend_postgres.close(other);
    record_cancel(r, NULL);
    record_close(r);
    fovea_cancel_free(cancel);
}

enum { BLOB = 40000 };

/* Each further call says that it is lost, and the next transaction is on a connection of its own. */
TEST(a_connection_lost_between_two_writes_is_told_of_until_the_end)
{
    static char data[BLOB] = "lost";
    struct backend *b = NULL;
    struct backend_head head;
    struct fovea_fault fault = {0};
    struct record_blob blob = {.data = data, .len = BLOB};
    if (!store())
        SKIP("tests/record has a server");
    sha256(data, BLOB, blob.sha256);
    struct record_options o = {.where = store(), .folder = "", .derive = derive};
    CHECK(backend_postgres.open(&o, &patient, &b, &fault) == 0);
    CHECK_MSG(backend_postgres.begin(b, "lost", true, &head, &fault) == 0, "%s", fault.text);
    CHECK(shutdown(b->link.pq->PQsocket(b->link.conn), SHUT_RDWR) == 0);
    CHECK(backend_postgres.put_blob(b, &blob, &fault) == -EHOSTDOWN);
    CHECK(backend_postgres.set_head(b, head.id, &(struct record_point){.seq = 1}, &fault) == -EHOSTDOWN);
    CHECK(backend_postgres.end(b, -EHOSTDOWN, &fault) == -EHOSTDOWN);
    CHECK_MSG(backend_postgres.begin(b, "lost", true, &head, &fault) == 0, "%s", fault.text);
    CHECK_MSG(backend_postgres.put_blob(b, &blob, &fault) == 0, "%s", fault.text);
    CHECK_MSG(backend_postgres.end(b, 0, &fault) == 0, "%s", fault.text);
    backend_postgres.close(b);
}

struct crossing {
    pthread_barrier_t *both;
    const char *session;
    struct record_blob first, second;
    int code;
    char words[256];
};

/* The key is asked for so that the first blob is with the server before the second is sent. */
static void *cross(void *arg)
{
    struct crossing *c = arg;
    struct record_options o = {.where = store(), .folder = "", .derive = derive};
    struct backend *b = NULL;
    struct backend_head head;
    struct fovea_fault fault = {0};
    int64_t seq;
    c->code = backend_postgres.open(&o, &patient, &b, &fault);
    if (c->code == 0 && (c->code = backend_postgres.begin(b, c->session, true, &head, &fault)) == 0) {
        c->code = backend_postgres.put_blob(b, &c->first, &fault);
        (void)backend_postgres.find_key(b, head.id, "none", &seq, &fault);
        (void)pthread_barrier_wait(c->both);
        if (c->code == 0)
            c->code = backend_postgres.put_blob(b, &c->second, &fault);
        c->code = backend_postgres.end(b, c->code, &fault);
    }
    (void)snprintf(c->words, sizeof c->words, "%s", fault.text);
    backend_postgres.close(b);
    return NULL;
}

TEST(of_two_writers_that_wait_for_each_other_one_is_told_to_begin_again)
{
    static char one[BLOB], two[BLOB] = "2";
    struct record_blob a = {.data = one, .len = BLOB}, b = {.data = two, .len = BLOB};
    struct crossing c[] = {{.session = "cross-1", .first = a, .second = b}, {.session = "cross-2", .first = b, .second = a}};
    pthread_barrier_t both;
    pthread_t threads[2];
    if (!store())
        SKIP("tests/record has a server");
    sha256(one, BLOB, c[0].first.sha256);
    sha256(two, BLOB, c[0].second.sha256);
    memcpy(c[1].first.sha256, c[0].second.sha256, SHA256_LEN);
    memcpy(c[1].second.sha256, c[0].first.sha256, SHA256_LEN);
    (void)pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++) {
        c[i].both = &both;
        CHECK(pthread_create(&threads[i], NULL, cross, &c[i]) == 0);
    }
    for (int i = 0; i < 2; i++)
        (void)pthread_join(threads[i], NULL);
    (void)pthread_barrier_destroy(&both);
    CHECK_MSG((c[0].code == 0 && c[1].code == -EHOSTDOWN) || (c[1].code == 0 && c[0].code == -EHOSTDOWN), "%d %s, %d %s",
              c[0].code, c[0].words, c[1].code, c[1].words);
}

enum { LARGE = 1 << 20, MANY = 40 };

static int count(const struct record_entry *e, void *arg)
{
    (void)e;
    ++*(int *)arg;
    return 0;
}

TEST(a_long_session_is_read_in_bounded_memory)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
    SKIP("a sanitized build holds other amounts of memory, and clang does not say that it is one");
#endif
    struct record *r = NULL;
    struct fovea_fault fault = {0};
    struct record_point at = {0};
    struct rusage before, after;
    int seen = 0;
    if (!store())
        SKIP("tests/record has a server");
    struct record_options o = {.where = store(), .folder = "", .derive = derive};
    CHECK(record_open(&o, &r, &fault) == 0);
    char *body = malloc(LARGE);
    for (int i = 0; body && i < MANY; i++) {
        for (size_t j = 0; j < LARGE; j++)
            body[j] = (char)((j * 2654435761u + (unsigned)i) >> 13 | 1); /* no NUL */
        CHECK_MSG(append(r, "long", body, LARGE, &fault) == 0, "%s", fault.text);
    }
    free(body);
    (void)getrusage(RUSAGE_SELF, &before);
    CHECK_MSG(record_read(r, "long", &at, count, &seen, &fault) == 0, "%s", fault.text);
    (void)getrusage(RUSAGE_SELF, &after);
    CHECK_MSG(seen == MANY, "%d", seen);
    CHECK_MSG(after.ru_maxrss - before.ru_maxrss < 16 * 1024, "%ld KiB more", after.ru_maxrss - before.ru_maxrss);
    record_close(r);
}
