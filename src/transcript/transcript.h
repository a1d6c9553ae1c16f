/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transcripts on their way in: entries that a host wrote, and requests of the four wires. Both become entries in the canonical
 * form of docs/transcript.md, with the bytes of pictures and documents beside them. Pure: no file, no clock; what the bytes of
 * a picture are is asked of the caller.
 */
#ifndef FOVEA_TRANSCRIPT_H
#define FOVEA_TRANSCRIPT_H

#include <jansson.h>

#include "base/sha256.h"
#include "fovea.h"

/* Bytes that came with entries, each once. */
struct incoming_blob {
    uint8_t sha256[SHA256_LEN];
    void *data; /* owned */
    size_t len;
};

/* What came in. */
struct incoming {
    json_t *entries; /* an array of entries in canonical form, but without `at` where the host said none */
    struct incoming_blob *blobs;
    size_t n_blobs;
    json_t *places;  /* of the blobs, by their hash in hex */
    size_t max_blob; /* record.maxAttachmentBytes; set by the caller first */
};
void incoming_done(struct incoming *in);
/* NULL: no bytes of that hash came. */
const struct incoming_blob *incoming_blob(const struct incoming *in, const uint8_t sha256[static SHA256_LEN]);

/*
 * Takes one entry as a host wrote it, or as it was exported with its bytes (an object): checks every member, puts `tool_call` into its
 * long form, takes `data` out into blobs. -EINVAL with a sentence that names the member ("parts[2].data: no base64"); -EFBIG a
 * blob over max_blob; -ENOMEM. An unknown member is -EINVAL and named with the nearest right one.
 */
int incoming_entry(struct incoming *in, const json_t *entry, struct fovea_fault *fault);
/* entry_speaker of an entry in canonical form. `join` is cleared where the one before that is said is of another speaker; of the first
 * that is said, the caller knows what is stored before it. */
int incoming_speaker(const json_t *entry);

/*
 * Takes a whole request body of a wire, or its bare array of messages. Everything is kept: what has no place in an entry
 * becomes raw or opaque. A whole body first gives a `request` entry. -EINVAL: not a request of that wire (the sentence says
 * where: "messages[3].content[0]: a string or a list is wanted"); a block type that is not known is no error, it is opaque.
 */
int incoming_request(struct incoming *in, const char *wire, const json_t *root, struct fovea_fault *fault);

/* The wires by name, NULL-terminated: anthropic, openai-chat, openai-responses, gemini. */
extern const char *const transcript_wires[];

/*
 * What the bytes of each picture are. The caller fills `ret` (media_type NULL: no picture that we know; why: it does not decode).
 * Called once for each distinct image blob, whose entries then carry media_type, width, height and broken.
 */
struct incoming_picture {
    const char *media_type;
    uint32_t width, height;
    char why[160]; /* "" when it decodes in full */
};
typedef int incoming_look(void *arg, const struct incoming_blob *blob, struct incoming_picture *ret,
                          struct fovea_fault *fault);
int incoming_pictures(struct incoming *in, incoming_look *look, void *arg, struct fovea_fault *fault);

/* Gives each picture of a tool_result that has bytes, decodes and has no `view` one that follows from its bytes: so it can be seen
 * again. After incoming_pictures. 0 or -ENOMEM. */
int incoming_views(struct incoming *in);
enum { INCOMING_VIEW_LEN = 5 + 12 };
void incoming_view_id(const uint8_t sha256[static SHA256_LEN], char ret[static INCOMING_VIEW_LEN + 1]);

/* How many entries of in stand already in a session, from its start: entries of the conversation are compared in order, without
 * what may differ between two requests of one conversation (`at`, cache_control, what incoming_pictures and incoming_views add, the content of
 * `request` entries). Feed the stored entries one by one; at the end, what is left is new.
 * What a `perception`, or a `tool_result` with `result`, says is known by its call: the host's own result of that call is not
 * taken again. A session that holds more than came is no different one: nothing is left then.
 *     struct prefix p = {.in = in};
 *     each stored entry: prefix_entry(&p, body, len) → 0, or -EEXIST: a different conversation (p.at says where)
 *     prefix_end(&p): takes what is known out of in->entries, also a `request` entry equal to the last stored one.
 */
struct prefix {
    struct incoming *in;
    size_t at;            /* the next of in->entries */
    json_t *request;      /* the last stored one */
    json_t *own;          /* calls whose results fovea's own tools recorded */
    bool unread;          /* what was fed last is no JSON: -EBADMSG is of it */
};
int prefix_entry(struct prefix *p, const char *body, size_t len);
int prefix_end(struct prefix *p);
void prefix_done(struct prefix *p);

/* An entry as it is stored: one line, members in the documented order, no blanks. The caller frees; NULL without memory. */
char *entry_text_new(const json_t *entry, size_t *ret_len);

/* record_derive of record/record.h, in terms of this room: marks "view:ID" of every view in it, "read:PATH" of a read's result,
 * "call:ID" of each tool_call and "answer:ID" of each result; uses: every sha256 of parts, and of result.source. */
struct record_index;
int entry_derive(const char *body, size_t len, struct record_index *to);

#endif
