/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a message of Chat Completions: blocks of a list, pieces of a string, calls. */
#ifndef FOVEA_CHAT_PARTS_H
#define FOVEA_CHAT_PARTS_H

#include "lower/write.h"

put_block_fn chat_put_block;

/* Blocks of an item in the list that is open; and those of items from..to as a list of their own, without its brackets. */
void chat_write_parts(struct writer *w, const struct item *item);
void chat_write_list(struct writer *w, size_t from, size_t to);

/* The same as pieces of one string, behind n others, with between in front of all but the first; pictures are left for later. */
size_t chat_write_pieces(struct writer *w, const struct item *item, const char *between, size_t n);

/* Calls of an item behind n others, the key of their list before the first; how many there are then. */
size_t chat_write_calls(struct writer *w, const struct item *item, size_t n);
void chat_put_call(struct writer *w, const struct call *c);
bool chat_has_calls(const struct item *item);

/* Whether the content must be a list: it was one, or has blocks that no string holds. */
bool chat_wants_list(const struct writer *w, const struct item *item);
/* Whether anything of the items stands in the content. */
bool chat_has_content(struct writer *w, size_t from, size_t to);

#endif
