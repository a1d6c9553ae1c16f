/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the model sees of a session: which pictures are live, which are elided, which need a smaller version. Decided by
 * replaying the session: the entries are fed in order, and before each answer of the model stands the request that it
 * answers. A decision depends on the entries before it and their times, and on nothing else; what was elided stays so.
 *
 * Costs: an entry is fed in time that does not grow with the session, but for a request that changes something, which looks
 * at the live pictures; memory is a few words for each picture, for each entry with bound thoughts, and for each open call.
 */
#ifndef FOVEA_REPLAY_H
#define FOVEA_REPLAY_H

#include "fit/plan.h"
#include "lower/target.h"
#include "transcript/entry.h"

enum policy_kind {
    POLICY_AUTO,
    POLICY_ALL,
    POLICY_TURNS,  /* live: the current turn and n - 1 before */
    POLICY_NEWEST, /* the newest n pictures; for comparison */
    POLICY_BATCH,  /* at more than n, down to m; for comparison */
};
struct policy {
    enum policy_kind kind;
    uint32_t n, m;
};
/* "auto", "all", "turns:2", "newest:3", "batch:20:8". -EINVAL. */
int policy_parse(const char *words, struct policy *ret);

/* What becomes of a picture or document. */
enum fate {
    FATE_LIVE,   /* as it was shown */
    FATE_REFIT,  /* live, in the version that `refit` describes */
    FATE_ELIDED, /* "[image ... seen earlier ...]" */
    FATE_STUB,   /* cannot be sent at all; `why` says it in words */
};
/* What a smaller or other version must keep within. */
struct refit {
    uint32_t max_edge, min_edge; /* 0 none */
    uint32_t max_bytes;          /* encoded, raw */
    bool no_webp, no_gif;
};
enum { REFIT_SPEC = 96 };
/* "edge=2000;least=28;bytes=512000;webp=0;gif=0": the name under which the record keeps it. */
void refit_spec(const struct refit *r, char ret[static REFIT_SPEC]);

struct decision {
    enum fate fate;
    struct refit refit;
    const char *why;     /* static words: "the model takes no images" */
    struct size planned; /* of a refit */
};

/* Tokens of instructions and tools that an agent has before its conversation, where nobody says how many. */
enum { REPLAY_HOST_TOKENS = 4000 };

struct replay;
int replay_new(const struct target *t, const struct policy *p, struct replay **ret);
void replay_free(struct replay *r);
/* Tokens of instructions and tools that stand before the conversation and are not in it: for estimates. Before the first entry.
 * Left unsaid they count for nothing, but that a prefix is long enough to be cached with REPLAY_HOST_TOKENS before it. */
void replay_base(struct replay *r, int64_t tokens);

/* The next entry; -EINVAL when it is out of order; -ENOMEM. */
int replay_feed(struct replay *r, const struct entry *e);

/* Decides for a request that would be made now. Does not bind what is fed afterwards. 0 or -ENOMEM. */
int replay_now(struct replay *r);

/* After replay_now: what becomes of a part (an image or document; part is its index among the entry's parts). */
struct decision replay_fate(const struct replay *r, int64_t seq, size_t part);

/*
 * Thinking parts of entries before this number are left out; 0: none are. With loose, the request must say that the server may
 * drop others (Anthropic's drop_block): the cut came in the middle of a turn, or a picture before a thought is not sent as it
 * was, while the host that made the thought had sent it.
 */
struct replay_thinking {
    int64_t before;
    bool loose;
    int64_t alone;  /* the same for an array that must be legal without that: with loose, those of the latest answer go too */
    int64_t behind; /* in such an array those of imported entries behind this one are left out as well; INT64_MAX: none */
};
struct replay_thinking replay_thinking(const struct replay *r);

/* The smallest entry number whose lowering may have changed since the last call of this function (INT64_MAX: none): what was
 * written for entries before it still holds. */
int64_t replay_changed(struct replay *r);

/* Calls each for every picture that is live in another version than it was shown. */
int replay_refits(const struct replay *r, int (*each)(void *arg, const uint8_t sha256[static SHA256_LEN], const struct refit *refit),
                  void *arg);

/* Figures of the request that replay_now decided on, and sums over those that were made: for reports and the simulator. Tokens are
 * estimates: text by its length, pictures by the model's rule. */
struct request_figures {
    int64_t turn, request;          /* from 1 */
    int64_t tokens;                 /* of input */
    int64_t cache_read, cache_write, plain; /* of them */
    int64_t units;                  /* of cost: thousandths of an input token at the model's lowest price */
    int64_t cost_nano;              /* of the input; below 0 not known */
    int64_t images, live, elided, refit, stubbed;
    int64_t request_bytes;
    const char *reason; /* why something was elided now: "cold", "forced", "break-even", "policy"; NULL nothing was */
};
struct request_figures replay_figures(const struct replay *r);
/* Called for every request, in order, as it is replayed. */
void replay_watch(struct replay *r, void (*tell)(void *arg, const struct request_figures *f), void *arg);

/* A part that must not be sent as it is, from a repair entry or because no version of it could be made; words are static or
 * live as long as r. It may be said before that part is fed. -ENOSPC past LIMIT_BARS. */
int replay_bar(struct replay *r, int64_t seq, size_t part, bool stub, const char *why);

#endif
