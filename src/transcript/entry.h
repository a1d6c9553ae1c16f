/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of a transcript (docs/transcript.md), read in place: everything is a span of its body. */
#ifndef FOVEA_ENTRY_H
#define FOVEA_ENTRY_H

#include "base/json_scan.h"
#include "base/sha256.h"

enum entry_kind {
    ENTRY_SYSTEM,
    ENTRY_USER,
    ENTRY_ASSISTANT,
    ENTRY_TOOL_RESULT,
    ENTRY_PERCEPTION,
    ENTRY_USAGE,
    ENTRY_REQUEST,
    ENTRY_REPAIR,
    ENTRY_KINDS
};
extern const char *const entry_kinds[ENTRY_KINDS];

enum part_type {
    PART_TEXT,
    PART_IMAGE,
    PART_DOCUMENT,
    PART_TOOL_CALL,
    PART_OPAQUE,
    PART_TYPES
};
extern const char *const part_types[PART_TYPES];

/* Spans are JSON values (strings with their quotes); len 0 what is not there. */
struct part {
    enum part_type type;
    struct span text;       /* of a text; words that may stand for an opaque one */
    struct span id, name;   /* of a tool call; name also of an image or document */
    struct span value;      /* arguments of a tool call; value of an opaque one */
    struct span value_text; /* arguments_text */
    struct span wire;       /* of an opaque one */
    struct span raw;        /* an object */
    struct span media_type, declared, url, file_id, view, ref, broken;
    bool stored; /* sha256 is set */
    bool thinking;
    uint8_t sha256[SHA256_LEN];
    int64_t bytes;
    uint32_t width, height, pages; /* 0 not known */
};

struct entry {
    int64_t seq;
    enum entry_kind kind;
    int64_t at; /* ms */
    bool join, plain, error;
    struct span wire, role, call, name, arguments, result, raw, block, body;
    struct span instructions, tools; /* of a request: its system, its tools */
    struct span model, how, why;         /* of usage, repair */
    int64_t target_entry, target_part;   /* of repair */
    struct part *parts; /* owned by the entry_room it was read into */
    size_t n_parts;
    bool starts_turn; /* a user entry that does not join */
};

/* Parts of one entry after the other, in memory that is used again. */
struct entry_room {
    struct part *parts;
    size_t room;
};
void entry_room_done(struct entry_room *r);

/* Reads body (which must outlive the entry). 0; -EBADMSG: it is no entry; -E2BIG over LIMIT_ENTRY_PARTS; -ENOMEM. */
int entry_read(const char *body, size_t len, int64_t seq, struct entry_room *room, struct entry *ret);

/* Whether an entry is part of the conversation that a model sees: not usage, request, repair. */
bool entry_is_said(const struct entry *e);

/* Whose message an entry of that kind stands in: another number for each side, 0 for none (usage, request, repair). Results are the
 * user's side. */
int entry_speaker(enum entry_kind kind);

/* What a tool gave. */
static inline bool entry_is_result(const struct entry *e)
{
    return e->kind == ENTRY_TOOL_RESULT || e->kind == ENTRY_PERCEPTION;
}

#endif
