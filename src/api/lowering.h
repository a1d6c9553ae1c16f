/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session on its way to a model: its entries, what was decided of them, and where in the output each group began, so that one
 * more turn costs one more turn. Kept in the session between calls; one thread at a time (struct lowering_slot has the lock).
 */
#ifndef FOVEA_LOWERING_H
#define FOVEA_LOWERING_H

#include <pthread.h>

#include "api/bodies.h"
#include "api/context.h"
#include "lower/id_book.h"
#include "lower/writer.h"
#include "record/record.h"

/* What a lowering is for; two that differ share nothing. */
struct lowering_aim {
    struct target target;
    struct policy policy;
    int64_t at; /* the last turn; 0: all */
};

struct lowering_boundary {
    int64_t seq;
    size_t message, offset;
};

struct lowering {
    fovea *f;
    const char *session; /* borrowed from the session */
    struct lowering_aim aim;
    struct replay *replay;
    struct record_point point; /* up to which the record was read */
    struct bodies bodies;
    struct id_book ids;
    int64_t turn;
    bool past; /* the last turn that is wanted is over */
    struct lowering_pair {
        int64_t seq, part;
    } *repairs; /* every part that a repair is for, of later turns too */
    size_t n_repairs, room_repairs;
    int64_t request, request_written; /* the last `request` entry, and that of what was written last; 0 none */
    struct buf preface;               /* the request's instructions, as an entry, where the wire has them in its array */
    struct lowering_boundary *boundaries; /* of what was written last, rising */
    size_t n_boundaries, room_boundaries;
    bool written; /* to its end */
    struct lowering_fate {
        int64_t seq, part;
        enum fate fate;
    } *fates; /* of the pictures and documents in what was written last, in its order */
    size_t n_fates, room_fates;
    int looks_ms; /* for all pictures of one call that have to be made anew */
    struct entry_room room;
    void *held; /* the picture that is being written */
    char held_type[32];
    struct buf notes; /* what was left out and why: JSON objects, with commas between them */
    size_t n_notes;
};

struct lowering_slot {
    pthread_mutex_t lock;
    struct lowering *now; /* NULL none */
    char *report;         /* of the last lowering; NULL none */
};

int lowering_new(fovea *f, const char *session, const struct lowering_aim *aim, struct lowering **ret,
                 struct fovea_fault *fault);
void lowering_free(struct lowering *l);

/* Takes in what was appended since, and decides for a request now. -ENOENT: there is no such session. */
int lowering_update(struct lowering *l, struct fovea_fault *fault);

/* Sees to it that every other version of a picture which the decisions ask for is in the record. */
int lowering_refit(struct lowering *l, struct fovea_fault *fault);

/* Writes from a boundary on (index into boundaries; SIZE_MAX: from the start). places may be NULL. */
typedef void lowering_place(void *arg, const struct lower_place *place, int64_t seq, size_t part);
struct lowering_output {
    fovea_write *write;
    void *arg;
    lowering_place *place; /* with it, no bytes of pictures are read: what is written is only counted */
    bool as_is;            /* export: nothing elided, nothing made to fit */
    bool full;             /* an envelope stands around it */
};
int lowering_write(struct lowering *l, size_t from, const struct lowering_output *out, struct fovea_fault *fault);

/* The same with all that the request needs around it: {wire, headers, body}. What follows cannot go on from there. */
int lowering_write_full(struct lowering *l, const struct lowering_output *out, struct fovea_fault *fault);

/* One more thing to be told in the report. */
void lowering_note(struct lowering *l, int64_t seq, const char *words);

/* The entry of that number, read into l->room: it lives until the next one is read. */
int lowering_entry(struct lowering *l, int64_t seq, struct entry *ret, struct fovea_fault *fault);

/* What a request asks for, with the session's main model (NULL not known) and the config behind it. */
int lowering_target(const fovea *f, const char *main, const struct fovea_lower_request *request, struct target *ret,
                    struct fovea_fault *fault);
int lowering_aim(fovea_session *s, const struct fovea_lower_request *request, struct lowering_aim *ret,
                 struct fovea_fault *fault);

#endif
