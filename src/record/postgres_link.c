/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements and their answers on one connection: see postgres_link.h. libpq never blocks here: bytes go and come when the
 * socket is ready, and we wait for it and for the cancel in one poll().
 */
#include "record/postgres_link.h"

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/limits.h"

enum { PG_VALUES_MAX = 10 }; /* of one statement */

void pg_hang_up(struct pg_link *l)
{
    if (l->conn)
        l->pq->PQfinish(take(l->conn));
    l->queued = l->queued_bytes = 0;
}

/* The connection is of no more use; code says why. */
static int give_up(struct pg_link *l, int code)
{
    pg_hang_up(l);
    return code;
}

static int lost(struct pg_link *l, struct fovea_fault *fault)
{
    return give_up(l, pg_fault_lost(l, fault));
}

/* libpq keeps an answer whole: one without end must not fill the memory. */
static bool is_too_much(struct pg_link *l)
{
    int waiting = 0;
    (void)ioctl(l->pq->PQsocket(l->conn), FIONREAD, &waiting);
    if (waiting > 0)
        l->received += (size_t)waiting;
    return l->received > LIMIT_PG_ANSWER_BYTES;
}

/* 0: the socket is ready for some of the events, or an error waits there. */
static int wait_ready(struct pg_link *l, short events, struct fovea_fault *fault)
{
    int64_t deadline = MIN(l->deadline, clock_ms() + (l->slow ? LIMIT_PG_LONG_MS : LIMIT_PG_SILENT_MS));
    for (;;) {
        struct pollfd fds[] = {{.fd = l->pq->PQsocket(l->conn), .events = events},
                               {.fd = cancel_fd(l->wait->cancel), .events = POLLIN}};
        int left = clock_left(deadline), n = left ? poll(fds, COUNT(fds), left) : 0;
        if (n < 0 && errno != EINTR)
            return lost(l, fault);
        if (n > 0 && fds[1].revents)
            return give_up(l, fault_cancelled(fault));
        if (n > 0 && is_too_much(l))
            return give_up(l, fault_set(fault, EIO, "the record in PostgreSQL at \"%s\": the server says more than it was asked",
                                        l->place));
        if (n > 0)
            return 0;
        if (!clock_left(deadline))
            return give_up(l, fault_set(fault, EHOSTDOWN, "the record in PostgreSQL at \"%s\": the server fell silent", l->place));
    }
}

/* Sends what is in libpq's buffer. What comes meanwhile is taken in, or the server would stop reading. */
static int flush(struct pg_link *l, struct fovea_fault *fault)
{
    for (int r; (r = l->pq->PQflush(l->conn)) != 0;) {
        if (r < 0)
            return lost(l, fault);
        if ((r = wait_ready(l, POLLIN | POLLOUT, fault)) < 0)
            return r;
        if (!l->pq->PQconsumeInput(l->conn))
            return lost(l, fault);
    }
    return 0;
}

/* NULL: the end of one statement's answers. quiet: there has been no error. libpq that has words then, and no answer, had no memory
 * for one, and would wait for ever. */
static int next_result(struct pg_link *l, bool quiet, PGresult **ret, struct fovea_fault *fault)
{
    while (l->pq->PQisBusy(l->conn)) {
        if (quiet && *l->pq->PQerrorMessage(l->conn))
            return lost(l, fault);
        int r = wait_ready(l, POLLIN, fault);
        if (r < 0)
            return r;
        if (!l->pq->PQconsumeInput(l->conn))
            return lost(l, fault);
    }
    *ret = l->pq->PQgetResult(l->conn);
    return 0;
}

static void keep(struct pg_link *l, PGresult **kept, PGresult *res)
{
    l->pq->PQclear(*kept);
    *kept = res;
}

/* All answers up to the sync. The first error is the one that counts: it made the server pass over the rest. */
static int collect(struct pg_link *l, PGresult **kept, struct fovea_fault *fault)
{
    bool quiet = !*l->pq->PQerrorMessage(l->conn);
    for (int code = 0, nothing = 0;;) {
        PGresult *res = NULL;
        bool own;
        int r = next_result(l, quiet && code == 0, &res, fault);
        if (r < 0)
            return r;
        nothing = res ? 0 : nothing + 1;
        if (nothing > 1 || l->pq->PQstatus(l->conn) == CONNECTION_BAD) {
            l->pq->PQclear(res);
            return lost(l, fault);
        }
        switch (res ? l->pq->PQresultStatus(res) : PGRES_PIPELINE_ABORTED) {
        case PGRES_PIPELINE_SYNC:
            l->pq->PQclear(res);
            return code;
        case PGRES_COMMAND_OK:
        case PGRES_TUPLES_OK:
            keep(l, kept, res);
            break;
        case PGRES_PIPELINE_ABORTED:
            l->pq->PQclear(res);
            break;
        default:
            code = code ? code : pg_fault(l, res, fault);
            own = !l->pq->PQresultErrorField(res, PG_DIAG_SQLSTATE);
            l->pq->PQclear(res);
            if (own) /* libpq's, not the server's: after want of memory it never comes to the sync */
                return give_up(l, code);
        }
    }
}

int pg_answer(struct pg_link *l, PGresult **ret, struct fovea_fault *fault)
{
    PGresult *kept = NULL;
    if (!l->conn)
        return fault_set(fault, EHOSTDOWN, "the record in PostgreSQL at \"%s\": the connection was lost", l->place);
    l->deadline = clock_ms() + LIMIT_PG_LONG_MS;
    l->received = 0;
    int r = l->pq->PQpipelineSync(l->conn) ? flush(l, fault) : lost(l, fault);
    if (r == 0)
        r = collect(l, &kept, fault);
    l->queued = l->queued_bytes = 0;
    if (r == 0 && ret)
        *ret = take(kept);
    if (l->pq)
        l->pq->PQclear(kept);
    return r;
}

int pg_send(struct pg_link *l, const char *sql, const struct pg_value *values, size_t n, struct fovea_fault *fault)
{
    Oid types[PG_VALUES_MAX];
    const char *data[PG_VALUES_MAX];
    int lens[PG_VALUES_MAX], formats[PG_VALUES_MAX];
    uint64_t numbers[PG_VALUES_MAX];
    size_t bytes = 0;
    if (!l->conn)
        return fault_set(fault, EHOSTDOWN, "the record in PostgreSQL at \"%s\": the connection was lost", l->place);
    if (n > PG_VALUES_MAX)
        return fault_set(fault, E2BIG, "too many values in one statement");
    for (size_t i = 0; i < n; i++) {
        bool number = values[i].type == PG_TYPE_NUMBER;
        numbers[i] = htobe64((uint64_t)values[i].number);
        types[i] = values[i].type;
        formats[i] = 1;
        data[i] = number ? (const char *)&numbers[i] : values[i].data;
        if (values[i].len > INT_MAX / 2)
            return fault_set(fault, EFBIG, "%zu bytes are too many for one row of a record", values[i].len);
        bytes += values[i].len;
        lens[i] = number ? (int)sizeof numbers[i] : (int)values[i].len;
    }
    if (l->queued >= LIMIT_PG_QUEUE || l->queued_bytes >= LIMIT_PG_QUEUE_BYTES) {
        int r = pg_answer(l, NULL, fault);
        if (r < 0)
            return r;
    }
    l->queued++;
    l->queued_bytes += bytes;
    return l->pq->PQsendQueryParams(l->conn, sql, (int)n, types, data, lens, formats, 1) ? 0 : lost(l, fault);
}

int pg_ask(struct pg_link *l, const char *sql, const struct pg_value *values, size_t n, PGresult **ret,
           struct fovea_fault *fault)
{
    int r = pg_send(l, sql, values, n, fault);
    return r < 0 ? r : pg_answer(l, ret, fault);
}

/* ---------------------------------------------------------------- what is in a result */

int64_t pg_number(const struct pg_link *l, const PGresult *res, int row, int column)
{
    uint64_t n;
    return pg_copy(l, res, row, column, &n, sizeof n) ? (int64_t)be64toh(n) : 0;
}

bool pg_copy(const struct pg_link *l, const PGresult *res, int row, int column, void *to, size_t len)
{
    if (l->pq->PQgetisnull(res, row, column) || (size_t)l->pq->PQgetlength(res, row, column) != len)
        return false;
    memcpy(to, l->pq->PQgetvalue(res, row, column), len);
    return true;
}

const char *pg_text(const struct pg_link *l, const PGresult *res, int row, int column)
{
    const char *text = l->pq->PQgetvalue(res, row, column);
    return text ? text : "";
}
