/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries → groups: what belongs together in a conversation, whoever it is written for. A group is one of
 *   step    what the model said, the calls that it made, and what each of them gave;
 *   user    what the user said in one message;
 *   system  words of the one who runs the model;
 *   exact   one message of the wire that it came from, for export as it was.
 * Every call of a step has one result at most and every result its call. Pure: nothing is read, nothing is written.
 */
#ifndef FOVEA_GROUP_H
#define FOVEA_GROUP_H

#include "lower/target.h"
#include "transcript/entry.h"

enum group_kind { GROUP_NONE, GROUP_STEP, GROUP_USER, GROUP_SYSTEM, GROUP_EXACT };

/* What an entry is to its group. */
enum item_role {
    ITEM_SAID,   /* of the speaker himself */
    ITEM_RESULT, /* answers a call of the step */
    ITEM_TAIL,   /* a user entry in the message of the results */
    ITEM_AFTER,  /* came while results were missing: a message of its own, after them */
    ITEM_ORPHAN, /* a result without its call, or the second one of a call: told as the user's words */
};

struct item {
    struct entry e;
    size_t first; /* of its parts among the group's */
    enum item_role role;
    size_t call; /* of a result: the call that it answers */
};

enum { NO_RESULT = -1 };
struct call {
    struct span id, name, arguments, arguments_text;
    struct span wire; /* of its entry */
    bool implicit; /* made for a result without a call: its id is "fovea_" and the number of that entry */
    int64_t seq;   /* of the entry that it stands in */
    size_t part;
    size_t again; /* calls of the group with the same id before it */
    size_t nth;   /* and of all before: whoever writes adds those before the group */
    ssize_t result; /* an item */
    ssize_t next;   /* the next call of the group with its id; -1 none */
};

/* Calls by their id. */
struct call_slot {
    ssize_t waits; /* the first one without a result; -1 none */
    size_t last;   /* from 1; 0: the slot is empty */
};

struct group {
    enum group_kind kind;
    struct item *items;
    size_t n_items, items_room;
    struct part *parts;
    size_t n_parts, parts_room;
    struct call *calls;
    size_t n_calls, calls_room;
    struct call_slot *slots;
    size_t n_slots;
    size_t answered;
};
void group_done(struct group *g);

/* What must happen to a group before an entry can be taken. */
enum group_turn {
    GROUP_GOES_ON, /* it joins */
    GROUP_CLOSES,  /* the group is complete; the entry begins the next one */
};
/* exact: the entry is exported as it was. A group that can hold no more closes, whatever is still to come. */
enum group_turn group_turn(const struct group *g, const struct entry *e, bool exact);

/* Takes the entry with a copy of its parts (its body must go on living). -ENOMEM. */
int group_add(struct group *g, const struct entry *e, bool exact);

/* Makes the parts of all items reachable through item->e.parts; to be called when the group is complete. */
void group_seal(struct group *g);
void group_reset(struct group *g);

/* The unanswered call of the open step with that id, or -1. */
ssize_t group_call(const struct group *g, struct span id);

#endif
