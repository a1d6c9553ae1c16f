/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a PostgreSQL server or libpq says, as our faults. Their words are shown so that they cannot act, on one line, and
 * without the passwords of the address. What a new try may mend counts as a lost connection: the record begins again.
 */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/text.h"
#include "record/postgres_link.h"

#define MASK "[redacted]"

/* The first that fits; a class has two letters. */
static const struct {
    const char *state;
    int error;
    const char *words;
} states[] = {
    {"08", EHOSTDOWN, "the connection was lost"},
    {"57P", EHOSTDOWN, "the server ended the connection"},
    {"40", EHOSTDOWN, "two writers stood in each other's way"}, /* undone by the server, never half done */
    {"25P03", EHOSTDOWN, "the server ended the connection"},
    {"55P03", EBUSY, "another program writes for too long: try again"},
    {"57014", EBUSY, "the server gave up"},
    {"53100", ENOSPC, "the server's disk is full"},
    {"53300", EBUSY, "the server has too many connections"},
    {"58", EIO, "the server cannot read or write"},
    {"28", EACCES, "the server refuses the user"},
    {"42501", EACCES, "the server denies the rights"},
    {"25006", EROFS, "the server can only be read"},
    {"23505", EBADMSG, "what is stored is damaged: check the record"},
    {"XX00", EBADMSG, "what is stored is damaged"},
    {"42P01", EBADMSG, "the tables are not those of a record"},
    {"42703", EBADMSG, "the tables are not those of a record"},
    {"3F000", EBADMSG, "the tables are not those of a record"},
    {"", EIO, "the server refuses"},
};

static void add_masked(struct buf *to, const char *words, const char *secret)
{
    size_t len = secret ? strlen(secret) : 0;
    for (const char *hit; len && (hit = strstr(words, secret)); words = hit + len) {
        (void)buf_add(to, words, (size_t)(hit - words));
        (void)buf_add_str(to, MASK);
    }
    (void)buf_add_str(to, words);
}

/* The first line without secrets; "" when memory is short, or there are no words. The longer secret goes first: the other may
 * be a part of it. */
static void add_words(struct buf *to, const struct pg_link *l, const char *words)
{
    auto_buf line = BUF_INIT(16 * KIB), once = BUF_INIT(32 * KIB), twice = BUF_INIT(64 * KIB), thrice = BUF_INIT(64 * KIB);
    const char *first = l->secrets[0], *second = l->secrets[1], *used = l->pq->PQpass(l->conn);
    if (first && second && strlen(second) > strlen(first)) {
        first = l->secrets[1];
        second = l->secrets[0];
    }
    (void)buf_add(&line, words, MIN(strcspn(words, "\n"), 4 * KIB));
    add_masked(&once, line.data ? line.data : "", first);
    add_masked(&twice, once.data ? once.data : "", second);
    add_masked(&thrice, twice.data ? twice.data : "", used);
    if (line.error || once.error || twice.error || thrice.error || !thrice.len)
        return;
    (void)buf_add_str(to, ": ");
    (void)buf_add_shown(to, thrice.data, LIMIT_PG_WORDS);
}

static int say(const struct pg_link *l, int error, const char *what, const char *words, struct fovea_fault *fault)
{
    auto_buf theirs = BUF_INIT(8 * KIB);
    add_words(&theirs, l, words ? words : "");
    return fault_set(fault, error, "the record in PostgreSQL at \"%s\": %s%s", l->place, what, theirs.len ? theirs.data : "");
}

int pg_fault(struct pg_link *l, const PGresult *res, struct fovea_fault *fault)
{
    const char *state = l->pq->PQresultErrorField(res, PG_DIAG_SQLSTATE);
    const char *words = l->pq->PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY);
    size_t i = 0;
    if (!state)
        return pg_fault_lost(l, fault);
    while (strncmp(state, states[i].state, strlen(states[i].state)))
        i++;
    return say(l, states[i].error, states[i].words, words, fault);
}

int pg_fault_lost(struct pg_link *l, struct fovea_fault *fault)
{
    return say(l, EHOSTDOWN, "the connection was lost", l->pq->PQerrorMessage(l->conn), fault);
}

/* libpq gives no code of why it could not connect, only words, which a server may say in its own language: those that are not
 * known end the try a little early, that is all. */
bool pg_soon(const struct pg_link *l)
{
    static const char *const words[] = {"starting up", "shutting down", "recovery mode", "not yet accepting"};
    const char *said = l->pq->PQerrorMessage(l->conn);
    for (size_t i = 0; i < COUNT(words); i++)
        if (strstr(said, words[i]))
            return true;
    return false;
}

int pg_fault_connect(struct pg_link *l, struct fovea_fault *fault)
{
    bool user = l->pq->PQconnectionNeedsPassword(l->conn) || l->pq->PQconnectionUsedPassword(l->conn);
    return say(l, user ? EACCES : EHOSTUNREACH, user ? "the server refuses the user" : "cannot be reached",
               l->pq->PQerrorMessage(l->conn), fault);
}
