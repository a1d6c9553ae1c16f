/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries → the messages of a wire, as JSON, streamed. Groups first (group.c): what one message of the conversation is, whoever
 * is spoken to; every tool call has one result and every result its call. Then each wire writes groups in its own form, one file
 * each. Nothing here reads a clock or a file: bytes of pictures are asked for one at a time.
 */
#ifndef FOVEA_WRITER_H
#define FOVEA_WRITER_H

#include "lower/replay.h"

/* A picture or document that is sent. */
struct payload {
    const char *media_type;
    const void *data;
    size_t len;
};

/* Where a block stands. Anthropic: messages.M.content.B or messages.M.content.B.tool_result.content.I; chat: messages[M].content[B];
 * Responses: input[M].content[B] or input[M].output[B]; Gemini: contents[M].parts[B] or contents[M].parts[B].functionResponse.parts[I]. */
struct lower_place {
    size_t message, block;
    int64_t inner; /* -1 none */
};

struct lower_hooks {
    void *arg;
    /* Takes output. 0 or a negative errno, which ends the writing. */
    int (*write)(void *arg, const char *piece, size_t len);
    /* The bytes of a part that is live, in the version that d asks for. They live until the next call. -EBADMSG: they are
     * damaged, or cannot be had: the part is written as a stub. NULL: as for -EBADMSG. */
    int (*payload)(void *arg, const struct part *p, const struct decision *d, struct payload *ret);
    /* A group begins: everything written before is settled by entries before seq. May be NULL. */
    void (*boundary)(void *arg, int64_t seq, size_t message, size_t offset);
    /* A picture or document stands at this place of the output. May be NULL. */
    void (*place)(void *arg, const struct lower_place *place, int64_t seq, size_t part);
    /* How many calls with this id stand in entries before seq: a second one is given another name. NULL: none. */
    size_t (*ids_before)(void *arg, int64_t seq, struct span id);
    /* Something was left out or put in, in words: "part 2 of entry 7: thinking of anthropic". May be NULL. */
    void (*report)(void *arg, int64_t seq, const char *words);
    /* A picture or document was written so, whatever was decided: once for each. May be NULL. */
    void (*fate)(void *arg, int64_t seq, size_t part, enum fate fate);
};

struct lower_job {
    const struct target *target;
    const struct replay *replay; /* NULL: everything live, as found (export) */
    bool as_is;                  /* export: raw as it was, cache_control and the declared media type included, nothing made legal */
    bool full;                   /* an envelope stands around it, which says that the server may drop thoughts */
    struct lower_hooks hooks;
};

struct writer;
/* first: the number of the message that comes first, and offset: bytes that stand before it (0, 0 at the start; otherwise as a
 * boundary said), so that what is written goes on from there. */
int writer_new(const struct lower_job *job, size_t first, size_t offset, struct writer **ret);
void writer_free(struct writer *w);
/* Entries in order. The bodies must live until the writer has ended: a group is written when it is complete. */
int writer_entry(struct writer *w, const struct entry *e);
/* Closes the last group and the array. */
int writer_end(struct writer *w);

/*
 * What a whole request has besides its array: {"wire":W,"headers":{...},"body":{...}}, written around the array that was made.
 * No key is in it. envelope_head ends where the array begins (its key included), envelope_tail closes the rest.
 */
struct envelope {
    const struct target *target;
    const struct replay *replay;  /* may be NULL */
    const struct entry *request;  /* the last request entry, or NULL */
    const struct span *systems;   /* bodies of the system entries that the conversation begins with; they count only where the
                                     wire has them outside its array (Anthropic, Gemini) */
    size_t n_systems;
    bool as_is; /* export: the body of a request of the same wire as it was, and nothing more */
    void *arg;
    void (*report)(void *arg, int64_t seq, const char *words); /* something was left out or changed; may be NULL */
};
int envelope_head(const struct envelope *e, struct buf *to);
int envelope_tail(struct buf *to);

/* The stub of an elided picture, byte-stable: "[image PATH (MIME WxH) seen earlier, view:ID — call view to see it again]". */
int elided_text(const struct entry *e, const struct part *p, struct span call_arguments, struct buf *to);

/* ---------------------------------------------------------------- rejections */

enum reject_cause {
    REJECT_UNKNOWN,
    REJECT_TOO_LARGE,   /* bytes or pixels: a smaller version may do */
    REJECT_CORRUPT,     /* does not decode, or is not what it says */
    REJECT_UNSUPPORTED, /* not taken here */
    REJECT_TOO_MANY,
};
struct rejection {
    enum reject_cause cause;
    bool placed; /* the error names a block, or with block SIZE_MAX a whole message */
    struct lower_place place;
    char words[300]; /* the provider's, shortened */
    /* Where no block is named: what the words say of it. */
    enum reject_aim { REJECT_NEWEST, REJECT_OLDEST, REJECT_SMALLEST, REJECT_HEAVIEST, REJECT_LONGEST } aim;
    bool image, document; /* only such */
    bool in_result;       /* only what a tool gave */
    bool format;          /* only what is of `type`; where that is empty, what is neither PNG nor JPEG */
    char type[32];
};
/* Reads what a provider answered: its JSON, an SDK's text around it, or bare words. -ENOENT: it is not about an image or document. */
int reject_read(enum lower_wire wire, const char *text, size_t len, struct rejection *ret);

/* A picture or document in what was sent. */
struct reject_spot {
    struct lower_place place;
    int64_t seq;
    size_t part;
    bool image, in_result, stored;
    bool repaired; /* for an earlier rejection */
    int64_t bytes; /* as it was sent, or at most */
    uint32_t longest, shortest; /* sides; 0 not known */
    char type[32];
};
/* The one that is meant, among all in the order of the request; NULL: none of them can be. What is too large without a place is
 * another one each time until all were made smaller, so that whoever goes on asking gets further. */
const struct reject_spot *reject_choose(const struct rejection *why, const struct reject_spot *spots, size_t n);

#endif
