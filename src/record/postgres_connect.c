/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making the connection. A server that says that it starts is waited for; any other is told of at once (the record tries again
 * when there was one before). Looking a name up is libpq's own and lasts as long as the system's resolver does; everything
 * else here has its clock and the cancel.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/buf.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/text.h"
#include "record/postgres_link.h"

#define KEEPALIVE_S "5" /* of a line that says nothing, and between two looks at it */
#define KEEPALIVES "2"  /* without an answer */

/* ---------------------------------------------------------------- the address */

static const char *option(const PQconninfoOption *options, const char *name)
{
    for (; options->keyword; options++) /* never: libpq 14 has all that are asked for */
        if (!strcmp(options->keyword, name))
            return options->val;
    return NULL;
}

static void forget(char **secret)
{
    if (*secret)
        explicit_bzero(*secret, strlen(*secret));
    free(take(*secret));
}

static int keep_option(char **to, const char *value)
{
    forget(to);
    return !value || (*to = strdup(value)) ? 0 : -ENOMEM;
}

static int keep_options(struct pg_link *l, const PQconninfoOption *options, struct fovea_fault *fault)
{
    auto_buf place = BUF_INIT(2 * LIMIT_PG_URL);
    const char *host = option(options, "host"), *database = option(options, "dbname");
    host = host ? host : option(options, "hostaddr");
    (void)buf_add_shown(&place, host ? host : "this machine", 100);
    (void)buf_add_str(&place, database ? "/" : "");
    (void)buf_add_shown(&place, database ? database : "", 64);
    free(l->place);
    l->place = buf_take(&place);
    if (!l->place || keep_option(&l->secrets[0], option(options, "password")) < 0 ||
        keep_option(&l->secrets[1], option(options, "sslpassword")) < 0)
        return fault_oom(fault);
    for (size_t i = 0; i < COUNT(l->secrets); i++) /* one that is also a name is not told as that */
        if (l->secrets[i] && *l->secrets[i] && strstr(l->place, l->secrets[i]))
            l->place[0] = '\0';
    return 0;
}

static int fault_address(struct fovea_fault *fault)
{
    return fault_set(fault, EINVAL, "record.store is no address that PostgreSQL takes: postgresql://USER@HOST:PORT/DATABASE, "
                                    "with %%XX for what is special in a part");
}

/* A password with a bare '@' or '/' in it would be taken for a host or a database, and shown as such. */
static bool ambiguous(const char *url)
{
    const char *start = strstr(url, "//");
    start = start ? start + 2 : url;
    size_t whole = strcspn(start, "?");
    const char *first = memchr(start, '@', whole), *slash = memchr(start, '/', whole);
    return first && (memchr(first + 1, '@', whole - (size_t)(first + 1 - start)) || (slash && slash < first));
}

/* The library is loaded here, not before: most runs of a program that may use a record do not. libpq's words on an address that
 * it cannot read may show a password: they are not passed on. */
static int prepare(struct pg_link *l, struct fovea_fault *fault)
{
    const struct pq_table *pq = pq_load();
    char *words = NULL; /* libpq sets it each time */
    if (!pq)
        return fault_set(fault, ENOSYS, "a record in PostgreSQL needs libpq 14 or later: install libpq5");
    PQconninfoOption *options = NULL;
    bool wrong = ambiguous(l->url), clear = !wrong;
    /* Twice, since want of memory is words too, in anyone's language; none at all when there is no memory for them either. */
    for (int i = 0; clear && i < 2 && !options; i++) {
        options = pq->PQconninfoParse(l->url, &words);
        wrong = words;
        pq->PQfreemem(take(words));
    }
    if (!options)
        return wrong ? fault_address(fault) : fault_oom(fault);
    int r = keep_options(l, options, fault);
    pq->PQconninfoFree(options);
    if (r == 0)
        l->pq = pq;
    return r;
}

int pg_link_init(struct pg_link *l, const char *url, const struct backend_wait *wait, struct fovea_fault *fault)
{
    *l = (struct pg_link){.wait = wait};
    if (strlen(url) > LIMIT_PG_URL)
        return fault_set(fault, EINVAL, "record.store is longer than %d bytes", LIMIT_PG_URL);
    l->url = strdup(url);
    return l->url ? 0 : fault_oom(fault);
}

void pg_link_done(struct pg_link *l)
{
    pg_hang_up(l);
    free(take(l->place));
    forget(&l->url);
    for (size_t i = 0; i < COUNT(l->secrets); i++)
        forget(&l->secrets[i]);
}

/* ---------------------------------------------------------------- one try */

/* What a server remarks is not for anybody's terminal. */
static void hear_nothing(void *arg, const char *words)
{
    (void)arg;
    (void)words;
}

/* What stands before the address gives way to it. */
static PGconn *start(const struct pg_link *l)
{
    char dead[16];
    (void)snprintf(dead, sizeof dead, "%d", LIMIT_PG_DEAD_MS);
    const char *const names[] = {"fallback_application_name", "keepalives_idle", "keepalives_interval", "keepalives_count",
                                 "tcp_user_timeout", "dbname", "client_encoding", NULL};
    const char *const values[] = {"fovea", KEEPALIVE_S, KEEPALIVE_S, KEEPALIVES, dead, l->url, "UTF8", NULL};
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): prepare sets it or fails, and a fault is never 0 */
    return l->pq->PQconnectStartParams(names, values, 1);
}

/* -ETIMEDOUT, -ECANCELED, or 0 when libpq may look again. */
static int wait_connect(const struct pg_link *l, PostgresPollingStatusType want, int64_t deadline)
{
    struct pollfd fds[] = {
        {.fd = l->pq->PQsocket(l->conn), .events = want == PGRES_POLLING_WRITING ? POLLOUT : POLLIN},
        {.fd = cancel_fd(l->wait->cancel), .events = POLLIN},
    };
    int left = clock_left(deadline), n = left ? poll(fds, COUNT(fds), left) : 0;
    if (n < 0 && errno != EINTR)
        return -EHOSTUNREACH;
    if (n > 0 && fds[1].revents)
        return -ECANCELED;
    return n == 0 ? -ETIMEDOUT : 0;
}

/* 0, -ECANCELED, or another below 0: l->conn has the words. */
static int try_once(struct pg_link *l, int64_t deadline)
{
    l->conn = start(l);
    if (!l->conn)
        return -ENOMEM;
    (void)l->pq->PQsetNoticeProcessor(l->conn, hear_nothing, NULL);
    PostgresPollingStatusType now = PGRES_POLLING_WRITING;
    if (l->pq->PQstatus(l->conn) == CONNECTION_BAD)
        return -EHOSTUNREACH;
    while (now != PGRES_POLLING_OK && now != PGRES_POLLING_FAILED) {
        int r = wait_connect(l, now, deadline);
        if (r < 0)
            return r;
        now = l->pq->PQconnectPoll(l->conn);
    }
    if (now == PGRES_POLLING_FAILED)
        return -EHOSTUNREACH;
    bool set = l->pq->PQsetnonblocking(l->conn, 1) == 0 && l->pq->PQenterPipelineMode(l->conn); /* never: it is new, and idle */
    return set ? 0 : -EHOSTUNREACH; /* never: as before */
}

/* ---------------------------------------------------------------- until it is there */

static int nap(const struct pg_link *l, int ms)
{
    struct pollfd fd = {.fd = cancel_fd(l->wait->cancel), .events = POLLIN};
    return poll(&fd, 1, ms) > 0 ? -ECANCELED : 0;
}

/* Settings of ours for as long as the connection lasts. An empty search path leaves only the server's own functions; the
 * server's looks at the line let it notice that we are gone, and give free what we held. */
static int set_up(struct pg_link *l, struct fovea_fault *fault)
{
    char wait[16], idle[16];
    (void)snprintf(wait, sizeof wait, "%d", l->wait->ms);
    (void)snprintf(idle, sizeof idle, "%d", LIMIT_PG_IDLE_MS);
    int r = pg_ask(l, "SELECT set_config('search_path', '', false), set_config('client_min_messages', 'warning', false),"
                      " set_config('lock_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $2, false),"
                      " set_config('tcp_keepalives_idle', '" KEEPALIVE_S "', false),"
                      " set_config('tcp_keepalives_interval', '" KEEPALIVE_S "', false),"
                      " set_config('tcp_keepalives_count', '" KEEPALIVES "', false)",
                   PG_VALUES(PG_TEXT(wait), PG_TEXT(idle)), NULL, fault);
    if (r < 0)
        pg_hang_up(l);
    return r;
}

static int fault_of_try(struct pg_link *l, int code, struct fovea_fault *fault)
{
    int r = code == -ECANCELED ? fault_cancelled(fault)
            : code == -ENOMEM  ? fault_oom(fault)
                               : pg_fault_connect(l, fault);
    if (code == -ETIMEDOUT)
        r = fault_set(fault, EHOSTUNREACH, "the record in PostgreSQL at \"%s\": cannot be reached: no answer within %d s",
                      l->place, LIMIT_PG_CONNECT_MS / 1000);
    return r;
}

int pg_connect(struct pg_link *l, struct fovea_fault *fault)
{
    int64_t until = clock_ms() + l->wait->ms;
    int r = l->conn || l->pq ? 0 : prepare(l, fault);
    for (int wait = LIMIT_PG_NAP_MS; r == 0 && !l->conn; wait = MIN(2 * wait, LIMIT_PG_NAP_MAX_MS)) {
        int code = try_once(l, clock_ms() + LIMIT_PG_CONNECT_MS);
        if (code == 0)
            return set_up(l, fault);
        r = fault_of_try(l, code, fault);
        bool again = r == -EHOSTUNREACH && pg_soon(l) && clock_left(until) > wait;
        pg_hang_up(l);
        if (again)
            r = nap(l, wait) < 0 ? fault_cancelled(fault) : 0;
    }
    return r;
}
