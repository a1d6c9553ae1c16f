/* SPDX-License-Identifier: Apache-2.0 */
/* Checking entries that a host wrote: neutral.c has the entries, neutral_part.c their parts. */
#ifndef FOVEA_NEUTRAL_H
#define FOVEA_NEUTRAL_H

#include "transcript/transcript_priv.h"

enum neutral_is {
    IS_STRING,
    IS_WORD, /* not empty */
    IS_NAME, /* not empty, unless the entry says its wire: what came from there is taken as it was */
    IS_BOOL,
    IS_COUNT,  /* from 0 */
    IS_NUMBER, /* from 1 */
    IS_SIZE,   /* from 1, 31 bits */
    IS_COST,
    IS_OBJECT,
    IS_PARTS,
    IS_TOOLS,
    IS_MODEL,
    IS_WIRE,
    IS_ROLE,
    IS_HOW,
};

struct neutral_member {
    const char *name; /* NULL ends a table */
    enum neutral_is is;
    bool must;
};

/* Which parts an entry may have; each row has those of the rows before it. */
enum neutral_parts { PARTS_TEXT, PARTS_WORDS, PARTS_MEDIA, PARTS_CALLS };

struct neutral_kind {
    const char *name;
    const struct neutral_member *members;
    enum neutral_parts parts;
};

struct neutral {
    struct incoming *in;
    struct fovea_fault *fault;
    char where[32]; /* "", or "parts[2]." */
    bool wired;     /* the entry says its wire: it and its parts may have raw, and whatever that wire let pass */
};

/* -EINVAL: "parts[2].data: no base64". */
int neutral_bad(struct neutral *n, const char *member, const char *words);
/* Every member known, of its type, and those that must be there. */
int neutral_check(struct neutral *n, const json_t *object, const char *kind, const struct neutral_member *table);
/* Members but for lists of parts; what is false is left out. -ENOMEM. */
int neutral_copy(json_t *to, const json_t *from, const struct neutral_member *table);
/* Checks the parts of an entry and puts them into to. */
int neutral_parts(struct neutral *n, const json_t *list, const struct neutral_kind *kind, json_t *to);

/* The bytes that a result was made of, where they came as result.source.data. */
int neutral_source(struct neutral *n, json_t *entry);

/* What the table of a tool call cannot say. */
int neutral_call(struct neutral *n, const json_t *call);

#endif
