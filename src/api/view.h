/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One view under way, for those who ask a model about what a view would show, and for the files that make it: view.c (the order
 * of things), view_open.c (getting the source), view_kinds.c (what each kind of source has), view_insets.c (images within
 * Markdown), view_against.c (comparisons), view_outcome.c (refusals) and view_perceive.c (the result).
 */
#ifndef FOVEA_VIEW_H
#define FOVEA_VIEW_H

#include <string.h>

#include "api/call.h"
#include "base/fault.h"
#include "source/fetch.h"
#include "source/sniff.h"

struct view_job {
    const struct call *call;
    const struct fovea_view_request *request;
    struct fovea_fault *fault;
    fovea_result *result;
    uint64_t cap;   /* bytes of the source ... */
    uint64_t video_cap; /* ... unless it is a video, where this is more */
    bool is_video;      /* a look at its first bytes said so, where they decided which of the two holds */
    bool given;     /* the snapshot is there already, of bytes that came without a file */
    bool literal;   /* view:ID is a file name like any other */
    bool no_webp;   /* whoever gets the picture takes none */
    bool no_gif;    /* likewise */
    bool bitmaps_only; /* nothing is drawn for it, so no renderer need be started */
    bool nameless;  /* its note speaks of the picture and no file, and of no model: whoever asks keeps it for others */
    bool renews;    /* an earlier view is made again as it was: whoever asks about it has no use for one that is small */
    bool compares;  /* also where it compares two sources: others have use for but one */
    const struct view_memory *pair; /* it is the other source of this comparison, which is made again; NULL: of none */
    const char *question; /* that the host's own model is to answer from it; NULL none */

    const char *ref;             /* what to open: the request's path, or that of an earlier view */
    bool from_record;            /* its bytes were taken from there, */
    bool other_from_record;      /* and those of what it is compared with */
    bool fetched;                /* it is a URL; a view of one that is recalled is fetched again */
    const char *model;           /* whom to fit it to: the request's, else the session's main; NULL not known */
    struct fovea_view_request redo; /* the request, with what it leaves to the earlier view that it names */
    struct view_memory earlier;  /* the view that path names; ref NULL when it names none */
    struct view_memory measured; /* the view that the region was measured in; likewise */
    struct ref_variants variants;
    struct snapshot snapshot;
    struct sniff sniff;
    struct work_request work;
    bool sheet, timed;  /* a contact sheet, or the frame at work.time_ms, is asked for */
    int other;          /* what goes to the worker besides the source, where work.other_len is not 0 */
    bool joined;        /* other_sha256 is of more that the pixels depend on */
    uint8_t other_sha256[SHA256_LEN];
    struct difference difference; /* of a comparison, which output shows */
    int64_t until;      /* clock_ms() by which it is to be drawn; 0: nothing was done for it yet */
    enum pool_end end;
    struct pool_output output;
    uint8_t sha256[SHA256_LEN];
    enum snapshot_verdict verdict; /* of taking it */
    enum net_reason net;           /* of fetching it, where it was */
    char net_words[FETCH_WORDS];
    bool hashed;    /* sha256 was tried, and this is what came of it: */
    int hash_error; /* 0 or a negative errno */
};

/* A step returns 0 to go on, 1 when the result is settled, or a fault. */
static inline int view_settle(struct view_job *j, fovea_result *result)
{
    j->result = result;
    return result ? 1 : fault_oom(j->fault);
}

typedef int view_step(struct view_job *j);
int view_steps(struct view_job *j, view_step *const *steps); /* NULL ends them; a cancel is looked for between two */

/*
 * The three parts of a view, in this order. Opened: the source's bytes are in the snapshot and sniffed. Planned: it can be
 * shown, and work says how. Shown: result is a perception. Each returns 0 to go on, 1 with a refusal in result (shown: with
 * the perception too), or a fault. The caller has filled call, request, fault and cap, and snapshot.fd with -1.
 */
int view_open(struct view_job *j);
int view_plan(struct view_job *j);
int view_show(struct view_job *j);
void view_job_done(struct view_job *j); /* frees all but the result */

/* Milliseconds that a worker may still take for it: view.timeoutMs, less what its images took. */
int view_time_left(const struct view_job *j);

/* What a snapshot is, by its bytes. 0 or a fault. */
int view_sniff(const struct snapshot *s, struct sniff *ret, struct fovea_fault *fault);

/* The source's hash, known from here on. 0 or a fault. */
int view_hash(struct view_job *j);

/* After the worker: the file must be the one that earlier views showed; refuses what the worker could not show; else
 * makes the perception and remembers it. */
int view_same_source(struct view_job *j);
view_step view_refuse_end; /* the worker did not end as it should, or said that it cannot be shown */
int view_outcome(struct view_job *j);
int view_perceive(struct view_job *j);

/* Text that was seen before is laid out as it was, whatever the limits are by now: its pages stay its pages. A tile is that tile
 * again where they are the same. */
void view_layout(struct view_job *j);

/* What a comparison is known by, of the one that is compared with. */
int view_other(struct view_job *j, const struct view_job *other, const struct work_reply *reply);

/* Whether pictures are shown at all, and URLs fetched. */
view_step view_allowed;

/* Kinds of sources (view_kinds.c). Before anything is opened: what never goes together. Then, as mere guesses by the name:
 * which program to start, and whether text is Markdown. Then: may it be drawn, and has it what the request names. */
view_step view_combines;
enum program_id view_program_by_name(const char *name);
bool view_is_markdown_name(const char *name);
bool view_promises_pixels(const char *name);
void view_prepare(const struct view_job *j); /* starts the program that its name calls for, where it may be needed */
view_step view_may_draw;
view_step view_choose;
view_step view_shown_right; /* after the worker: what was asked for only made sense of another kind of source */
enum view_part { PART_PAGE, PART_FRAME, PART_TIME };
bool view_has_parts(const struct view_job *j, enum view_part part); /* it may; tiles are no pages here */

/* The images that a Markdown shows, for the program that draws it (view_insets.c). */
view_step view_insets;

/* How the source differs from the one that the request's `against` names (view_against.c): output is the picture of that, or of
 * equal ones none. */
view_step view_against;

static inline bool view_is_full(const struct fovea_view_request *q)
{
    return q->detail && !strcmp(q->detail, "full");
}

/* What a source is called in a note; NULL when out of memory. */
char *view_name_new(const struct view_job *j, const char *path);

#endif
