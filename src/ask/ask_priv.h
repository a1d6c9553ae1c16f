/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of asking: which host, which form of the schema, what came of a call, and what JSON an answer holds. */
#ifndef FOVEA_ASK_PRIV_H
#define FOVEA_ASK_PRIV_H

#include <pthread.h>

#include "ask/ask.h"
#include "base/buf.h"
#include "provider/hosts.h"
#include "provider/http.h"

struct asker {
    struct http *http;
    pthread_mutex_t lock;
    pthread_t warmer;
    bool warming; /* under the lock; the thread is joined at the end */
};

/* The host of a choice; -EINVAL for one that no wire leads to (local). Borrows from the choice. */
int ask_host(const struct choice *c, struct host *ret);

/* How many tokens to ask for: what was wanted of an answer, with room for what the model thinks before it, within what it
 * can; 0 where the vendor's own limit will do. */
int64_t ask_max_output(const struct choice *c, const struct host *h, int64_t wanted);

enum wire_effort ask_effort(const char *word);

/* How a host is told of a schema. */
enum schema_form {
    SCHEMA_PROMPT, /* in words after the question */
    SCHEMA_LOOSE,  /* as the vendor's structured output, without its promise */
    SCHEMA_STRICT, /* with it: the schema keeps to the vendor's rules */
};
enum schema_form ask_schema_form(const struct host *h, const json_t *schema);

/* One question while it is asked: what is said and answered, of two turns more when it needs a repair. */
struct dialogue {
    struct asker *asker;
    const struct ask_question *q;
    struct ask_answer *out;
    struct fovea_fault *fault;
    struct host host;
    int64_t deadline; /* INT64_MAX: none */
    enum schema_form form;
    json_t *schema;         /* as it is sent */
    struct buf schema_text; /* and said */
    struct wire_part *parts; /* media, the question, the schema in words */
    struct wire_part said, repair;
    struct wire_turn turns[3];
    size_t count;
};

/* The end and its words (may be NULL), which are kept without the key. 0 or -ENOMEM with its fault. */
int ask_end_with(struct dialogue *k, enum ask_end end, const char *words);

/* What provider_ask left: its code and words, and the reply. */
void ask_count(struct dialogue *k, int code, const struct wire_reply *r); /* adds up what was billed or may have been */
int ask_settle(struct dialogue *k, int code, const struct wire_reply *r, const struct fovea_fault *f);
bool ask_schema_refused(const struct dialogue *k, const struct wire_reply *r); /* then it can still be said in words */

/* The JSON of an answer, judged. */
struct ask_json {
    json_t *value;     /* owned; NULL when it is not as it must be */
    const char *text;  /* its place in the answer */
    size_t len;
};

/* 0: ret is the object and it is valid; 1: it is not, and words say why; -ENOMEM. */
int ask_json_read(const struct schema *s, const char *text, struct ask_json *ret, struct buf *words);

#endif
