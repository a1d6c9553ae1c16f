/* SPDX-License-Identifier: Apache-2.0 */
/* Earlier views of one context, by view:ID. The oldest are forgotten when LIMIT_VIEW_HANDLES is reached. */
#ifndef FOVEA_VIEWS_H
#define FOVEA_VIEWS_H

#include <stdbool.h>

#include "percept/result.h"

struct views;

struct view_memory {
    char id[VIEW_ID_LEN + 1];
    char *ref; /* what to open again, or the URL to fetch again: ref_is_url tells. Of one that only the record has: its id */
    bool stored; /* the session's record has the bytes of its source; known of those that it told us of */
    bool nowhere; /* there is no file and no URL, only the record, or it is not to be opened */
    uint8_t sha256[SHA256_LEN];
    uint32_t page, last_page, frame; /* 0: none was named */
    int64_t time_ms;                 /* of a video, if timed */
    int64_t asked_ms;                /* the moment that was named: the frame itself may begin before it */
    bool timed, sheet;
    bool tile; /* page is one of a long picture; other limits cut other tiles, so that only crop tells which */
    struct fit_limits limits; /* what text was laid out by, or tiles were cut by; max_bytes 0: not known */
    uint32_t max_edge;        /* that was asked for; 0: none was */
    bool full;                /* likewise */
    char *model;              /* likewise; NULL: none was */
    struct area crop;
    bool region;
    struct size size; /* as shown */
    char *against;      /* of a comparison: what to open again; NULL: it is none */
    char *against_path; /* where that lies; NULL: it has no file */
    bool other_stored, other_nowhere; /* of it, as stored and nowhere are of the source */
    uint8_t other_sha256[SHA256_LEN];
    struct rect panels[PANELS]; /* of a comparison that differs: where the three pictures lie, */
    double panel_scale[2];      /* and what of the source one of their pixels is */
};
void view_memory_done(struct view_memory *m);

struct views *views_new(void);
void views_free(struct views *v);

/* Remembers; out of memory forgets, which costs no more than a refusal later. */
void views_remember(struct views *v, const struct perception *p, const char *ref);

/* True with a copy (the caller calls view_memory_done) when the id is known. */
bool views_recall(struct views *v, const char *id, struct view_memory *ret);

#endif
