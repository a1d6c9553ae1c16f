/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One question to a chosen model, from the wire's request to a checked answer: how the host is spoken to, structured
 * output, the repair turn, tokens and money of everything that was sent. Knows nothing of paths, URLs of pictures, or
 * what tools call their errors. local/ocr is not asked here: see ocr.h.
 */
#ifndef FOVEA_ASK_H
#define FOVEA_ASK_H

#include <jansson.h>

#include "fovea.h"
#include "model/choose.h"
#include "provider/wire.h"
#include "schema/schema.h"

struct asker; /* connections that are kept; any thread */

/* Costs next to nothing: libcurl is loaded by the first question. */
int asker_new(struct asker **ret, struct fovea_fault *fault);
void asker_free(struct asker *a);

/* Starts to load what the first question needs, on a thread of its own, while the caller fits a picture. Any thread, any
 * number of times; asker_free waits for it. */
void asker_warm(struct asker *a);

struct ask_question {
    const struct choice *choice;
    const struct wire_part *media; /* what is asked about; goes before the question */
    size_t n_media;
    const char *instructions; /* the system prompt */
    const char *text;         /* the question, word for word */
    const struct schema *schema; /* compiled; NULL: text is enough */
    const json_t *schema_json;   /* the same, as the caller gave it */
    int64_t max_output; /* tokens of the answer: a model known to think unasked gets room for that besides. 0: the model's
                           own, or ask's default where the wire must be told */
    int64_t timeout_ms; /* for all of it, repair included; 0 none */
    const char *ca_file; /* trusted besides the system's authorities; NULL */
    bool full_detail;
    const fovea_cancel *cancel;
    void (*on_text)(void *arg, const char *piece, size_t len); /* as in fovea_session_options; not with a schema */
    void *on_text_arg;
};

enum ask_end {
    ASK_ANSWERED,
    ASK_EMPTY,     /* no text */
    ASK_NOT_JSON,  /* nor after the repair turn; words: which path, which keyword */
    ASK_PAGES,     /* more pages than the provider takes; words are its own, as below */
    ASK_REFUSED,   /* the model would not, or the vendor's filter would not let it */
    ASK_FAILED,    /* any other failure of the provider; also: the host cannot carry this kind of file */
    ASK_ABORTED,   /* the cancel struck after the question was on its way */
    ASK_TIMED_OUT, /* of timeout_ms */
    ASK_ENDS
};

struct ask_answer {
    enum ask_end end;
    char *text;      /* owned; trimmed, and with a schema without a fence or words around it; never empty with ASK_ANSWERED.
                        With ASK_NOT_JSON what the model said last. NULL or anything with other ends */
    json_t *parsed;  /* owned; with a schema */
    char *words;     /* owned; what went wrong, in the provider's words where it had any, keys never; NULL when answered */
    bool cut;        /* the provider's token limit ended it */
    bool repaired;
    unsigned calls;  /* requests that were billed or may have been, those tried again included */
    struct wire_usage usage; /* summed over them; told: each of them was told to its end. Of a call that was cut off: what was
                                told by then */
    int64_t nano;    /* dollars, summed; MONEY_UNKNOWN, also when a call was sent and not told to its end; 0 when none was billed */
};
void ask_answer_done(struct ask_answer *a);

/* 0 with an answer, whatever its end; a fault only for -ENOMEM and -ENOSYS (no libcurl, or too old a one). */
int ask_run(struct asker *a, const struct ask_question *q, struct ask_answer *ret, struct fovea_fault *fault);

/* What the chosen host takes, before anything is read. Whether the model does is its row's business. */
bool ask_takes(const struct choice *c, enum wire_kind kind);
/* The largest file of that kind that one request to the host can carry inline, in raw bytes; 0: none is known. */
uint64_t ask_inline_limit(const struct choice *c, enum wire_kind kind);

#endif
