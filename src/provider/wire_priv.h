/* SPDX-License-Identifier: Apache-2.0 */
/* What the wires share: writing parts, and reading the vendors' JSON without trusting a single type in it. */
#ifndef FOVEA_WIRE_PRIV_H
#define FOVEA_WIRE_PRIV_H

#include <errno.h>
#include <string.h>

#include "base/json_text.h"
#include "base/limits.h"
#include "provider/hosts.h"
#include "provider/wire.h"

/* Writing. Errors stay in the buffer, as with every append. */
int wire_add_field(struct buf *b, const char *name, const char *value); /* ,"name":"value" */
int wire_add_value(struct buf *b, const char *name, const json_t *value); /* ,"name":value */
int wire_add_base64(struct buf *b, const struct wire_part *p);          /* "…" */
int wire_add_data_url(struct buf *b, const struct wire_part *p);        /* "data:TYPE;base64,…" */
const char *wire_effort_name(enum wire_effort effort);
/* A comma when something stands before in the array or object. */
int wire_comma(struct buf *b, bool first);

/* One writer a kind of part; NULL where the wire has none. */
typedef int wire_part_writer(const struct wire_request *q, const struct wire_part *p, struct buf *b);
int wire_add_parts(const struct wire_request *q, const struct wire_turn *t, wire_part_writer *const writers[WIRE_KINDS],
                   struct buf *b);

/* Reading. A field of another type counts as absent. */
const json_t *wire_at(const json_t *object, const char *name);
const char *wire_text_at(const json_t *object, const char *name);
int64_t wire_int_at(const json_t *object, const char *name);
/* Counts of tokens, which hosts write as integers or as reals without a fraction. Each is a row with its place. */
struct wire_count {
    const char *name;
    int64_t *to;
    bool must; /* without it the others tell nothing */
};
/* true: all that must be there were, and each that is there was read; the others are left alone. false: nothing was
 * changed. One that is no count, or one past belief, makes none of them believed. */
bool wire_counts_at(const json_t *object, const struct wire_count *counts, size_t n);
/* The JSON object in a reply; NULL for none, and for one of more values than a reply has. The caller json_decrefs. */
json_t *wire_parse(const char *data, size_t len);
/* Why there is nothing to read in what wire_parse gave, which was called last: -EBADMSG, or -ENOMEM. */
int wire_unread(const json_t *root);

static inline void wire_decref(json_t **j)
{
    json_decref(*j);
}
#define auto_json cleanup(wire_decref) json_t

/* Appends a string of the answer. 0 or an error of the buffer; anything but a string is nothing. */
int wire_add_answer(struct wire_reply *r, const json_t *string);
/* Words that a person reads; the secret in them is masked. */
int wire_set_why(struct wire_reply *r, const char *words);
int wire_add_why(struct wire_reply *r, const char *words);
int wire_set_model(struct wire_reply *r, const char *name);

/* One row a reason that a vendor gives for stopping. */
struct wire_reason {
    const char *name;
    enum wire_stop stop;
};
/* An unknown reason is WIRE_STOP_OTHER and its name is why. 0 or -ENOMEM. */
int wire_set_stop(struct wire_reply *r, const struct wire_reason *reasons, size_t count, const char *name);

/* Whether the words hold the secret, by the rule for words. */
bool wire_shows(const char *secret, const char *words);
/* Appends as much as there is room for. */
void wire_add_cut(struct buf *b, const char *s, size_t len);

/* Copies what may be copied: letters cut to size, the secret masked. NULL is nothing. */
void wire_error_word(const struct wire_error *e, char to[WIRE_WORD], const char *word);
void wire_error_words(struct wire_error *e, const char *words);
/* An error inside an answer: its kind decides whether another try may help. Returns 1, for a wire's event to return. */
int wire_fail(const struct wire *w, struct wire_reply *r, const json_t *root);
/* {"error":{"message","type","code"}} and its relatives; the object of the error, or NULL. */
const json_t *wire_error_common(struct wire_error *e, const json_t *root);

#endif
