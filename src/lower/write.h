/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that write a wire share: the writer, messages and blocks that open when something is in them, and what becomes
 * of a picture. */
#ifndef FOVEA_WRITE_H
#define FOVEA_WRITE_H

#include "lower/group.h"
#include "lower/sink.h"
#include "lower/writer.h"

struct writer;

/* One wire: how each kind of group is written. */
struct wire_form {
    void (*step)(struct writer *w);
    /* Items from..to of the group, all in one message of the user. */
    void (*user)(struct writer *w, size_t from, size_t to);
    void (*rules)(struct writer *w, size_t from, size_t to);
    /* The group is one message as it was imported. */
    void (*exact)(struct writer *w);
    bool system_outside; /* system entries at the start belong to the envelope */
    const char *opening; /* a message of the user, where the model may not speak first; NULL: it may */
};
extern const struct wire_form form_anthropic, form_chat, form_responses, form_gemini;

/* A message that is written when its first block is, and not at all when there is none. */
struct message {
    const struct entry *first; /* whose raw members it has */
    const char *role, *open;
    bool begun;
    size_t blocks;
};

struct writer {
    struct lower_job job;
    const struct wire_form *form;
    enum lower_wire wire;
    bool begun;      /* a group that is no system one was written, or stood before */
    size_t messages; /* in the array, up to now */
    bool owes_bridge; /* results stand last, and the model must speak before anyone else does */
    struct message now;
    struct replay_thinking thinking;
    struct group group;
    int64_t last_seq; /* behind this part of this entry the model only thinks */
    size_t last_part;
    bool looking;    /* only what a part would become is asked: no bytes, no report */
    struct span declared; /* the media type to be written, where it is not the payload's */
    struct buf words; /* of a stub */
    struct buf aside; /* words that have no place where they belong (Gemini) */
    int error;
    struct sink sink;
};

/* ---------------------------------------------------------------- messages and blocks: writer.c */

/* A message follows: its comma. The caller writes it whole. */
void message_next(struct writer *w);

/* A message of that role comes now: the opening before it where the model would speak first, a bridge where one is owed. */
void bridge_before(struct writer *w, const char *role);

/* The entry whose members the message of an item has: not those of a result that is told as the user's words. */
static inline const struct entry *head_of(const struct item *item)
{
    return item->role == ITEM_ORPHAN ? NULL : &item->e;
}

/* {"role":ROLE and what raw of the first entry (may be NULL) has besides its content. In an exact group raw as it is. */
void put_head(struct writer *w, const struct entry *first, const char *role);

/* What raw of an entry has besides its content and the members named, as far as the host takes it, behind n others. */
void put_extra(struct writer *w, const struct entry *e, const char *const *without, size_t n);

/* A message with a list of blocks, put off until the first of them: open is the list's key. */
void message_lazy(struct writer *w, const struct entry *first, const char *role, const char *open);
/* What stands before a block: the message's beginning, or a comma. */
void block_next(struct writer *w);
void message_end(struct writer *w);

/* Whether the entry came from the wire that is written, so that raw and opaque values hold. */
bool is_own(const struct writer *w, const struct entry *e);
bool is_family(const struct writer *w, const struct entry *e); /* of the same vendor: file ids hold */

__attribute__((format(printf, 3, 4))) void tell(struct writer *w, int64_t seq, const char *format, ...);
/* What became of a part, whose block it was, and of which type. */
void tell_block(struct writer *w, int64_t seq, size_t part, const char *what, const struct part *p);
void tell_place(struct writer *w, const struct lower_place *place, int64_t seq, size_t part);

#define put(w, text) sink_add(&(w)->sink, "" text, sizeof(text) - 1)
static inline void put_span(struct writer *w, struct span s)
{
    sink_span(&w->sink, s);
}

/* ---------------------------------------------------------------- parts: shown.c */

enum form {
    FORM_NONE,  /* left out */
    FORM_TEXT,  /* a JSON string in `text` */
    FORM_WORDS, /* words of our own, in w->words */
    FORM_VALUE, /* `value` as it is, a block of this wire */
    FORM_BYTES, /* payload */
    FORM_URL,
    FORM_FILE,
    FORM_CALL,
};
struct shown {
    enum form form;
    struct span text, value;
    struct payload payload;
    const struct part *part;
    bool raw; /* part->raw may be used */
};

/* What part i of an item becomes on this wire. The words live until the next call. */
struct shown show_part(struct writer *w, const struct item *item, size_t i);

/* Whether part i will be sent as a picture or document; nothing is told and no bytes are asked for. */
bool is_sent(struct writer *w, const struct item *item, size_t i);
bool is_media(const struct shown *s);
/* A block of some wire that can never be sent as it is: words stand for it. */
bool is_broken(const struct writer *w, const struct part *p);

/* Finds where in a step the model has said its last: thoughts behind it belong to nothing. */
void find_last_said(struct writer *w);

/* Whether a text has nothing but blanks: providers refuse those. */
bool is_blank(struct span text);

/* Writes what shown has as text, between quotes that are there already. */
void put_inside(struct writer *w, const struct shown *s);
/* The same as a JSON string. */
void put_text(struct writer *w, const struct shown *s);

/* A block of the wire as it was imported: its tokens give way to the payload, and the wire's own
 * cache_control is left out unless as_is: what a tool is given may have a member of that name. */
void put_raw(struct writer *w, struct span raw, const struct payload *payload);
/* A part as it is shown: a text in the block that open begins and "}" ends, what only this wire understands as it is, all else by
 * media. */
void put_shown(struct writer *w, const struct shown *s, const char *open,
               void (*media)(struct writer *w, const struct shown *s));
/* Members of an object but those named (NULL-terminated), behind n others; how many there are then. */
size_t put_members(struct writer *w, struct span object, const char *const *without, size_t n);
/* The member that a walk stands at, behind n others; how many there are then. */
size_t put_member(struct writer *w, const struct span_walk *at, size_t n);
/* The next member of the object at hand: its comma where it needs one, then what is given. */
void put_next(struct writer *w, const char *member);
void put_type(struct writer *w, const struct payload *p); /* quotes included */

void put_data_url(struct writer *w, const struct payload *p); /* quotes included */

/* The call: its id and name as JSON strings, its arguments as an object or as text of one. */
void put_call_id(struct writer *w, const struct call *c);
void put_call_name(struct writer *w, const struct call *c);
void put_arguments(struct writer *w, const struct call *c);
void put_arguments_text(struct writer *w, const struct call *c);
/* The call, or its result, as it was imported but for its id and name, which are those that it has here. */
void put_call_raw(struct writer *w, struct span raw, const struct call *c);
void put_call_members(struct writer *w, struct span raw, const struct call *c); /* the same without its braces */
/* The same of the object that the id itself stands in, without the members that are named. */
void put_named_members(struct writer *w, struct span object, const char *const *without, const struct call *c);
/* Whether its entry came from this wire. */
bool call_is_own(const struct writer *w, const struct call *c);

/* The call that is part i of an entry. */
struct call call_of(const struct writer *w, const struct entry *e, size_t part);

/* How a picture is named where it is told of: its ref, name, the path of its call, or "image". Plain text. */
int picture_name(const struct entry *e, const struct part *p, struct span call_arguments, struct buf *to);
/* Words for a block that no provider can take: its own, else "[image not shown: WHY]". */
int broken_text(const struct part *p, struct buf *to);
int stub_text(const struct entry *e, const struct part *p, struct span call_arguments, const char *why, struct buf *to);

/* "[result of call ID ...]": what stands before a result that is told as the user's words. */
void put_orphan_words(struct writer *w, const struct entry *e);

/* Whether an item's content is one text and may be a string; *ret is that text. */
bool is_plain_text(struct writer *w, const struct item *item, struct span *ret);

/* "NAME (view:ID)" of a picture that is shown away from its result, inside a JSON string. */
void put_picture_name(struct writer *w, const struct item *item, size_t i);

/* ---------------------------------------------------------------- pictures of results, away from them: reattach.c */

typedef void put_block_fn(struct writer *w, const struct shown *s);

bool any_sent(struct writer *w, const struct item *item);
/* Whether any result of the step has a picture or document that is sent away from it. */
bool step_sends(struct writer *w);
/* Blocks in the message that is open: a text that names all of them, then each. text is how a text block begins, up to its
 * words; close ends it. */
void write_detached(struct writer *w, const char *text, const char *close, put_block_fn *put_one);

/* Words in the place of what is not there. */
#define WORDS_NO_RESULT "[no result was recorded for this call]"
#define WORDS_NO_OUTPUT "(no output)"
#define WORDS_ATTACHED "(see attached image)"
#define WORDS_OPENING "[the conversation begins here]"

#endif
