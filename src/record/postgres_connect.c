/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making the connection. A server that was there before, or says that it starts, is waited for: it may be restarting, and who
 * appends wants to know what became of the entries. Any other is told of at once. Looking a name up is libpq's own and lasts as
 * long as the system's resolver does; everything else here has its clock and the cancel.
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

/* ---------------------------------------------------------------- the address */

static const char *option(const PQconninfoOption *options, const char *name)
{
    for (; options->keyword; options++)
        if (!strcmp(options->keyword, name))
            return options->val;
    return NULL;
}

static int keep_option(char **to, const char *value)
{
    return !value || (*to = strdup(value)) ? 0 : -ENOMEM;
}

static int keep_options(struct pg_link *l, const PQconninfoOption *options, struct fovea_fault *fault)
{
    auto_buf place = BUF_INIT(LIMIT_PG_URL);
    const char *host = option(options, "host"), *database = option(options, "dbname");
    host = host ? host : option(options, "hostaddr");
    (void)buf_add_shown(&place, host ? host : "this machine", 100);
    (void)buf_add_str(&place, database ? "/" : "");
    (void)buf_add_shown(&place, database ? database : "", 64);
    l->place = buf_take(&place);
    if (!l->place || keep_option(&l->secrets[0], option(options, "password")) < 0 ||
        keep_option(&l->secrets[1], option(options, "sslpassword")) < 0)
        return fault_oom(fault);
    return 0;
}

/* libpq's words on an address that it cannot read may show a password: they are not passed on. */
int pg_link_init(struct pg_link *l, const char *url, const fovea_cancel *cancel, struct fovea_fault *fault)
{
    *l = (struct pg_link){.pq = pq_load(), .cancel = cancel};
    if (!l->pq)
        return fault_set(fault, ENOSYS, "a record in PostgreSQL needs libpq 14 or later: install libpq5");
    char *words = NULL;
    PQconninfoOption *options = strlen(url) < LIMIT_PG_URL ? l->pq->PQconninfoParse(url, &words) : NULL;
    l->pq->PQfreemem(words);
    if (!options)
        return fault_set(fault, EINVAL, "record.store is no address that PostgreSQL takes: "
                                        "postgresql://USER@HOST:PORT/DATABASE, with %%XX for what is special in a part");
    int r = keep_options(l, options, fault);
    l->pq->PQconninfoFree(options);
    if (r == 0 && !(l->url = strdup(url)))
        r = fault_oom(fault);
    if (r < 0)
        pg_link_done(l);
    return r;
}

void pg_link_done(struct pg_link *l)
{
    pg_hang_up(l);
    free(take(l->url));
    free(take(l->place));
    for (size_t i = 0; i < COUNT(l->secrets); i++) {
        if (l->secrets[i])
            explicit_bzero(l->secrets[i], strlen(l->secrets[i]));
        free(take(l->secrets[i]));
    }
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
    const char *const values[] = {"fovea", "5", "5", "2", dead, l->url, "UTF8", NULL};
    return l->pq->PQconnectStartParams(names, values, 1);
}

/* -ETIMEDOUT, -ECANCELED, or 0 when libpq may look again. */
static int wait_connect(const struct pg_link *l, PostgresPollingStatusType want, int64_t deadline)
{
    struct pollfd fds[] = {
        {.fd = l->pq->PQsocket(l->conn), .events = want == PGRES_POLLING_WRITING ? POLLOUT : POLLIN},
        {.fd = cancel_fd(l->cancel), .events = POLLIN},
    };
    int n = poll(fds, COUNT(fds), clock_left(deadline));
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
    if (now == PGRES_POLLING_FAILED || l->pq->PQsetnonblocking(l->conn, 1) || !l->pq->PQenterPipelineMode(l->conn))
        return -EHOSTUNREACH;
    return 0;
}

/* ---------------------------------------------------------------- until it is there */

static int nap(const struct pg_link *l, int ms)
{
    struct pollfd fd = {.fd = cancel_fd(l->cancel), .events = POLLIN};
    return poll(&fd, 1, ms) > 0 ? -ECANCELED : 0;
}

/* A setting of ours for as long as the connection lasts; an empty search path leaves only the server's own functions. */
static int set_up(struct pg_link *l, struct fovea_fault *fault)
{
    char wait[16], idle[16];
    (void)snprintf(wait, sizeof wait, "%d", LIMIT_RECORD_WAIT_MS);
    (void)snprintf(idle, sizeof idle, "%d", LIMIT_PG_IDLE_MS);
    return pg_ask(l, "SELECT set_config('search_path', '', false), set_config('lock_timeout', $1, false), "
                     "set_config('idle_in_transaction_session_timeout', $2, false), "
                     "set_config('client_min_messages', 'warning', false)",
                  PG_VALUES(PG_TEXT(wait), PG_TEXT(idle)), NULL, fault);
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
    int64_t until = clock_ms() + LIMIT_PG_BACK_MS;
    int wait = LIMIT_PG_NAP_MS;
    if (l->conn)
        return 0;
    for (;;) {
        int code = try_once(l, clock_ms() + LIMIT_PG_CONNECT_MS);
        if (code == 0)
            break;
        int r = fault_of_try(l, code, fault);
        bool again = r == -EHOSTUNREACH && (l->known || pg_soon(l)) && clock_left(until) > wait;
        pg_hang_up(l);
        if (!again)
            return r;
        if (nap(l, wait) < 0)
            return fault_cancelled(fault);
        wait = MIN(2 * wait, LIMIT_PG_NAP_MAX_MS);
    }
    int r = set_up(l, fault);
    if (r < 0)
        pg_hang_up(l);
    else
        l->known = true;
    return r;
}
