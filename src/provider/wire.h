/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wires: how a question with pictures is written for a vendor, and how its answer is read. A wire is a row of pure
 * functions in a file of its own; nothing here opens a connection, reads a file or looks at a clock. One request can be
 * built for any wire; what a wire cannot carry is -ENOTSUP.
 */
#ifndef FOVEA_WIRE_H
#define FOVEA_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct host;

enum wire_kind {
    WIRE_TEXT,
    WIRE_IMAGE,
    WIRE_PDF,
    WIRE_VIDEO,     /* its bytes */
    WIRE_VIDEO_URL, /* by reference; the caller has judged the URL */
    WIRE_KINDS
};

/* Everything is borrowed. text is for WIRE_TEXT, url for WIRE_VIDEO_URL, the bytes and their media_type for the others. */
struct wire_part {
    enum wire_kind kind;
    const char *text;
    const char *media_type;
    const char *url;
    const char *name; /* of a PDF, for the model to see; may be NULL */
    const void *data;
    size_t len;
};

enum wire_role {
    WIRE_USER,
    WIRE_ASSISTANT
};

struct wire_turn {
    enum wire_role role;
    const struct wire_part *parts; /* an assistant's are texts */
    size_t count;
};

enum wire_effort {
    WIRE_EFFORT_UNSET,
    WIRE_EFFORT_LOW,
    WIRE_EFFORT_MEDIUM,
    WIRE_EFFORT_HIGH,
    WIRE_EFFORTS
};

/*
 * schema is sent as it is, on hosts that have structured output. Anthropic refuses an object in it without
 * additionalProperties:false, and so does OpenAI when strict is set, where every property must be required too: the
 * caller, who knows the schema, leaves schema or strict out for one that does not fit.
 */
struct wire_request {
    const struct host *host;
    const char *model;
    const char *instructions; /* may be NULL */
    const struct wire_turn *turns;
    size_t count;
    const json_t *schema; /* may be NULL */
    bool strict;
    enum wire_effort effort;
    int64_t max_output; /* tokens; 0 = the vendor's own, but Anthropic must be told */
    bool full_detail;   /* pictures at the model's own maximum */
    bool stream;
};

enum wire_stop {
    WIRE_STOP_NONE,    /* not over: an answer that ends so was cut off */
    WIRE_STOP_END,
    WIRE_STOP_LENGTH,  /* out of tokens; the text is what there was */
    WIRE_STOP_REFUSAL, /* the model would not; why says more when the vendor does */
    WIRE_STOP_BLOCKED, /* the vendor's filter, of the question or of the answer */
    WIRE_STOP_ERROR,   /* after a good start; see error */
    WIRE_STOP_OTHER,   /* over, for a reason without a meaning here; why has its name */
    WIRE_STOPS
};

/* Tokens by the price they are billed at: input is what came from no cache and went into none. */
struct wire_usage {
    bool told;  /* the vendor said so; else all is 0 */
    bool whole; /* of the whole answer: what a stream says at its start is not the end of it */
    int64_t input;
    int64_t cache_read;
    int64_t cache_write;
    int64_t output;    /* reasoning included */
    int64_t reasoning; /* of it */
    int64_t cost_nano; /* in US dollars, as the host reported it; -1 when it did not */
};

#define WIRE_WORD 64 /* letters of an error's kind and code */

struct wire_error {
    int status; /* 0 when it came inside an answer */
    char kind[WIRE_WORD];
    char code[WIRE_WORD];
    char *message; /* the vendor's words, or ours when it had none */
    bool retry;
    int64_t retry_after_ms; /* -1 when nobody said */
    const char *secret;     /* borrowed; set it first: what is read into the words above never shows it */
};

struct wire_reply {
    struct buf text; /* the answer, without what the model thought on the way */
    enum wire_stop stop;
    char *why;
    char *model; /* the vendor's name for who answered; may be NULL */
    struct wire_usage usage;
    struct wire_error error;
    bool begun; /* something of the answer came, be it a thought or an empty block */
    bool sent; /* the question went out whole: it may be billed although no answer came */
};

/* Ready for an answer to the holder of secret (may be NULL; borrowed until wire_reply_done). */
void wire_reply_init(struct wire_reply *r, const char *secret);
void wire_reply_done(struct wire_reply *r);
#define auto_reply cleanup(wire_reply_done) struct wire_reply

void wire_error_done(struct wire_error *e);

/* What came back instead of an answer. headers: lines of "name: value", names in lower case; body may be anything. */
struct wire_answer {
    int status;
    const char *headers;
    const char *body;
    size_t len;
};

struct wire {
    const char *name;
    const char *headers; /* lines to send, whoever the host is; may be NULL */
    /* Appends what follows the base URL. */
    int (*path)(const struct wire_request *q, struct buf *to);
    /* Appends the request's JSON. 0, -ENOTSUP, -EINVAL, or an error of the buffer. */
    int (*body)(const struct wire_request *q, struct buf *to);
    /*
     * Takes one event of a streamed answer. 0: go on; 1: that was the last; -EBADMSG: no event of this wire, -EFBIG,
     * -ENOMEM. Unknown events are passed over.
     */
    int (*event)(struct wire_reply *r, const char *name, const char *data, size_t len);
    /* Takes an answer that came in one piece. 1 or as above. */
    int (*whole)(struct wire_reply *r, const char *data, size_t len);
    /* Says what of the vendor's own is in an error: which fields, which are final. root is NULL for no JSON. */
    void (*error)(struct wire_error *e, const json_t *root);
};

extern const struct wire wire_anthropic, wire_openai_chat, wire_openai_responses, wire_gemini;

/* By its name in a config; NULL for none. */
const struct wire *wire_find(const char *name);

/* The parts of a request, for its host. */
int wire_url(const struct wire_request *q, struct buf *to);
/* Lines of "name: value", each with its line break. -EINVAL for a key that cannot stand in one. */
int wire_headers(const struct wire_request *q, const char *key, struct buf *to);
int wire_body(const struct wire_request *q, struct buf *to);

/* Reads an answer that is none into e, which has its secret set already. Never fails: what is unreadable is said in words. */
void wire_error_read(const struct wire *w, const struct wire_answer *a, struct wire_error *e);

/*
 * Who sees the key. In words (of errors, refusals, names) every key of at least WIRE_SECRET_WORDS bytes is masked. The text
 * of an answer is the model's: a key of at least WIRE_SECRET_TEXT bytes is masked in it, and where the host is this machine
 * over plain http, one of WIRE_SECRET_LOCAL: there the key is often a mere word ("ollama", "lm-studio") that any answer may hold.
 */
#define WIRE_SECRET_WORDS 4
#define WIRE_SECRET_TEXT 8
#define WIRE_SECRET_LOCAL 16

/* A copy of words, cut to their ceiling, with "[redacted]" for each occurrence of secret (may be NULL); NULL: no memory. */
char *wire_masked(const char *secret, const char *words);

/* What is masked in the text of this host's answers: the key, or NULL for nothing. */
const char *wire_text_secret(const struct host *h, const char *key);
/* Masks it in a whole text. 0 or an error of the buffer. */
int wire_mask_text(struct buf *text, const char *secret);
/* Shows what is new in a text since from, masked, but keeps back what may be the start of the secret until more has come
 * or it is the last. Returns up to where it was shown. */
typedef void wire_shown(void *ctx, const char *piece, size_t len);
size_t wire_show(const struct buf *text, size_t from, const char *secret, bool last, wire_shown *on, void *ctx);

/* The value of a header in lines, without blanks around it; its length is 0 when it is not there. */
const char *wire_header(const char *headers, const char *name, size_t *ret_len);

#endif
