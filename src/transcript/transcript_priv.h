/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the importers of the four wires share. A block becomes a part, and then the part is written back in the wire's
 * canonical form: where that is not the block that came, the block itself is kept as raw. So a rule that an importer forgets
 * costs a few bytes and never a word.
 *
 * Values of the request are shared with it, not copied, and never changed. Failed allocations are remembered in
 * import.error, so that a run of puts needs one check at its end.
 */
#ifndef FOVEA_TRANSCRIPT_PRIV_H
#define FOVEA_TRANSCRIPT_PRIV_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "transcript/entry.h"
#include "transcript/transcript.h"

static inline void transcript_decref_p(json_t **j)
{
    json_decref(*j);
}
#define auto_json cleanup(transcript_decref_p) json_t

/* What stands in raw where bytes were taken out. */
#define TOKEN_DATA "\001data"
#define TOKEN_TYPE "\001type"
#define TOKEN_URL "\001url"

/* Whose words a block is among. */
enum side { SIDE_SYSTEM, SIDE_USER, SIDE_ASSISTANT, SIDE_RESULT };

struct wire_import;

struct import {
    struct incoming *in;
    const struct wire_import *wire;
    struct fovea_fault *fault;
    json_t *calls;   /* the tool_call parts so far, by id; owned */
    json_t *waiting; /* of Gemini: queues of calls, by id and by name; owned */
    size_t message;  /* number of the one at hand */
    size_t pieces;   /* entries made of it so far */
    bool model_side; /* the item before was the model's (Responses) */
    int error;
};

enum { STRANGE_PARTS = 1, STRANGE_CALLS = 2, STRANGE_CONTENT = 4, STRANGE_TEXT = 8 };

struct wire_import {
    const char *name, *list;
    const char *words;          /* the member that has what a message says */
    const char *const *instead; /* those that may stand for it, NULL-terminated; NULL: none */
    unsigned strange;           /* STRANGE_...: those by which other wires' messages are known */
    /* One message, or item, to entries. */
    int (*message)(struct import *im, json_t *message);
    /* A part in canonical form, its payload as tokens; NULL where the wire has none for it. */
    json_t *(*block)(const json_t *part, enum side side);
    /* What the whole request says beside its list: parts of its system, and its function tools, appended. */
    void (*outside)(struct import *im, const json_t *body, json_t *rules, json_t *tools);
};
extern const struct wire_import import_anthropic, import_chat, import_responses, import_gemini;
const struct wire_import *wire_import_find(const char *name);

/* ---------------------------------------------------------------- building (build.c) */

void put(struct import *im, json_t *object, const char *key, const json_t *value); /* shares value; NULL puts nothing */
void put_new(struct import *im, json_t *object, const char *key, json_t *value);   /* takes it; NULL is out of memory */
void add_new(struct import *im, json_t *array, json_t *value);
/* The object without those members (NULL-terminated), shared; NULL out of memory. */
json_t *without(struct import *im, const json_t *object, const char *const keys[]);
/* Its string member, or NULL. */
json_t *string_at(const json_t *object, const char *key);
bool is_word(const json_t *value, const char *word);
/* Clients write null for what is not there. */
bool has_member(const json_t *object, const char *member);
bool is_url(const json_t *value); /* http or https */
/* A value by a name that came from outside, all of its bytes; NULL when there is none, or no name. */
json_t *by_name(const json_t *index, const json_t *name);
int by_name_set(json_t *index, const json_t *name, const json_t *value); /* shares value; 0 or -ENOMEM */

/* -EINVAL with the place: "messages[3]: ...". */
__attribute__((format(printf, 2, 3))) int import_bad(struct import *im, const char *format, ...);

/* A new entry of the message at hand: its first, or joined to the one before. Borrowed; NULL out of memory. */
json_t *entry_open(struct import *im, const char *kind);
/* Where the next part of that kind goes: the entry at hand, or a new one when it is another's or full. */
json_t *entry_for(struct import *im, json_t *at, const char *kind);
int entry_add_part(struct import *im, json_t *entry, json_t *part); /* takes part; -E2BIG */
/* raw of the message's first entry, unless rest is what its kind says already. Takes both. */
void entry_raw(struct import *im, json_t *entry, const char *key, json_t *rest, json_t *canonical);

/* Whether what is stored can be read again: entries are read in place, to a depth that is bounded. */
bool entry_is_shallow(const json_t *entry);
/* Whether its text is no longer than an entry may be. 0, -EFBIG or -ENOMEM. */
int entry_fits(const json_t *entry);

json_t *part_new(struct import *im, const char *type);
json_t *part_text(struct import *im, const json_t *text);
json_t *part_opaque(struct import *im, const json_t *value, bool thinking, const json_t *text);
json_t *part_opaque_words(struct import *im, const json_t *value, const char *words);
/* arguments when it is an object, else arguments_text. Knows the call from now on. */
json_t *part_call(struct import *im, const json_t *id, const json_t *name, const json_t *arguments);
json_t *part_call_text(struct import *im, const json_t *id, const json_t *name, const json_t *text);
json_t *part_custom_call(struct import *im, const json_t *id, const json_t *name, const json_t *text); /* text as it is */
/* Gives part its raw where block (as it came, tokens in it) is not the canonical one. Takes both. */
json_t *part_finish(struct import *im, json_t *part, json_t *block, const json_t *original, enum side side);
json_t *part_finish_same(struct import *im, json_t *part, const json_t *original, enum side side);

/* A result's call, its name, and where its pictures are from. */
void result_call(struct import *im, json_t *entry, const json_t *call);

typedef json_t *part_maker(struct import *im, json_t *block, enum side side);
/* The part of a block whose type has a row that makes one; what has none is opaque. */
struct block_row {
    const char *type;
    part_maker *make;
};
json_t *part_of_type(struct import *im, const struct block_row *rows, size_t n, json_t *block, enum side side);
/* Takes a list of blocks; each goes through make. */
int import_parts(struct import *im, json_t *entry, const json_t *list, const char *where, part_maker *make,
                 enum side side);

/* ---------------------------------------------------------------- bytes (payload.c) */

/* Where in a block its bytes stand: in its member outer, or in itself when that is NULL; as url, or as data and type. */
struct payload_place {
    const char *outer, *data, *type, *url;
};
/* A part with the bytes of a block taken out, finished. Another spelling than canonical base64 stays in raw as it was; what is no base64
 * is opaque and broken. */
json_t *part_payload(struct import *im, const char *kind, const json_t *block, const struct payload_place *at,
                     const json_t *name, enum side side);
/* An opaque part that is kept and never sent. */
json_t *part_broken(struct import *im, const json_t *value, const char *kind, const char *why);
/* Base64 into the blobs, and sha256 and bytes into part. 0; 1: from another spelling than the canonical one (blanks in it, no padding,
 * the alphabet of URLs); -ENODATA empty; -EINVAL no base64; -EFBIG; -ENOMEM. */
int payload_take(struct incoming *in, const json_t *base64, json_t *part);
/* Whether it is the base64 of what begins as a picture of a kind that providers take. 0; -ENODATA; -EINVAL; -ENOMEM. */
int payload_picture(const json_t *base64);
/* Whether text is "data:META;base64,DATA"; META and where DATA begins. */
bool data_url_split(const json_t *text, size_t *ret_meta_len, size_t *ret_data);

/* ---------------------------------------------------------------- text (text.c) */

/* A value without blanks, as entries are stored; numbers with no more digits than they need. NULL out of memory. */
char *value_text_new(const json_t *value, size_t *ret_len);
json_t *value_text(const json_t *value); /* as a JSON string */

#endif
