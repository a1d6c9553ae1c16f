/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the PostgreSQL backend share. */
#ifndef FOVEA_POSTGRES_PRIV_H
#define FOVEA_POSTGRES_PRIV_H

#include "record/postgres_link.h"
#include "record/record_backend.h"

struct backend {
    struct pg_link link;
    int64_t version; /* of the tables, as last seen on this connection; 0: there are none */
    bool writing;    /* between begin and end */
    unsigned reading; /* calls that read, one in another, on one snapshot */
};

#define PG_VERSION_OURS 1

/* Connects where needed. 0 with tables of our version; -ENOENT without words: there are none yet, and make is false. */
int pg_ready(struct backend *b, bool make, struct fovea_fault *fault);
int pg_fault_newer(const struct backend *b, struct fovea_fault *fault);

int pg_put_key(struct backend *b, int64_t id, const char *key, int64_t *ret_seq, struct fovea_fault *fault);

#endif
