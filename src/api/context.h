/* SPDX-License-Identifier: Apache-2.0 */
/* What a fovea is made of, for the files of this room. Nothing in it changes after fovea_new but views, pool, cache,
 * discovery, tally, ledger, record and refits, which lock themselves. */
#ifndef FOVEA_CONTEXT_H
#define FOVEA_CONTEXT_H

#include "api/cache.h"
#include "api/config.h"
#include "api/discovery.h"
#include "api/seen.h"
#include "api/tally.h"
#include "api/views.h"
#include "ask/ocr.h"
#include "base/buf.h"
#include "ledger/ledger.h"
#include "record/record.h"
#include "sandbox/programs.h"
#include "source/gate.h"
#include "source/ref.h"
#include "source/snapshot.h"

struct fovea {
    struct config config;
    char *cwd, *home;
    char *beside;   /* the folder of the config file, there or not; "" without a home */
    char *models_file; /* models.yaml; NULL when there is none */
    char *true_cwd; /* cwd free of links */
    uint32_t tools; /* those that there are, by bit: their place in fovea_tools() */
    bool no_webp;
    unsigned render; /* FOVEA_RENDER_ bits that the host grants */
    struct gate *gate;
    struct programs *programs;
    struct pool *pool; /* of fovea-worker; theirs */
    struct ocr *ocr;
    struct views *views;
    struct tally *tally; /* of calls without a session */
    struct asker *asker;
    struct ledger *ledger;
    struct record *record;
    struct cache *cache; /* NULL: every picture is made afresh */
    struct discovery *discovery;
    struct seen *refits; /* versions of pictures whose bytes the record had */
};

/* The refusal for a source that could not be had, in the words that both tools use. NULL when out of memory. */
fovea_result *refuse_source(enum snapshot_verdict verdict, const char *ref, uint64_t size, uint64_t cap,
                            enum reason not_regular);

/* A refusal that opens with the source's name in quotes. NULL when out of memory. */
__attribute__((format(printf, 3, 4))) fovea_result *refuse_named(enum reason reason, const char *ref,
                                                                 const char *format, ...);

/* 20971520 → "20 MiB"; 1234567 → "1.2 MiB". */
void show_bytes(uint64_t bytes, char out[32]);

/* The same of a size and the limit that it is over: in bytes where the shorter words would be alike. */
void show_over(uint64_t size, uint64_t limit, char has[32], char may[32]);

/* Whether a reference is a URL of any scheme but file:, which is a path. */
bool ref_is_url(const char *ref);

/* The absolute path of a spelling that opened, without detours that mean nothing; text that JSON can hold. NULL when out
 * of memory. */
char *absolute_new(const char *spelling);

#endif
