/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What asking cost, and answers that are known already: two SQLite files, shared by all processes of a user. Money is
 * state and stays; answers are a cache, bounded and forgotten at will. Nothing is opened before it is needed. Any thread.
 */
#ifndef FOVEA_LEDGER_H
#define FOVEA_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"
#include "fovea.h"

struct ledger;

struct ledger_options {
    const char *state_dir; /* of usage.db; made 0700 when needed; NULL or "": there is no home, nothing can be kept */
    const char *cache_dir; /* of answers.db; likewise */
    uint64_t cache_bytes;  /* ceiling of the answers; 0: none are kept */
};
/* -ENOMEM */
int ledger_new(const struct ledger_options *o, struct ledger **ret, struct fovea_fault *fault);
void ledger_free(struct ledger *l);

/* ---------------------------------------------------------------- money */

/* One question to a model, with all its turns. */
struct ledger_entry {
    const char *session; /* "" for none */
    const char *tool, *provider, *model;
    int64_t at;          /* seconds since the epoch */
    int64_t input, cache_read, cache_write, output; /* tokens */
    int64_t nano;        /* dollars; below 0 not known */
    bool failed;
};
/* Durable against the end of the process when it returns. Tokens below 0 count as none. Faults: -ENOENT without a home,
 * -EPERM for a folder that others own or can write in and for a file that is not ours, -EACCES for what cannot be written,
 * -EUCLEAN for a damaged file, -ENOTSUP for one of a newer version, -EBUSY within LIMIT_LEDGER_BUSY_MS, -EOVERFLOW (then
 * nothing was added), or what the disk says. */
int ledger_add(struct ledger *l, const struct ledger_entry *e, struct fovea_fault *fault);

/* What was spent since then (seconds since the epoch; 0: ever), in a session or (NULL) in all. What has no price is not in
 * it. Quick however much there is, where since is 0 or the start of a day (UTC). Faults as above; no file is nothing spent. */
int ledger_spent(struct ledger *l, const char *session, int64_t since, int64_t *ret_nano, struct fovea_fault *fault);

enum ledger_by { LEDGER_BY_SESSION, LEDGER_BY_MODEL, LEDGER_BY_DAY, LEDGER_BY_TOTAL };

/* What is known of all calls of one session, model or day; or of all ("total"). */
struct ledger_sum {
    const char *name;
    int64_t calls, failed;
    int64_t input, output; /* tokens; input with those of the vendor's cache */
    int64_t nano;          /* dollars, of those whose price is known */
    int64_t unpriced;      /* calls whose price is not */
};
/* Tells them, the latest first; tell must not use the ledger. -EOVERFLOW when a sum is past int64_t. */
int ledger_each(struct ledger *l, enum ledger_by by, int64_t since,
                void (*tell)(const struct ledger_sum *row, void *arg), void *arg, struct fovea_fault *fault);

/* ---------------------------------------------------------------- answers */

/* 0 with the text that was kept (the caller frees), -ENOENT when there is none, or when the store fails: a cache that
 * cannot be read is an empty one. */
int answers_find(struct ledger *l, const uint8_t key[SHA256_LEN], char **ret);
/* Keeps a copy; the least recently used go when there are too many. A store that fails keeps nothing, without a word; nor
 * is a text kept that is longer than LIMIT_KEPT_ANSWER or has a NUL inside. */
void answers_keep(struct ledger *l, const uint8_t key[SHA256_LEN], const char *text, size_t len);
int answers_clear(struct ledger *l, int64_t *ret_count, struct fovea_fault *fault);

#endif
