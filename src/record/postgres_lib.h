/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libpq, loaded when a record in PostgreSQL is first used: linking it costs every start of the program, and most records
 * are files. The functions' types come from its header.
 */
#ifndef FOVEA_POSTGRES_LIB_H
#define FOVEA_POSTGRES_LIB_H

#include <libpq-fe.h>

#define PQ_FUNCTIONS(X)                                                                                             \
    X(PQconninfoParse) X(PQconninfoFree) X(PQconnectStartParams) X(PQconnectPoll) X(PQfinish) X(PQstatus)           \
    X(PQsocket) X(PQerrorMessage) X(PQpass) X(PQconnectionNeedsPassword) X(PQconnectionUsedPassword)                \
    X(PQsetNoticeProcessor) X(PQsetnonblocking) X(PQenterPipelineMode) X(PQpipelineSync) X(PQsendQueryParams)       \
    X(PQflush) X(PQconsumeInput) X(PQisBusy) X(PQgetResult) X(PQresultStatus) X(PQresultErrorField)                 \
    X(PQclear) X(PQcmdStatus) X(PQcmdTuples) X(PQntuples) X(PQgetvalue) X(PQgetlength) X(PQgetisnull) X(PQfreemem)

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared cannot stand in parentheses */
#define PQ_DECLARE(name) __typeof__(name) *name;
struct pq_table {
    PQ_FUNCTIONS(PQ_DECLARE)
};

/* NULL when it is not installed, or older than 14 (no pipelines). Stays loaded; any thread may ask. */
const struct pq_table *pq_load(void);

#endif
