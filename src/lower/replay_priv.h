/* SPDX-License-Identifier: Apache-2.0 */
/* What a replay is made of, for the files replay*.c and policy.c. */
#ifndef FOVEA_REPLAY_PRIV_H
#define FOVEA_REPLAY_PRIV_H

#include "lower/replay.h"

enum {
    PIC_NONE = -1,
    STUB_TOKENS = 45, /* of the words that stand for a picture which is gone; counted as text whether it is or not */
};

/* How a picture is sent: all of it that a decision can change. */
struct sent {
    enum fate fate;
    struct refit refit;
    const char *why;
    struct size size;  /* 0, 0 not known */
    int64_t b64;       /* bytes in the request */
    int64_t tokens;    /* above those of the words that stand for it when it is gone */
    uint8_t level;     /* how often it was made smaller */
};

/* A picture or document of the session. */
struct pic {
    int64_t seq;
    uint32_t part, turn;
    uint8_t sha256[SHA256_LEN];
    bool stored, image, viewable; /* viewable: it can be seen again, so it may be elided */
    bool webp, gif, foreign;      /* foreign: of a kind that is converted before it is sent */
    bool touched;                 /* stands in replay.touched */
    uint32_t w, h, pages;
    int64_t bytes;
    int64_t text_at, think_at; /* tokens of words and of thoughts before it, over the whole session */
    struct sent sent;
    struct { enum fate fate; struct refit refit; const char *why; } told; /* when replay_changed was last asked */
    int32_t prev, next;        /* among those that are live */
};

/* Everything else that a request can change. Copied whole before a decision that does not bind. */
struct state {
    int32_t first, last; /* live pictures, oldest and newest */
    int64_t live, images, elided, refit, stubbed;
    int64_t tokens;      /* of live pictures, above their words */
    int64_t b64;
    int64_t pages;
    int64_t over_many;   /* live images with a side above limits.many_side */
    bool many;           /* there were more than limits.many_images once */
    /* thoughts */
    struct replay_thinking thinking;
    int64_t think_cut;   /* tokens of those that are left out */
    /* requests so far */
    int64_t requests, colds, turn_of_last;
    int64_t last_at, last_tokens;
    int32_t cut;         /* the oldest picture that was changed since the last request; PIC_NONE */
    int32_t altered;     /* the oldest that is not sent as it was shown; PIC_NONE */
    int32_t carried;     /* pictures that were there when the last request was made */
    /* What stands before the messages: of the last request, and of the one to come where a request entry says so. */
    struct replay_head {
        uint64_t hash;
        int64_t tokens, bytes;
    } head, next;
    bool has_head, has_next;
    bool fresh;          /* another head than the last request had: nothing of it can be read from a cache */
    const char *reason;
    struct request_figures figures;
};

struct undo {
    int32_t pic;
    struct sent sent;
};
/* An entry that holds thoughts which are bound to what stands before them. */
struct thought {
    int64_t seq, text_at, think_at;
    int32_t pics; /* that came before it */
};
struct open_call {
    uint64_t id;
    bool path;
};
struct bar {
    int64_t seq;
    uint32_t part;
    bool stub;
    const char *why;
};

struct replay {
    const struct target *target;
    struct policy policy;
    void (*tell)(void *arg, const struct request_figures *f);
    void *tell_arg;

    struct pic *pics;
    size_t n_pics, pics_room;
    struct open_call *calls;
    size_t n_calls, calls_room;
    struct bar *bars; /* for parts that are not here yet, or were barred before */
    size_t n_bars, bars_room;
    int32_t *touched;
    size_t n_touched, touched_room;
    struct undo *undo;
    size_t n_undo, undo_room;
    struct thought *thoughts;
    size_t n_thoughts, thoughts_room;

    /* the conversation so far; only feeding changes it */
    int64_t seq, said, at, turn;
    int64_t text, think; /* tokens */
    int64_t json;        /* bytes without pictures */
    int64_t base;        /* tokens that stand before it, as the caller says */
    enum entry_kind last_kind; /* of the latest entry that was said */
    int64_t answer;      /* the number of the latest message of the assistant */
    int64_t answer_think; /* thoughts before it, in tokens */
    bool answer_thinks;

    struct state s, saved;
    bool tentative;
    struct replay_thinking told_thinking;
    int failed;          /* a decision could not be carried out: the replay is of no use any more */
};

/* ---------------------------------------------------------------- replay_pic.c: one picture */

/* What a part is to this target when it comes in, with its own legality settled. */
void pic_init(const struct replay *r, const struct entry *e, const struct part *p, bool viewable, struct pic *ret);
/* Sent states. */
struct sent pic_gone(const struct pic *p, enum fate fate, const char *why);
struct sent pic_refit(const struct replay *r, const struct pic *p, const struct refit *want, uint8_t level);
/* The version of it for the many-image rule. */
struct sent pic_within(const struct replay *r, const struct pic *p, uint32_t edge);
/* A smaller one, by level 1 to PIC_LEVELS. */
enum { PIC_LEVELS = 3 };
struct sent pic_smaller(const struct replay *r, const struct pic *p, uint8_t level);
/* The one that a provider gets which would not take it as it was. */
struct sent pic_repaired(const struct replay *r, const struct pic *p);
bool refit_equal(const struct refit *a, const struct refit *b);

/* ---------------------------------------------------------------- replay.c: state */

static inline bool sent_live(const struct sent *s)
{
    return s->fate == FATE_LIVE || s->fate == FATE_REFIT;
}
void pic_change(struct replay *r, int32_t i, const struct sent *to);
/* Adds (or with -1 takes away) what a picture counts for. */
void state_count(struct replay *r, const struct pic *p, const struct sent *s, int sign);
int64_t replay_tokens(const struct replay *r); /* of the whole request */
int64_t replay_bytes(const struct replay *r);
/* Tokens before a place in words and thoughts, pictures that are live included, as far as they are older than `before`. */
int64_t replay_position(const struct replay *r, int64_t text_at, int64_t think_at, int32_t before);
/* The first thought that is kept and stands at or after seq; NULL when there is none. */
const struct thought *replay_thought(const struct replay *r, int64_t seq);
/* Grows *list to hold one more; -ENOMEM. */
int room_for(void *list, size_t *room, size_t n, size_t size);
/* Whether the picture belongs to a turn before the current one; under `auto` also only if a request has carried it: what nobody
 * has seen is not "seen earlier". */
static inline bool pic_old(const struct replay *r, const struct pic *p)
{
    return (int64_t)p->turn < r->turn && (r->policy.kind != POLICY_AUTO || p - r->pics < r->s.carried);
}

/* Whether an entry goes on with what was said before it: a join behind another speaker joins nothing. */
static inline bool replay_joins(const struct replay *r, const struct entry *e)
{
    bool user = r->last_kind == ENTRY_USER || r->last_kind == ENTRY_TOOL_RESULT || r->last_kind == ENTRY_PERCEPTION;
    return e->join && (e->kind == ENTRY_USER ? user : e->kind == r->last_kind);
}

int replay_add_pic(struct replay *r, const struct pic *p);
/* replay_view.c */
struct pic *pic_find(const struct replay *r, int64_t seq, size_t part); /* NULL when there is none */
bool pic_retell(struct pic *p); /* notes how it is sent now; whether that is another way than it was last told of */
int replay_take(struct replay *r, const struct entry *e); /* replay_entry.c: adds up what an entry holds */

/* ---------------------------------------------------------------- steps of a decision */

/* Tokens that are taken to stand before the messages although nobody said so. */
int64_t replay_unsaid(const struct replay *r);
/* Whether a prefix of so many tokens, the unsaid ones besides, is long enough for the provider to hold it. */
bool replay_held(const struct replay *r, int64_t tokens);
bool replay_cold(const struct replay *r); /* nothing of the last request can be read from a cache now */
void retain(struct replay *r);            /* policy.c: what the policy elides */
void legal(struct replay *r);             /* replay_legal.c: what limits force */
void account(struct replay *r);           /* replay_cost.c: thoughts, figures */
/* Of one input token of a request of that size, in millionths of a dollar a million; 1 where it is not known. */
int64_t replay_rate(const struct target *t, int64_t request_tokens);

#endif
